"""One machine, all its cores: one pass over the mapped tokens for one scorer or many."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from priorwise.engines.corpus_part import Documents
from priorwise.engines.one_by_one import rank_one_by_one
from priorwise.engines.passes import Floats, Progress, Step, masks_of, steps
from priorwise.engines.side_by_side import known_to_any, largest_number, rank_side_by_side
from priorwise.processors import processors
from priorwise.ranking.scorer import Scorer, Top

MANY = 4
"""From this many scorers on, their numbers are laid side by side and a token is looked up once for all."""

TABLE_BYTES = 128 * 2**20


def rank_corpus(
    corpus: Documents,
    scorers: Sequence[Scorer],
    *,
    top: int,
    skip: Sequence[NDArray[np.bool_]] | NDArray[np.bool_] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[Top]:
    """Rank every document of the corpus, under each scorer.

    Memory beyond the mapped file is a number per token of the vocabulary and scorer, and `top` per thread and scorer.

    Parameters
    ----------
    corpus : Corpus
        The documents, or part of them.
    scorers : sequence of Scorer
        Several cost less than one after the other.
    top : int
        How many of the best to keep.
    skip : array of bool, or one per scorer, optional
        Documents to pass over.
    threads : int, optional
        All cores by default.
    progress : callable, optional
        Called with the number of documents just done, by one thread at a time.

    Examples
    --------
    >>> from priorwise.models.weights import Weights
    >>> from priorwise.corpus import Corpus
    >>> corpus = Corpus.from_texts(["b", "a b", "a"])
    >>> a = corpus.token_id("a")
    >>> rank_corpus(corpus, [Scorer(Weights(np.array([a]), np.array([[1.0]]), np.array([0.0])))], top=2)[0].documents
    array([1, 2])
    """
    masks = masks_of(skip, len(scorers), corpus.n_documents)
    if len(scorers) < MANY or (largest := largest_number(corpus)) < 2**8:
        return rank_one_by_one(corpus, scorers, masks, top, threads, progress)
    known = int(np.count_nonzero(known_to_any(scorers, corpus.n_vocabulary)))
    at_once = max(MANY, TABLE_BYTES // max(1, 2 * known))
    tops: list[Top] = []
    for start in range(0, len(scorers), at_once):
        group = slice(start, start + at_once)
        tops += rank_side_by_side(corpus, scorers[group], masks[group], top, largest, threads, progress)
    return tops


def score_corpus(corpus: Documents, scorer: Scorer, *, threads: int | None = None) -> Floats:
    """Score every document of the corpus."""
    scoring = scorer.prepared(corpus.n_vocabulary)
    scores = np.empty(corpus.n_documents)

    def score(step: Step) -> None:
        scores[step.start : step.start + len(step.offsets) - 1] = scoring(step.offsets, step.tokens, step.counts)

    with ThreadPoolExecutor(threads or processors()) as pool:
        list(pool.map(score, steps(corpus)))
    return scores
