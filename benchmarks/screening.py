"""Simulated literature reviews: how early members are found, how many are missing, and when it is safe to stop.

    .venv/bin/python benchmarks/screening.py --data DIR -o screening.runs

DIR holds `reviews/asreview`, `reviews/cohen` and `reviews/clef2017`. Every review starts from one member and one other
document, both drawn at random by the seed. To compare with ASReview by its own code, install it beside priorwise:

    pip install 'asreview>=3' && pip install --no-deps asreview-insights

ASReview's default (ELAS u4) then runs from the same starts, and our metrics are checked against ASReview Insights.
Orders are saved in the folder given by -o: a run that is stopped continues where it was. Settings were chosen on every
other review of each source ("chosen"); the other half ("judged") says how good they are.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from priorwise.corpus import Corpus
from priorwise.discovery import stopping
from priorwise.models.regression.judged_squares import MEMBERS_TO_REJECTED, STRENGTH, JudgedSquares
from priorwise.ranking import screening
from priorwise.ranking.paired import compare
from priorwise.review.simulation import READERS, Machine, Task

WORDS, BIGRAMS, INTERCEPT = 0.7, 0.3, 0.1
"""The prior variances of words, bigrams and the intercept, compared with each other."""

CHECKED_AFTER = (0, 50, 100, 250, 500)
RECALL = CONFIDENCE = 0.95

Review = tuple[list[str], list[str], np.ndarray]


def read_review(path: Path) -> Review:
    """Titles, abstracts, and which records were included."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        if path.name.endswith(".csv.gz"):
            rows = list(csv.DictReader(file))
            labels = [row.get("label_included", row.get("included")) == "1" for row in rows]
            return [row["title"] for row in rows], [row["abstract"] for row in rows], np.array(labels)
        records = [json.loads(line) for line in file]
    name = "included" if path.parent.name == "cohen" else None
    labels = [name in each["labels"] if name else bool(each["labels"]) for each in records]
    return [each["title"] or "" for each in records], [each["text"] or "" for each in records], np.array(labels)


def reviews(data: Path) -> Iterator[tuple[str, bool, Path]]:
    """Name, whether settings were chosen on it, and file of every review."""
    for source, pattern in (("asreview", "*.csv.gz"), ("cohen", "*.jsonl.gz"), ("clef2017", "*.jsonl.gz")):
        for place, path in enumerate(sorted((data / "reviews" / source).glob(pattern))):
            yield f"{source}/{path.name.split('.')[0]}", place % 2 == 0, path


def features(titles: list[str], abstracts: list[str], words: float = WORDS, bigrams: float = BIGRAMS) -> Any:
    """Words and bigrams, each of length 1 and then scaled by its prior, and a constant."""
    from scipy.sparse import csr_matrix, hstack
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [f"{title} {abstract}" for title, abstract in zip(titles, abstracts, strict=True)]
    parts = [
        np.sqrt(variance) * TfidfVectorizer(sublinear_tf=True, max_df=0.95, ngram_range=(n, n)).fit_transform(texts)
        for n, variance in ((1, words), (2, bigrams))
        if variance
    ]
    return hstack([*parts, csr_matrix(np.full((len(texts), 1), np.sqrt(INTERCEPT)))], format="csr")


def start(labels: np.ndarray, seed: int) -> list[int]:
    """One member and one other document."""
    rng = np.random.default_rng(seed)
    return [int(rng.choice(np.flatnonzero(which), 1, replace=False)[0]) for which in (labels, ~labels)]


