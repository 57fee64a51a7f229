"""The SQL files that complete a corpus, and whether they are all there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from priorwise.errors import InputError
from priorwise.wiki.sql import CATEGORYLINKS, LINKTARGET, PAGE, SqlTable


@dataclass(frozen=True, slots=True)
class SqlTables:
    """The files of the tables that complete a corpus.

    Attributes
    ----------
    categorylinks : sequence of Path
        Which page is in which category.
    linktarget : sequence of Path
        The categories' names; needed unless ``categorylinks`` has them itself, as it had until 2025.
    page : sequence of Path
        The names of pages; for the parents of categories whose pages are not in the dump.
    """

    categorylinks: Sequence[Path]
    linktarget: Sequence[Path] = ()
    page: Sequence[Path] = ()

    @property
    def total_bytes(self) -> int:
        """The size of all files."""
        return sum(path.stat().st_size for path in (*self.categorylinks, *self.linktarget, *self.page))

    def check(self) -> None:
        """Look at the beginning of each file; raise if it cannot be used, or another file is missing.

        Raises
        ------
        InputError
            ``categorylinks`` has only numbers for the categories, and there is no ``linktarget``.
        BrokenFile
            A file is none of that table, or lacks a column.
        """
        for shape, paths in ((LINKTARGET, self.linktarget), (PAGE, self.page), (CATEGORYLINKS, self.categorylinks)):
            for path in paths:
                first = next(iter(SqlTable(path, shape)), None)
                if shape is CATEGORYLINKS and first is not None and "cl_to" not in first.schema.names:
                    self.need_linktarget(path)

    def need_linktarget(self, path: Path) -> None:
        """Raise unless the table that tells the names of the categories is there."""
        if not self.linktarget:
            wanted = path.name.replace("categorylinks", "linktarget")
            wanted = wanted if wanted != path.name else "…-linktarget.sql.gz"
            raise InputError(
                f"{path} has numbers for the categories, and their names are in the table linktarget: "
                f"fetch {wanted} from where it came from, and give it too"
            )
