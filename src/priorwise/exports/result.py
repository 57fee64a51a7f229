"""One row of a result, whatever it is exported to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from priorwise.errors import InputError

STATUSES = ("member", "accepted", "rejected", "unsure", "unjudged")
"""A member known before; a candidate that people accepted, rejected, were unsure of, or did not judge."""

COLUMNS = ("status", "rank", "probability")


@dataclass(frozen=True, slots=True)
class Result:
    """What is known about one document and one category.

    Parameters
    ----------
    id : str
        The document.
    status : {"member", "accepted", "rejected", "unsure", "unjudged"}
    rank : int, optional
        Its place in the ranking, from 1; members have none.
    probability : float, optional
        How probable it is that it belongs to the category.
    title : str
        The document's title.
    more : mapping
        Other columns of a new table, such as the words that speak for it.

    Examples
    --------
    >>> Result("7", "accepted", 1, 0.93).cells()
    ['accepted', 1, 0.93]
    """

    id: str
    status: str
    rank: int | None = None
    probability: float | None = None
    title: str = ""
    more: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise InputError(f"'{self.status}' is not a status; they are {', '.join(STATUSES)}")

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """Make a result of a row with these names; others are left aside."""
        rank, probability = row.get("rank"), row.get("probability")
        return cls(
            str(row["id"]),
            str(row["status"]),
            None if rank is None else int(rank),
            None if probability is None else float(probability),
            str(row.get("title") or ""),
        )

    @property
    def order(self) -> tuple[bool, int, str, str]:
        """What sorts results: by rank, and those without one last, by their titles."""
        return self.rank is None, self.rank or 0, self.title, self.id

    def cells(self) -> list[Any]:
        """Return the status, the rank and the probability; nothing is an empty string."""
        probability = "" if self.probability is None else round(self.probability, 4)
        return [self.status, "" if self.rank is None else self.rank, probability]


def results_of(results: Iterable[Result | Mapping[str, Any]]) -> dict[str, Result]:
    """Return results by id; mappings with these names are results too."""
    made = (each if isinstance(each, Result) else Result.of(each) for each in results)
    return {each.id: each for each in made}
