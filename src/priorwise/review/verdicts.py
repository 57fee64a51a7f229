"""Verdicts on the disk: a log that only grows, in a database that a kill or a power cut does not harm.

Each verdict carries an identity that its maker gave it, so that one that is sent twice, because the first answer was
lost, is stored once. To change one's mind is a further verdict that names the one before it; to undo is to withdraw.
Verdicts that were given to teach the model are marked: which documents they are about was not left to chance.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

from priorwise.discovery.verdicts import FILE_NAME
from priorwise.errors import BrokenFile, DiskFull, InputError

Word = Literal["yes", "no", "unsure", "skip", "withdrawn"]
WORDS: tuple[str, ...] = get_args(Word)
FORMAT = 2
"""Format 1 did not know which verdicts were to teach."""

LONGEST_NAME = 100

_TABLE = """
CREATE TABLE IF NOT EXISTS verdict (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    id       TEXT NOT NULL UNIQUE,
    reviewer TEXT NOT NULL,
    item     TEXT NOT NULL,
    verdict  TEXT NOT NULL CHECK (verdict IN ('yes', 'no', 'unsure', 'skip', 'withdrawn')),
    previous TEXT,
    seconds  REAL,
    at       TEXT NOT NULL,
    teaching INTEGER NOT NULL DEFAULT 0
) STRICT
"""
_COLUMNS = "id, reviewer, item, verdict, previous, seconds, at"
_INDEX = "CREATE INDEX IF NOT EXISTS verdict_of ON verdict (reviewer, item, number)"
_MIGRATE = "ALTER TABLE verdict ADD COLUMN teaching INTEGER NOT NULL DEFAULT 0"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reviewer said about a document.

    Parameters
    ----------
    id : str
        Its identity, made by whoever says it.
    reviewer, item : str
        A name, and the document's id.
    verdict : {"yes", "no", "unsure", "skip", "withdrawn"}
    previous : str, optional
        The identity of the reviewer's verdict on the same document before it.
    seconds : float, optional
        How long the document was looked at.
    at : str
        When it was stored (UTC); empty before that.
    teaching : bool
        Whether the document was chosen to teach the model, and not by the blind list.
    """

    id: str
    reviewer: str
    item: str
    verdict: str
    previous: str | None = None
    seconds: float | None = None
    at: str = ""
    teaching: bool = False

    def __post_init__(self) -> None:
        if self.verdict not in WORDS:
            raise InputError(f"'{self.verdict}' is no verdict; say {', '.join(WORDS)}")
        if not self.reviewer.strip() or len(self.reviewer) > LONGEST_NAME:
            raise InputError(f"a reviewer has a name of at most {LONGEST_NAME} characters")
        if not self.id or not self.item:
            raise InputError("a verdict needs an identity and a document")


