"""The checksums of the files of a folder: written into its description, and compared when the folder is read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from priorwise.corpus.storage.files import FileRecord
from priorwise.errors import BrokenFile

FILES, CHECKSUM = "files", "checksum"
"""What a description has more than its content: the record of each file, and a checksum of all the rest."""


def described(content: Mapping[str, Any], folder: Path, names: Iterable[str]) -> dict[str, Any]:
    """Return a description with the length and the checksum of each file, and one checksum over the description itself.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.txt").write_text("tea")
    ...     whole = described({"format": 1}, Path(folder), ["a.txt"])
    ...     check_described(whole, Path(folder, "a.json"))
    >>> sorted(whole), whole["files"]["a.txt"]["bytes"]
    (['checksum', 'files', 'format'], 3)
    """
    files = {name: {"bytes": record.bytes, "sha256": record.sha256} for name, record in _records(folder, names)}
    # As it will be read again: JSON has no tuples, and no names that are numbers.
    whole = json.loads(json.dumps({**content, FILES: files}))
    return {**whole, CHECKSUM: _checksum(whole)}


def check_described(content: Mapping[str, Any], path: Path) -> None:
    """Raise `BrokenFile` if a description is not what was written.

    One without checksums, of an earlier priorwise, passes.
    """
    if CHECKSUM not in content:
        return
    if content[CHECKSUM] != _checksum({name: value for name, value in content.items() if name != CHECKSUM}):
        raise BrokenFile(path, "damaged: it does not match its own checksum")


def check_files(content: Mapping[str, Any], folder: Path, names: Iterable[str] | None = None) -> None:
    """Raise `BrokenFile`, naming the file, if a file of a folder is not what its description says.

    Parameters
    ----------
    content : mapping
        The description; one without checksums passes.
    folder : Path
        Where the files lie.
    names : iterable of str, optional
        Which to check; all by default.
    """
    records = content.get(FILES, {})
    for name in records if names is None else names:
        if name not in records:
            if records:
                raise BrokenFile(folder, f"damaged: its description does not name {name}")
            continue
        if Path(name).name != name or not (folder / name).is_file():
            raise BrokenFile(folder, f"damaged: {name} is missing")
        record = FileRecord(records[name]["bytes"], records[name]["sha256"])
        size = (folder / name).stat().st_size
        if size != record.bytes:
            raise BrokenFile(folder / name, f"damaged: {size:,} bytes, not {record.bytes:,}")
        if _record(folder / name) != record:
            raise BrokenFile(folder / name, "damaged: it does not match its checksum")


def _records(folder: Path, names: Iterable[str]) -> list[tuple[str, FileRecord]]:
    return [(name, _record(folder / name)) for name in sorted(names)]


def _record(path: Path) -> FileRecord:
    with path.open("rb") as file:
        return FileRecord(path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())


def _checksum(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(
        json.dumps(content, sort_keys=True, ensure_ascii=False).encode("utf-8", "replace")
    ).hexdigest()
