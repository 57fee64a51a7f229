"""One table of hidden members from the CSV files of `priorwise benchmark hidden -o`.

.venv/bin/python benchmarks/hidden_table.py "20 Newsgroups=ng.csv" "Ohsumed=ohsumed.csv"
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict

import numpy as np
from measure import table

from priorwise.discovery.hidden import BASELINE
from priorwise.ranking.metrics import compare

MEASURE = "ppv@250"


def read(path: str) -> dict[str, dict[str, dict[str, float]]]:
    """Method → label → measure → value."""
    figures: dict[str, dict[str, dict[str, float]]] = defaultdict(dict)
    with open(path, newline="", encoding="utf-8") as file:  # noqa: PTH123
        for row in csv.DictReader(file):
            figures[row["method"]][row["label"]] = {
                key: float(row[key]) for key in ("ppv@50", MEASURE, "average precision")
            }
    return figures


def main() -> None:
    sets = {name: read(path) for name, path in (argument.split("=", 1) for argument in sys.argv[1:])}
    methods = [method for method in next(iter(sets.values())) if all(method in figures for figures in sets.values())]
    pooled = {
        method: np.concatenate([[v[MEASURE] for v in figures[method].values()] for figures in sets.values()])
        for method in methods
    }
    rows = []
    for method in sorted(methods, key=lambda method: -pooled[method].mean()):
        row = [method]
        for figures in sets.values():
            values, base = ([v[MEASURE] for v in figures[name].values()] for name in (method, BASELINE))
            precision = np.mean([v["average precision"] for v in figures[method].values()])
            against = compare(np.array(values), np.array(base))
            row += [
                f"{np.mean(values):.3f}",
                f"{np.mean(values) / np.mean(base):.2f}",
                f"{against.ahead}/{against.behind}",
                f"{precision:.3f}",
            ]
        against = compare(pooled[method], pooled[BASELINE])
        row += [f"{pooled[method].mean() / pooled[BASELINE].mean():.2f}", f"{against.ahead}/{against.behind}"]
        row += [f"{against.t_test:.1g}" if method != BASELINE else ""]
        rows.append(row)
    headings = ["method"]
    for name, figures in sets.items():
        headings += [f"{name} ({len(figures[BASELINE])}): PPV@250", "× Laplace", "ahead/behind", "average precision"]
    table([*headings, "both: × Laplace", "ahead/behind", "p"], rows)


if __name__ == "__main__":
    main()
