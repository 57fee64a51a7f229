"""The Bernoulli paper's experiment: priors are judged as others would, and each category gets its best."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score, precision_recall_fscore_support

import priorwise as pw
from paper_collections import session_of, tables_of
from priorwise.search.held_out import distance
from reproductions import bernoulli
from reproductions.bernoulli import METHODS, PUBLISHED, Judged, judge
from reproductions.outcome import Outcome


def test_published_f1_fits_the_published_recall_and_precision():
    for source, methods in PUBLISHED["micro"].items():
        for method, (recall, precision, f1) in methods.items():
            if (source, method) != ("newsgroups", "LA"):
                assert f1 == pytest.approx(2 * recall * precision / (recall + precision), abs=0.003)


def test_priors_are_judged_as_scikit_learn_would(collections, corpora, tmp_path):
    session = session_of(collections, corpora, tmp_path / "x", "bernoulli")
    split = bernoulli.load(session, "ohsumed")
    assert not {"the", "1987", "mp3", "don't"} & set(split.words)
    priors = [pw.Beta(0.1, 0.3), pw.JelinekMercer(0.5), pw.TermBeta(2.0)]
    found = judge(split, priors)
    Y, truth = split.Y_train.toarray().astype(int), split.Y_test.toarray().astype(int)
    for p, prior in enumerate(priors):
        model = pw.BernoulliNB(prior).fit(split.X_train, Y)
        assert found["train"][p] == pytest.approx(
            f1_score(Y, model.decision_function(split.X_train) > 0, average=None, zero_division=0)
        )
        outcome = Outcome(*(np.array(found[what][p]) for what in ("found", "decided")), truth.sum(axis=0))
        decided = model.decision_function(split.X_test) > 0
        for average, ours in (("macro", outcome.macro()), ("micro", outcome.micro())):
            precision, recall, f1, _ = precision_recall_fscore_support(truth, decided, average=average, zero_division=0)
            assert ours == pytest.approx((recall, precision, f1))
    left_out = np.zeros(Y.shape, dtype=bool)
    for row in range(len(Y)):
        others = np.arange(len(Y)) != row
        model = pw.BernoulliNB(priors[0]).fit(split.X_train[others], Y[others])
        left_out[row] = model.decision_function(split.X_train[row])[0] > 0
    assert found["loo"][0] == pytest.approx(f1_score(Y, left_out, average=None, zero_division=0))


def test_each_category_gets_its_best_prior_and_a_tie_goes_to_the_nearest():
    priors = [pw.JelinekMercer(mixing) for mixing in (0.1, 0.4, 0.9)]
    first = {"loo": [[0.5, 0.7], [0.5, 0.2]], "train": [[1.0, 0.0], [0.9, 0.0]]}
    second = {"loo": [[0.1, 0.6]], "train": [[1.0, 0.0]], "found": [[4, 1]], "decided": [[4, 4]]}
    cells = [{**first, "found": [[1, 3], [2, 2]], "decided": [[4, 4], [4, 4]]}, second]
    judged = Judged(METHODS["JE"], priors, cells, np.array([4.0, 4.0]))
    assert judged.chosen("loo").tolist() == [1, 0]
    assert judged.chosen("oracle").tolist() == [2, 0]
    nearest = min((0, 2), key=lambda p: distance(priors[p], METHODS["JE"].start))
    assert judged.chosen("train").tolist() == [nearest, 1]
    assert judged.outcome("loo").found.tolist() == [2, 3]
    assert judged.outcome("loo").macro() == pytest.approx((0.625, 0.625, 0.625))


def test_the_oracle_is_never_behind(collections, corpora, tmp_path):
    findings = bernoulli.run(session_of(collections, corpora, tmp_path / "x", "bernoulli", "reuters", "ohsumed"))
    by_way = next(table for table in tables_of(findings) if table.title.startswith("Macro F1 by"))
    for first in range(0, len(by_way.rows), 3):
        oracle, train, left_out = ([cell.ours for cell in row.cells] for row in by_way.rows[first : first + 3])
        assert np.all(np.array(oracle) >= np.maximum(train, left_out))
