"""Files and folders that appear whole or not at all: despite a kill, a power cut, a full disk or another writer.

A file is on the disk after it was synced, and its name is there after its folder was synced. So: write next to the
place, sync the file, sync the folder, rename, sync the folder again. Only then may an older one go.
"""

from __future__ import annotations

import ctypes
import errno
import getpass
import json
import os
import platform
import re
import secrets
import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

from priorwise.errors import AlreadyExists, CorpusError, DiskFull, InputError, InUse

PATIENCE = 1.0
"""Seconds to wait for another process before saying who it is."""

LOCK = ".lock"
"""What is added to the name of a result for the name of its lock."""

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
    """Let two files or folders swap their names in one step; return False if this system cannot."""
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
    """Return where to write what is to become `path`: next to it, under a name that no other process uses."""
    return path.with_name(f"{path.name}.{secrets.token_hex(6)}.partial")


def drafts_of(path: Path) -> list[Path]:
    """Return the drafts of `path` that are there; whoever holds its lock knows that they are left over."""
    draft = re.compile(re.escape(path.name) + r"\.[0-9a-f]{12}\.partial")
    return [each for each in path.parent.iterdir() if draft.fullmatch(each.name)] if path.parent.is_dir() else []


@contextmanager
def held(path: Path, *, patience: float = PATIENCE, lock_name: str = LOCK) -> Iterator[None]:
    """Hold the right to write `path`, for as long as the block lasts.

    The lock is a file next to it that only its owner can open. It is gone afterwards. A killed process holds nothing.
    """
    from filelock import FileLock, Timeout

    name = sibling(path, lock_name)
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


_OF_WRITING = {
    errno.EACCES,
    errno.EEXIST,
    errno.EFBIG,
    errno.EISDIR,
    errno.ENAMETOOLONG,
    errno.ENOTDIR,
    errno.EPERM,
    errno.EROFS,
}


