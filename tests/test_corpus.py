from __future__ import annotations

import tempfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import reference_text as reference
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from priorwise.corpus import Corpus
from priorwise.corpus.storage.manifest import Manifest, this_tokenizer
from priorwise.errors import InputError, NotEnoughData, UnknownName
from processes import Shell

TEXTS = ["to be or not to be", "not now, not ever", "Ünïcode 東京", ""]
LABELS = ["Hamlet", ["Hamlet", "Refusals"], None, []]


@pytest.fixture
def corpus() -> Corpus:
    titles = ["One", "Two", "Three", "Four"]
    return Corpus.from_texts(TEXTS, labels=LABELS, ids=["d", "b", "c", "a"], titles=titles, title_words=False)


def as_dicts(corpus: Corpus) -> list[dict[str, int]]:
    """The whole corpus as plain Python, read batch by batch."""
    documents = []
    for batch in corpus.batches():
        assert batch.start == len(documents)
        for start, end in zip(batch.offsets[:-1], batch.offsets[1:], strict=True):
            tokens = batch.tokens[start:end]
            assert np.all(np.diff(tokens.astype(np.int64)) > 0)
            names = corpus.token_names(tokens)
            documents.append(dict(zip(names, batch.counts[start:end].tolist(), strict=True)))
    return documents


words = st.text(st.sampled_from("abcdé 漢.'1"), max_size=25)
names = st.text(st.sampled_from("xyzéÅ /"), min_size=1, max_size=3)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(words, st.lists(names, max_size=3)), min_size=1, max_size=12))
def test_a_saved_corpus_holds_what_naive_python_counts(documents: list[tuple[str, list[str]]]) -> None:
    texts = [text for text, _ in documents]
    made = Corpus.from_texts(texts, labels=[labels for _, labels in documents])
    with tempfile.TemporaryDirectory() as folder:
        corpus = made.save(Path(folder, "x.corpus"))
        corpus.verify()
        assert corpus.checksum == made.checksum
        assert as_dicts(corpus) == reference.counts(texts)
        assert corpus.token_names(np.arange(corpus.n_vocabulary)) == reference.vocabulary(texts)
        assert corpus.n_tokens == sum(map(len, reference.counts(texts)))
        assert corpus.n_occurrences == sum(len(reference.tokens(text)) for text in texts)
        for row, (_, labels) in enumerate(documents):
            assert corpus.labels_of(row) == sorted(set(labels), key=str.encode)
        for label in {label for _, labels in documents for label in labels}:
            assert corpus.members(label).tolist() == [i for i, (_, of_one) in enumerate(documents) if label in of_one]
        for token_id, token in enumerate(reference.vocabulary(texts)):
            assert corpus.token_id(token) == token_id
            assert corpus.document_frequency[token_id] == sum(token in counts for counts in reference.counts(texts))


def test_sizes_and_description(corpus: Corpus) -> None:
    assert len(corpus) == corpus.n_documents == 4
    assert (corpus.n_labels, corpus.n_memberships, corpus.n_vocabulary) == (2, 3, 10)
    assert repr(corpus) == "<Corpus in memory: 4 documents, 10 distinct tokens, 2 labels>"
    assert corpus.path is None


def test_ids_and_titles(corpus: Corpus) -> None:
    assert corpus.ids([3, 0]) == ["a", "d"]
    assert corpus.titles([1]) == ["Two"]
    assert corpus.row("b") == 1
    assert corpus.rows(["a", "d", "a"]).tolist() == [3, 0, 3]
    with pytest.raises(IndexError):
        corpus.ids([4])
    with pytest.raises(TypeError):
        corpus.ids([0.5])


def test_unknown_documents() -> None:
    corpus = Corpus.from_texts(["a"] * 200, ids=[f"doc-{i:03d}" for i in range(200)])
    with pytest.raises(UnknownName, match="no document 'doc-0333'; did you mean 'doc-033'"):
        corpus.row("doc-0333")
    with pytest.raises(UnknownName, match=r"no document 'x'.*\(4 of 5 ids are not there: 'x', 'y', 'z', …\)"):
        corpus.rows(["doc-001", "x", "y", "z", "zz"])
    many = [f"doc-{i % 200:03d}" for i in range(500)]
    assert corpus.rows(many).tolist() == [i % 200 for i in range(500)]
    with pytest.raises(UnknownName, match="no document 'doc-999'"):
        corpus.rows([*many, "doc-999"])


