"""A category under any prior: points, measures, words, evidence, the way to the best prior."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.counting import counted
from priorwise.errors import optional
from priorwise.explorer.documents import (
    MOST_DOCUMENTS,
    Evidence,
    Line,
    Measures,
    Points,
    ShownDocuments,
    draw_documents,
)
from priorwise.explorer.families import (
    Family,
    FamilySetting,
    ObjectiveMap,
    ShownModel,
    WordChange,
    family_of,
    setting_of,
)
from priorwise.kernels import Floats
from priorwise.search import FBeta, Target

Values = Mapping[str, float] | Sequence[float]

WORDS = 20
"""How many words that moved are listed."""


class View:
    """A category of a corpus, seen under one prior after another.

    `corpus`: where the documents are. `documents`: what is shown. `family`: the family that :meth:`plot` shows.
    `values`: the numbers that it begins with; by default those where the family's sliders open. `keywords`: words
    that somebody knows. `tried`: the settings that a run of ``discover`` tried. By default the model that ranks
    learns its prior here.
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

    def opening(self, family: str) -> FamilySetting:
        """Where the sliders of a family open: at the prior that it learns from the category."""
        found = family_of(family)
        return self.shown(found).opening(found)

    @cached_property
    def setting(self) -> FamilySetting:
        """The prior that the view begins with."""
        return self._given or replace(self.opening(self.family.name), keywords=self._keywords)

    def points(self, setting: FamilySetting | None = None) -> Points:
        """Where every document that is shown is."""
        setting = setting or self.setting
        return self.shown(setting.family).points(setting)

    def measures(self, setting: FamilySetting | None = None, line: Line | None = None) -> dict[str, Measures]:
        """How good the decisions are on the training documents, and on those held out."""
        below = (line or Line()).below(self.points(setting))
        shown = self.documents
        return {
            name: Measures.of(below[part], shown.member[part], shown.others_per_member)
            for name, part in (("training", ~shown.held_out), ("held_out", shown.held_out))
        }

    def left_out(self, setting: FamilySetting | None = None, shift: float = 0.0) -> Measures:
        """How good the decisions are on the training documents, judged by models that have not seen them.

        Under naive Bayes each document is left out by itself. Under the model that ranks members are left out in folds,
        and the other documents stay, as unknown ones: that is how ``discover`` meets a missing member.
        """
        setting, shown = setting or self.setting, self.documents
        odds = self.shown(setting.family).left_out(setting)
        return Measures.of(odds > -shift, shown.member[shown.training], shown.others_per_member)

    def words(self, setting: FamilySetting | None = None, most: int = WORDS) -> list[WordChange]:
        """The words, and other categories, whose weight changed most since the sliders opened.

        A weight is what the word adds to a document's log odds.
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

    def evidence(self, place: int, setting: FamilySetting | None = None) -> list[Evidence]:
        """What the words of a document add to its log odds, the strongest first."""
        setting = setting or self.setting
        return self.shown(setting.family).evidence(place, setting)

    def objective_map(self, family: str) -> ObjectiveMap:
        """What is known of the priors of a family, by leaving documents out."""
        found = family_of(family)
        return self.shown(found).objective_map(found)

    def find_best(self, start: FamilySetting | None = None, target: Target | None = None) -> list[FamilySetting]:
        """The way from a prior to the best of its family: the last one is it."""
        start = start or self.setting
        return self.shown(start.family).objective_map(start.family).way(target or FBeta(1.0), start)

    def plot(self, setting: FamilySetting | None = None) -> Any:
        """A plotly figure: training and held-out documents, members and others apart, and the decision line."""
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


MARGIN_DENSITY = 0.12
CLIPPED_DENSITY = 0.1
"""Per cent of the points at each end that do not widen the picture."""


@dataclass(frozen=True)
class Density:
    """How many documents are where."""

    low: Floats
    high: Floats
    bins: NDArray[np.float32]


def density_of(view: View, setting: FamilySetting, *, rows: int = 120, columns: int = 180) -> Density:
    """Count all documents of the corpus in a grid that holds nearly all points of the view."""
    from priorwise.explorer._kernels import add_to_bins

    shown = np.column_stack(view.points(setting))
    low, high = np.percentile(shown, [CLIPPED_DENSITY, 100 - CLIPPED_DENSITY], axis=0)
    if len(shown) < 1000:
        low, high = shown.min(axis=0), shown.max(axis=0)
    wide = np.maximum(high - low, 1e-6)
    low, high = low - MARGIN_DENSITY * wide, high + MARGIN_DENSITY * wide
    is_member = np.zeros(view.corpus.n_documents, dtype=bool)
    is_member[view.corpus.members(view.label)] = True
    bins = np.zeros((2, rows, columns), dtype=np.float32)
    for start, sums in view.shown(setting.family).of_corpus(setting):
        add_to_bins(sums, low, high, is_member[start : start + len(sums)], bins)
    return Density(low, high, bins)


DRAWN = 3_000
"""How many documents of each kind a figure holds: it is written into the notebook."""

CLIPPED = {False: 0.5, True: 1.0}
"""Per cent of the others, and of the members, at each end that do not widen the figure; one can still zoom out."""

MARGIN = 0.04
MEMBER, OTHER, INK, FAINT = "#b5542c", "#1f6384", "#59636b", "#c3c9cd"


def plot_view(view: View, setting: FamilySetting) -> Any:
    """Draw training and held-out documents side by side, members and others apart, and the decision line."""
    Scatter = optional("plotly.graph_objects", "web").Scatter
    shown, points, axes = view.documents, view.points(setting), setting.family.axes
    up = points.odds if axes.up is None else points.y
    measures = view.measures(setting)
    titles = [
        f"{title}: F1 {of.f1:.3f}<br>precision {of.precision:.3f}, recall {of.recall:.3f}"
        for title, of in (("Training", measures["training"]), ("Held out", measures["held_out"]))
    ]
    figure = optional("plotly.subplots", "web").make_subplots(
        1, 2, subplot_titles=titles, shared_xaxes="all", shared_yaxes="all"
    )
    generator = np.random.default_rng(0)
    for column, part in enumerate((~shown.held_out, shown.held_out), start=1):
        for name, mask, colour, symbol in (
            ("other", ~shown.member & part, OTHER, "diamond"),
            ("member", shown.member & part, MEMBER, "triangle-up"),
        ):
            places = np.flatnonzero(mask)
            if len(places) > DRAWN:
                places = np.sort(generator.choice(places, DRAWN, replace=False))
            figure.add_trace(
                Scatter(
                    x=points.x[places].round(3),
                    y=up[places].round(3),
                    text=[title.replace("<", "&lt;") for title in view.corpus.titles(shown.rows[places])],
                    mode="markers",
                    name=name,
                    marker={"color": colour, "symbol": symbol, "size": 6, "opacity": 0.6},
                    legendgroup=name,
                    showlegend=column == 1,
                    hovertemplate="%{text}<br>(%{x:.1f}, %{y:.1f})",
                ),
                row=1,
                col=column,
            )
        ends = [float(min(points.x.min(), up.min())), float(max(points.x.max(), up.max()))]
        # Where both coordinates are log odds, documents on the diagonal have not moved, and 0 decides.
        drawn = (
            [("decision line", ends, INK)] if axes.up else [("decision line", [0, 0], INK), ("not moved", ends, FAINT)]
        )
        for name, heights, colour in drawn:
            line = {"x": ends, "y": heights, "mode": "lines", "line": {"color": colour}, "hoverinfo": "skip"}
            figure.add_trace(Scatter(**line, name=name, showlegend=column == 1), row=1, col=column)
        figure.update_xaxes(title_text=axes.across, row=1, col=column)
    figure.update_yaxes(title_text=axes.up or "log odds now", row=1, col=1)
    # Both coordinates are of one kind, so that y = x is the diagonal.
    seen = extent(np.column_stack([points.x, up]), shown.member)
    figure.update_xaxes(range=seen)
    figure.update_yaxes(range=seen)
    figure.update_annotations(font_size=13)
    figure.update_layout(
        title=f"{view.label.replace('<', '&lt;')}, {setting}",
        template="plotly_white",
        height=520,
        legend={"orientation": "h", "yanchor": "top", "y": -0.16},
    )
    return figure


def extent(points: Floats, member: NDArray[np.bool_]) -> list[float]:
    """Return the ends of both axes: nearly all others and nearly all members lie between them."""
    ends = [
        np.percentile(points[member == kind], [cut, 100 - cut], axis=0)
        for kind, cut in CLIPPED.items()
        if np.any(member == kind)
    ]
    low, high = float(np.min(ends)), float(np.max(ends))
    room = MARGIN * (high - low) or 1.0
    return [low - room, high + room]
