r"""Recognise how a text file is encoded.

Five encodings are recognised here, because they are what spreadsheet programs write and because a mistake in one of
them is silent: UTF-8, UTF-16, UTF-32, Windows-1252 and Shift-JIS. charset-normalizer, if it is installed, is asked
about the rest. It is not asked first: it takes short Windows-1252 texts for encodings of Eastern Europe.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path

from priorwise.errors import InputError
from priorwise.readers.compressed import opened

SAMPLE = 1 << 16
_CHUNK = 1 << 20
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
    "cp1252": "Windows-1252",
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
        """Its usual name.

        Examples
        --------
        >>> Encoding("cp932").said
        'Shift-JIS'
        """
        return _SAID.get(self.codec, self.codec)


def known_encoding(name: str) -> Encoding:
    """Return the encoding of a name that somebody chose.

    Examples
    --------
    >>> known_encoding("Windows-1252"), known_encoding("UTF8")
    (Encoding(codec='cp1252'), Encoding(codec='utf-8-sig'))
    """
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
        sample, piece = head, head
        try:
            while piece:
                decoder.decode(piece)
                piece = stream.read(_CHUNK)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            # What follows the first letter that is not UTF-8 is more telling than the beginning.
            sample = head if piece is head else piece + stream.read(SAMPLE)
            return guessed(sample)
        if (wide := _without_mark(head)) is not None:
            return wide
    return Encoding("utf-8")


def guessed(sample: bytes) -> Encoding:
    r"""Return the likely encoding of bytes that are not all UTF-8.

    Examples
    --------
    >>> guessed("naïve café".encode("cp1252")).said, guessed("これは日本語です。".encode("cp932")).said
    ('Windows-1252', 'Shift-JIS')
    """
    if (found := _by_mark(sample) or _without_mark(sample)) is not None:
        return found
    if _mostly_utf8(sample):
        return Encoding("utf-8")
    if _is_japanese(sample):
        return Encoding("cp932")
    return _asked(sample) or Encoding(_western(sample))


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
    text = sample[: len(sample) - 1].decode("cp932", "replace") if len(sample) >= SAMPLE else None
    if text is None:
        text = sample.decode("cp932", "replace")
    beyond = [character for character in text if character > "\x7f"]
    # Half-width kana are single bytes, which Western letters would be taken for.
    kana = sum("\u3001" <= character <= "\u30ff" for character in beyond)
    return kana > 0.2 * len(beyond) and text.count("\ufffd") <= 0.01 * len(beyond)


def _western(sample: bytes) -> str:
    # Windows-1252 leaves five bytes undefined; Latin-1 has something for each.
    return "latin-1" if any(byte in sample for byte in b"\x81\x8d\x8f\x90\x9d") else "cp1252"


_OTHER_SCRIPTS = [
    "big5",
    "cp1251",
    "cp1253",
    "cp1255",
    "cp1256",
    "cp866",
    "cp949",
    "cp950",
    "euc_jp",
    "euc_kr",
    "gb18030",
    "gb2312",
    "iso8859_5",
    "iso8859_7",
    "koi8_r",
]
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
    best = from_bytes(sample[:_ASKED], cp_isolation=[*_OTHER_SCRIPTS, "cp1252"]).best()
    return Encoding(codecs.lookup(best.encoding).name) if best is not None and best.encoding != "cp1252" else None
