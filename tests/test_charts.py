"""Charts: what is drawn is what was given, and no text becomes an element."""

from __future__ import annotations

import re
from base64 import b64decode
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import reference_report as slow
from hypothesis import given, settings
from hypothesis import strategies as st

from markup import parsed
from priorwise.charts import (
    Picture,
    box_plots,
    chart_style,
    dot_plot,
    element,
    heat_map,
    line_chart,
    reliability_plot,
    scatter,
    share_bars,
    two_curves,
)
from priorwise.charts.heat import PIXELS, cell_edges
from priorwise.charts.markup import joined, png, shown
from priorwise.charts.scales import CHARACTER, Scale, around, spots_for

EVIL = "</svg><script>alert('x')</script>\" onload=\"alert(1)"


def drawn(picture: Picture) -> ET.Element:
    return ET.fromstring(picture.svg)


def spread(middle: float) -> dict[str, float]:
    names = ("low", "first_quartile", "median", "third_quartile", "high")
    return {**dict(zip(names, (middle + 0.05 * i for i in range(-2, 3)), strict=True)), "mean": middle + 0.02}


# Markup


@given(st.text(), st.text())
def test_a_text_stays_a_text_and_an_attribute_an_attribute(text: str, attribute: str) -> None:
    found = parsed(element("p", text, title=attribute))
    assert found.tags == ["p"]
    assert found.attributes == [("title", shown(attribute))]
    assert found.text == shown(text)


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=20))
def test_what_is_written_can_be_stored_and_read_by_any_parser(text: str) -> None:
    written = element("text", text)
    written.encode("utf-8")
    read = ET.fromstring(written).text or ""
    assert read == shown(text)


def test_children_are_followed_and_none_is_nothing() -> None:
    assert joined("<", [element("b", 1), None, ["&"]], 0.5) == "&lt;<b>1</b>&amp;0.5"
    assert element("br", id=None) == "<br>"


# Axes


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6), st.integers(2, 12))
def test_ticks_are_within_the_axis_evenly_spread_and_not_too_many(low: float, length: float, most: int) -> None:
    scale = Scale(low, low + length, 0, 100)
    ticks = scale.ticks(most)
    assert len(ticks) <= most + 1
    room = 1e-6 * max(length, abs(low))
    assert all(low - room <= tick <= low + length + room for tick in ticks)


@given(st.floats(1e-6, 1e6), st.floats(10, 1e9), st.integers(3, 12))
def test_ticks_of_decades(low: float, ratio: float, most: int) -> None:
    ticks = Scale(low, low * ratio, 0, 100, log=True).ticks(most)
    assert 1 <= len(ticks) <= most
    assert all(low * (1 - 1e-6) <= tick <= low * ratio * (1 + 1e-6) for tick in ticks)
    assert ticks == sorted(set(ticks))


@given(st.lists(st.floats(1e-6, 1e6), min_size=1), st.booleans())
def test_an_axis_around_values_holds_them(values: list[float], log: bool) -> None:
    low, high = around(values, log=log)
    assert low < min(values) <= max(values) < high


