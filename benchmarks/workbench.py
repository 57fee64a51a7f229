"""The app in a real browser: opening the workbench, storing a verdict, frame times while 10,000 candidates scroll.

    python benchmarks/workbench.py --documents 20000
    python benchmarks/workbench.py --documents 1000000 --folder DIR
    python benchmarks/workbench.py --documents 20000 --categories 100000

Needs Chromium and playwright, as the tests do. The documents are made up; DIR keeps them for the next time. With
categories it measures the library instead. Processor time is that of the server, on Linux.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

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


def make_corpus(n: int, path: Path, seed: int = 0, categories: int = 0) -> None:
    """Write documents of 30 words from a vocabulary of 50,000; one in a thousand is about the category.

    Further categories have five documents each.
    """
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
                labels += {f"Category {each % categories}" for each in range(number, 5 * categories, n)}
                yield {"id": str(number), "title": f"Document {number}", "text": text, "labels": labels}

    Corpus.from_records(records(), path=path)


def main() -> None:
    """Measure, and print one line for each figure."""
    from browsing import a_browser, served

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--categories", type=int, default=0)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() if given.folder is None else nullcontext(given.folder) as folder:
        path, runs = Path(folder, f"{given.documents}.corpus"), Path(folder, f"{given.documents}.runs")
        if not path.exists():
            make_corpus(given.documents, path, categories=given.categories)
        if not runs.exists() and not given.categories:
            runs.mkdir()
            discover(Corpus.open(path), "Comets").save(runs / "comets.run")
        with served("app", path, "--port", 0, environment=dict(os.environ)) as server, a_browser() as browser:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.set_default_timeout(300_000)
            measure = measure_library if given.categories else measure_workbench
            measure(page, server.base, lambda: processor_time(server.process.pid))


def processor_time(process: int) -> float:
    """Return the seconds that a process has used so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure_workbench(page: Any, base: str, used: Callable[[], float]) -> None:
    """Open it twice, judge ten documents, and scroll."""
    for name in ("first", "second"):
        time.sleep(5)
        began, before = time.perf_counter(), used()
        page.goto(f"{base}/workbench?category=comets")
        page.wait_for_selector(".document[data-document]")
        print(
            f"opened, {name} time: {time.perf_counter() - began:.2f} s, processor {used() - before:.2f} s", flush=True
        )
    stored: list[Any] = []
    page.on("response", lambda each: stored.append(each) if each.url.endswith("/judge") else None)
    for _ in range(20):
        shown = page.locator(".document").get_attribute("data-document")
        page.keyboard.press("y")
        page.wait_for_function("(id) => document.querySelector('.document').dataset.document !== id", arg=shown)
    waits = [each.request.timing["responseEnd"] for each in stored]
    print(f"verdict stored: median {np.median(waits):.0f} ms, slowest of 20 {max(waits):.0f} ms", flush=True)
    frames = np.array(page.evaluate(SCROLL))
    rows = page.locator(".queue li").first.get_attribute("aria-setsize")
    middle, late = np.percentile(frames, [50, 99])
    print(f"frames while {rows} candidates scroll: median {middle:.1f} ms, 99% {late:.1f} ms")


def measure_library(page: Any, base: str, used: Callable[[], float]) -> None:
    """Open the list of categories twice, and search it with a typing error."""
    for name in ("first", "second"):
        time.sleep(5)
        began, before = time.perf_counter(), used()
        page.goto(f"{base}/library")
        page.get_by_role("searchbox").wait_for()
        page.get_by_text("Category 1", exact=False).first.wait_for()
        print(
            f"listed, {name} time: {time.perf_counter() - began:.2f} s, processor {used() - before:.2f} s", flush=True
        )
    began, before = time.perf_counter(), used()
    page.get_by_role("searchbox").fill("Categroy 77777")
    page.get_by_text("Category 77777", exact=True).first.wait_for()
    print(f"searched: {time.perf_counter() - began:.2f} s, processor {used() - before:.2f} s")


if __name__ == "__main__":
    main()
