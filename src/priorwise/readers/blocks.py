"""Find the records of a marked-up file, and the fields of a record, however broken the rest of the file is.

No declaration of a document type is ever looked at, so there are no entities to expand. Every search is linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

LONGEST_RECORD = 1 << 23
NEVER_CLOSED = "records without an end, left out"
TOO_LONG = "records of more than 8 MB, left out"

_LONGEST_TAG = 1 << 16
_REFERENCE = re.compile(r"&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(lt|gt|amp|quot|apos));")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_ATTRIBUTE = re.compile(r'\b([\w:]{1,64})\s{0,8}=\s{0,8}"([^"]*)"')
_TAG = re.compile(r"<[^<>]*>")


def blocks(pieces: Iterable[bytes], tag: str, remark: Callable[[str, int], None]) -> Iterator[bytes]:
    """Yield each record ``<tag …> … </tag>`` of a stream, with its tags."""
    longest_mark = len(tag) + 3
    mark = re.compile(rf"<(?:{tag})(?=[\s>])|</(?:{tag})>".encode())
    held, begin, look = b"", -1, 0
    for piece in pieces:
        held += piece
        for found in mark.finditer(held, look):
            look = found.end()
            if held.startswith(b"</", found.start()):
                if begin >= 0:
                    yield held[begin:look]
                begin = -1
            else:
                if begin >= 0:
                    remark(NEVER_CLOSED, 1)
                begin = found.start()
        if begin >= 0 and len(held) - begin > LONGEST_RECORD:
            remark(TOO_LONG, 1)
            begin = -1
        # A mark may be cut in two; what was looked at before it is not looked at again.
        look = max(look, len(held) - longest_mark)
        kept = begin if begin >= 0 else look
        held, begin, look = held[kept:], min(begin, 0), look - kept
    if begin >= 0:
        remark(NEVER_CLOSED, 1)


def field(record: str, tag: str) -> str:
    """Return what is in the first ``<tag …> … </tag>`` of a record, or nothing."""
    at = -1
    while (at := record.find(f"<{tag}", at + 1)) >= 0:
        after = at + 1 + len(tag)
        if record[after : after + 1] in (">", " ", "\t", "\n", "\r"):
            begin = record.find(">", after) + 1
            end = record.find(f"</{tag}>", begin)
            return record[begin:end] if begin and end >= 0 else ""
    return ""


def attributes(record: str) -> dict[str, str]:
    """Return the attributes of a record's own tag."""
    tag = record[: min(record.find(">"), _LONGEST_TAG)]
    return {name: unescaped(value) for name, value in _ATTRIBUTE.findall(tag)}


def unescaped(text: str) -> str:
    """Return a text with its references replaced; those to control characters, which mean nothing, become nothing."""
    return _REFERENCE.sub(_referred, text)


def without_tags(text: str) -> str:
    """Return a text with a space in place of each tag."""
    return _TAG.sub(" ", text)


def _referred(found: re.Match[str]) -> str:
    decimal, hexadecimal, name = found.groups()
    if name:
        return _NAMED[name]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return ""
    character = chr(code)
    return character if character.isprintable() or character.isspace() else ""
