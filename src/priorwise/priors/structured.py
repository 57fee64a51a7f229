"""A Gaussian prior with structure: a centre, a variance for each group of features, and kinship among features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from priorwise.errors import InputError
from priorwise.kernels import Floats
from priorwise.priors.base import Parameter, Prior, above_zero, at_least_zero, decades, share
from priorwise.priors.regression import frozen, numbers_of, short

NO_GROUPS: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class StructuredGaussian(Prior):
    """Weights lie near a centre; groups of features differ in variance; kindred features have similar weights.

    ::

        w ~ N(centre, variance · S)

                 words                        other labels    …
             ┌ (1 − k) I + k TTᵀ                          ┐
        S =  │                     groups["labels"] · I    │      k = kinship
             └                                          …  ┘

    The first group, as a rule the words, has the variance itself. T says which features are kin: words that share a
    run of letters, or that mean alike. With k = 0 every word is on its own. With k = ½ half of a word's variance comes
    from what it has in common with its kin, so evidence about *films* also moves *film*.

    Parameters
    ----------
    variance : float
        How far a weight may be from its centre. The targets are 0 and 1, with noise of variance 1.
    kinship : float
        The share k of the variance that kindred features have in common, from 0 to 1.
    groups : mapping of str to float
        The variance of each further group, relative to the first group's. A group that is not named is left out.
    centre : float or array
        Where the weights lie before any document is read: 0, or what somebody knows, a number per feature.

    Examples
    --------
    >>> StructuredGaussian(0.05, kinship=0.5, groups={"labels": 0.25})
    StructuredGaussian(variance=0.05, kinship=0.5, labels=0.25)
    >>> print(StructuredGaussian(0.05, kinship=0.5, groups={"labels": 0.25}).describe())
    A word's weight has a standard deviation of 0.22. Words that are spelled alike share 50% of the variance. Other \
categories count as evidence, with a variance of 0.25 times a word's.
    """

    variance: float = 1.0
    kinship: float = 0.0
    groups: Mapping[str, float] = field(default_factory=lambda: NO_GROUPS)
    centre: Any = 0.0

    formula = "w ~ N(centre, variance · ((1 − k) I + k TTᵀ))"
    parameters = (
        Parameter("variance", "σ²", 1e-4, 1e2, "how far a word's weight may be from its centre",
                  values=decades(-4, 2, 2)),
        Parameter("kinship", "k", 0.02, 0.98, "how much words that are spelled alike have in common",
                  "share", values=(0.0, 0.5), may_be_zero=True),
        Parameter("labels", "g", 1e-2, 1e1, "how much other categories count, compared with words",
                  values=(0.0, 1 / 16, 1 / 4, 1.0), may_be_zero=True),
    )  # fmt: skip

    def __post_init__(self) -> None:
        object.__setattr__(self, "variance", above_zero("a variance", self.variance))
        object.__setattr__(self, "kinship", share("kinship", self.kinship))
        own = {str(name): at_least_zero(f"the variance of '{name}'", value) for name, value in self.groups.items()}
        object.__setattr__(self, "groups", MappingProxyType(own))
        centre = numbers_of("centre", self.centre)
        if centre.ndim > 1 or not np.isfinite(centre).all():
            raise InputError("a centre is a finite number, or one for each feature")
        object.__setattr__(self, "centre", frozen(centre))

    def __repr__(self) -> str:
        parts = [f"variance={self.variance:.4g}"]
        parts += [f"kinship={self.kinship:g}"] * bool(self.kinship)
        parts += [f"{name}={value:g}" for name, value in self.groups.items() if value]
        parts += [f"centre={short(self.centre)}"] * bool(np.any(self.centre))
        return f"StructuredGaussian({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StructuredGaussian):
            return NotImplemented
        return self._key() == other._key() and np.array_equal(self.centre, other.centre)

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        # A read-only view of a dictionary cannot be pickled or copied.
        return type(self), (self.variance, self.kinship, dict(self.groups), self.centre)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Its fields by name; the groups as a dictionary of their own, which scikit-learn copies."""
        return {**super().get_params(deep), "groups": dict(self.groups)}

    def _key(self) -> tuple[Any, ...]:
        return self.variance, self.kinship, tuple(sorted(each for each in self.groups.items() if each[1]))

    @property
    def labels(self) -> float:
        """The relative variance of other categories; 0 leaves them out."""
        return self.groups.get("labels", 0.0)

    def with_numbers(self, *numbers: float) -> Self:
        """Give the same prior with another variance, kinship and relative variance of other categories."""
        variance, kinship, labels = numbers
        return replace(self, variance=variance, kinship=kinship, groups={**self.groups, "labels": labels})

    def of_groups(self, names: tuple[str, ...]) -> Floats:
        """The relative variance of each of some further groups; 0 for a group that the prior leaves out."""
        return np.array([self.groups.get(name, 0.0) for name in names])

    def describe(self, about: Any = None) -> str:
        sentences = [f"A word's weight has a standard deviation of {np.sqrt(self.variance):.2g}."]
        if self.kinship:
            sentences.append(f"Words that are spelled alike share {self.kinship:.0%} of the variance.")
        if self.labels:
            variance = "a word's variance" if self.labels == 1 else f"a variance of {self.labels:g} times a word's"
            sentences.append(f"Other categories count as evidence, with {variance}.")
        if vectors := self.groups.get("vectors", 0.0):
            sentences.append(f"A dimension of a document's vector has {vectors:g} times a word's variance.")
        if known := int(np.count_nonzero(self.centre)):
            sentences.append(f"{known:,} words start from what you know.")
        return " ".join(sentences)


