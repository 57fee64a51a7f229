from __future__ import annotations

import gzip
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priorwise.corpus import Corpus, ingest
from priorwise.errors import BrokenFile, InputError
from priorwise.readers.document import CategoryPage, Document, Entry, Origin
from priorwise.wiki import cirrus
from priorwise.wiki import cirrus as records
from priorwise.wiki.cirrus import CirrusReader
from small_collections import COMPRESSIONS

LONG = "Tea is a drink. " * 30


def action(number: Any, **more: Any) -> dict[str, Any]:
    return {"index": {"_id": number, **more}}


def page(title: str, **fields: Any) -> dict[str, Any]:
    return {"title": title, "namespace": 0, "wiki": "enwiki", "text": LONG, "category": ["Hot drinks"], **fields}


def lines(*items: dict[str, Any] | bytes) -> bytes:
    return b"".join((item if isinstance(item, bytes) else json.dumps(item).encode()) + b"\n" for item in items)


def read(data: bytes, **options: Any) -> tuple[list[Entry], dict[str, int]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "wiki.json")
        path.write_bytes(data)
        reader = CirrusReader([path], **options)
        entries = list(reader)
        assert reader.done_bytes == reader.total_bytes == len(data)
        assert list(reader) == entries
    return entries, reader.remarks


PAGES = lines(
    action("12", _type="page"),
    page("Tea", text_bytes=5000),
    action("13", _type="_doc"),
    page("Hot drinks", namespace=14, text="", category=["Drinks", "Heat"]),
    action("14"),
    page("User:Someone", namespace=2),
)
EXPECTED = [
    Document("Tea", "Tea", LONG, ["Hot drinks"], [], Origin.UNKNOWN, 12),
    CategoryPage("Hot drinks", ["Drinks", "Heat"], 13, [], Origin.UNKNOWN),
]


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_every_compression_and_several_files(suffix: str, tmp_path: Path) -> None:
    paths = [tmp_path / f"wiki-{number}.json{suffix}" for number in range(2)]
    paths[0].write_bytes(COMPRESSIONS[suffix](PAGES))
    paths[1].write_bytes(COMPRESSIONS[suffix](lines(action("99"), page("Milk"))[:-1]))
    reader = CirrusReader(paths)
    assert reader.done_bytes == 0
    entries = list(reader)
    assert entries[:2] == EXPECTED
    assert [entry.page for entry in entries] == [12, 13, 99]
    assert reader.done_bytes == reader.total_bytes == sum(path.stat().st_size for path in paths)
    assert reader.remarks == {records.OTHER_NAMESPACE: 1}


def test_wikitext_tells_written_from_added() -> None:
    source = "'''Tea'''. [[Category:hot_drinks|x]] [[Category:Only in the text]] {{stub}}" + LONG
    entries, _ = read(
        lines(
            action("1"),
            page("Tea", source_text=source, category=["Hot drinks", "Stubs", "Stubs", "all_stubs"]),
            action("2"),
            page("Drinks", namespace=14, source_text="[[Category:A]]", category=["A", "B"]),
            action("3"),
            page("Thé", wiki="frwiki", source_text="[[Catégorie:Boisson]]" + LONG, category=["Boisson"]),
        )
    )
    assert entries == [
        Document("Tea", "Tea", LONG, ["Hot drinks", "Only in the text"], ["Stubs", "All stubs"], Origin.WRITTEN, 1),
        CategoryPage("Drinks", ["A"], 2, ["B"], Origin.WRITTEN),
        Document("Thé", "Thé", LONG, ["Boisson"], [], Origin.WRITTEN, 3),
    ]


