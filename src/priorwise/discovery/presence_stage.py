"""The presence model as a stage of a run: naive Bayes on which words a document has, its prior learned."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from priorwise.charts import heat_map
from priorwise.corpus import Corpus
from priorwise.corpus.storage.typed import damage_named, typed
from priorwise.counting import amount, counted, some
from priorwise.discovery.stage import COMPARES, Drawing, FactTable, Stage
from priorwise.errors import InputError, NotEnoughData
from priorwise.kernels import Rows
from priorwise.models.linear_model import LinearModel, Origins
from priorwise.models.naive_bayes.presence_leave_one_out import Cases, LeaveOneOut, PresenceCounts
from priorwise.models.naive_bayes.terrain import (
    LENGTH_POWERS,
    PriorChoice,
    Terrain,
    TriedPairs,
    choose_prior,
    length_divisor,
    score_of,
)
from priorwise.models.weights import Calibration, Weights, calibrate
from priorwise.priors import PseudoCounts
from priorwise.priors.presence import UNIFORM, PresencePrior
from priorwise.ranking.scorer import Scorer
from priorwise.ranking.table import Ranking
from priorwise.search import NINE_STARTS, PPV, AveragePrecision, Target, as_target, radial
from priorwise.tables import write_csv

Bags = tuple[NDArray[np.int64], NDArray[np.uint32]]
"""Offsets and tokens of some documents."""

NO_ROWS: Rows = np.empty(0, np.int64)

BACKGROUND_PER_MEMBER = 200
"""All other documents together weigh at most this much per member, so that λ− means the same in any corpus."""

HARD_WEIGHT = 100.0
"""What a document weighs that people rejected, among all other documents; together at most as much as all of those."""

NOTHING_TO_FIND = "every document of the corpus is a member: there is nothing to find, nor to compare with"

JUDGED_PER_MEMBER = 20
JUDGED_AT_MOST = 5_000


@dataclass(frozen=True)
class JudgingSample:
    """All members and one sample of the others, to be scored by leave-one-out."""

    seed: int
    negatives: Rows
    cases: Cases
    counts: PresenceCounts

    def leave_one_out(self, kind: PresencePrior = UNIFORM, threads: int | None = None) -> LeaveOneOut:
        """Score every case by a model that has not seen it."""
        return LeaveOneOut(self.cases, self.counts, kind=kind, threads=threads)


@dataclass(frozen=True)
class SharedSample:
    """Documents that judge the priors of many categories: drawn once, and read once."""

    seed: int
    rows: Rows
    indptr: NDArray[np.int64]
    tokens: NDArray[np.uint32]

    @classmethod
    def draw(cls, corpus: Corpus, excluded: Rows, *, size: int, seed: int) -> SharedSample:
        """Draw this many documents that are not excluded, or take all of them."""
        pool = np.setdiff1d(np.arange(corpus.n_documents), excluded)
        drawn = np.random.default_rng(seed).choice(pool, min(size, len(pool)), replace=False, shuffle=False)
        rows = np.sort(drawn).astype(np.int64)
        return cls(seed, rows, *corpus.take(rows))

    def without(self, members: Rows) -> tuple[Rows, Bags]:
        """The rows, and the offsets and tokens, of those that are not members."""
        kept = ~np.isin(self.rows, members, assume_unique=True)
        lengths = np.diff(self.indptr)
        indptr = np.concatenate([[0], np.cumsum(lengths[kept])])
        return self.rows[kept], (indptr, self.tokens[np.repeat(kept, lengths)])


@dataclass(frozen=True)
class Training:
    """What a model learns from.

    `members`: the members' rows. `features`: the tokens that occur in at least one member; counts and cases refer
    to them by their place here. `samples`: one per seed. `others`: how many documents the samples were drawn from.
    `background`: the members against all other documents; without it, the model is trained on the samples.
    """

    members: Rows
    features: NDArray[np.int64]
    samples: list[JudgingSample]
    others: int
    background: PresenceCounts | None = None

    @property
    def negative_weight(self) -> float:
        """How many documents of the corpus each sampled negative stands for."""
        return self.others / len(self.samples[0].negatives)

    def first_counts(self) -> PresenceCounts:
        """The counts with the first sample: the paper's model."""
        return self.samples[0].counts

    def mean_counts(self) -> PresenceCounts:
        """The counts with all other documents, or the mean over the samples: the same n(−), with less noise."""
        if self.background is not None:
            return self.background
        counts = [sample.counts for sample in self.samples]
        negative = np.mean([each.negative for each in counts], axis=0)
        return replace(counts[0], negative=negative)


