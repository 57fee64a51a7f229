"""How a file is opened, decided in one place: its format, compression and encoding, and how much it may expand."""

from __future__ import annotations

import atexit
import bz2
import codecs
import gzip
import io
import lzma
import math
import os
import re
import shutil
import stat
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from priorwise.counting import plural
from priorwise.errors import BrokenFile, InputError
from priorwise.readers.addresses import address_of

FORMATS: dict[str, tuple[str, ...]] = {
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "spreadsheet": (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".arrows", ".feather", ".ipc"),
    "ris": (".ris",),
    "nbib": (".nbib", ".medline"),
    "bibtex": (".bib", ".bibtex"),
    "endnote": (".xml",),
    "sqlite": (".sqlite", ".sqlite3", ".db"),
    "duckdb": (".duckdb", ".ddb"),
}
"""The formats of records, and the endings of their files' names."""

BIBLIOGRAPHIES = ("ris", "nbib", "bibtex", "endnote")
BY_SUFFIX = {suffix: name for name, suffixes in FORMATS.items() for suffix in suffixes}


LARGEST_EXPANSION = 200
"""How many times its size a compressed file may expand; texts stay below 20."""

ALWAYS_ALLOWED = 1 << 28
"""Bytes that any file may expand to."""

MOST = 1 << 40
"""Bytes that no file may expand to, whatever its size; all articles of the largest Wikipedia are a tenth of it."""

ALLOW_LARGE = "PRIORWISE_ALLOW_LARGE"
"""The environment variable that lifts these limits if it is 1; ``--allow-large`` sets it."""


def check_regular(path: Path) -> None:
    """Refuse a pipe, a socket or a device: it may never end, or never begin."""
    with suppress(FileNotFoundError, NotADirectoryError):
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise BrokenFile(path, "a pipe or a device, not a file; write what comes from it to a file first")


class Allowance:
    """How much one file on the disk may expand to, all that lies in it together."""

    def __init__(self, path: Path, size: int) -> None:
        self.path = path
        self.size = size
        self.left: float = min(max(size * LARGEST_EXPANSION, ALWAYS_ALLOWED), MOST)
        if os.environ.get(ALLOW_LARGE) == "1":
            self.left = math.inf

    def spend(self, n: int) -> None:
        """Count bytes that came out of a decompressor."""
        self.foresee(n)
        self.left -= n

    def foresee(self, n: int) -> None:
        """Refuse bytes that are still to come, if they are too many."""
        if n > self.left:
            few = self.size * LARGEST_EXPANSION < MOST
            times = f"{LARGEST_EXPANSION} times its size" if few else f"{MOST:,} bytes"
            raise BrokenFile(self.path, f"expands to more than {times}; if you trust it, add --allow-large")


class Spending(io.RawIOBase):
    """A stream whose bytes count against an allowance."""

    def __init__(self, source: IO[bytes], allowance: Allowance | None = None) -> None:
        self._source = cast("Any", source)
        self._allowance = allowance

    def readable(self) -> bool:
        return True

    def read1(self, longest: int) -> bytes:
        piece = bytes(self._source.read1(longest))
        if self._allowance is not None:
            self._allowance.spend(len(piece))
        return piece

    def readinto(self, buffer: Any) -> int:
        piece = self.read1(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


_BY_EXTENSION = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".lzma": "xz", ".zst": "zstd", ".zstd": "zstd"}
_BY_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_CHUNK = 1 << 20


class Counted(io.RawIOBase):
    """A file that tells someone how many bytes were read from it."""

    def __init__(self, file: BinaryIO, tell: Callable[[int], None]) -> None:
        self._file = file
        self._tell = tell

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        n = cast("io.RawIOBase", self._file).readinto(buffer) or 0  # type: ignore[arg-type]
        self._tell(n)
        return n

    def close(self) -> None:
        self._file.close()
        super().close()


def compression(path: Path) -> str | None:
    """Return how a file is compressed, by its name or by its first bytes."""
    by_name = _BY_EXTENSION.get(path.suffix.lower())
    if by_name is not None or not path.is_file():
        return by_name
    with path.open("rb") as file:
        return compression_of(file.read(6))


