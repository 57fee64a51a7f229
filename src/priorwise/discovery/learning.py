"""Learn the prior of a category."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.discovery.model import PresenceModel
from priorwise.discovery.training import NO_ROWS, SharedSample, Training, draw_training
from priorwise.models.leave_one_out import LeaveOneOut
from priorwise.models.presence_counts import PresenceCounts
from priorwise.models.presence_priors import ImaginedDocuments
from priorwise.models.prior_choice import LENGTH_POWERS, PriorChoice, choose_prior
from priorwise.models.terrain import length_divisor
from priorwise.models.weights import Weights
from priorwise.priors import PseudoCounts
from priorwise.ranking.calibrate import Calibration, calibrate
from priorwise.ranking.scorer import Scorer
from priorwise.search import PPV, AveragePrecision, Target, as_target

Rows = NDArray[np.int64]


GivenPrior = PseudoCounts | Callable[[int], PseudoCounts]
"""A prior that is not learned, or one that depends on the number of tokens, such as ``PseudoCounts.perks``."""


@dataclass(frozen=True)
class Procedure:
    """How a prior is learned: everything that a run can choose."""

    target: Any
    search: str = "exhaustive"
    seeds: int = 5
    seed: int = 0
    negatives_per_positive: float | None = None
    length_powers: tuple[float, ...] = LENGTH_POWERS
    mean_counts: bool = True
    prior: GivenPrior | None = None
    centre: str = "collection"
    grid_step: int = 1

    @classmethod
    def ours(cls, target: Target | None = None, **choices: Any) -> Procedure:
        """The default: what wins on hidden members."""
        return cls(as_target(target or AveragePrecision()), **choices)

    @classmethod
    def paper(cls, *, seed: int = 0) -> Procedure:
        """The paper's: PPV, nine radial climbs for each of five samples of as many negatives as members, plain s(d).

        The imagined documents hold every token.
        """
        return cls(PPV(), "radial", 5, seed, 1.0, (0.0,), mean_counts=False, centre="uniform")

    def describe(self, training: Training) -> dict[str, Any]:
        """Every choice, as `run.json` keeps it."""
        return {
            "target": self.target.name,
            "search": self.search,
            "seeds": [sample.seed for sample in training.samples],
            "negatives_per_sample": len(training.samples[0].negatives),
            "documents_per_negative": training.negative_weight,
            "counts": self._counts(training),
            "length_powers": list(self.length_powers),
            "given": self.prior is not None,
            "centre": self.centre,
        }

    def _counts(self, training: Training) -> str:
        if not self.mean_counts:
            return "first sample"
        return "mean of the samples" if training.background is None else "all other documents"


@dataclass(frozen=True)
class Learned:
    """A learned prior with what it was learned from."""

    corpus: Corpus
    training: Training
    samples: list[LeaveOneOut]
    choice: PriorChoice
    counts: PresenceCounts

    @cached_property
    def calibration(self) -> Calibration:
        """What a score means."""
        choice, weight = self.choice, self.training.negative_weight
        return _calibrate(self.samples, choice.prior, choice.length_power, weight)

    @cached_property
    def model(self) -> PresenceModel:
        """The model, by the names of its tokens."""
        tokens = self.corpus.token_names(self.training.features)
        return PresenceModel(tokens, self.counts, self.choice.prior, self.choice.length_power, self.calibration)

    @cached_property
    def scorer(self) -> Scorer:
        """The model, by the numbers of its tokens."""
        own = self.counts.weights(self.choice.prior)
        return Scorer(Weights(self.training.features, own.values, own.bias), self.choice.length_power)


def learn(
    corpus: Corpus,
    members: Rows,
    excluded: Rows,
    procedure: Procedure,
    *,
    hard: Rows = NO_ROWS,
    shared: SharedSample | None = None,
    threads: int | None = None,
) -> Learned:
    """Draw the samples, choose the prior, and fit the model with it.

    `hard` are negatives that people rejected; `shared` is a sample that judges the priors of other categories, too.
    """
    seeds = list(range(procedure.seed, procedure.seed + procedure.seeds))
    training = draw_training(
        corpus, members, excluded, seeds=seeds, per_member=procedure.negatives_per_positive, hard=hard, shared=shared
    )
    kind = ImaginedDocuments(procedure.centre)
    samples = [sample.leave_one_out(kind, threads) for sample in training.samples]
    given = procedure.prior(len(training.features)) if callable(procedure.prior) else procedure.prior
    choice = choose_prior(
        samples,
        procedure.target,
        grid=kind.grid[:: procedure.grid_step],
        search=procedure.search,
        negative_weight=training.negative_weight,
        length_powers=procedure.length_powers,
        given=None if given is None else replace(given, centre=procedure.centre),
    )
    counts = training.mean_counts() if procedure.mean_counts else training.first_counts()
    return Learned(corpus, training, samples, choice, counts)


def laplace_model(corpus: Corpus, members: Rows, excluded: Rows, *, seed: int = 0) -> tuple[PresenceModel, Training]:
    """The paper's baseline, and its training: Bayes-Laplace, as many negatives as members, plain s(d)."""
    training = draw_training(corpus, members, excluded, seeds=[seed], per_member=1.0)
    prior = PseudoCounts.laplace()
    calibration = _calibrate([training.samples[0].leave_one_out()], prior, 0.0, training.negative_weight)
    tokens = corpus.token_names(training.features)
    return PresenceModel(tokens, training.first_counts(), prior, 0.0, calibration), training


def _calibrate(samples: list[LeaveOneOut], prior: PseudoCounts, length_power: float, weight: float) -> Calibration:
    scores, positive, weights = [], [], []
    for loo in samples:
        scores.append(loo.scores(prior) / length_divisor(loo.cases.length, length_power))
        positive.append(loo.cases.positive)
        weights.append(np.where(loo.cases.positive, 1.0, weight) * loo.cases.weight)
    return calibrate(np.concatenate(scores), np.concatenate(positive), np.concatenate(weights) / len(samples))
