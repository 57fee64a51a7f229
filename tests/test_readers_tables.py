"""Tables as people have them: spreadsheets, CSV in every dialect, cells with several labels, ids given twice."""

from __future__ import annotations

import csv
import datetime
import gzip
import io
import itertools
import json
import sqlite3
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Cli
from priorwise.corpus import Corpus
from priorwise.errors import BrokenFile, InputError, UnknownName
from priorwise.exports import Result, write_back
from priorwise.readers.fields import Columns, guess_separator
from priorwise.readers.opening import Encoding, Opening, guessed, known_encoding, recognised
from priorwise.readers.records import RecordReader, rows_of
from priorwise.readers.tabular import EMPTY, SHORT, recognise_dialect

GERMAN = [
    ["Signatur", "Titel", "Beschreibung", "Schlagwörter"],
    ["00123", "Der Prozess", "Jemand musste Josef K. verleumdet haben; früh", "Roman; Klassiker"],
    ["00124", "Bäume", "Über „Straßen“, Wälder & Größe", "Natur"],
    ["00125", "Mord", "Ein Täter, ein Ort", "Krimi; Roman"],
]
JAPANESE = [
    ["id", "text", "labels"],
    ["1", "吾輩は猫である。名前はまだ無い。", "小説"],
    ["2", "これは本です、たぶん。", "小説"],
]
KANJI = [["id", "text", "labels"], ["1", "日本文学全集 Vol. 1", "小説"], ["2", "Tokyo, 東京大学出版会", "研究"]]
CYRILLIC = [["id", "text", "labels"], ["1", "Все счастливые семьи похожи друг на друга, каждая несчастливая", "роман"]]


def written(rows: list[list[str]], delimiter: str, encoding: str, line_end: str = "\r\n") -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator=line_end).writerows(rows)
    return text.getvalue().encode(encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_excel_and_libreoffice_in_german(encoding: str, delimiter: str, tmp_path: Path) -> None:
    path = tmp_path / "katalog.csv"
    path.write_bytes(written(GERMAN, delimiter, encoding))
    columns = Columns(text="Beschreibung", id="Signatur", title="Titel", labels="Schlagwörter")
    reader = RecordReader([path], columns)
    read = list(reader)
    assert [document.id for document in read] == ["00123", "00124", "00125"]
    assert [document.text for document in read] == [row[2] for row in GERMAN[1:]]
    assert [list(document.labels) for document in read] == [["Roman", "Klassiker"], ["Natur"], ["Krimi", "Roman"]]
    names = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
    assert any(names[delimiter] in remark for remark in reader.remarks)
    assert reader.remarks["cells of 'Schlagwörter' split at ';', which was guessed"] == 2


@pytest.mark.parametrize(
    ("rows", "encoding", "said"),
    [(JAPANESE, "cp932", "Shift-JIS"), (KANJI, "cp932", "Shift-JIS"), (CYRILLIC, "cp1251", "Windows-1251")],
)
def test_other_scripts(rows: list[list[str]], encoding: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(written(rows, ",", encoding)))
    reader = RecordReader([path])
    assert [document.text for document in reader] == [row[1] for row in rows[1:]]
    assert any(said in remark for remark in reader.remarks)


def test_a_letter_that_is_not_utf8_may_come_late(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"id,text\n" + b"1,plain words\n" * 10_000 + "2,früh\n".encode("cp1252"))
    assert recognised(path) == Encoding("cp1252")
    assert list(RecordReader([path]))[-1].text == "früh"


@pytest.mark.parametrize("text", ["It’s John’s “house” – don’t\n", "we’re I’ve can’t\n", "À l’été, cœur… – déçu\n"])
def test_quotes_and_dashes_belong_to_no_other_script(text: str) -> None:
    assert guessed(text.encode("cp1252") * 30) == Encoding("cp1252")


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("Książka o mieście nad rzeką, którą żegna łódź", "cp1250"),
        ("Kniha o životě v městě, které leží u řeky", "cp1250"),
        ("Történelmi regény egy kisvárosról és a tőzsdéről", "cp1250"),
        ("Küçük bir şehirde yaşayan insanların öyküsü", "cp1254"),
        ("Knyga apie gyvenimą mažame mieste prie upės, į šviesą", "cp1257"),
        ("Ein Buch über große Städte für Leser, die süße Äpfel öffnen", "cp1252"),
        ("Un livre où l’été s’achève près de la forêt, œuvre naïve", "cp1252"),
        ("Bók um lífið í bæ við ána, þegar það rignir", "cp1252"),
        ("¿Dónde está el niño? ¡Aquí! Más del señor, según él", "cp1252"),
    ],
)
def test_code_pages_of_latin_letters_are_told_by_their_languages(text: str, codec: str) -> None:
    for times in (1, 30):
        assert guessed(f"{text}\n".encode(codec) * times) == Encoding(codec)