def compression_of(head: bytes) -> str | None:
    """Return how data are compressed, by their first six bytes."""
    return next((kind for magic, kind in _BY_MAGIC.items() if head.startswith(magic)), None)


def plain_suffix(path: Path) -> str:
    """Return the extension below that of the compression."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _BY_EXTENSION:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


@contextmanager
def opened(path: Path, tell: Callable[[int], None], start: int = 0) -> Iterator[BinaryIO]:
    """Open a file for reading, decompressed as it is read; whatever is wrong with it becomes BrokenFile.

    One that expands beyond measure is refused when it does.
    """
    kind = compression(path)
    with reading(path), path.open("rb", buffering=0) as raw:
        if start:
            raw.seek(start)
        counted = io.BufferedReader(Counted(cast("BinaryIO", raw), tell), _CHUNK)
        plain: Any = decompressed(counted, kind)
        if kind is not None:
            plain = Spending(plain, Allowance(path, path.stat().st_size))
        with io.BufferedReader(plain, _CHUNK) as buffered:
            yield cast("BinaryIO", buffered)


def decompressed(stream: IO[bytes], kind: str | None) -> IO[bytes]:
    """Return what a compressed stream holds; ``kind`` is as :func:`compression` says it."""
    if kind == "gzip":
        return cast("IO[bytes]", gzip.GzipFile(fileobj=stream))
    if kind == "bz2":
        return bz2.BZ2File(stream)
    if kind == "xz":
        return lzma.LZMAFile(stream)
    if kind == "zstd":
        import pyarrow as pa

        return pa.CompressedInputStream(pa.PythonFile(stream, mode="r"), "zstd")
    return stream


@contextmanager
def compressed(draft: Path, target: Path) -> Iterator[Path]:
    """Give a file to write; its content goes to the draft, compressed as the target's name says."""
    kind = _BY_EXTENSION.get(target.suffix.lower())
    if kind is None:
        yield draft
        return
    import pyarrow as pa

    with tempfile.TemporaryDirectory(prefix="priorwise-") as folder:
        plain = Path(folder, target.stem)
        yield plain
        # Arrow does not write xz.
        pack = lzma.LZMAFile(draft, "wb") if kind == "xz" else pa.CompressedOutputStream(str(draft), kind)  # noqa: SIM115
        with plain.open("rb") as source, pack as packed:
            shutil.copyfileobj(source, packed, _CHUNK)


@contextmanager
def spooled(path: Path, tell: Callable[[int], None]) -> Iterator[Path]:
    """Give a file that can be read at any place: itself, or a temporary decompressed copy on the disk."""
    if compression(path) is None:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="priorwise-") as folder:
        # Closed before it is read: Windows opens no file twice. Its name still says what it holds.
        copy = Path(folder, f"copy{plain_suffix(path)}")
        with opened(path, tell) as stream, copy.open("wb") as file:
            shutil.copyfileobj(stream, file, _CHUNK)
        yield copy


def anywhere(path: Path) -> Any:
    """Return what Arrow takes as a file to be read at any place: a path, or an open file if it is at an address."""
    return path if address_of(path) is None else path.open("rb")


def file_size(path: Path) -> int:
    """Return how many bytes a file has."""
    return size_and_time(path)[0]


def size_and_time(path: Path) -> tuple[int, int]:
    """Return how many bytes a file has, and when it was changed: they tell whether it is the same file."""
    with reading(path):
        status = path.stat()
    return status.st_size, status.st_mtime_ns


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what the decompressors and the system raise into BrokenFile, and refuse everything but files."""
    try:
        if address_of(path) is None:
            check_regular(path)
        yield
    except EOFError as error:
        raise BrokenFile(path, "the compressed data end too early; is the file complete?") from error
    except (gzip.BadGzipFile, zlib.error, lzma.LZMAError) as error:
        raise BrokenFile(path, f"the compressed data are damaged ({error})") from error
    except FileNotFoundError as error:
        raise BrokenFile(path, "there is no such file") from error
    except (IsADirectoryError, PermissionError) as error:
        raise BrokenFile(path, (error.strerror or "cannot be opened").lower()) from error
    except OSError as error:
        if error.errno is not None:
            raise
        # Without a system's error number it comes from a decompressor.
        raise BrokenFile(path, f"the compressed data are damaged ({error})") from error


SAMPLE = 1 << 16
_ASKED = 1 << 13
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    # Before UTF-16, whose mark is the beginning of this one.
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_SAID = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "utf-32": "UTF-32",
    "cp932": "Shift-JIS",
    "latin-1": "Latin-1",
}
_OURS = {"windows-1252": "cp1252", "shift-jis": "cp932", "shift_jis": "cp932", "sjis": "cp932", "ansi": "cp1252"}


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a file is encoded: the name of Python's codec, and what people call it."""

    codec: str

    @property
    def said(self) -> str:
        """Its usual name."""
        return _SAID.get(self.codec) or self.codec.replace("cp125", "Windows-125")


