from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from priorwise.corpus import Corpus
from priorwise.corpus.build.copies import FOUND, SHORTEST, copies_in, first_copies
from priorwise.corpus.build.shards import Shard
from priorwise.models.regression.member_trials import draw_folds
from priorwise.readers.document import Document
from priorwise.review.session import Session
from priorwise.text.copies import ALIKE, near_copies

sets = st.lists(st.sets(st.integers(0, 11), max_size=12), min_size=1, max_size=12)


def matrix(rows: list[set[int]]) -> csr_matrix:
    dense = np.zeros((len(rows), 12))
    for place, row in enumerate(rows):
        dense[place, sorted(row)] = 1.0
    return csr_matrix(dense)


def shared(one: set[int], other: set[int]) -> float:
    return len(one & other) / max(1, len(one | other))


def literal(rows: list[set[int]]) -> list[int]:
    """Join rows that share enough, until nothing changes."""
    group = list(range(len(rows)))
    for _ in rows:
        for a, one in enumerate(rows):
            for b, other in enumerate(rows):
                if one and other and shared(one, other) >= ALIKE:
                    group[a] = group[b] = min(group[a], group[b])
    return group


@settings(max_examples=200, deadline=None)
@given(sets)
def test_copies_are_found_and_nothing_else_is_joined(rows: list[set[int]]) -> None:
    found, wanted = near_copies(matrix(rows)), literal(rows)
    for a, one in enumerate(rows):
        for b, other in enumerate(rows):
            if found[a] == found[b]:
                assert wanted[a] == wanted[b]
            if one and one == other:
                assert found[a] == found[b]
    assert list(dict.fromkeys(found.tolist())) == list(range(len(set(found.tolist()))))


def test_nearly_all_near_copies_are_found() -> None:
    random = np.random.default_rng(0)
    originals = random.random((200, 3000)) < 0.03
    copies = originals.copy()
    copies[random.random(copies.shape) < 0.001] ^= True
    found = near_copies(csr_matrix(np.vstack([originals, copies]).astype(float)))
    assert np.mean(found[:200] == found[200:]) > 0.98
    assert len(np.unique(found[:200])) == 200


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=2, max_size=130), st.integers(0, 5))
def test_copies_are_left_out_together(copies: list[int], seed: int) -> None:
    groups = np.unique(copies, return_inverse=True)[1]
    fold = draw_folds(len(copies), seed, groups)
    if len(set(copies)) > 1:
        assert all(len(set(fold[groups == group])) == 1 for group in groups)
        assert len(np.unique(fold)) >= 2
    else:
        assert np.array_equal(fold, draw_folds(len(copies), seed))
    assert np.array_equal(draw_folds(len(copies), seed), draw_folds(len(copies), seed, np.arange(len(copies))))


WORDS = [f"w{n}" for n in range(40)]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=0, max_size=30), min_size=1, max_size=10)


def literal_first(texts: list[set[str]]) -> list[int]:
    """Each document is a copy of the first kept one that it shares enough words with."""
    first = list(range(len(texts)))
    for row, words in enumerate(texts):
        for kept in range(row):
            both = len(words & texts[kept])
            enough = min(len(words), len(texts[kept])) >= SHORTEST and both >= 0.9 * len(words | texts[kept])
            if first[kept] == kept and enough:
                first[row] = kept
                break
    return first


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.data())
def test_first_copies_are_those_of_the_slow_comparison(texts: list[list[str]], data: st.DataObject) -> None:
    # Copies of some, with a word more or a word less.
    for text in list(texts):
        if text and data.draw(st.booleans()):
            texts.append([*text[1:], data.draw(st.sampled_from(WORDS))])
            texts.append(list(text))
    cut = data.draw(st.integers(0, len(texts)))
    documents = [Document(str(n), str(n), " ".join(text)) for n, text in enumerate(texts)]
    shards = [Shard.from_documents(part) for part in (documents[:cut], documents[cut:]) if part]
    found, wanted = first_copies(shards).tolist(), literal_first([set(text) for text in texts])
    for row, first in enumerate(found):
        # What is called a copy is one; of exact copies none is missed.
        if first != row:
            assert literal_first([set(texts[first]), set(texts[row])]) == [0, 0]
        same = [n for n in range(row) if set(texts[n]) == set(texts[row])]
        exact = same[0] if same and len(set(texts[row])) >= SHORTEST else None
        assert exact is None or first != row
    assert sum(a != b for a, b in zip(found, wanted, strict=True)) <= 0.2 * len(texts) + 1


LONG = "one two three four five six seven eight nine ten eleven twelve"
RECORDS = [
    {"id": "a", "text": LONG, "labels": "x"},
    {"id": "b", "text": "something else altogether with no fewer than ten words of its own here", "labels": "y"},
    {"id": "c", "text": f"{LONG} thirteen", "labels": "z; x"},
    {"id": "d", "text": "short text", "labels": ""},
    {"id": "e", "text": "short text", "labels": ""},
]


def test_copies_are_counted_dropped_or_joined(tmp_path: Path) -> None:
    for path in (None, tmp_path / "a.corpus"):
        for copies, ids, labels in (
            ("keep", ["a", "b", "c", "d", "e"], ["x"]),
            ("drop", ["a", "b", "d", "e"], ["x"]),
            ("join", ["a", "b", "d", "e"], ["x", "z"]),
        ):
            folder = None if path is None else tmp_path / f"{copies}.corpus"
            corpus = Corpus.from_records(RECORDS, copies=copies, path=folder)  # type: ignore[arg-type]
            assert corpus.ids(range(len(corpus))) == ids
            assert corpus.labels_of(0) == labels
            (remark,) = [remark for remark in corpus.remarks if remark.startswith(FOUND)]
            assert "('c')" in remark
            assert corpus.remarks[remark] == 1
    assert copies_in(Corpus.from_records(RECORDS[:2])) is None
    groups = copies_in(Corpus.from_records(RECORDS))
    assert groups is not None
    assert groups.tolist() == [0, 1, 0, 2, 3]


def test_a_copy_is_shown_once_in_the_queue() -> None:
    tea, hay = "tea leaf cup pot water hot green black milk sugar", "hay cow barn grass field farm straw fork mud rain"
    records = [{"id": f"m{n}", "text": f"{tea} only{n} more{n}", "labels": "Tea"} for n in range(4)]
    records += [{"id": f"h{n}", "text": f"{hay} other{n} some{n} much{n}"} for n in range(12)]
    records += [{"id": f"copy{n}", "text": f"{tea} of the very same words"} for n in range(3)]
    corpus = Corpus.from_records(records)
    session = Session(corpus, "Tea")
    shown = [each.id for each in session.next(6)]
    assert sum(id.startswith("copy") for id in shown) == 1
    first = next(id for id in shown if id.startswith("copy"))
    session.judge(first, "yes")
    assert not any(each.id.startswith("copy") for each in session.next(12))
