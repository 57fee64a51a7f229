"""The first pages of the app, in a real browser: bring a file, find a category."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from asking import ask
from browsing import Asked, Served, a_page, serious_faults, served, served_here
from priorwise.corpus import Corpus
from priorwise.discovery.demo import DemoDocument, make_documents
from priorwise.readers.fields import guess_columns
from priorwise.web.app import make_app
from priorwise.web.corpora import Corpora
from priorwise.web.jobs import Jobs, Report
from priorwise.web.pages import corpus_pages
from priorwise.web.start import start_page

pytestmark = pytest.mark.slow
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library's own file: 600 documents, two of them without an id, and one id twice."""
    path = tmp_path_factory.mktemp("files") / "catalogue.csv"
    documents: list[DemoDocument] = make_documents(600)
    with path.open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file, delimiter=";").writerow
        write(["Record", "Title", "Abstract", "Subjects", "Year"])
        for number, each in enumerate(documents):
            identity = {3: "", 4: "", 5: "doc-00001"}.get(number, each.id)
            write([identity, each.title, each.text, "|".join(each.labels), 1990 + number % 30])
    return path


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """The app without a corpus, as `priorwise` alone opens it."""
    folder = tmp_path_factory.mktemp("app")
    with served_here("app", "--folder", folder, "--port", 0) as server:
        yield server


@pytest.fixture(scope="module")
def library(app: Asked, catalogue: Path, browser: Browser) -> str:
    """The address of the library of a catalogue that was brought in the browser."""
    with a_page(browser) as page:
        page.goto(app.url)
        expect(page.get_by_role("heading", name="Find what is missing from a category.")).to_be_visible()
        bring(page, catalogue)
        return page.url


def bring(page: Page, path: Path) -> None:
    page.locator("#file").set_input_files(path)
    page.get_by_role("button", name="Import").click()
    page.wait_for_url("**/library")
    expect(page.locator(".labels tbody tr").first).to_be_visible()


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_the_wizard_shows_what_it_guessed_and_can_be_corrected(app: Asked, catalogue: Path, browser: Browser) -> None:
    with a_page(browser, viewport=PHONE) as page:
        page.goto(app.url)
        assert serious_faults(page) == []
        assert fits(page)
        page.locator("#file").set_input_files(catalogue)
        expect(page.locator(".preview tbody tr")).to_have_count(10)
        for label, column in (("Text", "Abstract"), ("Title", "Title"), ("Categories", "Subjects"), ("Id", "Record")):
            expect(page.get_by_label(label, exact=True)).to_have_value(column)
        expect(page.get_by_label("Separator")).to_have_value("|")
        expect(page.get_by_text("1 row with an id that an earlier row has")).to_be_visible()
        expect(page.get_by_text("2 rows without an id: named by their row")).to_be_visible()
        assert fits(page)
        assert serious_faults(page) == []
        page.get_by_label("Categories", exact=True).select_option("Year")
        expect(page.get_by_role("heading", name="30 categories")).to_be_visible()
        expect(page.get_by_label("Categories", exact=True)).to_be_focused()
        page.reload()
        expect(page.get_by_label("Categories", exact=True)).to_have_value("Subjects")
        page.get_by_role("button", name="Choose another file").click()
        expect(page.get_by_role("button", name="Choose a file")).to_be_visible()


def test_a_file_that_cannot_be_read_is_refused_in_a_sentence(app: Asked, browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "letter.docx").write_bytes(b"PK")
    (tmp_path / "empty.csv").write_bytes(b"id,text\n")
    with a_page(browser) as page:
        page.expected_complaints = ("400 (Bad Request)",)  # type: ignore[attr-defined]
        page.goto(app.url)
        page.locator("#file").set_input_files(tmp_path / "letter.docx")
        expect(page.get_by_role("alert")).to_contain_text("letter.docx cannot be read")
        page.locator("#file").set_input_files(tmp_path / "empty.csv")
        expect(page.get_by_role("heading", name="This file cannot be read")).to_be_visible()
        expect(page.get_by_role("alert")).to_contain_text("there is no record in it")


