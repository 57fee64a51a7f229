"""A naive Bayes model with a kind of prior for it, as both declare themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

from priorwise.explorer.family import Axes, Family, ShownPreset

if TYPE_CHECKING:
    from priorwise.explorer.shown_model import ShownModel
    from priorwise.explorer.view import View
    from priorwise.models.base import PriorModel
    from priorwise.priors.base import Parameter, Prior


@dataclass(frozen=True)
class NaiveBayesFamily(Family):
    """A model that says how it is explored, and a kind of prior for it.

    Parameters
    ----------
    model : type
        The class of the estimator.
    prior : Prior
        Where the sliders open.
    """

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
                    yield from (cls(model, start) for start in prior.variants() if start.parameters)

    @property
    def name(self) -> str:
        """The model's name, the prior's, and what else makes the prior a kind of its own."""
        numbers = {each.name for each in self.prior.parameters}
        said = [(getattr(self.prior, each.name), each) for each in fields(self.prior) if each.name not in numbers]  # type: ignore[arg-type]
        return "-".join([self.model.name, self.prior.name, *(value for value, each in said if value != each.default)])

    @property
    def title(self) -> str:
        """Its name on the screen."""
        around = ", around the corpus" if self.name.endswith("-collection") else ""
        return f"{self.model.name.capitalize()}, {self.prior.title}{around}"

    @property
    def group(self) -> str:
        """The model's heading."""
        return self.model.explored

    @property
    def formula(self) -> str:
        """The prior's formula."""
        return self.prior.formula

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The prior's numbers."""
        return self.prior.parameters

    @property
    def default(self) -> tuple[float, ...]:
        """The numbers of the prior that it has."""
        return self.prior.numbers

    def make(self, *values: float) -> Prior:
        """Make the prior with these numbers."""
        return self.prior.with_numbers(*values)

    def show(self, view: View) -> ShownModel:
        """Count the documents of a view."""
        from priorwise.explorer.naive_bayes import ShownNaiveBayes

        return ShownNaiveBayes(view)

    def estimator(self, prior: Any) -> Any:
        """Make the scikit-learn classifier with a prior of this family."""
        return self.model(prior=prior)

    def presets(self, types: int) -> list[ShownPreset]:
        """List the priors of this model that have a name.

        Examples
        --------
        >>> from priorwise.explorer.families import FAMILIES
        >>> [preset.name for preset in FAMILIES["beta"].presets(100)]
        ['Laplace', 'Eyheramendy', 'Best Beta', 'Jeffreys', 'Perks', 'Best Jelinek-Mercer']
        """
        shown: dict[str, ShownPreset] = {}
        for family in NaiveBayesFamily.all():
            for each in type(family.prior).presets(types) if family.model is self.model else []:
                values = None if each.prior is None else each.prior.numbers
                if each.prior is None or family.make(*each.prior.numbers) == each.prior:
                    shown.setdefault(each.key, ShownPreset(each.key, each.label, each.title, family.name, values))
        return list(shown.values())
