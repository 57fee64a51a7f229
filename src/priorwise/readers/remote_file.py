"""A file at an address in place of one on the disk: readers open it, or a part of it, where it lies."""

from __future__ import annotations

import hashlib
import io
import os
import sys
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO, Any

from priorwise.errors import BrokenFile
from priorwise.readers.addresses import file_system, local_path, reached, shown, with_ending
from priorwise.readers.copies import cache_folder, copied

if sys.platform == "win32":
    from pathlib import WindowsPath as _HerePath
else:
    from pathlib import PosixPath as _HerePath

_BUFFER = 1 << 20


class RemoteFile(_HerePath):
    """A file at an address. It goes to other processes as its address.

    It is a path in all that readers ask of one: its name, how long it is, and to be opened. Only what must be mapped is
    copied to the disk, to the folder of downloads, when it is asked for by ``os.fspath``.

    Parameters
    ----------
    address : str
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
        """Return a file in this folder."""
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
            raise BrokenFile(self, "its server does not say how long it is; download it, and give the file")
        changed = info.mtime_ns or 0
        seconds = changed // 10**9
        return os.stat_result((0o100444, 0, 0, 1, 0, 0, info.size, seconds, seconds, seconds), {"st_mtime_ns": changed})

    def is_file(self) -> bool:
        """Return whether it is there."""
        try:
            self.stat()
        except FileNotFoundError:
            return False
        return True

    def is_dir(self) -> bool:
        """Return False: folders are looked into when files are listed."""
        return False

    def resolve(self, strict: bool = False) -> RemoteFile:
        """Return itself."""
        return self

    def open(self, mode: str = "rb", buffering: int = -1, *_: Any, **__: Any) -> IO[Any]:  # type: ignore[override]
        """Open it for reading anywhere in it."""
        if mode != "rb":
            raise BrokenFile(self, "it can only be read")
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


def found_files(given: str | Path | Iterable[str | Path]) -> list[Path]:
    """Return the files that are meant by paths and addresses, or by one of them.

    The last part of an address may hold ``*`` and ``[…]``. An address that ends in ``/`` means all files in the folder,
    but not those whose names begin with ``_`` or ``.``, which Spark and others leave beside their own.

    Examples
    --------
    >>> found_files(["a.jsonl", Path("b.jsonl")]), found_files("a.jsonl")
    ([PosixPath('a.jsonl'), PosixPath('b.jsonl')], [PosixPath('a.jsonl')])
    """
    found: list[Path] = []
    for path in [given] if isinstance(given, str | Path) else given:
        if isinstance(path, RemoteFile):
            found.append(path)
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
        return [RemoteFile(address)]
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
    return [RemoteFile(f"{folder}{slash}{name}{mark}{options}") for name in wanted]