# Pictures of cells


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_png_is_read_back_by_a_plain_reader(height: int, width: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pixels = rng.integers(0, 256, (height, width), np.uint8)
    palette = rng.integers(0, 256, (256, 4), np.uint8)
    read, colours, opacities = slow.png_pixels(png(pixels, palette))
    assert read == pixels.tolist()
    assert colours == [tuple(colour) for colour in palette[:, :3].tolist()]
    assert opacities == palette[:, 3].tolist()


def image_of(picture: Picture) -> list[list[int]]:
    address = next(node.get("href") or "" for node in drawn(picture).iter("image"))
    return slow.png_pixels(b64decode(address.removeprefix("data:image/png;base64,")))[0]


@settings(max_examples=15)
@given(
    st.lists(st.sampled_from([0.01, 0.1, 0.5, 1, 2, 5, 50, 200]), min_size=2, max_size=5, unique=True), st.integers()
)
def test_each_pixel_of_a_heat_map_has_the_colour_of_its_nearest_cell(chosen: list[float], seed: int) -> None:
    grid = sorted(chosen)
    values = np.random.default_rng(abs(seed)).random((len(grid), len(grid)))
    values[0, -1] = np.nan
    picture = heat_map(
        grid, values, x_name="x", y_name="y", value_name="v", best=("best", (grid[0], grid[0])), summary="s"
    )
    pixels = image_of(picture)
    low, high = np.nanmin(values), np.nanmax(values)
    edges = np.log(cell_edges(np.array(grid)))
    for across in range(7, PIXELS, 37):
        for down in range(3, PIXELS, 41):
            x, y = (
                float(np.exp(edges[0] + (edges[-1] - edges[0]) * (place + 0.5) / PIXELS))
                for place in (across, PIXELS - 1 - down)
            )
            value = values[slow.nearest_cell(grid, y), slow.nearest_cell(grid, x)]
            expected = 0 if np.isnan(value) else 1 + round(254 * (value - low) / (high - low))
            assert abs(pixels[down][across] - expected) <= 1


def test_a_flat_terrain_and_a_terrain_of_one_cell_are_drawn() -> None:
    for grid in ([1.0], [1.0, 2.0]):
        picture = heat_map(
            grid,
            np.ones((len(grid), len(grid))),
            x_name="x",
            y_name="y",
            value_name="v",
            best=("b", (1.0, 1.0)),
            summary="s",
        )
        assert {pixel for row in image_of(picture) for pixel in row} == {255}


def test_the_ways_of_a_search_are_drawn_where_its_cells_are() -> None:
    picture = heat_map(
        [1, 10, 100],
        np.eye(3),
        x_name="x",
        y_name="y",
        value_name="v",
        best=("best", (100, 1)),
        paths=[[(1, 1), (10, 100)], [(1, 1)]],
        summary="s",
    )
    lines = [node.get("points") for node in drawn(picture).iter("polyline") if node.get("class") == "climb"]
    (line,) = lines
    (x1, y1), (x2, y2) = [tuple(map(float, point.split(","))) for point in (line or "").split()]
    # The cells of three decades are three equal parts of the picture.
    width = 380 - 60
    assert [x1, x2] == pytest.approx([60 + width / 6, 60 + width / 2], abs=0.1)
    assert [y1, y2] == pytest.approx([354 - width / 6, 34 + width / 6], abs=0.1)


# Curves, boxes, dots


def points_of(path: str) -> np.ndarray:
    return np.array([[float(number) for number in pair.split()] for pair in re.split("[ML]", path.rstrip("Z"))[1:]])


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30), st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_curves_and_the_area_of_the_higher_one(first: list[float], second: list[float]) -> None:
    picture = two_curves(first, second, ("a", "b"), x_name="k", y_name="y", mark=2, summary="s")
    paths = {node.get("class"): points_of(node.get("d") or "") for node in drawn(picture).iter("path")}
    n = min(len(first), len(second))
    lines = [paths["line series-1"][:, 1], paths["line series-2 dashed"][:, 1]]
    assert [len(line) for line in lines] == [len(first), len(second)]
    for style, own, other in (("area series-1", 0, 1), ("area series-2 dashed", 1, 0)):
        up, down = paths[style][:n, 1], paths[style][n:, 1][::-1]
        # Downwards on the page is lower: where the other curve is ahead, this colour has no height.
        assert np.allclose(down, lines[other][:n], atol=0.11)
        ahead = lines[own][:n] < lines[other][:n] - 0.2
        assert np.allclose(up[ahead], lines[own][:n][ahead], atol=0.11)
        assert np.allclose(up[~ahead], down[~ahead], atol=0.25)


@pytest.mark.parametrize("lengths", [(0, 0), (1, 1), (0, 3)])
def test_short_curves_are_drawn_too(lengths: tuple[int, int]) -> None:
    picture = two_curves(*(np.ones(n) for n in lengths), ("a", "b"), x_name="k", y_name="y", summary="s")
    assert drawn(picture).get("aria-label") == "s"


def test_a_box_lies_where_its_quartiles_are() -> None:
    picture = box_plots([("A", spread(0.5), spread(0.25))], ("a", "b"), x_name="x", summary="s")
    boxes = [(float(node.get("x") or 0), float(node.get("width") or 0)) for node in drawn(picture).iter("rect")]
    scale = Scale(0, 1.05 * 0.6, 200, 612)
    for (left, width), middle in zip(boxes, (0.5, 0.25), strict=True):
        assert left == pytest.approx(float(scale(middle - 0.05)), abs=0.01)
        assert left + width == pytest.approx(float(scale(middle + 0.05)), abs=0.02)


def test_nothing_is_drawn_for_none() -> None:
    picture = dot_plot([("A", [10, 0, 1000]), ("B", [0, 0, 0])], ("a", "b", "c"), x_name="x", summary="s")
    circles = list(drawn(picture).iter("circle"))
    # Those of the legend have no number to say.
    assert [node.findtext("title") for node in circles] == ["A, a: 10", "A, c: 1,000", None, None, None]
    assert float(circles[0].get("cx") or 0) < float(circles[1].get("cx") or 0)


def test_bars_are_as_long_as_their_shares() -> None:
    picture = share_bars([("a", 0.6), ("b", 0.3), ("c", 0.0)], x_name="x", summary="s")
    widths = [float(node.get("width") or 0) for node in drawn(picture).iter("rect")]
    assert widths[0] == pytest.approx((612 - 270) * 0.6 / (1.05 * 0.6), abs=0.1)
    assert widths[1] == pytest.approx(widths[0] / 2, abs=0.1)
    # As thin as can be seen.
    assert widths[2] == 0.5
    assert drawn(share_bars([], x_name="x", summary="s")).get("aria-label") == "s"


POINTS = st.lists(st.tuples(st.floats(0, 500), st.floats(0, 500)), min_size=1, max_size=40).map(sorted)


