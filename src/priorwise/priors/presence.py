"""Priors of presence naive Bayes: one strength for each class, and the rates of a class at any strength."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError
from priorwise.kernels import Floats
from priorwise.priors.base import CountSummary, Parameter, Preset, Prior, checked, decades, is_several, one_each
from priorwise.priors.counts import TermCounts, log_rate


class LogTable(NamedTuple):
    """The words' rates in one class, at several strengths.

    The logarithm of word x's rate at the k-th strength is ``logs[rows[x], k] − sizes[k] + shared[x]``. The sizes are
    also the logarithm of the class's own rate, up to a term that all classes share.
    """

    rows: NDArray[np.int32]
    logs: Floats
    sizes: Floats
    shared: Floats | float

    def log_rates(self) -> Floats:
        """Logarithm of every word's rate at the first strength."""
        return self.logs[self.rows, 0] - self.sizes[0] + self.shared


class PresencePrior(Prior, listed=False):
    """A prior with one strength for each class: what presence naive Bayes asks for."""

    @property
    def strength_grid(self) -> Floats:
        """The strengths that a search tries, ascending."""
        return np.array(self.parameters[0].values)

    @property
    def rising(self) -> bool:
        """Whether a class's part of a score can only grow with its strength, so that a search can take short cuts."""
        return False

    def strengths(self, n_classes: int) -> Floats:
        """The strength of each class, in the order of ``classes_``."""
        raise NotImplementedError

    def with_strengths(self, strengths: Sequence[float]) -> Any:
        """Make the prior, or one for each class, with these strengths."""
        raise NotImplementedError

    def table(self, counts: TermCounts, strengths: Floats) -> LogTable:
        """The rates of a class's words at each of the strengths."""
        raise NotImplementedError


def kind_of(prior: Any) -> PresencePrior:
    """Take the prior whose table serves all classes: the prior itself, or the first of those given for each class."""
    given: Any = PseudoCounts.laplace() if prior is None else prior
    kinds = [checked(one, PresencePrior, "PresenceNB") for one in (given if is_several(given) else [given])]
    if len({repr(one.with_strengths([1.0, 1.0])) for one in kinds}) != 1:
        raise InputError(f"the classes of PresenceNB have priors of one kind, unlike {prior!r}")
    return kinds[0]


def strengths_of(prior: Any, n_classes: int) -> Floats:
    """The strength of each class, from one prior or from one for each class."""
    each = one_each(kind_of(None) if prior is None else prior, n_classes)
    return np.array([one.strengths(n_classes)[c] for c, one in enumerate(each)])


PAPER_GRID: Floats = np.concatenate([[0.01, 0.1, 0.5], np.arange(1.0, 201.0)])
"""λ ∈ {0.01, 0.1, 0.5, 1, 2, …, 200}: 203 values, so 41,209 pairs."""
PAPER_GRID.setflags(write=False)

COLLECTION_GRID: Floats = 10.0 ** np.linspace(-1.0, 6.0, 57)
"""λ from 0.1 to a million, eight to a factor of ten, for priors centred on the whole corpus."""
COLLECTION_GRID.setflags(write=False)


def _strengths(low: float, high: float, grid: Floats) -> tuple[Parameter, ...]:
    says = "how many imagined {} before a word can surprise us"
    return (
        Parameter("negative", "λ−", low, high, says.format("other documents"), values=tuple(grid.tolist())),
        Parameter("positive", "λ+", low, high, says.format("members"), values=tuple(grid.tolist())),
    )


_UNIFORM, _AROUND = _strengths(1e-2, 2e2, PAPER_GRID), _strengths(1e-1, 1e6, COLLECTION_GRID)


