"""The tools for agents, asked by a real client over standard input and output."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from priorwise.corpus import Corpus
from priorwise.discovery.demo import DemoDocument
from priorwise.review import judged
from tutorials import no_running_loop

pytest.importorskip("mcp")


@pytest.mark.slow
def test_an_agent_completes_a_category_over_stdio(
    corpus: Corpus, documents: list[DemoDocument], tmp_path: Path, environment: dict[str, str]
) -> None:
    from mcp import ClientSession
    from mcp.client.stdio import StdioServerParameters, stdio_client

    truth = {each.id: "yes" if "Chess" in each.truth else "no" for each in documents}
    command = ["-m", "priorwise", "mcp", str(corpus.path), "--runs", str(tmp_path / "runs"), "--reviewer", "robot"]

    async def story() -> dict[str, Any]:
        server = StdioServerParameters(command=sys.executable, args=command, env=environment)
        async with stdio_client(server) as (read, write), ClientSession(read, write) as client:
            await client.initialize()
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert names == {"categories", "discover", "next", "explain", "judge", "undo"}

            async def call(name: str, **given: Any) -> Any:
                answer = await client.call_tool(name, given)
                text = "".join(part.text for part in answer.content)
                assert not answer.is_error, text
                return answer.structured_content

            found = (await call("categories", search="ches"))["result"]
            assert found[0]["category"] == "Chess"
            first = await call("discover", category="Chess", top=3)
            assert len(first["candidates"]) == 3
            assert first["estimated_missing"] > 0
            state: dict[str, Any] = {}
            for _ in range(5):
                (document,) = (await call("next", category="chess", k=1))["result"]
                assert document["text"]
                state = await call("judge", category="Chess", id=document["id"], verdict=truth[document["id"]])
            why = await call("explain", category="Chess", id=document["id"])
            assert why["words"][0]["name"]
            assert (await call("undo", category="Chess"))["document"] == document["id"]
            refused = await client.call_tool("judge", {"category": "Chess", "id": document["id"], "verdict": "perhaps"})
            assert refused.is_error
            assert "perhaps" in refused.content[0].text
            return state

    with no_running_loop():
        state = asyncio.run(story())
    assert (state["judged"], json.dumps(state["safe_to_stop"])) == (5, "false")
    assert len(judged(tmp_path / "runs" / "chess.run").order) == 4
