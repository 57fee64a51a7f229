"""A reader that somebody adds: one document per line, "LABEL<tab>TEXT"."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from priorwise.errors import BrokenFile
from priorwise.readers.document import Document


class TabReader:
    """Documents from a file of labels and texts; lines without a tab are counted and left out."""

    done_bytes = 0

    def __init__(self, path: Path) -> None:
        self.path, self.total_bytes = path, path.stat().st_size
        self.remarks: dict[str, int] = {}
        if not self.total_bytes:
            raise BrokenFile(path, "empty: write a label, a tab and a text on each line")

    def __iter__(self) -> Iterator[Document]:
        with self.path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                self.done_bytes += len(line.encode())
                label, tab, text = line.rstrip("\n").partition("\t")
                if tab:
                    yield Document(str(number), str(number), text, [label])
                else:
                    self.remarks["lines without a tab, left out"] = (
                        self.remarks.get("lines without a tab, left out", 0) + 1
                    )

    def fingerprint(self) -> dict[str, Any]:
        about = self.path.stat()
        return {"kind": "tab", "path": str(self.path), "bytes": about.st_size, "changed": about.st_mtime_ns}
