"""The priors that can be explored: the model that ranks, and every naive Bayes model with every prior it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from priorwise.errors import InputError, UnknownName
from priorwise.explorer.family import Family, Setting
from priorwise.explorer.member_family import MemberFamily
from priorwise.explorer.naive_bayes_family import NaiveBayesFamily

ALIASES = {
    "beta": "bernoulli-beta",
    "jelinek-mercer": "bernoulli-jelinek-mercer",
    "term-beta": "bernoulli-term-beta",
    "presence": "presence-pseudo-counts",
    "presence-collection": "presence-pseudo-counts-collection",
    "dirichlet": "multinomial-dirichlet",
    "absolute": "multinomial-absolute-discount",
    "linear": "multinomial-linear-discount",
    "witten-bell": "multinomial-witten-bell",
    "jelinek-mercer-words": "multinomial-jelinek-mercer",
}
"""Short names, which older addresses use."""


class Families(Mapping[str, Family]):
    """Every family by name, derived from what is registered at the moment."""

    def __iter__(self) -> Iterator[str]:
        return iter(self._made())

    def __len__(self) -> int:
        return len(self._made())

    def __getitem__(self, name: str) -> Family:
        return self._made()[ALIASES.get(name, name)]

    def _made(self) -> dict[str, Family]:
        return {family.name: family for family in (MemberFamily(), *NaiveBayesFamily.all())}


FAMILIES: Mapping[str, Family] = Families()


def family_of(name: str) -> Family:
    """Look up a family by its name, or by a short or older one."""
    if name not in FAMILIES:
        raise UnknownName("family of priors", name, [*ALIASES, *FAMILIES], complete=True)
    return FAMILIES[name]


def setting_of(family: str, values: Mapping[str, float] | Sequence[float] | None = None, keywords: str = "") -> Setting:
    """Name a prior: by its family, by its numbers unless they are the usual ones, and by words that somebody knows.

    Examples
    --------
    >>> setting_of("beta").values, setting_of("dirichlet", [0.01]).prior
    ((1.0, 1.0), Dirichlet(0.01))
    >>> setting_of("dirichlet", [-1.0])
    Traceback (most recent call last):
    ...
    priorwise.errors.InputError: α must be a number from 1e-09 to 1e+09, not -1
    """
    found = family_of(family)
    if keywords and not found.takes_keywords:
        raise InputError(f"'{found.name}' takes no keywords; the family 'members' does")
    if values is None:
        return Setting(found, found.default, keywords)
    wanted = [each.name for each in found.parameters]
    older = {each.also: each.name for each in found.parameters}
    given = list(values.values()) if isinstance(values, Mapping) else list(values)
    names = [older.get(name, name) for name in values] if isinstance(values, Mapping) else wanted
    if sorted(names) != sorted(wanted) or len(given) != len(wanted):
        raise InputError(f"'{family}' has the numbers {', '.join(wanted)}")
    numbers = tuple(float(given[names.index(name)]) for name in wanted)
    for parameter, number in zip(found.parameters, numbers, strict=True):
        if not parameter.least <= number <= parameter.most:
            raise InputError(
                f"{parameter.symbol} must be a number from {parameter.least:g} to {parameter.most:g}, not {number:g}"
            )
    return Setting(found, numbers, keywords)
