"""Verdicts on the disk: a log that only grows, in a database that a kill or a power cut does not harm.

Each verdict carries an identity that its maker gave it, so that one that is sent twice, because the first answer was
lost, is stored once. To change one's mind is a further verdict that names the one before it; to undo is to withdraw.
Each verdict says how its document was chosen, at which rank, and which model ranked it. Only blind verdicts measure.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

from priorwise.discovery.category import FILE_NAME, JudgedDocument
from priorwise.errors import BrokenFile, DiskFull, InputError

Word = Literal["yes", "no", "unsure", "skip", "withdrawn"]
WORDS: tuple[str, ...] = get_args(Word)
Chosen = Literal["blind", "teach", "rank", "unsure", "random", "decision"]
CHOSEN: tuple[str, ...] = get_args(Chosen)
FORMAT = 5
"""Format 1 did not know which verdicts were to teach. Format 2 knew only that. Format 3 had no decisions or teams.
Format 4 had no seals."""

LONGEST_NAME = 100

JUDGEMENTS = ("yes", "no", "unsure")
_CANNOT_WRITE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)

_NEW_COLUMNS = {
    "chosen": f"TEXT NOT NULL DEFAULT 'blind' CHECK (chosen IN {CHOSEN!r})",
    "rank": "INTEGER",
    "score": "REAL",
    "model": "INTEGER",
    "note": "TEXT",
}
_TABLE = f"""
CREATE TABLE IF NOT EXISTS verdict (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    id       TEXT NOT NULL UNIQUE,
    reviewer TEXT NOT NULL,
    item     TEXT NOT NULL,
    verdict  TEXT NOT NULL CHECK (verdict IN ('yes', 'no', 'unsure', 'skip', 'withdrawn')),
    previous TEXT,
    seconds  REAL,
    at       TEXT NOT NULL,
    {", ".join(f"{name} {kind}" for name, kind in _NEW_COLUMNS.items())}
) STRICT
"""
_SAMPLE = """
CREATE TABLE IF NOT EXISTS sample (
    number INTEGER NOT NULL,
    item   TEXT NOT NULL UNIQUE,
    after  INTEGER NOT NULL
) STRICT
"""
_TEAM = """
CREATE TABLE IF NOT EXISTS team (
    reviewer TEXT PRIMARY KEY,
    copies   INTEGER NOT NULL,
    overlap  REAL NOT NULL
) STRICT
"""
_SEAL = """
CREATE TABLE IF NOT EXISTS seal (
    name     TEXT PRIMARY KEY,
    rows     INTEGER NOT NULL,
    checksum TEXT NOT NULL
) STRICT
"""
_SEALED = {
    "verdict": "SELECT number, id, reviewer, item, verdict, previous, seconds, at, chosen, rank, score, model, note "
    "FROM verdict WHERE number > ? ORDER BY number",
    "sample": "SELECT rowid, number, item, after FROM sample WHERE rowid > ? ORDER BY rowid",
    "team": "SELECT rowid, reviewer, copies, overlap FROM team WHERE rowid > ? ORDER BY rowid",
}
"""What a seal covers: all rows of a table, in order. SQLite itself does not notice a changed byte in a text."""
_OLD_COLUMNS = {
    "chosen": ", ".join(_NEW_COLUMNS),
    "teaching": "CASE teaching WHEN 0 THEN 'blind' ELSE 'teach' END, NULL, NULL, NULL, NULL",
}
_FIRST_COLUMNS = "'blind', NULL, NULL, NULL, NULL"
_COLUMNS = "id, reviewer, item, verdict, previous, seconds, at"
_OF_ONE = "WHERE reviewer = ? ORDER BY number"
_INDEX = "CREATE INDEX IF NOT EXISTS verdict_of ON verdict (reviewer, item, number)"


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
    chosen : {"blind", "teach", "rank", "unsure", "random", "decision"}
        How the document was chosen: from the shuffled list that measures, to teach the model, as the best of the
        ranking, as the one nearest even odds, at random from all unread documents, or because reviewers disagree. The
        verdict on a disagreement decides, whatever the others said.
    rank : int, optional
        Its rank among the unread documents at that time.
    score : float, optional
        Its score at that time.
    model : int, optional
        Which model ranked it: the number of the last verdict that it had learned from, 0 for the run's own.
    note : str, optional
        What the reviewer wrote about it.
    number : int
        Its number in the log, from 1; 0 before it is stored.
    """

    id: str
    reviewer: str
    item: str
    verdict: str
    previous: str | None = None
    seconds: float | None = None
    at: str = ""
    chosen: str = "blind"
    rank: int | None = None
    score: float | None = None
    model: int | None = None
    note: str | None = None
    number: int = 0

    @property
    def is_blind(self) -> bool:
        """Whether it may count in statistics that compare rankings."""
        return self.chosen == "blind"

    @property
    def is_decision(self) -> bool:
        """Whether it decides what reviewers disagree about."""
        return self.chosen == "decision"

    @property
    def kind(self) -> str:
        """The kind of verdict, of which a reviewer has one for each document: blind, decision or open."""
        return self.chosen if self.chosen in ("blind", "decision") else "open"

    def __post_init__(self) -> None:
        if self.verdict not in WORDS:
            raise InputError(f"'{self.verdict}' is not a verdict; say {', '.join(WORDS)}")
        if self.chosen not in CHOSEN:
            raise InputError(f"a document is not chosen '{self.chosen}'; say {', '.join(CHOSEN)}")
        if not self.reviewer.strip() or len(self.reviewer) > LONGEST_NAME:
            raise InputError(f"a reviewer has a name of at most {LONGEST_NAME} characters")
        if not self.id or not self.item:
            raise InputError("a verdict needs an identity and a document")


