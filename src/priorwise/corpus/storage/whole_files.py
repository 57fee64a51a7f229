"""Write files whole or not at all; several files of one result appear together.

Each file is written beside its place under a name of its own, synced, and renamed. For several files the renames are
planned in a small file first. If the process is killed between two of them, the next call that writes the same files
takes back those that had appeared, or, where older ones were being replaced, finishes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from priorwise.corpus.storage.files import disk_errors_said
from priorwise.durable import draft_of, drafts_of, held, sync_file, sync_folder
from priorwise.errors import AlreadyExists, CorpusError

_PLAN = ".together"


def check_files(paths: Sequence[Path], *, overwrite: bool) -> None:
    """Raise `AlreadyExists` unless all these files can be written; a folder is never replaced."""
    if paths and _plan_of(paths).exists():
        with disk_errors_said(paths[0]), _all_held(paths):
            _recover(paths)
    for path in paths:
        if path.is_dir():
            raise AlreadyExists(path, not_a="file")
        if path.exists() and not overwrite:
            raise AlreadyExists(path)


@contextmanager
def whole_files(paths: Sequence[Path], *, overwrite: bool) -> Iterator[dict[Path, Path]]:
    """Yield a path to write to for each file; all take their names when the block ends well, and none otherwise.

    Raises
    ------
    AlreadyExists
        A file is there already, and `overwrite` is false.
    InUse
        Another process is writing one of them.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     with whole_files([Path(home, "x.csv"), Path(home, "y.csv")], overwrite=False) as drafts:
    ...         for draft in drafts.values():
    ...             _ = draft.write_text("id")
    ...     sorted(each.name for each in Path(home).iterdir())
    ['x.csv', 'y.csv']
    """
    for path in paths:
        if not path.parent.is_dir():
            raise CorpusError(f"{path} cannot be written: there is no folder {path.parent}")
    with disk_errors_said(paths[0]), _all_held(paths):
        _recover(paths)
        check_files(paths, overwrite=overwrite)
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
    """Yield a path to write to; the file takes its name when the block ends well, and nothing is left otherwise.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     with whole_file(Path(home, "x.csv")) as draft:
    ...         _ = draft.write_text("id")
    ...     sorted(each.name for each in Path(home).iterdir())
    ['x.csv']
    """
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
