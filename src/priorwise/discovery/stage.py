"""What every stage of a run has: a model, its prior, and what it found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from priorwise.charts import Picture
from priorwise.discovery.category import Category
from priorwise.discovery.knowledge import Knowledge
from priorwise.errors import InputError
from priorwise.features.document_vectors import document_vectors, rarity
from priorwise.kernels import Floats
from priorwise.models.linear_model import LinearModel
from priorwise.models.missing import Missing
from priorwise.models.naive_bayes.terrain import Terrain
from priorwise.models.weights import Weights
from priorwise.ranking.scorer import Scorer
from priorwise.ranking.table import Ranking

RANKS, NARROWS, COMPARES = "ranks", "narrows", "compares"
"""The roles of a stage: it ranks the candidates, it chooses what the next stage reads, or it is there to compare."""


class FactTable(NamedTuple):
    """A table about a stage, for the terminal and the report alike."""

    caption: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


class Drawing(NamedTuple):
    """A picture about a stage, and what it shows."""

    picture: Picture
    caption: str


@dataclass(frozen=True)
class Stage(ABC):
    """One step of a run.

    `role` ("ranks", "narrows", "compares"): what the stage is for. `model`: what it learned; the baseline keeps
    none. `prior`: the prior of that model. `ranking`: the candidates in its order, best first. `predicted`: how
    many candidates it predicts to be members.
    """

    name: ClassVar[str]
    """How the stage is called in files."""

    title: ClassVar[str]
    """How it is called on pages: "the default model"."""

    keeps_model: ClassVar[bool] = True
    """Whether a run's folder has its model."""

    kinds: ClassVar[dict[str, type[Stage]]] = {}
    """Every kind of stage, by name; defining one registers it."""

    role: str
    model: LinearModel | None
    prior: Any
    ranking: Ranking | None
    predicted: int | None

    def __init_subclass__(cls) -> None:
        Stage.kinds[cls.name] = cls

    @property
    def missing(self) -> Missing | None:
        """The estimated number of missing members, if the stage estimates it."""
        return None

    @property
    def tried(self) -> Sequence[Any]:
        """The settings that the explorer can open at, each with its share; none by default."""
        return ()

    @property
    def explored(self) -> str:
        """The explorer's name for the model with this kind of prior."""
        return self.name

    @property
    def strength_ratio(self) -> float | None:
        """λ− over λ+, if the prior has two strengths."""
        return None

    @property
    def terrain(self) -> Terrain:
        """The objective map, if the stage has one."""
        raise InputError(f"{self.title} has no objective map; discover with --model presence to get one")

    @abstractmethod
    def describe(self) -> list[str]:
        """Say in sentences what was learned: the prior first."""

    def table(self) -> FactTable | None:
        """The figures behind those sentences; none by default."""
        return None

    def drawing(self) -> Drawing | None:
        """A picture of what was tried; none by default."""
        return None

    def options(self, n_members: int, *, shared: bool) -> list[str]:
        """The options of `discover` that choose how this stage learns; none by default.

        `shared` says whether categories that were learned together share the documents that judge their priors.
        """
        return []

    def facts(self) -> dict[str, Any]:
        """What `run.json` keeps of the stage."""
        return {}

    def write(self, folder: Path) -> None:
        """Write the stage's own files, next to its model and ranking; none by default."""
        return

    @classmethod
    @abstractmethod
    def read(
        cls, folder: Path, facts: dict[str, Any], role: str, model: LinearModel | None, ranking: Ranking | None
    ) -> Self:
        """Read what `facts` and `write` kept."""


def known_alone(category: Category, knowledge: Knowledge) -> Scorer:
    """Score documents by the words that are known, or by how alike they are to the one member."""
    corpus = category.corpus
    row: Floats = knowledge.starting(category.label).row(corpus, category.label)
    if not row.any():
        row = np.asarray(document_vectors(corpus, category.members).sum(axis=0)).ravel()
    used = np.flatnonzero(row)
    return Scorer(Weights(used, row[used][None, :], np.zeros(1)), rarity=rarity(corpus))


@dataclass(frozen=True)
class KnownStage(Stage):
    """The words that are known, or those of the one member, used as a query."""

    name: ClassVar[str] = "known"
    title: ClassVar[str] = "what is known alone"
    keeps_model: ClassVar[bool] = False

    def describe(self) -> list[str]:
        return ["Documents by the words that are known, or by those of the one member, weighted by how rare they are."]

    @classmethod
    def read(
        cls, folder: Path, facts: dict[str, Any], role: str, model: LinearModel | None, ranking: Ranking | None
    ) -> Self:
        return cls(role, model, None, ranking, None)