def test_take_and_matrix(corpus: Corpus) -> None:
    everything = corpus.matrix().toarray()
    rows = np.array([2, 0, 0, 3])
    assert np.array_equal(corpus.matrix(rows).toarray(), everything[rows])
    assert np.array_equal(corpus.matrix(rows, binary=True).toarray(), everything[rows] > 0)
    indptr, tokens = corpus.take(rows)
    assert indptr.dtype == np.int64
    assert tokens.dtype == np.uint32
    assert [sorted(tokens[a:b].tolist()) for a, b in pairwise(indptr)] == [
        np.flatnonzero(everything[row]).tolist() for row in rows
    ]
    assert corpus.take([])[1].size == 0
    with pytest.raises(IndexError):
        corpus.take([-1])


def test_take_over_many_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("priorwise.corpus.build.ingestion.DOCUMENTS_PER_SHARD", 3)
    texts = [" ".join(f"t{j}" for j in range(i % 7)) for i in range(20)]
    corpus = Corpus.from_texts(texts)
    assert len(list(corpus.batches())) == 7
    rows = np.random.default_rng(0).integers(0, 20, 50)
    assert np.array_equal(corpus.matrix(rows).toarray(), corpus.matrix().toarray()[rows])
    assert corpus.ids(rows) == [str(row) for row in rows]


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_shards_do_not_change_the_content(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"common w{i % 5} w{i % 3} rare{i} é漢" for i in range(25)]
    labels = [[f"l{i % 4}", f"m{i}"] for i in range(25)]
    monkeypatch.setattr("priorwise.corpus.build.ingestion.DOCUMENTS_PER_SHARD", size)
    monkeypatch.setattr("priorwise.corpus.build.merge.ENTRIES_PER_RANGE", 1 + size)
    corpus = Corpus.from_texts(texts, labels=labels)
    assert corpus.token_names(np.arange(corpus.n_vocabulary)) == reference.vocabulary(texts)
    assert as_dicts(corpus) == reference.counts(texts)
    assert corpus.members("l1").tolist() == list(range(1, 25, 4))
    assert corpus.largest_labels(2) == [("l0", 7), ("l1", 6)]


@pytest.mark.parametrize(("repeats", "kind"), [(255, np.uint8), (256, np.uint16), (70_000, np.uint32)])
def test_counts_take_the_narrowest_type(repeats: int, kind: type) -> None:
    corpus = Corpus.from_texts(["x " * repeats])
    (batch,) = corpus.batches()
    assert batch.counts.dtype == kind
    assert batch.counts.tolist() == [repeats]


def test_the_files_are_plain_arrow(corpus: Corpus, tmp_path: Path) -> None:
    corpus.save(tmp_path / "x.corpus")
    tables = {
        path.stem: pa.ipc.open_file(path).read_all().to_pydict() for path in (tmp_path / "x.corpus").glob("*.arrow")
    }
    assert tables["labels"] == {
        "label": ["Hamlet", "Refusals"],
        "documents": [[0, 1], [1]],
        "origins": [[0, 0], [0]],
    }
    assert tables["documents"]["labels"] == [[0], [0, 1], [], []]
    assert tables["id_order"]["document"] == [3, 1, 2, 0]
    assert tables["vocabulary"]["token"][0] == "not"
    assert [tables["vocabulary"]["token"][i] for i in tables["token_order"]["token"]] == sorted(
        tables["vocabulary"]["token"], key=str.encode
    )


def test_batches_are_views_of_the_file(corpus: Corpus, tmp_path: Path) -> None:
    opened = corpus.save(tmp_path / "x.corpus")
    before = pa.total_allocated_bytes()
    batches = list(opened.batches())
    frequency = opened.document_frequency
    assert pa.total_allocated_bytes() <= before
    assert not any(batch.tokens.flags.owndata or batch.tokens.flags.writeable for batch in batches)
    assert not frequency.flags.owndata


def test_vectorize(corpus: Corpus) -> None:
    assert np.array_equal(corpus.vectorize(TEXTS).toarray(), corpus.matrix().toarray())
    assert corpus.vectorize(["unheard of"]).nnz == 0
    assert corpus.vectorize([]).shape == (0, corpus.n_vocabulary)
    many = " ".join(f"w{i}" for i in range(200))
    assert corpus.vectorize([many + " not to be"]).sum() == 3


def test_a_corpus_of_rule_1_cuts_new_texts_by_rule_1(tmp_path: Path) -> None:
    path = tmp_path / "thai.corpus"
    corpus = Corpus.from_texts(["ภาษาไทย", "ไทย"], path=path)
    assert corpus.vectorize(["ภาษาไทย"]).sum() == 5
    old = replace(Manifest.read(path), tokenizer=this_tokenizer(1))
    (path / "manifest.json").write_bytes(old.to_json())
    assert Corpus.open(path).vectorize(["ภาษาไทย", "ไทย"]).toarray().sum(axis=1).tolist() == [0, 1]


