"""The presence model as a stage of a run, and the baseline: a presence model with one imagined document per class."""

from __future__ import annotations

import dataclasses
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from priorwise.charts import heat_map
from priorwise.counting import amount, counted, some
from priorwise.discovery.damage import damage_named
from priorwise.discovery.stage import COMPARES, Drawing, FactTable, Stage
from priorwise.discovery.typed import typed
from priorwise.errors import InputError
from priorwise.models.linear_model import LinearModel
from priorwise.models.naive_bayes.terrain import Terrain, TriedPairs
from priorwise.priors import PseudoCounts
from priorwise.ranking.table import Ranking
from priorwise.search import NINE_STARTS, radial
from priorwise.tables import write_csv

if TYPE_CHECKING:
    from priorwise.discovery.learning import Learned

TERRAIN, TRIALS = "terrain.parquet", "trials.csv"


@dataclass(frozen=True)
class Value:
    """The leave-one-out value of the objective, and the share of the members that are found."""

    score: float
    sensitivity: float


@dataclass(frozen=True)
class PresenceFacts:
    """How the prior of a presence model was learned, and what it is.

    Parameters
    ----------
    negative, positive : float
        The learned strengths λ− and λ+.
    centre : str
        What the imagined documents hold: ``"collection"`` or ``"uniform"``.
    length_power : float
        Scores are divided by this power of a document's number of distinct words.
    vocabulary : int
        How many words the members have.
    target, search : str
        The objective, and how it was searched.
    seeds : tuple of int
        One for each sample of other documents.
    negatives_per_sample : int
    documents_per_negative : float
        How many documents of the corpus each sampled one stands for.
    counts : str
        What the model counts: all other documents, the mean of the samples, or the first sample.
    length_powers : tuple of float
        The powers that were tried.
    given, paper : bool
        Whether the prior was given, and whether the procedure was the presence paper's.
    remark : str
        What to know before trusting this prior; empty if nothing.
    learned, laplace : Value, optional
        What leave-one-out says of this prior, and of one imagined document per class on the same samples.
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
        """The prior."""
        return PseudoCounts(self.negative, self.positive, centre=self.centre)


@dataclass(frozen=True)
class PresenceStage(Stage):
    """Presence naive Bayes with a learned prior.

    Parameters
    ----------
    about : PresenceFacts
        How the prior was learned.
    terrains : list of Terrain
        The objective map of each sample.
    trials : TriedPairs, optional
        Every pair of strengths that the search looked at, in order.
    """

    name: ClassVar[str] = "presence"
    title: ClassVar[str] = "the presence model"

    about: PresenceFacts
    terrains: list[Terrain]
    trials: TriedPairs | None = None

    @classmethod
    def of(
        cls, learned: Learned, model: LinearModel, role: str, ranking: Ranking | None, predicted: int | None
    ) -> Self:
        """Make the stage of what was learned."""
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
        """λ− over λ+."""
        return self.about.negative / self.about.positive

    @property
    def terrain(self) -> Terrain:
        """The objective map, averaged over the samples."""
        if not self.terrains:
            raise InputError("this prior was not learned, so there is no objective map")
        first = self.terrains[0]
        tp, fp, score = (np.mean([getattr(t, name) for t in self.terrains], axis=0) for name in ("tp", "fp", "score"))
        return Terrain(first.grid, tp, fp, score, first.positives, first.negatives)

    def describe(self) -> list[str]:
        """Say in sentences what was learned."""
        about = self.about
        origin = "Given" if about.given else "Learned"
        said = [f"{origin} prior: λ− = {about.negative:g}, λ+ = {about.positive:g}. {in_words(self.prior)}"]
        if about.length_power:
            said.append(f"Scores are divided by length^{about.length_power:g}, so long documents have no advantage.")
        if about.remark:
            said.append(f"Note: {about.remark}.")
        return said

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
        """What `run.json` keeps."""
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
        """Read what `facts` and `write` kept."""
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
    """Return how the command line spells an objective; None for one of somebody's own.

    Examples
    --------
    >>> target_option("f0.5 at corpus odds"), target_option("ppv, sensitivity at least 0.5"), target_option("mine")
    ('f0.5:corpus', 'ppv:0.5', None)
    """
    for pattern, option in _TARGETS:
        if found := re.fullmatch(pattern, name):
            return found.expand(option)
    return None


def in_words(prior: PseudoCounts) -> str:
    """Say what a prior on presence counts.

    Examples
    --------
    >>> in_words(PseudoCounts(negative=22, positive=1))
    'It counts 22 more other documents and 1 more member, each with every word in it.'
    >>> in_words(PseudoCounts(3162.3, 0.5, centre="collection"))
    'It counts 3,162 more other documents and 0.5 more members, with each word as often as in the whole corpus.'
    """
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
            np.searchsorted(grid, trials["lambda_negative"].to_numpy()),
            np.searchsorted(grid, trials["lambda_positive"].to_numpy()),
            trials["score"].to_numpy(),
            trials["sensitivity"].to_numpy(),
        )


def _read_terrains(file: Path, n_samples: int) -> list[Terrain]:
    table = pq.read_table(file)
    sizes = json.loads(table.schema.metadata[b"priorwise"])
    of_row = table["seed"].to_numpy()
    terrains = []
    for seed in dict.fromkeys(of_row.tolist()):
        part = table.filter(pa.array(of_row == seed))
        grid = np.unique(part["lambda_negative"].to_numpy())
        shape = (len(grid), len(grid))
        tp, fp, score = (part[name].to_numpy().reshape(shape) for name in ("tp", "fp", "target"))
        terrains.append(Terrain(grid, tp, fp, score, sizes["positives"], sizes["negatives"]))
    if len(terrains) != n_samples:
        raise ValueError(f"it has {len(terrains)} samples instead of {n_samples}")
    return terrains
