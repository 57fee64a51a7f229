"""A finished run: what was asked, the stages that answered, and its folder on disk."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from priorwise.charts import Markup, Picture, element, two_curves
from priorwise.corpus import Corpus
from priorwise.corpus.storage.files import FILES, check_described, check_files, described
from priorwise.corpus.storage.places import recorded_path
from priorwise.corpus.storage.typed import damage_named, typed
from priorwise.counting import counted
from priorwise.discovery.category import FILE_NAME as VERDICTS
from priorwise.discovery.category import JudgedDocument, Status, Statuses, Subcategories
from priorwise.discovery.old_runs import upgraded
from priorwise.discovery.stage import COMPARES, RANKS, Stage
from priorwise.durable import check_free, whole_folder
from priorwise.errors import BrokenFile, CorpusError, DamagedCorpus, InputError
from priorwise.models.linear_model import LinearModel
from priorwise.models.missing import Missing
from priorwise.ranking.evidence import Explanation, explain
from priorwise.ranking.metrics import area_between, ppv_curve
from priorwise.ranking.table import Ranking
from priorwise.tables import write_csv

if TYPE_CHECKING:
    from priorwise.models.naive_bayes.terrain import Terrain


FORMAT = 4
"""Formats 1 to 3 kept each stage in a form of its own; `old_runs` reads them."""

MARKER = "run.json"


@dataclass(frozen=True)
class CorpusRef:
    """The corpus that a run ranked: where it was, and how to recognise it."""

    path: str | None
    checksum: str
    documents: int


@dataclass(frozen=True)
class VerdictCounts:
    """How many verdicts a run learned from."""

    accepted: int = 0
    rejected: int = 0


@dataclass(frozen=True)
class SharedLearning:
    """What a run shared with the runs of other categories that were learned with it."""

    labels: int
    sample: int
    grid_step: int


@dataclass(frozen=True)
class About:
    """What a run was asked, and what it was made with.

    `label`: the category; None for a list of members. `members`, `excluded`: how many documents are known members,
    and how many were left out altogether. `versions`: of priorwise, Python and the packages that numbers depend on.
    `model`: the model that was asked for: ``"default"`` or ``"presence"``. `description`: the text about the
    category that was given; by default its name. `words`: the keywords that were given, as
    :class:`~priorwise.Keywords` reads them. `prior_from`: the earlier model that the prior starts from, in words.
    `text_only`: whether only the documents' words count. `seed`, `top`: the first seed, and how many candidates to
    keep. `verdicts`: how many verdicts it learned from. `subcategories`: the category's subcategories, and how many
    candidates are in them. `together`: what it shared with the runs of other categories. `given`: the ids of the
    members, if they were given as a list. `left_out`: the ids of the documents that were left out altogether.
    `learned_from`: what it learned from, verdict by verdict, in the order of the reviews: all earlier rounds of the
    category. `maintenance`: whether categories that serve a wiki's editors count as evidence, too. `asked`: what
    the command line was asked, option by option, to see whether the same is asked again.
    """

    label: str | None
    members: int
    excluded: int
    corpus: CorpusRef
    versions: dict[str, str] = field(default_factory=dict)
    model: str = "default"
    description: str | None = None
    text_only: bool = False
    seed: int = 0
    top: int = 1000
    verdicts: VerdictCounts | None = None
    subcategories: Subcategories | None = None
    together: SharedLearning | None = None
    words: str | None = None
    prior_from: str | None = None
    given: tuple[str, ...] | None = None
    left_out: tuple[str, ...] = ()
    learned_from: tuple[JudgedDocument, ...] = ()
    maintenance: bool = False
    asked: dict[str, str] = field(default_factory=dict, compare=False)

    @property
    def unnamed(self) -> str:
        """What to call a category without a label."""
        return "a list of members" if self.members else "what you described"

    @property
    def others(self) -> int:
        """How many documents are neither members nor left out."""
        return self.corpus.documents - self.members - self.excluded


@dataclass(frozen=True)
class StageHead:
    """What `run.json` keeps of a stage of any kind."""

    stage: str
    role: str
    predicted: int | None = None


@dataclass(frozen=True)
class Heads:
    """The stages of a run as `run.json` names them."""

    stages: tuple[StageHead, ...]


@dataclass(frozen=True)
class Run:
    """What `discover` found.

    Parameters
    ----------
    about : About
        What was asked.
    stages : sequence of Stage
        The models, in order. The last one ranks. Before it there may be one that chose what it reads, and the baseline,
        which is there to compare.

    Examples
    --------
    >>> texts = ["tea milk", "tea leaves", "tea cup", "milk cow", "cow hay", "hay barn", "barn owl", "cup owl"]
    >>> corpus = Corpus.from_texts(texts, labels=["Tea", "Tea", None, None, None, None, None, None])
    >>> from priorwise.discovery import discover
    >>> run = discover(corpus, "Tea", model="presence")
    >>> next(iter(run.ranking.rows(1)))["title"], [stage.name for stage in run.stages]
    ('2', ['baseline', 'presence'])
    >>> corpus.text(2)
    'tea cup'
    """

    about: About
    stages: Sequence[Stage]

    @property
    def ranker(self) -> Stage:
        """The stage that ranks."""
        return self.stages[-1]

    @property
    def ranking(self) -> Ranking:
        """The candidates, best first."""
        return _ranking_of(self.ranker)

    @property
    def prior(self) -> Any:
        """The learned prior of the model that ranks."""
        return self.ranker.prior

    @property
    def model(self) -> LinearModel:
        """The model that ranks."""
        assert self.ranker.model is not None, "a stage that ranks has a model"
        return self.ranker.model

    @property
    def missing(self) -> Missing | None:
        """The estimated number of missing members; None if the model that ranks does not estimate it."""
        return self.ranker.missing

    @property
    def baseline(self) -> Ranking:
        """The candidates as the baseline ranks them."""
        return _ranking_of(self.compared)

    @property
    def compared(self) -> Stage:
        """The stage that the ranking is compared with."""
        return next(stage for stage in self.stages if stage.role == COMPARES)

    @property
    def terrain(self) -> Terrain:
        """The objective map of the presence model, averaged over its samples."""
        return self.stage("presence").terrain

    def stage(self, name: str) -> Stage:
        """The stage of that name, such as ``"presence"``."""
        for stage in self.stages:
            if stage.name == name:
                return stage
        there = ", ".join(stage.name for stage in self.stages)
        raise InputError(f"this run has no {name} model, only {there}; discover with --model {name} to get one")

    def __repr__(self) -> str:
        what = f"'{self.about.label}'" if self.about.label is not None else self.about.unnamed
        members, candidates = counted(self.about.members, "member"), counted(len(self.ranking), "candidate")
        return f"<Run of {what}: {members}, {self.prior!r}, {candidates}>"

    def _repr_html_(self) -> str:
        return run_html(self)

    def plot_terrain(self) -> Picture:
        """Draw what was tried: the objective map of a presence model, or how much each setting counts."""
        drawing = self.ranker.drawing()
        if drawing is None:
            raise InputError("this prior was given, so there is nothing to draw")
        return drawing.picture

    def plot_precision(self, relevant: Collection[str]) -> Picture:
        """Draw precision@k of the ranking and the baseline, given the ids of the documents that are members."""
        return precision_picture(self, relevant)

    def explain(self, corpus: Corpus, document_id: str) -> Explanation:
        """Take a document's score apart, word by word, under the model that ranks."""
        return explain(self.model, corpus, corpus.row(document_id))

    def status(self, corpus: Corpus, document_id: str) -> Status | None:
        """Say whether a document is a member, in a subcategory, or new; None without a graph of categories."""
        if self.about.subcategories is None or self.about.label is None:
            return None
        statuses = Statuses(corpus, self.about.label, self.about.subcategories.depth)
        return statuses.of([corpus.row(document_id)])[0]

    def open_corpus(self, path: str | Path | None = None) -> Corpus:
        """Open the corpus that this run ranked, where it was or at `path`; another one is refused."""
        recorded = self.about.corpus.path
        if path is None and recorded is None:
            raise InputError("this run was made from a corpus in memory; say where it is now (--corpus)")
        where = path if path is not None else recorded_path(recorded)
        try:
            corpus = Corpus.open(where)
        except CorpusError as error:
            if path is not None or Path(where).exists():
                raise
            raise CorpusError(f"{error}; if the corpus was moved, say where it is now (--corpus)") from error
        self.check_corpus(corpus, where)
        return corpus

    def check_corpus(self, corpus: Corpus, where: object) -> None:
        """Raise `DamagedCorpus` if this is not the corpus that this run ranked."""
        if corpus.checksum != self.about.corpus.checksum:
            raise DamagedCorpus(
                f"{where} is not the corpus that this run ranked: its checksum differs, so it was made again or changed"
            )

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the run's folder; it appears whole or not at all, and an older run stays until the new one is whole."""
        with whole_folder(
            Path(path), MARKER, "run", overwrite=overwrite, keep=partial(_keep_verdicts, name=Path(path))
        ) as folder:
            self._write(folder)

    def _write(self, folder: Path) -> None:
        stages = [
            {"stage": stage.name, "role": stage.role, "predicted": stage.predicted, **stage.facts()}
            for stage in self.stages
        ]
        about = {"format": FORMAT, **dataclasses.asdict(self.about), "stages": stages}
        for stage in self.stages:
            stage.write(folder)
            if stage.model is not None:
                stage.model.write(_made(folder / f"{stage.name}.model"))
            if stage.ranking is not None:
                name = "ranking" if stage is self.ranker else stage.name
                write_csv(stage.ranking.table, folder / f"{name}.csv")
                pq.write_table(stage.ranking.table, folder / f"{name}.parquet", compression="zstd")
        # Last, because it holds the checksums of the others; models have their own.
        whole = described(about, folder, [each.name for each in folder.iterdir() if each.is_file()])
        (folder / MARKER).write_text(json.dumps(whole, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Run:
        """Read a run's folder."""
        path = Path(path)
        content = read_description(path)
        with damage_named(path / MARKER):
            about = typed(About, content)
            heads = typed(Heads, content).stages
            roles = [head.role for head in heads]
            if roles[-1:] != [RANKS] or COMPARES not in roles:
                raise ValueError("no stage ranks, or there is none to compare it with")
            check_files(content, path, _files_read(content))
        stages = []
        for head, facts in zip(heads, content["stages"], strict=True):
            with damage_named(path / MARKER):
                kind = Stage.kinds[head.stage]
            folder = path / f"{kind.name}.model"
            model = LinearModel.load(folder) if folder.is_dir() else content.get("models", {}).get(kind.name)
            if model is None and kind.keeps_model:
                raise BrokenFile(path, f"damaged: {folder.name} is missing")
            name = "ranking" if head.role == RANKS else kind.name
            # A stage that ranked the candidates also says how many of them it predicts to be members.
            has_ranked = head.role == RANKS or head.predicted is not None or f"{name}.parquet" in content.get(FILES, {})
            with damage_named(path / f"{name}.parquet"):
                ranking = Ranking.read(path / f"{name}.parquet") if has_ranked else None
            with damage_named(path / MARKER):
                stages.append(kind.read(path, facts, head.role, model, ranking))
        return cls(about, stages)


def read_description(path: Path) -> dict[str, Any]:
    """Read `run.json`, of this format or an older one, as plain data in this format."""
    if not path.exists():
        raise BrokenFile(path, "there is no such run folder")
    if not (path / MARKER).is_file():
        raise BrokenFile(path, "not a run folder: run.json is missing")
    with damage_named(path / MARKER):
        content: dict[str, Any] = json.loads((path / MARKER).read_text(encoding="utf-8"))
        if content["format"] > FORMAT:
            raise BrokenFile(path, "written by a newer priorwise; update this one to read it")
        check_described(content, path / MARKER)
    if content["format"] < FORMAT:
        with damage_named(path / MARKER):
            return upgraded(content, path)
    return content


def check_whole(path: Path) -> bool:
    """Raise `BrokenFile` if any file of a run is not what was written; return False if the run has no checksums."""
    content = read_description(path)
    with damage_named(path / MARKER):
        check_files(content, path)
    return FILES in content


def _files_read(content: dict[str, Any]) -> list[str]:
    """Return the files of a run that are read again: all but the copies of its rankings for people."""
    names = content.get(FILES, {})
    return [name for name in names if not (name.endswith(".csv") and f"{name[:-4]}.parquet" in names)]


def load_model(path: str | Path) -> LinearModel:
    """Read a model: a model's own folder, or the model that ranks in a run's folder.

    A run of an older version is read as a run, and its model taken from there.
    """
    path = Path(path)
    if not (path / MARKER).is_file():
        return LinearModel.load(path)
    with damage_named(path / MARKER):
        name = str(read_description(path)["stages"][-1]["stage"])
    folder = path / f"{Path(name).name}.model"
    return LinearModel.load(folder) if folder.is_dir() else Run.load(path).model


def check_output(path: Path, *, overwrite: bool) -> None:
    """Raise `AlreadyExists` if a run cannot be written here: something is in the way, and may not be replaced."""
    check_free(path, MARKER, "run", overwrite=overwrite)
    _keep_verdicts(path, name=path)


def _ranking_of(stage: Stage) -> Ranking:
    if stage.ranking is None:
        raise InputError(f"{stage.title} keeps no ranking")
    return stage.ranking


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _keep_verdicts(folder: Path, *, name: Path) -> None:
    if (folder / VERDICTS).exists():
        raise InputError(f"{name} was reviewed, and {VERDICTS} in it holds people's work; choose another name")


def run_html(run: Run, top: int = 10) -> Markup:
    """Return the run as HTML; everything is escaped, whatever the titles hold."""
    about = run.about
    label = about.label if about.label is not None else about.unnamed.capitalize()
    has = run.ranking.has_probabilities
    headings = ["rank", "title", *["probability"] * has, "baseline rank", "strongest words"]
    rows = [
        element(
            "tr",
            element("td", row["rank"]),
            element("td", element("bdi", row["title"])),
            element("td", f"{row['probability']:.2f}") if has else None,
            element("td", f"{row['baseline_rank']:,}"),
            element("td", row["evidence"]),
        )
        for row in run.ranking.rows(top)
    ]
    members, candidates = counted(about.members, "member"), counted(len(run.ranking), "candidate")
    return element(
        "div",
        element("p", element("b", label), f": {members}, {candidates}. "),
        [element("p", sentence) for sentence in run.ranker.describe()],
        element(
            "table",
            element("thead", element("tr", [element("th", heading, scope="col") for heading in headings])),
            element("tbody", rows),
        ),
    )


def precision_picture(run: Run, relevant: Collection[str], mark: int | None = 250) -> Picture:
    """Draw precision@k of both rankings of a run, given the ids of the documents that are members."""
    masks = [judged(ranking.ids, relevant) for ranking in (run.ranking, run.baseline)]
    learned, baseline = (ppv_curve(mask) for mask in masks)
    return precision_curves(learned, baseline, area_between(*masks), mark=mark, names=names_of(run))


def names_of(run: Run) -> tuple[str, str]:
    """Return what the two rankings of a run are called."""
    return run.ranker.title.removeprefix("the "), run.compared.title.removeprefix("the ")


def precision_curves(
    learned: NDArray[np.float64],
    baseline: NDArray[np.float64],
    ahead: float,
    *,
    mark: int | None,
    names: tuple[str, str],
) -> Picture:
    """Draw two curves of precision; `ahead` is the mean of their difference."""
    ends = [float(curve[-1]) if len(curve) else 0.0 for curve in (learned, baseline)]
    summary = (
        f"Precision@k of both rankings. The {names[0]} ends at {ends[0]:.3f}, the {names[1]} at {ends[1]:.3f}; "
        f"the difference is {ahead:+.3f} on average."
    )
    return two_curves(
        learned, baseline, names, x_name="k, documents from the top", y_name="precision@k", mark=mark, summary=summary
    )


def judged(ids: list[str], relevant: Collection[str]) -> NDArray[np.bool_]:
    """Return which documents of a list are members."""
    known = frozenset(relevant)
    return np.array([id in known for id in ids], np.bool_)
