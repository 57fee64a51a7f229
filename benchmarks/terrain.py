"""The terrain: leave-one-out for 41,209 priors at once."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from measure import arguments, peak_memory, seconds, table, zipf_documents

from priorwise.models.naive_bayes.presence_leave_one_out import PAPER_GRID, Cases, LeaveOneOut
from priorwise.models.naive_bayes.terrain import choose_prior
from priorwise.search import PPV


def training_set(n_documents: int, per_document: int, vocabulary: int) -> Cases:
    random = np.random.default_rng(0)
    indptr, tokens = zipf_documents(random, n_documents, per_document, vocabulary)
    positive = np.arange(n_documents) % 2 == 0
    # A tenth of a member's tokens speak of the category.
    topical = (random.random(len(tokens)) < 0.1) & np.repeat(positive, np.diff(indptr))
    tokens[topical] = vocabulary - 1 - tokens[topical] % (vocabulary // 20)
    matrix = sp.csr_matrix((np.ones(len(tokens)), tokens, indptr), shape=(n_documents, vocabulary))
    matrix.sum_duplicates()
    return Cases.of(matrix.indptr, matrix.indices.astype(np.uint32), positive)


class CellByCell:
    """What a NumPy user would write: counts by subtraction once, then one pair of strengths after the other."""

    def __init__(self, cases: Cases, vocabulary: int) -> None:
        counts = cases.count(vocabulary)
        self.positive = cases.positive
        self.of_case = np.repeat(np.arange(len(cases.positive)), cases.length)
        own = cases.positive[self.of_case]
        self.in_positive = counts.positive[cases.tokens] - own
        self.in_negative = counts.negative[cases.tokens] - ~own
        self.n_positive = counts.n_positive - cases.positive
        self.n_negative = counts.n_negative - ~cases.positive
        known = self.in_positive > 0
        self.of_case, self.in_positive, self.in_negative = (
            each[known] for each in (self.of_case, self.in_positive, self.in_negative)
        )
        self.scored = np.bincount(self.of_case, minlength=len(cases.positive))

    def __call__(self, negative: float, positive: float) -> tuple[int, int]:
        terms = np.log((positive + self.in_positive) / (negative + self.in_negative))
        scores = np.bincount(self.of_case, terms, len(self.positive))
        scores += (1 - self.scored) * np.log((positive + self.n_positive) / (negative + self.n_negative))
        predicted = scores > 1e-9
        return int(np.count_nonzero(predicted & self.positive)), int(np.count_nonzero(predicted & ~self.positive))


def main() -> None:
    options = arguments(__doc__ or "")
    n_documents, per_document, vocabulary = 105_000 // (10 if options.small else 1), 225, 400_000
    rows, product, whole = [], 0.0, 0.0
    for share in (4, 2, 1):
        cases = training_set(n_documents // share, per_document, vocabulary)
        counts = cases.count(vocabulary)
        matrix = sp.csr_matrix(
            (np.ones(len(cases.tokens)), cases.tokens.astype(np.int32), cases.indptr),
            shape=(len(cases.positive), vocabulary),
        )
        vector = np.random.default_rng(1).random(vocabulary)
        product, _ = seconds(lambda matrix=matrix, vector=vector: matrix @ vector, options.repeats)

        def terrain(cases: Cases = cases, counts=counts):
            return LeaveOneOut(cases, counts).predicted_positive()

        whole, spread = seconds(terrain, options.repeats)
        with peak_memory() as peak:
            tp, fp = terrain()
        rows.append(
            [
                f"{len(cases.positive):,} × {per_document}",
                f"{product:.3f}",
                f"{whole:.3f} (spread {spread:.2f})",
                f"{whole / product:.1f}",
                f"{1e6 * whole / len(cases.positive):.2f}",
                f"{peak[0] / 2**20:.0f}",
            ]
        )
    headings = ["documents × tokens", "csr @ vector, s", "terrain, s", "ratio (≤ 150)", "µs/document", "peak MB"]
    table(headings, rows)

    row, column = 25, 6
    one_cell = CellByCell(cases, vocabulary)
    begun, _ = seconds(lambda: one_cell(PAPER_GRID[row], PAPER_GRID[column]), options.repeats)
    assert one_cell(PAPER_GRID[row], PAPER_GRID[column]) == (tp[row, column], fp[row, column])
    radial = choose_prior([LeaveOneOut(cases, counts)], PPV(), grid=PAPER_GRID, search="radial")
    one_by_one = begun * len(radial.trials)
    print()
    table(
        ["nine-start radial search", "seconds"],
        [
            [f"{len(radial.trials):,} cells one by one with NumPy, {begun:.2f} s each", f"{one_by_one:,.0f}"],
            ["the whole terrain, 41,209 cells", f"{whole:.2f}"],
            ["ratio (≥ 100)", f"{one_by_one / whole:,.0f}"],
        ],
    )


if __name__ == "__main__":
    main()
