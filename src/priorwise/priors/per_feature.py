"""Numbers that are given once, per feature, or per class and feature."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.errors import InputError

Floats = NDArray[np.float64]


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
    """Name the first wrong number, and where it stands if there are several."""
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
