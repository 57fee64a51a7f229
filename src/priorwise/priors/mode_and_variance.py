"""What Gaussian and Laplace priors share: a centre (the mode) and a strength (1/variance) for each coefficient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.errors import InputError
from priorwise.priors.base import Parameter
from priorwise.priors.odds import odds_sentence, odds_table
from priorwise.priors.per_feature import first_wrong, frozen, numbers_of, row_of, short
from priorwise.priors.regression import PenaltyPrior

Floats = NDArray[np.float64]

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
        """Take a fitted model's weights, times `strength`, for the modes: `Informed.from_model`, written out.

        Examples
        --------
        >>> from priorwise import Laplace, LogisticRegression
        >>> yesterday = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
        >>> Laplace.from_model(yesterday, variance=0.1)
        Laplace(variance=0.1, mode=[0.452192])
        """
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
        """Give the same prior with another variance.

        Examples
        --------
        >>> from priorwise import Laplace
        >>> Laplace(1.0, mode=2.0).with_variance(9.0)
        Laplace(variance=9, mode=2)
        """
        return replace(self, variance=variance)

    def scaled(self, factor: float) -> Self:
        """Give the same prior with every variance multiplied by `factor`, so that one number sets the strength of all.

        Examples
        --------
        >>> from priorwise import Gaussian
        >>> Gaussian([1.0, 5.0]).scaled(2.0)
        Gaussian(variance=[2, 10])
        """
        return replace(self, variance=np.asarray(self.variance) * factor)

    def grid(self, variances: Sequence[float] = PAPER_VARIANCES) -> tuple[Self, ...]:  # type: ignore[override]
        """Priors to choose from: the same with other variances, by default the 20 of *knowledge*.

        One variance for all is replaced; one for each feature is multiplied, so that their proportions stay.

        Examples
        --------
        >>> from priorwise import Gaussian, Laplace
        >>> Laplace(mode=2.0).grid([0.5, 4.0])
        (Laplace(variance=0.5, mode=2), Laplace(variance=4, mode=2))
        >>> Gaussian([1.0, 5.0]).grid(10.0 ** np.arange(2))
        (Gaussian(variance=[1, 5]), Gaussian(variance=[10, 50]))
        """
        change = self.with_variance if np.ndim(self.variance) == 0 else self.scaled
        return tuple(change(variance) for variance in variances)

    along = grid

    def precision(self, distance: Floats) -> Floats:
        """E[1/τ] given how far a coefficient is from its mode."""
        return self.precision_at(distance, self.variance)

    def of_features(self, n_features: int, output: int = 0, n_outputs: int = 1) -> tuple[Floats, Floats]:
        """Give the variance and the mode of each feature for one of the outputs.

        An array of one dimension is per feature. One of two dimensions is classes × features; a dimension of 1 stands
        for all.

        Examples
        --------
        >>> from priorwise import Gaussian
        >>> Gaussian(variance=4.0, mode=[0.0, 1.0]).of_features(2)
        (array([4., 4.]), array([0., 1.]))
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

        Parameters
        ----------
        about : sequence of str, optional
            The words, in the order of the columns.
        output : int
            For a prior per class: which class.
        limit : int
            How many words to show, those with the mode furthest from 0 first, then those with the largest variance.

        Examples
        --------
        >>> from priorwise import Laplace
        >>> Laplace(1.0).describe()
        'centre: a word leaves the odds as they are; strength: give or take a factor of 2.7, per unit of its weight'
        >>> prior = Laplace(variance=[1.0, 1.0, 4.0, 1.0], mode=[0.0, np.log(7), 0.0, 0.0])
        >>> print(prior.describe(["olive", "wheat", "tonne", "the"]))
        word                mode  ± spread  as odds
        wheat             1.9459         1  'wheat' multiplies the odds by 7, give or take a factor of 2.7
        tonne                  0         2  'tonne' leaves the odds as they are, give or take a factor of 7.4
        every other word       0         1  it leaves the odds as they are, give or take a factor of 2.7
        """
        sizes = [array.shape[-1] for array in (np.asarray(self.variance), np.asarray(self.mode)) if array.ndim]
        n_features = len(about) if about is not None else max(sizes, default=0)
        n_outputs = max([1, *(len(a) for a in map(np.asarray, (self.variance, self.mode)) if a.ndim == 2)])
        if n_features == 0:
            said, _, margin = odds_sentence(float(self.mode), float(np.sqrt(self.variance))).partition(", ")  # type: ignore[arg-type]
            return f"centre: a word {said}; strength: {margin}, per unit of its weight" if margin else f"a word {said}"
        variance, mode = self.of_features(n_features, output, n_outputs)
        return odds_table(about if about is not None else range(n_features), mode, variance, limit)
