"""Reports on runs of the default model: what ranks, what to expect, whether that came true, and what verdicts gave."""

from __future__ import annotations

import math
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import reference_report as slow
from hypothesis import assume, given
from hypothesis import strategies as st

import priorwise as pw
from conftest import Cli
from markup import parsed, visible
from priorwise.corpus import Corpus
from priorwise.counting import rounded
from priorwise.discovery import Run, discover
from priorwise.discovery.demo import DemoDocument
from priorwise.discovery.member_stage import MemberStage
from priorwise.discovery.run import VerdictCounts
from priorwise.report import report_html
from priorwise.report.appendix import Bin, binned, discover_command, known_of, rescaled
from priorwise.report.parts import share
from priorwise.report.subject import subjects_of
from priorwise.review import finished_of, judged, results
from reviews import candidates, judge, with_status

PROBABILITIES = st.floats(0.0, 1.0)


@pytest.fixture
def fresh(auto_path: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(auto_path, tmp_path / "auto.run"))


@pytest.fixture
def belong(documents: list[DemoDocument]) -> set[str]:
    return {document.id for document in documents if "Chess" in document.truth}


@pytest.fixture
def reviewed(fresh: Path, auto_run: Run, belong: set[str]) -> Path:
    judge(fresh, {id: "yes" if id in belong else "no" for id in candidates(auto_run)})
    return fresh


# Formulas


@given(st.lists(st.tuples(PROBABILITIES, st.booleans()), min_size=1, max_size=130))
def test_bins_are_equal_and_in_order(known: list[tuple[float, bool]]) -> None:
    stated, accepted = [p for p, _ in known], [right for _, right in known]
    found = binned(stated, accepted)
    expected = slow.reliability_bins(stated, accepted)
    assert [(each.documents, each.accepted) for each in found] == [(n, right) for n, _, right in expected]
    assert [each.stated for each in found] == pytest.approx([mean for _, mean, _ in expected])


