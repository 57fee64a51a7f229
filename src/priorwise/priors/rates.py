"""Priors on the share of a class's documents that have a word.

`Beta` has one centre for every word. The others are centred on the corpus-wide rate. In a Bernoulli model counts are of
documents, in a multinomial model of words: τ is how often the word occurs in the class, m how many words the class has,
and π the word's share of all words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from priorwise.kernels import Floats
from priorwise.priors.base import CountSummary, Parameter, Preset, above_zero, at_least_zero, decades, share
from priorwise.priors.counts import MixedPrior, RatePrior, TermCounts, blend, distinct_rows, log_rate
from priorwise.priors.presence import LogTable, PresencePrior


@dataclass(frozen=True, repr=False)
class Beta(RatePrior):
    """Imagined documents: α of them have the term, β do not.

    ::

        θ = (τ + α) / (m + α + β)          centre α/(α + β), strength α + β

    Parameters
    ----------
    alpha, beta : float
        α and β, at least 0. Both 0 leave the rates as counted.

    References
    ----------
    *bernoulli*: Di Nunzio and Sordoni, *How well do we know Bernoulli?*

    Examples
    --------
    >>> Beta.of(centre=0.25, strength=0.4)
    Beta(alpha=0.1, beta=0.3)
    >>> Beta.laplace().rates(TermCounts(np.array([0, 3]), np.array(8), np.array([1, 5]), np.array(20)))
    array([0.1, 0.4])
    """

    alpha: float = 1.0
    beta: float = 1.0

    title = "Beta prior"
    formula = "θ = (τ + α) / (m + α + β)"
    parameters = (
        Parameter("alpha", "α", 1e-5, 1e2, "how many imagined documents have every word", values=decades(-4, 1),
                  check=at_least_zero),
        Parameter("beta", "β", 1e-3, 1e5, "how many imagined documents lack every word", values=decades(-2, 4),
                  check=at_least_zero),
    )  # fmt: skip

    @classmethod
    def of(cls, centre: float, strength: float) -> Beta:
        """Make the prior with this centre and this strength."""
        centre, strength = share("the centre of a rate", centre), at_least_zero("a strength", strength)
        return cls(centre * strength, (1 - centre) * strength)

    @classmethod
    def laplace(cls) -> Beta:
        """Bayes-Laplace, the paper's LA: one document with the term and one without."""
        return cls(1.0, 1.0)

    @classmethod
    def eyheramendy(cls) -> Beta:
        """The paper's EY, after Eyheramendy, Lewis and Madigan: α = 0.1, β = 0.3."""
        return cls(0.1, 0.3)

    @classmethod
    def jeffreys(cls) -> Beta:
        """Jeffreys: half a document with the term and half a document without."""
        return cls(0.5, 0.5)

    @classmethod
    def perks(cls, types: int) -> Beta:
        """Perks: one document with, and one without, shared by all `types` terms.

        Examples
        --------
        >>> Beta.perks(100)
        Beta(alpha=0.01, beta=0.01)
        """
        return cls(1.0 / types, 1.0 / types)

    @classmethod
    def presets(cls, types: int) -> list[Preset]:
        """Those of *bernoulli*, Jeffreys and Perks."""
        return [
            Preset(
                "laplace", "Laplace", "l", "one imagined document with every word, one without: α = β = 1", cls(1, 1)
            ),
            Preset(
                "eyheramendy", "Eyheramendy", "e", "Eyheramendy, Lewis and Madigan: α = 0.1, β = 0.3", cls(0.1, 0.3)
            ),
            Preset("", "Best Beta", "v", "the best α and β by leave-one-out"),
            Preset("jeffreys", "Jeffreys", "h", "half an imagined document", cls.jeffreys()),
            Preset("perks", "Perks", "p", "one, shared by all words", cls.perks(types)),
        ]

    @property
    def centre(self) -> float:
        """The rate we expect before reading: α/(α + β), ½ if both are 0."""
        return self.alpha / self.strength if self.strength else 0.5

    @property
    def strength(self) -> float:
        """How many documents it takes to move half the way from the centre to what is counted: α + β."""
        return self.alpha + self.beta

    def describe(self, about: CountSummary | None = None) -> str:
        text = f"centre: a word is in {self.centre:.3g} of the documents"
        return text if about is None else f"{text}; {about.strength(self.strength)}"

    def rates(self, counts: TermCounts) -> Floats:
        return blend(counts.found, counts.documents, self.centre, self.strength)


