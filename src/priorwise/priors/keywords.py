"""Words that somebody wrote down: a text, or a list such as ``+oil:2 -olive``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError

Floats = NDArray[np.float64]

_KEYWORD = re.compile(r"^([+-]?)(.+?)(?::([0-9.]+(?:[eE][+-]?[0-9]+)?))?$")


def parse_keywords(text: str) -> dict[str, float]:
    """Read a list of words, each with an optional sign and weight, separated by spaces, commas or lines.

    What follows ``#`` on a line is a remark. A word that is given twice weighs the sum.

    Examples
    --------
    >>> parse_keywords("+oil:2 -olive crude  # the fuel")
    {'oil': 2.0, 'olive': -1.0, 'crude': 1.0}
    """
    found: dict[str, float] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        for item in re.split(r"[\s,]+", line.split("#")[0].strip()):
            if not item:
                continue
            match = _KEYWORD.match(item)
            weight = _weight(match.group(3)) if match else None
            if match is None or weight is None or not match.group(2).strip("+-:"):
                raise InputError(f"line {number}: '{item}' is no keyword; write one as oil, +oil:2 or -olive")
            sign = -1.0 if match.group(1) == "-" else 1.0
            found[match.group(2)] = found.get(match.group(2), 0.0) + sign * weight
    return found


def _weight(text: str | None) -> float | None:
    if text is None:
        return 1.0
    try:
        weight = float(text)
    except ValueError:
        return None
    return weight if math.isfinite(weight) and weight > 0 else None


def check_weights(keywords: Mapping[str, Any]) -> None:
    """Refuse keywords whose weights are no numbers, such as the texts of several classes by name.

    Examples
    --------
    >>> check_weights({"oil": "Oil is traded by the barrel."})
    Traceback (most recent call last):
    priorwise.errors.InputError: keyword 'oil' has the weight 'Oil is traded by the barrel.', which is no finite number; the texts of several classes are a list, in the order of classes_
    """  # noqa: E501 - one line, as it is raised
    for word, weight in keywords.items():
        if not isinstance(weight, Real) or not math.isfinite(weight):
            raise InputError(
                f"keyword '{word}' has the weight {weight!r}, which is no finite number; the texts of several classes "
                "are a list, in the order of classes_"
            )


def count_words(texts: Sequence[str | Mapping[str, float]], vectorizer: Any) -> tuple[Floats, Floats]:
    """Count each vocabulary word in each text, and give the sign and weight that it was given there.

    A text is read as the vectorizer reads documents. Of a mapping of words to weights each word counts once, its sign
    and size being the weight; the words are read the same way, so that stemming applies.
    """
    analyze, vocabulary = _reader(vectorizer)
    counts = np.zeros((len(texts), len(vocabulary)))
    weights = np.ones((len(texts), len(vocabulary)))
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            check_weights(text)
        entries = [(text, 1.0)] if isinstance(text, str) else list(text.items())
        for words, weight in entries:
            for token in analyze(words):
                if token in vocabulary:
                    counts[row, vocabulary[token]] += 1
                    if not isinstance(text, str):
                        weights[row, vocabulary[token]] = weight
        if not counts[row].any():
            raise InputError(f"no word of knowledge text {row} is in the vocabulary: is it in the documents' language?")
    return counts, weights


def _reader(vectorizer: Any) -> tuple[Callable[[str], Sequence[str]], Mapping[str, int]]:
    if not hasattr(vectorizer, "build_analyzer") or not hasattr(vectorizer, "vocabulary_"):
        raise InputError(
            "the vectorizer must be a fitted CountVectorizer or TfidfVectorizer, or have build_analyzer and "
            f"vocabulary_, unlike {vectorizer!r}"
        )
    return vectorizer.build_analyzer(), vectorizer.vocabulary_
