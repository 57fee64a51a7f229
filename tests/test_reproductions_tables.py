"""Tables and figures of the experiments, and the page they are on."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pytest

from reproductions import bernoulli, page
from reproductions.experiment import Findings
from reproductions.figure import Boxes, Curves, HeatMap
from reproductions.table import Cell, Table


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


def test_table_refuses_a_row_of_another_length():
    with pytest.raises(ValueError, match="row 'LA' of 'F1' has 2 cells"):
        Table.of("F1", ["", "x"], [("LA", [1.0, 2.0])])


CURVES = {"a": [(1, 0.5), (10, 0.75)], "b": [(1, 0.25)], "c": [(10, 0.0)], "d <&>": [(1, 0.5), (100, 1.0)]}
FIGURES = [
    Curves("up", "Up it goes", "classes", "accuracy", CURVES, log_x=True),
    Curves("flat", "Flat", "x", "y", {"a": [(1, 0.0)]}),
    Boxes("boxes", "Four values, and one", "F1", {"many": [0.1, 0.2, 0.3, 0.9], "one": [0.5]}, note="A note."),
    HeatMap("map", "A map", "x", "y", "F1", [1.0, 10.0], [[0.1, 0.2], [0.3, 0.4]], {"start": (1, 1), "best": (10, 10)}),
]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_a_figure_is_drawn_the_same_each_time_and_goes_into_json(figure, tmp_path):
    first = figure.draw(tmp_path).read_bytes()
    assert figure.draw(tmp_path).read_bytes() == first
    assert ElementTree.fromstring(first).get("aria-label") == figure.title
    assert json.loads(json.dumps(figure.to_json()))["title"] == figure.title


def marks(figure: Curves | Boxes, tag: str) -> list[tuple[float, float]]:
    svg = ElementTree.fromstring(figure.picture().svg)
    return [(float(mark.get("cx")), float(mark.get("cy"))) for mark in svg.iter(tag)]


def test_each_point_of_a_curve_lies_where_its_numbers_are():
    points = [point for curve in CURVES.values() for point in curve]
    dots = marks(FIGURES[0], "circle")
    assert len(dots) == len(points)
    decade = dots[1][0] - dots[0][0]
    for (x, y), (left, top) in zip(points, dots, strict=True):
        assert left == pytest.approx(dots[0][0] + decade * np.log10(x), abs=0.05)
        assert top == pytest.approx(dots[3][1] + y * (dots[-1][1] - dots[3][1]), abs=0.05)


def test_a_box_holds_the_middle_half():
    svg = ElementTree.fromstring(FIGURES[2].picture().svg)
    values = [at for at, _ in marks(FIGURES[2], "circle")]
    box = next(svg.iter("rect"))
    unit = (values[3] - values[0]) / 0.8
    first, third = np.percentile([0.1, 0.2, 0.3, 0.9], [25, 75])
    assert float(box.get("x")) == pytest.approx(values[0] + unit * (first - 0.1), abs=0.05)
    assert float(box.get("width")) == pytest.approx(unit * (third - first), abs=0.05)


def test_the_page_has_paragraphs_figures_and_tables(tmp_path):
    table = Table.of("F1", ["", "x"], [("LA", [1.0])])
    page.write_page(bernoulli.EXPERIMENT, Findings(("Words.", FIGURES[2], table)), tmp_path, "command")
    written = (tmp_path / "bernoulli.md").read_text(encoding="utf-8")
    assert "Words.\n\n![Four values, and one](boxes.svg)\n\nFour values, and one. A note.\n\n" in written
    assert written.endswith(table.to_markdown() + "\n")
    assert (tmp_path / "boxes.svg").exists()
    parts = json.loads((tmp_path / "bernoulli.json").read_text(encoding="utf-8"))["parts"]
    assert [list(part) for part in parts] == [["text"], ["boxes"], ["table"]]
    assert parts[2]["table"]["rows"] == [{"name": "LA", "ours": [1.0], "published": [None]}]
