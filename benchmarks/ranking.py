"""Ranking: one pass over the mapped tokens."""

from __future__ import annotations

import os
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from measure import arguments, peak_memory, seconds, table, zipf_documents

from priorwise.corpus import Corpus
from priorwise.corpus.build.shards import Shard
from priorwise.corpus.build.writing import write_corpus
from priorwise.engines.engine import Local
from priorwise.models.weights import Weights
from priorwise.ranking.scorer import Scorer
from priorwise.text.tokens import CountedTexts

PER_SHARD = 16_384


def make_shard(number: int, n_documents: int, per_document: int, vocabulary: int, names: np.ndarray) -> Shard:
    offsets, tokens = zipf_documents(np.random.default_rng(number), n_documents, per_document, vocabulary)
    used, local = np.unique(tokens, return_inverse=True)
    counted = CountedTexts(
        offsets=offsets.astype(np.int64),
        tokens=local.astype(np.uint32),
        counts=np.ones(len(tokens), dtype=np.uint32),
        names=np.frombuffer(b"".join(names[used]), dtype=np.uint8),
        name_offsets=(8 * np.arange(len(used) + 1)).astype(np.int32),
    )
    ids = [f"{number * PER_SHARD + i}" for i in range(n_documents)]
    return Shard.from_counts(counted, ids=ids, titles=ids, labels=[[]] * n_documents)


def make_corpus(path: Path, n_documents: int, per_document: int, vocabulary: int) -> Corpus:
    names = np.array([f"t{i:07d}".encode() for i in range(vocabulary)], dtype=object)
    sizes = [min(PER_SHARD, n_documents - start) for start in range(0, n_documents, PER_SHARD)]
    makers = [partial(make_shard, number, size, per_document, vocabulary, names) for number, size in enumerate(sizes)]
    write_corpus(makers, path, tokenizer=None)
    return Corpus.open(path)


def scorer(corpus: Corpus, seed: int, length_power: float = 0.0) -> Scorer:
    """A category of 500 members: it knows the tokens of 500 documents."""
    random = np.random.default_rng(seed)
    _, tokens = corpus.take(np.sort(random.choice(corpus.n_documents, size=500, replace=False)))
    known = np.unique(tokens).astype(np.int64)
    return Scorer(Weights(known, random.normal(size=(1, len(known))), np.array([-1.0])), length_power)


def main() -> None:
    options = arguments(__doc__ or "")
    n_documents, per_document, vocabulary = 2_000_000 // (10 if options.small else 1), 200, 400_000
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        corpus = make_corpus(Path(folder, "made.corpus"), n_documents, per_document, vocabulary)
        print(f"{corpus} made in {time.perf_counter() - begun:.0f} s; {os.cpu_count()} cores\n")
        begun = time.perf_counter()
        corpus = Corpus.open(Path(folder, "made.corpus"))
        opened = time.perf_counter() - begun

        summed, sum_spread = seconds(
            lambda: sum(int(np.sum(batch.tokens)) for batch in corpus.batches()), options.repeats
        )
        one = scorer(corpus, 0)
        normed = scorer(corpus, 0, 0.5)
        with peak_memory() as peak_one:
            Local().rank_corpus(corpus, [one], top=1000)
        ranked, spread = seconds(lambda: Local().rank_corpus(corpus, [one], top=1000), options.repeats)
        single, _ = seconds(lambda: Local(1).rank_corpus(corpus, [one], top=1000), options.repeats)
        divided, _ = seconds(lambda: Local().rank_corpus(corpus, [normed], top=1000), options.repeats)
        many = [scorer(corpus, seed) for seed in range(64)]
        with peak_memory() as peak_many:
            Local().rank_corpus(corpus, many, top=1000)
        together, many_spread = seconds(
            lambda: Local().rank_corpus(corpus, many, top=1000), max(1, options.repeats // 3)
        )
        peer_rows = 20_000
        peer = sklearn_seconds(corpus, peer_rows) * n_documents / peer_rows

        rate = n_documents / 1e6
        table(
            ["one category", "seconds", "spread", "million documents/s", "ratio"],
            [
                ["numpy.sum of the same tokens", f"{summed:.3f}", f"{sum_spread:.2f}", f"{rate / summed:.2f}", "1"],
                row("rank_corpus, all cores", ranked, spread, rate, f"{summed / ranked:.2f} of numpy.sum (≥ 0.35)"),
                row("rank_corpus, one thread", single, 1.0, rate, f"{summed / single:.2f} of numpy.sum"),
                row("rank_corpus, divided by length^½", divided, 1.0, rate, f"{summed / divided:.2f} of numpy.sum"),
                row(
                    f"BernoulliNB.predict_log_proba (from {peer_rows:,})",
                    peer,
                    1.0,
                    rate,
                    f"{peer / ranked:.0f} × slower than ours (≥ 10)",
                ),
            ],
        )
        print()
        table(
            ["64 categories", "seconds", "ratio"],
            [
                ["64 passes", f"{64 * ranked:.1f}", ""],
                [
                    "one pass",
                    f"{together:.1f} (spread {many_spread:.2f})",
                    f"{64 * ranked / together:.1f} × cheaper (≥ 5)",
                ],
            ],
        )
        print()
        print(
            f"Memory beyond the mapped file (≤ 300 MB): one category {peak_one[0] / 2**20:.0f} MB, "
            f"64 categories {peak_many[0] / 2**20:.0f} MB"
        )
        print(f"Opening {n_documents:,} documents: {1000 * opened:.2f} ms")


def row(name: str, taken: float, spread: float, rate: float, ratio: str) -> list[str]:
    return [name, f"{taken:.3f}", f"{spread:.2f}", f"{rate / taken:.2f}", ratio]


def sklearn_seconds(corpus: Corpus, rows: int) -> float:
    from sklearn.naive_bayes import BernoulliNB

    matrix = corpus.matrix(np.arange(rows), binary=True)
    model = BernoulliNB().fit(matrix[:2000], np.arange(2000) % 2)
    taken, _ = seconds(lambda: model.predict_log_proba(matrix), 3)
    return taken


if __name__ == "__main__":
    main()
