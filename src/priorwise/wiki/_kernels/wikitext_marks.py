"""What begins at this byte? The questions that the wikitext scanner asks, and the names that mean something.

No function looks further ahead than a fixed number of bytes, or than the end of what it recognises and the scanner then
skips; the search for a closing tag stops at the next tag of the same name. So the scanner stays linear.

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
BREAK, VERBATIM, DROP = 1, 2, 3
SLASHES, NO_SLASHES = 1, 2
_LOW, _HALF = 0x7FFFFFFF, 31
_PRIMES = 16777619, 1540483477

_TAB, _NEWLINE, _SPACE = 9, 10, 32
_BANG, _QUOTE, _HASH, _APOSTROPHE, _DASH, _SLASH, _COLON, _SEMICOLON = 33, 34, 35, 39, 45, 47, 58, 59
_LESS, _EQUALS, _MORE, _OPEN, _CLOSE, _UNDERSCORE, _BRACE, _PIPE, _ENDBRACE = 60, 61, 62, 91, 93, 95, 123, 124, 125


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
    """Return the row of a key, or the empty one where it would be."""
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


LONGEST_NAME = 64
LONGEST_OPTION = 40
_LONGEST_SCHEME = 8
_LONGEST_ENTITY = 12


_P, _X = 112, 120


@helper
def run_end(data: NDArray[np.uint8], at: int, end: int) -> int:
    """Return where the run of bytes equal to the one at ``at`` ends."""
    byte = data[at]
    while at < end and data[at] == byte:
        at += 1
    return at


@helper
def n_plain_apostrophes(data: NDArray[np.uint8], start: int, at: int, stop: int, end: int) -> int:
    """Return how many apostrophes of a run are text; two, three and five are italic, bold and both."""
    run = stop - at
    if (
        run == 3
        and start < at
        and stop < end
        and is_letter(data[at - 1])
        and (at - 1 == start or is_space(data[at - 2]))
    ):
        return int(is_letter(data[stop]) or data[stop] >= 0x80)
    return 1 if run in (1, 4) else max(run - 5, 0)


@helper
def url_end(data: NDArray[np.uint8], at: int, end: int) -> int:
    """Return where an address ends: at a space, a bracket, a quotation mark or two apostrophes."""
    while at < end:
        byte = data[at]
        if byte <= _SPACE or byte in (_QUOTE, _LESS, _MORE, _OPEN, _CLOSE, _BRACE, _PIPE, _ENDBRACE):
            break
        if byte == _APOSTROPHE and at + 1 < end and data[at + 1] == _APOSTROPHE:
            break
        at += 1
    return at


@helper
def bracketed_url_end(data: NDArray[np.uint8], at: int, end: int, names: NDArray[np.int64]) -> int:
    """Return where the address after a bracket ends, -1 when there is none."""
    colon = at
    while colon < min(end, at + _LONGEST_SCHEME) and is_letter(data[colon]):
        colon += 1
    slashes = colon
    if colon > at:
        if colon >= end or data[colon] != _COLON:
            return -1
        value = name_value(names, data, at, colon, SCHEME)
        if value != SLASHES:
            return url_end(data, colon, end) if value == NO_SLASHES else -1
        slashes = colon + 1
    if slashes + 1 < end and data[slashes] == _SLASH and data[slashes + 1] == _SLASH:
        return url_end(data, slashes, end)
    return -1


@helper
def is_single_bracket(data: NDArray[np.uint8], at: int, end: int, names: NDArray[np.int64]) -> bool:
    """Tell whether the first of two brackets is a single one, because a link of either sort begins at the second."""
    if at + 2 < end and data[at + 2] == _OPEN:
        return True
    return bracketed_url_end(data, at + 2, end, names) > 0


@helper
def scheme_start(data: NDArray[np.uint8], start: int, colon: int, end: int, names: NDArray[np.int64]) -> int:
    """Return where the scheme before ``://`` begins, -1 for a scheme that we do not know."""
    if colon + 2 >= end or data[colon + 1] != _SLASH or data[colon + 2] != _SLASH:
        return -1
    at = colon
    while at > max(start, colon - _LONGEST_SCHEME) and is_letter(data[at - 1]):
        at -= 1
    return at if name_value(names, data, at, colon, SCHEME) == SLASHES else -1


@helper
def link_kind(data: NDArray[np.uint8], at: int, end: int, names: NDArray[np.int64]) -> Any:
    """Return what the link is whose target begins at ``at``: LINK, FILE, CATEGORY or LANGUAGE."""
    colon, limit = at, min(end, at + LONGEST_NAME)
    while colon < limit and data[colon] != _COLON:
        if data[colon] in (_HASH, _LESS, _OPEN, _CLOSE, _BRACE, _PIPE, _ENDBRACE, _NEWLINE):
            return LINK
        colon += 1
    if colon == limit:
        return LINK
    value = name_value(names, data, at, colon, NAMESPACE)
    if value:
        return value
    # A language: two or three lower-case letters, then perhaps parts parted by hyphens.
    letters = at
    while letters < colon and 97 <= data[letters] <= 122:
        letters += 1
    if not 2 <= letters - at <= 3 or (letters < colon and data[letters] != _DASH):
        return LINK
    for i in range(letters, colon):
        if data[i] != _DASH and not 97 <= data[i] <= 122:
            return LINK
    return LANGUAGE


@helper
def template_value(data: NDArray[np.uint8], at: int, end: int, names: NDArray[np.int64]) -> int:
    """Return the value of the name of the template whose braces end at ``at``."""
    while at < end and is_space(data[at]):
        at += 1
    stop, limit = at, min(end, at + LONGEST_NAME)
    while stop < limit and data[stop] not in (_PIPE, _ENDBRACE, _BRACE, _LESS, _NEWLINE):
        stop += 1
    return name_value(names, data, at, stop, TEMPLATE_NAME)


