"""Priors that know some words better than others, by one number that can be learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.counting import counted
from priorwise.errors import InputError
from priorwise.kernels import Floats
from priorwise.priors.base import Parameter, Prior, above_zero
from priorwise.priors.regression import PAPER_VARIANCES, CoefficientPrior, Gaussian, PenaltyPrior

MODE_STRENGTHS: tuple[float, ...] = (0.5, 1, 2, 3, 4, 5, 10, 20, 50, 100, 1e4)

VARIANCE_STRENGTHS: tuple[float, ...] = (2, 5, 10, 20, 50, 100, 1e4)
"""The strengths C that *knowledge* chooses from."""


@dataclass(frozen=True, eq=False)
class Informed(PenaltyPrior, listed=False):
    """Something is known of some coefficients, k_j of the j-th; one number, C, says how far to trust it.

    ::

        moves        mode        variance
        "mode"       C·k_j       σ²
        "variance"   0           C·|k_j|·σ²   where k_j is not 0, else σ²

    What is known is kept once, however many pairs (C, σ²) are tried. `prior` writes it out, number by number.

    Parameters
    ----------
    kind : Gaussian or Laplace
        The class of the prior.
    known : scipy.sparse.csr_matrix, shape (n_outputs, n_features) or (1, n_features), or mapping of words
        k: one row for each output of the model, or one for all of them. Words with their k, as in ``{"wheat": 2.0}``,
        or a list of such mappings, are bound to the columns when a model is fitted on named ones: a DataFrame, or
        what `NamedColumns` gives.
    moves : {"mode", "variance"}
        Whether knowledge gives a coefficient a push, or more room.
    strength : float
        C.
    variance : float
        σ².

    References
    ----------
    *knowledge*: Dayanik, Lewis, Madigan, Menkov and Genkin, *Constructing informative prior distributions from domain
    knowledge in text classification*.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> from priorwise.priors.regression import Laplace
    >>> believed = Informed(Laplace, csr_matrix([[0.0, 1.0, -0.5]]), "mode", strength=2.0)
    >>> believed, believed.prior()
    (Informed(Laplace, mode of 2 words, strength=2, variance=1), Laplace(variance=1, mode=[0, 2, -1]))
    >>> len(believed.grid()), believed.grid()[0]
    (220, Informed(Laplace, mode of 2 words, strength=0.5, variance=0.25))
    """

    kind: type[CoefficientPrior]
    known: Any
    moves: str
    strength: float = 1.0
    variance: float = 1.0

    formula = "β ~ kind(mode C·k, σ²), or kind(0, C·|k|·σ²)"
    parameters = (
        Parameter("strength", "C", 0.5, 1e4, "how far to trust what is known", values=MODE_STRENGTHS),
        Parameter(
            "variance", "σ²", 1e-2, 1e4, "how far a word's weight may move from its centre", values=PAPER_VARIANCES
        ),
    )

    @property
    def shape(self) -> type[Any]:
        """The class of the prior that this one sets the numbers of."""
        return self.kind

    @classmethod
    def from_model(
        cls, model: Any, kind: type[CoefficientPrior] = Gaussian, *, strength: float = 1.0, variance: float = 1.0
    ) -> Informed:
        """Take a fitted model's weights for what is known: the modes of the next model's prior are C times them.

        A naive Bayes model's weights are a good guess at a logistic model's, mostly too large, because they count words
        that come together as if each were news: learn the strength (`PriorSearch`). Of several classes a naive Bayes
        model's weights are taken beyond their mean over the classes, which is what tells a class from the rest.

        Parameters
        ----------
        model : classifier
            Fitted, with `weights_` and `n_features_in_`: any of priorwise's.
        kind : Gaussian or Laplace
            The class of the prior.

        Examples
        --------
        >>> from priorwise import LogisticRegression, MultinomialNB
        >>> X, y = [[2, 0, 1], [1, 0, 0], [0, 2, 1], [0, 1, 0]], [0, 0, 1, 1]
        >>> believed = Informed.from_model(MultinomialNB().fit(X, y), strength=0.5)
        >>> believed.prior()
        Gaussian(variance=1, mode=[-0.693147, 0.693147, 0])
        >>> LogisticRegression(believed).fit(X, y).coef_.round(2)
        array([[-1.13,  1.13,  0.  ]])
        """
        from scipy.sparse import csr_matrix

        if not hasattr(model, "weights_"):
            raise InputError(f"a prior is made from a fitted model with weights, which {model!r} is not: fit it first")
        known = model.weights_.table(model.n_features_in_)
        labels = getattr(model, "_labels", None)
        each_on_its_own = hasattr(model, "coef_") or (labels is not None and labels.multilabel)
        if len(known) > 1 and not each_on_its_own:
            known = known - known.mean(axis=0)
        return cls(kind, csr_matrix(known), "mode", strength, variance)

    def __post_init__(self) -> None:
        if self.moves not in ("mode", "variance"):
            raise InputError(f"knowledge moves the 'mode' or the 'variance', not {self.moves!r}")
        object.__setattr__(self, "strength", above_zero("a strength", self.strength))
        object.__setattr__(self, "variance", above_zero("a variance", self.variance))
        known = [each for row in self._rows for each in row.values()] if self._rows else self.known.data
        if not np.isfinite(known).all():
            raise InputError("what is known of a coefficient must be a finite number")

    @property
    def _rows(self) -> list[Mapping[str, float]]:
        """What is known of words by name, for each output; empty if it is bound to columns."""
        if isinstance(self.known, Mapping):
            return [self.known]
        return [row or {} for row in self.known] if isinstance(self.known, list | tuple) else []

    def bound(self, words: Sequence[str] | None) -> Informed:
        """Give the prior of a model with these words as its columns; words that it does not have are left out.

        Examples
        --------
        >>> from priorwise import Laplace
        >>> Informed(Laplace, {"wheat": 2.0, "rye": 1.0}, "mode").bound(["oil", "wheat"]).prior()
        Laplace(variance=1, mode=[0, 2])
        """
        rows = self._rows
        if not rows:
            return self
        if words is None:
            raise InputError(
                "this prior is about words, and the columns have no names: fit on a DataFrame, or put "
                "priorwise.NamedColumns(vectorizer) before the model"
            )
        from scipy.sparse import csr_matrix

        column = {word: j for j, word in enumerate(words)}
        found = [(i, column[word], k) for i, row in enumerate(rows) for word, k in row.items() if word in column]
        at = [each[0] for each in found], [each[1] for each in found]
        return replace(self, known=csr_matrix(([each[2] for each in found], at), shape=(len(rows), len(column))))

    def __repr__(self) -> str:
        words = len({word for row in self._rows for word in row}) if self._rows else len(np.unique(self.known.indices))
        return (
            f"Informed({self.kind.__name__}, {self.moves} of {counted(words, 'word')}, "
            f"strength={self.strength:g}, variance={self.variance:g})"
        )

    def with_variance(self, variance: float) -> Self:
        """Give the same with another σ²."""
        return replace(self, variance=variance)

    def scaled(self, factor: float) -> Self:
        """Give the same with every variance multiplied by `factor`."""
        return replace(self, variance=self.variance * factor)

    def grid(  # type: ignore[override]
        self, strengths: Sequence[float] | None = None, variances: Sequence[float] = PAPER_VARIANCES
    ) -> tuple[Self, ...]:
        """Priors to choose from: every pair (C, σ²), by default those of *knowledge*."""
        usual = MODE_STRENGTHS if self.moves == "mode" else VARIANCE_STRENGTHS
        return tuple(
            replace(self, strength=strength, variance=variance)
            for strength in (usual if strengths is None else strengths)
            for variance in variances
        )

    def of_features(self, n_features: int, output: int = 0, n_outputs: int = 1) -> tuple[Floats, Floats]:
        rows, columns = self.known.shape
        if columns != n_features:
            raise InputError(f"{self!r} is about {columns} features, but there are {n_features}")
        if rows not in (1, n_outputs):
            raise InputError(f"{self!r} has {rows} rows, but the model has {n_outputs}: one per class, as in coef_")
        row = output if rows > 1 else 0
        own = slice(self.known.indptr[row], self.known.indptr[row + 1])
        variance, mode = np.full(n_features, self.variance), np.zeros(n_features)
        where, known = self.known.indices[own], self.known.data[own]
        if self.moves == "mode":
            mode[where] = self.strength * known
        else:
            variance[where] *= np.where(known != 0, self.strength * np.abs(known), 1.0)
        return variance, mode

    def prior(self) -> CoefficientPrior:
        """Write the prior out: a Gaussian or Laplace with a number for each feature, or for each class and feature."""
        rows, columns = self.known.shape
        each = [self.of_features(columns, row, rows) for row in range(rows)]
        variance, mode = (np.array([pair[k] for pair in each]) for k in (0, 1))
        if rows == 1:
            variance, mode = variance[0], mode[0]
        if self.moves == "mode":
            return self.kind(variance=self.variance, mode=mode)
        return self.kind(variance=variance)

    def describe(self, about: Sequence[Any] | None = None, *, output: int = 0, limit: int = 20) -> str:
        """Say what is known in a sentence, or word by word for one output if it is given the words."""
        if about is None:
            known = "a push of C" if self.moves == "mode" else "a variance of C times the others'"
            others = self.kind(self.variance).describe()
            by = f"times how much it says, C = {self.strength:g}"
            return f"knowledge gives its words {known} {by}; other words: {others}"
        variance, mode = (own := self.bound(about)).of_features(len(about), output, own.known.shape[0])
        return self.kind(variance, mode).describe(about, limit=limit)


STRENGTHS: tuple[float, ...] = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""How many imagined words, or documents, a search tries."""


