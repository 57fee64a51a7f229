from __future__ import annotations

import time
import unicodedata
from collections import Counter

import numpy as np
import pytest
import reference_text as reference
from hypothesis import given, settings
from hypothesis import strategies as st

from priorwise.text import tokens
from priorwise.text.tokens import character_classes, count_texts

TRICKY = "aZé’'.,1٣_ \n-Ⅷ½ßİΣ漢字ひらタワーー\u0301\u0316\u3099\ufe0f\u200d𝐀𠀀🎉ﬁ〇々ͅ\ud800ไทยกำ๑ນີ້မြန်ខ្មែរ"
any_text = st.text() | st.text(st.sampled_from(TRICKY), max_size=40) | st.text(st.characters(), max_size=200)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't DON’T rock 'n' roll", ["don't", "don't", "rock", "n", "roll"]),
        ("3.14, 1,000. v2.0 .5 5. 1,a", ["3.14", "1,000", "v2.0", "5", "5", "1", "a"]),
        ("snake_case kebab-case a/b", ["snake", "case", "kebab", "case", "a", "b"]),
        ("東京タワーへ、行く", ["東京", "東", "京", "タワー", "へ", "行く", "行", "く"]),
        ("ใช้wifi ฟรี๒ ไม่", ["ใช้", "wifi", "ฟรี", "๒", "ไม่"]),
        ("ភាសាខ្មែរ", ["ភាសាខ្", "សាខ្មែ", "ខ្មែរ"]),
        ("ﬁve Ⅷ ½", ["five", "viii", "1", "2"]),
        ("❤️love \u0301 x\u0301y", ["love", "x\u0301y"]),
        ("naïve Ελλάδα Привет हिन्दी", ["naïve", "ελλάδα", "привет", "हिन्दी"]),
        ("it's' 'quoted' o''clock", ["it's", "quoted", "o", "clock"]),
        ("a" * 64 + " " + "b" * 65, ["a" * 64]),
        ("a\ud800b", ["a", "b"]),
        ("", []),
        ("… — !", []),
    ],
)
def test_the_rule(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected
    assert reference.tokens(text) == expected


@settings(max_examples=400, deadline=None)
@given(any_text)
def test_kernel_equals_the_literal_rule(text: str) -> None:
    for rule in (1, 2):
        assert tokens(text, rule) == reference.tokens(text, rule)


@settings(max_examples=100, deadline=None)
@given(st.lists(any_text, max_size=8))
def test_counts_are_those_of_the_tokens(texts: list[str]) -> None:
    counted = count_texts(texts)
    names = [
        bytes(counted.names[start:end]).decode()
        for start, end in zip(counted.name_offsets, counted.name_offsets[1:], strict=False)
    ]
    assert len(set(names)) == len(names)
    for i, text in enumerate(texts):
        entries = slice(counted.offsets[i], counted.offsets[i + 1])
        found = {names[t]: int(n) for t, n in zip(counted.tokens[entries], counted.counts[entries], strict=True)}
        assert found == Counter(reference.tokens(text))


def test_classes_agree_with_the_literal_rule_on_characters() -> None:
    from priorwise.text._kernels import tokens as kernel

    classes, before = character_classes(), character_classes(1)
    assert np.array_equal(
        before,
        np.where(
            np.isin(classes, [kernel.PAIRED]),
            kernel.ALONE,
            np.where(classes == kernel.UNSPACED, kernel.LETTER, classes),
        ),
    )
    for point in [*range(0x3500), *range(0x9F00, 0xAC10), *range(0xF8F0, 0x12000), *range(0x1AFF0, 0x1B300)]:
        character = chr(point)
        if unicodedata.normalize("NFKC", character) != character:
            continue
        if reference.is_alone(character):
            assert classes[point] == kernel.PAIRED, hex(point)
        elif reference.is_unspaced(character):
            assert classes[point] == kernel.UNSPACED, hex(point)
        elif unicodedata.category(character) == "Nd":
            assert classes[point] == kernel.DIGIT, hex(point)
        elif reference.is_letter(character):
            assert classes[point] == kernel.LETTER, hex(point)
    assert not any(unicodedata.category(chr(point))[0] in "LN" for point in range(0x40000, 0x110000, 7))


def test_many_distinct_tokens_make_the_table_grow() -> None:
    words = [f"w{i}" for i in range(50_000)] + [f"quite{i}long" for i in range(50_000)]
    counted = count_texts([" ".join(words), " ".join(reversed(words))])
    assert counted.name_offsets.size == len(words) + 1
    assert bytes(counted.names).decode() == "".join(words)
    assert np.all(counted.counts == 1)


@pytest.mark.parametrize(
    "piece", ["a", "\u0300\u0316", "a\u0301", "漢", "1,", "don't ", "'", "\U000e0100", "ﷺ", "ก", "กิ่"]
)
def test_time_is_linear(piece: str) -> None:
    count_texts([piece])
    begun = time.process_time()
    count_texts([piece * 200_000])
    assert time.process_time() - begun < 2
