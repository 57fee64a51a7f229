"""Join pictures of one size into an animated PNG, which browsers and GitHub show; see the APNG specification."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def animated(frames: Sequence[tuple[bytes, float]]) -> bytes:
    """Return one picture of several PNG files, each with how many seconds it is shown; it starts over for ever."""
    first = list(_chunks(frames[0][0]))
    header = next(data for kind, data in first if kind == b"IHDR")
    width, height = struct.unpack(">II", header[:8])
    parts = [_SIGNATURE, _chunk(b"IHDR", header), _chunk(b"acTL", struct.pack(">II", len(frames), 0))]
    number = 0
    for place, (picture, seconds) in enumerate(frames):
        chunks = list(_chunks(picture))
        if next(data for kind, data in chunks if kind == b"IHDR") != header:
            raise ValueError("all pictures must have one size and one kind of colours")
        control = struct.pack(">IIIIIHHBB", number, width, height, 0, 0, round(seconds * 100), 100, 0, 0)
        parts.append(_chunk(b"fcTL", control))
        number += 1
        for kind, data in chunks:
            if kind == b"IDAT" and place == 0:
                parts.append(_chunk(b"IDAT", data))
            elif kind == b"IDAT":
                parts.append(_chunk(b"fdAT", struct.pack(">I", number) + data))
                number += 1
    return b"".join([*parts, _chunk(b"IEND", b"")])


def _chunks(picture: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(_SIGNATURE)
    while at < len(picture):
        (length,) = struct.unpack(">I", picture[at : at + 4])
        yield picture[at + 4 : at + 8], picture[at + 8 : at + 8 + length]
        at += 12 + length


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
