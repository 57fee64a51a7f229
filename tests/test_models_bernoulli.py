"""BernoulliNB: the formula, zero cases, and what scikit-learn expects."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_bayes import bernoulli_log_joint
from scipy.special import expit
from sklearn.base import clone
from sklearn.naive_bayes import BernoulliNB as TheirBernoulliNB
from sklearn.utils.estimator_checks import parametrize_with_checks

import priorwise as pw
from priorwise.models.naive_bayes.class_scores import score_documents
from test_priors_rates import RATE_PRIORS


@parametrize_with_checks([pw.BernoulliNB(), pw.BernoulliNB(pw.JelinekMercer(0.3)), pw.BernoulliNB(pw.TermBeta())])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def dense(documents, n_terms):
    return np.array([[term in document for term in range(n_terms)] for document in documents], dtype=float)


def scores_of(documents, labels, classes, n_terms, rate):
    """log P(c) + log P(d|c) of every document for every class, by the formula."""
    return np.array(
        [
            [
                bernoulli_log_joint(
                    document,
                    [d for d, label in zip(documents, labels, strict=True) if label == c],
                    documents,
                    n_terms,
                    rate,
                    np.mean(np.array(labels) == c),
                )
                for c in classes
            ]
            for document in documents
        ]
    )


@st.composite
def labelled(draw, n_classes):
    n_terms = draw(st.integers(1, 6))
    documents = draw(st.lists(st.frozensets(st.integers(0, n_terms - 1)), min_size=n_classes, max_size=9))
    rest = st.lists(st.integers(0, n_classes - 1), min_size=len(documents), max_size=len(documents))
    labels = [*range(n_classes), *draw(rest)][: len(documents)]
    return documents, labels, n_terms


def tolerance(prior):
    return {"abs": 1e-3} if isinstance(prior, pw.TermBeta) else {"abs": 1e-9}


@pytest.mark.parametrize(("prior", "rate"), RATE_PRIORS, ids=lambda each: repr(each)[:30])
@given(labelled(3))
@settings(max_examples=15, deadline=None)
def test_several_classes_are_their_formula(prior, rate, training):
    documents, labels, n_terms = training
    X = dense(documents, n_terms)
    names = np.array(["a", "b", "c"])
    model = pw.BernoulliNB(prior).fit(sp.csr_matrix(X), names[labels])
    slow = scores_of(documents, labels, range(3), n_terms, rate)
    fast = model.decision_function(X)
    assert fast == pytest.approx(slow, **tolerance(prior))
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(len(X)))
    assert model.predict(X).tolist() == names[fast.argmax(axis=1)].tolist()


@pytest.mark.parametrize(("prior", "rate"), RATE_PRIORS, ids=lambda each: repr(each)[:30])
@given(labelled(2))
@settings(max_examples=15, deadline=None)
def test_two_classes_are_the_second_against_the_first(prior, rate, training):
    documents, labels, n_terms = training
    X = dense(documents, n_terms)
    model = pw.BernoulliNB(prior).fit(X, labels)
    slow = scores_of(documents, labels, range(2), n_terms, rate)
    odds = slow[:, 1] - slow[:, 0]
    assert model.decision_function(X) == pytest.approx(odds, **tolerance(prior))
    assert model.predict_proba(X)[:, 1] == pytest.approx(expit(odds), abs=1e-3)
    weights = model.weights_
    assert X @ weights.lookup(n_terms) + weights.bias[0] == pytest.approx(odds, **tolerance(prior))


@pytest.mark.parametrize(("prior", "rate"), RATE_PRIORS, ids=lambda each: repr(each)[:30])
@given(labelled(2), st.integers(0, 2**32 - 1))
@settings(max_examples=15, deadline=None)
def test_each_label_is_told_from_all_documents_without_it(prior, rate, training, seed):
    """Labels overlap, and some documents have none."""
    documents, _, n_terms = training
    Y = np.random.default_rng(seed).integers(0, 2, size=(len(documents), 3))
    X = dense(documents, n_terms)
    model = pw.BernoulliNB(prior).fit(X, Y)
    sparse = pw.BernoulliNB(prior).fit(X, sp.csr_matrix(Y))
    assert sp.issparse(sparse.predict(X))
    np.testing.assert_array_equal(sparse.predict(X).toarray(), model.predict(X))
    fast = model.decision_function(X)
    for label in range(3):
        slow = scores_of(documents, Y[:, label].tolist(), range(2), n_terms, rate)
        odds = slow[:, 1] - slow[:, 0]
        assert fast[:, label] == pytest.approx(odds, **tolerance(prior))
    assert model.predict_proba(X) == pytest.approx(expit(fast))
    np.testing.assert_array_equal(model.predict(X), fast > 0)


def test_laplace_is_scikit_learns():
    random = np.random.default_rng(0)
    X, y = random.random((60, 25)) < 0.3, random.integers(0, 4, size=60)
    theirs = TheirBernoulliNB().fit(X, y)
    ours = pw.BernoulliNB().fit(X, y)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), atol=1e-9)


def test_a_list_of_priors_is_one_for_each_class():
    random = np.random.default_rng(1)
    X, y = random.random((50, 12)) < 0.4, random.integers(0, 3, size=50)
    priors = [pw.Beta(0.1, 0.3), pw.JelinekMercer(0.7), pw.Beta(2, 9)]
    mixed = pw.BernoulliNB(priors).fit(X, y).decision_function(X)
    for c, prior in enumerate(priors):
        own = pw.BernoulliNB(prior).fit(X, y).decision_function(X)
        np.testing.assert_allclose(mixed[:, c], own[:, c])
    Y = np.column_stack([y == 0, y == 1, y == 2]).astype(int)
    mixed = pw.BernoulliNB(priors).fit(X, Y).decision_function(X)
    for c, prior in enumerate(priors):
        np.testing.assert_allclose(mixed[:, c], pw.BernoulliNB(prior).fit(X, Y).decision_function(X)[:, c])
    two = pw.BernoulliNB(priors[:2]).fit(X, y == 1).decision_function(X)
    three = pw.BernoulliNB([*priors[:2], pw.Beta()]).partial_fit(X, (y == 1).astype(int), classes=[0, 1, 2])
    np.testing.assert_allclose(two, three.decision_function(X)[:, 1] - three.decision_function(X)[:, 0])


def test_class_rates_are_counted_uniform_or_given():
    random = np.random.default_rng(2)
    X, y = random.random((40, 5)) < 0.5, random.choice(3, size=40, p=[0.7, 0.2, 0.1])
    rates = {"counted": np.bincount(y) / 40, "uniform": np.ones(3) / 3, "given": np.array([0.5, 0.3, 0.2])}
    plain = pw.BernoulliNB().fit(X, y).decision_function(X) - np.log(rates["counted"])
    for name, rate in rates.items():
        model = pw.BernoulliNB(class_rate=rate if name == "given" else name).fit(X, y)
        np.testing.assert_allclose(model.decision_function(X), plain + np.log(rate))
    given = pw.BernoulliNB(class_rate=[0.9, 0.1]).fit(X, y == 1).decision_function(X)
    even = pw.BernoulliNB(class_rate="uniform").fit(X, y == 1).decision_function(X)
    np.testing.assert_allclose(given - even, np.log(0.1 / 0.9))
    for bad, says in [
        ("even", "no class rate 'even'"),
        ([0.5, 0.5], "one class rate for each of the 3 classes, not 2"),
        ([0.5, 0.6, 0.2], "add up to 1"),
        ([-0.5, 1.3, 0.2], "between 0 and 1"),
    ]:
        with pytest.raises(pw.PriorwiseError, match=says):
            pw.BernoulliNB(class_rate=bad).fit(X, y)


@pytest.mark.parametrize("prior", [pw.Beta(), pw.JelinekMercer(0.2), pw.TermBeta(3)])
def test_partial_fit_adds_up_and_whole_weights_are_repeated_documents(prior):
    random = np.random.default_rng(3)
    X, y = sp.csr_matrix((random.random((40, 9)) < 0.4).astype(float)), random.integers(0, 3, size=40)
    Y, weight = random.integers(0, 2, size=(40, 4)), random.integers(0, 4, size=40)
    for target, classes in [(y, [0, 1, 2]), (Y, None)]:
        whole = pw.BernoulliNB(prior).fit(X, target, sample_weight=weight)
        parts = pw.BernoulliNB(prior)
        for start in range(0, 40, 7):
            part = slice(start, start + 7)
            parts.partial_fit(X[part], target[part], classes=classes, sample_weight=weight[part])
        np.testing.assert_allclose(whole.decision_function(X), parts.decision_function(X))
        again = np.repeat(np.arange(40), weight)
        repeated = pw.BernoulliNB(prior).fit(X[again], target[again])
        np.testing.assert_allclose(whole.decision_function(X), repeated.decision_function(X))


def test_an_empty_class_and_an_unknown_token_do_no_harm():
    X = np.array([[1, 1, 0], [0, 1, 0], [1, 0, 0]])
    for prior in (prior for prior, _ in RATE_PRIORS):
        model = pw.BernoulliNB(prior).partial_fit(X, [0, 1, 0], classes=[0, 1, 2])
        scores = model.decision_function([[0, 0, 1], [1, 1, 1], [0, 0, 0]])
        assert np.isfinite(scores).all()
        assert set(model.predict(X)) <= {0, 1}
        assert model.predict_proba(X)[:, 2].max() < 1e-60


def test_what_is_impossible_twice_is_worse_than_once():
    X = np.array([[1, 1, 0, 0], [0, 0, 1, 1]])
    model = pw.BernoulliNB(pw.JelinekMercer(0)).fit(X, ["a", "b"])
    assert model.predict([[1, 1, 1, 0], [1, 0, 1, 1]]).tolist() == ["a", "b"]


def test_top_k_is_the_head_of_the_sorted_scores():
    random = np.random.default_rng(4)
    X, y = random.random((300, 40)) < random.random(40) ** 2, random.integers(0, 12, size=300)
    for prior in (pw.Beta(0.01, 1), pw.JelinekMercer(0.4)):
        model = pw.BernoulliNB(prior).fit(X, y)
        scores = model.decision_function(X)
        order = np.argsort(-scores, axis=1, kind="stable")
        for k in (1, 3, 12, 20):
            classes, best = model.top_k(X, k)
            np.testing.assert_array_equal(classes, order[:, :k])
            np.testing.assert_array_equal(best, np.take_along_axis(scores, order[:, :k], axis=1))
        np.testing.assert_array_equal(model.predict(X), order[:, 0])
    two = pw.BernoulliNB().fit(X, y < 6)
    classes, best = two.top_k(X, 2)
    np.testing.assert_array_equal(classes[:, 0], two.predict(X))
    np.testing.assert_allclose(best[:, 0], np.abs(two.decision_function(X)))
    with pytest.raises(pw.PriorwiseError, match="k must be at least 1"):
        two.top_k(X, 0)


def test_threads_do_not_change_the_scores(monkeypatch):
    random = np.random.default_rng(5)
    X, y = random.random((200, 30)) < 0.3, random.integers(0, 5, size=200)
    model = pw.BernoulliNB(pw.JelinekMercer(0.5)).fit(X, y)
    one, best = model.decision_function(X), model.top_k(X, 2)
    monkeypatch.setattr("priorwise.models.naive_bayes.class_scores.CHUNK", 7)
    np.testing.assert_array_equal(one, model.decision_function(X))
    np.testing.assert_array_equal(best[1], model.top_k(X, 2)[1])


def test_models_pickle_clone_and_show_their_prior():
    model = pw.BernoulliNB(pw.JelinekMercer(0.2)).fit([[1, 0], [0, 1], [1, 1]], [0, 1, 2])
    assert "JelinekMercer(0.2)" in repr(model)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function([[1, 1]]), model.decision_function([[1, 1]]))
    assert clone(model).prior == model.prior


def test_memory_is_that_of_the_pairs_that_occur():
    """A thousand classes with two words and three documents each, in a vocabulary of a hundred thousand."""
    n, vocabulary = 1000, 100_000
    words = np.tile(np.arange(2 * n).reshape(n, 2) * 37 % vocabulary, (3, 1))
    X = sp.csr_matrix((np.ones(6 * n), words.ravel(), np.arange(0, 6 * n + 1, 2)), shape=(3 * n, vocabulary))
    y = np.tile(np.arange(n), 3)
    for target in (y, sp.csr_matrix((np.ones(3 * n), (np.arange(3 * n), y)))):
        model = pw.BernoulliNB(pw.Beta(0.1, 1)).fit(X, target)
        assert model.weights_.values.nnz == 2 * n
        assert model.weights_.background.values.shape[1] <= 2
        assert len(pickle.dumps(model)) < 8_000_000
    with pytest.raises(TypeError, match="multiply by them"):
        score_documents(pw.PresenceNB().fit(X[:2], [0, 1]).weights_, X)


def test_bad_input_is_a_sentence():
    X, y = [[1, 0], [0, 1], [1, 1]], [0, 1, 2]
    for prior, says in [
        (3, "prior of BernoulliNB is Beta\\(…\\), CollectionBeta"),
        (pw.Dirichlet(1), "prior of BernoulliNB is Beta\\(…\\), CollectionBeta"),
        ([pw.Beta(), pw.Beta()], "one prior for each of the 3 classes, not 2"),
        ([pw.Beta(), pw.Beta(), 1], "prior of BernoulliNB"),
    ]:
        with pytest.raises(pw.PriorwiseError, match=says):
            pw.BernoulliNB(prior).fit(X, y)
    with pytest.raises(pw.PriorwiseError, match="classes must be given at the first call"):
        pw.BernoulliNB().partial_fit(X, y)
    model = pw.BernoulliNB().partial_fit(X, y, classes=y)
    with pytest.raises(pw.PriorwiseError, match="class 7 was not among the classes"):
        model.partial_fit([[1, 0]], [7])
    with pytest.raises(pw.PriorwiseError, match="differ from those of the first call"):
        model.partial_fit([[1, 0]], [1], classes=[1, 2])
    with pytest.raises(pw.PriorwiseError, match="an indicator matrix of zeros and ones"):
        pw.BernoulliNB().fit(X, [[0, 3], [1, 0], [2, 1]])
    labels = pw.BernoulliNB().fit(X, [[0, 1], [1, 0], [1, 1]])
    with pytest.raises(pw.PriorwiseError, match="Y has 3 columns, but there are 2 labels"):
        labels.partial_fit(X, [[0, 1, 1], [1, 0, 0], [1, 1, 0]])
