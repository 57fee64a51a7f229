"""How good each Beta and Jelinek-Mercer prior is, category by category, on three kinds of documents."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.models.bernoulli import BernoulliNB
from priorwise.models.prior_search import PriorSearch
from priorwise.papers.split import Split
from priorwise.priors import Beta, CollectionBeta, JelinekMercer, TermBeta
from priorwise.search import FBeta

Floats = NDArray[np.float64]

CHUNK = 25
"""How many priors make a cell."""

WAYS = {"oracle": "oracle (test)", "train": "training F1", "loo": "leave-one-out F1"}
"""How the numbers of a prior are chosen for a category: by its F1 on which documents."""


@dataclass(frozen=True)
class Method:
    """A smoothing method: the priors it chooses from, and the one it starts from, which wins a tie."""

    name: str
    what: str
    start: Any
    grid: Callable[[], tuple[Any, ...]]

    def priors(self, quick: bool) -> tuple[Any, ...]:
        """The start first, then the others; every tenth if in a hurry."""
        others = [prior for prior in self.grid() if prior != self.start]
        return (self.start, *(others[::10] if quick else others))


METHODS = {
    method.name: method
    for method in (
        Method("LA", "Laplace, Beta(1, 1)", Beta.laplace(), lambda: ()),
        Method("JE", "Jelinek-Mercer", JelinekMercer(), JelinekMercer.grid),
        Method("EY", "Beta(0.1, 0.3)", Beta.eyheramendy(), lambda: ()),
        Method("VI", "Beta(α, β)", Beta.eyheramendy(), lambda: (Beta.laplace(), *Beta.grid())),
        Method("collection", "CollectionBeta", CollectionBeta(), CollectionBeta.grid),
        Method("per term", "TermBeta", TermBeta(), TermBeta.grid),
    )
}


def chunks(method: Method, quick: bool) -> list[tuple[Any, ...]]:
    """Return the priors of a method in the portions that are kept."""
    priors = method.priors(quick)
    return [priors[start : start + CHUNK] for start in range(0, len(priors), CHUNK)]


def judge(split: Split, priors: Sequence[Any]) -> dict[str, Any]:
    """Value priors, each for every category against the rest.

    Returns
    -------
    dict
        ``loo`` and ``train``: the F1 of each prior and category, on the training documents that the model has not
        seen, one at a time, and on those that it has; ``found`` and ``decided``: how many test documents of the
        category were put into it, and how many documents in all.
    """
    Y = split.Y_train.astype(np.int64)
    search = PriorSearch(BernoulliNB(), target=FBeta(1.0), grid=priors).fit(split.X_train, Y)
    train, found, decided = [], [], []
    true = np.asarray(split.Y_train.sum(axis=0)).ravel()
    for prior in priors:
        model = BernoulliNB(prior).fit(split.X_train, Y)
        hits, all_ = decisions(model, split.X_train, split.Y_train)
        train.append(f1(hits, all_, true).tolist())
        hits, all_ = decisions(model, split.X_test, split.Y_test)
        found.append(hits.tolist())
        decided.append(all_.tolist())
    by_label = np.reshape(search.trials_["score"], (-1, len(priors)))
    return {"loo": by_label.T.tolist(), "train": train, "found": found, "decided": decided}


def decisions(model: BernoulliNB, X: Any, Y: Any) -> tuple[Floats, Floats]:
    """How many documents were rightly put into each category, and how many at all."""
    assigned = np.reshape(model.decision_function(X), Y.shape) > 0
    return np.asarray(Y.multiply(assigned).sum(axis=0)).ravel(), assigned.sum(axis=0).astype(np.float64)


def f1(found: Floats, decided: Floats, true: Floats) -> Floats:
    """F1 of each category; 0 where nothing is true and nothing was decided."""
    return share(2 * found, decided + true)


def share(part: Floats, whole: Floats) -> Floats:
    """Divide; 0/0 is 0."""
    return np.divide(part, whole, out=np.zeros(np.shape(whole)), where=whole > 0)


@dataclass(frozen=True)
class Judged:
    """A method on a collection, each category with its own prior.

    Parameters
    ----------
    method : Method
        Which.
    priors : sequence
        All that were tried.
    cells : list of dict
        What `judge` gave, portion by portion.
    true : array
        How many test documents are in each category.
    """

    method: Method
    priors: Sequence[Any]
    cells: Sequence[dict[str, Any]]
    true: Floats

    def _all(self, what: str) -> Floats:
        return np.concatenate([np.asarray(cell[what], dtype=np.float64) for cell in self.cells])

    @cached_property
    def _on_test(self) -> Floats:
        return f1(self._all("found"), self._all("decided"), np.broadcast_to(self.true, self._all("found").shape))

    def chosen(self, way: str) -> NDArray[np.int64]:
        """The number of the best prior of each category; among equals the one nearest to the start."""
        values = self._on_test if way == "oracle" else self._all(way)
        order = np.argsort([distance(prior, self.method.start) for prior in self.priors], kind="stable")
        return order[np.argmax(values[order], axis=0)]

    def outcome(self, way: str) -> Outcome:
        """What the chosen priors do on the test documents."""
        places = self.chosen(way)[np.newaxis]
        found, decided = (np.take_along_axis(self._all(what), places, axis=0)[0] for what in ("found", "decided"))
        return Outcome(found, decided, self.true)


@dataclass(frozen=True)
class Outcome:
    """Decisions on test documents, counted by category."""

    found: Floats
    decided: Floats
    true: Floats

    @property
    def f1(self) -> Floats:
        """F1 of each category."""
        return f1(self.found, self.decided, self.true)

    def macro(self) -> tuple[float, float, float]:
        """Recall, precision and F1, means over the categories."""
        recall, precision = share(self.found, self.true), share(self.found, self.decided)
        return float(recall.mean()), float(precision.mean()), float(self.f1.mean())

    def micro(self) -> tuple[float, float, float]:
        """Recall, precision and F1 of all decisions together."""
        summed = Outcome(*(np.array([each.sum()]) for each in (self.found, self.decided, self.true)))
        return summed.macro()


def distance(prior: Any, other: Any) -> float:
    """How far apart two priors of a kind are, in the logarithms of their numbers."""
    ours, theirs = (np.array(dataclasses.astuple(each)) for each in (prior, other))
    return float(np.sum((np.log(ours + 1e-6) - np.log(theirs + 1e-6)) ** 2))
