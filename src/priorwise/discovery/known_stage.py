"""Ranking by what is known alone, with no document learned from: what a start without members is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from priorwise.discovery.category import Category
from priorwise.discovery.knowledge import Knowledge
from priorwise.discovery.stage import Drawing, FactTable, Stage
from priorwise.features.document_vectors import document_vectors, rarity
from priorwise.models.linear_model import LinearModel
from priorwise.models.weights import Weights
from priorwise.ranking.scorer import Scorer
from priorwise.ranking.table import Ranking

Floats = NDArray[np.float64]


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
        """Say what it is."""
        return ["Documents by the words that are known, or by those of the one member, weighted by how rare they are."]

    def table(self) -> FactTable | None:
        """No figures."""
        return None

    def drawing(self) -> Drawing | None:
        """No picture."""
        return None

    def facts(self) -> dict[str, Any]:
        """Nothing was learned."""
        return {}

    def write(self, folder: Path) -> None:
        """Write no file of its own."""

    @classmethod
    def read(
        cls, folder: Path, facts: dict[str, Any], role: str, model: LinearModel | None, ranking: Ranking | None
    ) -> Self:
        """Read it again."""
        return cls(role, model, None, ranking, None)
