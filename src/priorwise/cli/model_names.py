"""Models, their priors and what to learn a prior for, by name: the one place where these names are read."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from priorwise.cli.names import NAMES, parse_target
from priorwise.errors import InputError

WORD_PRIORS = {
    "dirichlet": ("Dirichlet", 1),
    "absolute-discount": ("AbsoluteDiscount", 1),
    "linear-discount": ("LinearDiscount", 1),
    "witten-bell": ("WittenBell", 1),
    "jelinek-mercer": ("JelinekMercer", 1),
    "collection-beta": ("CollectionBeta", 1),
}
RATE_PRIORS = {
    "beta": ("Beta", 2),
    "jelinek-mercer": ("JelinekMercer", 1),
    "collection-beta": ("CollectionBeta", 1),
    "term-beta": ("TermBeta", 1),
}
SHARED_WEIGHT = {"weight-manipulation": ("WeightManipulation", 1)}
COEFFICIENT_PRIORS = {"gaussian": ("Gaussian", 1), "laplace": ("Laplace", 1)}
PROBIT_PRIORS = {**COEFFICIENT_PRIORS, "jeffreys": ("Jeffreys", 0)}
"""Each prior's class, and how many numbers it takes."""

PRESETS = ("laplace", "jeffreys", "perks", "eyheramendy")
"""Named points of the first prior of a model."""

CLASS_TARGETS = {
    "accuracy": "Accuracy",
    "macro-f1": "MacroF1",
    "micro-f1": "MicroF1",
    "log-likelihood": "LogLikelihood",
}
TARGETS = f"{', '.join(CLASS_TARGETS)}, {NAMES}"


class Kind(NamedTuple):
    """A kind of model: where it is, what it reads of a document, what its scores are, and its priors by name.

    The estimator has a parameter `prior`, and `weights_` when it is fitted.
    """

    module: str
    name: str
    features: str
    link: str
    priors: dict[str, tuple[str, int]]
    has_class_rate: bool = True
    regression: bool = False

    def estimator(self, prior: Any, class_rate: str) -> Any:
        """Make an estimator of this kind."""
        options = {"class_rate": class_rate} if self.has_class_rate else {}
        return getattr(importlib.import_module(self.module), self.name)(prior=prior, **options)

    def prior(self, name: str) -> Any:
        """The class of a prior."""
        return getattr(importlib.import_module("priorwise.priors"), self.priors[name][0])

    def presets(self) -> list[str]:
        """The presets that its first prior has."""
        first = self.prior(next(iter(self.priors)))
        return [name for name in PRESETS if hasattr(first, name)]


KINDS = {
    "multinomial": Kind("priorwise.models.multinomial", "MultinomialNB", "counts", "softmax", WORD_PRIORS),
    "bernoulli": Kind("priorwise.models.bernoulli", "BernoulliNB", "presence", "softmax", RATE_PRIORS),
    "weighted": Kind("priorwise.models.multinomial", "WeightedNB", "counts", "softmax", SHARED_WEIGHT),
    "logistic": Kind(
        "priorwise.models.logistic", "LogisticRegression", "counts", "logistic", COEFFICIENT_PRIORS, False, True
    ),
    "probit": Kind("priorwise.models.probit", "ProbitRegression", "counts", "probit", PROBIT_PRIORS, False, True),
}


@dataclass(frozen=True)
class NamedPrior:
    """A prior that was asked for: how to make it for a vocabulary of some size, and whether to learn its numbers."""

    make: Callable[[int], Any]
    learn: bool = False


def parse_prior(model: str, text: str) -> NamedPrior:
    """Read the name of a model's prior, with its numbers if it is given any.

    Examples
    --------
    >>> parse_prior("multinomial", "witten-bell:0.1").make(1000)
    WittenBell(0.1)
    >>> parse_prior("bernoulli", "beta:0.1,0.3").make(1000), parse_prior("bernoulli", "perks").make(1000)
    (Beta(alpha=0.1, beta=0.3), Beta(alpha=0.001, beta=0.001))
    >>> parse_prior("multinomial", "learn:witten-bell").learn
    True
    """
    kind = KINDS[model]
    name, colon, given = text.partition(":")
    if name == "learn":
        family = given if colon else next(iter(kind.priors))
        if family not in kind.priors:
            raise InputError(f"no prior '{family}' of {model} to learn; there are {', '.join(kind.priors)}")
        if not kind.priors[family][1]:
            raise InputError(f"'{family}' has no number to learn")
        return NamedPrior(lambda types: kind.prior(family)(), learn=True)
    if name in kind.presets() and not colon:
        preset = getattr(kind.prior(next(iter(kind.priors))), name)
        return NamedPrior(lambda types: preset(types) if name == "perks" else preset())
    if name not in kind.priors:
        known = ", ".join([*kind.priors, *kind.presets(), "learn"])
        raise InputError(f"no prior '{name}' of {model}; there are {known}")
    prior = kind.prior(name)(*_numbers(given, text, kind.priors[name][1]) if colon else ())
    return NamedPrior(lambda types: prior)


def _numbers(given: str, text: str, wanted: int) -> list[float]:
    try:
        numbers = [float(part) for part in given.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != wanted:
        name, form = text.partition(":")[0], ",".join(["NUMBER"] * wanted)
        how = f"{name}:{form}, or without numbers" if wanted else f"{name}, without a number"
        raise InputError(f"'{text}' is not a prior: it is written {how}")
    return numbers


def parse_model_target(name: str) -> Any:
    """Read the name of what a learned prior is to be good at.

    Examples
    --------
    >>> parse_model_target("macro-f1"), parse_model_target("f0.5")
    (MacroF1(), FBeta(beta=0.5, at_corpus_odds=False))
    """
    if name in CLASS_TARGETS:
        return getattr(importlib.import_module("priorwise.search"), CLASS_TARGETS[name])()
    target = parse_target(name)
    if target is None:
        raise InputError(f"no target '{name}'; there are {TARGETS}")
    return target


def all_priors() -> str:
    """Every prior of every model, for the help."""
    of_models = "; ".join(f"{model}: {', '.join(kind.priors)}" for model, kind in KINDS.items())
    return f"{of_models}; {', '.join(PRESETS)}; learn, learn:PRIOR"
