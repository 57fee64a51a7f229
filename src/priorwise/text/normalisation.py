"""The form in which texts are compared: Unicode NFKC, lower case, one apostrophe."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LAST_POINT = 0x3FFFF
"""Beyond it, in the planes that follow, there are no letters, and nothing changes."""

LONGEST_MARK_RUN = 30
_GRAPHEME_JOINER = "\u034f"
_HANGUL_FOLLOWERS = (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))


class NormalTexts(NamedTuple):
    """Texts in normal form, one after the other.

    `data`: UTF-8 bytes; text ``i`` is ``data[bounds[i]:bounds[i + 1]]``. Some spare bytes follow the last.
    `broken`: which texts held bytes that are not UTF-8; each of those became U+FFFD.
    """

    data: NDArray[np.uint8]
    bounds: NDArray[np.int64]
    broken: NDArray[np.bool_]


def normalise(text: str) -> bytes:
    """Return a text in NFKC and lower case as UTF-8, ready to be cut into tokens."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _with_bounded_mark_runs(text)).replace("’", "'")
    return text.lower().encode("utf-8", "replace")


def normalise_texts(data: NDArray[np.uint8], spans: NDArray[np.int64]) -> NormalTexts:
    """Put many texts in normal form at once; releases the interpreter's lock for nearly all of the time."""
    from priorwise.kernels.words import SPARE, as_words, read_only
    from priorwise.text._kernels.normalisation import find_runs, write_normal

    data = read_only(data)
    words = as_words(data)
    fate, starts, lengths, replacements = _changes()
    sizes, broken = np.empty(len(spans), np.int64), np.empty(len(spans), np.bool_)
    runs = np.empty((data.size // 8 + 1, 3), np.int64)
    n_runs = find_runs(data, words, spans, fate, lengths, runs, sizes, broken)
    if n_runs > len(runs):
        runs = np.empty((n_runs, 3), np.int64)
        find_runs(data, words, spans, fate, lengths, runs, sizes, broken)
    runs = runs[:n_runs]
    normal = _normal_runs([data[start:end].tobytes() for _, start, end in runs.tolist()])
    run_bounds = np.zeros(len(normal) + 1, np.int64)
    np.cumsum([len(run) for run in normal], out=run_bounds[1:])
    np.add.at(sizes, runs[:, 0], np.diff(run_bounds))
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    run_data = np.frombuffer(b"".join(normal), np.uint8)
    out = np.empty(bounds[-1] + SPARE, np.uint8)
    out[bounds[-1] :] = 0
    write_normal(data, words, spans, fate, starts, lengths, replacements, runs, run_bounds, run_data, out)
    return NormalTexts(out, bounds, broken)


def _normal_runs(runs: list[bytes]) -> list[bytes]:
    # A line's end joins with nothing either, so one call serves all runs.
    return normalise(b"\n".join(runs).decode("utf-8", "replace")).split(b"\n") if runs else []


@cache
def _changes() -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]:
    """Return what becomes of each code point: its fate, and where its replacement begins and how long it is."""
    from priorwise.text._kernels.normalisation import REPLACED, TOGETHER

    # A line's end joins with nothing, so one call serves all characters.
    characters = [chr(point) for point in range(0x80, LAST_POINT + 1) if not 0xD800 <= point <= 0xDFFF]
    listed = "\n".join(characters)
    composed = unicodedata.normalize("NFKC", listed).replace("’", "'").split("\n")
    decomposed = unicodedata.normalize("NFKD", listed).split("\n")
    joining = _joining_with_what_precedes()

    fate = np.zeros(LAST_POINT + 1, np.uint8)
    starts = np.zeros(LAST_POINT + 1, np.int32)
    lengths = np.zeros(LAST_POINT + 1, np.int32)
    replacements = bytearray()
    for character, whole, parts in zip(characters, composed, decomposed, strict=True):
        point, changed = ord(character), whole.lower()
        if parts[0] in joining or "Σ" in whole:
            fate[point] = TOGETHER
        elif changed != character:
            encoded = changed.encode()
            fate[point], starts[point], lengths[point] = REPLACED, len(replacements), len(encoded)
            replacements += encoded
    return fate, starts, lengths, np.frombuffer(bytes(replacements), np.uint8)


def _joining_with_what_precedes() -> set[str]:
    joining = set(map(chr, _HANGUL_FOLLOWERS))
    for character in map(chr, range(0x80, LAST_POINT + 1)):
        parts = unicodedata.decomposition(character).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            joining.add(chr(int(parts[1], 16)))
        if unicodedata.combining(character):
            joining.add(character)
    return joining


def _with_bounded_mark_runs(text: str) -> str:
    # Normalising sorts each run of marks in quadratic time. Unicode's stream-safe format (UAX 15) bounds the runs.
    points = np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32)
    if np.count_nonzero(_sorts_as_mark()[np.minimum(points, LAST_POINT)]) < LONGEST_MARK_RUN:
        return text
    return _mark_run().sub(lambda run: run.group() + _GRAPHEME_JOINER, text)


@cache
def _mark_run() -> re.Pattern[str]:
    marks = "".join(map(chr, np.flatnonzero(_sorts_as_mark()).tolist()))
    return re.compile(f"[{marks}]{{{LONGEST_MARK_RUN}}}")


@cache
def _sorts_as_mark() -> NDArray[np.bool_]:
    normalize, combining = unicodedata.normalize, unicodedata.combining
    return np.array([combining(normalize("NFKD", chr(point))[0]) > 0 for point in range(LAST_POINT + 1)])
