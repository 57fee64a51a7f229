"""The first page of the app, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from browsing import Served, a_page, serious_faults, served
from priorwise.corpus import Corpus
from priorwise.discovery import Run

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
        # What comes later, above the table, moves it.
        expect(page.get_by_text("Chess: done.")).to_be_visible()
        expect(page.locator(".labels tbody tr", has_text="Chess")).to_have_count(1)
        page.get_by_role("link", name="Review chess.run").click()
        expect(page.get_by_role("heading", name="Does it belong to “Chess”?")).to_be_visible()
    assert (tmp_path / "runs" / "chess.run" / "run.json").is_file()


def test_choose_among_several_runs_to_review(app: Served, browser: Browser, run: Run, tmp_path: Path) -> None:
    with a_page(browser) as page:
        page.expected_complaints = ("400 (Bad Request)",)  # type: ignore[attr-defined]
        page.goto(f"{app.url}/review")
        expect(page.get_by_text("there is no run to review yet")).to_be_visible()
        for name in ("a.run", "b.run"):
            run.save(tmp_path / "runs" / name)
        page.reload()
        expect(page.get_by_label("Run")).to_have_value("a.run")
        page.get_by_label("Run").select_option("b.run")
        expect(page).to_have_url(re.compile(r"/review\?run=b\.run$"))
        page.get_by_label("Your name").fill("Ada")
        page.get_by_role("button", name="Begin").click()
        expect(page.locator(".document h2")).not_to_be_empty()
        page.keyboard.press("y")
        expect(page.locator(".progress")).to_contain_text("1 of")
    assert (tmp_path / "runs" / "b.run" / "verdicts.sqlite").is_file()


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
