"""A review replayed against known labels: how early each method finds the members."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from priorwise.charts import Picture, line_chart
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.durable import held, sync_file
from priorwise.errors import BrokenFile, InputError, NotEnoughData, UnknownName
from priorwise.features.document_vectors import WordCovariance, document_vectors, text_vector
from priorwise.kernels import Floats, Mask
from priorwise.models.regression.judged_squares import JudgedSquares, balanced
from priorwise.ranking.metrics import (
    Comparison,
    Screening,
    average_precision,
    compare,
    recall_at,
    recall_curve,
    screening_metrics,
)
from priorwise.review.session import CONSTANT, STRENGTH, TOGETHER, Start, with_constant

OURS = "priorwise"

SVM_C, SVM_RATIO = 0.11, 9.8
"""The settings of ASReview's default, ELAS u4."""

PRESUMED = 100
"""BMI treats this many random unread documents as rejected, different ones each time."""

FILE_NAME = "replays.jsonl"
RECALL_AT = (10, 50, 100, 500)
CURVE_POINTS = 200

METRICS: dict[str, Callable[[Screening], float]] = {
    "WSS@95": lambda found: found.wss_95,
    "WSS@100": lambda found: found.wss_100,
    "RRF@10": lambda found: found.rrf_10,
    "ATD": lambda found: found.average_discovery / found.documents,
    "R-precision": lambda found: found.r_precision,
    "last member": lambda found: float(found.last_member),
    "area": lambda found: found.area,
    "loss": lambda found: found.loss,
}
"""The metrics of a review by their usual names; ATD is given as a share of the documents."""

SMALL_IS_GOOD = ("ATD", "last member", "loss")


# The orders in which reviews are read: ours, and those that it is compared with. A reader takes a task and yields rows,
# best first. It may look at the label of a document only after it yielded it.


@dataclass(frozen=True)
class Task:
    """A review to simulate: its members, the rows that are judged before it begins, and a text about the category."""

    corpus: Corpus
    members: Mask
    start: list[int]
    seed: int
    about: str | None = None

    @classmethod
    def drawn(cls, corpus: Corpus, label: str, members: Mask, known: int, seed: int, about: str | None) -> Task:
        """Draw members and one other document to start from."""
        if known < 0 or (known == 0 and not about):
            raise InputError("a review starts from at least one member, or from a text about the category")
        if members.sum() <= known or members.all():
            raise NotEnoughData(
                f"'{label}' has {members.sum()} members among {len(members)} documents; to start from {known} a review "
                "needs one more, and a document that is not a member"
            )
        rng = np.random.default_rng([seed, known])
        start = [*rng.permutation(np.flatnonzero(members))[:known], rng.choice(np.flatnonzero(~members))]
        return cls(corpus, members, [int(row) for row in start], seed, about)

    @cached_property
    def vectors(self) -> Any:
        """The documents as vectors, and the text about the category as a last row, if there is one."""
        from scipy.sparse import vstack

        X = document_vectors(self.corpus, np.arange(self.corpus.n_documents))
        return vstack([X, text_vector(self.corpus, self.about)], format="csr") if self.about else X

    @property
    def judged(self) -> list[tuple[int, bool]]:
        """The rows of X that are judged before the review begins, and how."""
        text = [(len(self.members), True)] if self.about else []
        return [*text, *((row, bool(self.members[row])) for row in self.start)]


class Learner(Protocol):
    """Anything that scores all rows from the verdicts so far."""

    def judge(self, row: int, member: bool) -> None:
        """Add a verdict."""

    def scores(self) -> NDArray[Any]:
        """Score every row."""


