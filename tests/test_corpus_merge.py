from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import contents
from priorwise.corpus import CategoryPage, Corpus, Document, Origin, ingest
from priorwise.corpus.build.ingestion import corpus_of
from priorwise.corpus.build.merge import merge
from priorwise.corpus.build.repeats import order_ids, settle_repeats, with_rows
from priorwise.corpus.build.shards import AnyShard, MappedShard, Shard, number_memberships
from priorwise.corpus.build.writing import IngestSummary, write_corpus
from priorwise.corpus.storage.files import FolderPlace, MemoryPlace
from priorwise.errors import InputError
from priorwise.readers.document import Stream

LABELS = ["x", "Y", "é", "zz", "\ud800"]
memberships = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(Origin)), max_size=6)


def lowest(given: Sequence[tuple[str, Origin]]) -> dict[str, int]:
    """Each label once, with its lowest origin, by the bytes of the labels."""
    found: dict[str, int] = {}
    for label, origin in given:
        name = label.replace("\ud800", "?")
        found[name] = min(origin, found.get(name, 99))
    return dict(sorted(found.items(), key=lambda entry: entry[0].encode()))


def spread(document: Document, given: Sequence[tuple[str, Origin]], origin: Origin) -> Document:
    """Put labels where a reader puts them: one origin for `labels`, the rest is `added`."""
    document.labels = [label for label, of in given if of == origin]
    document.added = [label for label, of in given if of != origin]
    document.origin = origin
    return document


@given(st.lists(memberships, max_size=6))
@settings(deadline=None)
def test_labels_are_numbered_as_by_hand(rows: list[list[tuple[str, Origin]]]) -> None:
    found = number_memberships(
        [[label for label, _ in row] for row in rows], [[origin for _, origin in row] for row in rows]
    )
    names = found.names.to_pylist()
    assert names == sorted({label for row in rows for label in lowest(row)}, key=str.encode)
    bounds = found.offsets.tolist()
    listed = [
        {names[number]: origin for number, origin in zip(numbers, origins, strict=True)}
        for numbers, origins in (
            (found.numbers[begin:end].tolist(), found.origins[begin:end].tolist()) for begin, end in pairwise(bounds)
        )
    ]
    assert [list(row.items()) for row in listed] == [list(lowest(row).items()) for row in rows]


