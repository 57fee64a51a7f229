"""A vector for each document, from any encoder: read from a file, and kept next to a corpus as a mapped array.

``vectors.npy`` holds a row per document, each of length 1, or 0 for a document without a vector. ``vectors.json`` says
which encoder made them, for which corpus, and has the checksum. They are no part of the corpus's identity: a run stays
valid if vectors come later.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.counting import counted
from priorwise.durable import whole_files
from priorwise.errors import BrokenFile, DamagedCorpus, InputError
from priorwise.kernels import Rows

Floats = NDArray[np.float32]
ARRAY, DESCRIPTION = "vectors.npy", "vectors.json"
FORMAT, VERSION = "priorwise vectors", 1
MOST_DIMENSIONS = 8192
LONGEST_DESCRIPTION = 1 << 16
BLOCK = 8192
"""How many rows are read at a time."""
LONGEST_HEADER = 1 << 24
TENSOR_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2"}
SHORTEST = 1e-6
"""A vector shorter than this compared with the longest one has no direction."""


@dataclass(frozen=True, eq=False)
class Vectors:
    """The vectors of a corpus.

    `values` (shape (n_documents, n_dimensions)): rows of length 1, or 0 for a document without a vector; 16-bit
    floats. `encoder`: what made them, as `priorwise embed --with` takes it. None: made elsewhere.
    """

    values: NDArray[np.float16]
    encoder: str | None = None

    @classmethod
    def of(cls, values: Any, encoder: str | None = None) -> Vectors:
        """Check an array, and bring its rows to length 1."""
        return cls(_directions(_sound(values, "the vectors")), encoder)

    @property
    def n_dimensions(self) -> int:
        return int(self.values.shape[1])

    def take(self, rows: Any) -> Floats:
        return np.asarray(self.values[np.asarray(rows, np.int64)], np.float32)

    def blocks(self) -> Iterator[tuple[Rows, Floats]]:
        """All vectors in order, some thousand at a time, with their rows."""
        for begin in range(0, len(self.values), BLOCK):
            rows = np.arange(begin, min(begin + BLOCK, len(self.values)))
            yield rows, self.take(rows)

    def mean(self) -> Floats:
        """The mean vector of the documents that have one."""
        total, n = np.zeros(self.n_dimensions), 0
        for _, block in self.blocks():
            total += block.sum(axis=0, dtype=np.float64)
            n += int(np.count_nonzero(block.any(axis=1)))
        return (total / max(n, 1)).astype(np.float32)

    def write(self, folder: Path, checksum: str, *, overwrite: bool = False) -> None:
        """Write them next to the corpus with this checksum, whole or not at all."""
        paths = [folder / ARRAY, folder / DESCRIPTION]
        with whole_files(paths, overwrite=overwrite) as drafts:
            with drafts[paths[0]].open("wb") as file:
                np.lib.format.write_array(file, np.ascontiguousarray(self.values), allow_pickle=False)
            about = {
                "format": FORMAT,
                "version": VERSION,
                "corpus": checksum,
                "encoder": self.encoder,
                "documents": len(self.values),
                "dimensions": self.n_dimensions,
                "sha256": _sha256(drafts[paths[0]]),
            }
            drafts[paths[1]].write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def open(cls, folder: Path, checksum: str, n_documents: int) -> Vectors | None:
        """Map the vectors of a corpus; None if it has none. `verify` compares them with their checksum."""
        about = _description(folder)
        if about is None:
            return None
        if about["corpus"] != checksum or about["documents"] != n_documents:
            raise DamagedCorpus(
                f"{folder / ARRAY} belongs to another corpus; delete it and {DESCRIPTION}, or embed the corpus again"
            )
        try:
            values = np.load(folder / ARRAY, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise _damaged(folder, " ".join(str(error).split())) from error
        if (
            values.dtype != np.float16
            or values.shape != (n_documents, about["dimensions"])
            or not values.flags.c_contiguous
        ):
            raise _damaged(folder, "it is not the array that its description says")
        return cls(values, about["encoder"])

    def verify(self, folder: Path) -> None:
        """Compare the array with its checksum, and look at every number."""
        about = _description(folder)
        if about is None or _sha256(folder / ARRAY) != about["sha256"]:
            raise _damaged(folder, "it does not match its checksum")
        for _, block in self.blocks():
            if not np.isfinite(block).all() or np.abs(block).max(initial=0.0) > 1.01:
                raise _damaged(folder, "a number in it is not finite, or too large")


def read_vectors(path: str | Path, ids: list[str] | None = None) -> NDArray[Any]:
    """Read an array of vectors from a file: ``.npy``, ``.parquet`` or ``.safetensors``.

    `path`: the file. A Parquet file has one column of lists, and may have a column ``id``. `ids`: the ids of the
    documents. A Parquet file with a column ``id`` is put in their order; rows of other documents are left out.

    Raises `BrokenFile` if it cannot be read, or has not one vector per document.
    """
    file = Path(path)
    if not file.is_file():
        raise BrokenFile(file, "there is no such file")
    readers = {".npy": _read_npy, ".parquet": _read_parquet, ".safetensors": _read_safetensors}
    if file.suffix.lower() not in readers:
        raise BrokenFile(file, "vectors are read from .npy, .parquet and .safetensors files")
    values, own_ids = readers[file.suffix.lower()](file)
    if ids is not None and own_ids is not None:
        place = {name: row for row, name in enumerate(own_ids)}
        missing = [name for name in ids if name not in place]
        if missing:
            raise BrokenFile(
                file, f"it has no vector for {counted(len(missing), 'document')}, such as '{missing[0][:60]}'"
            )
        values = values[[place[name] for name in ids]]
    if ids is not None and len(values) != len(ids):
        raise BrokenFile(
            file,
            f"it has {counted(len(values), 'row')}, and the corpus {counted(len(ids), 'document')}: give one row per "
            "document in the same order, or a Parquet file with a column id",
        )
    return _sound(values, str(file))


def _read_npy(path: Path) -> tuple[NDArray[Any], None]:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False), None
    except (OSError, ValueError, EOFError) as error:
        raise BrokenFile(path, f"not an array of NumPy ({' '.join(str(error).split())[:200]})") from error


def _read_parquet(path: Path) -> tuple[NDArray[Any], list[str] | None]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise BrokenFile(path, f"not a Parquet file ({' '.join(str(error).split())[:200]})") from error
    kinds = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    lists = [field.name for field in table.schema if any(kind(field.type) for kind in kinds)]
    if len(lists) != 1:
        raise BrokenFile(path, f"it has {counted(len(lists), 'column')} of lists; give exactly one, the vectors")
    column = table.column(lists[0]).combine_chunks()
    lengths = column.value_lengths() if column.null_count == 0 else None
    flat = column.flatten()
    distinct = [] if lengths is None else np.unique(lengths.to_numpy(zero_copy_only=False)).tolist()
    if len(distinct) != 1 or flat.null_count or not (pa.types.is_floating(flat.type) or pa.types.is_integer(flat.type)):
        raise BrokenFile(path, f"the rows of its column '{lists[0]}' are not vectors of one length without gaps")
    ids = [str(each) for each in table.column("id").to_pylist()] if "id" in table.column_names else None
    return flat.to_numpy(zero_copy_only=False).reshape(len(column), distinct[0]), ids


def _read_safetensors(path: Path) -> tuple[NDArray[Any], None]:
    """The one array of a safetensors file: eight bytes that say how long a JSON header is, the header, the numbers."""
    size = path.stat().st_size
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > min(LONGEST_HEADER, size - 8):
                raise ValueError("its header is longer than the file")
            header = json.loads(file.read(length))
        arrays = {name: each for name, each in header.items() if name != "__metadata__"}
        if len(arrays) != 1:
            raise ValueError(f"it holds {counted(len(arrays), 'array')}; give a file with exactly one")
        ((_, about),) = arrays.items()
        kind, shape, (begin, end) = TENSOR_TYPES[about["dtype"]], tuple(about["shape"]), about["data_offsets"]
        if len(shape) != 2 or not all(type(each) is int and each >= 0 for each in (*shape, begin, end)):
            raise ValueError("its array is not rows and columns")
        if end - begin != shape[0] * shape[1] * np.dtype(kind).itemsize or end > size - 8 - length:
            raise ValueError("its array is not as long as its header says")
        return np.memmap(path, kind, "r", 8 + length + begin, shape), None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BrokenFile(path, f"not a safetensors file of vectors ({' '.join(str(error).split())[:200]})") from error


def _sound(values: Any, name: str) -> NDArray[Any]:
    """An array of finite numbers in two dimensions, or a sentence."""
    try:
        array = np.asanyarray(values)
    except ValueError as error:
        raise InputError(f"{name}: the rows have different lengths") from error
    if array.ndim != 2 or array.dtype.kind not in "fiu":
        raise InputError(
            f"{name}: vectors are numbers in rows and columns, not {array.dtype} in {array.ndim} dimensions"
        )
    if not 1 <= array.shape[1] <= MOST_DIMENSIONS:
        raise InputError(f"{name}: a vector has 1 to {MOST_DIMENSIONS:,} numbers, not {array.shape[1]:,}")
    for begin in range(0, len(array), BLOCK):
        wrong = ~np.isfinite(np.asarray(array[begin : begin + BLOCK], np.float64)).all(axis=1)
        if wrong.any():
            row = begin + int(np.flatnonzero(wrong)[0])
            raise InputError(f"{name}: row {row:,} has a number that is missing or infinite")
    return array


def _directions(array: NDArray[Any]) -> NDArray[np.float16]:
    out = np.zeros(array.shape, np.float16)
    longest = 0.0
    lengths = np.zeros(len(array))
    for begin in range(0, len(array), BLOCK):
        part = np.asarray(array[begin : begin + BLOCK], np.float64)
        largest = np.maximum(np.abs(part).max(axis=1, initial=0.0), 1e-300)
        # Divided twice, so that squares of large numbers do not overflow.
        part = part / largest[:, None]
        own = np.sqrt((part**2).sum(axis=1))
        lengths[begin : begin + BLOCK] = own * largest
        out[begin : begin + BLOCK] = part / np.maximum(own, 1e-12)[:, None]
    longest = float(lengths.max(initial=0.0))
    out[lengths <= SHORTEST * longest] = 0
    return out


def _description(folder: Path) -> dict[str, Any] | None:
    path = folder / DESCRIPTION
    if not path.is_file() or not (folder / ARRAY).is_file():
        return None
    try:
        if path.stat().st_size > LONGEST_DESCRIPTION:
            raise ValueError("longer than any description of vectors")
        about = json.loads(path.read_bytes())
        if about["format"] != FORMAT or about["version"] != VERSION:
            raise ValueError("of another program or version")
        whole = all(type(about[name]) is int and about[name] >= 0 for name in ("documents", "dimensions"))
        texts = all(isinstance(about[name], str) for name in ("corpus", "sha256"))
        if not whole or not texts or not isinstance(about["encoder"], str | None):
            raise ValueError("its values are of other types")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedCorpus(
            f"{path} is damaged: {error}; delete it and {ARRAY}, and run `priorwise embed` again"
        ) from error
    return dict(about)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _damaged(folder: Path, reason: str) -> DamagedCorpus:
    return DamagedCorpus(f"{folder / ARRAY} is damaged: {reason}; delete it, and run `priorwise embed` again")
