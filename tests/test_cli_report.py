"""The command that writes a report, and the same from Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import priorwise as pw
from conftest import Cli, Refused
from markup import visible
from priorwise.errors import AlreadyExists, BrokenFile, InputError
from priorwise.report import Subject, report_html
from priorwise.report.subject import subjects_of


def test_report_writes_one_file(reviewed: Path, cli: Cli, tmp_path: Path) -> None:
    result = cli("report", reviewed, "-o", tmp_path / "x.html")
    assert re.fullmatch(r".*x\.html: 1 run, \d+ kB\n", result.stdout)
    assert (tmp_path / "x.html").read_text(encoding="utf-8") == report_html(subjects_of([reviewed]))
    assert not list(tmp_path.glob("*.partial"))


def test_report_goes_beside_the_run_by_default(fresh: Path, cli: Cli, refused: Refused) -> None:
    cli("report", fresh)
    assert fresh.with_suffix(".html").is_file()
    assert "is there already" in refused("report", fresh)
    assert cli("report", fresh, "--overwrite").exit_code == 0


def test_report_refuses_what_it_cannot_do(fresh: Path, refused: Refused, tmp_path: Path) -> None:
    assert "x.pdf should end in one of .csv" in refused("report", fresh, "-o", tmp_path / "x.pdf")
    assert "nobody has judged" in refused("report", fresh, "-o", tmp_path / "x.csv", "--status", "accepted")
    assert "nobody has judged" in refused("report", fresh, "-o", tmp_path / "x.wiki")
    assert "no file to write into" in refused("report", fresh, "--into", tmp_path / "x.csv")
    assert "there is no such run folder" in refused("report", tmp_path / "none.run")
    assert "cannot be written: there is no folder" in refused("report", fresh, "-o", tmp_path / "no" / "x.html")
    (tmp_path / "d.html").mkdir()
    assert "is not a file" in refused("report", fresh, "-o", tmp_path / "d.html", "--overwrite")
    assert not (tmp_path / "x.csv").exists()


def test_the_same_from_python(fresh: Path, tmp_path: Path) -> None:
    pw.write_report(fresh, tmp_path / "x.html", top=2)
    assert "The first 2 of" in visible((tmp_path / "x.html").read_text(encoding="utf-8"))
    with pytest.raises(AlreadyExists):
        pw.write_report([fresh], tmp_path / "x.html")
    with pytest.raises(InputError, match="at least one candidate"):
        pw.write_report(fresh, tmp_path / "y.html", top=0)
    with pytest.raises(BrokenFile):
        Subject.of(tmp_path)
