"""What was said in a run, also where nothing can be written: a folder of somebody else, a backup, a disc."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from pathlib import Path

from priorwise.discovery.verdicts import FILE_NAME
from priorwise.errors import BrokenFile
from priorwise.review.verdicts import Verdict, Verdicts, current

_CANNOT_WRITE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)


def said_in(folder: Path) -> list[Verdict]:
    """Return each reviewer's last word on each document of a run; nothing if nobody has said anything."""
    return current(log_in(folder))


def log_in(folder: Path) -> list[Verdict]:
    """Return everything that was ever said about a run's documents, in order."""
    path = folder / FILE_NAME
    if not path.is_file():
        return []
    if _is_writable(path):
        return _log(path)
    try:
        return _log(path, read_only=True)
    except BrokenFile as error:
        if not _needs_to_write(error):
            raise
    # Even to read it SQLite writes beside a database that has a write-ahead log. So a copy is read, with that log: what
    # was not yet moved from it into the database is there alone.
    with tempfile.TemporaryDirectory() as elsewhere:
        for part in (path, path.with_name(path.name + "-wal")):
            if part.is_file():
                shutil.copyfile(part, Path(elsewhere, part.name))
        return _log(Path(elsewhere, path.name))


def _log(path: Path, *, read_only: bool = False) -> list[Verdict]:
    verdicts = Verdicts(path, read_only=read_only)
    try:
        return verdicts.log()
    finally:
        verdicts.close()


def _is_writable(path: Path) -> bool:
    is_effective = os.access in os.supports_effective_ids
    return all(os.access(each, os.W_OK, effective_ids=is_effective) for each in (path, path.parent))


def _needs_to_write(error: BrokenFile) -> bool:
    cause = error.__cause__
    # The lowest byte is the kind of error, the others say more about it.
    return isinstance(cause, sqlite3.DatabaseError) and getattr(cause, "sqlite_errorcode", 0) & 0xFF in _CANNOT_WRITE
