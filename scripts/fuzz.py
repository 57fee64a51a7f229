"""Feed the byte scanner and the readers of records what a coverage-guided fuzzer thinks of.

    .venv/bin/python -m pip install atheris==3.0.0
    PYTHONPATH=src .venv/bin/python scripts/fuzz.py scanner FOLDER -max_total_time=600 -max_len=400 -len_control=0
    PYTHONPATH=src .venv/bin/python scripts/fuzz.py readers FOLDER -max_total_time=600 -max_len=600 -len_control=0

`scanner`: pages of XML, wikitext, rows of SQL, tokens. `readers`: CSV, TSV, JSON Lines, RIS, PubMed, BibTeX, EndNote,
lists of PetScan, and the parts of .xlsx and .ods; the first byte says which. The loops run interpreted, so that the
fuzzer sees each branch they take, and reading beyond an array's end is an error. FOLDER keeps what was found to reach
something new; begin with an empty one. The arguments are libFuzzer's.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

os.environ["NUMBA_DISABLE_JIT"] = "1"

import atheris

with atheris.instrument_imports(
    include=["priorwise.kernels", "priorwise.text._kernels", "priorwise.wiki._kernels", "priorwise.readers"]
):
    from priorwise.kernels import utf8, words  # noqa: F401
    from priorwise.readers import bibliographic, fields, opening, records, tabular  # noqa: F401
    from priorwise.text._kernels import normalisation, tokens  # noqa: F401
    from priorwise.wiki._kernels import (  # noqa: F401
        bzip2,
        dump_pages,
        sql_rows,
        wikitext,
        wikitext_marks,
    )

import numpy as np

from priorwise.errors import BrokenFile, PriorwiseError
from priorwise.text.tokens import count_texts
from priorwise.wiki.sql import SqlTable, TableShape
from priorwise.wiki.wikitext import read_wikitext

MARKS = [
    "<page>",
    "</page>",
    "<title>",
    "</title>",
    "<text",
    "</text>",
    "<ns>14</ns>",
    "<redirect",
    "<model>",
    "&#x10FFFF;",
    "&amp;",
    "&nbsp;",
    "{{",
    "}}",
    "[[",
    "]]",
    "{|",
    "|}",
    "[[Category:",
    "<ref>",
    "</ref>",
    "<!--",
    "-->",
    "<nowiki>",
    "<math>",
    "'''",
    "==",
    "__NOTOC__",
    "#REDIRECT",
    "http://",
    "VALUES(",
    "'),('",
    "\\'",
    "NULL",
    "0x41",
    "TY  - JOUR\n",
    "ER  - \n",
    "TI  - ",
    "PMID- ",
    "@article{a,",
    "title = {",
    '{"text": "',
    "id,text,labels\n",
    "<records><record>",
    "\ufeff",
    '<row r="2"><c r="B2" s="1" t="inlineStr"><is><t>tea</t></is></c></row>',
    '<c r="A3" t="s"><v>0</v></c>',
    '<dimension ref="A1:B2"/>',
    '<mergeCell ref="A1:B2"/>',
    "<si><t>tea</t></si>",
    '<xf numFmtId="164"/>',
    '<sheet name="T" sheetId="2" r:id="rId1"/>',
    '<table:table-row table:number-rows-repeated="3">',
    '<table:table-cell office:value-type="float" office:value="7"/>',
    '<table:covered-table-cell table:number-columns-repeated="2"/>',
]
ROWS = TableShape("t", {"number": "integer", "title": "title"}, (("number",), ("title",)))
CREATE = b"CREATE TABLE t (`number` int, `title` varbinary(9));\nINSERT INTO t VALUES "
PLACE = Path(tempfile.mkdtemp(prefix="priorwise-fuzz-"), "t.sql")


ENDINGS = (".csv", ".tsv", ".jsonl", ".ris", ".nbib", ".bib", ".xml", ".json")


def read(data: bytes) -> None:
    """Read the same bytes as records of one kind."""
    kind, content = (data[0] if data else 0) % (len(ENDINGS) + len(PARTS)), data[1:]
    if kind < len(ENDINGS):
        path = PLACE.with_name("t" + ENDINGS[kind])
        path.write_bytes(content)
    else:
        book, part = PARTS[kind - len(ENDINGS)]
        path = PLACE.with_name("t" + book)
        with zipfile.ZipFile(path, "w") as packed:
            for name, sound in BOOKS[book].items():
                packed.writestr(name, sound.replace(b"<!---->", content) if name == part else sound)
    with contextlib.suppress(PriorwiseError):
        list(records.RecordReader([path], fields.Columns(), opening.Opening()))


def books() -> dict[str, dict[str, bytes]]:
    """Return the parts of a workbook of Excel and of one of LibreOffice, each with a mark for what is put in."""
    import openpyxl

    book = openpyxl.Workbook()
    for row in (["id", "text"], [7, "tea"], ["8", "milk"]):
        book.active.append(row)
    book.active["A2"].number_format = "000"
    made = PLACE.with_name("made.xlsx")
    book.save(made)
    with zipfile.ZipFile(made) as packed:
        excel = {name: packed.read(name) for name in packed.namelist()}
    last = {
        "xl/worksheets/sheet1.xml": b"</sheetData>",
        "xl/styles.xml": b"</cellXfs>",
        "xl/workbook.xml": b"</sheets>",
    }
    for name, end in last.items():
        assert end in excel[name], name
        excel[name] = excel[name].replace(end, b"<!---->" + end)
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    excel["xl/sharedStrings.xml"] = f'<sst xmlns="{main}"><si><t>tea</t></si><!----></sst>'.encode()
    spaces = "".join(f' xmlns:{each}="urn:oasis:names:tc:opendocument:xmlns:{each}:1.0"' for each in ODS)
    cells = "".join(f"<table:table-cell><text:p>{name}</text:p></table:table-cell>" for name in ("id", "text"))
    content = (
        f'<office:document-content{spaces}><office:body><office:spreadsheet><table:table table:name="T">'
        f"<table:table-row>{cells}</table:table-row><!----></table:table>"
        "</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    libre = {"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": manifest}
    return {".xlsx": excel, ".ods": {name: text.encode() for name, text in libre.items()}}


ODS = ("office", "table", "text")
PARTS = [
    (".xlsx", "xl/worksheets/sheet1.xml"),
    (".xlsx", "xl/sharedStrings.xml"),
    (".xlsx", "xl/styles.xml"),
    (".xlsx", "xl/workbook.xml"),
    (".ods", "content.xml"),
]
BOOKS = books()


def try_elsewhere(plain: Path, allowance: opening.Allowance, size: int, calamine: Any) -> None:
    """Try a workbook in a copy of this process, which begins sooner than a new one."""
    child = os.fork()
    if not child:
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + 2,) * 2)
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with contextlib.suppress(Exception):
            book = calamine.CalamineWorkbook.from_path(str(plain))
            [book.get_sheet_by_name(name) for name in book.sheet_names]
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        raise BrokenFile(allowance.path, "trying to read it ended a process")


tabular._try_elsewhere = try_elsewhere


def scan(data: bytes) -> None:
    """Read the same bytes as everything that they could be."""
    xml = np.frombuffer(data, np.uint8)
    pages = dump_pages.find_pages(xml, words.as_words(xml), xml.size)
    spans = np.ascontiguousarray(pages[:, [dump_pages.TITLE_START, dump_pages.TITLE_END]])
    dump_pages.unescape(xml, words.as_words(xml), spans)
    article = read_wikitext(data)
    count_texts([article.text])
    bzip2.find_marks(xml, 0, xml.size)
    PLACE.write_bytes(CREATE + data)
    with contextlib.suppress(PriorwiseError):
        list(SqlTable(PLACE, ROWS, piece=64))


def main() -> None:
    dictionary = PLACE.with_name("marks.dict")
    quoted = ("".join(f"\\x{byte:02x}" for byte in mark.encode()) for mark in MARKS)
    dictionary.write_text("".join(f'"{mark}"\n' for mark in quoted), "utf-8")
    # Sums and products of unsigned numbers are meant to wrap around; compiled code says nothing about it.
    np.seterr(over="ignore")
    what, arguments = sys.argv[1], [sys.argv[0], *sys.argv[2:]]
    atheris.Setup([*arguments, f"-dict={dictionary}"], {"scanner": scan, "readers": read}[what])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
