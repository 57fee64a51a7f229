"""Many categories at once: each as if it were alone, or, with the presence model, in one pass over the corpus.

A category's own presence prior costs little once what all categories share is shared: the sample of negatives that
judges the priors is drawn and read once, and how scores are divided by the length is chosen once, on a few of them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from priorwise.corpus import Corpus
from priorwise.counting import counted
from priorwise.discovery.category import Category
from priorwise.discovery.finding import Progress, RunChoices, run_of
from priorwise.discovery.presence_stage import NO_ROWS, SharedSample, learn
from priorwise.discovery.run import MARKER as RUN
from priorwise.discovery.run import Run, SharedLearning, check_output
from priorwise.durable import check_free, disk_errors_explained, remove, whole_file, whole_folder, write_bytes
from priorwise.engines.engine import Engine, Local
from priorwise.errors import BrokenFile, InputError, NotEnoughData
from priorwise.kernels import Rows
from priorwise.models.weights import Calibration
from priorwise.priors import PseudoCounts
from priorwise.ranking.evidence import evidence_lines
from priorwise.ranking.scorer import Scorer, Top
from priorwise.tables import write_csv

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

    `excluded`: documents to leave out altogether. `labels`: how many there are. `shares`: whether one sample judges
    the priors of all; if not, each category is learned as if it were alone.
    """

    corpus: Corpus
    choices: RunChoices
    excluded: Rows
    labels: int
    shares: bool

    @classmethod
    def of(
        cls, corpus: Corpus, labels: Sequence[str], choices: RunChoices, excluded: Rows, engine: Engine, *, shares: bool
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
        members = np.setdiff1d(self.corpus.members(label), self.excluded).astype(np.int64)
        if len(members) < 2 or len(members) + len(self.excluded) == self.corpus.n_documents:
            n, after = self.corpus.n_documents, " after the exclusions" if len(self.excluded) else ""
            has = f"{counted(len(members), 'member')}{after}, of {counted(n, 'document')}"
            raise NotEnoughData(f"'{label}' has {has}: too few, or too many")
        return Category(self.corpus, label, members, self.excluded, NO_ROWS)

    def learn(self, label: str) -> LearnedLabel:
        members = self.category(label).members
        learned = learn(self.corpus, members, self.excluded, self.choices.procedure, shared=self.sample, threads=1)
        choice = learned.choice
        return LearnedLabel(
            label, members, choice.prior, choice.length_power, choice.score, learned.scorer, learned.calibration
        )

    def learned(self, labels: Sequence[str], engine: Engine) -> list[LearnedLabel]:
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
    """Return the most frequent number, the smallest of those."""
    times = Counter(powers)
    return min(times, key=lambda power: (-times[power], power))


CANDIDATES = pa.schema(
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
        "missing": pa.float64(),
        "missing_low": pa.float64(),
        "missing_high": pa.float64(),
        "prior": pa.string(),
        "length_power": pa.float64(),
        "leave_one_out": pa.float64(),
        "predicted_positive": pa.int64(),
    }
)


@dataclass(frozen=True)
class ManyFound:
    """What was found for many categories.

    `candidates`: the best documents of each category: label, rank, id, title, score, probability, evidence.
    `labels`: each category with its members, the estimated number of missing ones with its 80% interval (default
    model), its prior, the leave-one-out value of the objective there (presence model), and how many documents are
    predicted to be members.
    """

    candidates: pa.Table
    labels: pa.Table


def about_run(run: Run) -> pa.Table:
    """Return the row of a run's category."""
    missing, facts = run.missing, run.ranker.facts()
    row = {
        "label": run.about.label,
        "members": run.about.members,
        "prior": repr(run.prior),
        "length_power": facts.get("length_power"),
        "leave_one_out": (facts.get("learned") or {}).get("score"),
        "predicted_positive": run.ranker.predicted,
    }
    if missing is not None:
        row |= {"missing": missing.expected, "missing_low": missing.low, "missing_high": missing.high}
    return pa.Table.from_pylist([row], schema=LABELS)


def candidates_of(run: Run) -> pa.Table:
    """Return the candidates of a run."""
    label = pa.array([run.about.label] * len(run.ranking), pa.string())
    return run.ranking.table.append_column("label", label).select(CANDIDATES.names).cast(CANDIDATES)


def candidates(corpus: Corpus, learned: LearnedLabel, found: Top) -> pa.Table:
    """Return the candidates of one category."""
    return pa.table(
        {
            "label": [learned.label] * len(found.documents),
            "rank": np.arange(1, len(found.documents) + 1, dtype=np.int32),
            "id": corpus.ids(found.documents),
            "title": corpus.titles(found.documents),
            "score": found.scores,
            "probability": learned.calibration.probability(found.scores),
            "evidence": evidence_lines(corpus, found.documents, learned.scorer),
        },
        schema=CANDIDATES,
    )