def ours(review: Review, seed: int, every: float, learner: Any = None) -> tuple[list[int], list[float]]:
    """The order of reading after the start, and the seconds from each verdict to the next ranking.

    The ranking is learned again when `every` times as many verdicts were given: 0 is after each of them.
    """
    titles, abstracts, labels = review
    learner = learner or JudgedSquares(features(titles, abstracts))
    order, seconds, unread = start(labels, seed), [], np.ones(len(labels), bool)
    for row in order:
        learner.judge(row, bool(labels[row]))
        unread[row] = False
    while labels[unread].any():
        begun = time.perf_counter()
        scores = np.where(unread, learner.scores(), -np.inf)
        best = np.argsort(-scores, kind="stable")[: min(max(1, int(every * len(order))), int(unread.sum()))]
        for row in best.tolist():
            learner.judge(row, bool(labels[row]))
        seconds.append(time.perf_counter() - begun)
        unread[best] = False
        order += best.tolist()
    rest = np.flatnonzero(unread)
    order += rest[np.argsort(-learner.scores()[rest], kind="stable")].tolist()
    return order[2:], seconds


def session_order(review: Review, seed: int) -> tuple[list[int], list[float]]:
    """The order of a session, which starts from the model that `discover` finds."""
    titles, abstracts, labels = review
    corpus = Corpus.from_texts([f"{title} {abstract}" for title, abstract in zip(titles, abstracts, strict=True)])
    return list(READERS["priorwise"](Task(corpus, labels, start(labels, seed), seed))), []


PARTS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "words only": {"words": 1.0, "bigrams": 0.0},
    "bigrams only": {"words": 0.0, "bigrams": 1.0},
    "words and bigrams equally": {"words": 0.5, "bigrams": 0.5},
    "members : rejected 1 instead of 15": {"ratio": 1.0},
    "members : rejected 5": {"ratio": 5.0},
    "members : rejected 50": {"ratio": 50.0},
    "strength 0.5 instead of 2": {"strength": 0.5},
    "strength 8": {"strength": 8.0},
    "squared hinge instead of squares": {"hinge": True},
}


def part(
    review: Review, *, words: float = WORDS, bigrams: float = BIGRAMS, hinge: bool = False, **settings: Any
) -> Any:
    """Our learner with one thing changed."""
    X = features(*review[:2], words, bigrams)
    if not hinge:
        return JudgedSquares(X, **settings)
    from sklearn.svm import LinearSVC

    return Machine(X, LinearSVC(C=1 / (2 * STRENGTH), fit_intercept=False), MEMBERS_TO_REJECTED)


def print_parts(data: Path, output: Path, seeds: int) -> None:
    """What each part contributes, on the reviews that settings were chosen on."""
    print("| change | WSS@95 | ATD |\n|---|---|---|")
    for number, (name, changes) in enumerate(PARTS.items()):
        found = []
        for review_name, chosen, path in reviews(data):
            for seed in range(seeds if chosen else 0):
                review = read_review(path)
                own = output / f"part_{number}_{review_name.replace('/', '_')}_{seed}.json"
                order, _ = saved(own, lambda r=review, s=seed, c=changes: ours(r, s, 0.05, part(r, **c)))
                metrics = screening.screening_metrics(review[2][order])
                found.append((metrics.wss_95, metrics.average_discovery / metrics.documents))
        wss, atd = np.mean(found, axis=0)
        print(f"| {name} | {wss:.4f} | {atd:.4f} |", flush=True)


def asreview(review: Review, seed: int) -> tuple[list[int], list[float]]:
    """The same by ASReview's own code, learned after each verdict."""
    import pandas as pd
    from asreview.learner import ActiveLearningCycle
    from asreview.models.models import get_ai_config
    from asreview.simulation.simulate import Simulate

    titles, abstracts, labels = review
    cycle = ActiveLearningCycle.from_meta(get_ai_config("elas_u4")["value"])
    table = pd.DataFrame({"title": titles, "abstract": abstracts})
    simulation = Simulate(table, pd.Series(labels.astype(int)), [cycle], print_progress=False)
    simulation.label(start(labels, seed))
    simulation.review()
    order = [int(row) for row in simulation._results["record_id"]]
    return (order + np.setdiff1d(np.arange(len(labels)), order).tolist())[2:], []


