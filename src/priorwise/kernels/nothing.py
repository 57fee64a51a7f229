"""What rounding leaves of a count, after subtractions, when nothing is left."""

NOTHING = 1e-9
"""A count below this is none at all."""
