"""Learn the priors of many categories together: what all can share is drawn, read and chosen once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from priorwise.corpus import Corpus
from priorwise.counting import counted
from priorwise.discovery.category import Category
from priorwise.discovery.choices import Choices
from priorwise.discovery.finding import run_of
from priorwise.discovery.learning import learn
from priorwise.discovery.run import Run, SharedLearning
from priorwise.discovery.training import NO_ROWS, Rows, SharedSample
from priorwise.engines.engine import Engine, Local
from priorwise.errors import NotEnoughData
from priorwise.models.weights import Calibration
from priorwise.priors import PseudoCounts
from priorwise.ranking.scorer import Scorer

SHARED = 2_000
"""Documents that judge the priors of every category."""

GRID_STEP = 2
"""Of the grid of strengths every second is looked at: four to a factor of ten around the collection."""

LOOKED_AT = 16
"""Categories on which the power of the length is chosen for all."""

PER_TASK = 8


@dataclass(frozen=True)
class LearnedLabel:
    """What was learned of one category: as little as a ranking needs."""

    label: str
    members: Rows
    prior: PseudoCounts
    length_power: float
    leave_one_out: float
    scorer: Scorer
    calibration: Calibration


@dataclass(frozen=True)
class Together:
    """How many categories are learned; this goes to other processes, with the corpus's address.

    Parameters
    ----------
    corpus : Corpus
    choices : Choices
    excluded : array of int
        Documents to leave out altogether.
    labels : int
        How many there are.
    shares : bool
        Whether one sample judges the priors of all; if not, each category is learned as if it were alone.
    """

    corpus: Corpus
    choices: Choices
    excluded: Rows
    labels: int
    shares: bool

    @classmethod
    def of(
        cls, corpus: Corpus, labels: Sequence[str], choices: Choices, excluded: Rows, engine: Engine, *, shares: bool
    ) -> Together:
        """Check all labels, and choose what they share: the power of the length that most of some would choose."""
        alone = cls(corpus, choices, excluded, len(labels), shares)
        for label in labels:
            alone.category(label)
        if not shares:
            return alone
        procedure = replace(choices.procedure, seeds=1, grid_step=GRID_STEP)
        every = replace(alone, choices=replace(choices, procedure=procedure))
        spread = np.unique(np.linspace(0, len(labels) - 1, LOOKED_AT).round().astype(int))
        looked_at = every.learned([labels[i] for i in spread.tolist()], engine)
        power = most_frequent([each.length_power for each in looked_at])
        chosen = replace(choices, procedure=replace(procedure, length_powers=(power,)))
        return replace(every, choices=chosen)

    @cached_property
    def sample(self) -> SharedSample:
        """What judges the priors of all."""
        return SharedSample.draw(self.corpus, self.excluded, size=SHARED, seed=self.choices.procedure.seed)

    def category(self, label: str) -> Category:
        """The documents of a category."""
        members = np.setdiff1d(self.corpus.members(label), self.excluded).astype(np.int64)
        if len(members) < 2 or len(members) + len(self.excluded) == self.corpus.n_documents:
            n, after = self.corpus.n_documents, " after the exclusions" if len(self.excluded) else ""
            has = f"{counted(len(members), 'member')}{after}, of {counted(n, 'document')}"
            raise NotEnoughData(f"'{label}' has {has}: too few, or too many")
        return Category(self.corpus, label, members, self.excluded, NO_ROWS)

    def learn(self, label: str) -> LearnedLabel:
        """Learn a category as one of many."""
        members = self.category(label).members
        learned = learn(self.corpus, members, self.excluded, self.choices.procedure, shared=self.sample, threads=1)
        choice = learned.choice
        return LearnedLabel(
            label, members, choice.prior, choice.length_power, choice.score, learned.scorer, learned.calibration
        )

    def learned(self, labels: Sequence[str], engine: Engine) -> list[LearnedLabel]:
        """Learn some categories."""
        groups = [labels[i : i + PER_TASK] for i in range(0, len(labels), PER_TASK)]
        return [each for group in engine.call(self._learn_group, groups) for each in group]

    def _learn_group(self, labels: Sequence[str]) -> list[LearnedLabel]:
        return [self.learn(label) for label in labels]

    def run(self, label: str) -> Run:
        """Make the run of a category, on one thread."""
        category = self.category(label)
        if not self.shares:
            return run_of(category, self.choices, engine=Local(1), threads=1)
        shared = SharedLearning(self.labels, len(self.sample.rows), GRID_STEP)
        return run_of(category, self.choices, engine=Local(1), threads=1, shared=self.sample, together=shared)


def most_frequent(powers: Sequence[float]) -> float:
    """Return the most frequent number, the smallest of those.

    Examples
    --------
    >>> most_frequent([1.0, 0.5, 0.25, 0.5, 0.25])
    0.25
    """
    times = Counter(powers)
    return min(times, key=lambda power: (-times[power], power))