@dataclass(frozen=True, eq=False)
class ImaginedTexts(Prior, listed=False):
    """Imagined words or documents of each class, over and above another prior.

    With s the strength and q the shares of the words in the text about a class::

        words       N_c^i + s·q_i  in place of  N_c^i          Σ q_i = 1       MultinomialNB
        documents   τ_k + s·q_k of m + s documents             q_k is 0 or 1   BernoulliNB

    and then as the other prior has it. How common a class is does not change. A class without a text has nothing
    imagined.

    Parameters
    ----------
    prior : prior
        The prior that all words share: a Dirichlet, a Beta, or any other that the model takes.
    shares : scipy.sparse.csr_matrix, shape (n_classes, n_features)
        q, a row for each class in the order of ``classes_``.
    of : {"words", "documents"}
        What is imagined.
    strength : float
        s.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> from priorwise import Dirichlet, MultinomialNB
    >>> known = ImaginedTexts(Dirichlet(0.1), csr_matrix([[0, 0.5, 0.5], [0, 0, 0]]), "words", strength=10)
    >>> model = MultinomialNB(known).fit([[1, 1, 0], [2, 0, 1]], ["grain", "other"])
    >>> model.predict([[0, 0, 1]]).tolist()
    ['grain']
    """

    prior: Any
    shares: Any
    of: str
    strength: float = 10.0

    formula = "N + s·q in place of N"
    parameters = (
        Parameter("strength", "s", 1.0, 1e3, "how many imagined words or documents each class gets", values=STRENGTHS),
    )

    def __post_init__(self) -> None:
        if self.of not in ("words", "documents"):
            raise InputError(f"'words' or 'documents' are imagined, not {self.of!r}")
        object.__setattr__(self, "strength", above_zero("a strength", self.strength))
        if not (np.isfinite(self.shares.data).all() and np.all(self.shares.data >= 0)):
            raise InputError("the share of a word must be a number of at least 0")

    def __repr__(self) -> str:
        return f"ImaginedTexts({self.prior!r}, {self.strength:g} {self.of} of {self.shares.shape[0]} classes)"

    def grid(self, strengths: Sequence[float] = STRENGTHS) -> tuple[Self, ...]:  # type: ignore[override]
        """Priors to choose from: the same with other strengths."""
        return tuple(replace(self, strength=strength) for strength in strengths)

    def counts(self, n_classes: int, n_features: int) -> tuple[Any, Floats]:
        """The imagined counts of each class and feature, and how many documents each class has imagined."""
        if self.shares.shape != (n_classes, n_features):
            raise InputError(
                f"{self!r} is about {self.shares.shape[0]} classes and {self.shares.shape[1]} words, "
                f"but there are {n_classes} and {n_features}"
            )
        held = np.diff(self.shares.indptr) > 0
        return self.strength * self.shares, np.where(held, self.strength if self.of == "documents" else 0.0, 0.0)

    def stacked(self, X: Any, y: ArrayLike, classes: ArrayLike) -> tuple[Any, NDArray[Any], Floats]:
        """Add the imagined documents below the real ones: X, y and sample weights, for any other model.

        `PresenceNB`, say, which counts in how many documents of a class each word occurs: the imagined ones of a class
        are one document of weight s that holds every word of its text.

        Examples
        --------
        >>> from scipy.sparse import csr_matrix
        >>> from priorwise import PresenceNB
        >>> known = ImaginedTexts(None, csr_matrix([[0, 0, 0], [0, 1, 1]]), "documents", strength=5)
        >>> X, y, weight = known.stacked([[1, 0, 0], [1, 1, 0]], ["other", "top"], ["other", "top"])
        >>> X.toarray().tolist(), y.tolist(), weight.tolist()
        ([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]], ['other', 'top', 'top'], [1.0, 1.0, 5.0])
        """
        from scipy.sparse import csr_matrix, vstack

        names, real = np.asarray(classes), csr_matrix(X, dtype=np.float64)
        self.counts(len(names), real.shape[1])
        held = np.flatnonzero(np.diff(self.shares.indptr) > 0)
        scale = self.strength if self.of == "words" else 1.0
        weights = np.ones(len(held)) if self.of == "words" else np.full(len(held), self.strength)
        return (
            vstack([real, scale * self.shares[held]], format="csr"),
            np.concatenate([np.asarray(y), names[held]]),
            np.concatenate([np.ones(real.shape[0]), weights]),
        )


def imagines(prior: Any) -> bool:
    """Whether a prior adds imagined counts of its own for each class."""
    return isinstance(prior, ImaginedTexts)


def smoothing_of(prior: Any) -> Any:
    """The prior that all words share: a prior itself, unless it imagines texts."""
    return prior.prior if isinstance(prior, ImaginedTexts) else prior
