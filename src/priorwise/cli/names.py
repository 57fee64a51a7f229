"""Models, priors and objectives by name: what is written on the command line, read by what their classes declare."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from priorwise.errors import InputError

if TYPE_CHECKING:
    from priorwise.models.base import PriorModel
    from priorwise.priors.base import Prior

SEE_ALL = "priorwise train --list-models shows all"


@dataclass(frozen=True)
class NamedPrior:
    """A prior that was asked for: how to make it for a vocabulary of some size, and whether to learn its numbers."""

    make: Callable[[int], Any]
    learn: bool = False


def trained_models() -> dict[str, type[PriorModel]]:
    """List the models that can be trained, by name."""
    from priorwise.models.base import models

    return {name: model for name, model in models().items() if model.trains}


def parse_model(name: str) -> type[PriorModel]:
    """Read the name of a model."""
    found = trained_models()
    if name not in found:
        raise InputError(f"no model '{name}'; there are {', '.join(found)}")
    return found[name]


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
    priors = parse_model(model).priors()
    name, colon, given = text.partition(":")
    if name != "learn":
        return _given_prior(text, priors, f" of {model}", ["learn"])
    family = given if colon else next(iter(priors))
    if family not in priors:
        raise InputError(f"no prior '{family}' of {model} to learn; there are {', '.join(priors)}")
    if not priors[family]().parameters:
        raise InputError(f"'{family}' has no number to learn")
    return NamedPrior(lambda types: priors[family](), learn=True)


def _given_prior(text: str, priors: Mapping[str, type[Prior]], owner: str, more: list[str]) -> NamedPrior:
    """Read a prior by its name, a preset of the first of the priors, or the numbers of that one alone."""
    name, colon, given = text.partition(":")
    usual = next(iter(priors.values()))
    presets = [preset.name for preset in usual.presets(1) if preset.name]
    if text in presets:
        return NamedPrior(lambda types: next(each.prior for each in usual.presets(types) if each.name == text))
    if name not in priors:
        if numbers := _numbers(text, len(usual().parameters)):
            prior = usual().with_numbers(*numbers)
            return NamedPrior(lambda types: prior)
        raise InputError(f"no prior '{name}'{owner}; there are {', '.join([*priors, *presets, *more])}")
    prior = priors[name]()
    if colon:
        wanted = len(prior.parameters)
        numbers = _numbers(given, wanted)
        if not numbers:
            form = ",".join(["NUMBER"] * wanted)
            how = f"{name}:{form}, or without numbers" if wanted else f"{name}, without a number"
            raise InputError(f"'{text}' is not a prior: it is written {how}")
        prior = prior.with_numbers(*numbers)
    return NamedPrior(lambda types: prior)


def _numbers(given: str, wanted: int) -> list[float]:
    """Return `wanted` numbers that commas separate; an empty list for anything else."""
    try:
        numbers = [float(part) for part in given.split(",")]
    except ValueError:
        return []
    return numbers if len(numbers) == wanted else []


def parse_objective(name: str | None, *, needs: str | None = None) -> Any:
    """Read what a prior or a threshold is to be best at; a threshold needs nothing but counts.

    Examples
    --------
    >>> parse_objective("f0.5"), parse_objective("precision:0.5"), parse_objective("ppv@250")
    (FBeta(beta=0.5, at_corpus_odds=False), PPV(floor=0.5), PPVAtK(k=250))
    >>> parse_objective("macro-f1")
    MacroF1()
    """
    from priorwise.search.targets import listed, read_target

    if name is None:
        return None
    objective = read_target(re.sub(r"^precision(?=$|[:@])", "ppv", name))
    if objective is None or needs not in (None, objective.needs):
        raise InputError(
            f"no objective '{name}'{' for a threshold' if needs else ''}; there are {_precise(listed(needs))}"
        )
    return objective


def _precise(names: str) -> str:
    return re.sub(r"\bppv\b", "precision", names)


def parse_presence_prior(value: str | None) -> Any:
    """Read a prior of the presence model, or a function that makes one when the vocabulary is known."""
    if value is None:
        return None
    from priorwise.priors import PseudoCounts

    make = _given_prior(value, {PseudoCounts.name: PseudoCounts}, "", ["λ−,λ+ as in 22,4"]).make
    return make(1) if make(1) == make(2) else make


def show_names(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Print every model with its priors, and every objective, and end."""
    if not value or ctx.resilient_parsing:
        return
    from priorwise.search.targets import listed

    for name, model in trained_models().items():
        click.echo(f"--model {name}")
        priors = model.priors()
        for prior in priors.values():
            start = prior()
            numbers = ",".join(f"{number:g}" for number in start.numbers)
            click.echo(f"    {prior.name}{f':{numbers}' if numbers else ''}")
            for each in start.parameters:
                click.echo(f"        {each.symbol}: {each.caption}")
        presets = [preset.name for preset in next(iter(priors.values())).presets(1) if preset.name]
        click.echo(f"    {', '.join([*presets, 'learn', 'learn:PRIOR'])}")
    click.echo(f"--objective {_precise(listed())}")
    ctx.exit()
