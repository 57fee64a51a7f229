"""Find labels by a name that may be incomplete or mistyped.

Four passes, each over the whole column at once: equal, begins with, contains, nearly contains. The last counts the
fewest letters to add, drop or change so that the query occurs somewhere in the label, for all labels in parallel:
Myers, *A fast bit-vector algorithm for approximate string matching based on dynamic programming*, 1999.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

LONGEST_QUERY = 63
_COMPARED_BY_DIFFLIB = 300
# A query longer than so many letters may have so many mistakes; two letters swapped are two.
_MISTAKES = ((9, 3), (3, 2), (2, 1), (0, 0))


class LabelSearch:
    """Search among names, the more members the higher among equals.

    Parameters
    ----------
    labels : pyarrow.Array of string
    sizes : ndarray
        Members of each.

    Examples
    --------
    >>> search = LabelSearch(pa.array(["Machine learning", "Washing machines", "Music"]), np.array([199, 12, 90]))
    >>> search("machien")
    [('Machine learning', 199), ('Washing machines', 12)]
    """

    def __init__(self, labels: pa.Array, sizes: NDArray[np.int64]) -> None:
        self.labels = labels
        self.sizes = sizes
        self._lower = pc.utf8_lower(labels)

    def __call__(self, query: str, limit: int = 10) -> list[tuple[str, int]]:
        """Return the best labels with their sizes."""
        wanted = query.strip().lower().encode("utf-8", "replace").decode()
        if not wanted or limit <= 0:
            return []
        lower, found = self._lower, dict[int, None]()
        for find in (pc.equal, pc.starts_with, pc.match_substring):
            rows = np.flatnonzero(find(lower, wanted).to_numpy(zero_copy_only=False))
            largest_first = rows[np.lexsort((rows, -self.sizes[rows]))]
            found.update(dict.fromkeys(largest_first[: limit + len(found)].tolist()))
            if len(found) >= limit:
                break
        else:
            found.update(dict.fromkeys(self._misspelt(wanted)))
        return [(self.labels[row].as_py(), int(self.sizes[row])) for row in list(found)[:limit]]

    def _misspelt(self, wanted: str) -> list[int]:
        pattern = wanted.encode()[:LONGEST_QUERY]
        allowed = next(mistakes for longer_than, mistakes in _MISTAKES if len(wanted) > longer_than)
        rows = np.flatnonzero(self._shares_a_piece(wanted, allowed))
        distance = nearest_occurrence(pattern, self._lower.take(pa.array(rows)))
        near = np.flatnonzero(distance <= allowed)
        length = pc.utf8_length(self._lower.take(pa.array(rows[near]))).to_numpy()
        best = near[np.lexsort((rows[near], -self.sizes[rows[near]], np.abs(length - len(wanted)), distance[near]))]
        best = best[:_COMPARED_BY_DIFFLIB]

        def likeness(place: int) -> tuple[int, float, int, int]:
            ratio = SequenceMatcher(None, wanted, self._lower[int(rows[place])].as_py()).ratio()
            return int(distance[place]), -ratio, -int(self.sizes[rows[place]]), int(rows[place])

        return [int(rows[place]) for place in sorted(best.tolist(), key=likeness)]

    def _shares_a_piece(self, wanted: str, allowed: int) -> NDArray[np.bool_]:
        # With k mistakes, one of k + 1 pieces of the query is left whole.
        shares = np.zeros(len(self.labels), np.bool_)
        cuts = np.linspace(0, len(wanted), allowed + 2).astype(int).tolist()
        for start, end in pairwise(cuts):
            shares |= pc.match_substring(self._lower, wanted[start:end]).to_numpy(zero_copy_only=False)
        return shares


def nearest_occurrence(pattern: bytes, texts: pa.Array) -> NDArray[np.int64]:
    """Return for each text the edit distance of the pattern to the piece of the text that is nearest to it.

    Examples
    --------
    >>> nearest_occurrence(b"machien", pa.array(["the machine age", "music"])).tolist()
    [1, 5]
    """
    one = np.uint64(1)
    masks = np.zeros(256, np.uint64)
    for i, byte in enumerate(pattern):
        masks[byte] |= one << np.uint64(i)
    last = np.uint64(len(pattern) - 1)
    offsets = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    buffer = texts.buffers()[2]
    data = np.frombuffer(buffer, np.uint8) if buffer is not None and buffer.size else np.zeros(1, np.uint8)

    by_length = np.argsort(offsets[:-1] - offsets[1:], kind="stable")
    start, length = offsets[by_length], (offsets[1:] - offsets[:-1])[by_length]
    up = np.full(len(texts), ~np.uint64(0))
    down = np.zeros(len(texts), np.uint64)
    score = np.full(len(texts), len(pattern), np.int64)
    best = score.copy()
    for column in range(int(length[0]) if len(length) else 0):
        # Longest first, so the texts that go on are the first ones.
        n = int(np.searchsorted(-length, -column))
        equal = masks[data[start[:n] + column]]
        vertical = equal | down[:n]
        equal = (((equal & up[:n]) + up[:n]) ^ up[:n]) | equal
        rise = down[:n] | ~(equal | up[:n])
        fall = up[:n] & equal
        score[:n] += ((rise >> last) & one).astype(np.int64) - ((fall >> last) & one).astype(np.int64)
        rise <<= one
        fall <<= one
        up[:n] = fall | ~(vertical | rise)
        down[:n] = rise & vertical
        np.minimum(best[:n], score[:n], out=best[:n])
    distance = np.empty_like(best)
    distance[by_length] = best
    return distance
