"""RCV1-v2: Reuters stories of 1996 and 1997 as stems, in the files of LYRL2004."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError
from priorwise.readers.archives import Inputs, Member
from priorwise.readers.blocks import LONGEST_RECORD, TOO_LONG
from priorwise.readers.collections.base import CollectionReader, Paths
from priorwise.readers.document import Document

_MOST_LABELS = 1 << 16
_MOST_OCCURRENCES = 1 << 20
_LEAST_COUNTS = range(1, 6)


class Labels:
    """The labels of stories, six bytes for each membership."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._stories = array("I")
        self._labels = array("H")
        self._sorted: tuple[NDArray[np.uint32], NDArray[np.uint16], list[str]] | None = None

    def read(self, member: Member) -> int:
        """Add the lines ``label story 1`` of a file; return how many lines are not like that."""
        malformed = 0
        for line in lines(member, lambda what, times: None):
            label, number, relevance, *more = [*line.split(), b"", b""][:4]
            name = label.decode("utf-8", "replace")
            too_many = len(self._names) >= _MOST_LABELS and name not in self._names
            if not number.isdigit() or len(number) > 9 or relevance != b"1" or any(more) or too_many:
                malformed += 1
                continue
            self._stories.append(int(number))
            self._labels.append(self._names.setdefault(name, len(self._names)))
        self._sorted = None
        return malformed

    def of(self, story: int) -> list[str]:
        """Return the labels of a story, in the order of the file."""
        if self._sorted is None:
            stories = np.array(self._stories, np.uint32)
            order = np.argsort(stories, kind="stable")
            self._sorted = stories[order], np.array(self._labels, np.uint16)[order], list(self._names)
        stories, labels, names = self._sorted
        begin, end = (np.searchsorted(stories, np.uint32(story), side) for side in ("left", "right"))
        return list(dict.fromkeys(names[code] for code in labels[begin:end].tolist()))


class Dictionary:
    """The stem and the inverse document frequency of each term."""

    def __init__(self) -> None:
        self.stems: dict[int, str] = {}
        self._idf: dict[int, float] = {}

    def read(self, member: Member) -> int:
        """Add the lines ``stem number idf`` of a file; return how many lines are not like that."""
        malformed = 0
        for line in lines(member, lambda what, times: None):
            try:
                stem, number, idf = line.split()
                term, rarity = int(number), float(idf)
            except ValueError:
                malformed += 1
                continue
            self.stems[term] = stem.decode("utf-8", "replace")
            self._idf[term] = rarity
        return malformed

    def counts(self, vector: Sequence[tuple[int, float]]) -> list[int] | None:
        """Return how often each term of a vector occurs, or None if its weights are not as published."""
        found = counts_of(np.array([weight for _, weight in vector]), np.array([self._idf[term] for term, _ in vector]))
        return None if found is None else found.tolist()


