"""How an estimator is written: with its prior, also when none was given."""

from __future__ import annotations

from typing import Any, cast

from sklearn.base import BaseEstimator


class ShowsPrior(BaseEstimator):
    """Base of the estimators that have a prior.

    Examples
    --------
    >>> from priorwise.models.multinomial import MultinomialNB
    >>> MultinomialNB(), MultinomialNB(class_rate="uniform")
    (MultinomialNB(prior=Dirichlet(1)), MultinomialNB(prior=Dirichlet(1), class_rate='uniform'))
    """

    prior: Any

    @property
    def given_prior(self) -> Any:
        """The prior, or the default."""
        return self.prior if self.prior is not None else self._default_prior()

    def _default_prior(self) -> Any:
        raise NotImplementedError

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        written = cast("str", super().__repr__(N_CHAR_MAX))
        if self.prior is not None:
            return written
        name, _, rest = written.partition("(")
        return f"{name}(prior={self._default_prior()!r}{', ' if rest != ')' else ''}{rest}"