def test_an_encoding_or_a_delimiter_can_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("id,text\n1;x,früh\n".encode("cp850"))
    assert [d.text for d in RecordReader([path], opening=Opening(encoding="cp850", delimiter=","))] == ["früh"]
    for name in ("nonsense", "base64", "rot13"):
        with pytest.raises(InputError, match="not the name of an encoding; the usual ones are utf-8"):
            list(RecordReader([path], opening=Opening(encoding=name)))
    assert known_encoding("shift_jis").said == known_encoding("Shift-JIS").said == "Shift-JIS"
    with pytest.raises(InputError, match="a delimiter is one character"):
        Opening(delimiter="ab")
    assert Opening(delimiter=r"\t").delimiter == "\t"


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=12)


@settings(max_examples=200, deadline=None)
@given(
    rows=st.lists(st.tuples(TEXT, TEXT, TEXT), min_size=1, max_size=6),
    delimiter=st.sampled_from(",;\t|"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    line_end=st.sampled_from(["\n", "\r\n"]),
)
def test_what_the_csv_module_writes_is_read_as_it_was(
    rows: list[tuple[str, str, str]], delimiter: str, encoding: str, line_end: str, tmp_path_factory: Any
) -> None:
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    path.write_bytes(written([["id", "text", "year"], *map(list, rows)], delimiter, encoding, line_end))
    columns = Columns(separator="")
    read = list(RecordReader([path], columns)) if any(any(row) for row in rows) else []
    kept = [row for row in rows if any(row)]
    assert [(document.text, document.other.get("year", "")) for document in read] == [row[1:] for row in kept]
    assert [document.id for document in read if not document.id.startswith("row ")] == [
        row[0] for row in kept if row[0].strip() and not row[0].startswith("row ")
    ]


def test_quotes_of_every_kind(tmp_path: Path) -> None:
    utf8 = Encoding("utf-8")
    assert recognise_dialect('id,text\n1,"say \\"no\\", he said"\n', utf8).escape
    assert recognise_dialect('id\ttext\n1\t"5 inch" pipe\n', utf8, expected="\t").quote is None
    path = tmp_path / "a.csv"
    path.write_text("id,text\n1,'a, b'\n")
    assert [document.text for document in RecordReader([path], opening=Opening(quote="'"))] == ["a, b"]
    path.write_text('id;text\n1;"a;b""c"\n')
    assert [document.text for document in RecordReader([path])] == ['a;b"c']


def test_rows_that_are_too_short_or_too_long(tmp_path: Path) -> None:
    """Excel leaves out empty cells at the end of some rows."""
    path = tmp_path / "a.csv"
    path.write_text("id,text,labels\n1,a,x\n2,b\n3,c,x,,\n\n,,\n")
    reader = RecordReader([path])
    assert [(document.id, list(document.labels)) for document in reader] == [("1", ["x"]), ("2", []), ("3", ["x"])]
    assert reader.remarks[f"{SHORT} (a.csv, line 3)"] == 1
    assert reader.remarks[f"{EMPTY} (a.csv, line 6)"] == 1
    path.write_text("id,text\n1,a,b\n")
    with pytest.raises(BrokenFile, match=r"line 2: 3 columns, where the first line has 2; is a cell"):
        list(reader)


def test_columns_that_share_a_name_are_all_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,text,tag,tag,\n1,a,x,y,z\n")
    assert next(iter(RecordReader([path]))).other == {"tag": "x", "tag (2)": "y", "column 5": "z"}


def test_a_wrong_column_names_the_likely_delimiter(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id;text\n1;a\n")
    with pytest.raises(UnknownName, match=r"are the columns separated by ';'\? Then give --delimiter ';'"):
        list(RecordReader([path], Columns(text="nothing"), Opening(delimiter=",")))
    with pytest.raises(UnknownName, match=r"no column 'txt'; did you mean 'text'\? The columns of .* are 'id', 'text'"):
        list(RecordReader([path], Columns(text="txt")))


# Spreadsheets


def workbook(path: Path, sheets: dict[str, list[list[Any]]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_a_spreadsheet(tmp_path: Path) -> None:
    day, moment = datetime.date(2020, 3, 1), datetime.datetime(2020, 3, 1, 14, 30)
    rows = [
        ["id", "title", "text", "labels", "year", "read", "at", "price"],
        ["00123", "One", "some words", "x; y", 1999, day, moment, 1.5],
        [7, "Two", None, "y", None, None, None, None],
        [None] * 8,
        ["=1+1", 3, True, None, 2000, None, None, None],
    ]
    path = workbook(tmp_path / "a.xlsx", {"Notes": [["for us"]], "Books": rows, "Old": [["id", "text"], ["a", "b"]]})
    reader = RecordReader([path])
    read = list(reader)
    assert [(document.id, document.title, document.text) for document in read[:2]] == [
        ("00123", "One", "some words"),
        ("7", "Two", ""),
    ]
    assert read[0].other == {"year": 1999, "read": "2020-03-01", "at": "2020-03-01T14:30:00", "price": 1.5}
    assert (read[2].title, read[2].text, read[2].place) == ("3", "True", 5)
    assert list(read[0].labels) == ["x", "y"]
    assert any("the sheet 'Books'; the file also has 'Notes', 'Old'" in remark for remark in reader.remarks)
    for sheet in ("Old", 3, "3"):
        assert [document.id for document in RecordReader([path], opening=Opening(sheet=sheet))] == ["a"]
    with pytest.raises(UnknownName, match="no sheet 'Bookz'; did you mean 'Books'"):
        list(RecordReader([path], opening=Opening(sheet="Bookz")))
    with pytest.raises(InputError, match="has 3 sheets, and no sheet 4"):
        list(RecordReader([path], opening=Opening(sheet=4)))


def test_the_sheet_with_the_columns_is_read_whatever_comes_before_it(tmp_path: Path) -> None:
    cover = [["Catalogue of 2026", "made by"], ["Ann", "Bob"]]
    path = workbook(tmp_path / "a.xlsx", {"Cover": cover, "Books": [["Nr", "Abstract"], [7, "On tea"]]})
    reader = RecordReader([path], Columns(text="Abstract", id="Nr"))
    assert [(document.id, document.text) for document in reader] == [("7", "On tea")]
    written = tmp_path / "b.xlsx"
    write_back(path, written, [Result("7", "accepted", 1)], label="Tea", columns=Columns(text="Abstract", id="Nr"))
    assert openpyxl.load_workbook(written)["Books"]["C2"].value == "accepted"
    # Columns with other names are looked for in the widest table, not in the cover sheet.
    cover = [["Catalogue of 2026"], ["made by Ann"]]
    path = workbook(tmp_path / "c.xlsx", {"Cover": cover, "Books": [["Nr", "Abstract"], [7, "On tea"]]})
    with pytest.raises(UnknownName, match="no column 'Abstrakt'; did you mean 'Abstract'"):
        list(RecordReader([path], Columns(text="Abstrakt")))


def test_tables_in_memory_are_records_too() -> None:
    rows = {"id": ["a", "b"], "text": ["red apple", "green apple"], "labels": ["x; y", "y"]}
    for table in (pd.DataFrame(rows), pl.DataFrame(rows), pa.table(rows)):
        corpus = Corpus.from_records(table)
        assert corpus.ids([0, 1]) == ["a", "b"]
        assert corpus.labels_of(0) == ["x", "y"]
    with pytest.raises(InputError, match=r"several tables or columns \(train\).*choose one"):
        Corpus.from_records({"train": [{"text": "a"}]})
    named = pd.DataFrame({"Titel": ["On tea", "On milk"], "Abstract": ["It is hot.", "It is cold."]})
    with pytest.raises(UnknownName, match=r"Corpus.from_records\(data, text='Abstract', title='Titel'\)"):
        Corpus.of(named)


def test_numbers_shown_with_leading_zeros_keep_them(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", {"S": [["id", "text", "n"], [123, "a", 5], [7, "b", 6.5]]})
    book = openpyxl.load_workbook(path)
    for cell in ("A2", "A3"):
        book["S"][cell].number_format = "00000"
    book.save(path)
    read = list(RecordReader([path]))
    assert [(document.id, document.other) for document in read] == [("00123", {"n": 5}), ("00007", {"n": 6.5})]


ODS = """<?xml version="1.0" encoding="UTF-8"?>
<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2"><office:body><office:spreadsheet>
<table:table table:name="Buch">{}</table:table></office:spreadsheet></office:body></office:document-content>"""


def ods(path: Path, rows: list[list[Any]]) -> Path:
    import zipfile

    def cell(value: Any) -> str:
        if isinstance(value, str):
            return f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'
        if isinstance(value, datetime.date):
            return (
                f'<table:table-cell office:value-type="date" office:date-value="{value}"><text:p/></table:table-cell>'
            )
        return f'<table:table-cell office:value-type="float" office:value="{value}"><text:p/></table:table-cell>'

    body = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        packed.writestr("content.xml", ODS.format(body))
        packed.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        )
    return path


def test_a_sheet_of_libreoffice(tmp_path: Path) -> None:
    rows = [["id", "text", "labels", "on"], ["007", "früh auf", "a|b", datetime.date(1999, 12, 31)], [8, "x", "a", "y"]]
    read = list(RecordReader([ods(tmp_path / "a.ods", rows)]))
    assert [(document.id, document.text, list(document.labels)) for document in read] == [
        ("007", "früh auf", ["a", "b"]),
        ("8", "x", ["a"]),
    ]
    assert read[0].other == {"on": "1999-12-31"}


def test_broken_spreadsheets(tmp_path: Path) -> None:
    whole = workbook(tmp_path / "a.xlsx", {"S": [["id", "text"], ["1", "a"]]}).read_bytes()
    for content in (b"", b"nonsense", whole[: len(whole) // 2], whole[:-30]):
        (tmp_path / "b.xlsx").write_bytes(content)
        with pytest.raises(BrokenFile, match=r"b\.xlsx: "):
            list(RecordReader([tmp_path / "b.xlsx"]))
    path = workbook(tmp_path / "c.xlsx", {"S": [["id", "text"], ["1", "a", "stray"]]})
    assert next(iter(RecordReader([path]))).other == {"column 3": "stray"}


# Labels and ids


@pytest.mark.parametrize(
    ("cells", "separator", "doubtful"),
    [
        (["Krimi; Thriller"] * 9 + ["Krimi"], ";", None),
        (["a|b", "b|c", "a"], "|", None),
        (["red, green", "green, blue", "red", "blue, red"], ",", None),
        (["Bayes, Thomas", "Laplace, Pierre-Simon", "Gauss, Carl"], None, ","),
        (["Washington, D.C."] * 50 + ["Paris"], None, ","),
        (["one\ntwo", "three"], "\n", None),
        (['["a;b"]', "c"], None, None),
        (["plain", "", None, 7, ["a;b"]], None, None),
        (["x; odd"] + [f"label {n % 9}" for n in range(100)], None, ";"),
        (["a" * 100 + "; " + "b" * 100] * 5, None, ";"),
    ],
)
def test_guessed_separators(cells: list[Any], separator: str | None, doubtful: str | None) -> None:
    found = guess_separator(cells)
    assert (found.separator, found.doubtful) == (separator, doubtful)


NAMES = st.lists(st.text("abcdefgh ", min_size=1, max_size=8).map(str.strip).filter(bool), min_size=1, max_size=4)


@settings(max_examples=100, deadline=None)
@given(st.lists(NAMES, min_size=3, max_size=30), st.sampled_from([";", "|", "; ", " | ", "\n"]))
def test_cells_that_mostly_hold_several_labels_are_split(listed: list[list[str]], joint: str) -> None:
    """Whenever one cell in ten has a separator that belongs to no label, all are split as they were joined."""
    cells = [joint.join(names) for names in listed]
    if sum(len(names) > 1 for names in listed) < 0.1 * len(cells) or all(len(names) == 1 for names in listed):
        return
    found = guess_separator(cells)
    assert found.separator == joint.strip(" ")
    columns = Columns(separator=found.separator)
    for cell, names in zip(cells, listed, strict=True):
        assert columns.document({"text": "", "labels": cell}, 0).labels == list(dict.fromkeys(names))


def test_a_separator_can_be_chosen_or_switched_off(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,labels\na,x;y\nb,x\n")
    assert [list(d.labels) for d in RecordReader([path], Columns(separator=""))] == [["x;y"], ["x"]]
    corpus = Corpus.from_records([{"text": "a", "labels": "x/y"}], separator="/")
    assert corpus.labels_of(0) == ["x", "y"]
    rare = [{"text": "a", "labels": "x; odd"}] + [{"text": "b", "labels": f"l{n % 9}"} for n in range(100)]
    path = tmp_path / "b.jsonl"
    path.write_text("\n".join(map(json.dumps, rare)))
    reader = RecordReader([path])
    assert list(next(iter(reader)).labels) == ["x; odd"]
    list(reader)
    assert any("cells of 'labels' with ';', read as one label each" in each for each in reader.remarks)


REPEATED = "id,text,year\na,one,1\n,two,2\na,three,3\nb,four,4\na#2,five,5\na,six,6\n"


@pytest.mark.parametrize(
    ("duplicates", "ids", "remark"),
    [
        ("number", ["a", "row 3", "a#3", "b", "a#2", "a#4"], "numbered ('a, line 4', 'a, line 7')"),
        ("first", ["a", "row 3", "b", "a#2"], "had been read before ('a, line 4', 'a, line 7')"),
        ("last", ["row 3", "b", "a#2", "a"], "was read again later ('a, line 2', 'a, line 4')"),
    ],
)
@pytest.mark.parametrize("stored", [False, True])
def test_ids_that_are_blank_or_not_unique(
    duplicates: Any, ids: list[str], remark: str, stored: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("priorwise.corpus.build.ingestion.DOCUMENTS_PER_SHARD", 2)
    path = tmp_path / "a.csv"
    path.write_text(REPEATED)
    place = tmp_path / "x.corpus" if stored else None
    corpus = Corpus.from_records(path, duplicates=duplicates, path=place)
    assert corpus.ids(range(len(corpus))) == ids
    assert any(remark in each and n == 2 for each, n in corpus.remarks.items())
    assert corpus.remarks["rows without an id, named by their row (a.csv, line 3)"] == 1
    words = {"a": "six" if duplicates == "last" else "one", "b": "four", "a#2": "five", "row 3": "two"}
    for identity, word in words.items():
        assert corpus.text(corpus.row(identity)) == word
        assert corpus.other(corpus.row(identity)) == {"year": REPEATED[REPEATED.index(word) + len(word) + 1]}


def test_ids_that_are_not_unique_can_be_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(REPEATED)
    with pytest.raises(InputError, match="two documents have the id 'a'"):
        Corpus.from_records(path, duplicates="error")


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "a#2", "a#3", "b#2"]), min_size=1, max_size=12))
def test_numbering_gives_each_document_an_id_of_its_own(ids: list[str]) -> None:
    corpus = Corpus.from_records([{"id": each, "text": str(n)} for n, each in enumerate(ids)])
    found = corpus.ids(range(len(corpus)))
    assert len(set(found)) == len(ids)
    seen: set[str] = set()
    for old, new in zip(ids, found, strict=True):
        # The first document with an id keeps it.
        assert new.startswith(old) if old in seen else new == old
        seen.add(old)


# Titles


def test_the_words_of_a_title_count_once(tmp_path: Path) -> None:
    records = [
        {"id": "1", "title": "Green tea", "text": "It is drunk hot."},
        {"id": "2", "title": "Milk", "text": "Milk: a drink. Milk is white."},
        {"id": "3", "text": "no title"},
    ]
    corpus = Corpus.from_records(records)
    counts = corpus.matrix().toarray()
    assert counts[0, corpus.token_id("tea")] == 1
    assert counts[1, corpus.token_id("milk")] == 2
    assert corpus.text(0) == "It is drunk hot."
    assert corpus.token_id("3") is None
    without = Corpus.from_records(records, title_words=False)
    assert without.token_id("tea") is None
    assert Corpus.from_records(records, text="title", title="title").matrix().sum() == 3
    both = Corpus.from_records(records, text=("text", "id"))
    assert both.token_id("3") is not None
    titled = Corpus.from_texts(["hot"], titles=["Tea"])
    assert titled.n_vocabulary == 2
    assert Corpus.from_texts(["hot"], titles=["Tea"], title_words=False).n_vocabulary == 1


def test_titles_on_the_command_line(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,title,abstract,notes\n1,Tea,hot,strong\n")
    files = ("ingest", "records", path, "--text", "abstract")
    assert cli(*files, "--text", "notes", "-o", tmp_path / "a.corpus").exit_code == 0
    assert Corpus.open(tmp_path / "a.corpus").n_vocabulary == 3
    assert cli(*files, "--no-title-words", "-o", tmp_path / "b.corpus").exit_code == 0
    corpus = Corpus.open(tmp_path / "b.corpus")
    assert corpus.n_vocabulary == 1
    assert corpus.other(0) == {"notes": "strong"}
    assert cli(*files, "--drop-columns", "-o", tmp_path / "c.corpus").exit_code == 0
    assert Corpus.open(tmp_path / "c.corpus").other(0) == {}


# Everything else


def test_a_database(tmp_path: Path, cli: Cli) -> None:
    duckdb = pytest.importorskip("duckdb")
    rows = [("00a", "tea is hot", "drinks"), ("00b", "bread", "food")]
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute("CREATE TABLE books (number TEXT, text TEXT, labels TEXT)")
        connection.executemany("INSERT INTO books VALUES (?, ?, ?)", rows)
    connection.close()
    other = duckdb.connect(str(tmp_path / "a.duckdb"))
    other.execute("CREATE TABLE books (number TEXT, text TEXT, labels TEXT)")
    other.executemany("INSERT INTO books VALUES (?, ?, ?)", rows)
    other.close()
    for name in ("a.db", "a.duckdb"):
        query = "SELECT number AS id, text, labels FROM books ORDER BY number"
        read = list(RecordReader([tmp_path / name], opening=Opening(query=query)))
        assert [(document.id, document.text) for document in read] == [("00a", "tea is hot"), ("00b", "bread")]
        with pytest.raises(InputError, match=r"is a database: say what to read with --query; its tables are books"):
            list(RecordReader([tmp_path / name]))
        with pytest.raises(BrokenFile, match="the query failed"):
            list(RecordReader([tmp_path / name], opening=Opening(query="SELECT nothing FROM nowhere")))
        with pytest.raises(BrokenFile):
            list(RecordReader([tmp_path / name], opening=Opening(query="DELETE FROM books")))
    (tmp_path / "b.db").write_bytes(b"nonsense that is no database")
    with pytest.raises(BrokenFile, match="neither a database of SQLite nor one of DuckDB"):
        list(RecordReader([tmp_path / "b.db"], opening=Opening(query="SELECT 1")))


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (b'{"id": "1", "text": "tea"}\n', []),
        (b"id;text\n1;tea\n", []),
        (gzip.compress(b"id,text\n1,tea\n", mtime=0), []),
        (b"TY  - BOOK\nTI  - tea\nID  - 1\nER  - \n", ["--no-title-words"]),
        (b"id tea\n1 tea\n", ["--delimiter", " ", "--text", "tea"]),
        (b"Signatur;Titel;Beschreibung\n1;Tee;Ein Buch von warmen Getr\xe4nken\n", []),
    ],
)
def test_the_standard_input(content: bytes, options: list[str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "priorwise", "ingest", "records", "-", "-o", str(tmp_path / "x.corpus"), *options]
    done = subprocess.run(command, input=content, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert Corpus.open(tmp_path / "x.corpus").ids([0]) == ["1"]


def test_errors_call_the_standard_input_by_its_name(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "priorwise", "ingest", "records", "-", "-o", str(tmp_path / "x.corpus")]
    for content, options, said in (
        (b'{"text": "a"}\n{x\n', [], "Error: the standard input, line 2: not valid JSON"),
        (b"id,text\n1,a\n", ["--text", "b"], "The columns of the standard input are 'id', 'text'"),
    ):
        done = subprocess.run([*command, *options], input=content, capture_output=True, check=False)
        assert said in done.stderr.decode()


def test_an_index_names_the_documents() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": ["a", "b"], "year": [1, 2]}, index=["x", "y"])
    corpus = Corpus.from_dataframe(frame)
    assert corpus.ids([0, 1]) == ["x", "y"]
    assert corpus.other(1) == {"year": 2}
    assert Corpus.from_dataframe(frame.reset_index(drop=True)).ids([0, 1]) == ["0", "1"]
    levels = frame.set_index([["p", "q"], [1, 2]])
    assert Corpus.from_dataframe(levels).ids([0, 1]) == ["p/1", "q/2"]


def test_rows_come_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a;b\n1;x\n")
    assert list(rows_of(path)) == [(2, {"a": "1", "b": "x"})]


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_memory_does_not_grow_with_the_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    text = "some words " * 40

    def peak(rows: int) -> int:
        if name.endswith("csv"):
            path.write_text("id,text,labels\n" + "".join(f"{n},{text},a; b\n" for n in range(rows)))
        else:
            path.write_text("".join(json.dumps({"id": n, "text": text, "labels": "a; b"}) + "\n" for n in range(rows)))
        tracemalloc.start()
        assert sum(1 for _ in RecordReader([path])) == rows
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    # The first thousand records are held to guess what separates labels.
    assert peak(12_000) < 1.3 * peak(3_000)


def test_guesses_for_every_byte_end_in_an_encoding() -> None:
    for length in (1, 2, 3):
        for sample in itertools.islice(itertools.product(range(0x80, 0x100, 7), repeat=length), 200):
            guessed(bytes(sample)).said.encode()


def test_one_way_to_open_files_for_every_command(cli: Cli, tmp_path: Path) -> None:
    """What ingest reads, classify and evaluate read with the same options."""
    rows = [
        ["Nr", "Was", "Wozu"],
        *([str(n), "tee kaffee heiß" if n % 2 else "recht gesetz", "ab"[n % 2]] for n in range(40)),
    ]
    path = tmp_path / "a.txt"
    path.write_bytes(written(rows, ";", "cp1252"))
    options = ["--delimiter", ";", "--text", "Was", "--id", "Nr"]
    done = cli("ingest", "records", path, *options, "--labels", "Wozu", "-o", tmp_path / "a.corpus")
    assert done.exit_code == 0, done.output
    assert cli("train", tmp_path / "a.corpus", "-o", tmp_path / "a.model").exit_code == 0
    classified = cli("classify", tmp_path / "a.model", path, *options)
    assert classified.exit_code == 0, classified.output
    assert [json.loads(line)["label"] for line in classified.stdout.splitlines()[:2]] == ["a", "b"]
    evaluated = cli("evaluate", tmp_path / "a.model", path, *options, "--label-column", "Wozu")
    assert evaluated.exit_code == 0, evaluated.output
    assert evaluated.stdout == cli("evaluate", tmp_path / "a.model", tmp_path / "a.corpus").stdout
    sheet = workbook(tmp_path / "a.xlsx", {"S": rows})
    again = cli("evaluate", tmp_path / "a.model", sheet, *options[2:], "--label-column", "Wozu")
    assert again.stdout == evaluated.stdout


class RowsOfDicts:
    """As a dataset of Hugging Face looks to others: rows as dictionaries, columns by name; tried with datasets 5.2."""

    column_names: ClassVar = ["text", "labels", "year"]
    features: ClassVar = {"text": "string", "labels": ["string"], "year": "int64"}

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self._columns = columns

    @classmethod
    def from_dict(cls, columns: dict[str, list[Any]]) -> RowsOfDicts:
        return cls(columns)

    def __len__(self) -> int:
        return len(self._columns["text"])

    def __getitem__(self, key: int | str) -> Any:
        if isinstance(key, str):
            return self._columns[key]
        return {name: values[key] for name, values in self._columns.items()}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[row] for row in range(len(self)))


@pytest.mark.parametrize("kind", ["as it looks", "itself"])
def test_a_dataset_of_hugging_face(kind: str) -> None:
    dataset = RowsOfDicts if kind == "as it looks" else pytest.importorskip("datasets").Dataset
    rows = dataset.from_dict({"text": ["tea", "milk"], "labels": [["a"], []], "year": [1, 2]})
    corpus = Corpus.from_records(rows)
    assert (len(corpus), corpus.labels_of(0), corpus.other(1)) == (2, ["a"], {"year": 2})


def test_columns_of_other_usual_names_are_read_from_python_too(tmp_path: Path) -> None:
    rows = [{"key": f"a{n}", "headline": f"One {n}", "text": "tea", "category": "x"} for n in range(3)]
    corpus = Corpus.from_records(rows)
    assert (corpus.ids([0]), corpus.titles([0]), corpus.labels_of(0)) == (["a0"], ["One 0"], ["x"])
    assert corpus.remarks["labels taken from the column 'category'"] == 3
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert Corpus.of(tmp_path / "a.jsonl").labels_of(0) == ["x"]
    assert Corpus.from_records(rows, labels="headline").labels_of(0) == ["One 0"]


@dataclass
class Classes:
    names: list[str]


def test_numbers_of_classes_of_hugging_face_become_their_names() -> None:
    rows = RowsOfDicts({"text": ["tea", "pills", "?"], "label": [0, 1, -1]})
    rows.features = {"text": "string", "label": Classes(["ham", "spam"])}  # type: ignore[misc]
    corpus = Corpus.from_records(rows)
    assert [corpus.labels_of(row) for row in range(3)] == [["ham"], ["spam"], []]
