"""Words: stop lists, stems, and their place in a pipeline."""

from __future__ import annotations

import pickle
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer
from sklearn.pipeline import make_pipeline

from priorwise.errors import BrokenFile, InputError, MissingExtra
from priorwise.features.words import Stems, Words, stems_of
from priorwise.priors.knowledge import from_texts

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
    for given in (listed, str(listed), ["The", "of", "don't"], {"the", "of", "don't"}):
        assert Words(given, "porter").transform(TEXTS).tolist() == ["harvest wheat relat tonn", "ship wheat"]
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


def test_bad_input_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
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