def saved(path: Path, work: Callable[[], tuple[list[int], list[float]]]) -> tuple[np.ndarray, list[float]]:
    """An order from an earlier run, or a new one."""
    if not path.exists():
        order, seconds = work()
        path.write_text(json.dumps({"order": order, "seconds": [round(each, 5) for each in seconds]}))
    kept = json.loads(path.read_text())
    return np.array(kept["order"]), kept["seconds"]


def check_metrics(verdicts: np.ndarray) -> None:
    """Compare our metrics with ASReview's and ASReview Insights' own."""
    import asreview as package
    from asreview.metrics import loss

    # Insights 1.6 imports this name, which ASReview 3 no longer has. The functions used here do not need it.
    vars(package).setdefault("open_state", None)
    from asreviewcontrib.insights import algorithms, metrics

    labels = verdicts.astype(int).tolist()
    found = metrics._time_to_discovery(list(range(len(labels))), labels)
    pairs = [
        (screening.screening_loss(verdicts), loss(labels)),
        (screening.screening_loss(verdicts), algorithms._loss_value(labels)),
        (screening.recall_after_share(verdicts, 0.1), metrics._recall(labels, 0.1)),
        (screening.work_saved_over_random(verdicts, 0.95), metrics._wss(labels, 0.95)),
        (screening.work_saved_over_random(verdicts, 1.0), metrics._wss(labels, 1.0)),
        (screening.average_discovery(verdicts), metrics._average_time_to_discovery(found)),
    ]
    for ours_, theirs in pairs:
        if abs(ours_ - theirs) > 1e-9:
            raise SystemExit(f"A metric differs from ASReview's: {ours_} and {theirs}.")


def stops(verdicts: np.ndarray, rule: Callable[[np.ndarray], bool], step: int) -> int:
    """After how many documents a rule stops; it is asked every `step` documents."""
    return next((read for read in range(step, len(verdicts), step) if rule(verdicts[:read])), len(verdicts))


