"""The arrays of a saved model as Arrow files: by label, by output, and by token."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from priorwise.corpus.storage.columns import text_column
from priorwise.errors import BrokenFile
from priorwise.models.weights import Background, Weights

Floats = NDArray[np.float64]

LABELS, OUTPUTS, TOKENS = "labels.arrow", "outputs.arrow", "tokens.arrow"
FACTORS, GROUPS, ORIGINS = "factors.arrow", "groups.arrow", "origins.arrow"

SCHEMAS = {
    LABELS: pa.schema({"label": pa.string(), "members": pa.float64()}),
    OUTPUTS: pa.schema({"bias": pa.float64(), "background": pa.large_list(pa.float64())}),
    TOKENS: pa.schema(
        {
            "token": pa.string(),
            "group": pa.int32(),
            "outputs": pa.large_list(pa.int32()),
            "values": pa.large_list(pa.float64()),
        }
    ),
}
"""A row of `outputs.arrow` has one background number for each group of tokens. A row of `tokens.arrow` has the token's
group, the outputs that know it, ascending, and what it adds to each beyond the background."""

OPTIONAL = {
    FACTORS: pa.schema({"factor": pa.float64()}),
    GROUPS: pa.schema({"group": pa.string(), "name": pa.string(), "adds": pa.float64()}),
    ORIGINS: pa.schema({"in_members": pa.float64(), "in_others": pa.float64(), "from_prior": pa.float64()}),
}
"""Tables that only some models have. `factors.arrow` has a row per token: what its counts are multiplied by.
`groups.arrow` has a row per feature beyond the words: its group, its name, and what it adds. `origins.arrow` has a row
per token: in how many members and other documents it occurs, and what the prior brought to its weight."""


def batches_of(labels: Sequence[str], members: Floats, tokens: pa.Array, weights: Weights) -> dict[str, pa.RecordBatch]:
    """The three tables; the weights have a background."""
    background = weights.background
    if background is None:
        raise TypeError("weights are saved with a background")
    values = weights.values
    starts = values.indptr.astype(np.int64)
    groups = np.arange(len(background.values) + 1, dtype=np.int64) * background.values.shape[1]
    columns = {
        LABELS: [text_column(labels), members],
        OUTPUTS: [weights.bias, pa.LargeListArray.from_arrays(groups, background.values.ravel())],
        TOKENS: [
            tokens,
            background.group.astype(np.int32),
            pa.LargeListArray.from_arrays(starts, values.indices.astype(np.int32)),
            pa.LargeListArray.from_arrays(starts, values.data.astype(np.float64)),
        ],
    }
    return {
        name: pa.record_batch([pa.array(column) for column in columns[name]], schema=schema)
        for name, schema in SCHEMAS.items()
    }


def factor_batch(factors: Floats) -> pa.RecordBatch:
    """The table of factors."""
    return pa.record_batch([pa.array(factors)], schema=OPTIONAL[FACTORS])


def group_batch(groups: Mapping[str, tuple[Sequence[str], Floats]]) -> pa.RecordBatch:
    """The table of features beyond the words."""
    group = [name for name, (names, _) in groups.items() for _ in names]
    names = [name for own, _ in groups.values() for name in own]
    adds = np.concatenate([own for _, own in groups.values()])
    return pa.record_batch([text_column(group), text_column(names), pa.array(adds)], schema=OPTIONAL[GROUPS])


def groups_of(tables: Mapping[str, pa.RecordBatch]) -> dict[str, tuple[list[str], Floats]]:
    """The names of the features beyond the words, and what each adds, by group."""
    if GROUPS not in tables:
        return {}
    group, names = tables[GROUPS].column("group").to_pylist(), tables[GROUPS].column("name").to_pylist()
    adds: Floats = tables[GROUPS].column("adds").to_numpy()
    _require(bool(np.all(np.isfinite(adds))), "a number is not finite")
    found = {}
    for own in dict.fromkeys(group):
        places = [place for place, name in enumerate(group) if name == own]
        found[own] = ([names[place] for place in places], adds[places])
    return found


def origin_batch(in_members: Floats, in_others: Floats, from_prior: Floats) -> pa.RecordBatch:
    """The table of where weights come from."""
    return pa.record_batch([pa.array(each) for each in (in_members, in_others, from_prior)], schema=OPTIONAL[ORIGINS])


def origins_of(tables: Mapping[str, pa.RecordBatch]) -> list[Floats]:
    """In how many members and other documents each token occurs, and what the prior brought to its weight."""
    columns = [column.to_numpy() for column in tables[ORIGINS].columns]
    _require(len(columns[0]) == tables[TOKENS].num_rows, "there are more origins than tokens, or fewer")
    _require(all(bool(np.all(np.isfinite(each))) for each in columns), "a number is not finite")
    return columns


def factors_of(tables: Mapping[str, pa.RecordBatch]) -> Floats:
    """What the counts of each token are multiplied by."""
    factors: Floats = tables[FACTORS].column("factor").to_numpy()
    _require(len(factors) == tables[TOKENS].num_rows, "there are more factors than tokens, or fewer")
    _require(bool(np.all(np.isfinite(factors))), "a number is not finite")
    return factors


def read(path: Path, length: int, sha256: str) -> pa.RecordBatch:
    """Read one table, and refuse a file that is not what was written."""
    if not path.is_file():
        raise BrokenFile(path.parent, f"the model is damaged: {path.name} is missing")
    if path.stat().st_size != length:
        raise BrokenFile(path, f"damaged: {path.stat().st_size:,} bytes, not {length:,}")
    buffer = pa.memory_map(str(path)).read_buffer()
    if hashlib.sha256(buffer).hexdigest() != sha256:
        raise BrokenFile(path, "damaged: it does not match its checksum")
    reader = pa.ipc.open_file(pa.BufferReader(buffer))
    if not reader.schema.equals({**SCHEMAS, **OPTIONAL}.get(path.name)) or reader.num_record_batches != 1:
        raise BrokenFile(path, "not a table of a model: it has other columns")
    batch = reader.get_batch(0)
    batch.validate(full=True)
    if any(column.null_count for column in batch.columns):
        raise BrokenFile(path, "damaged: values are missing")
    return batch


def labels_of(tables: Mapping[str, pa.RecordBatch]) -> tuple[list[str], Floats]:
    """The labels, and how many members each had."""
    labels, members = tables[LABELS].column("label").to_pylist(), tables[LABELS].column("members").to_numpy()
    _require(len(labels) > 0, "there is no label")
    _require(len(set(labels)) == len(labels), "a label is there twice")
    _require(bool(np.all(np.isfinite(members))), "a number is not finite")
    return labels, members


def weights_of(tables: Mapping[str, pa.RecordBatch]) -> Weights:
    """The weights; numbers that would lead the compiled loops out of their arrays are refused."""
    from scipy.sparse import csc_matrix

    outputs, by_token = tables[OUTPUTS], tables[TOKENS]
    tokens, n_outputs, n_tokens = by_token.column("token"), outputs.num_rows, by_token.num_rows
    _require(n_outputs > 0, "there is no output")
    if n_tokens > 1:
        ascending = pc.all(pc.less(tokens.slice(0, n_tokens - 1), tokens.slice(1))).as_py()
        _require(bool(ascending), "the tokens are not in order")
    starts, classes = _list(by_token.column("outputs"))
    value_starts, values = _list(by_token.column("values"))
    _require(np.array_equal(starts, value_starts), "tokens have more outputs than values, or fewer")
    widths, background = _list(outputs.column("background"))
    n_groups = int(widths[1])
    _require(n_groups > 0 and bool(np.all(np.diff(widths) == n_groups)), "the background is not a rectangle")
    group = by_token.column("group").to_numpy()
    _require(not n_tokens or bool(group.min() >= 0 and group.max() < n_groups), "a token's group is not there")
    _require(not len(classes) or bool(classes.min() >= 0 and classes.max() < n_outputs), "an output is not there")
    inside = np.ones(len(classes), dtype=bool)
    inside[starts[:-1][starts[:-1] < len(classes)]] = False
    _require(bool(np.all((np.diff(classes, prepend=-1) > 0) | ~inside)), "a token's outputs are not in order")
    bias = outputs.column("bias").to_numpy()
    _require(all(bool(np.all(np.isfinite(each))) for each in (bias, background, values)), "a number is not finite")
    return Weights(
        np.arange(n_tokens),
        csc_matrix((values, classes, starts), shape=(n_outputs, n_tokens)),
        bias,
        Background(background.reshape(n_outputs, n_groups), group),
    )


def _list(column: Any) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Offsets from 0 and values of a column of lists."""
    offsets = column.offsets.to_numpy().astype(np.int64)
    values = column.flatten()
    _require(values.null_count == 0, "values are missing")
    return offsets - offsets[0], values.to_numpy()


def _require(right: bool, otherwise: str) -> None:
    if not right:
        raise ValueError(otherwise)
