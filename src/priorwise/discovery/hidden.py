"""Hidden members: how discovery is judged without people.

Hide half of a category's members, train on the rest, rank every other document, and count the hidden members at the
top. Documents that belong but carry no label count as wrong, for every method alike, so PPV here is a lower bound.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Protocol

import numpy as np

from priorwise.corpus import Corpus
from priorwise.counting import counted
from priorwise.discovery.category import Category
from priorwise.discovery.member_stage import READ_AT_MOST, FoundMembers, find_members
from priorwise.discovery.presence_stage import Baseline, Procedure, learn
from priorwise.engines.engine import Engine, Local
from priorwise.errors import NotEnoughData, UnknownName
from priorwise.kernels import Floats, Rows
from priorwise.ranking.metrics import Comparison, average_precision, compare, ppv_at
from priorwise.search import PPV, AveragePrecision, FBeta, LogLoss, PPVAtK, Target

BAGS = 10
TUNED_OVER = (0.1, 1.0, 10.0, 100.0)
TUNING_FOLDS = 3


LOGISTIC_TOL = 1e-8
"""The gradient at which logistic regression stops: a mean over all documents, in which few members hardly count."""


class LinearPeer:
    """Logistic regression or a linear support vector machine on TF-IDF, members against a choice of other documents.

    `kind` ("logistic", "svm"): the scikit-learn model, with its default settings, except that logistic regression
    converges: with few members among many documents it stops too early by default. `negatives` ("1", "5", "20",
    "bagged", "all"): this many random negatives per member; 20 per member and the mean of ten such models; or all other
    documents. `C`: how far it trusts the data. `tuned`: whether C is the one of 0.1, 1, 10, 100 with the best
    average precision in three-fold cross-validation, for each model that is fitted; else it is given.
    """

    class_weight: str | None = None

    def __init__(self, kind: str, negatives: str, *, C: float = 1.0, tuned: bool = False) -> None:
        self.kind, self.negatives, self.C, self.tuned = kind, negatives, C, tuned
        self.name = f"{kind}, {negatives} negatives" if negatives in ("bagged", "all") else f"{kind}, {negatives}:1"
        if tuned:
            self.name += ", tuned"
        elif C != 1.0:
            self.name += f", C={C:g}"

    def features(self, corpus: Corpus) -> Any:
        """What it reads: a row for each document."""
        return tfidf(corpus)

    def scores(self, corpus: Corpus, known: Rows, label: str = "") -> Floats:
        X = self.features(corpus)
        others = np.setdiff1d(np.arange(corpus.n_documents), known)
        if self.negatives == "all":
            return self._fit(X, known, others)
        if self.negatives != "bagged":
            return self._fit(X, known, _draw(others, int(self.negatives) * len(known), 0))
        bags = [self._fit(X, known, _draw(others, 20 * len(known), seed)) for seed in range(BAGS)]
        return np.mean(bags, axis=0)

    def _fit(self, X: Any, known: Rows, negatives: Rows) -> Floats:
        from sklearn.linear_model import LogisticRegression
        from sklearn.svm import LinearSVC

        how = {"C": self.C, "class_weight": self.class_weight}
        model = (
            LogisticRegression(max_iter=1000, tol=LOGISTIC_TOL, **how) if self.kind == "logistic" else LinearSVC(**how)
        )
        rows = np.concatenate([known, negatives])
        y = np.arange(len(rows)) < len(known)
        if self.tuned:
            model = _tuned(model, len(known))
        model.fit(X[rows], y)
        return np.asarray(model.decision_function(X))


def peers(*, tuned: bool = False) -> list[LinearPeer]:
    """Every peer of the protocol; with `tuned`, those of the largest sets of negatives also with C chosen."""
    plain = [LinearPeer(kind, n) for kind in ("logistic", "svm") for n in ("1", "5", "20", "bagged", "all")]
    chosen = [LinearPeer(kind, n, tuned=True) for kind in ("logistic", "svm") for n in ("20", "bagged", "all")]
    return plain + (chosen if tuned else [])


def _tuned(model: Any, n_known: int) -> Any:
    from sklearn.model_selection import GridSearchCV, StratifiedKFold

    folds = StratifiedKFold(min(TUNING_FOLDS, n_known), shuffle=True, random_state=0)
    return GridSearchCV(model, {"C": list(TUNED_OVER)}, scoring="average_precision", cv=folds)


def _draw(others: Rows, size: int, seed: int) -> Rows:
    return np.random.default_rng(seed).choice(others, size=min(size, len(others)), replace=False)


@lru_cache(maxsize=1)
def tfidf(corpus: Corpus) -> Any:
    """TF-IDF of the words of the whole corpus, kept for the next category."""
    from sklearn.feature_extraction.text import TfidfTransformer

    return TfidfTransformer(sublinear_tf=True).fit_transform(corpus.matrix())


MEASURES = ("ppv@50", "ppv@100", "ppv@250", "average precision")
BASELINE = "presence, Laplace"
NONE: Rows = np.empty(0, dtype=np.int64)
HERE: Engine = Local()


class Method(Protocol):
    """Anything that scores a corpus from some known members."""

    @property
    def name(self) -> str:
        """A short name for tables."""

    def scores(self, corpus: Corpus, known: Rows, label: str) -> Floats:
        """Score every document of the corpus; `label` is what a user would call the category."""


@dataclass(frozen=True)
class LaplaceBaseline:
    """The paper's baseline: Bayes-Laplace, as many negatives as members."""

    engine: Engine = HERE
    name: ClassVar[str] = BASELINE

    def scores(self, corpus: Corpus, known: Rows, label: str) -> Floats:
        return self.engine.score_corpus(corpus, Baseline.of(corpus, known, NONE).scorer)


