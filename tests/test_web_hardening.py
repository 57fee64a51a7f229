"""Clients that stop, leave, or have names that nobody thought of."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import uvicorn

from asking import ask
from conftest import corpus_of
from priorwise.discovery import discover
from priorwise.discovery.demo import DemoDocument
from priorwise.errors import InputError
from priorwise.readers.records import RecordReader
from priorwise.report.parts import command, path_word
from priorwise.web import answers
from priorwise.web.app import Page, make_app
from priorwise.web.guard import Access
from priorwise.web.review import review_page
from priorwise.web.serving import Impatient
from priorwise.web.workspace import Workspace

TOKENS = ["пароль", "ключ 🔑", "a b&c=d#e%", "plain"]


@pytest.mark.parametrize("token", TOKENS)
def test_any_token_opens(token: str) -> None:
    app = make_app([Page("home", "Home", [])], Access(token=token))
    moved = ask(app, f"/home?token={quote(token, safe='')}")
    assert moved.status == 303
    cookie = moved.headers["set-cookie"].partition(";")[0]
    assert cookie.isascii()
    assert ask(app, "/home", headers={"Cookie": cookie}).status == 200
    sent = token.encode().decode("latin-1")
    assert ask(app, "/home", headers={"Authorization": f"Bearer {sent}"}).status == 200
    assert ask(app, "/home", headers={"Authorization": "Bearer nö"}).status == 401
    assert ask(app, "/home", headers={"Cookie": cookie.partition("=")[0] + f"={quote(token)}"}).status == 401


def test_the_printed_address_can_be_pasted(monkeypatch: pytest.MonkeyPatch) -> None:
    from priorwise.web import serving

    said: list[str] = []
    monkeypatch.setattr(serving._Server, "run", lambda self, sockets: self._started())
    serving.serve([Page("x", "X", [])], serving.Place(port=0, token="ключ &b"), browser=False, say=said.append)
    assert "token=%D0%BA%D0%BB%D1%8E%D1%87%20%26b in" in said[0]


def test_ids_with_blanks_at_either_end_can_be_judged(documents: list[DemoDocument], tmp_path: Path) -> None:
    ids = [f" {document.id}\t" for document in documents]
    corpus = corpus_of(documents, ids=ids, path=tmp_path / "x.corpus")
    run = discover(corpus, "Chess", model="presence", seeds=1)
    run.save(tmp_path / "x.run")
    app = make_app([review_page(Workspace.of_run(tmp_path / "x.run"))])
    items = ask(app, "/api/review/start").json()["items"]
    assert items[0]["id"].startswith(" ")
    assert ask(app, f"/api/review/document?id={quote(items[0]['id'])}").status == 200
    sent = {"run": "x.run", "id": "v1", "reviewer": "Ada", "item": items[0]["id"], "verdict": "yes"}
    assert ask(app, "/api/review/verdict", sent).status == 200


@contextmanager
def serving(app: Any, patience: float) -> Iterator[int]:
    protocol = type("Quick", (Impatient,), {"patience": patience})
    server = uvicorn.Server(uvicorn.Config(app, http=protocol, lifespan="off", log_level="error"))
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=lambda: server.run(sockets=[listener]))
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


def echo() -> Any:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    async def back(request: Request) -> Response:
        return answers.answer({"word": (await answers.body_of(request)).text("word")})

    return make_app([Page("home", "Home", [Route("/echo", back, methods=["POST"])])])


@pytest.mark.parametrize("begun", [b"", b"GET /home HTTP/1.1\r\nHost: 127.0.0.1\r\n"])
def test_a_connection_without_a_whole_request_is_closed(begun: bytes) -> None:
    with serving(echo(), patience=0.4) as port, socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(begun)
        began = time.monotonic()
        assert client.recv(100) == b""
        assert 0.2 < time.monotonic() - began < 5


def test_a_second_request_that_stops_is_closed_too() -> None:
    request = b"GET /home HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with serving(echo(), patience=0.4) as port, socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(request)
        while b"</html>" not in client.recv(1 << 16):
            pass
        client.sendall(request[:20])
        began = time.monotonic()
        while client.recv(1 << 16):
            pass
        assert time.monotonic() - began < 5


HEAD = (
    b"POST /api/home/echo HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n"
)


def test_a_body_that_never_comes_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "SECONDS_FOR_BODY", 0.3)
    with serving(echo(), patience=5) as port, socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(HEAD + b'{"word"')
        assert b" 408 " in client.recv(1 << 16)


def test_a_client_that_leaves_in_mid_body_leaves_no_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    with serving(echo(), patience=5) as port:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            client.sendall(HEAD + b'{"word"')
            time.sleep(0.1)
        time.sleep(0.3)
        body = json.dumps({"word": "tea"}).encode()
        with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            client.sendall(HEAD.replace(b": 90", f": {len(body)}".encode()) + body)
            assert b'"tea"' in b"".join(iter(lambda: client.recv(1 << 16), b""))
    told = capfd.readouterr()
    assert "Traceback" not in told.err + told.out


def test_names_in_commands_are_quoted() -> None:
    assert command("priorwise", "review", path_word("-rf $(x).run")) == "priorwise review './-rf $(x).run'"


@pytest.mark.parametrize("name", ["text", "id", "title", "labels"])
def test_two_columns_of_one_name_are_refused(tmp_path: Path, name: str) -> None:
    others = [other for other in ("id", "text") if other != name]
    path = tmp_path / "x.csv"
    path.write_text(",".join([name, name, *others]) + "\n" + ",".join("abcd"[: 2 + len(others)]) + "\n")
    with pytest.raises(InputError, match=rf"x\.csv has 2 columns named '{name}'"):
        list(RecordReader([path]))