@given(
    st.lists(st.tuples(memberships, st.sampled_from([Origin.WRITTEN, Origin.UNKNOWN])), min_size=1, max_size=9),
    st.integers(1, 4),
)
@settings(deadline=None)
def test_members_and_origins_come_back(
    rows: list[tuple[list[tuple[str, Origin]], Origin]], documents_per_shard: int
) -> None:
    documents = [spread(Document(str(number), "", "text"), row, origin) for number, (row, origin) in enumerate(rows)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("priorwise.corpus.build.ingestion.DOCUMENTS_PER_SHARD", documents_per_shard)
        corpus = corpus_of(Corpus, Stream(documents), None)
    # What is not of the document's own origin is added, whatever it was meant to be.
    expected = [lowest([(label, of if of == origin else Origin.ADDED) for label, of in row]) for row, origin in rows]
    assert corpus.n_memberships == sum(map(len, expected))
    assert [corpus.labels_of(row) for row in range(len(rows))] == [list(labels) for labels in expected]
    for label in {label for labels in expected for label in labels}:
        members = [row for row, labels in enumerate(expected) if label in labels]
        assert corpus.members(label).tolist() == members
        assert corpus.member_origins(label).tolist() == [expected[row][label] for row in members]


def test_what_a_shard_holds() -> None:
    shard = Shard.from_documents(
        [
            CategoryPage("Chess", ["Games", "Sports", "Games"], 5, added=["Games", "Board games"]),
            Document("1", "One", "a", ["y", "x"], added=["x", "z"], page=2**40),
            Document("2", "Two", "b", ["z"], origin=Origin.UNKNOWN),
        ]
    )
    assert shard.documents.drop_columns(["id", "title"]).to_pydict() == {
        "labels": [[0, 1, 2], [2]],
        "origins": [[0, 0, 1], [2]],
        "page": [2**40, 0],
        "place": [0, 0],
    }
    assert shard.categories.to_pylist() == [
        {"category": "Chess", "page": 5, "parents": ["Board games", "Games", "Sports"], "origins": [1, 0, 0]}
    ]
    integers = {"labels": pa.uint32(), "origins": pa.uint8()}
    assert {name: shard.documents.schema.field(name).type.value_type for name in integers} == integers
    empty = Shard.from_documents([Document("1", "One", "a")]).categories
    assert empty.num_rows == 0
    assert empty.schema == shard.categories.schema


def merged(shards: Sequence[AnyShard]) -> tuple[bytes, dict[str, bytes]]:
    place = MemoryPlace()
    manifest = merge(shards, place, None)
    return manifest.to_json(), {name: buffer.to_pybytes() for name, buffer in place.buffers.items()}


def entries(*ids: str) -> list[Document | CategoryPage]:
    """Each reading of an id has other words, another title and other labels."""
    found: list[Document | CategoryPage] = [CategoryPage(f"only {ids}", [f"label of {ids[:1]}"])]
    for number, id in enumerate(ids):
        text = f"all {id} words{number} words{number} of{len(ids)}"
        added = [f"l{len(ids)}"]
        found.append(Document(id, f"title {id} {number}", text, [f"label of {id}", "common"], added=added, page=number))
    return found


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), min_size=1, max_size=5).filter(any))
@settings(max_examples=60, deadline=None)
def test_the_first_of_each_id_stays_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, ids: list[list[str]]
) -> None:
    seen: set[str] = set()
    shards, expected = [], []
    left_out = 0
    for of_shard in ids:
        read = entries(*of_shard)
        kept: list[Document | CategoryPage] = []
        for entry in read:
            if isinstance(entry, Document):
                if entry.id in seen:
                    left_out += 1
                    continue
                seen.add(entry.id)
            kept.append(entry)
        shards.append(Shard.from_documents(read))
        expected.append(Shard.from_documents(kept))
    folder = tmp_path_factory.mktemp("thinned")
    thinned, remarks = settle_repeats(shards, "first", lambda number: folder / str(number))
    assert merged(thinned) == merged(expected)
    assert sum(remarks.values()) == left_out
    affected = [number for number, (shard, kept) in enumerate(zip(shards, thinned, strict=True)) if shard is not kept]
    assert sorted(path.name for path in folder.iterdir()) == [str(number) for number in affected]


def write(folder: Path, shards: Sequence[Sequence[Any]], **options: Any) -> IngestSummary:
    makers = [lambda listed=listed: Shard.from_documents(listed) for listed in shards]
    return write_corpus(makers, folder, tokenizer=None, fingerprint={"input": "the same"}, **options)


READ = [entries("a", "b", "a"), entries("c", "b", "d", "b"), entries("e"), entries("a", "c"), entries("f", "a", "e")]
ONCE = [
    [READ[0][i] for i in (0, 1, 2)],
    [READ[1][i] for i in (0, 1, 3)],
    READ[2],
    [READ[3][0]],
    [READ[4][i] for i in (0, 1)],
]


def tables(folder: Path) -> dict[str, bytes]:
    """All but the manifest, which also says what was left out."""
    return {name: content for name, content in contents(folder).items() if name != "manifest.json"}


def test_documents_read_twice(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="two documents have the id 'a'"):
        write(tmp_path / "a.corpus", READ)
    written = write(tmp_path / "a.corpus", READ, duplicates="first", workers=2)
    once = write(tmp_path / "b.corpus", ONCE, duplicates="first")
    assert tables(tmp_path / "a.corpus") == tables(tmp_path / "b.corpus")
    assert written.remarks == {
        "documents left out: their id had been read before ('a', 'b', 'b', 'a', 'c', 'a', 'e')": 7
    }
    assert once.remarks == {}
    assert Corpus.open(tmp_path / "a.corpus").remarks == written.remarks
    assert Corpus.open(tmp_path / "a.corpus").checksum == Corpus.open(tmp_path / "b.corpus").checksum
    assert Corpus.open(tmp_path / "a.corpus").titles(range(6)) == [
        "title a 0", "title b 1", "title c 0", "title d 2", "title e 0", "title f 0",
    ]  # fmt: skip
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.corpus", "b.corpus"]