def read_with(
    task: Task,
    learner: Learner,
    *,
    judged: Sequence[tuple[int, bool]] | None = None,
    batch: Callable[[int], int] = lambda size: 1,
) -> Iterator[int]:
    """Yield the best unread rows, and judge each.

    `judged` is known before, by default all of the task; `batch` gives the size of the next batch from that of the
    last.
    """
    for row, member in task.judged if judged is None else judged:
        learner.judge(row, member)
    unread = np.ones(len(task.members), bool)
    unread[task.start] = False
    size = 0
    while unread.any():
        size = batch(size)
        scores = np.where(unread, learner.scores()[: len(unread)], -np.inf)
        best = np.argsort(-scores, kind="stable")[: min(size, int(unread.sum()))]
        unread[best] = False
        for row in best.tolist():
            yield row
            learner.judge(row, bool(task.members[row]))


class Machine:
    """A scikit-learn model that is fitted anew to all verdicts."""

    def __init__(self, X: Any, model: Any, ratio: float | None, presumed: int = 0, seed: int = 0) -> None:
        self.X, self.model, self.ratio, self.presumed = X, model, ratio, presumed
        self.rng = np.random.default_rng(seed)
        self.verdicts: dict[int, bool] = {}

    def judge(self, row: int, member: bool) -> None:
        """Add a verdict."""
        self.verdicts[row] = member

    def scores(self) -> NDArray[Any]:
        """Fit, and score every row."""
        verdicts = dict(self.verdicts)
        if self.presumed:
            unread = np.setdiff1d(np.arange(self.X.shape[0]), list(verdicts))
            drawn = self.rng.choice(unread, min(self.presumed, len(unread)), replace=False)
            verdicts |= dict.fromkeys(drawn.tolist(), False)
        members = np.array(list(verdicts.values()))
        weights = None if self.ratio is None else balanced(members, self.ratio)
        self.model.fit(self.X[list(verdicts)], members, sample_weight=weights)
        scores: NDArray[Any] = self.model.decision_function(self.X)
        return scores


def ours(task: Task) -> Iterator[int]:
    """Read in the order of a :class:`Session` that starts from the same documents, without keeping its log."""
    _, learner = learner_of_session(task)
    return read_with(task, learner, judged=[(row, bool(task.members[row])) for row in task.start])


def learner_of_session(task: Task) -> tuple[Run, JudgedSquares]:
    """Return what `discover` finds at the start, and the learner that has its model as the centre of the prior."""
    members = [row for row in task.start if task.members[row]]
    run = discover(task.corpus, members=task.corpus.ids(members), description=task.about)
    start = Start.of(run, task.corpus, subcategories=False)
    if len(start.read.rows) < len(task.members):
        raise InputError(f"a corpus of {len(task.members):,} documents is too large to simulate a review")
    centre = np.append(start.weights, start.shift / math.sqrt(CONSTANT))
    return run, JudgedSquares(start.X, strength=STRENGTH, centre=centre, covariance=start.covariance)


def squares(task: Task) -> Iterator[int]:
    """Read in the order of the same model with a centre of 0: it learns from verdicts alone."""
    covariance = WordCovariance(task.vectors, TOGETHER)
    learner = JudgedSquares(with_constant(task.vectors), strength=STRENGTH, covariance=covariance)
    return read_with(task, learner)


def svm(task: Task) -> Iterator[int]:
    """Read in the order of a support vector machine on words, with the settings of ASReview's default."""
    from sklearn.svm import LinearSVC

    return read_with(task, Machine(task.vectors, LinearSVC(C=SVM_C), SVM_RATIO))


def bmi(task: Task) -> Iterator[int]:
    """Read as the baseline model implementation of TREC's total recall track does (Cormack and Grossman 2015).

    Logistic regression on words learns again after batches that grow by a tenth. Each time, 100 random unread
    documents count as rejected.
    """
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(class_weight="balanced", solver="liblinear")
    machine = Machine(task.vectors, model, None, PRESUMED, task.seed)
    return read_with(task, machine, batch=lambda size: size + math.ceil(size / 10) if size else 1)


