"""Where documents stand between a category and everything else, under any prior, fast enough to follow a slider.

What a token adds depends on its two counts alone, in the members and in the others. So each pair of counts is looked at
once, and a document is a sum over a short table.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus, TokenBatch
from priorwise.explorer.documents import ShownDocuments
from priorwise.explorer.family import Setting
from priorwise.models.naive_bayes.counts import ClassCounts, Multinomial, bernoulli_parts
from priorwise.priors.counts import RatePrior, TermCounts, WordPrior, log_rate
from priorwise.priors.presence import PresencePrior, kind_of, strengths_of

if TYPE_CHECKING:
    from priorwise.explorer.naive_bayes_family import NaiveBayesFamily
    from priorwise.models.base import PriorModel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MEMBERS, OTHERS = 0, 1


def _model(setting: Setting) -> type[PriorModel]:
    return cast("NaiveBayesFamily", setting.family).model


def counts_repeats(setting: Setting) -> bool:
    """Whether a word that a document has twice counts twice."""
    return _model(setting).reads == "counts"


class Contributions(NamedTuple):
    """What documents start from, and what each row of tokens adds, for the members' side and for the others'."""

    start: Floats
    table: Floats


@dataclass(frozen=True)
class _Rows:
    """Distinct pairs of counts; which one each token has; how many tokens have each."""

    in_members: Floats
    in_others: Floats
    of_token: NDArray[np.int32]
    tokens: Ints

    @classmethod
    def of(cls, in_members: Floats, in_others: Floats) -> _Rows:
        pairs, place, sizes = np.unique(
            in_members + 1j * in_others, return_inverse=True, return_counts=True
        )  # a complex number is a pair that sorts faster than a row does
        return cls(pairs.real.copy(), pairs.imag.copy(), place.astype(np.int32), sizes)


class Coordinates:
    """Two coordinates for each document.

    ::

        x = log P(d|c) + log P(c)          y = log P(d|¬c) + log P(¬c)          in c if x > y

    Parameters
    ----------
    documents : ShownDocuments
        The training documents among them are what is counted.

    References
    ----------
    *bernoulli*: Di Nunzio and Sordoni, *How well do we know Bernoulli?*

    Examples
    --------
    >>> from priorwise.explorer.documents import draw_documents
    >>> from priorwise.explorer.families import setting_of
    >>> corpus = Corpus.from_texts(["a b", "a c", "a", "d", "d e", "e"], labels=["x", "x", "x", "y", "y", "y"])
    >>> points = Coordinates(draw_documents(corpus, "x")).of(setting_of("beta"))
    >>> (points[:, 0] > points[:, 1]).tolist()
    [True, True, True, False, False, False]
    """

    def __init__(self, documents: ShownDocuments) -> None:
        self.documents = documents
        train = ~documents.held_out
        self.n_members = float(np.count_nonzero(train & documents.member))
        self.n_others = float(np.count_nonzero(train & ~documents.member))

    def of(self, setting: Setting) -> Floats:
        """The coordinates of every document, shape (n_documents, 2)."""
        shown = self.documents
        sums = np.empty((len(shown), 2))
        self._sum(setting, self._row_of(setting), shown.indptr, shown.tokens, shown.counts, sums)
        return sums

    def of_corpus(self, setting: Setting, corpus: Corpus) -> Iterator[tuple[int, Floats]]:
        """The coordinates of all documents of the corpus, batch by batch, each with its first document's number."""
        row_of = np.full(corpus.n_vocabulary, -1, dtype=np.int32)
        row_of[self.documents.features] = self._row_of(setting)

        def sums_of(batch: TokenBatch) -> tuple[int, Floats]:
            sums = np.empty((len(batch.offsets) - 1, 2))
            self._sum(setting, row_of, batch.offsets, batch.tokens, batch.counts, sums)
            return batch.start, sums

        with ThreadPoolExecutor() as pool:
            yield from pool.map(sums_of, corpus.batches())

    def of_tokens(self, setting: Setting) -> Floats:
        """What each token of the vocabulary adds to the log odds of a document that has it, once."""
        table = self.contributions(setting).table
        odds: Floats = (table[:, MEMBERS] - table[:, OTHERS])[self._row_of(setting)]
        return odds

    def contributions(self, setting: Setting) -> Contributions:
        """What documents start from, and what tokens add."""
        parts = {RatePrior: self._bernoulli, PresencePrior: self._presence, WordPrior: self._multinomial}
        return parts[_model(setting).asks](setting.prior)

    def _sum(self, setting: Setting, row_of: Any, indptr: Any, tokens: Any, counts: Any, sums: Floats) -> None:
        from priorwise.explorer._kernels.two_sums import sum_two

        start, table = self.contributions(setting)
        sum_two(indptr, tokens, counts, counts_repeats(setting), row_of, table, start, sums)

    def _row_of(self, setting: Setting) -> NDArray[np.int32]:
        return (self._words if counts_repeats(setting) else self._presences).of_token

    def _count(self, weight: Floats) -> _Rows:
        shown = self.documents
        of_case = np.repeat(np.arange(len(shown)), np.diff(shown.indptr))
        train, member = ~shown.held_out[of_case], shown.member[of_case]
        n = len(shown.features)
        return _Rows.of(
            np.bincount(shown.tokens[train & member], weight[train & member], n).astype(np.float64),
            np.bincount(shown.tokens[train & ~member], weight[train & ~member], n).astype(np.float64),
        )

    @cached_property
    def _presences(self) -> _Rows:
        return self._count(np.ones(len(self.documents.tokens)))

    @cached_property
    def _words(self) -> _Rows:
        return self._count(self.documents.counts.astype(np.float64))

    @cached_property
    def _sides(self) -> tuple[TermCounts, TermCounts]:
        """Counts of both sides; kept, because strengths that are read from them take long."""
        rows = self._presences
        whole = rows.in_members + rows.in_others
        members = TermCounts(rows.in_members, np.array(self.n_members), whole, np.array(self.n_members + self.n_others))
        return members, members.against(rows.in_others, np.array(self.n_others))

    @property
    def _class_rates(self) -> Floats:
        return log_rate(np.array([self.n_members, self.n_others]) / (self.n_members + self.n_others))

    def _bernoulli(self, prior: Any) -> Contributions:
        sides = [next(bernoulli_parts([prior], [None], counts)) for counts in self._sides]
        absent = np.array([self._presences.tokens @ without for _, without in sides])
        return Contributions(self._class_rates + absent, np.column_stack([present for present, _ in sides]))

    def _presence(self, prior: Any) -> Contributions:
        kind = kind_of(prior)
        negative, positive = strengths_of(prior, 2)
        tables = [
            kind.table(counts, np.array([strength]))
            for counts, strength in zip(self._sides, (positive, negative), strict=True)
        ]
        rates = np.column_stack([table.log_rates() for table in tables])
        rates[self._presences.in_members <= 0] = 0.0  # no member has the token: it is not in the model's vocabulary
        sizes = np.concatenate([table.sizes for table in tables])
        return Contributions(sizes - np.logaddexp.reduce(sizes), rates)

    @cached_property
    def _word_counts(self) -> ClassCounts:
        from scipy.sparse import csc_matrix

        rows = self._words
        pairs = csc_matrix(np.stack([rows.in_members, rows.in_others])[:, rows.of_token])
        documents = np.array([self.n_members, self.n_others])
        return ClassCounts(pairs, documents, (rows.in_members + rows.in_others)[rows.of_token], documents.sum())

    def _multinomial(self, prior: Any) -> Contributions:
        rows, model = self._words, Multinomial(self._word_counts)
        whole = rows.in_members + rows.in_others
        sides = [
            model.parts(prior, None, counts, np.full(len(counts), side), whole).present
            for side, counts in enumerate((rows.in_members, rows.in_others))
        ]
        return Contributions(self._class_rates, np.column_stack(sides))
