"""The files of a dataset, with all that is in the folders and archives among them.

Everything is read as a stream and nothing is unpacked to the disk, so names and links in an archive do no harm. What
breaks off is read as far as it goes. An archive that expands beyond measure is refused.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import partial
from lzma import LZMAError
from pathlib import Path
from typing import IO, Any, cast

from priorwise.errors import BrokenFile, PriorwiseError
from priorwise.readers.folder import OUTSIDE, files_in
from priorwise.readers.opening import Allowance, Spending, compression, compression_of, decompressed, opened

_PIECE = 1 << 20


_OF_DECOMPRESSORS = (EOFError, zlib.error, LZMAError, tarfile.TarError, zipfile.BadZipFile)
_OF_SURPRISED_DECOMPRESSORS = (NotImplementedError, RuntimeError, ValueError, OverflowError, struct.error)


def is_damage(error: Exception) -> bool:
    """Say whether an error tells of a damaged file, and not of a disk that fails, nor of a refusal of ours."""
    if isinstance(error, OSError):
        # Decompressors raise it without a number; a damaged table of contents leads to places that do not exist.
        return error.errno in (None, errno.EINVAL)
    ours = isinstance(error, PriorwiseError)
    return not ours and isinstance(error, _OF_DECOMPRESSORS + _OF_SURPRISED_DECOMPRESSORS)


class Guarded(Spending):
    """A stream that ends where its source breaks off, and tells."""

    def __init__(self, source: IO[bytes], damaged: Callable[[str], None], allowance: Allowance | None = None) -> None:
        super().__init__(source, allowance)
        self._damaged = damaged
        self._ahead = b""
        self.cut = False

    def read1(self, longest: int = _PIECE) -> bytes:
        if not self._ahead:
            return self._next(longest)
        taken, self._ahead = self._ahead[:longest], self._ahead[longest:]
        return taken

    def head(self, n: int) -> bytes:
        """Return the first bytes that are still to be read, without taking them; fewer at the end."""
        while len(self._ahead) < n and (piece := self._next(_PIECE)):
            self._ahead += piece
        return self._ahead[:n]

    def _next(self, longest: int) -> bytes:
        try:
            return b"" if self.cut else super().read1(longest)
        except Exception as error:
            if not is_damage(error):
                raise
            self.cut = True
            self._damaged("the compressed data end too early or are damaged")
            return b""


NOT_PLAIN = "links and other entries of archives other than plain files, left out"
STRANGE = "files of archives left out, for their names lead out of the archive"
SHUT = "files of archives left out: encrypted, or archives too deep in others"

DEEPEST = 3
"""How many archives and compressions may lie within one another: a tar within gzip within a zip."""

_LONGEST_HEADER = 1 << 20
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")


class Member:
    """One file of a collection: its name, with the folders it lies in, and its bytes, which can be read once."""

    def __init__(self, name: str, stream: Guarded) -> None:
        self.name = name
        self._stream = stream

    @property
    def cut(self) -> bool:
        """Whether the file broke off; known once all of it was read."""
        return self._stream.cut

    def head(self, n: int) -> bytes:
        """Return the file's first bytes; they are still among those to read."""
        return self._stream.head(n)

    def pieces(self) -> Iterator[bytes]:
        """Yield the file piece by piece, as far as it can be read."""
        while piece := self._stream.read1():
            yield piece

    def content(self, longest: int) -> bytes | None:
        """Return the whole file, or None if it is longer than that or cannot be read to its end."""
        pieces, length = [], 0
        for piece in self.pieces():
            length += len(piece)
            if length > longest:
                return None
            pieces.append(piece)
        return None if self.cut else b"".join(pieces)


