"""Every document scored by a multinomial model that has not seen it, for many priors at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.models.naive_bayes.class_rates import log_class_rates
from priorwise.models.naive_bayes.class_scores import best_outputs, score_documents
from priorwise.models.naive_bayes.class_weights import class_weights
from priorwise.models.naive_bayes.event_models import Multinomial
from priorwise.models.naive_bayes.left_out import LeftOut
from priorwise.priors.counts import TINY, ClassSize, remainder

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class MultinomialLeaveOneOut(LeftOut):
    """Leave-one-out of `MultinomialNB` by subtraction, equal to refitting without each document.

    Taking a document out changes the counts of its own class, its size, and how many distinct words that has. All other
    classes stay as they are, unless a prior has the collection as its centre: then every class is scored anew.
    """

    def output_scores(self, output: int, priors: Sequence[Any]) -> Floats:
        """Scores of every document for one output, a column for each prior."""
        documents = np.flatnonzero(self.weight > 0)
        member = self.member(output)
        own = self._class_counts(output)
        scores = np.zeros((self.X.shape[0], len(priors)))
        self._add(scores, 1.0, documents, np.where(member, self.taken_out, 0.0), own, self.counts.sizes, output, priors)
        if self.labels.against_rest:
            rest = remainder(self.counts.collection, own)
            taken_out = np.where(member, 0.0, self.taken_out)
            self._add(scores, -1.0, documents, taken_out, rest, self.counts.sizes_of_rest, output, priors)
        return scores + self.log_rates(output)[:, np.newaxis]

    def score_matrices(self, priors: Sequence[Any]) -> Iterator[Floats]:
        """For each prior in turn, the scores of every document for every output.

        With several classes only the document's own class is scored anew; the others are scored by the whole model.
        """
        if self.labels.against_rest or any(prior.reads_collection for prior in priors):
            yield from super().score_matrices(priors)
            return
        own = self._own_scores(priors)
        rates = np.column_stack([self.log_rates(output) for output in range(self.n_outputs)])
        for p, prior in enumerate(priors):
            same = [prior] * self.n_outputs
            weights = class_weights(self.counts, Multinomial(self.counts), same, None, np.zeros(self.n_outputs))
            scores = score_documents(weights, self.X) + rates
            scores[np.arange(len(scores)), self.own_output] = own[:, p]
            self.progress((1 + (p + 1) / len(priors)) / 2)
            yield scores

    def predictions(self, priors: Sequence[Any]) -> Iterator[Ints]:
        """For each prior in turn, the output with the best score for every document, a tie to the first.

        With several classes the two best by the whole model will do: one of them is not the document's own.
        """
        if self.labels.against_rest or self.n_outputs < 2 or any(prior.reads_collection for prior in priors):
            yield from super().predictions(priors)
            return
        own, place = self._own_scores(priors), self.own_output
        whole = log_class_rates(self.class_rate, self.counts, self.labels)
        # Without the document every other class has the same larger share of what is left.
        other_rates = self.log_rates_of_others()
        for p, prior in enumerate(priors):
            weights = class_weights(self.counts, Multinomial(self.counts), [prior] * self.n_outputs, None, whole)
            best, scores = best_outputs(weights, self.X, 2)
            second = (best[:, 0] == place).astype(np.int64)
            rows = np.arange(len(place))
            other, score = best[rows, second], scores[rows, second] + other_rates
            self.progress((1 + (p + 1) / len(priors)) / 2)
            own_wins = (own[:, p] > score) | ((own[:, p] == score) & (place < other))
            yield np.where(own_wins, place, other)

    def _own_scores(self, priors: Sequence[Any]) -> Floats:
        """Score of each document for its own class."""
        scores = np.zeros((self.X.shape[0], len(priors)))
        for output in range(self.n_outputs):
            documents = np.flatnonzero((self.own_output == output) & (self.weight > 0))
            counts = self._class_counts(output)
            self._add(scores, 1.0, documents, self.taken_out, counts, self.counts.sizes, output, priors)
            scores[documents] += self.log_rates(output)[documents, np.newaxis]
            self.progress((output + 1) / self.n_outputs / 2)
        return scores

    def _class_counts(self, output: int) -> Floats:
        found = np.zeros(self.counts.n_tokens)
        tokens, counts = self.counts.of_class(output)
        found[tokens] = counts
        return found

    def _add(
        self,
        scores: Floats,
        sign: float,
        documents: Ints,
        taken_out: Floats,
        counts: Floats,
        sizes: ClassSize,
        output: int,
        priors: Sequence[Any],
    ) -> None:
        """Add what `documents` score by `counts`, less themselves as often as `taken_out` says."""
        from priorwise.models.naive_bayes._kernels.held_out_sums import measure_holes, sum_log_counts, sum_log_lifts

        around = np.array([prior.reads_collection for prior in priors], dtype=bool)
        alone, mixed = np.flatnonzero(~around), np.flatnonzero(around)
        size = sizes.occurrences[output], sizes.distinct[output], sizes.whole[output]

        def add(part: Ints) -> None:
            of_documents: tuple[Any, ...] = part, self.X.indptr, self.X.indices, self.X.data, taken_out, counts
            lost, in_seen, in_unseen = np.empty((len(part), 3)), np.empty(len(part)), np.empty(len(part))
            measure_holes(*of_documents, lost, in_seen, in_unseen)
            occurrences, distinct, whole = (remainder(np.array(of), lost[:, i]) for i, of in enumerate(size))
            if len(alone):
                left = ClassSize(occurrences, distinct, whole, sizes.types)
                weights = [priors[p].weigh(left) for p in alone.tolist()]
                shifts = np.column_stack([each.shift for each in weights])
                sums = np.empty(shifts.shape)
                sum_log_counts(*of_documents, shifts, sums)
                for p, each in enumerate(weights):
                    sums[:, p] += in_seen * each.seen + np.where(in_unseen > 0, in_unseen * each.unseen, 0.0)
                scores[np.ix_(part, alone)] += sign * sums
            if len(mixed):
                of_counts, of_shares = (
                    np.column_stack(each)
                    for each in zip(*(priors[p].mix(occurrences) for p in mixed.tolist()), strict=True)
                )
                sums = np.empty(of_counts.shape)
                sum_log_lifts(*of_documents, self.taken_out, self.counts.collection, of_counts, of_shares, TINY, sums)
                scores[np.ix_(part, mixed)] += sign * sums

        self.in_chunks(add, documents)
