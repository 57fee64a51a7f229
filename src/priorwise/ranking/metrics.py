"""How good a ranking is: metrics of rankings and review orders whose truth is known, and tests of their differences."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from priorwise.errors import InputError
from priorwise.kernels import Floats, Mask

Z95 = 1.959963984540054
"""Of the normal distribution, for 95%."""


def wilson(found: int, of: int) -> tuple[float, float]:
    """Return the 95% interval of a share (Wilson 1927).

    Examples
    --------
    >>> [round(end, 3) for end in wilson(5, 10)], [round(end, 3) for end in wilson(10, 10)]
    ([0.237, 0.763], [0.722, 1.0])
    """
    middle, half = found + Z95**2 / 2, Z95 * math.sqrt(found * (of - found) / of + Z95**2 / 4)
    return max(0.0, (middle - half) / (of + Z95**2)), min(1.0, (middle + half) / (of + Z95**2))


def ppv_at(relevant: Mask, k: int) -> float:
    """Share of the first `k` that are relevant; a shorter list counts as if irrelevant ones followed."""
    return float(np.count_nonzero(relevant[:k])) / k


def average_precision(relevant: Mask, total: int | None = None) -> float:
    """Mean, over the relevant ones, of the share of relevant ones down to their place; those not listed count 0."""
    places = np.flatnonzero(relevant) + 1
    total = len(places) if total is None else total
    return float(np.sum(np.arange(1, len(places) + 1) / places) / total) if total else 0.0


@dataclass(frozen=True)
class Comparison:
    """A method compared with a baseline over the same categories."""

    difference: float
    ahead: int
    behind: int
    t_test: float
    wilcoxon: float


def compare(method: Floats, baseline: Floats) -> Comparison:
    """Compare paired figures. Without any difference both p-values are 1; with fewer than two pairs, too."""
    from scipy import stats

    # Rounded, so that differences that are equal on paper (0.3 − 0.1 and 0.2) are equal here.
    difference = np.round(np.asarray(method, dtype=np.float64) - np.asarray(baseline, dtype=np.float64), 12)
    ahead, behind = int(np.count_nonzero(difference > 0)), int(np.count_nonzero(difference < 0))
    mean = float(difference.mean())
    if len(difference) < 2 or not difference.any():
        return Comparison(mean, ahead, behind, 1.0, 1.0)
    # Equal differences have no variance, and a t-test of them divides by it.
    constant = np.ptp(difference) == 0
    t_test = 0.0 if constant else float(stats.ttest_1samp(difference, 0.0).pvalue)
    wilcoxon = float(
        stats.wilcoxon(difference, method="auto" if len(np.unique(np.abs(difference))) > 1 else "approx").pvalue
    )
    return Comparison(mean, ahead, behind, t_test, wilcoxon)


RESAMPLES = 10_000


def ppv_curve(relevant: Mask) -> Floats:
    """Return PPV@k for k = 1, 2, …: the share of the first k that are relevant."""
    return np.cumsum(relevant) / np.arange(1, len(relevant) + 1)


def area_between(first: Mask, second: Mask) -> float:
    """Return the mean over k of the difference of two PPV@k curves, as far as both go."""
    n = min(len(first), len(second))
    return float(np.mean(ppv_curve(first[:n]) - ppv_curve(second[:n]))) if n else 0.0


@dataclass(frozen=True, slots=True)
class Resampled:
    """A figure and what resampling makes of it: the mean, the quartiles, and the 95% interval by percentiles."""

    value: float
    mean: float
    low: float
    first_quartile: float
    median: float
    third_quartile: float
    high: float

    @classmethod
    def of(cls, value: float, resampled: Floats) -> Resampled:
        """Put together a figure and its resampled values."""
        low, first, median, third, high = np.percentile(resampled, [2.5, 25.0, 50.0, 75.0, 97.5]).tolist()
        return cls(value, float(np.mean(resampled)), low, first, median, third, high)


def bootstrap_ppv(relevant: Mask, *, seed: int = 0, resamples: int = RESAMPLES) -> Resampled:
    """Return the PPV of a list with its spread by the nonparametric bootstrap.

    To draw n documents out of n with replacement, r of them relevant, gives a binomial number of relevant ones: it is
    drawn as such.
    """
    n = len(relevant)
    if not n:
        raise InputError("a list without documents has no precision")
    share = float(np.mean(relevant))
    return Resampled.of(share, np.random.default_rng(seed).binomial(n, share, resamples) / n)


@dataclass(frozen=True, slots=True)
class Difference:
    """How far the first of two lists is ahead.

    `spread`: of the difference of the two precisions. Documents in both lists cancel and are not resampled.
    `t_test`: p-value of Welch's t-test of the two lists' judgements, as if no document were in both (presence).
    `exact`: p-value of Fisher's exact test over the documents that are in one list only.
    """

    spread: Resampled
    t_test: float
    exact: float


def compare_lists(
    first: Sequence[str], second: Sequence[str], relevant: frozenset[str], *, seed: int = 0, resamples: int = RESAMPLES
) -> Difference:
    """Compare two lists of as many documents, of which some are relevant."""
    from scipy import stats

    n = len(first)
    if not n or len(second) != n:
        raise InputError("two lists are compared when they have as many documents, and at least one")
    in_first, in_second = set(first), set(second)
    only_first = np.array([id in relevant for id in first if id not in in_second], np.bool_)
    only_second = np.array([id in relevant for id in second if id not in in_first], np.bool_)
    m, a, b = len(only_first), int(only_first.sum()), int(only_second.sum())
    rng = np.random.default_rng(seed)
    drawn = [rng.binomial(m, hits / m, resamples) if m else np.zeros(resamples) for hits in (a, b)]
    spread = Resampled.of((a - b) / n, (drawn[0] - drawn[1]) / n)
    exact = float(stats.fisher_exact([[a, m - a], [b, m - b]]).pvalue) if m else 1.0
    both = sum(id in relevant for id in in_first & in_second)
    return Difference(spread, _welch((a + both) / n, (b + both) / n, n), exact)


def _welch(first: float, second: float, n: int) -> float:
    """Return the p-value of Welch's t-test of two lists of n zeros and ones with these means."""
    from scipy import stats

    deviations = [np.sqrt(share * (1.0 - share) * n / (n - 1)) if n > 1 else 0.0 for share in (first, second)]
    if not any(deviations):
        # Without any spread the t statistic is 0/0 or infinite; one document says nothing at all.
        return 1.0 if first == second or n == 1 else 0.0
    found = stats.ttest_ind_from_stats(first, deviations[0], n, second, deviations[1], n, equal_var=False)
    return float(found.pvalue)


