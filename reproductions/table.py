"""Tables that compare our number with the published one."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

Value = float | int | str | None


def read_published(name: str) -> dict[str, Any]:
    """Read what a paper printed, from ``NAME.toml`` next to this file.

    Examples
    --------
    >>> read_published("webscale")["accuracy"]["newsgroups"]["standard"]
    0.8771
    """
    return tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Cell:
    """What we found and what was published; either may be missing.

    Parameters
    ----------
    ours : float, int, str or None
        What we found; a text is shown as it is.
    published : float, int, str or None
        What the paper printed.

    Examples
    --------
    >>> Cell(0.7191, 0.701).show()
    '0.719 (0.701, +0.018)'
    >>> Cell(220, 226).show(), Cell(None, 0.5).show(), Cell(0.5).show(2), Cell("p = 0.02").show()
    ('220 (226, -6)', '– (0.500)', '0.50', 'p = 0.02')
    """

    ours: Value = None
    published: Value = None

    @property
    def difference(self) -> float | int | None:
        """Ours less the published, where both are numbers."""
        if isinstance(self.ours, int | float) and isinstance(self.published, int | float):
            return self.ours - self.published
        return None

    def show(self, digits: int = 3) -> str:
        """Return the cell as text: ours (published, difference)."""
        ours = _shown(self.ours, digits)
        if self.published is None:
            return ours
        difference = self.difference
        by = "" if difference is None else f", {_signed(difference, digits)}"
        return f"{ours} ({_shown(self.published, digits)}{by})"


@dataclass(frozen=True)
class Row:
    """A row's name and its cells."""

    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """A titled table; the rows' names are its first column.

    Parameters
    ----------
    title : str
        What the table shows.
    columns : tuple of str
        The headings: that of the rows' names first, then one for each cell.
    rows : tuple of Row
        What it shows.
    note : str
        What to know of it, in Markdown: why ours differs, what the figures mean.
    digits : int
        How many decimal places numbers get.

    Examples
    --------
    >>> table = Table.of("F1", ["method", "Reuters"], [("LA", [Cell(0.352, 0.35)]), ("JE", [Cell(0.719, 0.701)])])
    >>> print(table.to_text())
    F1
    <BLANKLINE>
    method                Reuters
    LA      0.352 (0.350, +0.002)
    JE      0.719 (0.701, +0.018)
    <BLANKLINE>
    Ours (published, difference).
    """

    kind: ClassVar[str] = "table"

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    note: str = ""
    digits: int = 3

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row.cells) != len(self.columns) - 1:
                raise ValueError(f"row '{row.name}' of '{self.title}' has {len(row.cells)} cells, not one per column")

    @classmethod
    def of(
        cls,
        title: str,
        columns: Sequence[str],
        rows: Iterable[tuple[str, Sequence[Cell | Value]]],
        *,
        note: str = "",
        digits: int = 3,
    ) -> Table:
        """Make a table; a cell that is a plain value is ours, and nothing was published."""
        made = (
            Row(name, tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in cells)) for name, cells in rows
        )
        return cls(title, tuple(columns), tuple(made), note, digits)

    @property
    def legend(self) -> str:
        """How to read the cells, and the note."""
        read = (
            "Ours (published, difference)." if any(c.published is not None for r in self.rows for c in r.cells) else ""
        )
        return " ".join(part for part in (read, self.note) if part)

    def to_text(self) -> str:
        """Return the table in aligned columns, the rows' names to the left and all else to the right."""
        lines = [list(self.columns), *self._shown()]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        aligned = [
            "  ".join(
                cell.rjust(width) if i else cell.ljust(width)
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        return "\n".join([self.title, "", *aligned, *(["", unescaped(self.legend)] if self.legend else [])])

    def to_markdown(self) -> str:
        """Return the table in Markdown, its title in bold above it and its note below."""
        lines = [
            [escaped(cell) for cell in self.columns],
            ["---", *["---:"] * (len(self.columns) - 1)],
            *([escaped(cell) for cell in line] for line in self._shown()),
        ]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return "\n\n".join(part for part in (f"**{escaped(self.title)}**", table, self.legend) if part)

    def _shown(self) -> list[list[str]]:
        return [[row.name, *(cell.show(self.digits) for cell in row.cells)] for row in self.rows]

    def to_json(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return {
            "title": self.title,
            "columns": list(self.columns),
            "rows": [
                {"name": row.name, "ours": [c.ours for c in row.cells], "published": [c.published for c in row.cells]}
                for row in self.rows
            ],
            "note": self.note,
            "digits": self.digits,
        }


def _shown(value: Value, digits: int) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.{digits}f}"
    return f"{value:,}" if isinstance(value, int) else value


def _signed(difference: float | int, digits: int) -> str:
    return f"{difference:+.{digits}f}" if isinstance(difference, float) else f"{difference:+,}"


def escaped(text: str) -> str:
    r"""Return plain text for a line of Markdown.

    Examples
    --------
    >>> print(escaped("O*NET | titles"))
    O\*NET \| titles
    """
    return text.replace("|", "\\|").replace("*", "\\*").replace("\n", " ")


def unescaped(markdown: str) -> str:
    """Return a paragraph for people's eyes: without what `escaped` put in."""
    return markdown.replace("\\|", "|").replace("\\*", "*")