def test_a_category_is_found_in_spite_of_a_typing_error_and_enter_works(library: str, browser: Browser) -> None:
    with a_page(browser, viewport=PHONE) as page:
        page.goto(library)
        expect(page.locator(".labels tbody tr").first).to_be_visible()
        assert serious_faults(page) == []
        assert fits(page)
        page.get_by_label("Find a category").fill("Geologi")
        expect(page.locator(".labels tbody tr")).to_have_count(1)
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("/workbench"))
        page.goto(library)
        works = page.locator(".works tbody tr")
        expect(works).to_have_count(1)
        expect(works).to_contain_text("Geology")
        expect(works.locator("[data-name=missing]")).to_contain_text("about")
        expect(page.locator(".labels tbody tr", has_text="Geology")).to_have_count(0)
        page.get_by_label("Find a category").fill("Geologi")
        expect(page.locator(".labels tbody tr", has_text="Geology")).to_contain_text("Continue")
        assert fits(page)


def test_a_new_category_from_examples(library: str, browser: Browser) -> None:
    with a_page(browser) as page:
        page.goto(library)
        page.get_by_label("Find a category").fill("Meteorites")
        expect(page.get_by_text("There is no category “Meteorites”.")).to_be_visible()
        page.get_by_role("link", name="Make it a new category").click()
        expect(page.get_by_label("Name")).to_have_value("Meteorites")
        page.get_by_label("Examples").fill("comet planet telescope")
        for number in range(4):
            page.locator(".found").get_by_role("checkbox").nth(number).click()
            expect(page.locator(".ticked li")).to_have_count(number + 1)
        page.locator(".ticked button").first.click()
        expect(page.locator(".found").get_by_role("checkbox").first).not_to_be_checked()
        expect(page.get_by_text("3 examples chosen")).to_be_visible()
        page.locator(".found").get_by_role("checkbox").first.click()
        expect(page.get_by_text("4 examples chosen")).to_be_visible()
        assert serious_faults(page) == []
        page.get_by_role("button", name="Find documents like these").click()
        page.wait_for_url(re.compile("/workbench"))
        page.goto(library)
        expect(page.locator(".works tbody tr", has_text="Meteorites")).to_contain_text("4")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_are_chosen_and_kept(app: Asked, browser: Browser, scheme: str) -> None:
    with a_page(browser, color_scheme=scheme) as page:
        page.goto(app.url)
        expect(page.get_by_role("button", name="Choose a file")).to_be_visible()
        assert serious_faults(page) == []
        background = "getComputedStyle(document.body).backgroundColor"
        before = page.evaluate(background)
        page.get_by_role("button", name="Switch between light and dark").click()
        after = page.evaluate(background)
        assert before != after
        page.reload()
        assert page.evaluate(background) == after


def test_a_file_named_on_the_command_line_is_looked_at(
    catalogue: Path, environment: dict[str, str], tmp_path: Path, browser: Browser
) -> None:
    arguments = ("app", catalogue, "--folder", tmp_path / "app", "--port", 0)
    with served(*arguments, environment=environment) as server, a_page(browser) as page:
        page.expected_complaints = ("ERR_CONNECTION_REFUSED",)  # type: ignore[attr-defined]
        page.goto(server.start)
        expect(page.get_by_role("heading", name="catalogue.csv")).to_be_visible()
        server.kill()
        page.get_by_role("button", name="Import").click()
        expect(page.get_by_text("priorwise has stopped.")).to_be_visible()


def test_ctrl_c_ends_it_cleanly(corpus: Corpus, environment: dict[str, str]) -> None:
    server = Served(["app", corpus.path, "--port", 0], environment)
    assert server.process.stdout is not None
    assert re.match(r"http://127\.0\.0\.1:\d+/c/made-up/library$", server.url)
    server.process.send_signal(2)
    rest = server.process.stdout.read()
    assert server.stop() == 0
    assert rest == "Ended.\n"


# Without a browser


def send(app: object, name: str, content: bytes) -> tuple[int, dict[str, str]]:
    headers = {"Content-Type": "application/octet-stream"}
    answered = ask(app, f"/api/start/upload?name={name}", content, headers=headers)
    return answered.status, answered.json()


