"""The tables of the knowledge paper, ours beside the published, and whether knowledge gains what it gained there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorwise.papers.bernoulli_cells import Outcome
from priorwise.papers.knowledge_published import KINDS, METHODS, SETS, printed
from priorwise.papers.table import Cell, Table, Value

ALLOWED = 2.0
"""By how many points macro F1 on all training documents may fall short of the published."""

STANDS_FOR = {
    "places": "The published figures are those of RCV1's regions, another collection: read gains, not levels.",
    "medline": "The published figures are those of the Bio Articles, another collection: read gains, not levels.",
}


@dataclass(frozen=True)
class Layout:
    """What was found, as tables.

    Parameters
    ----------
    cells : mapping of (part, training set, classifier, draw) to list of dict
        What `judge` gave for each category.
    true : mapping of str to sequence of int
        How many test documents each category of a part has.
    titles : mapping of str to str
        What the parts are called.
    """

    cells: Mapping[tuple[str, str, str, int], Sequence[dict[str, Any]]]
    true: Mapping[str, Sequence[int]]
    titles: Mapping[str, str]

    def draws(self, part: str, training: str, kind: str, method: str) -> list[float]:
        """Macro F1 in per cent of each draw."""
        found = []
        for (a, b, c, _), judged in self.cells.items():
            if (a, b, c) == (part, training, kind):
                counts = [np.array([one[method][what] for one in judged], dtype=float) for what in ("found", "decided")]
                outcome = Outcome(counts[0], counts[1], np.asarray(self.true[part], dtype=float))
                found.append(100 * outcome.macro()[-1])
        return found

    def macro(self, part: str, training: str, kind: str, method: str) -> float:
        """Its mean over the draws."""
        return float(np.mean(self.draws(part, training, kind, method)))

    def parts(self) -> tuple[Table | str, ...]:
        """For each collection its four tables and what was gained."""
        shown: list[Table | str] = []
        for part, title in self.titles.items():
            shown.append(f"## {title}")
            sets = [training for training in SETS if (part, training, KINDS[-1], 0) in self.cells]
            shown += [self._table(part, training) for training in sets]
            shown.append(self._gains(part, [training for training in sets if training != "all"]))
            if part == "modapte" and "all" in sets:
                shown.append(self._all())
        return tuple(shown)

    def _table(self, part: str, training: str) -> Table:
        rows = [(method, [self._cell(part, training, kind, method) for kind in KINDS]) for method in METHODS]
        return Table.of(SETS[training], ["method", *KINDS], rows, digits=1, note=STANDS_FOR.get(part, ""))

    def _cell(self, part: str, training: str, kind: str, method: str) -> Cell:
        published = printed(part, training, kind, method)
        if kind == "SVM" and published is None:
            return Cell()
        draws = self.draws(part, training, kind, method)
        mean = float(np.mean(draws))
        if len(draws) == 1:
            return Cell(mean, published)
        return Cell(f"{mean:.1f} ± {float(np.std(draws, ddof=1)):.1f}", published)

    def gains(self, part: str, training: str, kind: str, method: str) -> list[float]:
        """How many points a method adds to No DK in each draw."""
        pairs = [self.draws(part, training, kind, name) for name in (method, "No DK")]
        return [ours - without for ours, without in zip(*pairs, strict=True)]

    def _gains(self, part: str, sets: Sequence[str]) -> Table:
        rows: list[tuple[str, list[Cell | Value]]] = []
        for training in sets:
            for kind in KINDS[1:]:
                for method in ("Var/TFIDF", "Mode/TFIDF"):
                    gains = self.gains(part, training, kind, method)
                    ours, spread = float(np.mean(gains)), float(np.std(gains, ddof=1)) if len(gains) > 1 else 0.0
                    with_, without = (printed(part, training, kind, name) or 0.0 for name in (method, "No DK"))
                    theirs = with_ - without
                    reached = "yes" if ours >= theirs else "within the spread" if ours + spread >= theirs else "no"
                    above = self.macro(part, training, kind, method) - with_
                    rows.append((f"{training}, {kind}, {method}", [Cell(ours, theirs), spread, reached, above]))
        return Table.of(
            "What knowledge adds to No DK on small training sets",
            ["", "gain in points", "± from draw to draw", "reached", "macro F1 above the published"],
            rows,
            digits=1,
        )

    def _all(self) -> Table:
        rows: list[tuple[str, list[Cell | Value]]] = []
        for kind in KINDS[1:]:
            for method in METHODS:
                ours, theirs = (
                    self.macro("modapte", "all", kind, method),
                    printed("modapte", "all", kind, method) or 0.0,
                )
                rows.append((f"{kind}, {method}", [Cell(ours, theirs), "yes" if ours >= theirs - ALLOWED else "no"]))
        return Table.of(
            "Macro F1 on all training documents", ["", "macro F1", "at least the published less 2"], rows, digits=1
        )
