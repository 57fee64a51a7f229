"""The texts that a corpus keeps for people to read, compressed in blocks: any one is read without the others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from priorwise.corpus.storage.columns import list_column, list_parts
from priorwise.errors import DamagedCorpus, InputError

KeepText = Literal["lead", "whole", "none"]
"""How much of each text a corpus keeps: its beginning, all of it within reason, or nothing."""

LONGEST: dict[str, int] = {"lead": 1_500, "whole": 100_000, "none": 0}
"""At most this many bytes are kept."""

BYTES_PER_BLOCK = 1 << 16
LARGEST_BLOCK = 1 << 20
"""No block that priorwise writes comes near this many bytes; a larger one is refused before it is unpacked."""
_LEVEL = 3
_ENDS = (b". ", b".\n", "。".encode(), b"! ", b"? ", b" ", b"\n")
_CUT = "…".encode()
_SCHEMA = pa.schema({"first": pa.uint32(), "ends": pa.list_(pa.uint32()), "text": pa.binary()})


def longest_kept(keep: KeepText) -> int:
    """Return how many bytes of a text are kept."""
    if keep not in LONGEST:
        raise InputError(f"what to keep of the texts is one of {', '.join(LONGEST)}, not '{keep}'")
    return LONGEST[keep]


def beginning(text: bytes, longest: int) -> bytes:
    """Return a text in UTF-8 as it is, or its beginning, cut after a sentence if possible, else after a word."""
    if len(text) <= longest:
        return text
    shortest = longest // 2
    for mark in _ENDS:
        end = text.rfind(mark, shortest, longest)
        if end > shortest:
            return text[: end + len(mark.rstrip())] + _CUT
    end = longest
    while end and text[end] & 0xC0 == 0x80:
        end -= 1
    return text[:end] + _CUT


def beginnings(data: NDArray[np.uint8], spans: NDArray[np.int64], longest: int) -> list[bytes]:
    """Return the beginning of each text that lies in ``data``, without the space before it."""
    whole = data.data
    # What is cut off is never read, but for what may be space at the beginning.
    pieces = (bytes(whole[start : min(end, start + 2 * longest)]).strip() for start, end in spans.tolist())
    return [beginning(piece, longest) for piece in pieces]


def text_table(texts: Sequence[bytes]) -> pa.RecordBatch:
    """Compress the texts of consecutive documents."""
    sizes = np.array([len(text) for text in texts], np.int64)
    firsts: list[int] = []
    ends: list[NDArray[np.int64]] = []
    blocks: list[bytes] = []
    codec = _codec()
    first = 0
    reach = np.cumsum(sizes)
    while first < len(texts):
        before = int(reach[first - 1]) if first else 0
        last = min(len(texts), int(np.searchsorted(reach, before + BYTES_PER_BLOCK)) + 1)
        firsts.append(first)
        ends.append(reach[first:last] - before)
        blocks.append(codec.compress(b"".join(texts[first:last]), asbytes=True))
        first = last
    offsets = np.concatenate([[0], np.cumsum([len(block) for block in ends], dtype=np.int64)])
    values = np.concatenate([np.empty(0, np.int64), *ends]).astype(np.uint32)
    return pa.RecordBatch.from_arrays(
        [pa.array(firsts, pa.uint32()), list_column(offsets, values), pa.array(blocks, pa.binary())], schema=_SCHEMA
    )


def no_texts() -> pa.RecordBatch:
    """Return the table of documents whose texts are not kept."""
    return text_table([])


def with_texts_of(table: pa.RecordBatch, rows: NDArray[np.int64]) -> pa.RecordBatch:
    """Return the table for some of the documents."""
    if not table.num_rows:
        return table
    texts = [text for block in range(table.num_rows) for text in _block(table, block)]
    return text_table([texts[row] for row in rows.tolist()])


class StoredTexts:
    """The texts of a corpus."""

    def __init__(self, starts: Any, tables: Sequence[pa.RecordBatch]) -> None:
        self._starts = np.asarray(starts, np.int64)
        self._tables = tables
        self._firsts = [table.column("first").to_numpy() for table in tables]
        # Neighbours are often asked for one after the other.
        self._block = lru_cache(maxsize=16)(self._read)

    def text(self, row: int) -> str:
        """Return the text of a document; bytes that are not UTF-8 are replaced."""
        number = int(np.searchsorted(self._starts, row, side="right")) - 1
        local = row - int(self._starts[number])
        block = int(np.searchsorted(self._firsts[number], local, side="right")) - 1
        return self._block(number, block)[local - int(self._firsts[number][block])].decode("utf-8", "replace")

    def _read(self, table: int, block: int) -> list[bytes]:
        return _block(self._tables[table], block)


def _block(table: pa.RecordBatch, row: int) -> list[bytes]:
    offsets, values = list_parts(table.column("ends"))
    ends = values[offsets[row] : offsets[row + 1]].tolist()
    if not ends or not ends[-1]:
        return [b""] * len(ends)
    try:
        data = _codec().decompress(table.column("text")[row].as_buffer(), ends[-1], asbytes=True)
    except (pa.ArrowException, OSError) as error:
        raise DamagedCorpus(f"the corpus is damaged: a text cannot be read ({error})") from error
    return [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _codec() -> Any:
    return pa.Codec("zstd", compression_level=_LEVEL)
