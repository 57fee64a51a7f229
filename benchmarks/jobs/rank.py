"""Rank a corpus for a category: a pass over its tokens, which the memory's speed limits.

Ours and scikit-learn's have learned the same Bernoulli naive Bayes from the same documents. scikit-learn is given a
part of the corpus, because the matrix of the whole would fill the memory; its time is that of the whole, at the same
rate.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from contest import Contestant, Job, Settings, Started, Work

PER_DOCUMENT, VOCABULARY = 200, 400_000
TRAINING, TOP, PART, CATEGORIES = 2000, 1000, 20, 64
SAME = "of the best 1,000 as by the formula"


def prepare(folder: Path, settings: Settings) -> Work:
    from ranking import make_corpus

    n = settings.size(500_000)
    corpus = make_corpus(folder / "made.corpus", n, PER_DOCUMENT, VOCABULARY)
    np.save(folder / "first.npy", expected(corpus))
    tokens = np.concatenate([batch.tokens for batch in corpus.batches()])
    np.save(folder / "tokens.npy", tokens)
    return Work(f"rank {n:,} documents of {PER_DOCUMENT} tokens for one category", tokens.nbytes / 1e9, "GB/s")


def training(corpus: Any) -> tuple[Any, np.ndarray]:
    """Some documents, and which of them are called members."""
    return corpus.matrix(np.arange(TRAINING), binary=True), np.random.default_rng(0).random(TRAINING) < 0.25


def expected(corpus: Any) -> np.ndarray:
    """The first documents of the part, by the formula."""
    X, member = training(corpus)
    inside, outside = ((np.asarray(X[rows].sum(axis=0)).ravel() + 1) / (rows.sum() + 2) for rows in (member, ~member))
    weights = np.log(inside / (1 - inside)) - np.log(outside / (1 - outside))
    scores = corpus.matrix(np.arange(corpus.n_documents // PART), binary=True) @ weights
    return np.argsort(-scores, kind="stable")[:TOP]


def agreement(folder: Path, first: np.ndarray) -> dict[str, float]:
    return {SAME: float(np.mean(np.isin(np.load(folder / "first.npy"), first)))}


def ours(threads: int | None, folder: Path) -> Started:
    import priorwise as pw
    from priorwise.engines.engine import Local
    from priorwise.ranking.scorer import Scorer

    corpus = pw.Corpus.open(folder / "made.corpus")
    scorer = Scorer(pw.BernoulliNB().fit(*training(corpus)).weights_)

    def quality() -> dict[str, float]:
        beyond = np.arange(corpus.n_documents) >= corpus.n_documents // PART
        return agreement(folder, Local().rank_corpus(corpus, [scorer], top=TOP, skip=beyond)[0].documents)

    quality()  # loads compiled code
    return Started({"all": lambda: Local(threads).rank_corpus(corpus, [scorer], top=TOP)}, quality)


def ours_together(folder: Path) -> Started:
    """Many categories of 500 members in one pass: so many times the work."""
    import priorwise as pw
    from priorwise.engines.engine import Local
    from ranking import scorer

    corpus = pw.Corpus.open(folder / "made.corpus")
    scorers = [scorer(corpus, seed) for seed in range(CATEGORIES)]
    return Started({"all": lambda: Local().rank_corpus(corpus, scorers, top=TOP)}, share=CATEGORIES)


def scikit_learn(folder: Path) -> Started:
    from sklearn.naive_bayes import BernoulliNB

    import priorwise as pw

    corpus = pw.Corpus.open(folder / "made.corpus")
    model = BernoulliNB().fit(*training(corpus))
    matrix = corpus.matrix(np.arange(corpus.n_documents // PART), binary=True)
    found: dict[str, Any] = {}

    def run() -> None:
        odds = model.predict_log_proba(matrix) @ (-1.0, 1.0)
        found["first"] = np.argsort(-odds, kind="stable")[:TOP]

    return Started({"all": run}, lambda: agreement(folder, found["first"]), 1 / PART)


def on_all_cores(call: Callable[[slice], object], size: int) -> None:
    n = len(os.sched_getaffinity(0))
    with ThreadPoolExecutor(n) as pool:
        list(pool.map(call, (slice(size * i // n, size * (i + 1) // n) for i in range(n))))


def numpy_sum(folder: Path) -> Started:
    tokens = np.load(folder / "tokens.npy")
    return Started({"all": tokens.sum})


def numpy_sum_threads(folder: Path) -> Started:
    tokens = np.load(folder / "tokens.npy")
    return Started({"all": lambda: on_all_cores(lambda part: tokens[part].sum(), len(tokens))})


def copy_threads(folder: Path) -> Started:
    """As in STREAM: what is read and what is written both count."""
    tokens = np.load(folder / "tokens.npy")
    other = np.zeros_like(tokens)

    def copy(part: slice) -> None:
        other[part] = tokens[part]

    return Started({"all": lambda: on_all_cores(copy, len(tokens))}, share=2)


RANK = Job(
    "rank",
    prepare,
    (
        Contestant("priorwise, all cores", partial(ours, None), "ours"),
        Contestant("priorwise, one thread", partial(ours, 1), "ours"),
        Contestant(f"priorwise, {CATEGORIES} categories in one pass, for each", ours_together, "ours"),
        Contestant("scikit-learn BernoulliNB", scikit_learn, package="scikit-learn"),
        Contestant("numpy.sum of the same tokens", numpy_sum, "limit", "numpy"),
        Contestant("numpy.sum of the same tokens, all cores", numpy_sum_threads, "limit", "numpy"),
        Contestant("memory alone: a copy on all cores", copy_threads, "limit", "numpy"),
    ),
    quality={SAME: "{:.0%}"},
)
