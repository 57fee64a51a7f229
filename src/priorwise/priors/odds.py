"""A prior on coefficients, told as what it believes of the odds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BEYOND_WORDS = 1e6
"""Odds beyond this say nothing to a person."""


def odds_table(names: Sequence[object], mode: Floats, variance: Floats, limit: int) -> str:
    """Lay out modes and variances as a table that a person can read.

    Examples
    --------
    >>> print(odds_table(["wheat"], np.array([np.log(7)]), np.array([np.inf]), 5))
    word     mode  ± spread  as odds
    wheat  1.9459       inf  'wheat' is left to the examples
    """
    pairs, place, count = np.unique(np.column_stack([mode, variance]), axis=0, return_inverse=True, return_counts=True)
    common = int(np.argmax(count)) if count.max() > 1 else -1
    special = np.flatnonzero(place.ravel() != common)
    special = special[np.lexsort((special, -variance[special], -np.abs(mode[special])))]
    rows = [("word", "mode", "± spread", "as odds")]
    rows += [_row(str(names[j]), mode[j], variance[j], f"'{names[j]}'") for j in special[:limit]]
    if len(special) > limit:
        rows.append((f"({len(special) - limit:,} more)", "", "", ""))
    if common >= 0:
        name = "every other word" if len(special) else "every word"
        rows.append(_row(name, float(pairs[common, 0]), float(pairs[common, 1]), "it"))
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    lines = [f"{a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}  {d}".rstrip() for a, b, c, d in rows]
    return "\n".join(lines)


def _row(name: str, mode: float, variance: float, subject: str) -> tuple[str, str, str, str]:
    spread = float(np.sqrt(variance))
    return name, f"{mode:.5g}", f"{spread:.3g}", f"{subject} {odds_sentence(mode, spread)}"


def odds_sentence(mode: float, spread: float) -> str:
    """Say what a coefficient of about `mode`, give or take `spread`, does to the odds.

    Examples
    --------
    >>> odds_sentence(np.log(7), 1.0)
    'multiplies the odds by 7, give or take a factor of 2.7'
    >>> odds_sentence(-np.log(4), 0.1)
    'divides the odds by 4, give or take 11%'
    >>> odds_sentence(50.0, 1000.0)
    'multiplies the odds by more than a million, give or take anything'
    """
    if np.isinf(spread):
        return "is left to the examples"
    give = np.exp(min(spread, 700.0))
    margin = f"a factor of {give:.2g}" if give >= 1.5 else f"{100 * (give - 1):.0f}%"
    if give > BEYOND_WORDS:
        margin = "anything"
    if mode == 0:
        return f"leaves the odds as they are, give or take {margin}"
    factor = np.exp(min(abs(mode), 700.0))
    times = f"{factor:.2g}" if factor <= BEYOND_WORDS else "more than a million"
    return f"{'multiplies' if mode > 0 else 'divides'} the odds by {times}, give or take {margin}"
