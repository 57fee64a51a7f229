"""Write a folder whole or not at all, and replace an older one of its kind only when the new one is whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from priorwise.corpus.storage.files import disk_errors_said
from priorwise.durable import draft_of, drafts_of, exchange, held, remove, sync_folder, sync_tree
from priorwise.errors import AlreadyExists, CorpusError, InputError
from priorwise.readers.addresses import was_address

PATIENCE = 30.0
"""Seconds to wait for another process that writes the same folder: it holds the lock only while it writes."""

REPLACED = ".replaced"
"""What is added to the name of an older folder while it is replaced, where two names cannot be exchanged."""


def sibling(target: Path, suffix: str) -> Path:
    """Return the path beside another with something added to its name.

    Examples
    --------
    >>> sibling(Path("data/news.corpus"), ".partial").name
    'news.corpus.partial'
    """
    return target.with_name(target.name + suffix)


def check_free(path: Path, marker: str, kind: str, *, overwrite: bool) -> None:
    """Raise `AlreadyExists` unless a folder can be written here; only one that has the marker file is ever replaced."""
    if not path.exists():
        if was_address(path):
            raise CorpusError(f"{path} cannot be written: a {kind} goes to the disk, and only a corpus to an address")
        return
    if not overwrite:
        raise AlreadyExists(path)
    if not (path.is_dir() and ((path / marker).is_file() or not any(path.iterdir()))):
        raise AlreadyExists(path, not_a=kind)


@contextmanager
def whole_folder(
    path: Path, marker: str, kind: str, *, overwrite: bool, keep: Callable[[Path], None] = lambda older: None
) -> Iterator[Path]:
    """Yield a folder to write into, which takes its name when the block ends well.

    It is synced to the disk before. If another process writes the same folder, :class:`~priorwise.errors.InUse` says
    which.

    Parameters
    ----------
    path : Path
        Its name.
    marker : str
        The file by which a folder of this kind is known.
    kind : str
        What it is, for messages: "model".
    overwrite : bool
        Whether an older one may be replaced.
    keep : function, optional
        Called with an older one that is to be replaced, before the block and again when nobody can open it by its name
        any more; raises an error if it must stay.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     with whole_folder(Path(home, "x.model"), "model.json", "model", overwrite=False) as folder:
    ...         _ = (folder / "model.json").write_text("{}")
    ...     sorted(each.name for each in Path(home).iterdir())
    ['x.model']
    """
    with disk_errors_said(path, only_writing=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        with held(path, patience=PATIENCE):
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
    """Give a finished folder its name, so that at every moment either the older one or the new one is there, whole.

    Parameters
    ----------
    draft, path : Path
        The folder, and its name to be; whoever calls holds the lock of `path`.
    keep : function, optional
        Called with an older folder once nobody can open it by its name any more; if it raises an error, the older one
        comes back.
    """
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
