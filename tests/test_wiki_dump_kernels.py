"""What the reading of dumps is made of: marks and blocks of bzip2, tags, escapes."""

from __future__ import annotations

import bz2
from itertools import pairwise

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

import reference_dump as reference
from priorwise.kernels.words import as_words
from priorwise.wiki._kernels.bzip2 import BLOCK, STREAM_END, find_marks
from priorwise.wiki._kernels.dump_pages import unescape
from priorwise.wiki.bzip2 import blocks_from

ESCAPES = [
    "&",
    "lt;",
    "gt",
    "amp;",
    "quot;",
    "apos;",
    "nbsp;",
    "#",
    "#x",
    "#X",
    "0",
    "1",
    "9",
    "A",
    "f",
    ";",
    "é",
    "漢",
]
ESCAPES += ["漢", "<", "D800", "110000", "#55296;"]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(st.sampled_from(ESCAPES), max_size=12).map("".join), max_size=4))
@example(["&#0;&#x0;&#xD800;&#57343;&#57344;&#1114111;&#1114112;&#99999999999999999999;&#x;&#;&#12"])
@example(["&amp;lt;&lt&LT;&nbsp;&&#x41;&#X41;&#x4G;&amp"])
def test_unescape_is_the_literal_one(pieces: list[str]) -> None:
    encoded = [piece.encode() for piece in pieces]
    ends = np.cumsum([len(piece) for piece in encoded], dtype=np.int64)
    spans = np.column_stack([ends - [len(piece) for piece in encoded], ends]).astype(np.int64).reshape(-1, 2)
    data = np.frombuffer(b"".join(encoded), np.uint8)
    out, bounds = unescape(data, as_words(data), spans)
    found = [out[start:end].tobytes().decode() for start, end in pairwise(bounds)]
    assert found == [reference.unescaped(piece) for piece in pieces]


@settings(deadline=None)
@given(st.lists(st.sampled_from([f"{BLOCK:048b}", f"{STREAM_END:048b}", "0", "1", "0011", "0" * 40]), max_size=20))
@example([f"{BLOCK:048b}"] + [f"{BLOCK:048b}"[3:]] * 200)
def test_marks_begin_at_any_bit(bits: list[str]) -> None:
    """Marks may overlap by three bits, so more of them fit than whole ones do."""
    row = "".join(bits)
    row += "0" * (-len(row) % 8)
    data = np.frombuffer(int("1" + row, 2).to_bytes(len(row) // 8 + 1, "big")[1:], np.uint8)
    words = {f"{BLOCK:048b}": 0, f"{STREAM_END:048b}": -1}
    expected = [at ^ words[row[at : at + 48]] for at in range(len(row)) if row[at : at + 48] in words]
    assert find_marks(data, 0, data.size).tolist() == expected
    halves = [find_marks(data, 0, data.size // 2), find_marks(data, data.size // 2, data.size)]
    assert np.concatenate(halves).tolist() == expected


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 250_000), max_size=5), st.integers(1, 9), st.integers(0, 2**32))
def test_blocks_are_what_bzip2_holds(cuts: list[int], level: int, seed: int) -> None:
    content = np.random.default_rng(seed).integers(97, 123, 250_000).astype(np.uint8).tobytes()
    bounds = sorted({0, len(content), *cuts})
    streams = [bz2.compress(content[a:b], level) for a, b in pairwise(bounds)]
    data = np.frombuffer(b"".join(streams) + b"trailing bytes", np.uint8)
    blocks = list(blocks_from(data, 0))
    assert b"".join(block.content or b"" for block in blocks) == content
    for start in (1, blocks[-1].start, blocks[-1].start + 1, data.size):
        assert list(blocks_from(data, start)) == [block for block in blocks if block.start >= start]


LENGTHS = st.one_of(st.integers(1, 9), st.sampled_from([254, 255, 256, 258, 259, 260, 1_000, 70_000]))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 255), LENGTHS), min_size=1, max_size=40), st.integers(1, 9), st.integers(1, 30)
)
@example([(byte, 1) for byte in range(256)] * 3, 9, 7)
@example([(0, 1)], 1, 1)
@example([(7, 900_000)] * 2, 9, 1)
def test_runs_and_any_bytes(runs: list[tuple[int, int]], level: int, repeats: int) -> None:
    content = b"".join(bytes([byte]) * length for byte, length in runs) * repeats
    data = np.frombuffer(bz2.compress(content, level) * 2, np.uint8)
    for end in (0, data.size // 2, data.size):
        assert b"".join(block.content or b"" for block in blocks_from(data, 0, end)) == content * 2


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 7)), min_size=1, max_size=3))
def test_damage_is_seen(seed: int, flips: list[tuple[float, int]]) -> None:
    """Whatever bits are turned, a block has the content it was written with or none."""
    words = np.random.default_rng(seed).choice([b"tea", b"milk ", b"sugar", b"\n", b"\0" * 300], 3_000).tolist()
    content = b"".join(words)
    data = bytearray(bz2.compress(content, 1))
    for place, bit in flips:
        data[int(place * (len(data) - 1))] ^= 1 << bit
    for block in blocks_from(np.frombuffer(bytes(data), np.uint8), 0, len(data)):
        assert block.content is None or block.content in content
