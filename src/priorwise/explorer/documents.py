"""The documents that are shown, how good decisions about them are, and what their words add."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.errors import InputError, NotEnoughData
from priorwise.kernels import Floats, Ints, Mask

MOST_DOCUMENTS = 20_000


@dataclass(frozen=True)
class ShownDocuments:
    """Documents of a corpus, some to train a model on and some to see how it does on others.

    The vocabulary is what the training documents hold: a token that none of them has says nothing.
    """

    rows: Ints
    member: Mask
    held_out: Mask
    features: Ints
    indptr: Ints
    tokens: NDArray[np.int32]
    counts: NDArray[Any]
    members_for_each: float
    others_for_each: float

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def others_per_member(self) -> float:
        """How many times an other document stands for more than a member does."""
        return self.others_for_each / self.members_for_each

    @cached_property
    def matrix(self) -> Any:
        from scipy.sparse import csr_matrix

        shape = (len(self), len(self.features))
        return csr_matrix((self.counts.astype(np.float64), self.tokens, self.indptr), shape=shape)

    @cached_property
    def training(self) -> Ints:
        """The documents that a model is trained on, by their place here."""
        return np.flatnonzero(~self.held_out)


def draw_documents(
    corpus: Corpus, label: str, *, most: int = MOST_DOCUMENTS, held_out: float = 0.3, seed: int = 0
) -> ShownDocuments:
    """Draw the documents of a view."""
    if most < 4:
        raise InputError(f"a view shows at least 4 documents, not {most}")
    if not 0 < held_out < 1:
        raise InputError(f"the share held out must lie between 0 and 1, not be {held_out:g}")
    members = corpus.members(label)
    is_other = np.ones(corpus.n_documents, dtype=bool)
    is_other[members] = False
    others = np.flatnonzero(is_other)
    for what, rows in (("members", members), ("documents that are not members", others)):
        if len(rows) < 2:
            raise NotEnoughData(f"'{label}' has {len(rows)} {what}; two are needed, one to learn from and one to test")
    generator = np.random.default_rng(seed)
    some_members = _some(generator, members, max(most // 2, most - len(others)))
    some_others = _some(generator, others, most - len(some_members))
    rows = np.concatenate([some_members, some_others])
    apart = np.concatenate([_held_out(generator, len(some), held_out) for some in (some_members, some_others)])
    order = np.argsort(rows)
    member = (np.arange(len(rows)) < len(some_members))[order]
    indptr, tokens, counts = corpus.take_counts(rows[order])
    local, features = _known(indptr, tokens, apart[order], corpus.n_vocabulary)
    known = local >= 0
    kept = np.concatenate([[0], np.cumsum(known)])
    return ShownDocuments(
        rows[order],
        member,
        apart[order],
        features,
        kept[indptr],
        local[known],
        np.ascontiguousarray(counts[known]),
        len(members) / len(some_members),
        len(others) / len(some_others),
    )


def _some(generator: np.random.Generator, rows: Ints, most: int) -> Ints:
    if len(rows) <= most:
        return rows
    return np.sort(generator.choice(rows, size=most, replace=False, shuffle=False))


def _held_out(generator: np.random.Generator, n: int, share: float) -> Mask:
    """Hold out a share of n documents, but at least one of them, and not all."""
    found = np.zeros(n, dtype=bool)
    size = min(max(1, round(share * n)), n - 1)
    found[generator.choice(n, size=size, replace=False, shuffle=False)] = True
    return found


def _known(
    indptr: Ints, tokens: NDArray[np.uint32], held_out: Mask, n_vocabulary: int
) -> tuple[NDArray[np.int32], Ints]:
    """The place of every token in the vocabulary of the training documents, −1 outside it; and the vocabulary."""
    trained = np.repeat(~held_out, np.diff(indptr))
    seen = np.zeros(n_vocabulary, dtype=bool)
    seen[tokens[trained]] = True
    features = np.flatnonzero(seen)
    place = np.full(n_vocabulary, -1, dtype=np.int32)
    place[features] = np.arange(len(features), dtype=np.int32)
    return place[tokens], features


class Points(NamedTuple):
    """Where documents are."""

    x: Floats
    odds: Floats

    @property
    def y(self) -> Floats:
        """The second coordinate of naive Bayes, log P(d|¬c) + log P(¬c)."""
        return self.x - self.odds


@dataclass(frozen=True)
class Line:
    """The decision line y = slope · x + shift: below it a document is in the category. Bayes' rule is y = x."""

    slope: float = 1.0
    shift: float = 0.0

    def below(self, points: Points) -> Mask:
        """Which of the documents at these coordinates are in the category."""
        # By the log odds, so that under y = x a document is where its score's sign says, to the last bit.
        return points.odds > (1 - self.slope) * points.x - self.shift


@dataclass(frozen=True)
class Measures:
    """Right and wrong decisions, and the shares that follow from them."""

    tp: int
    fp: int
    fn: int
    tn: int
    others_per_member: float = 1.0

    @classmethod
    def of(cls, predicted: Mask, member: Mask, others_per_member: float = 1.0) -> Measures:
        tp, fp = int(np.count_nonzero(predicted & member)), int(np.count_nonzero(predicted & ~member))
        members = int(np.count_nonzero(member))
        return cls(tp, fp, members - tp, len(member) - members - fp, others_per_member)

    @property
    def precision(self) -> float:
        return _share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        return _share(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float:
        return _share(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def ppv(self) -> float:
        """The positive predictive value at the corpus's own odds: precision, had no document been left out."""
        return _share(self.tp, self.tp + self.others_per_member * self.fp)

    def as_dict(self) -> dict[str, float]:
        counts = {"tp": self.tp, "fp": self.fp, "fn": self.fn, "tn": self.tn}
        return {**counts, "precision": self.precision, "recall": self.recall, "f1": self.f1, "ppv": self.ppv}


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


LONGEST_TEXT = 20_000
"""How many characters of a text are marked; what comes after them is not shown."""

_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Evidence:
    """What one token, or another category, adds to a document's log odds."""

    token: str
    count: int
    weight: float
    at_each: float


def marked_text(text: str, found: list[Evidence]) -> list[tuple[str, float]]:
    """Take a text apart into pieces, each with what it adds; put together they are the text.

    A word of several tokens adds what they add together.
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
            # Without the signs around it.
            inside = [place for place, character in enumerate(word) if character.isalnum()]
            first, last = (inside[0], inside[-1] + 1) if inside else (0, len(word))
            pieces += [(text[end : start + first], 0.0), (word[first:last], weight)]
            end = start + last
    pieces.append((text[end:LONGEST_TEXT], 0.0))
    return [(piece, weight) for piece, weight in pieces if piece]
