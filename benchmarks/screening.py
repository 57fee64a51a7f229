"""Simulated literature reviews: how early members are found, how many are missing, and when it is safe to stop.

    .venv/bin/python benchmarks/screening.py --data DIR -o screening.runs --corpora *.corpus

DIR holds `reviews/asreview`, `reviews/cohen` and `reviews/clef2017`. Every review starts from one member and one other
document, both drawn at random by the seed. To compare with ASReview by its own code, install it beside priorwise:

    pip install 'asreview>=3' && pip install --no-deps asreview-insights

ASReview's default (ELAS u4) then runs from the same starts, and our metrics are checked against ASReview Insights. Both
learn again after the same numbers of verdicts (`--every`). Each result is a file in the folder given by -o. A run that
is stopped, by Ctrl-C or SIGTERM, prints the tables of what is there, and continues when it is started again; `--tables`
only prints them. Settings were chosen on every other review of each source, and on every other category of a corpus
("chosen"); the other half ("judged") says how good they are.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import signal
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import priorwise as pw
from priorwise.corpus import Corpus
from priorwise.discovery import stopping
from priorwise.features.document_vectors import WordCovariance
from priorwise.models.regression.judged_squares import USUAL_RATIO, JudgedSquares, balanced
from priorwise.ranking import metrics as screening
from priorwise.ranking.metrics import average_precision, compare
from priorwise.review.session import ASKS, STRENGTH, TOGETHER, with_constant
from priorwise.review.simulation import READERS, Machine, Task, learner_of_session, read_with

CHECKED_AFTER = (0, 50, 100, 250, 500)
CATEGORIES, SMALLEST = 10, 15
RECALL = CONFIDENCE = 0.95
ASKED_AGAIN = 0.05
"""Where ways to ask are compared, the ranking is learned again after this share of new verdicts."""

Review = tuple[list[str], list[str], np.ndarray]
Row = dict[str, Any]


@lru_cache(maxsize=1)
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


# Orders of reading. Each function gives the rows in the order in which they are read after the start.


def texts_of(review: Review) -> list[str]:
    return [f"{title} {abstract}" for title, abstract in zip(*review[:2], strict=True)]


def features(review: Review, bigrams: float = 0.0) -> Any:
    """Words, and bigrams with a share of the prior variance, as scikit-learn reads them."""
    from scipy.sparse import hstack
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = texts_of(review)
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


class Replayed(JudgedSquares):
    """The model of a session with a centre of 0. The products of all documents are computed once, for all starts."""

    def __init__(self, products: np.ndarray) -> None:
        from scipy.sparse import csr_matrix

        super().__init__(csr_matrix((len(products), 0), dtype=np.float32), strength=STRENGTH)
        self.products = products

    def _products(self, row: int) -> np.ndarray:
        return np.asarray(self.products[row, self._rows])

    def scores(self) -> np.ndarray:
        self.weights()
        return np.asarray(self.products[:, self._rows] @ self._alpha)


@lru_cache(maxsize=1)
def products_of(path: Path) -> np.ndarray:
    """The products of all documents of a review under the prior covariance."""
    X = features(read_review(path))
    return np.asarray(WordCovariance(X, TOGETHER).products(with_constant(X)), np.float32)


def start(labels: np.ndarray, seed: int) -> list[int]:
    """One member and one other document."""
    rng = np.random.default_rng(seed)
    return [int(rng.choice(np.flatnonzero(which), 1, replace=False)[0]) for which in (labels, ~labels)]


def ours(labels: np.ndarray, seed: int, every: float, learner: Any) -> list[int]:
    """From verdicts alone. The ranking is learned again when there are `every` times as many verdicts more."""
    order, unread = start(labels, seed), np.ones(len(labels), bool)
    for row in order:
        learner.judge(row, bool(labels[row]))
        unread[row] = False
    while labels[unread].any():
        scores = np.where(unread, learner.scores(), -np.inf)
        best = np.argsort(-scores, kind="stable")[: min(max(1, int(every * len(order))), int(unread.sum()))]
        for row in best.tolist():
            learner.judge(row, bool(labels[row]))
        unread[best] = False
        order += best.tolist()
    rest = np.flatnonzero(unread)
    order += rest[np.argsort(-learner.scores()[rest], kind="stable")].tolist()
    return order[2:]


def session_order(review: Review, seed: int, about: str | None = None) -> list[int]:
    """The order of a session, which starts from the model that `discover` finds, here from a member or a title."""
    corpus, labels = Corpus.from_texts(texts_of(review)), review[2]
    known = start(labels, seed)[1:] if about else start(labels, seed)
    order, left = [], int(labels.sum() - labels[known].sum())
    for row in READERS["priorwise"](Task(corpus, labels, known, seed, about)):
        order.append(row)
        left -= int(labels[row])
        if not left:
            break
    return order + np.setdiff1d(np.arange(len(labels)), order + known).tolist()


def way_order(review: Review, seed: int, way: str, known: int) -> list[int]:
    """The order from a few members: by the ranking of `discover` alone, from verdicts alone, or as a session asks."""
    corpus, labels = Corpus.from_texts(texts_of(review)), review[2]
    begun = np.random.default_rng([seed, known]).permutation(np.flatnonzero(labels))[:known].tolist()
    order: list[int] = []
    if way == "verdicts alone":
        task = Task(corpus, labels, begun, seed)
        for row in read_with(task, learner_of(task.vectors), batch=lambda size: max(1, int(ASKED_AGAIN * len(order)))):
            order.append(row)
        return order
    session = pw.Session(corpus, members=corpus.ids(begun), ask=way if way in ASKS else "best")
    while way in ASKS and labels[begun + order].sum() < labels.sum():
        for document in session.next(max(1, int(ASKED_AGAIN * len(order)))):
            order.append(corpus.row(document.id))
            session.judge(document.id, "yes" if labels[order[-1]] else "no")
    return order + [corpus.row(id) for id in session.queue(evidence=False).ids]


def asreview(review: Review, seed: int, every: float) -> list[int]:
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
    return (order + np.setdiff1d(np.arange(len(labels)), order).tolist())[2:]


def known_order(path: Path) -> list[int]:
    """The order by left-out scores: each record is scored by the model that the verdicts on all others give.

    No order of reading and no exploration could teach the same ranker more.
    """
    labels = read_review(path)[2]
    inverse = np.linalg.inv(products_of(path) + np.diag(STRENGTH / balanced(labels, USUAL_RATIO)))
    targets = np.where(labels, 1.0, -1.0)
    return np.argsort(-(targets - inverse @ targets / inverse.diagonal()), kind="stable").tolist()


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
    X = features(review, bigrams)
    if not hinge:
        return learner_of(X, **settings)
    from sklearn.svm import LinearSVC

    return Machine(with_constant(X), LinearSVC(C=1 / (2 * STRENGTH), fit_intercept=False), USUAL_RATIO)


# What is measured, and where it is kept


def kept(order: list[int], labels: np.ndarray) -> Row:
    """Where members were found: all that metrics need."""
    return {"documents": len(order), "found": np.flatnonzero(labels[order]).tolist()}


def verdicts_of(row: Row) -> np.ndarray:
    verdicts = np.zeros(row["documents"], bool)
    verdicts[row["found"]] = True
    return verdicts


def category_rows(path: Path) -> Iterator[tuple[str, Callable[[], Row]]]:
    """Ten categories of a corpus, read in rank order by a session from 1 or from 20 members."""
    corpus = Corpus.open(path)
    n = corpus.n_documents
    names = sorted(corpus.label_names(np.arange(corpus.n_labels)), key=lambda name: zlib.crc32(name.encode()))
    fitting = (name for name in names if SMALLEST <= len(corpus.members(name)) <= n // 3)
    for number, name in zip(range(CATEGORIES), fitting, strict=False):
        starts = (1, 20) if number // 2 % 2 else (20, 1)
        known = next(each for each in starts if len(corpus.members(name)) >= each + 10)
        about = {"corpus": path.stem, "name": name, "known": known, "chosen": number % 2 == 0}
        work = partial(category_row, corpus, name, known)
        yield f"category_{path.stem}_{number}_{known}", lambda about=about, work=work: about | work()


def category_row(corpus: Corpus, name: str, known: int) -> Row:
    """Where the members were found among the first verdicts, the estimate before the first one, and the total."""
    labels = np.zeros(corpus.n_documents, bool)
    labels[corpus.members(name)] = True
    rng = np.random.default_rng([0, known])
    begun = [*rng.permutation(np.flatnonzero(labels))[:known], rng.choice(np.flatnonzero(~labels))]
    task = Task(corpus, labels, [int(row) for row in begun], 0)
    run, learner = learner_of_session(task)
    found: list[bool] = []
    for row in read_with(task, learner, batch=lambda size: max(1, int(0.05 * len(found)))):
        found.append(bool(labels[row]))
        if len(found) == CHECKED_AFTER[-1]:
            break
    left = int(labels.sum()) - known - sum(found)
    return {
        "documents": int((~labels).sum()) - 1 + int(labels.sum()) - known,
        "found": np.flatnonzero(found).tolist(),
        "left": left,
        "before": None if run.missing is None else [run.missing.low, run.missing.expected, run.missing.high],
    }


def latency_row(data: Path, size: int, verdicts: int = 200) -> Row:
    """Processor time from a verdict to the next ranking, in a session on the records of all reviews."""
    records = [read_review(path) for _, _, path in reviews(data)]
    texts = [text for review in records for text in texts_of(review)]
    truth = np.concatenate([labels for _, _, labels in records])
    rng = np.random.default_rng(0)
    order = np.concatenate([rng.permutation(len(texts)) for _ in range(size // len(texts) + 1)])[:size]
    # Beyond the number of records they come again with a fifth of their words missing.
    own = [" ".join(word for word in texts[row].split()[:80] if rng.random() < 0.8) for row in order]
    corpus = Corpus.from_texts(own)
    session = pw.Session(corpus, members=corpus.ids(np.flatnonzero(truth[order])[:5]))
    took = []
    for _ in range(verdicts):
        document = session.next(1)[0]
        begun = time.process_time()
        session.judge(document.id, "yes" if truth[order[int(document.id)]] else "no")
        session.next(1)
        took.append(round(time.process_time() - begun, 4))
    return {"size": size, "took": took}


def review_jobs(args: argparse.Namespace) -> Iterator[tuple[str, Callable[[], Row]]]:
    """Every review from every start, by our ranking, in a session, and by ASReview."""
    methods: dict[str, tuple[int, Callable[[Path, int], list[int]]]] = {
        "u4": (args.asreview_seeds, lambda path, seed: asreview(read_review(path), seed, args.every)),
        "ours": (
            args.seeds,
            lambda path, seed: ours(read_review(path)[2], seed, args.every, Replayed(products_of(path))),
        ),
        "session": (args.session_seeds, lambda path, seed: session_order(read_review(path), seed)),
    }
    if find_spec("asreview") is None:
        del methods["u4"]
    for name, chosen, path in reviews(args.data):
        for seed in range(max(seeds for seeds, _ in methods.values())):
            for method, (seeds, order_of) in methods.items():
                if seed < seeds:

                    def work(path: Path = path, seed: int = seed, order_of: Any = order_of) -> Row:
                        return kept(order_of(path, seed), read_review(path)[2])

                    about = {"name": name, "chosen": chosen, "method": method, "seed": seed}
                    yield f"review_{method}_{name}_{seed}", lambda about=about, work=work: about | work()


def title_jobs(args: argparse.Namespace) -> Iterator[tuple[str, Callable[[], Row]]]:
    """The topics of CLEF 2017 from their titles alone."""
    for name, _, path in reviews(args.data):
        if name.startswith("clef2017"):

            def work(path: Path = path) -> Row:
                review = read_review(path)
                about = json.loads(path.with_name(f"{path.name.split('.')[0]}.topic.json").read_text())["title"]
                return kept(session_order(review, 0, about), review[2])

            yield f"title_{name}", work


def ask_jobs(args: argparse.Namespace) -> Iterator[tuple[str, Callable[[], Row]]]:
    """On the judged half of the reviews: what `ask` does, and learning without `discover` or without verdicts."""
    for name, chosen, path in reviews(args.data):
        for known in () if chosen or read_review(path)[2].sum() < 15 else (2, 10):
            for way in ("discover alone", "verdicts alone", *ASKS):

                def work(path: Path = path, way: str = way, known: int = known) -> Row:
                    review = read_review(path)
                    return kept(way_order(review, 0, way, known), review[2])

                about = {"way": f"{known} known, {way}", "name": name}
                yield f"ask_{known:02}_{way.replace(' ', '-')}_{name}", lambda about=about, work=work: about | work()


def part_jobs(args: argparse.Namespace) -> Iterator[tuple[str, Callable[[], Row]]]:
    """On the reviews that settings were chosen on: what each part contributes."""
    for seed in range(args.part_seeds):
        for name, chosen, path in reviews(args.data):
            for number, (way, changes) in enumerate(PARTS.items() if chosen else ()):

                def work(path: Path = path, seed: int = seed, changes: Any = changes) -> Row:
                    review = read_review(path)
                    return kept(ours(review[2], seed, 0.06, part(review, **changes)), review[2])

                about = {"way": way, "name": name}
                yield f"part_{number:02}_{name}_{seed}", lambda about=about, work=work: about | work()


def jobs(args: argparse.Namespace) -> Iterator[tuple[str, Callable[[], Row]]]:
    """Everything there is to do: the name of a file, and how its content is found."""
    for kind in args.kinds:
        if kind == "reviews":
            yield from review_jobs(args)
        elif kind == "categories":
            for path in args.corpora:
                yield from category_rows(path)
        elif kind == "titles":
            yield from title_jobs(args)
        elif kind == "latency":
            for size in (5_000, 100_000):
                yield f"latency_{size}", lambda size=size: latency_row(args.data, size)
        elif kind == "known":
            for name, chosen, path in reviews(args.data):

                def work(path: Path = path) -> Row:
                    return kept(known_order(path), read_review(path)[2])

                about = {"name": name, "chosen": chosen}
                yield f"known_{name}", lambda about=about, work=work: about | work()
        elif kind == "ask":
            yield from ask_jobs(args)
        else:
            yield from part_jobs(args)


# Tables of what is there


def rows_of(folder: Path, kind: str) -> list[Row]:
    return [json.loads(path.read_text()) for path in sorted(folder.glob(f"{kind}_*.json"))]


def metrics_of(row: Row) -> tuple[float, float, float]:
    found = screening.screening_metrics(verdicts_of(row))
    return found.wss_95, found.average_discovery / found.documents, found.loss


def print_rankers(rows: list[Row], ranker: str) -> None:
    """One of our rankers and ASReview's, by part of the reviews, where both were run from the same starts."""
    both = {(row["name"], row["seed"]) for row in rows if row["method"] == "u4"}
    own = {(row["name"], row["seed"]): row for row in rows if row["method"] == ranker}
    theirs = {(row["name"], row["seed"]): row for row in rows if row["method"] == "u4"}
    starts = sorted(set(own) & both) if both else sorted(own)
    print(f"\n{ranker}: {len(starts)} starts of {len({name for name, _ in starts})} reviews")
    print("| reviews | metric | priorwise | ASReview u4 | difference | higher : lower | p (t) | p (Wilcoxon) |")
    print("|---|---|---|---|---|---|---|---|")
    parts: dict[str, Callable[[Row], bool]] = {
        "the four": lambda row: row["name"].startswith("asreview"),
        "chosen": lambda row: row["chosen"],
        "judged": lambda row: not row["chosen"],
        "all": lambda row: True,
    }
    for part, belongs in parts.items():
        names = sorted({each[0] for each in starts if belongs(own[each])})
        for place, metric in enumerate(("WSS@95", "ATD", "loss")):
            means = [
                [
                    np.mean([metrics_of(table[each])[place] for each in starts if each[0] == name])
                    for table in (own, theirs if both else own)
                ]
                for name in names
            ]
            if not both:
                print(f"| {part} | {metric} | {np.mean(means):.4f} | not run | | | | |")
            elif len(means) > 1:
                a, b = np.array(means).T
                test = compare(a, b)
                text = f"{a.mean():.4f} | {b.mean():.4f} | {test.difference:+.4f} | {test.ahead} : {test.behind}"
                print(f"| {part} | {metric} | {text} | {test.t_test:.3f} | {test.wilcoxon:.3f} |")
    for name in sorted({name for name, _ in starts if name.startswith("asreview")}):
        wss = [np.mean([metrics_of(table[e])[0] for e in starts if e[0] == name]) for table in (own, theirs) if table]
        print(f"{name}: WSS@95 {', '.join(f'{each:.3f}' for each in wss)}")


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


