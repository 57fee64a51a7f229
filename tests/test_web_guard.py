"""Who is let in, what is served, and how it is refused."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from asking import ask
from conftest import Refused
from priorwise.corpus import Corpus
from priorwise.errors import DiskFull, InputError
from priorwise.web.answers import Fields, answer, body_of, query_of
from priorwise.web.app import FOLDER, Page, known_files, make_app
from priorwise.web.guard import Access
from priorwise.web.pages import pages_of
from priorwise.web.serving import Place
from priorwise.web.workspace import Workspace
from processes import Shell

TOKEN = "open-sesame"


async def echo(request: Request) -> Response:
    return answer({"got": (await body_of(request)).text("word")})


def number(request: Request) -> Response:
    return answer({"got": query_of(request).number("x", 0, 1)})


def fail(_request: Request) -> Response:
    raise RuntimeError("secret detail")


def full(_request: Request) -> Response:
    raise DiskFull("no space left")


ROUTES = [
    Route("/echo", echo, methods=["POST"]),
    Route("/number", number),
    Route("/fail", fail),
    Route("/full", full),
]
PAGE = Page("home", "A <b>title</b>", ROUTES)
OPEN = make_app([PAGE])
LOCKED = make_app([PAGE], Access(token=TOKEN))


@pytest.mark.parametrize("host", ["127.0.0.1:8421", "localhost", "LOCALHOST:1", "[::1]:8421"])
def test_our_own_names(host: str) -> None:
    assert ask(OPEN, "/home", headers={"Host": host}).status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8421", "", "10.0.0.1", "[::2]", "a:b:c"]
)
def test_other_names_are_refused_whatever_they_point_to(host: str) -> None:
    assert ask(OPEN, "/home", headers={"Host": host}).status == 421


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126), max_size=30))
def test_only_our_names_whatever_is_sent(host: str) -> None:
    name = re.sub(r":[^:]*$", "", host) if host.count(":") == 1 else host
    name = host[1:].split("]")[0] if host.startswith("[") else name
    assert Access().is_ours(host) == (name.lower() in {"127.0.0.1", "localhost", "::1"})


def test_changes_come_from_our_own_pages() -> None:
    body = {"word": "hi"}
    assert ask(OPEN, "/api/home/echo", body).json() == {"got": "hi"}
    assert ask(OPEN, "/api/home/echo", body, headers={"Origin": "http://127.0.0.1:8421"}).status == 200
    for origin in (
        "http://evil.example",
        "null",
        "https://127.0.0.1:8421",
        "http://127.0.0.1:9",
        "http://localhost:8421",
    ):
        assert ask(OPEN, "/api/home/echo", body, headers={"Origin": origin}).status == 403, origin
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        assert ask(OPEN, "/api/home/echo", body, headers={"Content-Type": kind}).status == 415, kind
    cross = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert ask(OPEN, "/static/base.js", headers=cross).status == 403
    assert ask(OPEN, "/home", headers={**cross, "Sec-Fetch-Mode": "navigate"}).status == 200


def test_the_token_opens_and_moves_into_a_cookie() -> None:
    assert ask(LOCKED, "/home").status == 401
    # Scripts and styles are those of the package, the same for everybody; guests need them without the token.
    assert ask(LOCKED, "/static/base.js").status == 200
    assert ask(LOCKED, "/home?token=wrong").status == 401
    assert ask(LOCKED, "/home?token=").status == 401
    moved = ask(LOCKED, f"/home?a=1&token={TOKEN}&b=%26")
    assert (moved.status, moved.headers["location"]) == (303, "/home?a=1&b=%26")
    cookie = moved.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert ask(LOCKED, "/home", headers={"Cookie": cookie.partition(";")[0]}).status == 200
    assert ask(LOCKED, "/home", headers={"Cookie": cookie.partition("=")[0] + "=wrong"}).status == 401
    assert ask(LOCKED, "/home", headers={"Cookie": "\x7f=;;;"}).status == 401
    assert ask(LOCKED, "/home", headers={"Authorization": f"Bearer {TOKEN}"}).status == 200
    assert ask(LOCKED, "/home", headers={"Authorization": "Bearer x"}).status == 401
    assert ask(LOCKED, f"/api/home/echo?token={TOKEN}", {"word": "x"}).status == 401


def test_a_token_in_the_address_leads_nowhere_else() -> None:
    for path in ("//evil.example", "///evil.example/x"):
        moved = ask(LOCKED, f"{path}?token={TOKEN}")
        assert moved.status == 303
        assert re.match(r"/[^/]", moved.headers["location"])


def test_another_address_asks_for_a_token() -> None:
    assert Place("127.0.0.1").access().token is None
    assert Place("::1").access().token is None
    assert Place("127.0.0.1", token="x").access().token == "x"
    everywhere = Place("0.0.0.0").access()
    assert everywhere.token is not None
    assert len(everywhere.token) >= 32
    assert everywhere.token != Place("0.0.0.0").access().token
    assert everywhere.is_ours("192.168.1.7:8421")
    assert not everywhere.is_ours("evil.example")
    for name in Place("0.0.0.0").names:
        assert everywhere.is_ours(f"{name}:8421"), name
    one = Place("192.168.1.7").access()
    assert one.token is not None
    assert one.is_ours("192.168.1.7:1")
    assert not one.is_ours("192.168.1.8")


def test_every_answer_has_the_headers_that_browsers_obey() -> None:
    for path in ("/", "/home", "/nowhere", "/api/home/fail", "/static/base.js"):
        answered = ask(OPEN, path)
        policy = answered.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert answered.headers["x-content-type-options"] == "nosniff"
        assert answered.headers["referrer-policy"] == "no-referrer"
    charts = ask(make_app([Page("x", "X", [], has_charts=True)]), "/x").headers["content-security-policy"]
    assert "script-src 'self';" in charts


def test_titles_are_escaped_in_the_page() -> None:
    html = ask(OPEN, "/home").body.decode()
    assert "<b>title" not in html
    assert "A &lt;b&gt;title" in html
    assert not re.search(r"<script(?![^>]* src=)", html)
    assert not re.search(r"\son\w+=", html)


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/static/home/../../app.py",
        "/static/",
        "/static/home",
        "/static/base.js/",
        "/static/__init__.py",
    ],
)
def test_nothing_but_the_package_files_is_served(path: str) -> None:
    assert ask(OPEN, path).status == 404


def test_every_file_of_the_package_is_served() -> None:
    for name, path in known_files().items():
        answered = ask(OPEN, f"/static/{name}")
        assert (answered.status, answered.body) == (200, path.read_bytes()), name


def test_scripts_never_make_markup_of_text() -> None:
    for path in FOLDER.rglob("*.js"):
        source = path.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", source), (
            path
        )
        assert not re.search(r"https?://(?!www\.w3\.org)[a-z]", source), f"{path} needs the network"


def test_wrong_requests_are_told_what_is_wrong() -> None:
    cases = [
        ("/api/home/echo", b"{", 400, "JSON"),
        ("/api/home/echo", b"[1]", 400, "object"),
        ("/api/home/echo", b"\xff", 400, "JSON"),
        ("/api/home/echo", b"[" * 100_000, 400, "JSON"),
        ("/api/home/echo", {"word": 3}, 400, "'word'"),
        ("/api/home/echo", {"word": "x" * 1001}, 400, "1,000"),
        ("/api/home/echo", b'"' + b"x" * (1 << 20) + b'"', 413, "bytes"),
        ("/api/home/number?x=2", None, 400, "'x'"),
        ("/api/home/number?x=nan", None, 400, "'x'"),
        ("/api/home/number", None, 400, "'x'"),
        ("/api/home/nowhere", None, 404, ""),
        ("/api/home/number", {}, 405, ""),
        ("/api/home/full", None, 507, "space"),
    ]
    for path, body, status, words in cases:
        answered = ask(OPEN, path, body)
        assert answered.status == status, path
        assert words in answered.json()["error"]


def test_a_mistake_of_ours_keeps_its_details() -> None:
    answered = ask(OPEN, "/api/home/fail")
    assert answered.status == 500
    assert "secret" not in answered.body.decode()
    assert "terminal" in answered.json()["error"]


def test_fields() -> None:
    fields = Fields({"a": " x ", "n": 7, "t": True, "lone": "\ud800", "big": 10**400, "none": None})
    assert fields.text("a") == "x"
    assert fields.text("lone") == "?"
    assert fields.text("none", default="d") == "d"
    assert fields.whole("n", 0, 9) == 7
    assert fields.number("n", 0, 9) == 7.0
    for name in ("t", "big", "a", "missing"):
        with pytest.raises(InputError, match=name):
            fields.whole(name, 0, 9)
        with pytest.raises(InputError, match=name):
            fields.number(name, 0, 9)
    with pytest.raises(InputError, match="one of x, y"):
        fields.choice("a", ("x", "y"))


def test_runs_are_known_by_name_only(corpus: Corpus, run_path: Path, tmp_path: Path) -> None:
    workspace = Workspace(corpus, [run_path], tmp_path)
    app = make_app(pages_of(workspace))
    assert ask(app, "/api/review/start?run=chess.run").status == 200
    for name in ("..", "../chess.run", str(run_path), "chess.run/", "%2e%2e", "x\x00"):
        refused = ask(app, f"/api/review/start?run={name}")
        assert refused.status == 404, name
        assert str(tmp_path) not in refused.body.decode()
    begun = ask(app, "/api/library/begun").json()
    assert [note["runs"] for note in begun["categories"]] == [["chess.run"]]
    assert ask(app, "/api/review/results?run=chess.run").status == 200
    # To look is not to write.
    assert not (run_path / "verdicts.sqlite").exists()


def test_a_run_of_another_corpus_is_not_shown(run_path: Path) -> None:
    other = Corpus.from_texts(["a", "b"], labels=["x", None])
    app = make_app(pages_of(Workspace(other, [run_path])))
    assert ask(app, "/api/library/begun").json()["categories"] == []
    assert "another corpus" in ask(app, "/api/review/start?run=chess.run").json()["error"]


def test_without_the_extra_it_says_what_to_install(shell: Shell, corpus: Corpus) -> None:
    hidden = "import sys; sys.modules['starlette'] = None; from priorwise.cli import main; main(sys.argv[1:])"
    result = shell("-c", hidden, "app", corpus.path, "--no-browser")
    assert result.returncode == 2
    assert "pip install 'priorwise[web]'" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_taken_port_is_said(refused: Refused, corpus: Corpus) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = refused("app", corpus.path, "--no-browser", "--port", port)
    assert f"cannot listen on 127.0.0.1, port {port}" in said


def test_who_listens_to_everyone_is_told_an_address_for_each(shell: Shell) -> None:
    # In a process of its own: a browser of other tests may have an event loop in this one.
    lines = (
        "import signal",
        "from priorwise.web.app import Page",
        "from priorwise.web.serving import Place, serve",
        "def say(line):",
        "    print(line)",
        "    if 'other machines' in line:",
        "        signal.raise_signal(signal.SIGINT)",
        "serve([Page('x', 'X', [])], Place('0.0.0.0', 0), browser=False, say=say)",
    )
    result = shell("-c", "\n".join(lines))
    assert result.returncode == 0, result.stderr
    here, elsewhere, ended = result.stdout.splitlines()
    found = re.fullmatch(r"Open http://127\.0\.0\.1:(\d+)/\?token=(\S+) in a browser\. Ctrl-C ends the server\.", here)
    assert found is not None, here
    assert elsewhere == f"From other machines: http://{socket.gethostname()}:{found[1]}/?token={found[2]}"
    assert ended == "Ended."
