"""The sparse paper's experiment: its cells against literal formulas, its tables, and all of it from end to end."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import norm, pearsonr

from paper_collections import session_of, tables_of
from priorwise.priors.regression import Gaussian, Jeffreys, Laplace
from reproductions.experiment import find_experiment
from reproductions.sparse import (
    EARLY,
    F1,
    JEFFREYS,
    LAPLACE_10,
    NONZERO,
    SMALL,
    TABLES,
    TOPICS,
    Layout,
    Setting,
    Topic,
    judge,
    load,
    prior_of,
    run,
    stopped_early,
)
from reproductions.split import Split


@pytest.fixture(scope="module")
def split() -> Split:
    """Counts of 30 words in 80 documents; two of the words are commoner in the topic."""
    random = np.random.default_rng(3)
    Y = random.random((110, 2)) < 0.4
    rates = np.where(np.arange(30) < 2, 3.0, 0.3) * np.where((np.arange(30) < 2) & ~Y[:, [0]], 0.1, 1.0)
    X = random.poisson(rates).astype(float)
    train, test = slice(0, 80), slice(80, 110)
    X, Y = sparse.csr_matrix(X), sparse.csr_matrix(Y.astype(float))
    return Split(X[train], X[test], Y[train], Y[test], [f"w{k}" for k in range(30)], ["a", "b"])


# What was printed


@pytest.mark.parametrize("setting", F1, ids=str)
def test_printed_averages_are_those_of_the_printed_topics(setting):
    printed = F1[setting]
    assert len(printed.topics) == len(TOPICS)
    assert np.mean(printed.topics) == pytest.approx(printed.macro, abs=0.06)


def test_every_column_of_every_table_was_printed():
    shown = {setting for columns in TABLES.values() for setting in columns.values()}
    assert shown == set(F1)
    assert all(len(counts) == len(TOPICS) for counts in NONZERO.values())


# Cells


@pytest.mark.parametrize("weighting", ["log TF", "raw TF", "log TF·IDF", "TFIDF"])
def test_features_are_the_words_that_go_with_the_topic(split, weighting):
    topic = Topic.of(split, "a", Setting("probit", "Jeffreys", 0.0, weighting, 5))
    counts, member = split.X_train.toarray(), split.Y_train.toarray()[:, 0] > 0
    r = [abs(pearsonr(counts[:, j], member.astype(float)).statistic) for j in range(counts.shape[1])]
    kept = np.sort(np.argsort(r)[-5:])
    expected = counts[:, kept]
    if weighting != "raw TF":
        expected = np.where(expected > 0, 1 + np.log(np.maximum(expected, 1)), 0)
    if weighting in ("log TF·IDF", "TFIDF"):
        expected = expected * np.log((len(counts) + 1) / ((counts[:, kept] > 0).sum(axis=0) + 1))
    if weighting == "TFIDF":
        length = np.linalg.norm(expected, axis=1, keepdims=True)
        expected = expected / np.where(length > 0, length, 1)
    np.testing.assert_allclose(topic.X_train.toarray(), expected)
    assert topic.X_test.shape == (30, 5)
    np.testing.assert_array_equal(topic.train, member)


def test_priors_are_the_papers():
    assert prior_of(LAPLACE_10) == Laplace(variance=0.2)
    assert prior_of(Setting("probit", "Gaussian", 0.01)) == Gaussian(0.01)
    assert prior_of(JEFFREYS) == Jeffreys()


@pytest.mark.parametrize("setting", [s for s in F1 if s.features != 1000], ids=str)
def test_a_topic_that_words_tell_is_found_by_every_setting(split, setting):
    found = judge(split, "a", setting)
    true = int(split.Y_test[:, [0]].sum())
    assert 0 <= found["found"] <= min(true, found["decided"])
    if setting.prior != "Gaussian" or setting.number > 0.01:
        assert 2 * found["found"] / (found["decided"] + true) > 0.6
    assert found.get("nonzero", 1) <= 31


def test_early_stopping_is_the_papers_em_literally(split):
    setting = LAPLACE_10._replace(features=8)
    topic = Topic.of(split, "a", setting)
    X, y = np.hstack([topic.X_train.toarray(), np.ones((80, 1))]), np.where(topic.train, 1.0, -1.0)
    beta = np.linalg.solve(np.eye(9) + X.T @ X, X.T @ (y * norm.pdf(0) / norm.cdf(0)))
    steps, moved = 0, np.inf
    while moved > EARLY * np.linalg.norm(beta):
        m = X @ beta
        v = m + y * norm.pdf(m) / norm.cdf(y * m)
        after = np.linalg.solve(np.diag(np.sqrt(setting.number) / np.abs(beta)) + X.T @ X, X.T @ v)
        moved, beta, steps = np.linalg.norm(after - beta), after, steps + 1
    assert stopped_early(split, "a", setting) == {"nonzero": int(np.sum(np.abs(beta) > SMALL)), "steps": steps}


# From end to end


def test_only_stories_of_topics_that_both_parts_have_count(regression_collections, corpora, tmp_path):
    split = load(session_of(regression_collections, corpora, tmp_path / "cells", "sparse", "modapte", quick=False))
    assert split.X_train.shape[0] == 60
    assert split.X_test.shape[0] == 30
    assert split.labels == list(TOPICS)
    assert "the" not in split.words
    assert "aruba" in split.words


def test_a_run_fills_every_table_and_a_second_one_reads_it(regression_collections, corpora, tmp_path):
    first = session_of(regression_collections, corpora, tmp_path / "cells", "sparse", "modapte", quick=False)
    findings = run(first)
    titles = [table.title for table in tables_of(findings)]
    assert titles[:4] == [*list(TABLES)[:3], "Table 4: parameters that are not 0, of 301"]
    assert all(cell.ours is not None for table in tables_of(findings) for row in table.rows for cell in row.cells)
    again = session_of(regression_collections, corpora, tmp_path / "cells", "sparse", "modapte", quick=False)
    assert run(again) == findings
    assert again.results.computed == 0
    assert first.results.reused == 0
    assert "60 training and 30 test documents" in findings.counts["ModApte"]


def test_the_experiment_is_found_by_its_name():
    assert find_experiment("sparse").chosen(()) == ("modapte",)


def test_conclusions_say_no_where_they_do_not_hold():
    """Every setting with the published counts would hold; one with raw TF better than log TF does not."""
    perfect, poor = {"found": 10, "decided": 10, "nonzero": 5}, {"found": 2, "decided": 10, "nonzero": 5}
    cells = {s: [perfect if s.weighting == "raw TF" else poor] * 10 for s in F1}
    layout = Layout(cells, {s: [{"nonzero": 5, "steps": 3}] * 10 for s in NONZERO}, [10.0] * 10)
    rows = {row.name: [cell.ours for cell in row.cells] for row in layout.parts()[-1].rows}
    assert rows["log TF is better than raw TF"][0] == "-80.0, -80.0"
    assert rows["log TF is better than raw TF"][2] == "no"
