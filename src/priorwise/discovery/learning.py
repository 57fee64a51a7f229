"""Learn the prior of a category."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.discovery.presence_stage import PresenceFacts, Value
from priorwise.discovery.training import NO_ROWS, SharedSample, Training, draw_training
from priorwise.models.linear_model import LinearModel, Origins
from priorwise.models.naive_bayes.presence_leave_one_out import LeaveOneOut, PresenceCounts
from priorwise.models.naive_bayes.terrain import LENGTH_POWERS, PriorChoice, choose_prior, length_divisor, score_of
from priorwise.models.weights import Calibration, Weights, calibrate
from priorwise.priors import PseudoCounts
from priorwise.ranking.scorer import Scorer
from priorwise.search import PPV, AveragePrecision, Target, as_target

Rows = NDArray[np.int64]

NO_LABEL = "members"
"""What the one label of a model is called if the category was given as a list."""


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
    is_paper: bool = False

    @classmethod
    def ours(cls, target: Target | None = None, **choices: Any) -> Procedure:
        """The default: what wins on hidden members."""
        return cls(as_target(target or AveragePrecision()), **choices)

    @classmethod
    def paper(cls, *, seed: int = 0) -> Procedure:
        """The paper's: PPV, nine radial climbs for each of five samples of as many negatives as members, plain s(d).

        The imagined documents hold every token.
        """
        return cls(PPV(), "radial", 5, seed, 1.0, (0.0,), mean_counts=False, centre="uniform", is_paper=True)

    def counts(self, training: Training) -> str:
        """What the model counts, in words."""
        if not self.mean_counts:
            return "first sample"
        return "mean of the samples" if training.background is None else "all other documents"


@dataclass(frozen=True)
class Learned:
    """A learned prior with what it was learned from."""

    corpus: Corpus
    procedure: Procedure
    training: Training
    samples: list[LeaveOneOut]
    choice: PriorChoice
    counts: PresenceCounts

    @cached_property
    def calibration(self) -> Calibration:
        """What a score means."""
        choice, weight = self.choice, self.training.negative_weight
        return _calibrate(self.samples, choice.prior, choice.length_power, weight)

    def model(self, label: str | None) -> LinearModel:
        """The model, by the names of its words."""
        choice, tokens = self.choice, self.corpus.token_names(self.training.features)
        source = Source.of(self.corpus)
        return presence_model(source, label, tokens, self.counts, choice.prior, choice.length_power, self.calibration)

    @cached_property
    def scorer(self) -> Scorer:
        """The model, by the numbers of its tokens."""
        own = self.counts.weights(self.choice.prior)
        return Scorer(Weights(self.training.features, own.values, own.bias), self.choice.length_power)

    def facts(self) -> PresenceFacts:
        """How the prior was learned, and what it is."""
        choice, training, procedure = self.choice, self.training, self.procedure

        def value(prior: PseudoCounts, length_power: float) -> Value:
            weight = training.negative_weight
            target = procedure.target
            return Value(*score_of(self.samples, target, prior, negative_weight=weight, length_power=length_power))

        return PresenceFacts(
            choice.prior.negative,
            choice.prior.positive,
            choice.prior.centre,
            choice.length_power,
            len(training.features),
            target=procedure.target.name,
            search=procedure.search,
            seeds=tuple(sample.seed for sample in training.samples),
            negatives_per_sample=len(training.samples[0].negatives),
            documents_per_negative=training.negative_weight,
            counts=procedure.counts(training),
            length_powers=procedure.length_powers,
            given=procedure.prior is not None,
            paper=procedure.is_paper,
            remark=choice.remark,
            learned=value(choice.prior, choice.length_power),
            laplace=value(PseudoCounts.laplace(), 0.0),
        )


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
    kind = PseudoCounts(centre=procedure.centre)
    samples = [sample.leave_one_out(kind, threads) for sample in training.samples]
    given = procedure.prior(len(training.features)) if callable(procedure.prior) else procedure.prior
    choice = choose_prior(
        samples,
        procedure.target,
        grid=kind.strength_grid[:: procedure.grid_step],
        search=procedure.search,
        negative_weight=training.negative_weight,
        length_powers=procedure.length_powers,
        given=None if given is None else replace(given, centre=procedure.centre),
    )
    counts = training.mean_counts() if procedure.mean_counts else training.first_counts()
    return Learned(corpus, procedure, training, samples, choice, counts)


@dataclass(frozen=True)
class Baseline:
    """The paper's baseline: one imagined document per class, as many other documents as members, plain s(d)."""

    corpus: Corpus
    training: Training

    @classmethod
    def of(cls, corpus: Corpus, members: Rows, excluded: Rows, *, seed: int = 0) -> Baseline:
        """Draw its training."""
        return cls(corpus, draw_training(corpus, members, excluded, seeds=[seed], per_member=1.0))

    @property
    def calibration(self) -> Calibration:
        """What a score means."""
        training = self.training
        return _calibrate([training.samples[0].leave_one_out()], PseudoCounts.laplace(), 0.0, training.negative_weight)

    @property
    def scorer(self) -> Scorer:
        """The model, by the numbers of its words."""
        own = self.training.first_counts().weights(PseudoCounts.laplace())
        return Scorer(Weights(self.training.features, own.values, own.bias))


