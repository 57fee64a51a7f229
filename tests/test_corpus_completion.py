from __future__ import annotations

import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference_sql import Dump, Wiki, categorylinks_dump, linktarget_dump, new_categorylinks_dump, page_dump

from conftest import contents
from priorwise.corpus.build import completion as scratch
from priorwise.corpus.build.completion import ADDED, NO_PAGE, NO_TARGET, NONE, NOT_HERE, CategoryNames, complete
from priorwise.corpus.build.merge import in_memory, merge
from priorwise.corpus.build.shards import Allocate, AnyShard, MappedShard, Shard
from priorwise.corpus.build.writing import write_corpus
from priorwise.corpus.storage.files import MemoryPlace
from priorwise.errors import BrokenFile, InputError
from priorwise.readers.document import CategoryPage, Document, Entry, Origin, Remarks
from priorwise.wiki.sql import CUT_OFF, SqlTables

NAMES = ["Tea", "Hot drinks", "Ça", "茶", "Milk", "Zoo's", "A", "B"]
FURTHER = {90: "Further", 91: "Tea gardens"}


def mapped(folder: Path) -> Any:
    """Scratch room in files, as a corpus in the making has it."""

    def allocate(name: str, size: int) -> NDArray[np.uint32]:
        path = folder / f"{name}.scratch"
        path.write_bytes(bytes(4 * size))
        return np.memmap(path, np.uint32, "r+", shape=(size,)) if size else np.empty(0, np.uint32)

    return allocate


def entries_of(wiki: Wiki) -> list[Entry]:
    made: list[Entry] = []
    for page, labels in wiki.documents.items():
        written = [label for label, origin in labels.items() if origin != Origin.ADDED]
        origin = Origin.UNKNOWN if Origin.UNKNOWN in labels.values() else Origin.WRITTEN
        added = [label for label, origin in labels.items() if origin == Origin.ADDED]
        made.append(Document(str(page), f"T{page}", f"word{page} tea", written, added, origin, page))
    for page, (name, parents) in wiki.categories.items():
        made.append(CategoryPage(name, list(parents), page))
    return made


def shards_of(entries: Sequence[Entry], cuts: Sequence[int]) -> list[AnyShard]:
    bounds = [0, *sorted(cut % (len(entries) + 1) for cut in cuts), len(entries)]
    return [Shard.from_documents(entries[start:end]) for start, end in pairwise(bounds)]


def labels_in(shards: Sequence[AnyShard]) -> dict[int, dict[str, int]]:
    found: dict[int, dict[str, int]] = {}
    for shard in shards:
        names = shard.labels.column("label").to_pylist()
        assert names == sorted(set(names), key=str.encode)
        for row in shard.documents.to_pylist():
            assert len(set(row["labels"])) == len(row["labels"]) == len(row["origins"])
            of_row = zip(row["labels"], row["origins"], strict=True)
            found[row["page"]] = {names[label]: origin for label, origin in of_row}
    return found


