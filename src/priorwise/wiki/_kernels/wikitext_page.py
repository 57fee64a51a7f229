"""What is open on a wikitext page, and what happens to the output when something closes.

The output is only ever appended to and cut back, never moved, so that nothing is touched twice.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import helper
from priorwise.wiki._kernels import wikitext_marks as marks
from priorwise.wiki._kernels.wikitext_names import (
    CATEGORY,
    EXTERNAL,
    FILE,
    HEADING,
    LANGUAGE,
    LINK,
    TEMPLATE,
    is_space,
    name_value,
)

# A row of the stack: what is open, the output's length before it, where its latest part begins (-1 before the first
# pipe), and how many categories were known before it. Of an inline template also the arguments that are shown, as bits,
# and the number of the argument that is being read, 0 while that is the name.
KIND, START, PART, KNOWN, SHOWN, ARGUMENT = range(6)
COLUMNS = 6
DEEPEST = 1 << 16
MOST_ARGUMENTS = 30

# What the scanner knows of a page: where its text begins; how much is open; where in the output the heading of this
# line and the heading of the references begin, or -1; the categories; the flags. The last four count what is open.
BASE, DEPTH, HEADING_AT, REFERENCES_AT, CATEGORIES, FLAGS, OPEN = range(7)
FIELDS = OPEN + LINK + 1

_NEWLINE, _SPACE, _COLON, _EQUALS, _PIPE = 10, 32, 58, 61, 124


@helper
def line_ended(
    out: NDArray[np.uint8], n: int, page: NDArray[np.int64], stack: NDArray[np.int64], names: NDArray[np.int64]
) -> int:
    """End a heading, give up the links that must end in their line, and append a line's end."""
    start = page[HEADING_AT]
    page[HEADING_AT] = -1
    if start >= 0:
        line_end = _end_without(out, start, n, _SPACE)
        text_end = _end_without(out, start, line_end, _EQUALS)
        if start < text_end < line_end:
            n = _end_without(out, start, text_end, _SPACE)
            if page[REFERENCES_AT] < 0 and name_value(names, out, start, n, HEADING):
                page[REFERENCES_AT] = start
    while page[DEPTH] > 0:
        kind, part = stack[page[DEPTH] - 1, KIND], stack[page[DEPTH] - 1, PART]
        if kind != EXTERNAL and not (part < 0 and kind in (LINK, CATEGORY, LANGUAGE)):
            break
        popped(stack, page)
    return with_newline(out, n, page[BASE])


@helper
def _end_without(out: NDArray[np.uint8], start: int, end: int, byte: int) -> int:
    while end > start and out[end - 1] == byte:
        end -= 1
    return end


@helper
def with_newline(out: NDArray[np.uint8], n: int, base: int) -> int:
    """Append a line's end, but none at the beginning and at most two in a row."""
    if n == base or (n - base >= 2 and out[n - 1] == _NEWLINE and out[n - 2] == _NEWLINE):
        return n
    out[n] = _NEWLINE
    return n + 1


@helper
def trimmed(out: NDArray[np.uint8], start: int, end: int) -> int:
    """Remove white space at both ends of a text; return its new end."""
    while end > start and is_space(out[end - 1]):
        end -= 1
    first = start
    while first < end and is_space(out[first]):
        first += 1
    if first > start:
        for i in range(first, end):
            out[i - first + start] = out[i]
    return end - first + start


@helper
def opened(stack: NDArray[np.int64], page: NDArray[np.int64], kind: int, n: int) -> None:
    """Put what opens here on the stack; when that is full, it counts as never closed."""
    row = page[DEPTH]
    if row == stack.shape[0]:
        return
    stack[row, KIND], stack[row, START], stack[row, PART] = kind, n, -1
    stack[row, KNOWN] = page[CATEGORIES]
    stack[row, SHOWN] = stack[row, ARGUMENT] = 0
    page[DEPTH] += 1
    page[OPEN + min(kind, LINK)] += 1


@helper
def popped(stack: NDArray[np.int64], page: NDArray[np.int64]) -> int:
    """Take the innermost construct from the stack; return its row, which stays readable."""
    page[DEPTH] -= 1
    page[OPEN + min(stack[page[DEPTH], KIND], LINK)] -= 1
    return page[DEPTH]


@helper
def shows(stack: NDArray[np.int64], page: NDArray[np.int64], shown: int) -> None:
    """Say which arguments of the template that was opened last are shown."""
    row = page[DEPTH] - 1
    if stack[row, KIND] == TEMPLATE and stack[row, SHOWN] == 0 and stack[row, ARGUMENT] == 0:
        stack[row, SHOWN] = shown


