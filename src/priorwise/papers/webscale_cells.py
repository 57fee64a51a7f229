"""Standard naive Bayes and the five methods: choose the one number of each by leave-one-out, then count the hits."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorwise.models.multinomial import MultinomialNB, WeightedNB
from priorwise.models.prior_search import PriorSearch
from priorwise.papers.webscale_data import Classes
from priorwise.priors import AbsoluteDiscount, Dirichlet, LinearDiscount, WeightManipulation, WittenBell

FINER = 7
"""How many priors are tried between the best of the grid and its two neighbours."""

STANDARD = "standard"


@dataclass(frozen=True)
class Method:
    """One of the paper's methods: the model and the kind of its prior, or none if there is nothing to choose."""

    title: str
    model: type[Any]
    prior: type[Any] | None


METHODS = {
    STANDARD: Method("Standard NB", MultinomialNB, None),
    "weights": Method("WMNB (γ)", WeightedNB, WeightManipulation),
    "laplace": Method("PNBC-Laplace (α)", MultinomialNB, Dirichlet),
    "absolute": Method("PNBC-Absolute (δ)", MultinomialNB, AbsoluteDiscount),
    "linear": Method("PNBC-Linear (α)", MultinomialNB, LinearDiscount),
    "witten-bell": Method("PNBC-WittenBell (α)", MultinomialNB, WittenBell),
}


def accuracy(classes: Classes, method: Method, seed: int, every: int) -> dict[str, Any]:
    """Learn from four fifths of the documents and classify the others.

    The method's number is chosen by the accuracy of exact leave-one-out on the training documents: first among those of
    the grid, or every so many of them, then between the best and its neighbours.

    Returns
    -------
    dict
        ``accuracy`` on the test documents, the chosen ``number``, and its leave-one-out accuracy, ``held_out``.
    """
    X, y, X_test, y_test = classes.split(seed)
    if method.prior is None:
        model = method.model().fit(X, y)
        return {"accuracy": _share_right(model, X_test, y_test), "number": None, "held_out": None}
    grid = method.prior.grid()[::every]
    coarse = PriorSearch(method.model(method.prior()), grid=grid).fit(X, y)
    fine = PriorSearch(
        method.model(coarse.best_prior_), grid=[coarse.best_prior_, *between_neighbours(coarse.best_prior_, grid)]
    ).fit(X, y)
    return {
        "accuracy": _share_right(fine, X_test, y_test),
        "number": number_of(fine.best_prior_),
        "held_out": fine.best_score_,
    }


def _share_right(model: Any, X: Any, y: Any) -> float:
    return float(np.mean(model.predict(X) == y))


def number_of(prior: Any) -> float:
    """The one number of a prior.

    Examples
    --------
    >>> number_of(WittenBell(0.5))
    0.5
    """
    (number,) = dataclasses.astuple(prior)
    return float(number)


def between_neighbours(prior: Any, grid: Sequence[Any]) -> list[Any]:
    """Priors between the neighbours of one of the grid, at equal ratios.

    Examples
    --------
    >>> grid = [WeightManipulation(gamma) for gamma in (-1, -4, -256)]
    >>> [round(number_of(prior)) for prior in between_neighbours(grid[1], grid)]
    [-2, -4, -8, -16, -32, -64, -128]
    """
    numbers = sorted({number_of(each) for each in grid}, key=abs)
    place = numbers.index(number_of(prior))
    low, high = numbers[max(place - 1, 0)], numbers[min(place + 1, len(numbers) - 1)]
    return [type(prior)(float(number)) for number in np.geomspace(low, high, FINER + 2)[1:-1]]
