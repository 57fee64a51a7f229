"""A small web server of this machine that behaves, or misbehaves, as a test asks it to."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from priorwise.readers import download


@dataclass
class Page:
    """What is at an address, and how it is sent."""

    content: bytes = b""
    status: int = 200
    kind: str = "application/octet-stream"
    headers: dict[str, str] = field(default_factory=dict)
    ranges: bool = True
    breaks_at: list[int] = field(default_factory=list)
    """After so many bytes each answer in turn breaks off; later ones do not."""
    with_length: bool = True
    stalls: float = 0.0
    """Seconds before the first byte."""
    trickles: float = 0.0
    """Seconds after each byte."""


class Web:
    """The pages of a server, the requests it got, and its address."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.pages: dict[str, Page] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []

    def put(self, path: str, content: bytes = b"", **how: object) -> str:
        self.pages[path] = Page(content, **how)  # type: ignore[arg-type]
        return self.address + path

    def asked(self, path: str) -> list[str | None]:
        """The ranges that were asked for, one for each request."""
        return [headers.get("Range") for asked, headers in self.requests if asked == path]


@contextmanager
def serving() -> Iterator[Web]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            web.requests.append((self.path, dict(self.headers)))
            self._send(web.pages.get(self.path, Page(status=404)))

        def _send(self, page: Page) -> None:
            begin, status = 0, page.status
            asked = self.headers.get("Range")
            if asked and page.ranges and status == 200:
                begin = int(asked.removeprefix("bytes=").removesuffix("-"))
                status = 206 if begin < len(page.content) else 416
            body = page.content[begin:] if status != 416 else b""
            self.send_response(status)
            self.send_header("Content-Type", page.kind)
            if page.with_length:
                self.send_header("Content-Length", str(len(body)))
            if status == 206:
                self.send_header("Content-Range", f"bytes {begin}-{len(page.content) - 1}/{len(page.content)}")
            elif status == 416:
                self.send_header("Content-Range", f"bytes */{len(page.content)}")
            for name, value in page.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if page.stalls:
                released.wait(page.stalls)
            if page.breaks_at:
                body = body[: page.breaks_at.pop(0)]
            try:
                if page.trickles:
                    for byte in body:
                        self.wfile.write(bytes([byte]))
                        self.wfile.flush()
                        time.sleep(page.trickles)
                else:
                    self.wfile.write(body)
            except ConnectionError:
                pass  # Whoever asked has heard enough.
            self.close_connection = True

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    released = threading.Event()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        web = Web(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield web
        finally:
            released.set()
            server.shutdown()
            thread.join()


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    """A server, and no pause before it is asked again."""
    monkeypatch.setattr(download, "PAUSE", 0.0)
    with serving() as running:
        yield running