def print_stopping(rows: list[Row]) -> None:
    """Work saved and recall of both rules."""
    rows = [row for row in rows if row["method"] == "ours"]
    found = [(row["name"], row["chosen"], certificate(verdicts_of(row))) for row in rows]
    print(
        "\n| reviews | runs | rule | work saved | runs that stop early | recall reached in |\n|---|---|---|---|---|---|"
    )
    for part, belongs in (("chosen", True), ("judged", False), ("all", None)):
        for rule in ("certificate", "hypergeometric"):
            own = [each[rule] for _, chosen, each in found if belongs in (None, chosen)]
            if own:
                read, recall = np.array(own).T
                early = read < 1
                reached = f"{np.mean(recall[early] >= RECALL):.1%} of {early.sum()}" if early.any() else "–"
                print(f"| {part} | {len(own)} | {rule} | {1 - read.mean():.3f} | {early.mean():.0%} | {reached} |")
    failed = [name for name, _, each in found if each["certificate"][0] < 1 and each["certificate"][1] < RECALL]
    print(f"stopped too early: {', '.join(f'{name} {failed.count(name)}' for name in sorted(set(failed))) or 'none'}")


def intervals(row: Row) -> dict[int, bool]:
    """Whether the 80% interval of the missing members holds, by number of verdicts."""
    held, n = {}, row["documents"]
    found = np.array(row["found"])
    total = len(found) + row.get("left", 0)
    for read in (each for each in CHECKED_AFTER if each < n):
        verdicts = np.zeros(read, bool)
        verdicts[found[found < read]] = True
        missing = stopping.unfound_members(verdicts, n)
        low, high = missing.low, missing.high
        if not read and row.get("before"):
            low, _, high = row["before"]
        # An estimate is printed as a whole number.
        held[read] = np.floor(low) <= total - int(verdicts.sum()) <= np.ceil(high)
    return held