def draw_training(
    corpus: Corpus,
    members: Rows,
    excluded: Rows,
    *,
    seeds: list[int],
    per_member: float | None = None,
    hard: Rows = NO_ROWS,
    shared: SharedSample | None = None,
) -> Training:
    """Read the members, and draw one sample of other documents per seed, without replacement.

    With `per_member`, each sample has this many negatives per member and trains a model of its own. Without, each model
    is trained on all other documents, which the vocabulary has counted already, and the samples only judge it: 20
    negatives per member, at most 5,000. A sample that holds every other document is drawn once.

    `hard` are other documents that people rejected: every sample that trains a model has them, and among all other
    documents they weigh more.

    `shared` is a sample that judges the priors of other categories, too, instead of samples of this one's own.
    """
    if len(members) < 2:
        after = " after the exclusions" if len(excluded) else ""
        raise NotEnoughData(
            f"a category needs at least 2 members to learn from, and this one has {len(members)}{after}"
        )
    n_other = corpus.n_documents - len(members) - len(excluded)
    if n_other == 0:
        raise NotEnoughData(NOTHING_TO_FIND)

    indptr, tokens = corpus.take(members)
    features = np.unique(tokens).astype(np.int64)
    place = np.full(corpus.n_vocabulary, -1, dtype=np.int32)
    place[features] = np.arange(len(features), dtype=np.int32)
    positive = np.bincount(place[tokens], minlength=len(features)).astype(np.float64)
    member_cases = (indptr, place[tokens], np.diff(indptr))

    # What an excluded document holds is unknown to the collection, too.
    in_all = corpus.document_frequency[features] - _count(corpus, excluded, place, len(features))
    n_all = float(len(members) + n_other)
    background, share, hard_weight = None, 1.0, 1.0
    if per_member is None:
        size = min(JUDGED_PER_MEMBER * len(members), JUDGED_AT_MOST, n_other)
        share = min(1.0, BACKGROUND_PER_MEMBER * len(members) / n_other)
        hard_weight = max(share, min(HARD_WEIGHT, n_other * share / max(1, len(hard))))
        in_others = (in_all - positive) * share + (hard_weight - share) * _count(corpus, hard, place, len(features))
        n_others = n_other * share + (hard_weight - share) * len(hard)
        background = PresenceCounts(positive, in_others, len(members), n_others, in_all, n_all)
    else:
        size = min(max(1, round(per_member * len(members))), n_other)

    samples = []
    for seed, drawn, negatives in _judges(corpus, members, excluded, seeds, size, shared, background is None, hard):
        weights = np.where(np.isin(drawn, hard), hard_weight, share)
        cases = _cases(member_cases, negatives, place, weights)
        counts = background or replace(cases.count(len(features)), collection=in_all, n_collection=n_all)
        samples.append(JudgingSample(seed, drawn, cases, counts))
    return Training(members, features, samples, n_other, background)


def _judges(
    corpus: Corpus,
    members: Rows,
    excluded: Rows,
    seeds: list[int],
    size: int,
    shared: SharedSample | None,
    train: bool,
    hard: Rows,
) -> Iterator[tuple[int, Rows, Bags]]:
    """Yield the seed, the rows, and the offsets and tokens of each sample."""
    if shared is not None and len((own := shared.without(members))[0]):
        yield shared.seed, *own
        return
    is_other = np.ones(corpus.n_documents, dtype=bool)
    is_other[members] = False
    is_other[excluded] = False
    others = np.flatnonzero(is_other)
    pool = np.setdiff1d(others, hard) if train else others
    for seed in seeds[:1] if size == len(others) else seeds:
        drawn = np.random.default_rng(seed).choice(pool, size=min(size, len(pool)), replace=False, shuffle=False)
        drawn = np.sort(np.concatenate([drawn, hard]) if train else drawn)
        yield seed, drawn, corpus.take(drawn)