@dataclass(frozen=True)
class Source:
    """The corpus that a model was learned from, as the model remembers it."""

    checksum: str
    documents: int
    tokenizer: dict[str, Any] | None

    @classmethod
    def of(cls, corpus: Corpus) -> Source:
        """What to remember of a corpus."""
        return cls(corpus.checksum, corpus.n_documents, corpus.tokenizer)


def presence_model(
    source: Source,
    label: str | None,
    tokens: Sequence[str],
    counts: PresenceCounts,
    prior: PseudoCounts,
    length_power: float,
    calibration: Calibration,
) -> LinearModel:
    """Counts and a prior as a linear model that knows where its weights come from.

    What the documents say of a word is the log ratio of its rates as counted, with half a document added to each class
    so that a count of zero stays finite. The prior brings the rest of the weight.
    """
    weights = counts.weights(prior)
    positive, negative = counts.positive[weights.features], counts.negative[weights.features]
    data = np.log((positive + 0.5) / (counts.n_positive + 1)) - np.log((negative + 0.5) / (counts.n_negative + 1))
    sizes = float(np.log(counts.n_positive / counts.n_negative))
    origins = Origins(
        positive,
        negative,
        weights.values[0] - data,
        float(counts.n_positive),
        float(counts.n_negative),
        float(weights.bias[0]) - sizes,
    )
    return ranking_model(
        source, label, "presence", repr(prior), weights, tokens, counts.n_positive, calibration,
        features="presence", length_power=length_power, origins=origins,
    )  # fmt: skip


def ranking_model(
    source: Source,
    label: str | None,
    kind: str,
    prior: str,
    weights: Weights,
    tokens: Sequence[str],
    n_members: float,
    calibration: Calibration | None,
    **details: Any,
) -> LinearModel:
    """A model that ranks the documents of a corpus for one category; details are as in `LinearModel`."""
    about: dict[str, Any] = {
        "model": kind,
        "prior": prior,
        "corpus": {"checksum": source.checksum, "documents": source.documents},
    }
    if calibration is None:
        about["uncalibrated"] = True
    return LinearModel.of(
        weights,
        tokens,
        labels=[NO_LABEL if label is None else label],
        multilabel=True,
        link="logistic",
        tokenizer=source.tokenizer,
        members=np.array([float(n_members)]),
        about=about,
        calibration=calibration,
        **details,
    )


def _calibrate(samples: list[LeaveOneOut], prior: PseudoCounts, length_power: float, weight: float) -> Calibration:
    scores, positive, weights = [], [], []
    for loo in samples:
        scores.append(loo.scores(prior) / length_divisor(loo.cases.length, length_power))
        positive.append(loo.cases.positive)
        weights.append(np.where(loo.cases.positive, 1.0, weight) * loo.cases.weight)
    return calibrate(np.concatenate(scores), np.concatenate(positive), np.concatenate(weights) / len(samples))
