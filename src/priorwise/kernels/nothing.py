"""Where rounding ends: numbers this close to zero are zero."""

NOTHING = 1e-9
"""A count below this is none at all: it is what subtractions leave of a count when nothing is left."""

TIE = 1e-9
"""A score this close to zero is a tie, and a tie is not positive: sums of a thousand logarithms are no more exact."""
