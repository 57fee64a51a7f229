"""Why a point is where it is: what each token of a document adds, and where it is in the text."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

LONGEST_TEXT = 20_000
"""How many characters of a text are marked; what comes after them is not shown."""

_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Evidence:
    """What one token, or another category, adds to a document's log odds.

    Parameters
    ----------
    token : str
        The token, or the name of another category.
    count : int
        How often the document has it.
    weight : float
        What it adds, repeats included where they count.
    at_each : float
        What each place of the text where it stands adds: a share of that, or all of it where repeats do not count.
    """

    token: str
    count: int
    weight: float
    at_each: float


def marked_text(text: str, found: list[Evidence]) -> list[tuple[str, float]]:
    """Take a text apart into pieces, each with what it adds; put together they are the text.

    A word of several tokens adds what they add together.

    Examples
    --------
    >>> marked_text("Oh, wheat!", [Evidence("wheat", 1, 3.0, 3.0)])
    [('Oh, ', 0.0), ('wheat', 3.0), ('!', 0.0)]
    """
    from priorwise.text.tokens import count_texts

    words = [(match.start(), match.group()) for match in _WORD.finditer(text, 0, LONGEST_TEXT)]
    counted = count_texts([word for _, word in words])
    names = bytes(counted.names)
    spans = zip(counted.name_offsets[:-1].tolist(), counted.name_offsets[1:].tolist(), strict=True)
    adds = {each.token: each.at_each for each in found}
    of_token = np.array([adds.get(names[first:last].decode(), 0.0) for first, last in spans])
    sums = np.zeros(len(words))
    if len(of_token):
        of_word = np.repeat(np.arange(len(words)), np.diff(counted.offsets))
        np.add.at(sums, of_word, of_token[counted.tokens] * counted.counts)
    pieces: list[tuple[str, float]] = []
    end = 0
    for (start, word), weight in zip(words, sums.tolist(), strict=True):
        if weight:
            first, last = _core(word)
            pieces += [(text[end : start + first], 0.0), (word[first:last], weight)]
            end = start + last
    pieces.append((text[end:LONGEST_TEXT], 0.0))
    return [(piece, weight) for piece, weight in pieces if piece]


def _core(word: str) -> tuple[int, int]:
    """Where a word begins and ends without the signs around it."""
    inside = [place for place, character in enumerate(word) if character.isalnum()]
    return (inside[0], inside[-1] + 1) if inside else (0, len(word))
