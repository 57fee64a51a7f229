"""How reading a corpus and discovering members grow with the number of documents, beside a scikit-learn pipeline.

    .venv/bin/python benchmarks/growth_discover.py --picture docs/_static/growth-discover.png

From a JSONL file of made-up articles to a ranking of all of them; a category of 400 members, of which half are known.
Processor time of all threads together, so that a busy machine changes little; memory is all that a process and its
children have of their own.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from measure import table, zipf_tokens

from contest import Contestant, Job, Settings, Started, Work
from growth_picture import Panel, draw
from race import race, serve

DOCUMENTS = (12_500, 25_000, 50_000, 100_000, 200_000)
VOCABULARY, MEMBERS, KNOWN = 400_000, 400, 200
CATEGORY = "wanted"
PIPELINE = "scikit-learn: TfidfVectorizer, LinearSVC"
FOUND = "hidden members in the first 200"


def prepare(n_documents: int, folder: Path) -> None:
    """Write articles of some 150 words, words as frequent as in text; a tenth of a member's come from 300 of them."""
    random = np.random.default_rng(0)
    words = np.array([f"w{number:06x}" for number in range(VOCABULARY)], dtype=object)
    member = np.zeros(n_documents, dtype=bool)
    member[random.choice(n_documents, MEMBERS, replace=False)] = True
    known = np.isin(np.arange(n_documents), random.choice(np.flatnonzero(member), KNOWN, replace=False))
    np.save(folder / "hidden.npy", np.flatnonzero(member & ~known))
    with (folder / "articles.jsonl").open("w") as file:
        for number in range(n_documents):
            tokens = zipf_tokens(random, int(random.lognormal(4.8, 0.6)) + 10, VOCABULARY)
            if member[number]:
                topical = random.random(len(tokens)) < 0.1
                tokens[topical] = 5000 + 7 * random.integers(0, 300, topical.sum())
            labels = [CATEGORY] if known[number] else []
            article = {
                "id": str(number),
                "title": f"article {number}",
                "text": " ".join(words[tokens]),
                "labels": labels,
            }
            file.write(json.dumps(article) + "\n")


def share_found(folder: Path, first: np.ndarray) -> dict[str, float]:
    return {FOUND: float(np.mean(np.isin(np.load(folder / "hidden.npy"), first)))}


def ours(folder: Path) -> Started:
    import priorwise as pw

    warm = pw.Corpus.from_texts(["a b", "a c", "b d", "c d"] * 40, labels=["x", "x", None, None] * 40)
    pw.discover(warm, "x")  # loads compiled code
    found: dict[str, Any] = {}

    def read() -> None:
        path = folder / "articles.corpus"
        pw.ingest(pw.RecordReader([folder / "articles.jsonl"]), path, overwrite=True)
        found["corpus"] = pw.Corpus.open(path)

    def discover() -> None:
        found["run"] = pw.discover(found["corpus"], CATEGORY)

    def quality() -> dict[str, float]:
        return share_found(folder, np.array(found["run"].ranking.ids[: MEMBERS - KNOWN], dtype=int))

    return Started({"read": read, "discover": discover}, quality)


def pipeline(folder: Path) -> Started:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.svm import LinearSVC

    found: dict[str, Any] = {}

    def read() -> None:
        with (folder / "articles.jsonl").open() as lines:
            articles = [json.loads(line) for line in lines]
        found["known"] = np.array([CATEGORY in article["labels"] for article in articles])
        found["X"] = TfidfVectorizer(sublinear_tf=True).fit_transform(article["text"] for article in articles)

    def discover() -> None:
        scores = LinearSVC().fit(found["X"], found["known"]).decision_function(found["X"])
        found["first"] = np.argsort(-np.where(found["known"], -np.inf, scores))[: MEMBERS - KNOWN]

    return Started({"read": read, "discover": discover}, lambda: share_found(folder, found["first"]))


def nothing_left(folder: Path, settings: Settings) -> Work:
    """The articles are written for each size."""
    return Work("read articles and rank them for a category")


JOB = Job(
    "discover",
    nothing_left,
    (Contestant("priorwise", ours, "ours"), Contestant(PIPELINE, pipeline, "peer", "scikit-learn")),
    ("read", "discover"),
    {FOUND: "{:.0%}"},
)


def measure(n_documents: int, scratch: Path, repeats: int) -> dict[str, dict[str, float]]:
    """Figures of each contestant: the least time of its runs, the most memory."""
    folder = scratch / str(n_documents)
    folder.mkdir(parents=True)
    prepare(n_documents, folder)
    records: dict[str, dict[str, Any]] = {each.name: {"runs": {}} for each in JOB.contestants}
    race(
        JOB,
        folder,
        [sys.executable, __file__, "--scratch", str(folder), "--contestant"],
        records,
        repeats,
        lambda: None,
    )
    figures = {}
    for name, record in records.items():
        if "failed" in record:
            raise SystemExit(f"{name} failed: {record['failed']}")
        runs = record["runs"]
        figures[name] = {step: min(run["processor"] for run in runs[step]) for step in JOB.steps}
        figures[name]["memory"] = max(run["memory"] for step in JOB.steps for run in runs[step])
        figures[name] |= record["quality"]
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a tenth of the documents")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--picture", type=Path, help="where to draw it")
    parser.add_argument("--scratch", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--contestant", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contestant:
        serve(JOB.contestant(options.contestant[1]), options.scratch)
        return
    found: dict[int, dict[str, dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for n_documents in DOCUMENTS:
            size = Settings(options.small).size(n_documents)
            found[size] = measure(size, Path(scratch), options.repeats)
    measures = {"read": "read, s", "discover": "discover, s", "memory": "memory, MB"}
    names = [each.name for each in JOB.contestants]
    headings = [f"{title}, {name.split(':')[0]}" for title in (*measures.values(), FOUND) for name in names]
    forms = dict.fromkeys(JOB.steps, "{:.1f}") | {"memory": "{:,.0f}"} | JOB.quality
    table(
        ["documents", *headings],
        [
            [f"{size:,}", *(form.format(figures[name][of]) for of, form in forms.items() for name in names)]
            for size, figures in found.items()
        ],
    )
    if options.picture:
        panels = [
            Panel(title, {name: [(size, figures[name][of]) for size, figures in found.items()] for name in names})
            for of, title in measures.items()
        ]
        draw([("documents", panels)], "From a file of articles to a ranking for one category", options.picture)


if __name__ == "__main__":
    main()
