"""Find the pages in the XML of a MediaWiki export, and undo the XML's escapes.

In valid XML a ``<`` begins a tag and nothing else, so a page is found by looking at those bytes only. Nothing of XML
beyond elements is understood: no entity is defined, so none can grow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import helper, kernel
from priorwise.kernels.utf8 import put_point
from priorwise.kernels.words import find_byte

# The columns of a page.
START, TITLE_START, TITLE_END, NAMESPACE, NUMBER, TEXT_START, TEXT_END, FLAGS = range(8)
NO_NAMESPACE = -(1 << 31)

# What can be said of a page.
REDIRECT, CUT_OFF, TEXT_OPEN, OTHER_MODEL = 1, 2, 4, 8

_BYTES_PER_PAGE = 1 << 10
_OPEN, _CLOSE, _SLASH, _AMP, _SEMICOLON, _HASH, _MINUS = 60, 62, 47, 38, 59, 35, 45
_REPLACEMENT = 0xFFFD


def _bytes(word: str) -> NDArray[np.uint8]:
    return np.frombuffer(word.encode(), np.uint8).copy()


_PAGE, _PAGE_END, _TITLE, _NS, _ID, _MODEL = map(_bytes, ["<page>", "</page>", "<title>", "<ns>", "<id>", "<model>"])
_TEXT, _TEXT_END, _SHA1, _REVISION_END = map(_bytes, ["<text", "</text>", "<sha1", "</revision>"])
_SLOT, _SLOT_END = map(_bytes, ["<content>", "</content>"])
_REDIRECT = _bytes("<redirect")
_WIKITEXT = _bytes("wikitext<")
_LT, _GT, _AMPERSAND, _QUOT, _APOS = map(_bytes, ["lt;", "gt;", "amp;", "quot;", "apos;"])


@helper
def _is(data: NDArray[np.uint8], at: int, word: NDArray[np.uint8]) -> bool:
    if at + word.size > data.size:
        return False
    for i in range(word.size):  # noqa: SIM110
        if data[at + i] != word[i]:
            return False
    return True


@helper
def _number(data: NDArray[np.uint8], at: int) -> int:
    """Return the whole number at this place; 0 if there is none, and its last digits if it has too many."""
    negative = at < data.size and data[at] == _MINUS
    if negative:
        at += 1
    number: Any = 0
    while at < data.size and 48 <= data[at] <= 57:
        number = (number * 10 + np.int64(data[at]) - 48) & 0xFFFFFFFFFFFF
        at += 1
    return -number if negative else number


@helper
def _end_of_text(data: NDArray[np.uint8], words: NDArray[np.uint64], at: int) -> tuple[int, bool]:
    """Return where a page's text ends, and whether its end tag is there; a stray ``<`` belongs to the text."""
    while True:
        at = find_byte(data, words, at, data.size, _OPEN)
        if at == data.size:
            return at, False
        if _is(data, at, _TEXT_END):
            return at, True
        if _is(data, at, _SHA1) or _is(data, at, _REVISION_END) or _is(data, at, _PAGE_END) or _is(data, at, _PAGE):
            return at, False
        at += 1


