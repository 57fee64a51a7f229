"""A folder with the run of each of many categories; made in several goes, if it is interrupted."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from priorwise.discovery.many_tables import labels_table
from priorwise.discovery.run import MARKER as RUN
from priorwise.discovery.run import Run, check_output
from priorwise.durable import check_free, disk_errors_explained, remove, whole_file, whole_folder, write_bytes
from priorwise.errors import BrokenFile
from priorwise.tables import write_csv

MARKER = "runs.json"
LABELS = "labels.csv"
_LONGEST_NAME = 60


class RunFolders:
    """The runs of many categories, each in a folder of its own, and a table that says which is whose.

    If the same was begun here before, with the same corpus and choices, what is there stays and only the rest is asked
    for.

    Parameters
    ----------
    path : Path
        The folder to make.
    labels : sequence of str
        The categories.
    made_with : dict
        Whatever else the runs depend on, as JSON can hold it.
    overwrite : bool
        Whether runs that were made otherwise may be replaced; those that were reviewed never are.
    """

    def __init__(
        self, path: Path, labels: Sequence[str], made_with: dict[str, Any], *, overwrite: bool = False
    ) -> None:
        self.path = path
        digits = len(str(len(labels)))
        self.names = {label: f"{n:0{digits}d}-{file_name(label)}.run" for n, label in enumerate(labels, 1)}
        about = {"format": 1, "made_with": made_with, "runs": self.names}
        self._about = json.dumps(about, indent=2, ensure_ascii=False).encode("utf-8", "replace")
        self._marker = path / MARKER
        self._goes_on = not overwrite and self._marker.is_file() and self._marker.read_bytes() == self._about
        if not self._goes_on:
            check_free(path, MARKER, "folder of runs", overwrite=overwrite)

    def begin(self) -> None:
        """Make the folder, without the older runs; if the same was begun before, leave it as it is."""
        if self._goes_on:
            return
        with disk_errors_explained(self.path, only_writing=True):
            if self._marker.is_file():
                self._remove_older(self._marker)
            if self.path.exists():
                write_bytes(self._marker, self._about)
            else:
                with whole_folder(self.path, MARKER, "folder of runs", overwrite=False) as folder:
                    write_bytes(folder / MARKER, self._about)
        self._goes_on = True

    def _remove_older(self, marker: Path) -> None:
        try:
            names = [str(name) for name in json.loads(marker.read_bytes())["runs"].values()]
        except (ValueError, LookupError, AttributeError) as error:
            raise BrokenFile(marker, "damaged; remove the folder yourself, or choose another name") from error
        # Only what such a folder holds: a name from a file must not lead out of it.
        older = [self.path / name for name in names if Path(name).name == name and (self.path / name).is_dir()]
        for folder in older:
            check_output(folder, overwrite=True)
        for folder in [*older, self.path / LABELS]:
            remove(folder)

    @property
    def done(self) -> list[str]:
        """The categories whose runs are there."""
        there = self.names.items() if self._goes_on else ()
        return [label for label, name in there if (self.path / name / RUN).is_file()]

    def save(self, run: Run) -> None:
        """Write the run of one category."""
        run.save(self.path / self.names[str(run.about.label)])

    def finish(self) -> pa.Table:
        """Write and return the table of all categories: their priors, and the names of their folders."""
        # One at a time: a run holds its whole ranking.
        rows = [labels_table([Run.load(self.path / name)]) for name in self.names.values()]
        table = pa.concat_tables(rows).append_column("run", pa.array(list(self.names.values()), pa.string()))
        with whole_file(self.path / LABELS) as draft:
            write_csv(table, draft)
        return table


def file_name(label: str) -> str:
    """Return a label as a part of a file's name: what is no letter, digit or dash becomes a dash.

    Examples
    --------
    >>> file_name("20th-century physicists/../x"), file_name("…")
    ('20th-century-physicists-x', 'label')
    """
    words = re.sub(r"[^\w]+", "-", label).strip("-")
    # In bytes, because that is what a name may not have too many of.
    return words.encode()[:_LONGEST_NAME].decode(errors="ignore").strip("-") or "label"
