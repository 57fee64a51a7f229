"""A ranking as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from priorwise.counting import counted
from priorwise.errors import optional

SCHEMA = pa.schema(
    {
        "rank": pa.int64(),
        "id": pa.string(),
        "title": pa.string(),
        "score": pa.float64(),
        "probability": pa.float64(),
        "baseline_rank": pa.int64(),
        "evidence": pa.string(),
        "status": pa.string(),
        "path": pa.string(),
    }
)


@dataclass(frozen=True)
class Ranking:
    """Documents, best first: rank, id, title, score, probability, baseline_rank, evidence, status and path of each.

    `score` is what the ranking is ordered by, `probability` the chance of membership it stands for (null if there were
    no members to learn that from), `baseline_rank` the document's place in the baseline's whole ranking, `evidence`
    its strongest tokens. `status` says whether the document is in a subcategory of the category or new, `path` how the
    category leads to that subcategory; both are null where there is no category or no graph of categories.
    """

    table: pa.Table

    @classmethod
    def of(
        cls,
        *,
        ids: Sequence[str],
        titles: Sequence[str],
        scores: NDArray[np.float64],
        probabilities: NDArray[np.float64] | None,
        baseline_ranks: NDArray[np.int64] | None,
        evidence: Sequence[str],
        status: Sequence[str | None] | None = None,
        path: Sequence[str | None] | None = None,
    ) -> Ranking:
        """Put the columns together."""
        unknown = [None] * len(ids)
        columns = [
            np.arange(1, len(ids) + 1),
            ids,
            titles,
            scores,
            unknown if probabilities is None else probabilities,
            unknown if baseline_ranks is None else baseline_ranks,
            evidence,
            unknown if status is None else status,
            unknown if path is None else path,
        ]
        return cls(pa.table([pa.array(own, kind) for own, kind in zip(columns, SCHEMA.types, strict=True)], SCHEMA))

    @classmethod
    def read(cls, file: Path) -> Ranking:
        """Read a Parquet file; one that is not a ranking is a `ValueError`."""
        # Not `read_table`, which imports pandas where it is installed.
        table = pq.ParquetFile(file).read()
        if not table.schema.equals(SCHEMA):
            raise ValueError("it has other columns than a ranking")
        if any(table[name].null_count for name in ("rank", "id", "title", "score", "evidence")):
            raise ValueError("a row of it is incomplete")
        return cls(table)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __repr__(self) -> str:
        lines = [f"{row['rank']:>6}  {row['score']:>10.4f}  {row['title']}" for row in self.rows(10)]
        more = [f"… and {len(self) - 10} more"] if len(self) > 10 else []
        return "\n".join([f"Ranking of {counted(len(self), 'document')}", *lines, *more])

    @property
    def ids(self) -> list[str]:
        """The documents' ids, best first."""
        return list(self.table["id"].to_pylist())

    @property
    def has_probabilities(self) -> bool:
        """Whether scores could be turned into probabilities; without members to check by they cannot."""
        return int(self.table["probability"].null_count) < max(len(self), 1)

    def rows(self, top: int | None = None) -> list[dict[str, Any]]:
        """The first rows as dictionaries."""
        return list(self.table.slice(0, top).to_pylist())

    def to_polars(self) -> Any:
        """The table as a Polars data frame."""
        return optional("polars", "dataframes").from_arrow(self.table)

    def to_pandas(self) -> Any:
        """The table as a pandas data frame."""
        optional("pandas", "dataframes")
        return self.table.to_pandas()
