"""The categories that people work on: a note for each, and what is known of it without opening it."""

from __future__ import annotations

import json
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from priorwise.errors import InputError, UnknownName
from priorwise.web.workspace import Workspace, slug

ENDING = ".category.json"


@dataclass(frozen=True)
class Note:
    """What is kept of a category that somebody works on.

    Parameters
    ----------
    key : str
        What it is called in addresses and files.
    name : str
        What people call it.
    label : str, optional
        The label of the corpus that it is; None if somebody made it from examples.
    description, words : str
        What is known about it: some sentences, and keywords such as ``+neural -psychology``.
    examples : list of str
        The ids of its first members, if it is no label of the corpus.
    runs : list of str
        Its rounds, the latest last.
    members, found, judged : int
        How many members it had, how many were found since, and how many documents were judged.
    missing : list of float, optional
        How many members are still missing, and the ends of the 80% interval.
    safe : bool
        Whether it is safe to stop.
    at : float
        When somebody last worked on it.
    """

    key: str
    name: str
    label: str | None
    description: str = ""
    words: str = ""
    examples: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    members: int = 0
    found: int = 0
    judged: int = 0
    missing: list[float] | None = None
    safe: bool = False
    at: float = 0.0


class Categories:
    """The notes of a workspace, in the folder of its runs. Runs that the command line made are categories too."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = threading.Lock()

    @property
    def folder(self) -> Path:
        """Where the notes are."""
        if self._workspace.folder is None:
            raise InputError("there is no folder for new runs")
        return self._workspace.folder

    def all(self) -> list[Note]:
        """Return all categories that somebody works on, the latest first."""
        found = {}
        if self._workspace.folder is not None and self._workspace.folder.is_dir():
            for path in self._workspace.folder.glob(f"*{ENDING}"):
                with suppress(OSError):
                    note = _read(path, path.stat().st_mtime_ns)
                    if note is not None:
                        found[note.key] = note
        known = {run for note in found.values() for run in note.runs}
        for fact in self._workspace.facts():
            if fact["name"] not in known:
                note = self._of_run(fact)
                other = next(
                    (each for each in found.values() if each.label is not None and each.label == note.label), None
                )
                if other is None:
                    found[note.key] = note
                elif not other.runs or other.at == 0:
                    found[other.key] = replace(other, runs=[*other.runs, *note.runs])
        return sorted(found.values(), key=lambda note: (-note.at, note.name))

    def _of_run(self, fact: dict[str, Any]) -> Note:
        path = self._workspace.run_path(fact["name"])
        key = key_of(fact["name"])
        return Note(
            key,
            fact["label"] if fact["label"] is not None else key,
            fact["label"],
            runs=[fact["name"]],
            members=fact["members"],
            missing=fact["missing"],
            at=(path / "run.json").stat().st_mtime,
        )

    def get(self, key: str) -> Note:
        """Return a category by its key."""
        for note in self.all():
            if note.key == key:
                return note
        raise UnknownName("category", key, [note.key for note in self.all()])

    def of_label(self, label: str) -> Note | None:
        """Return the note on a label, or None if nobody works on it."""
        return next((note for note in self.all() if note.label == label), None)

    def new(self, name: str, label: str | None, **given: Any) -> Note:
        """Begin to work on a category."""
        with self._lock:
            taken = {note.key for note in self.all()}
            stem, number = slug(name), 1
            while (key := stem if number == 1 else f"{stem}-{number}") in taken:
                number += 1
            note = Note(key, name, label, at=time.time(), **given)
            self._write(note)
            return note

    def change(self, key: str, **changes: Any) -> Note:
        """Change what is kept of a category."""
        with self._lock:
            note = replace(self.get(key), **changes)
            self._write(note)
            return note

    def _write(self, note: Note) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{note.key}{ENDING}"
        draft = path.with_name(path.name + ".new")
        draft.write_text(json.dumps(asdict(note), ensure_ascii=False, indent=1), encoding="utf-8")
        draft.replace(path)


def key_of(run: str) -> str:
    """Return the key of the category of a run that no note names, by the name of its folder.

    Examples
    --------
    >>> key_of("film-actors.run")
    'film-actors'
    """
    return run.removesuffix(".run")


@lru_cache(maxsize=4096)
def _read(path: Path, _changed: int) -> Note | None:
    try:
        return Note(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        # Somebody else's file, or one that was damaged: the run itself is still there.
        return None
