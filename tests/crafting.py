"""Corpora that a stranger made to do harm: the checksums are right, and the numbers within are not."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from priorwise.corpus import Corpus
from priorwise.corpus.storage.files import FileRecord, write_arrow
from priorwise.corpus.storage.manifest import Counts, Manifest

Tables = dict[str, list[pa.RecordBatch]]
Change = Callable[[Tables, dict[str, Any], np.random.Generator], str]

STRANGE = [0, 1, 2, 7, 255, 256, 65_535, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1]


@dataclass
class Crafted:
    """A corpus folder to change and write again."""

    source: Path

    def write(self, target: Path, change: Change, rng: np.random.Generator) -> str:
        """Write a changed copy whose checksums are right, and return what was changed."""
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        about = json.loads((self.source / "manifest.json").read_text())
        tables = {name: _batches(self.source / name) for name in about["files"]}
        told = change(tables, about, rng)
        options = about.pop("write", {})
        files = {}
        for name, batches in tables.items():
            with (target / name).open("wb") as file:
                files[name] = write_batches(file, batches, options.get(name))
        if "offset" in about:
            name, *where = about.pop("offset")
            files[name] = patch_offset(target / name, *where)
        manifest = Manifest(Counts(**about["counts"]), about["tokenizer"], about["batches"], files)
        (target / "manifest.json").write_bytes(manifest.to_json())
        return told


def write_batches(file: Any, batches: Sequence[pa.RecordBatch], compression: str | None) -> FileRecord:
    if compression is None:
        return write_arrow(file, batches[0].schema, iter(batches))
    options = pa.ipc.IpcWriteOptions(compression=compression)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, batches[0].schema, options=options) as writer:
        for batch in batches:
            writer.write_batch(batch)
    data = sink.getvalue().to_pybytes()
    file.write(data)
    return FileRecord(len(data), hashlib.sha256(data).hexdigest())


def small_corpus(path: Path) -> Corpus:
    """Write a corpus that has a file of every kind."""
    from priorwise.discovery.demo import make_documents

    documents = make_documents(60)
    texts = [document.text for document in documents]
    labels = [document.labels for document in documents]
    return Corpus.from_texts(texts, labels=labels, path=path)


def _batches(path: Path) -> list[pa.RecordBatch]:
    with pa.memory_map(str(path)) as file:
        reader = pa.ipc.open_file(file)
        return [reader.get_batch(n) for n in range(reader.num_record_batches)]


def replaced(batch: pa.RecordBatch, column: int, array: pa.Array) -> pa.RecordBatch:
    arrays = list(batch.columns)
    arrays[column] = array
    return pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)


def with_values(column: pa.Array, values: np.ndarray[Any, Any]) -> pa.Array:
    """Return a column of lists with other values."""
    return pa.ListArray.from_arrays(column.offsets, pa.array(values, column.values.type))


def wrong_number(tables: Tables, about: dict[str, Any], rng: np.random.Generator) -> str:
    """One number of one column becomes another."""
    name, batch, column = any_column(tables, rng, lambda kind: not pa.types.is_string(kind))
    array = tables[name][batch].column(column)
    inner = array.values if pa.types.is_list(array.type) else array
    if pa.types.is_binary(array.type) or not len(inner):
        return wrong_offset(tables, about, rng)
    values = inner.to_numpy().copy()
    limit = np.iinfo(values.dtype).max
    near = [about["counts"][each] + d for each in ("vocabulary", "documents", "labels") for d in (-1, 0, 1)]
    at, to = int(rng.integers(len(values))), min(int(rng.choice(STRANGE + near)), int(limit))
    before, values[at] = int(values[at]), to
    new = with_values(array, values) if pa.types.is_list(array.type) else pa.array(values)
    tables[name][batch] = replaced(tables[name][batch], column, new)
    return f"{name}, column {column}, value {at}: {before} became {to}"


def wrong_offset(tables: Tables, about: dict[str, Any], rng: np.random.Generator) -> str:
    """One offset of one column becomes another."""
    has_offsets = lambda kind: pa.types.is_list(kind) or pa.types.is_string(kind) or pa.types.is_binary(kind)  # noqa: E731
    name, batch, column = any_column(tables, rng, has_offsets)
    array = tables[name][batch].column(column)
    offsets = np.frombuffer(array.buffers()[1], np.int32)[: len(array) + 1].copy()
    at, to = int(rng.integers(len(offsets))), int(rng.choice([-1, -(2**31), *STRANGE[:8], int(offsets[-1]) + 1]))
    about["offset"] = (name, batch, column, at, to)
    return f"{name}, column {column}, offset {at}: {int(offsets[at])} became {to}"


def patch_offset(path: Path, batch: int, column: int, at: int, to: int) -> FileRecord:
    """Change an offset in a file that is written; Arrow writes no wrong ones itself."""
    data = np.fromfile(path, np.uint8)
    found = pa.ipc.open_file(pa.py_buffer(data)).get_batch(batch).column(column).buffers()[1]
    place = found.address - data.ctypes.data + 4 * at
    data[place : place + 4] = np.frombuffer(np.array([to], np.int64).astype(np.int32).tobytes(), np.uint8)
    path.write_bytes(data.tobytes())
    return FileRecord(len(data), hashlib.sha256(data.tobytes()).hexdigest())


def wrong_type(tables: Tables, about: dict[str, Any], rng: np.random.Generator) -> str:
    """A column has another type."""
    name, _, column = any_column(tables, rng, lambda kind: True)
    kinds = [pa.int64(), pa.float64(), pa.string(), pa.large_string(), pa.list_(pa.int32()), pa.list_(pa.uint32())]
    kinds += [pa.large_list(pa.uint32()), pa.binary(), pa.null(), pa.list_(pa.list_(pa.uint32())), pa.bool_()]
    kind = kinds[int(rng.integers(len(kinds)))]
    tables[name] = [replaced(each, column, _made(each.column(column), kind)) for each in tables[name]]
    return f"{name}, column {column} is of the type {kind}"


def _made(column: pa.Array, kind: pa.DataType) -> pa.Array:
    try:
        return column.cast(kind)
    except pa.ArrowException:
        return pa.nulls(len(column), kind)


def missing_values(tables: Tables, about: dict[str, Any], rng: np.random.Generator) -> str:
    """Some values of a column are missing."""
    name, batch, column = any_column(tables, rng, lambda kind: True)
    array = tables[name][batch].column(column)
    kept = pa.array(rng.random(len(array)) < 0.5)
    import pyarrow.compute as pc

    new = pc.if_else(kept, array, pa.nulls(len(array), array.type))
    tables[name][batch] = replaced(tables[name][batch], column, new)
    return f"{name}, column {column}: half of the values are missing"


def missing_inner_values(tables: Tables, about: dict[str, Any], rng: np.random.Generator) -> str:
    """Some values within lists are missing."""
    name, batch, column = any_column(tables, rng, pa.types.is_list)
    array = tables[name][batch].column(column)
    values = array.values.to_pylist()
    values = [None if rng.random() < 0.3 else value for value in values]
    new = pa.ListArray.from_arrays(array.offsets, pa.array(values, array.values.type))
    tables[name][batch] = replaced(tables[name][batch], column, new)
    return f"{name}, column {column}: values within lists are missing"


def other_rows(tables: Tables, about: dict[str, Any], rng: np.random.Generator) -> str:
    """A file has more or fewer rows, or batches."""
    name = str(rng.choice(sorted(tables)))
    how = str(rng.choice(["shorter", "double", "none", "twice", "no batch"]))
    batches = tables[name]
    first = batches[0]
    tables[name] = {
        "shorter": [first.slice(0, max(0, first.num_rows - 1)), *batches[1:]],
        "double": [pa.Table.from_batches([first, first]).combine_chunks().to_batches()[0] if first.num_rows else first],
        "none": [first.slice(0, 0)],
        "twice": [*batches, first],
        "no batch": [first.slice(0, 0)],
    }[how]
    return f"{name}: rows {how}"


def other_columns(tables: Tables, about: dict[str, Any], rng: np.random.Generator) -> str:
    """A column is missing, doubled, or has another name."""
    name = str(rng.choice(sorted(tables)))
    batch = tables[name][0]
    names, arrays = list(batch.schema.names), list(batch.columns)
    column = int(rng.integers(len(names)))
    how = str(rng.choice(["dropped", "doubled", "renamed", "moved"]))
    if how == "dropped" and len(names) > 1:
        del names[column], arrays[column]
    elif how == "doubled":
        names.append(names[column])
        arrays.append(arrays[column])
    elif how == "renamed":
        names[column] = "x"
    else:
        names, arrays = names[::-1], arrays[::-1]
    tables[name] = [pa.RecordBatch.from_arrays(arrays, names=names)]
    return f"{name}: column {column} {how}"


def wrong_counts(tables: Tables, about: dict[str, Any], rng: np.random.Generator) -> str:
    """The manifest says that there is more or less."""
    key = str(rng.choice(sorted(about["counts"])))
    before = about["counts"][key]
    about["counts"][key] = int(rng.choice([0, 1, before + 1, max(0, before - 1), 2 * before, 10**9, 2**62]))
    if key == "documents" and rng.random() < 0.7:
        about["batches"] = [about["counts"][key]]
    return f"manifest: {key} {before} became {about['counts'][key]}"


def compressed(tables: Tables, about: dict[str, Any], rng: np.random.Generator) -> str:
    """A file is compressed, as Arrow can do it."""
    name = str(rng.choice(sorted(tables)))
    about["write"] = {name: str(rng.choice(["lz4", "zstd"]))}
    return f"{name} is compressed"


def missing_file(tables: Tables, about: dict[str, Any], rng: np.random.Generator) -> str:
    """A file is neither there nor named."""
    name = str(rng.choice(sorted(tables)))
    del tables[name]
    return f"{name} is gone"


def swapped(tables: Tables, about: dict[str, Any], rng: np.random.Generator) -> str:
    """A file holds what belongs into another."""
    one, other = (str(name) for name in rng.choice(sorted(tables), 2, replace=False))
    tables[one] = tables[other]
    return f"{one} is a copy of {other}"


def large_block(tables: Tables, about: dict[str, Any], rng: np.random.Generator) -> str:
    """A text says that it unpacks to much more."""
    batch = tables["texts.arrow"][0]
    ends = batch.column("ends")
    values = ends.values.to_numpy().copy()
    values[-1] = 2**32 - 1
    tables["texts.arrow"][0] = replaced(batch, 1, with_values(ends, values))
    return "texts.arrow: a block of four gigabytes"


CHANGES: list[Change] = [
    wrong_number,
    wrong_number,
    wrong_number,
    wrong_number,
    wrong_offset,
    wrong_offset,
    wrong_type,
    missing_values,
    missing_inner_values,
    other_rows,
    other_columns,
    wrong_counts,
    wrong_counts,
    compressed,
    missing_file,
    swapped,
    large_block,
]


def any_column(tables: Tables, rng: np.random.Generator, wanted: Callable[[pa.DataType], bool]) -> tuple[str, int, int]:
    places = [
        (name, number, column)
        for name, batches in sorted(tables.items())
        for number, batch in enumerate(batches)
        for column, field in enumerate(batch.schema)
        if wanted(field.type)
    ]
    return places[int(rng.integers(len(places)))]
