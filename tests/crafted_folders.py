"""Runs and models that a stranger made to do harm: the checksums are right, and the contents are not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from priorwise.corpus.storage.files import checksum_of, described
from priorwise.models import linear_model

STRANGE: list[Any] = [
    *(None, True, -1, 0, 1, 2, 2**31, 2**63, -(2**63), 10**400, 0.5, 1e308, -1e308, float("nan"), float("inf")),
    *("", "x", "\0", "../../etc/passwd", "s3://key:secret@bucket/x.corpus?endpoint_override=127.0.0.1:9"),
    *("ftp://127.0.0.1/x", "a" * 70_000, [], [None], [[[]]], {}, {"": {}}, ["x"] * 3),
]
COLUMNS: list[Any] = [None, -1, 0, 2**31 - 1, 2**32 - 1, 2**63 - 1, float("nan"), float("-inf"), 1e308, "", "x", "\0"]


def craft(source: Path, target: Path, rng: np.random.Generator) -> str:
    """Write a changed copy of a run or a model whose checksums are right, and return what was changed."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    told = [_change(target, rng) for _ in range(int(rng.integers(1, 3)))]
    seal(target)
    return "; ".join(told)


def _change(folder: Path, rng: np.random.Generator) -> str:
    files = [path for path in sorted(folder.rglob("*")) if path.suffix in (".json", ".parquet", ".arrow")]
    # Descriptions are small and say the most, so they are changed more often.
    weights = np.array([4.0 if path.suffix == ".json" else 1.0 for path in files])
    file = files[int(rng.choice(len(files), p=weights / weights.sum()))]
    name = str(file.relative_to(folder))
    if rng.random() < 0.05:
        alike = [path for path in files if path.suffix == file.suffix]
        other = alike[int(rng.integers(len(alike)))]
        file.write_bytes(other.read_bytes())
        return f"{name} is {other.name}"
    if file.suffix == ".json":
        return f"{name}: {_change_json(file, rng)}"
    return f"{name}: {_change_table(file, rng)}"


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container and key in it."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in list(pairs):
        yield value, key
        yield from _places(each)


def _change_json(file: Path, rng: np.random.Generator) -> str:
    content = _read(file)
    places = list(_places(content))
    if not places:
        return "left as it is"
    holder, key = places[int(rng.integers(len(places)))]
    way = int(rng.integers(5))
    if way == 0:
        del holder[key]
        told = f"without {key!r}"
    elif way == 1:
        other, another = places[int(rng.integers(len(places)))]
        holder[key] = json.loads(json.dumps(other[another])) if other is not holder else None
        told = f"{key!r} like {another!r}"
    elif way == 2 and isinstance(holder[key], list):
        holder[key] = holder[key] * 2 + [None]
        told = f"{key!r} twice as long"
    else:
        holder[key] = STRANGE[int(rng.integers(len(STRANGE)))]
        told = f"{key!r} = {str(holder[key])[:40]!r}"
    file.write_text(json.dumps(content), encoding="utf-8")
    return told


def _read_table(file: Path) -> pa.Table:
    if file.suffix == ".parquet":
        return pq.read_table(file)
    with pa.OSFile(str(file)) as source:
        return pa.ipc.open_file(source).read_all()


def _write_table(file: Path, table: pa.Table) -> None:
    if file.suffix == ".parquet":
        pq.write_table(table, file)
        return
    with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        for batch in table.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], schema=table.schema)]:
            writer.write_batch(batch)


def _change_table(file: Path, rng: np.random.Generator) -> str:
    try:
        table = _read_table(file)
    except (pa.ArrowException, OSError):
        return "broken before"
    if not table.num_columns:
        return "left as it is"
    place = int(rng.integers(table.num_columns))
    field, column = table.schema.field(place), table.column(place)
    way = int(rng.integers(7))
    if way == 0:
        table, told = table.remove_column(place), f"without {field.name}"
    elif way == 1:
        rows = rng.integers(0, max(1, table.num_rows), int(rng.integers(0, 2 * table.num_rows + 1)))
        table, told = (table.take(rows) if table.num_rows else table), f"{len(rows)} rows in any order"
    elif way == 2:
        table = table.rename_columns([*("x" if i == place else name for i, name in enumerate(table.column_names))])
        told = f"{field.name} renamed"
    elif way == 3:
        kinds = [pa.int8(), pa.float32(), pa.string(), pa.binary(), pa.null(), pa.list_(pa.int64())]
        kind = kinds[int(rng.integers(len(kinds)))]
        table = table.set_column(place, field.name, pa.nulls(table.num_rows, kind))
        told = f"{field.name} as {kind}"
    elif way == 4 and table.num_columns > 1:
        other = int(rng.integers(table.num_columns))
        table = table.set_column(place, field.name, table.column(other))
        told = f"{field.name} is {table.column_names[other]}"
    else:
        values, strange = column.to_pylist(), COLUMNS[int(rng.integers(len(COLUMNS)))]
        for row in rng.integers(0, max(1, len(values)), 2).tolist() if values else []:
            values[row] = [strange] if isinstance(values[row], list) else strange
        try:
            table = table.set_column(place, field, pa.array(values, field.type))
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            table = table.set_column(place, field.name, pa.array([str(value) for value in values]))
        told = f"{field.name} holds {strange!r}"
    _write_table(file, table)
    return told


def _read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def seal(folder: Path) -> None:
    """Make all checksums right, as far as there still are places for them."""
    for model in sorted(folder.rglob(linear_model.FILE_NAME)):
        content = _read(model)
        if isinstance(content, dict) and isinstance(content.get("files"), dict):
            for name, record in content["files"].items():
                if isinstance(record, dict) and "sha256" in record and (model.parent / name).is_file():
                    again = described({}, model.parent, [name])["files"][name]
                    record |= {key: again[key] for key in record if key in again}
        if isinstance(content, dict):
            content.pop("checksum", None)
            content["checksum"] = checksum_of(content)
        model.write_text(json.dumps(content), encoding="utf-8")
    run = folder / "run.json"
    if run.is_file():
        content = _read(run)
        if isinstance(content, dict):
            names = [each.name for each in folder.iterdir() if each.is_file() and each.name != run.name]
            rest = {key: value for key, value in content.items() if key not in ("files", "checksum")}
            run.write_text(json.dumps(described(rest, folder, names)), encoding="utf-8")