@dataclass(frozen=True, slots=True)
class FoundByOne:
    """Of the documents that belong: how many only the first list holds, how many only the second, and how many both.

    `p`: p-value of McNemar's exact test: were it a fair coin that decides which list finds a document that one of
    them misses, so uneven a division or a more uneven one would have this probability.
    """

    first: int
    second: int
    both: int
    p: float


def found_by_one(first: Sequence[str], second: Sequence[str], relevant: Collection[str]) -> FoundByOne:
    """Compare two lists by the documents that belong, each of them paired with itself."""
    found = [set(ids).intersection(relevant) for ids in (first, second)]
    both = len(found[0] & found[1])
    a, b = len(found[0]) - both, len(found[1]) - both
    return FoundByOne(a, b, both, mcnemar(a, b))


def mcnemar(first: int, second: int) -> float:
    """Return McNemar's exact two-sided p-value: 2·P(X ≤ min) for X ~ Binomial(first + second, ½), at most 1."""
    from scipy import stats

    if not first + second:
        return 1.0
    return min(1.0, 2.0 * float(stats.binom.cdf(min(first, second), first + second, 0.5)))


@dataclass(frozen=True, slots=True)
class Screening:
    """The metrics of one review.

    `documents`, `members`: how many documents were reviewed, and how many of them are members. `wss_95`, `wss_100`:
    work saved over sampling at a recall of 95% and 100% (`work_saved`). `rrf_10`: the recall after a tenth of the
    documents. `average_discovery`: the mean place of the members (ATD). `r_precision`: precision among the first
    documents, as many as there are members. `last_member`: the place of the last member. `area`: area under the
    recall curve, from 0 for the worst order to 1 for the best. `loss`: ASReview's loss: 1 minus the area.
    """

    documents: int
    members: int
    wss_95: float
    wss_100: float
    rrf_10: float
    average_discovery: float
    r_precision: float
    last_member: int
    area: float
    loss: float


