"""What it takes for a file to outlast a kill, a power cut, and another process that writes the same file.

A file is on the disk after it was synced, and its name is there after its folder was synced. So: write beside the
place, sync the file, sync the folder, rename, sync the folder again. Only then may an older one go.
"""

from __future__ import annotations

import ctypes
import errno
import getpass
import os
import platform
import secrets
import shutil
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from priorwise.errors import InUse

PATIENCE = 1.0
"""Seconds to wait for another process before saying who it is."""

_AT_FDCWD, _EXCHANGE = -100, 2


def sync_file(path: Path) -> None:
    """Force what is in a file to the disk."""
    # Windows syncs only what is open for writing.
    _sync(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)


def sync_folder(folder: Path) -> None:
    """Force the names in a folder to the disk, so that a rename outlasts a power cut."""
    # Windows has no such thing, and needs none.
    if os.name != "nt":
        _sync(folder, os.O_RDONLY)


def sync_tree(folder: Path) -> None:
    """Force a folder to the disk with all that is in it."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_symlink():
            continue
        if path.is_dir():
            sync_folder(path)
        elif path.is_file():
            sync_file(path)
    sync_folder(folder)


def _sync(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    except OSError as error:
        # Some file systems, such as a few that reach over a network, cannot sync; they say so in one of these ways.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS):
            raise
    finally:
        os.close(handle)


def remove(path: Path) -> None:
    """Remove a file or a folder with all that is in it, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def exchange(one: Path, other: Path) -> bool:
    """Let two files or folders swap their names in one step; return False if this system cannot.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     one, other = Path(home, "one"), Path(home, "other")
    ...     _ = one.write_text("1"), other.write_text("2")
    ...     expected = "2" if exchange(one, other) else "1"
    ...     one.read_text() == expected
    True
    """
    swap = _system_call()
    if swap is None:
        return False
    sys.audit("priorwise.exchange", str(one), str(other))
    if swap(os.fsencode(one), os.fsencode(other)) == 0:
        return True
    if (number := ctypes.get_errno()) in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
        return False
    raise OSError(number, os.strerror(number), str(one))


@cache
def _system_call() -> Any:
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if platform.system() == "Darwin":
            swap = library.renamex_np
            return lambda one, other: swap(one, other, _EXCHANGE)
        rename = library.renameat2
        return lambda one, other: rename(_AT_FDCWD, one, _AT_FDCWD, other, _EXCHANGE)
    except (OSError, AttributeError, TypeError):
        return None


def draft_of(path: Path) -> Path:
    """Return where to write what is to become `path`: beside it, under a name that no other process uses.

    Examples
    --------
    >>> draft_of(Path("data/x.csv")).name[:6], draft_of(Path("x")) == draft_of(Path("x"))
    ('x.csv.', False)
    """
    return path.with_name(f"{path.name}.{secrets.token_hex(6)}.partial")


def drafts_of(path: Path) -> list[Path]:
    """Return the drafts of `path` that are there; whoever holds its lock knows that they are left over."""
    before, after = f"{path.name}.", ".partial"
    if not path.parent.is_dir():
        return []
    return [
        each
        for each in path.parent.iterdir()
        if each.name.startswith(before)
        and each.name.endswith(after)
        and len(mark := each.name[len(before) : -len(after)]) == 12
        and set(mark) <= set("0123456789abcdef")
    ]


@contextmanager
def held(path: Path, *, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the right to write `path`, for as long as the block lasts.

    The lock is a file beside it that only its owner can open. It is gone afterwards. A killed process holds nothing.

    Parameters
    ----------
    path : Path
        What is to be written; its folder exists.
    patience : float
        Seconds to wait for another process; negative waits for ever.

    Raises
    ------
    InUse
        Another process holds it: which, whose, since when.
    """
    from filelock import FileLock, Timeout

    name = path.with_name(f"{path.name}.lock")
    lock = FileLock(name, timeout=patience, mode=0o600, poll_interval=0.02)
    try:
        lock.acquire()
    except Timeout as error:
        raise InUse(path, _holder(name)) from error
    except PermissionError as error:
        if not name.exists():
            raise
        raise InUse(path, _holder(name)) from error
    try:
        # Some systems do not let even the holder write to a locked file.
        with suppress(OSError):
            name.write_text(_about_us(), encoding="utf-8")
        yield
    finally:
        if os.name != "nt":
            name.unlink(missing_ok=True)
        lock.release()


def _about_us() -> str:
    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):
        user = "unknown"
    began = time.strftime("%Y-%m-%d %H:%M:%S")
    return f"process {os.getpid()} of user {user} on {socket.gethostname()}, since {began}"


def _holder(name: Path) -> str:
    try:
        told = name.read_text(encoding="utf-8", errors="replace")[:200]
        return "".join(c if c.isprintable() else " " for c in told) or "another process"
    except OSError:
        return f"another user's process; if it has ended, remove {name}"
