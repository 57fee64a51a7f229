"""Normal form many texts at a time against one text at a time, and counting against Python's own."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, product

import numpy as np
import pytest
import reference_text as reference
from hypothesis import example, given, settings
from hypothesis import strategies as st

from priorwise.kernels.utf8 import point_at
from priorwise.text.normalisation import LAST_POINT, normalise, normalise_texts
from priorwise.text.tokens import CountedTexts, count_texts, tokens

JOINING = "aAΑΣσς'’.:,·\u00ad \n\t\x0b\x1c\x85\u00a0\u2028=<>1²½ﬁǅİıẞ"
JOINING += "\u0300\u0301\u0316\u0327\u0338\u0345\u034f\u05b4\u0f71\u0f72\u0f74\u3099\ufb1e\ufe0f\u200d"
JOINING += "각가\u1100\u1161\u11a8\u1160\u11a7\ud7a3ﾊﾟﾞか\u09c7\u09be\u1025\u102e¨\ufc5e\ufdfaﷺΐΆ"
JOINING += "\U000110a5\U000110ba\U00011131\U00011127\U0001d15e\U0001d165\U00016129\U0001612a🎉"
JOINING += "\U0003ffff\U00040000\U000e0100"
mixed = st.text(st.sampled_from(JOINING), max_size=40)
any_text = mixed | st.text(max_size=60) | st.tuples(mixed, st.text(max_size=9), mixed).map("".join)

BROKEN = [b"a", b"\xc3\xa9", b" ", b"\xcc\x81", b"\xce\xa3", b"\x80", b"\xbf", b"\xc0\xaf", b"\xc3", b"\xe2\x82"]
BROKEN += [b"\xed\xa0\x80", b"\xe0\x80\x80", b"\xf0\x9f\x98", b"\xf0\x80\x80\x80", b"\xf4\x90\x80\x80", b"\xf5"]
BROKEN += [b"\xff", b"\n"]
any_bytes = st.lists(st.sampled_from(BROKEN), max_size=20).map(b"".join) | st.binary(max_size=60)


def normal(texts: Sequence[bytes], between: bytes = b"") -> tuple[list[bytes], list[bool]]:
    """All texts at once; what stands between them in the buffer is no part of them."""
    data = between + between.join(texts) + between
    starts = np.cumsum([len(between)] + [len(text) + len(between) for text in texts])[:-1].astype(np.int64)
    spans = np.column_stack([starts, starts + np.array([len(text) for text in texts], np.int64)])
    found = normalise_texts(np.frombuffer(data, np.uint8), spans)
    written = found.data.tobytes()
    assert not any(written[found.bounds[-1] :])
    return [written[start:end] for start, end in pairwise(found.bounds.tolist())], found.broken.tolist()


def literally(text: str) -> bytes:
    return unicodedata.normalize("NFKC", reference.stream_safe(text)).replace("’", "'").lower().encode()


@settings(max_examples=400, deadline=None)
@given(st.lists(any_text, max_size=5), st.sampled_from([b"", b"</text>", "\u0301Σ".encode(), b"\xce"]))
@example(["ΑΣ", "Σ", "ΑΣ'Α ΑΣ", "ΌΣΟΣ ΣΣ"], b"")
@example(["a\u0301" * 40, "\u0300\u0316" * 50, "각\u11a8", "\u1100\u1161\u11a8"], "Σ".encode())
def test_many_texts_are_normalised_like_each(texts: list[str], between: bytes) -> None:
    found, broken = normal([text.encode() for text in texts], between)
    assert found == [normalise(text) for text in texts] == [literally(text) for text in texts]
    assert not any(broken)


@settings(max_examples=400, deadline=None)
@given(st.lists(any_bytes, max_size=5))
def test_what_is_no_utf8_is_replaced(texts: list[bytes]) -> None:
    found, broken = normal(texts)
    decoded = [text.decode("utf-8", "replace") for text in texts]
    assert found == [normalise(text) for text in decoded]
    assert broken == [text != replaced.encode() for text, replaced in zip(texts, decoded, strict=True)]


def test_every_character() -> None:
    points = [point for point in range(LAST_POINT + 2) if not 0xD800 <= point <= 0xDFFF]
    texts = [f"x{chr(point)}Y" for point in points]
    found, _ = normal([text.encode() for text in texts])
    assert [hex(point) for point, a, text in zip(points, found, texts, strict=True) if a != normalise(text)] == []


def test_every_pair_of_those_that_join() -> None:
    texts = ["".join(some) for some in [*product(JOINING, repeat=2), *product("AΣ", JOINING, JOINING)]]
    found, _ = normal([text.encode() for text in texts])
    assert [text for a, text in zip(found, texts, strict=True) if a != normalise(text)] == []


def test_every_composition() -> None:
    """All that Unicode composes, taken apart, and with a mark between that sorts before or after."""
    composed = [chr(point) for point in range(LAST_POINT) if unicodedata.decomposition(chr(point))]
    apart = [text for text in (unicodedata.normalize("NFD", character) for character in composed) if len(text) > 1]
    texts = apart + [f"{text[0]}\u0316{text[1:]}" for text in apart] + [f"{text[0]}\u0345{text[1:]}" for text in apart]
    found, _ = normal([text.encode() for text in texts])
    assert found == [normalise(text) for text in texts]


@pytest.mark.parametrize("point", [0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF])
def test_points_at_the_limits(point: int) -> None:
    data = np.frombuffer(chr(point).encode(), np.uint8)
    assert point_at.py_func(data, 0, data.size) == (point, data.size)
    if data.size > 1:
        assert point_at.py_func(data, 0, data.size - 1) == (-1, 1)


# Counting


def counted_like_python(counted: CountedTexts, texts: Sequence[str]) -> None:
    names = [bytes(counted.names[start:end]).decode() for start, end in pairwise(counted.name_offsets)]
    listed = [tokens(text) for text in texts]
    assert names == list(dict.fromkeys(token for of_text in listed for token in of_text))
    for i, of_text in enumerate(listed):
        entries = slice(counted.offsets[i], counted.offsets[i + 1])
        found = [(names[t], int(n)) for t, n in zip(counted.tokens[entries], counted.counts[entries], strict=True)]
        assert found == list(Counter(of_text).items())


lengths = st.sampled_from([1, 6, 7, 8, 9, 15, 16, 17, 23, 24, 25, 63, 64, 65])
letters = st.tuples(st.sampled_from("abcé漢"), st.integers(0, 63))
long_tokens = st.builds(lambda n, it: "a" * (it[1] % n) + it[0] + "a" * (n - it[1] % n - 1), lengths, letters)
words = st.lists(long_tokens | st.sampled_from(["to", "be", "3.14", "don't", "aaaaaaaaé"]), max_size=60)


@settings(max_examples=200, deadline=None)
@given(st.lists(words.map(" ".join), max_size=4))
def test_tokens_of_every_length_are_counted(texts: list[str]) -> None:
    counted_like_python(count_texts(texts), texts)


@pytest.mark.parametrize("width", [7, 8, 9, 16, 17])
def test_the_table_grows(width: int) -> None:
    """More than a first table holds, twice over, in tokens that differ in one byte of any place."""
    digits = [f"{i:0{width - 1}d}" for i in range(9_000)]
    words = [f"w{number}" for number in digits] + [f"w{number[::-1]}" for number in digits]
    texts = [" ".join(words[:10_000]), " ".join(words[5_000:]), " ".join(words[::3])]
    counted_like_python(count_texts(texts), texts)
