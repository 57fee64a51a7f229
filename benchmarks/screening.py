"""Simulated literature reviews: how early members are found, how many are missing, and when it is safe to stop.

    .venv/bin/python benchmarks/screening.py --data DIR -o screening.runs --corpora reuters.corpus ohsumed.corpus

DIR holds `reviews/asreview`, `reviews/cohen` and `reviews/clef2017`. Every review starts from one member and one other
document, both drawn at random by the seed. To compare with ASReview by its own code, install it beside priorwise:

    pip install 'asreview>=3' && pip install --no-deps asreview-insights

ASReview's default (ELAS u4) then runs from the same starts, and our metrics are checked against ASReview Insights. Both
learn again after the same numbers of verdicts (`--every`). Orders are saved in the folder given by -o: a run that is
stopped continues where it was. Settings were chosen on every other review of each source, and on every other category
of a corpus ("chosen"); the other half ("judged") says how good they are.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import time
import zlib
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import priorwise as pw
from priorwise.corpus import Corpus
from priorwise.discovery import stopping
from priorwise.features.document_vectors import WordCovariance, document_vectors
from priorwise.models.regression.judged_squares import USUAL_RATIO, JudgedSquares
from priorwise.ranking import metrics as screening
from priorwise.ranking.metrics import average_precision, compare
from priorwise.review.session import STRENGTH, TOGETHER, with_constant
from priorwise.review.simulation import READERS, Machine, Task

CHECKED_AFTER = (50, 100, 250, 500)
CATEGORIES, SMALLEST = 10, 15
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


def features(titles: list[str], abstracts: list[str], bigrams: float = 0.0) -> Any:
    """Words, and bigrams with a share of the prior variance, as scikit-learn reads them."""
    from scipy.sparse import hstack
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [f"{title} {abstract}" for title, abstract in zip(titles, abstracts, strict=True)]
    parts = [
        np.sqrt(variance) * TfidfVectorizer(sublinear_tf=True, max_df=0.95, ngram_range=(n, n)).fit_transform(texts)
        for n, variance in ((1, 1.0 - bigrams), (2, bigrams))
        if variance
    ]
    return hstack(parts, format="csr")


def learner_of(X: Any, together: float = TOGETHER, **settings: Any) -> JudgedSquares:
    """The model of a session with a centre of 0: it learns from verdicts alone."""
    covariance = WordCovariance(X, together) if together else None
    return JudgedSquares(with_constant(X), **{"strength": STRENGTH, **settings}, covariance=covariance)


def start(labels: np.ndarray, seed: int) -> list[int]:
    """One member and one other document."""
    rng = np.random.default_rng(seed)
    return [int(rng.choice(np.flatnonzero(which), 1, replace=False)[0]) for which in (labels, ~labels)]


def ours(review: Review, seed: int, every: float, learner: Any = None) -> tuple[list[int], list[float]]:
    """The order of reading after the start, and the seconds from each verdict to the next ranking.

    The ranking is learned again when `every` times as many verdicts were given: 0 is after each of them.
    """
    titles, abstracts, labels = review
    learner = learner or learner_of(features(titles, abstracts))
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


def session_order(review: Review, seed: int, about: str | None = None) -> tuple[list[int], list[float]]:
    """The order of a session, which starts from the model that `discover` finds, here from a member or a title."""
    titles, abstracts, labels = review
    corpus = Corpus.from_texts([f"{title} {abstract}" for title, abstract in zip(titles, abstracts, strict=True)])
    known = start(labels, seed)[1:] if about else start(labels, seed)
    order, left = [], int(labels.sum() - labels[known].sum())
    for row in READERS["priorwise"](Task(corpus, labels, known, seed, about)):
        order.append(row)
        left -= int(labels[row])
        if not left:
            break
    return order + np.setdiff1d(np.arange(len(labels)), order + known).tolist(), []


PARTS: dict[str, dict[str, Any]] = {
    "as it is: words that occur together share .8, weight of rejected documents learned, strength 2": {},
    "words independent": {"together": 0.0},
    "words that occur together share .5": {"together": 0.5},
    "words that occur together share .95": {"together": 0.95},
    "and bigrams, .3 of the variance": {"bigrams": 0.3},
    "bigrams, words independent": {"bigrams": 0.3, "together": 0.0},
    "members : rejected 5": {"ratio": 5.0},
    "members : rejected 15": {"ratio": 15.0},
    "members : rejected 45": {"ratio": 45.0},
    "strength 1": {"strength": 1.0},
    "strength 4": {"strength": 4.0},
    "squared hinge, words independent": {"hinge": True},
}


def part(review: Review, *, bigrams: float = 0.0, hinge: bool = False, **settings: Any) -> Any:
    """Our learner with one thing changed."""
    X = features(*review[:2], bigrams)
    if not hinge:
        return learner_of(X, **settings)
    from sklearn.svm import LinearSVC

    return Machine(with_constant(X), LinearSVC(C=1 / (2 * STRENGTH), fit_intercept=False), USUAL_RATIO)


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


def asreview(review: Review, seed: int, every: float) -> tuple[list[int], list[float]]:
    """The same by ASReview's own code."""
    import pandas as pd
    from asreview.learner import ActiveLearningCycle
    from asreview.models.models import get_ai_config
    from asreview.simulation.simulate import Simulate

    titles, abstracts, labels = review
    cycle = ActiveLearningCycle.from_meta(get_ai_config("elas_u4")["value"])
    cycle.n_query = lambda results: max(1, int(every * len(results)))
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
    n, step = len(verdicts), max(1, len(verdicts) // 40)

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


def category_orders(path: Path) -> Iterator[tuple[str, bool, int, np.ndarray]]:
    """Ten categories of a corpus, read from 1 and from 20 members: name, whether chosen, documents, verdicts."""
    corpus = Corpus.open(path)
    n = corpus.n_documents
    X = document_vectors(corpus, np.arange(n))
    names = sorted(corpus.label_names(np.arange(corpus.n_labels)), key=lambda name: zlib.crc32(name.encode()))
    fitting = (name for name in names if SMALLEST <= len(corpus.members(name)) <= n // 3)
    for number, name in zip(range(CATEGORIES), fitting, strict=False):
        labels = np.zeros(n, bool)
        labels[corpus.members(name)] = True
        for known in (1, 20):
            if labels.sum() < known + 10:
                continue
            rng = np.random.default_rng([0, known])
            begun = [*rng.permutation(np.flatnonzero(labels))[:known], rng.choice(np.flatnonzero(~labels))]
            learner, unread, verdicts = learner_of(X), np.ones(n, bool), []
            for row in begun:
                learner.judge(int(row), bool(labels[row]))
            unread[begun] = False
            while len(verdicts) <= CHECKED_AFTER[-1]:
                scores = np.where(unread, learner.scores(), -np.inf)
                for row in np.argsort(-scores, kind="stable")[: max(1, int(0.05 * len(verdicts)))].tolist():
                    learner.judge(row, bool(labels[row]))
                    unread[row] = False
                    verdicts.append(bool(labels[row]))
            seen = np.array(verdicts + [True] * int(labels[unread].sum()))
            whole = np.zeros(n - len(begun), bool)
            whole[: len(seen)] = seen
            yield f"{path.stem} {name} {known}", number % 2 == 0, len(whole), whole


def print_categories(paths: list[Path]) -> None:
    """How often the 80% interval holds in categories of corpora."""
    rows = [(path.stem, chosen, intervals(whole)) for path in paths for _, chosen, _, whole in category_orders(path)]
    print("\n80% interval in categories: | corpus | starts | after 50, 100, 250, 500 verdicts |")
    groups = [(name, lambda row, name=name: row[0] == name) for name in dict.fromkeys(row[0] for row in rows)]
    groups += [("judged half", lambda row: not row[1]), ("all", lambda row: True)]
    for name, belongs in groups:
        own = [held for *row, held in rows if belongs(row)]
        shares = [f"{np.mean([held[after] for held in own if after in held]):.0%}" for after in CHECKED_AFTER]
        print(f"| {name} | {len(own)} | {', '.join(shares)} |")


def print_titles(data: Path, output: Path) -> None:
    """The topics of CLEF 2017 from their titles alone."""
    found = []
    for name, _, path in reviews(data):
        if name.startswith("clef2017"):
            review = read_review(path)
            about = json.loads(path.with_name(f"{path.name.split('.')[0]}.topic.json").read_text())["title"]
            own = output / f"title_{name.replace('/', '_')}.json"
            order, _ = saved(own, lambda review=review, about=about: session_order(review, 0, about))
            verdicts = review[2][order]
            found.append((average_precision(verdicts), screening.screening_metrics(verdicts).wss_95))
    precision, wss = np.mean(found, axis=0)
    print(f"\nCLEF 2017 from the title: average precision {precision:.3f}, WSS@95 {wss:.3f}")


def print_latency(data: Path, sizes: tuple[int, ...] = (5_000, 100_000), verdicts: int = 200) -> None:
    """Processor time from a verdict to the next ranking, in a session on the records of all reviews."""
    records = [read_review(path) for _, _, path in reviews(data)]
    texts = [
        f"{title} {abstract}"
        for titles, abstracts, _ in records
        for title, abstract in zip(titles, abstracts, strict=True)
    ]
    truth = np.concatenate([labels for _, _, labels in records])
    rng = np.random.default_rng(0)
    order = np.concatenate([rng.permutation(len(texts)) for _ in range(max(sizes) // len(texts) + 1)])
    for size in sizes:
        # Beyond the number of records they come again with a fifth of their words missing.
        own = [" ".join(word for word in texts[row].split()[:80] if rng.random() < 0.8) for row in order[:size]]
        corpus = Corpus.from_texts(own)
        session = pw.Session(corpus, members=corpus.ids(np.flatnonzero(truth[order[:size]])[:5]))
        took = []
        for _ in range(verdicts):
            document = session.next(1)[0]
            begun = time.process_time()
            session.judge(document.id, "yes" if truth[order[int(document.id)]] else "no")
            session.next(1)
            took.append(time.process_time() - begun)
        print(
            f"{size:,} documents: median {np.median(took):.3f} s, 99% {np.quantile(took, 0.99):.3f} s of processor time"
        )


def print_rankers(rows: list[dict[str, Any]], ranker: str) -> None:
    """One of our rankers and ASReview's, by part of the reviews."""
    rows = [row for row in rows if ranker in row]
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
                    paired.append([np.mean([row[key][metric] for row in own]) for key in (ranker, "u4")])
            if paired:
                a, b = np.array(paired).T
                test = compare(a, b)
                means = f"{a.mean():.4f} | {b.mean():.4f} | {test.difference:+.4f} | {test.ahead} : {test.behind}"
                print(f"| {part} | {metric} | {means} | {test.t_test:.3f} | {test.wilcoxon:.3f} |")
            else:
                mean = np.mean([row[ranker][metric] for row in rows if belongs(row)])
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
    parser.add_argument("--every", type=float, default=0.03, help="Learn again after this share of new verdicts.")
    parser.add_argument("--session-seeds", type=int, default=1, help="Sessions, which learn after every verdict.")
    parser.add_argument("--corpora", type=Path, nargs="*", default=[], help="Corpora with categories, for intervals.")
    parser.add_argument("--parts", type=int, default=0, help="Also what each part contributes, with so many seeds.")
    parser.add_argument("--latency", action="store_true", help="Also the time from a verdict to the next ranking.")
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    if args.parts:
        print_parts(args.data, args.output, args.parts)
    if args.latency:
        print_latency(args.data)
    if args.corpora:
        print_categories(args.corpora)
    installed = find_spec("asreview") is not None
    rows = []
    for seed in range(args.seeds):
        for name, chosen, path in reviews(args.data):
            review = read_review(path)
            labels, stem = review[2], f"{name.replace('/', '_')}_{seed}"
            own = args.output / f"priorwise_{args.every}_{stem}.json"
            order, _ = saved(own, lambda review=review, seed=seed: ours(review, seed, args.every))
            orders = {"ours": order}
            if seed < args.session_seeds:
                own = args.output / f"session_{stem}.json"
                orders["session"], _ = saved(own, lambda review=review, seed=seed: session_order(review, seed))
            theirs = args.output / f"u4_{args.every}_{stem}.json"
            if theirs.exists() or (installed and seed < args.asreview_seeds):
                orders["u4"], _ = saved(theirs, lambda review=review, seed=seed: asreview(review, seed, args.every))
            row: dict[str, Any] = {"name": name, "seed": seed, "chosen": chosen}
            for key, each in orders.items():
                verdicts = labels[each]
                found = screening.screening_metrics(verdicts)
                row[key] = {"WSS@95": found.wss_95, "ATD": found.average_discovery / found.documents}
                if key == "ours":
                    row[key] |= {"stop": certificate(verdicts), "held": intervals(verdicts)}
            if find_spec("asreviewcontrib"):
                check_metrics(labels[order])
            rows.append(row)
    if not rows:
        return
    print("From verdicts alone:")
    print_rankers(rows, "ours")
    print("\nAs in a session:")
    print_rankers(rows, "session")
    print_stopping(rows, "ours")
    print_titles(args.data, args.output)
    if not installed:
        print("\nASReview is not installed: pip install 'asreview>=3' && pip install --no-deps asreview-insights")


if __name__ == "__main__":
    main()