@dataclass(frozen=True)
class PseudoCounts(PresencePrior):
    """λ imagined documents per class, each of which holds every token.

    The centre is 1 for every token (an imagined document holds the token), the strength is λ, one number per class::

        p(x|c) = (λc + n(x,c)) / (λc + n(c))          p(c) = (λc + n(c)) / (Σ λ + N)

    A large λ makes rare tokens count for little: it takes many documents to move a rate away from 1.

    With a corpus-wide centre, the imagined documents hold each token as often as all documents do. Then every
    token has a prior of its own, and a large λ makes tokens count for little that a class uses as everybody does::

        p(x|c) = (λc π(x) + n(x,c)) / (λc + n(c))     π(x) = share of all documents that hold x

    Parameters
    ----------
    negative, positive : float
        λ of the two classes, in the order of ``classes_``.
    classes : sequence of float, optional
        One λ per class, in the order of ``classes_``, for any number of classes. It takes the place of the other two.
    centre : {"uniform", "collection"}
        What the imagined documents hold: every token alike, or each as often as all documents do.

    References
    ----------
    Kayaalp, O. K., *Learning optimal Bayesian prior probabilities from data*.

    Examples
    --------
    >>> PseudoCounts(negative=22, positive=4).strengths(2)
    array([22.,  4.])
    >>> PseudoCounts.jeffreys()
    PseudoCounts(negative=0.5, positive=0.5)
    >>> PseudoCounts(classes=[1, 2, 3])
    PseudoCounts(classes=(1.0, 2.0, 3.0))
    >>> PseudoCounts(1000, 3000, centre="collection")
    PseudoCounts(negative=1000, positive=3000, centre='collection')
    """

    negative: float = 1.0
    positive: float = 1.0
    classes: Sequence[float] | None = None
    centre: str = "uniform"

    title = "imagined documents"
    formula = "p(x|c) = (λc π(x) + n(x,c)) / (λc + n(c)), π = 1 unless the corpus is the centre"

    @classmethod
    def variants(cls) -> tuple[PseudoCounts, ...]:
        """Around every word alike, and around the corpus."""
        return cls(), cls(10.0, 10.0, centre="collection")

    @property
    def parameters(self) -> tuple[Parameter, ...]:  # type: ignore[override]
        """The strengths; around the corpus a search goes further."""
        return _UNIFORM if self.rising else _AROUND

    def __post_init__(self) -> None:
        if self.classes is not None:
            object.__setattr__(self, "classes", tuple(float(strength) for strength in self.classes))
        if self.centre not in ("uniform", "collection"):
            raise InputError(f"the centre is 'uniform' or 'collection', not {self.centre!r}")
        for strength in self.classes or (self.negative, self.positive):
            if not (math.isfinite(strength) and strength > 0):
                raise InputError(f"a pseudo-count must be a positive number, not {strength!r}")

    def __repr__(self) -> str:
        centre = "" if self.centre == "uniform" else f", centre={self.centre!r}"
        if self.classes is not None:
            return f"PseudoCounts(classes={self.classes}{centre})"
        return f"PseudoCounts(negative={self.negative:g}, positive={self.positive:g}{centre})"

    @classmethod
    def laplace(cls) -> PseudoCounts:
        """Bayes-Laplace: one imagined document per class, the baseline."""
        return cls(1.0, 1.0)

    @classmethod
    def jeffreys(cls) -> PseudoCounts:
        """Jeffreys: half an imagined document per class."""
        return cls(0.5, 0.5)

    @classmethod
    def perks(cls, types: int) -> PseudoCounts:
        """Perks: one imagined document shared by all `types` tokens.

        Examples
        --------
        >>> PseudoCounts.perks(100)
        PseudoCounts(negative=0.01, positive=0.01)
        """
        return cls(1.0 / types, 1.0 / types)

    @classmethod
    def presets(cls, types: int) -> list[Preset]:
        """Laplace, Jeffreys and Perks."""
        return [
            Preset("laplace", "Laplace", "l", "one imagined document", cls.laplace()),
            Preset("jeffreys", "Jeffreys", "h", "half an imagined document", cls.jeffreys()),
            Preset("perks", "Perks", "p", "one, shared by all words", cls.perks(types)),
        ]

    @property
    def numbers(self) -> tuple[float, ...]:
        """The strengths."""
        return tuple(self.classes) if self.classes is not None else (self.negative, self.positive)

    def grid(self) -> tuple[PseudoCounts, ...]:  # type: ignore[override]
        """List priors of two classes, four strengths to a factor of ten; `strength_grid` is finer."""
        values = decades(math.log10(self.parameters[0].low), math.log10(self.parameters[0].high))
        return tuple(replace(self, negative=n, positive=p, classes=None) for n in values for p in values)

    def describe(self, about: CountSummary | None = None) -> str:
        centre = "every word" if self.rising else "each word as often as the corpus does"
        text = ", ".join(f"{strength:g}" for strength in self.numbers)
        return f"centre: imagined documents hold {centre}; strength: {text} of them for the classes"

    @property
    def rising(self) -> bool:
        """Every rate grows with λ where the centre is 1. Around the corpus those of frequent words fall."""
        return self.centre == "uniform"

    @property
    def strength_grid(self) -> Floats:
        """The paper's strengths, or up to a million around the corpus."""
        return PAPER_GRID if self.rising else COLLECTION_GRID

    def with_strengths(self, strengths: Sequence[float]) -> PseudoCounts:
        """Make the prior with these strengths, around the same centre."""
        if len(strengths) == 2:
            return replace(self, negative=float(strengths[0]), positive=float(strengths[1]), classes=None)
        return replace(self, classes=strengths)

    def table(self, counts: TermCounts, strengths: Floats) -> LogTable:
        """The rates of a class's words at each of the strengths.

        ::

            log p(x|c) = log(λ + n(x,c)/π(x)) − log(λ + n(c)) + log π(x)          π = 1 if the centre is uniform

        Where the centre is uniform, only the counts differ between the words.
        """
        found: Floats = counts.found
        shared: Floats | float = 0.0
        if not self.rising:
            found = np.divide(found, counts.share, out=np.zeros(counts.shape), where=counts.share > 0)
            shared = log_rate(counts.share)
        values, rows = np.unique(found, return_inverse=True)
        logs = np.log(strengths + values[:, np.newaxis])
        return LogTable(rows.astype(np.int32), logs, np.log(strengths + counts.documents), shared)

    def strengths(self, n_classes: int) -> NDArray[np.float64]:
        """Give λ of each class, in the order of ``classes_``.

        Examples
        --------
        >>> PseudoCounts.laplace().strengths(3)
        array([1., 1., 1.])
        """
        if self.classes is not None:
            if len(self.classes) != n_classes:
                raise InputError(f"{self!r} has {len(self.classes)} strengths, but there are {n_classes} classes")
            return np.array(self.classes, dtype=np.float64)
        if n_classes == 2:
            return np.array([self.negative, self.positive], dtype=np.float64)
        if self.negative == self.positive:
            return np.full(n_classes, self.negative, dtype=np.float64)
        raise InputError(f"{self!r} tells two classes apart, but there are {n_classes}: give classes=(λ, λ, …)")


UNIFORM = PseudoCounts()
"""One imagined document for each class, which holds every word."""
