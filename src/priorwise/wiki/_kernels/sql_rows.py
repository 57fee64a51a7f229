"""Cut the rows of a SQL ``INSERT`` statement, and keep the values of some columns.

A row is read whole or not at all: the kernel stops before the first row that the buffer does not hold to its end, and
continues there when it is called with more. So it keeps no state inside a row, and needs no memory but the buffer.

The work for a row is in one function: a call with an array counts its references, which took longer than
the reading. The helpers are for values that are rare, such as strings with a backslash.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import helper, kernel

# What is done with a column's values.
SKIP, INTEGER, TEXT, TITLE = range(4)

# Why the kernel came back: it needs more bytes; the statement has ended; or something is wrong at this place.
MORE, ENDED, NO_ROW, NO_VALUE, WRONG_WIDTH, NO_INTEGER = range(6)

# What a value is written as. A plain string has no backslash and no doubled quotation mark.
_NOTHING, _DIGITS, _NUMBER, _HEXADECIMAL, _PLAIN, _STRING = range(6)

_BACKSLASH, _COMMA, _DOUBLE, _QUOTE, _MINUS, _PLUS, _POINT = 92, 44, 34, 39, 45, 43, 46
_OPEN, _CLOSE, _SEMICOLON, _SPACE, _PERCENT, _UNDERSCORE, _ZERO, _NINE = 40, 41, 59, 32, 37, 95, 48, 57
_E, _L, _N, _U, _X = 101, 108, 110, 117, 120
# This many digits surely fit into 63 bits.
_DECIMAL_DIGITS, _HEXADECIMAL_DIGITS = 18, 15


@kernel
def read_rows(
    data: NDArray[np.uint8],
    at: int,
    end: int,
    after_row: bool,
    kinds: NDArray[np.int64],
    slots: NDArray[np.int64],
    rows: int,
    integers: NDArray[np.int64],
    texts: NDArray[np.uint8],
    bounds: NDArray[np.int32],
    nulls: NDArray[np.uint8],
) -> tuple[int, bool, int, int]:
    """Read the rows of ``data[at:end]`` and append them to those that are there.

    ``kinds`` and ``slots`` say for each column what it is and which row of ``integers``, or of ``texts`` and
    ``bounds``, its values go to; ``nulls`` has the integers' rows first. All have room for whatever the buffer can
    hold. Returns where it stopped, whether it is after a row there (a comma or the end must follow), the number of
    rows, and why.
    """
    resume = at
    while True:
        while at < end and _is_space(data[at]):
            at += 1
        if at == end:
            return resume, after_row, rows, MORE
        if after_row and data[at] == _COMMA:
            at, after_row = at + 1, False
            resume = at
            continue
        if after_row:
            return (at + 1, False, rows, ENDED) if data[at] == _SEMICOLON else (at, True, rows, NO_ROW)
        if data[at] != _OPEN:
            return at, False, rows, NO_ROW

        for column in range(kinds.size):
            at += 1
            while at < end and _is_space(data[at]):
                at += 1
            if at < end and data[at] == _UNDERSCORE:
                at = _after_introducer(data, at, end)
            if at == end:
                return resume, False, rows, MORE

            # Find the value's end, and what it is written as.
            start, first, form, number = at, data[at], _NOTHING, np.int64(0)
            if first in (_QUOTE, _DOUBLE):
                form = _PLAIN
                at += 1
                while at < end:
                    byte = data[at]
                    at += 1
                    if byte == first:
                        if at == end or data[at] != first:
                            break
                        form = _STRING
                        at += 1
                    elif byte == _BACKSLASH:
                        form = _STRING
                        at += 1
            elif _ZERO <= first <= _NINE or first in (_MINUS, _PLUS, _POINT):
                form = _DIGITS
                while at < end and _ZERO <= data[at] <= _NINE:
                    number = number * 10 + (np.int64(data[at]) - _ZERO)
                    at += 1
                if at < end and data[at] not in (_COMMA, _CLOSE):
                    at, form = _after_number(data, start, end)
            elif first | 32 == _N:
                at = _after_null(data, at, end)
                if at < 0:
                    return start, False, rows, NO_VALUE
            else:
                return start, False, rows, NO_VALUE
            if at >= end:
                return resume, False, rows, MORE

            kind, slot = kinds[column], slots[column]
            if kind == INTEGER:
                fine = form == _NOTHING or (form == _DIGITS and at - start <= _DECIMAL_DIGITS)
                if not fine:
                    number, fine = _integer(data, start, at, form)
                if not fine:
                    return start, False, rows, NO_INTEGER
                integers[slot, rows] = number
                nulls[slot, rows] = form == _NOTHING
            elif kind != SKIP:
                n = np.int64(bounds[slot, rows])
                if form == _PLAIN:
                    for i in range(at - start - 2):
                        texts[slot, n + i] = data[start + 1 + i]
                    if kind == TITLE:
                        for i in range(n, n + at - start - 2):
                            if texts[slot, i] == _UNDERSCORE:
                                texts[slot, i] = _SPACE
                    n += at - start - 2
                elif form != _NOTHING:
                    n = _copied(data, start, at, form, texts, slot, n, kind == TITLE)
                bounds[slot, rows + 1] = n
                nulls[integers.shape[0] + slot, rows] = form == _NOTHING

            while at < end and _is_space(data[at]):
                at += 1
            if at == end:
                return resume, False, rows, MORE
            if data[at] != (_CLOSE if column == kinds.size - 1 else _COMMA):
                return at, False, rows, WRONG_WIDTH if data[at] in (_CLOSE, _COMMA) else NO_VALUE
        at, after_row, rows = at + 1, True, rows + 1
        resume = at


@helper
def _after_introducer(data: NDArray[np.uint8], at: int, end: int) -> int:
    """Return the place after a character set's name such as ``_binary``, and the spaces after that."""
    while at < end and (data[at] == _UNDERSCORE or _ZERO <= data[at] <= _NINE or 97 <= data[at] | 32 <= 122):
        at += 1
    while at < end and _is_space(data[at]):
        at += 1
    return at


