"""Turn wikitext into plain text in one pass over its bytes.

Everything that is read is appended to the output at once. What opens (a template, a table, a link) is put on a stack
together with the output's length; when it closes, the output is cut back to that length and so what stood inside is
gone. What never closes stays on the stack and costs nothing more. A closing mark closes the innermost construct of its
kind and gives up those opened inside it; each is given up once. So the time is linear in the length of the page.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import helper, kernel
from priorwise.kernels.utf8 import put_point
from priorwise.wiki._kernels import wikitext_marks as marks
from priorwise.wiki._kernels.wikitext_marks import (
    BREAK,
    CATEGORY,
    DROP,
    EXTERNAL,
    FILE,
    HEADING,
    LANGUAGE,
    LINK,
    MARKS_DISAMBIGUATION,
    SWITCH,
    TABLE,
    TAG,
    TEMPLATE,
    VERBATIM,
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

_NEWLINE, _SPACE, _HASH, _AND, _APOSTROPHE, _STAR, _DASH, _SLASH, _COLON = 10, 32, 35, 38, 39, 42, 45, 47, 58
_LESS, _EQUALS, _OPENING, _CLOSING, _UNDERSCORE, _BRACE, _PIPE, _ENDBRACE = 60, 61, 91, 93, 95, 123, 124, 125


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
    """Close the innermost template or table and drop its content, except what an inline template shows."""
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
    """Drop the part of a file link that has just ended unless it is a caption; a caption gets lines of its own."""
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


IS_REDIRECT, IS_DISAMBIGUATION, IS_HIDDEN = 1, 2, 4


_IS_MARK = np.zeros(256, np.bool_)
_IS_MARK[[*b"\n&':<[]_{|}"]] = True


@kernel
def plain_texts(
    data: NDArray[np.uint8],
    spans: NDArray[np.int64],
    names: NDArray[np.int64],
    out: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    flags: NDArray[np.uint8],
    category_bytes: NDArray[np.uint8],
    category_bounds: NDArray[np.int64],
    category_offsets: NDArray[np.int64],
) -> None:
    """Write the plain text of each page ``data[spans[i, 0]:spans[i, 1]]`` to ``out[bounds[i]:bounds[i + 1]]``.

    ``out`` and ``category_bytes`` are as long as the pages together, for no text outgrows its page, and
    ``category_bounds`` has a sixth of that and one, for a category link takes six bytes. Page ``i`` has the categories
    from ``category_offsets[i]`` to ``category_offsets[i + 1]``, as they are written, repeats included.
    """
    stack = np.empty((DEEPEST, COLUMNS), np.int64)
    page = np.empty(FIELDS, np.int64)
    bounds[0] = category_bounds[0] = category_offsets[0] = 0
    for i in range(spans.shape[0]):
        page.fill(0)
        page[BASE], page[CATEGORIES] = bounds[i], category_offsets[i]
        page[HEADING_AT] = page[REFERENCES_AT] = -1
        n = _scan(data, spans[i, 0], spans[i, 1], names, out, category_bytes, category_bounds, page, stack)
        if page[REFERENCES_AT] >= 0:
            n = page[REFERENCES_AT]
        bounds[i + 1] = trimmed(out, page[BASE], n)
        category_offsets[i + 1] = page[CATEGORIES]
        flags[i] = page[FLAGS]


@helper
def _scan(
    data: NDArray[np.uint8],
    start: int,
    end: int,
    names: NDArray[np.int64],
    out: NDArray[np.uint8],
    category_bytes: NDArray[np.uint8],
    category_bounds: NDArray[np.int64],
    page: NDArray[np.int64],
    stack: NDArray[np.int64],
) -> int:
    """Append a page's text to the output; return its new length."""
    if marks.is_redirect(data, start, end, names):
        page[FLAGS] |= IS_REDIRECT
    at, n, at_line_start = start, page[BASE], True
    while at < end:
        if at_line_start:
            at_line_start = False
            if data[at] == _EQUALS:
                page[HEADING_AT] = n
                at = marks.run_end(data, at, end)
                while at < end and data[at] == _SPACE:
                    at += 1
            else:
                at, table = _after_line_marks(data, at, end, page, stack)
                if table > 0:
                    opened(stack, page, TABLE, n)
                if table < 0:
                    n = closed(out, stack, page, TABLE, n)
            continue
        byte = data[at]
        if not _IS_MARK[byte]:
            while not _IS_MARK[byte]:
                out[n] = byte
                n += 1
                at += 1
                if at == end:
                    break
                byte = data[at]
        elif byte == _NEWLINE:
            n = line_ended(out, n, page, stack, names)
            at += 1
            at_line_start = True
        elif byte == _BRACE:
            run = marks.run_end(data, at, end) - at
            at += run
            if run == 1:
                out[n] = byte
                n += 1
                continue
            for _ in range(run // 2):
                opened(stack, page, TEMPLATE, n)
            value = marks.template_value(data, at, end, names)
            if value == MARKS_DISAMBIGUATION:
                page[FLAGS] |= IS_DISAMBIGUATION
            elif value:
                shows(stack, page, value)
        elif byte == _ENDBRACE:
            run = marks.run_end(data, at, end) - at
            at += run
            if run == 1:
                out[n] = byte
                n += 1
            for _ in range(min(run // 2, page[OPEN + TEMPLATE])):
                n = closed(out, stack, page, TEMPLATE, n)
        elif byte == _OPENING:
            double = at + 1 < end and data[at + 1] == _OPENING
            url_end = marks.bracketed_url_end(data, at + 1, end, names)
            if url_end > 0:
                opened(stack, page, EXTERNAL, n)
                at = url_end
            elif not double:
                out[n] = byte
                n += 1
                at += 1
            elif marks.is_single_bracket(data, at, end, names):
                at += 1
            else:
                at += 2
                kind = marks.link_kind(data, at, end, names)
                if at < end and data[at] == _COLON:
                    at += 1
                opened(stack, page, kind, n)
        elif byte == _CLOSING:
            if page[DEPTH] > 0 and stack[page[DEPTH] - 1, KIND] == EXTERNAL:
                popped(stack, page)
                at += 1
            elif at + 1 < end and data[at + 1] == _CLOSING:
                at += 2
                if page[OPEN + LINK] > 0:
                    n = link_closed(out, n, page, stack, names, category_bytes, category_bounds)
            else:
                out[n] = byte
                n += 1
                at += 1
        elif byte == _PIPE:
            at += 1
            n = piped(out, n, page, stack, names)
        elif byte == _LESS:
            comment = at + 3 < end and data[at + 1] == 33 and data[at + 2] == _DASH and data[at + 3] == _DASH
            if comment:
                at_line_start = at == start or data[at - 1] == _NEWLINE
                at = marks.comment_end(data, at, end)
            else:
                at, n = _after_tag(data, at, end, names, out, n, page[BASE])
        elif byte == _APOSTROPHE:
            stop = marks.run_end(data, at, end)
            for _ in range(marks.n_plain_apostrophes(data, start, at, stop, end)):
                out[n] = byte
                n += 1
            at = stop
        elif byte == _AND:
            at, n = _after_entity(data, at, end, names, out, n)
        else:
            scheme = marks.scheme_start(data, start, at, end, names) if byte == _COLON else -1
            stop = marks.switch_end(data, at, end) if byte == _UNDERSCORE else -1
            if scheme >= 0:
                n -= at - scheme
                at = marks.url_end(data, at, end)
            elif stop >= 0:
                # The value of a switch is the flag it sets.
                page[FLAGS] |= name_value(names, data, at, stop, SWITCH)
                at = stop
            else:
                out[n] = byte
                n += 1
                at += 1
    return line_ended(out, n, page, stack, names)


@helper
def _after_line_marks(
    data: NDArray[np.uint8], at: int, end: int, page: NDArray[np.int64], stack: NDArray[np.int64]
) -> tuple[int, int]:
    """Return where a line's own text begins, and 1 or -1 when a table opens or closes there."""
    while at < end and data[at] in (_SPACE, 9, _STAR, _HASH, _COLON, 59):
        at += 1
    if at + 1 >= end:
        return at, 0
    if data[at] == _BRACE and data[at + 1] == _PIPE:
        return at + 2, 1
    if data[at] == _PIPE and data[at + 1] == _ENDBRACE and page[OPEN + TABLE] > 0:
        in_template = stack[page[DEPTH] - 1, KIND] == TEMPLATE
        if not (in_template and at + 2 < end and data[at + 2] == _ENDBRACE):
            return at + 2, -1
    if data[at] == _DASH and marks.run_end(data, at, end) - at >= 4:
        return marks.run_end(data, at, end), 0
    return at, 0


@helper
def _after_tag(
    data: NDArray[np.uint8], at: int, end: int, names: NDArray[np.int64], out: NDArray[np.uint8], n: int, base: int
) -> tuple[int, int]:
    """Return where the scanner continues after ``<``, and the output's length."""
    closing = at + 1 < end and data[at + 1] == _SLASH
    name = at + 2 if closing else at + 1
    name_end = marks.tag_name_end(data, name, end)
    stop = marks.tag_end(data, name_end, end) if name_end > 0 else -1
    if stop < 0:
        out[n] = data[at]
        return at + 1, n + 1
    value = name_value(names, data, name, name_end, TAG)
    if value == BREAK:
        n = with_newline(out, n, base)
    if value in (VERBATIM, DROP) and not closing and data[stop - 2] != _SLASH:
        close = marks.closing_tag(data, name, name_end, stop, end)
        if close >= 0:
            if value == VERBATIM:
                while stop < close:
                    if data[stop] == _NEWLINE:
                        n = with_newline(out, n, base)
                        stop += 1
                    else:
                        stop, n = _after_entity(data, stop, close, names, out, n)
            stop = marks.tag_end(data, close + 1, end)
            return (stop if stop > 0 else close + 2 + name_end - name), n
    return stop, n


@helper
def _after_entity(
    data: NDArray[np.uint8], at: int, end: int, names: NDArray[np.int64], out: NDArray[np.uint8], n: int
) -> tuple[int, int]:
    """Append the entity at ``at``, decoded, or else the byte there."""
    if data[at] != _AND:
        out[n] = data[at]
        return at + 1, n + 1
    point, stop = marks.entity(data, at, end, names)
    if point < 0:
        out[n] = data[at]
        return at + 1, n + 1
    return stop, put_point(out, n, point)