@pytest.mark.parametrize(
    "fields",
    [
        {"template": ["Template:Short pages monitor", "Template:Disambiguation page"]},
        {"template": ["Vorlage:Begriffsklärung"], "wiki": "dewiki"},
        {"template": ["Modèle:Homonymie"], "wiki": None, "language": "fr"},
        {"template": ["Thể loại", "Bản mẫu:Trang định hướng"], "wiki": "viwiki"},
        {"template": ["Disambig"]},
        {"template": None, "category": ["All article disambiguation pages"]},
        {"template": [], "category": ["Disambiguation pages"]},
        {"category": ["Begriffsklärung"], "wiki": "dewiki"},
        {"source_text": "{{dab}}"},
    ],
)
def test_disambiguation_pages_are_left_out(fields: dict[str, Any]) -> None:
    entries, remarks = read(lines(action("1"), page("Mercury", **fields), action("2"), page("Tea")))
    assert [entry.page for entry in entries] == [2]
    assert remarks == {records.DISAMBIGUATION: 1}


@pytest.mark.parametrize(
    "fields",
    [
        {"template": ["Template:Tea"], "category": ["Homonymie"], "wiki": "frwiki"},
        {"category": ["TLA"]},
        # Every short description uses this module, on any article.
        {"template": ["Template:Short description", "Module:Disambiguation", "Module:Disambiguation/templates"]},
    ],
)
def test_other_pages_are_not(fields: dict[str, Any]) -> None:
    assert len(read(lines(action("1"), page("Tea", **fields)))[0]) == 1


def test_short_pages_by_what_the_dump_says_of_their_wikitext() -> None:
    entries, remarks = read(
        lines(
            *(action("1"), page("Said to be long", text="x", text_bytes=300)),
            *(action("2"), page("Said to be short", text_bytes=299)),
            *(action("3"), page("Long wikitext", text="x", source_text="é" * 150)),
            *(action("4"), page("Short wikitext", source_text="é" * 149)),
            *(action("5"), page("Long text", text="é" * 150)),
            *(action("6"), page("Short text", text="é" * 149, text_bytes="500")),
            *(action("7"), page("Short category", namespace=14, text_bytes=0)),
        )
    )
    assert [entry.page for entry in entries] == [1, 3, 5, 7]
    assert remarks == {"pages of less than 300 bytes left out": 3}
    assert len(read(lines(action("2"), page("x", text="y", text_bytes=1)), min_bytes=1)[0]) == 1
    with pytest.raises(InputError, match="min_bytes is -1"):
        CirrusReader([], min_bytes=-1)


def test_what_is_wrong_is_counted_and_named_and_the_rest_is_read() -> None:
    entries, remarks = read(
        lines(
            b"\xef\xbb\xbf" + json.dumps(action("1")).encode(),
            page("One"),
            b"",
            b"{broken",
            page("Two", page_id=2),
            action("3"),
            action("4"),
            page("Four"),
            action("5"),
            b"[1, 2]",
            action("6"),
            b"[" * 100_000,
            action("7"),
            page("Seven").keys().__repr__().encode(),
            action("8"),
            page("", namespace="0"),
            action("9"),
            page("Nine", namespace=None),
            action("10"),
            {"title": "Ten"},
            action("11"),
            page("Eleven", namespace="0", category="Tea", wiki=7, template="x", source_text=["x"], page_id=True),
            action(["x"]),
            page("Twelve_12 ", category=["Tea", 7, None, ""]),
            action("13"),
            json.dumps(page("Thirteen")).encode().replace(b"Thirteen", b"Thirt\xff\xfeen"),
            action("14"),
            json.dumps(page("Fourteen", text="\ud800" + LONG)).encode(),
            action(10**30),
        )
    )
    assert [(entry.title, entry.page, entry.labels) for entry in entries if isinstance(entry, Document)] == [
        ("One", 1, ["Hot drinks"]),
        ("Two", 2, ["Hot drinks"]),
        ("Four", 4, ["Hot drinks"]),
        ("Eleven", 11, []),
        ("Twelve 12", 0, ["Tea"]),
        ("Thirt\ufffd\ufffden", 13, ["Hot drinks"]),
        ("Fourteen", 14, ["Hot drinks"]),
    ]
    at = "wiki.json, line "
    assert remarks == {
        f"{cirrus.NO_JSON} ({at}4; {at}10; {at}12; {at}14)": 4,
        f"{cirrus.NO_ACTION} ({at}5)": 1,
        f"{cirrus.NO_DOCUMENT} ({at}6; {at}29)": 2,
        f"{records.NO_TITLE} ({at}16)": 1,
        f"{records.NO_NAMESPACE} ({at}18)": 1,
        f"{records.NO_TEXT} ({at}20)": 1,
        f"{records.NO_CATEGORIES} ({at}22; {at}24)": 2,
        f"{records.NO_PAGE} ({at}24)": 1,
        f"{cirrus.NOT_UTF8} ({at}26)": 1,
    }


