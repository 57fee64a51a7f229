"""Leave-one-out of the count models equals refitting, and PriorSearch finds what is best by it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import ShuffleSplit, StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

import priorwise as pw
from priorwise.models.labels import OutputLabels
from priorwise.search import Climb, Grid
from test_models_multinomial import NEGATIVE, made_up, model_of
from test_priors_rates import RATE_PRIORS, WORD_PRIORS

BERNOULLI = [prior for prior, _ in RATE_PRIORS]
AROUND = [prior for prior, _ in RATE_PRIORS if hasattr(prior, "mix")]
MULTINOMIAL = [*(prior for prior, _ in WORD_PRIORS[:5]), *AROUND]
GRID = [pw.Beta(0.01, 0.5), pw.Beta(0.1, 5), pw.Beta(1, 1)]


@parametrize_with_checks(
    [pw.PriorSearch(pw.BernoulliNB(), grid=GRID), pw.PriorSearch(pw.MultinomialNB(), grid=[pw.Dirichlet(0.1)])],
    expected_failed_checks=lambda search: NEGATIVE if isinstance(search.estimator, pw.MultinomialNB) else {},
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def random_counts(random, n, n_words):
    return sp.csr_matrix(random.poisson(random.random(n_words) * 1.4, size=(n, n_words)).astype(float))


def refitted(model, X, y, weight, labels, i):
    """Scores of document i by a model fitted without it: without one of its equals, if it stands for several."""
    rest = weight.copy()
    rest[i] -= min(weight[i], 1.0)
    classes = None if labels.multilabel else labels.classes
    fitted = model.partial_fit(X, y, classes=classes, sample_weight=rest)
    return np.reshape(fitted.decision_function(X[i]), -1)


@pytest.mark.parametrize("kind", ["classes", "two", "labels"])
@pytest.mark.parametrize("make", ["bernoulli", "multinomial", "weighted"])
@given(st.integers(0, 2**32 - 1), st.sampled_from([[1.0], [0.0, 1.0, 2.0], [0.4, 1.0]]))
@settings(max_examples=4, deadline=None)
def test_scores_equal_a_refit_without_the_document(kind, make, seed, weights):
    random = np.random.default_rng(seed)
    n = 9
    X = random_counts(random, n, 7)
    y = random.integers(0, 3, size=n)
    y = {"classes": y, "two": (y > 1).astype(int), "labels": random.integers(0, 2, size=(n, 3))}[kind]
    weight = random.choice(weights, size=n)
    weight[:2] = 1.0
    if kind != "labels":
        y[:3] = [0, 1, 2] if kind == "classes" else [0, 1, 0]
    priors = {"bernoulli": BERNOULLI, "multinomial": MULTINOMIAL, "weighted": [pw.WeightManipulation(-9)]}[make]
    model = pw.BernoulliNB() if make == "bernoulli" else model_of(priors[0])
    labels = OutputLabels.of(y)
    for p, scores in enumerate(model.held_out(X, y, weight).score_matrices(priors)):
        for i in np.flatnonzero(weight > 0):
            own = type(model)(priors[p])
            assert scores[i] == pytest.approx(refitted(own, X, y, weight, labels, i), abs=1e-7)


@pytest.mark.parametrize("model", [pw.BernoulliNB(), pw.MultinomialNB(), pw.MultinomialNB(pw.JelinekMercer())])
@pytest.mark.parametrize("folds", [None, 3])
@pytest.mark.parametrize("of", ["classes", "labels"])
def test_progress_is_told_to_the_end(model, folds, of):
    random = np.random.default_rng(0)
    X, y = random_counts(random, 30, 6), np.arange(30) % 3
    told = []
    # Folds fit every prior anew: a few of them tell as much as the whole grid.
    priors = BERNOULLI if isinstance(model, pw.BernoulliNB) else MULTINOMIAL
    grid = priors[:4] if folds else None
    y = y if of == "classes" else np.eye(3)[y]
    search = pw.PriorSearch(model, folds=folds, grid=grid, progress=told.append).fit(X, y)
    assert told == sorted(told)
    assert told[0] < 0.5 < told[-1] <= 1.0
    assert len(told) >= 3
    assert folds is not None or told[-1] == pytest.approx(1.0)
    silent = pw.PriorSearch(model, folds=folds, grid=grid).fit(X, y)
    assert silent.best_prior_ == search.best_prior_


@pytest.mark.parametrize("class_rate", ["uniform", [0.2, 0.3, 0.5]])
def test_given_class_rates_stay(class_rate):
    random = np.random.default_rng(0)
    X, y = random_counts(random, 14, 6), np.arange(14) % 3
    for make, prior in [(pw.BernoulliNB, pw.JelinekMercer(0.3)), (pw.MultinomialNB, pw.WittenBell())]:
        model = make(prior, class_rate=class_rate)
        scores = next(model.held_out(X, y, np.ones(14)).score_matrices([prior]))
        for i in range(14):
            own = make(prior, class_rate=class_rate)
            assert scores[i] == pytest.approx(refitted(own, X, y, np.ones(14), OutputLabels.of(y), i), abs=1e-8)


def test_few_numbers_at_a_time_do_not_change_the_scores(monkeypatch):
    random = np.random.default_rng(1)
    X, Y = random_counts(random, 40, 12), random.integers(0, 2, size=(40, 3))
    for model, priors in [(pw.BernoulliNB(), BERNOULLI), (pw.MultinomialNB(), MULTINOMIAL)]:
        whole = [s.copy() for s in model.held_out(X, Y, np.ones(40)).score_matrices(priors)]
        with monkeypatch.context() as patch:
            patch.setattr("priorwise.models.naive_bayes.count_leave_one_out.NUMBERS", 250)
            patch.setattr("priorwise.models.naive_bayes.count_leave_one_out.CHUNK", 7)
            parts = [s.copy() for s in model.held_out(X, Y, np.ones(40)).score_matrices(priors)]
        np.testing.assert_allclose(whole, parts, atol=1e-10)


FOUR_CLASSES = made_up(120, 60, 4, seed=5)


@cache
def left_out_predictions(make, prior):
    """Predictions for documents of four classes, each by a model that did not know it."""
    X, y = FOUR_CLASSES
    predicted = np.empty_like(y)
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        predicted[i] = make(prior).fit(X[rest], y[rest]).predict(X[i])[0]
    return predicted


@pytest.mark.parametrize(
    ("target", "metric"),
    [
        (None, accuracy_score),
        (pw.Accuracy(), accuracy_score),
        (pw.MicroF1(), accuracy_score),
        (pw.MacroF1(), lambda y, p: f1_score(y, p, average="macro")),
        (pw.FBeta(1), lambda y, p: f1_score(y, p, average="macro")),
    ],
)
def test_the_best_prior_for_several_classes_is_the_best_by_refits(target, metric):
    X, y = FOUR_CLASSES
    for model, grid in [
        (pw.MultinomialNB(), [pw.Dirichlet(0.001), pw.Dirichlet(0.1), pw.Dirichlet(3), pw.WittenBell(0.2)]),
        (pw.BernoulliNB(), [pw.Beta(0.001, 1), pw.Beta(1, 1), pw.JelinekMercer(0.5)]),
    ]:
        search = pw.PriorSearch(model, target=target, grid=grid).fit(X, y)
        values = [metric(y, left_out_predictions(type(model), prior)) for prior in grid]
        assert search.trials_["score"].tolist() == pytest.approx(values)
        assert search.trials_["prior"].tolist() == grid
        assert search.best_score_ == pytest.approx(max(values))
        assert values[grid.index(search.best_prior_)] == max(values)
        assert search.best_estimator_.prior == search.best_prior_
        np.testing.assert_array_equal(search.predict(X), search.best_estimator_.predict(X))


def test_log_likelihood_is_the_mean_log_probability_of_the_truth():
    X, y = made_up(60, 40, 3, seed=6)
    Y = np.eye(3, dtype=int)[y]
    grid = [pw.Dirichlet(0.01), pw.Dirichlet(1)]
    several = pw.PriorSearch(pw.MultinomialNB(), target=pw.LogLikelihood(), grid=grid).fit(X, y)
    one_for_all = pw.PriorSearch(pw.MultinomialNB(), target=pw.LogLikelihood(), grid=grid, per_label=False).fit(X, Y)
    for p, prior in enumerate(grid):
        of_class, of_labels = [], []
        for i in range(60):
            rest = np.arange(60) != i
            of_class.append(pw.MultinomialNB(prior).fit(X[rest], y[rest]).predict_log_proba(X[i])[0, y[i]])
            probability = pw.MultinomialNB(prior).fit(X[rest], Y[rest]).predict_proba(X[i])[0]
            of_labels.append(np.log(np.where(Y[i] == 1, probability, 1 - probability)).mean())
        assert several.trials_["score"][p] == pytest.approx(np.mean(of_class))
        assert one_for_all.trials_["score"][p] == pytest.approx(np.mean(of_labels), rel=1e-6)


@pytest.mark.parametrize("target", [None, pw.MacroF1(), pw.FBeta(2), pw.Accuracy(), pw.AveragePrecision()])
def test_each_label_chooses_for_itself(target):
    random = np.random.default_rng(7)
    X, y = made_up(80, 50, 3, seed=7)
    Y = np.eye(3, dtype=int)[y]
    Y[random.random(80) < 0.2, 0] = 1
    search = pw.PriorSearch(pw.BernoulliNB(), target=target, grid=GRID).fit(X, Y)
    assert len(search.best_prior_) == 3
    table = search.trials_["score"].reshape(3, 3)
    assert search.trials_["label"].tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert search.best_score_ == pytest.approx(table.max(axis=1).mean())
    for label in range(3):
        assert table[label][GRID.index(search.best_prior_[label])] == table[label].max()
        alone = pw.PriorSearch(pw.BernoulliNB(), target=target, grid=GRID).fit(X, Y[:, label])
        assert alone.trials_["score"].tolist() == pytest.approx(table[label].tolist())
    np.testing.assert_array_equal(search.predict(X), pw.BernoulliNB(search.best_prior_).fit(X, Y).predict(X))
    together = pw.PriorSearch(pw.BernoulliNB(), target=target, grid=GRID, per_label=False).fit(X, Y)
    assert together.trials_["score"].tolist() == pytest.approx(table.mean(axis=0).tolist())


def test_micro_f1_chooses_one_prior_for_all_labels():
    X, y = made_up(80, 50, 3, seed=8)
    Y = np.eye(3, dtype=int)[y]
    search = pw.PriorSearch(pw.BernoulliNB(), target=pw.MicroF1(), grid=GRID).fit(X, sp.csr_matrix(Y))
    values = []
    for prior in GRID:
        predicted = np.array(
            [
                pw.BernoulliNB(prior).fit(X[np.arange(80) != i], Y[np.arange(80) != i]).predict(X[i])[0]
                for i in range(80)
            ]
        )
        values.append(f1_score(Y, predicted, average="micro"))
    assert search.trials_["score"].tolist() == pytest.approx(values)
    assert search.best_prior_ in GRID


def test_targets_of_scores_see_margins():
    X, y = made_up(60, 40, 3, seed=9)
    search = pw.PriorSearch(pw.MultinomialNB(), target=pw.AveragePrecision(), grid=[pw.Dirichlet(0.1)]).fit(X, y)
    scores = next(pw.MultinomialNB().held_out(X, y, np.ones(60)).score_matrices(search.grid))
    values = []
    for c in range(3):
        margin = scores[:, c] - np.logaddexp.reduce(np.delete(scores, c, axis=1), axis=1)
        values.append(pw.AveragePrecision().from_scores(margin, y == c, np.ones(60)))
    assert search.best_score_ == pytest.approx(np.mean(values))


def test_cross_validation_is_by_the_folds():
    X, y = made_up(90, 40, 3, seed=10)
    grid = [pw.Dirichlet(0.01), pw.Dirichlet(1)]
    splitter = StratifiedKFold(4, shuffle=True, random_state=3)
    by_splitter = pw.PriorSearch(pw.MultinomialNB(), grid=grid, folds=splitter).fit(X, y)
    for p, prior in enumerate(grid):
        predicted = np.empty(90, dtype=int)
        for train, test in splitter.split(X, y):
            predicted[test] = pw.MultinomialNB(prior).fit(X[train], y[train]).predict(X[test])
        assert by_splitter.trials_["score"][p] == pytest.approx(np.mean(predicted == y))
    for target in (y, y == 1, np.eye(3, dtype=int)[y]):
        assert len(pw.PriorSearch(pw.MultinomialNB(), grid=grid, folds=3).fit(X, target).trials_["score"]) >= 2
    rare = np.where(np.arange(90) == 0, 3, y)
    once = pw.PriorSearch(pw.MultinomialNB(), grid=grid, folds=ShuffleSplit(1, test_size=45, random_state=0))
    assert once.fit(X, rare).best_prior_ in grid


def test_the_default_grid_is_that_of_the_estimators_own_prior():
    X, y = made_up(60, 30, 2, seed=11)
    for model in (
        pw.BernoulliNB(pw.JelinekMercer()),
        pw.MultinomialNB(),
        pw.WeightedNB(),
        pw.BernoulliNB(pw.TermBeta()),
    ):
        search = pw.PriorSearch(model).fit(X, y)
        assert tuple(search.trials_["prior"]) == type(search.best_prior_).grid()
        assert search.best_score_ == search.trials_["score"].max()


def test_among_equals_the_nearest_to_the_models_own_prior_wins():
    X, y = np.eye(6), [0, 0, 0, 1, 1, 1]
    flat = pw.FromCounts(lambda tp, fp, p, n: 0 * tp)
    search = pw.PriorSearch(pw.MultinomialNB(pw.Dirichlet(0.12)), target=flat).fit(X, y)
    assert search.best_prior_ == pw.Dirichlet(0.1)
    assert "do not tell them apart" in search.remark_
    search = pw.PriorSearch(pw.BernoulliNB(), target=flat, grid=[pw.JelinekMercer(0.1), pw.Beta(9, 9), pw.Beta(2, 1)])
    assert search.fit(X, y).best_prior_ == pw.Beta(2, 1)


def test_an_end_of_the_grid_is_said():
    X, y = made_up(100, 60, 2, seed=12)
    grid = [pw.Dirichlet(alpha) for alpha in (10, 100, 1000)]
    search = pw.PriorSearch(pw.MultinomialNB(), target=pw.LogLikelihood(), grid=grid).fit(X, y)
    assert search.best_prior_ == grid[0]
    assert "end of the grid" in search.remark_
    labels = pw.PriorSearch(pw.MultinomialNB(), target=pw.LogLikelihood(), grid=grid).fit(X, np.eye(2, dtype=int)[y])
    assert "2 of 2 labels" in labels.remark_


AVERAGED = [
    (pw.PresenceNB(), {"grid": [0.5, 1.0, 4.0]}),
    (pw.BernoulliNB(), {"grid": GRID}),
    (pw.MultinomialNB(), {"grid": [pw.Dirichlet(0.3), pw.Dirichlet(1), pw.Dirichlet(2)]}),
    (pw.LogisticRegression(), {"grid": [pw.Gaussian(0.1), pw.Gaussian(1)], "folds": 3}),
]


@pytest.mark.parametrize(("model", "options"), AVERAGED)
@pytest.mark.parametrize("of", ["two", "three", "labels"])
def test_an_average_is_the_mean_of_the_models_by_their_probability(model, options, of):
    X, y = made_up(40, 12, 2 if of == "two" else 3, seed=2)
    y = np.eye(3, dtype=int)[y] if of == "labels" else y
    if of == "labels" and isinstance(model, pw.PresenceNB):
        pytest.skip("PresenceNB tells classes apart")
    search = pw.PriorSearch(model, target=pw.LogLikelihood(), average=True, **options).fit(X, y)
    decisions = y.size
    relative = np.exp((search.trials_["score"] - search.best_score_) * decisions)
    relative[relative < 1e-3] = 0.0
    assert search.shares_ == pytest.approx(relative / relative.sum())
    priors = search.trials_.get("prior")
    if priors is None:
        pairs = zip(search.trials_["lambda_negative"], search.trials_["lambda_positive"], strict=True)
        priors = [pw.PseudoCounts(*pair) for pair in pairs]
    mean = sum(
        share * type(model)(prior).fit(X, y).decision_function(X)
        for share, prior in zip(search.shares_, priors, strict=True)
        if share
    )
    assert search.decision_function(X) == pytest.approx(mean, abs=1e-4)
    assert search.weights_.bias.shape == search.best_estimator_.weights_.bias.shape
    assert search.predict(X).shape == y.shape


def test_a_strategy_tries_priors_of_its_own():
    X, y = made_up(60, 30, 2, seed=3)

    def near(tried):
        return [pw.Dirichlet(round(tried.best.alpha * factor, 6)) for factor in (0.5, 2.0)]

    for labels in (y, np.eye(2, dtype=int)[y]):
        climb = pw.PriorSearch(
            pw.MultinomialNB(), target=pw.LogLikelihood(), strategy=Climb([pw.Dirichlet(1.0)], [near])
        )
        climb.fit(X, labels)
        best = climb.best_prior_ if labels.ndim == 2 else (climb.best_prior_,)
        for k, prior in enumerate(best):
            around = [pw.Dirichlet(prior.alpha * factor) for factor in (0.5, 1.0, 2.0)]
            one = labels[:, k] if labels.ndim == 2 else labels
            scores = pw.PriorSearch(pw.MultinomialNB(), target=pw.LogLikelihood(), grid=around).fit(X, one).trials_
            assert np.argmax(scores["score"]) == 1
    grid = Grid([pw.PseudoCounts(1, 1), pw.PseudoCounts(2, 9)])
    presence = pw.PriorSearch(pw.PresenceNB(), strategy=grid).fit(X, y)
    cells = pw.PriorSearch(pw.PresenceNB(), grid=[1.0, 2.0, 9.0]).fit(X, y).terrain_.score
    assert presence.trials_["score"].tolist() == [cells[0, 0], cells[1, 2]]


def test_bad_input_is_a_sentence():
    X, y = np.eye(6), [0, 0, 0, 1, 1, 1]
    for search, says in [
        (pw.PriorSearch(RidgeClassifier()), "needs an estimator with a parameter 'prior'"),
        (pw.PriorSearch(pw.BernoulliNB(), grid=[1.0, 2.0]), "prior of BernoulliNB"),
        (pw.PriorSearch(pw.BernoulliNB(), grid=[]), "the grid is empty"),
        (pw.PriorSearch(pw.BernoulliNB(), average=True), "'f1' is not one: give target=LogLikelihood"),
    ]:
        with pytest.raises(pw.PriorwiseError, match=says):
            search.fit(X, y)
    with pytest.raises(pw.PriorwiseError, match="OneVsRestClassifier"):
        pw.PriorSearch(pw.PresenceNB()).fit(X, np.eye(6, dtype=int)[:, :2])
    for target in (pw.MacroF1(), pw.MicroF1()):  # of two classes both are the F1 of the second
        same = pw.PriorSearch(pw.PresenceNB(), target=target).fit(X, y)
        assert same.best_score_ == pw.PriorSearch(pw.PresenceNB(), target=pw.FBeta(1)).fit(X, y).best_score_


# A quick search


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 0.99))
@settings(max_examples=10, deadline=None)
def test_a_quick_search_leaves_out_the_label_and_keeps_the_text(seed, mixing):
    random = np.random.default_rng(seed)
    n, n_classes = 20, 4
    X, y = random_counts(random, n, 9), np.append(np.arange(n_classes), random.integers(0, n_classes, n - n_classes))
    held_out = pw.MultinomialNB().held_out(X, y, np.ones(n), None, [pw.JelinekMercer(mixing)])
    held_out.keeps_texts = True
    predicted = next(held_out.predictions([pw.JelinekMercer(mixing)]))
    counts, share = X.toarray(), X.toarray().sum(axis=0) / X.sum()
    for i in range(n):
        scores = []
        for c in range(n_classes):
            own = (y == c) & (np.arange(n) != i)
            size = counts[own].sum()
            rates = (1 - mixing) * counts[own].sum(axis=0) / size + mixing * share if size else share
            words = sum(f * np.log(rate) for f, rate in zip(counts[i], rates, strict=True) if f)
            scores.append(np.log(max(own.sum() / (n - 1), 1e-100)) + words)
        assert scores[predicted[i]] == pytest.approx(max(scores), abs=1e-9)


def test_a_quick_search_judges_by_a_sample_and_finds_about_the_best(monkeypatch):
    random = np.random.default_rng(0)
    y = random.integers(0, 5, 400)
    X = sp.csr_matrix(random.poisson(0.05 + 0.3 * (random.random((5, 60)) < 0.2)[y]).astype(float))
    options = {"grid": pw.MultinomialNB.learned_priors()}
    whole = pw.PriorSearch(pw.MultinomialNB(), **options).fit(X, y)
    monkeypatch.setattr("priorwise.models.naive_bayes.count_leave_one_out.SAMPLE", 200)
    quick = pw.PriorSearch(pw.MultinomialNB(), search="quick", **options).fit(X, y)
    assert len(quick.trials_["score"]) < len(whole.trials_["score"]) / 3
    scores = dict(zip(whole.trials_["prior"], whole.trials_["score"], strict=True))
    assert scores[quick.best_prior_] > whole.best_score_ - 0.03
    assert set((np.array(quick.trials_["score"]) * 200).round(9) % 1) == {0.0}
