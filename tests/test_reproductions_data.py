"""Collections for the experiments: found, read once, and split."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import priorwise as pw
from paper_collections import STOP_WORDS
from priorwise.errors import InputError
from reproductions.data import Data, MissingCollection, data_folder
from reproductions.split import split_of
from reproductions.webscale import one_class


def test_missing_collection_says_what_to_get(tmp_path):
    with pytest.raises(MissingCollection, match=r"Ohsumed is not in .*ohsumed-first-20000-docs\.tar\.gz.*--data"):
        Data(tmp_path, tmp_path).path("ohsumed")


def test_data_folder_comes_from_the_option_or_the_environment(tmp_path, monkeypatch):
    monkeypatch.delenv("PRIORWISE_DATA", raising=False)
    with pytest.raises(InputError, match="--data DIR or the environment variable PRIORWISE_DATA"):
        data_folder(None)
    monkeypatch.setenv("PRIORWISE_DATA", str(tmp_path))
    assert data_folder(None) == tmp_path
    with pytest.raises(InputError, match="there is no folder"):
        data_folder(tmp_path / "none")


def test_corpus_is_read_once_and_again_when_the_files_change(tmp_path):
    folder = tmp_path / "20-newsgroups" / "sci.oil"
    folder.mkdir(parents=True)
    (folder / "1").write_text("Subject: a\n\nbrent oil")
    data = Data(tmp_path, tmp_path / "cache")
    before = data.fingerprint("newsgroups")
    assert data.corpus("newsgroups").n_documents == 1
    assert len(list((tmp_path / "cache").iterdir())) == 1
    assert data.corpus("newsgroups").checksum == data.corpus("newsgroups").checksum
    assert data.corpus("newsgroups", strip_headers=True).token_id("subject") is None
    assert len(list((tmp_path / "cache").iterdir())) == 2
    (folder / "2").write_text("Subject: b\n\nmore oil")
    assert data.fingerprint("newsgroups") != before
    (tmp_path / "smart-stop-list.txt").write_text("the")
    both = data.fingerprint("newsgroups", "stop-list")
    (tmp_path / "smart-stop-list.txt").write_text("the of")
    assert len({both, data.fingerprint("newsgroups", "stop-list"), data.fingerprint("newsgroups")}) == 3
    assert data.corpus("newsgroups").n_documents == 2


def test_corpus_that_was_damaged_is_read_again(tmp_path, collections):
    data = Data(collections, tmp_path)
    whole = data.corpus("ohsumed", split="train")
    next(tmp_path.iterdir()).joinpath("manifest.json").write_text("{")
    assert data.corpus("ohsumed", split="train").checksum == whole.checksum


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), min_size=1, max_size=6),
    st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), min_size=1, max_size=6),
)
def test_split_counts_words_as_plain_python_does(train, test):
    stems = {"a": "a", "b": "a", "c": "c", "d": "", "e": "e", "f": "f", "g": "g", "h": "c"}
    corpora = [
        pw.Corpus.from_texts([" ".join(words) for words in part], labels=[words[:2] for words in part])
        for part in (train, test)
    ]
    if corpora[0].n_labels == 0:
        return
    split = split_of(*corpora, stop_words={"f"}, word=stems.__getitem__)
    words = sorted({stems[w] for part in train for w in part if w != "f" and stems[w]})
    assert split.words == words
    assert split.labels == sorted({label for part in train for label in part[:2]})
    for X, Y, part in ((split.X_train, split.Y_train, train), (split.X_test, split.Y_test, test)):
        assert X.toarray().tolist() == [
            [sum(w != "f" and stems[w] == word for w in document) for word in words] for document in part
        ]
        assert Y.toarray().tolist() == [[label in document[:2] for label in split.labels] for document in part]


@given(st.lists(st.lists(st.sampled_from("abcde"), unique=True, max_size=3), min_size=1, max_size=8), st.integers(1, 3))
def test_one_class_is_the_rarest_that_is_large_enough(labels, at_least):
    corpus = pw.Corpus.from_texts(["x"] * len(labels), labels=labels)
    sizes = {label: sum(label in each for each in labels) for label in "abcde"}
    expected = {
        row: min(sizes[label] for label in each if sizes[label] >= at_least)
        for row, each in enumerate(labels)
        if any(sizes[label] >= at_least for label in each)
    }
    rows, classes = one_class(corpus, at_least)
    names = corpus.label_names(classes)
    assert rows.tolist() == sorted(expected)
    assert [sizes[name] for name in names] == [expected[row] for row in rows.tolist()]
    assert all(name in labels[row] for row, name in zip(rows.tolist(), names, strict=True))


def test_stop_words_are_read(collections, tmp_path):
    assert Data(collections, tmp_path).stop_words() == set(STOP_WORDS)
