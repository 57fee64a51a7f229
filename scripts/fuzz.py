"""Feed the byte scanner and the readers of records what a coverage-guided fuzzer thinks of.

    .venv/bin/python -m pip install atheris==3.0.0
    PYTHONPATH=src .venv/bin/python scripts/fuzz.py scanner FOLDER -max_total_time=600 -max_len=400 -len_control=0
    PYTHONPATH=src .venv/bin/python scripts/fuzz.py readers FOLDER -max_total_time=600 -max_len=600 -len_control=0

`scanner`: pages of XML, wikitext, rows of SQL, tokens. `readers`: CSV, TSV, JSON Lines, RIS, PubMed, BibTeX, EndNote
and lists of PetScan; the first byte says which. The loops run interpreted, so that the fuzzer sees each branch they
take, and reading beyond an array's end is an error. FOLDER keeps what was found to reach something new; begin with an
empty one. The arguments are libFuzzer's.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from pathlib import Path

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

from priorwise.errors import PriorwiseError
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
]
ROWS = TableShape("t", {"number": "integer", "title": "title"}, (("number",), ("title",)))
CREATE = b"CREATE TABLE t (`number` int, `title` varbinary(9));\nINSERT INTO t VALUES "
PLACE = Path(tempfile.mkdtemp(prefix="priorwise-fuzz-"), "t.sql")


ENDINGS = (".csv", ".tsv", ".jsonl", ".ris", ".nbib", ".bib", ".xml", ".json")


def read(data: bytes) -> None:
    """Read the same bytes as records of one kind."""
    path = PLACE.with_name("t" + ENDINGS[data[0] % len(ENDINGS)]) if data else PLACE.with_name("t.csv")
    path.write_bytes(data[1:])
    with contextlib.suppress(PriorwiseError):
        list(records.RecordReader([path], fields.Columns(), opening.Opening()))


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
