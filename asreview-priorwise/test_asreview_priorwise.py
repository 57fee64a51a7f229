"""The extension in ASReview: found by name, in a whole simulated review, and from ASReview's own command line."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from asreview.extensions import load_extension
from asreview.learner import ActiveLearningCycle, ActiveLearningCycleData
from asreview.metrics import loss
from asreview.simulation.simulate import Simulate
from asreview_priorwise import Certificate, JudgedSquares
from scipy.sparse import csr_matrix, hstack

from priorwise.discovery.stopping import may_stop, unfound_members
from priorwise.models.regression import judged_squares

SETTINGS = ActiveLearningCycleData(
    querier="max",
    classifier="priorwise",
    feature_extractor="tfidf",
    feature_extractor_param={"ngram_range": (1, 2), "sublinear_tf": True, "max_df": 0.95},
    stopper="priorwise",
)


@pytest.fixture(scope="module")
def review() -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(0)
    sport, law = ["goal", "team", "match", "win", "player"], ["court", "vote", "tax", "judge", "act"]
    both = [f"word{number}" for number in range(200)]
    labels = np.arange(600) % 20 == 0
    texts = [" ".join([*rng.choice(sport if own else law, 4), *rng.choice(both, 12)]) for own in labels]
    titles = [f"Study {number}" for number in range(600)]
    table = pd.DataFrame({"title": titles, "abstract": texts, "included": labels.astype(int)})
    return table, pd.Series(labels.astype(int))


def test_asreview_finds_both_by_name() -> None:
    assert load_extension("models.classifiers", "priorwise") is JudgedSquares
    assert load_extension("models.stoppers", "priorwise") is Certificate


def test_a_whole_review_finds_members_early_and_stops_before_the_end(
    review: tuple[pd.DataFrame, pd.Series],
) -> None:
    table, labels = review
    cycle = ActiveLearningCycle.from_meta(SETTINGS)
    assert cycle.to_meta().classifier == cycle.to_meta().stopper == "priorwise"
    # With -1 ASReview reads on after the last relevant record, so that only our rule stops.
    simulation = Simulate(table, labels, [cycle], stopper=-1, print_progress=False)
    simulation.label([0, 1])
    simulation.review()
    read = simulation._results
    assert read["label"].sum() == labels.sum()
    assert len(read) < len(labels)
    assert set(read["classifier"].dropna()) == {"priorwise"}
    order = read["label"].tolist()[2:]
    assert loss([*order, *[0] * (len(labels) - len(read))]) < 0.05


def test_it_ranks_as_priorwise_does(review: tuple[pd.DataFrame, pd.Series]) -> None:
    table, labels = review
    X = ActiveLearningCycle.from_meta(SETTINGS).transform(table)
    constant = csr_matrix(np.full((X.shape[0], 1), np.sqrt(0.1)))
    learner = judged_squares.JudgedSquares(hstack([X, constant], format="csr"), ratio=15.0, tol=1e-6)
    for row in range(60):
        learner.judge(row, bool(labels[row]))
    model = JudgedSquares().fit(X[:60], labels[:60])
    np.testing.assert_allclose(model.decision_function(X), learner.scores(), atol=5e-3)
    assert model.predict(X)[labels == 1].mean() > 0.9
    np.testing.assert_allclose(
        JudgedSquares().fit(X[:60].toarray(), labels[:60]).decision_function(X.toarray()), model.decision_function(X)
    )


def test_weights_of_a_balancer_replace_the_ratio(review: tuple[pd.DataFrame, pd.Series]) -> None:
    table, labels = review
    X = ActiveLearningCycle.from_meta(SETTINGS).transform(table)
    weights = load_extension("models.balancers", "balanced")(ratio=3.0).compute_sample_weight(labels[:60])
    given = JudgedSquares().fit(X[:60], labels[:60], sample_weight=weights)
    np.testing.assert_allclose(given.coef_, JudgedSquares(ratio=3.0).fit(X[:60], labels[:60]).coef_)
    assert not np.allclose(given.coef_, JudgedSquares().fit(X[:60], labels[:60]).coef_)


def test_the_rule_is_that_of_priorwise_and_leaves_prior_knowledge_out() -> None:
    labels = np.zeros(900, int)
    labels[:12] = 1
    known = pd.DataFrame({"label": [1, 0], "training_set": [None, None]})
    for read in (20, 300, 600, 880):
        found = pd.DataFrame({"label": labels[:read], "training_set": range(2, read + 2)})
        wanted = may_stop(unfound_members(labels[:read], 900)).safe
        assert Certificate().stop(pd.concat([known, found]), range(902)) == wanted
    assert not Certificate().stop(known, range(902))
    assert Certificate().stop(known, range(2))


def test_from_the_command_line(review: tuple[pd.DataFrame, pd.Series], tmp_path: Path) -> None:
    table, _ = review
    table.to_csv(tmp_path / "records.csv", index=False)
    asked = "simulate records.csv -c priorwise -e tfidf -q max -o x.asreview --prior-idx 0 1"
    called = [sys.executable, "-m", "asreview", *asked.split()]
    done = subprocess.run(called, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(tmp_path / "x.asreview") as project:
        name = next(each for each in project.namelist() if each.endswith((".db", ".sql")))
        project.extract(name, tmp_path)
    with sqlite3.connect(tmp_path / name) as state:
        rows = state.execute("select label, classifier from results where classifier is not null").fetchall()
    assert {classifier for _, classifier in rows} == {"priorwise"}
    assert sum(label for label, _ in rows) == 29
