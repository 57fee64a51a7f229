"""Remember which files of a corpus were found sound, so that each is checked once.

The memory lies in the user's own cache folder, never in the corpus: a corpus from a stranger cannot bring its own mark.
A file counts as checked as long as it is the same file (device, inode), of the same size, and untouched since (times of
change), under the same manifest.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from priorwise.corpus.storage.manifest import Manifest
from priorwise.readers.copies import cache_folder

CHECKS = 1
"""Raised when more is checked than before; then every corpus is checked again."""

_SETTLED = 2.0
"""Seconds. A file that changed just now may change again within the same tick of its clock, so it is not remembered."""


class Verified:
    """The files of one corpus that were checked.

    Parameters
    ----------
    folder : Path
        Where the files lie.
    manifest : Manifest
        Of the corpus.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._folder = folder.absolute()
        self._corpus = {"checks": CHECKS, "folder": str(self._folder), "manifest": manifest.checksum}
        name = hashlib.sha256(os.fsencode(self._folder)).hexdigest()[:32]
        self._path = cache_folder() / "verified" / f"{name}.json"
        self._files: dict[str, list[int]] | None = None

    def __contains__(self, name: str) -> bool:
        if self._files is None:
            self._files = self._load()
        return name in self._files and self._files[name] == _state(self._folder / name)

    def state(self, name: str) -> list[int] | None:
        """Return how a file is now; take it before checking, and hand it to :meth:`add` afterwards."""
        return _state(self._folder / name)

    def add(self, name: str, state: list[int] | None) -> None:
        """Remember that a file was checked, if it is still as it was and has settled."""
        settled = state is not None and max(state[-2:]) < (time.time() - _SETTLED) * 1e9
        if state is None or not settled or _state(self._folder / name) != state:
            return
        # Another process may have checked other files meanwhile.
        self._files = {**self._load(), **(self._files or {}), name: state}
        # Without a place to remember it, the file is checked again next time.
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            draft = self._path.with_suffix(f".{os.getpid()}")
            draft.write_text(json.dumps({**self._corpus, "files": self._files}), encoding="utf-8")
            draft.replace(self._path)

    def _load(self) -> dict[str, list[int]]:
        try:
            stored: dict[str, Any] = json.loads(self._path.read_bytes())
            files = stored.pop("files")
            return dict(files) if stored == self._corpus else {}
        except (OSError, ValueError, LookupError, AttributeError, TypeError):
            return {}


def _state(path: Path) -> list[int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
