"""Web-scale classification with naive Bayes: five smoothings that still work with a thousand classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

from priorwise.papers import webscale_data as read
from priorwise.papers.experiment import Experiment, Findings, Progress, Session
from priorwise.papers.vocabulary import of_letters
from priorwise.papers.webscale_cells import METHODS, accuracy
from priorwise.papers.webscale_data import Classes
from priorwise.papers.webscale_tables import Layout

_SETTING = (
    "Four documents in five are learned from, the fifth is classified; all are drawn by chance, anew for each split. "
    "Words are all tokens of the training documents, in lower case, numbers among them, without a stop list. Each "
    "method's number is chosen by exact leave-one-out on the training documents alone. A class of MEDLINE is the "
    "rarest main heading of an abstract that at least ten abstracts have; one of WordNet is the synset directly above, "
    "if it is above five or more. ODP and Yahoo QA, which the paper uses, are not to be had; O\\*NET has about as many "
    "classes as its ODP. The paper's 20 Newsgroups is probably the older version, of 19,997 messages."
)


class Read(NamedTuple):
    """A collection as the experiment reads it.

    How often it is split, which of the grid's priors are tried (every, every second, …), and for how many classes a
    curve is drawn.
    """

    title: str
    read: Callable[..., Classes]
    splits: int
    every: int = 1
    curve: tuple[int, ...] = ()


PARTS = {
    "newsgroups": Read("20 Newsgroups", read.newsgroups, 5),
    "onet": Read("O*NET titles", read.onet, 3, curve=(5, 10, 20, 50, 100, 200, 500, 1016)),
    "medline": Read("MEDLINE headings", read.medline, 1, every=2),
    "wordnet": Read("WordNet glosses", read.wordnet, 1, every=4),
}

VOCABULARIES = ("every token", "no stop words", "letters", "letters, no stop words")
VOCABULARY_SPLITS = 2
COMPARED = ("standard", "weights", "laplace")
"""The methods of Figure 3, and of the table of vocabularies."""


def run(session: Session) -> Findings:
    """Measure every method on every collection, then lay out the tables."""
    found, counts = {}, {}
    curves, vocabularies = {}, {}
    for number, part in enumerate(session.only):

        def progress(what: str, share: float, part: str = part, number: int = number) -> None:
            session.progress(f"{PARTS[part].title}: {what}", (number + share) / len(session.only))

        measured = _Part(session, part, progress)
        counts[PARTS[part].title] = measured.counts()
        found[part] = measured.splits()
        curves[part] = measured.curve()
        if part == "newsgroups":
            vocabularies = measured.vocabularies()
    titles = {part: PARTS[part].title for part in found}
    return Findings((_SETTING, *Layout(found, curves, vocabularies, titles).parts()), counts)


class _Part:
    """One collection: what is measured on it, cell by cell."""

    def __init__(self, session: Session, part: str, progress: Progress) -> None:
        self.session, self.part, self.progress = session, part, progress
        self.key = {"part": part, "data": session.data.fingerprint(*EXPERIMENT.parts[part])}
        self.whole = cache(lambda: PARTS[part].read(session.data))

    def counts(self) -> str:
        """How much there is."""
        self.progress("read", 0.0)
        counted: str = self.session.results.cell({**self.key, "what": "counts"}, lambda: self.whole().counts)
        return counted

    def splits(self) -> dict[str, list[dict[str, Any]]]:
        """For each method, what it did on each split."""
        seeds = range(1 if self.session.quick else PARTS[self.part].splits)
        found: dict[str, list[dict[str, Any]]] = {name: [] for name in METHODS}
        for done, (seed, name) in enumerate((seed, name) for seed in seeds for name in METHODS):
            self.progress(METHODS[name].title, 0.8 * done / (len(seeds) * len(METHODS)))
            found[name].append(self._cell(self.whole, name, seed=seed))
        return found

    def curve(self) -> dict[str, list[tuple[int, float]]]:
        """For each method of the figure, its accuracy with fewer classes."""
        sizes = PARTS[self.part].curve[:2] if self.session.quick else PARTS[self.part].curve
        found: dict[str, list[tuple[int, float]]] = {name: [] for name in COMPARED if sizes}
        for size in sizes:
            self.progress(f"{size} classes", 0.8)
            some = cache(lambda size=size: self.whole().of_classes(size))
            for name in found:
                found[name].append((size, self._cell(some, name, n_classes=size, seed=0)["accuracy"]))
        return found

    def vocabularies(self) -> dict[str, dict[str, list[float]]]:
        """For each rule of what is a word, the accuracies of some methods."""
        stop_words = self.session.data.stop_words()
        seeds = range(1 if self.session.quick else VOCABULARY_SPLITS)
        found: dict[str, dict[str, list[float]]] = {}
        for number, rule in enumerate(VOCABULARIES):
            self.progress(rule, 0.8 + 0.2 * number / len(VOCABULARIES))

            def keep(word: str, rule: str = rule) -> bool:
                return ("letters" not in rule or bool(of_letters(word))) and (
                    "no stop words" not in rule or word not in stop_words
                )

            some = cache(partial(read.newsgroups, self.session.data, keep))
            more = {} if number == 0 else {"vocabulary": rule}
            found[rule] = {
                name: [self._cell(some, name, seed=seed, **more)["accuracy"] for seed in seeds] for name in COMPARED
            }
        return found

    def _cell(self, classes: Callable[[], Classes], name: str, **key: Any) -> dict[str, Any]:
        every = 3 if self.session.quick else PARTS[self.part].every

        def compute() -> dict[str, Any]:
            return accuracy(classes(), METHODS[name], key["seed"], every)

        found: dict[str, Any] = self.session.results.cell({**self.key, "method": name, "every": every, **key}, compute)
        return found


EXPERIMENT = Experiment(
    name="webscale",
    title="Naive Bayes with thousands of classes",
    paper="Zhang, Xue, Yu and Zha, *Web-scale classification with naive Bayes*.",
    parts={
        "newsgroups": ("newsgroups", "stop-list"),
        "onet": ("onet",),
        "medline": ("medline",),
        "wordnet": ("wordnet",),
    },
    run=run,
)