@helper
def argument_ended(out: NDArray[np.uint8], n: int, page: NDArray[np.int64], stack: NDArray[np.int64], row: int) -> int:
    """Drop the part of an inline template that has just ended, unless it is an argument that is shown; then a space."""
    argument = stack[row, ARGUMENT]
    if argument == 0:
        n = cut_back(page, stack[row, START])
        stack[row, ARGUMENT] = 1
    else:
        begin = stack[row, PART]
        named = False
        for i in range(begin, n):
            named |= out[i] == _EQUALS
        if named or argument > MOST_ARGUMENTS or not stack[row, SHOWN] >> argument & 1:
            n = cut_back(page, begin)
        else:
            while n > begin and is_space(out[n - 1]):
                n -= 1
            if n > begin:
                out[n] = _SPACE
                n += 1
        if not named:
            stack[row, ARGUMENT] += 1
    stack[row, PART] = n
    return n


@helper
def closed(out: NDArray[np.uint8], stack: NDArray[np.int64], page: NDArray[np.int64], kind: int, n: int) -> int:
    """Close the innermost template or table and drop what stands in it, but for what an inline template shows."""
    row = popped(stack, page)
    while stack[row, KIND] != kind:
        row = popped(stack, page)
    if kind == TEMPLATE:
        page[CATEGORIES] = stack[row, KNOWN]
        if stack[row, SHOWN]:
            n = argument_ended(out, n, page, stack, row)
            while n > stack[row, START] and is_space(out[n - 1]):
                n -= 1
            return n
    return cut_back(page, stack[row, START])


@helper
def cut_back(page: NDArray[np.int64], n: int) -> int:
    """Forget the headings that stood in what is dropped."""
    if page[HEADING_AT] > n:
        page[HEADING_AT] = -1
    if page[REFERENCES_AT] >= n:
        page[REFERENCES_AT] = -1
    return n


@helper
def piped(
    out: NDArray[np.uint8], n: int, page: NDArray[np.int64], stack: NDArray[np.int64], names: NDArray[np.int64]
) -> int:
    """End a part of the innermost link: its target, or of a file link an option or the caption."""
    row = page[DEPTH] - 1
    kind = stack[row, KIND] if row >= 0 else 0
    if kind == FILE:
        n = file_part_ended(out, n, page, stack, row, names)
    elif kind >= LINK and stack[row, PART] < 0:
        if kind == LINK:
            n = cut_back(page, stack[row, START])
        stack[row, PART] = n
    elif kind == TEMPLATE and stack[row, SHOWN]:
        n = argument_ended(out, n, page, stack, row)
    else:
        out[n] = _PIPE
        n += 1
    return n


@helper
def file_part_ended(
    out: NDArray[np.uint8],
    n: int,
    page: NDArray[np.int64],
    stack: NDArray[np.int64],
    row: int,
    names: NDArray[np.int64],
) -> int:
    """Drop the part of a file link that has just ended unless it is a caption; a caption stands in lines of its own."""
    link_has_ended = row == page[DEPTH]
    if stack[row, PART] < 0:
        n = cut_back(page, stack[row, START])
    elif marks.is_file_option(out, stack[row, PART], n, link_has_ended, names):
        n = cut_back(page, stack[row, PART])
    if n > page[BASE] and out[n - 1] != _NEWLINE:
        out[n] = _NEWLINE
        n += 1
    stack[row, PART] = n
    return n


@helper
def link_closed(
    out: NDArray[np.uint8],
    n: int,
    page: NDArray[np.int64],
    stack: NDArray[np.int64],
    names: NDArray[np.int64],
    category_bytes: NDArray[np.uint8],
    category_bounds: NDArray[np.int64],
) -> int:
    """Close the innermost link: its text stays, its target goes, and a category is noted."""
    row = popped(stack, page)
    while stack[row, KIND] < LINK:
        row = popped(stack, page)
    kind = stack[row, KIND]
    if kind == LINK:
        return n
    if kind == FILE:
        return file_part_ended(out, n, page, stack, row, names)
    if kind == CATEGORY:
        name, name_end = stack[row, START], stack[row, PART] if stack[row, PART] >= 0 else n
        while name < name_end and out[name] != _COLON:
            name += 1
        found = page[CATEGORIES]
        used = category_bounds[found]
        for i in range(name + 1, name_end):
            category_bytes[used] = out[i]
            used += 1
        if used > category_bounds[found]:
            category_bounds[found + 1] = used
            page[CATEGORIES] += 1
    return cut_back(page, stack[row, START])
