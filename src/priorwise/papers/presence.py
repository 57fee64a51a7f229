"""Presence-only naive Bayes whose two class priors are learned, on hidden members instead of people's verdicts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

from priorwise.corpus import Corpus
from priorwise.papers.data import Data
from priorwise.papers.experiment import Experiment, Findings, Session
from priorwise.papers.presence_cells import METHODS, MOST, categories, judge, terrain
from priorwise.papers.presence_tables import PUBLISHED_TABLES, Layout
from priorwise.search import PPV, AveragePrecision

_SETTING = (
    "The paper ranks 5.9 million articles of Wikipedia for five categories, and people judge the first 250 of each "
    "list. Neither that dump nor those people are here. In their place half of each category's members are hidden, and "
    "found again or not: what is not labelled counts as wrong, so the figures are lower than a reader's, for every "
    "method alike. Categories have at least 100 members; twelve of each collection are taken, evenly over their sizes."
)


class Read(NamedTuple):
    """A collection as the experiment reads it."""

    title: str
    read: Callable[[Data], Corpus]


PARTS = {
    "newsgroups": Read("20 Newsgroups", lambda data: data.corpus("newsgroups")),
    "ohsumed": Read("Ohsumed", lambda data: data.corpus("ohsumed")),
    "enwik8": Read("enwik8", lambda data: data.wiki("enwik8")),
    "shinto-wiki": Read("Shinto wiki", lambda data: data.wiki("shinto-wiki")),
}

TARGETS = {"ppv": PPV(), "average precision": AveragePrecision()}
TERRAIN_EVERY = 6


def run(session: Session) -> Findings:
    """Judge every method on every category, then lay out the tables."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    terrains: dict[str, dict[str, Any]] = {}
    counts = {}
    for number, part in enumerate(session.only):
        measured = _Part(session, part, number / len(session.only), 1 / len(session.only))
        title = PARTS[part].title
        counts[title] = measured.counts()
        found[title] = measured.categories()
        if not terrains and found[title]:
            terrains = measured.terrains(next(iter(found[title])))
    return Findings((_SETTING, *PUBLISHED_TABLES, *Layout(found, terrains).parts()), counts)


class _Part:
    """One collection: what is measured on it, cell by cell."""

    def __init__(self, session: Session, part: str, done: float, share: float) -> None:
        self.session, self.title, self.done, self.share = session, PARTS[part].title, done, share
        self.key = {"part": part, "data": session.data.fingerprint(*EXPERIMENT.parts[part])}
        self.corpus = cache(lambda: PARTS[part].read(session.data))

    def counts(self) -> str:
        """How much there is."""
        self._progress("read", 0.0)
        text: str = self._cell(self._counted, what="counts")
        return text

    def categories(self) -> dict[str, dict[str, Any]]:
        """For each category, what each method did."""
        most = 2 if self.session.quick else MOST
        labels: list[str] = self._cell(lambda: categories(self.corpus(), most), what="categories")
        found: dict[str, dict[str, Any]] = {label: {} for label in labels}
        jobs = [(label, method) for label in labels for method in METHODS]
        for place, (label, method) in enumerate(jobs):
            self._progress(f"{label}, {METHODS[method]}", place / len(jobs))
            found[label][method] = self._cell(partial(self._judged, label, method), label=label, method=method)
        return found

    def terrains(self, label: str) -> dict[str, dict[str, Any]]:
        """The terrain of one category for both targets."""
        self._progress(f"{label}, terrains", 1.0)
        every = 40 if self.session.quick else TERRAIN_EVERY
        found = {}
        for name in TARGETS:
            cell = self._cell(partial(self._terrain, label, name, every), label=label, terrain=name)
            found[name] = {"label": label, **cell}
        return found

    def _judged(self, label: str, method: str) -> dict[str, Any]:
        return judge(self.corpus(), label, method)

    def _terrain(self, label: str, target: str, every: int) -> dict[str, Any]:
        return terrain(self.corpus(), label, TARGETS[target], every)

    def _counted(self) -> str:
        corpus = self.corpus()
        return (
            f"{corpus.n_documents:,} documents, {corpus.n_vocabulary:,} distinct tokens, {corpus.n_labels:,} categories"
        )

    def _cell(self, make: Callable[[], Any], **key: Any) -> Any:
        return self.session.results.cell({**self.key, **key}, make)

    def _progress(self, what: str, share: float) -> None:
        self.session.progress(f"{self.title}: {what}", self.done + self.share * share)


EXPERIMENT = Experiment(
    name="presence",
    title="Learned priors for presence-only naive Bayes: missing members of a category",
    paper="Kayaalp, *Learning optimal Bayesian prior probabilities from data*.",
    parts={part: (part,) for part in PARTS},
    run=run,
)