@helper
def is_redirect(data: NDArray[np.uint8], at: int, end: int, names: NDArray[np.int64]) -> bool:
    """Tell whether a page begins with a redirect's magic word and a link."""
    while at < end and is_space(data[at]):
        at += 1
    word = at
    while at < min(end, word + LONGEST_NAME) and not is_space(data[at]) and data[at] not in (_COLON, _OPEN):
        at += 1
    if not name_value(names, data, word, at, REDIRECT_WORD):
        return False
    while at < end and (is_space(data[at]) or data[at] == _COLON):
        at += 1
    return at + 1 < end and data[at] == _OPEN and data[at + 1] == _OPEN


@helper
def switch_end(data: NDArray[np.uint8], at: int, end: int) -> int:
    """Return where a behaviour switch such as ``__TOC__`` ends, -1 when there is none at ``at``."""
    if at + 1 >= end or data[at + 1] != _UNDERSCORE:
        return -1
    i, limit = at + 2, min(end, at + LONGEST_NAME)
    while i < limit and (65 <= data[i] <= 90 or data[i] >= 0x80):
        i += 1
        if i + 1 < limit and data[i] == _UNDERSCORE and data[i + 1] != _UNDERSCORE:
            i += 1
    if i > at + 2 and i + 1 < limit and data[i] == _UNDERSCORE and data[i + 1] == _UNDERSCORE:
        return i + 2
    return -1


@helper
def entity(data: NDArray[np.uint8], at: int, end: int, names: NDArray[np.int64]) -> tuple[Any, int]:
    """Return the code point of the entity at ``at`` and where it ends; the point is -1 when there is none."""
    stop, limit = at + 1, min(end, at + _LONGEST_ENTITY)
    while stop < limit and (is_letter(data[stop]) or 48 <= data[stop] <= 57 or data[stop] == _HASH):
        stop += 1
    if stop == limit or data[stop] != _SEMICOLON or stop == at + 1:
        return -1, at + 1
    point: Any = 0
    if data[at + 1] != _HASH:
        point = name_value(names, data, at + 1, stop, ENTITY)
    else:
        digits, base = at + 2, 10
        if digits < stop and data[digits] | 32 == _X:
            digits, base = digits + 1, 16
        for i in range(digits, stop):
            digit = np.int64(data[i]) - 48
            if digit > 9:
                digit = (np.int64(data[i]) | 32) - 87
            if not 0 <= digit < base:
                return -1, at + 1
            point = point * base + digit
    if point <= 0 or 0xD800 <= point <= 0xDFFF or point > 0x10FFFF:
        return -1, at + 1
    return point, stop + 1


@helper
def comment_end(data: NDArray[np.uint8], at: int, end: int) -> int:
    """Return where a comment ends: one that is not closed goes to the end of the page."""
    for i in range(at + 2, end):
        if data[i] == _MORE and data[i - 1] == _DASH and data[i - 2] == _DASH and i > at + 5:
            return i + 1
    return end


@helper
def tag_name_end(data: NDArray[np.uint8], at: int, end: int) -> int:
    """Return where the tag's name ends that begins at ``at``, after its bracket and slash; -1 if it is not a tag."""
    i = at
    while i < min(end, at + LONGEST_NAME) and (is_letter(data[i]) or (i > at and 48 <= data[i] <= 57)):
        i += 1
    if i == at or i >= end or not (is_space(data[i]) or data[i] == _SLASH or data[i] == _MORE):
        return -1
    return i


@helper
def tag_end(data: NDArray[np.uint8], at: int, end: int) -> int:
    """Return where a tag ends, -1 when another begins before."""
    while at < end and data[at] != _LESS:
        at += 1
        if data[at - 1] == _MORE:
            return at
    return -1


@helper
def closing_tag(data: NDArray[np.uint8], name: int, name_end: int, at: int, end: int) -> int:
    """Return where the tag's closing tag begins; -1 when there is none, or its like opens before."""
    length = name_end - name
    while at < end:
        if data[at] == _LESS:
            slash = at + 1 < end and data[at + 1] == _SLASH
            other = at + 2 if slash else at + 1
            same = 0
            while same < length and other + same < end and data[name + same] | 32 == data[other + same] | 32:
                same += 1
            if same == length and tag_name_end(data, other, end) == other + length:
                return at if slash else -1
        at += 1
    return -1


@helper
def is_file_option(text: NDArray[np.uint8], start: int, end: int, last: bool, names: NDArray[np.int64]) -> bool:
    """Tell whether a part of a file link is an option rather than the caption."""
    first, last_byte = start, end - 1
    while start < min(end, first + LONGEST_OPTION) and is_space(text[start]):
        start += 1
    while start < end and end > last_byte - LONGEST_OPTION and is_space(text[end - 1]):
        end -= 1
    word = start
    while word < min(end, start + LONGEST_OPTION) and (is_letter(text[word]) or text[word] >= 0x80):
        word += 1
    while word < min(end, start + LONGEST_OPTION) and text[word] == _SPACE:
        word += 1
    if start == end or (word > start and word < end and text[word] == _EQUALS):
        return True
    if end - start > LONGEST_OPTION:
        return False
    n_spaces, n_widths = 0, 0
    for i in range(start, end):
        n_spaces += is_space(text[i])
        n_widths += 48 <= text[i] <= 57 or text[i] == _X
    if n_widths == end - start - 1 and text[end - 1] == _X and text[end - 2] == _P:
        return True
    if n_spaces == 0 and not last:
        return True
    return name_value(names, text, start, end, FILE_OPTION) != 0
