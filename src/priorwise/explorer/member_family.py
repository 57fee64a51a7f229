"""The model that ranks, as the explorer offers it: the numbers of its prior, provisional members and keywords."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from priorwise.explorer.family import Axes, Family, Setting, ShownPreset
from priorwise.priors.base import Parameter
from priorwise.priors.structured import StructuredGaussian

if TYPE_CHECKING:
    from priorwise.explorer.shown_model import ShownModel
    from priorwise.explorer.view import View

BELIEVED = Parameter(
    "believed", "n", 10, 1000, "how many top candidates count as provisional members", may_be_zero=True
)
TRUST = Parameter(
    "trust", "c", 0.1, 10, "how much the keywords count", may_be_zero=True
)  # fmt: skip


@dataclass(frozen=True)
class MemberFamily(Family):
    """Member regression under a structured Gaussian prior, as ``discover`` ranks by.

    Examples
    --------
    >>> family = MemberFamily()
    >>> [each.name for each in family.parameters]
    ['variance', 'kinship', 'labels', 'believed', 'trust']
    >>> family.make(0.05, 0.5, 0.25, 30, 1)
    StructuredGaussian(variance=0.05, kinship=0.5, labels=0.25)
    """

    axes: ClassVar[Axes] = Axes("log odds under the learned prior")
    takes_keywords: ClassVar[bool] = True
    chooses_objective: ClassVar[bool] = False
    best: ClassVar[str] = "Back to the learned prior"
    best_by: ClassVar[str] = "Learned from members that were left out"

    name: ClassVar[str] = "members"
    title: ClassVar[str] = "The model that ranks"
    group: ClassVar[str] = "Default model: regression on words and categories"
    formula: ClassVar[str] = StructuredGaussian.formula
    parameters: ClassVar[tuple[Parameter, ...]] = (*StructuredGaussian.parameters, BELIEVED, TRUST)
    default: ClassVar[tuple[float, ...]] = (*StructuredGaussian().numbers, 0.0, 1.0)

    def make(self, *values: float) -> StructuredGaussian:
        """Make the prior of the weights, without the centre that keywords give it."""
        return StructuredGaussian().with_numbers(*values[:-2])

    def show(self, view: View) -> ShownModel:
        """Learn the prior of a view's category."""
        from priorwise.explorer.members import ShownMembers

        return ShownMembers(view)

    def presets(self, types: int) -> list[ShownPreset]:
        """None: the learned prior has a button of its own."""
        return []

    def write(self, setting: Setting) -> str:
        """Write down the prior, the provisional members and the keywords."""
        numbers = setting.named()
        written = [repr(setting.prior)]
        if numbers["believed"]:
            written.append(f"{numbers['believed']:.0f} provisional members")
        if setting.keywords:
            written.append(f"keywords {setting.keywords} times {numbers['trust']:g}")
        return ", ".join(written)
