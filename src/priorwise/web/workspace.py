"""What the pages work on: a corpus, and the runs that are known by name."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priorwise.corpus import Corpus
from priorwise.discovery import Run
from priorwise.errors import BrokenFile, UnknownName
from priorwise.web.jobs import Jobs

if TYPE_CHECKING:
    from priorwise.web.shelf import Source


class Workspace:
    """A corpus and its runs. A run is asked for by name, and only names that were found are opened.

    Parameters
    ----------
    corpus : Corpus
    runs : iterable of Path
        Runs, each known by the name of its folder.
    folder : Path, optional
        Where further runs are looked for and new ones are put.
    name, title : str
        What the corpus is called in addresses, and what people call it.
    source : (Source, Path), optional
        The file that the corpus was made of, and its folder.
    jobs : Jobs, optional
        Who does what takes long.
    """

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
        """Return a run of this corpus."""
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