@given(POINTS, POINTS)
def test_lines_go_through_their_points(first: list[tuple[float, float]], second: list[tuple[float, float]]) -> None:
    picture = line_chart([("a", first), ("b", second)], x_name="x", y_name="y", summary="s")
    x = Scale(0, 1.02 * max(1.0, *(each for each, _ in [*first, *second])), 48, 612)
    y = Scale(0, 1.08 * max(1.0, *(each for _, each in [*first, *second])), 250, 40)
    paths = [points_of(node.get("d") or "") for node in drawn(picture).iter("path")]
    for path, points in zip(paths, (first, second), strict=True):
        expected = [(float(x(across)), float(y(up))) for across, up in points]
        assert path == pytest.approx(np.array(expected), abs=0.06)
    dots = [len(points) if len(points) <= 30 else 0 for points in (first, second)]
    assert len(list(drawn(picture).iter("circle"))) == sum(dots)


def test_shares_lie_above_what_was_stated() -> None:
    points = [(0.25, 0.5, 0.4, 0.6), (1.0, 1.0, 0.7, 1.0)]
    picture = reliability_plot(points, x_name="x", y_name="y", summary="s")
    x, y = Scale(0, 1, 48, 612), Scale(0, 1, 310, 40)
    circles = [[float(node.get("cx") or 0), float(node.get("cy") or 0)] for node in drawn(picture).iter("circle")]
    np.testing.assert_allclose(circles, [[float(x(p)), float(y(share))] for p, share, _, _ in points], atol=0.01)
    whiskers = [node for node in drawn(picture).iter("line") if node.get("class") == "line series-1"][::3]
    ends = [[float(node.get("y1") or 0), float(node.get("y2") or 0)] for node in whiskers]
    np.testing.assert_allclose(ends, [[float(y(high)), float(y(low))] for _, _, low, high in points], atol=0.01)
    (diagonal,) = [node for node in drawn(picture).iter("line") if node.get("class") == "link thin"]
    assert [float(diagonal.get(name) or 0) for name in ("x1", "y1", "x2", "y2")] == [48, 310, 612, 40]


def test_names_stay_text() -> None:
    pictures = [
        box_plots([(EVIL, spread(0.5), spread(0.25))], (EVIL, "b"), x_name=EVIL, summary=EVIL),
        dot_plot([(EVIL, [1.0])], (EVIL,), x_name=EVIL, summary=EVIL),
        line_chart([(EVIL, [(0, 0)]), (EVIL, [])], x_name=EVIL, y_name=EVIL, summary=EVIL),
        reliability_plot([(0.5, 0.5, 0.4, 0.6)], x_name=EVIL, y_name=EVIL, summary=EVIL),
        share_bars([(EVIL, 0.5)], x_name=EVIL, summary=EVIL),
        scatter([(EVIL, 1, 2)], x_name=EVIL, y_name=EVIL, summary=EVIL),
        two_curves([1], [0], (EVIL, "b"), x_name=EVIL, y_name=EVIL, summary=EVIL),
    ]
    for picture in pictures:
        found = parsed(picture.svg)
        assert "script" not in found.tags
        assert "onload" not in [name for name, _ in found.attributes]
        assert drawn(picture).get("aria-label") == EVIL


def test_a_picture_is_saved_and_shown_in_a_notebook(tmp_path: Path) -> None:
    picture = scatter([("A", 1, 2)], x_name="x", y_name="y", summary="A <b>")
    picture.save(tmp_path / "a.svg")
    root = ET.parse(tmp_path / "a.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root[0].text == chart_style()
    assert picture._repr_html_().startswith("<svg ")
    assert repr(picture) == "<Picture: A <b>>"


@given(st.lists(st.tuples(st.floats(1, 1e4), st.floats(1, 1e4)), min_size=1, max_size=12))
def test_names_of_dots_do_not_cover_each_other(points: list[tuple[float, float]]) -> None:
    names = [f"name {number}" for number in range(len(points))]
    dots = [(x / 20, y / 20) for x, y in points]
    spots = spots_for(names, dots, (-200.0, -200.0, 800.0, 800.0))
    boxes = [spot.box(CHARACTER * len(name)) for spot, name in zip(spots, names, strict=True)]
    for first, second in combinations(boxes, 2):
        assert first[2] <= second[0] or second[2] <= first[0] or first[3] <= second[1] or second[3] <= first[1]
    for spot, (x, y) in zip(spots, dots, strict=True):
        assert abs(spot.x - x) == pytest.approx(10)
        assert spot.y == pytest.approx(y + spot.rise)


def test_a_name_stays_inside_and_a_far_one_is_joined_to_its_dot() -> None:
    (spot,) = spots_for(["a long name"], [(95.0, 50.0)], (0.0, 0.0, 100.0, 100.0))
    assert spot.is_left
    crowd = [("same place", 100.0, 100.0)] * 6
    picture = scatter(crowd, x_name="x", y_name="y", summary="A crowd.")
    assert len([each for each in drawn(picture).iter() if each.get("class") == "leader"]) >= 4
