"""A text's tokens: one rule, used everywhere.

The text is normalised (Unicode NFKC), put in lower case, and ’ is written '. Then a token is a longest run of letters,
marks and digits that begins with a letter or a number, where

- an apostrophe between two letters belongs to the word: *don't*;
- a full stop or comma between two decimal digits belongs to the number: *3.14*, *1,000*;
- a mark belongs to the character before it;
- a Han or Hiragana character is a token, and so are two that follow each other: no spaces part the words there;
- in Thai, Lao, Khmer, Burmese and other scripts of Southeast Asia without spaces, a letter belongs together with its
  marks, and every three letters that follow each other are a token; a run of fewer is one;
- a run of more than 64 characters is encoded data, not a word, and is left out.

Everything else separates. There is no stemming and no stop list.

This is rule 2. By rule 1, Han and Hiragana characters make no pairs, and a run of Thai is one token. A corpus and a
model record their rule, and new texts are cut by it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import NewerVersion
from priorwise.text.normalisation import LAST_POINT, NormalTexts, normalise, normalise_texts

RULE_VERSION = 2
"""Raised whenever the rule changes; a corpus records the rule that made its tokens."""

RULES = (1, 2)
"""The rules by which texts can still be cut."""

_FIRST_ROWS = 1 << 12

_HAN = ((0x3005, 0x3007), (0x3021, 0x3029), (0x3038, 0x303B), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF),
        (0x20000, 0x3FFFF))  # fmt: skip
_HIRAGANA = ((0x3041, 0x3096), (0x309D, 0x309F), (0x1B001, 0x1B11F), (0x1B132, 0x1B132), (0x1B150, 0x1B152))
_UNSPACED = ((0x0E01, 0x0EDF), (0x1000, 0x109F), (0x1780, 0x17DD), (0x1950, 0x19DF), (0x1A20, 0x1AAD),
             (0xA9E0, 0xA9FE), (0xAA60, 0xAADF))  # fmt: skip
"""Thai and Lao, Burmese, Khmer, Tai Le and New Tai Lue, Tai Tham, more Burmese, and more Burmese with Tai Viet."""


@dataclass(frozen=True, slots=True)
class CountedTexts:
    """The tokens of some texts, counted: compressed rows over a vocabulary of their own.

    `offsets`: text ``i`` has the entries from ``offsets[i]`` to ``offsets[i + 1]``. `tokens`, `counts`: each
    distinct token of a text, as a number into the vocabulary, and how often it occurs. `names`: the vocabulary's
    UTF-8 bytes, one token after the other. `name_offsets`: token ``t`` is ``names[name_offsets[t]:name_offsets[t +
    1]]``.
    """

    offsets: NDArray[np.int64]
    tokens: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    names: NDArray[np.uint8]
    name_offsets: NDArray[np.int32]


def tokens(text: str, rule: int = RULE_VERSION) -> list[str]:
    """Return the tokens of a text, in order and with repeats."""
    from priorwise.text._kernels.tokens import token_spans

    data = normalise(text)
    spans = np.empty((_most_tokens(len(data)), 2), np.int64)
    found = token_spans(np.frombuffer(data, np.uint8), character_classes(rule), spans)
    return [data[start:end].decode() for start, end in spans[:found].tolist()]


def count_texts(texts: Iterable[str], rule: int = RULE_VERSION) -> CountedTexts:
    """Count the tokens of many texts at once; releases the interpreter's lock while it counts.

    Returns tokens are numbered in the order in which they were first seen.
    """
    pieces = [text.encode("utf-8", "replace") for text in texts]
    bounds = np.zeros(len(pieces) + 1, np.int64)
    np.cumsum([len(piece) for piece in pieces], out=bounds[1:])
    data = np.frombuffer(b"".join(pieces), np.uint8)
    return count_normal(normalise_texts(data, np.column_stack([bounds[:-1], bounds[1:]])), rule)


def count_normal(texts: NormalTexts, rule: int = RULE_VERSION) -> CountedTexts:
    """Count the tokens of texts that are in normal form; see :func:`count_texts`."""
    from priorwise.kernels.words import as_words, read_only
    from priorwise.text._kernels.tokens import count_tokens

    data, bounds = read_only(texts.data), texts.bounds
    # Pages that are never touched cost nothing. In scripts without spaces, a byte is in three tokens at most.
    room = _most_tokens(data.size) + bounds.size
    offsets, name_offsets = np.zeros(bounds.size, np.int64), np.zeros(room + 1, np.int32)
    tokens, counts, names = np.empty(room, np.uint32), np.empty(room, np.uint32), np.empty(3 * data.size, np.uint8)
    table = np.zeros((_FIRST_ROWS, 2), np.int64)
    n_entries, n_known = count_tokens(
        data, as_words(data), bounds, character_classes(rule), table, offsets, tokens, counts, names, name_offsets
    )
    name_offsets = name_offsets[: n_known + 1]
    return CountedTexts(offsets, tokens[:n_entries], counts[:n_entries], names[: name_offsets[-1]], name_offsets)


def _most_tokens(n_bytes: int) -> int:
    """One for two bytes, or two for a character of three, except a last one."""
    return 2 * n_bytes // 3 + 1


def rule_of(tokenizer: Mapping[str, Any] | None) -> int:
    """Return the rule that a corpus or a model records; the newest if its words were counted elsewhere."""
    rule = RULE_VERSION if tokenizer is None else tokenizer.get("rule")
    if rule not in RULES:
        raise NewerVersion(f"texts were cut into words by rule {rule}, this priorwise knows {RULES[-1]}: upgrade it")
    return int(rule)


@cache
def character_classes(rule: int = RULE_VERSION) -> NDArray[np.uint8]:
    """Return the class of every code point of the planes that hold letters, for the kernels.

    The classes are all in which the rules differ.
    """
    from priorwise.text._kernels import tokens as kernel

    of_category = {"L": kernel.LETTER, "M": kernel.MARK, "N": kernel.NUMBER}
    category = unicodedata.category
    classes = np.array(
        [of_category.get(category(chr(point))[0], kernel.SEPARATOR) for point in range(LAST_POINT + 1)],
        np.uint8,
    )
    for point in np.flatnonzero(classes == kernel.NUMBER).tolist():
        if category(chr(point)) == "Nd":
            classes[point] = kernel.DIGIT
    for first, last in (*_HAN, *_HIRAGANA):
        block = classes[first : last + 1]
        block[(block == kernel.LETTER) | (block == kernel.NUMBER)] = kernel.ALONE if rule == 1 else kernel.PAIRED
    for first, last in _UNSPACED if rule > 1 else ():
        block = classes[first : last + 1]
        block[block == kernel.LETTER] = kernel.UNSPACED
    classes[ord("'")] = kernel.APOSTROPHE
    classes[[ord("."), ord(",")]] = kernel.POINT
    return classes