_FIFTIETHS = tuple(round(0.02 * step, 2) for step in range(1, 50))

_NEAR = (0.0001, 0.001, 0.005, 0.01, 0.015)
"""How close to 0, and to 1, a search for λ looks."""


def _centre(about: CountSummary | None) -> str:
    if about is not None and about.unit == "word":
        return "centre: each word's share of all words"
    return "centre: the share of all documents that have a word"


class _AroundCorpus(RatePrior, MixedPrior, listed=False):
    """What both priors with one centre for all classes share."""

    def imagined(self, size: float) -> float:
        """How many imagined documents, or words, the prior amounts to in a class of this size."""
        raise NotImplementedError

    def describe(self, about: CountSummary | None = None) -> str:
        text = _centre(about)
        return text if about is None else f"{text}; {about.strength(self.imagined(about.size))}"

    def rates(self, counts: TermCounts) -> Floats:
        of_count, of_share = self.mix(counts.documents)
        return of_count * counts.found + of_share * counts.share


@dataclass(frozen=True, repr=False)
class JelinekMercer(_AroundCorpus):
    """A share λ of every rate is the rate in the whole corpus.

    ::

        θ = (1 − λ)·τ/m + λ·π          centre π, strength λm/(1 − λ)

    π is the share of all documents that have the term. The strength grows with the class, so a large class learns no
    faster than a small one.

    Parameters
    ----------
    mixing : float
        λ, from 0 (only the class) to 1 (only the whole corpus).

    References
    ----------
    *bernoulli*: Di Nunzio and Sordoni, *How well do we know Bernoulli?*

    Examples
    --------
    >>> JelinekMercer(0.5).rates(TermCounts(np.array([0, 3]), np.array(4), np.array([5, 10]), np.array(20)))
    array([0.125, 0.625])
    >>> JelinekMercer(0.75).strength(100)
    300.0
    """

    mixing: float = 0.5

    title = "Jelinek-Mercer"
    formula = "θ = (1 − λ) τ/m + λ π"
    parameters = (
        Parameter(
            "mixing", "λ", 1e-4, 1 - 1e-4, "what share of every rate is the corpus-wide rate", "share",
            values=(*_NEAR, *_FIFTIETHS, *(round(1 - near, 4) for near in _NEAR[::-1]), 1.0, 0.0),
            also="lambda", check=share,
        ),
    )  # fmt: skip

    @classmethod
    def presets(cls, types: int) -> list[Preset]:
        """The JE of *bernoulli*."""
        return [Preset("", "Best Jelinek-Mercer", "j", "the best λ by leave-one-out")]

    def strength(self, documents: float) -> float:
        """How many imagined documents λ amounts to in a class of this size."""
        return float("inf") if self.mixing == 1 else self.mixing * documents / (1 - self.mixing)

    def imagined(self, size: float) -> float:
        return self.strength(size)

    def mix(self, size: ArrayLike) -> tuple[Floats, Floats]:
        """What a rate takes of a count and of the corpus-wide rate, in classes of such sizes."""
        size = np.asarray(size, dtype=np.float64)
        empty = size <= 0
        return (1 - self.mixing) / np.where(empty, np.inf, size), np.where(empty, 1.0, self.mixing)


