"""Regularised logistic regression: the ten largest topics of Reuters, each against the rest, under one prior.

Everybody minimises the same objective but for the intercept, which some regularise, some leave free and one lacks: each
is compared with the least value of its own kind. Those with a tolerance get the loosest with which all ten problems
come within 10⁻⁶ of it; finding that is not timed. Spark, which takes long, does three of the ten; its time is that of
ten.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from contest import Contestant, Job, Settings, Started, Work
from jobs.common import spark_session, spark_vectors, write_svmlight

VARIANCE = 1.0
INTERCEPTS = ("held", "free", "none")
TEN, SOME = range(10), (0, 4, 9)
WITHIN = "objective within"

Found = list[tuple[np.ndarray, float]]


def prior_of(kind: str) -> Any:
    from priorwise.priors.regression import Gaussian, Laplace

    return (Laplace if kind == "Laplace" else Gaussian)(VARIANCE)


def prepare(kind: str, folder: Path, settings: Settings) -> Work:
    import scipy.sparse as sp

    from logistic import least_objectives, made_up, reuters

    if settings.data and not settings.small:
        X, Y = reuters(settings.data)
        name = "Reuters-21578"
    else:
        X, Y = made_up(settings.size(10_000), 25_000, 10)
        name = "made-up documents"
    sp.save_npz(folder / "X.npz", X, compressed=False)
    np.save(folder / "Y.npy", Y)
    # One file with all ten answers: a topic is a bit of the label.
    write_svmlight(X.tocsr(), Y @ (1 << np.arange(Y.shape[1])), folder / "all.svm")
    prior = prior_of(kind)
    how = {"held": {"intercept_prior": prior}, "free": {}, "none": {"fit_intercept": False}}
    for intercept in INTERCEPTS:
        np.save(folder / f"{intercept}.npy", least_objectives(X, Y, prior, **how[intercept]))
    return Work(
        f"logistic regression, {kind} prior of variance {VARIANCE:g}: {Y.shape[1]} topics of {name}, each against the "
        f"rest, {X.shape[0]:,} × {X.shape[1]:,}"
    )


def started(kind: str, folder: Path, intercept: str, fit: Callable[[], Found], topics: Sequence[int] = TEN) -> Started:
    """Time a function that fits all ten, or some, and say how far above the least value it ended."""
    found: dict[str, Found] = {}

    def run() -> None:
        found["last"] = fit()

    def quality() -> dict[str, float]:
        from logistic import CLOSE

        return {
            WITHIN: max(CLOSE, excess(kind, folder, intercept, found["last"], topics)),
            "weights": float(np.mean([np.count_nonzero(weights) for weights, _ in found["last"]])),
        }

    return Started({"all": run}, quality, len(topics) / len(TEN))


def excess(kind: str, folder: Path, intercept: str, found: Found, topics: Sequence[int] = TEN) -> float:
    from logistic import worst_excess

    X, Y = read(folder)
    topics, least = list(topics), np.load(folder / f"{intercept}.npy")
    return worst_excess(found, X, Y[:, topics], prior_of(kind), intercept == "held", least[topics])


def read(folder: Path) -> tuple[Any, np.ndarray]:
    import scipy.sparse as sp

    return sp.load_npz(folder / "X.npz"), np.load(folder / "Y.npy")


def ours(kind: str, intercept: str, threads: int, folder: Path) -> Started:
    import priorwise as pw
    from logistic import CLOSE

    X, Y = read(folder)
    labels, prior = Y.astype(int), prior_of(kind)
    how = {"intercept_prior": prior} if intercept == "held" else {}

    def fit() -> Found:
        model = pw.LogisticRegression(prior, tol=CLOSE, threads=threads, **how).fit(X, labels)
        return list(zip(model.coef_, model.intercept_, strict=True))

    fit()  # loads compiled code
    return started(kind, folder, intercept, fit)


def with_tolerance(kind: str, name: str, intercept: str, folder: Path) -> Started:
    """Peers with the interface of scikit-learn."""
    from logistic import CLOSE, TOLERANCES, contestants, fit_each

    X, Y = read(folder)
    make, _ = contestants(kind, VARIANCE, X, Y)[name]
    for tolerance in TOLERANCES:
        if excess(kind, folder, intercept, fit_each(lambda tol=tolerance: make(tol), X, Y)) <= CLOSE:
            break
    return started(kind, folder, intercept, lambda: fit_each(lambda: make(tolerance), X, Y))


def spark(kind: str, folder: Path) -> Started:
    from pyspark.ml.classification import LogisticRegression
    from pyspark.sql.functions import col

    n, width = read(folder)[0].shape
    frame = spark_vectors(spark_session(folder, "4g"), folder / "all.svm", width)
    bits = col("label").cast("int")
    frame = frame.select("features", *((bits.bitwiseAND(1 << k) > 0).cast("double").alias(f"y{k}") for k in TEN))
    frame = frame.cache()
    frame.count()
    strength = np.sqrt(2 / VARIANCE) if kind == "Laplace" else 1 / VARIANCE

    def one(topic: int, iterations: int = 100) -> tuple[np.ndarray, float]:
        model = LogisticRegression(
            labelCol=f"y{topic}",
            regParam=strength / n,
            elasticNetParam=float(kind == "Laplace"),
            standardization=False,
            maxIter=iterations,
        ).fit(frame)
        return model.coefficients.toArray(), model.intercept

    one(9, iterations=5)  # Java compiles what is used often
    return started(kind, folder, "free", lambda: [one(topic) for topic in SOME], SOME)


def vowpal_wabbit(kind: str, folder: Path) -> Started:
    from vowpalwabbit import Workspace

    X, Y = read(folder)
    n, width = X.shape
    # The constant is one more feature: Vowpal Wabbit's own would share a place with a word.
    bits, constant = int(np.ceil(np.log2(width + 2))), width + 1
    lines = (folder / "all.svm").read_text().splitlines()
    for topic in TEN:
        answers = 2 * Y[:, topic].astype(int) - 1
        examples = (f"{y} | {line.split(' ', 1)[1]} {constant}:1\n" for y, line in zip(answers, lines, strict=True))
        (folder / f"{topic}.vw").write_text("".join(examples))
    how = {
        # Of some ways to take the steps, the one that came closest.
        "Laplace": f"--l1 {np.sqrt(2 / VARIANCE) / n} --passes 100 --sgd -l 10 --power_t 0 --decay_learning_rate 0.95",
        "Gaussian": f"--bfgs --l2 {1 / VARIANCE} --passes 100 --termination 1e-7",
    }

    def one(topic: int) -> tuple[np.ndarray, float]:
        data, readable = folder / f"{topic}.vw", folder / f"{topic}.weights"
        given = f"-d {data} -k --cache_file {data}.cache --holdout_off --noconstant --loss_function logistic -b {bits}"
        Workspace(f"{given} {how[kind]} --predict_only_model --readable_model {readable} --quiet").finish()
        weights = np.zeros(constant + 1)
        for line in readable.read_text().splitlines():
            index, _, weight = line.partition(":")
            if index.isdigit():
                weights[int(index)] = float(weight)
        return weights[1:constant], float(weights[constant])

    return started(kind, folder, "held", lambda: [one(topic) for topic in TEN])


def job(kind: str, *peers: Contestant) -> Job:
    return Job(
        kind.lower(),
        partial(prepare, kind),
        (
            Contestant("priorwise, one thread", partial(ours, kind, "free", 1), "ours"),
            Contestant("priorwise, two threads", partial(ours, kind, "free", 2), "ours"),
            Contestant("priorwise, one thread, intercept regularised", partial(ours, kind, "held", 1), "ours"),
            *peers,
            Contestant("Spark MLlib LogisticRegression", partial(spark, kind), package="pyspark", once=True),
            Contestant("Vowpal Wabbit", partial(vowpal_wabbit, kind), package="vowpalwabbit", once=True),
        ),
        quality={WITHIN: "{:.0e}", "weights": "{:,.0f}"},
    )


def peer(kind: str, name: str, intercept: str, package: str, shown: str) -> Contestant:
    return Contestant(shown, partial(with_tolerance, kind, name, intercept), package=package)


LAPLACE = job(
    "Laplace",
    peer("Laplace", "liblinear", "held", "scikit-learn", "liblinear (scikit-learn)"),
    peer("Laplace", "skglm", "free", "skglm", "skglm"),
    peer("Laplace", "celer", "none", "celer", "celer"),
)
GAUSSIAN = job(
    "Gaussian",
    peer("Gaussian", "liblinear, dual", "held", "scikit-learn", "liblinear, dual (scikit-learn)"),
)
