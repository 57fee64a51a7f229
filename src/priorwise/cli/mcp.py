"""`priorwise mcp`: the session as tools for agents, over the Model Context Protocol."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from priorwise.cli.options import PATH, command, open_corpus, option, place, runs_beside
from priorwise.errors import MissingExtra, PriorwiseError

MOST = 100
INSTRUCTIONS = (
    "Find the documents that are missing from a category of a corpus. List the categories, discover one, read the "
    "next documents, explain those that are unclear, and judge each: yes, no, unsure or skip. The ranking learns from "
    "every verdict. Stop when 'safe_to_stop' is true."
)


@command(examples="mcp articles.corpus")
@click.argument("corpus", callback=place)
@option("--runs", type=PATH, help="Where runs are kept. [default: CORPUS with .runs]")
@option("--reviewer", default="agent", show_default=True, help="The name under which verdicts are stored.")
def mcp(corpus: Path | str, runs: Path | None, reviewer: str) -> None:
    """Let an agent find and judge documents of CORPUS, by the Model Context Protocol.

    The server uses standard input and output: name this command in the settings of the agent. Its verdicts are stored
    in runs, as those of people are, under the reviewer's name.
    """
    make_server(Sessions(open_corpus(corpus), runs or runs_beside(corpus), reviewer)).run("stdio")


class Sessions:
    """The open sessions of a corpus, by category."""

    def __init__(self, corpus: Any, folder: Path, reviewer: str) -> None:
        self.corpus, self.folder, self.reviewer = corpus, folder, reviewer
        self._open: dict[str, Any] = {}
        self._lock = threading.Lock()

    def of(self, category: str, **choices: Any) -> Any:
        """Return the session of a category; its run is made if it is not there."""
        from priorwise.review.session import Session

        label = self.corpus.label_named(category)
        with self._lock:
            if label not in self._open:
                self.folder.mkdir(parents=True, exist_ok=True)
                name = re.sub(r"\W+", "-", label.lower()).strip("-")[:80] or "run"
                self._open[label] = Session(self.corpus, label, path=self.folder / f"{name}.run", **choices)
            return self._open[label]

    def document(self, candidate: Any) -> dict[str, Any]:
        """Return a candidate and how its text begins."""
        text = self.corpus.text(self.corpus.row(candidate.id)) or ""
        facts = {name: getattr(candidate, name) for name in ("id", "title", "rank", "probability")}
        return {**facts, "text": text[:2000]}

    def state(self, session: Any) -> dict[str, Any]:
        progress, missing, stop = session.progress, session.missing, session.stop
        return {
            "members": session.run.about.members,
            "judged": progress.judged,
            "found": progress.found,
            "estimated_missing": round(missing.expected, 1),
            "interval_80_percent": [round(missing.low, 1), round(missing.high, 1)],
            "safe_to_stop": stop.safe,
            "reason": stop.reason,
        }


def make_server(sessions: Sessions) -> Any:
    """Return the server with its tools."""
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError as error:
        raise MissingExtra("mcp", "mcp") from error
    from priorwise.version import __version__

    server: Any = MCPServer("priorwise", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")

    def tool(act: Callable[..., Any]) -> Callable[..., Any]:
        """Add a tool; our own errors reach the agent as sentences."""

        @wraps(act)
        def checked(*args: Any, **given: Any) -> Any:
            try:
                return act(*args, **given)
            except PriorwiseError as error:
                raise ToolError(str(error)) from error

        server.tool(name=act.__name__.removesuffix("_documents"))(checked)
        return act

    @tool
    def categories(search: str = "", limit: int = 20) -> list[dict[str, Any]]:
        """List categories with their numbers of members: the largest, or those most like the search."""
        limit = max(1, min(limit, MOST))
        found = sessions.corpus.search_labels(search, limit) if search else sessions.corpus.largest_labels(limit)
        return [{"category": label, "members": size} for label, size in found]

    @tool
    def discover(category: str, words: str = "", description: str = "", top: int = 10) -> dict[str, Any]:
        """Find what is missing from a category, or continue. Words such as "+oil:2 -olive" count at the first time."""
        given = {name: text for name, text in (("words", words), ("description", description)) if text}
        session = sessions.of(category, **given)
        rows = session.queue(max(1, min(top, MOST))).rows()
        names = ("rank", "id", "title", "probability", "evidence")
        return {**sessions.state(session), "candidates": [{name: row[name] for name in names} for row in rows]}

    @tool
    def next_documents(category: str, k: int = 5) -> list[dict[str, Any]]:
        """Return the next documents to judge, best first, with the beginning of each text."""
        session = sessions.of(category)
        return [sessions.document(each) for each in session.next(max(1, min(k, MOST)), reviewer=sessions.reviewer)]

    @tool
    def explain(category: str, id: str) -> dict[str, Any]:
        """Say which words of a document count for and against the category, the strongest first."""
        words = sorted(sessions.of(category).explain(id).words, key=lambda each: -abs(each.adds))[:20]
        return {"id": id, "words": [{"name": each.name, "group": each.group, "adds": each.adds} for each in words]}

    @tool
    def judge(category: str, id: str, verdict: str, note: str = "") -> dict[str, Any]:
        """Store a verdict on a document: yes, no, unsure or skip. Returns how far the category is."""
        session = sessions.of(category)
        session.judge(id, verdict, reviewer=sessions.reviewer, note=note or None)
        return sessions.state(session)

    @tool
    def undo(category: str) -> dict[str, Any]:
        """Take back the last verdict of this reviewer."""
        session = sessions.of(category)
        return {"document": session.undo(sessions.reviewer), **sessions.state(session)}

    return server