def _count(corpus: Corpus, rows: Rows, place: NDArray[np.int32], n_features: int) -> NDArray[np.float64]:
    """In how many of some documents each feature occurs."""
    _, tokens = corpus.take(rows)
    local = place[tokens]
    return np.bincount(local[local >= 0], minlength=n_features).astype(np.float64)


def _cases(
    members: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]],
    negatives: Bags,
    place: NDArray[np.int32],
    weights: NDArray[np.float64],
) -> Cases:
    """The members and some negatives with their weights, without the negatives' tokens that no member has."""
    member_indptr, member_tokens, member_length = members
    indptr, tokens = negatives
    local = place[tokens]
    known = local >= 0
    kept = np.concatenate([[0], np.cumsum(known)])
    is_member = np.arange(len(member_length) + len(weights)) < len(member_length)
    return Cases.of(
        np.concatenate([member_indptr, member_indptr[-1] + kept[indptr[1:]]]),
        np.concatenate([member_tokens, local[known]]),
        is_member,
        taken_out=np.concatenate([np.ones(len(member_length)), weights]),
        length=np.concatenate([member_length, np.diff(indptr)]),
    )


TERRAIN, TRIALS = "terrain.parquet", "trials.csv"


@dataclass(frozen=True)
class Value:
    """The leave-one-out value of the objective, and the share of the members that are found."""

    score: float
    sensitivity: float


@dataclass(frozen=True)
class PresenceFacts:
    """How the prior of a presence model was learned, and what it is.

    `negative`, `positive`: the learned strengths λ− and λ+. `centre`: what the imagined documents hold:
    ``"collection"`` or ``"uniform"``. `length_power`: scores are divided by this power of a document's number of
    distinct words. `vocabulary`: how many words the members have. `target`, `search`: the objective, and how it was
    searched. `seeds`: one for each sample of other documents. `documents_per_negative`: how many documents of the
    corpus each sampled one stands for. `counts`: what the model counts: all other documents, the mean of the
    samples, or the first sample. `length_powers`: the powers that were tried. `given`, `paper`: whether the prior
    was given, and whether the procedure was the presence paper's. `remark`: what to know before trusting this
    prior; empty if nothing. `learned`, `laplace`: what leave-one-out says of this prior, and of one imagined
    document per class on the same samples.
    """

    negative: float
    positive: float
    centre: str
    length_power: float
    vocabulary: int
    target: str = "average precision"
    search: str = "exhaustive"
    seeds: tuple[int, ...] = ()
    negatives_per_sample: int = 0
    documents_per_negative: float = 1.0
    counts: str = ""
    length_powers: tuple[float, ...] = (0.0,)
    given: bool = False
    paper: bool = False
    remark: str = ""
    learned: Value | None = None
    laplace: Value | None = None

    @property
    def prior(self) -> PseudoCounts:
        return PseudoCounts(self.negative, self.positive, centre=self.centre)