def about_labels(learned: Sequence[LearnedLabel], tops: Sequence[Top]) -> pa.Table:
    """Return a row for each category that was learned and ranked."""
    rows = [
        {
            "label": each.label,
            "members": len(each.members),
            "prior": repr(each.prior),
            "length_power": each.length_power,
            "leave_one_out": each.leave_one_out,
            "predicted_positive": found.predicted_positive,
        }
        for each, found in zip(learned, tops, strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=LABELS)


AT_ONCE = 256
"""Categories whose weights are held at a time."""

MASK_BYTES = 256 * 2**20
"""What the marks of their members may take."""

RUNS_AT_ONCE = 32

TOP = 100
"""How many candidates to keep of each category: a thousand times as many are more than enough to read."""


def discover_many(
    corpus: Corpus,
    labels: Sequence[str],
    *,
    exclude: Iterable[str] = (),
    threads: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> ManyFound:
    """Find the documents missing from many categories.

    Each category is learned and ranked exactly as :func:`~priorwise.discover` would do it alone, several at a time.

    With ``model="presence"`` this is hundreds of times faster, because the categories share more than the processors:
    one sample of 2,000 other documents judges the priors, every second strength of the grid is tried, and the power of
    a document's length by which scores are divided is the most frequent choice of 16 of the categories. All are ranked
    in one pass over the corpus. There is no Laplace baseline, and no estimate of how many members are missing. If you
    choose something about the samples (`seeds`, `negatives_per_positive`, `paper`), each category is again learned
    alone.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    labels : sequence of str
        The categories; at least 2 members each.
    exclude : iterable of str
        Ids of documents to leave out altogether.
    threads : int, optional
        All cores by default.
    engine : Engine, optional
        Where to work: this machine by default.
    progress : callable, optional
        Told what is being done and how far it is.
    **choices
        As of :func:`~priorwise.discover`: `model`, `top` (100 by default), `seed`, `prior_from` (a model that has all
        of the labels), `prior`, `centre`, `target`, `search`, `seeds`, `negatives_per_positive`, `paper`, and
        `description`, of which only the empty one suits them all.

    Returns
    -------
    ManyFound

    Examples
    --------
    >>> texts = ["goal team win", "team match goal", "win match", "law vote", "vote court", "court law"] * 3
    >>> labels = ["sport", "sport", None, "politics", "politics", None] * 3
    >>> corpus = Corpus.from_texts(texts, labels=labels)
    >>> found = discover_many(corpus, ["sport", "politics"], model="presence", top=3)
    >>> [int(id) % 6 for id in found.candidates["id"].to_pylist()]
    [2, 2, 2, 5, 5, 5]
    """
    if choices.get("subcategory_depth") is not None:
        raise InputError("a table of candidates has no subcategories: leave their depth out, or make runs")
    engine = engine or Local(threads)
    tell = progress or (lambda what, share: None)
    together = _together(corpus, labels, exclude, engine, choices)
    found, about = [CANDIDATES.empty_table()], [LABELS.empty_table()]
    if not together.shares:
        for run in _runs(together, labels, engine, progress):
            found.append(candidates_of(run))
            about.append(about_run(run))
        return ManyFound(pa.concat_tables(found), pa.concat_tables(about))
    at_once = max(1, min(AT_ONCE, MASK_BYTES // max(1, corpus.n_documents)))
    for start in range(0, len(labels), at_once):
        tell("learning the priors", start / len(labels))
        learned = together.learned(labels[start : start + at_once], engine)
        tell("ranking the corpus", start / len(labels))
        masks = [together.category(each.label).skip for each in learned]
        scorers = [each.scorer for each in learned]
        tops = engine.rank_corpus(corpus, scorers, top=together.choices.top, skip=masks)
        pairs = list(zip(learned, tops, strict=True))
        found += Local(threads).call(lambda pair: candidates(corpus, *pair), pairs)
        about.append(about_labels(learned, tops))
    tell("ranking the corpus", 1.0)
    return ManyFound(pa.concat_tables(found), pa.concat_tables(about))


def discover_runs(
    corpus: Corpus,
    labels: Sequence[str],
    *,
    done: Collection[str] = (),
    exclude: Iterable[str] = (),
    threads: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Iterator[Run]:
    """Find the documents missing from many categories, a :class:`~priorwise.Run` for each, in order.

    The rankings are those of :func:`discover_many`. A run also has the Laplace baseline, its ranks, and the terrain,
    which takes about five times as long.

    Parameters
    ----------
    done : collection of str
        Categories whose runs there are already.
    corpus, labels, exclude, threads, engine, progress, **choices
        As of :func:`discover_many`.

    Examples
    --------
    >>> texts = ["goal team win", "team match goal", "win match", "law vote", "vote court", "court law"] * 3
    >>> labels = ["sport", "sport", None, "politics", "politics", None] * 3
    >>> corpus = Corpus.from_texts(texts, labels=labels)
    >>> runs = discover_runs(corpus, ["sport", "politics"], model="presence", top=2)
    >>> [sorted(int(id) % 6 for id in run.ranking.ids) for run in runs]
    [[2, 2], [5, 5]]
    """
    engine = engine or Local(threads)
    together = _together(corpus, labels, exclude, engine, choices)
    left = set(done)
    return _runs(together, [label for label in labels if label not in left], engine, progress)


def _together(
    corpus: Corpus, labels: Sequence[str], exclude: Iterable[str], engine: Engine, choices: dict[str, Any]
) -> Together:
    """Check what was asked for, and choose what all share."""
    if not labels:
        raise InputError("give at least one category")
    labels = [corpus.label_named(label) for label in labels]
    if len(set(labels)) < len(labels):
        twice = next(label for label, times in Counter(labels).items() if times > 1)
        raise InputError(f"the category '{twice}' is listed twice")
    if choices.get("description") or choices.get("words"):
        raise InputError("words and a description belong to one category; leave them out when you rank several")
    own = any(choices.get(name) is not None for name in ("seeds", "negatives_per_positive")) or choices.get("paper")
    checked = RunChoices.of(**{"top": TOP, **choices})
    excluded = np.unique(corpus.rows(list(exclude))).astype(np.int64)
    shares = not own and checked.model == "presence"
    return Together.of(corpus, labels, checked, excluded, engine, shares=shares)


def _runs(together: Together, labels: Sequence[str], engine: Engine, progress: Progress | None) -> Iterator[Run]:
    tell = progress or (lambda what, share: None)
    for start in range(0, len(labels), RUNS_AT_ONCE):
        tell("learning and ranking", start / len(labels))
        yield from engine.call(together.run, labels[start : start + RUNS_AT_ONCE])
    tell("learning and ranking", 1.0)


MARKER = "runs.json"
TABLE = "labels.csv"
_LONGEST_NAME = 60


class RunFolders:
    """The runs of many categories, each in a folder of its own, and a table that says which is whose.

    If the same was begun here before, with the same corpus and choices, what is there stays and only the rest is asked
    for.

    `path`: the folder to make. `made_with`: whatever else the runs depend on, as JSON can hold it. `overwrite`:
    whether runs that were made otherwise may be replaced; those that were reviewed never are.
    """

    def __init__(
        self, path: Path, labels: Sequence[str], made_with: dict[str, Any], *, overwrite: bool = False
    ) -> None:
        self.path = path
        digits = len(str(len(labels)))
        self.names = {label: f"{n:0{digits}d}-{file_name(label)}.run" for n, label in enumerate(labels, 1)}
        about = {"format": 1, "made_with": made_with, "runs": self.names}
        self._about = json.dumps(about, indent=2, ensure_ascii=False).encode("utf-8", "replace")
        self._marker = path / MARKER
        self._goes_on = not overwrite and self._marker.is_file() and self._marker.read_bytes() == self._about
        if not self._goes_on:
            check_free(path, MARKER, "folder of runs", overwrite=overwrite)

    def begin(self) -> None:
        """Make the folder, without the older runs; if the same was begun before, leave it as it is."""
        if self._goes_on:
            return
        with disk_errors_explained(self.path, only_writing=True):
            if self._marker.is_file():
                self._remove_older(self._marker)
            if self.path.exists():
                write_bytes(self._marker, self._about)
            else:
                with whole_folder(self.path, MARKER, "folder of runs", overwrite=False) as folder:
                    write_bytes(folder / MARKER, self._about)
        self._goes_on = True

    def _remove_older(self, marker: Path) -> None:
        try:
            names = [str(name) for name in json.loads(marker.read_bytes())["runs"].values()]
        except (ValueError, LookupError, AttributeError) as error:
            raise BrokenFile(marker, "damaged; remove the folder yourself, or choose another name") from error
        # Only what such a folder holds: a name from a file must not lead out of it.
        older = [self.path / name for name in names if Path(name).name == name and (self.path / name).is_dir()]
        for folder in older:
            check_output(folder, overwrite=True)
        for folder in [*older, self.path / TABLE]:
            remove(folder)

    @property
    def done(self) -> list[str]:
        there = self.names.items() if self._goes_on else ()
        return [label for label, name in there if (self.path / name / RUN).is_file()]

    def save(self, run: Run) -> None:
        run.save(self.path / self.names[str(run.about.label)])

    def finish(self) -> pa.Table:
        """Write and return the table of all categories: their priors, and the names of their folders."""
        # One at a time: a run holds its whole ranking.
        rows = [about_run(Run.load(self.path / name)) for name in self.names.values()]
        table = pa.concat_tables(rows).append_column("run", pa.array(list(self.names.values()), pa.string()))
        with whole_file(self.path / TABLE) as draft:
            write_csv(table, draft)
        return table


def file_name(label: str) -> str:
    """Return a label as a part of a file's name: everything but letters, digits and dashes becomes a dash."""
    words = re.sub(r"[^\w]+", "-", label).strip("-")
    # In bytes, because that is what a name may not have too many of.
    return words.encode()[:_LONGEST_NAME].decode(errors="ignore").strip("-") or "label"
