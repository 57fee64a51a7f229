"""Find the tokens in UTF-8 bytes and count them per document.

``next_token`` is the one place that decides where a token begins and ends; both kernels below call it. The text has
been normalised before (see :mod:`priorwise.text.tokens`), so the only apostrophe is ``'``. In scripts without spaces
tokens overlap, so it also says where to look for the token after.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import helper, kernel
from priorwise.kernels.words import bytes_at

# A token begins with NUMBER or anything after it.
SEPARATOR, APOSTROPHE, POINT, MARK, UNSPACED, PAIRED, ALONE, NUMBER, LETTER, DIGIT = range(10)
LONGEST_TOKEN = 64
TOGETHER = 3
"""How many letters, each with its marks, a token has in a script without spaces."""

# A row of the hash table: the token's key (0 in an empty row), and in one number its own and the place of its latest
# entry. Side by side, so that looking a token up touches one line of the cache.
_KEY, _TOKEN_AND_PLACE = range(2)
_SHORT = 8
_LONG_KEY = np.int64(-1) << np.int64(56)
_PLACE_BITS = 32
_PLACE_MASK = (1 << 32) - 1

_PRIME = np.uint64(0xD6E8FEB86659FD93)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


@helper
def character(data: NDArray[np.uint8], at: int, end: int, classes: NDArray[np.uint8]) -> tuple[Any, int]:
    """Return the class of the character at ``at`` and its width in bytes; a cut-off character is a separator."""
    lead = np.int64(data[at])
    if lead < 0x80:
        return np.int64(classes[lead]), 1
    if lead < 0xE0:
        width, point = 2, lead & 0x1F
    elif lead < 0xF0:
        width, point = 3, lead & 0x0F
    else:
        width, point = 4, lead & 0x07
    if at + width > end:
        return SEPARATOR, end - at
    for i in range(at + 1, at + width):
        point = point << 6 | np.int64(data[i]) & 0x3F
    if point >= classes.size:
        return SEPARATOR, width
    return np.int64(classes[point]), width


@helper
def next_token(data: NDArray[np.uint8], at: int, end: int, classes: NDArray[np.uint8]) -> tuple[int, int, int]:
    """Return where the first token at or after ``at`` begins and ends, and where to look for the token after it.

    Without any token, all three are ``end``. A place below 0 is ``~place``: the pair that begins there has been found,
    and its first character comes next.
    """
    if at < 0:
        at = ~at
        stop = at + character(data, at, end, classes)[1]
        return at, stop, stop
    while at < end:
        if data[at] < 0x80:
            if classes[data[at]] < NUMBER:
                at += 1
                continue
            start = at
            at += 1
            while at < end and data[at] < 0x80 and classes[data[at]] >= NUMBER:
                at += 1
            length, base = at - start, np.int64(classes[data[at - 1]])
            if length <= LONGEST_TOKEN and (at == end or (data[at] < 0x80 and classes[data[at]] == SEPARATOR)):
                return start, at, at
        else:
            kind, width = character(data, at, end, classes)
            if kind == ALONE:
                return at, at + width, at + width
            if kind == PAIRED:
                stop = at + width
                following, wide = character(data, stop, end, classes) if stop < end else (SEPARATOR, 0)
                return (at, stop + wide, ~at) if following == PAIRED else (at, stop, stop)
            if kind == UNSPACED:
                stop, after, length = _together(data, at, end, classes)
                if length <= LONGEST_TOKEN:
                    return at, stop, after
                at = after
                continue
            if kind < NUMBER:
                at += width
                continue
            start, length, base = at, 1, kind
            at += width
        while at < end:
            kind, width = character(data, at, end, classes)
            if kind >= NUMBER:
                base = kind
            elif kind in (APOSTROPHE, POINT):
                wanted = LETTER if kind == APOSTROPHE else DIGIT
                if base != wanted or at + width >= end or character(data, at + width, end, classes)[0] != wanted:
                    break
            elif kind != MARK:
                break
            at += width
            length += 1
        if length <= LONGEST_TOKEN:
            return start, at, at
    return end, end, end


@helper
def _together(data: NDArray[np.uint8], at: int, end: int, classes: NDArray[np.uint8]) -> tuple[int, int, int]:
    """Return where a few letters with their marks end, where to continue, and how many characters they have.

    The next token begins with the second letter, but after the last letters of a run behind them.
    """
    letters, length, second = 0, 0, end
    while at < end:
        kind, width = character(data, at, end, classes)
        if kind == UNSPACED:
            if letters == TOGETHER:
                return at, second, length
            letters += 1
            if letters == 2:
                second = at
        elif kind != MARK:
            break
        at += width
        length += 1
    return at, at, length


@kernel
def token_spans(data: NDArray[np.uint8], classes: NDArray[np.uint8], spans: NDArray[np.int64]) -> int:
    """Write the first byte of every token and the byte after its last, in order; return how many tokens there are."""
    found, at = 0, 0
    while True:
        start, stop, at = next_token(data, at, data.size, classes)
        if start == stop:
            return found
        spans[found, 0] = start
        spans[found, 1] = stop
        found += 1


@kernel
def count_tokens(
    data: NDArray[np.uint8],
    words: NDArray[np.uint64],
    bounds: NDArray[np.int64],
    classes: NDArray[np.uint8],
    table: NDArray[np.int64],
    offsets: NDArray[np.int64],
    tokens: NDArray[np.uint32],
    counts: NDArray[np.uint32],
    names: NDArray[np.uint8],
    name_offsets: NDArray[np.int32],
) -> tuple[int, int]:
    """Count the distinct tokens of each document ``data[bounds[i]:bounds[i + 1]]``; spare bytes follow the last.

    Writes the compressed rows (offsets, token numbers, counts) and the tokens' bytes with their offsets, both of which
    begin with 0 already. Returns how many entries and how many distinct tokens there are. Tokens are numbered, and
    listed within a document, in the order in which they were first seen. The table of zeros has a power of two of rows;
    a larger one replaces it when needed.
    """
    n_known, n_entries, n_bytes = 0, 0, 0

    for document in range(bounds.size - 1):
        at, end, first_entry = bounds[document], bounds[document + 1], n_entries
        while True:
            start, stop, at = next_token(data, at, end, classes)
            if start == stop:
                break
            length = stop - start
            key = _key(words, start, stop)
            row = _first_row(key, table.shape[0])
            while table[row, _KEY] != 0:
                if table[row, _KEY] == key and (
                    length <= _SHORT
                    or _is_name(names, name_offsets, table[row, _TOKEN_AND_PLACE] >> _PLACE_BITS, data, start, length)
                ):
                    break
                row = (row + 1) & (table.shape[0] - 1)

            if table[row, _KEY] == 0:
                for i in range(start, stop):
                    names[n_bytes] = data[i]
                    n_bytes += 1
                token = n_known
                n_known += 1
                name_offsets[n_known] = n_bytes
                place = -1
                table[row, _KEY] = key
            else:
                token = table[row, _TOKEN_AND_PLACE] >> _PLACE_BITS
                place = table[row, _TOKEN_AND_PLACE] & _PLACE_MASK

            if place >= first_entry:
                counts[place] += np.uint32(1)
            else:
                table[row, _TOKEN_AND_PLACE] = token << _PLACE_BITS | n_entries
                tokens[n_entries] = token
                counts[n_entries] = 1
                n_entries += 1
            if 2 * n_known > table.shape[0]:
                table = _wider(table)
        offsets[document + 1] = n_entries
    return n_entries, n_known


@helper
def _key(words: NDArray[np.uint64], start: int, end: int) -> np.int64:
    """Return the bytes of a short token themselves, so that equal keys are equal tokens, and a hash of a long one.

    No byte of a token is 0, and none is 255, with which the key of a long one ends.
    """
    if end - start <= _SHORT:
        return np.int64(bytes_at(words, start, end - start))
    hashed = bytes_at(words, end - 8, 8)
    for at in range(start, end - 8, 8):
        hashed = (hashed ^ bytes_at(words, at, 8)) * _PRIME
        hashed ^= hashed >> _HALF
    return np.int64(hashed) | _LONG_KEY


@helper
def _first_row(key: np.int64, n_rows: int) -> np.int64:
    mixed = np.uint64(key) * _GOLDEN
    mixed = (mixed ^ mixed >> _HALF) * _GOLDEN
    return np.int64(mixed >> _HALF) & (n_rows - 1)


@helper
def _is_name(
    names: NDArray[np.uint8],
    name_offsets: NDArray[np.int32],
    token: int,
    data: NDArray[np.uint8],
    start: int,
    length: int,
) -> bool:
    name = name_offsets[token]
    if name_offsets[token + 1] - name != length:
        return False
    differs = np.uint8(0)
    for i in range(length):
        differs |= names[name + i] ^ data[start + i]
    return differs == 0


@helper
def _wider(table: NDArray[np.int64]) -> NDArray[np.int64]:
    wider = np.zeros((4 * table.shape[0], 2), np.int64)
    for old in range(table.shape[0]):
        if table[old, _KEY] != 0:
            row = _first_row(table[old, _KEY], wider.shape[0])
            while wider[row, _KEY] != 0:
                row = (row + 1) & (wider.shape[0] - 1)
            for i in range(2):
                wider[row, i] = table[old, i]
    return wider
