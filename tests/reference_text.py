"""The slow literal forms of what the corpus does fast; tests compare the two."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence

HAN_AND_HIRAGANA = (
    "CJK UNIFIED IDEOGRAPH",
    "CJK COMPATIBILITY IDEOGRAPH",
    "HIRAGANA",
    "HENTAIGANA",
    "IDEOGRAPHIC",
    "HANGZHOU NUMERAL",
)


def is_alone(character: str) -> bool:
    name = unicodedata.name(character, "")
    if not (is_letter(character) or is_number(character)):
        return False
    if "\U00020000" <= character <= "\U0003ffff":
        return True
    return name.startswith(HAN_AND_HIRAGANA) or name == "VERTICAL IDEOGRAPHIC ITERATION MARK"


UNSPACED = ("THAI ", "LAO ", "MYANMAR ", "KHMER ", "TAI LE ", "NEW TAI LUE ", "TAI THAM ", "TAI VIET ")


def is_unspaced(character: str) -> bool:
    return is_letter(character) and unicodedata.name(character, "").startswith(UNSPACED)


def is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] == "L"


def is_plain_letter(character: str, rule: int) -> bool:
    return is_letter(character) and not is_alone(character) and not (rule > 1 and is_unspaced(character))


def is_number(character: str) -> bool:
    return unicodedata.category(character)[0] == "N"


def is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M" and character < "\U00040000"


def sorts_as_mark(character: str) -> bool:
    return unicodedata.combining(unicodedata.normalize("NFKD", character)[0]) > 0


def stream_safe(text: str) -> str:
    """A grapheme joiner after each thirty combining marks in a row."""
    safe, run = "", 0
    for character in text:
        run = run + 1 if sorts_as_mark(character) else 0
        safe += character
        if run == 30:
            safe, run = safe + "\u034f", 0
    return safe


def tokens(text: str, rule: int = 2) -> list[str]:
    """By rule 2, with what two characters or three letters in a row make in scripts without spaces."""
    text = "".join("?" if "\ud800" <= character <= "\udfff" else character for character in text)
    text = unicodedata.normalize("NFKC", stream_safe(text)).replace("’", "'").lower()
    found, word, base = [], "", ""
    unspaced: list[str] = []
    for place, character in enumerate(text):
        following = text[place + 1] if place + 1 < len(text) else " "
        if unspaced and is_mark(character):
            unspaced[-1] += character
            continue
        if rule > 1 and is_unspaced(character):
            found.append(word)
            word = base = ""
            unspaced.append(character)
            continue
        found += threes(unspaced)
        unspaced = []
        if is_alone(character):
            found += [word, character + following] if rule > 1 and is_alone(following) else [word]
            found.append(character)
            word = base = ""
        elif is_letter(character) or is_number(character):
            word, base = word + character, character
        elif word and (
            is_mark(character)
            or (character == "'" and is_letter(base) and is_plain_letter(following, rule))
            or (character in ".," and base.isdecimal() and following.isdecimal())
        ):
            word += character
        else:
            found.append(word)
            word = base = ""
    return [word for word in [*found, *threes(unspaced), word] if 0 < len(word) <= 64]


def threes(letters: list[str]) -> list[str]:
    return ["".join(letters[at : at + 3]) for at in range(max(1, len(letters) - 2))]


def vocabulary(texts: Sequence[str]) -> list[str]:
    """Most documents first, then by bytes."""
    frequency = Counter(token for text in texts for token in set(tokens(text)))
    return sorted(frequency, key=lambda token: (-frequency[token], token.encode()))


def counts(texts: Sequence[str]) -> list[dict[str, int]]:
    return [dict(Counter(tokens(text))) for text in texts]


def distance_to_nearest_piece(pattern: str, text: str) -> int:
    """Edit distance of the pattern to the piece of the text that is nearest to it (Sellers, 1980)."""
    row = [0] * (len(text) + 1)
    for i, wanted in enumerate(pattern, start=1):
        above, row = row, [i]
        for j, character in enumerate(text, start=1):
            row.append(min(above[j - 1] + (wanted != character), above[j] + 1, row[j - 1] + 1))
    return min(row)
