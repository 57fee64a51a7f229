"""Files at an address, such as ``s3://bucket/news.jsonl``: reached through Arrow or fsspec, and copied if need be."""

from __future__ import annotations

import hashlib
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast
from urllib.parse import unquote

from priorwise.durable import held, sync_folder
from priorwise.errors import BrokenFile, CorpusError, InputError, Unreachable, optional

_ADVICE = {
    "Bucket '": "make the bucket first, or correct the name",
    "NO_SUCH_BUCKET": "make the bucket first, or correct the name",
    "ACCESS_DENIED": "say who you are by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or as your cloud does it; "
    "what is public is read as s3://anonymous@bucket/…",
    "INVALID_ACCESS_KEY_ID": "AWS_ACCESS_KEY_ID is not known there",
    "SIGNATURE_DOES_NOT_MATCH": "AWS_SECRET_ACCESS_KEY is not the one that belongs to AWS_ACCESS_KEY_ID",
    "NETWORK_CONNECTION": "look at the network and, for a store that is not Amazon's, at AWS_ENDPOINT_URL",
    "libjvm": "HDFS needs a Java: set JAVA_HOME",
    "libhdfs": "HDFS needs the library of a Hadoop client: set HADOOP_HOME, or ARROW_LIBHDFS_DIR to the folder with "
    "libhdfs.so, and CLASSPATH to what `hadoop classpath --glob` prints",
}


def is_address(path: str | Path) -> bool:
    """Return whether this is the address of a file or folder, not the path of one."""
    return isinstance(path, str) and "://" in path


def local_path(path: str | Path) -> Path | None:
    """Return the path that is meant, or None if it is an address elsewhere."""
    if not is_address(path):
        if was_address(path):
            raise InputError(f"{path} was an address, and a path has lost one of its slashes: give the address itself")
        return Path(path)
    scheme, _, rest = str(path).partition("://")
    return Path(unquote(rest.removeprefix("localhost"))) if scheme == "file" else None


def was_address(path: str | Path) -> bool:
    """Return whether this is a path that was made of an address, and is on no disk."""
    first = Path(path).parts[:1]
    return bool(first) and re.fullmatch(r"[a-z][a-z0-9+.-]+:", first[0]) is not None and not Path(first[0]).exists()


def with_ending(address: str, ending: str) -> str:
    """Return the address of a neighbour, whose name has an ending more; the options after a ``?`` stay."""
    path, mark, options = address.partition("?") if is_address(address) else (address, "", "")
    return path.rstrip("/") + ending + mark + options


def shown(address: str) -> str:
    """Return an address as it may be shown to anybody: without a user's name and password, and without options."""
    if not is_address(address):
        return address
    scheme, _, rest = address.partition("://")
    host = re.split("[/?]", rest, maxsplit=1)[0]
    if "@" in host:
        rest = rest[host.rindex("@") + 1 :]
    elif ":" in host and not host.rpartition(":")[2].isdigit():
        # A secret key with a slash that was not written as %2F ends where the bucket begins.
        rest = rest.rpartition("@")[2]
    return f"{scheme}://{rest.partition('?')[0]}"


def _said(error: Exception, address: str) -> str:
    """Return what an error says, without what an address hides."""
    return str(error).replace(address, shown(address))


@lru_cache(maxsize=32)
def file_system(address: str) -> tuple[Any, str]:
    """Return the file system of a path or an address, as Arrow has it, and what it calls the file or folder there."""
    from pyarrow import ArrowInvalid, fs

    if not is_address(address):
        return fs.LocalFileSystem(), str(Path(address).absolute())
    with reached(address):
        try:
            files, path = fs.FileSystem.from_uri(address)
        except ArrowInvalid as error:
            if address.partition("://")[0] in ("s3", "hdfs", "gs", "gcs", "abfs", "abfss"):
                advice = "; in a key, a slash is written %2F and a blank %20" if "@" in address else ""
                # Without its cause, which would show the keys.
                raise CorpusError(f"{shown(address)} is not such an address: {_said(error, address)}{advice}") from None
            files, path = _by_fsspec(address)
    return files, path.rstrip("/")


def _by_fsspec(address: str) -> tuple[Any, str]:
    from pyarrow.fs import FSSpecHandler, PyFileSystem

    fsspec = optional("fsspec.core", "files")
    try:
        found, path = fsspec.url_to_fs(address)
    except (ValueError, TypeError, ImportError) as error:
        raise CorpusError(f"{shown(address)} cannot be reached: {_said(error, address)}") from error
    return PyFileSystem(FSSpecHandler(found)), str(path)


@contextmanager
def reached(address: str) -> Iterator[None]:
    """Turn what Arrow says of a file system that it does not reach into an error of ours that says what to do."""
    try:
        yield
    except OSError as error:
        # What has a number comes from the system, and is about the disk.
        if error.errno is not None:
            raise
        # What Arrow advises to do about a bucket is to be done in Python.
        said = _said(error, address).partition(". To create buckets")[0]
        advice = next((f"; {what}" for sign, what in _ADVICE.items() if sign in said), "")
        raise Unreachable(f"{shown(address)} cannot be reached: {said}{advice}") from error


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
    """Copy a file to the disk unless it is there; it takes its name when it is whole."""
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
            raise BrokenFile(target.name, "the download differs from what the server announced; try again")
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


