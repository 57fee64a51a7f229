"""What pages work on: a corpus, its runs, and the categories that people work on."""

from __future__ import annotations

import json
import re
import threading
import time
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priorwise.corpus import Corpus
from priorwise.discovery import Run
from priorwise.errors import BrokenFile, InputError, UnknownName
from priorwise.web.jobs import Jobs

if TYPE_CHECKING:
    from priorwise.web.corpora import Source


class Workspace:
    """A corpus and its runs. A run is asked for by name, and only names that were found are opened."""

    def __init__(
        self,
        corpus: Corpus,
        runs: Iterable[Path] = (),
        folder: Path | None = None,
        *,
        name: str = "",
        title: str = "",
        source: tuple[Source, Path] | None = None,
        jobs: Jobs | None = None,
    ) -> None:
        self.corpus = corpus
        self.folder = folder
        self.name = name
        self.title = title or name or (corpus.path.name if corpus.path else str(corpus.store or "in memory"))
        self.source = source
        self.jobs = jobs or Jobs()
        self._given = {path.name: path for path in runs}

    @classmethod
    def of_run(cls, path: Path, corpus: Path | str | None = None) -> Workspace:
        """Return what there is to see of one run; the corpus is where it was, or at ``corpus``."""
        return cls(Run.load(path).open_corpus(corpus), [path.resolve()])

    def run_path(self, name: str) -> Path:
        """Return the folder of a run; :class:`~priorwise.errors.UnknownName` if there is none of that name."""
        paths = self._paths()
        if name not in paths:
            raise UnknownName("run", name, paths)
        return paths[name]

    def run(self, name: str) -> Run:
        path = self.run_path(name)
        run = _loaded(path, (path / "run.json").stat().st_mtime_ns)
        if run.about.corpus.checksum != self.corpus.checksum:
            raise BrokenFile(path, "this run is of another corpus, or the corpus was made again since")
        return run

    def facts(self) -> list[dict[str, Any]]:
        """Return what is worth knowing of each run of this corpus, for a list of them."""
        found = []
        for name, path in sorted(self._paths().items()):
            try:
                about = json.loads((path / "run.json").read_text(encoding="utf-8"))
                if about["corpus"]["checksum"] == self.corpus.checksum:
                    missing = about.get("stages", [{}])[-1].get("missing")
                    known = None if missing is None else [missing["expected"], missing["low"], missing["high"]]
                    found.append({"name": name, "label": about["label"], "members": about["members"], "missing": known})
            except (OSError, ValueError, KeyError, TypeError):
                # A folder that is half removed, or somebody else's: it is opened, and complained about, by name only.
                continue
        return found

    def new_run_path(self, label: str) -> Path:
        """Return a free place for a run of a label."""
        if self.folder is None:
            raise UnknownName("folder for runs", label, [])
        stem = slug(label)
        number = 1
        while (path := self.folder / f"{stem}{'' if number == 1 else f'-{number}'}.run").exists():
            number += 1
        return path

    def _paths(self) -> dict[str, Path]:
        found = {}
        if self.folder is not None and self.folder.is_dir():
            found = {path.name: path for path in self.folder.iterdir() if (path / "run.json").is_file()}
        return {**found, **self._given}


def slug(label: str) -> str:
    """Return a label as the name of a file.

    Examples
    --------
    >>> slug("Video games (Café) / 1980s"), slug("機械学習"), slug("../..")
    ('video-games-cafe-1980s', '機械学習', 'run')
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", label) if not unicodedata.combining(c)).lower()
    return re.sub(r"\W+", "-", unicodedata.normalize("NFC", plain)).strip("-")[:80] or "run"


@lru_cache(maxsize=8)
def _loaded(path: Path, _changed: int) -> Run:
    return Run.load(path)


ENDING = ".category.json"


@dataclass(frozen=True)
class Note:
    """What is kept of a category that somebody works on."""

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
    waiting: int = 0
    missing: list[float] | None = None
    safe: bool = False
    at: float = 0.0
    next_round: dict[str, str] | None = None
    """What a further round was asked to learn from; None while nobody waits for one."""


class Categories:
    """The notes of a workspace, in the folder of its runs. Runs that the command line made are categories too."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = threading.Lock()

    @property
    def folder(self) -> Path:
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
        for note in self.all():
            if note.key == key:
                return note
        raise UnknownName("category", key, [note.key for note in self.all()])

    def of_label(self, label: str) -> Note | None:
        """Return the note on a label, or None if nobody works on it."""
        return next((note for note in self.all() if note.label == label), None)

    def new(self, name: str, label: str | None, **given: Any) -> Note:
        with self._lock:
            taken = {note.key for note in self.all()}
            stem, number = slug(name), 1
            while (key := stem if number == 1 else f"{stem}-{number}") in taken:
                number += 1
            note = Note(key, name, label, at=time.time(), **given)
            self._write(note)
            return note

    def change(self, key: str, **changes: Any) -> Note:
        with self._lock:
            note = replace(self.get(key), **changes)
            self._write(note)
            return note

    def give_up(self, key: str) -> None:
        """Forget the round that was begun, and the category if it has no other."""
        note = self.get(key)
        if note.runs:
            self.change(key, next_round=None)
        else:
            (self.folder / f"{note.key}{ENDING}").unlink(missing_ok=True)

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
