"""Check once that the files of a corpus are what the compiled loops expect, whoever wrote them.

The loops write to places whose numbers come from these files, and do not check each one. So every number is checked
here: columns and types, rows, no missing values, offsets that ascend, and numbers of tokens, labels and documents
within their limits. Which files were found sound is remembered in the user's own cache folder, never in the corpus: a
corpus from a stranger cannot bring its own mark. A file counts as checked as long as it is the same file (device,
inode), of the same size, and untouched since (times of change), under the same manifest.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from priorwise.corpus.storage import files as file_of
from priorwise.corpus.storage.columns import LARGEST_OFFSET, list_parts
from priorwise.corpus.storage.manifest import Manifest
from priorwise.corpus.texts import LARGEST_BLOCK
from priorwise.readers.addresses import cache_folder

Batches = list[pa.RecordBatch]
Read = Callable[[str], Batches]
"""Returns the batches of another file of the corpus, already checked."""

_NUMBERS = pa.list_(pa.uint32())
_STRING = (pa.string(),)
_NAMES = (pa.string(), pa.large_string())
_COUNTS = tuple(pa.list_(kind) for kind in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()))

COLUMNS: dict[str, dict[str, tuple[pa.DataType, ...]]] = {
    file_of.DOCUMENTS: {"id": _STRING, "title": _STRING, "labels": (_NUMBERS,)},
    file_of.ID_ORDER: {"document": (pa.uint32(),)},
    file_of.TOKENS: {"tokens": (_NUMBERS,), "counts": _COUNTS},
    file_of.VOCABULARY: {"token": _NAMES, "documents": (pa.uint32(),), "occurrences": (pa.uint64(),)},
    file_of.TOKEN_ORDER: {"token": (pa.uint32(),)},
    file_of.LABELS: {"label": _NAMES, "documents": (_NUMBERS,), "origins": (pa.list_(pa.uint8()),)},
    file_of.CATEGORIES: {"category": _STRING, "parents": (_NUMBERS,), "children": (_NUMBERS,)},
    file_of.TEXTS: {"first": (pa.uint32(),), "ends": (_NUMBERS,), "text": (pa.binary(),)},
    file_of.OTHERS: {"first": (pa.uint32(),), "ends": (_NUMBERS,), "text": (pa.binary(),)},
}
"""The columns of each file, and the types that each may have."""

_N_ORIGINS = 4


def check_file(name: str, schema: pa.Schema, batches: Batches, manifest: Manifest, read: Read) -> None:
    """Raise ValueError, with the reason, unless a file of a corpus is sound and what its manifest says."""
    if name not in COLUMNS:
        raise ValueError("a corpus has no such file")
    _check_columns(schema, COLUMNS[name])
    address = (schema.metadata or {}).get(file_of.ADDRESS, b"https://")
    _require(address.startswith((b"https://", b"http://")), "its pages are not at a web address")
    for batch in batches:
        _check_batch(batch)
    counts = manifest.counts
    if name in (file_of.DOCUMENTS, file_of.TOKENS):
        rows = [batch.num_rows for batch in batches]
        _require(rows == manifest.batches, "its batches are not those of the manifest")
    elif name in (file_of.TEXTS, file_of.OTHERS):
        _require(len(batches) == len(manifest.batches), "its batches are not those of the manifest")
    else:
        _require(len(batches) == 1, f"it has {len(batches)} batches, not 1")
    if name in _ROWS:
        _require(
            batches[0].num_rows == getattr(counts, _ROWS[name]), "it has more rows than the manifest says, or fewer"
        )
    _CHECKS[name](batches, manifest, read)


def check_tokens(batch: pa.RecordBatch, frequency: NDArray[np.uint32]) -> None:
    """Check the tokens of some documents, and add to `frequency` how many documents have each token."""
    offsets, tokens = _lists(batch.column("tokens"))
    count_offsets, counts = _lists(batch.column("counts"))
    _require(np.array_equal(offsets, count_offsets), "a document has more tokens than counts, or fewer")
    _require(not len(counts) or int(counts.min()) > 0, "a token occurs 0 times in a document")
    _ascending(offsets, tokens, frequency, "tokens")


def check_token_batch(batch: pa.RecordBatch, n_documents: int, n_vocabulary: int) -> None:
    """Check one batch of tokens that was read on its own, as a task on another machine does."""
    _check_columns(batch.schema, COLUMNS[file_of.TOKENS])
    _check_batch(batch)
    _require(batch.num_rows == n_documents, "its batches are not those of the manifest")
    check_tokens(batch, np.zeros(n_vocabulary, np.uint32))


def _check_columns(schema: pa.Schema, expected: dict[str, tuple[pa.DataType, ...]]) -> None:
    _require(schema.names == list(expected), f"its columns are {', '.join(schema.names)[:200]}")
    for field, allowed in zip(schema, expected.values(), strict=True):
        _require(field.type in allowed, f"the column '{field.name}' is of the type {str(field.type)[:80]}")


def _check_batch(batch: pa.RecordBatch) -> None:
    try:
        batch.validate(full=True)
    except pa.ArrowException as error:
        raise ValueError(" ".join(str(error).split())) from error
    for column in batch.columns:
        parts = [column, column.values] if pa.types.is_list(column.type) else [column]
        _require(not any(part.null_count or part.offset for part in parts), "values are missing")
        _require(all(not part.address % 8 for part in column.buffers() if part), "its values are not aligned")


def _tokens(batches: Batches, manifest: Manifest, read: Read) -> None:
    (vocabulary,) = read(file_of.VOCABULARY)
    frequency = np.zeros(vocabulary.num_rows, np.uint32)
    entries = occurrences = 0
    for batch in batches:
        check_tokens(batch, frequency)
        values = batch.column("counts").values
        entries, occurrences = entries + len(values), occurrences + (pc.sum(values).as_py() or 0)
    _require(entries == manifest.counts.tokens, "it has more tokens than the manifest says, or fewer")
    _require(occurrences == manifest.counts.occurrences, "its counts do not add up to what the manifest says")
    same = np.array_equal(frequency, vocabulary.column("documents").to_numpy())
    _require(same, f"the tokens are not in as many documents as {file_of.VOCABULARY} says")


def _vocabulary(batches: Batches, manifest: Manifest, read: Read) -> None:
    _names(batches[0].column("token"))
    documents, occurrences = (batches[0].column(name).to_numpy() for name in ("documents", "occurrences"))
    if len(documents):
        _require(int(documents.min()) > 0 and int(documents.max()) <= manifest.counts.documents, "a count is too large")
        _require(bool(np.all(documents[:-1] >= documents[1:])), "the most frequent tokens do not come first")
    total = int(occurrences.sum(dtype=np.uint64))
    _require(total == manifest.counts.occurrences, "its counts do not add up to what the manifest says")


def _documents(batches: Batches, manifest: Manifest, read: Read) -> None:
    (labels,) = read(file_of.LABELS)
    found = np.zeros(labels.num_rows, np.uint32)
    for batch in batches:
        _ascending(*_lists(batch.column("labels")), found, "labels")
    sizes = np.diff(_lists(labels.column("documents"))[0])
    _require(np.array_equal(found, sizes), f"the labels are not on as many documents as {file_of.LABELS} says")


def _labels(batches: Batches, manifest: Manifest, read: Read) -> None:
    _names(batches[0].column("label"))
    offsets, documents = _lists(batches[0].column("documents"))
    origin_offsets, origins = _lists(batches[0].column("origins"))
    _require(np.array_equal(offsets, origin_offsets), "a label has more documents than origins, or fewer")
    _require(len(documents) == manifest.counts.memberships, "it has more memberships than the manifest says, or fewer")
    _require(not len(origins) or int(origins.max()) < _N_ORIGINS, "an origin does not exist")
    _ascending(offsets, documents, np.zeros(manifest.counts.documents, np.uint32), "documents")


def _categories(batches: Batches, manifest: Manifest, read: Read) -> None:
    _names(batches[0].column("category"))
    n = batches[0].num_rows
    degree = {name: np.zeros(n, np.uint32) for name in ("parents", "children")}
    sizes = {}
    for name, counts in degree.items():
        offsets, linked = _lists(batches[0].column(name))
        _ascending(offsets, linked, counts, "categories")
        sizes[name] = np.diff(offsets)
    same = np.array_equal(degree["parents"], sizes["children"]) and np.array_equal(degree["children"], sizes["parents"])
    _require(same, "the parents and the children of categories do not match")


def _order(batches: Batches, manifest: Manifest, read: Read) -> None:
    order = batches[0].column(0).to_numpy()
    there = np.zeros(len(order), np.bool_)
    inside = not len(order) or int(order.max()) < len(order)
    _require(inside, "a number in it is too large")
    there[order] = True
    _require(bool(there.all()), "a number is there twice")


def _texts(batches: Batches, manifest: Manifest, read: Read) -> None:
    for batch, documents in zip(batches, manifest.batches, strict=True):
        first = batch.column("first").to_numpy().astype(np.int64)
        offsets, ends = _lists(batch.column("ends"))
        sizes = np.diff(offsets)
        expected = np.concatenate([[0], np.cumsum(sizes)])
        _require(np.array_equal(first, expected[:-1]) and int(expected[-1]) == documents, "documents have no text")
        _require(not len(sizes) or int(sizes.min()) > 0, "a block has no documents")
        falls = np.flatnonzero(ends[1:] < ends[:-1]) + 1
        _require(bool(np.isin(falls, offsets).all()), "the ends of its texts do not ascend")
        _require(not len(ends) or int(ends.max()) <= LARGEST_BLOCK, "a block of texts is too large")


_CHECKS: dict[str, Callable[[Batches, Manifest, Read], None]] = {
    file_of.DOCUMENTS: _documents,
    file_of.ID_ORDER: _order,
    file_of.TOKENS: _tokens,
    file_of.VOCABULARY: _vocabulary,
    file_of.TOKEN_ORDER: _order,
    file_of.LABELS: _labels,
    file_of.CATEGORIES: _categories,
    file_of.TEXTS: _texts,
    file_of.OTHERS: _texts,
}
_ROWS = {
    file_of.ID_ORDER: "documents",
    file_of.VOCABULARY: "vocabulary",
    file_of.TOKEN_ORDER: "vocabulary",
    file_of.LABELS: "labels",
}


def _names(column: pa.Array) -> None:
    """Wide offsets are for names that do not fit narrow ones, and other code relies on that."""
    if pa.types.is_large_string(column.type):
        wide = pc.sum(pc.binary_length(column)).as_py() or 0
        _require(wide > LARGEST_OFFSET, "its names have wider offsets than they need")


def _lists(column: pa.Array) -> tuple[NDArray[np.int32], NDArray[Any]]:
    offsets, values = list_parts(column)
    whole = len(offsets) == len(column) + 1 and int(offsets[0]) == 0 and int(offsets[-1]) == len(values)
    _require(whole, "it has values that belong to no row")
    return offsets, values


def _ascending(offsets: NDArray[Any], values: NDArray[Any], counts: NDArray[np.uint32], what: str) -> None:
    from priorwise.corpus._kernels import first_wrong_row

    row = first_wrong_row(offsets, values, counts)
    _require(row < 0, f"the {what} of row {row:,} do not ascend, or one of them does not exist")


def _require(right: Sequence[Any] | bool | np.bool_, otherwise: str) -> None:
    if not right:
        raise ValueError(otherwise)


CHECKS = 1
"""Raised when more is checked than before; then every corpus is checked again."""

_SETTLED = 2.0
"""Seconds. A file that changed just now may change again within the same tick of its clock, so it is not remembered."""


class Verified:
    """The files of one corpus that were checked."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._folder = folder.absolute()
        self._corpus = {"checks": CHECKS, "folder": str(self._folder), "manifest": manifest.checksum}
        name = hashlib.sha256(os.fsencode(self._folder)).hexdigest()[:32]
        self._path = cache_folder() / "verified" / f"{name}.json"
        self._files: dict[str, list[int]] | None = None

    def __contains__(self, name: str) -> bool:
        if self._files is None:
            self._files = self._load()
        return name in self._files and self._files[name] == _state(self._folder / name)

    def state(self, name: str) -> list[int] | None:
        """Return how a file is now; take it before checking, and hand it to :meth:`add` afterwards."""
        return _state(self._folder / name)

    def add(self, name: str, state: list[int] | None) -> None:
        """Remember that a file was checked, if it is still as it was and has settled."""
        settled = state is not None and max(state[-2:]) < (time.time() - _SETTLED) * 1e9
        if state is None or not settled or _state(self._folder / name) != state:
            return
        # Another process may have checked other files meanwhile.
        self._files = {**self._load(), **(self._files or {}), name: state}
        # Without a place to remember it, the file is checked again next time.
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            draft = self._path.with_suffix(f".{os.getpid()}")
            draft.write_text(json.dumps({**self._corpus, "files": self._files}), encoding="utf-8")
            draft.replace(self._path)

    def _load(self) -> dict[str, list[int]]:
        try:
            stored: dict[str, Any] = json.loads(self._path.read_bytes())
            files = stored.pop("files")
            return dict(files) if stored == self._corpus else {}
        except (OSError, ValueError, LookupError, AttributeError, TypeError):
            return {}


def _state(path: Path) -> list[int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