def print_intervals(folder: Path) -> None:
    """How often the 80% interval holds, in reviews and in categories of corpora: the mean over them."""
    rows = [(row, "reviews") for row in rows_of(folder, "review") if row["method"] == "ours"]
    rows += [(row, row["corpus"]) for row in rows_of(folder, "category")]
    table = [(group, (group, row["name"]), row["chosen"], intervals(row)) for row, group in rows]
    print(f"\n| 80% interval holds | starts | {' | '.join(map(str, CHECKED_AFTER))} |")
    print(f"|---|---|{'---|' * len(CHECKED_AFTER)}")

    def line(title: str, belongs: Callable[[str], bool]) -> None:
        for half in (False, True):
            own = [(name, held) for group, name, chosen, held in table if belongs(group) and not (half and chosen)]
            shares = []
            for after in CHECKED_AFTER:
                # Each review and each category counts once, however many starts it has.
                names: dict[tuple[str, str], list[bool]] = {}
                for name, held in own:
                    if after in held:
                        names.setdefault(name, []).append(held[after])
                shares.append(f"{np.mean([np.mean(each) for each in names.values()]):.0%}" if names else "–")
            print(f"| {title}{', judged half' if half else ''} | {len(own)} | {' | '.join(shares)} |")

    for group in dict.fromkeys(group for group, _, _, _ in table):
        line(group, lambda each, group=group: each == group)
    line("all categories", lambda group: group != "reviews")
    line("all", lambda group: True)


