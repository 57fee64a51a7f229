"""The default of `discover` against scikit-learn's linear models, by the number of members that are known.

.venv/bin/python benchmarks/discovery_study.py ohsumed.corpus medline.corpus -o study.csv

Categories are split in two halves by a hash of their names: the default was chosen on one (`--half first`), the other
says how good it is. Of each half, categories are taken evenly over their sizes. Every peer's C is fixed, and the table
shows the peer that is best on that corpus *afterwards*: more than any tuning by cross-validation can reach.
A run that is stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import time
from pathlib import Path

import numpy as np
from measure import table

from priorwise.corpus import Corpus
from priorwise.discovery.hidden import Auto, Method, split_members
from priorwise.discovery.peers import LinearPeer
from priorwise.ranking.metrics import average_precision, ppv_at
from priorwise.ranking.paired import compare

COLUMNS = ["corpus", "known", "label", "method", "hidden", "k", "ppv", "average precision", "seconds"]
OURS = "auto"


def methods() -> list[Method]:
    """The default and the strongest settings of the peers."""
    return [
        Auto(),
        Auto(named=False),
        LinearPeer("logistic", "all"),
        LinearPeer("logistic", "all", C=10.0),
        LinearPeer("logistic", "bagged", C=10.0),
        LinearPeer("svm", "all", C=0.1),
        LinearPeer("svm", "bagged"),
    ]


def categories(corpus: Corpus, known: int | None, half: str, most: int) -> list[str]:
    """Names of categories, evenly over their sizes: at least twice as many members as are known, and 20."""
    sizes = corpus.label_sizes()
    fewest = max(20, 2 * (known or 0))
    pairs = zip(sizes["documents"].to_pylist(), sizes["label"].to_pylist(), strict=True)
    large = sorted((size, label) for size, label in pairs if fewest <= size < 0.6 * corpus.n_documents)
    if len(large) > most:
        large = [each for each in large if (_hash(each[1]) % 2 == 0) == (half == "first")]
    places = np.unique(np.linspace(0, len(large) - 1, min(most, len(large))).round().astype(int))
    return [large[place][1] for place in places]


def _hash(label: str) -> int:
    return int(hashlib.md5(label.encode(), usedforsecurity=False).hexdigest(), 16)


def study(path: Path, known: int | None, half: str, most: int, done: set[tuple[str, ...]], write: csv.writer) -> None:  # type: ignore[valid-type]
    """Every method on every category, a row as each comes."""
    corpus = Corpus.open(path)
    for label in categories(corpus, known, half, most):
        shown, hidden = split_members(corpus, label, hide=0.5, keep=known, seed=0)
        candidates = np.setdiff1d(np.arange(corpus.n_documents), shown)
        k = 250 if len(hidden) >= 250 else 50
        for method in methods():
            key = (path.stem, str(known or "half"), label, method.name)
            if key in done:
                continue
            begun = time.perf_counter()
            scores = method.scores(corpus, shown, label)[candidates]
            seconds = time.perf_counter() - begun
            relevant = np.isin(candidates, hidden)[np.argsort(-scores, kind="stable")]
            figures = [len(hidden), k, ppv_at(relevant, k), average_precision(relevant), round(seconds, 2)]
            write.writerow([*key, *figures])  # type: ignore[attr-defined]


def summary(rows: list[dict[str, str]]) -> None:
    """A line for each corpus and number of known members: ours, the best peer, and the paired tests."""
    lines = []
    for corpus, known in dict.fromkeys((row["corpus"], row["known"]) for row in rows):
        line = [corpus, known]
        for measure in ("ppv", "average precision"):
            values: dict[str, list[float]] = {}
            for row in rows:
                if (row["corpus"], row["known"]) == (corpus, known):
                    values.setdefault(row["method"], []).append(float(row[measure]))
            peers = {name: np.mean(each) for name, each in values.items() if not name.startswith(OURS)}
            best = max(peers, key=lambda name: peers[name])
            against = compare(np.array(values[OURS]), np.array(values[best]))
            line += [
                str(len(values[OURS])),
                f"{np.mean(values[OURS]):.3f}",
                f"{np.mean(values[f'{OURS}, without the name']):.3f}",
                f"{peers[best]:.3f} ({best})",
                f"{against.ahead}/{against.behind}",
                f"{against.wilcoxon:.2g}",
            ]
        lines.append([*line[:8], *line[9:]])
    headings = ["PPV@50 or @250", "without the name", "best peer", "ahead/behind", "p"]
    table(["corpus", "known", "categories", *headings, "average precision", *headings[1:]], lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--known", default="5,20,100,half")
    parser.add_argument("--half", choices=["first", "second"], default="second")
    parser.add_argument("--most", type=int, default=10, help="How many categories of each corpus.")
    parser.add_argument("-o", "--output", type=Path, required=True)
    chosen = parser.parse_args()
    if not chosen.output.exists():
        chosen.output.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    with chosen.output.open(newline="", encoding="utf-8") as file:
        done = {tuple(row[name] for name in COLUMNS[:4]) for row in csv.DictReader(file)}
    with chosen.output.open("a", newline="", encoding="utf-8", buffering=1) as file:
        for known in chosen.known.split(","):
            for path in chosen.corpora:
                number = None if known == "half" else int(known)
                study(path, number, chosen.half, chosen.most, done, csv.writer(file))
    with chosen.output.open(newline="", encoding="utf-8") as file:
        summary(list(csv.DictReader(file)))


if __name__ == "__main__":
    main()
