"""Check the numbers in a corpus before any other loop uses them as places in an array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import kernel


@kernel
def first_wrong_row(offsets: NDArray[Any], values: NDArray[Any], counts: NDArray[np.uint32]) -> int:
    """Return the first row whose numbers do not ascend or reach beyond `counts`, or −1 if all are right.

    Row ``i`` has ``values[offsets[i]:offsets[i + 1]]``; the offsets must have been checked. How often each number
    occurs is added to `counts`.
    """
    limit = np.int64(counts.shape[0])
    for row in range(offsets.shape[0] - 1):
        last = np.int64(-1)
        for place in range(offsets[row], offsets[row + 1]):
            value = np.int64(values[place])
            if value <= last or value >= limit:
                return row
            counts[value] += np.uint32(1)
            last = value
    return -1
