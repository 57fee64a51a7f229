"""The files that wikis are published in: which kind one is, and as much of it as can be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, cast

from priorwise.errors import BrokenFile
from priorwise.readers.archives import Guarded
from priorwise.readers.opening import opened

Kind = Literal["xml", "sql:categorylinks", "sql:linktarget", "sql:page", "cirrus", "index"]

ACCEPTED = (
    "an XML dump (pages-articles), a SQL dump of the table categorylinks, linktarget or page, a CirrusSearch dump, "
    "or the index of a multistream dump"
)
_HEAD = 1 << 18
PIECE = 1 << 20

_UTF16 = re.compile(rb"\xff\xfe|\xfe\xff|\s*(?:<\0|\0<)")
_XML = re.compile(rb"\s*<[?!mp]")
_ROOT = re.compile(rb"<(?:mediawiki|page)\b")
_SQL = re.compile(rb"\s*(?:--|/\*|(?:CREATE|DROP|INSERT|LOCK|REPLACE|SET|USE)\s)", re.IGNORECASE)
_TABLE = re.compile(
    rb"\b(?:CREATE\s+TABLE(?:\s+IF\s+NOT\s+EXISTS)?|(?:INSERT|REPLACE)\s+(?:IGNORE\s+)?INTO)\s+"
    rb"(?:[`\"]?\w+[`\"]?\s*\.\s*)?[`\"]?(\w+)",
    re.IGNORECASE,
)
_ACTION = re.compile(rb'^\s*\{\s*"(?:index|create|update)"\s*:\s*\{', re.MULTILINE)
_INDEX = re.compile(rb"\s*\d+:\d+:[^\r\n]")


def kind_of(path: str | Path) -> Kind:
    r"""Return what kind of a wiki's files this is, from its first bytes, decompressed; its name is not looked at.

    Raises
    ------
    BrokenFile
        It is another kind of file; the message says what it begins with and what to give instead.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "some-file")
    ...     _ = path.write_bytes(b"-- MySQL dump 10.19\nCREATE TABLE `page` (\n  `page_id` int(8))")
    ...     kind_of(path)
    'sql:page'
    """
    path = Path(path) if isinstance(path, str) else path
    head = _first_bytes(path)
    if _UTF16.match(head):
        raise BrokenFile(path, "the text is UTF-16, and wikis publish UTF-8; convert it: iconv -f UTF-16 -t UTF-8")
    head = head.removeprefix(b"\xef\xbb\xbf")
    if _XML.match(head) and _ROOT.search(head):
        return "xml"
    if head.lstrip().startswith(b"{") and _ACTION.search(head):
        return "cirrus"
    if _SQL.match(head) and (table := _TABLE.search(head)):
        name = table[1].decode()
        if name not in ("categorylinks", "linktarget", "page"):
            raise BrokenFile(path, f"a SQL dump of the table '{name}'; give {ACCEPTED}")
        return cast("Kind", f"sql:{name}")
    if _INDEX.match(head):
        return "index"
    begins = f"it begins with {head[:60]!r}" if head else "it is empty"
    raise BrokenFile(path, f"not a file of a wiki: {begins}; give {ACCEPTED}")


def readable_pieces(
    path: Path, tell: Callable[[int], None], damaged: Callable[[str], None], longest: int = PIECE
) -> Iterator[bytes]:
    """Yield a file's bytes, decompressed, piece by piece, as far as they can be read."""
    with opened(path, tell) as stream:
        # Read from beneath the buffer: it would throw away what it holds when the archive breaks off.
        source = Guarded(stream.raw, damaged)  # type: ignore[attr-defined]
        while piece := source.read1(longest):
            yield piece


def _first_bytes(path: Path) -> bytes:
    head = b""
    reasons: list[str] = []
    for piece in readable_pieces(path, lambda _: None, reasons.append):
        head += piece
        if len(head) >= _HEAD:
            break
    if not head and reasons:
        raise BrokenFile(path, reasons[0])
    return head[:_HEAD]
