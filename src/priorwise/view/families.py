"""The priors that can be seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from priorwise.errors import InputError, UnknownName
from priorwise.priors import (
    AbsoluteDiscount,
    Beta,
    Dirichlet,
    JelinekMercer,
    LinearDiscount,
    PseudoCounts,
    TermBeta,
    WittenBell,
)
from priorwise.view.family import Family, Parameter, Setting

_ALPHA = Parameter("alpha", "α", 1e-6, 1e2)
_SHARE = Parameter("lambda", "λ", 1e-4, 1 - 1e-4, is_share=True)


def _strengths(low: float, high: float) -> tuple[Parameter, Parameter]:
    return Parameter("negative", "λ−", low, high), Parameter("positive", "λ+", low, high)


FAMILIES: Mapping[str, Family] = {
    family.name: family
    for family in (
        Family(
            "beta",
            "Bernoulli, Beta prior",
            "bernoulli",
            (Parameter("alpha", "α", 1e-5, 1e2), Parameter("beta", "β", 1e-3, 1e5)),
            Beta,
            (1.0, 1.0),
            "θ = (τ + α) / (m + α + β)",
        ),
        Family(
            "jelinek-mercer",
            "Bernoulli, Jelinek-Mercer",
            "bernoulli",
            (_SHARE,),
            JelinekMercer,
            (0.5,),
            "θ = (1 − λ) τ/m + λ π",
        ),
        Family(
            "term-beta",
            "Bernoulli, a strength per token",
            "bernoulli",
            (Parameter("scale", "scale", 1e-6, 1e4),),
            TermBeta,
            (1.0,),
            "θ = (τ + s π) / (m + s), s = scale · ŝ(token)",
        ),
        Family(
            "presence",
            "Presence, imagined documents",
            "presence",
            _strengths(1e-2, 2e2),
            PseudoCounts,
            (1.0, 1.0),
            "p(x|c) = (λc + n(x,c)) / (λc + n(c))",
        ),
        Family(
            "presence-collection",
            "Presence, around the collection",
            "presence",
            _strengths(1e-1, 1e6),
            lambda negative, positive: PseudoCounts(negative, positive, centre="collection"),
            (10.0, 10.0),
            "p(x|c) = (λc π(x) + n(x,c)) / (λc + n(c))",
        ),
        Family(
            "dirichlet",
            "Multinomial, Laplace",
            "multinomial",
            (_ALPHA,),
            Dirichlet,
            (1.0,),
            "p(i|c) = (N + α) / (ΣN + αV)",
        ),
        Family(
            "absolute",
            "Multinomial, absolute discount",
            "multinomial",
            (Parameter("discount", "δ", 1e-3, 0.99, is_share=True),),
            AbsoluteDiscount,
            (0.5,),
            "p(i|c) = (N − δ) / ΣN if seen, δU / (ΣN·Z) if not",
        ),
        Family(
            "linear",
            "Multinomial, linear discount",
            "multinomial",
            (Parameter("alpha", "α", 1e-6, 0.99, is_share=True),),
            LinearDiscount,
            (0.1,),
            "p(i|c) = (1 − α) N / ΣN if seen, α / Z if not",
        ),
        Family(
            "witten-bell",
            "Multinomial, Witten-Bell",
            "multinomial",
            (_ALPHA,),
            WittenBell,
            (1.0,),
            "p(i|c) = N / (ΣN + αU) if seen, αU / ((ΣN + αU)·Z) if not",
        ),
        Family(
            "jelinek-mercer-words",
            "Multinomial, Jelinek-Mercer",
            "multinomial",
            (_SHARE,),
            JelinekMercer,
            (0.5,),
            "p(i|c) = (1 − λ) N / ΣN + λ π",
        ),
    )
}


def setting_of(family: str, values: Mapping[str, float] | Sequence[float] | None = None) -> Setting:
    """Name a prior: by its family, and by its numbers unless they are the usual ones.

    Examples
    --------
    >>> setting_of("beta").values, setting_of("dirichlet", [0.01]).prior
    ((1.0, 1.0), Dirichlet(0.01))
    >>> setting_of("dirichlet", [-1.0])
    Traceback (most recent call last):
    ...
    priorwise.errors.InputError: α must be a number from 1e-09 to 1e+09, not -1
    """
    if family not in FAMILIES:
        raise UnknownName("family of priors", family, FAMILIES, complete=True)
    found = FAMILIES[family]
    if values is None:
        return Setting(found, found.default)
    wanted = [each.name for each in found.parameters]
    given = list(values.values()) if isinstance(values, Mapping) else list(values)
    names = list(values) if isinstance(values, Mapping) else wanted
    if sorted(names) != sorted(wanted) or len(given) != len(wanted):
        raise InputError(f"'{family}' has the numbers {', '.join(wanted)}")
    numbers = tuple(float(given[names.index(name)]) for name in wanted)
    for parameter, number in zip(found.parameters, numbers, strict=True):
        if not parameter.least <= number <= parameter.most:
            raise InputError(
                f"{parameter.symbol} must be a number from {parameter.least:g} to {parameter.most:g}, not {number:g}"
            )
    return Setting(found, numbers)
