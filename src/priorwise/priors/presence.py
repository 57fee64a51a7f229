"""What presence naive Bayes asks of a prior: one strength for each class, and the rates of a class at any strength."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError
from priorwise.priors.base import Prior, checked, is_several, one_each
from priorwise.priors.term_counts import TermCounts

Floats = NDArray[np.float64]


class LogTable(NamedTuple):
    """The words' rates in one class, at several strengths.

    The logarithm of word x's rate at the k-th strength is ``logs[rows[x], k] − sizes[k] + shared[x]``. The sizes are
    also the logarithm of the class's own rate, up to a term that all classes share.
    """

    rows: NDArray[np.int32]
    logs: Floats
    sizes: Floats
    shared: Floats | float

    def log_rates(self) -> Floats:
        """Logarithm of every word's rate at the first strength."""
        return self.logs[self.rows, 0] - self.sizes[0] + self.shared


class PresencePrior(Prior, listed=False):
    """A prior with one strength for each class: what presence naive Bayes asks for."""

    @property
    def strength_grid(self) -> Floats:
        """The strengths that a search tries, ascending."""
        return np.array(self.parameters[0].values)

    @property
    def rising(self) -> bool:
        """Whether a class's part of a score can only grow with its strength, so that a search can take short cuts."""
        return False

    def strengths(self, n_classes: int) -> Floats:
        """The strength of each class, in the order of ``classes_``."""
        raise NotImplementedError

    def with_strengths(self, strengths: Sequence[float]) -> Any:
        """Make the prior, or one for each class, with these strengths."""
        raise NotImplementedError

    def table(self, counts: TermCounts, strengths: Floats) -> LogTable:
        """The rates of a class's words at each of the strengths."""
        raise NotImplementedError


def kind_of(prior: Any) -> PresencePrior:
    """Take the prior whose table serves all classes: the prior itself, or the first of those given for each class.

    Examples
    --------
    >>> from priorwise.priors import TermBeta
    >>> kind_of([TermBeta(0.1), TermBeta(10)])
    TermBeta(0.1)
    """
    from priorwise.priors.pseudo_counts import PseudoCounts

    given: Any = PseudoCounts.laplace() if prior is None else prior
    kinds = [checked(one, PresencePrior, "PresenceNB") for one in (given if is_several(given) else [given])]
    if len({repr(one.with_strengths([1.0, 1.0])) for one in kinds}) != 1:
        raise InputError(f"the classes of PresenceNB have priors of one kind, unlike {prior!r}")
    return kinds[0]


def strengths_of(prior: Any, n_classes: int) -> Floats:
    """The strength of each class, from one prior or from one for each class.

    Examples
    --------
    >>> from priorwise.priors import TermBeta
    >>> strengths_of([TermBeta(0.1), TermBeta(10)], 2)
    array([ 0.1, 10. ])
    """
    each = one_each(kind_of(None) if prior is None else prior, n_classes)
    return np.array([one.strengths(n_classes)[c] for c, one in enumerate(each)])