def known_encoding(name: str) -> Encoding:
    """Return the encoding of a name that somebody chose."""
    lowered = name.strip().lower()
    try:
        codec = codecs.lookup(_OURS.get(lowered, lowered))
        if not codec._is_text_encoding:
            raise LookupError(name)
    except (LookupError, ValueError) as error:
        known = "utf-8, utf-16, windows-1252, shift-jis"
        raise InputError(f"'{name}' is not the name of an encoding; the usual ones are {known}") from error
    if codec.name == "utf-8":
        return Encoding("utf-8-sig")
    return Encoding("cp932" if codec.name == "shift_jis" else codec.name)


def recognised(path: Path) -> Encoding:
    """Return the encoding of a file, which may be compressed.

    All of a file is read, because a letter that is not in UTF-8 may be the only one. That takes a second for a few
    gigabytes.
    """
    with opened(path, lambda n: None) as stream:
        head = stream.read(SAMPLE)
        if (marked := _by_mark(head)) is not None:
            return marked
        decoder = codecs.getincrementaldecoder("utf-8")()
        piece = head
        try:
            while piece:
                decoder.decode(piece)
                piece = stream.read(_CHUNK)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            # What follows the first letter that is not UTF-8 is more telling than the beginning.
            return guessed(head if piece is head else piece + stream.read(SAMPLE))
        if (wide := _without_mark(head)) is not None:
            return wide
    return Encoding("utf-8")


def guessed(sample: bytes) -> Encoding:
    """Return the likely encoding of bytes that are not all UTF-8."""
    if (found := _by_mark(sample) or _without_mark(sample)) is not None:
        return found
    if _mostly_utf8(sample):
        return Encoding("utf-8")
    if _is_japanese(sample):
        return Encoding("cp932")
    return _asked(sample) or _latin(sample)


def _by_mark(head: bytes) -> Encoding | None:
    return next((Encoding(codec) for mark, codec in _MARKS.items() if head.startswith(mark)), None)


def _without_mark(head: bytes) -> Encoding | None:
    """Recognise UTF-16 by its zeros: every other byte of what is mostly ASCII."""
    even, odd = head[0:SAMPLE:2].count(0), head[1:SAMPLE:2].count(0)
    half = min(len(head), SAMPLE) // 2
    if half < 4:
        return None
    if odd > 0.4 * half and even < 0.05 * half:
        return Encoding("utf-16-le")
    if even > 0.4 * half and odd < 0.05 * half:
        return Encoding("utf-16-be")
    return None


def _mostly_utf8(sample: bytes) -> bool:
    """Return whether a sample has letters in UTF-8, and hardly any that are not: then a few bytes are damaged."""
    text = sample.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    right = sum(character > "\x7f" for character in text) - wrong
    return right > 9 * wrong


def _is_japanese(sample: bytes) -> bool:
    text = (sample[:-1] if len(sample) >= SAMPLE else sample).decode("cp932", "replace")
    beyond = [character for character in text if character > "\x7f"]
    if not beyond or text.count("\ufffd") > 0.01 * len(beyond):
        return False
    # Half-width kana are single bytes, which Western letters would be taken for.
    kana = sum("\u3001" <= character <= "\u30ff" for character in beyond)
    if kana > 0.2 * len(beyond):
        return True
    # Titles may be in kanji alone. Common ones begin with the bytes of Western dashes and quotes, which come singly.
    common = sum("\u3001" <= character <= "\u30ff" or _is_common_kanji(character) for character in beyond)
    in_runs = sum(map(len, _RUNS.findall(text)))
    return common > 0.8 * len(beyond) and in_runs > 0.5 * len(beyond)


