"""Files in which somebody wrote down what they know of the labels: keywords or a text, one file for each label."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from priorwise.errors import BrokenFile, InputError, UnknownName
from priorwise.priors.keywords import Keywords
from priorwise.readers.small_texts import small_text

Text = str | Mapping[str, float]

LARGEST_FILE = 1 << 26
"""Bytes of the longest text that is taken for somebody's knowledge."""

_MARKED = re.compile(r"^[+-]\w|\w:[0-9.]+$")
_SENTENCE = re.compile(r"[.;!?)\"”]$")


@dataclass(frozen=True)
class LabelTexts:
    """What is known of labels.

    Parameters
    ----------
    of_labels : mapping
        A text, or keywords with weights, of each label that something is known of.
    others : sequence
        Texts about labels that the model does not have; they say how common a word is among texts.
    """

    of_labels: Mapping[str, Text]
    others: Sequence[Text] = ()


def as_knowledge(text: str) -> Text:
    """Take a text for a list of keywords if words in it have signs or weights and it has no sentences.

    Examples
    --------
    >>> as_knowledge("+oil:2 -olive"), as_knowledge("Oil is a liquid, -ish.")
    (Keywords({'oil': 2.0, 'olive': -1.0}), 'Oil is a liquid, -ish.')
    """
    whole = re.sub(r'"[^"\n]*"', "phrase", text)
    items = [item for line in whole.splitlines() for item in re.split(r"[\s,]+", line.split("#")[0]) if item]
    if any(_MARKED.search(item) for item in items) and not any(_SENTENCE.search(item) for item in items):
        return Keywords.parse(text)
    return text


def read_knowledge(sources: Sequence[str], labels: Sequence[str]) -> LabelTexts:
    """Read what is known of labels from files.

    Parameters
    ----------
    sources : sequence of str
        Each one ``LABEL=FILE``; a file that is named as its label, with ``.txt`` or another ending; a folder of such
        files; or, if there is one label, any file.
    labels : sequence of str
        The model's labels.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "grain.txt").write_text("+wheat:2 corn")
    >>> read_knowledge([f"{folder}"], ["grain", "oil"]).of_labels
    {'grain': Keywords({'wheat': 2.0, 'corn': 1.0})}
    """
    found: dict[str, Text] = {}
    others: list[Text] = []
    for source in sources:
        for label, path, sure in _files(source, labels):
            text = _read(path)
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


def _files(source: str, labels: Sequence[str]) -> list[tuple[str | None, Path, bool]]:
    """Label, file, and whether the file has to be about a label."""
    path = Path(source)
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
        if not files:
            raise BrokenFile(path, "the folder has no files: give one for each label, as LABEL.txt")
        return [(_label_of(file, labels), file, False) for file in files]
    if path.is_file():
        return [(labels[0] if len(labels) == 1 else _label_of(path, labels), path, True)]
    name, equals, rest = source.partition("=")
    # A label may have an equals sign of its own: the longest label that the rest of the source is a file for.
    while equals and not Path(rest).is_file() and "=" in rest:
        more, _, rest = rest.partition("=")
        name = f"{name}={more}"
    if not equals or not Path(rest).is_file():
        raise BrokenFile(rest if equals else path, "there is no such file")
    if name not in labels:
        raise UnknownName("label", name, labels, complete=True)
    return [(name, Path(rest), True)]


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
