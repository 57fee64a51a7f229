"""Web-scale classification with naive Bayes: five smoothings that still work with a thousand classes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.models.naive_bayes.estimators import MultinomialNB, WeightedNB
from priorwise.models.prior_search import PriorSearch
from priorwise.priors import AbsoluteDiscount, Dirichlet, LinearDiscount, WeightManipulation, WittenBell
from reproductions.data import Data
from reproductions.experiment import Experiment, Findings, Part, Progress, Session
from reproductions.figure import Curves
from reproductions.split import membership, of_letters
from reproductions.table import Cell, Table, escaped, read_published

Ints = NDArray[np.int64]

# Datasets with few and with thousands of classes

TEST_SHARE = 0.2


@dataclass(frozen=True)
class Classes:
    """Documents, each in one class.

    Attributes
    ----------
    X : scipy.sparse.csr_matrix
        How often each word occurs in each document.
    y : array of int
        The class of each document, from 0.
    """

    X: Any
    y: Ints

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(np.unique(self.y))

    @property
    def counts(self) -> str:
        """How much there is, in words."""
        words = np.count_nonzero(np.diff(self.X.tocsc().indptr))
        return f"{len(self.y):,} documents, {words:,} words, {self.n_classes:,} classes"

    def of_classes(self, count: int, seed: int = 0) -> Classes:
        """Draw this many of the classes by chance; a smaller draw is always part of a larger one."""
        drawn = np.random.default_rng(seed).permutation(np.unique(self.y))[:count]
        rows = np.flatnonzero(np.isin(self.y, drawn))
        return Classes(self.X[rows], self.y[rows])

    def split(self, seed: int) -> tuple[Any, Ints, Any, Ints]:
        """X and y of the training documents, four in five, then of the test documents.

        Words that no training document has are left out.
        """
        order = np.random.default_rng(seed).permutation(len(self.y))
        cut = len(order) - round(TEST_SHARE * len(order))
        train, test = order[:cut], order[cut:]
        X_train = self.X[train]
        seen = np.flatnonzero(np.diff(X_train.tocsc().indptr))
        return X_train[:, seen], self.y[train], self.X[test][:, seen], self.y[test]


def read_newsgroups(data: Data, keep: Callable[[str], bool] = lambda word: True) -> Classes:
    """All messages of 20 Newsgroups with their headers; `keep` says which words count."""
    corpus = data.corpus("newsgroups")
    names = corpus.token_names(range(corpus.n_vocabulary))
    kept = np.flatnonzero([keep(name) for name in names])
    return Classes(corpus.matrix()[:, kept], one_class(corpus)[1])


def read_onet(data: Data) -> Classes:
    """Job titles of O*NET; the classes are occupations."""
    corpus = data.corpus("onet")
    return Classes(corpus.matrix(), one_class(corpus)[1])


def read_wordnet(data: Data) -> Classes:
    """Glosses of WordNet; the classes are the synsets with at least five below them."""
    corpus = data.corpus("wordnet")
    rows, y = one_class(corpus, at_least=5)
    return Classes(corpus.matrix(rows), y)


def read_medline(data: Data) -> Classes:
    """Abstracts of MEDLINE; the class is the rarest main heading that at least ten abstracts have."""
    corpus = data.corpus("medline", major=True, labelled=True)
    rows, y = one_class(corpus, at_least=10)
    return Classes(corpus.matrix(rows), y)


def one_class(corpus: Corpus, at_least: int = 1) -> tuple[Ints, Ints]:
    """Give each document one class: the rarest of its labels that have at least this many documents.

    Returns
    -------
    rows, classes : arrays of int
        The documents that have such a label, and its number.

    Examples
    --------
    >>> corpus = Corpus.from_texts(["a", "b", "c"], labels=[["x", "y"], ["x"], ["z", "x"]])
    >>> rows, classes = one_class(corpus, at_least=1)
    >>> corpus.label_names(classes)
    ['y', 'x', 'z']
    >>> one_class(corpus, at_least=2)[1].tolist() == [corpus.label_names(range(3)).index("x")] * 3
    True
    """
    found = membership(corpus).tocoo()
    sizes = np.bincount(found.col, minlength=corpus.n_labels)
    order = np.lexsort((found.col, sizes[found.col], found.row))
    order = order[sizes[found.col[order]] >= at_least]
    rows, first = np.unique(found.row[order], return_index=True)
    return rows.astype(np.int64), found.col[order][first].astype(np.int64)


# One method on one split

FINER = 7
"""How many priors are tried between the best of the grid and its two neighbours."""

STANDARD = "standard"


@dataclass(frozen=True)
class Method:
    """One of the paper's methods: the model and the kind of its prior, or none if there is nothing to choose."""

    title: str
    model: type[Any]
    prior: type[Any] | None


