from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
import reference_text as reference
from hypothesis import given, settings
from hypothesis import strategies as st

from priorwise.corpus import Corpus
from priorwise.corpus.lookup import LabelSearch, nearest_occurrence
from priorwise.errors import UnknownName

NAMES = [
    "Learning",
    "Machine learning",
    "machine LEARNING",
    "Machine learning algorithms",
    "Sewing machines",
    "Música",
    "Music",
]
SIZES = np.array([5, 199, 3, 7, 40, 8, 90])


@pytest.fixture
def search() -> LabelSearch:
    return LabelSearch(pa.array(NAMES), SIZES)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("machine learning", ["Machine learning", "machine LEARNING", "Machine learning algorithms"]),
        ("Mach", ["Machine learning", "Machine learning algorithms", "machine LEARNING", "Sewing machines"]),
        ("machien", ["Machine learning", "Sewing machines", "machine LEARNING", "Machine learning algorithms"]),
        ("MÚSICA", ["Música"]),
        ("msuic", ["Music", "Música"]),
        ("zz", []),
        ("  ", []),
        ("m" * 200, []),
    ],
)
def test_search(search: LabelSearch, query: str, expected: list[str]) -> None:
    found = [name for name, _ in search(query)]
    assert set(found) == set(expected)
    if query != "machien":
        assert found == expected


def test_search_is_bounded_and_gives_sizes(search: LabelSearch) -> None:
    assert search("machine", limit=1) == [("Machine learning", 199)]
    assert search("machine", limit=0) == []
    assert LabelSearch(pa.array([], pa.string()), np.array([], np.int64))("x") == []


@settings(max_examples=150, deadline=None)
@given(
    st.text(st.sampled_from("abcd"), min_size=1, max_size=12),
    st.lists(st.text(st.sampled_from("abcd "), max_size=15), max_size=6),
)
def test_parallel_distances_are_those_of_the_table(pattern: str, labels: list[str]) -> None:
    found = nearest_occurrence(pattern.encode(), pa.array(labels, pa.string()))
    assert found.tolist() == [reference.distance_to_nearest_piece(pattern, label) for label in labels]


def test_unknown_label_names_the_nearest() -> None:
    corpus = Corpus.from_texts(["a"] * 199, labels=["Machine learning"] * 199)
    with pytest.raises(
        UnknownName, match=r"no category 'Machien learning'; did you mean 'Machine learning' \(199 members\)\?"
    ):
        corpus.members("Machien learning")
    with pytest.raises(UnknownName, match=r"no category 'Quux' or similar; the largest is 'Machine learning'$"):
        corpus.members("Quux")
    # A search finds more than names of about the same letters.
    other = Corpus.from_texts(["a"], labels=["Art of the Muromachi"])
    with pytest.raises(UnknownName, match=r"no category 'art'; did you mean 'Art of the Muromachi' \(1 member\)"):
        other.members("art")


def test_sizes() -> None:
    corpus = Corpus.from_texts(["a", "b", "c"], labels=[["x", "y"], "x", None])
    assert corpus.label_sizes().to_pydict() == {"label": ["x", "y"], "documents": [2, 1]}
    assert corpus.largest_labels(1) == [("x", 2)]
    assert corpus.search_labels("X") == [("x", 2)]
    assert Corpus.from_texts(["a"]).largest_labels(3) == []
