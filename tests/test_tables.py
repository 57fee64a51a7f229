"""No cell of any table that we write is a formula, and every cell comes back as it was."""

import ast
import csv
import io
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import priorwise
from priorwise.cli.classify import writer
from priorwise.cli.discover_many import write_tables
from priorwise.discovery.many import ManyFound
from priorwise.ranking.table import Ranking
from priorwise.tables import csv_writer, guarded, unguarded, write_csv

FORMULA_SIGNS = set("=+-@\t\r\n＝＋－＠")
HOSTILE = ["=cmd|'/C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1", "'=1", "''-1"]
texts = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(codec="utf-8"), max_size=12))


@given(texts)
def test_a_guarded_cell_is_no_formula_and_can_be_undone(text: str) -> None:
    assert unguarded(guarded(text)) == text
    assert guarded(text)[:1] not in FORMULA_SIGNS


@given(st.lists(st.tuples(texts, st.integers(-9, 9), st.none() | texts), max_size=5))
def test_rows_come_back_as_they_were(rows: list[tuple[str, int, str | None]]) -> None:
    file = io.StringIO(newline="")
    write_row = csv_writer(file, ["text", "number", "maybe"])
    for row in rows:
        write_row(row)
    _check(file.getvalue(), rows)


@given(st.lists(st.tuples(texts, st.integers(-9, 9), st.none() | texts), max_size=5))
def test_an_arrow_table_is_written_like_its_rows(rows: list[tuple[str, int, str | None]]) -> None:
    file = io.BytesIO()
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    types = [pa.string(), pa.int64(), pa.large_string()]
    arrays = [pa.array(column, type) for column, type in zip(columns, types, strict=True)]
    write_csv(pa.table(arrays, names=["text", "number", "maybe"]), file)
    _check(file.getvalue().decode("utf-8-sig"), rows)


def _check(written: str, rows: list[tuple[str, int, str | None]]) -> None:
    """Read what was written, literally, and compare it with what was given."""
    headings, *read = csv.reader(io.StringIO(written, newline=""))
    assert headings == ["text", "number", "maybe"]
    assert all(cell[:1] not in FORMULA_SIGNS for row in read for cell in (row[0], row[2]))
    found = [(unguarded(text), int(number), unguarded(maybe)) for text, number, maybe in read]
    assert found == [(text, number, maybe or "") for text, number, maybe in rows]


def test_a_column_of_categories_is_guarded_too() -> None:
    file = io.BytesIO()
    write_csv(pa.table({"label": pa.array(["=1", "=1", "b"]).dictionary_encode(), "=n": [1, 2, 3]}), file)
    assert file.getvalue() == b'\xef\xbb\xbf"label","\'=n"\n"\'=1",1\n"\'=1",2\n"b",3\n'


@pytest.mark.parametrize("text", HOSTILE)
def test_tables_of_candidates_and_of_classified_texts_hold_no_formula(tmp_path: Path, text: str) -> None:
    import numpy as np

    ranking = Ranking.of(
        ids=[text],
        titles=[text],
        scores=np.array([-1.0]),
        probabilities=np.array([0.5]),
        baseline_ranks=np.array([1]),
        evidence=[text],
    )
    write_tables(tmp_path / "all.csv", ManyFound(ranking.table, ranking.table), {}, overwrite=False)
    file = io.StringIO(newline="")
    writer(file, "csv")({"id": text, "label": text, "probability": 0.5, "known_words": 1, "unknown_words": 0})
    for written in ((tmp_path / "all.csv").read_bytes().decode(), file.getvalue()):
        rows = list(csv.reader(io.StringIO(written, newline="")))
        strange = [cell for row in rows for cell in row if cell[:1] in FORMULA_SIGNS and cell != "-1"]
        assert len(rows) == 2
        assert strange == []


def test_no_other_module_writes_csv() -> None:
    root = Path(priorwise.__file__).parent
    writers = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr in ("writer", "DictWriter", "write_csv", "to_csv", "CSVWriter")
        and "csv" in ast.unparse(node.value).lower() + node.attr.lower()
    }
    assert writers == {"tables.py"}
