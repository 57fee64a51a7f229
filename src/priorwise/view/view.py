"""A category under any prior: points, measures, terrain, evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.counting import counted
from priorwise.search import CountTarget, FBeta
from priorwise.view.coordinates import Coordinates
from priorwise.view.documents import MOST_DOCUMENTS, ShownDocuments, draw_documents
from priorwise.view.families import FAMILIES, setting_of
from priorwise.view.family import Setting
from priorwise.view.measures import Line, Measures

Floats = NDArray[np.float64]


class View:
    """A category of a corpus, seen under one prior after another.

    Parameters
    ----------
    corpus : Corpus
        Where the documents are.
    label : str
        The category.
    documents : ShownDocuments
        What is shown.
    setting : Setting
        The prior that :meth:`plot` begins with.
    """

    def __init__(self, corpus: Corpus, label: str, documents: ShownDocuments, setting: Setting) -> None:
        self.corpus, self.label, self.documents, self.setting = corpus, label, documents, setting
        self.coordinates = Coordinates(documents)
        self._terrains: dict[str, Any] = {}

    def points(self, setting: Setting | None = None) -> Floats:
        """(log P(d|c) + log P(c), log P(d|¬c) + log P(¬c)) of every document that is shown."""
        return self.coordinates.of(setting or self.setting)

    def measures(self, setting: Setting | None = None, line: Line | None = None) -> dict[str, Measures]:
        """How good the decisions are on the training documents, and on those held out.

        Examples
        --------
        >>> corpus = Corpus.from_texts(["a b", "a c", "a", "d", "d e", "e"], labels=["x", "x", "x", "y", "y", "y"])
        >>> explore(corpus, "x").measures()["held_out"].f1
        1.0
        """
        below = (line or Line()).below(self.points(setting))
        shown = self.documents
        return {
            name: Measures.of(below[part], shown.member[part], shown.others_per_member)
            for name, part in (("training", ~shown.held_out), ("held_out", shown.held_out))
        }

    def left_out(self, setting: Setting | None = None, shift: float = 0.0) -> Measures:
        """How good the decisions are on the training documents, each judged by a model that has not seen it."""
        scores = self._left_out.scores(setting or self.setting)
        return Measures.of(scores > -shift, self._left_out.member, self.documents.others_per_member)

    def terrain(self, family: str) -> Any:
        """What leave-one-out says of every prior of a family; a `FamilyTerrain`."""
        if family not in self._terrains:
            self._terrains[family] = self._left_out.terrain(FAMILIES[family])
        return self._terrains[family]

    def find_best(self, start: Setting | None = None, target: CountTarget | None = None) -> list[Setting]:
        """The way from a prior to the best of its family, by leave-one-out: the last one is it.

        Examples
        --------
        >>> corpus = Corpus.from_texts(["a b", "a c", "a", "d", "d e", "e"], labels=["x", "x", "x", "y", "y", "y"])
        >>> explore(corpus, "x", "jelinek-mercer").find_best()[-1].prior
        JelinekMercer(0.5)
        """
        start = start or self.setting
        terrain = self.terrain(start.family.name)
        return [terrain.setting(cell) for cell in terrain.path(target or FBeta(1.0), start)]

    @cached_property
    def _left_out(self) -> Any:
        from priorwise.view.terrain import TrainingLeftOut

        return TrainingLeftOut(self.documents)

    def plot(self, setting: Setting | None = None) -> Any:
        """A plotly figure: training and held-out documents, members and others apart, and the decision line."""
        from priorwise.view.figure import plot_view

        return plot_view(self, setting or self.setting)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.plot()._repr_mimebundle_(**options)

    def __repr__(self) -> str:
        shown = self.documents
        return (
            f"<View of '{self.label}': {counted(len(shown), 'document')}, "
            f"{np.count_nonzero(shown.member):,} of them members, {self.setting.prior!r}>"
        )


def explore(
    corpus: Corpus,
    label: str,
    family: str = "beta",
    values: Mapping[str, float] | Sequence[float] | None = None,
    *,
    most: int = MOST_DOCUMENTS,
    held_out: float = 0.3,
    seed: int = 0,
) -> View:
    """See what a prior does to a category; in a notebook the result shows itself.

    Parameters
    ----------
    corpus : Corpus
        Where the documents are.
    label : str
        The category.
    family : str
        The kind of prior, one of ``priorwise.view.FAMILIES``: ``"beta"``, ``"jelinek-mercer"``, ``"presence"``, ….
    values : mapping or sequence of float, optional
        Its numbers, such as ``[0.1, 0.3]`` or ``{"alpha": 0.1, "beta": 0.3}``.
    most : int
        How many documents are shown at most: all members, unless they are more than half of that, and others.
    held_out : float
        The share of the documents that no model is trained on.
    seed : int
        Which documents are drawn, and which are held out.

    References
    ----------
    *bernoulli*: Di Nunzio and Sordoni, *How well do we know Bernoulli?*

    Examples
    --------
    >>> corpus = Corpus.from_texts(["a b", "a c", "a", "d", "d e", "e"], labels=["x", "x", "x", "y", "y", "y"])
    >>> view = explore(corpus, "x")
    >>> view
    <View of 'x': 6 documents, 3 of them members, Beta(alpha=1, beta=1)>
    >>> view.points().shape
    (6, 2)
    """
    setting = setting_of(family, values)
    documents = draw_documents(corpus, label, most=most, held_out=held_out, seed=seed)
    return View(corpus, label, documents, setting)
