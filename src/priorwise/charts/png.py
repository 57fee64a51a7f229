"""A small picture file without a library: palette, transparency, nothing else."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]


def png(pixels: Bytes, palette: Bytes) -> bytes:
    """Return a PNG file (W3C PNG, colour type 3).

    Parameters
    ----------
    pixels : array of uint8, shape (height, width)
        Places in the palette, from the top left.
    palette : array of uint8, shape (at most 256, 4)
        Red, green, blue and opacity.
    """
    height, width = pixels.shape
    # Each line begins with the number of its filter; 0 means no filter.
    lines = np.hstack([np.zeros((height, 1), np.uint8), pixels]).tobytes()
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            _chunk(b"PLTE", np.ascontiguousarray(palette[:, :3]).tobytes()),
            _chunk(b"tRNS", np.ascontiguousarray(palette[:, 3]).tobytes()),
            _chunk(b"IDAT", zlib.compress(lines, 9)),
            _chunk(b"IEND", b""),
        ]
    )


def data_address(file: bytes) -> str:
    """Return a data URL with the file."""
    return "data:image/png;base64," + b64encode(file).decode("ascii")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
