"""A ranking as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from priorwise.counting import counted
from priorwise.errors import MissingExtra


@dataclass(frozen=True)
class Ranking:
    """Documents, best first: rank, id, title, score, probability, baseline_rank, evidence, status and path of each.

    `score` is what the ranking is ordered by, `probability` the chance of membership it stands for, `baseline_rank` the
    document's place in the whole ranking of the Laplace baseline, `evidence` its strongest tokens. `status` says
    whether the document is in a subcategory of the category or new, `path` how the category leads to that subcategory;
    both are null where there is no category or no graph of categories.
    """

    table: pa.Table

    @classmethod
    def of(
        cls,
        *,
        ids: Sequence[str],
        titles: Sequence[str],
        scores: NDArray[np.float64],
        probabilities: NDArray[np.float64],
        baseline_ranks: NDArray[np.int64],
        evidence: Sequence[str],
        status: Sequence[str | None] | None = None,
        path: Sequence[str | None] | None = None,
    ) -> Ranking:
        """Put the columns together."""
        unknown = [None] * len(ids)
        return cls(
            pa.table(
                {
                    "rank": pa.array(np.arange(1, len(ids) + 1), pa.int64()),
                    "id": pa.array(ids, pa.string()),
                    "title": pa.array(titles, pa.string()),
                    "score": pa.array(scores, pa.float64()),
                    "probability": pa.array(probabilities, pa.float64()),
                    "baseline_rank": pa.array(baseline_ranks, pa.int64()),
                    "evidence": pa.array(evidence, pa.string()),
                    "status": pa.array(unknown if status is None else status, pa.string()),
                    "path": pa.array(unknown if path is None else path, pa.string()),
                }
            )
        )

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

    def rows(self, top: int | None = None) -> list[dict[str, Any]]:
        """The first rows as dictionaries."""
        return list(self.table.slice(0, top).to_pylist())

    def to_polars(self) -> Any:
        """The table as a Polars data frame."""
        try:
            import polars
        except ImportError as error:
            raise MissingExtra("polars", "dataframes") from error
        return polars.from_arrow(self.table)

    def to_pandas(self) -> Any:
        """The table as a pandas data frame."""
        try:
            import pandas  # noqa: F401
        except ImportError as error:
            raise MissingExtra("pandas", "dataframes") from error
        return self.table.to_pandas()
