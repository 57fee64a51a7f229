"""How counts become features, as a saved model keeps it: formulas and numbers, without scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from priorwise.errors import InputError
from priorwise.kernels import Floats

FREQUENCIES = ("log", "raw", "boolean")


def term_frequency(counts: Floats, kind: str) -> Floats:
    """What counts above 0 say: themselves (raw), 1 (boolean), or 1 + log f (log)."""
    if kind == "raw":
        return counts
    if kind == "boolean":
        return np.ones_like(counts)
    if kind == "log":
        return 1.0 + np.log(counts)
    raise InputError(f"no term frequency '{kind}'; there are 'log', 'raw' and 'boolean'")


def inverse_document_frequency(holding: ArrayLike, documents: int, kind: str) -> Floats:
    """How rare words in this many documents are: one of the formulas of `InverseDocumentFrequency`."""
    n, N = np.asarray(holding, dtype=np.float64), documents
    if kind == "plain":
        return np.log(np.where(n > 0, N / np.maximum(n, 1), 1.0))
    if kind in ("lookahead", "smooth"):
        return np.log((N + 1) / (n + 1)) + (kind == "smooth")
    raise InputError(f"no inverse document frequency '{kind}'; there are 'lookahead', 'plain' and 'smooth'")


@dataclass(frozen=True, eq=False)
class Recipe:
    """A term frequency, times a factor for each column if there are any, each row then of length 1 if wanted.

    `frequency` ("log", "raw", "boolean"): what a count says. `factors` (shape (n_features,)): what each column is
    multiplied by: inverse document frequencies, as a rule. `cosine`: whether a document's numbers are divided by
    the root of the sum of their squares. `unknown`: the factor of a word that has no column. Such words then make a
    document longer; by default they do not count.
    """

    frequency: str = "log"
    factors: Floats | None = None
    cosine: bool = False
    unknown: float | None = None

    def __post_init__(self) -> None:
        if self.frequency not in FREQUENCIES:
            raise InputError(f"no term frequency '{self.frequency}'; there are 'log', 'raw' and 'boolean'")

    def apply(self, counts: Any, beyond: Floats | None = None) -> Any:
        """Turn a sparse matrix of counts, documents in rows, into features.

        `beyond` is what words without a column add to each row's squared length.
        """
        from scipy.sparse import csr_matrix

        data = term_frequency(np.asarray(counts.data, dtype=np.float64), self.frequency)
        if self.factors is not None:
            data = data * self.factors[counts.indices]
        if self.cosine:
            sizes = np.diff(counts.indptr)
            squares = np.bincount(np.repeat(np.arange(counts.shape[0]), sizes), data**2, counts.shape[0])
            length = np.sqrt(squares if beyond is None else squares + beyond)
            data = data / np.repeat(np.where(length > 0, length, 1.0), sizes)
        return csr_matrix((data, counts.indices, counts.indptr), shape=counts.shape)
