"""The compiled inner loops that several folders use: arrays in, arrays out, no project types."""

from priorwise.kernels.kept_code import find_room

NOTHING = 1e-9
"""A count below this is zero: subtractions leave a rest of this size."""

TIE = 1e-9
"""A score this close to zero is a tie, and a tie is not positive: sums of a thousand logarithms are no more exact."""

find_room()
