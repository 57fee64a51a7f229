"""Open a file that may be compressed, and know how much of it has been read."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import pyarrow as pa

from priorwise.errors import BrokenFile
from priorwise.readers.guarded import Allowance, Spending, check_regular
from priorwise.readers.remote_file import RemoteFile

_BY_EXTENSION = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".lzma": "xz", ".zst": "zstd", ".zstd": "zstd"}
_BY_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_CHUNK = 1 << 20


class Counted(io.RawIOBase):
    """A file that tells someone how many bytes were read from it."""

    def __init__(self, file: BinaryIO, tell: Callable[[int], None]) -> None:
        self._file = file
        self._tell = tell

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: object) -> int:
        """Read into a buffer, and tell."""
        n = cast("io.RawIOBase", self._file).readinto(buffer) or 0  # type: ignore[arg-type]
        self._tell(n)
        return n

    def close(self) -> None:
        """Close the file beneath too."""
        self._file.close()
        super().close()


def compression(path: Path) -> str | None:
    """Return how a file is compressed, by its name or by its first bytes.

    Examples
    --------
    >>> compression(Path("news.jsonl.gz")), compression(Path("news.tar.zst"))
    ('gzip', 'zstd')
    """
    by_name = _BY_EXTENSION.get(path.suffix.lower())
    if by_name is not None or not path.is_file():
        return by_name
    with path.open("rb") as file:
        return compression_of(file.read(6))


def compression_of(head: bytes) -> str | None:
    """Return how data are compressed, by their first six bytes.

    Examples
    --------
    >>> compression_of(b"BZh91A"), compression_of(b"plain ")
    ('bz2', None)
    """
    return next((kind for magic, kind in _BY_MAGIC.items() if head.startswith(magic)), None)


def plain_suffix(path: Path) -> str:
    """Return the extension below that of the compression.

    Examples
    --------
    >>> plain_suffix(Path("news.JSONL.gz"))
    '.jsonl'
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _BY_EXTENSION:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


@contextmanager
def opened(path: Path, tell: Callable[[int], None], start: int = 0) -> Iterator[BinaryIO]:
    """Open a file for reading, decompressed as it is read; whatever is wrong with it becomes BrokenFile.

    One that expands beyond measure is refused when it does.

    Parameters
    ----------
    path : Path
    tell : function
        Called with the number of bytes of each piece that was read from the disk.
    start : int
        The byte to begin with, in a file that is not compressed.
    """
    kind = compression(path)
    with reading(path), path.open("rb", buffering=0) as raw:
        if start:
            raw.seek(start)
        counted = io.BufferedReader(Counted(cast("BinaryIO", raw), tell), _CHUNK)
        plain: Any = decompressed(counted, kind)
        if kind is not None:
            plain = Spending(plain, Allowance(path, path.stat().st_size))
        with io.BufferedReader(plain, _CHUNK) as buffered:
            yield cast("BinaryIO", buffered)


def decompressed(stream: IO[bytes], kind: str | None) -> IO[bytes]:
    """Return what a compressed stream holds; ``kind`` is as :func:`compression` says it."""
    if kind == "gzip":
        return cast("IO[bytes]", gzip.GzipFile(fileobj=stream))
    if kind == "bz2":
        return bz2.BZ2File(stream)
    if kind == "xz":
        return lzma.LZMAFile(stream)
    if kind == "zstd":
        return pa.CompressedInputStream(pa.PythonFile(stream, mode="r"), "zstd")
    return stream


@contextmanager
def compressed(draft: Path, target: Path) -> Iterator[Path]:
    """Give a file to write; its content goes to the draft, compressed as the target's name says."""
    kind = _BY_EXTENSION.get(target.suffix.lower())
    if kind is None:
        yield draft
        return
    with tempfile.TemporaryDirectory(prefix="priorwise-") as folder:
        plain = Path(folder, target.stem)
        yield plain
        with plain.open("rb") as source, pa.OSFile(str(draft), "wb") as file:
            if kind == "xz":
                compressor = lzma.LZMACompressor()
                while piece := source.read(_CHUNK):
                    file.write(compressor.compress(piece))
                file.write(compressor.flush())
                return
            with pa.CompressedOutputStream(file, kind) as packed:
                while piece := source.read(_CHUNK):
                    packed.write(piece)


@contextmanager
def spooled(path: Path, tell: Callable[[int], None]) -> Iterator[Path]:
    """Give a file that can be read at any place: itself, or a temporary decompressed copy on the disk."""
    if compression(path) is None:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="priorwise-") as folder:
        # Closed before it is read: Windows opens no file twice. Its name still says what it holds.
        copy = Path(folder, f"copy{plain_suffix(path)}")
        with opened(path, tell) as stream, copy.open("wb") as file:
            while piece := stream.read(_CHUNK):
                file.write(piece)
        yield copy


def anywhere(path: Path) -> Any:
    """Return what Arrow takes as a file to be read at any place: a path, or an open file if it is at an address."""
    return path.open("rb") if isinstance(path, RemoteFile) else path


def file_size(path: Path) -> int:
    """Return how many bytes a file has."""
    with reading(path):
        return path.stat().st_size


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what the decompressors and the system raise into BrokenFile, and refuse what is no file."""
    try:
        if not isinstance(path, RemoteFile):
            check_regular(path)
        yield
    except EOFError as error:
        raise BrokenFile(path, "the compressed data end too early; is the file complete?") from error
    except (gzip.BadGzipFile, zlib.error, lzma.LZMAError) as error:
        raise BrokenFile(path, f"the compressed data are damaged ({error})") from error
    except FileNotFoundError as error:
        raise BrokenFile(path, "there is no such file") from error
    except (IsADirectoryError, PermissionError) as error:
        raise BrokenFile(path, (error.strerror or "cannot be opened").lower()) from error
    except OSError as error:
        if error.errno is not None:
            raise
        # Without a system's error number it comes from a decompressor.
        raise BrokenFile(path, f"the compressed data are damaged ({error})") from error
