"""Text files that appear whole or not at all, several of them together."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from priorwise.errors import AlreadyExists, DiskFull, InputError


def write_text(path: Path, text: str, *, overwrite: bool) -> None:
    """Write a file; what is there already is replaced only if that is wished."""
    write_texts({path: text}, overwrite=overwrite)


def write_texts(texts: Mapping[Path, str], *, overwrite: bool) -> None:
    """Write files beside their places, then put them there: none appears unless all could be written."""
    for path in texts:
        if path.is_dir():
            raise AlreadyExists(path, not_a="file")
        if path.exists() and not overwrite:
            raise AlreadyExists(path)
    unfinished = {path: path.with_name(path.name + ".partial") for path in texts}
    try:
        for path, beside in unfinished.items():
            with _said(path):
                beside.write_text(texts[path], encoding="utf-8", newline="")
        for path, beside in unfinished.items():
            with _said(path):
                beside.replace(path)
    finally:
        for beside in unfinished.values():
            beside.unlink(missing_ok=True)


@contextmanager
def _said(path: Path) -> Iterator[None]:
    """Say which file could not be written, and why."""
    if not path.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {path.parent}")
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(f"no space left for {path}; nothing was written") from error
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
