"""Priors from texts and keywords: the paper's table, literally."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from priorwise.errors import BrokenFile, InputError, UnknownName
from priorwise.models.regression.logistic import LogisticRegression
from priorwise.priors.keywords import Keywords, column_keywords, read_knowledge, split_column
from priorwise.priors.knowledge import from_texts
from priorwise.priors.regression import Gaussian, Laplace

DOCUMENTS = ["wheat corn tonnes harvest", "oil barrel price", "price tonnes corn", "ship port cargo"]
TEXTS = ["wheat wheat wheat corn price", "oil barrel barrel price"]


def literal(method, C, variance, text, word):
    """Mode and variance of one word, from the table."""
    tf = text.split().count(word)
    if not tf:
        return 0.0, variance
    texts = sum(word in t.split() for t in TEXTS)
    significance = (1 + math.log(tf)) * math.log((len(TEXTS) + 1) / (texts + 1))
    if method.endswith("tfidf") and significance == 0:
        return 0.0, variance
    return {
        "var": (0.0, C * variance),
        "var-tfidf": (0.0, C * significance * variance),
        "mode": (C, variance),
        "mode-tfidf": (C * significance, variance),
    }[method]


@pytest.mark.parametrize("method", ["var", "var-tfidf", "mode", "mode-tfidf"])
@pytest.mark.parametrize("vectorizer", [CountVectorizer(), TfidfVectorizer(sublinear_tf=True)])
@pytest.mark.parametrize("kind", [Gaussian, Laplace])
def test_the_table(method, vectorizer, kind):
    vectorizer.fit(DOCUMENTS)
    words = vectorizer.get_feature_names_out()
    prior = from_texts(TEXTS, vectorizer, method, strength=5.0, variance=2.25, prior=kind)
    assert isinstance(prior, kind)
    for output, text in enumerate(TEXTS):
        variance, mode = prior.of_features(len(words), output, 2)
        for j, word in enumerate(words):
            assert (mode[j], variance[j]) == pytest.approx(literal(method, 5.0, 2.25, text, word))
    one = from_texts(TEXTS[0], vectorizer, method, strength=5.0, variance=2.25, prior=kind, others=TEXTS[1:])
    np.testing.assert_array_equal(one.of_features(len(words))[0], prior.of_features(len(words), 0, 2)[0])
    np.testing.assert_array_equal(one.of_features(len(words))[1], prior.of_features(len(words), 0, 2)[1])


def test_keywords_have_signs_and_weights():
    vectorizer = CountVectorizer().fit(DOCUMENTS)
    words = vectorizer.vocabulary_
    keywords = Keywords.parse("+wheat:2 -oil\nport, # a remark\n  cargo:0.5")
    assert keywords == {"wheat": 2.0, "oil": -1.0, "port": 1.0, "cargo": 0.5}
    mode = from_texts(keywords, vectorizer, "mode", 3.0).mode
    assert [mode[words[w]] for w in ("wheat", "oil", "port", "cargo", "corn")] == [6, -3, 3, 1.5, 0]
    variance = from_texts(keywords, vectorizer, "var", 3.0).variance
    assert [variance[words[w]] for w in ("wheat", "oil", "port", "cargo", "corn")] == [6, 3, 3, 1.5, 1]


def test_words_are_read_as_documents_are():
    vectorizer = CountVectorizer(preprocessor=lambda text: text.lower().rstrip("s")).fit(["tonne", "oil"])
    mode = from_texts({"Tonnes": 1.0}, vectorizer, "mode", 2.0).mode
    assert mode[vectorizer.vocabulary_["tonne"]] == 2.0


def test_knowledge_decides_where_examples_are_silent():
    vectorizer = CountVectorizer().fit(DOCUMENTS)
    X, y = vectorizer.transform(DOCUMENTS[:2]), [1, 0]
    prior = from_texts("ship port", vectorizer, "mode", 2.0)
    model = LogisticRegression(prior).fit(X, y)
    assert model.coef_[0, vectorizer.vocabulary_["ship"]] == 2.0
    assert model.predict(vectorizer.transform(["ship in port"])).tolist() == [1]


def test_bad_input_is_a_sentence():
    vectorizer = CountVectorizer().fit(DOCUMENTS)
    with pytest.raises(InputError, match="no method 'magic'"):
        from_texts("wheat", vectorizer, "magic")
    with pytest.raises(InputError, match="must be positive numbers"):
        from_texts("wheat", vectorizer, "var", strength=-1.0)
    with pytest.raises(InputError, match="no word of knowledge text 1 is in the vocabulary"):
        from_texts(["wheat", "zebra"], vectorizer)
    with pytest.raises(InputError, match="no knowledge text"):
        from_texts([], vectorizer)
    with pytest.raises(InputError, match="the texts of several classes are a list, in the order of classes_"):
        from_texts({"grain": "wheat", "fuel": "oil"}, vectorizer)
    with pytest.raises(InputError, match="keyword 'wheat' has the weight nan"):
        from_texts([{"wheat": np.nan}, "oil"], vectorizer)
    for method in ("var-tfidf", "mode-tfidf"):
        with pytest.raises(InputError, match=f"'{method}' weighs words by how few of the texts have them"):
            from_texts(["wheat", None], vectorizer, method)
    with pytest.raises(InputError, match="must be a fitted CountVectorizer"):
        from_texts("wheat", CountVectorizer(), "var")
    with pytest.raises(InputError, match="line 2: 'oil:1..3' is not a keyword".replace(".", "[.]")):
        Keywords.parse("wheat\noil:1..3")
    with pytest.raises(InputError, match="'oil:0' says to ignore a word, which training cannot"):
        from_texts([{"wheat": 1.0, "oil": 0.0}, "oil"], vectorizer)
    with pytest.raises(InputError, match="'-' is not a keyword"):
        Keywords.parse("-")


def test_keywords_may_come_from_a_column_of_a_table(tmp_path: Path) -> None:
    table = tmp_path / "terms.csv"
    table.write_bytes('Nr;Begriff\n1;Öl\n2;+Rohöl:2\n3;\n4;"schwarzer Tee; -Olive"\n5;und:0\n'.encode("cp1252"))
    expected = {"Öl": 1.0, "Rohöl": 2.0, "schwarzer Tee": 1.0, "Olive": -1.0, "und": 0.0}
    assert split_column(f"{table}:Begriff") == (table, "Begriff")
    assert split_column(str(table)) == (table, None)
    assert dict(column_keywords(table, "Begriff")) == expected
    assert read_knowledge([f"oil={table}:Begriff"], ["oil", "tea"]).of_labels == {"oil": expected}
    assert read_knowledge([f"{table}:Begriff"], ["oil"]).of_labels == {"oil": expected}
    with pytest.raises(UnknownName, match="did you mean 'Begriff'"):
        column_keywords(table, "Begrif")
    (tmp_path / "pic.png").write_bytes(b"\x89PNG")
    with pytest.raises(BrokenFile, match=r"pic.png: not a table by its name; it should end in .csv, .xlsx, .jsonl"):
        column_keywords(tmp_path / "pic.png", "Begriff")
    table.write_text("Begriff\n+a\n-a\n", "utf-8")
    with pytest.raises(BrokenFile, match="different signs"):
        column_keywords(table, "Begriff")
