"""A finished run: what was chosen, learned and found, and its folder on disk."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from priorwise.corpus import Corpus
from priorwise.corpus.whole_folder import check_free, whole_folder
from priorwise.counting import counted
from priorwise.discovery.membership_model import MembershipModel, VectorExplanation
from priorwise.discovery.model import PresenceModel
from priorwise.discovery.standing import Standing, Standings
from priorwise.discovery.verdicts import FILE_NAME as VERDICTS
from priorwise.errors import BrokenFile, CorpusError, DamagedCorpus, InputError
from priorwise.models.prior_choice import Trials
from priorwise.models.terrain import Terrain
from priorwise.priors import PseudoCounts
from priorwise.ranking.evidence import Explanation
from priorwise.ranking.table import Ranking

if TYPE_CHECKING:
    from priorwise.charts import Picture

FORMAT = 3
"""Format 1 knew no centre but the uniform one, format 2 no regression."""

MARKER = "run.json"

FILES = ("ranking.parquet", "baseline.parquet", "terrain.parquet", "trials.csv", "model.parquet")
"""What is read again, beside `run.json`."""

REGRESSION = "regression.parquet"
"""The second stage, in runs that have one."""


@dataclass(frozen=True)
class Run:
    """What `discover` found.

    Parameters
    ----------
    about : dict
        Every choice, the seeds, the corpus's checksum, the versions, and the figures: what `run.json` holds.
    ranking, baseline : Ranking
        The documents under the learned prior and under Laplace, best first.
    model : PresenceModel
        The learned presence model: what ranks, or the first stage.
    terrains : list of Terrain
        One per sample of negatives.
    trials : Trials
        Every pair of strengths that the search looked at, in order.
    regression : MembershipModel, optional
        What ranks, if there was a second stage.

    Examples
    --------
    >>> texts = ["tea milk", "tea leaves", "tea cup", "milk cow", "cow hay", "hay barn", "barn owl", "cup owl"]
    >>> corpus = Corpus.from_texts(texts, labels=["Tea", "Tea", None, None, None, None, None, None])
    >>> from priorwise.discovery import discover
    >>> run = discover(corpus, "Tea", model="presence")
    >>> next(iter(run.ranking.rows(1)))["title"]
    '2'
    >>> corpus.text(2)
    'tea cup'
    """

    about: dict[str, Any]
    ranking: Ranking
    baseline: Ranking
    model: PresenceModel
    terrains: list[Terrain]
    trials: Trials
    regression: MembershipModel | None = None

    @property
    def prior(self) -> PseudoCounts:
        """The learned prior."""
        return self.model.prior

    @property
    def seeds(self) -> list[int]:
        """The seed of each sample."""
        return list(self.about["procedure"]["seeds"])

    @property
    def terrain(self) -> Terrain:
        """The terrain, averaged over the samples."""
        first = self.terrains[0]
        tp, fp, score = (np.mean([getattr(t, name) for t in self.terrains], axis=0) for name in ("tp", "fp", "score"))
        return Terrain(first.grid, tp, fp, score, first.positives, first.negatives)

    def __repr__(self) -> str:
        what = f"'{self.about['label']}'" if self.about["label"] is not None else "a list of members"
        members, candidates = counted(self.about["members"], "member"), counted(len(self.ranking), "candidate")
        return f"<Run of {what}: {members}, {self.prior!r}, {candidates}>"

    def _repr_html_(self) -> str:
        from priorwise.discovery.notebook import run_html

        return run_html(self)

    def plot_terrain(self) -> Picture:
        """Draw the terrain from above: the target for every pair of strengths, the search's way, the learned prior."""
        from priorwise.discovery.pictures import terrain_picture

        return terrain_picture(self)

    def plot_precision(self, relevant: Collection[str]) -> Picture:
        """Draw PPV@k of both rankings, given the ids of the documents that belong, such as those that were accepted."""
        from priorwise.discovery.pictures import precision_picture

        return precision_picture(self, relevant)

    def explain(self, corpus: Corpus, document_id: str) -> Explanation | VectorExplanation:
        """Take a document's score apart, token by token, under the model that ranks."""
        return (self.regression or self.model).explain(corpus, corpus.row(document_id))

    def standing(self, corpus: Corpus, document_id: str) -> Standing | None:
        """Say where a document stands: a member, in a subcategory, or new; None without a graph of categories."""
        subcategories = self.about.get("subcategories")
        if subcategories is None:
            return None
        standings = Standings(corpus, self.about["label"], subcategories["depth"])
        return standings.of([corpus.row(document_id)])[0]

    def open_corpus(self, path: str | Path | None = None) -> Corpus:
        """Open the corpus that this run ranked, where it was or at `path`; another one is refused."""
        where = path or self.about["corpus"]["path"]
        if where is None:
            raise InputError("this run was made from a corpus in memory; say where it is now (--corpus)")
        try:
            corpus = Corpus.open(where)
        except CorpusError as error:
            if path is not None or Path(where).exists():
                raise
            raise CorpusError(f"{error}; if the corpus was moved, say where it is now (--corpus)") from error
        if corpus.checksum != self.about["corpus"]["checksum"]:
            raise DamagedCorpus(
                f"{where} is not the corpus that this run ranked: its checksum differs, so it was made again or changed"
            )
        return corpus

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the run's folder; it appears whole or not at all, and an older run stays until the new one is whole."""
        with whole_folder(Path(path), MARKER, "run", overwrite=overwrite, keep=_keep_verdicts) as folder:
            self._write(folder)

    def _write(self, folder: Path) -> None:
        about = {"format": FORMAT, **self.about}
        (folder / MARKER).write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        for name, ranking in (("ranking", self.ranking), ("baseline", self.baseline)):
            pa.csv.write_csv(ranking.table, folder / f"{name}.csv")
            pq.write_table(ranking.table, folder / f"{name}.parquet", compression="zstd")
        pq.write_table(self._terrain_table(), folder / "terrain.parquet", compression="zstd")
        pa.csv.write_csv(self._trials_table(), folder / "trials.csv")
        self.model.save(folder / "model.parquet")
        if self.regression is not None:
            self.regression.save(folder / REGRESSION)

    def _terrain_table(self) -> pa.Table:
        tables = []
        for seed, terrain in zip(self.seeds, self.terrains, strict=True):
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
        sizes = {"positives": self.terrains[0].positives, "negatives": self.terrains[0].negatives}
        return pa.concat_tables(tables).replace_schema_metadata({"priorwise": json.dumps(sizes)})

    def _trials_table(self) -> pa.Table:
        grid = self.terrains[0].grid
        return pa.table(
            {
                "trial": pa.array(np.arange(1, len(self.trials) + 1), pa.int64()),
                "lambda_negative": grid[self.trials.rows],
                "lambda_positive": grid[self.trials.columns],
                "score": self.trials.score,
                "sensitivity": self.trials.sensitivity,
            }
        )

    @classmethod
    def load(cls, path: str | Path) -> Run:
        """Read a run's folder."""
        path = Path(path)
        if not path.exists():
            raise BrokenFile(path, "there is no such run folder")
        if not (path / MARKER).is_file():
            raise BrokenFile(path, "not a run folder: run.json is missing")
        with _said_broken(path / MARKER):
            about = json.loads((path / MARKER).read_text(encoding="utf-8"))
            written_as = about.pop("format")
            if written_as > FORMAT:
                raise BrokenFile(path, "written by a newer priorwise; update this one to read it")
            if written_as < 2:
                # There was no other centre to tell it from.
                about["procedure"]["centre"] = about["learned"]["centre"] = "uniform"
            if written_as < 3:
                about["regression"] = None
            has_regression = about["regression"] is not None
            n_seeds = len(about["procedure"]["seeds"])
            about["corpus"]["checksum"], about["corpus"]["path"], about["label"], about["members"]
        for name in (*FILES, *([REGRESSION] if has_regression else [])):
            if not (path / name).is_file():
                raise BrokenFile(path, f"damaged: {name} is missing")
        with _said_broken(path / "terrain.parquet"):
            terrains = _read_terrains(pq.read_table(path / "terrain.parquet"))
            if len(terrains) != n_seeds:
                raise ValueError(f"{len(terrains)} samples instead of {n_seeds}")
        with _said_broken(path / "trials.csv"):
            trials = _read_trials(pa.csv.read_csv(path / "trials.csv"), terrains[0].grid)
        with _said_broken(path / "ranking.parquet"):
            ranking = Ranking(pq.read_table(path / "ranking.parquet"))
        with _said_broken(path / "baseline.parquet"):
            baseline = Ranking(pq.read_table(path / "baseline.parquet"))
        model = PresenceModel.load(path / "model.parquet")
        regression = MembershipModel.load(path / REGRESSION) if has_regression else None
        return cls(about, ranking, baseline, model, terrains, trials, regression)


