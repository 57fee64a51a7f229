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
from priorwise.discovery.many import discover_many

ONE_BY_ONE = 12
"""So many of the labels are looked at one after the other; the rest would take as long each."""


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
        discover(corpus, labels[0], model="presence")
        discover_many(corpus, labels[:2])
        # Half before and half after, so that what else the machine does weighs on both alike.
        before = timed(lambda: [discover(corpus, label, model="presence") for label in some[: ONE_BY_ONE // 2]])
        together = timed(lambda: discover_many(corpus, labels))
        after = timed(lambda: [discover(corpus, label, model="presence") for label in some[ONE_BY_ONE // 2 :]])
    one = [(a + b) / ONE_BY_ONE for a, b in zip(before, after, strict=True)]
    many = [each / len(labels) for each in together]
    print(f"{corpus.n_documents:,} documents, {len(labels):,} labels of 50 members or more")
    rows = [
        ["one `discover` after another, presence", *(f"{each:.2f}" for each in one), "1", "1"],
        ["discover_many", *(f"{each:.3f}" for each in many), *(f"{a / b:.0f}" for a, b in zip(one, many, strict=True))],
    ]
    table(["for each label", "seconds", "of the processors", "ratio (≥ 20)", "of processor time"], rows)


if __name__ == "__main__":
    main()
