"""Many categories at once: one sample of other documents for all, and one pass over the corpus.

A category's own prior costs little once what all categories share is shared: the sample of negatives that judges the
priors is drawn and read once, and how scores are divided by the length is chosen once, on a few of the categories.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.discovery.training import BACKGROUND_PER_MEMBER
from priorwise.engines.engine import Engine, Local
from priorwise.errors import InputError, NotEnoughData
from priorwise.models.leave_one_out import LeaveOneOut
from priorwise.models.presence_counts import Cases, PresenceCounts
from priorwise.models.presence_priors import ImaginedDocuments
from priorwise.models.prior_choice import LENGTH_POWERS, PriorChoice, choose_prior
from priorwise.models.terrain import length_divisor
from priorwise.priors import PseudoCounts
from priorwise.ranking.calibrate import Calibration, calibrate
from priorwise.ranking.evidence import strongest
from priorwise.ranking.scorer import Scorer, Top
from priorwise.search import AveragePrecision

Rows = NDArray[np.int64]
Progress = Callable[[str, float], None]

NEGATIVES = 2_000
"""Documents that judge the priors of every category."""

GRID_STEP = 2
"""Of the grid of strengths every second is looked at: four per decade."""

LOOKED_AT = 16
"""Categories on which the power of the length is chosen for all."""

AT_ONCE = 256
"""Categories whose weights are held at a time."""

PER_TASK = 8

TABLE = pa.schema(
    {
        "label": pa.string(),
        "rank": pa.int32(),
        "id": pa.string(),
        "title": pa.string(),
        "score": pa.float64(),
        "probability": pa.float64(),
        "evidence": pa.string(),
    }
)
LABELS = pa.schema(
    {
        "label": pa.string(),
        "members": pa.int64(),
        "lambda_negative": pa.float64(),
        "lambda_positive": pa.float64(),
        "length_power": pa.float64(),
        "average_precision": pa.float64(),
        "predicted_positive": pa.int64(),
    }
)


@dataclass(frozen=True)
class LearnedLabel:
    """What was learned of one category."""

    label: str
    members: int
    prior: PseudoCounts
    length_power: float
    average_precision: float
    scorer: Scorer
    calibration: Calibration


@dataclass(frozen=True)
class ManyFound:
    """What was found for many categories.

    Attributes
    ----------
    candidates : pyarrow.Table
        The best documents of each category: label, rank, id, title, score, probability, evidence.
    labels : pyarrow.Table
        Each category with its members, its prior, the leave-one-out average precision that chose it, and how many
        documents are predicted positive.
    """

    candidates: pa.Table
    labels: pa.Table


@dataclass(frozen=True)
class LearnLabels:
    """Learns the priors of categories; it goes to other processes with the corpus's address."""

    corpus: Corpus
    seed: int = 0
    length_powers: tuple[float, ...] = LENGTH_POWERS

    def __call__(self, labels: Sequence[str]) -> list[LearnedLabel]:
        """Learn the prior of each of some categories."""
        return [self.learn(label) for label in labels]

    @cached_property
    def _negatives(self) -> tuple[Rows, NDArray[np.int64], NDArray[np.uint32]]:
        n = self.corpus.n_documents
        drawn = np.random.default_rng(self.seed).choice(n, min(n, NEGATIVES), replace=False, shuffle=False)
        rows = np.sort(drawn).astype(np.int64)
        return rows, *self.corpus.take(rows)

    def learn(self, label: str) -> LearnedLabel:
        """Learn the prior of a category, as :func:`priorwise.discover` does, from the shared sample."""
        corpus, members = self.corpus, self.corpus.members(label)
        others = corpus.n_documents - len(members)
        if len(members) < 2 or not others:
            raise NotEnoughData(f"'{label}' has {len(members)} members, of {corpus.n_documents} documents: too few")
        features, counts, cases = self._cases(members, others)
        kind = ImaginedDocuments("collection")
        loo = LeaveOneOut(cases, counts, kind=kind, threads=1)
        weight = others / max(1, len(cases.positive) - len(members))
        choice = choose_prior(
            [loo],
            AveragePrecision(),
            grid=kind.grid[::GRID_STEP],
            negative_weight=weight,
            length_powers=self.length_powers,
        )
        own = counts.weights(choice.prior)
        scorer = Scorer(type(own)(features, own.values, own.bias), choice.length_power)
        calibration = _calibrated(loo, choice, weight)
        return LearnedLabel(label, len(members), choice.prior, choice.length_power, choice.score, scorer, calibration)

    def _cases(self, members: Rows, others: int) -> tuple[Rows, PresenceCounts, Cases]:
        corpus = self.corpus
        starts, tokens = corpus.take(members)
        features = np.unique(tokens).astype(np.int64)
        place = np.full(corpus.n_vocabulary, -1, dtype=np.int32)
        place[features] = np.arange(len(features), dtype=np.int32)
        positive = np.bincount(place[tokens], minlength=len(features)).astype(np.float64)
        share = min(1.0, BACKGROUND_PER_MEMBER * len(members) / others)
        in_all = corpus.document_frequency[features].astype(np.float64)
        counts = PresenceCounts(
            positive, (in_all - positive) * share, len(members), others * share, in_all, float(corpus.n_documents)
        )
        rows, negative_starts, negative_tokens = self._negatives
        chosen = ~np.isin(rows, members, assume_unique=True)
        lengths = np.diff(negative_starts)
        local = place[negative_tokens]
        known = (local >= 0) & np.repeat(chosen, lengths)
        kept = np.concatenate([[0], np.cumsum(known)])[negative_starts[1:]][chosen]
        n_negative = int(chosen.sum())
        cases = Cases.of(
            np.concatenate([starts, starts[-1] + kept]),
            np.concatenate([place[tokens], local[known]]),
            np.arange(len(members) + n_negative) < len(members),
            taken_out=np.concatenate([np.ones(len(members)), np.full(n_negative, share)]),
            length=np.concatenate([np.diff(starts), lengths[chosen]]),
        )
        return features, counts, cases


