"""Priors on the coefficients of a regression: what regressions ask for, Gaussian, Laplace and Jeffreys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.errors import InputError
from priorwise.kernels import Floats
from priorwise.priors.base import Parameter, Prior


def numbers_of(name: str, value: ArrayLike) -> Floats:
    """Take a number, one per feature, or classes × features; none of them NaN."""
    try:
        numbers = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a number or an array of numbers, not {value!r}") from None
    if numbers.ndim > 2:
        raise InputError(f"{name} has {numbers.ndim} dimensions; give a number, one per feature, or classes × features")
    if np.isnan(numbers).any():
        raise InputError(f"every {name} must be a number{first_wrong(numbers, np.isnan(numbers))}")
    return numbers


def first_wrong(numbers: Floats, wrong: NDArray[np.bool_]) -> str:
    """Name the first wrong number, and its place if there are several."""
    first = tuple(int(place) for place in np.argwhere(wrong)[0]) if numbers.ndim else ()
    value = f"{numbers[first]:g}"
    if not first:
        return f", not {value}"
    return f", not {value} (feature {first[-1]}" + (f" of class {first[0]})" if len(first) == 2 else ")")


def frozen(numbers: Floats) -> float | Floats:
    """Give one number as a float, and an array that cannot be written to."""
    if numbers.ndim == 0:
        return float(numbers)
    numbers.setflags(write=False)
    return numbers


def short(value: ArrayLike) -> str:
    """Tell numbers in a few words."""
    numbers = np.asarray(value)
    if numbers.ndim == 0:
        return f"{float(numbers):g}"
    if numbers.size <= 6 and numbers.ndim == 1:
        return "[" + ", ".join(f"{number:g}" for number in numbers) + "]"
    return f"<{' × '.join(str(n) for n in numbers.shape)} numbers>"


def row_of(name: str, numbers: Floats, n_features: int, output: int, n_outputs: int) -> Floats:
    """Give the numbers of one output, one for each feature."""
    if numbers.ndim == 2:
        if len(numbers) not in (1, n_outputs):
            raise InputError(
                f"{name} has {len(numbers)} rows, but the model has {n_outputs}: one per class, as in coef_"
            )
        numbers = numbers[output if len(numbers) > 1 else 0]
    if numbers.ndim == 1 and len(numbers) not in (1, n_features):
        raise InputError(f"{name} has {len(numbers)} numbers, but there are {n_features} features")
    return np.ascontiguousarray(np.broadcast_to(numbers, (n_features,)), dtype=np.float64)


BEYOND_WORDS = 1e6
"""Odds beyond this say nothing to a person."""


def odds_table(names: Sequence[object], mode: Floats, variance: Floats, limit: int) -> str:
    """Lay out modes and variances as a table that a person can read."""
    pairs, place, count = np.unique(np.column_stack([mode, variance]), axis=0, return_inverse=True, return_counts=True)
    common = int(np.argmax(count)) if count.max() > 1 else -1
    special = np.flatnonzero(place.ravel() != common)
    special = special[np.lexsort((special, -variance[special], -np.abs(mode[special])))]
    rows = [("word", "mode", "± spread", "as odds")]
    rows += [_row(str(names[j]), mode[j], variance[j], f"'{names[j]}'") for j in special[:limit]]
    if len(special) > limit:
        rows.append((f"({len(special) - limit:,} more)", "", "", ""))
    if common >= 0:
        name = "every other word" if len(special) else "every word"
        rows.append(_row(name, float(pairs[common, 0]), float(pairs[common, 1]), "it"))
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    lines = [f"{a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}  {d}".rstrip() for a, b, c, d in rows]
    return "\n".join(lines)


def _row(name: str, mode: float, variance: float, subject: str) -> tuple[str, str, str, str]:
    spread = float(np.sqrt(variance))
    return name, f"{mode:.5g}", f"{spread:.3g}", f"{subject} {odds_sentence(mode, spread)}"


def odds_sentence(mode: float, spread: float) -> str:
    """Say what a coefficient of about `mode`, give or take `spread`, does to the odds."""
    if np.isinf(spread):
        return "is left to the examples"
    give = np.exp(min(spread, 700.0))
    margin = f"a factor of {give:.2g}" if give >= 1.5 else f"{100 * (give - 1):.0f}%"
    if give > BEYOND_WORDS:
        margin = "anything"
    if mode == 0:
        return f"leaves the odds as they are, give or take {margin}"
    factor = np.exp(min(abs(mode), 700.0))
    times = f"{factor:.2g}" if factor <= BEYOND_WORDS else "more than a million"
    return f"{'multiplies' if mode > 0 else 'divides'} the odds by {times}, give or take {margin}"


GONE = 1e-10
"""A coefficient this close to its mode has arrived there; a density that is infinite there stops growing here."""


class RegressionPrior(Prior, listed=False):
    """A prior on coefficients with a density around a mode: what a probit regression asks for."""

    sparse: ClassVar[bool] = True
    """Whether a coefficient can stay exactly at its mode."""
    log_concave: ClassVar[bool] = True
    """Whether there is one best answer, wherever a fit starts."""

    @property
    def shape(self) -> type[Any]:
        """The class that knows the density: its own, unless the prior is made from another one."""
        return type(self)

    def describe(self, about: Sequence[Any] | None = None, *, output: int = 0, limit: int = 20) -> str:
        """Say in words what the prior means; word by word for one output, if it is given the words and knows them."""
        return super().describe()

    def of_features(self, n_features: int, output: int = 0, n_outputs: int = 1) -> tuple[Floats, Floats]:
        """Give the variance and the mode of each feature for one of the outputs."""
        raise NotImplementedError

    @classmethod
    def precision_at(cls, distance: Floats, variance: Any) -> Floats:
        """E[1/τ] of a coefficient at this distance from its mode, if the density is a mixture of Gaussians."""
        raise NotImplementedError

    @classmethod
    def cost(cls, distance: Floats, variance: Any) -> Floats:
        """−log p of a coefficient at this distance from its mode, up to a constant."""
        raise NotImplementedError


class PenaltyPrior(RegressionPrior, listed=False):
    """A prior that is a penalty l1·|β − μ| + l2·(β − μ)²/2: what a logistic regression asks for."""

    @classmethod
    def penalty(cls, variance: Any) -> tuple[Any, Any]:
        """Give l1 and l2 at a variance."""
        raise NotImplementedError

    @classmethod
    def precision_at(cls, distance: Floats, variance: Any) -> Floats:
        """E[1/τ]: ``l2 + l1/|β − μ|``, infinite at the mode if there is an l1."""
        l1, l2 = (np.broadcast_to(part, np.shape(distance)) for part in cls.penalty(np.asarray(variance)))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(l1 == 0, l2, l2 + l1 / np.abs(distance))

    @classmethod
    def cost(cls, distance: Floats, variance: Any) -> Floats:
        """The penalty itself."""
        l1, l2 = cls.penalty(variance)
        return np.asarray(l1 * np.abs(distance) + l2 * distance**2 / 2.0)

    def penalties(self, n_features: int, output: int = 0, n_outputs: int = 1) -> tuple[Floats, Floats, Floats]:
        """Give l1, l2 and the mode of each feature for one of the outputs."""
        variance, mode = self.of_features(n_features, output, n_outputs)
        return *self.shape.penalty(variance), mode


PAPER_VARIANCES: tuple[float, ...] = (
    0.25, 1, 2.25, 4, 6.25, 9, 12.25, 16, 20.25, 25, 30.25, 36, 42.25, 49, 56.25, 64, 100, 1e4, 1e6, 1e8,
)  # fmt: skip
"""The variances that *knowledge* chooses from."""


@dataclass(frozen=True, eq=False)
class CoefficientPrior(PenaltyPrior, listed=False):
    """What Gaussian and Laplace priors share: a mode and a variance, numbers or arrays.

    The mode is the centre: the coefficient we expect before reading anything. The strength is 1/variance: how much
    reading it takes to move the coefficient away from there. An infinite variance has no strength at all, and leaves
    the coefficient to the data.
    """

    variance: ArrayLike = 1.0
    mode: ArrayLike = 0.0

    parameters = (
        Parameter(
            "variance", "σ²", 1e-2, 1e4, "how far a word's weight may move from its centre", values=PAPER_VARIANCES
        ),
    )

    @classmethod
    def from_model(cls, model: Any, *, strength: float = 1.0, variance: float = 1.0) -> CoefficientPrior:
        """Take a fitted model's weights, times `strength`, for the modes: `Informed.from_model`, written out."""
        from priorwise.priors.informed import Informed

        return Informed.from_model(model, cls, strength=strength, variance=variance).prior()

    def __post_init__(self) -> None:
        variance, mode = numbers_of("variance", self.variance), numbers_of("mode", self.mode)
        wrong = ~(variance > 0)
        if wrong.any():
            raise InputError(
                f"a variance must be a positive number, or infinite for no penalty{first_wrong(variance, wrong)}"
            )
        wrong = ~np.isfinite(mode)
        if wrong.any():
            raise InputError(f"a mode must be a finite number{first_wrong(mode, wrong)}")
        try:
            np.broadcast_shapes(variance.shape, mode.shape)
        except ValueError:
            message = f"variance has shape {variance.shape} and mode {mode.shape}: give both the same, or one number"
            raise InputError(message) from None
        object.__setattr__(self, "variance", frozen(variance))
        object.__setattr__(self, "mode", frozen(mode))

    def __repr__(self) -> str:
        parts = [f"variance={short(self.variance)}"]
        if np.any(np.asarray(self.mode) != 0):
            parts.append(f"mode={short(self.mode)}")
        return f"{type(self).__name__}({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, CoefficientPrior):
            return NotImplemented
        return np.array_equal(np.asarray(self.variance), np.asarray(other.variance)) and np.array_equal(
            np.asarray(self.mode), np.asarray(other.mode)
        )

    def __hash__(self) -> int:
        return hash((type(self), np.asarray(self.variance).tobytes(), np.asarray(self.mode).tobytes()))

    def with_variance(self, variance: ArrayLike) -> Self:
        """Give the same prior with another variance."""
        return replace(self, variance=variance)

    def scaled(self, factor: float) -> Self:
        """Give the same prior with every variance multiplied by `factor`: one number sets the strength of all."""
        return replace(self, variance=np.asarray(self.variance) * factor)

    def grid(self, variances: Sequence[float] = PAPER_VARIANCES) -> tuple[Self, ...]:  # type: ignore[override]
        """Priors to choose from: the same with other variances, by default the 20 of *knowledge*.

        One variance for all is replaced; one for each feature is multiplied, so that their proportions stay.
        """
        change = self.with_variance if np.ndim(self.variance) == 0 else self.scaled
        return tuple(change(variance) for variance in variances)

    def precision(self, distance: Floats) -> Floats:
        """E[1/τ] given how far a coefficient is from its mode."""
        return self.precision_at(distance, self.variance)

    def of_features(self, n_features: int, output: int = 0, n_outputs: int = 1) -> tuple[Floats, Floats]:
        """Give the variance and the mode of each feature for one of the outputs.

        An array of one dimension is per feature. One of two dimensions is classes × features; a dimension of 1 counts
        for all.
        """
        return (
            row_of("variance", np.asarray(self.variance), n_features, output, n_outputs),
            row_of("mode", np.asarray(self.mode), n_features, output, n_outputs),
        )

    def describe(self, about: Sequence[Any] | None = None, *, output: int = 0, limit: int = 20) -> str:
        """Say what the prior expects of the odds: in a sentence, or word by word if it is given the words.

        A prior with numbers of its own for each feature is always a table: word, mode, spread, and what that means for
        the odds. The spread is the standard deviation, the square root of the variance. Words that share the commonest
        prior are one line, the last.
        """
        sizes = [array.shape[-1] for array in (np.asarray(self.variance), np.asarray(self.mode)) if array.ndim]
        n_features = len(about) if about is not None else max(sizes, default=0)
        n_outputs = max([1, *(len(a) for a in map(np.asarray, (self.variance, self.mode)) if a.ndim == 2)])
        if n_features == 0:
            text, _, margin = odds_sentence(float(self.mode), float(np.sqrt(self.variance))).partition(", ")  # type: ignore[arg-type]
            return f"centre: a word {text}; strength: {margin}, per unit of its weight" if margin else f"a word {text}"
        variance, mode = self.of_features(n_features, output, n_outputs)
        return odds_table(about if about is not None else range(n_features), mode, variance, limit)


