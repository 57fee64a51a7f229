"""Write a folder whole or not at all, and replace an older one of its kind only when the new one is whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from priorwise.corpus.files import disk_errors_said, remove, sync_folder
from priorwise.corpus.partial import sibling
from priorwise.errors import AlreadyExists, CorpusError
from priorwise.readers.addresses import was_address
from priorwise.readers.copies import one_at_a_time


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

    If two processes write the same folder, the second waits, and then finds the first one's.

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
    unfinished, replaced = sibling(path, ".partial"), sibling(path, ".replaced")
    with disk_errors_said(path, only_writing=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        with one_at_a_time(path.parent):
            if (replaced / marker).is_file() and not path.exists():
                # A kill between the two renames below; the older one comes back.
                replaced.rename(path)
            check_free(path, marker, kind, overwrite=overwrite)
            keep(path)
            remove(unfinished)
            unfinished.mkdir()
            try:
                yield unfinished
                if path.exists():
                    remove(replaced)
                    path.rename(replaced)
                    keep(replaced)
                unfinished.rename(path)
                sync_folder(path.parent)
            finally:
                remove(unfinished)
                if path.exists():
                    remove(replaced)
                elif replaced.exists():
                    replaced.rename(path)
