"""What there is to judge: both rankings of a run as one list that does not say where a document comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from priorwise.discovery import Run
from priorwise.discovery.status import SUBCATEGORY
from priorwise.errors import InputError
from priorwise.ranking.table import Ranking

Order = Literal["shuffled", "title"]


@dataclass(frozen=True, slots=True)
class Item:
    """A document to judge: all that a reviewer may know before reading it."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Choices:
    """Which documents are judged, and in which order.

    Parameters
    ----------
    top : int or None
        Only the first so many of each ranking, by default as many as the paper judged; all with None.
    order : {"shuffled", "title"}
    seed : int
        Of the shuffled order.
    subcategories : bool
        Whether documents of subcategories are judged as well; by default they count as members without it (presence).
    """

    top: int | None = 250
    order: Order = "shuffled"
    seed: int = 0
    subcategories: bool = False

    def __post_init__(self) -> None:
        if self.top is not None and self.top < 1:
            raise InputError("at least one document of each ranking is judged: top must be 1 or more")
        if self.order not in ("shuffled", "title"):
            raise InputError(f"the order is 'shuffled' or 'title', not '{self.order}'")
        if self.seed < 0:
            raise InputError("the seed must not be negative")


def items_of(run: Run, choices: Choices | None = None) -> list[Item]:
    """Merge both rankings of a run into the list that reviewers see.

    The order is a function of the set of documents and of the seed alone, so it says nothing about ranks.

    Examples
    --------
    >>> from priorwise.corpus import Corpus
    >>> from priorwise.discovery import discover
    >>> texts = ["goal team win", "team match goal", "win match", "match goal", "law vote", "vote court", "tax law"] * 3
    >>> labels = ["sport", "sport", None, None, None, None, None] * 3
    >>> run = discover(Corpus.from_texts(texts, labels=labels), "sport")
    >>> {int(item.id) % 7 for item in items_of(run, Choices(top=6))}
    {2, 3}
    """
    chosen = choices or Choices()
    found: dict[str, Item] = {}
    for ranking in (run.ranking, run.baseline):
        for id, title, status in _rows(ranking, chosen.top):
            if chosen.subcategories or status != SUBCATEGORY:
                found.setdefault(id, Item(id, title))
    by_id = [found[id] for id in sorted(found)]
    if chosen.order == "title":
        return sorted(by_id, key=lambda item: (item.title.casefold(), item.id))
    return [by_id[place] for place in np.random.default_rng(chosen.seed).permutation(len(by_id)).tolist()]


def _rows(ranking: Ranking, top: int | None) -> Sequence[tuple[str, str, str | None]]:
    table = ranking.table.slice(0, top)
    return list(zip(*(table[name].to_pylist() for name in ("id", "title", "status")), strict=True))
