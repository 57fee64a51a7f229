"""What every fit returns, a bias and a number per token, and how its scores become probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.counting import counted
from priorwise.kernels import Floats


@dataclass(frozen=True)
class Background:
    """What tokens add to an output that has nothing of its own to say of them: one number per output and group."""

    values: Floats
    group: NDArray[np.int32]


@dataclass(frozen=True, repr=False)
class Weights:
    """A fitted model of any kind: per output a bias, and a number for each token that the model knows.

    A document's score is the bias plus the numbers of its tokens. Tokens that the model does not know say nothing.

    With thousands of outputs most tokens are new to most of them. Then `values` is a sparse matrix of differences
    from a background, which every token has, and nothing of size outputs × tokens is ever made.
    """

    features: NDArray[np.int64]
    values: Any
    bias: Floats
    background: Background | None = None

    def __repr__(self) -> str:
        return f"<Weights: {counted(len(self.bias), 'output')}, {counted(len(self.features), 'token')}>"

    def table(self, n_tokens: int) -> Floats:
        """Array of one number per output and token of the vocabulary: 0 where the model does not know the token."""
        found = np.zeros((len(self.bias), n_tokens))
        for output, row in enumerate(found):
            row[self.features] = self.row(output)
        return found

    def lookup(self, n_tokens: int, output: int = 0) -> Floats:
        """Array of one number per token of the vocabulary: 0 where the model does not know the token.

        A known token whose number happens to be 0 gets the smallest positive number instead. It changes no sum, and
        whether a token is known can still be told from the array.
        """
        table = np.zeros(n_tokens)
        values = self.row(output)
        table[self.features] = np.where(values == 0.0, np.finfo(np.float64).tiny, values)
        return table

    def row(self, output: int) -> Floats:
        """Array of what each token that the model knows adds to an output, the background included."""
        if self.background is None:
            return self.values[output]
        row = self.background.values[output, self.background.group]
        own = self.values.indices == output
        row[np.repeat(np.arange(len(row)), np.diff(self.values.indptr))[own]] += self.values.data[own]
        return row


LINKS = ("softmax", "logistic", "probit")
"""What a score is: log-probability up to a term that all share, log odds, or a quantile of the normal distribution."""


def label_scores(scores: Floats, n_labels: int) -> Floats:
    """Scores with a column for each label: the one output of two classes counts for the second, against the first."""
    return np.column_stack([-scores[:, 0], scores[:, 0]]) if scores.shape[1] == 1 and n_labels == 2 else scores


def log_probabilities(scores: Floats, link: str, *, multilabel: bool) -> Floats:
    """Logarithm of each label's probability: of one class among all, or of each label on its own.

    ::

        softmax    exp(s_c) / Σ exp(s)          logistic    1 / (1 + exp(−s))          probit    Φ(s)

    Of two classes, whose scores are opposites, and of labels, softmax is logistic. Other links of several classes are
    made to add up to 1.
    """
    if not multilabel and scores.shape[1] > 2:
        each = scores if link == "softmax" else _of_each(scores, link)
        return each - np.logaddexp.reduce(each, axis=1, keepdims=True)
    return _of_each(scores, link)


def _of_each(scores: Floats, link: str) -> Floats:
    if link != "probit":
        return -np.logaddexp(0.0, -scores)
    from scipy.special import log_ndtr

    return np.asarray(log_ndtr(scores), dtype=np.float64)


@dataclass(frozen=True)
class Calibration:
    """Probability of membership as a logistic function of the score: 1/(1 + exp(−(slope·score + intercept))).

    The slope is never negative, so a higher score is never less probable.
    """

    slope: float
    intercept: float

    def probability(self, scores: Floats) -> Floats:
        return np.exp(-np.logaddexp(0.0, -self.log_odds(scores)))

    def log_odds(self, scores: Floats) -> Floats:
        return self.slope * scores + self.intercept


def calibrate(scores: Floats, positive: NDArray[np.bool_], weight: Floats) -> Calibration:
    """Fit the logistic function by weighted maximum likelihood, with Platt's targets instead of 0 and 1.

    Give each negative the number of documents of the corpus that it stands for as its weight, and the probabilities are
    those at the corpus's class odds, should it lack about as many members as it has.

    Platt, J., *Probabilistic outputs for support vector machines*, 1999.
    """
    members, others = weight[positive].sum(), weight[~positive].sum()
    target = np.where(positive, (members + 1) / (members + 2), 1 / (others + 2))
    centre, spread = float(np.average(scores, weights=weight)), float(np.std(scores))
    if spread <= 1e-12 * float(np.max(np.abs(scores))):
        # All equal but for rounding: nothing to tell them apart by.
        spread = 1.0
    x = (scores - centre) / spread
    odds = float(np.log((members + 1) / (others + 1)))
    slope, intercept = logistic_line(x, weight, np.array([np.sum(weight * target * x), np.sum(weight * target)]), odds)
    return Calibration(slope / spread, intercept - slope * centre / spread) if slope >= 0 else Calibration(0.0, odds)


def logistic_line(x: Floats, weight: Floats, wanted: Floats, intercept: float) -> tuple[float, float]:
    """Find a and b at which Σ w p(x) x and Σ w p(x) are as `wanted`, with p(x) = 1/(1 + e^{−(ax + b)}).

    It is the minimum of the convex Σ w log(1 + e^{ax + b}) − wanted · (a, b), by Newton's method from (0, `intercept`).
    """
    line = np.array([0.0, intercept])

    def loss(line: Floats) -> float:
        return float(np.sum(weight * np.logaddexp(0.0, line[0] * x + line[1])) - wanted @ line)

    current = loss(line)
    for _ in range(200):
        # Sums, because BLAS would wake all cores for products that take less time than that.
        p = np.exp(-np.logaddexp(0.0, -(line[0] * x + line[1])))
        curvature = weight * p * (1 - p) + 1e-12
        gradient = np.array([np.sum(weight * p * x), np.sum(weight * p)]) - wanted
        mixed = np.sum(curvature * x)
        hessian = np.array([[np.sum(curvature * x * x), mixed], [mixed, np.sum(curvature)]])
        step = np.linalg.solve(hessian + 1e-9 * np.trace(hessian) * np.eye(2), gradient)
        while (new := loss(line - step)) > current and np.abs(step).max() > 1e-12:
            step /= 2
        line, gained, current = line - step, current - new, new
        if gained <= 1e-12 * abs(current):
            break
    return float(line[0]), float(line[1])