METHODS = {
    STANDARD: Method("Standard NB", MultinomialNB, None),
    "weights": Method("WMNB (γ)", WeightedNB, WeightManipulation),
    "laplace": Method("PNBC-Laplace (α)", MultinomialNB, Dirichlet),
    "absolute": Method("PNBC-Absolute (δ)", MultinomialNB, AbsoluteDiscount),
    "linear": Method("PNBC-Linear (α)", MultinomialNB, LinearDiscount),
    "witten-bell": Method("PNBC-WittenBell (α)", MultinomialNB, WittenBell),
}


def accuracy(classes: Classes, method: Method, seed: int, every: int) -> dict[str, Any]:
    """Learn from four fifths of the documents and classify the others.

    The method's number is chosen by the accuracy of exact leave-one-out on the training documents: first among those of
    the grid, or every few of them, then between the best and its neighbours.

    Returns
    -------
    dict
        ``accuracy`` on the test documents, the chosen ``number``, and its leave-one-out accuracy, ``held_out``.
    """
    X, y, X_test, y_test = classes.split(seed)
    if method.prior is None:
        model = method.model().fit(X, y)
        return {"accuracy": _share_right(model, X_test, y_test), "number": None, "held_out": None}
    grid = method.prior.grid()[::every]
    coarse = PriorSearch(method.model(method.prior()), grid=grid).fit(X, y)
    fine = PriorSearch(
        method.model(coarse.best_prior_), grid=[coarse.best_prior_, *between_neighbours(coarse.best_prior_, grid)]
    ).fit(X, y)
    return {
        "accuracy": _share_right(fine, X_test, y_test),
        "number": number_of(fine.best_prior_),
        "held_out": fine.best_score_,
    }


def _share_right(model: Any, X: Any, y: Any) -> float:
    return float(np.mean(model.predict(X) == y))


def number_of(prior: Any) -> float:
    """The one number of a prior.

    Examples
    --------
    >>> number_of(WittenBell(0.5))
    0.5
    """
    (number,) = dataclasses.astuple(prior)
    return float(number)


def between_neighbours(prior: Any, grid: Sequence[Any]) -> list[Any]:
    """Priors between the neighbours of one of the grid, at equal ratios.

    Examples
    --------
    >>> grid = [WeightManipulation(gamma) for gamma in (-1, -4, -256)]
    >>> [round(number_of(prior)) for prior in between_neighbours(grid[1], grid)]
    [-2, -4, -8, -16, -32, -64, -128]
    """
    numbers = sorted({number_of(each) for each in grid}, key=abs)
    place = numbers.index(number_of(prior))
    low, high = numbers[max(place - 1, 0)], numbers[min(place + 1, len(numbers) - 1)]
    return [type(prior)(float(number)) for number in np.geomspace(low, high, FINER + 2)[1:-1]]


# Tables and the figure

PUBLISHED = read_published("webscale")
PRINTED = PUBLISHED["accuracy"]

FIVE = tuple(name for name in METHODS if name != STANDARD)


