"""The review page, in a real browser."""

from __future__ import annotations

import re
import shutil
import threading
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browsing import Asked, Served, a_page, serious_faults, served, served_here
from conftest import corpus_of
from priorwise.discovery import Run, discover
from priorwise.discovery.demo import DemoDocument
from priorwise.review import Choices, Verdict, Verdicts, cohen_kappa, items_of
from reviews import EVIL

pytestmark = pytest.mark.slow

TOP = 6
Environment = dict[str, str]


@pytest.fixture
def judged_run(run_path: Path, tmp_path: Path) -> Path:
    """A copy of the shared run, to be judged."""
    return Path(shutil.copytree(run_path, tmp_path / "chess.run"))


@pytest.fixture
def server(judged_run: Path) -> Iterator[Asked]:
    with served_here("review", judged_run, "--blind", "--top", TOP, "--port", 0) as running:
        yield running


@pytest.fixture
def mortal(judged_run: Path, environment: dict[str, str]) -> Iterator[Served]:
    """The same in a process of its own, to be killed."""
    with served("review", judged_run, "--blind", "--top", TOP, "--port", 0, environment=environment) as running:
        yield running


def logged(run: Path) -> list[Verdict]:
    verdicts = Verdicts.of_run(run)
    try:
        return verdicts.log()
    finally:
        verdicts.close()


def stored(run: Path) -> list[tuple[str, str, str]]:
    return [(each.reviewer, each.item, each.verdict) for each in logged(run)]


def begin(page: Page, url: str, name: str) -> None:
    page.goto(url)
    page.get_by_label("Your name").fill(name)
    page.keyboard.press("Enter")
    expect(page.locator(".document .text")).to_have_text(re.compile(r"[^…\s]"))


def press(page: Page, key: str, then: str) -> None:
    page.keyboard.press(key)
    expect(page.locator(".progress")).to_contain_text(then)


def test_a_review_to_the_end_with_the_keyboard(server: Asked, browser: Browser, judged_run: Path) -> None:
    items = items_of(Run.load(judged_run), Choices(top=TOP))
    n = len(items)
    with a_page(browser) as page:
        begin(page, server.url, "Ada")
        for number, item in enumerate(items, start=1):
            expect(page.locator(".document h2")).to_have_text(item.title)
            press(page, "ynus"[number % 4], f"{number} of {n} documents judged")
        expect(page.get_by_text("All judged. Thank you.")).to_be_visible()
        assert serious_faults(page) == []
        # No document is shown, so no key says anything about one.
        page.keyboard.press("n")
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".document h2")).to_have_text(items[-1].title)
        expect(page.locator("[aria-pressed=true]")).to_contain_text(
            {"y": "Yes", "n": "No", "u": "Unsure", "s": "Skip"}["ynus"[n % 4]]
        )
        press(page, "z", f"{n - 1} of {n} documents judged")
        expect(page.locator(".document h2")).to_have_text(items[-1].title)
        press(page, "y", f"{n} of {n} documents judged")
        page.get_by_role("link", name="See the results").click()
        expect(page.get_by_role("heading", name="Reviewers")).to_be_visible()
        expect(page.locator(".chart svg").first).to_be_visible()
        shown = page.locator(".figures strong").all_inner_texts()
    words = ["nusy"[(number - 1) % 4] for number in range(1, n)]
    full = {"y": "yes", "n": "no", "u": "unsure", "s": "skip"}
    expected = [("Ada", item.id, full[word]) for item, word in zip(items, words, strict=False)]
    last = full["ynus"[n % 4]]
    end = [("Ada", items[-1].id, word) for word in (last, "withdrawn", "yes")]
    assert stored(judged_run) == [*expected, *end]
    status, results = server.ask("/api/review/results?run=chess.run")
    assert status == 200
    values = [results["rankings"][name]["at_k"]["value"] for name in ("learned", "laplace")]
    assert shown == [f"{value:.3f}" for value in [*values, results["difference"]["spread"]["value"]]]


@pytest.mark.parametrize("mode", [(), ("--teach",)])
def test_a_review_that_learns_is_the_workbench(
    auto_path: Path, browser: Browser, tmp_path: Path, mode: tuple[str, ...]
) -> None:
    """What is said there is marked, and the blind evaluation does not know it."""
    folder = Path(shutil.copytree(auto_path, tmp_path / "auto.run"))
    arguments = ("review", folder, *mode, "--reviewer", "Ada", "--port", 0)
    with served_here(*arguments) as server, a_page(browser) as page:
        page.goto(server.start)
        expect(page.locator(".document .text")).to_have_text(re.compile(r"[^…\s]"))
        expect(page.locator(".sums")).to_contain_text("0 found")
        page.keyboard.press("y")
        expect(page.locator(".sums")).to_contain_text("1 found")
        page.get_by_role("link", name="Finish", exact=True).click()
        expect(page.get_by_text("found, of 1 document judged")).to_be_visible()
        page.goto(f"{server.base}/review?results=1")
        expect(page.get_by_text("1 document judged in the workbench, 1 of them accepted")).to_be_visible()
        assert server.ask("/api/review/own?reviewer=Ada")[1]["verdicts"] == []
    assert [(each.reviewer, each.chosen) for each in logged(folder)] == [("Ada", "unsure" if mode else "rank")]


