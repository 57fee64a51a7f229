"""Numpy arrays as Arrow columns and back, without copying."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from priorwise.errors import CorpusError

LARGEST_OFFSET = 2**31 - 1


def list_column(offsets: NDArray[Any], values: NDArray[Any] | pa.Array) -> pa.Array:
    """Return a column of lists: row ``i`` holds ``values[offsets[i]:offsets[i + 1]]``."""
    return pa.ListArray.from_arrays(pa.array(_narrow(offsets)), pa.array(values))


def string_column(offsets: NDArray[Any], data: NDArray[np.uint8]) -> pa.Array:
    """Return a column of strings from their UTF-8 bytes."""
    narrow = _narrow(offsets)
    return pa.Array.from_buffers(pa.string(), len(narrow) - 1, [None, pa.py_buffer(narrow), pa.py_buffer(data)])


def text_column(texts: Iterable[str]) -> pa.Array:
    """Return a column of strings, each made writable."""
    listed = texts if isinstance(texts, list) else list(texts)
    try:
        return pa.array(listed, pa.string())
    except UnicodeEncodeError:
        return pa.array([writable(text) for text in listed], pa.string())


def writable(text: str) -> str:
    r"""Return a text with a question mark for what UTF-8 cannot hold: a lone surrogate."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def list_parts(column: pa.Array) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Return the offsets and values of a column of lists, as views."""
    return column.offsets.to_numpy(zero_copy_only=True), column.values.to_numpy(zero_copy_only=True)


def string_parts(column: pa.Array) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return the offsets and the UTF-8 bytes of a column of strings, as views."""
    _, offsets, data = column.buffers()
    first = column.offset
    bounds = np.frombuffer(offsets, np.int32)[first : first + len(column) + 1] if len(column) else np.zeros(1, np.int32)
    return bounds, np.frombuffer(data or b"", np.uint8)


def narrowest(largest: int) -> type[np.unsignedinteger[Any]]:
    """Return the narrowest unsigned type that holds a number."""
    return next(kind for kind in (np.uint8, np.uint16, np.uint32, np.uint64) if largest <= np.iinfo(kind).max)


def _narrow(offsets: NDArray[Any]) -> NDArray[np.int32]:
    if offsets[-1] > LARGEST_OFFSET:
        raise CorpusError(f"one column of a corpus holds at most {LARGEST_OFFSET:,} entries, this has {offsets[-1]:,}")
    return np.ascontiguousarray(offsets, np.int32)


def gather(
    starts: NDArray[np.int64],
    offsets: Sequence[NDArray[Any]],
    columns: Sequence[Sequence[NDArray[Any]]],
    rows: NDArray[np.int64],
) -> tuple[NDArray[np.int64], list[NDArray[Any]]]:
    """Return the offsets of the rows' entries, and those entries of each column."""
    if len(rows) and (rows.min() < 0 or rows.max() >= starts[-1]):
        raise IndexError(f"documents go from 0 to {starts[-1] - 1}, and row {rows.min()} to {rows.max()} was asked for")
    batch = np.searchsorted(starts, rows, side="right") - 1
    by_batch = np.argsort(batch, kind="stable")
    used, groups = np.unique(batch[by_batch], return_index=True)
    members = np.split(by_batch, groups[1:])

    lengths = np.zeros(len(rows), np.int64)
    for b, group in zip(used.tolist(), members, strict=True) if len(rows) else ():
        local = rows[group] - starts[b]
        lengths[group] = offsets[b][local + 1] - offsets[b][local]
    indptr = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(lengths, out=indptr[1:])

    gathered = [np.empty(indptr[-1], column[0].dtype) for column in columns]
    for b, group in zip(used.tolist(), members, strict=True) if len(rows) else ():
        first = offsets[b][rows[group] - starts[b]].astype(np.int64)
        within = np.arange(lengths[group].sum()) - np.repeat(np.cumsum(lengths[group]) - lengths[group], lengths[group])
        source = np.repeat(first, lengths[group]) + within
        target = np.repeat(indptr[group], lengths[group]) + within
        for column, out in zip(columns, gathered, strict=True):
            out[target] = column[b][source]
    return indptr, gathered
