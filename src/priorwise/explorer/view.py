"""A category under any prior: points, measures, words, evidence, the way to the best prior."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from priorwise.corpus import Corpus
from priorwise.counting import counted
from priorwise.explorer.documents import MOST_DOCUMENTS, ShownDocuments, draw_documents
from priorwise.explorer.evidence import Evidence
from priorwise.explorer.families import family_of, setting_of
from priorwise.explorer.family import Family, Setting
from priorwise.explorer.measures import Line, Measures, Points
from priorwise.explorer.shown_model import ObjectiveMap, ShownModel, WordChange
from priorwise.search import FBeta, Target

Values = Mapping[str, float] | Sequence[float]

WORDS = 20
"""How many words that moved are listed."""


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
    family : Family
        The family that :meth:`plot` shows.
    values : mapping or sequence of float, optional
        The numbers that it begins with; by default those where the family's sliders open.
    keywords : str
        Words that somebody knows.
    tried : sequence
        The settings that a run of ``discover`` tried. By default the model that ranks learns its prior here.
    """

    def __init__(
        self,
        corpus: Corpus,
        label: str,
        documents: ShownDocuments,
        family: Family,
        values: Values | None = None,
        keywords: str = "",
        tried: Sequence[Any] = (),
    ) -> None:
        self.corpus, self.label, self.documents, self.family, self.tried = corpus, label, documents, family, tried
        checked = setting_of(family.name, values, keywords)
        self._given, self._keywords = None if values is None else checked, keywords
        self._lock = threading.Lock()
        self._shown: dict[type[Family], ShownModel] = {}

    def shown(self, family: Family) -> ShownModel:
        """What answers for a family; families of a class share it."""
        with self._lock:
            if type(family) not in self._shown:
                self._shown[type(family)] = family.show(self)
            return self._shown[type(family)]

    def opening(self, family: str) -> Setting:
        """Where the sliders of a family open: at the learned prior, for the model that ranks."""
        found = family_of(family)
        return self.shown(found).opening(found)

    @cached_property
    def setting(self) -> Setting:
        """The prior that the view begins with."""
        return self._given or replace(self.opening(self.family.name), keywords=self._keywords)

    def points(self, setting: Setting | None = None) -> Points:
        """Where every document that is shown is."""
        setting = setting or self.setting
        return self.shown(setting.family).points(setting)

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
        """How good the decisions are on the training documents, judged by models that have not seen them.

        Under naive Bayes each document is left out by itself. Under the model that ranks members are left out in folds,
        and the other documents stay, as unknown ones: that is how ``discover`` meets a missing member.
        """
        setting, shown = setting or self.setting, self.documents
        odds = self.shown(setting.family).left_out(setting)
        return Measures.of(odds > -shift, shown.member[shown.training], shown.others_per_member)

    def words(self, setting: Setting | None = None, most: int = WORDS) -> list[WordChange]:
        """The words, and other categories, whose weight changed most since the sliders opened.

        A weight is what the word adds to a document's log odds.

        Examples
        --------
        >>> corpus = Corpus.from_texts(["a b", "a c", "a", "d", "d e", "e"], labels=["x", "x", "x", "y", "y", "y"])
        >>> view = explore(corpus, "x", "beta", [0.1, 0.1])
        >>> view.words(view.opening("beta"))
        []
        >>> view.words(most=1)[0].word
        'a'
        """
        setting = setting or self.setting
        shown = self.shown(setting.family)
        before, now = (shown.weights(each) for each in (shown.opening(setting.family), setting))
        change = np.abs(now - before)
        order = np.argsort(-change, kind="stable")[:most]
        order = order[change[order] > 0]
        return [
            WordChange(*each)
            for each in zip(shown.names(order), before[order].tolist(), now[order].tolist(), strict=True)
        ]

    def evidence(self, place: int, setting: Setting | None = None) -> list[Evidence]:
        """What the words of a document add to its log odds, the strongest first.

        Parameters
        ----------
        place : int
            The document, by its place among those that are shown.
        setting : Setting, optional
            The prior.
        """
        setting = setting or self.setting
        return self.shown(setting.family).evidence(place, setting)

    def objective_map(self, family: str) -> ObjectiveMap:
        """What is known of the priors of a family, by leaving documents out."""
        found = family_of(family)
        return self.shown(found).objective_map(found)

    def find_best(self, start: Setting | None = None, target: Target | None = None) -> list[Setting]:
        """The way from a prior to the best of its family: the last one is it.

        Examples
        --------
        >>> corpus = Corpus.from_texts(["a b", "a c", "a", "d", "d e", "e"], labels=["x", "x", "x", "y", "y", "y"])
        >>> explore(corpus, "x", "jelinek-mercer").find_best()[-1].prior
        JelinekMercer(0.5)
        """
        start = start or self.setting
        return self.shown(start.family).objective_map(start.family).way(target or FBeta(1.0), start)

    def plot(self, setting: Setting | None = None) -> Any:
        """A plotly figure: training and held-out documents, members and others apart, and the decision line."""
        from priorwise.explorer.figure import plot_view

        return plot_view(self, setting or self.setting)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.plot()._repr_mimebundle_(**options)

    def __repr__(self) -> str:
        shown = self.documents
        return (
            f"<View of '{self.label}': {counted(len(shown), 'document')}, "
            f"{np.count_nonzero(shown.member):,} of them members; {self._given or self.family.title}>"
        )


def explore(
    corpus: Corpus,
    label: str,
    family: str = "members",
    values: Values | None = None,
    *,
    keywords: str = "",
    most: int = MOST_DOCUMENTS,
    held_out: float = 0.3,
    seed: int = 0,
    tried: Sequence[Any] = (),
) -> View:
    """See what a prior does to a category; in a notebook the result shows itself.

    Parameters
    ----------
    corpus : Corpus
        Where the documents are.
    label : str
        The category.
    family : str
        The kind of prior, one of ``priorwise.explorer.FAMILIES``: ``"members"``, the model that ranks; ``"beta"``,
        ``"jelinek-mercer"``, ``"presence"``, ….
    values : mapping or sequence of float, optional
        Its numbers, such as ``[0.1, 0.3]`` or ``{"alpha": 0.1, "beta": 0.3}``. By default the usual ones; of the model
        that ranks, those that it learns from the training members.
    keywords : str
        Words that you know, such as ``"+oil:2 -olive"``, for the model that ranks.
    most : int
        How many documents are shown at most: all members, unless they are more than half of that, and others.
    held_out : float
        The share of the documents that no model is trained on.
    seed : int
        Which documents are drawn, and which are held out.
    tried : sequence, optional
        The settings that a run tried, ``run.stages[-1].tried``: the learned prior is then the run's.

    References
    ----------
    *bernoulli*: Di Nunzio and Sordoni, *How well do we know Bernoulli?*

    Examples
    --------
    >>> corpus = Corpus.from_texts(["a b", "a c", "a", "d", "d e", "e"], labels=["x", "x", "x", "y", "y", "y"])
    >>> explore(corpus, "x")
    <View of 'x': 6 documents, 3 of them members; The model that ranks>
    >>> view = explore(corpus, "x", "beta", [1, 1])
    >>> view, len(view.points().odds)
    (<View of 'x': 6 documents, 3 of them members; Beta(alpha=1, beta=1)>, 6)
    """
    found = family_of(family)
    documents = draw_documents(corpus, label, most=most, held_out=held_out, seed=seed)
    return View(corpus, label, documents, found, values, keywords, tried)
