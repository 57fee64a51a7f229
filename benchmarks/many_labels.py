"""Many categories at once against one `discover` after another: 200,000 documents, 1,000 labels."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from measure import arguments, table, zipf_tokens
from scipy.sparse import csr_matrix

from priorwise.corpus import Corpus
from priorwise.discovery import discover
from priorwise.discovery.many import discover_many, discover_runs

ONE_BY_ONE = 12
"""So many of the labels are looked at one after the other; the rest would take as long each."""

BY_REGRESSION = 4


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
    options = arguments(__doc__ or "")
    smaller = 10 if options.small else 1
    with tempfile.TemporaryDirectory() as folder:
        corpus = make_corpus(Path(folder, "x.corpus"), 200_000 // smaller, 1000 // smaller)
        sizes = corpus.label_sizes()
        labels = [label for label, size in zip(*sizes.to_pydict().values(), strict=True) if size >= 50]
        some = labels[:: len(labels) // ONE_BY_ONE][:ONE_BY_ONE]
        few = some[:BY_REGRESSION]
        discover(corpus, labels[0])
        discover_many(corpus, labels[:2])
        found, alone = [], []

        def one_by_one(part: list[str]) -> None:
            alone.extend(discover(corpus, label, model="presence", top=100) for label in part)

        # Half before and half after, so that what else the machine does weighs on both alike.
        before = timed(lambda: one_by_one(some[: ONE_BY_ONE // 2]))
        table_of_all = timed(lambda: found.append(discover_many(corpus, labels)))
        longer = timed(lambda: discover_many(corpus, labels, top=1000))
        runs = timed(lambda: list(discover_runs(corpus, some)))
        own_samples = timed(lambda: discover_many(corpus, some, seeds=5))
        after = timed(lambda: one_by_one(some[ONE_BY_ONE // 2 :]))
        auto = timed(lambda: [discover(corpus, label, top=100) for label in few])
        many_auto = timed(lambda: discover_many(corpus, few, model="auto"))
    one = [(a + b) / ONE_BY_ONE for a, b in zip(before, after, strict=True)]
    one_auto = [each / len(few) for each in auto]
    print(f"{corpus.n_documents:,} documents, {len(labels):,} labels of 50 members or more, 100 candidates of each")
    rows = [
        ["one `discover --model presence` after another", *(f"{each:.2f}" for each in one), "1", "1"],
        row("all labels, a table", table_of_all, len(labels), one),
        row("the same, 1,000 candidates of each", longer, len(labels), one),
        row("a run folder for each, before it is written", runs, len(some), one),
        row("`--seeds 5`: as if each were alone", own_samples, len(some), one),
        ["one `discover` after another, by regression", *(f"{each:.2f}" for each in one_auto), "1", "1"],
        row("`--model auto` for all", many_auto, len(few), one_auto),
    ]
    table(["for each label", "seconds", "of the processors", "ratio (≥ 20)", "of processor time"], rows)
    print(
        f"of the first 100 of a run alone, {agreement(found[0].candidates, alone):.1%} are among the table's first 100"
    )


def row(name: str, measured: tuple[float, float], n_labels: int, one: list[float]) -> list[str]:
    each = [seconds / n_labels for seconds in measured]
    return [name, *(f"{seconds:.3f}" for seconds in each), *(f"{a / b:.1f}" for a, b in zip(one, each, strict=True))]


def agreement(candidates, runs: list) -> float:
    """The mean share of the first hundred of each run that are among the first hundred for the same label."""
    first = candidates.filter(candidates["rank"].to_numpy() <= 100)
    pairs = set(zip(first["label"].to_pylist(), first["id"].to_pylist(), strict=True))
    return float(np.mean([(run.about["label"], id) in pairs for run in runs for id in run.ranking.ids[:100]]))


if __name__ == "__main__":
    main()
