"""Bytes from a source that may break off, or never end."""

from __future__ import annotations

import errno
import io
import math
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from lzma import LZMAError
from pathlib import Path
from typing import IO, Any, cast

from priorwise.errors import BrokenFile, PriorwiseError

LARGEST_EXPANSION = 200
"""How many times its size a compressed file may expand; texts stay below 20."""

ALWAYS_ALLOWED = 1 << 28
"""Bytes that any file may expand to."""

MOST = 1 << 40
"""Bytes that no file may expand to, whatever its size; all articles of the largest Wikipedia are a tenth of it."""

ALLOW_LARGE = "PRIORWISE_ALLOW_LARGE"
"""The environment variable that lifts these limits if it is 1; ``--allow-large`` sets it."""

_PIECE = 1 << 20


def check_regular(path: Path) -> None:
    """Refuse a pipe, a socket or a device: it may never end, or never begin.

    Examples
    --------
    >>> check_regular(Path("/dev/null"))
    Traceback (most recent call last):
    ...
    priorwise.errors.BrokenFile: /dev/null: a pipe or a device, not a file; write what comes from it to a file first
    """
    with suppress(FileNotFoundError, NotADirectoryError):
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise BrokenFile(path, "a pipe or a device, not a file; write what comes from it to a file first")


_OF_DECOMPRESSORS = (EOFError, zlib.error, LZMAError, tarfile.TarError, zipfile.BadZipFile)
_OF_SURPRISED_DECOMPRESSORS = (NotImplementedError, RuntimeError, ValueError, OverflowError, struct.error)


def is_damage(error: Exception) -> bool:
    """Say whether an error tells of a damaged file, and not of a disk that fails, nor of a refusal of ours.

    Examples
    --------
    >>> is_damage(EOFError()), is_damage(OSError(5, "Input/output error")), is_damage(BrokenFile("x", "a bomb"))
    (True, False, False)
    """
    if isinstance(error, OSError):
        # Decompressors raise it without a number; a damaged table of contents leads to places that do not exist.
        return error.errno in (None, errno.EINVAL)
    ours = isinstance(error, PriorwiseError)
    return not ours and isinstance(error, _OF_DECOMPRESSORS + _OF_SURPRISED_DECOMPRESSORS)


class Allowance:
    """How much one file on the disk may expand to, all that lies in it together.

    Examples
    --------
    >>> allowance = Allowance(Path("bomb.gz"), 10)
    >>> allowance.spend(ALWAYS_ALLOWED)
    >>> allowance.spend(1)
    Traceback (most recent call last):
    ...
    priorwise.errors.BrokenFile: bomb.gz: expands to more than 200 times its size; if you trust it, add --allow-large
    """

    def __init__(self, path: Path, size: int) -> None:
        self.path = path
        self.size = size
        self.left: float = min(max(size * LARGEST_EXPANSION, ALWAYS_ALLOWED), MOST)
        if os.environ.get(ALLOW_LARGE) == "1":
            self.left = math.inf

    def spend(self, n: int) -> None:
        """Count bytes that came out of a decompressor."""
        self.foresee(n)
        self.left -= n

    def foresee(self, n: int) -> None:
        """Refuse bytes that are still to come, if they are too many."""
        if n > self.left:
            few = self.size * LARGEST_EXPANSION < MOST
            times = f"{LARGEST_EXPANSION} times its size" if few else f"{MOST:,} bytes"
            raise BrokenFile(self.path, f"expands to more than {times}; if you trust it, add --allow-large")


class Spending(io.RawIOBase):
    """A stream whose bytes count against an allowance.

    Parameters
    ----------
    source : file
        With ``read1``.
    allowance : Allowance

    Examples
    --------
    >>> Spending(io.BytesIO(b"some text"), Allowance(Path("x.gz"), 9)).read1(4)
    b'some'
    """

    def __init__(self, source: IO[bytes], allowance: Allowance) -> None:
        self._source = cast("Any", source)
        self._allowance = allowance

    def readable(self) -> bool:
        """Return True."""
        return True

    def read1(self, longest: int) -> bytes:
        """Take some bytes; none at the end."""
        piece = bytes(self._source.read1(longest))
        self._allowance.spend(len(piece))
        return piece

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, or a part of it."""
        piece = self.read1(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


class Guarded(io.RawIOBase):
    r"""A stream that ends where its source breaks off, and tells.

    Parameters
    ----------
    source : file
        With ``read1``.
    damaged : function
        Called with the reason if the source breaks off; from then on ``cut`` is true.
    allowance : Allowance, optional
        What the bytes count against.

    Examples
    --------
    >>> import gzip
    >>> whole = gzip.compress(b"some text", mtime=0)
    >>> stream = Guarded(gzip.GzipFile(fileobj=io.BytesIO(whole[:-4])), print)
    >>> stream.head(4), stream.read(), stream.cut
    the compressed data end too early or are damaged
    (b'some', b'some text', True)
    """

    def __init__(self, source: IO[bytes], damaged: Callable[[str], None], allowance: Allowance | None = None) -> None:
        self._source = cast("Any", source)
        self._damaged = damaged
        self._allowance = allowance
        self._ahead = b""
        self.cut = False

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, or a part of it."""
        piece = self.piece(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def head(self, n: int) -> bytes:
        """Return the first bytes that are still to be read, without taking them; fewer at the end."""
        while len(self._ahead) < n and (piece := self._next(_PIECE)):
            self._ahead += piece
        return self._ahead[:n]

    def piece(self, longest: int = _PIECE) -> bytes:
        """Take some bytes; none at the end."""
        if not self._ahead:
            return self._next(longest)
        taken, self._ahead = self._ahead[:longest], self._ahead[longest:]
        return taken

    def _next(self, longest: int) -> bytes:
        if self.cut:
            return b""
        piece = b""
        try:
            piece = self._source.read1(longest)
        except Exception as error:
            if not is_damage(error):
                raise
            self.cut = True
            self._damaged("the compressed data end too early or are damaged")
        if self._allowance is not None:
            self._allowance.spend(len(piece))
        return piece