@kernel
def find_pages(data: NDArray[np.uint8], words: NDArray[np.uint64], limit: int) -> NDArray[np.int64]:
    """Return the pages that begin before ``limit``, a row for each; of several revisions the last one's text.

    A page without its end tag is marked CUT_OFF, a text without its end tag TEXT_OPEN. Other slots of
    a revision (export 0.11) are passed over.
    """
    pages = np.zeros((data.size // _BYTES_PER_PAGE + 16, 8), np.int64)
    n = 0
    inside, in_slot = False, False
    at = 0
    while True:
        at = find_byte(data, words, at, data.size, _OPEN)
        if at == data.size or (not inside and at >= limit):
            break
        if _is(data, at, _PAGE):
            if inside:
                pages[n, FLAGS] |= CUT_OFF
                n += 1
                inside = False
                if at >= limit:
                    break
            inside, in_slot = True, False
            if n == pages.shape[0]:
                more = np.zeros((2 * n, 8), np.int64)
                for page in range(n):
                    for part in range(8):
                        more[page, part] = pages[page, part]
                pages = more
            pages[n, START] = at
            pages[n, NAMESPACE] = NO_NAMESPACE
            pages[n, NUMBER] = -1
            at += _PAGE.size
        elif not inside:
            at += 1
        elif _is(data, at, _PAGE_END):
            n += 1
            inside = False
            at += _PAGE_END.size
        elif _is(data, at, _SLOT):
            in_slot = True
            at += _SLOT.size
        elif _is(data, at, _SLOT_END) or _is(data, at, _REVISION_END):
            in_slot = False
            at += _SLOT_END.size
        elif in_slot:
            at += 1
        elif _is(data, at, _TITLE):
            at += _TITLE.size
            pages[n, TITLE_START] = at
            at = find_byte(data, words, at, data.size, _OPEN)
            pages[n, TITLE_END] = at
        elif _is(data, at, _NS):
            pages[n, NAMESPACE] = _number(data, at + _NS.size)
            at += _NS.size
        elif _is(data, at, _ID):
            if pages[n, NUMBER] < 0:
                pages[n, NUMBER] = _number(data, at + _ID.size)
            at += _ID.size
        elif _is(data, at, _REDIRECT):
            pages[n, FLAGS] |= REDIRECT
            at += _REDIRECT.size
        elif _is(data, at, _MODEL):
            at += _MODEL.size
            pages[n, FLAGS] &= ~OTHER_MODEL
            if not _is(data, at, _WIKITEXT):
                pages[n, FLAGS] |= OTHER_MODEL
        elif _is(data, at, _TEXT):
            at += _TEXT.size
            while at < data.size and data[at] not in (_CLOSE, _OPEN):
                at += 1
            if at == data.size or data[at] == _OPEN:
                continue
            empty = data[at - 1] == _SLASH
            at += 1
            closed = True
            pages[n, TEXT_START] = at
            if not empty:
                at, closed = _end_of_text(data, words, at)
            pages[n, TEXT_END] = at
            pages[n, FLAGS] &= ~TEXT_OPEN
            if not closed:
                pages[n, FLAGS] |= TEXT_OPEN
        else:
            at += 1
    if inside:
        pages[n, FLAGS] |= CUT_OFF
        n += 1
    return pages[:n].copy()


@kernel
def unescape(
    data: NDArray[np.uint8], words: NDArray[np.uint64], spans: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return pieces of XML text one after the other, as what they stand for, and the bounds between them."""
    size = 0
    for i in range(spans.shape[0]):
        size += spans[i, 1] - spans[i, 0]
    out = np.empty(size, np.uint8)
    bounds = np.zeros(spans.shape[0] + 1, np.int64)
    written = 0
    for i in range(spans.shape[0]):
        at, end = spans[i, 0], spans[i, 1]
        while at < end:
            stop = find_byte(data, words, at, end, _AMP)
            for j in range(stop - at):
                out[written + j] = data[at + j]
            written += stop - at
            at = stop
            if at == end:
                break
            point, width = _entity(data, at + 1, end)
            written = put_point(out, written, point)
            at += 1 + width
        bounds[i + 1] = written
    return out[:written], bounds


@helper
def _entity(data: NDArray[np.uint8], at: int, end: int) -> tuple[int, int]:
    """Return what an ampersand stands for with what follows it, and how many bytes that is; itself if it is alone."""
    if at + _LT.size <= end and _is(data, at, _LT):
        return _OPEN, 3
    if at + _GT.size <= end and _is(data, at, _GT):
        return _CLOSE, 3
    if at + _AMPERSAND.size <= end and _is(data, at, _AMPERSAND):
        return _AMP, 4
    if at + _QUOT.size <= end and _is(data, at, _QUOT):
        return 34, 5
    if at + _APOS.size <= end and _is(data, at, _APOS):
        return 39, 5
    if at >= end or data[at] != _HASH:
        return _AMP, 0
    start = at
    at += 1
    base = 10
    if at < end and data[at] | 32 == 120:
        base = 16
        at += 1
    point: Any = 0
    digits = 0
    while at < end and data[at] != _SEMICOLON:
        digit: Any = np.int64(data[at])
        if 48 <= digit <= 57:
            digit -= 48
        elif base == 16 and 97 <= digit | 32 <= 102:
            digit = (digit | 32) - 87
        else:
            return _AMP, 0
        point = min(point * base + digit, 0x110000)
        digits += 1
        at += 1
    if at >= end or digits == 0:
        return _AMP, 0
    if point == 0 or point > 0x10FFFF or 0xD800 <= point <= 0xDFFF:
        point = _REPLACEMENT
    return point, at + 1 - start
