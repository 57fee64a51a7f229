"""Every document scored by a Bernoulli model that has not seen it, for many priors at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from priorwise.models.naive_bayes.event_models import bernoulli_parts
from priorwise.models.naive_bayes.left_out import LeftOut
from priorwise.priors.counts import RatePrior, TermCounts, remainder

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class _Rows(NamedTuple):
    """Distinct pairs of counts, in a class and in the rest; which pair each token has; how many tokens have each."""

    in_class: Floats
    in_rest: Floats
    of_token: Ints
    tokens: Ints


class _Hole(NamedTuple):
    """Documents that leave the same hole: how much each takes from its class, and from the rest."""

    documents: Ints
    from_class: float
    from_rest: float


class BernoulliLeaveOneOut(LeftOut):
    """Leave-one-out of `BernoulliNB` by subtraction, equal to refitting without each document.

    Documents of one class leave the same hole: the class and the collection have one document less. What a token adds,
    present or absent, then depends on its count in the class and in the collection alone. So each pair of counts is
    looked at once, and a score is one number for the hole plus a sum over the document's tokens. Even the strengths of
    `TermBeta` are those of a refit.
    """

    def output_scores(self, output: int, priors: Sequence[RatePrior]) -> Floats:
        """Scores of every document for one output, a column for each prior."""
        from priorwise.models.naive_bayes._kernels.held_out_sums import sum_token_rows

        scores = np.zeros((self.X.shape[0], len(priors)))
        rows = self._rows(output)
        for hole in self._holes(output):
            constants, table = self._tables(output, priors, rows, hole)

            def score(part: Ints, table: Floats = table, constants: Floats = constants) -> None:
                sums = np.empty((len(part), len(priors)))
                sum_token_rows(part, self.X.indptr, self.X.indices, rows.of_token, table, sums)
                scores[part] = sums + constants

            self.in_chunks(score, hole.documents)
        return scores + self.log_rates(output)[:, np.newaxis]

    @cached_property
    def _groups(self) -> tuple[Floats, Ints]:
        in_all, group = np.unique(self.counts.collection, return_inverse=True)
        return in_all, group

    def _rows(self, output: int) -> _Rows:
        counts, (in_all, group) = self.counts, self._groups
        seen, found = counts.of_class(output)
        values, place = np.unique(found, return_inverse=True)
        keys, inverse = np.unique(place * len(in_all) + group[seen], return_inverse=True)
        of_token = group.copy()
        of_token[seen] = len(in_all) + inverse
        in_class = np.concatenate([np.zeros(len(in_all)), values[keys // len(in_all)]])
        in_rest = remainder(np.concatenate([in_all, in_all[keys % len(in_all)]]), in_class)
        return _Rows(in_class, in_rest, of_token, np.bincount(of_token, minlength=len(in_class)))

    def _holes(self, output: int) -> Iterator[_Hole]:
        member = self.member(output)
        for is_member in (True, False):
            of_kind = (member == is_member) & (self.weight > 0)
            for amount in np.unique(self.taken_out[of_kind]).tolist():
                documents = np.flatnonzero(of_kind & (self.taken_out == amount))
                yield _Hole(documents, amount, 0.0) if is_member else _Hole(documents, 0.0, amount)

    def _tables(self, output: int, priors: Sequence[RatePrior], rows: _Rows, hole: _Hole) -> tuple[Floats, Floats]:
        """What a document in the hole starts from under each prior, and what each of its tokens adds."""
        of_class = self.counts.documents[output]
        documents = remainder(of_class, np.array(hole.from_class))
        others = remainder(self.counts.all_documents - of_class, np.array(hole.from_rest))

        def counts(in_class: Floats, in_rest: Floats) -> TermCounts:
            # A count above that of the documents belongs to tokens that no document of the hole lacks. What it adds
            # to the start is taken off again for each of them.
            in_class, in_rest = np.minimum(in_class, documents), np.minimum(in_rest, others)
            return TermCounts(in_class, documents, in_class + in_rest, documents + others)

        rests = priors if self.labels.against_rest else [None] * len(priors)
        absent = bernoulli_parts(priors, rests, counts(rows.in_class, rows.in_rest))
        left = remainder(rows.in_class, np.array(hole.from_class)), remainder(rows.in_rest, np.array(hole.from_rest))
        present = bernoulli_parts(priors, rests, counts(*left))
        table, constants = np.empty((len(rows.tokens), len(priors))), np.empty(len(priors))
        for p, ((_, log_absent), (odds, gone)) in enumerate(zip(absent, present, strict=True)):
            constants[p] = log_absent @ rows.tokens
            table[:, p] = odds + gone - log_absent
        return constants, table.ravel()
