"""Leave-one-out: the value of a prior, for every pair of strengths or for those that a search looks at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from contest import Contestant, Job, Settings, Started, Work

VOCABULARY, PER_DOCUMENT = 400_000, 225
CELLS = 16
"""How many cells are looked at one by one, of all that the search looks at."""

QUALITY = (f"true positives of {CELLS} cells", f"false positives of {CELLS} cells")


def prepare(folder: Path, settings: Settings) -> Work:
    from priorwise.models.naive_bayes.presence_leave_one_out import PAPER_GRID, LeaveOneOut
    from priorwise.models.naive_bayes.terrain import choose_prior
    from priorwise.search import PPV
    from terrain import training_set

    n = settings.size(105_000)
    cases = training_set(n, PER_DOCUMENT, VOCABULARY)
    np.savez(folder / "cases.npz", indptr=cases.indptr, tokens=cases.tokens, positive=cases.positive)
    searched = choose_prior([LeaveOneOut(cases, cases.count(VOCABULARY))], PPV(), grid=PAPER_GRID, search="radial")
    np.save(folder / "searched.npy", len(searched.trials))
    return Work(
        f"leave-one-out of {n:,} documents of {PER_DOCUMENT} tokens: ours for all {len(PAPER_GRID) ** 2:,} pairs of "
        f"strengths, one by one for the {len(searched.trials)} that the paper's search looks at"
    )


def read(folder: Path) -> Any:
    from priorwise.models.naive_bayes.presence_leave_one_out import Cases

    stored = np.load(folder / "cases.npz")
    return Cases.of(stored["indptr"], stored["tokens"], stored["positive"])


def ours(folder: Path) -> Started:
    from priorwise.models.naive_bayes.presence_leave_one_out import LeaveOneOut

    cases = read(folder)
    counts = cases.count(VOCABULARY)  # both need them, and neither is timed for it
    found: dict[str, Any] = {}

    def run() -> None:
        found["predicted"] = LeaveOneOut(cases, counts).predicted_positive()

    def quality() -> dict[str, float]:
        return dict(zip(QUALITY, map(total, found["predicted"]), strict=True))

    run()
    return Started({"all": run}, quality)


def looked_at(n: int) -> list[tuple[int, int]]:
    """Some cells, the same for all."""
    return [tuple(cell) for cell in np.random.default_rng(0).integers(0, n, size=(CELLS, 2)).tolist()]


def total(terrain: np.ndarray) -> float:
    return float(sum(terrain[cell] for cell in looked_at(len(terrain))))


def numpy_cells(folder: Path) -> Started:
    from priorwise.models.naive_bayes.presence_leave_one_out import PAPER_GRID
    from terrain import CellByCell

    one_cell = CellByCell(read(folder), VOCABULARY)
    found: list[tuple[int, int]] = []

    def run() -> None:
        cells = looked_at(len(PAPER_GRID))
        found[:] = [one_cell(PAPER_GRID[negative], PAPER_GRID[positive]) for negative, positive in cells]

    def quality() -> dict[str, float]:
        return dict(zip(QUALITY, np.sum(found, axis=0).astype(float).tolist(), strict=True))

    return Started({"all": run}, quality, CELLS / int(np.load(folder / "searched.npy")))


def product(folder: Path) -> Started:
    import scipy.sparse as sp

    stored = np.load(folder / "cases.npz")
    n = len(stored["positive"])
    matrix = sp.csr_matrix(
        (np.ones(len(stored["tokens"])), stored["tokens"].astype(np.int32), stored["indptr"]), shape=(n, VOCABULARY)
    )
    vector = np.random.default_rng(1).random(VOCABULARY)
    return Started({"all": lambda: matrix @ vector})


TERRAIN = Job(
    "terrain",
    prepare,
    (
        Contestant("priorwise, the whole terrain", ours, "ours"),
        Contestant("NumPy, one pair after the other", numpy_cells, "peer", "numpy"),
        Contestant("SciPy, one product with a vector", product, "limit", "scipy"),
    ),
    quality=dict.fromkeys(QUALITY, "{:,.0f}"),
)
