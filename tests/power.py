"""Run a piece of a program up to each of its steps on the disk, and see what a kill or a power cut leaves there.

A step is what Python's audit hooks tell of: a file opened for writing, a folder made, a rename, a removal, an exchange
of two names. For a power cut, the file system is the worst that POSIX allows: what was written to a file since it was
last synced is gone and the file is empty, and a name is there only if its folder was synced after.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

STEPS = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "priorwise.exchange"}


class Cut(BaseException):
    """The power is gone."""


def count_steps(root: Path, work: Callable[[], Any]) -> int:
    """Return how many steps some work takes below a folder, done in a process of its own."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        steps = 0

        def step(_event: str) -> None:
            nonlocal steps
            steps += 1

        _watch(root, step)
        code = _do(work)
        os.write(write, str(steps).encode())
        os._exit(code)
    os.close(write)
    with os.fdopen(read) as told:
        steps = int(told.read() or 0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    return steps


@contextmanager
def put_back(root: Path) -> Iterator[None]:
    """Whatever the block does to a folder, the folder is then as it was."""
    old = root.with_name(f"{root.name}.old")
    shutil.copytree(root, old)
    try:
        yield
    finally:
        shutil.rmtree(root)
        old.rename(root)


def kills(root: Path, work: Callable[[], Any]) -> Iterator[int]:
    """Leave in a folder what some work leaves there that is killed just before a step; 0 is the first one.

    Yield the number of each step, in order, and at last that of the end of the work.
    """
    with put_back(root):
        steps = count_steps(root, work)
    for number in range(steps + 1):
        with put_back(root):
            _kill_at(number, root, work)
            yield number


def _kill_at(number: int, root: Path, work: Callable[[], Any]) -> None:
    child = os.fork()
    if not child:
        left = number

        def step(_event: str) -> None:
            nonlocal left
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1

        _watch(root, step)
        os._exit(_do(work))
    os.waitpid(child, 0)


def power_cuts(root: Path, work: Callable[[], Any]) -> Iterator[int]:
    """Leave in a folder what was synced when the power was cut just before a step; yield as :func:`kills` does.

    The work is done once: what is safe is written elsewhere before each step.
    """
    kept = root.with_name(f"{root.name}.kept")
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir()
    child = os.fork()
    if not child:
        steps = 0
        disk = _Disk(root)

        def step(_event: str) -> None:
            nonlocal steps
            disk.write(kept / str(steps))
            steps += 1

        os.fsync = disk.fsync  # type: ignore[assignment]
        _watch(root, step)
        code = _do(work)
        step("the end")
        os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    for number in range(sum(1 for _ in kept.iterdir())):
        shutil.rmtree(root)
        (kept / str(number)).rename(root)
        yield number


@contextmanager
def full_from(number: int, root: Path) -> Iterator[None]:
    """Fail as on a full disk from a step on: no file can be opened for writing, no name made; names can be removed."""
    left = number
    within = True

    def step(event: str) -> None:
        nonlocal left
        if within and event not in ("os.remove", "os.rmdir") and left <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left -= 1

    _watch(root, step)
    try:
        yield
    finally:
        within = False


@contextmanager
def grown_to(size: int, _root: Path) -> Iterator[None]:
    """Let no file grow beyond a size; whoever writes more is told so, as on a disk that fills up."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


class _Disk:
    """What is safe: the contents of files, by inode, and the names in folders, as they were when last synced."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.contents: dict[int, bytes] = {}
        self.names: dict[int, dict[str, tuple[int, bool]]] = {}
        self._sync = os.fsync
        for folder, _, files in os.walk(root):
            self._keep_names(folder)
            for file in files:
                path = Path(folder, file)
                self.contents[path.stat().st_ino] = path.read_bytes()
        self.first = root.stat().st_ino

    def fsync(self, handle: int) -> None:
        self._sync(handle)
        path = Path(f"/proc/self/fd/{handle}").readlink()
        if not path.is_relative_to(self.root):
            return
        if path.is_dir():
            self._keep_names(str(path))
        else:
            self.contents[os.fstat(handle).st_ino] = path.read_bytes()

    def _keep_names(self, folder: str) -> None:
        found = {each.name: (each.inode(), each.is_dir(follow_symlinks=False)) for each in os.scandir(folder)}
        self.names[Path(folder).stat().st_ino] = found

    def write(self, to: Path) -> None:
        self._write(self.first, to)

    def _write(self, inode: int, to: Path) -> None:
        to.mkdir()
        for name, (each, is_folder) in self.names.get(inode, {}).items():
            if is_folder:
                self._write(each, to / name)
            else:
                (to / name).write_bytes(self.contents.get(each, b""))


def _watch(root: Path, step: Callable[[str], None]) -> None:
    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if not writes:
                return
        elif event in STEPS:
            path = arguments[0]
        else:
            return
        if isinstance(path, str | bytes | os.PathLike) and Path(os.fsdecode(path)).is_relative_to(root):
            step(event)

    sys.addaudithook(hook)


def _do(work: Callable[[], Any]) -> int:
    try:
        work()
    except BaseException as error:
        sys.__stderr__.write(f"{type(error).__name__}: {error}\n")  # type: ignore[union-attr]
        return 1
    return 0
