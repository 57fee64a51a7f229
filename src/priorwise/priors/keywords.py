"""Words that somebody wrote down: a text, or a list such as ``+oil:2 -olive``, in a string or in files."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from priorwise.errors import BrokenFile, InputError, UnknownName
from priorwise.kernels import Floats
from priorwise.readers.opening import small_text

_ITEM = re.compile(r'(?:"[^"]*"?|[^\s,"#])+|#.*')
_KEYWORD = re.compile(r'^([+-]?)(?:"([^"]+)"|([^"]+?))(?::([0-9.]+(?:[eE][+-]?[0-9]+)?))?$')
_TYPED = str.maketrans({"“": '"', "”": '"', "„": '"', "−": "-"})

_PLAIN = re.compile(r"[^\s,\"#:+\-][^\s,\"#:]*")


class Keywords(Mapping[str, float]):
    """Words with weights: above 0 they count for a category, below 0 against it, and words of weight 0 are ignored.

    Parameters
    ----------
    weights : mapping of str to float
        The weight of each word, or of a phrase, which counts as its words.

    Examples
    --------
    >>> words = Keywords.parse('+oil:2 +"crude prices" -olive the:0  # the fuel')
    >>> dict(words)
    {'oil': 2.0, 'crude prices': 1.0, 'olive': -1.0, 'the': 0.0}
    >>> print(words)
    +oil:2 +"crude prices" -olive the:0
    >>> words.ignored, Keywords.of({"oil": 2.0}) == {"oil": 2.0}
    (['the'], True)
    """

    def __init__(self, weights: Mapping[str, float] | None = None) -> None:
        given = dict(weights or {})
        check_weights(given)
        if bad := [word for word in given if not word.strip() or '"' in word]:
            raise InputError(f"{bad[0]!r} is not a keyword; give a word such as 'oil'")
        self._weights = {word: float(weight) for word, weight in given.items()}

    @classmethod
    def parse(cls, text: str) -> Keywords:
        """Read words, each with an optional sign and weight, separated by spaces, commas or lines.

        ``oil:0`` says to ignore a word. What follows ``#`` on a line is a remark. A word that is given twice weighs the
        sum; with both signs it is refused.
        """
        found: dict[str, float] = {}
        for number, line in enumerate(text.translate(_TYPED).splitlines(), start=1):
            for item in _ITEM.findall(line):
                if item.startswith("#"):
                    continue
                match = _KEYWORD.match(item)
                word = (match.group(2) or match.group(3)).strip() if match else ""
                weight = _weight(match.group(4)) if match else None
                if match is None or weight is None or not word.strip("+-:"):
                    raise InputError(
                        f"line {number}: '{item}' is not a keyword; write one as oil, +oil:2 or -olive, or oil:0 to "
                        "ignore it"
                    )
                signed = -weight if match.group(1) == "-" else weight
                if np.sign(found.get(word, signed)) != np.sign(signed):
                    raise InputError(f"line {number}: the keyword '{word}' {CONTRADICTION}")
                found[word] = found.get(word, 0.0) + signed
        return cls(found)

    @classmethod
    def of(cls, given: str | Mapping[str, float] | None) -> Keywords:
        """Read a text, or take words with their weights as they are."""
        return cls.parse(given) if isinstance(given, str) else cls(given)

    @property
    def ignored(self) -> list[str]:
        """The words of weight 0."""
        return [word for word, weight in self.items() if not weight]

    def __getitem__(self, word: str) -> float:
        return self._weights[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._weights)

    def __len__(self) -> int:
        return len(self._weights)

    def __str__(self) -> str:
        return " ".join(map(_written, self, self.values()))

    def __repr__(self) -> str:
        return f"Keywords({self._weights})"


CONTRADICTION = "is given with different signs, or both with a weight and as ignored; choose one"


def _written(word: str, weight: float) -> str:
    sign = "+" if weight > 0 else "-" if weight < 0 else ""
    quoted = word if _PLAIN.fullmatch(word) else f'"{word}"'
    return f"{sign}{quoted}" + (f":{abs(weight):.10g}" if abs(weight) != 1 else "")


def _weight(text: str | None) -> float | None:
    if text is None:
        return 1.0
    try:
        weight = float(text)
    except ValueError:
        return None
    return weight if math.isfinite(weight) else None


def check_weights(keywords: Mapping[str, Any]) -> None:
    """Refuse keywords whose weights are not numbers, such as the texts of several classes by name."""
    for word, weight in keywords.items():
        if not isinstance(weight, Real) or not math.isfinite(weight):
            raise InputError(
                f"keyword '{word}' has the weight {weight!r}, which is not a finite number; the texts of several "
                "classes are a list, in the order of classes_"
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
            if not weight:
                raise InputError(f"'{words}:0' says to ignore a word, which training cannot: leave it out")
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


Text = str | Mapping[str, float]

LARGEST_FILE = 1 << 26
"""Bytes of the longest text that is taken for somebody's knowledge."""

_MARKED = re.compile(r"^[+-]\w|\w:[0-9.]+$")
_CELL = re.compile(r"([+-]?)\s*(.*?)(:[0-9.]+)?", re.DOTALL)
_SENTENCE = re.compile(r"[.;!?)\"”]$")


