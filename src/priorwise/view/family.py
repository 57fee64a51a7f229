"""What a family of priors is: a model, one or two numbers, and the names that some numbers have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

LARGEST = 1e9
SMALLEST = 1e-9


@dataclass(frozen=True)
class Parameter:
    """One number of a prior.

    Parameters
    ----------
    name, symbol : str
        What it is called in addresses and files, and on the screen.
    low, high : float
        Between what a slider moves it, on a logarithmic scale; a share of 1 on a scale that is finer at both ends.
        Typed values may lie outside.
    is_share : bool
        Whether it lies between 0 and 1.
    """

    name: str
    symbol: str
    low: float
    high: float
    is_share: bool = False

    @property
    def least(self) -> float:
        """The smallest value that can be typed."""
        return SMALLEST

    @property
    def most(self) -> float:
        """The largest value that can be typed."""
        return 1.0 - 1e-9 if self.is_share else LARGEST


@dataclass(frozen=True)
class Preset:
    """A prior with a name and a key; without numbers, the one of its family that leave-one-out finds best."""

    key: str
    name: str
    title: str
    family: str
    values: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Family:
    """A model, and a kind of prior for it.

    Parameters
    ----------
    name, title : str
        What it is called in addresses, and on the screen.
    model : {"bernoulli", "presence", "multinomial"}
        How a document is read.
    parameters : tuple of Parameter
        The prior's numbers.
    make : callable
        From the numbers to the prior; the prior's own class, where its numbers are all it has.
    default : tuple of float
        Where to start.
    says : str
        The formula.
    """

    name: str
    title: str
    model: str
    parameters: tuple[Parameter, ...]
    make: Any
    default: tuple[float, ...]
    says: str

    def presets(self, types: int) -> list[Preset]:
        """The priors with a name, for this model; `types` is how many tokens there are.

        Examples
        --------
        >>> from priorwise.view.families import FAMILIES
        >>> [preset.name for preset in FAMILIES["beta"].presets(100)]
        ['LA', 'JE', 'EY', 'VI', 'Jeffreys', 'Perks']
        """
        one, half, shared = "one imagined document", "half an imagined document", "one, shared by all tokens"
        ways = [("l", "Laplace", one, 1.0), ("h", "Jeffreys", half, 0.5), ("p", "Perks", shared, 1.0 / types)]
        if self.model == "bernoulli":
            named = [Preset(key, name, title, "beta", (number, number)) for key, name, title, number in ways]
            return [
                Preset("l", "LA", "Laplace: α = β = 1", "beta", (1.0, 1.0)),
                Preset("j", "JE", "Jelinek-Mercer with the best λ", "jelinek-mercer"),
                Preset("e", "EY", "Eyheramendy, Lewis and Madigan: α = 0.1, β = 0.3", "beta", (0.1, 0.3)),
                Preset("v", "VI", "Beta with the best α and β", "beta"),
                *named[1:],
            ]
        if self.model == "presence":
            return [Preset(key, name, title, "presence", (number, number)) for key, name, title, number in ways]
        return [
            *(Preset(key, name, title, "dirichlet", (number,)) for key, name, title, number in ways),
            Preset("w", "Witten-Bell", "their own: α = 1", "witten-bell", (1.0,)),
        ]

    def estimator(self, prior: Any) -> Any:
        """The scikit-learn classifier with a prior of this family."""
        if self.model == "bernoulli":
            from priorwise.models.bernoulli import BernoulliNB

            return BernoulliNB(prior)
        if self.model == "presence":
            from priorwise.models.presence import PresenceNB

            return PresenceNB(prior)
        from priorwise.models.multinomial import MultinomialNB

        return MultinomialNB(prior)


@dataclass(frozen=True)
class Setting:
    """A family and its numbers.

    Examples
    --------
    >>> from priorwise.view.families import setting_of
    >>> setting_of("beta", {"alpha": 0.1, "beta": 0.3}).prior
    Beta(alpha=0.1, beta=0.3)
    """

    family: Family
    values: tuple[float, ...]

    @property
    def prior(self) -> Any:
        """The prior with these numbers."""
        return self.family.make(*self.values)

    def named(self) -> dict[str, float]:
        """The numbers by their names."""
        return {each.name: value for each, value in zip(self.family.parameters, self.values, strict=True)}
