"""A MediaWiki export as pieces that any worker can read: XML in, runs of whole pages out.

A piece of a bzip2 or plain file is a range of its bytes, and has the pages that begin there; reading it needs nothing
from the other pieces. What is compressed otherwise can only be read from the beginning, so there a piece holds its XML.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import BrokenFile
from priorwise.readers.document import Remarks
from priorwise.readers.opening import compression, reading
from priorwise.wiki.bzip2 import Block, blocks_from, last_blocks
from priorwise.wiki.files import readable_pieces
from priorwise.wiki.siteinfo import LONGEST_HEAD

BZIP2_BYTES, XML_BYTES = 1 << 23, 1 << 25
"""The size of a piece in the file, for bzip2, and of XML otherwise."""

LONGEST_PAGE = 1 << 28
BOMB_RATIO, BOMB_BYTES = 200, 1 << 26
"""A file that expands to more than this many times its size, and beyond this many bytes, is not a dump."""

_CHUNK = 1 << 20
_TAIL = 1 << 10
_PAGE, _PAGE_END, _DUMP_END = b"<page>", b"</page>", b"</mediawiki>"
_TOO_LONG = "pages longer than 256 MB left out"
_BREAKS_OFF = "dumps that break off before their end"


class PageRun(NamedTuple):
    """XML without a gap; the pages that begin before ``limit`` are meant."""

    xml: bytes | bytearray
    limit: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a dump; :meth:`read` may be called on any thread."""

    dump: DumpFile
    start: int
    end: int
    held: bytes | None = None

    def read(self, remarks: Remarks) -> list[PageRun]:
        """Return the XML of the pages that begin here, cut where something between them could not be read."""
        if self.held is not None:
            return [PageRun(self.held, len(self.held))]
        with reading(self.dump.path):
            return _runs(self, self.dump.blocks(self.start, self.end), remarks)


class DumpFile:
    """An XML dump on the disk: plain, or compressed by bzip2, gzip, xz or zstd."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with reading(path):
            self.size = path.stat().st_size
            self.kind = compression(path)

    def __reduce__(self) -> tuple[type[DumpFile], tuple[Path]]:
        """Go to another process as a path."""
        return DumpFile, (self.path,)

    @cached_property
    def _mapped(self) -> NDArray[np.uint8]:
        return np.memmap(self.path, np.uint8, "r") if self.size else np.empty(0, np.uint8)

    def head(self) -> bytes:
        """Return all that comes before the first page, or nothing if that is damaged."""
        head = bytearray()
        with reading(self.path):
            for content in self._contents():
                if content is None:
                    return b""
                head += content
                if _PAGE in head or len(head) > LONGEST_HEAD:
                    break
        return bytes(head).partition(_PAGE)[0]

    def _contents(self) -> Iterator[bytes | None]:
        if self.divisible:
            return (block.content for block in self.blocks(0))
        return (chunk for chunk, _ in self._chunks(Remarks()))

    @property
    def divisible(self) -> bool:
        """Whether it can be read from its middle."""
        return self.kind in (None, "bz2")

    def pieces(self, remarks: Remarks) -> Iterator[Piece]:
        """Yield the pieces in order; what goes wrong here, not in a piece, goes to the remarks."""
        if not self.divisible:
            yield from self._held_pieces(remarks)
            return
        size = BZIP2_BYTES if self.kind == "bz2" else XML_BYTES
        for start in range(0, self.size, size):
            yield Piece(self, start, min(start + size, self.size))
        self._look_for_end(self._tail(), remarks)

    def _tail(self) -> bytes:
        if self.kind != "bz2":
            return b"".join(block.content or b"" for block in self.blocks(max(0, self.size - _TAIL)))
        tail = b""
        for block in last_blocks(self._mapped):
            tail = (block.content or b"") + tail
            if len(tail) >= _TAIL:
                break
        return tail[-_TAIL:]

    def _look_for_end(self, tail: bytes, remarks: Remarks) -> None:
        if _DUMP_END not in tail:
            remarks.add(_BREAKS_OFF, self.path.name)

    def blocks(self, start: int, end: int = 0) -> Iterator[Block]:
        """Yield the blocks from a byte on; those before `end` are sure to be wanted. A plain file's are any bytes."""
        if self.kind == "bz2":
            yield from blocks_from(self._mapped, start, end)
            return
        with self.path.open("rb") as file:
            file.seek(start)
            while chunk := file.read(_CHUNK):
                yield Block(start, chunk)
                start += len(chunk)

    def _held_pieces(self, remarks: Remarks) -> Iterator[Piece]:
        held = bytearray()
        start, plain_bytes, searched, tail = 0, 0, 0, b""
        for chunk, read_bytes in self._chunks(remarks):
            held += chunk
            tail = (tail + chunk)[-_TAIL:]
            plain_bytes += len(chunk)
            refuse_bomb(self.path, read_bytes, plain_bytes)
            if len(held) < XML_BYTES:
                continue
            if (last := held.rfind(_PAGE_END, searched)) >= 0:
                cut = last + len(_PAGE_END)
                yield Piece(self, start, read_bytes, bytes(held[:cut]))
                del held[:cut]
                start = read_bytes
            elif len(held) > LONGEST_PAGE:
                remarks.add(_TOO_LONG, f"{self.path.name}, byte {start:,}")
                held.clear()
            searched = 0 if last >= 0 else max(0, len(held) - len(_PAGE_END))
        if held:
            yield Piece(self, start, self.size, bytes(held))
        self._look_for_end(tail, remarks)

    def _chunks(self, remarks: Remarks) -> Iterator[tuple[bytes, int]]:
        """Yield decompressed bytes, with how many of the file's had been read; the good ones before any damage."""
        read_bytes = 0

        def count(n: int) -> None:
            nonlocal read_bytes
            read_bytes += n

        def damaged(reason: str) -> None:
            remarks.add("files read only as far as they could be", f"{self.path.name}: {reason}")

        # Arrow throws away what it was asked for when zstd's data break off in it, so it is asked for little.
        longest = _CHUNK >> 4 if self.kind == "zstd" else _CHUNK
        for chunk in readable_pieces(self.path, count, damaged, longest):
            yield chunk, read_bytes


