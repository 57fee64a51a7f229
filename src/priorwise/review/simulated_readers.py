"""The orders in which simulated reviews are read: ours, and those that it is compared with.

A reader takes a task and yields rows, best first. It may look at the label of a document only after it yielded it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.discovery import discover
from priorwise.errors import InputError, NotEnoughData
from priorwise.features.document_vectors import document_vectors, text_vector
from priorwise.models.regression.judged_squares import JudgedSquares
from priorwise.models.regression.updating import balanced
from priorwise.review.session import CONSTANT, RATIO, STRENGTH, Start

Mask = NDArray[np.bool_]

OURS = "priorwise"

SVM_C, SVM_RATIO = 0.11, 9.8
"""The settings of ASReview's default, ELAS u4."""

PRESUMED = 100
"""BMI treats so many random unread documents as rejected, others each time."""


@dataclass(frozen=True)
class Task:
    """A review to simulate.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    members : array of bool
        Which of them are members.
    start : list of int
        The rows that are judged before the review begins.
    seed : int
        For methods that draw documents at random.
    about : str, optional
        A text about the category; methods use it as a further member.
    """

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
                "needs one more, and a document that is no member"
            )
        rng = np.random.default_rng([seed, known])
        start = [*rng.permutation(np.flatnonzero(members))[:known], rng.choice(np.flatnonzero(~members))]
        return cls(corpus, members, [int(row) for row in start], seed, about)

    @cached_property
    def vectors(self) -> Any:
        """The documents as vectors with a constant, and the text about the category as a last row, if there is one."""
        from scipy.sparse import csr_matrix, hstack, vstack

        X = document_vectors(self.corpus, np.arange(self.corpus.n_documents))
        if self.about:
            X = vstack([X, text_vector(self.corpus, self.about)])
        constant = csr_matrix(np.full((X.shape[0], 1), math.sqrt(CONSTANT)))
        return hstack([X, constant], format="csr", dtype=np.float32)

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
    """Read in the order of a :class:`Session` that starts from the same documents, without keeping its log.

    The model that `discover` finds is the centre of the prior.
    """
    members = [row for row in task.start if task.members[row]]
    run = discover(task.corpus, members=task.corpus.ids(members), description=task.about)
    start = Start.of(run, task.corpus, subcategories=False)
    if len(start.read.rows) < len(task.members):
        raise InputError(f"a corpus of {len(task.members):,} documents is too large to simulate a review")
    centre = np.append(start.weights, start.shift / math.sqrt(CONSTANT))
    learner = JudgedSquares(start.X, strength=STRENGTH, ratio=RATIO, centre=centre)
    return read_with(task, learner, judged=[(row, bool(task.members[row])) for row in task.start])


def squares(task: Task) -> Iterator[int]:
    """Read in the order of the same model with a centre of 0: it learns from verdicts alone."""
    return read_with(task, JudgedSquares(task.vectors))


def svm(task: Task) -> Iterator[int]:
    """Read in the order of a support vector machine on words, with the settings of ASReview's default."""
    from sklearn.svm import LinearSVC

    return read_with(task, Machine(task.vectors[:, :-1], LinearSVC(C=SVM_C), SVM_RATIO))


def bmi(task: Task) -> Iterator[int]:
    """Read as the baseline model implementation of TREC's total recall track does (Cormack and Grossman 2015).

    Logistic regression on words learns again after batches that grow by a tenth. Each time, 100 random unread
    documents count as rejected.
    """
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(class_weight="balanced", solver="liblinear")
    machine = Machine(task.vectors[:, :-1], model, None, PRESUMED, task.seed)
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
