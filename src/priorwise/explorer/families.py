"""Families of priors: what the explorer asks of each, the model that ranks, and the naive Bayes models."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError, UnknownName
from priorwise.explorer.documents import Evidence, Points
from priorwise.kernels import Floats
from priorwise.priors.base import Parameter
from priorwise.priors.structured import StructuredGaussian

if TYPE_CHECKING:
    from priorwise.explorer.view import View
    from priorwise.models.base import PriorModel
    from priorwise.priors.base import Prior
    from priorwise.search import Target


@dataclass(frozen=True)
class ShownPreset:
    """A prior with a button; without values, the best of its family."""

    key: str
    name: str
    title: str
    family: str
    values: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Axes:
    """What the two coordinates of a point are called."""

    across: str
    up: str | None = None


@dataclass(frozen=True)
class Family(ABC):
    """A kind of model with a kind of prior; the explorer derives everything that it says about them from here.

    `name`: its name in addresses. `title`: its name on the screen. `group`: the heading that it is under. `formula`:
    the prior's formula. `parameters`: the numbers, each with a slider. `default`: the usual numbers.
    """

    name: str
    title: str
    group: str
    formula: str
    parameters: tuple[Parameter, ...]
    default: tuple[float, ...]

    axes: ClassVar[Axes]
    shades: ClassVar[bool] = False
    """Whether all documents of a corpus can be counted as fast as a slider moves."""
    takes_keywords: ClassVar[bool] = False
    chooses_objective: ClassVar[bool] = True
    """Whether the best prior depends on an objective that people choose."""
    best: ClassVar[str] = "Find the best"
    """What the button says that goes to the best prior."""
    best_by: ClassVar[str] = "Best by leave-one-out"
    """What is said of the best prior when it is found."""

    @abstractmethod
    def show(self, view: View) -> ShownModel:
        """Make what answers for the documents of a view, for all families of this class."""

    @abstractmethod
    def make(self, *values: float) -> Prior:
        """Make the prior with these numbers."""

    @abstractmethod
    def presets(self, types: int) -> list[ShownPreset]:
        """List the priors that have a button; `types` is how many words there are."""

    def write(self, setting: FamilySetting) -> str:
        """Write a setting down, for tables and files."""
        return repr(setting.prior)


@dataclass(frozen=True)
class FamilySetting:
    """A family and its numbers."""

    family: Family
    values: tuple[float, ...]
    keywords: str = ""

    @property
    def prior(self) -> Any:
        return self.family.make(*self.values)

    def named(self) -> dict[str, float]:
        return {each.name: value for each, value in zip(self.family.parameters, self.values, strict=True)}

    def __str__(self) -> str:
        return self.family.write(self)


class WordChange(NamedTuple):
    """A word whose weight depends on the sliders: what it adds where they open, and what it adds now."""

    word: str
    before: float
    now: float


class ObjectiveMap(Protocol):
    """What is known of many priors of a family, each judged by members or documents that were left out."""

    def drawn(self, objective: Target) -> dict[str, Any]:
        """What the page needs to draw it."""

    def way(self, objective: Target, start: FamilySetting) -> list[FamilySetting]:
        """The way from a prior to the best one, which is the last."""


class ShownModel(ABC):
    """The documents of a view under any prior of one kind of model."""

    def __init__(self, view: View) -> None:
        self.view = view

    @abstractmethod
    def opening(self, family: Family) -> FamilySetting:
        """Where the sliders open."""

    @abstractmethod
    def points(self, setting: FamilySetting) -> Points:
        """Two coordinates of every document that is shown."""

    @abstractmethod
    def left_out(self, setting: FamilySetting) -> Floats:
        """The log odds of every training document by a model that did not know what it is."""

    @abstractmethod
    def weights(self, setting: FamilySetting) -> Floats:
        """What each feature adds to the log odds of a document that has it."""

    @abstractmethod
    def names(self, features: NDArray[np.int64]) -> list[str]:
        """The names of some of those features."""

    @abstractmethod
    def evidence(self, place: int, setting: FamilySetting) -> list[Evidence]:
        """What the features of one document add to its log odds, the strongest first."""

    @abstractmethod
    def objective_map(self, family: Family) -> ObjectiveMap:
        """What is known of the family's priors."""

    def of_corpus(self, setting: FamilySetting) -> Iterator[tuple[int, Floats]]:
        """Both coordinates of all documents of the corpus, batch by batch, each with its first document's number."""
        raise InputError("this model shows only the documents that are points")


