"""The workbench in a real browser: opening it, storing a verdict, and frame times while 10,000 candidates scroll.

    python benchmarks/workbench.py --documents 20000
    python benchmarks/workbench.py --documents 1000000

Needs Chromium and playwright, as the tests do. The documents are made up.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from priorwise.corpus import Corpus
from priorwise.discovery import discover

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

SCROLL = """() => new Promise((resolve) => {
    const box = document.querySelector(".queue");
    const times = [];
    let last = performance.now();
    let n = 0;
    const step = (now) => {
        times.push(now - last);
        last = now;
        box.scrollTop = (n * 997) % Math.max(1, box.scrollHeight - box.clientHeight);
        n += 1;
        if (n < 240) requestAnimationFrame(step);
        else resolve(times.slice(1));
    };
    requestAnimationFrame(step);
})"""


def make_corpus(n: int, path: Path, seed: int = 0) -> None:
    """Write documents of 30 words from a vocabulary of 50,000; one in a thousand is about the category."""
    rng = np.random.default_rng(seed)
    words = np.array([f"w{number}" for number in range(50_000)])
    about = np.array([f"comet{number}" for number in range(200)])
    rates = 1.0 / np.arange(1, len(words) + 1)
    rates /= rates.sum()
    belongs = rng.random(n) < 0.001

    def records():  # type: ignore[no-untyped-def]
        for start in range(0, n, 10_000):
            size = min(10_000, n - start)
            drawn = rng.choice(len(words), (size, 30), p=rates)
            for row in range(size):
                number = start + row
                text = " ".join(words[drawn[row]])
                if belongs[number]:
                    text += " " + " ".join(rng.choice(about, 8))
                labels = ["Comets"] if belongs[number] and rng.random() < 0.5 else []
                yield {"id": str(number), "title": f"Document {number}", "text": text, "labels": labels}

    Corpus.from_records(records(), path=path)


def main() -> None:
    """Measure, and print one line for each figure."""
    from browsing import a_browser, served

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=20_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, runs = Path(folder, "x.corpus"), Path(folder, "x.runs")
        make_corpus(given.documents, path)
        runs.mkdir()
        discover(Corpus.open(path), "Comets").save(runs / "comets.run")
        with served("app", path, "--port", 0, environment=dict(os.environ)) as server, a_browser() as browser:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.set_default_timeout(300_000)
            for name in ("first", "second"):
                began = time.perf_counter()
                page.goto(f"{server.base}/workbench?category=comets")
                page.wait_for_selector(".document[data-document]")
                print(f"opened, {name} time: {time.perf_counter() - began:.2f} s", flush=True)
            stored = []
            page.on("response", lambda each: stored.append(each) if each.url.endswith("/judge") else None)
            for _ in range(10):
                shown = page.locator(".document").get_attribute("data-document")
                page.keyboard.press("y")
                page.wait_for_function("(id) => document.querySelector('.document').dataset.document !== id", arg=shown)
            spent = [each.request.timing["responseEnd"] for each in stored]
            print(f"verdict stored: median {np.median(spent):.0f} ms, slowest {max(spent):.0f} ms", flush=True)
            frames = np.array(page.evaluate(SCROLL))
            rows = page.locator(".queue li").first.get_attribute("aria-setsize")
            middle, late = np.percentile(frames, [50, 99])
            print(f"frames while {rows} candidates scroll: median {middle:.1f} ms, 99% {late:.1f} ms")


if __name__ == "__main__":
    main()
