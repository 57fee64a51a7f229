"""MultinomialNB and WeightedNB: the formulas, many classes, and what scikit-learn expects."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_bayes import multinomial_log_joint, multinomial_log_joint_around_collection
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import MultinomialNB as TheirMultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import priorwise as pw
from priorwise.models.naive_bayes.counts import ClassCounts
from test_priors_rates import RATE_PRIORS, WORD_PRIORS

NEGATIVE = {"check_decision_proba_consistency": "its data are negative, which no counts are"}


def model_of(prior):
    return pw.WeightedNB(prior) if isinstance(prior, pw.WeightManipulation) else pw.MultinomialNB(prior)


@parametrize_with_checks(
    [pw.MultinomialNB(), pw.MultinomialNB(pw.WittenBell()), pw.WeightedNB(pw.WeightManipulation(-50))],
    expected_failed_checks=lambda estimator: NEGATIVE,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


AROUND = {prior: literal for prior, literal in RATE_PRIORS if hasattr(prior, "mix")}
EVERY_PRIOR = [*WORD_PRIORS, *AROUND.items()]


@st.composite
def bags(draw, n_classes):
    n_words = draw(st.integers(2, 6))
    bag = st.dictionaries(st.integers(0, n_words - 1), st.integers(1, 4), min_size=1)
    documents = [Counter(each) for each in draw(st.lists(bag, min_size=n_classes, max_size=9))]
    rest = st.lists(st.integers(0, n_classes - 1), min_size=len(documents), max_size=len(documents))
    labels = [*range(n_classes), *draw(rest)][: len(documents)]
    return documents, labels, n_words


def dense(documents, n_words):
    return np.array([[document[word] for word in range(n_words)] for document in documents], dtype=float)


def scores_of(documents, labels, classes, n_words, literal):
    """Log joint of every document and class; `literal` is a weight from a class, or a rate from a class and all."""

    def joint(document, c):
        members = [d for d, label in zip(documents, labels, strict=True) if label == c]
        class_rate = np.mean(np.array(labels) == c)
        if literal in AROUND.values():
            return multinomial_log_joint_around_collection(document, members, documents, literal, class_rate)
        return multinomial_log_joint(document, members, n_words, literal, class_rate)

    return np.array([[joint(document, c) for c in classes] for document in documents])


@pytest.mark.parametrize(("prior", "weigh"), EVERY_PRIOR, ids=lambda each: repr(each)[:30])
@given(bags(3))
@settings(max_examples=25, deadline=None)
def test_several_classes_are_their_formula(prior, weigh, training):
    documents, labels, n_words = training
    X = dense(documents, n_words)
    names = np.array(["a", "b", "c"])
    model = model_of(prior).fit(sp.csr_matrix(X), names[labels])
    slow = scores_of(documents, labels, range(3), n_words, weigh)
    fast = model.decision_function(X)
    assert fast == pytest.approx(slow, abs=1e-9)
    assert model.predict(X).tolist() == names[fast.argmax(axis=1)].tolist()
    assert np.exp(model.predict_log_proba(X)).sum(axis=1) == pytest.approx(np.ones(len(X)))
    weights = model.weights_
    for output in range(3):
        row = weights.lookup(n_words, output)
        assert X @ row + weights.bias[output] == pytest.approx(slow[:, output], abs=1e-9)


@pytest.mark.parametrize(("prior", "weigh"), EVERY_PRIOR, ids=lambda each: repr(each)[:30])
@given(bags(2), st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_two_classes_and_labels_are_told_from_the_rest(prior, weigh, training, seed):
    documents, labels, n_words = training
    X = dense(documents, n_words)
    slow = scores_of(documents, labels, range(2), n_words, weigh)
    fast = model_of(prior).fit(X, labels).decision_function(X)
    assert fast == pytest.approx(slow[:, 1] - slow[:, 0], abs=1e-9)
    Y = np.random.default_rng(seed).integers(0, 2, size=(len(documents), 3))
    fast = model_of(prior).fit(X, Y).decision_function(X)
    for label in range(3):
        slow = scores_of(documents, Y[:, label].tolist(), range(2), n_words, weigh)
        assert fast[:, label] == pytest.approx(slow[:, 1] - slow[:, 0], abs=1e-9)


def made_up(n, n_words, n_classes, seed=0):
    """Documents of a few words each, frequent words shared by all classes and rare ones of their own."""
    random = np.random.default_rng(seed)
    y = random.integers(0, n_classes, size=n)
    words = np.minimum((n_words ** random.random((n, 12))).astype(int), n_words - 1)
    topical = random.random(words.shape) < 0.3
    words = np.where(topical, (y[:, np.newaxis] * 31 + words % 7 * 5) % n_words, words)
    X = sp.csr_matrix((np.ones(words.size), words.ravel(), np.arange(0, words.size + 1, 12)), shape=(n, n_words))
    X.sum_duplicates()
    return X, y


@pytest.mark.parametrize("n_classes", [2, 3, 60])
@pytest.mark.parametrize("alpha", [1.0, 0.01])
def test_a_dirichlet_is_scikit_learns(n_classes, alpha):
    X, y = made_up(1500, 400, n_classes)
    theirs = TheirMultinomialNB(alpha=alpha).fit(X, y)
    ours = pw.MultinomialNB(pw.Dirichlet(alpha)).fit(X, y)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), atol=1e-8)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("weighted", [False, True])
def test_the_best_classes_are_those_of_the_exact_scores(weighted):
    """Also where 32 bits cannot tell classes apart: some classes are the same, word for word."""
    X, y = made_up(4000, 500, 40, seed=1)
    twins = sp.vstack([X, X[y < 10]]).tocsr()
    labels = np.concatenate([y, y[y < 10] + 40])
    if weighted:
        twins.data = twins.data * np.random.default_rng(0).random(twins.nnz)
        twins = sp.vstack([twins[: X.shape[0]], twins[: X.shape[0]][y < 10]]).tocsr()
    model = pw.MultinomialNB(pw.Dirichlet(0.1), class_rate="uniform").fit(twins, labels)
    scores = model.decision_function(twins)
    order = np.argsort(-scores, axis=1, kind="stable")
    assert np.mean(np.sort(scores, axis=1)[:, -1] == np.sort(scores, axis=1)[:, -2]) > 0.1
    np.testing.assert_array_equal(model.predict(twins), order[:, 0])
    classes, best = model.top_k(twins, 5)
    np.testing.assert_array_equal(classes, order[:, :5])
    np.testing.assert_array_equal(best, np.take_along_axis(scores, order[:, :5], axis=1))


def test_counts_are_a_product_of_matrices():
    X, y = made_up(300, 80, 7, seed=2)
    weight = np.random.default_rng(0).integers(0, 3, size=300).astype(float)
    membership = sp.csr_matrix((np.ones(300), (np.arange(300), y)), shape=(300, 9))
    counts = ClassCounts.of(X, membership, weight)
    product = (membership.T @ sp.diags(weight) @ X).toarray()
    np.testing.assert_allclose(counts.pairs.toarray(), product)
    np.testing.assert_allclose(counts.collection, product.sum(axis=0))
    np.testing.assert_allclose(counts.documents, np.bincount(y, weight, 9))
    assert counts.pairs.nnz == np.count_nonzero(product)
    assert counts.pairs.has_sorted_indices
    rest = product.sum(axis=0) - product
    np.testing.assert_allclose(counts.sizes.occurrences, product.sum(axis=1))
    np.testing.assert_allclose(counts.sizes.distinct, (product > 0).sum(axis=1))
    np.testing.assert_allclose(counts.sizes.whole, np.minimum(product, 1).sum(axis=1))
    np.testing.assert_allclose(counts.sizes_of_rest.occurrences, rest.sum(axis=1))
    np.testing.assert_allclose(counts.sizes_of_rest.distinct, (rest > 0).sum(axis=1))
    np.testing.assert_allclose(counts.sizes_of_rest.whole, np.minimum(rest, 1).sum(axis=1))


@pytest.mark.parametrize("prior", [prior for prior, _ in WORD_PRIORS], ids=repr)
def test_partial_fit_adds_up_and_whole_weights_are_repeated_documents(prior):
    X, y = made_up(90, 30, 4, seed=3)
    weight = np.random.default_rng(0).integers(0, 3, size=90)
    Y = np.random.default_rng(1).integers(0, 2, size=(90, 3))
    for target, classes in [(y, range(4)), (y == 1, [False, True]), (Y, None)]:
        whole = model_of(prior).fit(X, target, sample_weight=weight)
        parts = model_of(prior)
        for start in range(0, 90, 17):
            part = slice(start, start + 17)
            parts.partial_fit(X[part], target[part], classes=classes, sample_weight=weight[part])
        np.testing.assert_allclose(whole.decision_function(X), parts.decision_function(X))
        again = np.repeat(np.arange(90), weight)
        repeated = model_of(prior).fit(X[again], target[again])
        np.testing.assert_allclose(whole.decision_function(X), repeated.decision_function(X))


def test_an_empty_class_and_an_unknown_word_do_no_harm():
    X = np.array([[2, 1, 0], [0, 1, 0], [1, 0, 0]])
    for prior in (prior for prior, _ in WORD_PRIORS):
        model = model_of(prior).partial_fit(X, [0, 1, 0], classes=[0, 1, 2])
        assert np.isfinite(model.decision_function([[0, 0, 1], [1, 1, 1], [0, 0, 0]])).all()
        assert set(model.predict(X)) <= {0, 1}


def test_a_pipeline_of_texts_with_string_labels():
    texts = ["goal team win", "team match goal", "vote law", "law court", "cell gene", "gene protein cell"] * 5
    labels = ["sport", "sport", "politics", "politics", "science", "science"] * 5
    model = make_pipeline(CountVectorizer(), pw.MultinomialNB(pw.AbsoluteDiscount(0.3)))
    assert model.fit(texts, labels).predict(["the team", "a court", "protein"]).tolist() == [
        "sport",
        "politics",
        "science",
    ]
    assert cross_val_score(model, texts, labels, cv=2).mean() == 1.0


def test_a_list_of_priors_is_one_for_each_class():
    X, y = made_up(200, 50, 3, seed=4)
    priors = [pw.Dirichlet(0.1), pw.WittenBell(2), pw.Dirichlet(0.1)]
    for target in (y, np.eye(3, dtype=int)[y]):
        mixed = pw.MultinomialNB(priors).fit(X, target).decision_function(X)
        for c, prior in enumerate(priors):
            own = pw.MultinomialNB(prior).fit(X, target).decision_function(X)
            np.testing.assert_allclose(mixed[:, c], own[:, c])


def test_bad_input_is_a_sentence():
    X, y = [[1, 0], [0, 1], [1, 1]], [0, 1, 2]
    with pytest.raises(ValueError, match="Negative values in data passed to MultinomialNB"):
        pw.MultinomialNB().fit([[1, -1], [0, 1]], [0, 1])
    for model, says in [
        (pw.MultinomialNB(pw.Beta()), "prior of MultinomialNB is AbsoluteDiscount"),
        (pw.MultinomialNB(pw.WeightManipulation()), "prior of MultinomialNB is"),
        (pw.WeightedNB(pw.Dirichlet(1)), "prior of WeightedNB is WeightManipulation"),
        (pw.MultinomialNB([pw.Dirichlet(1)]), "one prior for each of the 3 classes, not 1"),
        (
            pw.MultinomialNB([pw.Dirichlet(1), pw.JelinekMercer(), pw.WittenBell()]),
            "centred on the whole corpus",
        ),
    ]:
        with pytest.raises(pw.PriorwiseError, match=says):
            model.fit(X, y)