def asreview(task: Task) -> Iterator[int]:
    """Read in the order of ASReview's default model, by its own code, from the texts that the corpus keeps."""
    corpus, n = task.corpus, len(task.members)
    if find_spec("asreview") is None:
        raise InputError("ASReview is not installed here: pip install 'asreview>=3', or compare with svm or bmi")
    if not corpus.keeps_text:
        raise InputError("ASReview reads texts, and this corpus keeps none; ingest it again with --keep-text whole")
    import pandas as pd
    from asreview.learner import ActiveLearningCycle
    from asreview.models.models import get_ai_config
    from asreview.simulation.simulate import Simulate

    rows = np.arange(n)
    table = pd.DataFrame({"title": corpus.titles(rows), "abstract": [corpus.text(row) or "" for row in range(n)]})
    labels, known = task.members.astype(int).tolist(), task.start
    if task.about:
        table.loc[n] = [task.about, ""]
        labels, known = [*labels, 1], [*known, n]
    cycle = ActiveLearningCycle.from_meta(get_ai_config("elas_u4")["value"])
    simulation = Simulate(table, pd.Series(labels), [cycle], print_progress=False)
    simulation.label(known)
    simulation.review()
    yield from (int(row) for row in simulation._results["record_id"] if row not in known)


READERS: dict[str, Callable[[Task], Iterator[int]]] = {
    OURS: ours,
    "squares": squares,
    "asreview": asreview,
    "svm": svm,
    "bmi": bmi,
}


@dataclass(frozen=True, slots=True)
class Replay:
    """One simulated review."""

    label: str
    method: str
    known: int
    seed: int
    about: str | None
    documents: int
    found: tuple[tuple[str, int], ...]
    seconds: float

    @property
    def key(self) -> tuple[str, str, int, int, str | None]:
        """What makes it this replay and no other."""
        return self.label, self.method, self.known, self.seed, self.about

    @property
    def verdicts(self) -> Mask:
        """Whether each document was a member, in the order of reading."""
        verdicts = np.zeros(self.documents, bool)
        verdicts[[place - 1 for _, place in self.found]] = True
        return verdicts

    def metrics(self) -> dict[str, float]:
        """Return all metrics by name."""
        verdicts = self.verdicts
        found = screening_metrics(verdicts)
        recalls = {f"recall@{k}": recall_at(verdicts, k) for k in RECALL_AT if k < self.documents}
        precision = {"average precision": average_precision(verdicts)}
        return {name: of(found) for name, of in METRICS.items()} | precision | recalls