@contextmanager
def disk_errors_explained(path: Path, *, only_writing: bool = False) -> Iterator[None]:
    """Turn the system's errors for a full or forbidden disk into ours; all of them if nothing is read within."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(f"no space left on the disk while writing {path}; free some or write elsewhere") from error
        if only_writing or error.errno in _OF_WRITING:
            reason = (error.strerror or str(error)).lower()
            if error.errno in (errno.EEXIST, errno.ENOTDIR):
                reason = f"{error.filename or 'a part of the path'} is a file and no folder"
            raise CorpusError(f"{path} cannot be written: {reason}") from error
        raise


_PLAN = ".together"


def check_free_files(paths: Sequence[Path], *, overwrite: bool) -> None:
    """Raise `AlreadyExists` unless all these files can be written; a folder is never replaced."""
    if paths and _plan_of(paths).exists():
        with disk_errors_explained(paths[0]), _all_held(paths):
            _recover(paths)
    for path in paths:
        if path.is_dir():
            raise AlreadyExists(path, not_a="file")
        if path.exists() and not overwrite:
            for each in paths:
                sweep(each)
            raise AlreadyExists(path)


def sweep(path: Path) -> None:
    """Remove the lock that a killed process left next to a result that is there, and its drafts if that is a file."""
    if sibling(path, LOCK).exists():
        with suppress(InUse, OSError), held(path, patience=0):
            for left_over in drafts_of(path) if path.is_file() else ():
                left_over.unlink()


@contextmanager
def whole_files(paths: Sequence[Path], *, overwrite: bool) -> Iterator[dict[Path, Path]]:
    """Yield a path to write to for each file; all take their names when the block ends well, and none otherwise."""
    if not paths:
        yield {}
        return
    for path in paths:
        if not path.parent.is_dir():
            raise CorpusError(f"{path} cannot be written: there is no folder {path.parent}")
    with disk_errors_explained(paths[0]), _all_held(paths):
        _recover(paths)
        check_free_files(paths, overwrite=overwrite)
        for path in paths:
            for left_over in drafts_of(path):
                left_over.unlink()
        drafts = {path: draft_of(path) for path in paths}
        try:
            yield drafts
            _publish(drafts, overwrite=overwrite)
        except OSError:
            # A disk that fills up between two renames: take back those done, or finish where older files were replaced.
            with suppress(OSError):
                _recover(paths)
            raise
        finally:
            # While the plan is there, the next call needs the drafts to finish.
            if not _plan_of(paths).exists():
                for draft in drafts.values():
                    draft.unlink(missing_ok=True)


@contextmanager
def whole_file(path: Path, *, overwrite: bool = True) -> Iterator[Path]:
    """Yield a path to write to; the file takes its name when the block ends well, and nothing is left otherwise."""
    with whole_files([path], overwrite=overwrite) as drafts:
        yield drafts[path]


def write_bytes(path: Path, data: bytes) -> None:
    """Write a small file whole or not at all; an older one is replaced."""
    with whole_file(path) as draft:
        draft.write_bytes(data)


def write_texts(texts: Mapping[Path, str], *, overwrite: bool) -> None:
    """Write texts to files, all or none."""
    with whole_files(list(texts), overwrite=overwrite) as drafts:
        for path, draft in drafts.items():
            draft.write_text(texts[path], encoding="utf-8", newline="")


@contextmanager
def _all_held(paths: Sequence[Path]) -> Iterator[None]:
    with ExitStack() as locks:
        # In one order, so that two processes never wait for each other.
        for path in sorted(set(paths)):
            locks.enter_context(held(path))
        yield


def _publish(drafts: Mapping[Path, Path], *, overwrite: bool) -> None:
    for draft in drafts.values():
        sync_file(draft)
    plan, folders = _plan_of(list(drafts)), {path.parent for path in drafts}
    if len(drafts) > 1:
        moves = [[str(path), draft.name, draft.stat().st_ino] for path, draft in drafts.items()]
        beside = draft_of(plan)
        beside.write_text(json.dumps({"overwrite": overwrite, "moves": moves}), encoding="utf-8")
        sync_file(beside)
        beside.replace(plan)
    for folder in folders:
        sync_folder(folder)
    for path, draft in drafts.items():
        draft.replace(path)
    for folder in folders:
        sync_folder(folder)
    if len(drafts) > 1:
        plan.unlink()
        sync_folder(plan.parent)


def _recover(paths: Sequence[Path]) -> None:
    """Undo what a killed process had begun, or finish it if it was replacing older files; only among these files."""
    plan = _plan_of(paths)
    for left_over in drafts_of(plan):
        left_over.unlink()
    if not plan.exists():
        return
    with suppress(ValueError, LookupError, TypeError, AttributeError):
        told = json.loads(plan.read_bytes())
        names = {str(path): path for path in paths}
        for name, draft, inode in told["moves"]:
            path = names.get(name)
            beside = None if path is None else path.with_name(str(draft))
            if path is None or beside is None or Path(draft).name != draft:
                continue
            if beside.is_file() and beside in drafts_of(path):
                if told["overwrite"]:
                    beside.replace(path)
            elif not told["overwrite"] and path.is_file() and path.stat().st_ino == inode:
                path.unlink()
    for folder in {path.parent for path in paths}:
        sync_folder(folder)
    plan.unlink()
    sync_folder(plan.parent)


def _plan_of(paths: Sequence[Path]) -> Path:
    return paths[0].with_name(paths[0].name + _PLAN)


FOLDER_PATIENCE = 30.0
"""Seconds to wait for another process that writes the same folder: it holds the lock only while it writes."""

REPLACED = ".replaced"
"""What is added to the name of an older folder while it is replaced, where two names cannot be exchanged."""


def sibling(target: Path, suffix: str) -> Path:
    """Return a neighbouring path, with something added to its name."""
    return target.with_name(target.name + suffix)


def check_free(path: Path, marker: str, kind: str, *, overwrite: bool) -> None:
    """Raise `AlreadyExists` unless a folder can be written here; only one that has the marker file is ever replaced."""
    if not path.exists():
        if re.fullmatch(r"[a-z][a-z0-9+.-]+:", path.parts[0]) and not Path(path.parts[0]).exists():
            raise CorpusError(f"{path} cannot be written: a {kind} goes to the disk, and only a corpus to an address")
        return
    if not overwrite:
        sweep(path)
        raise AlreadyExists(path)
    if not (path.is_dir() and ((path / marker).is_file() or not any(path.iterdir()))):
        raise AlreadyExists(path, not_a=kind)


@contextmanager
def whole_folder(
    path: Path, marker: str, kind: str, *, overwrite: bool, keep: Callable[[Path], None] = lambda older: None
) -> Iterator[Path]:
    """Yield a folder to write into, which takes its name when the block ends well.

    It is synced to the disk before. `marker` is the file by which a folder of this `kind` is known. `keep` is called
    with an older folder before the block, and again when nobody can open it by its name any more; it raises an error
    if that one must stay.
    """
    with disk_errors_explained(path, only_writing=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        with held(path, patience=FOLDER_PATIENCE):
            _restore(path, marker, keep)
            check_free(path, marker, kind, overwrite=overwrite)
            keep(path)
            for left_over in drafts_of(path):
                remove(left_over)
            unfinished = draft_of(path)
            unfinished.mkdir()
            try:
                yield unfinished
                put_folder(unfinished, path, keep)
            finally:
                remove(unfinished)


def put_folder(draft: Path, path: Path, keep: Callable[[Path], None] = lambda older: None) -> None:
    """Give a finished folder its name, so that at every moment either the older one or the new one is there, whole."""
    sync_tree(draft)
    sync_folder(draft.parent)
    if not path.exists():
        draft.rename(path)
        sync_folder(path.parent)
        return
    if exchange(draft, path):
        older = draft
        undo: Callable[[], Any] = partial(exchange, draft, path)
    else:
        older = sibling(path, REPLACED)
        remove(older)
        path.rename(older)
        undo = partial(older.rename, path)
    try:
        keep(older)
        if older is not draft:
            draft.rename(path)
    except BaseException:
        undo()
        raise
    sync_folder(path.parent)
    remove(older)


def _restore(path: Path, marker: str, keep: Callable[[Path], None]) -> None:
    """Bring an older folder back that a killed process had put aside and not yet replaced, or not yet looked into."""
    replaced = sibling(path, REPLACED)
    if (replaced / marker).is_file() and not path.exists():
        replaced.rename(path)
    elif path.exists():
        remove(replaced)
    for left_over in drafts_of(path):
        try:
            keep(left_over)
        except InputError:
            if path.exists() and exchange(left_over, path):
                continue
            raise
