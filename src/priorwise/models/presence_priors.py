"""The kinds of prior that presence naive Bayes can have: what a strength of a class means to each of its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError
from priorwise.models.grid import COLLECTION_GRID, PAPER_GRID
from priorwise.priors import PseudoCounts, TermBeta
from priorwise.priors.marginal_likelihood import distinct_rows
from priorwise.priors.rates import blend, log_rate
from priorwise.priors.term_counts import TermCounts

Floats = NDArray[np.float64]

PresencePrior = PseudoCounts | TermBeta | Sequence[TermBeta]


class LogTable(NamedTuple):
    """The tokens' rates in one class, at several strengths.

    The logarithm of token x's rate at the k-th strength is ``logs[rows[x], k] − sizes[k] + shared[x]``. The sizes are
    also, but for a term that all classes share, the logarithm of the class's own rate.
    """

    rows: NDArray[np.int32]
    logs: Floats
    sizes: Floats
    shared: Floats | float

    def log_rates(self) -> Floats:
        """Logarithm of every token's rate at the first strength."""
        return self.logs[self.rows, 0] - self.sizes[0] + self.shared


class PriorKind(Protocol):
    """A family of priors with one number for each class."""

    @property
    def grid(self) -> Floats:
        """The numbers that a search looks at."""

    @property
    def rising(self) -> bool:
        """Whether what a class adds to a case's score can only grow with its number."""

    def prior(self, strengths: Sequence[float]) -> PresencePrior:
        """Make the prior with these numbers, one for each class."""

    def strengths(self, prior: Any, n_classes: int) -> Floats:
        """The number of each class."""

    def table(self, counts: TermCounts, strengths: Floats) -> LogTable:
        """The rates of a class's tokens at each of the strengths."""


@dataclass(frozen=True)
class ImaginedDocuments:
    """`PseudoCounts`: λ imagined documents for each class, around one of its centres.

    ::

        log p(x|c) = log(λ + n(x,c)/π(x)) − log(λ + n(c)) + log π(x)          π = 1 if the centre is uniform
    """

    centre: str = "uniform"

    def __post_init__(self) -> None:
        PseudoCounts(centre=self.centre)  # refuses what is no centre

    @property
    def grid(self) -> Floats:
        """The paper's strengths, or up to a million around the collection."""
        return PAPER_GRID if self.rising else COLLECTION_GRID

    @property
    def rising(self) -> bool:
        """Every rate grows with λ where the centre is 1. Around the collection those of frequent tokens fall."""
        return self.centre == "uniform"

    def prior(self, strengths: Sequence[float]) -> PseudoCounts:
        """Make the prior with these strengths."""
        if len(strengths) == 2:
            return PseudoCounts(float(strengths[0]), float(strengths[1]), centre=self.centre)
        return PseudoCounts(classes=strengths, centre=self.centre)

    def strengths(self, prior: PseudoCounts, n_classes: int) -> Floats:
        """λ of each class."""
        return prior.strengths(n_classes)

    def table(self, counts: TermCounts, strengths: Floats) -> LogTable:
        """The rates of a class's tokens at each of the strengths."""
        found: Floats = counts.found
        shared: Floats | float = 0.0
        if self.centre == "collection":
            found = np.divide(found, counts.share, out=np.zeros(counts.shape), where=counts.share > 0)
            shared = log_rate(counts.share)
        values, rows = np.unique(found, return_inverse=True)
        logs = np.log(strengths + values[:, np.newaxis])
        return LogTable(rows.astype(np.int32), logs, np.log(strengths + counts.documents), shared)


UNIFORM = ImaginedDocuments()


@dataclass(frozen=True)
class StrengthPerTerm:
    """`TermBeta`: the strength of each token is read from the data, and each class has a scale for all of them::

        p(x|c) = (λ ŝ(x) π(x) + n(x,c)) / (λ ŝ(x) + n(c))          p(c) = n(c) / N

    A token with an infinite ŝ has the rate π in every class, and says nothing.
    """

    rising = False

    @property
    def grid(self) -> Floats:
        """The scales of `TermBeta.grid`."""
        return np.array([prior.scale for prior in TermBeta.grid()])

    def prior(self, strengths: Sequence[float]) -> tuple[TermBeta, ...]:
        """Make a prior for each class."""
        return tuple(TermBeta(scale) for scale in strengths)

    def strengths(self, prior: TermBeta | Sequence[TermBeta], n_classes: int) -> Floats:
        """The scale of each class."""
        if isinstance(prior, TermBeta):
            return np.full(n_classes, prior.scale)
        if len(prior) != n_classes:
            raise InputError(f"give one prior for each of the {n_classes} classes, not {len(prior)}")
        return np.array([each.scale for each in prior])

    def table(self, counts: TermCounts, strengths: Floats) -> LogTable:
        """The rates of a class's tokens at each of the strengths."""
        each = np.broadcast_arrays(counts.found, counts.share, counts.strength)
        distinct, rows = distinct_rows(np.stack(each, axis=1))
        found, share, own = (column[:, np.newaxis] for column in distinct.T)
        size = log_rate(counts.documents)
        logs = log_rate(blend(found, counts.documents, share, strengths * own)) + size
        return LogTable(rows.astype(np.int32), logs, np.full(len(strengths), size), 0.0)


def kind_of(prior: Any) -> PriorKind:
    """Tell what kind of prior this is; None stands for the default, Bayes-Laplace.

    Examples
    --------
    >>> kind_of(PseudoCounts(1000, 3000, centre="collection"))
    ImaginedDocuments(centre='collection')
    >>> kind_of([TermBeta(0.1), TermBeta(10)]).strengths([TermBeta(0.1), TermBeta(10)], 2)
    array([ 0.1, 10. ])
    """
    if prior is None:
        return UNIFORM
    if isinstance(prior, PseudoCounts):
        return ImaginedDocuments(prior.centre)
    each = prior if isinstance(prior, Sequence) else [prior]
    if each and all(isinstance(one, TermBeta) for one in each):
        return StrengthPerTerm()
    raise InputError(
        f"the prior of PresenceNB is a PseudoCounts, or a TermBeta or a list of one for each class, not {prior!r}"
    )
