"""Copies on the disk of files from elsewhere: made once, from where an earlier attempt broke off, and checked."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from priorwise.durable import held, sync_folder
from priorwise.errors import BrokenFile

_PIECE = 1 << 22

Tell = Callable[[int], None]
"""Told the number of bytes of each piece; a negative one takes back those that are to be copied again."""


def cache_folder() -> Path:
    """Return where downloaded files are kept: ``PRIORWISE_CACHE``, or ``priorwise`` in the user's cache folder."""
    if given := os.environ.get("PRIORWISE_CACHE"):
        return Path(given)
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The convention has it that a relative path there is no path.
    return (base if base.is_absolute() else Path.home() / ".cache") / "priorwise"


def copied(
    open_source: Callable[[], Any],
    target: Path,
    size: int,
    *,
    sha256: str | None = None,
    tell: Tell = lambda n: None,
) -> Path:
    """Copy a file to the disk unless it is there; it takes its name when it is whole.

    Parameters
    ----------
    open_source : function
        Opens the file; what it returns has ``seek``, ``read`` and ``close``.
    target : Path
        Where the copy goes; its folder is made.
    size : int
        How long the file is.
    sha256 : str, optional
        Its checksum, if that is known.
    tell : function, optional
        Told the number of bytes of each piece that is there.

    Raises
    ------
    BrokenFile
        The file is shorter or longer than it was said to be, or has another checksum; the copy is thrown away.

    Examples
    --------
    >>> import io, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     copied(lambda: io.BytesIO(b"some bytes"), Path(folder, "a", "copy"), 10).read_bytes()
    b'some bytes'
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    # Another process may be copying the same file; it is worth waiting for, however long it takes.
    with held(target, patience=-1):
        if target.is_file() and target.stat().st_size == size:
            tell(size)
            return target
        draft = target.with_name(target.name + ".partial")
        if draft.exists() and not _completed(draft, open_source, size, sha256, tell):
            # What an earlier attempt left was of another file, or suffered in a power cut.
            tell(-draft.stat().st_size)
            draft.unlink()
        if not draft.exists() and not _completed(draft, open_source, size, sha256, tell):
            draft.unlink()
            raise BrokenFile(target.name, "what came is not what was said to be there; try again")
        draft.rename(target)
        sync_folder(target.parent)
    return target


def _completed(draft: Path, open_source: Callable[[], Any], size: int, sha256: str | None, tell: Tell) -> bool:
    """Copy what is missing from a draft, force it to the disk, and return whether it is now what it should be."""
    checksum = hashlib.sha256()
    with draft.open("a+b") as copy:
        copy.seek(0)
        for piece in iter(lambda: copy.read(_PIECE), b""):
            checksum.update(piece)
            tell(len(piece))
        if copy.tell() < size:
            with open_source() as source:
                source.seek(copy.tell())
                while copy.tell() <= size and (piece := source.read(_PIECE)):
                    copy.write(piece)
                    checksum.update(piece)
                    tell(len(piece))
            copy.flush()
            os.fsync(copy.fileno())
        return copy.tell() == size and sha256 in (None, checksum.hexdigest())
