"""Where a pass over the corpus runs: on this machine, or on Spark. The answer is the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.engines import local
from priorwise.engines.passes import Progress
from priorwise.processors import in_order
from priorwise.ranking.scorer import Scorer, Top

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Masks = Sequence[NDArray[np.bool_]] | NDArray[np.bool_] | None


class Engine(Protocol):
    """Passes over a corpus, and independent calls."""

    def call(self, function: Callable[[Item], Answer], items: Sequence[Item]) -> list[Answer]:
        """Call a function with each item. On Spark the function, the items and the results are pickled."""
        ...

    def rank_corpus(
        self,
        corpus: Corpus,
        scorers: Sequence[Scorer],
        *,
        top: int,
        skip: Masks = None,
        progress: Progress | None = None,
    ) -> list[Top]:
        """Rank every document under each scorer; see :func:`priorwise.engines.local.rank_corpus`."""
        ...

    def score_corpus(self, corpus: Corpus, scorer: Scorer) -> NDArray[np.float64]:
        """Score every document."""
        ...


@dataclass(frozen=True)
class Local:
    """All cores of this machine, or some.

    Parameters
    ----------
    threads : int, optional
        All cores by default.

    Examples
    --------
    >>> from priorwise.models.weights import Weights
    >>> corpus = Corpus.from_texts(["b", "a b", "a"])
    >>> a = Scorer(Weights(np.array([corpus.token_id("a")]), np.array([[1.0]]), np.array([0.0])))
    >>> Local().score_corpus(corpus, a).tolist()
    [0.0, 1.0, 1.0]
    """

    threads: int | None = None

    def call(self, function: Callable[[Item], Answer], items: Sequence[Item]) -> list[Answer]:
        """Call a function with each item."""
        return list(in_order((partial(function, item) for item in items), self.threads))

    def rank_corpus(
        self,
        corpus: Corpus,
        scorers: Sequence[Scorer],
        *,
        top: int,
        skip: Masks = None,
        progress: Progress | None = None,
    ) -> list[Top]:
        """Rank every document under each scorer."""
        return local.rank_corpus(corpus, scorers, top=top, skip=skip, threads=self.threads, progress=progress)

    def score_corpus(self, corpus: Corpus, scorer: Scorer) -> NDArray[np.float64]:
        """Score every document."""
        return local.score_corpus(corpus, scorer, threads=self.threads)
