"""What a family of priors is: what the explorer asks of every one of them, and one of its priors with its numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from priorwise.explorer.shown_model import ShownModel
    from priorwise.explorer.view import View
    from priorwise.priors.base import Parameter, Prior


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
    """What the two coordinates of a point are called.

    Parameters
    ----------
    across : str
        The first coordinate.
    up : str, optional
        The second one. None: it is always the log odds, and a point on the diagonal has not moved.
    """

    across: str
    up: str | None = None


class Family(ABC):
    """A kind of model with a kind of prior; the explorer derives everything that it says about them from here."""

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

    @property
    @abstractmethod
    def name(self) -> str:
        """Its name in addresses."""

    @property
    @abstractmethod
    def title(self) -> str:
        """Its name on the screen."""

    @property
    @abstractmethod
    def group(self) -> str:
        """The heading that it is under."""

    @property
    @abstractmethod
    def formula(self) -> str:
        """The prior's formula."""

    @property
    @abstractmethod
    def parameters(self) -> Sequence[Parameter]:
        """The numbers, each with a slider."""

    @property
    @abstractmethod
    def default(self) -> tuple[float, ...]:
        """The usual numbers."""

    @abstractmethod
    def show(self, view: View) -> ShownModel:
        """Make what answers for the documents of a view, for all families of this class."""

    @abstractmethod
    def make(self, *values: float) -> Prior:
        """Make the prior with these numbers."""

    @abstractmethod
    def presets(self, types: int) -> list[ShownPreset]:
        """List the priors that have a button; `types` is how many words there are."""

    def write(self, setting: Setting) -> str:
        """Write a setting down, for tables and files."""
        return repr(setting.prior)


@dataclass(frozen=True)
class Setting:
    """A family and its numbers.

    Parameters
    ----------
    family : Family
        The family.
    values : tuple of float
        The numbers, in the order of the family's parameters.
    keywords : str
        Words that somebody knows, such as ``+oil:2 -olive``, for a family that takes them.

    Examples
    --------
    >>> from priorwise.explorer.families import setting_of
    >>> setting_of("beta", {"alpha": 0.1, "beta": 0.3}).prior
    Beta(alpha=0.1, beta=0.3)
    """

    family: Family
    values: tuple[float, ...]
    keywords: str = ""

    @property
    def prior(self) -> Any:
        """The prior with these numbers."""
        return self.family.make(*self.values)

    def named(self) -> dict[str, float]:
        """The numbers by their names."""
        return {each.name: value for each, value in zip(self.family.parameters, self.values, strict=True)}

    def __str__(self) -> str:
        return self.family.write(self)
