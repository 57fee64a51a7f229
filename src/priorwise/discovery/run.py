"""A finished run: what was chosen, learned and found, and its folder on disk."""

from __future__ import annotations

import errno
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from priorwise.corpus import Corpus
from priorwise.discovery.model import PresenceModel
from priorwise.errors import AlreadyExists, BrokenFile, DamagedCorpus, DiskFull, InputError
from priorwise.models.prior_choice import Trial
from priorwise.models.terrain import Terrain
from priorwise.priors import PseudoCounts
from priorwise.ranking.evidence import Explanation
from priorwise.ranking.table import Ranking

FORMAT = 1


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
        The learned model.
    terrains : list of Terrain
        One per sample of negatives.
    trials : list of Trial
        Every pair of strengths that the search looked at, in order.
    """

    about: dict[str, Any]
    ranking: Ranking
    baseline: Ranking
    model: PresenceModel
    terrains: list[Terrain]
    trials: list[Trial]

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
        return f"<Run of {what}: {self.about['members']} members, {self.prior!r}, {len(self.ranking)} candidates>"

    def explain(self, corpus: Corpus, document_id: str) -> Explanation:
        """Take a document's score apart, token by token."""
        return self.model.explain(corpus, corpus.row(document_id))

    def open_corpus(self, path: str | Path | None = None) -> Corpus:
        """Open the corpus that this run ranked, where it was or at `path`; another one is refused."""
        where = path or self.about["corpus"]["path"]
        if where is None:
            raise InputError("this run was made from a corpus in memory; say where it is now")
        corpus = Corpus.open(where)
        if corpus.checksum != self.about["corpus"]["checksum"]:
            raise DamagedCorpus(f"{where} is not the corpus of this run: its checksum differs")
        return corpus

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the run's folder; it appears whole or not at all."""
        path = Path(path)
        if path.exists() and not overwrite:
            raise AlreadyExists(f"{path} exists already; choose another name, or overwrite it")
        unfinished = path.with_name(path.name + ".partial")
        shutil.rmtree(unfinished, ignore_errors=True)
        try:
            unfinished.mkdir(parents=True)
            self._write(unfinished)
            if path.is_dir():
                shutil.rmtree(path)
            elif path.exists():
                path.unlink()
            unfinished.replace(path)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise DiskFull(f"no space left for {path}; nothing was written") from error
            raise InputError(f"cannot write {path}: {error.strerror or error}") from error
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)

    def _write(self, folder: Path) -> None:
        about = {"format": FORMAT, **self.about}
        (folder / "run.json").write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        for name, ranking in (("ranking", self.ranking), ("baseline", self.baseline)):
            pa.csv.write_csv(ranking.table, folder / f"{name}.csv")
            pq.write_table(ranking.table, folder / f"{name}.parquet", compression="zstd")
        pq.write_table(self._terrain_table(), folder / "terrain.parquet", compression="zstd")
        pa.csv.write_csv(self._trials_table(), folder / "trials.csv")
        self.model.save(folder / "model.parquet")

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
                "lambda_negative": pa.array([grid[trial.row] for trial in self.trials], pa.float64()),
                "lambda_positive": pa.array([grid[trial.column] for trial in self.trials], pa.float64()),
                "score": pa.array([trial.score for trial in self.trials], pa.float64()),
                "sensitivity": pa.array([trial.sensitivity for trial in self.trials], pa.float64()),
            }
        )

    @classmethod
    def load(cls, path: str | Path) -> Run:
        """Read a run's folder."""
        path = Path(path)
        try:
            about = json.loads((path / "run.json").read_text(encoding="utf-8"))
            if about.pop("format") > FORMAT:
                raise BrokenFile(path, "written by a newer priorwise; update this one to read it")
            terrains = _read_terrains(pq.read_table(path / "terrain.parquet"))
            trials = _read_trials(pa.csv.read_csv(path / "trials.csv"), terrains[0].grid)
            rankings = [Ranking(pq.read_table(path / f"{name}.parquet")) for name in ("ranking", "baseline")]
        except FileNotFoundError as error:
            missing = Path(error.filename).name if error.filename else "a file"
            raise BrokenFile(path, f"not a run folder: {missing} is missing") from error
        except (pa.ArrowException, ValueError, KeyError, OSError) as error:
            if isinstance(error, BrokenFile):
                raise
            raise BrokenFile(path, f"not a run folder that can be read ({error})") from error
        ranking, baseline = rankings
        return cls(about, ranking, baseline, PresenceModel.load(path / "model.parquet"), terrains, trials)


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


def _read_trials(table: pa.Table, grid: Any) -> list[Trial]:
    rows = np.searchsorted(grid, table["lambda_negative"].to_numpy())
    columns = np.searchsorted(grid, table["lambda_positive"].to_numpy())
    values = zip(table["score"].to_pylist(), table["sensitivity"].to_pylist(), strict=True)
    return [Trial(int(r), int(c), s, t) for r, c, (s, t) in zip(rows, columns, values, strict=True)]