def test_a_killed_server_loses_no_verdict(
    mortal: Served, browser: Browser, judged_run: Path, environment: Environment
) -> None:
    with a_page(browser) as page:
        page.expected_complaints = ("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE")  # type: ignore[attr-defined]
        begin(page, mortal.url, "Ada")
        press(page, "y", "1 of")
        press(page, "n", "2 of")
        mortal.kill()
        third = page.locator(".document h2").inner_text()
        page.keyboard.press("u")
        expect(page.get_by_text("Not stored yet")).to_be_visible()
        expect(page.locator(".document h2")).to_have_text(third)
        assert [word for _, _, word in stored(judged_run)] == ["yes", "no"]
        port = mortal.port
        with served("review", judged_run, "--blind", "--top", TOP, "--port", port, environment=environment) as again:
            expect(page.locator(".progress")).to_contain_text("3 of")
            expect(page.get_by_text("Not stored yet")).to_have_count(0)
            assert [word for _, _, word in stored(judged_run)] == ["yes", "no", "unsure"]
            again.kill()
            page.keyboard.press("y")
            expect(page.get_by_text("Not stored yet")).to_be_visible()
            page.close()
            with served("review", judged_run, "--blind", "--top", TOP, "--port", port, environment=environment):
                # The tab was closed with a verdict under way: it is sent when the page is opened the next time.
                tab = page.context.new_page()
                tab.goto(f"{again.url}/../review?reviewer=Ada")
                expect(tab.locator(".progress")).to_contain_text("4 of")
    assert [word for _, _, word in stored(judged_run)] == ["yes", "no", "unsure", "yes"]


def test_two_tabs_of_one_browser_with_a_verdict_under_way_each(
    mortal: Served, browser: Browser, judged_run: Path, environment: Environment
) -> None:
    with a_page(browser) as first:
        first.expected_complaints = ("ERR_CONNECTION_REFUSED",)  # type: ignore[attr-defined]
        begin(first, mortal.url, "Ada")
        second = first.context.new_page()
        second.goto(first.url)
        expect(second.locator(".progress")).to_contain_text("0 of")
        expect(second.locator(".document .text")).to_have_text(re.compile(r"[^…\s]"))
        second.keyboard.press("ArrowRight")
        mortal.kill()
        for page, key in ((first, "y"), (second, "n")):
            page.keyboard.press(key)
            expect(page.get_by_text("Not stored yet")).to_be_visible()
        address = first.url
        second.close()
        first.goto("about:blank")
        with served("review", judged_run, "--blind", "--top", TOP, "--port", mortal.port, environment=environment):
            first.goto(address)
            expect(first.locator(".progress")).to_contain_text("2 of")
    assert sorted(word for _, _, word in stored(judged_run)) == ["no", "yes"]


def test_a_shorter_list_counts_what_is_in_it(server: Asked, browser: Browser, judged_run: Path) -> None:
    run = Run.load(judged_run)
    items, fewer = (items_of(run, Choices(top=top)) for top in (TOP, 2))
    for item in items:
        body = {"run": "chess.run", "reviewer": "Ada", "id": f"a {item.id}", "item": item.id, "verdict": "yes"}
        assert server.ask("/api/review/verdict", body)[0] == 200
    assert len(fewer) < len(items)
    with (
        served_here("review", judged_run, "--blind", "--top", 2, "--reviewer", "Ada", "--port", 0) as again,
        a_page(browser) as page,
    ):
        page.goto(again.url)
        expect(page.locator(".progress")).to_contain_text(f"{len(fewer)} of {len(fewer)} documents judged")
        press(page, "z", f"{len(fewer) - 1} of {len(fewer)}")
        assert page.locator(".document h2").inner_text() in {item.title for item in fewer}