@pytest.mark.parametrize("moment", ["thinning", "merging"])
def test_an_interruption_after_reading_changes_nothing(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "whole.corpus", READ, duplicates="first")

    def interrupted(*args: Any) -> Any:
        raise KeyboardInterrupt

    calls = iter([with_rows])
    with monkeypatch.context() as patch:
        if moment == "thinning":
            patch.setattr("priorwise.corpus.build.repeats.with_rows", lambda *args: next(calls, interrupted)(*args))
        else:
            patch.setattr(FolderPlace, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write(tmp_path / "a.corpus", READ, duplicates="first")
    assert (tmp_path / "a.corpus.partial" / "thinned-000000").is_dir()
    written = write(tmp_path / "a.corpus", READ, duplicates="first")
    assert written.resumed == sum(len(listed) - 1 for listed in READ)
    assert sum(written.remarks.values()) == 7
    assert contents(tmp_path / "a.corpus") == contents(tmp_path / "whole.corpus")


class Labelled:
    """A shard whose documents all have one more label, which was added."""

    def __init__(self, shard: AnyShard, label: str) -> None:
        self._shard, self._label = shard, label

    def __getattr__(self, name: str) -> Any:
        return getattr(self._shard, name)

    @property
    def labels(self) -> pa.RecordBatch:
        return pa.RecordBatch.from_pydict({"label": [*self._shard.labels["label"].to_pylist(), self._label]})

    @property
    def documents(self) -> pa.RecordBatch:
        table = self._shard.documents.to_pydict()
        new = self._shard.labels.num_rows
        table["labels"] = [[*labels, new] for labels in table["labels"]]
        table["origins"] = [[*origins, Origin.ADDED] for origins in table["origins"]]
        return pa.RecordBatch.from_pydict(table, schema=self._shard.documents.schema)


@pytest.mark.parametrize("duplicates", ["error", "first"])
def test_shards_are_completed_before_they_are_merged(duplicates: str, tmp_path: Path) -> None:
    read = ONCE if duplicates == "error" else READ
    seen: list[Sequence[MappedShard]] = []

    def complete(shards: Sequence[MappedShard], _allocate: Any) -> Sequence[AnyShard]:
        seen.append(shards)
        return [Labelled(shard, "zzz") for shard in shards]

    write(tmp_path / "a.corpus", read, duplicates=duplicates, complete=complete)
    assert [[type(shard) for shard in shards] for shards in seen] == [[MappedShard] * len(READ)]
    labelled = [
        [replace(entry, added=[*entry.added, "zzz"]) if isinstance(entry, Document) else entry for entry in listed]
        for listed in ONCE
    ]
    write(tmp_path / "b.corpus", labelled)
    assert tables(tmp_path / "a.corpus") == tables(tmp_path / "b.corpus")


def test_shards_without_documents_leave_no_batch(tmp_path: Path) -> None:
    page = CategoryPage("x", ["y"])
    document = Document("1", "One", "a b", ["x"])
    write(tmp_path / "a.corpus", [[], [page], [document], []])
    write(tmp_path / "b.corpus", [[page, document]])
    assert Corpus.open(tmp_path / "a.corpus").batch_sizes == [1]
    assert tables(tmp_path / "a.corpus") == tables(tmp_path / "b.corpus")
    corpus = Corpus.open(tmp_path / "a.corpus")
    assert corpus.take([0])[1].tolist() == [0, 1]
    assert corpus.graph.children("y") == ["x"]


def test_ids_in_order() -> None:
    ids = pa.chunked_array([["b", "a", "b"], [], ["c", "b", "a"]], pa.string())
    found = order_ids(ids)
    assert found.order.tolist() == [1, 5, 0, 2, 4, 3]
    assert found.repeated.tolist() == [2, 4, 5]


def test_many_ids_are_compared_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("priorwise.corpus.build.repeats._AT_A_TIME", 2)
    ids = pa.chunked_array([["b", "a", "b", "d"], ["c", "b", "a", "b"]], pa.string())
    assert order_ids(ids).repeated.tolist() == [2, 5, 6, 7]


def test_a_stream_with_categories(tmp_path: Path) -> None:
    seen: list[tuple[int, int, int]] = []
    listed = [CategoryPage("x", []), Document("1", "One", "a"), CategoryPage("y", ["x"])]
    summary = ingest(Stream(listed), tmp_path / "a.corpus", progress=lambda *told: seen.append(told))
    assert (summary.documents, seen[-1]) == (1, (0, 0, 1))
    assert Corpus.open(tmp_path / "a.corpus").graph.children("x") == ["y"]
