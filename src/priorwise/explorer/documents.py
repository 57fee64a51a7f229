"""The documents that are shown: all members, a sample of the others, each in training or held out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.errors import InputError, NotEnoughData

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

MOST_DOCUMENTS = 20_000


@dataclass(frozen=True)
class ShownDocuments:
    """Documents of a corpus, some to train a model on and some to see how it does on others.

    The vocabulary is what the training documents hold: a token that none of them has says nothing.

    Parameters
    ----------
    rows : array of int
        The documents' numbers in the corpus, ascending.
    member, held_out : array of bool
        Which of them are members, and which are held out.
    features : array of int
        The vocabulary: tokens of the corpus, ascending. The documents below speak of them by their place here.
    indptr, tokens, counts : arrays
        Document i has ``tokens[indptr[i]:indptr[i + 1]]``, each so many times.
    members_for_each, others_for_each : float
        How many members, and how many other documents of the corpus, each one that is shown stands for.
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
        """All documents as a sparse matrix of counts."""
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
    """Draw the documents of a view.

    Parameters
    ----------
    corpus : Corpus
        Where they are.
    label : str
        The category.
    most : int
        How many are shown at most. All members are, unless they are more than half of that.
    held_out : float
        The share of the members, and of the others, that no model is trained on.
    seed : int
        What is drawn.

    Examples
    --------
    >>> corpus = Corpus.from_texts(["a b", "a c", "a", "d", "d e", "e"], labels=["x", "x", "x", "y", "y", "y"])
    >>> shown = draw_documents(corpus, "x", held_out=0.3)
    >>> shown.member.tolist(), int(shown.held_out.sum())
    ([True, True, True, False, False, False], 2)
    """
    if most < 4:
        raise InputError(f"a view shows at least 4 documents, not {most}")
    if not 0 < held_out < 1:
        raise InputError(f"the share held out must lie between 0 and 1, not be {held_out:g}")
    members = corpus.members(label)
    is_other = np.ones(corpus.n_documents, dtype=bool)
    is_other[members] = False
    others = np.flatnonzero(is_other)
    for what, rows in (("members", members), ("documents that are no members", others)):
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