@pytest.mark.parametrize(
    "fields",
    [
        {"page_type": "redirect"},
        {"redirect_target": {"title": "Tea", "namespace": 0}},
        {"source_text": "#REDIRECT [[Tea]]" + LONG},
        {"page_type": "redirect", "namespace": 14},
    ],
)
def test_redirects_are_left_out(fields: dict[str, Any]) -> None:
    entries, remarks = read(lines(action("1"), page("Chai", **fields)))
    assert entries == []
    assert remarks == {records.REDIRECT: 1}


@pytest.mark.parametrize("data", [b"", b"\n\n", b"To be\nor not to be", b"[]\n[]", b"\0" * 100])
def test_what_is_no_dump_is_refused(data: bytes) -> None:
    with pytest.raises(BrokenFile, match=r"wiki\.json: no CirrusSearch dump: there is not one JSON object in it"):
        read(data)


def test_bombs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cirrus, "LONGEST_LINE", 1 << 21)
    path = tmp_path / "wiki.json"
    path.write_bytes(
        lines(action("1"), page("Tea", text="x" * (1 << 20)), action("2"), page("x", text="x" * (1 << 23)))
    )
    reader = iter(CirrusReader([path]))
    assert next(reader).page == 1
    with pytest.raises(BrokenFile, match=r"wiki\.json, line 4: the line is longer than 2,097,152 bytes; refused"):
        next(reader)
    packed = tmp_path / "wiki.json.gz"
    with gzip.open(packed, "wb") as file:
        for _ in range(300):
            file.write((b" " * 1023 + b"\n") * (1 << 10))
    with pytest.raises(BrokenFile, match="expands to more than 200 times its size"):
        list(CirrusReader([packed]))