def test_from_matrix_like_count_vectorizer(tmp_path: Path) -> None:
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(TEXTS[:2])
    corpus = Corpus.from_matrix(X, vectorizer.vocabulary_, labels=LABELS[:2], path=tmp_path / "x.corpus")
    assert as_dicts(corpus) == reference.counts(TEXTS[:2])
    assert corpus.members("Hamlet").tolist() == [0, 1]
    assert not (tmp_path / "x.corpus.partial").exists()


@pytest.mark.parametrize(
    ("X", "vocabulary", "sentence"),
    [
        ([[0.5]], ["a"], "whole numbers"),
        ([[-1]], ["a"], "no entry below 0"),
        ([[1, 2]], ["a"], "2 columns and the vocabulary 1 tokens"),
        ([[1, 2]], ["a", "a"], "'a' twice"),
        ([[1, 2]], {"a": 0, "b": 2}, "each of the 2 columns"),
    ],
)
def test_matrices_that_are_no_counts(X: list[list[float]], vocabulary: object, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Corpus.from_matrix(sp.csr_matrix(np.array(X)), vocabulary)  # type: ignore[arg-type]


RECORDS = {"id": ["x", "y"], "text": ["red apple", None], "labels": [["fruit", "red"], []]}


@pytest.mark.parametrize("frame", [pd.DataFrame(RECORDS), pl.DataFrame(RECORDS)], ids=["pandas", "polars"])
def test_from_dataframe(frame: object) -> None:
    corpus = Corpus.from_dataframe(frame)
    assert corpus.ids([0, 1]) == ["x", "y"]
    assert as_dicts(corpus) == [{"red": 1, "apple": 1}, {}]
    assert corpus.labels_of(0) == ["fruit", "red"]
    with pytest.raises(UnknownName, match=r"no column 'body'.*are 'id', 'text', 'labels'"):
        Corpus.from_dataframe(frame, text="body")


def test_from_dataframe_with_gaps() -> None:
    frame = pd.DataFrame(
        {"text": ["a", "b", "c"], "labels": ["x;y", float("nan"), None], "title": pd.array([1, 2, None])}
    )
    corpus = Corpus.from_dataframe(frame, separator=";")
    assert [corpus.labels_of(row) for row in range(3)] == [["x", "y"], [], []]
    assert corpus.titles([0, 1, 2]) == ["1", "2", "2"]


def test_from_records() -> None:
    records = [{"text": "a b", "labels": '["x", "y"]'}, {"text": "b", "title": "B"}]
    corpus = Corpus.from_records(iter(records))
    assert corpus.ids([0, 1]) == ["0", "1"]
    assert corpus.titles([0, 1]) == ["0", "B"]
    assert corpus.labels_of(0) == ["x", "y"]
    with pytest.raises(InputError, match="record 0: the column 'text' holds a dict"):
        Corpus.from_records([{"text": {}}])
    with pytest.raises(InputError, match="record 1 is int"):
        Corpus.from_records([{"text": "a"}, 3])  # type: ignore[list-item]


def test_what_cannot_be_a_corpus() -> None:
    with pytest.raises(NotEnoughData, match="no document"):
        Corpus.from_texts([])
    with pytest.raises(InputError, match="two documents have the id 'x'"):
        Corpus.from_texts(["a", "b", "c"], ids=["x", "w", "x"])
    with pytest.raises(InputError, match="2 labels do not fit the texts"):
        Corpus.from_texts((text for text in ["a", "b", "c"]), labels=["x", "y"])
    with pytest.raises(InputError, match="4 ids do not fit the texts"):
        Corpus.from_texts(["a", "b", "c"], ids=list("wxyz"))
    with pytest.raises(InputError, match="one string"):
        Corpus.from_texts("text")
    with pytest.raises(InputError, match="text 1 is NoneType"):
        Corpus.from_texts(["a", None])  # type: ignore[list-item]


def test_strange_strings() -> None:
    corpus = Corpus.from_texts(["\ud800"], ids=["\udfff"], labels=[["\ud800", "?", ""]])
    assert corpus.ids([0]) == ["?"]
    assert corpus.labels_of(0) == ["?"]
    assert corpus.n_vocabulary == 0
    assert corpus.matrix().shape == (1, 0)


def test_importing_the_corpus_imports_nothing_slow(shell: Shell) -> None:
    slow = "import sys, priorwise.corpus; print({'sklearn', 'scipy', 'numba', 'pandas'} & set(sys.modules))"
    assert shell("-c", slow).stdout.strip() == "set()"
