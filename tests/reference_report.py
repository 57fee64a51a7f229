"""What reports compute and draw, slowly and literally."""

from __future__ import annotations

import struct
import zlib
from fractions import Fraction
from math import comb, sqrt


def mcnemar(first: int, second: int) -> float:
    """Twice the chance that a fair coin falls at least so unevenly to the side of the fewer, at most 1."""
    n = first + second
    tail = sum(Fraction(comb(n, k), 2**n) for k in range(min(first, second) + 1))
    return float(min(Fraction(1), 2 * tail))


def png_pixels(file: bytes) -> tuple[list[list[int]], list[tuple[int, int, int]], list[int]]:
    """Read a PNG file of colour type 3 chunk by chunk: the pixels, the palette, the opacities."""
    assert file[:8] == b"\x89PNG\r\n\x1a\n"
    chunks: dict[bytes, bytes] = {}
    place = 8
    while place < len(file):
        (length,) = struct.unpack(">I", file[place : place + 4])
        kind, content = file[place + 4 : place + 8], file[place + 8 : place + 8 + length]
        (check,) = struct.unpack(">I", file[place + 8 + length : place + 12 + length])
        assert check == zlib.crc32(kind + content)
        chunks[kind] = content
        place += 12 + length
    width, height, depth, colour_type, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, colour_type, rest) == (8, 3, [0, 0, 0])
    lines = zlib.decompress(chunks[b"IDAT"])
    assert len(lines) == height * (width + 1)
    rows = [lines[i * (width + 1) : (i + 1) * (width + 1)] for i in range(height)]
    assert all(row[0] == 0 for row in rows)
    colours = chunks[b"PLTE"]
    palette = [(colours[i], colours[i + 1], colours[i + 2]) for i in range(0, len(colours), 3)]
    return [list(row[1:]) for row in rows], palette, list(chunks[b"tRNS"])


def nearest_cell(grid: list[float], value: float) -> int:
    """The cell whose number is nearest, as a ratio; the lower of two."""
    return min(range(len(grid)), key=lambda i: (max(grid[i] / value, value / grid[i]), i))


def wilson(k: int, n: int) -> tuple[float, float]:
    """The shares p from which k of n is not further than 1.96 standard errors: where (k/n − p)² = z² p(1 − p)/n."""
    z = 1.959963984540054
    a, b, c = 1 + z * z / n, -(2 * k / n + z * z / n), (k / n) ** 2
    root = sqrt(max(0.0, b * b - 4 * a * c))
    return max(0.0, (-b - root) / (2 * a)), min(1.0, (-b + root) / (2 * a))


def reliability_bins(probabilities: list[float], accepted: list[bool]) -> list[tuple[int, float, int]]:
    """From the most probable down, in groups that differ by one document at most, the larger ones first."""
    ordered = sorted(range(len(probabilities)), key=lambda place: (-probabilities[place], place))
    n_bins = min(10, max(1, len(ordered) // 10))
    groups: list[list[int]] = []
    for number in range(n_bins):
        size = len(ordered) // n_bins + (number < len(ordered) % n_bins)
        taken = sum(map(len, groups))
        groups.append(ordered[taken : taken + size])
    return [
        (len(group), sum(probabilities[i] for i in group) / len(group), sum(accepted[i] for i in group))
        for group in groups
    ]


def with_odds_times(c: float, probabilities: list[float]) -> list[float]:
    """The probabilities after all odds were multiplied by c."""
    return [c * (p / (1 - p)) / (1 + c * (p / (1 - p))) for p in probabilities]