@given(st.integers(1, 300), st.data())
def test_the_interval_is_wilsons(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    low, high = Bin(n, 0.5, k).interval
    assert (low, high) == pytest.approx(slow.wilson(k, n), abs=1e-9)
    assert 0.0 <= low <= k / n <= high <= 1.0


@given(st.lists(st.floats(1e-6, 0.999), min_size=1, max_size=50), st.floats(0.01, 100), st.floats(0.1, 10))
def test_probabilities_for_another_number_of_missing_members(ps: list[float], rest: float, times: float) -> None:
    expected = sum(ps) + rest
    found = rescaled(np.array(ps), expected, times * expected)
    odds = found / (1 - found) / (np.array(ps) / (1 - np.array(ps)))
    c = float(odds[0])
    assert odds.tolist() == pytest.approx([c] * len(ps), rel=1e-5)
    assert found.tolist() == pytest.approx(slow.with_odds_times(c, ps), rel=1e-5)
    assert found.sum() + c * rest == pytest.approx(times * expected, rel=1e-5)


@given(st.lists(st.floats(0.01, 0.9), min_size=1, max_size=20))
def test_no_more_members_than_documents(ps: list[float]) -> None:
    found = rescaled(np.array(ps), sum(ps), 10.0 * len(ps))
    assert np.all(found <= 1.0)
    assert found.sum() > 0.99 * len(ps)
    assume(sum(ps) > 0.1)
    assert rescaled(np.array(ps), sum(ps), sum(ps)).tolist() == pytest.approx(ps)


# What it says


def test_it_says_what_ranks(fresh: Path, auto_run: Run) -> None:
    ranker = auto_run.ranker
    assert isinstance(ranker, MemberStage)
    text = visible(report_html(subjects_of([fresh])))
    for sentence in ranker.describe():
        assert sentence in text
    assert f"The model has {len(auto_run.model.tokens):,} words with a weight." in text
    predicted = f"It predicts {ranker.predicted:,} documents to be members; the baseline predicts "
    assert f"{predicted}{auto_run.compared.predicted:,}." in text
    assert "The default model" in text
    assert "The presence model" not in text, "none was learned"
    assert "before the division by length" not in text
    (listed,) = re.findall(r"typical rank of a left-out member (.*?)Candidates", text)
    shown = [float(share) for share in re.findall(r" ([01]\.\d{3}) [\d,]+(?![\d.])", listed)]
    assert sum(shown) == pytest.approx(1.0, abs=0.01)
    assert shown[0] == pytest.approx(max(each.share for each in ranker.about.tried), abs=0.001)
    for row in auto_run.ranking.rows(3):
        assert row["evidence"].split(":")[0] in text


def test_a_presence_run_has_one_model(run_path: Path) -> None:
    text = visible(report_html(subjects_of([run_path])))
    assert "The presence model" in text
    assert "default model" not in text
    assert "Leave-one-out, 5 samples of other documents" in text


def test_a_presence_model_that_was_asked_for_is_called_a_comparison(corpus: Corpus, cli: Cli, tmp_path: Path) -> None:
    options = ("--model", "default", "--seeds", "2", "-o", tmp_path / "both.run")
    assert cli("discover", corpus.path, "Chess", *options).exit_code == 0
    text = visible(report_html(subjects_of([tmp_path / "both.run"])))
    compares = text.index("The presence modelThis model is here to compare")
    assert text.index("The default modelLearned prior") < compares
    assert "it did not take part in the ranking" in text
    assert "chose which documents" not in text
    assert "Leave-one-out, 2 samples of other documents" in text
    assert "the baseline (compares), the presence model (compares), the default model (ranks)" in text


def test_a_large_corpus_is_read_in_part(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("priorwise.discovery.finding.READ_AT_MOST", 300)
    discover(corpus, "Chess").save(tmp_path / "large.run")
    text = visible(report_html(subjects_of([tmp_path / "large.run"])))
    assert "It read 300 documents" in text
    assert "The presence modelThis model chose which documents the default model reads: half by its score" in text
    assert "here to compare" not in text
    assert "the presence model (narrows), the default model (ranks)" in text


def test_what_to_expect_is_the_sum_of_the_probabilities(fresh: Path, auto_run: Run) -> None:
    text = visible(report_html(subjects_of([fresh])))
    missing = auto_run.missing
    assert missing is not None
    low, high = rounded(missing.low), rounded(missing.high)
    assert f"estimated missing (80% interval) {rounded(missing.expected)} ({low} to {high})" in text
    probabilities = auto_run.ranking.table["probability"].to_numpy()
    for k in (10, 50, 100, 250):
        expected = probabilities[:k].sum()
        (ends,) = re.findall(rf"first {k} {expected:,.0f} (\d+) to (\d+) {expected / k:.3f}", text)
        assert int(ends[0]) <= round(expected) <= int(ends[1])


def test_a_notebook_says_what_ranks(auto_run: Run, run: Run) -> None:
    for each in (auto_run, run):
        text = parsed(each._repr_html_()).text
        for sentence in each.ranker.describe():
            assert sentence in text
        for row in each.ranking.rows(10):
            assert row["title"] in text
            assert row["evidence"] in text
    assert "The default model ends at" in auto_run.plot_precision([]).summary
    assert "The presence model ends at" in run.plot_precision([]).summary


# The reliability curve


def test_what_was_stated_beside_what_was_accepted(reviewed: Path, auto_run: Run, belong: set[str]) -> None:
    (subject,) = subjects_of([reviewed])
    text = visible(report_html([subject]))
    depth = subject.results["depth"]
    rows = auto_run.ranking.rows(depth)
    expected = math.fsum(row["probability"] for row in rows)
    right = sum(row["id"] in belong for row in rows)
    assert f"Of the {len(rows):,} judged candidates among the first {depth:,}" in text
    assert f"expected {expected:,.0f} to belong, and {right:,} do" in text
    for n, stated, hits in slow.reliability_bins([r["probability"] for r in rows], [r["id"] in belong for r in rows]):
        low, high = slow.wilson(hits, n)
        assert f"{share(stated)} {n} {n * stated:,.1f} {hits} {share(hits / n)} {low:.3f} to {high:.3f}" in text


def test_only_blind_verdicts_say_whether_probabilities_are_right(fresh: Path, auto_run: Run) -> None:
    ids = auto_run.ranking.ids
    judge(fresh, {ids[0]: "yes", ids[1]: "no", ids[2]: "unsure"})
    judge(fresh, dict.fromkeys(ids[:9], "yes"), teaching=True)
    (subject,) = subjects_of([fresh])
    probabilities = auto_run.ranking.table["probability"].to_pylist()
    assert known_of(subject) == (probabilities[:3], [True, False, False])


def test_documents_of_subcategories_belong_without_a_verdict(fresh: Path, auto_run: Run) -> None:
    ids = auto_run.ranking.ids
    shutil.rmtree(fresh)
    with_status(auto_run, dict.fromkeys(ids[3:5], "subcategory")).save(fresh)
    judge(fresh, {ids[0]: "no"})
    (subject,) = subjects_of([fresh])
    assert known_of(subject)[1] == [False, True, True]
    assert "Documents of a subcategory are among them" in visible(report_html([subject]))


# What verdicts gave


def test_accepted_against_judged_for_each_list(fresh: Path, auto_run: Run) -> None:
    ids = auto_run.ranking.ids
    judge(fresh, dict.fromkeys(ids[:5], "yes"), teaching=True)
    before = visible(report_html(subjects_of([fresh])))
    assert "Nobody has judged the candidates blindly yet" in before
    assert "What a verdict yields Which Judged Accepted For each In the workbench 5 5 1.000" in before
    assert "not judged" in before
    judge(fresh, {ids[0]: "no", ids[7]: "yes", ids[8]: "no"})
    (subject,) = subjects_of([fresh])
    assert "Blind 3 1 0.333 In the workbench 5 5 1.000" in visible(report_html([subject]))
    assert [each["id"] for each in subject.accepted()] == [*ids[1:5], ids[7]]
    found = finished_of(fresh)
    assert [each.id for each in found.of(["accepted"]).results] == [*ids[1:5], ids[7]]
    assert results(fresh)["rankings"]["learned"]["counts"]["yes"] == 1


def test_runs_of_one_category_by_the_verdicts_they_learned_from(
    fresh: Path, auto_run: Run, corpus: Corpus, belong: set[str], run_path: Path, tmp_path: Path
) -> None:
    judge(fresh, {id: "yes" if id in belong else "no" for id in auto_run.ranking.ids[:100]})
    again = discover(corpus, "Chess", verdicts=judged(fresh))
    again.save(tmp_path / "again.run")
    text = visible(report_html(subjects_of([tmp_path / "again.run", fresh])))
    learned_from = again.about.verdicts
    assert learned_from is not None
    assert learned_from.accepted + learned_from.rejected == 100
    k = min(250, len(auto_run.ranking), len(again.ranking))
    assert f"the probabilities of the first {k} candidates, added up" in text
    for name, run in (("auto.run", auto_run), ("again.run", again)):
        own = run.about.verdicts or VerdictCounts()
        expected = run.ranking.table["probability"].to_numpy()[:k].sum()
        row = f"Chess ({name}) {own.accepted} {own.rejected} {run.about.members} {expected:,.0f} "
        assert run.missing is not None
        assert row + rounded(run.missing.expected) in text
    # Without verdicts there is nothing to compare by.
    assert "What the verdicts taught" not in visible(report_html(subjects_of([fresh, run_path])))


def test_runs_of_both_models_side_by_side(reviewed: Path, run_path: Path, auto_run: Run, run: Run) -> None:
    text = visible(report_html(subjects_of([reviewed, run_path])))
    for name, each in (("auto.run", auto_run), ("chess.run", run)):
        size = f"{each.about.members:,} {len(each.model.tokens):,}"
        assert f"Chess ({name}) {size} {each.prior!r} " in text
    assert "λ− / λ+" not in text, "only a presence model has two strengths"
    assert "learned model" in text


# How to reproduce it


def test_the_command_names_the_model_where_it_must(auto_run: Run, run: Run, corpus: Corpus) -> None:
    assert discover_command(auto_run, "x.run") == "priorwise discover made-up.corpus Chess -o x.run"
    assert discover_command(run, "x.run") == ("priorwise discover made-up.corpus Chess --model presence -o x.run")
    for description, written in (("", "''"), ("Open files", "'Open files'"), ("@me", "'…'"), ("x " * 101, "'…'")):
        described = replace(auto_run, about=replace(auto_run.about, description=description))
        assert f" Chess --description {written} -o x.run" in discover_command(described, "x.run")
    both = discover(corpus, "Chess", model="auto", prior=pw.PseudoCounts(22, 4), top=5)
    assert discover_command(both, "x.run") == (
        "priorwise discover made-up.corpus Chess --model default --prior 22,4 --keep 5 -o x.run"
    )