class Verdicts:
    """The verdicts of a run, kept in its folder.

    Parameters
    ----------
    path : Path
        The file; it is made if it is not there.
    read_only : bool
        Whether nothing is to be added. SQLite reads a database with a write-ahead log in a folder that it cannot write
        to only while another process has it open there; :func:`priorwise.review.reading.said_in` reads it always.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     verdicts = Verdicts(Path(folder, FILE_NAME))
    ...     _ = verdicts.add(Verdict("a1", "Ada", "doc7", "no"))
    ...     _ = verdicts.add(Verdict("a2", "Ada", "doc7", "yes", previous="a1"))
    ...     current = verdicts.current()
    ...     verdicts.close()
    >>> [(each.item, each.verdict) for each in current]
    [('doc7', 'yes')]
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._lock = threading.Lock()
        address = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
        with self._said():
            # Autocommit; where several rows belong together, a transaction is begun by hand.
            self._database = sqlite3.connect(
                address, uri=True, timeout=30.0, isolation_level=None, check_same_thread=False
            )
            try:
                self._check_format()
                if not read_only:
                    self._prepare()
            except BaseException:
                self._database.close()
                raise

    @classmethod
    def of_run(cls, run: Path) -> Verdicts:
        """Open those of a run's folder."""
        return cls(run / FILE_NAME)

    def _check_format(self) -> None:
        self._check_schema()
        version = self._version()
        if version > FORMAT:
            raise BrokenFile(self.path, "written by a newer priorwise; update this one to read it")
        # What is only read stays as it was written. Numbers begin with 1, so none was to teach.
        self._teaching = "teaching" if version == FORMAT else "number < 0"

    def _check_schema(self) -> None:
        """Refuse a database that would run what somebody else wrote: a view, a trigger, a table that is a program."""
        self._database.execute("PRAGMA trusted_schema = OFF")
        for kind, name, sql in self._database.execute("SELECT type, name, sql FROM sqlite_master").fetchall():
            plain = kind == "index" or (kind == "table" and not str(sql).upper().startswith("CREATE VIRTUAL"))
            if not plain:
                raise BrokenFile(
                    self.path, f"it holds the {kind} '{str(name)[:50]}', which no review has; do not use it"
                )

    def check(self) -> None:
        """Read the whole database; raise `BrokenFile` if its parts do not fit together."""
        with self._said(), self._lock:
            (said,) = self._database.execute("PRAGMA integrity_check(1)").fetchone()
        if said != "ok":
            raise BrokenFile(self.path, f"damaged ({' '.join(str(said).split())}); restore it from a copy")

    def _version(self) -> int:
        (version,) = self._database.execute("PRAGMA user_version").fetchone()
        return int(version)

    def _prepare(self) -> None:
        self._database.execute("PRAGMA journal_mode = WAL")
        # In WAL mode only FULL waits for the disk at each commit.
        self._database.execute("PRAGMA synchronous = FULL")
        if self._version() < FORMAT:
            self._migrate()
        self._check_format()

    def _migrate(self) -> None:
        with self._transaction():
            self._database.execute(_TABLE)
            # Another process may have been faster.
            if "teaching" not in {name for _, name, *_ in self._database.execute("PRAGMA table_info(verdict)")}:
                self._database.execute(_MIGRATE)
            self._database.execute(_INDEX)
            self._database.execute(f"PRAGMA user_version = {FORMAT}")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()

    def add(self, verdict: Verdict) -> Verdict:
        """Store a verdict; when this returns, it is on the disk. One that is stored already is returned as it is."""
        self.add_all([verdict])
        stored = self._find(verdict.id)
        if _said_by(stored) != _said_by(verdict):
            raise InputError("another verdict has this identity already; each needs one of its own")
        return stored

    def add_all(self, verdicts: Iterable[Verdict]) -> None:
        """Store verdicts, all or none of them."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        rows = [(v.id, v.reviewer, v.item, v.verdict, v.previous, v.seconds, now, int(v.teaching)) for v in verdicts]
        with self._said(), self._lock, self._transaction():
            self._database.executemany(
                "INSERT INTO verdict (id, reviewer, item, verdict, previous, seconds, at, teaching) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
                rows,
            )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All that is done within, or nothing."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    def current(self, reviewer: str | None = None) -> list[Verdict]:
        """Return each reviewer's last words on each document, blindly and to teach, in the order of their saying."""
        last = f"number IN (SELECT max(number) FROM verdict GROUP BY reviewer, item, {self._teaching})"
        narrowed = " AND reviewer = ?" if reviewer is not None else ""
        found = self._select(f"WHERE {last}{narrowed} ORDER BY number", () if reviewer is None else (reviewer,))
        return [verdict for verdict in found if verdict.verdict != "withdrawn"]

    def log(self) -> list[Verdict]:
        """Return everything that was ever said, in order."""
        return self._select("ORDER BY number")

    def _find(self, id: str) -> Verdict:
        return self._select("WHERE id = ?", (id,))[0]

    def _select(self, which: str, values: tuple[str, ...] = ()) -> list[Verdict]:
        with self._said(), self._lock:
            rows = self._database.execute(
                f"SELECT {_COLUMNS}, {self._teaching} FROM verdict {which}", values
            ).fetchall()
        if wrong := next((row for row in rows if not _fits(row)), None):
            raise BrokenFile(self.path, f"damaged: {str(wrong)[:100]} is no verdict; restore it from a copy")
        return [Verdict(*(*row[:-1], bool(row[-1]))) for row in rows]

    @contextmanager
    def _said(self) -> Iterator[None]:
        """Turn the database's errors into ours."""
        try:
            yield
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            # Python's own complaints, of a text that is no UTF-8, have no number, or are no error of a database at all.
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
                raise DiskFull(f"no space left for {self.path}; the verdict was not stored") from error
            raise BrokenFile(self.path, f"verdicts cannot be read or stored here ({error})") from error


def _fits(row: tuple[object, ...]) -> bool:
    """Say whether a row holds what a verdict holds; SQLite itself takes anything for anything."""
    id, reviewer, item, word, previous, seconds, at, teaching = row
    texts = all(isinstance(each, str) and each for each in (id, reviewer, item)) and isinstance(at, str)
    return (
        texts
        and word in WORDS
        and bool(str(reviewer).strip())
        and len(str(reviewer)) <= LONGEST_NAME
        and (previous is None or isinstance(previous, str))
        and (seconds is None or isinstance(seconds, int | float))
        and isinstance(teaching, int)
    )


def _said_by(verdict: Verdict) -> tuple[str, str, str, bool]:
    return verdict.reviewer, verdict.item, verdict.verdict, verdict.teaching
