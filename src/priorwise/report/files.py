"""Text files that appear whole or not at all."""

from __future__ import annotations

import errno
from pathlib import Path

from priorwise.errors import AlreadyExists, DiskFull, InputError


def write_text(path: Path, text: str, *, overwrite: bool) -> None:
    """Write a file beside its place, then put it there; what is there already is replaced only if that is wished."""
    if path.is_dir():
        raise AlreadyExists(path, not_a="file")
    if path.exists() and not overwrite:
        raise AlreadyExists(path)
    unfinished = path.with_name(path.name + ".partial")
    try:
        unfinished.write_text(text, encoding="utf-8", newline="")
        unfinished.replace(path)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(f"no space left for {path}; nothing was written") from error
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        unfinished.unlink(missing_ok=True)
