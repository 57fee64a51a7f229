"""Bibliographies as Zotero, EndNote and PubMed export them, and publications that several of them have."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Cli
from priorwise.corpus import Corpus
from priorwise.errors import BrokenFile, InputError
from priorwise.readers.bibliographic import Joining, bibliographic, ris_records
from priorwise.readers.opening import Opening
from priorwise.readers.records import RecordReader

ZOTERO = """TY  - JOUR
TI  - Learned priors for incomplete categories
AU  - Müller, Änne
AU  - Doe, Jane
T2  - Journal of Priors
AB  - We find what is missing.
Second paragraph of the abstract.
DA  - 2019/05/01/
PY  - 2019
DO  - 10.1000/ABC.1
VL  - 7
IS  - 2
SP  - 10
EP  - 20
SN  - 1234-5678
UR  - https://doi.org/10.1000/abc.1
KW  - Naive Bayes
KW  - Categories
N1  - a note
ER  -

TY  - BOOK
TI  - A book without a number
AU  - Smith, John
PY  - 2001
KW  - Books; Paper
ID  - smith2001
ER  -
"""
PUBMED = """
PMID- 31000001
OWN - NLM
DP  - 2019 May 1
TI  - Learned priors for incomplete
      categories.
AB  - We find what is missing. Second paragraph of the abstract, and PubMed has
      a longer one.
