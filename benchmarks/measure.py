"""Timing, memory and tables shared by the benchmarks."""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

import numpy as np


def arguments(description: str, **flags: str) -> argparse.Namespace:
    """Read the command line; each further flag comes with what it does."""
    parser = argparse.ArgumentParser(description=description)
    for name, what in flags.items():
        parser.add_argument(f"--{name}", action="store_true", help=what)
    parser.add_argument("--small", action="store_true", help="a tenth of the size")
    parser.add_argument("--repeats", type=int, default=5)
    return parser.parse_args()


def seconds(call: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Best time and spread (worst over best) of some repeats, after one that warms up."""
    call()
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return min(times), max(times) / min(times)


def private_memory() -> int:
    """Bytes of this process that are not a mapped file."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("this benchmark reads memory from /proc")


@contextmanager
def peak_memory():
    """Yield a list that ends up holding the most private memory above what there was."""
    before = private_memory()
    peak, stop, result = [0], threading.Event(), []

    def watch() -> None:
        while not stop.wait(0.005):
            peak[0] = max(peak[0], private_memory() - before)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield result
    finally:
        stop.set()
        watcher.join()
        result.append(max(peak[0], private_memory() - before))


def zipf_tokens(random: np.random.Generator, n: int, vocabulary: int) -> np.ndarray:
    """Token numbers whose frequency falls like 1/rank, as in text."""
    return np.minimum((float(vocabulary) ** random.random(n)).astype(np.int64), vocabulary - 1)


def zipf_documents(
    random: np.random.Generator, n_documents: int, per_document: int, vocabulary: int
) -> tuple[np.ndarray, np.ndarray]:
    """Documents of about `per_document` distinct tokens: where each begins, and the tokens, ascending."""
    drawn = np.sort(zipf_tokens(random, n_documents * 2 * per_document, vocabulary).reshape(n_documents, -1), axis=1)
    first = np.ones(drawn.shape, dtype=bool)
    first[:, 1:] = drawn[:, 1:] != drawn[:, :-1]
    # Keep a random choice of the distinct ones, so that every document has the same length.
    order = np.where(first, random.random(drawn.shape), 2.0)
    kept = np.sort(np.argsort(order, axis=1)[:, :per_document], axis=1)
    valid = np.take_along_axis(first, kept, axis=1)
    tokens = np.take_along_axis(drawn, kept, axis=1)[valid]
    return np.concatenate([[0], np.cumsum(valid.sum(axis=1))]), tokens


def table(headings: list[str], rows: list[list[str]]) -> None:
    """Print a Markdown table."""
    print(markdown(headings, rows))


def between_marks(text: str, script: str, name: str, table: str) -> str:
    """A page with what stands between two marks made anew."""
    begin, end = f"<!-- {script} --write: {name} -->\n", f"<!-- end of {name} -->\n"
    head, found, rest = text.partition(begin)
    _, closed, tail = rest.partition(end)
    if not (found and closed):
        raise SystemExit(f"there are no marks for the table {name!r}: {begin.strip()} and {end.strip()}")
    return f"{head}{begin}\n{table}\n\n{end}{tail}"


def markdown(headings: list[str], rows: list[list[str]], *, even: bool = True) -> str:
    """A Markdown table; cells of a column have one width but for rows of one cell, or none if they are sentences."""
    full = [headings, *(row for row in rows if any(row[1:]) or len(row) == 1)]
    widths = [max(len(row[i]) for row in full) if even else 3 for i in range(len(headings))]
    lines = [headings, ["-" * width for width in widths], *rows]
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) if even else cell for cell, width in zip(row, widths, strict=True)) + " |"
        for row in lines
    )