@pytest.mark.parametrize("suffix", [suffix for suffix in COMPRESSIONS if suffix])
def test_an_archive_that_breaks_off(suffix: str, tmp_path: Path) -> None:
    data = lines(*(item for number in range(4000) for item in (action(str(number + 1)), page(f"T{number**9}"))))
    packed = COMPRESSIONS[suffix](data)
    path = tmp_path / f"wiki.json{suffix}"
    path.write_bytes(packed[: len(packed) * 3 // 4])
    reader = CirrusReader([path])
    pages = [entry.page for entry in reader]
    assert pages == list(range(1, len(pages) + 1))
    assert 100 < len(pages) < 4000
    assert any(what.startswith(f"{cirrus.CUT_OFF} (wiki.json{suffix}, line ") for what in reader.remarks)
    path.write_bytes(packed[:5])
    with pytest.raises(BrokenFile, match=r"no CirrusSearch dump: .*end too early"):
        list(reader)


def test_a_file_that_is_cut_at_any_byte_gives_the_pages_before_the_cut() -> None:
    data = lines(action("1"), page("Tea", text="x"), action("2"), page("Thé", text="y"))
    ends = [data.index(b"\n", data.index(name)) for name in (b'"title": "Tea"', b'"title": "Th')]
    first = data.index(b"\n")
    for cut in range(len(data)):
        if cut < first:
            with pytest.raises(BrokenFile):
                read(data[:cut], min_bytes=0)
            continue
        entries, remarks = read(data[:cut], min_bytes=0)
        assert len(entries) == sum(end <= cut for end in ends)
        assert bool(remarks) is (cut < ends[0] or ends[0] + 1 < cut < ends[1])


def test_the_fingerprint_changes_with_the_files_and_the_options(tmp_path: Path) -> None:
    path = tmp_path / "wiki.json"
    path.write_bytes(PAGES)
    first = CirrusReader([path]).fingerprint()
    assert first == CirrusReader([path]).fingerprint()
    assert first != CirrusReader([path], min_bytes=5).fingerprint()
    path.write_bytes(PAGES + b"\n")
    assert first != CirrusReader([path]).fingerprint()
    json.dumps(first)
    with pytest.raises(BrokenFile, match="there is no such file"):
        CirrusReader([tmp_path / "none"])


def test_remarks_are_there_when_reading_stops_early(tmp_path: Path) -> None:
    path = tmp_path / "wiki.json"
    path.write_bytes(lines(b"{broken", action("1"), page("One"), action("2"), page("Two")))
    reader = CirrusReader([path])
    entries = iter(reader)
    next(entries)
    entries.close()  # type: ignore[attr-defined]
    assert list(reader.remarks.values()) == [1]


def test_a_corpus_from_it(tmp_path: Path) -> None:
    path = tmp_path / "wiki.json"
    path.write_bytes(PAGES)
    summary = ingest(CirrusReader([path]), tmp_path / "wiki.corpus")
    assert (summary.documents, summary.memberships) == (1, 1)
    assert summary.remarks == {records.OTHER_NAMESPACE: 1}
    corpus = Corpus.open(tmp_path / "wiki.corpus")
    assert corpus.members("Hot drinks").tolist() == [0]


junk = st.sampled_from([b"{", b"", b"7", b"null", b'{"index":1}', b'{"a":{}}', b'"', b"\xff"])
titles = st.sampled_from(["Tea", "Milk", "", None, 7])
items = st.lists(
    st.one_of(
        st.integers(1, 99).map(lambda n: action(str(n))),
        st.builds(
            lambda title, namespace, text: {"title": title, "namespace": namespace, "text": text},
            titles,
            st.sampled_from([0, 14, 2, "0", None, 1.5, [0]]),
            st.sampled_from(["", LONG, "x", None]),
        ),
        junk,
    ),
    max_size=12,
)


@given(items)
@settings(deadline=None)
def test_equals_a_reading_by_the_letter(made: list[dict[str, Any] | bytes]) -> None:
    expected: list[tuple[str, str, int]] = []
    wrong: Counter[str] = Counter()
    pending: int | None = None
    objects = 0
    for item in made:
        if item == b"":
            continue
        if isinstance(item, bytes) and item not in (b'{"index":1}', b'{"a":{}}'):
            wrong["json"] += 1
            pending = None
            continue
        objects += 1
        if isinstance(item, dict) and "index" in item:
            wrong["document"] += pending is not None
            pending = int(item["index"]["_id"])
            continue
        fields = item if isinstance(item, dict) else {}
        number, pending = pending or 0, None
        kind = {"0": 0, "'0'": 0, "14": 14}.get(repr(fields.get("namespace", 0)))
        if kind in (0, 14) and isinstance(fields.get("title"), str) and fields["title"]:
            if kind == 14:
                expected.append(("category", fields["title"], number))
            elif fields.get("text") == LONG:
                expected.append(("document", fields["title"], number))
    data = lines(*made)
    if not objects:
        with pytest.raises(BrokenFile):
            read(data)
        return
    wrong["document"] += pending is not None
    entries, remarks = read(data)
    assert [
        ("document", entry.title, entry.page) if isinstance(entry, Document) else ("category", entry.name, entry.page)
        for entry in entries
    ] == expected
    said = {what.partition(" (")[0]: n for what, n in remarks.items()}
    assert said.get(cirrus.NO_JSON, 0) == wrong["json"]
    assert said.get(cirrus.NO_DOCUMENT, 0) == wrong["document"]