def test_agreement_is_said_at_the_end(server: Asked, browser: Browser, judged_run: Path) -> None:
    items = items_of(Run.load(judged_run), Choices(top=TOP))
    for place, item in enumerate(items):
        word = "yes" if place % 3 else "no"
        body = {"run": "chess.run", "reviewer": "Bob", "id": f"b {item.id}", "item": item.id, "verdict": word}
        assert server.ask("/api/review/verdict", body)[0] == 200
    with a_page(browser) as page:
        begin(page, server.url, "Ada")
        for number in range(1, len(items) + 1):
            press(page, "y" if number % 2 else "n", f"{number} of")
        said = [("yes" if place % 2 == 0 else "no", "yes" if place % 3 else "no") for place in range(len(items))]
        kappa = cohen_kappa([ada for ada, _ in said], [bob for _, bob in said])[0]
        same = 100 * sum(ada == bob for ada, bob in said) / len(said)
        written = f"{kappa:.2f}".replace("-", "−")
        expect(page.locator(".document li")).to_have_text(
            f"You and Bob: the same on {same:.0f}% of {len(items)} documents, Cohen’s κ {written}"
        )


def test_two_tabs_lose_nothing(server: Asked, browser: Browser, judged_run: Path) -> None:
    with a_page(browser) as first, a_page(browser) as second:
        for page in (first, second):
            begin(page, server.url, "Ada")
        press(first, "y", "1 of")
        press(second, "n", "1 of")
        press(second, "n", "2 of")
        press(first, "y", "2 of")
        second.reload()
        expect(second.locator(".progress")).to_contain_text("2 of")
    assert sorted(word for _, _, word in stored(judged_run)) == ["no", "no", "yes", "yes"]


def test_nothing_says_where_a_document_comes_from(server: Asked, judged_run: Path) -> None:
    run = Run.load(judged_run)
    status, start = server.ask("/api/review/start")
    assert status == 200
    assert {key for item in start["items"] for key in item} == {"id", "title"}
    assert {item["id"] for item in start["items"]} == {*run.ranking.ids[:TOP], *run.baseline.ids[:TOP]}
    status, document = server.ask(f"/api/review/document?id={start['items'][0]['id']}")
    assert set(document) == {"id", "title", "address", "text"}


def test_a_hostile_title_is_only_text(browser: Browser, tmp_path: Path, documents: list[DemoDocument]) -> None:
    corpus = corpus_of(documents, titles=[EVIL for _ in documents], path=tmp_path / "evil.corpus")
    discover(corpus, "Chess", top=5).save(tmp_path / "evil.run")
    with served_here("review", tmp_path / "evil.run", "--blind", "--port", 0) as server, a_page(browser) as page:
        begin(page, server.url, "<b>Eve</b>")
        expect(page.locator(".document h2")).to_have_text(EVIL)
        expect(page.locator(".question")).to_contain_text("<b>Eve</b>")
        page.keyboard.press("y")
        expect(page.locator(".progress")).to_contain_text("1 of")
        page.get_by_role("link", name="Results").click()
        expect(page.get_by_role("rowheader", name="<b>Eve</b>")).to_be_visible()
        assert page.title() == "Evaluate · priorwise"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_for_axe(server: Asked, browser: Browser, scheme: str) -> None:
    with a_page(browser, color_scheme=scheme) as page:
        page.goto(server.url)
        expect(page.get_by_label("Your name")).to_be_visible()
        assert serious_faults(page) == []
        begin(page, server.url, f"Ada {scheme}")
        press(page, "y", "1 of")
        assert serious_faults(page) == []
        page.get_by_role("link", name="Results").click()
        expect(page.get_by_text("members among the judged").first).to_be_visible()
        assert serious_faults(page) == []


def test_fifty_reviewers_at_once_lose_nothing(mortal: Served, judged_run: Path) -> None:
    items = [item.id for item in items_of(Run.load(judged_run), Choices(top=TOP))]
    failures: list[object] = []
    ready = threading.Barrier(50)

    def reviewer(number: int) -> None:
        ready.wait()
        for place, item in enumerate(items):
            body = {
                "run": "chess.run",
                "reviewer": f"r{number}",
                "id": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{number} {place}")),
                "item": item,
                "verdict": ("yes", "no", "unsure")[(number + place) % 3],
            }
            # Every third is sent twice, as after an answer that was lost.
            for _ in range(1 + (place % 3 == 0)):
                status, answer = mortal.ask("/api/review/verdict", body)
                if status != 200 or answer["stored"] != body["id"]:
                    failures.append((status, answer))

    with ThreadPoolExecutor(50) as threads:
        list(threads.map(reviewer, range(50)))
    mortal.kill()
    assert failures == []
    found = Counter((reviewer, item) for reviewer, item, _ in stored(judged_run))
    assert found == Counter({(f"r{number}", item): 1 for number in range(50) for item in items})