_RUNS = re.compile(r"[\u3001-\u30ff\u4e00-\u9fff]{2,}")


def _is_common_kanji(character: str) -> bool:
    """Return whether a character is a kanji of the first level, which nearly all words are written with."""
    return "\u4e00" <= character <= "\u9fff" and 0x88 <= character.encode("cp932")[0] <= 0x98


_OTHER_SCRIPTS = ["big5", "cp1251", "cp1253", "cp1255", "cp1256", "cp866", "cp949", "cp950", "euc_jp", "euc_kr"]
_OTHER_SCRIPTS += ["gb18030", "gb2312", "iso8859_5", "iso8859_7", "koi8_r"]
_ENOUGH_LETTERS = 20


def _asked(sample: bytes) -> Encoding | None:
    """Ask charset-normalizer, and take its word for scripts that Windows-1252 cannot write."""
    beyond = sum(byte > 0x7F for byte in sample)
    if beyond < _ENOUGH_LETTERS:
        return None
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return None
    telling = b"\n".join(line for line in sample.splitlines() if not line.isascii())[:_ASKED]
    best = from_bytes(telling, cp_isolation=[*_OTHER_SCRIPTS, "cp1252"]).best()
    if best is None or best.encoding == "cp1252":
        return None
    # Dashes and quotes alone are the same bytes in several of them.
    read = [character for character in str(best) if character > "\x7f"]
    is_script = sum(map(str.isalpha, read)) > 0.5 * len(read)
    return Encoding(codecs.lookup(best.encoding).name) if is_script else None


# The letters that languages write besides a to z, by the code page of Windows that has them.
_ALPHABETS = {
    "cp1252": "äöüß àâæçèéêëîïôœùûüÿ áéíñóúüª\u00ba àáâãçéêíóôõúª\u00ba àèéìíîòóù áæðéíóöþúý åäöšž æøåé áéëïóöü",
    "cp1250": "ąćęłńóśźż áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž áéíóöőúüű čšžćđ ăâîşţ äöüßáčěšž",
    "cp1254": "çğıöşüâîû",
    "cp1257": "ąčęėįšųūž āčēģīķļņšūž äöõüšž",
}
_ENOUGH_TO_TELL = 5


def _latin(sample: bytes) -> Encoding:
    """Return the code page in which nearly all letters are those of one language; in doubt, the Western one."""

    def share(codec: str) -> float:
        read = sample.decode(codec, "replace").lower()
        letters = Counter(letter for letter in read if letter > "\x7f" and (letter.isalpha() or letter == "\ufffd"))
        if letters.total() < _ENOUGH_TO_TELL:
            return 0.0
        known = max(sum(letters[each] for each in alphabet) for alphabet in _ALPHABETS[codec].split())
        return known / letters.total()

    western = share("cp1252")
    best = max(_ALPHABETS, key=share)
    if share(best) > max(0.9, western + 0.1):
        return Encoding(best)
    # Windows-1252 leaves five bytes undefined; Latin-1 has something for each.
    return Encoding("latin-1" if any(byte in sample for byte in b"\x81\x8d\x8f\x90\x9d") else "cp1252")


LONGEST_LIST = 1 << 30
"""A list may have this many bytes; one of all pages of the largest wikis has fewer."""


def small_text(path: Path, at_most: int, what: str) -> str:
    """Return the text of a file in UTF-8; a mark at its beginning that says so is left out."""
    with reading(path), path.open("rb") as file:
        content = file.read(at_most + 1)
    if len(content) > at_most:
        raise BrokenFile(path, f"longer than {at_most:,} bytes, which no {what} is")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BrokenFile(path, f"not valid UTF-8 (byte {error.start}); save it as plain text in UTF-8") from error
    if "\0" in text:
        raise BrokenFile(path, f"not a text (byte {content.find(0)} is zero); save it as plain text in UTF-8")
    return text