def certificate(verdicts: np.ndarray) -> dict[str, tuple[float, float]]:
    """The share of documents read, and the recall, when each rule stops."""
    n, step = len(verdicts), max(1, len(verdicts) // 100)

    def by_model(seen: np.ndarray) -> bool:
        missing = stopping.unfound_members(seen, n)
        return stopping.may_stop(missing, recall=RECALL, confidence=CONFIDENCE).safe

    def hypergeometric(seen: np.ndarray) -> bool:
        return bool(seen.any()) and stopping.hypergeometric_p_value(seen, n, recall=RECALL) < 1 - CONFIDENCE

    result = {}
    for name, rule in (("certificate", by_model), ("hypergeometric", hypergeometric)):
        read = stops(verdicts, rule, step)
        result[name] = (read / n, float(verdicts[:read].sum() / verdicts.sum()))
    return result


def intervals(verdicts: np.ndarray) -> dict[int, bool]:
    """Whether the 80% interval of the missing members holds, by number of verdicts."""
    held = {}
    for read in (each for each in CHECKED_AFTER if each < len(verdicts)):
        missing = stopping.unfound_members(verdicts[:read], len(verdicts))
        held[read] = missing.low <= int(verdicts[read:].sum()) <= missing.high
    return held


def print_rankers(rows: list[dict[str, Any]]) -> None:
    """Our ranker and ASReview's, by part of the reviews."""
    names = sorted({row["name"] for row in rows})
    print("| reviews | metric | priorwise | ASReview u4 | difference | ahead : behind | p (t) | p (Wilcoxon) |")
    print("|---|---|---|---|---|---|---|---|")
    parts: dict[str, Callable[[dict[str, Any]], bool]] = {
        "the four": lambda row: row["name"].startswith("asreview"),
        "chosen": lambda row: row["chosen"],
        "judged": lambda row: not row["chosen"],
        "all": lambda row: True,
    }
    for part, belongs in parts.items():
        for metric in ("WSS@95", "ATD"):
            paired = []
            for name in names:
                own = [row for row in rows if row["name"] == name and belongs(row) and "u4" in row]
                if own:
                    paired.append([np.mean([row[key][metric] for row in own]) for key in ("ours", "u4")])
            if paired:
                a, b = np.array(paired).T
                test = compare(a, b)
                means = f"{a.mean():.4f} | {b.mean():.4f} | {test.difference:+.4f} | {test.ahead} : {test.behind}"
                print(f"| {part} | {metric} | {means} | {test.t_test:.3f} | {test.wilcoxon:.3f} |")
            else:
                mean = np.mean([row["ours"][metric] for row in rows if belongs(row)])
                print(f"| {part} | {metric} | {mean:.4f} | not installed | | | | |")


def print_stopping(rows: list[dict[str, Any]], key: str) -> None:
    """Work saved and recall of both rules, and how often intervals hold."""
    print(f"\n{key}: | reviews | runs | rule | work saved | runs that stop early | recall reached in |")
    for part, belongs in (("chosen", True), ("judged", False), ("all", None)):
        own = [row for row in rows if key in row and belongs in (None, row["chosen"])]
        if not own:
            continue
        for rule in ("certificate", "hypergeometric"):
            read, recall = np.array([row[key]["stop"][rule] for row in own]).T
            early = read < 1
            reached = f"{np.mean(recall[early] >= RECALL):.1%}" if early.any() else "–"
            print(f"| {part} | {len(own)} | {rule} | {1 - read.mean():.3f} | {early.mean():.0%} | {reached} |")
        held = {after: [row[key]["held"][after] for row in own if after in row[key]["held"]] for after in CHECKED_AFTER}
        print(f"| {part} | 80% interval holds | {', '.join(f'{a}: {np.mean(h):.0%}' for a, h in held.items())} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, default=Path("screening.runs"))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--asreview-seeds", type=int, default=3, help="ASReview is slower: only so many seeds.")
    parser.add_argument("--every", type=float, default=0.0, help="Learn again after this share of new verdicts.")
    parser.add_argument(
        "--ranker", choices=["squares", "session"], default="squares", help="From verdicts alone, or as in a session."
    )
    parser.add_argument("--parts", type=int, default=0, help="Also what each part contributes, with so many seeds.")
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    if args.parts:
        print_parts(args.data, args.output, args.parts)
        print()
    installed = find_spec("asreview") is not None
    rows, seconds = [], []
    for seed in range(args.seeds):
        for name, chosen, path in reviews(args.data):
            review = read_review(path)
            labels, stem = review[2], f"{name.replace('/', '_')}_{seed}"
            if args.ranker == "session":
                own = args.output / f"session_{stem}.json"
                order, took = saved(own, lambda review=review, seed=seed: session_order(review, seed))
            else:
                own = args.output / f"priorwise_{args.every}_{stem}.json"
                order, took = saved(own, lambda review=review, seed=seed: ours(review, seed, args.every))
            seconds += took
            orders = {"ours": order}
            theirs = args.output / f"u4_{stem}.json"
            if theirs.exists() or (installed and seed < args.asreview_seeds):
                orders["u4"], _ = saved(theirs, lambda review=review, seed=seed: asreview(review, seed))
            row: dict[str, Any] = {"name": name, "seed": seed, "chosen": chosen}
            for key, each in orders.items():
                verdicts = labels[each]
                found = screening.screening_metrics(verdicts)
                row[key] = {"WSS@95": found.wss_95, "ATD": found.average_discovery / found.documents}
                row[key] |= {"stop": certificate(verdicts), "held": intervals(verdicts)}
            if find_spec("asreviewcontrib"):
                check_metrics(labels[order])
            rows.append(row)
    if not rows:
        return
    print_rankers(rows)
    print_stopping(rows, "ours")
    print_stopping(rows, "u4")
    if seconds and not args.every:
        print(f"\nVerdict to next ranking: median {np.median(seconds):.4f} s, 99% {np.quantile(seconds, 0.99):.4f} s")
    if not installed:
        print("\nASReview is not installed: pip install 'asreview>=3' && pip install --no-deps asreview-insights")


if __name__ == "__main__":
    main()