@helper
def _after_null(data: NDArray[np.uint8], at: int, end: int) -> int:
    """Return the place after ``NULL``, ``end`` if it is cut off, -1 if it is something else."""
    for letter in (_N, _U, _L, _L):
        if at == end:
            return end
        if data[at] | 32 != letter:
            return -1
        at += 1
    return at


@helper
def _after_number(data: NDArray[np.uint8], at: int, end: int) -> tuple[int, int]:
    """Return the place after a number that has more than digits, and its form."""
    if at + 1 < end and data[at] == _ZERO and data[at + 1] | 32 == _X:
        at += 2
        while at < end and _digit(data[at]) >= 0:
            at += 1
        return at, _HEXADECIMAL
    digits = True
    while at < end and (_ZERO <= data[at] <= _NINE or data[at] in (_MINUS, _PLUS, _POINT) or data[at] | 32 == _E):
        digits &= _ZERO <= data[at] <= _NINE
        at += 1
    return at, _DIGITS if digits else _NUMBER


@helper
def _integer(data: NDArray[np.uint8], at: int, end: int, form: int) -> tuple[Any, bool]:
    """Return a whole number, with a sign, in quotes or in hexadecimal digits, and whether it is one that fits."""
    value = np.int64(0)
    if form == _HEXADECIMAL:
        for i in range(at + 2, end):
            value = value << 4 | _digit(data[i])
        return value, end - at <= 2 + _HEXADECIMAL_DIGITS
    if form >= _PLAIN:
        at, end = at + 1, end - 1
    negative = at < end and data[at] == _MINUS
    if negative:
        at += 1
    fine = 0 < end - at <= _DECIMAL_DIGITS
    for i in range(at, end):
        fine &= _ZERO <= data[i] <= _NINE
        value = value * 10 + (np.int64(data[i]) - _ZERO)
    return (-value if negative else value), fine


@helper
def _copied(
    data: NDArray[np.uint8], at: int, end: int, form: int, texts: NDArray[np.uint8], slot: int, n: int, title: bool
) -> int:
    """Copy what a value says, with spaces for a title's underscores; return the place after it in the output."""
    if form == _HEXADECIMAL:
        # With an odd number of digits the first byte has one.
        half, byte = (end - at) % 2, np.int64(0)
        for i in range(at + 2, end):
            byte = byte << 4 | _digit(data[i])
            half += 1
            if half % 2 == 0:
                texts[slot, n] = _SPACE if title and byte == _UNDERSCORE else byte
                n, byte = n + 1, np.int64(0)
        return n
    if form != _STRING:
        for i in range(at, end):
            texts[slot, n] = data[i]
            n += 1
        return n
    quote = data[at]
    at, end = at + 1, end - 1
    while at < end:
        byte = np.int64(data[at])
        at += 1
        if byte == quote:
            at += 1
        elif byte == _BACKSLASH:
            byte = _escaped(data[at])
            if data[at] in (_PERCENT, _UNDERSCORE):  # these two keep their backslash
                texts[slot, n] = _BACKSLASH
                n += 1
            at += 1
        texts[slot, n] = _SPACE if title and byte == _UNDERSCORE else byte
        n += 1
    return n


@helper
def _escaped(byte: int) -> Any:
    """Return what a byte after a backslash stands for."""
    for letter, meaning in ((48, 0), (98, 8), (110, 10), (114, 13), (116, 9), (90, 26)):
        if byte == letter:
            return np.int64(meaning)
    return np.int64(byte)


@helper
def _digit(byte: int) -> Any:
    """Return the value of a hexadecimal digit, -1 for any other character."""
    if _ZERO <= byte <= _NINE:
        return np.int64(byte) - _ZERO
    if 97 <= byte | 32 <= 102:
        return (np.int64(byte) | 32) - 87
    return np.int64(-1)


@helper
def _is_space(byte: int) -> bool:
    return byte == _SPACE or 9 <= byte <= 13
