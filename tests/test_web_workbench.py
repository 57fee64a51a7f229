"""The whole job as a story, in a real browser: bring a file, complete a category, stop, and take the file away."""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from asking import ask
from browsing import Asked, a_page, serious_faults, served_here
from priorwise.corpus import Corpus
from priorwise.discovery.demo import DemoDocument, make_documents
from priorwise.text.tokens import tokens
from priorwise.web.app import make_app
from priorwise.web.openapi import openapi
from priorwise.web.pages import documented_pages, pages_of
from priorwise.web.workspace import Categories, Workspace

pytestmark = pytest.mark.slow
PHONE = {"width": 390, "height": 844}
VERDICTS = 30
LABEL = "Geology"


@pytest.fixture(scope="module")
def made() -> list[DemoDocument]:
    return make_documents(500)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    folder = tmp_path_factory.mktemp("app")
    with served_here("app", "--folder", folder, "--port", 0) as server:
        yield server


@pytest.fixture(scope="module")
def bench(app: Asked, made: list[DemoDocument], browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the workbench, after a newcomer has dropped a file and chosen a category."""
    path = tmp_path_factory.mktemp("files") / "catalogue.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file).writerow
        write(["id", "Title", "Abstract", "Subjects"])
        for each in made:
            write([each.id, each.title, each.text, "; ".join(each.labels)])
    with a_page(browser) as page:
        page.goto(app.url)
        drop = """(path) => {
            const data = new DataTransfer();
            data.items.add(new File([path.content], path.name));
            document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }"""
        expect(page.get_by_text("or drop it here")).to_be_visible()
        page.evaluate(drop, {"name": path.name, "content": path.read_text(encoding="utf-8")})
        page.get_by_role("button", name="Import").click()
        page.wait_for_url("**/library")
        page.get_by_role("button", name=f"Find what is missing from {LABEL}").click()
        page.wait_for_url(re.compile("/workbench"))
        return page.url


def begun(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator(".document .text")).to_have_text(re.compile(r"\w{3}"))
    expect(page.locator(".sums")).to_contain_text("found")


def judge(page: Page, key: str) -> None:
    """Press a key, and wait until another document is there; several may have one title."""
    shown = str(page.locator(".document").get_attribute("data-document"))
    page.keyboard.press(key)
    expect(page.locator(".document")).not_to_have_attribute("data-document", shown)


def test_a_newcomer_completes_a_category_and_takes_the_file_home(
    bench: str, made: list[DemoDocument], browser: Browser
) -> None:
    truth = {each.title: LABEL in each.truth for each in made}
    accepted = set()
    with a_page(browser) as page:
        begun(page, bench)
        expect(page.locator(".why")).to_contain_text("Counts for it")
        expect(page.locator(".document .text .for").first).to_be_visible()
        assert serious_faults(page) == []
        for number in range(1, VERDICTS + 1):
            title = page.locator(".document h2").inner_text()
            if truth[title]:
                accepted.add(title)
            judge(page, "y" if truth[title] else "n")
            if number == 3:
                expect(page.locator(".sums")).to_contain_text("of the last 3")
        assert len(accepted) > 5
        expect(page.locator(".sums")).to_contain_text(f"{len(accepted)} found")
        page.get_by_role("link", name="Finish", exact=True).click()
        expect(page.get_by_text(f"found, of {VERDICTS} documents judged")).to_be_visible()
        assert serious_faults(page) == []
        with page.expect_download() as own:
            page.locator(".downloads .first").get_by_role("link", name="Download").click()
        with page.expect_download() as found:
            page.get_by_role("link", name="What was found as CSV").click()
        with page.expect_download() as log:
            page.get_by_role("link", name="Verdicts as CSV").click()
        rows = table(Path(own.value.path()))
        assert own.value.suggested_filename == "catalogue-completed.csv"
        known = {each.title for each in made if LABEL in each.labels}
        assert {row["Title"] for row in rows if LABEL in row["Subjects"].split("; ")} == known | accepted
        assert {row["title"] for row in table(Path(found.value.path()))} == accepted
        assert len(table(Path(log.value.path()))) == VERDICTS
        for what in ("xlsx", "ris", "wikitext"):
            assert page.request.get(f"{bench.replace('/workbench', '/api/finish/file')}&what=accepted&as={what}").ok


def table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))


def test_every_action_by_keyboard_and_nothing_moves_what_is_read(bench: str, browser: Browser) -> None:
    with a_page(browser, color_scheme="dark") as page:
        begun(page, bench)
        first = page.locator(".document h2").inner_text()
        before = page.locator(".sums strong").inner_text()
        judge(page, "u")
        page.keyboard.press("z")
        expect(page.locator(".document h2")).to_have_text(first)
        expect(page.locator(".sums strong")).to_have_text(before)
        page.keyboard.press("e")
        page.keyboard.type("see the map, yes or no")
        page.keyboard.press("Enter")
        judge(page, "s")
        page.keyboard.press("j")
        expect(page.locator(".queue [aria-current]")).to_have_count(1)
        # Whatever had the focus when the ranking changes, it is not lost.
        for focused in (".queue [aria-current]", ".why button >> nth=0"):
            page.locator(focused).focus()
            judge(page, "u")
            expect(page.locator(".queue, .why").locator(":focus").or_(page.locator(".why:focus"))).to_have_count(1)
            page.keyboard.press("z")
            expect(page.locator(".sums strong")).to_have_text(before)
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_be_visible()
        assert serious_faults(page) == []
        page.keyboard.press("Escape")
        page.keyboard.press("/")
        page.keyboard.type("zzzz")
        expect(page.locator(".queue ol")).to_contain_text("No candidate has these words.")
        page.get_by_role("button", name="Judged").click()
        expect(page.locator(".queue ol")).not_to_contain_text("skip")
    with a_page(browser, viewport=PHONE) as page:
        begun(page, bench)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.get_by_role("button", name="Why").click()
        expect(page.locator(".why")).to_be_visible()
        assert serious_faults(page) == []
        page.goto(bench.replace("/workbench", "/finish"))
        expect(page.get_by_role("heading", name="Download")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_two_windows_of_one_reviewer_do_not_overwrite_each_other(bench: str, browser: Browser) -> None:
    context = browser.new_context()
    try:
        one, two = context.new_page(), context.new_page()
        for page in (one, two):
            begun(page, bench)
        title = two.locator(".document h2").inner_text()
        expect(one.locator(".document h2")).to_have_text(title)
        judge(one, "y")
        two.keyboard.press("n")
        expect(two.get_by_role("alert")).to_contain_text("You said yes about this document in another window")
        expect(two.locator(".document h2")).to_have_text(title)
        expect(two.locator(".keys [aria-pressed=true]")).to_contain_text("Yes")
        judge(two, "n")
    finally:
        context.close()


def test_a_random_check_hides_what_the_model_says(bench: str, browser: Browser) -> None:
    with a_page(browser) as page:
        page.goto(bench.replace("/workbench", "/finish"))
        page.get_by_role("button", name="Judge 50 at random to be sure").click()
        expect(page.get_by_text("Random check: these documents were drawn at random.")).to_be_visible()
        expect(page.locator(".document .text")).to_have_text(re.compile(r"\w{3}"))
        expect(page.locator(".why")).to_contain_text("Hidden during a random check")
        expect(page.locator(".document .text .for")).to_have_count(0)
        expect(page.locator(".queue .share").first).to_have_text("")


# Without a browser


def test_requests_are_checked(corpus: Corpus, auto_path: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(auto_path, runs / "auto.run")
    app = make_app(pages_of(Workspace(corpus, folder=runs)))
    state = ask(app, "/api/workbench/state?category=auto&reviewer=Ada").json()
    first, second = (each["id"] for each in state["next"][:2])

    def send(**fields: Any) -> Any:
        whole = {"category": "auto", "reviewer": "Ada", "id": first, "verdict": "yes", "identity": "a", **fields}
        return ask(app, "/api/workbench/judge", whole)

    for wrong in ({"verdict": "maybe"}, {"verdict": "withdrawn"}, {"identity": ""}, {"id": 3}, {"note": "x" * 3000}):
        assert send(**wrong).status == 400, wrong
    assert send(id="none").status in (400, 404)
    assert send(category="../auto").status == 404
    assert send().status == 200
    # Sent again, because the answer was lost: stored once.
    assert send().status == 200
    assert send(identity="b", verdict="no").status == 409
    assert send(identity="b", verdict="no", previous="a", note="on reflection").status == 200
    assert send(identity="c", id=second).status == 200
    history = ask(app, "/api/workbench/history?category=auto").json()["verdicts"]
    assert [(each["item"], each["verdict"]) for each in history] == [(second, "yes"), (first, "no")]
    after = ask(app, "/api/workbench/state?category=auto&reviewer=Ada").json()
    assert (after["summary"]["judged"], after["summary"]["found"]) == (2, 1)
    assert not {first, second} & {each["id"] for each in after["queue"]}
    # The library knows it without opening the session.
    (note,) = ask(app, "/api/library/begun").json()["categories"]
    assert (note["judged"], note["found"], note["runs"]) == (2, 1, ["auto.run"])
    assert ask(app, "/api/workbench/undo", {"category": "auto", "reviewer": "Ada"}).json()["id"] == second
    log = ask(app, "/api/finish/verdicts?category=auto").body.decode("utf-8-sig")
    assert len(list(csv.DictReader(io.StringIO(log)))) == 4
    assert ask(app, "/api/finish/file?category=auto&what=accepted&as=exe").status == 400
    assert ask(app, "/api/finish/original?category=auto").status == 400


def test_words_make_another_round_that_keeps_the_verdicts(corpus: Corpus, auto_path: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(auto_path, runs / "auto.run")
    workspace = Workspace(corpus, folder=runs)
    app = make_app(pages_of(workspace))
    first = ask(app, "/api/workbench/state?category=auto&reviewer=Ada").json()["next"][0]["id"]
    judged = {"category": "auto", "reviewer": "Ada", "id": first, "verdict": "yes", "identity": "a"}
    assert ask(app, "/api/workbench/judge", judged).status == 200
    word = ask(app, f"/api/workbench/document?category=auto&reviewer=Ada&id={first}").json()["for"][0]["name"]
    assert ask(app, "/api/workbench/words", {"category": "auto", "words": f"{word}:0"}).status == 202
    workspace.jobs.wait()
    (note,) = ask(app, "/api/library/begun").json()["categories"]
    assert note["rounds"] == 2
    state = ask(app, "/api/workbench/state?category=auto&reviewer=Ada").json()
    assert state["summary"]["found"] == 1
    why = ask(app, f"/api/workbench/document?category=auto&reviewer=Ada&id={first}").json()
    assert word not in {each["name"] for each in why["for"]}


def test_the_queue_is_filtered_by_a_title_or_by_words(corpus: Corpus, auto_path: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(auto_path, runs / "auto.run")
    app = make_app(pages_of(Workspace(corpus, folder=runs)))

    def queue(wanted: str) -> list[dict[str, Any]]:
        found = ask(app, f"/api/workbench/queue?category=auto&reviewer=Ada&q={quote(wanted)}").json()
        assert found["total"] >= len(found["rows"])
        return list(found["rows"])

    everything = ask(app, "/api/workbench/queue?category=auto&reviewer=Ada").json()["rows"]
    words = {each["id"]: set(tokens(corpus.text(corpus.row(each["id"])) or "")) for each in everything}
    first, second = sorted(words[everything[0]["id"]])[:2]
    found = {each["id"] for each in queue(f"{second} {first.upper()}")}
    assert everything[0]["id"] in found
    for each in everything:
        is_there = {first, second} <= words[each["id"]] | set(tokens(each["title"]))
        assert (each["id"] in found) == (is_there or f"{second} {first}" in each["title"].casefold())
    title = everything[3]["title"]
    assert everything[3]["id"] in {each["id"] for each in queue(title[1:-1].upper())}
    assert queue(f"{first} zzzz") == []
    assert queue("?!") == [each for each in everything if "?!" in each["title"]]


def test_a_round_that_was_interrupted_is_continued_or_given_up(corpus: Corpus, auto_path: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(auto_path, runs / "auto.run")
    workspace = Workspace(corpus, folder=runs)
    app = make_app(pages_of(workspace))

    def notes() -> dict[str, dict[str, Any]]:
        return {each["key"]: each for each in ask(app, "/api/library/begun").json()["categories"]}

    def killed() -> None:
        """A server that ends while it learns leaves a note behind, and no run."""
        categories = Categories(workspace)
        categories.change("auto", next_round={"words": "comet"})
        if "comets" not in notes():
            categories.new("Comets", None, words="comet")

    killed()
    assert notes()["auto"]["interrupted"]
    assert notes()["comets"]["interrupted"]
    assert (notes()["auto"]["words"], notes()["auto"]["rounds"]) == ("", 1)
    for key in ("auto", "comets"):
        assert ask(app, "/api/library/forget", {"key": key}).status == 200
    assert "comets" not in notes()
    assert not notes()["auto"]["interrupted"]
    assert ask(app, "/api/library/forget", {"key": "comets"}).status == 404
    killed()
    assert ask(app, "/api/library/resume", {"key": "auto"}).status == 202
    workspace.jobs.wait()
    note = notes()["auto"]
    assert (note["words"], note["rounds"], note["interrupted"], note["next_round"]) == ("comet", 2, False, None)


def test_the_interface_is_described_as_it_is() -> None:
    """Every route of the pages of the app is in the document, with what it takes."""
    pages = documented_pages()
    described = openapi([], pages)["paths"]
    for page in pages:
        if page.name in ("library", "workbench", "finish"):
            for route in page.routes:
                assert f"/c/{{corpus}}/api/{page.name}{route.path}" in described  # type: ignore[attr-defined]
    judged = described["/c/{corpus}/api/workbench/judge"]["post"]
    schema = judged["requestBody"]["content"]["application/json"]["schema"]
    assert schema["required"] == ["category", "reviewer", "id", "verdict", "identity"]
    names = [operation["operationId"] for path in described.values() for operation in path.values()]
    assert len(names) == len(set(names))
    (parameter,) = described["/c/{corpus}/api/workbench/sample"]["post"]["parameters"]
    assert parameter["in"] == "path"


def test_answers_have_the_fields_that_are_described(corpus: Corpus, auto_path: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(auto_path, runs / "auto.run")
    pages = pages_of(Workspace(corpus, folder=runs))
    app, described = make_app(pages), openapi([], pages)["paths"]
    first = ask(app, "/api/workbench/state?category=auto&reviewer=Ada").json()["next"][0]["id"]
    verdict = {"id": first, "verdict": "yes", "identity": "a"}
    given = {"category": "auto", "reviewer": "Ada", "q": "comet", "id": first}
    posted = {"judge": verdict, "undo": {}, "sample": {"n": 3}, "share": {"reviewers": ["Ada", "Bob"]}}
    checked = 0
    for path, operations in described.items():
        ((method, operation),) = operations.items()
        place, name = path.removeprefix("/c/{corpus}"), path.rpartition("/")[2]
        ((kind, content),) = operation["responses"]["2XX"]["content"].items()
        if kind != "application/json" or (method == "post" and name not in posted):
            continue
        asked = {each["name"] for each in operation.get("parameters", ()) if each["in"] == "query"}
        query = "&".join(f"{each}={quote(given[each])}" for each in asked & set(given))
        body = {"category": "auto", "reviewer": "Ada", **posted[name]} if method == "post" else None
        found = ask(app, f"{place}?{query}", body)
        assert found.status == 200, (path, found.body)
        assert set(found.json()) == set(content["schema"]["properties"]), path
        checked += 1
    assert checked > 15
