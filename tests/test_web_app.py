"""The first page of the app, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from browsing import Served, a_page, serious_faults, served
from priorwise.corpus import Corpus

pytestmark = pytest.mark.slow


@pytest.fixture
def app(corpus: Corpus, environment: dict[str, str], tmp_path: Path) -> Iterator[Served]:
    with served("app", corpus.path, "--runs", tmp_path / "runs", "--port", 0, environment=environment) as server:
        yield server


def test_find_a_category_and_discover_it(app: Served, browser: Browser, tmp_path: Path) -> None:
    with a_page(browser) as page:
        page.goto(app.url)
        expect(page).to_have_title("Categories · priorwise")
        page.get_by_label("Category").fill("Ches")
        row = page.locator("tbody tr", has_text="Chess")
        expect(row).to_have_count(1)
        row.get_by_role("button", name="Discover").click()
        expect(page.get_by_text("Chess: done.")).to_be_visible()
        expect(page.locator(".runs tbody tr")).to_have_count(1)
        page.reload()
        expect(page.get_by_label("Category")).to_have_value("Ches")
        expect(page.locator(".runs tbody tr")).to_contain_text("chess.run")
        page.get_by_role("link", name="Review chess.run").click()
        expect(page.get_by_role("heading", name="Does it belong to “Chess”?")).to_be_visible()
    assert (tmp_path / "runs" / "chess.run" / "run.json").is_file()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_for_axe(app: Served, browser: Browser, scheme: str) -> None:
    with a_page(browser, color_scheme=scheme) as page:
        page.goto(app.url)
        expect(page.locator(".labels tbody tr").first).to_be_visible()
        assert serious_faults(page) == []


def test_light_and_dark_are_chosen_and_kept(app: Served, browser: Browser) -> None:
    with a_page(browser, color_scheme="light") as page:
        page.goto(app.url)
        background = "getComputedStyle(document.body).backgroundColor"
        light = page.evaluate(background)
        page.get_by_role("button", name="Switch between light and dark").click()
        dark = page.evaluate(background)
        assert light != dark
        page.reload()
        assert page.evaluate(background) == dark


def test_ctrl_c_ends_it_cleanly(corpus: Corpus, environment: dict[str, str]) -> None:
    server = Served(["app", corpus.path, "--port", 0], environment)
    assert server.process.stdout is not None
    assert re.match(r"http://127\.0\.0\.1:\d+$", server.url)
    server.process.send_signal(2)
    rest = server.process.stdout.read()
    assert server.stop() == 0
    assert rest == "Ended.\n"
