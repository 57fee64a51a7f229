"""Texts about the classes as imagined counts: knowledge for naive Bayes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.errors import InputError
from priorwise.priors.base import Parameter, Prior
from priorwise.priors.numbers import above_zero

Floats = NDArray[np.float64]

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
        What is believed of every word alike: a Dirichlet, a Beta, or any other that the model takes.
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
    """What is believed of every word alike: a prior itself, unless it imagines texts."""
    return prior.prior if isinstance(prior, ImaginedTexts) else prior
