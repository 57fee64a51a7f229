"""The files that a corpus was made from, and how they were read: enough to write results into them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from priorwise.errors import InputError
from priorwise.readers.fields import Columns
from priorwise.readers.opening import Opening

_DATABASES = ("sqlite", "duckdb")


@dataclass(frozen=True, slots=True)
class ReadFrom:
    """The files that a corpus was made from."""

    files: dict[str, int]
    columns: Columns
    opening: Opening

    @classmethod
    def of(cls, fingerprint: Mapping[str, Any] | None) -> ReadFrom | None:
        """Return the source that a reader's fingerprint tells of; None if it reads something else than records.

        A database is left out: only its owner should say what to ask of it.
        """
        if fingerprint is None or fingerprint.get("kind") != "records":
            return None
        opening = Opening(**fingerprint["opening"])
        paths = {Path(path): size for path, size, _ in fingerprint["files"]}
        names = {path.name: size for path, size in paths.items()}
        if opening.query is not None or len(names) < len(paths):
            return None
        if any(opening.format_of(path) in _DATABASES for path in paths):
            return None
        return cls(names, Columns(**fingerprint["columns"]), opening)

    def recorded(self) -> dict[str, Any]:
        """Return what a manifest keeps: no folder, and no option that was not chosen."""
        return {"files": self.files, "columns": _chosen(self.columns), "opening": _chosen(self.opening)}

    @classmethod
    def read(cls, recorded: Mapping[str, Any]) -> ReadFrom:
        return cls(dict(recorded["files"]), Columns(**recorded["columns"]), Opening(**recorded["opening"]))

    def together(self, path: Path, corpus: Path | None) -> list[Path] | None:
        """Return all files that the corpus was made from, in order, if each is found as it was; else None.

        One of them is at ``path``, maybe under another name. The others are looked for next to it, next to the corpus
        and in the current folder.
        """
        size = path.stat().st_size
        own = path.name if path.name in self.files else next((n for n, s in self.files.items() if s == size), None)
        if own is None:
            return None
        places = [path.parent, *([] if corpus is None else [corpus.resolve().parent]), Path()]
        found: list[Path] = []
        for name, size in self.files.items():
            candidates = [path] if name == own else [place / name for place in places]
            there = next((each for each in candidates if each.is_file() and each.stat().st_size == size), None)
            if there is None:
                return None
            found.append(there)
        return found

    def found(self, given: str | Path | None, corpus: Path | None) -> Path:
        """Return where the file is: as given, next to the corpus, or in the current folder."""
        if given is not None:
            if not Path(given).is_file():
                raise InputError(f"there is no file {given}")
            return Path(given)
        if len(self.files) != 1:
            names = ", ".join(list(self.files)[:3]) + (", …" if len(self.files) > 3 else "")
            raise InputError(f"this corpus was made from {len(self.files):,} files ({names}); say which one (--source)")
        (name,) = self.files
        places = [] if corpus is None else [corpus.resolve().parent / name]
        for path in [*places, Path(name)]:
            if path.is_file():
                return path
        raise InputError(
            f"{name}, which this corpus was made from, is not next to it and not here; say where (--source)"
        )


def check_read_from(recorded: Any) -> None:
    """Raise ValueError unless this is what :meth:`ReadFrom.recorded` returns: a manifest may come from anybody."""
    try:
        source = ReadFrom.read(recorded)
        names = [source.columns.id, source.columns.title, source.columns.labels, *source.columns.texts]
        options = [source.columns.separator, *(getattr(source.opening, name) for name in ("delimiter", "encoding"))]
        right = (
            source.recorded() == {**recorded, "files": source.files}
            and source.opening.query is None
            and all(isinstance(name, str) for name in names)
            and all(option is None or isinstance(option, str) for option in options)
            and all(Path(name).name == name and type(size) is int for name, size in source.files.items())
        )
    except (InputError, LookupError, TypeError, ValueError, AttributeError):
        right = False
    if not right:
        raise ValueError("it does not say what it was made from as it should")


def _chosen(options: Columns | Opening) -> dict[str, Any]:
    usual = type(options)()
    values = {name: getattr(options, name) for name in type(options).__slots__}
    kept = {name: value for name, value in values.items() if value != getattr(usual, name)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in kept.items()}
