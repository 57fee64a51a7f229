"""The manifest of a corpus: what it holds, and the length and checksum of each file."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from priorwise.corpus.storage.files import FileRecord, checksum_of
from priorwise.corpus.storage.read_from import check_read_from
from priorwise.errors import CorpusError, DamagedCorpus, NewerVersion
from priorwise.text.tokens import RULE_VERSION

FORMAT = "priorwise corpus"
VERSION = 2
FILE_NAME = "manifest.json"
_NOTES = ("remarks", "source")
_FILE_NAME = re.compile(r"[a-z][a-z0-9_.-]{0,99}")
_LIMITS = {
    "documents.arrow": ("documents",),
    "tokens.arrow": ("tokens",),
    "vocabulary.arrow": ("vocabulary",),
    "labels.arrow": ("labels", "memberships"),
}
"""Each of these takes a byte at least, so a file cannot hold more of them than it has bytes."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The sizes of a corpus."""

    documents: int
    tokens: int
    occurrences: int
    vocabulary: int
    labels: int
    memberships: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What ``manifest.json`` holds.

    ``tokenizer`` is None when the tokens were counted elsewhere and came as a matrix. ``batches`` are the documents in
    each record batch of the files that go by document. ``remarks`` say what was read and left out when the corpus was
    made, with how often. ``source`` says which files were read and how, so that results can be written into them: their
    names and sizes, the columns and the options. Neither is part of a corpus's identity, and those of earlier versions
    have none.
    """

    counts: Counts
    tokenizer: dict[str, Any] | None
    batches: list[int]
    files: dict[str, FileRecord]
    remarks: dict[str, int] = field(default_factory=dict)
    source: dict[str, Any] | None = None

    @property
    def checksum(self) -> str:
        """One checksum over all that the corpus holds: its identity."""
        return checksum_of({key: value for key, value in self._content().items() if key not in _NOTES})

    @property
    def _notes(self) -> dict[str, Any]:
        return {key: value for key, value in self._content().items() if key in _NOTES and value}

    def to_json(self) -> bytes:
        """Return the text of ``manifest.json``; the same corpus always gives the same bytes."""
        content = {key: value for key, value in self._content().items() if key not in _NOTES}
        notes = {**self._notes, "notes_checksum": checksum_of(self._notes)} if self._notes else {}
        return (json.dumps({**content, **notes, "checksum": self.checksum}, indent=2) + "\n").encode()

    def _check(self) -> None:
        """Raise ValueError if something is not what it should be: a manifest may come from anybody."""
        if strange := [name for name in self.files if not _FILE_NAME.fullmatch(name)]:
            raise ValueError(f"{strange[0][:80]!r} is not the name of a file in it")
        sizes = [*asdict(self.counts).values(), *self.batches, *(record.bytes for record in self.files.values())]
        if not all(type(size) is int and 0 <= size < 1 << 63 for size in sizes):
            raise ValueError("a size in it is not a size")
        if sum(self.batches) != self.counts.documents:
            raise ValueError("its batches are not all of its documents")
        for file, limited in _LIMITS.items():
            room = self.files[file].bytes if file in self.files else 0
            if any(getattr(self.counts, name) > room for name in limited):
                raise ValueError(f"its sizes do not fit into {file}")
        if not isinstance(self.remarks, dict) or not all(type(n) is int for n in self.remarks.values()):
            raise ValueError("its remarks are not counts")
        if self.source is not None:
            check_read_from(self.source)
        if self.tokenizer is not None and not isinstance(self.tokenizer, dict):
            raise ValueError("it does not say how texts were cut into tokens")

    def _content(self) -> dict[str, Any]:
        # Not asdict of the whole, which copies every batch's number: a large corpus has thousands, and opens often.
        return {
            "format": FORMAT,
            "version": VERSION,
            "counts": asdict(self.counts),
            "tokenizer": self.tokenizer,
            "batches": self.batches,
            "files": {name: asdict(record) for name, record in self.files.items()},
            "remarks": self.remarks,
            "source": self.source,
        }

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read the manifest of a corpus folder, and check that its files have their lengths."""
        path = folder / FILE_NAME
        if not path.is_file():
            what = "is not a corpus folder: it has no manifest.json" if folder.exists() else "does not exist"
            raise CorpusError(f"{folder} {what}")
        manifest = cls.parse(path.read_bytes(), folder)
        for name, record in manifest.files.items():
            file = folder / name
            if not file.is_file():
                raise DamagedCorpus(f"{folder} is damaged: {name} is missing")
            if file.stat().st_size != record.bytes:
                raise DamagedCorpus(
                    f"{folder} is damaged: {name} has {file.stat().st_size:,} bytes, not {record.bytes:,}"
                )
        return manifest

    @classmethod
    def parse(cls, text: bytes, folder: Path | str) -> Manifest:
        """Read the text of ``manifest.json`` of a corpus folder."""
        path = f"{folder}/{FILE_NAME}"
        try:
            content = json.loads(text)
            if content["format"] != FORMAT:
                raise CorpusError(f"{folder} is not a corpus folder: its manifest is of another program")
            if content["version"] > VERSION:
                raise NewerVersion(
                    f"{folder} has corpus format {content['version']}, this priorwise reads up to {VERSION}: upgrade it"
                )
            if content["version"] < VERSION:
                raise CorpusError(
                    f"{folder} has corpus format {content['version']}, of an earlier priorwise; ingest it again"
                )
            manifest = cls(
                Counts(**content["counts"]),
                content["tokenizer"],
                content["batches"],
                {name: FileRecord(**record) for name, record in content["files"].items()},
                content.get("remarks", {}),
                content.get("source"),
            )
            if content.get("checksum") != manifest.checksum:
                raise ValueError("it does not match its own checksum")
            # Earlier versions wrote none.
            if "notes_checksum" in content and content["notes_checksum"] != checksum_of(manifest._notes):
                raise ValueError("its notes do not match their checksum")
            manifest._check()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise DamagedCorpus(f"{path} is damaged: {error}") from error
        return manifest


def this_tokenizer(rule: int = RULE_VERSION) -> dict[str, Any]:
    """Return the rule that cuts texts into tokens here and now, as a manifest records it."""
    return {"rule": rule, "unicode": unicodedata.unidata_version}
