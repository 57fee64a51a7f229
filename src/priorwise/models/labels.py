"""What is told apart: two classes, several, or labels that a document may have any number of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from priorwise.errors import InputError


@dataclass(frozen=True)
class OutputLabels:
    """The classes of a model, and what its outputs stand for.

    Two classes are one output, the second against the first; several classes an output each; labels one output each,
    the label against all documents without it.
    """

    classes: NDArray[Any]
    multilabel: bool = False
    sparse: bool = False

    @classmethod
    def of(cls, y: Any, classes: Any = None) -> OutputLabels:
        """Find out from targets what is told apart; `classes` may name classes that are not among them."""
        check_classification_targets(y)
        kind = type_of_target(y)
        if kind == "multilabel-indicator":
            return cls(np.arange(y.shape[1]), True, sp.issparse(y))
        if kind == "multiclass-multioutput":
            raise InputError("several labels for a document are given as an indicator matrix of zeros and ones")
        return cls(np.unique(y if classes is None else np.asarray(classes)))

    @property
    def against_rest(self) -> bool:
        """Whether an output compares a class with all other documents."""
        return self.multilabel or len(self.classes) == 2

    @property
    def n_outputs(self) -> int:
        return 1 if len(self.classes) == 2 and not self.multilabel else len(self.classes)

    def name(self, output: int) -> str:
        if self.multilabel:
            return f"label {output}"
        return f"class {self.classes.tolist()[1 if self.n_outputs == 1 else output]!r}"

    def membership(self, y: Any) -> sp.csr_matrix:
        """Sparse matrix of ones: which documents are of which output."""
        if self.multilabel:
            found = sp.csr_matrix(y, dtype=np.float64)
            if found.shape[1] != len(self.classes):
                raise InputError(f"Y has {found.shape[1]} columns, but there are {len(self.classes)} labels")
            found.eliminate_zeros()
            return found
        place = np.searchsorted(self.classes, y)
        place[place == len(self.classes)] = 0
        unknown = self.classes[place] != y
        if unknown.any():
            raise InputError(
                f"class {np.asarray(y)[unknown].tolist()[0]!r} was not among the classes of the first call"
            )
        rows = np.arange(len(place))
        if self.n_outputs == 1 and len(self.classes) == 2:
            rows, place = np.flatnonzero(place == 1), np.zeros(np.count_nonzero(place), dtype=np.int64)
        return sp.csr_matrix((np.ones(len(rows)), (rows, place)), shape=(len(y), self.n_outputs))

    def indicator(self, positive: NDArray[np.bool_]) -> Any:
        """Predicted labels in the form in which labels were given."""
        return sp.csr_matrix(positive, dtype=np.int64) if self.sparse else positive.astype(np.int64)
