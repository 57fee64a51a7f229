"""A whole corpus in the view, as a picture of how many documents are where."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from priorwise.explorer.family import Setting
from priorwise.explorer.view import View

Floats = NDArray[np.float64]

MARGIN = 0.12
CLIPPED = 0.1
"""Per cent of the points at each end that do not widen the picture."""


@dataclass(frozen=True)
class Density:
    """How many documents are where.

    Parameters
    ----------
    low, high : array, shape (2,)
        Where the picture begins and ends: log P(d|c) + log P(c), and log odds.
    bins : array, shape (2, n_rows, n_columns)
        Others, and members; rows are the log odds, ascending, columns the other coordinate.
    """

    low: Floats
    high: Floats
    bins: NDArray[np.float32]


def density_of(view: View, setting: Setting, *, rows: int = 120, columns: int = 180) -> Density:
    """Count all documents of the corpus in a grid that holds nearly all points of the view.

    Examples
    --------
    >>> from priorwise import Corpus, explore
    >>> corpus = Corpus.from_texts(["a b", "a c", "a", "d", "d e", "e"], labels=["x", "x", "x", "y", "y", "y"])
    >>> view = explore(corpus, "x", "beta")
    >>> density_of(view, view.setting).bins.sum(axis=(1, 2)).tolist()
    [3.0, 3.0]
    """
    from priorwise.explorer._kernels.two_sums import add_to_bins

    shown = np.column_stack(view.points(setting))
    low, high = np.percentile(shown, [CLIPPED, 100 - CLIPPED], axis=0)
    if len(shown) < 1000:
        low, high = shown.min(axis=0), shown.max(axis=0)
    wide = np.maximum(high - low, 1e-6)
    low, high = low - MARGIN * wide, high + MARGIN * wide
    is_member = np.zeros(view.corpus.n_documents, dtype=bool)
    is_member[view.corpus.members(view.label)] = True
    bins = np.zeros((2, rows, columns), dtype=np.float32)
    for start, sums in view.shown(setting.family).of_corpus(setting):
        add_to_bins(sums, low, high, is_member[start : start + len(sums)], bins)
    return Density(low, high, bins)