FAU - Müller, Änne
AU  - Müller A
LA  - eng
PT  - Journal Article
JT  - Journal of Priors
MH  - Aged/*psychology
MH  - *Bayes Theorem
OT  - naive Bayes
LID - 10.1000/abc.1 [doi]
AID - S1234(19)1 [pii]

PMID- 31000002
TI  - Tea and health.
DP  - 2020
FAU - Roe, Ann
AB  - Drink it.
"""
BIBTEX = r"""
@string{jp = "Journal of Priors"}
@comment{jabref-meta: x}
@article{mueller2019,
  title = {Learned {P}riors for Incomplete Categories},
  author = {M{\"u}ller, {\"A}nne and Doe, Jane},
  journal = jp,
  year = 2019,
  keywords = {naive Bayes, categories},
  abstract = {Short.},
  pmid = {31000001}
}

@inproceedings{roe2020,
  author = "Roe, Ann",
  title = "Tea and Health",
  booktitle = "Tea",
  year = "2020",
  note = "with {\'E}clairs \& more",
}
"""
ENDNOTE = """<?xml version="1.0" encoding="UTF-8"?><xml><records><record><source-app name="EndNote">EndNote</source-app>
<rec-number>4</rec-number><ref-type name="Journal Article">17</ref-type><contributors><authors><author><style
face="normal">Lee, Kim</style></author></authors></contributors><titles><title><style>Milk &amp; honey in the
diet</style></title><secondary-title>Food</secondary-title></titles><keywords><keyword>Milk</keyword><keyword>Honey
</keyword></keywords><dates><year>2018</year></dates><accession-num>29000001</accession-num><abstract>Sweet.</abstract>
<electronic-resource-num>10.1000/milk</electronic-resource-num><remote-database-name>PubMed</remote-database-name>
</record><record><titles><title>Broken &nope; one</title></titles></record></records></xml>"""


def read(tmp_path: Path, files: dict[str, str], **options: Any) -> tuple[list[Any], dict[str, int]]:
    for name, content in files.items():
        (tmp_path / name).write_bytes(content.encode())
    reader = RecordReader([tmp_path / name for name in files], opening=Opening(**options))
    return list(reader), reader.remarks


def test_ris(tmp_path: Path) -> None:
    (article, book), remarks = read(tmp_path, {"zotero.ris": ZOTERO})
    assert article.id == "10.1000/abc.1"
    assert article.title == "Learned priors for incomplete categories"
    assert article.text == "We find what is missing. Second paragraph of the abstract."
    assert article.labels == ["Naive Bayes", "Categories"]
    assert {name: article.other[name] for name in ("authors", "year", "journal", "pages", "N1")} == {
        "authors": "Müller, Änne; Doe, Jane",
        "year": "2019",
        "journal": "Journal of Priors",
        "pages": "10–20",
        "N1": "a note",
    }
    assert (book.id, book.labels, book.title_words) == ("smith2001", ["Books", "Paper"], True)
    assert remarks == {"rows read as RIS, UTF-8 (zotero.ris)": 2}


def test_pubmed(tmp_path: Path) -> None:
    (first, second), _ = read(tmp_path, {"pubmed.nbib": PUBMED})
    assert (first.id, first.other["pmid"]) == ("10.1000/abc.1", "31000001")
    assert first.title == "Learned priors for incomplete categories."
    assert first.text.endswith("and PubMed has a longer one.")
    assert first.labels == ["Aged", "Bayes Theorem", "naive Bayes"]
    assert (second.id, second.other["year"]) == ("31000002", "2020")


def test_bibtex(tmp_path: Path) -> None:
    (first, second), _ = read(tmp_path, {"a.bib": BIBTEX})
    assert (first.id, first.other["key"], first.title) == (
        "31000001",
        "mueller2019",
        "Learned Priors for Incomplete Categories",
    )
    assert first.labels == ["naive Bayes", "categories"]
    assert first.other["authors"] == "Müller, Änne; Doe, Jane"
    assert first.other["journal"] == "Journal of Priors"
    assert (second.id, second.other["note"]) == ("roe2020", "with Éclairs & more")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_the_dump_of_a_wiki_is_not_endnote(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "wiki.xml"
    path.write_text('<?xml version="1.0"?>\n<mediawiki xml:lang="en">\n<page/></mediawiki>', encoding)
    with pytest.raises(BrokenFile, match="the dump of a wiki; read it with `priorwise ingest wikipedia`"):
        list(RecordReader(path))


def test_endnote(tmp_path: Path) -> None:
    (record,), remarks = read(tmp_path, {"library.xml": ENDNOTE})
    assert (record.id, record.title, record.text) == ("10.1000/milk", "Milk & honey in the diet", "Sweet.")
    assert record.labels == ["Milk", "Honey"]
    assert (record.other["pmid"], record.other["journal"], record.other["type"]) == (
        "29000001",
        "Food",
        "Journal Article",
    )
    assert remarks["records of EndNote that are not well-formed XML, left out (library.xml, record 2)"] == 1


def test_publications_are_joined_across_databases(tmp_path: Path) -> None:
    files = {"zotero.ris": ZOTERO, "pubmed.nbib": PUBMED, "a.bib": BIBTEX, "library.xml": ENDNOTE}
    joined, remarks = read(tmp_path, files)
    assert [document.id for document in joined] == ["10.1000/abc.1", "smith2001", "31000002", "10.1000/milk"]
    first = joined[0]
    assert first.labels == ["Naive Bayes", "Categories", "Aged", "Bayes Theorem"]
    assert first.text.endswith("a longer one.")
    assert first.other["pmid"] == "31000001"
    by = "records joined with an earlier one of the same publication, by their"
    counts = {remark.removeprefix(by).partition(" (")[0].strip(): n for remark, n in remarks.items() if by in remark}
    assert counts == {"DOI": 1, "PMID": 1, "title, year and first author": 1}
    _, remarks = read(tmp_path, {"one.xml": ENDNOTE, "two.xml": ENDNOTE})
    assert remarks[f"{by} DOI (two.xml, record 1)"] == 1
    apart, _ = read(tmp_path, files, join=False)
    assert len(apart) == 7


def test_an_erratum_is_not_joined_with_its_article() -> None:
    same = {"title": "The same long title", "text": "", "keywords": [], "authors": ["Roe, A"], "year": "2020"}
    joining = Joining()
    for doi in ("10.1000/a", "10.1000/b", ""):
        joining.add(doi, bibliographic(**same, journal="", doi=doi, pmid=""))  # type: ignore[arg-type]
    assert [publication.members for publication in joining] == [["10.1000/a", ""], ["10.1000/b"]]


def test_real_exports_are_untidy(tmp_path: Path) -> None:
    untidy = "\ufeffProvider: Somebody\n\nTY - JOUR\nT1 - One\nN2 - Text\n\nTY  - JOUR\nTI  - Two\nER  - \n"
    untidy = untidy.replace("\n", "\r\n")
    (one, two), remarks = read(tmp_path, {"a.ris": untidy})
    assert (one.title, one.text, two.title) == ("One", "Text", "Two")
    assert [document.id for document in (one, two)] == ["row 3", "row 7"]
    assert remarks["lines outside of any record, left out (a.ris, line 1)"] == 1
    (tmp_path / "b.txt").write_bytes("TY  - JOUR\nTI  - Früh\nER  - \n".encode("cp1252"))
    assert next(iter(RecordReader([tmp_path / "b.txt"]))).title == "Früh"
    (tmp_path / "c.bib").write_text("@article{a, title = {Open\n\n@article{b, title = {Good}, year = 2000}\n")
    reader = RecordReader([tmp_path / "c.bib"])
    assert [document.title for document in reader] == ["Good"]
    assert any("entries of BibTeX that cannot be read, left out" in remark for remark in reader.remarks)
    same_key = "@article{a, title={One of them}}\n@article{a, title={Two of them}}\n"
    assert len(read(tmp_path, {"d.bib": same_key})[0]) == 2


def test_bibliographies_and_tables_are_not_read_together(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,text\n1,a\n")
    (tmp_path / "a.ris").write_text(ZOTERO)
    with pytest.raises(InputError, match="is not a bibliography; read it apart"):
        list(RecordReader([tmp_path / "a.csv", tmp_path / "a.ris"]))
    (tmp_path / "x.ris").write_bytes("TY  - JOUR\nTI  - {}\n".format("äöü " * 9).encode() + b"AB  - \xff\n")
    with pytest.raises(BrokenFile, match=r"x\.ris, line \d: the text is not valid UTF-8; name its encoding"):
        list(RecordReader([tmp_path / "x.ris"]))


def test_the_command_reads_a_bibliography(cli: Cli, tmp_path: Path) -> None:
    for name, content in {"zotero.ris": ZOTERO, "pubmed.nbib": PUBMED}.items():
        (tmp_path / name).write_text(content, "utf-8")
    files = [tmp_path / "zotero.ris", tmp_path / "pubmed.nbib"]
    result = cli("ingest", "records", *files, "-o", tmp_path / "x.corpus")
    assert result.exit_code == 0, result.output
    assert "rows read as RIS, UTF-8 (zotero.ris): 2" in result.stdout
    corpus = Corpus.open(tmp_path / "x.corpus")
    assert len(corpus) == 3
    assert corpus.members("Naive Bayes").tolist() == [0]
    assert corpus.token_id("incomplete") is not None


VALUE = st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1, max_size=20)
TAGS = st.sampled_from(["TI", "AB", "KW", "AU", "N1", "M1"])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.tuples(TAGS, VALUE), max_size=6), min_size=1, max_size=5), st.sampled_from(["\n", "\r\n"]))
def test_what_is_written_as_ris_is_read(records: list[list[tuple[str, str]]], end: str) -> None:
    lines = []
    for record in records:
        lines += ["TY  - JOUR", *(f"{tag}  - {value}" for tag, value in record), "ER  - ", ""]
    found = [
        each for each in ris_records(enumerate((line + end for line in lines), start=1)) if not isinstance(each, int)
    ]
    assert [each.tags[1:-1] for each in found] == records
    assert "".join(line for each in found for line in each.lines) == "".join(line + end for line in lines if line)


def publications(n: int) -> str:
    draw = random.Random(0)
    words = [f"word{number}" for number in range(3000)]
    return "".join(
        f"TY  - JOUR\nAU  - Smith, John\nAU  - Doe, Jane {i}\nTI  - {' '.join(draw.choices(words, k=10))}\nPY  - 2020\n"
        f"DO  - 10.1000/{i % (n - n // 20)}\nAB  - {' '.join(draw.choices(words, k=180))}\nKW  - a\nKW  - b\nER  - \n\n"
        for i in range(n)
    )


@pytest.mark.slow
def test_many_records_take_little_time(tmp_path: Path) -> None:
    """80,000 records in less than a minute; here a tenth of them, in a tenth of the processor time."""
    import time

    (tmp_path / "a.ris").write_text(publications(8_000))
    begun = time.process_time()
    assert sum(1 for _ in RecordReader([tmp_path / "a.ris"])) == 7_600
    assert time.process_time() - begun < 6