_BUFFER = 1 << 20


class RemoteFile(PurePosixPath):
    """A file at an address. It goes to other processes as its address.

    It has what readers ask of a path: its name, how long it is, and to be opened; but nothing of it is on the disk.
    Only what must be mapped is copied there, to the folder of downloads, when it is asked for by ``os.fspath``.
    """

    address: str

    def __new__(cls, address: str) -> RemoteFile:
        """Take its name from the address, without the options."""
        return super().__new__(cls, shown(address))

    def __init__(self, address: str) -> None:
        if sys.version_info >= (3, 12):
            super().__init__(shown(address))
        self.address = address
        self._status: os.stat_result | None = None

    def __str__(self) -> str:
        return shown(self.address)

    def __truediv__(self, name: Any) -> RemoteFile:
        return RemoteFile(with_ending(self.address, f"/{name}"))

    def __reduce__(self) -> tuple[type[RemoteFile], tuple[str]]:
        """Go to another process as the address."""
        return RemoteFile, (self.address,)

    def __fspath__(self) -> str:
        """Return where a copy is on the disk."""
        status = self.stat()
        identity = f"{self.address} {status.st_size} {status.st_mtime_ns}"
        folder = cache_folder() / "files" / hashlib.sha256(identity.encode()).hexdigest()[:20]
        return str(copied(lambda: self.open(), folder / self.name, status.st_size))

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Return how long it is and when it was written, as it was when that was first asked."""
        if self._status is None:
            self._status = self._found()
        return self._status

    def _found(self) -> os.stat_result:
        from pyarrow.fs import FileType

        files, path = file_system(self.address)
        with reached(self.address):
            info = files.get_file_info(path)
        if info.type != FileType.File:
            raise FileNotFoundError(2, "there is no such file", str(self))
        if info.size is None:
            raise BrokenFile(str(self), "its server does not say how long it is; download it, and give the file")
        changed = info.mtime_ns or 0
        seconds = changed // 10**9
        return os.stat_result((0o100444, 0, 0, 1, 0, 0, info.size, seconds, seconds, seconds), {"st_mtime_ns": changed})

    def is_file(self) -> bool:
        try:
            self.stat()
        except FileNotFoundError:
            return False
        return True

    def is_dir(self) -> bool:
        """Return False: folders are looked into when files are listed."""
        return False

    def resolve(self, strict: bool = False) -> RemoteFile:
        return self

    def open(self, mode: str = "rb", buffering: int = -1, *_: Any, **__: Any) -> IO[Any]:
        if mode != "rb":
            raise BrokenFile(str(self), "it can only be read")
        raw = _Reading(self)
        return raw if buffering == 0 else io.BufferedReader(raw, _BUFFER)  # type: ignore[return-value]


class _Reading(io.RawIOBase):
    """An open file of Arrow's, as Python has them; what goes wrong says where."""

    def __init__(self, file: RemoteFile) -> None:
        files, path = file_system(file.address)
        self._address = file.address
        with reached(file.address):
            self._file = files.open_input_file(path)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def readinto(self, buffer: Any) -> int:
        with reached(self._address):
            content = self._file.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


def address_of(path: Any) -> str | None:
    """Return the address of a file that is at one, and None for any other path."""
    return path.address if isinstance(path, RemoteFile) else None


def found_files(given: str | Path | Iterable[str | Path]) -> list[Path]:
    """Return the files that are meant by paths and addresses, or by one of them.

    The last part of an address may hold ``*`` and ``[…]``. An address that ends in ``/`` means all files in the folder,
    but not those whose names begin with ``_`` or ``.``, which Spark and others leave next to their own.
    """
    found: list[Path] = []
    for path in [given] if isinstance(given, str | os.PathLike) else given:
        if address_of(path) is not None:
            found.append(cast("Path", path))
        elif (on_disk := local_path(path)) is not None:
            found.append(on_disk)
        else:
            found += _at(str(path))
    return found


def _at(address: str) -> list[Path]:
    # A question mark is where the options begin, so it is not wild here.
    place, mark, options = address.partition("?")
    folder, slash, pattern = place.rpartition("/")
    if pattern and not set("*[") & set(pattern):
        return [cast("Path", RemoteFile(address))]
    from pyarrow.fs import FileSelector, FileType

    files, path = file_system(folder + mark + options)
    try:
        with reached(address):
            infos = files.get_file_info(FileSelector(path))
    except FileNotFoundError as error:
        raise BrokenFile(shown(address), "there is no such folder") from error
    names = sorted(info.base_name for info in infos if info.type == FileType.File)
    wanted = [name for name in names if (fnmatchcase(name, pattern) if pattern else name[0] not in "._")]
    if not wanted:
        raise BrokenFile(shown(address), "there is no such file")
    return [cast("Path", RemoteFile(f"{folder}{slash}{name}{mark}{options}")) for name in wanted]
