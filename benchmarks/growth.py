"""How multinomial naive Bayes grows with the number of classes and of documents, beside scikit-learn's.

    .venv/bin/python benchmarks/growth.py --picture docs/_static/growth.png

Processor time of all threads together, so that a busy machine changes little; memory is the most above what there was.
scikit-learn is left out where its dense tables would not fit into the memory that is free.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from measure import peak_memory, table
from sklearn.naive_bayes import MultinomialNB as TheirMultinomialNB

import priorwise as pw
from growth_picture import Panel, Points, draw
from many_classes import PER_DOCUMENT, VOCABULARY, documents

CLASSES = (10, 30, 100, 300, 1000, 3000, 10_000)
DOCUMENTS = (6_250, 12_500, 25_000, 50_000, 100_000, 200_000)
MIDDLE = 1000, 50_000
"""How many classes there are while documents grow, and the other way round."""

MEASURES = ("fit, s", "predict, s", "memory, MB")


@dataclass(frozen=True)
class Measured:
    """What one library needs for one size."""

    library: str
    n_documents: int
    n_classes: int
    fit: float
    predict: float
    memory: float


def processor(call: Callable[[], object], repeats: int) -> float:
    """Least processor time of some calls."""
    times = []
    for _ in range(repeats):
        begun = time.process_time()
        call()
        times.append(time.process_time() - begun)
    return min(times)


def measure(library: str, n_documents: int, n_classes: int, repeats: int) -> Measured:
    make = pw.MultinomialNB if library == "priorwise" else TheirMultinomialNB
    # Both load what they need, and ours compiles or reads what was compiled.
    make().fit(*documents(3000, 10)).predict(documents(3000, 10)[0])
    X, y = documents(n_documents, n_classes)
    model = make()
    with peak_memory() as peak:
        begun = time.process_time()
        model.fit(X, y)
        between = time.process_time()
        model.predict(X)
        ended = time.process_time()
    fit, predict = between - begun, ended - between
    if library == "priorwise":
        # Fast enough for more than one try.
        fit = min(fit, processor(lambda: model.fit(X, y), repeats))
        predict = min(predict, processor(lambda: model.predict(X), repeats))
    return Measured(library, n_documents, n_classes, fit, predict, peak[0] / 2**20)


def fits(n_documents: int, n_classes: int) -> bool:
    """Whether scikit-learn's tables, documents × classes and classes × words, are well below what is free."""
    needed = 8 * (2 * n_documents * n_classes + 4 * n_classes * VOCABULARY)
    free = next(line for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemAvailable"))
    return needed < 0.35 * 1024 * int(free.split()[1])


def grow(sizes: list[tuple[int, int]], repeats: int) -> list[Measured]:
    """Measure both libraries in turn, so that both meet the same machine, each in a process of its own."""
    found = []
    fresh = {"mp_context": get_context("spawn"), "max_workers": 1, "max_tasks_per_child": 1}
    with ProcessPoolExecutor(**fresh) as pool:
        for n_classes, n_documents in sizes:
            for library in ("priorwise", "scikit-learn") if fits(n_documents, n_classes) else ("priorwise",):
                found.append(pool.submit(measure, library, n_documents, n_classes, repeats).result())
                print(found[-1], file=sys.stderr)
    return found


def show(found: list[Measured], varied: str) -> None:
    rows = []
    for size in dict.fromkeys(getattr(each, varied) for each in found):
        ours, *theirs = (each for each in found if getattr(each, varied) == size)
        cells = [f"{size:,}"]
        for name, digits in (("fit", 3), ("predict", 2), ("memory", 0)):
            own = getattr(ours, name)
            cells.append(f"{own:,.{digits}f}")
            cells += [f"{getattr(each, name):,.{digits}f}" for each in theirs] or ["–"]
        rows.append(cells)
    headings = [f"{measure}, {library}" for measure in MEASURES for library in ("priorwise", "scikit-learn")]
    table([varied.removeprefix("n_"), *headings], rows)


def panels(found: list[Measured], varied: str) -> list[Panel]:
    """A panel for each measure."""
    drawn = []
    for name, title in zip(("fit", "predict", "memory"), MEASURES, strict=True):
        curves: dict[str, Points] = {}
        for each in found:
            curves.setdefault(each.library, []).append((getattr(each, varied), getattr(each, name)))
        drawn.append(Panel(title, curves))
    return drawn


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a tenth of the documents, up to 1,000 classes")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--picture", type=Path, help="where to draw it")
    options = parser.parse_args()
    share = 10 if options.small else 1
    classes = [n for n in CLASSES if n * share <= CLASSES[-1]]
    of_classes = grow([(n, MIDDLE[1] // share) for n in classes], options.repeats)
    of_documents = grow([(MIDDLE[0] // share, n // share) for n in DOCUMENTS], options.repeats)
    show(of_classes, "n_classes")
    print()
    show(of_documents, "n_documents")
    if options.picture:
        rows = [
            (f"classes ({MIDDLE[1] // share:,} documents)", panels(of_classes, "n_classes")),
            (f"documents ({MIDDLE[0] // share:,} classes)", panels(of_documents, "n_documents")),
        ]
        title = f"Multinomial naive Bayes, {PER_DOCUMENT} tokens a document, {VOCABULARY:,} words"
        draw(rows, title, options.picture)


if __name__ == "__main__":
    main()