def screening_metrics(verdicts: ArrayLike) -> Screening:
    """Compute all metrics of one review."""
    members = _members(verdicts)
    loss = screening_loss(members)
    return Screening(
        documents=len(members),
        members=int(members.sum()),
        wss_95=work_saved(members, 0.95),
        wss_100=work_saved(members, 1.0),
        rrf_10=recall_after_share(members, 0.1),
        average_discovery=average_discovery(members),
        r_precision=r_precision(members),
        last_member=last_member(members),
        area=1.0 - loss,
        loss=loss,
    )


def recall_curve(verdicts: ArrayLike) -> Floats:
    """Return the recall after each document."""
    members = _members(verdicts)
    return np.cumsum(members) / members.sum()


def recall_at(verdicts: ArrayLike, k: int) -> float:
    """Return the share of the members that are among the first `k` documents."""
    members = _members(verdicts)
    return float(members[: max(k, 0)].sum() / members.sum())


def recall_after_share(verdicts: ArrayLike, share: float) -> float:
    """Return the recall after a share of the documents, rounded down; RRF@10 is the recall after a tenth."""
    members = _members(verdicts)
    places = np.arange(1, len(members) + 1) / len(members)
    return recall_at(members, int(np.searchsorted(places, share, side="right")))


def documents_until(verdicts: ArrayLike, recall: float) -> int:
    """Return how many documents must be read before this recall is reached."""
    members = _members(verdicts)
    # The tolerance keeps 0.95 × 20 from being 19.000000000000004.
    wanted = max(1, math.ceil(recall * int(members.sum()) - 1e-9))
    return int(np.searchsorted(np.cumsum(members), wanted)) + 1


def work_saved(verdicts: ArrayLike, recall: float = 0.95) -> float:
    """Return the work saved over sampling (WSS) as Cohen and others defined it in 2006.

    It is the share of documents that nobody has to read once the recall is reached, minus the share that reading in
    random order would save::

        WSS = (N − k)/N − (1 − recall),   k = the documents read when the recall is reached
    """
    members = _members(verdicts)
    return (len(members) - documents_until(members, recall)) / len(members) - (1.0 - recall)


def work_saved_over_random(verdicts: ArrayLike, recall: float = 0.95) -> float:
    """Return the work saved as ASReview Insights computes it.

    Two details differ from `work_saved`. The recall is rounded down to a whole member: at 95% of 23 members, 21 are
    enough. The comparison is with an order that finds members at even distances.
    """
    members = _members(verdicts)
    n = int(members.sum())
    wanted = int(np.searchsorted(np.arange(1, n + 1) / n, recall, side="right"))
    if wanted == 0:
        raise InputError(f"With {n} members no recall of {recall} can be read off. Ask for at least {1 / n:.3f}.")
    at_random = np.searchsorted(np.round(np.linspace(0, n, len(members))), wanted)
    return float(at_random - np.searchsorted(np.cumsum(members), wanted)) / len(members)


def average_discovery(verdicts: ArrayLike) -> float:
    """Return the mean place of the members (average time to discovery, ATD), in documents."""
    return float(np.mean(np.flatnonzero(_members(verdicts)) + 1))


def r_precision(verdicts: ArrayLike) -> float:
    """Return the precision among the first R documents, where R is the number of members."""
    members = _members(verdicts)
    return recall_at(members, int(members.sum()))


def last_member(verdicts: ArrayLike) -> int:
    """Return the place of the last member, from 1."""
    return int(np.flatnonzero(_members(verdicts))[-1]) + 1


def screening_loss(verdicts: ArrayLike) -> float:
    """Return ASReview's loss: 0 if all members come first, 1 if they come last.

    It is the area between the recall curve and the best possible one, divided by the area between the best and the
    worst. That is the share of pairs of a member and another document in which the other document comes first.
    """
    members = _members(verdicts)
    n = int(members.sum())
    if n == len(members):
        raise InputError("Every document is a member, so no order is better than another.")
    others_before = np.cumsum(~members)[members].sum()
    return float(others_before / (n * (len(members) - n)))


def _members(verdicts: ArrayLike) -> Mask:
    members = np.asarray(verdicts).astype(bool)
    if members.ndim != 1 or not members.any():
        raise InputError("A review without a member has no recall. Give one verdict per document, at least one true.")
    return members
