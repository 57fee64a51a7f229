"""A thousand classes: fit, and predict documents that were not seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from contest import Contestant, Job, Settings, Started, Work
from jobs.common import spark_session, spark_vectors, write_svmlight, write_vw


def prepare(folder: Path, settings: Settings) -> Work:
    import scipy.sparse as sp

    from many_classes import PER_DOCUMENT, VOCABULARY, documents

    n, n_new, n_classes = settings.size(50_000), settings.size(25_000), settings.size(1000)
    for name, size, seed in (("train", n, 0), ("new", n_new, 1)):
        X, y = documents(size, n_classes, seed)
        sp.save_npz(folder / f"{name}.npz", X, compressed=False)
        np.save(folder / f"{name}.npy", y)
        write_svmlight(X, y, folder / f"{name}.svm")
        write_vw(folder / f"{name}.svm", folder / f"{name}.vw")
    np.save(folder / "shape.npy", [n_classes, VOCABULARY])
    return Work(
        f"{n_classes:,} classes: learn from {n:,} documents of {PER_DOCUMENT} words, predict {n_new:,} others, "
        f"{VOCABULARY:,} words in all"
    )


def in_memory(make: Callable[[], Any]) -> Callable[[Path], Started]:
    """Start whoever has the interface of scikit-learn."""

    def start(folder: Path) -> Started:
        import scipy.sparse as sp

        X, new = sp.load_npz(folder / "train.npz"), sp.load_npz(folder / "new.npz")
        y, truth = np.load(folder / "train.npy"), np.load(folder / "new.npy")
        make().fit(X[:1000], y[:1000]).predict(new[:1000])
        model, found = make(), {}

        def predict() -> None:
            found["classes"] = model.predict(new)

        return Started(
            {"fit": lambda: model.fit(X, y), "predict": predict},
            lambda: {"accuracy": float(np.mean(found["classes"] == truth))},
        )

    return start


def ours() -> Any:
    import priorwise as pw

    return pw.MultinomialNB()


def ours_learned() -> Any:
    import priorwise as pw

    return pw.PriorSearch(pw.MultinomialNB(), grid=pw.MultinomialNB.learned_priors(), search="quick")


def scikit_learn() -> Any:
    from sklearn.naive_bayes import MultinomialNB

    return MultinomialNB()


def spark(folder: Path) -> Started:
    from pyspark.ml.classification import NaiveBayes

    session = spark_session(folder, "8g")
    _, n_words = np.load(folder / "shape.npy")
    train, new = (spark_vectors(session, folder / f"{name}.svm", n_words) for name in ("train", "new"))
    NaiveBayes().fit(train.limit(100))
    found: dict[str, Any] = {}

    def fit() -> None:
        found["model"] = NaiveBayes(modelType="multinomial", smoothing=1.0).fit(train)

    def predict() -> None:
        frame = found["model"].transform(new)
        found["right"] = frame.where(frame["label"] == frame["prediction"]).count()

    return Started({"fit": fit, "predict": predict}, lambda: {"accuracy": found["right"] / new.count()})


def vowpal_wabbit(folder: Path) -> Started:
    from vowpalwabbit import Workspace

    truth = np.load(folder / "new.npy") + 1
    n_classes, n_words = np.load(folder / "shape.npy")
    # A weight for each pair of class and word, without collisions.
    bits = int(np.ceil(np.log2(n_classes)) + np.ceil(np.log2(n_words)))
    found: dict[str, Any] = {}

    def fit() -> None:
        found.clear()
        # Of the losses and kinds of steps that were tried, the most accurate.
        options = f"--oaa {n_classes} --loss_function hinge -b {bits} --quiet"
        found["model"] = Workspace(f"-d {folder / 'train.vw'} {options}")

    def predict() -> None:
        with (folder / "new.vw").open() as lines:
            found["classes"] = [found["model"].predict(line.partition(" ")[2]) for line in lines]

    return Started(
        {"fit": fit, "predict": predict}, lambda: {"accuracy": float(np.mean(np.array(found["classes"]) == truth))}
    )


CLASSES = Job(
    "classes",
    prepare,
    (
        Contestant("priorwise MultinomialNB", in_memory(ours), "ours"),
        Contestant("priorwise MultinomialNB, its prior learned", in_memory(ours_learned), "ours", once=True),
        Contestant("scikit-learn MultinomialNB", in_memory(scikit_learn), package="scikit-learn", once=True),
        Contestant("Spark MLlib NaiveBayes", spark, package="pyspark", once=True),
        Contestant("Vowpal Wabbit --oaa, one pass", vowpal_wabbit, package="vowpalwabbit", once=True),
    ),
    ("fit", "predict"),
    {"accuracy": "{:.3f}"},
)