def print_ways(folder: Path, kind: str) -> None:
    """What each part contributes, or what `ask` does: the mean over reviews that every way has been run on."""
    rows = rows_of(folder, kind)
    ways = list(dict.fromkeys(row["way"] for row in rows))
    names = [
        name
        for name in {row["name"] for row in rows}
        if all((name, way) in {(r["name"], r["way"]) for r in rows} for way in ways)
    ]
    print(f"\n| {kind}, {len(names)} reviews | WSS@95 | ATD | recall@100 |\n|---|---|---|---|")
    for way in ways:
        own = [row for row in rows if row["way"] == way and row["name"] in names]
        wss, atd, _ = np.mean([metrics_of(row) for row in own], axis=0)
        recall = np.mean([screening.recall_at(verdicts_of(row), 100) for row in own])
        print(f"| {way} | {wss:.3f} | {atd:.3f} | {recall:.3f} |")


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


def print_tables(folder: Path) -> None:
    """Print everything that can be said by now."""
    rows = rows_of(folder, "review")
    if find_spec("asreviewcontrib"):
        for row in rows:
            check_metrics(verdicts_of(row))
        print(f"Metrics of {len(rows)} orders equal ASReview's own.")
    for ranker in ("ours", "session"):
        if any(row["method"] == ranker for row in rows):
            print_rankers(rows, ranker)
    took = [row["seconds"] for row in rows if row["method"] == "session" and 2200 < row["documents"] < 2400]
    if took:
        print(f"\nWhole reviews of 2,200 to 2,400 records: {min(took):.1f} to {max(took):.1f} s of processor time")
    for row in rows_of(folder, "latency"):
        middle, most = np.quantile(row["took"], (0.5, 0.99))
        print(f"{row['size']:,} documents: median {middle:.3f} s, 99% {most:.3f} s from a verdict to the next ranking")
    titles = [(average_precision(verdicts_of(row)), metrics_of(row)[0]) for row in rows_of(folder, "title")]
    if titles:
        precision, wss = np.mean(titles, axis=0)
        print(f"\nCLEF 2017 from {len(titles)} titles: average precision {precision:.3f}, WSS@95 {wss:.3f}")
    limits = [(row["name"].startswith("asreview"), metrics_of(row)[0]) for row in rows_of(folder, "known")]
    if limits:
        four, every = (np.mean([wss for own, wss in limits if own or all_]) for all_ in (False, True))
        print(f"\nEvery other verdict known: WSS@95 {four:.3f} on the four, {every:.3f} on all {len(limits)} reviews")
    for kind in ("part", "ask"):
        if rows_of(folder, kind):
            print_ways(folder, kind)
    if rows:
        print_stopping(rows)
    print_intervals(folder)