@dataclass(frozen=True)
class Simulation:
    """Simulated reviews of one or more categories by one or more methods."""

    replays: Sequence[Replay]
    fresh: int = 0

    @property
    def labels(self) -> list[str]:
        """The categories, in the order given."""
        return list(dict.fromkeys(each.label for each in self.replays))

    @property
    def methods(self) -> list[str]:
        """The methods, ours first."""
        return list(dict.fromkeys(each.method for each in self.replays))

    @property
    def starts(self) -> list[int]:
        """The numbers of known members."""
        return list(dict.fromkeys(each.known for each in self.replays))

    def chosen(self, label: str | None = None, method: str | None = None, known: int | None = None) -> list[Replay]:
        """Return the replays of a category, a method, a number of known members."""
        return [
            each
            for each in self.replays
            if label in (None, each.label) and method in (None, each.method) and known in (None, each.known)
        ]

    def means(self, **which: Any) -> dict[str, tuple[float, float]]:
        """Return mean and standard deviation of every metric over the chosen replays, as `chosen` takes them."""
        tables = [each.metrics() for each in self.chosen(**which)]
        names = [name for name in tables[0] if all(name in table for table in tables)] if tables else []
        columns = {name: np.array([table[name] for table in tables]) for name in names}
        return {
            name: (float(column.mean()), float(column.std(ddof=1)) if len(column) > 1 else 0.0)
            for name, column in columns.items()
        }

    def compared(self, method: str, metric: str, *, known: int | None = None) -> Comparison:
        """Test our method against another one, paired.

        With several categories a pair is a category, with its seeds averaged; with one category a pair is a seed.
        """
        table: dict[tuple[str, Any], dict[str, list[float]]] = {}
        several = len(self.labels) > 1
        for each in self.chosen(known=known):
            own = table.setdefault((each.label, None if several else (each.known, each.seed)), {})
            own.setdefault(each.method, []).append(each.metrics()[metric])
        pairs = [(own[OURS], own[method]) for own in table.values() if OURS in own and method in own]
        if not pairs:
            raise InputError(f"no review was replayed by both {OURS} and {method}; there is nothing to compare")
        means = np.array([[np.mean(one), np.mean(other)] for one, other in pairs])
        sign = -1.0 if metric in SMALL_IS_GOOD else 1.0
        return compare(sign * means[:, 0], sign * means[:, 1])

    def recall_curve(self, **which: Any) -> tuple[Floats, Floats]:
        """Return shares of the documents read, and the mean recall after each, over the chosen replays."""
        shares = np.linspace(0.0, 1.0, CURVE_POINTS + 1)
        curves = []
        for each in self.chosen(**which):
            curve = np.concatenate([[0.0], recall_curve(each.verdicts)])
            curves.append(np.interp(shares * each.documents, np.arange(len(curve)), curve))
        return shares, np.mean(curves, axis=0)

    def chart(self, label: str | None = None, known: int | None = None) -> Picture:
        """Draw the recall curves of all methods, for one category or the mean of all."""
        lines = []
        for method in self.methods:
            shares, recall = self.recall_curve(label=label, method=method, known=known)
            lines.append((method, list(zip((100 * shares).tolist(), recall.tolist(), strict=True))))
        saved = {method: self.means(label=label, method=method, known=known)["WSS@95"][0] for method in self.methods}
        summary = "Recall by share of documents read. WSS@95: " + ", ".join(
            f"{method} {value:.3f}" for method, value in saved.items()
        )
        return line_chart(lines, x_name="% of the documents read", y_name="recall", summary=f"{summary}.")

    def latest(self, label: str, method: str = OURS, known: int | None = None) -> list[tuple[str, float]]:
        """Return each member with its mean place in the order of reading (time to discovery), latest first."""
        places: dict[str, list[int]] = {}
        for each in self.chosen(label, method, known):
            for id, place in each.found:
                places.setdefault(id, []).append(place)
        return sorted(((id, float(np.mean(own))) for id, own in places.items()), key=lambda pair: (-pair[1], pair[0]))

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain values."""
        rows = []
        for label in self.labels:
            for known in self.starts:
                for method in self.methods:
                    own = self.means(label=label, method=method, known=known)
                    if own:
                        means = {name: {"mean": mean, "sd": spread} for name, (mean, spread) in own.items()}
                        rows.append({"label": label, "method": method, "known": known, "metrics": means})
        tests = [
            {"against": method, "metric": metric, **asdict(self.compared(method, metric))}
            for method in self.methods
            for metric in ("WSS@95", "ATD")
            if method != OURS
        ]
        discovered = {label: dict(self.latest(label)) for label in self.labels}
        return {"summary": rows, "tests": tests, "time_to_discovery": discovered}


def simulate(
    corpus: Corpus,
    labels: str | Iterable[str],
    *,
    known: int | Iterable[int] = 1,
    seeds: int = 5,
    against: Iterable[str] = (),
    about: str | Mapping[str, str] | None = None,
    path: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> Simulation:
    """Replay whole reviews of categories whose members are known.

    Each review starts from a few members and one other document. The ranking is learned again after every verdict, and
    every verdict is what the label says. Documents that belong to the category but lack the label count against every
    method alike. Our method is that of :class:`Session`. It reads texts only, not the other categories.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    labels : str or iterable of str
        The categories.
    known : int or iterable of int
        From how many members to start. With `about`, it may be 0.
    seeds : int
        How many reviews of each kind, each with other documents at the start.
    against : iterable of {"asreview", "svm", "bmi", "squares"}
        Methods to compare with: ASReview's default by its own code, if it is installed; a support vector machine with
        the settings of that default on the corpus's words; the baseline model of TREC's total recall track; our own
        model with a centre of 0.
    about : str or mapping, optional
        A text about the category that is known at the start, such as its title; for several categories by label.
    path : str or Path, optional
        A folder that keeps every replay, so that a simulation that was stopped continues.
    progress : callable, optional
        Is called before each replay, with its description.

    Examples
    --------
    >>> texts = ["goal team win", "team match goal", "law vote", "court vote law", "tax law", "win match team"] * 5
    >>> corpus = Corpus.from_texts(texts, labels=["sport", "sport", None, None, None, "sport"] * 5)
    >>> simulation = simulate(corpus, "sport", known=2, seeds=2)
    >>> round(simulation.means()["WSS@95"][0], 2)
    0.47
    """
    wanted = [labels] if isinstance(labels, str) else list(dict.fromkeys(labels))
    numbers = [known] if isinstance(known, int) else list(dict.fromkeys(known))
    methods = [OURS, *(each for each in dict.fromkeys(against) if each != OURS)]
    for method in methods:
        if method not in READERS:
            raise UnknownName("method", method, READERS, complete=True)
    if not wanted or not numbers or seeds < 1:
        raise InputError("a simulation needs at least one category, one number of known members and one seed")
    tasks = []
    for label in wanted:
        text = about if about is None or isinstance(about, str) else about.get(label)
        members = np.zeros(corpus.n_documents, bool)
        members[corpus.members(label)] = True
        for number in numbers:
            for seed in range(seeds):
                tasks.append((label, number, seed, Task.drawn(corpus, label, members, number, seed, text)))
    folder = None if path is None else Path(path)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    with nullcontext() if folder is None else held(folder / FILE_NAME):
        there = {} if folder is None else _read(folder, corpus)
        replays, fresh = [], 0
        for label, number, seed, task in tasks:
            for method in methods:
                key = label, method, number, seed, task.about
                if key not in there:
                    if progress is not None:
                        progress(f"{label}, {method}, seed {seed}")
                    there[key] = _replay(task, label, method, number, seed)
                    fresh += 1
                    if folder is not None:
                        _append(folder, asdict(there[key]))
                replays.append(there[key])
    return Simulation(replays, fresh)


def _replay(task: Task, label: str, method: str, known: int, seed: int) -> Replay:
    begun = time.perf_counter()
    left = int(task.members.sum() - task.members[task.start].sum())
    rows, places = [], []
    for place, row in enumerate(READERS[method](task), start=1):
        if task.members[row]:
            rows.append(row)
            places.append(place)
            if len(rows) == left:
                break
    found = tuple(zip(task.corpus.ids(rows), places, strict=True))
    took = round(time.perf_counter() - begun, 3)
    return Replay(label, method, known, seed, task.about, len(task.members) - len(task.start), found, took)


def _read(folder: Path, corpus: Corpus) -> dict[tuple[str, str, int, int, str | None], Replay]:
    """The replays of earlier calls. A last line that a kill cut off is replayed again."""
    path = folder / FILE_NAME
    if not path.exists():
        _append(folder, {"format": 1, "corpus": corpus.checksum})
        return {}
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    if text and not text.endswith("\n"):
        path.write_text("".join(f"{line}\n" for line in lines[:-1]), encoding="utf-8")
        lines = lines[:-1]
    try:
        head, *rest = [json.loads(line) for line in lines]
        if head["corpus"] != corpus.checksum:
            raise InputError(f"{folder} is about another corpus, or this one has changed; choose another folder")
        replays = [Replay(**(each | {"found": tuple(map(tuple, each["found"]))})) for each in rest]
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise BrokenFile(path, "not a file of simulated reviews; choose another folder, or remove it") from error
    return {each.key: each for each in replays}


def _append(folder: Path, line: dict[str, Any]) -> None:
    path = folder / FILE_NAME
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")
    sync_file(path)
