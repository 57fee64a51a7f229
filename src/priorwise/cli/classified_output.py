"""What was classified, as JSON lines or as a table."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from priorwise.tables import BYTE_ORDER_MARK, csv_writer

HEADINGS = ("id", "title", "rank", "label", "probability", "decided", "known_words", "unknown_words", "evidence")


@contextmanager
def written(path: Path | None, form: str, *, overwrite: bool) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Yield a function that writes one record; a file appears when it is whole, and not before."""
    from priorwise.corpus.storage.whole_files import whole_file

    if path is None:
        yield writer(sys.stdout, form)
        return
    with (
        whole_file(path, overwrite=overwrite) as draft,
        draft.open("w", encoding="utf-8", errors="replace", newline="") as file,
    ):
        if form == "csv":
            file.write(BYTE_ORDER_MARK)
        yield writer(file, form)


def writer(file: TextIO, form: str) -> Callable[[dict[str, Any]], None]:
    r"""Return a function that writes one record.

    Examples
    --------
    >>> import io
    >>> file = io.StringIO()
    >>> writer(file, "csv")({"id": "7", "label": "x", "probability": 0.75, "known_words": 3, "unknown_words": 1})
    >>> file.getvalue().splitlines()
    ['id,title,rank,label,probability,decided,known_words,unknown_words,evidence', '7,7,1,x,0.75,yes,3,1,']
    """
    if form == "jsonl":
        # Where letters cannot be written, JSON can spell them.
        spelled = (file.encoding or "utf-8").lower().replace("-", "") != "utf8"
        return lambda record: print(json.dumps(record, ensure_ascii=spelled), file=file)
    write_row = csv_writer(file, HEADINGS)

    def write_rows(record: dict[str, Any]) -> None:
        for row in rows_of(record):
            write_row(row)

    return write_rows


def rows_of(record: dict[str, Any]) -> list[list[Any]]:
    """A row for each label shown: those decided and the most probable; an empty one if there is none."""
    decided = record.get("labels", [record])
    names = {entry["label"] for entry in decided}
    # Decided labels are the most probable ones, so the labels are in order either way.
    shown = max(decided, record.get("top", []), key=len)
    name = [record["id"], record.get("title", record["id"])]
    words = [record["known_words"], record["unknown_words"]]
    if not shown:
        return [[*name, "", "", "", "", *words, ""]]
    return [
        [
            *name,
            rank,
            entry["label"],
            entry["probability"],
            "yes" if entry["label"] in names else "no",
            *words,
            " ".join(f"{each['token']}:{each['weight']:+.2f}" for each in entry.get("evidence", [])),
        ]
        for rank, entry in enumerate(shown, start=1)
    ]