@dataclass(frozen=True)
class PresenceStage(Stage):
    """Presence naive Bayes with a learned prior."""

    name: ClassVar[str] = "presence"
    title: ClassVar[str] = "the presence model"

    about: PresenceFacts
    terrains: list[Terrain]
    trials: TriedPairs | None = None

    @classmethod
    def of(
        cls, learned: Learned, model: LinearModel, role: str, ranking: Ranking | None, predicted: int | None
    ) -> Self:
        about = learned.facts()
        choice = learned.choice
        return cls(role, model, about.prior, ranking, predicted, about, choice.terrains, choice.trials)

    @property
    def explored(self) -> str:
        """Presence with imagined documents, around the corpus's rates or not."""
        around = [] if self.prior.centre == type(self.prior)().centre else [self.prior.centre]
        return "-".join([self.name, self.prior.name, *around])

    @property
    def strength_ratio(self) -> float | None:
        return self.about.negative / self.about.positive

    @property
    def terrain(self) -> Terrain:
        if not self.terrains:
            raise InputError("this prior was not learned, so there is no objective map")
        first = self.terrains[0]
        tp, fp, score = (np.mean([getattr(t, name) for t in self.terrains], axis=0) for name in ("tp", "fp", "score"))
        return Terrain(first.grid, tp, fp, score, first.positives, first.negatives)

    def describe(self) -> list[str]:
        about = self.about
        origin = "Given" if about.given else "Learned"
        sentences = [f"{origin} prior: λ− = {about.negative:g}, λ+ = {about.positive:g}. {in_words(self.prior)}"]
        if about.length_power:
            sentences.append(
                f"Scores are divided by length^{about.length_power:g}, so long documents have no advantage."
            )
        if about.remark:
            sentences.append(f"Note: {about.remark}.")
        return sentences

    def table(self) -> FactTable | None:
        """What leave-one-out says of the prior, and of the baseline's."""
        about = self.about
        if about.learned is None or about.laplace is None:
            return None
        values = (("learned", about.learned), ("baseline", about.laplace))
        return FactTable(
            f"Leave-one-out, {counted(len(about.seeds), 'sample')} of other documents",
            ["prior", about.target, "members found"],
            [[name, f"{value.score:.4f}", f"{value.sensitivity:.1%}"] for name, value in values],
        )

    def drawing(self) -> Drawing | None:
        """The objective map from above, the search's way, and the learned prior."""
        if not self.terrains or self.trials is None:
            return None
        terrain, prior, target = self.terrain, self.prior, self.about.target
        # On a map around the corpus-wide rates, strengths of 1 and 1 are not the baseline.
        baseline = [("baseline, 1 and 1", (1.0, 1.0))] if prior.centre == "uniform" else []
        strengths = f"λ− {amount(prior.negative)}, λ+ {amount(prior.positive)}"
        found = "given" if self.about.given else "learned"
        ways = self.climbs()
        picture = heat_map(
            terrain.grid,
            terrain.score,
            x_name="λ+, imagined members",
            y_name="λ−, imagined other documents",
            value_name=f"{target}, leave-one-out",
            best=(f"{found}, {strengths}", (prior.positive, prior.negative)),
            others=baseline,
            paths=[[(float(terrain.grid[column]), float(terrain.grid[row])) for row, column in way] for way in ways],
            summary=f"Heat map of {target} by leave-one-out for each pair of strengths, from "
            f"{np.nanmin(terrain.score):.3g} to {np.nanmax(terrain.score):.3g}; the {found} prior is at {strengths}.",
        )
        looked_at = f"The search looked at {len(self.trials):,} of {terrain.score.size:,} pairs of strengths"
        samples = counted(len(self.about.seeds), "sample")
        if not ways:
            return Drawing(picture, f"{looked_at}. Colours are means over {samples} of other documents.")
        climbs = f"The lines are its {len(ways)} climbs, from nine starts for each of {samples}"
        return Drawing(picture, f"{looked_at}; blank ones were not looked at. {climbs}. Colours are means over them.")

    def climbs(self) -> list[list[tuple[int, int]]]:
        """The ways that the paper's radial search went, as cells of the grid; none for another search.

        They are walked again: a climb under one sample looks only at cells that were kept.
        """
        return [path for each in self.terrains for path in _climb(each)] if self.about.search == "radial" else []

    def options(self, n_members: int, *, shared: bool) -> list[str]:
        """The options of `discover` that choose this procedure; ``…`` for an objective of somebody's own."""
        about = self.about
        if about.paper:
            return ["--paper"]
        words = []
        if about.given:
            words += ["--prior", f"{about.negative!r},{about.positive!r}"]
            words += ["--centre", "corpus-wide"] if about.centre != "uniform" else []
        elif about.centre != "collection":
            words += ["--centre", about.centre]
        if about.target != "average precision":
            words += ["--objective", target_option(about.target) or "…"]
        if about.search != "exhaustive":
            words += ["--prior-search", about.search]
        if len(about.seeds) != 5 and not shared:
            words += ["--repeats", str(len(about.seeds))]
        if about.counts != "all other documents":
            words += ["--others-per-member", f"{about.negatives_per_sample / n_members:.10g}"]
        if not words and self.role == COMPARES:
            # It takes part only if something about it is chosen.
            words += ["--repeats", str(len(about.seeds))]
        return words

    def facts(self) -> dict[str, Any]:
        return dataclasses.asdict(self.about)

    def write(self, folder: Path) -> None:
        """Write the objective map and the trials."""
        if self.terrains and self.trials is not None:
            pq.write_table(_terrain_table(self.about.seeds, self.terrains), folder / TERRAIN, compression="zstd")
            write_csv(_trials_table(self.terrains[0].grid, self.trials), folder / TRIALS)

    @classmethod
    def read(
        cls, folder: Path, facts: dict[str, Any], role: str, model: LinearModel | None, ranking: Ranking | None
    ) -> Self:
        about = typed(PresenceFacts, facts)
        terrains, trials = read_terrains(folder, about.seeds) if about.seeds else ([], None)
        return cls(role, model, about.prior, ranking, facts.get("predicted"), about, terrains, trials)


