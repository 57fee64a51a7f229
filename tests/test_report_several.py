"""Reports on several runs, and on none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from markup import parsed, visible
from priorwise.errors import InputError
from priorwise.ranking.metrics import compare
from priorwise.report import report_html
from priorwise.report.subject import subjects_of
from reviews import judge


def test_several_runs_are_compared(reviewed: Path, wiki_run: Path, tmp_path: Path) -> None:
    judge(wiki_run, {"n0": "yes", "n1": "yes", "n2": "no", **{f"l{i}": "no" for i in range(6)}})
    subjects = subjects_of([reviewed, wiki_run])
    assert [subject.name for subject in subjects] == ["Chess (chess.run)", "Chess (wiki.run)"]
    html = report_html(subjects)
    text = visible(html)
    learned, laplace = (
        np.array([subject.results["rankings"][key]["at_k"]["value"] for subject in subjects])
        for key in ("learned", "laplace")
    )
    found = compare(learned, laplace)
    assert f"signed-rank test gives p = {found.wilcoxon:.3f}" in text
    assert f"ahead in {found.ahead}, behind in {found.behind}" in text
    for subject in subjects:
        value = subject.results["rankings"]["laplace"]["at_k"]
        assert f"{subject.name} {value['value']:.3f} {value['low']:.3f} to {value['high']:.3f}" in text
    anchors = [value for name, value in parsed(html).attributes if name == "href" and (value or "").startswith("#")]
    ids = [value for name, value in parsed(html).attributes if name == "id"]
    assert anchors == ["#run-1", "#run-2"]
    assert len(set(ids)) == len(ids)
    assert {anchor[1:] for anchor in anchors if anchor} <= set(ids)


def test_several_runs_of_which_some_are_not_judged(reviewed: Path, wiki_run: Path) -> None:
    text = visible(report_html(subjects_of([reviewed, wiki_run])))
    assert "Not yet judged: Chess (wiki.run)." in text
    assert "signed-rank" not in text


def test_no_run_is_no_report() -> None:
    with pytest.raises(InputError, match="at least one run"):
        subjects_of([])
    with pytest.raises(InputError, match="at least one run"):
        report_html([])
