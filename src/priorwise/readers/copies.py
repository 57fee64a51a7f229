"""Copies on the disk of files from elsewhere: made once, from where an earlier attempt broke off, and checked."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from priorwise.errors import BrokenFile

_PIECE = 1 << 22

Tell = Callable[[int], None]
"""Told the number of bytes of each piece."""


def cache_folder() -> Path:
    """Return where downloaded files are kept: ``PRIORWISE_CACHE``, or ``priorwise`` in the user's cache folder."""
    if given := os.environ.get("PRIORWISE_CACHE"):
        return Path(given)
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The convention has it that a relative path there is no path.
    return (base if base.is_absolute() else Path.home() / ".cache") / "priorwise"


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Wait until no other process is within such a block for this folder; nothing is left behind, even by a kill."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        # Some network file systems have no locks; there, two at the same moment are on their own.
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


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
    with one_at_a_time(target.parent):
        if target.is_file() and target.stat().st_size == size:
            tell(size)
            return target
        draft = target.with_name(target.name + ".partial")
        checksum = hashlib.sha256()
        with draft.open("a+b") as copy:
            copy.seek(0)
            for piece in iter(lambda: copy.read(_PIECE), b""):
                checksum.update(piece)
                tell(len(piece))
            with open_source() as source:
                source.seek(copy.tell())
                while (there := copy.tell()) <= size and (piece := source.read(_PIECE)):
                    copy.write(piece)
                    checksum.update(piece)
                    tell(len(piece))
        if there != size or sha256 not in (None, checksum.hexdigest()):
            draft.unlink()
            raise BrokenFile(target.name, "what came is not what was said to be there; try again")
        draft.rename(target)
    return target
