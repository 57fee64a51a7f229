"""Weights × corpus → ranking: scores, the best of them, why, and how good they are."""
