"""Every document scored by a Bernoulli or multinomial model that has not seen it, for many priors at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.kernels import Floats, Ints
from priorwise.models.labels import OutputLabels
from priorwise.models.naive_bayes.class_scores import best_outputs, score_documents
from priorwise.models.naive_bayes.counts import (
    ClassCounts,
    Multinomial,
    bernoulli_parts,
    class_weights,
    log_class_rates,
)
from priorwise.models.weights import Weights
from priorwise.priors.counts import TINY, ClassSize, RatePrior, TermCounts, log_complement, log_rate, remainder
from priorwise.processors import on_threads
from priorwise.search import HeldOut, SearchResult, Strategy, Target, Truth, refine

CHUNK = 1024

SAMPLE = 4096
"""How many documents a quick search leaves out, one after the other; all documents are counted."""

NUMBERS = 2**23
"""How many scores are held at a time."""


class LeftOut(HeldOut):
    """Documents to be scored without themselves.

    A document of weight w stands for w equal ones, of which one is taken out (or what there is of it, if w < 1).
    """

    keeps_texts: bool = False
    """Whether a left-out document stays in the corpus without its label, as far as corpus-wide rates go."""

    def __init__(self, X: Any, y: Any, weight: Floats, class_rate: str | ArrayLike = "counted") -> None:
        self.labels = labels = OutputLabels.of(y)
        self.X, self.weight, self.class_rate = X, weight, class_rate
        self.classes, self.exclusive = labels.classes, not labels.against_rest
        self.taken_out = np.minimum(weight, 1.0)
        membership = labels.membership(y)
        self.counts = ClassCounts.of(X, membership, weight)
        self._members = membership.tocsc()

    @property
    def n_outputs(self) -> int:
        return self.labels.n_outputs

    def members(self) -> NDArray[np.bool_]:
        return self._members.toarray() > 0

    @cached_property
    def truth(self) -> Truth:
        counted = self.weight > 0
        members = self._members.tocsr()[counted].toarray() > 0
        return Truth(members, self.weight[counted], self.exclusive)

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

    def own_log_rates(self) -> Floats:
        """Log rate of each document's own class without it, where it has just one."""
        own, documents = self.own_output, self.counts.documents
        if not isinstance(self.class_rate, str) or self.class_rate != "counted":
            return log_class_rates(self.class_rate, self.counts, self.labels)[own]
        in_all = self.counts.all_documents - self.taken_out
        left = np.maximum(documents[own] - self.taken_out, 0.0)
        return log_rate(np.divide(left, in_all, out=np.zeros(len(own)), where=in_all > 0))

    def choose(
        self, target: Target, strategy: Strategy | None = None, *, search: str = "exhaustive", **options: Any
    ) -> SearchResult:
        """Find the best prior; a quick search tries some of the priors on a sample of the documents."""
        if search == "quick":
            self.keeps_texts = True
            counted = np.flatnonzero(self.weight > 0)
            if len(counted) > SAMPLE:
                kept = np.random.default_rng(0).choice(counted, SAMPLE, replace=False)
                self.weight = np.bincount(kept, self.weight[kept], len(self.weight)).astype(np.float64)
            strategy = strategy or refine(self.candidates, self.distance)
        return super().choose(target, strategy, search=search, **options)

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
        together = max(1, NUMBERS // (self.X.shape[0] * self.n_outputs))
        for start in range(0, len(priors), together):
            some = priors[start : start + together]
            scores = np.empty((len(some), self.X.shape[0], self.n_outputs))
            for output in range(self.n_outputs):
                scores[:, :, output] = self.output_scores(output, some).T
                self.progress((start + len(some) * (output + 1) / self.n_outputs) / len(priors))
            yield from scores

    def in_chunks(self, work: Callable[[Ints], None], documents: Ints) -> None:
        on_threads(work, [documents[start : start + CHUNK] for start in range(0, len(documents), CHUNK)])


class _Pairs(NamedTuple):
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
        from priorwise.models.naive_bayes._kernels.leave_one_out import case_terms, room_for_cases

        scores = np.zeros((self.X.shape[0], len(priors)))
        rows = self._rows(output)
        of_token, no_sizes, no_nodes = rows.of_token.astype(np.int32), np.zeros(len(priors)), np.empty((0, 0))
        for hole in self._holes(output):
            constants, table = self._tables(output, priors, rows, hole)

            def score(part: Ints, table: Floats = table, constants: Floats = constants) -> None:
                sums = np.empty((len(part), len(priors)))
                room = room_for_cases(part, self.X.indptr, len(priors))
                rows = of_token, table, no_sizes, no_nodes, len(priors)
                case_terms(part, self.X.indptr, self.X.indices, *rows, *room, sums)
                scores[part] = sums + constants

            self.in_chunks(score, hole.documents)
        return scores + self.log_rates(output)[:, np.newaxis]

    @cached_property
    def _groups(self) -> tuple[Floats, Ints]:
        in_all, group = np.unique(self.counts.collection, return_inverse=True)
        return in_all, group

    def _rows(self, output: int) -> _Pairs:
        counts, (in_all, group) = self.counts, self._groups
        seen, found = counts.of_class(output)
        values, place = np.unique(found, return_inverse=True)
        keys, inverse = np.unique(place * len(in_all) + group[seen], return_inverse=True)
        of_token = group.copy()
        of_token[seen] = len(in_all) + inverse
        in_class = np.concatenate([np.zeros(len(in_all)), values[keys // len(in_all)]])
        in_rest = remainder(np.concatenate([in_all, in_all[keys % len(in_all)]]), in_class)
        return _Pairs(in_class, in_rest, of_token, np.bincount(of_token, minlength=len(in_class)))

    def _holes(self, output: int) -> Iterator[_Hole]:
        member = self.member(output)
        for is_member in (True, False):
            of_kind = (member == is_member) & (self.weight > 0)
            for amount in np.unique(self.taken_out[of_kind]).tolist():
                documents = np.flatnonzero(of_kind & (self.taken_out == amount))
                yield _Hole(documents, amount, 0.0) if is_member else _Hole(documents, 0.0, amount)

    def _tables(self, output: int, priors: Sequence[RatePrior], rows: _Pairs, hole: _Hole) -> tuple[Floats, Floats]:
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


class _Counted(NamedTuple):
    """Documents as rows of a sparse matrix; the counts of their words in the scored class, and in the corpus."""

    indptr: Ints
    words: Ints
    amounts: Floats
    counts: Floats
    collection: Floats


class MultinomialLeaveOneOut(LeftOut):
    """Leave-one-out of `MultinomialNB` by subtraction, equal to refitting without each document.

    Taking a document out changes the counts of its own class, its size, and how many distinct words that has. All other
    classes stay as they are, unless a prior has the corpus as its centre: then every class is scored anew.
    """

    def output_scores(self, output: int, priors: Sequence[Any]) -> Floats:
        member, sizes = self.member(output), self.counts.sizes
        found = np.zeros(self.counts.n_tokens)
        tokens, counts = self.counts.of_class(output)
        found[tokens] = counts
        scores = np.zeros((self.X.shape[0], len(priors)))
        self._add(scores, 1.0, np.where(member, self.taken_out, 0.0), self._by_word(found), sizes.of(output), priors)
        if self.labels.against_rest:
            rest = self._by_word(remainder(self.counts.collection, found))
            size = self.counts.sizes_of_rest.of(output)
            self._add(scores, -1.0, np.where(member, 0.0, self.taken_out), rest, size, priors)
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
            scores = score_documents(self._whole(prior, np.zeros(self.n_outputs)), self.X) + rates
            scores[np.arange(len(scores)), self.own_output] = own[:, p]
            self.progress((1 + (p + 1) / len(priors)) / 2)
            yield scores

    def predictions(self, priors: Sequence[Any]) -> Iterator[Ints]:
        """For each prior in turn, the output with the best score for every document, a tie to the first.

        With several classes the two best by the whole model will do: one of them is not the document's own.
        """
        around = any(prior.reads_collection for prior in priors)
        if self.labels.against_rest or self.n_outputs < 2 or (around and not self.keeps_texts):
            yield from super().predictions(priors)
            return
        documents = np.flatnonzero(self.weight > 0)
        own, place, X = self._own_scores(priors)[documents], self.own_output[documents], self.X[documents]
        rates = log_class_rates(self.class_rate, self.counts, self.labels)
        # Without the document every other class has the same larger share of what is left.
        other_rates = self.log_rates_of_others()[documents]
        predicted = np.zeros(self.X.shape[0], dtype=np.int64)
        for p, prior in enumerate(priors):
            best, scores = best_outputs(self._whole(prior, rates), X, 2)
            second = (np.arange(len(place)), (best[:, 0] == place).astype(np.int64))
            other, score = best[second], scores[second] + other_rates
            self.progress((1 + (p + 1) / len(priors)) / 2)
            own_wins = (own[:, p] > score) | ((own[:, p] == score) & (place < other))
            predicted[documents] = np.where(own_wins, place, other)
            yield predicted.copy()

    def _whole(self, prior: Any, rates: Floats) -> Weights:
        """The model of all documents."""
        return class_weights(self.counts, Multinomial(self.counts), [prior] * self.n_outputs, None, rates)

    def _own_scores(self, priors: Sequence[Any]) -> Floats:
        scores = np.zeros((self.X.shape[0], len(priors)))
        self.progress(0.1)
        self._add(scores, 1.0, self.taken_out, self._in_own_class, self.counts.sizes.of(self.own_output), priors)
        self.progress(0.5)
        return scores + self.own_log_rates()[:, np.newaxis]

    @cached_property
    def _in_own_class(self) -> _Counted:
        """The documents that are judged, each word of each with its count in the document's own class."""
        X, n, pairs = self.X, self.counts.n_classes, self.counts.pairs
        # A stored zero is counted nowhere.
        kept = np.repeat(self.weight > 0, np.diff(X.indptr)) & (X.data != 0)
        lengths = np.bincount(np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[kept], minlength=X.shape[0])
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        tokens, amounts = X.indices[kept], X.data[kept]
        wanted = tokens.astype(np.int64) * n + np.repeat(self.own_output, lengths)
        places = np.searchsorted(self.counts.tokens * n + pairs.indices, wanted)
        return _Counted(indptr, np.arange(len(wanted)), amounts, pairs.data[places], self.counts.collection[tokens])

    def _by_word(self, counts: Floats) -> _Counted:
        return _Counted(self.X.indptr, self.X.indices, self.X.data, counts, self.counts.collection)

    def _add(
        self, scores: Floats, sign: float, taken_out: Floats, counted: _Counted, size: ClassSize, priors: Sequence[Any]
    ) -> None:
        """Add what documents score in a class that they are taken out of as often as `taken_out` says."""
        from priorwise.models.naive_bayes._kernels.leave_one_out import measure_holes, sum_log_counts, sum_log_lifts

        around = np.array([prior.reads_collection for prior in priors], dtype=bool)
        alone, mixed = np.flatnonzero(~around), np.flatnonzero(around)
        everything = float(self.counts.collection.sum())
        from_corpus = np.zeros(len(scores)) if self.keeps_texts else self.taken_out
        sizes = [np.broadcast_to(each, len(scores)) for each in (size.occurrences, size.distinct, size.whole)]

        def add(part: Ints) -> None:
            of_documents = part, counted.indptr, counted.words, counted.amounts, taken_out, counted.counts
            lost, in_seen, in_unseen = np.empty((len(part), 3)), np.empty(len(part)), np.empty(len(part))
            measure_holes(*of_documents, lost, in_seen, in_unseen)
            occurrences, distinct, whole = (remainder(of[part], lost[:, i]) for i, of in enumerate(sizes))
            if len(alone):
                left = ClassSize(occurrences, distinct, whole, size.types)
                weights = [priors[p].weigh(left) for p in alone.tolist()]
                shifts = np.column_stack([each.shift for each in weights])
                sums = np.empty(shifts.shape)
                sum_log_counts(*of_documents, shifts, sums)
                for p, each in enumerate(weights):
                    sums[:, p] += in_seen * each.seen + np.where(in_unseen > 0, in_unseen * each.unseen, 0.0)
                scores[np.ix_(part, alone)] += sign * sums
            if len(mixed):
                mixes = [priors[p].mix(occurrences) for p in mixed.tolist()]
                of_counts, of_shares = (np.column_stack(each) for each in zip(*mixes, strict=True))
                sums = np.empty(of_counts.shape)
                of_all = from_corpus, counted.collection, everything
                sum_log_lifts(*of_documents, *of_all, of_counts, of_shares, TINY, sums)
                scores[np.ix_(part, mixed)] += sign * sums

        self.in_chunks(add, np.flatnonzero(self.weight > 0))
