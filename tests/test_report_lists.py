"""Lists of accepted candidates: complete, in order, and harmless wherever they are pasted."""

from __future__ import annotations

import csv
import re
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Cli, Refused, corpus_of
from priorwise.charts.markup import shown
from priorwise.discovery import discover
from priorwise.discovery.made_up import DemoDocument
from priorwise.report.lists import link
from priorwise.report.subject import subjects_of
from reviews import candidates, judge

TITLES = ["Plain title", "=HYPERLINK(1)", "a]] {{delete}} [[b", "+1", "two\nlines", '"quoted", with a comma', "Tea~~~~"]


@pytest.fixture
def accepted(documents: list[DemoDocument], tmp_path: Path) -> Path:
    """A run whose candidates have difficult titles; the even ones are accepted."""
    titles = [TITLES[i % len(TITLES)] for i in range(len(documents))]
    corpus = corpus_of(documents, titles=titles, path=tmp_path / "titles.corpus")
    run = discover(corpus, "Chess", top=20)
    run.save(tmp_path / "titles.run")
    judge(tmp_path / "titles.run", {id: "yes" if i % 2 else "no" for i, id in enumerate(candidates(run))})
    return tmp_path / "titles.run"


def test_csv_has_every_accepted_candidate_and_no_formula(accepted: Path, cli: Cli, tmp_path: Path) -> None:
    (subject,) = subjects_of([accepted])
    expected = subject.accepted()
    result = cli("report", accepted, "-o", tmp_path / "x.csv")
    assert result.stdout == f"{tmp_path / 'x.csv'}: {len(expected)} accepted candidates\n"
    with (tmp_path / "x.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [each["id"] for each in expected]
    assert len(rows) == len(subject.results["accepted"])
    assert [row["title"].removeprefix("'") for row in rows] == [each["title"] for each in expected]
    assert not [cell for row in rows for cell in row.values() if re.match(r"[=+\-@\t\r]", cell)]
    ranks = [int(row["rank"]) for row in rows if row["rank"]]
    assert ranks == sorted(ranks)


def test_wikitext_is_one_line_for_each(accepted: Path, cli: Cli, tmp_path: Path) -> None:
    cli("report", accepted, "-o", tmp_path / "x.wiki")
    lines = (tmp_path / "x.wiki").read_text(encoding="utf-8").splitlines()
    (subject,) = subjects_of([accepted])
    assert lines == [f"* {link(each['title'])}" for each in subject.accepted()]
    assert "* [[:Plain title]]" in lines


def test_several_runs_have_headings_and_all_files_come_at_once(accepted: Path, cli: Cli, tmp_path: Path) -> None:
    names = [tmp_path / name for name in ("r.html", "r.csv", "r.wikitext")]
    result = cli("report", accepted, accepted, "-o", names[0], "--csv", names[1], "--wikitext", names[2])
    assert result.exit_code == 0
    assert all(name.is_file() for name in names)
    headings = [line for line in names[2].read_text(encoding="utf-8").splitlines() if line.startswith("=")]
    assert headings == ["== [[:Category:Chess (titles.run)]] =="] * 2


def test_files_come_all_or_none(accepted: Path, refused: Refused, tmp_path: Path) -> None:
    page, sheet = tmp_path / "r.html", tmp_path / "r.csv"
    page.write_text("old", encoding="utf-8")
    nowhere = tmp_path / "nowhere" / "r.wiki"
    said = refused("report", accepted, "-o", page, "--csv", sheet, "--wikitext", nowhere, "--overwrite")
    assert f"{nowhere} cannot be written" in said
    assert page.read_text(encoding="utf-8") == "old"
    assert f"{page} is there already" in refused("report", accepted, "-o", page, "--csv", sheet)
    assert "One file is to hold two things" in refused("report", accepted, "-o", page, "--csv", page, "--overwrite")
    assert sorted(each.name for each in tmp_path.glob("r.*")) == ["r.html"]


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=30))
def test_a_link_is_one_link_or_plain_text(title: str) -> None:
    written = link(title)
    assert "\n" not in written
    if written.startswith("[[:"):
        assert written == f"[[:{title}]]"
        assert not set("#<>[]|{}").intersection(title)
        assert title.strip()
    else:
        inside = written.removeprefix("<nowiki>").removesuffix("</nowiki>")
        assert "<" not in inside
        assert unescape(inside) == " ".join(shown(title).split())


NO_TITLES = ["C#", "a|b", "{{t}}", "x]]", "~~~~", "100%25", "&lt;b", "AT&amp;T", "&#91;", ":x", "", "é" * 128]
NO_PATHS = ["..", "./x", "a/../b", "a/."]


@pytest.mark.parametrize("title", [*NO_TITLES, *NO_PATHS])
def test_what_no_wiki_can_have_as_a_title_is_no_link(title: str) -> None:
    assert link(title).startswith("<nowiki>")


@pytest.mark.parametrize("title", ["AT&T", "100% pure", "Image:Cat.png", "en:Tea", "...", "a//b", "Rock 'n' roll"])
def test_what_a_wiki_can_have_is_a_link(title: str) -> None:
    assert link(title) == f"[[:{title}]]"
    assert link("é" * 127) == f"[[:{'é' * 127}]]"
