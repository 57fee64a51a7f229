"""A server, in this process or in one of its own, and a browser to look at it."""

from __future__ import annotations

import http.client
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Queue
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from priorwise.cli import main
from priorwise.web import serving

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
PATIENCE = 60.0
expect.set_options(timeout=PATIENCE * 1000 / 2)


class Asked:
    """A server; ``start`` is the address that it opens."""

    start: str

    @property
    def url(self) -> str:
        return self.start.rstrip("/")

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 80

    @property
    def base(self) -> str:
        """The address of the pages of the corpus that was opened."""
        return self.start.rpartition("/")[0]

    def ask(
        self, path: str, body: Any = None, *, headers: dict[str, str] | None = None, method: str | None = None
    ) -> tuple[int, Any]:
        """Send a request; return the status and the JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        given = {"Content-Type": "application/json"} if body is not None else {}
        try:
            connection.request(
                method or ("GET" if body is None else "POST"),
                path,
                None if body is None else json.dumps(body),
                {**given, **(headers or {})},
            )
            response = connection.getresponse()
            content = response.read()
            return response.status, json.loads(content) if content[:1] in b"{[" and content else content
        finally:
            connection.close()


class Served(Asked):
    """``priorwise …`` running as a server in a process of its own, which can be killed."""

    def __init__(self, arguments: list[object], environment: dict[str, str]) -> None:
        command = [sys.executable, "-m", "priorwise", *map(str, arguments), "--no-browser"]
        self.process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.start = self._first_line()

    def _first_line(self) -> str:
        assert self.process.stdout is not None
        deadline = time.monotonic() + PATIENCE
        said = ""
        while time.monotonic() < deadline:
            if select.select([self.process.stdout], [], [], 0.1)[0]:
                line = self.process.stdout.readline()
                said += line
                if found := re.search(r"(http://\S+)", line):
                    return found.group(1)
                if not line:
                    break
        raise AssertionError(f"the server did not start: {said}")

    def kill(self) -> None:
        """End it without a word."""
        self.process.kill()
        self.process.wait()
        self._close()

    def stop(self) -> int:
        """End it as Ctrl-C does; return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        code = self.process.wait(timeout=PATIENCE)
        self._close()
        return code

    def _close(self) -> None:
        if self.process.stdout is not None:
            self.process.stdout.close()


@contextmanager
def served(*arguments: object, environment: dict[str, str]) -> Iterator[Served]:
    """Serve for as long as the block lasts."""
    server = Served([*arguments], environment)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.kill()
        else:
            server._close()


@contextmanager
def served_here(*arguments: object) -> Iterator[Asked]:
    """Serve from a thread of this process, where everything is imported and compiled already."""
    ready: Queue[Asked | BaseException] = Queue()
    servers: list[Any] = []

    class Recorded(serving._Server):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            servers.append(self)

    def announce(here: str, *_: object) -> None:
        found = Asked()
        found.start = here
        ready.put(found)

    def run() -> None:
        try:
            main.main([*map(str, arguments), "--no-browser"], prog_name="priorwise", standalone_mode=False)
        except BaseException as error:
            ready.put(error)

    thread = threading.Thread(target=run)
    with patch.object(serving, "_announce", announce), patch.object(serving, "_Server", Recorded):
        thread.start()
        started = ready.get(timeout=PATIENCE)
    try:
        if isinstance(started, BaseException):
            raise started
        yield started
    finally:
        for each in servers:
            each.should_exit = each.force_exit = True
        thread.join(PATIENCE)


@contextmanager
def a_browser() -> Iterator[Browser]:
    """Run the browser that is installed; PRIORWISE_BROWSER names another."""
    path = os.environ.get("PRIORWISE_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    assert path is not None, "these tests need Chromium: run scripts/setup dev, or name one with PRIORWISE_BROWSER"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def a_page(browser: Browser, **options: Any) -> Iterator[Page]:
    """Open a page; what its modules or its policy complain about fails the test."""
    context = browser.new_context(**options)
    page = context.new_page()
    page.set_default_timeout(PATIENCE * 1000 / 2)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda message: complaints.append(f"{message.text} ({message.location})") if message.type == "error" else None,
    )
    try:
        yield page
        ignored = getattr(page, "expected_complaints", ())
        assert [text for text in complaints if not any(known in text for known in ignored)] == []
    finally:
        context.close()


def serious_faults(page: Page) -> list[str]:
    """Return what axe finds wrong that matters: its rule, and where."""
    found = Axe().run(page).response["violations"]
    return [
        f"{fault['id']}: {node['target']} {node.get('failureSummary', '')}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]
