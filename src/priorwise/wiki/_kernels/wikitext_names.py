"""The names that mean something in wikitext, in a table, and the few things that every wikitext kernel needs.

Names (namespaces, tags, entities, headings, …) are looked up by a 62-bit key in one table of two columns, key and
value; the value 0 marks an empty row. The sort of name is part of the key.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import helper, kernel


def _constants(n: int) -> Any:
    # NumPy's integers, for Numba would compile a function anew for each literal that it is called with.
    return np.arange(1, n + 1)


NAMESPACE, TAG, ENTITY, HEADING, TEMPLATE_NAME, REDIRECT_WORD, SWITCH, SCHEME, FILE_OPTION = _constants(9)

# What can be open on a page. The last four are links; the value of a namespace says which a link to there is.
TEMPLATE, TABLE, EXTERNAL, LINK, FILE, CATEGORY, LANGUAGE = _constants(7)
# The value of a template that marks a disambiguation page. That of an inline template has a bit for each argument that
# is shown: the first argument's is the second bit.
MARKS_DISAMBIGUATION = 1
# Values of tags.
BREAK, VERBATIM, DROP = 1, 2, 3
# Values of schemes: with two slashes after the colon, or without.
SLASHES, NO_SLASHES = 1, 2

_LOW, _HALF = 0x7FFFFFFF, 31
_PRIMES = 16777619, 1540483477
_TAB, _NEWLINE, _SPACE, _UNDERSCORE = 9, 10, 32, 95


@kernel
def name_key(text: NDArray[np.uint8], start: int, end: int, sort: int) -> Any:
    """Return the key of a name, in which spaces, underscores and the case of ASCII letters count for entities only."""
    low: Any = sort << 8
    high: Any = low
    for i in range(start, end):
        byte = np.int64(text[i])
        if sort != ENTITY:
            if byte in (_SPACE, _UNDERSCORE, _TAB, _NEWLINE):
                continue
            if 65 <= byte <= 90:
                byte += 32
        low = (low ^ byte) * _PRIMES[0] & _LOW
        high = (high ^ byte) * _PRIMES[1] & _LOW
    return high << _HALF | low


@kernel
def name_row(names: NDArray[np.int64], key: int) -> int:
    """Return the row of a key, or the empty one where it would stand."""
    row = (key ^ key >> _HALF) & (names.shape[0] - 1)
    while names[row, 1] != 0 and names[row, 0] != key:
        row = (row + 1) & (names.shape[0] - 1)
    return row


@helper
def name_value(names: NDArray[np.int64], text: NDArray[np.uint8], start: int, end: int, sort: int) -> int:
    """Return the value of a name, 0 when it is unknown."""
    return names[name_row(names, name_key(text, start, end, sort)), 1]


@helper
def is_letter(byte: int) -> bool:
    """Tell whether a byte is an ASCII letter."""
    return 97 <= (byte | 32) <= 122


@helper
def is_space(byte: int) -> bool:
    """Tell whether a byte is a space, a tab or a line's end."""
    return byte == _SPACE or 9 <= byte <= 13
