"""What the demo shows: which category, and how many hidden members are found again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.corpus.build.wikipedia import wiki_tokenizer
from priorwise.corpus.storage.manifest import Manifest
from priorwise.discovery.hidden import DefaultModel, LaplaceBaseline, LearnedPrior, Method, split_members
from priorwise.discovery.learning import Procedure
from priorwise.errors import CorpusError, NotEnoughData

SPLITS = 5
DEPTHS = (10, 20, 50, 100)
FEWEST, MOST = 10, 200
"""How many members a category has that is shown without being asked for."""


def corpus_made_before(path: Path) -> Corpus | None:
    """Open a wiki's corpus that was made before, if it was made by the rules of today."""
    try:
        return Corpus.open(path) if Manifest.read(path).tokenizer == wiki_tokenizer() else None
    except CorpusError:
        return None


def category_to_show(corpus: Corpus, favourite: str | None = None) -> str:
    """Return the favourite if it has members enough, or the largest category that is not too large.

    Examples
    --------
    >>> corpus = Corpus.from_texts(["a b"] * 300, labels=["all"] * 250 + [["all", "some"]] * 50)
    >>> category_to_show(corpus, "none"), category_to_show(corpus)
    ('some', 'some')
    """
    sizes = corpus.label_sizes()
    found = dict(zip(sizes["label"].to_pylist(), sizes["documents"].to_pylist(), strict=True))
    if favourite is not None and found.get(favourite, 0) >= FEWEST:
        return favourite
    most = min(MOST, corpus.n_documents // 2)
    suitable = [(-size, label) for label, size in found.items() if FEWEST <= size <= most]
    if not suitable:
        raise NotEnoughData(
            f"no category has {FEWEST} to {most} members; name one with --category, or give a larger dump with --dump"
        )
    return min(suitable)[1]


@dataclass(frozen=True)
class FoundAgain:
    """How many hidden members were in the first documents of the rankings, over all splits.

    Attributes
    ----------
    splits, hidden : int
        How often members were hidden, and how many in all.
    depths : sequence of int
        How many documents of each ranking were looked at.
    found : dict
        For each of *default*, *presence* and *baseline*, how many hidden members were among them.
    """

    splits: int
    hidden: int
    depths: Sequence[int]
    found: dict[str, list[int]]


def find_again(
    corpus: Corpus,
    label: str,
    *,
    splits: int = SPLITS,
    depths: Sequence[int] = DEPTHS,
    progress: Callable[[float], None] = lambda share: None,
) -> FoundAgain:
    """Hide half of a category's members, look for them, and do so several times over."""
    methods: dict[str, Method] = {
        "default": DefaultModel(),
        "presence": LearnedPrior("learned", Procedure.ours()),
        "baseline": LaplaceBaseline(),
    }
    found = {name: np.zeros(len(depths), np.int64) for name in methods}
    n_hidden = 0
    for split in range(splits):
        known, hidden = split_members(corpus, label, hide=0.5, seed=split)
        n_hidden += len(hidden)
        for name, method in methods.items():
            best = _best(method.scores(corpus, known, label), known, max(depths))
            found[name] += [len(np.intersect1d(best[:depth], hidden)) for depth in depths]
        progress((split + 1) / splits)
    return FoundAgain(splits, n_hidden, depths, {name: counts.tolist() for name, counts in found.items()})


def _best(scores: NDArray[np.float64], known: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Return the documents with the highest scores that are not known, best first; ties by their order."""
    scores = scores.copy()
    scores[known] = -np.inf
    return np.argsort(-scores, kind="stable")[: min(n, len(scores) - len(known))]
