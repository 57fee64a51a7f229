"""How many members a review in rank order has not found yet, and whether it is safe to stop.

Members found in rank order are no random sample: the easy ones come first. So the estimate models how hard members are
to find. Measure the progress of a review by H = −log(share of the documents still unread). Reading in random order
finds every member at rate 1 per unit of H. In rank order there are two kinds of members:

* Most are easy. Either their rates differ from member to member and follow a gamma distribution, so that their times of
  discovery follow a Pareto distribution. Or the ranking is nearly perfect up to an edge: members come at a constant
  rate, and then no more (a = −1). The mean time is c·R/N, with R members among N documents: a perfect ranking has
  c = ½, random order c = N/R.
* A share π is as hard to find as by chance: unusual wording, no abstract, another language. Their rate is 1.

The chance that a member is still unread at H is therefore::

    S(H) = (1 − π) (1 + H/((a − 1) c R/N))^−a + π e^−H

R, c, a and π are unknown and have a prior. If f members were found at H_1, …, H_f, then::

    p(R, c, a, π | verdicts) ∝ p(R, c, a, π) · R!/(R − f)! · Π_i [S(H_i−) − S(H_i)] · S(H)^(R − f)

The likelihood is tempered once more than `COUNTED` members are found. Documents drawn at random from the unread ones
may be mixed in. They find members of both kinds at rate 1. The estimate, its interval and the certificate all come from
the posterior of R − f. Looking after every verdict, and stopping at any time, does not change what a posterior means.

It assumes two things. No group of members is harder to find than by chance. And the review resembles earlier ones as
far as the prior says, which is broad. `audit` assumes neither, but needs a random sample.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.counting import counted
from priorwise.errors import InputError
from priorwise.kernels import Floats

MEAN_TIMES = np.geomspace(5e-4, 8.0, 28)
"""The mean times of discovery of easy members that are tried, in units of H: c·R/N."""

TAILS = np.array([-1.0, 2.0, 4.0, 30.0])
TAIL_WEIGHTS = np.array([1.0, 1.0, 1.0, 1.0])
"""The values of a, and their prior weights: an edge, and from very different easy members to very similar ones."""

HARD_SHARES = np.array([0.003, 0.01, 0.03, 0.1, 0.3])
HARD_WEIGHTS = np.array([6.0, 3.0, 1.0, 0.2, 0.03])
"""The values of π and their prior weights."""

EFFICIENCY = ((0.85, 0.4, 0.8), (0.15, 1.5, 2.0))
"""The prior of log c, two normal distributions: the weight, mean and standard deviation of each. Most rankings are
good. The second kind is for categories that words hardly show."""

SIZE, SPREAD = 0.5, 1.7
"""The logarithm of the number of members has the mean log(N) · SIZE and the standard deviation SPREAD. Categories do
not grow with the corpus: in 2,000 abstracts √N is 2%, in 60,000 packages 0.4%."""

COUNTED = 60
"""Once more members than this are found, the likelihood counts as if there were 60. With many members the error of the
model itself outweighs the error of the sample."""

LOW, HIGH = 0.08, 0.85
"""The quantiles of the 80% interval. They are not symmetric because the posterior is skewed towards too many."""

FEWEST = 5
"""With fewer members found than this, the prior decides and not the review, so there is no certificate. Whether a few
easy members were all of them or only the first of many, only a random sample can tell then."""

EXACT = 64
CELLS = 60
"""Up to 64 missing members every number is tried; beyond, numbers at growing distances."""


@dataclass(frozen=True, slots=True)
class Unfound:
    """The posterior of the number of members that a review has not found."""

    numbers: NDArray[np.int64]
    probabilities: Floats
    found: int
    unread: int

    @property
    def expected(self) -> float:
        """The median number of missing members."""
        return self.quantile(0.5)

    @property
    def low(self) -> float:
        """The lower end of the 80% interval."""
        return self.quantile(LOW)

    @property
    def high(self) -> float:
        """The upper end of the 80% interval."""
        return self.quantile(HIGH)

    def quantile(self, share: float) -> float:
        """Return the least number that holds with at least this probability as an upper bound."""
        place = int(np.searchsorted(np.cumsum(self.probabilities), share - 1e-12))
        return float(self.numbers[min(place, len(self.numbers) - 1)])

    def at_most(self, number: int) -> float:
        """Return the probability that at most this many members are missing."""
        if number < 0:
            return 0.0
        ends = np.append(self.numbers[1:], self.unread + 1)
        inside = np.clip((number + 1 - self.numbers) / (ends - self.numbers), 0.0, 1.0)
        return min(1.0, float(self.probabilities @ inside))

    def recall_at_least(self, recall: float) -> float:
        """Return the probability that the members found are at least this share of all members."""
        return self.at_most(allowed_missing(self.found, recall)) if self.found or not self.unread else 0.0


@dataclass(frozen=True, slots=True)
class StopDecision:
    """Whether a review may stop, and why.

    `safe`: whether the certificate holds. `probability`: the probability that the recall is reached. `recall`,
    `confidence`: what was asked for. `missing`: the estimate behind it. `reason`: in words. `sample`: how many
    unread documents to draw at random, where such a sample is likely to prove the recall.
    """

    safe: bool
    probability: float
    recall: float
    confidence: float
    missing: Unfound
    reason: str
    sample: int | None = None


def unfound_members(
    verdicts: ArrayLike,
    n_documents: int,
    *,
    ranked: ArrayLike | None = None,
    expected: tuple[float, float] | None = None,
) -> Unfound:
    """Estimate how many members are left, from verdicts in the order in which they were given.

    `verdicts`: one for each document read so far, true for a member. Leave out members that were known before.
    `n_documents`: how many documents there were to read at the start. `ranked`: for each verdict, whether the
    document was the best of a ranking; if not, it was drawn at random from the unread ones. By default all were
    ranked. `expected`: what was known before the first verdict about the number of members to find: its median and
    the standard deviation of its logarithm. By default the root of the number of documents, and 1.7.
    """
    members, by_rank = _checked(verdicts, n_documents, ranked)
    found, read = int(members.sum()), len(members)
    numbers, widths = _numbers(n_documents - read)
    total = numbers + found
    log_found, log_unread = _likelihood(members, by_rank, n_documents)
    settings = _settings()

    from scipy.special import gammaln

    likelihood = (gammaln(total + 1) - gammaln(numbers + 1))[:, None] + log_found + numbers[:, None] * log_unread
    scale = np.log(settings.mean_time) - np.log((total + 1) / n_documents)[:, None]
    chances = sum(weight / sd * np.exp(-0.5 * ((scale - mean) / sd) ** 2) for weight, mean, sd in EFFICIENCY)
    prior = settings.log_weight + np.log(np.maximum(chances, 1e-300))
    centre, spread = (SIZE * math.log(n_documents), SPREAD) if expected is None else _logarithm(*expected)
    rate = -0.5 * ((np.log(total + 0.5) - centre) / spread) ** 2 - np.log(total + 0.5) + np.log(widths)
    together = min(1.0, COUNTED / max(found, 1)) * likelihood + prior + rate[:, None]
    posterior = np.exp(together - together.max()).sum(axis=1)
    return Unfound(numbers, posterior / posterior.sum(), found, n_documents - read)


def may_stop(missing: Unfound, *, recall: float = 0.95, confidence: float = 0.95) -> StopDecision:
    """Decide whether at least `recall` of the members are found, with probability `confidence` or more."""
    _check_share("recall", recall)
    _check_share("confidence", confidence)
    probability = missing.recall_at_least(recall)
    enough = missing.found >= FEWEST or not missing.unread
    safe = enough and probability >= confidence
    goal = f"at least {recall:.0%} of the members are found"
    if missing.found and not enough:
        reason = f"Only {counted(missing.found, 'member')} found so far, too few to say when to stop. Keep judging."
    elif not missing.found:
        reason = "No member has been found yet, so recall cannot be estimated."
    elif safe:
        reason = f"The chance that {goal} is {probability:.1%}."
    else:
        reason = f"The chance that {goal} is {probability:.1%}. Keep judging until it is {confidence:.0%}."
    return StopDecision(safe, probability, recall, confidence, missing, reason)


def safe_to_stop(
    n_total: int,
    labels: Sequence[int],
    is_prioritised: Sequence[bool] | None = None,
    scores: Sequence[float] | None = None,
    *,
    recall_target: float = 0.95,
    confidence_level: float = 0.95,
) -> dict[str, Any]:
    """Answer in the shape that published comparisons of stopping rules use.

    `n_total`: the size of the dataset, read and unread. `labels`: the labels seen so far, in order.
    `is_prioritised`: for each label, whether a ranking chose the document; if not, it was drawn at random.
    `scores`: accepted because the interface has it. The rule looks only at where members were found.
    `recall_target`, `confidence_level`: what is to hold.
    """
    decision = may_stop(
        unfound_members(labels, n_total, ranked=is_prioritised), recall=recall_target, confidence=confidence_level
    )
    return {
        "safe_to_stop": decision.safe,
        "score": 1.0 - decision.probability,
        "recall_target": recall_target,
        "confidence_level": confidence_level,
    }


def allowed_missing(found: int, recall: float) -> int:
    """Return how many members may be missing so that `found` are at least this share of all."""
    return math.floor(found * (1.0 - recall) / recall + 1e-9)


def audit(found: int, unread: int, drawn: int, members: int, *, recall: float = 0.95, risk: float = 0.05) -> bool:
    """Say whether a random sample of the unread documents proves the recall, whatever the ranking is like.

    Draw `drawn` of the `unread` documents at random and judge them. If `members` of them are members, the most members
    that the unread documents can have held is the largest number that makes so few in the sample no less probable than
    `risk` (the hypergeometric distribution). Decide on the size of the sample before looking at it. If it fails and
    you draw another one later, halve the risk each time: 0.025, 0.0125, and so on add up to 0.05.
    """
    if not 0 <= members <= drawn <= unread:
        raise InputError(f"A sample of {drawn} documents with {members} members cannot come from {unread} documents.")
    _check_share("recall", recall)
    # One more than the recall allows: if even that many would show more members in the sample, it is proved.
    too_many = allowed_missing(found + members, recall) + 1 + members
    return too_many > unread - drawn + members or _at_most(members, unread, too_many, drawn) <= risk * (1 + 1e-9)


def _at_most(k: int, population: int, members: int, drawn: int) -> float:
    """Return the chance that a sample without replacement holds at most k of the members."""
    from scipy.special import betaln

    def log_ways(n: Any, m: Any) -> Any:
        return -np.log1p(n) - betaln(n - m + 1, m + 1)

    inside = np.arange(max(0, drawn - (population - members)), min(k, members, drawn) + 1)
    logs = log_ways(members, inside) + log_ways(population - members, drawn - inside) - log_ways(population, drawn)
    return min(1.0, float(np.exp(logs).sum()))


def audit_size(found: int, unread: int, *, recall: float = 0.95, risk: float = 0.05) -> int:
    """Return how large a random sample must be to prove the recall if it holds no member."""
    low, high = 0, unread
    while low < high:
        middle = (low + high) // 2
        if audit(found, unread, middle, 0, recall=recall, risk=risk):
            high = middle
        else:
            low = middle + 1
    return low


def hypergeometric_p_value(verdicts: ArrayLike, n_documents: int, *, recall: float = 0.95) -> float:
    """Return the p-value of Callaghan and Müller-Hansen (2020) for the hypothesis that the recall is not reached.

    It treats the last k documents read as a random sample of what was unread before them, for every k, and takes the
    least p-value. Rank order makes that cautious, taking the least of many makes it bold.
    """
    from scipy.stats import hypergeom

    members, _ = _checked(verdicts, n_documents, None)
    seen = int(members.sum())
    sizes = np.arange(1, len(members) + 1)
    inside = np.cumsum(members[::-1])
    needed = np.floor(seen / recall + 1 - (seen - inside))
    populations = n_documents - (len(members) - sizes)
    p_values = np.nan_to_num(hypergeom.cdf(inside, populations, needed, sizes), nan=1.0)
    # More members than there are documents cannot be missing.
    p_values[needed > populations] = 0.0
    return float(p_values.min(initial=1.0))


@dataclass(frozen=True, slots=True)
class _Settings:
    """Every combination of mean time, tail and share of hard members, as flat arrays."""

    mean_time: Floats
    tail: Floats
    hard: Floats
    log_weight: Floats


@lru_cache(maxsize=1)
def _settings() -> _Settings:
    mean_time, tail, hard = (each.ravel() for each in np.meshgrid(MEAN_TIMES, TAILS, HARD_SHARES, indexing="ij"))
    tails, hards = (np.log(each / each.sum()) for each in (TAIL_WEIGHTS, HARD_WEIGHTS))
    log_weight = np.broadcast_to(tails[:, None] + hards, (len(MEAN_TIMES), len(TAILS), len(HARD_SHARES))).ravel()
    return _Settings(mean_time, tail, hard, log_weight)


def _still_unread(progress: Floats) -> Floats:
    """S(H) for every setting (rows) and every H (columns)."""
    s = _settings()
    scale = (s.mean_time * (s.tail - 1.0))[:, None]
    # Beyond the edge of a negative a no easy member is left.
    easy = np.exp(-s.tail[:, None] * np.log(np.maximum(1.0 + progress / scale, 1e-300)))
    return (1.0 - s.hard)[:, None] * easy + s.hard[:, None] * np.exp(-progress)


def _likelihood(members: NDArray[np.bool_], by_rank: NDArray[np.bool_], n_documents: int) -> tuple[Floats, Floats]:
    """For every setting: the log probability of where members were found, and that of one being unread still."""
    unread = n_documents - np.arange(len(members))
    # The last document of all would be at an infinite H; it is found for certain, which a quarter of it says as well.
    passed = np.log(unread) - np.log(np.maximum(unread - 1, 0.25))
    after = np.concatenate([[0.0], np.cumsum(np.where(by_rank, passed, 0.0))])
    thinned = np.concatenate([[0.0], np.cumsum(np.where(by_rank, 0.0, passed))])
    places = np.flatnonzero(members)
    chosen, drawn = places[by_rank[places]], places[~by_rank[places]]
    found = np.log(np.maximum(_still_unread(after[chosen]) - _still_unread(after[chosen + 1]), 1e-300)).sum(axis=1)
    found = found - thinned[chosen].sum() - (thinned[drawn] + np.log(unread[drawn])).sum()
    if len(drawn):
        found = found + np.log(_still_unread(after[drawn])).sum(axis=1)
    return found, np.log(_still_unread(after[-1:]))[:, 0] - thinned[-1]


def _numbers(unread: int) -> tuple[NDArray[np.int64], Floats]:
    """The numbers of missing members to try, and how many numbers each stands for."""
    far = np.geomspace(EXACT, max(EXACT + 1, unread), CELLS).round().astype(np.int64)
    numbers = np.unique(np.concatenate([np.arange(EXACT), far]))
    numbers = numbers[numbers <= unread]
    return numbers, np.diff(np.append(numbers, unread + 1)).astype(np.float64)


def _checked(
    verdicts: ArrayLike, n_documents: int, ranked: ArrayLike | None
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    members = np.asarray(verdicts).astype(bool)
    if members.ndim != 1 or len(members) > n_documents:
        raise InputError(f"There are {members.size} verdicts on {n_documents} documents. Give at most one for each.")
    by_rank = np.ones(len(members), bool) if ranked is None else np.asarray(ranked).astype(bool)
    if by_rank.shape != members.shape:
        raise InputError(
            f"There are {len(members)} verdicts and {by_rank.size} entries of `ranked`. Give one for each."
        )
    return members, by_rank


def _logarithm(median: float, spread: float) -> tuple[float, float]:
    if median <= 0 or spread <= 0:
        raise InputError(f"The expected number of members and its spread must be above 0, not {median} and {spread}.")
    return math.log(median), spread


def _check_share(name: str, value: float) -> None:
    if not 0.0 < value < 1.0:
        raise InputError(f"The {name} must be between 0 and 1, not {value}.")
