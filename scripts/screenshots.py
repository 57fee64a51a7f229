"""Make the pictures of the pages in the README and the documentation, in a real browser.

.venv/bin/python scripts/screenshots.py [NAME…]
"""

from __future__ import annotations

import csv
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from playwright.sync_api import Browser, expect

ROOT = Path(__file__).parent.parent
STATIC = ROOT / "docs" / "_static"
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "scripts")]

from animated_png import animated  # noqa: E402

from browsing import Served, a_browser, served  # noqa: E402
from priorwise import Corpus, Session, write_report  # noqa: E402
from priorwise.discovery.demo import make_documents  # noqa: E402

SIZE = {"width": 1366, "height": 1110}


def serving(*arguments: object) -> AbstractContextManager[Served]:
    """Run a command of this source that serves pages."""
    return served(*arguments, "--port", 0, environment={**os.environ, "PYTHONPATH": str(ROOT / "src")})


def made_up_corpus(path: Path, left_out: float = 0.5) -> Corpus:
    """The demo's documents, which need no download; a share of their labels is left out."""
    made = make_documents(left_out=left_out)
    return Corpus.from_texts(
        [document.text for document in made],
        ids=[document.id for document in made],
        titles=[document.title for document in made],
        labels=[document.labels for document in made],
        path=path,
    )


def explorer(folder: Path, browser: Browser) -> None:
    """The model that ranks, a slider away from its learned prior; and a naive Bayes model at its best prior."""
    corpus = made_up_corpus(folder / "complete.corpus", left_out=0.0)
    with serving("app", corpus.path) as server:
        _explore(server, browser)


def _explore(server: Served, browser: Browser) -> None:
    for scheme, name in (("light", "explore-light"), ("dark", "explore-dark"), ("light", "explore-naive-bayes")):
        page = browser.new_page(viewport=SIZE, color_scheme=scheme, device_scale_factor=1)
        counts = name.endswith("naive-bayes")
        page.goto(f"{server.base}/explore?label=Astronomy{'&model=beta' if counts else ''}")
        expect(page.locator(".trials tbody tr")).to_have_count(1)
        expect(page.locator(".terrain-chart .main-svg").first).to_be_visible()
        if counts:
            page.get_by_role("button", name="Find the best").click()
            expect(page.locator(".controls .progress")).to_contain_text("Best by leave-one-out")
            expect(page.locator("[data-on=left_out][data-measure=f1]")).not_to_have_text("–")
        else:
            page.get_by_role("slider", name="σ²").fill("800")
            page.get_by_label("Keywords").fill("+comet:2 -castle")
            page.get_by_label("Keywords").press("Enter")
            expect(page.locator(".words tbody")).to_contain_text("comet")
        # A naive Bayes model opens at its best prior already.
        expect(page.locator(".trials tbody tr")).to_have_count(1 if counts else 2)
        expect(page.locator(".panels")).to_have_attribute("data-moving", "false")
        page.mouse.move(0, 0)
        page.screenshot(path=STATIC / f"{name}.png")
        page.close()


def report(folder: Path, browser: Browser) -> None:
    """The beginning of a report: the first 300 documents judged by what the made-up documents are about."""
    corpus = made_up_corpus(folder / "made-up.corpus")
    truth = {document.id: document.truth for document in make_documents(left_out=0.5)}
    session = Session(corpus, "Astronomy", path=folder / "astronomy.run")
    for _ in range(300):
        (document,) = session.next(1)
        session.judge(document.id, "yes" if "Astronomy" in truth[document.id] else "no", reviewer="Ada")
    session.close()
    write_report(folder / "astronomy.run", folder / "report.html")
    page = browser.new_page(viewport={"width": 1100, "height": 880}, color_scheme="light")
    page.goto((folder / "report.html").as_uri())
    page.screenshot(path=STATIC / "report.png")
    page.close()


def app(folder: Path, browser: Browser) -> None:
    """The whole job, as an animated picture: a file, its columns, a category, verdicts, the result."""
    made = make_documents(1500)
    path = folder / "catalogue.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file).writerow
        write(["Record", "Title", "Abstract", "Subjects", "Year"])
        for number, each in enumerate(made):
            write([each.id, each.title, each.text, "; ".join(each.labels), 1990 + number % 30])
    truth = {each.title: "Astronomy" in each.truth for each in made}
    frames: list[tuple[bytes, float]] = []
    page = browser.new_page(viewport={"width": 1000, "height": 640}, color_scheme="light", device_scale_factor=1)

    def look(seconds: float) -> None:
        page.mouse.move(0, 0)
        frames.append((page.screenshot(), seconds))

    with serving("app", "--folder", folder / "app") as server:
        page.goto(server.url)
        expect(page.get_by_text("or drop it here")).to_be_visible()
        look(2.5)
        page.locator("#file").set_input_files(path)
        expect(page.locator(".preview tbody tr")).to_have_count(10)
        look(3.0)
        page.get_by_role("button", name="Import").click()
        page.wait_for_url("**/library")
        page.get_by_label("Find a category").fill("astronmy")
        expect(page.locator(".labels tbody tr")).to_have_count(1)
        look(2.5)
        page.keyboard.press("Enter")
        page.wait_for_url("**/workbench*")
        for number in range(60):
            expect(page.locator(".document .text")).to_contain_text(" ")
            expect(page.locator(".sums")).to_contain_text("left")
            expect(page.locator(".document[data-document]")).to_be_visible()
            page.wait_for_timeout(400)
            title = page.locator(".document h2").inner_text()
            shown = str(page.locator(".document").get_attribute("data-document"))
            if number < 4 or number == 59:
                look(2.5 if number == 0 else 0.9)
            page.keyboard.press("y" if truth[title] else "n")
            expect(page.locator(".document")).not_to_have_attribute("data-document", shown)
        page.get_by_role("link", name="Finish", exact=True).click()
        expect(page.get_by_role("heading", name="Download")).to_be_visible()
        look(4.0)
    page.close()
    (STATIC / "app.png").write_bytes(animated(frames))


PICTURES: dict[str, Callable[[Path, Browser], None]] = {"app": app, "explore": explorer, "report": report}
"""Each takes a folder of its own for what it needs, and the browser."""


def main(names: list[str]) -> None:
    STATIC.mkdir(exist_ok=True)
    with a_browser() as browser:
        for name in names or PICTURES:
            with tempfile.TemporaryDirectory() as folder:
                PICTURES[name](Path(folder), browser)


if __name__ == "__main__":
    main(sys.argv[1:])
