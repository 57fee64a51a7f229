"""The compiled inner loops that several folders use: arrays in, arrays out, no project types."""

import numpy as np
from numpy.typing import NDArray

from priorwise.kept_code import find_room

Floats = NDArray[np.float64]
Block = NDArray[np.float32]
Ints = NDArray[np.int64]
Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]

NOTHING = 1e-9
"""A count below this is zero: subtractions leave a rest of this size."""

TIE = 1e-9
"""A score this close to zero is a tie, and a tie is not positive: sums of a thousand logarithms are no more exact."""

find_room()
