"""Naive Bayes in the explorer: where documents are under any prior, fast enough to follow a slider.

What a token adds depends on its two counts alone, in the members and in the others. So each pair of counts is looked at
once, and a document is a sum over a short table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus, TokenBatch
from priorwise.explorer.documents import Evidence, Points, ShownDocuments
from priorwise.explorer.families import Family, FamilySetting, NaiveBayesFamily, ShownModel
from priorwise.kernels import Floats, Ints
from priorwise.models.naive_bayes.counts import ClassCounts, Multinomial, bernoulli_parts
from priorwise.priors.counts import RatePrior, TermCounts, WordPrior, log_rate
from priorwise.priors.presence import PresencePrior, kind_of, strengths_of
from priorwise.processors import in_order
from priorwise.search import FBeta, HeldOut, Target, best_place, radial

if TYPE_CHECKING:
    from priorwise.explorer.view import View
    from priorwise.models.base import PriorModel


@dataclass(frozen=True)
class FamilyTerrain:
    """The training documents, each left out, under every prior of a family's grid."""

    family: NaiveBayesFamily
    axes: tuple[Floats, ...]
    tp: Floats
    fp: Floats
    positives: int
    negatives: int

    def values(self, target: Target) -> Floats:
        return target.from_counts(self.tp, self.fp, self.positives, self.negatives)

    def drawn(self, objective: Target) -> dict[str, Any]:
        return {"axes": [axis.tolist() for axis in self.axes], "values": self.values(objective).round(5).tolist()}

    def way(self, objective: Target, start: FamilySetting) -> list[FamilySetting]:
        return [self.setting(cell) for cell in self.path(objective, start)]

    def setting(self, cell: tuple[int, ...]) -> FamilySetting:
        return FamilySetting(self.family, tuple(float(axis[i]) for axis, i in zip(self.axes, cell, strict=True)))

    def nearest(self, setting: FamilySetting) -> tuple[int, ...]:
        near = (np.abs(np.log(axis / value)) for axis, value in zip(self.axes, setting.values, strict=True))
        return tuple(int(np.argmin(distance)) for distance in near)

    def path(self, target: Target, start: FamilySetting) -> list[tuple[int, ...]]:
        """Climb from a prior, and go from where that ends to the best of all cells.

        The climb is the radial search of *presence*. Among equally good cells the most sensitive is taken, and of those
        the one nearest to where the climb ended.
        """
        shape = (1,) * (2 - len(self.axes)) + self.tp.shape
        values = np.column_stack([self.values(target).ravel(), self.tp.ravel()])

        def value(cells: Any) -> Floats:
            return values[np.ravel_multi_index(tuple(np.transpose(cells)), shape)]

        first = (0,) * (2 - len(self.axes)) + self.nearest(start)
        climb = radial(shape, [first]).search(value).paths[0]
        away = ((np.indices(shape).reshape(2, -1).T - climb[-1]) ** 2).sum(axis=1)
        end = np.unravel_index(best_place(values, away), shape)
        path = climb if end == climb[-1] else [*climb, end]
        return [tuple(int(i) for i in cell[2 - len(self.axes) :]) for cell in path]


def axes_of(family: Family) -> tuple[Floats, ...]:
    """The values that each number of a family has in its grid."""
    columns = ((each, np.array(each.values)) for each in family.parameters)
    return tuple(np.unique(values[(values >= each.least) & (values <= each.most)]) for each, values in columns)


MEMBERS, OTHERS = 0, 1


def _model(setting: FamilySetting) -> type[PriorModel]:
    return cast(NaiveBayesFamily, setting.family).model


def counts_repeats(setting: FamilySetting) -> bool:
    """Whether a word that a document has twice counts twice."""
    return _model(setting).reads == "counts"


class Contributions(NamedTuple):
    """What documents start from, and what each row of tokens adds, for the members' side and for the others'."""

    start: Floats
    table: Floats


@dataclass(frozen=True)
class _CountPairs:
    """Distinct pairs of counts; which one each token has; how many tokens have each."""

    in_members: Floats
    in_others: Floats
    of_token: NDArray[np.int32]
    tokens: Ints

    @classmethod
    def of(cls, in_members: Floats, in_others: Floats) -> _CountPairs:
        pairs, place, sizes = np.unique(
            in_members + 1j * in_others, return_inverse=True, return_counts=True
        )  # a complex number is a pair that sorts faster than a row does
        return cls(pairs.real.copy(), pairs.imag.copy(), place.astype(np.int32), sizes)


