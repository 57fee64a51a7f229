"""How long the default of `discover` takes, beside scikit-learn's linear models on the same vectors.

.venv/bin/python benchmarks/discovery_time.py packages.corpus --labels devel::lang:perl --known 20 --repeats 3

Ours is both stages, from the open corpus to a score for each of its documents. The peers are given their TF-IDF matrix
ready-made; each is fitted and scores every document. *Tuned* is C by cross-validation, what somebody does who wants the
best of it.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

from measure import table

from priorwise.corpus import Corpus
from priorwise.discovery.hidden import DefaultModel, LinearPeer, Method, split_members, tfidf

METHODS: list[Method] = [
    DefaultModel(),
    LinearPeer("logistic", "all"),
    LinearPeer("logistic", "all", C=10.0),
    LinearPeer("logistic", "all", tuned=True),
    LinearPeer("logistic", "bagged", C=10.0),
    LinearPeer("svm", "all", C=0.1),
    LinearPeer("svm", "bagged"),
    LinearPeer("svm", "bagged", tuned=True),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--labels", action="append", required=True)
    parser.add_argument("--known", type=int, default=None, help="How many members; half of them by default.")
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    corpus = Corpus.open(chosen.corpus)
    tfidf(corpus)
    clock: dict[str, list[float]] = {method.name: [] for method in METHODS}
    processor: dict[str, list[float]] = {method.name: [] for method in METHODS}
    splits = [(label, split_members(corpus, label, hide=0.5, keep=chosen.known, seed=0)[0]) for label in chosen.labels]
    # The first call loads compiled code.
    DefaultModel().scores(corpus, splits[0][1], splits[0][0])
    for label, known in splits:
        for method in METHODS:
            for _ in range(chosen.repeats):
                begun, worked = time.perf_counter(), time.process_time()
                method.scores(corpus, known, label)
                clock[method.name].append(time.perf_counter() - begun)
                processor[method.name].append(time.process_time() - worked)
    ours = statistics.median(clock[DefaultModel().name]), statistics.median(processor[DefaultModel().name])
    rows = []
    for method in METHODS:
        seconds, cpu = statistics.median(clock[method.name]), statistics.median(processor[method.name])
        spread = f"{min(clock[method.name]):.2f} to {max(clock[method.name]):.2f}"
        ratios = f"{ours[0] / seconds:.2f}", f"{ours[1] / cpu:.2f}"
        rows.append([method.name, f"{seconds:.2f}", spread, f"{cpu:.2f}", *ratios])
    print(f"{corpus.n_documents:,} documents, {len(splits)} categories, {chosen.repeats} repeats\n")
    table(["method", "seconds", "least to most", "processor", "ours/its", "processor, ours/its"], rows)


if __name__ == "__main__":
    main()