@dataclass(frozen=True, slots=True)
class Sample:
    """Documents that were drawn at random from all unread ones."""

    number: int
    after: int
    items: list[str]


@dataclass(frozen=True, slots=True)
class Seal:
    """How many rows of a table there are, the number of the last one, and one checksum over all of them in order."""

    rows: int = 0
    last: int = 0
    checksum: str = ""

    def extended(self, rows: Iterable[tuple[object, ...]]) -> Seal:
        """Return the seal of these rows after those that it covers."""
        count, last, checksum = self.rows, self.last, self.checksum
        for row in rows:
            content = json.dumps([checksum, *map(_as_json, row)]).encode()
            count, last, checksum = count + 1, int(str(row[0])), hashlib.sha256(content).hexdigest()
        return Seal(count, last, checksum)


def current(said: Iterable[Verdict]) -> list[Verdict]:
    """Return each reviewer's last words on each document, blind ones and others, in the order of their saying.

    Examples
    --------
    >>> said = [Verdict("1", "Ada", "a", "no"), Verdict("2", "Ada", "b", "no"), Verdict("3", "Ada", "a", "withdrawn")]
    >>> [each.id for each in current(said)]
    ['2']
    """
    last: dict[tuple[str, str, str], Verdict] = {}
    for each in said:
        # Removed first, so that the order is that of the last words.
        last.pop((each.reviewer, each.item, each.kind), None)
        last[each.reviewer, each.item, each.kind] = each
    return [each for each in last.values() if each.verdict != "withdrawn"]