@dataclass(frozen=True, repr=False)
class CollectionBeta(_AroundCorpus):
    """The same strength for every term, around its corpus-wide rate.

    ::

        θ = (τ + sπ) / (m + s)          centre π, strength s

    Parameters
    ----------
    strength : float
        s, in documents, at least 0.

    Examples
    --------
    >>> CollectionBeta(4).rates(TermCounts(np.array([0, 3]), np.array(4), np.array([5, 10]), np.array(20)))
    array([0.125, 0.625])
    """

    strength: float = 100.0

    title = "one strength for all words"
    formula = "θ = (τ + s π) / (m + s)"
    parameters = (
        Parameter(
            "strength", "s", 1e-1, 1e5, "how many imagined documents hold each word as often as the corpus does",
            values=decades(-1, 5, 8), check=at_least_zero,
        ),
    )  # fmt: skip

    def imagined(self, size: float) -> float:
        return self.strength

    def mix(self, size: ArrayLike) -> tuple[Floats, Floats]:
        """What a rate takes of a count and of the corpus-wide rate, in classes of such sizes."""
        whole = np.asarray(size, dtype=np.float64) + self.strength
        empty = whole <= 0
        whole = np.where(empty, 1.0, whole)
        return np.where(empty, 0.0, 1.0 / whole), np.where(empty, 1.0, self.strength / whole)


@dataclass(frozen=True, repr=False)
class TermBeta(RatePrior, PresencePrior):
    """A strength for each term and class, read from the data, around its corpus-wide rate.

    ::

        θ = (τ + sπ) / (m + s)          centre π, strength s = scale · ŝ

    ŝ makes the counts of the term likeliest, in the class and in all other documents, if both rates are drawn from
    Beta(sπ, s(1 − π)). A term that the class uses as everybody does has an infinite ŝ and says nothing; one that tells
    the class from the others keeps its counts. The scale sets the strength of all: terms are not independent, as the
    model has it, and a scale above 1 makes up for that.

    Parameters
    ----------
    scale : float
        What every ŝ is multiplied by, above 0.

    Examples
    --------
    >>> counts = TermCounts(np.array([30.0, 10.0]), np.array(100.0), np.array([40.0, 100.0]), np.array(1000.0))
    >>> counts.strength.round(2)
    array([6.17,  inf])
    >>> TermBeta().rates(counts).round(4)
    array([0.2849, 0.1   ])
    """

    scale: float = 1.0

    title = "a strength for each word"
    formula = "θ = (τ + s π) / (m + s), s = scale · ŝ(word)"
    parameters = (
        Parameter(
            "scale", "scale", 1e-6, 1e4, "what every word's own strength is multiplied by", values=decades(-6, 4),
            check=above_zero,
        ),
    )  # fmt: skip
    reads_collection = True

    def rates(self, counts: TermCounts) -> Floats:
        return blend(counts.found, counts.documents, counts.share, self.scale * counts.strength)

    def describe(self, about: CountSummary | None = None) -> str:
        return f"{_centre(None)}; strength: read from the data for each word and class, times {self.scale:g}"

    def strengths(self, n_classes: int) -> Floats:
        """The scale of each class."""
        return np.full(n_classes, self.scale)

    def with_strengths(self, strengths: Sequence[float]) -> tuple[TermBeta, ...]:
        return tuple(TermBeta(scale) for scale in strengths)

    def table(self, counts: TermCounts, strengths: Floats) -> LogTable:
        """The rates of a class's words at each of the scales::

            p(x|c) = (λ ŝ(x) π(x) + n(x,c)) / (λ ŝ(x) + n(c))          p(c) = n(c) / N

        A word with an infinite ŝ has the rate π in every class and changes nothing.
        """
        each = np.broadcast_arrays(counts.found, counts.share, counts.strength)
        distinct, rows = distinct_rows(np.stack(each, axis=1))
        found, share, own = (column[:, np.newaxis] for column in distinct.T)
        size = log_rate(counts.documents)
        logs = log_rate(blend(found, counts.documents, share, strengths * own)) + size
        return LogTable(rows.astype(np.int32), logs, np.full(len(strengths), size), 0.0)
