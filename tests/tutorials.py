"""Do what a page of the documentation says, in its order: write its files, type its commands, run its programs."""

from __future__ import annotations

import asyncio
import io
import itertools
import json
import os
import re
import shlex
import signal
import subprocess
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit
from urllib.request import HTTPCookieProcessor, ProxyHandler, Request

import pytest
from click.testing import CliRunner

from priorwise.cli import main

DOCS = Path(__file__).parent.parent / "docs"

_FENCE = re.compile(r"^```(\S*) ?(.*)$")
_CAPTION = ":caption: "
_NUMBER = re.compile(r"[-+−]?\d[\d,.]*(e[+-]?\d+)?")
_PARTS = re.compile(r"(?:(test [^|]*) \|\| )?(?:(echo [^|]*) \| )?(.*)")
_ROW = re.compile(r"  .*\d")
_LEFT_OUT = "…"


@dataclass(frozen=True)
class Step:
    """One thing to do: a ``command`` to type, a program of ``python`` to run, or a file to write."""

    kind: str
    text: str
    shown: tuple[str, ...] = ()
    """What the page says that a command prints."""


def steps_of(page: str) -> Iterator[Step]:
    """Yield what a page says to do. Blocks of other kinds, sessions of Python among them, are only to be read."""
    lines = iter(re.sub(r"\s*\\\n\s*", " ", page).splitlines())
    for line in lines:
        if fence := _FENCE.match(line):
            block = list(itertools.takewhile(lambda each: each != "```", lines))
            if fence[1] == "console":
                yield from _typed(block)
            elif fence[1] == "python":
                yield Step("python", "\n".join(block))
            elif block and block[0].startswith(_CAPTION):
                yield Step(block[0].removeprefix(_CAPTION), "\n".join(block[1:]).strip() + "\n")
        elif line.startswith("    ") and line.strip():
            yield Step("command", line.strip())


def _typed(block: list[str]) -> Iterator[Step]:
    starts = [number for number, line in enumerate(block) if line.startswith("$ ")]
    for start, end in itertools.pairwise([*starts, len(block)]):
        yield Step("command", block[start].removeprefix("$ "), tuple(block[start + 1 : end]))


def _expanded(words: list[str]) -> Iterator[str]:
    for word in words:
        yield from sorted(map(str, Path(word).parent.glob(Path(word).name))) if "*." in word else [word]


def pattern(line: str) -> str:
    """What of a line does not depend on the collection: not its numbers, one or many, nor how far they are apart."""
    masked = " ".join(_NUMBER.sub("#", line).split())
    return re.sub(r"# (\w+?)s?(?: (?:is|are))?\b", r"# \1", masked)


def not_printed(shown: tuple[str, ...], printed: str) -> list[str]:
    """The lines of a page that the command did not print; rows of tables are the collection's, and not looked for."""
    found = "".join(f"\n{pattern(line)}\n" for line in printed.splitlines())
    looked_for = [line for line in shown if line.strip() and not _ROW.match(line)]
    # What is left out is not looked for either, be it the rest of a line or lines.
    return [line for line in looked_for if f"\n{pattern(line)}\n".removesuffix(f"{_LEFT_OUT}\n") not in found]


