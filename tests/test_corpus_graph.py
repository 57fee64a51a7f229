from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference_graph as reference
from priorwise.corpus import CategoryGraph, CategoryPage, Corpus, Document, ingest
from priorwise.corpus.build.ingestion import corpus_of
from priorwise.corpus.build.merge import category_graph
from priorwise.corpus.build.shards import Shard
from priorwise.errors import DamagedCorpus, InputError, UnknownName
from priorwise.readers.document import Origin, Stream

NAMES = ["a", "b", "B", "é", "aa", "ab"]

pages = st.lists(st.tuples(st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=4)), max_size=8)


def as_dictionary(listed: list[tuple[str, list[str]]]) -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {}
    for name, parents in listed:
        graph.setdefault(name, set()).update(parents)
    return graph


def graph_of(listed: list[tuple[str, list[str]]], cut: int = 0) -> CategoryGraph:
    shards = [
        Shard.from_documents([CategoryPage(name, parents) for name, parents in part])
        for part in (listed[:cut], listed[cut:])
    ]
    return CategoryGraph(category_graph(shards))


@given(pages, st.integers(0, 8), st.none() | st.integers(0, 4))
@settings(max_examples=150, deadline=None)
def test_everything_equals_the_slow_computation(
    listed: list[tuple[str, list[str]]], cut: int, depth: int | None
) -> None:
    expected = as_dictionary(listed)
    graph = graph_of(listed, cut)
    assert graph.names.to_pylist() == reference.names(expected)
    assert graph.n_links == sum(map(len, expected.values()))
    for name in reference.names(expected):
        assert graph.parents(name) == reference.by_bytes(expected.get(name, set()))
        assert graph.children(name) == reference.children(expected, name)
        below = graph.descendants(name, depth)
        assert below.column_names == ["category", "depth", "through"]
        found = list(zip(*(below[column].to_pylist() for column in below.column_names), strict=True))
        assert found == reference.descendants(expected, name, depth)
        for other in reference.names(expected):
            assert graph.path(name, other) == reference.path(expected, name, other)


def test_a_category_in_itself_and_a_circle() -> None:
    graph = graph_of([("a", ["a", "c"]), ("b", ["a"]), ("c", ["b"])])
    assert graph.parents("a") == ["a", "c"]
    assert graph.descendants("a").to_pylist() == [
        {"category": "b", "depth": 1, "through": "a"},
        {"category": "c", "depth": 2, "through": "b"},
    ]
    assert graph.path("a", "a") == ["a"]
    assert graph.path("b", "a") == ["b", "c", "a"]


def test_of_two_ways_as_short_the_first_by_name() -> None:
    graph = graph_of([("end", ["x", "y"]), ("x", ["top2"]), ("y", ["top1"]), ("top1", ["top"]), ("top2", ["top"])])
    assert graph.path("top", "end") == ["top", "top1", "y", "end"]


def test_a_long_chain() -> None:
    listed = [(f"{i + 1:05d}", [f"{i:05d}"]) for i in range(5000)]
    graph = graph_of(listed)
    assert graph.path("00000", "05000") == [f"{i:05d}" for i in range(5001)]
    assert graph.descendants("00000", 3)["category"].to_pylist() == ["00001", "00002", "00003"]


def test_names_that_are_not_there() -> None:
    graph = graph_of([("Neural networks", ["Machine learning"])])
    assert "Neural networks" in graph
    assert "Machine learning" in graph
    assert "Music" not in graph
    assert 7 not in graph
    for ask in (graph.parents, graph.children, graph.descendants):
        with pytest.raises(UnknownName, match="no category 'Nueral networks'; did you mean 'Neural networks'"):
            ask("Nueral networks")
    with pytest.raises(UnknownName, match="no category 'Music'"):
        graph.path("Machine learning", "Music")
    with pytest.raises(InputError, match="cannot be negative"):
        graph.descendants("Machine learning", -1)


def test_a_corpus_without_categories_has_an_empty_graph(tmp_path: Path) -> None:
    corpus = Corpus.from_texts(["a"], labels=["x"], path=tmp_path / "a.corpus")
    assert repr(corpus.graph) == "<CategoryGraph: 0 categories, 0 links>"
    assert len(corpus.graph) == 0
    assert "x" not in corpus.graph
    assert not (tmp_path / "a.corpus" / "categories.arrow").exists()
    with pytest.raises(UnknownName, match="no category 'x'"):
        corpus.graph.parents("x")


ENTRIES = [
    CategoryPage("Deep learning", ["Machine learning"], 12, origin=Origin.UNKNOWN),
    Document("1", "One", "some text", ["Deep learning"], page=3),
    CategoryPage("Machine learning", [], 13, added=["Learning"]),
]


def test_a_graph_in_a_folder(tmp_path: Path) -> None:
    summary = ingest(Stream(ENTRIES), tmp_path / "a.corpus")
    assert (summary.documents, summary.labels) == (1, 1)
    corpus = Corpus.open(tmp_path / "a.corpus")
    corpus.verify()
    assert corpus.graph.path("Learning", "Deep learning") == ["Learning", "Machine learning", "Deep learning"]
    again = corpus_of(Corpus, Stream(ENTRIES), None).save(tmp_path / "b.corpus")
    assert again.checksum == corpus.checksum
    table = pa.ipc.open_file(tmp_path / "b.corpus" / "categories.arrow").read_all()
    assert table.to_pydict() == {
        "category": ["Deep learning", "Learning", "Machine learning"],
        "parents": [[2], [], [1]],
        "children": [[], [2], [0]],
    }
    assert [field.type for field in table.schema] == [pa.string(), pa.list_(pa.uint32()), pa.list_(pa.uint32())]


def test_a_damaged_graph(tmp_path: Path) -> None:
    corpus = corpus_of(Corpus, Stream(ENTRIES), None).save(tmp_path / "a.corpus")
    file = tmp_path / "a.corpus" / "categories.arrow"
    file.write_bytes(bytes(file.stat().st_size))
    with pytest.raises(DamagedCorpus, match=r"categories\.arrow: it does not match its checksum"):
        _ = Corpus.open(corpus.path or "").graph


def test_a_category_without_members_of_its_own_is_known() -> None:
    corpus = corpus_of(Corpus, Stream(ENTRIES), None)
    assert corpus.members("Machine learning").tolist() == corpus.member_origins("Machine learning").tolist() == []
    with pytest.raises(UnknownName, match="no category 'Deep lerning'; did you mean 'Deep learning'"):
        corpus.members("Deep lerning")