@dataclass(frozen=True)
class LearnedPrior:
    """Presence naive Bayes with a learned prior."""

    name: str
    procedure: Procedure
    engine: Engine = HERE

    def scores(self, corpus: Corpus, known: Rows, label: str) -> Floats:
        learned = learn(corpus, known, NONE, self.procedure)
        return self.engine.score_corpus(corpus, learned.scorer)


@dataclass(frozen=True)
class DefaultModel:
    """The default of discovery.

    It may or may not know the category's name, and use the other labels and the vectors of the documents as evidence.
    """

    named: bool = True
    labels: bool = True
    engine: Engine = HERE

    @property
    def name(self) -> str:
        without = [what for what, used in (("the name", self.named), ("other labels", self.labels)) if not used]
        return "default" + f", without {' and '.join(without)}" * bool(without)

    def scores(self, corpus: Corpus, known: Rows, label: str) -> Floats:
        return self.found(corpus, known, label).scores

    def found(self, corpus: Corpus, known: Rows, label: str) -> FoundMembers:
        category = Category(corpus, label, known, NONE, NONE)
        narrow = None
        if corpus.n_documents > READ_AT_MOST:
            learned = learn(corpus, known, NONE, Procedure.ours())

            def narrow() -> Floats:
                return self.engine.score_corpus(corpus, learned.scorer)

        text = label if self.named else None
        return find_members(
            category, engine=self.engine, text=text, use_labels=self.labels, use_vectors=self.labels, narrow=narrow
        )


def presence_methods(*, every_target: bool = False, centre: str = "collection", engine: Engine = HERE) -> list[Method]:
    """Our methods: the baseline, the paper's procedure, a learned prior, and with `every_target` all other targets.

    `centre` is that of the learned priors; the default procedure is also tried with the other one.
    """
    other = "uniform" if centre == "collection" else "collection"
    methods: list[Method] = [
        LaplaceBaseline(engine),
        LearnedPrior("presence, paper's procedure", Procedure.paper(), engine),
        LearnedPrior("presence, learned", Procedure.ours(centre=centre), engine),
        LearnedPrior(f"presence, learned, {other} centre", Procedure.ours(centre=other), engine),
    ]
    if every_target:
        targets: list[Target] = [
            AveragePrecision(),
            FBeta(0.5),
            FBeta(1.0),
            FBeta(0.5, at_corpus_odds=True),
            PPVAtK(250),
            LogLoss(),
            PPV(),
            PPV(floor=0.5),
        ]
        for target in targets:
            plain = Procedure.ours(target, centre=centre, length_powers=(0.0,))
            methods.append(LearnedPrior(f"presence, {target.name}, plain s(d)", plain, engine))
            if not isinstance(target, AveragePrecision):
                methods.append(LearnedPrior(f"presence, {target.name}", Procedure.ours(target, centre=centre), engine))
    return methods