class Verdicts:
    """The verdicts of a run, kept in its folder.

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

    def __init__(self, path: Path | None, *, read_only: bool = False) -> None:
        self.path = path or Path("memory")
        self._seals = dict.fromkeys(_SEALED, Seal())
        self._is_checked = False
        self._lock = threading.Lock()
        mode = "ro" if read_only else "rwc"
        address = "file::memory:" if path is None else f"{path.absolute().as_uri()}?mode={mode}"
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
        return cls(run / FILE_NAME)

    def _check_format(self) -> None:
        self._check_schema()
        version = self._version()
        if version > FORMAT:
            raise BrokenFile(self.path, "written by a newer priorwise; update this one to read it")
        # What is only read stays as it was written. Its columns say more than the version, which is written last.
        there = self._columns()
        self._more = next((old for name, old in _OLD_COLUMNS.items() if name in there), _FIRST_COLUMNS)

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
            self._seals = dict.fromkeys(_SEALED, Seal())
            self._is_checked = False
            self._check_seals()

    def _check_seals(self) -> None:
        """Check the database once, and then the rows that were added since, by this process or another."""
        if not self._is_checked:
            (said,) = self._database.execute("PRAGMA integrity_check(1)").fetchone()
            if said != "ok":
                raise BrokenFile(self.path, f"damaged ({' '.join(str(said).split())}); restore it from a copy")
        with self._transaction("BEGIN"):
            sealed = "seal" in self._tables()
            if not sealed and self._version() >= FORMAT:
                raise BrokenFile(self.path, "damaged: its checksums are missing; restore it from a copy")
            stored = {name: rest for name, *rest in self._database.execute("SELECT * FROM seal")} if sealed else {}
            # Files of earlier formats have no seals until something is added to them.
            for name in _SEALED if sealed else ():
                found = self._extended(name)
                if stored.get(name, [0, ""]) != [found.rows, found.checksum]:
                    raise BrokenFile(self.path, f"damaged: a {name} in it was changed or lost; restore it from a copy")
                self._seals[name] = found
        self._is_checked = True

    def _extended(self, name: str) -> Seal:
        before = Seal() if name == "team" else self._seals[name]
        return before.extended(self._database.execute(_SEALED[name], (before.last,)))

    def _seal(self, name: str) -> None:
        """Write the seal of a table within the transaction that changes it."""
        found = self._extended(name)
        self._database.execute("INSERT OR REPLACE INTO seal VALUES (?, ?, ?)", (name, found.rows, found.checksum))

    def _tables(self) -> set[str]:
        return {name for (name,) in self._database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def _columns(self) -> set[str]:
        # As SQLite compares them: upper and lower case are the same.
        return {name.lower() for _, name, *_ in self._database.execute("PRAGMA table_info(verdict)")}

    def _version(self) -> int:
        (version,) = self._database.execute("PRAGMA user_version").fetchone()
        return int(version)

    def _prepare(self) -> None:
        self._database.execute("PRAGMA journal_mode = WAL")
        # In WAL mode only FULL waits for the disk at each commit.
        self._database.execute("PRAGMA synchronous = FULL")
        # After each commit all is moved into the database itself: SQLite drops a damaged log without saying so.
        self._database.execute("PRAGMA wal_autocheckpoint = 1")
        if self._version() < FORMAT:
            self._migrate()
        self._check_format()

    def _migrate(self) -> None:
        with self._transaction():
            # Another process may have been faster.
            if self._version() == FORMAT:
                return
            is_old = bool(self._columns())
            if is_old:
                # SQLite cannot change what a column allows, so the table is made again.
                self._database.execute("DROP INDEX IF EXISTS verdict_of")
                self._database.execute("ALTER TABLE verdict RENAME TO old")
            for table in (_TABLE, _SAMPLE, _TEAM, _SEAL):
                self._database.execute(table)
            if is_old:
                self._database.execute(
                    f"INSERT INTO verdict ({_COLUMNS}, {', '.join(_NEW_COLUMNS)}, number) "
                    f"SELECT {_COLUMNS}, {self._more}, number FROM old ORDER BY number"
                )
                self._database.execute("DROP TABLE old")
            self._database.execute(_INDEX)
            for name in _SEALED:
                self._seal(name)
            self._database.execute(f"PRAGMA user_version = {FORMAT}")

    def copy_to(self, path: Path) -> None:
        with self._said(), self._lock:
            copy = sqlite3.connect(path)
            try:
                self._database.backup(copy)
            finally:
                copy.close()

    def close(self) -> None:
        with self._lock:
            self._database.close()

    def add(self, verdict: Verdict) -> Verdict:
        """Store a verdict; when this returns, it is on the disk. One that is stored already is returned as it is."""
        self.add_all([verdict])
        (stored,) = self._select("WHERE id = ?", (verdict.id,))
        if _said_by(stored) != _said_by(verdict):
            raise InputError("another verdict has this identity already; each needs one of its own")
        return stored

    def add_all(self, verdicts: Iterable[Verdict]) -> None:
        """Store verdicts, all or none of them."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        rows = [
            (
                v.id,
                v.reviewer,
                v.item,
                v.verdict,
                v.previous,
                v.seconds,
                now,
                v.chosen,
                v.rank,
                v.score,
                v.model,
                v.note,
            )
            for v in verdicts
        ]
        with self._adding("verdict"):
            self._database.executemany(
                f"INSERT INTO verdict ({_COLUMNS}, {', '.join(_NEW_COLUMNS)}) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
                rows,
            )

    @contextmanager
    def _adding(self, table: str) -> Iterator[None]:
        """Change a table, and seal it in the same transaction; what is added to must be sound."""
        with self._said(), self._lock:
            self._check_seals()
            with self._transaction():
                yield
                self._seal(table)

    @contextmanager
    def _transaction(self, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
        """All that is done within, or nothing."""
        self._database.execute(begin)
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    def current(self, reviewer: str | None = None) -> list[Verdict]:
        """Return each reviewer's last words on each document, blind ones and others, in the order of their saying."""
        said = self._select("ORDER BY number") if reviewer is None else self._select(_OF_ONE, (reviewer,))
        return current(said)

    def log(self, after: int = 0) -> list[Verdict]:
        """Return everything that was ever said, in order; or only what has a larger number than `after`."""
        return self._select("WHERE number > ? ORDER BY number", (after,))

    def draw(self, items: Iterable[str]) -> int:
        """Store a random sample of documents to judge, all or none of them; return its number."""
        with self._adding("sample"):
            (number,) = self._database.execute("SELECT coalesce(max(number), 0) + 1 FROM sample").fetchone()
            self._database.executemany(
                "INSERT INTO sample (number, item, after) SELECT ?, ?, coalesce(max(number), 0) FROM verdict",
                [(number, item) for item in items],
            )
        return int(number)

    def samples(self) -> list[Sample]:
        """Return every random sample that was drawn, in order."""
        with self._said(), self._lock:
            self._check_seals()
            rows = self._database.execute("SELECT number, item, after FROM sample ORDER BY number, rowid").fetchall()
        found: dict[int, Sample] = {}
        for number, item, after in rows:
            if not (isinstance(number, int) and isinstance(item, str) and isinstance(after, int)):
                raise BrokenFile(self.path, f"damaged: {str(item)[:100]} is not a sample; restore it from a copy")
            found.setdefault(number, Sample(number, after, [])).items.append(item)
        return list(found.values())

    def set_team(self, reviewers: Iterable[str], copies: int, overlap: float) -> None:
        with self._adding("team"):
            self._database.execute("DELETE FROM team")
            self._database.executemany("INSERT INTO team VALUES (?, ?, ?)", [(n, copies, overlap) for n in reviewers])

    def team(self) -> list[tuple[str, int, float]]:
        """Return who judges together: names, how many judge each document, and the share that everyone judges."""
        with self._said(), self._lock:
            self._check_seals()
            return self._database.execute("SELECT reviewer, copies, overlap FROM team ORDER BY rowid").fetchall()

    def _select(self, which: str, values: tuple[str | int, ...] = ()) -> list[Verdict]:
        with self._said(), self._lock:
            self._check_seals()
            rows = self._database.execute(
                f"SELECT {_COLUMNS}, {self._more}, number FROM verdict {which}", values
            ).fetchall()
        if wrong := next((row for row in rows if not _fits(row)), None):
            raise BrokenFile(self.path, f"damaged: {str(wrong)[:100]} is not a verdict; restore it from a copy")
        return [Verdict(*row) for row in rows]

    @contextmanager
    def _said(self) -> Iterator[None]:
        """Turn the database's errors into ours."""
        try:
            yield
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            # Python's own errors, such as for a text that is not UTF-8, have no number.
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
                raise DiskFull(f"no space left for {self.path}; the verdict was not stored") from error
            raise BrokenFile(self.path, f"verdicts cannot be read or stored here ({error})") from error


def _as_json(value: object) -> object:
    return value if value is None or isinstance(value, str | int | float) else repr(value)


def _fits(row: tuple[object, ...]) -> bool:
    """Say whether a row holds what a verdict holds; SQLite itself takes anything for anything."""
    id, reviewer, item, word, previous, seconds, at, chosen, rank, score, model, note, _ = row
    texts = all(isinstance(each, str) and each for each in (id, reviewer, item)) and isinstance(at, str)
    return (
        texts
        and word in WORDS
        and bool(str(reviewer).strip())
        and len(str(reviewer)) <= LONGEST_NAME
        and chosen in CHOSEN
        and all(each is None or isinstance(each, str) for each in (previous, note))
        and all(each is None or isinstance(each, int | float) for each in (seconds, score))
        and all(each is None or isinstance(each, int) for each in (rank, model))
    )


def _said_by(verdict: Verdict) -> tuple[str, str, str, bool]:
    return verdict.reviewer, verdict.item, verdict.verdict, verdict.is_blind


def said_in(folder: Path) -> list[Verdict]:
    """Return each reviewer's last word on each document of a run; nothing if nobody has said anything."""
    return current(log_in(folder))


def log_in(folder: Path) -> list[Verdict]:
    """Return everything that was ever said about a run's documents, in order."""
    path = folder / FILE_NAME
    if not path.is_file():
        return []
    if _is_writable(path):
        return _log(path)
    try:
        return _log(path, read_only=True)
    except BrokenFile as error:
        if not _needs_to_write(error):
            raise
    # Even to read it SQLite writes next to a database that has a write-ahead log. So read a copy, with its log: the
    # log alone has what was not yet moved into the database.
    with tempfile.TemporaryDirectory() as elsewhere:
        for part in (path, path.with_name(path.name + "-wal")):
            if part.is_file():
                shutil.copyfile(part, Path(elsewhere, part.name))
        return _log(Path(elsewhere, path.name))


def _log(path: Path, *, read_only: bool = False) -> list[Verdict]:
    verdicts = Verdicts(path, read_only=read_only)
    try:
        return verdicts.log()
    finally:
        verdicts.close()


def _is_writable(path: Path) -> bool:
    is_effective = os.access in os.supports_effective_ids
    return all(os.access(each, os.W_OK, effective_ids=is_effective) for each in (path, path.parent))


def _needs_to_write(error: BrokenFile) -> bool:
    cause = error.__cause__
    # The lowest byte is the kind of error, the others say more about it.
    return isinstance(cause, sqlite3.DatabaseError) and getattr(cause, "sqlite_errorcode", 0) & 0xFF in _CANNOT_WRITE


class Tally:
    """The documents that people judged, in the order of their first verdicts.

    A document is a member if more reviewers said yes than no, unless somebody decided about a disagreement: then that
    counts. Of each reviewer the last judgement counts. Withdrawn verdicts and skipped documents do not count.

    Examples
    --------
    >>> tally = Tally()
    >>> tally.add(Verdict("1", "Ada", "a", "yes"))
    >>> tally.add(Verdict("2", "Bob", "b", "no"))
    >>> tally.add(Verdict("3", "Ada", "a", "no"))
    >>> tally.words
    {'a': 'no', 'b': 'no'}
    """

    def __init__(self, earlier: Iterable[JudgedDocument] = ()) -> None:
        self._earlier = {each.id: each for each in earlier}
        self._votes: dict[str, dict[tuple[str, str], tuple[int, str]]] = {}
        self._drawn = {id: each.drawn for id, each in self._earlier.items()}
        self.words = {id: each.verdict for id, each in self._earlier.items()}
        self.added = 0

    def add(self, verdict: Verdict) -> None:
        """Count one more verdict of the log."""
        self.added += 1
        item, key = verdict.item, (verdict.reviewer, verdict.kind)
        votes = self._votes.setdefault(item, {})
        votes[key] = (self.added, verdict.verdict)
        if verdict.verdict in JUDGEMENTS:
            self._drawn.setdefault(item, verdict.chosen == "random")
        word = _decided(votes)
        if word is None and item in self._earlier:
            word = self._earlier[item].verdict
        if word is None:
            self.words.pop(item, None)
        else:
            self.words[item] = word

    def documents(self) -> list[JudgedDocument]:
        return [JudgedDocument(id, self.words[id], drawn) for id, drawn in self._drawn.items() if id in self.words]


def _decided(votes: dict[tuple[str, str], tuple[int, str]]) -> str | None:
    said = [(kind, vote) for (_, kind), vote in votes.items() if vote[1] in JUDGEMENTS]
    if decisions := [vote for kind, vote in said if kind == "decision"]:
        return max(decisions)[1]
    last: dict[str, tuple[int, str]] = {}
    for (reviewer, _), vote in votes.items():
        if vote[1] in JUDGEMENTS and vote > last.get(reviewer, (0, "")):
            last[reviewer] = vote
    if not last:
        return None
    balance = sum((word == "yes") - (word == "no") for _, word in last.values())
    return "yes" if balance > 0 else "no" if balance < 0 else "unsure"