class Walk:
    """One file on the disk, and the way through all that lies in it."""

    def __init__(
        self,
        path: Path,
        damaged: Callable[[Path, str], None],
        remark: Callable[[str, int], None],
        tell: Callable[[int], None],
    ) -> None:
        self.path = path
        self._allowance = Allowance(path, path.stat().st_size)
        self._damaged = partial(damaged, path)
        self._remark = remark
        self._tell = tell

    def members(self, name: str) -> Iterator[Member]:
        """Yield the file under this name, or all files that are in it."""
        with self.path.open("rb") as file:
            is_zip = file.read(4) in _ZIP
        if is_zip:
            yield from self._zip()
            return
        kind = compression(self.path)
        with opened(self.path, self._tell) as stream:
            # The buffer above the decompressor would throw away what it holds when the data break off.
            source = Guarded(cast("Any", stream).raw, self._damaged, self._allowance if kind else None)
            yield from self._within(_plain_name(name) if kind else name, source, depth=1 if kind else 0)

    def _within(self, name: str, stream: Guarded, depth: int) -> Iterator[Member]:
        parts = _parts(name)
        if parts is None:
            self._remark(STRANGE, 1)
            return
        if any(part.startswith(".") or part == "__MACOSX" for part in parts):
            return
        head = stream.head(512)
        kind = compression_of(head)
        is_tar = head[257:262] == b"ustar" or (parts[-1].endswith(".tar") and not kind)
        if head.startswith(_ZIP) or ((kind or is_tar) and depth >= DEEPEST):
            self._remark(SHUT, 1)
        elif kind:
            inner = Guarded(decompressed(cast("IO[bytes]", stream), kind), self._damaged, self._allowance)
            yield from self._within(_plain_name("/".join(parts)), inner, depth + 1)
        elif is_tar:
            yield from self._tar(stream, depth + 1)
        else:
            yield Member("/".join(parts), stream)

    def _tar(self, stream: Guarded, depth: int) -> Iterator[Member]:
        with self._as_far_as_it_goes(), _Tar.open(fileobj=stream, mode="r|", bufsize=1 << 16) as archive:
            while (entry := archive.next()) is not None:
                archive.members.clear()  # type: ignore[attr-defined]
                if entry.isreg() and not entry.issparse():
                    content = cast("IO[bytes]", archive.extractfile(entry))
                    yield from self._within(entry.name, Guarded(content, self._damaged), depth)
                elif not entry.isdir():
                    self._remark(NOT_PLAIN, 1)
            if archive.broken_header:
                self._damaged("the archive is cut off or damaged")
            while stream.read1():
                pass  # A decompressor compares its checksum at the very end.

    def _zip(self) -> Iterator[Member]:
        with self._as_far_as_it_goes(), zipfile.ZipFile(self.path) as archive:
            for entry in archive.infolist():
                if stat.S_ISLNK(entry.external_attr >> 16):
                    self._remark(NOT_PLAIN, 1)
                elif entry.flag_bits & 1:
                    self._remark(SHUT, 1)
                elif not entry.is_dir():
                    with self._as_far_as_it_goes(), archive.open(entry) as content:
                        yield from self._within(entry.filename, Guarded(content, self._damaged, self._allowance), 1)
                self._tell(entry.compress_size)

    @contextmanager
    def _as_far_as_it_goes(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if not is_damage(error):
                raise
            self._damaged(f"the archive is cut off or damaged ({error})")


_TRUNCATED, _INVALID = tarfile.TruncatedHeaderError, tarfile.InvalidHeaderError  # type: ignore[attr-defined]


class _Header(tarfile.TarInfo):
    """A tar header that tells its archive of damage, where tarfile takes it for the archive's end."""

    @classmethod
    def fromtarfile(cls, tarfile: tarfile.TarFile) -> Any:
        try:
            return super().fromtarfile(tarfile)
        except (_TRUNCATED, _INVALID):
            cast("_Tar", tarfile).broken_header = True
            raise

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Any:
        header = super().frombuf(buf, encoding, errors)
        # The text of long names and extended headers is read into memory at once.
        if header.size > _LONGEST_HEADER and header.type not in tarfile.REGULAR_TYPES:
            raise _INVALID(f"a header of {header.size:,} bytes")
        return header


class _Tar(tarfile.TarFile):
    tarinfo = _Header
    broken_header = False


def _parts(name: str) -> list[str] | None:
    if name.startswith("/") or ".." in name.split("/"):
        return None
    shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return [part for part in shown.split("/") if part not in ("", ".")] or None


def _plain_name(name: str) -> str:
    stem, _, suffix = name.rpartition(".")
    if suffix.lower() in ("tgz", "tbz", "tbz2", "txz", "tzst"):
        return f"{stem}.tar"
    return stem if suffix.lower() in ("gz", "bz2", "xz", "lzma", "zst", "zstd") else name


DAMAGED = "input files that are cut off or damaged, read as far as they go"


class Inputs:
    """Every file of a collection, once for each iteration."""

    def __init__(
        self,
        paths: Sequence[Path],
        remark: Callable[..., None] = lambda *_: None,
        tell: Callable[[int], None] = lambda n: None,
    ) -> None:
        self.paths = paths
        self.reasons: dict[Path, str] = {}
        self._remark = remark
        self._tell = tell
        self._outside = 0
        self._files: list[tuple[str, Path, os.stat_result]] = []
        for path in paths:
            if path.is_dir():
                files, outside = files_in(path)
                self._outside += outside
                # A folder's own name may be that of a label, or of a part of the collection.
                self._files += [(f"{path.resolve().name}/{name}", path / name, files[name]) for name in files]
            elif path.is_file():
                self._files.append((path.name, path, path.stat()))
            else:
                raise BrokenFile(path, "there is no such file or folder")
        self.total_bytes = sum(status.st_size for _, _, status in self._files)

    @property
    def sizes(self) -> list[int]:
        return [status.st_size for _, _, status in self._files]

    def some(self, chosen: slice, remark: Callable[..., None], tell: Callable[[int], None]) -> Inputs:
        """Return some neighbouring files; what is to be said of all is said with the first."""
        part = copy(self)
        part._files, part._remark, part._tell = self._files[chosen], remark, tell
        part._outside = self._outside if chosen.start == 0 else 0
        part.total_bytes = sum(part.sizes)
        return part

    def __iter__(self) -> Iterator[Member]:
        self.reasons = {}
        if self._outside:
            self._remark(OUTSIDE, self._outside)
        for name, path, _ in self._files:
            yield from Walk(path, self._damaged, self._remark, self._tell).members(name)

    def fingerprint(self) -> dict[str, Any]:
        """Return where the files are, and a checksum of their names, sizes and times."""
        listing = hashlib.sha256()
        for name, _, status in self._files:
            listing.update(os.fsencode(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\0"))
        return {"inputs": [str(path.resolve()) for path in self.paths], "files": listing.hexdigest()}

    def _damaged(self, path: Path, reason: str) -> None:
        if path not in self.reasons:
            self._remark(DAMAGED, 1, path.name)
        self.reasons.setdefault(path, reason)