class BaselineStage(PresenceStage):
    """The baseline: one imagined document per class, as many other documents as members, plain sums."""

    name: ClassVar[str] = "baseline"
    title: ClassVar[str] = "the baseline"
    keeps_model: ClassVar[bool] = False


_TARGETS = (
    (r"average precision", "average-precision"),
    (r"log loss", "log-loss"),
    (r"(ppv|ppv@\d+|f[\d.]+)", r"\1"),
    (r"(f[\d.]+) at corpus odds", r"\1:corpus"),
    (r"ppv, sensitivity at least ([\d.]+)", r"ppv:\1"),
)


def target_option(name: str) -> str | None:
    """Return how the command line spells an objective; None for one of somebody's own."""
    for pattern, option in _TARGETS:
        if found := re.fullmatch(pattern, name):
            return found.expand(option)
    return None


def in_words(prior: PseudoCounts) -> str:
    """Say what a prior on presence counts."""
    more = f"{some(prior.negative, 'more other document')} and {some(prior.positive, 'more member')}"
    hold = (
        "with each word as often as in the whole corpus"
        if prior.centre == "collection"
        else "each with every word in it"
    )
    return f"It counts {more}, {hold}."


def _climb(terrain: Terrain) -> list[list[tuple[int, int]]]:
    starts = [
        (int(np.argmin(np.abs(terrain.grid - negative))), int(np.argmin(np.abs(terrain.grid - positive))))
        for negative, positive in NINE_STARTS
    ]

    def value(cells: list[tuple[int, int]]) -> Any:
        at = tuple(np.transpose(cells))
        return np.column_stack([terrain.score[at], terrain.sensitivity[at]])

    return radial(terrain.score.shape, starts).search(value).paths


def _terrain_table(seeds: tuple[int, ...], terrains: list[Terrain]) -> pa.Table:
    tables = []
    for seed, terrain in zip(seeds, terrains, strict=True):
        rows, columns = (each.ravel() for each in np.indices(terrain.tp.shape))
        tables.append(
            pa.table(
                {
                    "seed": pa.array(np.full(len(rows), seed), pa.int64()),
                    "lambda_negative": terrain.grid[rows],
                    "lambda_positive": terrain.grid[columns],
                    "target": pa.array(terrain.score.ravel(), pa.float64(), from_pandas=True),
                    "tp": pa.array(terrain.tp.ravel(), pa.float64()),
                    "fp": pa.array(terrain.fp.ravel(), pa.float64()),
                    "sensitivity": terrain.sensitivity.ravel(),
                }
            )
        )
    sizes = {"positives": terrains[0].positives, "negatives": terrains[0].negatives}
    return pa.concat_tables(tables).replace_schema_metadata({"priorwise": json.dumps(sizes)})


