"""Numpy arrays as Arrow columns and back, without copying."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from priorwise.errors import CorpusError

LARGEST_OFFSET = 2**31 - 1


def list_column(offsets: NDArray[Any], values: NDArray[Any] | pa.Array) -> pa.Array:
    """Return a column of lists: row ``i`` holds ``values[offsets[i]:offsets[i + 1]]``.

    Examples
    --------
    >>> list_column(np.array([0, 2, 2]), np.array([5, 7], np.uint32)).to_pylist()
    [[5, 7], []]
    """
    return pa.ListArray.from_arrays(pa.array(_narrow(offsets)), pa.array(values))


def string_column(offsets: NDArray[Any], data: NDArray[np.uint8]) -> pa.Array:
    """Return a column of strings from their UTF-8 bytes.

    Examples
    --------
    >>> string_column(np.array([0, 2, 3]), np.frombuffer(b"abc", np.uint8)).to_pylist()
    ['ab', 'c']
    """
    narrow = _narrow(offsets)
    return pa.Array.from_buffers(pa.string(), len(narrow) - 1, [None, pa.py_buffer(narrow), pa.py_buffer(data)])


def text_column(texts: Iterable[str]) -> pa.Array:
    """Return a column of strings, each made writable.

    Examples
    --------
    >>> text_column(["a", "b"]).to_pylist()
    ['a', 'b']
    """
    listed = texts if isinstance(texts, list) else list(texts)
    try:
        return pa.array(listed, pa.string())
    except UnicodeEncodeError:
        return pa.array([writable(text) for text in listed], pa.string())


def writable(text: str) -> str:
    r"""Return a text with a question mark for what UTF-8 cannot hold: a lone surrogate.

    Examples
    --------
    >>> writable("a\ud800b")
    'a?b'
    """
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def list_parts(column: pa.Array) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Return the offsets and values of a column of lists, as views.

    Examples
    --------
    >>> offsets, values = list_parts(pa.array([[5, 7], []]))
    >>> offsets.tolist(), values.tolist()
    ([0, 2, 2], [5, 7])
    """
    return column.offsets.to_numpy(zero_copy_only=True), column.values.to_numpy(zero_copy_only=True)


def string_parts(column: pa.Array) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return the offsets and the UTF-8 bytes of a column of strings, as views.

    Examples
    --------
    >>> offsets, data = string_parts(pa.array(["x", "ab", "c"])[1:])
    >>> [data[start:end].tobytes() for start, end in zip(offsets[:-1], offsets[1:], strict=True)]
    [b'ab', b'c']
    """
    _, offsets, data = column.buffers()
    first = column.offset
    bounds = np.frombuffer(offsets, np.int32)[first : first + len(column) + 1] if len(column) else np.zeros(1, np.int32)
    return bounds, np.frombuffer(data or b"", np.uint8)


def narrowest(largest: int) -> type[np.unsignedinteger[Any]]:
    """Return the narrowest unsigned type that holds a number.

    Examples
    --------
    >>> narrowest(255).__name__, narrowest(256).__name__
    ('uint8', 'uint16')
    """
    return next(kind for kind in (np.uint8, np.uint16, np.uint32, np.uint64) if largest <= np.iinfo(kind).max)


def _narrow(offsets: NDArray[Any]) -> NDArray[np.int32]:
    if offsets[-1] > LARGEST_OFFSET:
        raise CorpusError(f"one column of a corpus holds at most {LARGEST_OFFSET:,} entries, this has {offsets[-1]:,}")
    return np.ascontiguousarray(offsets, np.int32)