BELIEVED = Parameter(
    "believed", "n", 10, 1000, "how many top candidates count as provisional members", may_be_zero=True
)
TRUST = Parameter(
    "trust", "c", 0.1, 10, "how much the keywords count", may_be_zero=True
)  # fmt: skip


@dataclass(frozen=True)
class MemberFamily(Family):
    """Member regression under a structured Gaussian prior, as ``discover`` ranks by."""

    axes: ClassVar[Axes] = Axes("log odds under the learned prior")
    takes_keywords: ClassVar[bool] = True
    chooses_objective: ClassVar[bool] = False
    best: ClassVar[str] = "Back to the learned prior"
    best_by: ClassVar[str] = "Learned from members that were left out"

    name: str = "members"
    title: str = "The model that ranks"
    group: str = "Default model: regression on words and categories"
    formula: str = StructuredGaussian.formula
    parameters: tuple[Parameter, ...] = (*StructuredGaussian.parameters, BELIEVED, TRUST)
    default: tuple[float, ...] = (*StructuredGaussian().numbers, 0.0, 1.0)

    def make(self, *values: float) -> StructuredGaussian:
        """Make the prior of the weights, without the centre that keywords give it."""
        return StructuredGaussian().with_numbers(*values[:-2])

    def show(self, view: View) -> ShownModel:
        from priorwise.explorer.members import ShownMembers

        return ShownMembers(view)

    def presets(self, types: int) -> list[ShownPreset]:
        """None: the learned prior has a button of its own."""
        return []

    def write(self, setting: FamilySetting) -> str:
        numbers = setting.named()
        written = [repr(setting.prior)]
        if numbers["believed"]:
            written.append(f"{numbers['believed']:.0f} provisional members")
        if setting.keywords:
            written.append(f"keywords {setting.keywords} times {numbers['trust']:g}")
        return ", ".join(written)


@dataclass(frozen=True)
class NaiveBayesFamily(Family):
    """A model that says how it is explored, and a kind of prior for it."""

    axes: ClassVar[Axes] = Axes("log P(d|c) + log P(c)", "log P(d|¬c) + log P(¬c)")

    shades: ClassVar[bool] = True

    model: type[PriorModel]
    prior: Prior

    @classmethod
    def all(cls) -> Iterator[NaiveBayesFamily]:
        """Every model that says how it is explored, with every prior that it takes."""
        from priorwise.models.base import models

        for model in models().values():
            if vars(model).get("explored"):
                for prior in model.priors().values():
                    yield from (cls.of(model, start) for start in prior.variants() if start.parameters)

    @classmethod
    def of(cls, model: type[PriorModel], prior: Prior) -> NaiveBayesFamily:
        """Name it after the model, the prior, and what else makes the prior a kind of its own."""
        numbers = {each.name for each in prior.parameters}
        kinds = [(getattr(prior, each.name), each) for each in fields(prior) if each.name not in numbers]  # type: ignore[arg-type]
        name = "-".join([model.name, prior.name, *(value for value, each in kinds if value != each.default)])
        around = ", around the corpus" if name.endswith("-collection") else ""
        title = f"{model.name.capitalize()}, {prior.title}{around}"
        return cls(name, title, model.explored, prior.formula, prior.parameters, prior.numbers, model, prior)

    def make(self, *values: float) -> Prior:
        return self.prior.with_numbers(*values)

    def show(self, view: View) -> ShownModel:
        from priorwise.explorer.naive_bayes import ShownNaiveBayes

        return ShownNaiveBayes(view)

    def presets(self, types: int) -> list[ShownPreset]:
        shown: dict[str, ShownPreset] = {}
        for family in NaiveBayesFamily.all():
            for each in type(family.prior).presets(types) if family.model is self.model else []:
                values = None if each.prior is None else each.prior.numbers
                if each.prior is None or family.make(*each.prior.numbers) == each.prior:
                    shown.setdefault(each.key, ShownPreset(each.key, each.label, each.title, family.name, values))
        return list(shown.values())


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


def setting_of(
    family: str, values: Mapping[str, float] | Sequence[float] | None = None, keywords: str = ""
) -> FamilySetting:
    """Name a prior: by its family, by its numbers unless they are the usual ones, and by words that somebody knows."""
    found = family_of(family)
    if keywords and not found.takes_keywords:
        raise InputError(f"'{found.name}' takes no keywords; the family 'members' does")
    if values is None:
        return FamilySetting(found, found.default, keywords)
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
    return FamilySetting(found, numbers, keywords)
