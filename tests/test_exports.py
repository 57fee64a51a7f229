"""Files with results added: all that was there stays, and what is added can be read again."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from priorwise.corpus import Corpus
from priorwise.errors import AlreadyExists, BrokenFile, InputError
from priorwise.exports import Finished, Result, WrittenBack, finished_bytes, write_back, write_finished
from priorwise.exports.wikis import edits, page_list, pywikibot_list, quick_statements, read_page_list
from priorwise.readers.fields import Columns
from priorwise.readers.opening import Opening
from priorwise.readers.records import RecordReader, rows_of
from test_readers_bibliographies import BIBTEX, ENDNOTE, PUBMED, ZOTERO
from test_readers_tables import GERMAN, ods, workbook, written

RESULTS = [
    Result("00123", "accepted", 1, 0.91234),
    {"id": "00124", "status": "rejected", "rank": 2, "probability": 0.4, "evidence": "words"},
    Result("00125", "member"),
]
COLUMNS = Columns(text="Beschreibung", id="Signatur", title="Titel", labels="Schlagwörter")
NEW = ["Bücher: status", "Bücher: rank", "Bücher: probability"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_table_stays_as_it_was(encoding: str, delimiter: str, end: str, tmp_path: Path) -> None:
    source, output = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_bytes(written(GERMAN, delimiter, encoding, end))
    assert write_back(source, output, RESULTS, label="Bücher", columns=COLUMNS) == WrittenBack(3, 3, 1)
    before, after = (path.read_bytes().decode(encoding) for path in (source, output))
    lines, new = before.split(end), after.split(end)
    assert len(lines) == len(new)
    # Rows that get no label are the same to the last quote.
    for number in (0, 2, 3):
        assert new[number].startswith(lines[number] + delimiter)
    rows = list(csv.reader(io.StringIO(after, newline=""), delimiter=delimiter))
    assert rows[0] == GERMAN[0] + NEW
    assert rows[1] == [*GERMAN[1][:3], "Roman; Klassiker; Bücher", "accepted", "1", "0.9123"]
    assert rows[2] == [*GERMAN[2], "rejected", "2", "0.4"]
    assert rows[3] == [*GERMAN[3], "member", "", ""]


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=10)


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(st.tuples(CELL, CELL), min_size=1, max_size=6),
    delimiter=st.sampled_from(",;\t"),
    chosen=st.integers(0, 5),
    everywhere=st.booleans(),
)
def test_any_table_is_read_again_as_it_was(
    rows: list[tuple[str, str]], delimiter: str, chosen: int, everywhere: bool, tmp_path_factory: Any
) -> None:
    folder = tmp_path_factory.mktemp("back")
    text = io.StringIO(newline="")
    quoting: Any = csv.QUOTE_ALL if everywhere else csv.QUOTE_MINIMAL
    listed = [["id", "text", "labels"], *([str(n), *row] for n, row in enumerate(rows))]
    csv.writer(text, delimiter=delimiter, quoting=quoting).writerows(listed)
    (folder / "a.csv").write_bytes(text.getvalue().encode())
    options = {"columns": Columns(separator=";"), "opening": Opening(delimiter=delimiter, encoding="utf-8")}
    found = [Result(str(chosen), "accepted", 1, 0.5)]
    write_back(folder / "a.csv", folder / "b.csv", found, label="x", **options)  # type: ignore[arg-type]
    before = [dict(row) for _, row in rows_of(folder / "a.csv", options["opening"])]  # type: ignore[arg-type]
    after = [dict(row) for _, row in rows_of(folder / "b.csv", options["opening"])]  # type: ignore[arg-type]
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        assert (old["id"], old["text"]) == (new["id"], new["text"])
        assert (new["x: status"] == "accepted") is (number == chosen)
        if number != chosen:
            assert new["labels"] == old["labels"]
        else:
            assert "x" in [label.strip() for label in new["labels"].split(";")]


WESTERN = "aäßéèñØ \"',;|\n=€„“Zz09"
SHAPES: dict[str, tuple[str, str, str, str]] = {
    "Excel, German": ("a.csv", "cp1252", ";", WESTERN),
    "Excel, French": ("a.csv", "cp1252", ";", "àçêîœ« »" + WESTERN),
    "Excel, Japanese": ("a.csv", "cp932", ",", '日本語の本、茶。ァ\nab,"'),
    "Excel, English, with a mark": ("a.csv", "utf-8-sig", ",", WESTERN + "語я"),
    "Excel, Unicode text": ("a.tsv", "utf-16", "\t", WESTERN + "語я\t"),
    "LibreOffice": ("a.csv", "utf-8", ",", WESTERN + "語я"),
    "compressed": ("a.csv.gz", "utf-8", ",", WESTERN),
    "workbook": ("a.xlsx", "", "", WESTERN + "語я"),
    "open document": ("a.ods", "", "", WESTERN + "語я"),
    "JSON lines": ("a.jsonl", "", "", WESTERN + "語я"),
}


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.parametrize("shape", SHAPES)
@given(data=st.data())
def test_any_export_goes_round(shape: str, data: st.DataObject, tmp_path_factory: Any) -> None:
    name, encoding, delimiter, letters = SHAPES[shape]
    folder = tmp_path_factory.mktemp("round")
    texts = data.draw(st.lists(st.text(letters, max_size=12), min_size=1, max_size=5))
    rows = [
        ["id", "text", "labels", "Ort"],
        *([f"{n:03d}", f"Text {text}x", "Buch; Tee", text] for n, text in enumerate(texts)),
    ]
    source, output = folder / name, folder / f"b{name[1:]}"
    if name.endswith("xlsx"):
        workbook(source, {"S": rows})
    elif name.endswith("ods"):
        lines = "</text:p><text:p>"
        ods(source, [[escape(cell).replace("\n", lines) for cell in row] for row in rows])
    elif name.endswith("jsonl"):
        records = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
        source.write_text("".join(json.dumps(each) + "\n" for each in records), "utf-8")
    else:
        packed = gzip.compress if name.endswith("gz") else bytes
        source.write_bytes(packed(written(rows, delimiter, encoding)))
    opening = Opening(encoding=encoding or None, delimiter=delimiter or None)
    results = [Result("000", "accepted", 1, 0.25), Result(f"{len(texts) - 1:03d}", "rejected", 2)][: len(texts)]
    done = write_back(source, output, results, label="Neu", opening=opening)
    assert done == WrittenBack(len(texts), len(results), 1)
    before, after = ([dict(row) for _, row in rows_of(path, opening)] for path in (source, output))
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        assert new["labels"] == ("Buch; Tee; Neu" if number == 0 else "Buch; Tee")
        assert [new[name] for name in ("id", "text", "Ort")] == [old[name] for name in ("id", "text", "Ort")]
    assert (after[0]["Neu: status"], str(after[0]["Neu: rank"])) == ("accepted", "1")


def test_new_cells_are_no_formulas(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("id,text,labels\n1,a,\n")
    write_back(source, tmp_path / "b.csv", [Result("1", "accepted", 1)], label='=cmd|"x"')
    rows = list(csv.reader((tmp_path / "b.csv").read_text().splitlines()))
    assert rows[0][3].startswith("'=")
    assert rows[1][2].startswith("'=")


def test_a_workbook_keeps_its_sheets_and_formats(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", {"Notes": [["for us"]], "Books": [[], *GERMAN, ["=1+1", None, 7]]})
    book = openpyxl.load_workbook(path)
    book["Books"]["A3"].font = openpyxl.styles.Font(bold=True)
    book["Books"].column_dimensions["B"].width = 44
    book.save(path)
    write_back(path, tmp_path / "b.xlsx", RESULTS, label="Bücher", columns=COLUMNS, opening=Opening(sheet="Books"))
    after = openpyxl.load_workbook(tmp_path / "b.xlsx")
    assert after.sheetnames == ["Notes", "Books"]
    sheet = after["Books"]
    assert sheet["A3"].font.bold
    assert sheet.column_dimensions["B"].width == 44
    assert [cell.value for cell in sheet[2]] == GERMAN[0] + NEW
    assert [cell.value for cell in sheet[3]][3:] == ["Roman; Klassiker; Bücher", "accepted", 1, 0.9123]
    assert sheet["A6"].value == "=1+1"
    read = RecordReader([tmp_path / "b.xlsx"], COLUMNS, Opening(sheet="Books"))
    assert list(next(iter(read)).labels) == ["Roman", "Klassiker", "Bücher"]


def test_a_format_in_a_far_corner_of_a_workbook_makes_no_cells(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", {"S": GERMAN})
    book = openpyxl.load_workbook(path)
    book["S"]["XFD1048576"].font = openpyxl.styles.Font(bold=True)
    book.save(path)
    write_back(path, tmp_path / "b.xlsx", RESULTS, label="Bücher", columns=COLUMNS)
    after = openpyxl.load_workbook(tmp_path / "b.xlsx")["S"]
    assert [after.cell(1, column).value for column in range(1, 8)] == GERMAN[0] + NEW
    assert after.cell(2, 5).value == "accepted"
    assert after["XFD1048576"].font.bold


def test_json_lines_stay_as_they_were(tmp_path: Path) -> None:
    lines = [
        '{"id": "a", "text": "x", "n": 1.10, "labels": ["p"]}',
        "",
        '{ "id":"b","text":"früh","big":12345678901234567890 }',
        '{"id": "c", "text": "y", "labels": "p; q"}',
        '{"id": "d", "text": "z"}',
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    found = [Result("a", "accepted", 1), Result("b", "unsure", 2, 0.5), Result("c", "accepted", 3)]
    assert write_back(tmp_path / "a.jsonl", tmp_path / "b.jsonl", found, label="new").found == 3
    after = (tmp_path / "b.jsonl").read_text("utf-8").split("\n")
    assert after[2] == lines[2][:-2] + ', "new: status": "unsure", "new: rank": 2, "new: probability": 0.5}'
    assert after[4] == lines[4]
    assert json.loads(after[0])["labels"] == ["p", "new"]
    assert json.loads(after[3])["labels"] == "p; q; new"


@pytest.mark.parametrize("content", [ZOTERO, ZOTERO.replace("\n", "\r\n"), ZOTERO.rstrip("\n")])
def test_ris(content: str, tmp_path: Path) -> None:
    (tmp_path / "a.ris").write_bytes(content.encode("cp1252"))
    found = [Result("10.1000/abc.1", "accepted", 1, 0.9), Result("smith2001", "unjudged", 2, 0.3)]
    write_back(tmp_path / "a.ris", tmp_path / "b.ris", found, label="Priors")
    after = (tmp_path / "b.ris").read_bytes().decode("cp1252")
    added = [line for line in after.splitlines() if line not in content.splitlines()]
    assert added == [
        "KW  - Priors",
        "KW  - priorwise: Priors: accepted",
        "KW  - priorwise: Priors: rank 1",
        "KW  - priorwise: Priors: probability 0.9",
        "KW  - priorwise: Priors: unjudged",
        "KW  - priorwise: Priors: rank 2",
        "KW  - priorwise: Priors: probability 0.3",
    ]
    assert [line for line in after.splitlines() if line not in added] == content.splitlines()
    # What we wrote is no label when the file is read again, and an export again replaces it.
    read = list(RecordReader([tmp_path / "b.ris"]))
    assert [list(document.labels) for document in read] == [["Naive Bayes", "Categories", "Priors"], ["Books", "Paper"]]
    write_back(tmp_path / "b.ris", tmp_path / "c.ris", found, label="Priors")
    assert (tmp_path / "c.ris").read_bytes() == (tmp_path / "b.ris").read_bytes()


def test_pubmed_and_bibtex(tmp_path: Path) -> None:
    (tmp_path / "a.nbib").write_text(PUBMED, "utf-8")
    (tmp_path / "a.bib").write_text(BIBTEX, "utf-8")
    write_back(tmp_path / "a.nbib", tmp_path / "b.nbib", [Result("31000002", "accepted", 1)], label="Tea")
    first, second = RecordReader([tmp_path / "b.nbib"])
    assert (list(first.labels), list(second.labels)) == (["Aged", "Bayes Theorem", "naive Bayes"], ["Tea"])
    assert (tmp_path / "b.nbib").read_text("utf-8").count("OT  - priorwise: Tea: ") == 2
    found = [Result("31000001", "accepted", 1), Result("roe2020", "rejected", 2)]
    write_back(tmp_path / "a.bib", tmp_path / "b.bib", found, label="Tea")
    first, second = RecordReader([tmp_path / "b.bib"])
    assert (list(first.labels), list(second.labels)) == (["naive Bayes", "categories", "Tea"], [])
    text = (tmp_path / "b.bib").read_text("utf-8")
    assert text.startswith(BIBTEX[: BIBTEX.index("keywords")])
    assert "keywords = {priorwise: Tea: rejected, priorwise: Tea: rank 2}" in text


def test_endnote(tmp_path: Path) -> None:
    plain = "<record><titles><title>Salt</title></titles><dates><year>2001</year></dates></record>"
    (tmp_path / "a.xml").write_text(ENDNOTE.replace("<records>", f"<records>{plain}"), "utf-8")
    found = [Result("10.1000/milk", "accepted", 1, 0.9), Result("row 1", "rejected", 2)]
    for source, output in (("a.xml", "b.xml"), ("b.xml", "c.xml")):
        told = write_back(tmp_path / source, tmp_path / output, found, label="Tea & Co")
        assert told == WrittenBack(2, 2, 1)
    salt, milk = RecordReader([tmp_path / "b.xml"])
    assert (list(salt.labels), list(milk.labels)) == ([], ["Milk", "Honey", "Tea & Co"])
    text = (tmp_path / "b.xml").read_text("utf-8")
    rejected = "<keyword>priorwise: Tea &amp; Co: rejected</keyword><keyword>priorwise: Tea &amp; Co: rank 2</keyword>"
    assert f"<keywords>{rejected}</keywords><dates>" in text
    assert "<record><titles><title>Broken &nope; one</title></titles></record>" in text
    # An export into the file that has an earlier one is the same file.
    assert (tmp_path / "c.xml").read_text("utf-8") == text


def test_joined_records_all_have_the_result(tmp_path: Path) -> None:
    twice = ZOTERO + ZOTERO.replace("TI  - Learned", "TI  - LEARNED")
    (tmp_path / "a.ris").write_text(twice, "utf-8")
    assert (
        write_back(tmp_path / "a.ris", tmp_path / "b.ris", [Result("10.1000/abc.1", "accepted", 1)], label="x").found
        == 2
    )


def test_ids_are_those_that_an_ingest_gives(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,text\na,1\n,2\na,3\n")
    found = [Result("a#2", "accepted", 1), Result("row 3", "rejected", 2)]
    write_back(tmp_path / "a.csv", tmp_path / "b.csv", found, label="x")
    assert [row["x: status"] for _, row in rows_of(tmp_path / "b.csv")] == ["", "rejected", "accepted"]
    write_back(tmp_path / "a.csv", tmp_path / "c.csv", [Result("a", "member")], label="x")
    assert [row["x: status"] for _, row in rows_of(tmp_path / "c.csv")] == ["member", "", "member"]
    (tmp_path / "n.csv").write_text("text\n1\n2\n")
    write_back(tmp_path / "n.csv", tmp_path / "o.csv", [Result("1", "unsure", 1)], label="x")
    assert [row["x: status"] for _, row in rows_of(tmp_path / "o.csv")] == ["", "unsure"]


@pytest.mark.parametrize("name", ["b.csv", "b.tsv", "b.xlsx", "b.jsonl"])
def test_other_formats_are_converted(name: str, tmp_path: Path) -> None:
    source = ods(tmp_path / "a.ods", [["id", "text", "labels"], ["007", "=früh", "p"], ["8", "y", ""]])
    write_back(source, tmp_path / name, [Result("8", "accepted", 1, 0.5)], label="q")
    rows = [dict(row) for _, row in rows_of(tmp_path / name)]
    assert [str(row["id"]) for row in rows] == ["007", "8"]
    assert rows[0]["text"] in ("=früh", "'=früh")
    assert rows[1]["labels"] in ("q", ["q"])
    (tmp_path / "a.xml").write_text(ENDNOTE)
    write_back(tmp_path / "a.xml", tmp_path / f"bib-{name}", [Result("10.1000/milk", "accepted", 1)], label="q")
    assert len(list(rows_of(tmp_path / f"bib-{name}"))) == 1


def test_what_cannot_be_written(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("id,text\n1,a\n")
    with pytest.raises(AlreadyExists):
        write_back(source, source, [], label="x")
    assert write_back(source, source, [Result("1", "member")], label="x", overwrite=True).found == 1
    assert source.read_text().splitlines()[1] == "1,a,member,,"
    with pytest.raises(InputError, match=r"b\.parquet cannot be written; choose a name that ends in \.csv"):
        write_back(source, tmp_path / "b.parquet", [], label="x")
    assert not (tmp_path / "b.parquet").exists()
    with pytest.raises(InputError, match="'maybe' is not a status"):
        Result("1", "maybe")


FOUND = [
    Result("Q42", "accepted", 2, 0.8, title="Douglas Adams"),
    Result("Tea", "accepted", 1, 0.9),
    Result("Bad", "accepted", 3, title="a]] {{delete}}"),
    Result("Law", "rejected", 4),
    Result("Ale", "member"),
]


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    source, output = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_text("id,text\n1,tea\n")

    def results() -> Iterator[Result]:
        output.write_text("somebody else's")
        yield Result("1", "accepted")

    with pytest.raises(AlreadyExists):
        write_back(source, output, results(), label="Tea")
    assert output.read_text() == "somebody else's"


def test_lists_for_wikis(tmp_path: Path) -> None:
    assert page_list(FOUND) == "Tea\nDouglas Adams\n"
    assert page_list(FOUND, ("member", "accepted")) == "Tea\nDouglas Adams\nAle\n"
    assert pywikibot_list(FOUND) == "[[Tea]]\n[[Douglas Adams]]\n"
    statement = ("P921", "Q2539")
    told = write_finished(tmp_path / "q.txt", Finished("Drinks", FOUND), kind="quickstatements", statement=statement)
    assert told == {"accepted": 3, "without an item of Wikidata, left out": 2}
    assert (tmp_path / "q.txt").read_text() == "Q42\tP921\tQ2539\n"
    told = write_finished(tmp_path / "p.txt", Finished("Drinks", FOUND))
    assert told == {"accepted": 3, "with a title that no page can have, left out": 1}
    assert quick_statements([None, "Q1", "Q1"], statement) == "Q1\tP921\tQ2539\n"
    with pytest.raises(InputError, match="none of these documents has an item of Wikidata"):
        quick_statements([None], statement)
    assert edits(FOUND, "Drinks").splitlines()[0] == "Tea: + [[Category:Drinks]]  (rank 1, probability 0.9)"
    with pytest.raises(InputError, match="a statement is a property and an item"):
        quick_statements(["Q42"], ("main subject", "Q1"))
    path = tmp_path / "list.txt"
    for made in (page_list(FOUND), pywikibot_list(FOUND)):
        path.write_text(made, "utf-8")
        assert read_page_list(path) == ["Tea", "Douglas Adams"]


@pytest.mark.parametrize(
    "content",
    [
        "Green_tea\nMilk\n\nMilk\n",
        "Green tea\t0\nMilk\t0\n",
        "# [[:Green tea]]\n# [[Milk#Uses|milk]]\n",
        "number,title,pageid,namespace,length,touched\n1,Green_tea,7,,9,2020\n2,Milk,8,,9,2020\n",
        'number\ttitle\tpageid\n1\t"Green_tea"\t7\n2\tMilk\t8\n',
        '{"pages": ["Green_tea", "Milk"], "language": "en"}',
        '{"pages": {"Green_tea": {}, "Milk": {}}, "language": "en"}',
        '{"n":"result","*":[{"n":"combination","a":{"type":"subset","*":[{"title":"Green_tea"},{"title":"Milk"}]}}]}',
        '{"pages": [{"page_title": "Green_tea", "page_namespace": 0}, {"page_title": "Milk"}]}',
    ],
)
def test_lists_of_petscan_and_pagepile(content: str, tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_text(content, "utf-8")
    assert read_page_list(path) == ["Green tea", "Milk"]


def test_lists_that_hold_nothing(tmp_path: Path) -> None:
    path = tmp_path / "list"
    for content, says in (("", "no title of a page"), ("{}", "no title of a page"), ("{", "not valid JSON")):
        path.write_text(content)
        with pytest.raises(BrokenFile, match=says):
            read_page_list(path)


TABLES = ["csv", "tsv", "xlsx", "jsonl"]


@pytest.mark.parametrize("ending", TABLES)
def test_results_written_again_replace_the_columns(ending: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,text,labels\n1,a,p\n2,b,\n")
    path = tmp_path / f"b.{ending}"
    write_back(tmp_path / "a.csv", path, [Result("1", "unjudged", 1, 0.5), Result("2", "unsure", 2)], label="x")
    write_back(path, path, [Result("1", "accepted", 4)], label="x", overwrite=True)
    rows = [{name: str(value or "") for name, value in row.items()} for _, row in rows_of(path)]
    assert [(row.get("x: status", ""), row.get("x: rank", "")) for row in rows] == [("accepted", "4"), ("", "")]
    assert not rows[0].get("x: probability")
    assert not [name for row in rows for name in row if "(2)" in name]


ANY = st.text(st.characters(exclude_categories=()), max_size=12)


@settings(max_examples=60, deadline=None)
@given(
    label=ANY.filter(str.strip),
    results=st.lists(
        st.builds(
            Result,
            ANY.filter(str.strip),
            st.sampled_from(["member", "accepted", "rejected", "unsure", "unjudged"]),
            st.none() | st.integers(1, 9),
            st.none() | st.floats(0, 1),
            ANY,
        ),
        max_size=5,
        unique_by=lambda each: each.id,
    ),
)
def test_a_new_file_has_every_result(label: str, results: list[Result], tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("new")
    found = Finished(label, results)
    for ending in TABLES:
        counts = write_finished(folder / f"a.{ending}", found)
        assert sum(counts.values()) == len(results)
        assert counts == {each.status: counts[each.status] for each in results}
        if results:
            rows = [row for _, row in rows_of(folder / f"a.{ending}")]
            assert sorted(row["status"] for row in rows) == sorted(each.status for each in results)
    for kind in ("ris", "nbib", "wikitext", "pages", "pywikibot", "edits"):
        assert isinstance(finished_bytes([found], kind), bytes)


def test_a_bibliography_can_be_read_again(tmp_path: Path) -> None:
    (tmp_path / "a.ris").write_text(ZOTERO, "utf-8")
    corpus = Corpus.from_records(tmp_path / "a.ris")
    results = [Result(id, "accepted", rank, 0.5) for rank, id in enumerate(corpus.ids(range(len(corpus))), 1)]
    results = [replace(each, title=corpus.titles([corpus.row(each.id)])[0]) for each in results]
    before = list(RecordReader([tmp_path / "a.ris"]))
    for kind in ("ris", "nbib"):
        write_finished(tmp_path / f"b.{kind}", Finished("Priors", results, corpus))
        after = list(RecordReader([tmp_path / f"b.{kind}"]))
        assert [(each.title, each.text) for each in after] == [(each.title, each.text) for each in before]
        assert [sorted(each.labels) for each in after] == [sorted([*each.labels, "Priors"]) for each in before]
    assert [each.id for each in RecordReader([tmp_path / "b.ris"])] == [each.id for each in before]
    text = (tmp_path / "b.ris").read_text("utf-8")
    assert "KW  - priorwise: Priors: rank 1\n" in text
    assert "KW  - priorwise: Priors: probability 0.5\n" in text