def parents_in(shards: Sequence[AnyShard]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for shard in shards:
        for row in shard.categories.to_pylist():
            assert row["category"] not in found
            found[row["category"]] = dict(zip(row["parents"], row["origins"], strict=True))
    return found


def files_of(wiki: Wiki, folder: Path, schema: str, *, with_pages: bool, random: Random | None = None) -> SqlTables:
    """Write a wiki's tables as one of the schemas has them."""
    numbers = {name: 100 + 3 * place for place, name in enumerate(sorted({to for _, to, _ in wiki.links}))}
    links = folder / "wiki-categorylinks.sql"
    if schema == "names":
        links.write_bytes(categorylinks_dump(wiki.links, rows_per_statement=3, random=random))
    elif schema == "numbers":
        links.write_bytes(new_categorylinks_dump([(page, numbers[to], kind) for page, to, kind in wiki.links]))
    else:
        # While the one gives way to the other some rows have both.
        rows = [
            (page, b"" if place % 3 else to.encode(), None if place % 3 == 0 else numbers[to], kind.encode())
            for place, (page, to, kind) in enumerate(wiki.links)
        ]
        links.write_bytes(Dump("categorylinks", ["cl_from", "cl_to", "cl_target_id", "cl_type"], rows).to_bytes())
    targets = folder / "wiki-linktarget.sql"
    of_others = [(7, 0, "Tea"), (8, 14, "Not used"), (101, 10, "Tea")]
    targets.write_bytes(linktarget_dump([*of_others, *((number, 14, name) for name, number in numbers.items())]))
    pages = folder / "wiki-page.sql"
    pages.write_bytes(page_dump([(90, 14, "Further"), (91, 14, "Tea gardens"), (92, 0, "X"), (50, 14, "Wrong name")]))
    return SqlTables([links], () if schema == "names" else [targets], [pages] if with_pages else ())


pages = st.sampled_from([*range(1, 9), 50, 51, 90, 91, 99])
origins = st.sampled_from([Origin.WRITTEN, Origin.ADDED])


@st.composite
def wikis(draw: st.DrawFn) -> Wiki:
    labels = st.dictionaries(st.sampled_from(NAMES), origins, max_size=4)
    unknown = st.dictionaries(st.sampled_from(NAMES), st.just(Origin.UNKNOWN), max_size=4)
    documents = draw(st.dictionaries(st.integers(1, 8), labels | unknown, min_size=1, max_size=6))
    above = st.dictionaries(st.sampled_from(NAMES), st.just(Origin.WRITTEN), max_size=3)
    categories = {page: (name, draw(above)) for page, name in ((50, "Drinks"), (51, "Tea")) if draw(st.booleans())}
    kinds = st.sampled_from(["page", "subcat", "file"])
    links = draw(st.lists(st.tuples(pages, st.sampled_from(NAMES), kinds), max_size=20))
    return Wiki(documents, categories, links, {page: name for page, name in FURTHER.items() if page not in categories})


@given(
    wikis(),
    st.lists(st.integers(0, 20), max_size=3),
    st.sampled_from(["names", "numbers", "both"]),
    st.booleans(),
    st.randoms(use_true_random=False),
)
@settings(deadline=None)
def test_equals_the_join_by_the_letter(
    wiki: Wiki, cuts: list[int], schema: str, with_pages: bool, random: Random
) -> None:
    if with_pages and 50 not in wiki.categories:
        wiki.other_pages[50] = "Wrong name"
    with tempfile.TemporaryDirectory() as folder:
        tables = files_of(wiki, Path(folder), schema, with_pages=with_pages, random=random)
        tables.check()
        shards = shards_of(entries_of(wiki), cuts)
        remarks = Remarks()
        completed = complete(shards, tables, in_memory, remarks=remarks)
        assert len(completed) == len(shards)
        documents, parents = wiki.completed(with_pages=with_pages)
        assert labels_in(completed) == documents
        assert parents_in(completed) == parents
        for before, after in zip(shards, completed, strict=True):
            assert before.documents.column("id") == after.documents.column("id")
            assert before.tokens == after.tokens
            assert before.vocabulary == after.vocabulary

        named = set(wiki.categories) | (set(wiki.other_pages) if with_pages else set())
        said = {
            ADDED: sum(map(len, documents.values())) - sum(map(len, wiki.documents.values())),
            NOT_HERE: sum(kind == "page" and page not in documents for page, _, kind in wiki.links),
            NO_PAGE: sum(kind == "subcat" and page not in named for page, _, kind in wiki.links),
        }
        assert remarks.lines() == {what: n for what, n in said.items() if n}


def merged(shards: Sequence[AnyShard]) -> dict[str, bytes]:
    place = MemoryPlace()
    merge(shards, place, None)
    return {name: buffer.to_pybytes() for name, buffer in place.buffers.items()}


def test_the_corpus_is_that_of_documents_which_had_all_their_labels(tmp_path: Path) -> None:
    wiki = Wiki(
        {1: {"Tea": 0, "Milk": 0}, 2: {}, 3: {"A": 1}},
        {50: ("Drinks", {"A": 0}), 51: ("Tea", {})},
        [(1, "Tea", "page"), (1, "B", "page"), (2, "Tea", "page"), (50, "B", "subcat"), (91, "Drinks", "subcat")],
        FURTHER,
    )
    tables = files_of(wiki, tmp_path, "numbers", with_pages=True)
    completed = complete(shards_of(entries_of(wiki), [2]), tables, mapped(tmp_path))
    documents, _ = wiki.completed(with_pages=True)
    entries: list[Entry] = [
        *entries_of(Wiki(documents, {}, [], {})),
        CategoryPage("Drinks", ["A"], 50, ["B"]),
        CategoryPage("Tea", [], 51),
        CategoryPage("Tea gardens", [], 91, ["Drinks"]),
    ]
    assert merged(completed) == merged(shards_of(entries, [2]))


def test_a_page_that_is_there_twice_and_one_without_a_number(tmp_path: Path) -> None:
    links = tmp_path / "links.sql"
    links.write_bytes(categorylinks_dump([(7, "Tea", "page"), (0, "Milk", "page")]))
    entries: list[Entry] = [Document(name, name, "x", page=page) for name, page in (("a", 7), ("b", 7), ("c", 0))]
    remarks = Remarks()
    completed = complete(shards_of(entries, [1]), SqlTables([links]), in_memory, remarks=remarks)
    rows = [row for shard in completed for row in shard.documents.to_pylist()]
    assert [len(row["labels"]) for row in rows] == [1, 0, 0]
    assert remarks.lines() == {ADDED: 1, NOT_HERE: 1}


def test_a_name_in_a_table_is_that_of_the_texts(tmp_path: Path) -> None:
    links = tmp_path / "links.sql"
    links.write_bytes(categorylinks_dump([(1, "hot drinks", "page"), (1, "Hot drinks", "page"), (1, "ça", "page")]))
    shard = Shard.from_documents([Document("a", "a", "x", ["Hot drinks"], page=1)])
    assert labels_in(complete([shard], SqlTables([links]), in_memory)) == {1: {"Hot drinks": 0, "Ça": 1}}


def test_a_table_from_before_there_were_types(tmp_path: Path) -> None:
    links = tmp_path / "links.sql"
    rows = [(1, b"Tea", b""), (50, b"Drinks", b""), (3, b"X", b"")]
    links.write_bytes(Dump("categorylinks", ["cl_from", "cl_to", "cl_sortkey"], rows).to_bytes())
    shard = Shard.from_documents([Document("a", "a", "x", page=1), CategoryPage("Tea", [], 50)])
    remarks = Remarks()
    completed = complete([shard], SqlTables([links]), in_memory, remarks=remarks)
    assert labels_in(completed) == {1: {"Tea": 1}}
    assert parents_in(completed) == {"Tea": {"Drinks": 1}}
    assert remarks.lines() == {ADDED: 1, NOT_HERE: 1}


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    links = tmp_path / "enwiki-20260101-categorylinks.sql"
    links.write_bytes(new_categorylinks_dump([(1, 5, "page"), (1, 6, "page"), (1, None, "page")]))
    shard = Shard.from_documents([Document("a", "a", "x", page=1)])
    complaint = (
        r"enwiki-20260101-categorylinks\.sql has numbers for the categories, and their names are in the table "
        r"linktarget: fetch enwiki-20260101-linktarget\.sql from where it came from, and give it too"
    )
    with pytest.raises(InputError, match=complaint):
        SqlTables([links]).check()
    with pytest.raises(InputError, match=complaint):
        complete([shard], SqlTables([links]), in_memory)
    with pytest.raises(BrokenFile, match="this is the table 'categorylinks', and 'linktarget' was expected"):
        SqlTables([links], [links]).check()
    unnamed = tmp_path / "rows.sql"
    unnamed.write_bytes(links.read_bytes())
    with pytest.raises(InputError, match=r"fetch …-linktarget\.sql\.gz"):
        SqlTables([unnamed]).check()

    targets = tmp_path / "targets.sql"
    targets.write_bytes(linktarget_dump([(5, 14, "Tea"), (6, 0, "Tea")]))
    remarks = Remarks()
    assert labels_in(complete([shard], SqlTables([links], [targets]), in_memory, remarks=remarks)) == {1: {"Tea": 1}}
    assert remarks.lines() == {ADDED: 1, NO_TARGET: 2}


def test_a_table_that_breaks_off_is_used_and_named(tmp_path: Path) -> None:
    links = tmp_path / "links.sql"
    whole = categorylinks_dump([(1, "Tea", "page"), (1, "Milk", "page")])
    links.write_bytes(whole[: whole.index(b"Milk")])
    told: list[tuple[int, int]] = []
    remarks = Remarks()
    tables = SqlTables([links])
    shard = Shard.from_documents([Document("a", "a", "x", page=1)])
    completed = complete([shard], tables, in_memory, remarks=remarks, progress=lambda *done: told.append(done))
    assert labels_in(completed) == {1: {"Tea": 1}}
    assert remarks.lines() == {f"{CUT_OFF} (links.sql, after row 1)": 1, ADDED: 1}
    assert told == [(links.stat().st_size, tables.total_bytes)]


def test_an_interrupted_run_and_any_number_of_workers_give_the_same_bytes(tmp_path: Path) -> None:
    random = Random(3)
    names = [f"Category {number}" for number in range(300)]
    wiki = Wiki(
        {page: dict.fromkeys(random.sample(names, 3), 0) for page in range(1, 400)},
        {1000 + number: (name, {}) for number, name in enumerate(names[:200])},
        [(random.randrange(1, 500), random.choice(names), "page") for _ in range(5000)]
        + [(1000 + random.randrange(250), random.choice(names), "subcat") for _ in range(600)],
        {},
    )
    tables = files_of(wiki, tmp_path, "numbers", with_pages=True)
    entries = entries_of(wiki)
    makers = [lambda some=entries[start : start + 40]: Shard.from_documents(some) for start in range(0, 599, 40)]

    def write(name: str, workers: int, interrupt: bool = False) -> dict[str, bytes]:
        def completing(shards: Sequence[MappedShard], allocate: Allocate) -> Sequence[AnyShard]:
            completed = complete(shards, tables, allocate)
            if interrupt:
                raise KeyboardInterrupt
            return completed

        path = tmp_path / f"{name}.corpus"
        write_corpus(makers, path, tokenizer=None, fingerprint={"x": 1}, workers=workers, complete=completing)
        return contents(path)

    first = write("one", workers=1)
    with pytest.raises(KeyboardInterrupt):
        write("two", workers=2, interrupt=True)
    assert write("two", workers=2) == first


def test_pairs_and_tables_in_many_blocks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(scratch, "_FIRST_BLOCK", 4)
    monkeypatch.setattr(scratch, "_LARGEST_BLOCK", 2048)
    random = np.random.default_rng(0)
    pairs = scratch.Pairs("x", mapped(tmp_path))
    keys = random.integers(0, 50, 1000).astype(np.uint32)
    values = random.integers(0, 9, 1000).astype(np.uint32)
    for start in range(0, 1000, 37):
        pairs.append(keys[start : start + 37], values[start : start + 37])
    grouped = pairs.grouped(50)
    for key in range(50):
        of_key = grouped.of(key, key + 1)
        assert of_key.values.tolist() == values[keys == key].tolist()

    shelf = scratch.ScratchTables("y", mapped(tmp_path))
    made = [pa.RecordBatch.from_pydict({"a": [str(number)] * number}) for number in range(1, 200, 7)]
    places = [shelf.put(table) for table in made]
    assert [scratch.table_at(place) for place in places] == made
    assert 1 < len(list(tmp_path.glob("y-*"))) < len(made)


@given(st.lists(st.lists(st.text("aBé茶_ ", max_size=5), max_size=30), max_size=4))
@settings(deadline=None)
def test_names_are_numbered_as_a_dictionary_would(batches: list[list[str]]) -> None:
    from priorwise.wiki.wikitext import category_name

    names = CategoryNames()
    numbers: dict[str, int] = {}
    for batch in batches:
        for name, number in zip(batch, names.add(pa.array(batch, pa.string())).tolist(), strict=True):
            assert numbers.setdefault(category_name(name), number) == number
    assert len(set(numbers.values())) == len(numbers)
    assert names.take(np.array(list(numbers.values()), np.int64)).to_pylist() == list(numbers)
    every = [name for batch in batches for name in batch]
    assert names.find(pa.array(every, pa.string())).tolist() == [numbers[category_name(name)] for name in every]
    assert names.find(pa.array(["not there"])).tolist() == [NONE]
