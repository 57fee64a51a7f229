"""Term weights and selection: their formulas, and what scikit-learn expects."""

from __future__ import annotations

import math
import pickle
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from priorwise.errors import BrokenFile, InputError, MissingExtra
from priorwise.features import InverseDocumentFrequency, PearsonSelection, TermFrequency
from priorwise.features.transformers import Stems, Words, stems_of
from priorwise.priors.knowledge import from_texts

counts = arrays(np.int64, st.tuples(st.integers(2, 6), st.integers(1, 5)), elements=st.integers(0, 4))


@parametrize_with_checks([TermFrequency("raw"), TermFrequency("log"), InverseDocumentFrequency(), PearsonSelection(2)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@given(counts)
def test_term_frequencies(X):
    for kind, value in (("raw", float), ("boolean", lambda f: 1.0), ("log", lambda f: 1 + math.log(f))):
        expected = [[value(f) if f else 0.0 for f in row] for row in X.tolist()]
        assert TermFrequency(kind).fit_transform(X).toarray() == pytest.approx(np.array(expected))
        assert TermFrequency(kind).fit_transform(sp.csc_matrix(X)).toarray() == pytest.approx(np.array(expected))


@given(counts)
def test_inverse_document_frequencies(X):
    N = len(X)
    for j in range(X.shape[1]):
        n = sum(f > 0 for f in X[:, j])
        assert InverseDocumentFrequency().fit(X).idf_[j] == pytest.approx(math.log((N + 1) / (n + 1)))
        assert InverseDocumentFrequency("plain").fit(X).idf_[j] == pytest.approx(math.log(N / n) if n else 0)
        assert InverseDocumentFrequency("smooth").fit(X).idf_[j] == pytest.approx(math.log((N + 1) / (n + 1)) + 1)
    few = InverseDocumentFrequency(population=X).fit(X[:1])
    np.testing.assert_array_equal(few.idf_, InverseDocumentFrequency().fit(X).idf_)
    assert few.transform(X).toarray() == pytest.approx(X * few.idf_)


@given(counts, st.integers(0, 2**32 - 1))
def test_pearson_is_its_formula(X, seed):
    y = np.random.default_rng(seed).integers(0, 2, size=len(X))
    y[:2] = [0, 1]
    found = PearsonSelection(2).fit(sp.csr_matrix(X), y)
    for j in range(X.shape[1]):
        x = X[:, j] - X[:, j].mean()
        z = y - y.mean()
        below = math.sqrt((x @ x) * (z @ z))
        assert found.scores_[j] == pytest.approx(abs(x @ z) / below if np.ptp(X[:, j]) else 0.0, abs=1e-7)
    assert found.get_support().sum() == min(2, X.shape[1])
    np.testing.assert_array_equal(found.transform(X), X[:, found.get_support()])


def test_several_classes_count_by_their_best():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 4)), random.integers(0, 3, size=60)
    each = [PearsonSelection().fit(X, y == c).scores_ for c in range(3)]
    assert PearsonSelection().fit(X, y).scores_ == pytest.approx(np.max(each, axis=0))
    assert PearsonSelection().fit(X, np.eye(3, dtype=int)[y]).scores_ == pytest.approx(np.max(each, axis=0))


def test_bad_input_is_a_sentence():
    with pytest.raises(InputError, match="no term frequency 'sqrt'"):
        TermFrequency("sqrt").fit_transform([[1]])
    with pytest.raises(InputError, match="no inverse document frequency"):
        InverseDocumentFrequency("odd").fit([[1]])
    with pytest.raises(InputError, match="population has 2 columns, but X 1"):
        InverseDocumentFrequency(population=[[1, 1]]).fit([[1]])
    with pytest.raises(ValueError, match="Negative"):
        TermFrequency().fit([[-1]])
    with pytest.raises(InputError, match="k must be a whole number"):
        PearsonSelection(0).fit([[1], [2]], [0, 1])


TEXTS = ["The harvests of wheat, relational tonnes.", "Don't ship the wheats!"]

PORTER = {
    # From Porter's paper, An algorithm for suffix stripping, one for each of its steps and a few more.
    "caresses": "caress", "ponies": "poni", "cats": "cat", "agreed": "agre", "plastered": "plaster",
    "motoring": "motor", "conflated": "conflat",
    "hopping": "hop", "filing": "file", "happy": "happi", "relational": "relat",
    "conditional": "condit", "vietnamization": "vietnam", "triplicate": "triplic", "hopefulness": "hope",
    "revival": "reviv", "adjustment": "adjust", "probate": "probat", "controll": "control", "sky": "sky",
}  # fmt: skip


def test_the_stems_are_porters():
    assert {word: stems_of("porter")[word] for word in PORTER} == PORTER


def test_stop_words_go_before_stems(tmp_path: Path):
    assert Words()(TEXTS[1]) == ["don't", "ship", "the", "wheats"]
    assert Words("english", "porter").transform(TEXTS).tolist() == ["harvest wheat relat tonn", "don't ship wheat"]
    listed = tmp_path / "smart.stop"
    listed.write_text("# SMART's, some of it\nthe of\ndon't  # contracted\n", encoding="utf-8")
    for stop_words in (listed, str(listed), ["The", "of", "don't"], {"the", "of", "don't"}):
        assert Words(stop_words, "porter").transform(TEXTS).tolist() == ["harvest wheat relat tonn", "ship wheat"]
    assert Words(ENGLISH_STOP_WORDS)("The wheat") == ["wheat"]
    assert Words(stemmer=lambda word: word[:3])("wheat corn") == ["whe", "cor"]


def test_in_a_pipeline_and_as_an_analyzer():
    words = Words("english", "porter")
    pipeline = make_pipeline(words, CountVectorizer(analyzer=str.split)).fit(TEXTS)
    vectorizer = CountVectorizer(analyzer=words).fit(TEXTS)
    assert pipeline[-1].vocabulary_ == vectorizer.vocabulary_
    assert (pipeline.transform(TEXTS) != vectorizer.transform(TEXTS)).nnz == 0
    prior = from_texts({"Harvesting": 1.0}, vectorizer, "mode", 2.0)
    assert prior.mode[vectorizer.vocabulary_["harvest"]] == 2.0
    again = pickle.loads(pickle.dumps(clone(vectorizer)))
    assert again.fit(TEXTS).vocabulary_ == vectorizer.vocabulary_


def test_stems_of_many_threads_are_the_same():
    words = [
        f"{stem}{ending}"
        for stem in ("relat", "harvest", "connect", "adjust")
        for ending in ("ion", "ions", "ing", "ed")
    ]
    alone = Stems("porter")
    expected = [alone[word] for word in words]
    shared = Stems("porter")
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: [shared[word] for word in words], range(50)):
            assert found == expected


def test_a_wrong_stemmer_or_stop_list_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(InputError, match="no stemmer 'klingon'; there are arabic"):
        Words(stemmer="klingon").fit()
    with pytest.raises(InputError, match="give a list of texts, not one text"):
        Words().transform("one text")
    with pytest.raises(BrokenFile, match="there is no such stop list; 'english' is"):
        Words("German").fit()
    (tmp_path / "empty").write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(BrokenFile, match="a stop list without a word"):
        Words(tmp_path / "empty").fit()
    (tmp_path / "binary").write_bytes(b"the \xff")
    with pytest.raises(BrokenFile, match=re.escape("not valid UTF-8 (byte 4)")):
        Words(tmp_path / "binary").fit()
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    with pytest.raises(MissingExtra, match=re.escape("pip install 'priorwise[stemming]'")):
        Stems("porter")