@dataclass
class Reader:
    """Someone who does what a page says, in the current folder.

    ``knows`` are the variables that the page takes for granted, ``instead`` what cannot be had here and what there is
    in its place, ``before`` what people do before the command that contains a text is given, and ``visit`` what they do
    in the browser. With a ``program`` they type its commands and do nothing else.
    """

    knows: dict[str, Any] = field(default_factory=dict)
    instead: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, Callable[[], object]] = field(default_factory=dict)
    visit: Callable[[str], object] = lambda url: visit(url)
    program: str | None = None

    def follow(self, name: str) -> list[str]:
        """Follow a page to its end; return its commands."""
        page = (DOCS / name).read_text("utf-8")
        for there, here in self.instead.items():
            assert there in page, f"{name} does not say {there}"
            page = page.replace(there, here)
        steps = [step for step in steps_of(page) if self.program in (None, step.text.partition(" ")[0])]
        for text in self.before:
            assert any(text in step.text for step in steps), f"{name} does not say {text}"
        for step in steps:
            if step.kind == "command":
                self._type(step)
            elif step.kind == "python":
                with redirect_stdout(io.StringIO()):
                    exec(compile(step.text, name, "exec"), self.knows)
            else:
                Path(step.kind).write_text(step.text, encoding="utf-8")
        return [step.text for step in steps if step.kind == "command"]

    def _type(self, step: Step) -> None:
        for text, act in self.before.items():
            if text in step.text:
                act()
        unless, piped, command = _PARTS.fullmatch(step.text).groups()  # type: ignore[union-attr]
        if unless and subprocess.run(unless, shell=True, check=False).returncode == 0:
            return
        program, *words = shlex.split(command, comments=True)
        if program in ("pip", "scripts/demo", "scripts/test"):
            return
        if program != "priorwise":
            subprocess.run(command, shell=True, check=True)
            return
        given = subprocess.run(piped, shell=True, check=True, capture_output=True).stdout if piped else None
        with pytest.MonkeyPatch.context() as patch:
            browser = Browser(self.visit)
            patch.setattr("webbrowser.open", browser.open)
            with no_running_loop():
                result = CliRunner().invoke(main, [*_expanded(words)], input=given, prog_name="priorwise")
        browser.look()
        assert result.exit_code == 0, (step.text, result.output, result.exception)
        assert not_printed(step.shown, result.output) == [], (step.text, result.output)


@contextmanager
def no_running_loop() -> Iterator[None]:
    """A browser that is open in this process keeps a loop running, beside which a server would not start its own."""
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(running)


class Browser:
    """Visits an address as soon as the server is there, and then ends the server as Ctrl-C does."""

    def __init__(self, visit: Callable[[str], object]) -> None:
        self._visit = visit
        self._fault: BaseException | None = None

    def open(self, url: str) -> None:
        """Visit an address, from a thread of its own."""
        try:
            # The name of this machine need not be known to itself.
            parts = urlsplit(url)
            self._visit(parts._replace(netloc=f"127.0.0.1:{parts.port}").geturl())
        except BaseException as fault:
            self._fault = fault
        finally:
            os.kill(os.getpid(), signal.SIGINT)

    def look(self) -> None:
        """Raise what went wrong on the visit."""
        if self._fault is not None:
            raise self._fault


def visit(url: str) -> None:
    """Open the page, and no more."""
    Visitor(url)


def judge(url: str) -> None:
    """Say yes to one document, no to the next, and so on; as Ada, if the address does not say as whom."""
    asked = dict(parse_qsl(urlsplit(url).query))
    who = asked.setdefault("reviewer", "Ada")
    visitor = Visitor(urlsplit(url)._replace(query=urlencode(asked)).geturl())
    blind = urlsplit(url).path == "/review"
    listed = visitor.ask("start")["items"][:6] if blind else range(6)
    for number, item in enumerate(listed):
        said = {"reviewer": who, "verdict": ("yes", "no")[number % 2]}
        if blind:
            run = visitor.ask("start")["run"]
            stored = visitor.ask("verdict", {**said, "id": f"{asked}-{number}", "item": item["id"], "run": run})
        else:
            # Each verdict changes what comes next.
            id, category = visitor.ask("state")["next"][0]["id"], asked["category"]
            stored = visitor.ask("judge", {**said, "identity": str(uuid.uuid4()), "id": id, "category": category})
        assert "stored" in stored


class Visitor:
    """Asks a server of this machine what the scripts of a page would ask it."""

    def __init__(self, url: str) -> None:
        # A server with a token gives it back as a cookie.
        self._opener = urllib.request.build_opener(ProxyHandler({}), HTTPCookieProcessor())
        self._url = urlsplit(url)
        assert b"<!doctype html>" in self._open(url).lower()

    def ask(self, name: str, body: Any = None) -> Any:
        """Return the answer to a question of this page."""
        url = self._url._replace(path=f"/api{self._url.path}/{name}").geturl()
        data = None if body is None else json.dumps(body).encode()
        return json.loads(self._open(Request(url, data, {"Content-Type": "application/json"})))

    def _open(self, request: str | Request) -> bytes:
        with self._opener.open(request, timeout=60) as answer:
            return bytes(answer.read())