def discover_many(
    corpus: Corpus,
    labels: Sequence[str],
    *,
    top: int = 100,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> ManyFound:
    """Find the documents missing from many categories.

    Each category gets a presence model with a prior of its own, learned as :func:`~priorwise.discover` learns it but
    for what all share: one sample of 2,000 other documents on which priors are judged, and the power of a document's
    length by which scores are divided, which is the most frequent choice of 16 of the categories. Strengths are looked
    for at four places per decade.

    Parameters
    ----------
    corpus : Corpus
    labels : sequence of str
        The categories; at least 2 members each.
    top : int
        How many documents to keep for each.
    seed : int
        Of the sample.
    engine : Engine, optional
        Where to work: this machine by default.
    progress : callable, optional
        Told what is being done and how far it is.

    Returns
    -------
    ManyFound

    Examples
    --------
    >>> texts = ["goal team win", "team match goal", "win match", "law vote", "vote court", "court law"] * 3
    >>> labels = ["sport", "sport", None, "politics", "politics", None] * 3
    >>> found = discover_many(Corpus.from_texts(texts, labels=labels), ["sport", "politics"], top=3)
    >>> [int(id) % 6 for id in found.candidates["id"].to_pylist()]
    [2, 2, 2, 5, 5, 5]
    """
    if not labels or top < 1:
        raise InputError("give at least one label, and let top be at least 1")
    if len(set(labels)) < len(labels):
        twice = next(label for label, times in Counter(labels).items() if times > 1)
        raise InputError(f"the label '{twice}' is there twice")
    engine = engine or Local()
    tell = progress or (lambda what, share: None)
    learner = LearnLabels(corpus, seed)
    spread = np.unique(np.linspace(0, len(labels) - 1, LOOKED_AT).round().astype(int))
    looked_at = _learned(engine, learner, [labels[i] for i in spread.tolist()])
    shared = LearnLabels(corpus, seed, (most_frequent([each.length_power for each in looked_at]),))

    candidates, about = [TABLE.empty_table()], [LABELS.empty_table()]
    for start in range(0, len(labels), AT_ONCE):
        tell("learning the priors", start / len(labels))
        learned = _learned(engine, shared, labels[start : start + AT_ONCE])
        tell("ranking the corpus", start / len(labels))
        masks = [_members_mask(corpus, each.label) for each in learned]
        tops = engine.rank_corpus(corpus, [each.scorer for each in learned], top=top, skip=masks)
        pairs = list(zip(learned, tops, strict=True))
        candidates += [_table(corpus, each, found) for each, found in pairs]
        about.append(_about(pairs))
    tell("ranking the corpus", 1.0)
    return ManyFound(pa.concat_tables(candidates), pa.concat_tables(about))


def most_frequent(powers: Sequence[float]) -> float:
    """Return the most frequent number, the smallest of those.

    Examples
    --------
    >>> most_frequent([1.0, 0.5, 0.25, 0.5, 0.25])
    0.25
    """
    times = Counter(powers)
    return min(times, key=lambda power: (-times[power], power))


def _learned(engine: Engine, learner: LearnLabels, labels: Sequence[str]) -> list[LearnedLabel]:
    groups = [labels[i : i + PER_TASK] for i in range(0, len(labels), PER_TASK)]
    return [each for group in engine.call(learner, groups) for each in group]


def _members_mask(corpus: Corpus, label: str) -> NDArray[np.bool_]:
    mask = np.zeros(corpus.n_documents, dtype=bool)
    mask[corpus.members(label)] = True
    return mask


def _calibrated(loo: LeaveOneOut, choice: PriorChoice, weight: float) -> Calibration:
    scores = loo.scores(choice.prior) / length_divisor(loo.cases.length, choice.length_power)
    return calibrate(scores, loo.cases.positive, np.where(loo.cases.positive, 1.0, weight) * loo.cases.weight)


def _table(corpus: Corpus, learned: LearnedLabel, found: Top) -> pa.Table:
    return pa.table(
        {
            "label": [learned.label] * len(found.documents),
            "rank": np.arange(1, len(found.documents) + 1, dtype=np.int32),
            "id": corpus.ids(found.documents),
            "title": corpus.titles(found.documents),
            "score": found.scores,
            "probability": learned.calibration.probability(found.scores),
            "evidence": _evidence(corpus, learned.scorer, found.documents),
        },
        schema=TABLE,
    )


def _evidence(corpus: Corpus, scorer: Scorer, documents: Rows, count: int = 3) -> list[str]:
    """The strongest tokens of each document, as a line of text."""
    starts, tokens = corpus.take(documents)
    weights = scorer.table(corpus.n_vocabulary)[tokens]
    of_document = np.repeat(np.arange(len(documents)), np.diff(starts))
    order = np.lexsort((tokens, -np.abs(weights), of_document))
    place = np.arange(len(order)) - starts[of_document[order]]
    first = order[(place < count) & (weights[order] != 0.0)]
    names = corpus.token_names(tokens[first])
    bounds = np.searchsorted(of_document[first], np.arange(len(documents) + 1))
    return [
        strongest(names[start:end], weights[first[start:end]])
        for start, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    ]


def _about(pairs: Sequence[tuple[LearnedLabel, Top]]) -> pa.Table:
    return pa.table(
        {
            "label": [each.label for each, _ in pairs],
            "members": [each.members for each, _ in pairs],
            "lambda_negative": [each.prior.negative for each, _ in pairs],
            "lambda_positive": [each.prior.positive for each, _ in pairs],
            "length_power": [each.length_power for each, _ in pairs],
            "average_precision": [each.average_precision for each, _ in pairs],
            "predicted_positive": [found.predicted_positive for _, found in pairs],
        },
        schema=LABELS,
    )