@dataclass(frozen=True, eq=False, repr=False)
class Gaussian(CoefficientPrior):
    """Every coefficient lies near its mode, none of them exactly there (ridge).

    ::

        p(β_j) = N(β_j; μ_j, σ_j²)          −log p = (β_j − μ_j)²/(2σ_j²) + constant

    Parameters
    ----------
    variance : float or array
        σ², one number, one per feature, or classes × features. Infinite: the coefficient is not penalised.
    mode : float or array
        μ, in the same forms.

    References
    ----------
    *sparse*: Eyheramendy, Genkin, Ju, Lewis and Madigan, *Sparse Bayesian classifiers for text categorization*.

    Examples
    --------
    >>> Gaussian(4.0)
    Gaussian(variance=4)
    >>> Gaussian([1.0, np.inf], mode=[0.0, 2.0])
    Gaussian(variance=[1, inf], mode=[0, 2])
    """

    title = "Gaussian (ridge)"
    formula = "−log p = (β − μ)² / 2σ²"
    sparse = False

    @classmethod
    def penalty(cls, variance: Any) -> tuple[Any, Any]:
        """No l1, and l2 = 1/σ²."""
        return np.zeros(np.shape(variance)), 1.0 / variance


@dataclass(frozen=True, eq=False, repr=False)
class Laplace(CoefficientPrior):
    """Many coefficients are exactly at their mode, a few are far from it (lasso).

    ::

        p(β_j) = (λ_j/2) e^{−λ_j|β_j − μ_j|}          variance σ_j² = 2/λ_j²

    Parameters
    ----------
    variance : float or array
        σ², one number, one per feature, or classes × features. Infinite: the coefficient is not penalised.
    mode : float or array
        μ, in the same forms.

    References
    ----------
    *sparse*, and *knowledge*: Dayanik, Lewis, Madigan, Menkov and Genkin, *Constructing informative prior distributions
    from domain knowledge in text classification*.

    Examples
    --------
    >>> Laplace(variance=2.0).rate
    1.0
    >>> Laplace.from_gamma(10)
    Laplace(variance=0.2)
    """

    title = "Laplace (lasso)"
    formula = "−log p = |β − μ| √(2/σ²)"

    @classmethod
    def penalty(cls, variance: Any) -> tuple[Any, Any]:
        """l1 = √(2/σ²), and no l2."""
        return np.sqrt(2.0 / variance), np.zeros(np.shape(variance))

    @classmethod
    def from_gamma(cls, gamma: ArrayLike, mode: ArrayLike = 0.0) -> Laplace:
        """Make the prior of density ``(√γ/2) e^{−√γ|β|}``, the parameter of *sparse*: its variance is 2/γ."""
        gamma = numbers_of("gamma", gamma)
        if not np.all(gamma > 0):
            raise InputError(f"γ must be a positive number{first_wrong(gamma, ~(gamma > 0))}")
        return cls(variance=2.0 / gamma, mode=mode)

    @property
    def rate(self) -> Any:
        """λ = √(2/variance), in the form in which the variance was given; 0 if the variance is infinite."""
        rate = np.sqrt(2.0 / np.asarray(self.variance))
        return float(rate) if rate.ndim == 0 else rate