def test_no_path_of_the_client_is_used(tmp_path: Path) -> None:
    corpora = Corpora(tmp_path / "app")
    app = make_app([start_page(corpora, largest=1000)], corpora=corpus_pages(corpora))
    status, told = send(app, "..%2F..%2Fevil%2Fmy.csv", b"id,text\n1,tea\n")
    assert status == 201
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.name for path in written} == {"original.csv", "source.json"}
    assert all(path.is_relative_to(tmp_path / "app" / "uploads") for path in written)
    for name in ("a.exe", "csv", "", "a.csv%00.exe"):
        assert send(app, name, b"x")[0] == 400, name
    assert send(app, "a.csv", b"x" * 1001)[0] == 413
    assert send(app, "a.csv", b"")[0] == 400
    assert len(list((tmp_path / "app" / "uploads").iterdir())) == 1
    for number in ("..", "%2e%2e", "../uploads", "x" * 16, told["upload"] + "/"):
        assert ask(app, f"/api/start/preview?upload={number}").status == 404, number
    for name in ("..", "none", "../app"):
        assert ask(app, "/api/start/resume", {"name": name}).status == 404
        assert ask(app, f"/c/{name}/library").status == 404


def test_an_import_that_was_interrupted_is_resumed(tmp_path: Path, catalogue: Path) -> None:
    corpora = Corpora(tmp_path / "app")
    app = make_app([start_page(corpora)], corpora=corpus_pages(corpora))
    _, told = send(app, "catalogue.csv", catalogue.read_bytes())

    # The server was killed before the job began.
    class Dead(Jobs):
        def add(self, *arguments: object) -> None:  # type: ignore[override]
            pass

    corpora.jobs = Dead()
    assert ask(app, "/api/start/import", {"upload": told["upload"]}).status == 202
    corpora.jobs = Jobs()
    assert ask(app, "/api/start/state").json()["interrupted"] == [{"name": "catalogue", "title": "catalogue.csv"}]
    assert ask(app, "/api/start/resume", {"name": "catalogue"}).status == 202
    corpora.jobs.wait()
    state = ask(app, "/api/start/state").json()
    assert state["interrupted"] == []
    assert [(each["title"], each["documents"]) for each in state["corpora"]] == [("catalogue.csv", 600)]
    assert ask(app, "/c/catalogue/api/library/facts").json()["documents"] == 600


def test_a_cancelled_import_can_be_discarded(tmp_path: Path, catalogue: Path) -> None:
    corpora = Corpora(tmp_path / "app")
    app = make_app([start_page(corpora)])
    _, told = send(app, "catalogue.csv", catalogue.read_bytes())
    blocked = corpora.jobs.add("find", "x", "x", wait_to_be_cancelled)
    ask(app, "/api/start/import", {"upload": told["upload"]})
    (job,) = ask(app, "/api/start/state").json()["jobs"]
    assert job["state"] == "waiting"
    ask(app, "/api/start/cancel", {"job": job["id"]})
    ask(app, "/api/start/cancel", {"job": blocked.id})
    corpora.jobs.wait()
    assert blocked.state == "cancelled"
    assert len(ask(app, "/api/start/state").json()["interrupted"]) == 1
    assert ask(app, "/api/start/forget", {"name": "catalogue"}).status == 200
    assert list((tmp_path / "app").glob("catalogue*")) == []


def wait_to_be_cancelled(report: Report) -> str:
    while True:
        report("waiting", 0.5)


def test_a_job_says_what_went_wrong(caplog: pytest.LogCaptureFixture) -> None:
    jobs = Jobs()

    def fail(_report: Report) -> str:
        raise RuntimeError("secret detail")

    jobs.add("find", "x", "a", fail)
    jobs.wait()
    (state,) = jobs.states()
    assert state["state"] == "failed"
    assert "secret" not in state["error"]
    assert "secret detail" in caplog.text


@pytest.mark.parametrize(
    ("row", "roles"),
    [
        ({"PMID": "1", "TI": "On tea and milk", "abstract": "Long."}, ("PMID", "TI", "abstract", "labels")),
        ({"name": "Tea", "tags": "a"}, ("id", "name", "name", "tags")),
        (
            {"Titel": "Tee", "Schlagwörter": "a; b", "Beschreibung": "x"},
            ("id", "Titel", "Beschreibung", "Schlagwörter"),
        ),
    ],
)
def test_columns_are_guessed_by_name(row: dict[str, str], roles: tuple[str, ...]) -> None:
    found = guess_columns([row])
    assert (found.id, found.title, found.text, found.labels) == roles


def test_columns_are_guessed_by_what_is_in_them() -> None:
    rows = [
        {"a": str(n), "b": f"A book about thing {n}", "c": "lorem ipsum " * 20, "d": "x; y" if n % 2 else "y"}
        for n in range(20)
    ]
    found = guess_columns(rows)
    assert (found.id, found.title, found.text, found.labels) == ("a", "b", "c", "d")