@dataclass(frozen=True)
class Layout:
    """What was found, put into tables.

    Parameters
    ----------
    found : mapping
        For each part and method, what it did on each split.
    curves : mapping
        For each part and method, its accuracy against the number of classes.
    vocabularies : mapping
        For each rule of what is a word, the accuracies of some methods on 20 Newsgroups.
    titles : mapping of str to str
        The parts' titles.
    """

    found: Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]]
    curves: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]]
    vocabularies: Mapping[str, Mapping[str, Sequence[float]]]
    titles: Mapping[str, str]

    def parts(self) -> Iterator[Part]:
        """Yield the tables, the figures and what they say."""
        yield "## Table 1"
        yield self._accuracies()
        yield self._gains()
        yield " ".join(self._said())
        yield self._chosen()
        drawn = {part: curves for part, curves in self.curves.items() if curves}
        if drawn:
            yield "## Figure 3"
            yield from (self._curve(part, curves) for part, curves in drawn.items())
            yield from (self._curve_table(part, curves) for part, curves in drawn.items())
        if self.vocabularies:
            yield "## What counts as a word"
            yield self._vocabularies()

    def _values(self, part: str, method: str) -> Any:
        return np.array([split["accuracy"] for split in self.found[part][method]])

    def _mean(self, part: str, method: str) -> float:
        return float(self._values(part, method).mean())

    def _accuracies(self) -> Table:
        absent = [name for name in PRINTED if name not in ("newsgroups",)]
        rows = [
            (
                method.title,
                [
                    *(Cell(self._mean(p, name), PRINTED.get(p, {}).get(name)) for p in self.found),
                    *(Cell(None, PRINTED[other][name]) for other in absent),
                ],
            )
            for name, method in METHODS.items()
        ]
        splits = ", ".join(f"{self.titles[p]} {len(methods[STANDARD])}" for p, methods in self.found.items())
        return Table.of(
            "Accuracy",
            ["", *(self.titles[p] for p in self.found), *absent],
            rows,
            note=escaped(f"Means over splits, of which there are: {splits}."),
        )

    def _gains(self) -> Table:
        def cell(part: str, name: str) -> str:
            gain = 100 * (self._values(part, name) - self._values(part, STANDARD))
            times = self._mean(part, name) / self._mean(part, STANDARD)
            spread = f" ({gain.min():.1f} to {gain.max():.1f})" if len(gain) > 1 else ""
            return f"{gain.mean():+.1f}{spread}, × {times:.2f}"

        def printed(collection: str, name: str) -> str:
            ours, standard = PRINTED[collection][name], PRINTED[collection][STANDARD]
            return f"{100 * (ours - standard):+.1f}, × {ours / standard:.2f}"

        rows = [
            (METHODS[n].title, [*(cell(p, n) for p in self.found), *(printed(c, n) for c in PRINTED)]) for n in FIVE
        ]
        names = {"newsgroups": "20 Newsgroups"}
        return Table.of(
            "Ahead of standard NB",
            ["", *(self.titles[p] for p in self.found), *(f"{names.get(c, c)}, published" for c in PRINTED)],
            rows,
            note="In percentage points, with the least and the most over the splits; × is the ratio of the means.",
        )

    def _said(self) -> Iterator[str]:
        """What the tables amount to."""
        for part in self.found:
            gains = [100 * (self._mean(part, name) - self._mean(part, STANDARD)) for name in FIVE]
            times = min(self._mean(part, name) for name in FIVE) / max(self._mean(part, STANDARD), 1e-9)
            yield (
                f"On {escaped(self.titles[part])} the five are ahead of standard NB by {min(gains):.1f} to "
                f"{max(gains):.1f} points, at least {times:.2f} times its accuracy."
            )

    def _chosen(self) -> Table:
        rows = [
            (
                METHODS[name].title,
                [", ".join(f"{split['number']:.3g}" for split in self.found[p][name]) for p in self.found],
            )
            for name in FIVE
        ]
        return Table.of("The number that leave-one-out chose, split by split", ["", *self._titles()], rows)

    def _titles(self) -> list[str]:
        return [self.titles[part] for part in self.found]

    def _curve(self, part: str, curves: Mapping[str, Sequence[tuple[float, float]]]) -> Curves:
        return Curves(
            f"webscale-{part}",
            f"Accuracy against the number of classes, {self.titles[part]}",
            "classes",
            "accuracy",
            {METHODS[name].title: points for name, points in curves.items()},
            log_x=True,
            note="The classes are drawn by chance, fewer always among more; each number is chosen anew.",
        )

    def _curve_table(self, part: str, curves: Mapping[str, Sequence[tuple[float, float]]]) -> Table:
        sizes = [int(size) for size, _ in next(iter(curves.values()))]
        rows = [(METHODS[name].title, [value for _, value in points]) for name, points in curves.items()]
        return Table.of(f"{self.titles[part]}: accuracy by number of classes", ["", *(f"{n:,}" for n in sizes)], rows)

    def _vocabularies(self) -> Table:
        names = list(next(iter(self.vocabularies.values())))
        rows: list[tuple[str, list[float | str]]] = []
        for rule, values in self.vocabularies.items():
            means = {name: float(np.mean(values[name])) for name in names}
            ahead = [f"{100 * (means[name] - means[STANDARD]):+.1f}" for name in names if name != STANDARD]
            rows.append((rule, [*means.values(), *ahead]))
        splits = len(next(iter(self.vocabularies.values()))[STANDARD])
        ahead_of = [f"{METHODS[name].title} ahead" for name in names if name != STANDARD]
        return Table.of(
            "20 Newsgroups: accuracy by vocabulary",
            ["", *(METHODS[name].title for name in names), *ahead_of],
            rows,
            note=f"Means over splits, of which there are {splits} here; ahead of standard NB in percentage points.",
        )


# The experiment

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
    "newsgroups": Read("20 Newsgroups", read_newsgroups, 5),
    "onet": Read("O*NET titles", read_onet, 3, curve=(5, 10, 20, 50, 100, 200, 500, 1016)),
    "medline": Read("MEDLINE headings", read_medline, 1, every=2),
    "wordnet": Read("WordNet glosses", read_wordnet, 1, every=4),
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

            some = cache(partial(read_newsgroups, self.session.data, keep))
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
    paper=PUBLISHED["paper"],
    parts={
        "newsgroups": ("newsgroups", "stop-list"),
        "onet": ("onet",),
        "medline": ("medline",),
        "wordnet": ("wordnet",),
    },
    run=run,
)