def counts_of(weights: NDArray[np.float64], idf: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """Return the counts n that give the weights (1 + log n)·idf/c for some c, or None if no small ones do."""
    if not len(weights):
        return np.zeros(0, np.int64)
    if not all(((values > 1e-9) & (values < 1e9)).all() for values in (weights, idf)):
        return None
    raised = weights / idf
    raised /= raised.min()
    for least in _LEAST_COUNTS:
        logs = raised * (1 + np.log(least)) - 1
        if logs.max() > np.log(_MOST_OCCURRENCES):
            return None
        counts = np.exp(logs)
        whole = np.rint(counts)
        if (np.abs(counts - whole) < 1e-7 * whole).all() and whole.sum() <= _MOST_OCCURRENCES:
            return whole.astype(np.int64)
    return None


def lines(member: Member, remark: Callable[[str, int], None]) -> Iterator[bytes]:
    """Yield the lines of a file that hold something; those of more than 8 MB are left out."""
    held, skipping = b"", False
    for piece in member.pieces():
        *whole, held = (held + piece).split(b"\n")
        for line in whole:
            if not skipping and line.strip():
                yield line
            skipping = False
        if len(held) > LONGEST_RECORD:
            if not skipping:
                remark(TOO_LONG, 1)
            held, skipping = b"", True
    if held.strip() and not skipping and not member.cut:
        yield held


LABELS = ("topics", "industries", "regions")
LAST_TRAINING = 26150
"""LYRL2004: the stories up to this number are for training, those after it for testing."""

MALFORMED = "lines and stories that are not as published, left out"
UNKNOWN_TERMS = "terms that the dictionary does not have, left out"
PRESENCE_ONLY = "stories whose counts could not be told from their weights, each term counted once"
TOKENS_BEFORE_VECTORS = "vector files not read, because there are token files"

_KINDS = (
    ("tokens", re.compile(rb"\s*\.I\s+\d")),
    ("vectors", re.compile(rb"\s*\d+\s+\d+:[\d.]")),
    ("labels", re.compile(rb"\s*\S+[ \t]+\d+[ \t]+1[ \t]*\r?(\n|\Z)")),
    ("dictionary", re.compile(rb"\s*\S+[ \t]+\d+[ \t]+\d*\.\d+[ \t]*\r?(\n|\Z)")),
)


class RCV1Reader(CollectionReader):
    r"""Stories of RCV1-v2; an id is a story's number, and there are no titles.

    Parameters
    ----------
    paths : path or sequence of paths
        The files of the on-line appendices to LYRL2004, or a folder or an archive of them, in any order: token files
        (``lyrl2004_tokens_….dat.gz``) or vector files (``lyrl2004_vectors_….dat.gz``), the labels
        (``rcv1-v2.topics.qrels.gz``), and for vectors the dictionary (``stem.termid.idf.map.txt``). Each is known by
        its content.
    split : {"all", "train", "test"}
        All 804,414 stories, or a part of the LYRL2004 split (23,149 and 781,265), by their numbers.
    labels : {"topics", "industries", "regions"}
        Which labels, if there are files of several.
    labelled : bool, default False
        Leave out stories without a label.

    Notes
    -----
    A vector's weights are :math:`w_i = (1 + \log n_i)\,\mathrm{idf}_i / c`, with the same c for the whole story. With
    the dictionary's idf the counts :math:`n_i` are found again: the least count is the smallest number that makes all
    others whole. Without the dictionary terms are named by their numbers, and each counts once.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "tokens.dat").write_text(".I 2286\n.W\nrecov recov excit\n\n.I 26151\n.W\nbring\n")
    ...     _ = pathlib.Path(folder, "topics.qrels").write_text("E11 2286 1\nECAT 2286 1\n")
    ...     [(story.id, story.text, story.labels) for story in RCV1Reader(folder, split="train")]
    [('2286', 'recov recov excit', ['E11', 'ECAT'])]
    """

    kind = "rcv1"
    looked_for = "token files or vector files of LYRL2004"

    def __init__(
        self,
        paths: Paths,
        *,
        split: Literal["all", "train", "test"] = "all",
        labels: Literal["topics", "industries", "regions"] = "topics",
        labelled: bool = False,
    ) -> None:
        if labels not in LABELS:
            raise InputError(f"there are no labels '{labels}' in RCV1; choose among {', '.join(LABELS)}")
        super().__init__(paths, split=split, labelled=labelled, labels=labels)
        self.labels = labels

    def documents(self) -> Iterator[Document]:
        """Yield the stories."""
        labels, dictionary, has_tokens = self._tables()
        for member in self.members():
            kind = kind_of(member)
            if kind == "tokens":
                stories = self._of_tokens(member)
            elif kind == "vectors" and not has_tokens:
                stories = self._of_vectors(member, dictionary)
            else:
                if kind == "vectors":
                    self.remark(TOKENS_BEFORE_VECTORS)
                continue
            for number, text in stories:
                yield Document(str(number), str(number), text, labels.of(number))

    def _tables(self) -> tuple[Labels, Dictionary | None, bool]:
        """Go over the files once before: labels and dictionary may come after the stories."""
        labels: Labels | None = None
        dictionary: Dictionary | None = None
        kinds = set()
        for member in Inputs(self._inputs.paths):
            kind = kind_of(member)
            kinds.add(kind)
            if kind == "labels" and not any(other in member.name for other in LABELS if other != self.labels):
                labels = labels or Labels()
                self.remark(MALFORMED, labels.read(member))
            elif kind == "dictionary":
                dictionary = dictionary or Dictionary()
                self.remark(MALFORMED, dictionary.read(member))
        if labels is None and kinds & {"tokens", "vectors"}:
            raise InputError(f"there are no labels for the stories; add the file rcv1-v2.{self.labels}.qrels")
        return labels or Labels(), dictionary, "tokens" in kinds

    def _wanted(self, number: int) -> bool:
        return self.wants("train" if number <= LAST_TRAINING else "test")

    def _of_tokens(self, member: Member) -> Iterator[tuple[int, str]]:
        number: int | None = None
        held: list[str] = []
        length = 0
        for line in lines(member, self.remark):
            if not line.startswith(b".I"):
                if number is not None and line.strip() != b".W":
                    held.append(line.decode("utf-8", "replace").strip())
                    length += len(line)
                if length > LONGEST_RECORD:
                    self.remark(TOO_LONG)
                    number, held, length = None, [], 0
                continue
            if number is not None and self._wanted(number):
                yield number, " ".join(held)
            number, held, length = _number(line[2:]), [], 0
            if number is None:
                self.remark(MALFORMED)
        if number is not None and self._wanted(number):
            if member.cut:
                self.remark(MALFORMED)
            else:
                yield number, " ".join(held)

    def _of_vectors(self, member: Member, dictionary: Dictionary | None) -> Iterator[tuple[int, str]]:
        for line in lines(member, self.remark):
            first, *entries = line.split()
            number = _number(first)
            pairs = [entry.partition(b":") for entry in entries]
            try:
                terms, weights = [int(term) for term, _, _ in pairs], [float(weight) for _, _, weight in pairs]
            except ValueError:
                number = None
            if number is None:
                self.remark(MALFORMED)
            elif self._wanted(number):
                yield number, self._text_of_vector(terms, weights, dictionary)

    def _text_of_vector(self, terms: list[int], weights: list[float], dictionary: Dictionary | None) -> str:
        if dictionary is None:
            self.remark(PRESENCE_ONLY)
            return " ".join(f"t{term}" for term in terms)
        known = [(term, weight) for term, weight in zip(terms, weights, strict=True) if term in dictionary.stems]
        if len(known) < len(terms):
            self.remark(UNKNOWN_TERMS, len(terms) - len(known))
        stems = [dictionary.stems[term] for term, _ in known]
        counts = dictionary.counts(known)
        if counts is None:
            self.remark(PRESENCE_ONLY)
            return " ".join(stems)
        return " ".join(stem for stem, count in zip(stems, counts, strict=True) for _ in range(count))


def kind_of(member: Member) -> str | None:
    """Return which of the files this is, by its first line."""
    head = member.head(1 << 16)
    return next((kind for kind, pattern in _KINDS if pattern.match(head)), None)


def _number(text: bytes) -> int | None:
    stripped = text.strip()
    return int(stripped) if stripped.isdigit() and len(stripped) < 10 else None