def refuse_bomb(path: Path, compressed: int, plain: int) -> None:
    """Raise BrokenFile if a dump expands more than an honest one can."""
    if plain > BOMB_BYTES and plain > BOMB_RATIO * max(compressed, 1):
        raise BrokenFile(path, f"it grows more than {BOMB_RATIO:,} times when decompressed: no dump does; refused")


def _runs(piece: Piece, blocks: Iterator[Block], remarks: Remarks) -> list[PageRun]:
    runs: list[PageRun] = []
    own: list[bytes] = []
    size = 0
    name = piece.dump.path.name
    for block in blocks:
        refuse_bomb(piece.dump.path, block.start - piece.start, size)
        if block.start >= piece.end:
            runs.append(_completed(own, block, blocks, remarks, name))
            return runs
        if block.content is None:
            remarks.add("damaged bzip2 blocks left out", f"{name}, byte {block.start:,}")
            runs.append(_as_run(own))
            own = []
            continue
        content = block.content
        if block.start + len(content) > piece.end and piece.dump.kind is None:
            # The bytes of a plain file that lie beyond the piece are its successor's.
            split = piece.end - block.start
            own.append(content[:split])
            rest = Block(piece.end, content[split:])
            runs.append(_completed(own, rest, blocks, remarks, name))
            return runs
        own.append(content)
        size += len(content)
    refuse_bomb(piece.dump.path, piece.end - piece.start, size)
    runs.append(_as_run(own))
    return runs


def _as_run(parts: list[bytes]) -> PageRun:
    xml = b"".join(parts)
    return PageRun(xml, len(xml))


def _completed(own: list[bytes], following: Block, blocks: Iterator[Block], remarks: Remarks, name: str) -> PageRun:
    """Append what follows until the last page that begins in a piece's own XML is whole."""
    xml = bytearray().join(own)
    limit = len(xml)
    if not xml or xml[-64:].rstrip().endswith(_PAGE_END):
        return PageRun(xml, limit)
    block: Block | None = following
    searched = 0
    last = -1
    while block is not None and block.content is not None:
        xml += block.content
        if last < 0 and len(xml) >= limit + len(_PAGE) - 1:
            last = searched = xml.rfind(_PAGE, 0, limit + len(_PAGE) - 1)
            if last < 0:
                break
        if last >= 0 and xml.find(_PAGE_END, searched) >= 0:
            break
        if len(xml) - limit > LONGEST_PAGE:
            remarks.add(_TOO_LONG, f"{name}, byte {following.start:,}")
            break
        searched = max(searched, len(xml) - len(_PAGE_END))
        block = next(blocks, None)
    return PageRun(xml, limit)