@dataclass(frozen=True)
class LabelTexts:
    """What is known of labels."""

    of_labels: Mapping[str, Text]
    others: Sequence[Text] = ()


def as_knowledge(text: str) -> Text:
    """Take a text for a list of keywords if words in it have signs or weights and it has no sentences."""
    whole = re.sub(r'"[^"\n]*"', "phrase", text)
    items = [item for line in whole.splitlines() for item in re.split(r"[\s,]+", line.split("#")[0]) if item]
    if any(_MARKED.search(item) for item in items) and not any(_SENTENCE.search(item) for item in items):
        return Keywords.parse(text)
    return text


def split_column(source: str) -> tuple[Path, str | None]:
    """Return the file that is meant, and its column if one is named after a colon."""
    end = len(source)
    while not Path(source).is_file() and (end := source.rfind(":", 0, end)) > 0:
        if Path(source[:end]).is_file():
            return Path(source[:end]), source[end + 1 :]
    return Path(source), None


def column_keywords(path: Path, column: str) -> Keywords:
    """Read keywords from a column of a table: each cell has one word or phrase, or several with semicolons between.

    A cell may have a sign and a weight, as ``-olive`` or ``crude oil:2``.
    """
    # Loaded when needed: most knowledge is in plain files.
    from priorwise.readers.fields import as_text, unknown_column
    from priorwise.readers.opening import Opening
    from priorwise.readers.records import rows_of

    if Opening().format_of(path) is None:
        raise BrokenFile(path, "not a table by its name; it should end in .csv, .xlsx, .jsonl or the like")
    items: list[str] = []
    for number, (_, row) in enumerate(rows_of(path)):
        if number == 0 and column not in row:
            raise unknown_column(column, list(row), str(path))
        cell = row.get(column)
        cells = cell if isinstance(cell, list) else [cell]
        for item in re.split(r"[;\n]", ";".join(as_text(each, column).replace('"', "") for each in cells)):
            sign, words, weight = _CELL.fullmatch(item.strip()).groups()  # type: ignore[union-attr]
            items += [f'{sign}"{words}"{weight or ""}'] if words else []
    if not items:
        raise BrokenFile(path, f"there is no word in its column '{column}'")
    try:
        return Keywords.parse("\n".join(items))
    except InputError as error:
        raise BrokenFile(path, str(error)) from error


def read_knowledge(sources: Sequence[str], labels: Sequence[str]) -> LabelTexts:
    """Read what is known of labels from files."""
    found: dict[str, Text] = {}
    others: list[Text] = []
    for source in sources:
        for label, path, column, sure in _files(source, labels):
            text = _read(path) if column is None else column_keywords(path, column)
            if label is None and sure:
                raise InputError(
                    f"{path} is not named as a label is ({_some(labels)}): say which it is about, as LABEL={path}"
                )
            if label is None:
                others.append(text)
            elif label in found:
                raise InputError(f"{path} is the second text about '{label}': put both into one file")
            else:
                found[label] = text
    if not found:
        raise InputError(f"{', '.join(sources)}: no file is named as a label is ({_some(labels)})")
    return LabelTexts(found, others)


def _files(source: str, labels: Sequence[str]) -> list[tuple[str | None, Path, str | None, bool]]:
    """Label, file, the column of a table, and whether the file has to be about a label."""
    if Path(source).is_dir():
        files = sorted(file for file in Path(source).iterdir() if file.is_file() and not file.name.startswith("."))
        if not files:
            raise BrokenFile(source, "the folder has no files: give one for each label, as LABEL.txt")
        return [(_label_of(file, labels), file, None, False) for file in files]
    path, column = split_column(source)
    if path.is_file():
        return [(labels[0] if len(labels) == 1 else _label_of(path, labels), path, column, True)]
    # A label may have an equals sign of its own: the longest label that the rest of the source is a file for.
    name, equals, rest = source.partition("=")
    path, column = split_column(rest)
    while equals and not path.is_file() and "=" in rest:
        more, _, rest = rest.partition("=")
        name = f"{name}={more}"
        path, column = split_column(rest)
    if not equals or not path.is_file():
        raise BrokenFile(rest if equals else source, "there is no such file")
    if name not in labels:
        raise UnknownName("label", name, labels, complete=True)
    return [(name, path, column, True)]


def _label_of(file: Path, labels: Sequence[str]) -> str | None:
    for name in (file.name, file.stem):
        if name in labels:
            return name
    folded = [label for label in labels if label.casefold() == file.stem.casefold()]
    return folded[0] if len(folded) == 1 else None


def _read(path: Path) -> Text:
    text = small_text(path, LARGEST_FILE, "text about a label")
    if not text.strip():
        raise BrokenFile(path, "empty: write keywords, or a text about the label")
    try:
        return as_knowledge(text)
    except InputError as error:
        raise BrokenFile(path, str(error)) from error


def _some(labels: Sequence[str]) -> str:
    return ", ".join(f"'{label}'" for label in labels[:3]) + (", …" if len(labels) > 3 else "")