def _trials_table(grid: Any, trials: TriedPairs) -> pa.Table:
    return pa.table(
        {
            "trial": pa.array(np.arange(1, len(trials) + 1), pa.int64()),
            "lambda_negative": grid[trials.rows],
            "lambda_positive": grid[trials.columns],
            "score": trials.score,
            "sensitivity": trials.sensitivity,
        }
    )


def read_terrains(folder: Path, seeds: tuple[int, ...]) -> tuple[list[Terrain], TriedPairs]:
    """Read the objective maps and the trials of a run's folder."""
    with damage_named(folder / TERRAIN):
        terrains = _read_terrains(folder / TERRAIN, len(seeds))
    with damage_named(folder / TRIALS):
        trials = pa.csv.read_csv(folder / TRIALS)
        grid = terrains[0].grid
        return terrains, TriedPairs(
            np.searchsorted(grid, _numbers(trials, "lambda_negative")),
            np.searchsorted(grid, _numbers(trials, "lambda_positive")),
            _numbers(trials, "score"),
            _numbers(trials, "sensitivity"),
        )


def _numbers(table: pa.Table, name: str) -> NDArray[np.float64]:
    """Return a column as numbers; text in it is an error of Arrow's."""
    return np.asarray(table[name].cast(pa.float64()).to_numpy())


def _read_terrains(file: Path, n_samples: int) -> list[Terrain]:
    table = pq.read_table(file)
    sizes = json.loads(table.schema.metadata[b"priorwise"])
    of_row = table["seed"].to_numpy()
    terrains = []
    for seed in dict.fromkeys(of_row.tolist()):
        part = table.filter(pa.array(of_row == seed))
        grid = np.unique(_numbers(part, "lambda_negative"))
        shape = (len(grid), len(grid))
        tp, fp, score = (_numbers(part, name).reshape(shape) for name in ("tp", "fp", "target"))
        terrains.append(Terrain(grid, tp, fp, score, sizes["positives"], sizes["negatives"]))
    if len(terrains) != n_samples:
        raise ValueError(f"it has {len(terrains)} samples instead of {n_samples}")
    return terrains


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
        choice, weight = self.choice, self.training.negative_weight
        return _calibrate(self.samples, choice.prior, choice.length_power, weight)

    def model(self, label: str | None) -> LinearModel:
        choice, tokens = self.choice, self.corpus.token_names(self.training.features)
        source = LearnedFrom.of(self.corpus, self.training.members)
        return presence_model(source, label, tokens, self.counts, choice.prior, choice.length_power, self.calibration)

    @cached_property
    def scorer(self) -> Scorer:
        """The model, by the numbers of its tokens."""
        own = self.counts.weights(self.choice.prior)
        return Scorer(Weights(self.training.features, own.values, own.bias), self.choice.length_power)

    def facts(self) -> PresenceFacts:
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
        return cls(corpus, draw_training(corpus, members, excluded, seeds=[seed], per_member=1.0))

    @property
    def calibration(self) -> Calibration:
        training = self.training
        return _calibrate([training.samples[0].leave_one_out()], PseudoCounts.laplace(), 0.0, training.negative_weight)

    @property
    def scorer(self) -> Scorer:
        """The model, by the numbers of its words."""
        own = self.training.first_counts().weights(PseudoCounts.laplace())
        return Scorer(Weights(self.training.features, own.values, own.bias))


@dataclass(frozen=True)
class LearnedFrom:
    """The corpus that a model was learned from, as the model remembers it, and the ids of the members."""

    checksum: str
    documents: int
    tokenizer: dict[str, Any] | None
    members: list[str] | None = None

    @classmethod
    def of(cls, corpus: Corpus, members: Rows) -> LearnedFrom:
        return cls(corpus.checksum, corpus.n_documents, corpus.tokenizer, list(corpus.ids(members)))


def presence_model(
    source: LearnedFrom,
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
    source: LearnedFrom,
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
    if source.members is not None:
        about["members"] = source.members
    if calibration is None:
        about["uncalibrated"] = True
    if label is None:
        about["unnamed"] = True
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
