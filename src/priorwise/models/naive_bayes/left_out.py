"""What leave-one-out of the count models shares: the documents, the counts, and the hole each document leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.models.labels import Labels
from priorwise.models.naive_bayes.class_counts import ClassCounts
from priorwise.models.naive_bayes.class_rates import log_class_rates
from priorwise.priors.counts import TINY, log_complement, log_rate
from priorwise.processors import processors
from priorwise.search import HeldOut

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CHUNK = 1024

NUMBERS = 2**23
"""How many scores are held at a time."""


class LeftOut(HeldOut):
    """Documents to be scored without themselves.

    A document of weight w stands for w equal ones, of which one is taken out (or what there is of it, if w < 1).

    Parameters
    ----------
    X : scipy.sparse.csr_matrix
        The documents, as the model counts them.
    y : array or indicator matrix
        Their classes.
    weight : array
        What each document weighs.
    class_rate : {"counted", "uniform"} or array
        As in the model.
    """

    def __init__(self, X: Any, y: Any, weight: Floats, class_rate: str | ArrayLike = "counted") -> None:
        self.labels = labels = Labels.of(y)
        self.X, self.weight, self.class_rate = X, weight, class_rate
        self.classes, self.exclusive = labels.classes, not labels.against_rest
        self.taken_out = np.minimum(weight, 1.0)
        membership = labels.membership(y)
        self.counts = ClassCounts.of(X, membership, weight)
        self._members = membership.tocsc()

    @property
    def n_outputs(self) -> int:
        """How many outputs there are."""
        return self.labels.n_outputs

    def members(self) -> NDArray[np.bool_]:
        """Which documents are of which output, shape (n_documents, n_outputs)."""
        return self._members.toarray() > 0

    def member(self, output: int) -> NDArray[np.bool_]:
        """Which documents are of the class of an output."""
        found = np.zeros(self.X.shape[0], dtype=bool)
        found[self._members.indices[self._members.indptr[output] : self._members.indptr[output + 1]]] = True
        return found

    @cached_property
    def own_output(self) -> Ints:
        """The output of each document, where it has just one."""
        own = np.empty(self.X.shape[0], dtype=np.int64)
        own[self._members.indices] = np.repeat(np.arange(self.n_outputs), np.diff(self._members.indptr))
        return own

    def log_rates(self, output: int) -> Floats:
        """Log rate, or log odds, of an output's class without each document."""
        if not isinstance(self.class_rate, str) or self.class_rate != "counted":
            return np.full(self.X.shape[0], log_class_rates(self.class_rate, self.counts, self.labels)[output])
        documents = self.counts.documents[output] - np.where(self.member(output), self.taken_out, 0.0)
        in_all = self.counts.all_documents - self.taken_out
        rate = np.divide(np.maximum(documents, 0.0), in_all, out=np.zeros(len(in_all)), where=in_all > 0)
        return log_rate(rate) - log_complement(rate) if self.labels.against_rest else log_rate(rate)

    def log_rates_of_others(self) -> Floats:
        """What taking each document out adds to the log rate of every class but its own."""
        if not isinstance(self.class_rate, str) or self.class_rate != "counted":
            return np.zeros(self.X.shape[0])
        left = np.maximum(self.counts.all_documents - self.taken_out, TINY)
        return np.log(self.counts.all_documents) - np.log(left)

    def output_scores(self, output: int, priors: Sequence[Any]) -> Floats:
        """Scores of every document for one output, a column for each prior."""
        raise NotImplementedError

    def score_matrices(self, priors: Sequence[Any]) -> Iterator[Floats]:
        """For each prior in turn, the scores of every document for every output."""
        together = max(1, NUMBERS // (self.X.shape[0] * self.n_outputs))
        for start in range(0, len(priors), together):
            some = priors[start : start + together]
            scores = np.empty((len(some), self.X.shape[0], self.n_outputs))
            for output in range(self.n_outputs):
                scores[:, :, output] = self.output_scores(output, some).T
                self.progress((start + len(some) * (output + 1) / self.n_outputs) / len(priors))
            yield from scores

    def in_chunks(self, work: Callable[[Ints], None], documents: Ints) -> None:
        """Call `work` for every stretch of `documents`, on all cores."""
        chunks = [documents[start : start + CHUNK] for start in range(0, len(documents), CHUNK)]
        if len(chunks) < 2:
            for chunk in chunks:
                work(chunk)
            return
        with ThreadPoolExecutor(processors()) as pool:
            list(pool.map(work, chunks))
