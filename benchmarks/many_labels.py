"""Many categories at once against one `discover` after another: 200,000 documents, 1,000 labels.

Some six minutes on two idle cores. What was measured is kept in the folder of --keep as soon as it is known, with the
corpus, so that the same command again goes on with what is missing.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from measure import table, zipf_tokens
from scipy.sparse import csr_matrix

from priorwise.corpus import Corpus
from priorwise.discovery import discover
from priorwise.discovery.many import discover_many, discover_runs

ONE_BY_ONE = 12
"""So many of the labels are looked at one after the other; the rest would take as long each."""

BY_REGRESSION = 4

ALONE, ALONE_LONGER, ALONE_DEFAULT = "alone, 100 candidates", "alone, 1,000 candidates", "alone, the default model"


def make_corpus(path: Path, n_documents: int, n_labels: int, vocabulary: int = 200_000) -> Corpus:
    """Documents of 40 to 200 words; labels of 50 to 400 documents that share 40 words, 3 in 10 of them not labelled."""
    random = np.random.default_rng(0)
    lengths = random.integers(40, 200, n_documents)
    rows = [np.repeat(np.arange(n_documents), lengths)]
    words = [zipf_tokens(random, int(lengths.sum()), vocabulary)]
    labels: list[list[str]] = [[] for _ in range(n_documents)]
    for number in range(n_labels):
        members = random.choice(n_documents, int(random.integers(50, 400)), replace=False)
        own = random.choice(np.arange(500, 60_000), 40, replace=False)
        which, word = np.nonzero(random.random((len(members), 40)) < 0.25)
        rows.append(members[which])
        words.append(own[word])
        for member in members[random.random(len(members)) < 0.7].tolist():
            labels[member].append(f"label {number}")
    entries = np.concatenate(rows), np.concatenate(words)
    X = csr_matrix((np.ones(len(entries[0]), np.int32), entries), shape=(n_documents, vocabulary))
    return Corpus.from_matrix(X, [f"t{number}" for number in range(vocabulary)], labels=labels, path=path)


def timed(call) -> tuple[float, float]:
    begun, used = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - begun, time.process_time() - used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a tenth of the size")
    parser.add_argument("--keep", type=Path, help="where the corpus and the figures are kept; nowhere by default")
    options = parser.parse_args()
    smaller = 10 if options.small else 1
    with tempfile.TemporaryDirectory() as folder:
        keep = options.keep or Path(folder)
        keep.mkdir(parents=True, exist_ok=True)
        path = keep / f"{1000 // smaller}-labels.corpus"
        if not path.exists():
            make_corpus(path, 200_000 // smaller, 1000 // smaller)
        show(Corpus.open(path), Figures(path.with_suffix(".json")))


class Figures:
    """Seconds and processor seconds of a label, by what was done, kept in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[str, list[float]] = json.loads(path.read_text()) if path.is_file() else {}

    def measure(self, name: str, call: Callable[[], object], n_labels: int) -> None:
        """Measure a call unless that is done; what is done twice counts with its mean."""
        if name not in self.known:
            self.known[name] = [each / n_labels for each in timed(call)]
            self.path.write_text(json.dumps(self.known))
            print(name, *(f"{each:.3f}" for each in self.known[name]), file=sys.stderr)

    def of(self, name: str) -> list[float]:
        """The figures of a name, or of its two halves."""
        parts = [self.known[each] for each in (name, f"{name}, before", f"{name}, after") if each in self.known]
        return np.mean(parts, axis=0).tolist()


def show(corpus: Corpus, figures: Figures) -> None:
    sizes = corpus.label_sizes()
    labels = [label for label, size in zip(*sizes.to_pydict().values(), strict=True) if size >= 50]
    some = labels[:: len(labels) // ONE_BY_ONE][:ONE_BY_ONE]
    few, half = some[:BY_REGRESSION], ONE_BY_ONE // 2
    discover(corpus, labels[0])
    together = partial(discover_many, corpus, model="presence")
    together(labels[:2])

    def alone(part: list[str], top: int) -> None:
        for label in part:
            discover(corpus, label, model="presence", top=top)

    # Half before and half after, so that what else the machine does weighs on both alike.
    for when, part in (("before", some[:half]), ("after", some[half:])):
        figures.measure(f"{ALONE}, {when}", lambda part=part: alone(part, 100), half)
        figures.measure(f"{ALONE_LONGER}, {when}", lambda part=part: alone(part, 1000), half)
        if when == "before":
            figures.measure("table", lambda: together(labels), len(labels))
            figures.measure("longer table", lambda: together(labels, top=1000), len(labels))
            figures.measure("runs", lambda: list(discover_runs(corpus, some, model="presence")), len(some))
            figures.measure("own samples", lambda: discover_many(corpus, some, seeds=5), len(some))
    figures.measure(ALONE_DEFAULT, lambda: [discover(corpus, label, top=100) for label in few], len(few))
    figures.measure("default", lambda: discover_many(corpus, few), len(few))

    print(f"{corpus.n_documents:,} documents, {len(labels):,} labels of 50 members or more")

    def row(what: str, name: str, against: str) -> list[str]:
        own, other = figures.of(name), figures.of(against)
        ratios = [f"{b / a:.1f}" if name != against else "1" for a, b in zip(own, other, strict=True)]
        return [what, *(f"{seconds:.3f}" for seconds in own), *ratios]

    rows = [
        row("one `discover --model presence` after another, 100 candidates of each", ALONE, ALONE),
        row("all labels, a table", "table", ALONE),
        row("a run folder for each, before it is written", "runs", ALONE),
        row("`--repeats 5`: as if each were alone", "own samples", ALONE),
        row("one `discover --model presence` after another, 1,000 candidates of each", ALONE_LONGER, ALONE_LONGER),
        row("all labels, a table", "longer table", ALONE_LONGER),
        row("one `discover` after another, the default model", ALONE_DEFAULT, ALONE_DEFAULT),
        row("the default model for all", "default", ALONE_DEFAULT),
        row("all labels, a table, against that", "table", ALONE_DEFAULT),
    ]
    table(["for each label", "seconds", "of the processors", "ratio (≥ 20)", "of processor time"], rows)
    candidates = together(some).candidates
    runs = [discover(corpus, label, model="presence", top=100) for label in some]
    print(f"of the first 100 of a run alone, {agreement(candidates, runs):.1%} are among the table's first 100")


def agreement(candidates, runs: list) -> float:
    """The mean share of the first hundred of each run that are among the first hundred for the same label."""
    first = candidates.filter(candidates["rank"].to_numpy() <= 100)
    pairs = set(zip(first["label"].to_pylist(), first["id"].to_pylist(), strict=True))
    return float(np.mean([(run.about.label, id) in pairs for run in runs for id in run.ranking.ids[:100]]))


if __name__ == "__main__":
    main()
