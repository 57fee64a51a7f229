"""What was done to the input that its owner should know: counted, and the first few named."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

NAMED = 5
"""So many places are named of each sort."""

LONGEST_PLACE = 300
"""No title that a wiki allows is cut short by this; what stands in a damaged file may be of any length."""


class Remarks:
    """Counts by sort of event, with the first places where it happened.

    Examples
    --------
    >>> remarks = Remarks()
    >>> remarks.add("damaged blocks left out", "a.bz2, byte 77")
    >>> remarks.add("redirects", n=3)
    >>> remarks.lines()
    {'damaged blocks left out (a.bz2, byte 77)': 1, 'redirects': 3}
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._places: dict[str, list[str]] = {}

    def add(self, what: str, where: str | None = None, n: int = 1) -> None:
        """Count an event, and remember the place if it is among the first."""
        if not n:
            return
        self._counts[what] = self._counts.get(what, 0) + n
        places = self._places.setdefault(what, [])
        if where is not None and len(places) < NAMED:
            places.append(where if len(where) <= LONGEST_PLACE else where[: LONGEST_PLACE - 1] + "…")

    def include(self, other: Remarks) -> None:
        """Add another's counts and places to these."""
        for what, n in other._counts.items():
            self.add(what, n=n)
            places = self._places[what]
            places.extend(other._places[what][: NAMED - len(places)])

    def lines(self) -> dict[str, int]:
        """Return what is to be said, with how often."""
        return {self._said(what): n for what, n in self._counts.items()}

    def _said(self, what: str) -> str:
        places = self._places[what]
        more = "; …" if places and self._counts[what] > len(places) else ""
        return f"{what} ({'; '.join(places)}{more})" if places else what

    def to_json(self) -> dict[str, Any]:
        """Return it as what JSON can hold."""
        return {what: [n, self._places[what]] for what, n in self._counts.items()}

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> Self:
        """Read what :meth:`to_json` returned."""
        remarks = cls()
        for what, (n, places) in told.items():
            remarks._counts[what] = n
            remarks._places[what] = list(places)
        return remarks


def added_remarks(parts: Iterable[dict[str, int]]) -> dict[str, int]:
    """Return what is to be said of several parts together.

    Examples
    --------
    >>> added_remarks([{"redirect": 3}, {"redirect": 1, "damaged (a.bz2)": 1}])
    {'redirect': 4, 'damaged (a.bz2)': 1}
    """
    total: dict[str, int] = {}
    for part in parts:
        for remark, n in part.items():
            total[remark] = total.get(remark, 0) + n
    return total