def check_output(path: Path, *, overwrite: bool) -> None:
    """Raise `AlreadyExists` if a run cannot be written here: something is in the way, and may not be replaced."""
    check_free(path, MARKER, "run", overwrite=overwrite)
    _keep_verdicts(path)


def _keep_verdicts(path: Path) -> None:
    if (path / VERDICTS).exists():
        where = path.with_name(path.name.removesuffix(".replaced"))
        raise InputError(f"{where} was reviewed, and {VERDICTS} in it holds people's work; choose another name")


@contextlib.contextmanager
def _said_broken(file: Path) -> Iterator[None]:
    """Say which file cannot be read."""
    try:
        yield
    except BrokenFile:
        raise
    except (pa.ArrowException, ValueError, LookupError, TypeError, AttributeError, OSError) as error:
        reason = " ".join(str(error).split())
        raise BrokenFile(file, f"damaged ({reason})") from error


def _read_terrains(table: pa.Table) -> list[Terrain]:
    sizes = json.loads(table.schema.metadata[b"priorwise"])
    seeds = table["seed"].to_numpy()
    terrains = []
    for seed in dict.fromkeys(seeds.tolist()):
        part = table.filter(pa.array(seeds == seed))
        grid = np.unique(part["lambda_negative"].to_numpy())
        shape = (len(grid), len(grid))
        tp, fp, score = (part[name].to_numpy().reshape(shape) for name in ("tp", "fp", "target"))
        terrains.append(Terrain(grid, tp, fp, score, sizes["positives"], sizes["negatives"]))
    return terrains


def _read_trials(table: pa.Table, grid: Any) -> Trials:
    return Trials(
        np.searchsorted(grid, table["lambda_negative"].to_numpy()),
        np.searchsorted(grid, table["lambda_positive"].to_numpy()),
        table["score"].to_numpy(),
        table["sensitivity"].to_numpy(),
    )