def small_list(path: Path, what: str) -> list[str]:
    """Return the lines of a file that hold something, without the white space around it."""
    lines = [line.strip() for line in small_text(path, LONGEST_LIST, f"list of {plural(what)}").split("\n")]
    if not any(lines):
        raise BrokenFile(path, f"there is no {what} in it")
    return [line for line in lines if line]


STDIN = Path("-")
_HEAD = 4096


@dataclass(frozen=True, slots=True)
class Opening:
    r"""How to open a file, where its name and its content do not say it, or say it wrong.

    Parameters
    ----------
    format : str, optional
        What it holds: ``jsonl``, ``csv``, ``tsv``, ``spreadsheet``, ``parquet``, ``arrow``, ``ris``, ``nbib``,
        ``bibtex``, ``endnote``, ``sqlite`` or ``duckdb``. By default its name says so.
    delimiter : str, optional
        What separates the columns of a CSV file; a tab may be written ``\t``. With a delimiter, a file of any other
        name is read as CSV too. Recognised by default.
    encoding : str, optional
        How a text file is encoded, such as ``windows-1252``. Recognised by default.
    quote : str, optional
        The character around cells of a CSV file, or ``none``. Recognised by default.
    sheet : str or int, optional
        Which sheet of a spreadsheet to read: its name, or its number from 1. By default the first with a table.
    query : str, optional
        The SQL query to ask of a database.
    join : bool, default True
        Join records of bibliographies that are the same publication.

    Examples
    --------
    >>> Opening().format_of(Path("news.csv.gz")), Opening(format="ris").format_of(Path("export.txt"))
    ('csv', 'ris')
    """

    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    quote: str | None = None
    sheet: str | int | None = None
    query: str | None = None
    join: bool = True

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in FORMATS:
            raise InputError(f"there is no format '{self.format}'; the formats are {', '.join(FORMATS)}")
        if self.delimiter is not None:
            delimiter = "\t" if self.delimiter in (r"\t", "tab") else self.delimiter
            if len(delimiter) != 1 or delimiter in '\r\n"':
                raise InputError(f"a delimiter is one character, and '{self.delimiter}' is not; write \\t for a tab")
            object.__setattr__(self, "delimiter", delimiter)
        if self.quote is not None and self.quote != "none" and len(self.quote) != 1:
            raise InputError(f"a quote is one character or 'none', and '{self.quote}' is neither")

    def format_of(self, path: Path) -> str | None:
        """Return what a file holds, or None if neither its name nor these options say so."""
        if self.format is not None:
            return self.format
        named = BY_SUFFIX.get(plain_suffix(path)) or (None if self.delimiter is None else "csv")
        if named is not None or not path.is_file():
            return named
        with opened(path, lambda n: None) as stream:
            return format_of_head(stream.read(_HEAD))


def format_of_head(head: bytes) -> str | None:
    """Return the format of a file that begins like this, or None if several do."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    for name, beginnings in {
        "sqlite": (b"SQLite format 3\0",),
        "parquet": (b"PAR1",),
        "arrow": (b"ARROW1",),
        "nbib": (b"PMID- ",),
        "ris": (b"TY  - ",),
        "endnote": (b"<xml><records>", b'<?xml version="1.0" encoding="UTF-8"?><xml><records>'),
    }.items():
        if start.startswith(beginnings):
            return name
    return None


def no_format(path: Path) -> BrokenFile:
    """Return the error for a file whose name does not say what it holds."""
    reason = "its name does not say what it holds; add --read-as and one of"
    return BrokenFile(path, f"{reason} {', '.join(FORMATS)} (csv also if tabs or semicolons separate the columns)")


def from_standard_input() -> tuple[Path, str]:
    """Copy the standard input to a temporary file, and return it and what it holds.

    Readers look at a file more than once: to recognise it, and to read it.
    """
    folder = tempfile.mkdtemp(prefix="priorwise-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder, "standard input")
    with path.open("wb") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy, _CHUNK)
    with opened(path, lambda n: None) as stream:
        head = stream.read(_HEAD)
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    by_first = {b"{": "jsonl", b"@": "bibtex", b"<": "endnote", b"PK": "spreadsheet"}
    guessed = next((name for mark, name in by_first.items() if start.startswith(mark)), "csv")
    return path, format_of_head(head) or guessed
