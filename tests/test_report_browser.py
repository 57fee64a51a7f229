"""Reports in a real browser: as a file of their own, on paper, and inside the app."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from browsing import Asked, a_page, serious_faults, served_here
from conftest import corpus_of
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.demo import DemoDocument
from priorwise.report import write_report
from reviews import EVIL, candidates, judge

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def runs(
    run: Run,
    run_path: Path,
    auto_path: Path,
    documents: list[DemoDocument],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A folder of three runs: one judged, one not, and one of the default model that was judged and taught."""
    truth = {document.id: document.truth for document in documents}
    tmp_path = tmp_path_factory.mktemp("report")
    shutil.copytree(run_path, tmp_path / "runs" / "fresh.run")
    judged = Path(shutil.copytree(run_path, tmp_path / "runs" / "judged.run"))
    judge(judged, {id: "yes" if "Chess" in truth[id] else "no" for id in candidates(run)})
    taught = Path(shutil.copytree(auto_path, tmp_path / "runs" / "taught.run"))
    ids = Run.load(taught).ranking.ids[:40]
    judge(taught, {id: "yes" if "Chess" in truth[id] else "no" for id in ids})
    judge(taught, dict.fromkeys(ids[:9], "yes"), reviewer="Bob", teaching=True)
    return tmp_path / "runs"


@pytest.fixture(scope="module")
def app(corpus: Corpus, runs: Path) -> Iterator[Asked]:
    with served_here("app", corpus.path, "--runs", runs, "--port", 0) as server:
        yield server


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "names", [["judged.run"], ["fresh.run"], ["taught.run"], ["judged.run", "fresh.run"]], ids="-".join
)
def test_the_file_is_readable_and_asks_for_nothing(
    runs: Path, browser: Browser, tmp_path: Path, names: list[str], scheme: str
) -> None:
    write_report([runs / name for name in names], tmp_path / "report.html")
    with a_page(browser, color_scheme=scheme) as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto((tmp_path / "report.html").as_uri())
        expect(page.locator("svg.picture").first).to_be_visible()
        assert serious_faults(page) == []
        assert [url for url in asked if not url.startswith("data:")] == [(tmp_path / "report.html").as_uri()]
        # The style was let in by its hash, and the heat map by being in the file.
        assert page.evaluate("getComputedStyle(document.querySelector('#report figure')).borderTopWidth") == "1px"
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 25, 28)"
        assert dark == (scheme == "dark")


def test_on_paper_it_is_light_and_nothing_is_cut_off(runs: Path, browser: Browser, tmp_path: Path) -> None:
    write_report(runs / "judged.run", tmp_path / "report.html")
    with a_page(browser, color_scheme="dark", viewport={"width": 720, "height": 1000}) as page:
        page.goto((tmp_path / "report.html").as_uri())
        page.emulate_media(media="print", color_scheme="dark")
        assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(29, 35, 39)"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_hostile_title_is_text(documents: list[DemoDocument], browser: Browser, tmp_path: Path) -> None:
    discover(corpus_of(documents, titles=[EVIL for _ in documents]), "Chess", top=5).save(tmp_path / "evil.run")
    write_report(tmp_path / "evil.run", tmp_path / "report.html")
    with a_page(browser) as page:
        page.goto((tmp_path / "report.html").as_uri())
        # Once on the front page, and once among the candidates.
        expect(page.get_by_role("rowheader", name=EVIL, exact=True)).to_have_count(2 * 5)
        expect(page.locator("script, img[src=x]")).to_have_count(0)
        expect(page).to_have_title("Chess · priorwise")
    judge(tmp_path / "evil.run", dict.fromkeys(Run.load(tmp_path / "evil.run").ranking.ids[:5], "yes"))
    write_report(tmp_path / "evil.run", tmp_path / "judged.html")
    with a_page(browser) as page:
        page.goto((tmp_path / "judged.html").as_uri())
        expect(page.locator("ol.found").get_by_text(EVIL, exact=True)).to_have_count(5)
        expect(page.locator("script, img[src=x]")).to_have_count(0)
        expect(page).to_have_title("Chess · priorwise")


def test_the_same_report_inside_the_app(app: Asked, runs: Path, browser: Browser, tmp_path: Path) -> None:
    with a_page(browser) as page:
        page.goto(f"{app.base}/report?run=judged.run")
        expect(page.get_by_role("heading", level=1)).to_have_text("Chess")
        expect(page).to_have_title("Chess · priorwise")
        assert serious_faults(page) == []
        inside = page.locator("#report").text_content()
    write_report(runs / "judged.run", tmp_path / "report.html")
    with a_page(browser) as page:
        page.goto((tmp_path / "report.html").as_uri())
        assert page.locator("#report").text_content() == inside


def test_choose_runs_and_take_their_files_away(app: Asked, browser: Browser, tmp_path: Path) -> None:
    with a_page(browser, color_scheme="dark") as page:
        page.goto(f"{app.base}/report")
        expect(page.get_by_role("checkbox")).to_have_count(3)
        page.get_by_role("button", name="Show the report").click()
        expect(page.get_by_role("alert")).to_have_text("Choose at least one run.")
        assert serious_faults(page) == []
        for box in page.get_by_role("checkbox").all():
            box.check()
        page.get_by_role("button", name="Show the report").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("3 runs of Chess")
        assert serious_faults(page) == []
        for name, starts in (("report", "<!doctype html>"), ("CSV", "\ufeffcategory,"), ("wikitext", "== ")):
            with page.expect_download() as download:
                page.locator(".files").get_by_role("link", name=name).click()
            download.value.save_as(tmp_path / name)
            assert (tmp_path / name).read_text(encoding="utf-8").startswith(starts)


def test_the_app_refuses_what_is_no_run_of_its_own(app: Asked, browser: Browser) -> None:
    for query, status in (
        ("", 400),
        ("run=none.run", 404),
        ("run=../runs/fresh.run", 404),
        ("&".join(["run=x"] * 99), 404),
    ):
        assert app.ask(f"/c/made-up/api/report/html?{query}")[0] == status
    assert app.ask("/c/made-up/api/report/accepted.csv?run=fresh.run")[0] == 400
    with a_page(browser) as page:
        page.expected_complaints = ["404"]  # type: ignore[attr-defined]
        page.goto(f"{app.base}/report?run=none.run")
        expect(page.get_by_role("alert")).to_contain_text("no run 'none.run'")
