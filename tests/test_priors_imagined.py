"""Knowledge for naive Bayes: imagined counts are what documents of that weight would be."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from priorwise import (
    BernoulliNB,
    Beta,
    Dirichlet,
    JelinekMercer,
    LogLikelihood,
    MultinomialNB,
    PresenceNB,
    PriorSearch,
    WittenBell,
)
from priorwise.errors import InputError
from priorwise.priors.informed import ImaginedTexts
from priorwise.priors.keywords import Keywords
from priorwise.priors.knowledge import pseudo_counts, significance

MODELS = {
    "words": (MultinomialNB, [Dirichlet(0.3), WittenBell(0.5)]),
    "documents": (BernoulliNB, [Beta(0.2, 0.7), JelinekMercer(0.3)]),
}


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["words", "documents"]),
    st.sampled_from([2, 3, "labels"]),
    st.integers(0, 1),
)
@settings(max_examples=60, deadline=None)
def test_imagined_texts_are_documents_that_do_not_change_the_class_rates(seed, of, classes, which):
    random = np.random.default_rng(seed)
    n_classes = 3 if classes == "labels" else classes
    X = random.poisson(0.7, size=(30, 6)).astype(float)
    y = np.concatenate([np.arange(n_classes), random.integers(0, n_classes, size=30 - n_classes)])
    shares = (random.random((n_classes, 6)) < 0.5).astype(float)
    shares[0] = 0.0  # nothing is known of the first class
    shares[1, 0] = 1.0
    if of == "words":
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1.0)
    kind, priors = MODELS[of]
    known = ImaginedTexts(priors[which], sp.csr_matrix(shares), of, strength=7.5)
    stacked, names, weight = known.stacked(X, y, np.arange(n_classes))
    rates = np.bincount(y, minlength=n_classes) / 30
    if classes == "labels":
        model = kind(known).fit(X, np.eye(n_classes, dtype=int)[y])
        same = kind(priors[which], class_rate=rates).fit(stacked, np.eye(n_classes, dtype=int)[names], weight)
    else:
        model = kind(known).fit(X, y)
        same = kind(priors[which], class_rate=rates).fit(stacked, names, weight)
    new = random.poisson(0.7, size=(10, 6))
    assert model.decision_function(new) == pytest.approx(same.decision_function(new), abs=1e-9)
    again = kind(known).partial_fit(X[:20], y[:20], classes=np.arange(n_classes)).partial_fit(X[20:], y[20:])
    if classes != "labels":
        assert again.decision_function(new) == pytest.approx(model.decision_function(new), abs=1e-9)


def test_shares_are_those_of_the_texts():
    vectorizer = CountVectorizer().fit(["wheat corn the oil barrel"])
    words = vectorizer.vocabulary_
    texts = ["wheat wheat the corn", None, "the oil"]
    made = pseudo_counts(texts, vectorizer, 5.0, prior=Dirichlet(0.1))
    counts = np.zeros((2, 5))
    for row, text in enumerate((texts[0], texts[2])):
        for word in text.split():
            counts[row, words[word]] += 1
    sizes = significance(counts)
    shares = made.shares.toarray()
    assert shares[0] == pytest.approx(sizes[0] / sizes[0].sum())
    assert shares[0, words["the"]] == 0  # every text has it
    assert not shares[1].any()
    assert shares[2, words["oil"]] == 1
    plain = pseudo_counts(texts, vectorizer, prior=Dirichlet(0.1), significant=False).shares.toarray()
    assert plain[0] == pytest.approx(counts[0] / 4)
    keywords = [Keywords.parse("+wheat:3 corn -oil"), "barrel"]
    present = pseudo_counts(keywords, vectorizer, prior=Beta(), of="documents").shares.toarray()[0]
    assert present.nonzero()[0].tolist() == [words["corn"], words["wheat"]]
    weighted = pseudo_counts(keywords, vectorizer, prior=Dirichlet()).shares.toarray()[0]
    assert weighted[words["wheat"]] == pytest.approx(3 * weighted[words["corn"]])
    assert weighted[words["oil"]] == 0


def test_the_strength_is_learned():
    random = np.random.default_rng(0)
    y = np.arange(40) % 2
    rates = random.dirichlet(np.full(60, 0.5), size=2)
    X = np.array([random.multinomial(3, rates[c]) for c in y])
    known = ImaginedTexts(Dirichlet(0.5), sp.csr_matrix(rates), "words")
    search = PriorSearch(MultinomialNB(known), target=LogLikelihood()).fit(X, y)
    assert len(search.trials_["score"]) == 10
    assert search.best_prior_ in search.trials_["prior"].tolist()
    alone = PriorSearch(MultinomialNB(), grid=[Dirichlet(0.5)], folds=5, target=LogLikelihood()).fit(X, y)
    assert search.best_score_ > alone.best_score_
    labels = PriorSearch(MultinomialNB(known)).fit(X, np.eye(2, dtype=int)[y])
    assert isinstance(labels.best_prior_, ImaginedTexts)


def test_presence_reads_imagined_documents():
    X, y = np.array([[1, 0, 0, 1], [0, 1, 0, 1]]), np.array([0, 1])
    known = ImaginedTexts(None, sp.csr_matrix([[0, 0, 0, 0], [0, 0, 1, 0]]), "documents", 3.0)
    stacked, names, weight = known.stacked(X, y, [0, 1])
    model = PresenceNB().fit(stacked, names, sample_weight=weight)
    assert model.predict([[0, 0, 1, 0]]).tolist() == [1]
    assert 2 in model.weights_.features


def test_bad_input_is_a_sentence():
    shares = sp.csr_matrix(np.ones((2, 3)))
    with pytest.raises(InputError, match="'words' or 'documents' are imagined"):
        ImaginedTexts(Dirichlet(), shares, "letters")
    with pytest.raises(InputError, match="a strength must be a positive number"):
        ImaginedTexts(Dirichlet(), shares, "words", 0.0)
    with pytest.raises(InputError, match="a number of at least 0"):
        ImaginedTexts(Dirichlet(), -shares, "words")
    with pytest.raises(InputError, match="about 2 classes and 3 words, but there are 2 and 2"):
        MultinomialNB(ImaginedTexts(Dirichlet(), shares, "words")).fit(np.eye(2), [0, 1])
    with pytest.raises(InputError, match="the prior of MultinomialNB is AbsoluteDiscount"):
        MultinomialNB(ImaginedTexts(Beta(), shares, "words")).fit(np.ones((2, 3)), [0, 1])
    vectorizer = CountVectorizer().fit(["wheat corn"])
    with pytest.raises(InputError, match="no knowledge text"):
        pseudo_counts([None, None], vectorizer, prior=Dirichlet())
    with pytest.raises(InputError, match="every word of knowledge text 1 is in all texts"):
        pseudo_counts(["wheat corn", "wheat"], vectorizer, prior=Dirichlet())
