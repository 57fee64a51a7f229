"""Whether unpenalised features tell the classes apart, so that no finite weights are best."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from priorwise.errors import InputError

Floats = NDArray[np.float64]


def is_separated(columns: Floats, positive: NDArray[np.bool_]) -> bool:
    """Tell whether some weights put no case on the wrong side, and at least one on the right side.

    By linear programming: maximise Σ y_i x_iᵀc over |c_j| ≤ 1, such that every y_i x_iᵀc is at least 0. The likelihood
    has a finite maximum exactly if the answer is 0 (Albert and Anderson 1984).

    Examples
    --------
    >>> column = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> ones = np.ones((4, 1))
    >>> is_separated(np.hstack([column, ones]), np.array([False, False, True, True]))
    True
    >>> is_separated(np.hstack([column, ones]), np.array([False, True, False, True]))
    False
    """
    from scipy.optimize import linprog

    signed = np.where(positive, 1.0, -1.0)[:, np.newaxis] * columns
    signed = signed / np.maximum(np.abs(signed).max(axis=0, initial=0.0), 1e-300)
    found = linprog(-signed.sum(axis=0), A_ub=sp.csr_matrix(-signed), b_ub=np.zeros(len(signed)), bounds=(-1.0, 1.0))
    return bool(found.status == 0 and -found.fun > 1e-7)


def separated(flat: NDArray[np.int64], name: str) -> InputError:
    """What to say of unpenalised columns that tell a class from the rest."""
    more = f" and {len(flat) - 1} more" if len(flat) > 1 else ""
    return InputError(
        f"the features of infinite variance (column {flat[0]}{more}) tell {name} from the rest without error, so no "
        "finite weights are best: give them a finite variance"
    )
