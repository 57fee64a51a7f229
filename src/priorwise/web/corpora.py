"""The corpora of the app: those in its folder, those being imported, and those named on the command line."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from priorwise.corpus import Corpus, ingest
from priorwise.corpus.storage.manifest import Manifest
from priorwise.errors import BrokenFile, InputError, PriorwiseError, UnknownName
from priorwise.readers.fields import Columns
from priorwise.readers.opening import BY_SUFFIX, plain_suffix
from priorwise.web.jobs import Jobs, Report
from priorwise.web.workspace import Workspace, slug

_PACKED = (".gz", ".bz2", ".xz", ".zst")
_ENDINGS = (*BY_SUFFIX, ".xml")
_ABANDONED = 7 * 24 * 3600.0


def app_folder() -> Path:
    """Return where the app keeps corpora: ``PRIORWISE_FOLDER``, or ``priorwise`` in the user's own folder."""
    given = os.environ.get("PRIORWISE_FOLDER")
    return Path(given) if given else Path.home() / "priorwise"


@dataclass(frozen=True)
class Source:
    """The file that a corpus was made from, and how it was read."""

    name: str
    file: str
    columns: dict[str, Any] = field(default_factory=dict)
    wiki: bool = False
    label: str = ""

    def path_in(self, folder: Path) -> Path:
        return folder / self.file

    def read_columns(self) -> Columns:
        """Return the columns as the reader takes them."""
        return Columns(**self.columns)

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        draft = folder / "source.json.new"
        draft.write_text(json.dumps(asdict(self), ensure_ascii=False, indent=2), encoding="utf-8")
        draft.replace(folder / "source.json")

    @classmethod
    def read(cls, folder: Path) -> Source | None:
        """Read the note; None if there is none, or none that can be read."""
        try:
            return cls(**json.loads((folder / "source.json").read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None


class Corpora:
    """Corpora by name. A client says names only; paths are the server's own."""

    def __init__(self, folder: Path, jobs: Jobs | None = None) -> None:
        self.folder = folder
        self.jobs = jobs or Jobs()
        self._given: dict[str, tuple[Path | str, Path, Corpus]] = {}
        self._open: dict[str, tuple[int, Workspace]] = {}
        self._lock = threading.Lock()

    def add(self, corpus: Corpus, path: Path | str, runs: Path) -> str:
        """Add a corpus that lies elsewhere; return its name here."""
        stem = slug(Path(str(path)).name.removesuffix(".corpus"))
        name = _free(stem, lambda each: each in self._given or (self.folder / f"{each}.corpus").exists())
        self._given[name] = path, runs, corpus
        return name

    def workspace(self, name: str) -> Workspace:
        """Return a corpus and its runs."""
        if name in self._given:
            _, runs, corpus = self._given[name]
            with self._lock:
                if name not in self._open:
                    self._open[name] = 0, Workspace(corpus, folder=runs, name=name, jobs=self.jobs)
                return self._open[name][1]
        path = self._path(name)
        changed = (path / "manifest.json").stat().st_mtime_ns
        with self._lock:
            if name not in self._open or self._open[name][0] != changed:
                source = Source.read(self.folder / f"{name}.source")
                held = None if source is None else self.folder / f"{name}.source"
                self._open[name] = (
                    changed,
                    Workspace(
                        Corpus.open(path),
                        folder=self.folder / f"{name}.runs",
                        name=name,
                        title=name if source is None else source.name,
                        source=None if source is None or held is None else (source, held),
                        jobs=self.jobs,
                    ),
                )
            return self._open[name][1]

    def _path(self, name: str) -> Path:
        if name not in self._names():
            raise UnknownName("corpus", name, [*self._names(), *self._given])
        return self.folder / f"{name}.corpus"

    def _names(self) -> list[str]:
        if not self.folder.is_dir():
            return []
        return sorted(
            each.name.removesuffix(".corpus")
            for each in self.folder.iterdir()
            if each.name.endswith(".corpus") and (each / "manifest.json").is_file()
        )

    def facts(self) -> list[dict[str, Any]]:
        """Return what is worth knowing of each corpus, the one used last first."""
        found = []
        for name, (_, runs, corpus) in self._given.items():
            found.append(_fact(name, name, corpus.n_documents, corpus.n_labels, runs))
        for name in self._names():
            source = Source.read(self.folder / f"{name}.source")
            try:
                counts = Manifest.read(self.folder / f"{name}.corpus").counts
            except PriorwiseError as error:
                found.append({"name": name, "title": name, "error": str(error), "used": 0.0})
                continue
            title = name if source is None else source.name
            found.append(_fact(name, title, counts.documents, counts.labels, self.folder / f"{name}.runs"))
        return sorted(found, key=lambda each: -each["used"])

    def interrupted(self) -> list[dict[str, Any]]:
        """Return the imports that were begun, are not done, and are not being worked on."""
        if not self.folder.is_dir():
            return []
        done = set(self._names())
        found = []
        for each in sorted(self.folder.glob("*.source")):
            name, source = each.name.removesuffix(".source"), Source.read(each)
            if source is not None and name not in done and not self.jobs.is_at("import", name):
                found.append({"name": name, "title": source.name})
        return found

    # Files that come in

    def new_upload(self, name: str) -> tuple[str, Path]:
        """Make a place for a file; of its name only the ending counts, and only one that is known."""
        ending = ending_of(name)
        uploads = self.folder / "uploads"
        self._clean(uploads)
        number = secrets.token_hex(8)
        (uploads / number).mkdir(parents=True)
        return number, uploads / number / f"original{ending}"

    def given_file(self, path: Path) -> str:
        """Take a file that was named on the command line as if it was uploaded; it stays where it is."""
        ending_of(path.name)
        number = secrets.token_hex(8)
        Source(path.name, str(path.resolve())).write(self.folder / "uploads" / number)
        return number

    def upload(self, number: str) -> tuple[Source, Path]:
        folder = self.folder / "uploads" / number
        source = Source.read(folder) if number.isalnum() and number.isascii() else None
        if source is None:
            raise UnknownName("file", number, [])
        return source, folder

    def drop_upload(self, number: str) -> None:
        shutil.rmtree(self.upload(number)[1])

    def begin_import(self, number: str, columns: dict[str, Any], *, wiki: bool) -> str:
        """Make a corpus of a file that came in, as a job; return the name of the corpus."""
        source, folder = self.upload(number)
        stem = slug(_bare(source.name))
        taken = {*self._given, *self._names(), *(each["name"] for each in self.interrupted())}
        name = _free(stem, lambda each: each in taken or (self.folder / f"{each}.source").exists())
        Source(source.name, source.file, columns, wiki).write(folder)
        folder.rename(self.folder / f"{name}.source")
        return self.resume(name)

    def resume(self, name: str) -> str:
        """Begin an import, or continue one that was interrupted."""
        folder = self.folder / f"{name}.source"
        source = Source.read(folder) if slug(name) == name else None
        if source is None:
            raise UnknownName("import", name, [each["name"] for each in self.interrupted()])
        self.jobs.add("import", name, source.name, lambda report: self._import(name, source, folder, report))
        return name

    def forget(self, name: str) -> None:
        """Throw an interrupted import away, with the file that came in."""
        if name not in {each["name"] for each in self.interrupted()}:
            raise UnknownName("import", name, [each["name"] for each in self.interrupted()])
        for each in (self.folder / f"{name}.source", self.folder / f"{name}.corpus.partial"):
            shutil.rmtree(each, ignore_errors=True)

    def _import(self, name: str, source: Source, folder: Path, report: Report) -> str:
        path, target = source.path_in(folder), self.folder / f"{name}.corpus"
        if not path.is_file():
            raise BrokenFile(source.name, "the file is gone; choose it again")

        tell = told_by(report)
        report("Reading", 0.0)
        if source.wiki:
            from priorwise.corpus.build.wikipedia import ingest_wikipedia

            ingest_wikipedia([path], target, progress=tell)
        else:
            from priorwise.readers.records import RecordReader

            ingest(
                RecordReader([path], source.read_columns()), target, progress=tell, duplicates="number", copies="keep"
            )
        return name

    def _clean(self, uploads: Path) -> None:
        """Remove files that came in long ago and were never imported."""
        for each in uploads.glob("*"):
            with suppress(OSError):
                if time.time() - each.stat().st_mtime > _ABANDONED:
                    shutil.rmtree(each)


def ending_of(name: str) -> str:
    """Return the ending of a file's name, if files with it can be read.

    Examples
    --------
    >>> ending_of("../Catalogue 2024.CSV"), ending_of("wiki.xml.bz2")
    ('.csv', '.xml.bz2')
    """
    path = Path(name.lower().replace("\\", "/").rpartition("/")[2])
    packed = path.suffix if path.suffix in _PACKED else ""
    ending = plain_suffix(path)
    if ending not in _ENDINGS:
        raise InputError(
            f"files that end in '{ending or name[-20:]}' cannot be read; these can: {', '.join(sorted(_ENDINGS))}"
        )
    return ending + packed


def told_by(report: Report) -> Callable[[int, int, int], None]:
    """Return what an ingest tells its progress to: first it reads, then it builds the index."""

    def tell(done: int, total: int, documents: int) -> None:
        if total and done >= total:
            report("Building the index", None)
        else:
            report("Reading", done / total if total else None)

    return tell


def _bare(name: str) -> str:
    return Path(name.replace("\\", "/").rpartition("/")[2]).name.partition(".")[0]


def _free(stem: str, is_taken: Callable[[str], bool]) -> str:
    number = 1
    while is_taken(name := stem if number == 1 else f"{stem}-{number}"):
        number += 1
    return name


def _fact(name: str, title: str, documents: int, labels: int, runs: Path) -> dict[str, Any]:
    times: Iterable[float] = (0.0,)
    with suppress(OSError):
        times = (0.0, runs.stat().st_mtime)
    facts = {"name": name, "title": title, "documents": documents, "labels": labels}
    return {**facts, "used": max(times)}
