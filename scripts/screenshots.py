"""Make the pictures of the pages in the README and the documentation, in a real browser.

.venv/bin/python scripts/screenshots.py [NAME…]
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from playwright.sync_api import Browser, expect

ROOT = Path(__file__).parent.parent
STATIC = ROOT / "docs" / "_static"
sys.path.insert(0, str(ROOT / "tests"))

from browsing import Served, a_browser, served  # noqa: E402
from priorwise import Corpus, discover, write_report  # noqa: E402
from priorwise.discovery.made_up import make_documents  # noqa: E402
from priorwise.review import Verdict, Verdicts, items_of  # noqa: E402

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
        else:
            page.get_by_role("slider", name="σ²").fill("800")
            page.get_by_label("Keywords").fill("+comet:2 -castle")
            page.get_by_label("Keywords").press("Enter")
            expect(page.locator(".words tbody")).to_contain_text("comet")
        expect(page.locator(".trials tbody tr")).to_have_count(2)
        expect(page.locator(".panels")).to_have_attribute("data-moving", "false")
        page.mouse.move(0, 0)
        page.screenshot(path=STATIC / f"{name}.png")
        page.close()


def report(folder: Path, browser: Browser) -> None:
    """The beginning of a report, judged by what the made-up documents are about."""
    corpus = made_up_corpus(folder / "made-up.corpus")
    run = discover(corpus, "Astronomy")
    run.save(folder / "astronomy.run")
    truth = {document.id: document.truth for document in make_documents(left_out=0.5)}
    verdicts = Verdicts.of_run(folder / "astronomy.run")
    words = {item.id: "yes" if "Astronomy" in truth[item.id] else "no" for item in items_of(run)}
    verdicts.add_all([Verdict(id, "Ada", id, word) for id, word in words.items()])
    verdicts.close()
    write_report(folder / "astronomy.run", folder / "report.html")
    page = browser.new_page(viewport={"width": 1100, "height": 880}, color_scheme="light")
    page.goto((folder / "report.html").as_uri())
    page.screenshot(path=STATIC / "report.png")
    page.close()


PICTURES: dict[str, Callable[[Path, Browser], None]] = {"explore": explorer, "report": report}
"""Each takes a folder of its own for what it needs, and the browser."""


def main(names: list[str]) -> None:
    STATIC.mkdir(exist_ok=True)
    with a_browser() as browser:
        for name in names or PICTURES:
            with tempfile.TemporaryDirectory() as folder:
                PICTURES[name](Path(folder), browser)


if __name__ == "__main__":
    main(sys.argv[1:])