class Coordinates:
    """Two coordinates for each document.

    ::

        x = log P(d|c) + log P(c)          y = log P(d|¬c) + log P(¬c)          in c if x > y

    *bernoulli*: Di Nunzio and Sordoni, *How well do we know Bernoulli?*
    """

    def __init__(self, documents: ShownDocuments) -> None:
        self.documents = documents
        train = ~documents.held_out
        self.n_members = float(np.count_nonzero(train & documents.member))
        self.n_others = float(np.count_nonzero(train & ~documents.member))

    def of(self, setting: FamilySetting) -> Floats:
        """The coordinates of every document, shape (n_documents, 2)."""
        shown = self.documents
        sums = np.empty((len(shown), 2))
        self._sum(setting, self._row_of(setting), shown.indptr, shown.tokens, shown.counts, sums)
        return sums

    def of_corpus(self, setting: FamilySetting, corpus: Corpus) -> Iterator[tuple[int, Floats]]:
        row_of = np.full(corpus.n_vocabulary, -1, dtype=np.int32)
        row_of[self.documents.features] = self._row_of(setting)

        def sums_of(batch: TokenBatch) -> tuple[int, Floats]:
            sums = np.empty((len(batch.offsets) - 1, 2))
            self._sum(setting, row_of, batch.offsets, batch.tokens, batch.counts, sums)
            return batch.start, sums

        yield from in_order((partial(sums_of, batch) for batch in corpus.batches()), None)

    def of_tokens(self, setting: FamilySetting) -> Floats:
        table = self.contributions(setting).table
        return (table[:, MEMBERS] - table[:, OTHERS])[self._row_of(setting)]

    def contributions(self, setting: FamilySetting) -> Contributions:
        """What documents start from, and what tokens add."""
        parts = {RatePrior: self._bernoulli, PresencePrior: self._presence, WordPrior: self._multinomial}
        return parts[_model(setting).asks](setting.prior)

    def _sum(self, setting: FamilySetting, row_of: Any, indptr: Any, tokens: Any, counts: Any, sums: Floats) -> None:
        from priorwise.explorer._kernels import sum_two

        start, table = self.contributions(setting)
        sum_two(indptr, tokens, counts, counts_repeats(setting), row_of, table, start, sums)

    def _row_of(self, setting: FamilySetting) -> NDArray[np.int32]:
        return (self._words if counts_repeats(setting) else self._presences).of_token

    def _count(self, weight: Floats) -> _CountPairs:
        shown = self.documents
        of_case = np.repeat(np.arange(len(shown)), np.diff(shown.indptr))
        train, member = ~shown.held_out[of_case], shown.member[of_case]
        n = len(shown.features)
        return _CountPairs.of(
            np.bincount(shown.tokens[train & member], weight[train & member], n).astype(np.float64),
            np.bincount(shown.tokens[train & ~member], weight[train & ~member], n).astype(np.float64),
        )

    @cached_property
    def _presences(self) -> _CountPairs:
        return self._count(np.ones(len(self.documents.tokens)))

    @cached_property
    def _words(self) -> _CountPairs:
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


class ShownNaiveBayes(ShownModel):
    """Documents between a category and everything else, each side with a likelihood; exact leave-one-out."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self.coordinates = Coordinates(view.documents)
        self._held_out: dict[str, HeldOut] = {}
        self._maps: dict[str, FamilyTerrain] = {}

    def opening(self, family: Family) -> FamilySetting:
        """The prior that leave-one-out finds best by F1; the usual numbers if leave-one-out finds no member."""
        usual, best = FamilySetting(family, family.default), FBeta(1.0)
        learned = self.objective_map(family)
        return learned.way(best, usual)[-1] if learned.values(best).max() > 0 else usual

    def points(self, setting: FamilySetting) -> Points:
        """Return log P(d|c) + log P(c), and how much more that is than log P(d|¬c) + log P(¬c)."""
        sums = self.coordinates.of(setting)
        return Points(sums[:, MEMBERS], sums[:, MEMBERS] - sums[:, OTHERS])

    def left_out(self, setting: FamilySetting) -> Floats:
        return next(self._left_out(cast(NaiveBayesFamily, setting.family)).score_matrices([setting.prior]))[:, 0]

    def weights(self, setting: FamilySetting) -> Floats:
        return self.coordinates.of_tokens(setting)

    def names(self, features: NDArray[np.int64]) -> list[str]:
        return self.view.corpus.token_names(self.view.documents.features[features])

    def evidence(self, place: int, setting: FamilySetting) -> list[Evidence]:
        shown = self.view.documents
        own = slice(shown.indptr[place], shown.indptr[place + 1])
        tokens, counts = shown.tokens[own], shown.counts[own].astype(np.int64)
        at_each = self.coordinates.of_tokens(setting)[tokens]
        weights = at_each * counts if counts_repeats(setting) else at_each
        order = np.lexsort((tokens, -np.abs(weights)))
        order = order[weights[order] != 0]
        columns = (each[order].tolist() for each in (counts, weights, at_each))
        return [Evidence(*each) for each in zip(self.names(tokens[order]), *columns, strict=True)]

    def objective_map(self, family: Family) -> FamilyTerrain:
        if family.name not in self._maps:
            self._maps[family.name] = self._terrain(cast(NaiveBayesFamily, family))
        return self._maps[family.name]

    def _terrain(self, family: NaiveBayesFamily) -> FamilyTerrain:
        axes, held_out = axes_of(family), self._left_out(family)
        tp, fp = held_out.terrain(axes, family.make)
        if tp.ndim > len(axes):  # one number for both classes
            tp, fp = np.diagonal(tp), np.diagonal(fp)
        members = int(np.count_nonzero(held_out.members()))
        return FamilyTerrain(family, axes, tp, fp, members, len(held_out.weight) - members)

    def _left_out(self, family: NaiveBayesFamily) -> HeldOut:
        """The training documents, each scored by a model that has not seen it."""
        # Models of counts are judged alike whatever their prior; those of presence prepare for one kind of prior.
        key = family.name if family.model.prepares_for_one_kind else family.model.name
        if key not in self._held_out:
            shown = self.view.documents
            X, y = shown.matrix[shown.training], shown.member[shown.training]
            self._held_out[key] = family.model(prior=family.prior).held_out(X, y, np.ones(len(y)))
        return self._held_out[key]

    def of_corpus(self, setting: FamilySetting) -> Iterator[tuple[int, Floats]]:
        return self.coordinates.of_corpus(setting, self.view.corpus)
