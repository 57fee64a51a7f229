"""Tables and figures of the experiments, and the page they are on."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priorwise.errors import MissingExtra
from priorwise.papers import bernoulli, page
from priorwise.papers.experiment import Findings
from priorwise.papers.figure import Curves
from priorwise.papers.table import Cell, Table

VALUES = st.one_of(st.none(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text())


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.tuples(st.text(), st.lists(st.builds(Cell, VALUES, VALUES), min_size=width, max_size=width)), min_size=1
        )
    ),
    st.integers(0, 6),
)
def test_table_goes_through_json(rows, digits):
    table = Table.of("A title", ["method", *map(str, range(len(rows[0][1])))], rows, note="A note.", digits=digits)
    assert Table.from_json(json.loads(json.dumps(table.to_json()))) == table


def test_table_shows_both_numbers_and_the_difference():
    table = Table.of("F1", ["", "a|b"], [("LA", [Cell(0.5, 0.25)]), ("JE", [None]), ("EY", [3])], note="Why.")
    assert "LA  0.500 (0.250, +0.250)" in table.to_text()
    assert table.to_markdown().splitlines() == [
        "**F1**",
        "",
        "|  | a\\|b |",
        "| --- | ---: |",
        "| LA | 0.500 (0.250, +0.250) |",
        "| JE | – |",
        "| EY | 3 |",
        "",
        "Ours (published, difference). Why.",
    ]
    assert table.largest_difference == 0.25
    assert Table.of("F1", ["", "x"], [("LA", [1.0])]).largest_difference == 0.0


def test_table_refuses_a_row_of_another_length():
    with pytest.raises(ValueError, match="row 'LA' of 'F1' has 2 cells"):
        Table.of("F1", ["", "x"], [("LA", [1.0, 2.0])])


CURVES = Curves("up", "Up it goes", "classes", "accuracy", {"a": [(1, 0.5), (10, 0.75)], "b": [(1, 0.5)]}, log_x=True)


def test_curves_go_through_json():
    assert Curves.from_json(json.loads(json.dumps(CURVES.to_json()))) == CURVES


def test_curves_are_drawn_the_same_each_time(tmp_path):
    pytest.importorskip("matplotlib", reason="figures need the extra 'plots'")
    first = CURVES.draw(tmp_path).read_bytes()
    assert first.startswith(b"\x89PNG")
    assert CURVES.draw(tmp_path).read_bytes() == first


def test_page_without_matplotlib_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"priorwise\[plots\]"):
        CURVES.draw(tmp_path)
    table = Table.of("F1", ["", "x"], [("LA", [1.0])])
    remarks = page.write_page(bernoulli.EXPERIMENT, Findings(("Words.", CURVES, table)), tmp_path, "command")
    assert remarks == ["no figures were drawn: this needs the package 'matplotlib': pip install 'priorwise[plots]'"]
    written = (tmp_path / "bernoulli.md").read_text(encoding="utf-8")
    assert "up.png" not in written
    assert "Words." in written
    assert table.to_markdown() in written