@dataclass(frozen=True)
class HyperPrior:
    """What we expect of a category's prior before we see its members: the candidates, and the odds of each.

    All numbers were chosen on five of six categories of seven datasets (docs/concepts/hidden-members.md has the
    figures) and reported on the sixth.

    Parameters
    ----------
    variance : float
        The usual variance with five members, times the number of documents: 400. With five members the prior must hold
        the weights together.
    growth : float
        With m members the usual variance is (m/5)^0.6 times that. With a thousand members the prior must let go.
    small : int
        A corpus with fewer documents than this gets the variances of one with this many, 10,000. On 17 collections of
        300 to 3,241 abstracts this raised average precision from .351 to .386 with five members.
    steps : tuple of float
        The variances to try, relative to the usual one. Five ranks cannot choose among variances that differ more.
    kinship : float
        The share of the variance that kindred words have in common, where kinship is tried: half.
    group_variances : tuple of float
        The variances to try for another group of features, relative to a word's.
    vector_variances : tuple of float
        The same for the group of document vectors.
    group_odds : float
        The odds that another group of features helps: e⁻². Few left-out members must not add it by chance.
    vector_odds : float
        The odds that document vectors help: 1/e. Where they do, they do so for most categories.
    described_odds : float
        The odds that the category's name as one more member helps, or what somebody knows, or both: e.
    believed : tuple of int
        How many of the best candidates to treat as provisional members, besides none.
    belief : float
        The target of the very best of them; it falls to 0 for the last.
    knowledge : tuple of float
        The shares of the score to try for what somebody knows (words, a description), besides none.
    first_variance : float
        The variance before any member can be left out, times the number of documents.
    first_believed, first_rounds : int
        Before any member can be left out: how many candidates to treat as provisional members, and how often to choose
        them anew.
    first_knowledge : tuple of float
        The share of what somebody knows with no member, and with one.
    fewer : float
        When fitting on a fraction f of the members, multiply the variance by f**1.2: fewer members need a stronger
        prior. Without this, left-out members would choose priors too strong for all members together.

    Examples
    --------
    >>> [round(10_000 * HyperPrior().usual_variance(n, 10_000)) for n in (5, 20, 100, 1000)]
    [400, 919, 2414, 9609]
    """

    variance: float = 400.0
    growth: float = 0.6
    small: int = 10_000
    steps: tuple[float, ...] = (0.125, 0.5, 2.0, 8.0)
    kinship: float = 0.5
    group_variances: tuple[float, ...] = (1 / 16, 1 / 4, 1.0)
    vector_variances: tuple[float, ...] = (1 / 4, 1.0, 4.0)
    group_odds: float = float(np.exp(-2))
    vector_odds: float = float(np.exp(-1))
    described_odds: float = float(np.e)
    believed: tuple[int, ...] = (30, 100, 300)
    belief: float = 0.5
    knowledge: tuple[float, ...] = (0.1, 0.3)
    first_variance: float = 50.0
    first_believed: int = 200
    first_rounds: int = 3
    first_knowledge: tuple[float, float] = (1 / 3, 1 / 5)
    fewer: float = 1.2

    def odds_of(self, groups: Mapping[str, float]) -> float:
        """The odds that these groups of features help, those of variance 0 left out."""
        used = {name for name, variance in groups.items() if variance}
        return float(self.vector_odds ** ("vectors" in used) * self.group_odds ** bool(used - {"vectors"}))

    def variances_of(self, group: str) -> tuple[float, ...]:
        """The variances to try for a further group of features, relative to a word's."""
        return self.vector_variances if group == "vectors" else self.group_variances

    def usual_variance(self, n_members: int, n_documents: int) -> float:
        """The variance that usually suits a category of this size."""
        return float(self.variance * (n_members / 5) ** self.growth / max(n_documents, self.small))
