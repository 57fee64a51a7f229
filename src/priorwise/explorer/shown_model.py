"""What the explorer asks of every kind of model about the documents of a view."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError
from priorwise.explorer.evidence import Evidence
from priorwise.explorer.family import Family, Setting
from priorwise.explorer.measures import Points

if TYPE_CHECKING:
    from priorwise.explorer.view import View
    from priorwise.search import Target

Floats = NDArray[np.float64]


class WordChange(NamedTuple):
    """A word whose weight depends on the sliders: what it adds where they open, and what it adds now."""

    word: str
    before: float
    now: float


class ObjectiveMap(Protocol):
    """What is known of many priors of a family, each judged by members or documents that were left out."""

    def drawn(self, objective: Target) -> dict[str, Any]:
        """What the page needs to draw it."""

    def way(self, objective: Target, start: Setting) -> list[Setting]:
        """The way from a prior to the best one, which is the last."""


class ShownModel(ABC):
    """The documents of a view under any prior of one kind of model.

    Parameters
    ----------
    view : View
        The documents.
    """

    def __init__(self, view: View) -> None:
        self.view = view

    @abstractmethod
    def opening(self, family: Family) -> Setting:
        """Where the sliders open."""

    @abstractmethod
    def points(self, setting: Setting) -> Points:
        """Two coordinates of every document that is shown."""

    @abstractmethod
    def left_out(self, setting: Setting) -> Floats:
        """The log odds of every training document by a model that did not know what it is."""

    @abstractmethod
    def weights(self, setting: Setting) -> Floats:
        """What each feature adds to the log odds of a document that has it."""

    @abstractmethod
    def names(self, features: NDArray[np.int64]) -> list[str]:
        """The names of some of those features."""

    @abstractmethod
    def evidence(self, place: int, setting: Setting) -> list[Evidence]:
        """What the features of one document add to its log odds, the strongest first."""

    @abstractmethod
    def objective_map(self, family: Family) -> ObjectiveMap:
        """What is known of the family's priors."""

    def of_corpus(self, setting: Setting) -> Iterator[tuple[int, Floats]]:
        """Both coordinates of all documents of the corpus, batch by batch, each with its first document's number."""
        raise InputError("this model shows only the documents that are points")
