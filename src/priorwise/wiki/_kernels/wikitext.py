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
from priorwise.wiki._kernels.wikitext_names import (
    BREAK,
    DROP,
    EXTERNAL,
    LINK,
    MARKS_DISAMBIGUATION,
    SWITCH,
    TABLE,
    TAG,
    TEMPLATE,
    VERBATIM,
    name_value,
)
from priorwise.wiki._kernels.wikitext_page import (
    BASE,
    CATEGORIES,
    COLUMNS,
    DEEPEST,
    DEPTH,
    FIELDS,
    FLAGS,
    HEADING_AT,
    KIND,
    OPEN,
    REFERENCES_AT,
    closed,
    line_ended,
    link_closed,
    opened,
    piped,
    popped,
    shows,
    trimmed,
    with_newline,
)

IS_REDIRECT, IS_DISAMBIGUATION, IS_HIDDEN = 1, 2, 4

_NEWLINE, _SPACE, _HASH, _AND, _APOSTROPHE, _STAR, _DASH, _SLASH, _COLON = 10, 32, 35, 38, 39, 42, 45, 47, 58
_LESS, _EQUALS, _OPENING, _CLOSING, _UNDERSCORE, _BRACE, _PIPE, _ENDBRACE = 60, 61, 91, 93, 95, 123, 124, 125

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
    from ``category_offsets[i]`` to ``category_offsets[i + 1]``, which are written as they stand, repeats included.
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
    """Return where the scanner goes on after ``<``, and the output's length."""
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