@dataclass(frozen=True)
class Jeffreys(RegressionPrior):
    """A coefficient is nothing, or anything: no number to choose.

    ::

        p(β_j) ∝ 1/|β_j|

    Not log-concave, so a fit is a local maximum, and where it starts is part of the method.

    References
    ----------
    *sparse*, after Figueiredo and Jain.

    Examples
    --------
    >>> Jeffreys()
    Jeffreys()
    """

    formula = "p(β) ∝ 1/|β|"
    log_concave = False

    def describe(self, about: Any = None, *, output: int = 0, limit: int = 20) -> str:
        return "centre: a word changes nothing; strength: there is no number to choose"

    def of_features(self, n_features: int, output: int = 0, n_outputs: int = 1) -> tuple[Floats, Floats]:
        """Give a variance of 1, which nothing reads, and the mode 0."""
        return np.ones(n_features), np.zeros(n_features)

    def precision(self, distance: Floats) -> Floats:
        """E[1/τ] given the coefficient: 1/β², infinite at 0."""
        return self.precision_at(distance, None)

    @classmethod
    def precision_at(cls, distance: Floats, variance: Any) -> Floats:
        """E[1/τ] given the coefficient, whatever the variance."""
        with np.errstate(divide="ignore"):
            return 1.0 / np.asarray(distance, dtype=np.float64) ** 2

    @classmethod
    def cost(cls, distance: Floats, variance: Any) -> Floats:
        """``log |β|``, which stops falling close to 0."""
        return np.log(np.maximum(np.abs(distance), GONE))