def all_methods(
    *, every_target: bool = False, centre: str = "collection", tuned: bool = False, engine: Engine = HERE
) -> list[Method]:
    """Our methods and the scikit-learn peers; with `tuned` also peers that choose their C by cross-validation."""
    ours = presence_methods(every_target=every_target, centre=centre, engine=engine)
    return [
        *ours,
        DefaultModel(engine=engine),
        DefaultModel(named=False, engine=engine),
        DefaultModel(labels=False, engine=engine),
        *peers(tuned=tuned),
    ]


@dataclass(frozen=True)
class HiddenResult:
    """How one method did on one category."""

    label: str
    known: int
    hidden: int
    method: str
    measures: dict[str, float]
    seconds: float


@dataclass(frozen=True)
class HiddenSummary:
    """How one method did over all categories, compared with the baseline by precision@250."""

    method: str
    means: dict[str, float]
    seconds: float
    against: Comparison


def hidden_members(
    corpus: Corpus,
    labels: Sequence[str],
    methods: Sequence[Method],
    *,
    hide: float = 0.5,
    keep: int | None = None,
    seed: int = 0,
    progress: Callable[[str, str], None] | None = None,
) -> Iterator[HiddenResult]:
    """Run the protocol, a result for each category and method as it comes.

    `methods`: what to compare. `hide`: the share of the members to hide. `keep`: how many members stay known,
    instead of a share. `seed`: which members are hidden depends on it and on the label, not on the other labels.
    `progress`: told the label and the method about to run.
    """
    # All at once, so that a label that cannot be used is known before hours of work.
    splits = [(label, split_members(corpus, label, hide=hide, keep=keep, seed=seed)) for label in labels]
    for label, (known, hidden) in splits:
        is_hidden = np.zeros(corpus.n_documents, dtype=bool)
        is_hidden[hidden] = True
        candidates = np.setdiff1d(np.arange(corpus.n_documents), known)
        for method in methods:
            if progress is not None:
                progress(label, method.name)
            begun = time.perf_counter()
            scores = method.scores(corpus, known, label)[candidates]
            seconds = time.perf_counter() - begun
            relevant = is_hidden[candidates][np.argsort(-scores, kind="stable")]
            measures = {f"ppv@{k}": ppv_at(relevant, k) for k in (50, 100, 250)}
            measures["average precision"] = average_precision(relevant)
            yield HiddenResult(label, len(known), len(hidden), method.name, measures, seconds)


def split_members(corpus: Corpus, label: str, *, hide: float, keep: int | None = None, seed: int) -> tuple[Rows, Rows]:
    """The members that stay known and those that are hidden, both ascending."""
    members = corpus.members(label)
    order = np.random.default_rng([seed, *label.encode()]).permutation(members)
    n_hidden = round(hide * len(members)) if keep is None else max(0, len(members) - keep)
    if len(members) - n_hidden < 2 or not n_hidden:
        has = counted(len(members), "member")
        raise NotEnoughData(f"'{label}' has {has}: too few to hide some and learn from the rest")
    return np.sort(order[n_hidden:]).astype(np.int64), np.sort(order[:n_hidden]).astype(np.int64)


def summarise(results: Sequence[HiddenResult], baseline: str = BASELINE) -> list[HiddenSummary]:
    """Average over the categories, best PPV@250 first, each method paired with the baseline."""
    names = list(dict.fromkeys(result.method for result in results))
    if baseline not in names:
        raise UnknownName("method", baseline, names)

    def values(name: str, measure: str) -> Floats:
        return np.array([result.measures[measure] for result in results if result.method == name])

    summaries = [
        HiddenSummary(
            name,
            {measure: float(values(name, measure).mean()) for measure in MEASURES},
            sum(result.seconds for result in results if result.method == name),
            compare(values(name, "ppv@250"), values(baseline, "ppv@250")),
        )
        for name in names
    ]
    return sorted(summaries, key=lambda summary: -summary.means["ppv@250"])


def eligible_labels(corpus: Corpus, min_members: int = 100) -> list[str]:
    """The labels with at least `min_members` members that are not on every document, sorted."""
    sizes = corpus.label_sizes()
    pairs = zip(sizes["label"].to_pylist(), sizes["documents"].to_pylist(), strict=True)
    return sorted(label for label, size in pairs if min_members <= size < corpus.n_documents)
