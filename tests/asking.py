"""Ask an ASGI app in this process, without a server."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


def ask(
    app: Any, path: str, body: Any = None, *, method: str | None = None, headers: dict[str, str] | None = None
) -> Answer:
    """Send a request; a body that is no bytes goes as JSON."""
    content = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {"host": "127.0.0.1:8421", **({} if body is None else {"content-type": "application/json"})}
    given.update({name.lower(): value for name, value in (headers or {}).items()})
    path, _, query = path.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method or ("GET" if body is None else "POST"),
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in given.items() if value is not None],
        "server": ("127.0.0.1", 8421),
        "client": ("127.0.0.1", 1),
        "root_path": "",
    }
    sent: list[dict[str, Any]] = []
    waiting = [{"type": "http.request", "body": content, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if not waiting:
            await asyncio.Event().wait()  # whoever asked stays on the line
        return waiting.pop(0)

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    try:
        # On a thread of its own: the browser of other tests keeps a loop running on this one.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(lambda: asyncio.run(app(scope, receive, send))).result()
    except Exception:
        # A mistake is answered, and raised again for the server's log.
        if not sent:
            raise
    start = sent[0]
    found = {name.decode().lower(): value.decode("latin-1") for name, value in start["headers"]}
    return Answer(start["status"], found, b"".join(message.get("body", b"") for message in sent[1:]))