def main() -> None:
    kinds = ("reviews", "known", "categories", "titles", "latency", "ask", "part")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, default=Path("screening.runs"))
    parser.add_argument("--kinds", nargs="+", choices=kinds, default=kinds, help="All by default.")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--asreview-seeds", type=int, default=3, help="ASReview is slower: only so many seeds.")
    parser.add_argument("--session-seeds", type=int, default=1, help="Sessions, which learn after every verdict.")
    parser.add_argument("--part-seeds", type=int, default=1, help="For the table of parts.")
    parser.add_argument("--every", type=float, default=0.03, help="Learn again after this share of new verdicts.")
    parser.add_argument("--corpora", type=Path, nargs="*", default=[], help="Corpora with categories, for intervals.")
    parser.add_argument("--tables", action="store_true", help="Only print the tables of what is there.")
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        for name, work in () if args.tables else jobs(args):
            path = args.output / f"{name.replace('/', '_')}.json"
            if not path.exists():
                begun = time.process_time()
                row = work()
                row["seconds"] = round(time.process_time() - begun, 2)
                part = path.with_suffix(".part")
                part.write_text(json.dumps(row))
                part.replace(path)
                print(f"{name}: {row['seconds']} s", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print("Stopped; start it again to continue.", file=sys.stderr)
    print_tables(args.output)


if __name__ == "__main__":
    main()
