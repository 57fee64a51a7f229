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
from markup import parsed, visible
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.made_up import DemoDocument
from priorwise.discovery.words import regression_in_words, rounded
from priorwise.ranking.table import Ranking
from priorwise.report import report_html
from priorwise.report.expected import rescaled
from priorwise.report.lists import accepted_csv
from priorwise.report.reliability import Bin, binned, known_of
from priorwise.report.reproduce import discover_command
from priorwise.report.subject import subjects_of
from priorwise.review import judged, results
from reviews import candidates, judge

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
    about = auto_run.about
    text = visible(report_html(subjects_of([fresh])))
    assert regression_in_words(about).replace("\n", " ") in text
    assert auto_run.regression is not None
    assert f"The model has {len(auto_run.regression.tokens):,} tokens with a weight." in text
    assert f"It predicts {about['predicted_positive']['learned']:,} documents to belong" in text
    assert text.index("The candidates are ranked by a regression") < text.index("Presence naive Bayes with a learned")
    assert "before the division by length" not in text
    shares = [setting["share"] for setting in about["regression"]["settings"]]
    (listed,) = re.findall(r"typical rank of a member that was left out (.*?)The first stage", text)
    shown = [float(share) for share in re.findall(r" ([01]\.\d{3}) [\d,]+", listed)]
    assert sum(shown) == pytest.approx(1.0, abs=0.01)
    assert shown[0] == pytest.approx(max(shares), abs=0.001)
    # The leave-one-out table of the first stage does not count what the second one predicts.
    assert "predicted positive" not in text
    for row in auto_run.ranking.rows(3):
        assert row["evidence"].split(":")[0] in text


def test_a_presence_run_has_no_regression(run_path: Path) -> None:
    text = visible(report_html(subjects_of([run_path])))
    assert "The learned prior" in text
    assert "regression" not in text
    assert "first stage" not in text
    assert "predicted positive" in text


def test_what_to_expect_is_the_sum_of_the_probabilities(fresh: Path, auto_run: Run) -> None:
    text = visible(report_html(subjects_of([fresh])))
    missing = auto_run.about["regression"]["missing"]
    low, high = rounded(missing["low"]), rounded(missing["high"])
    assert f"members missing, expected {rounded(missing['expected'])} ({low} to {high})" in text
    probabilities = auto_run.ranking.table["probability"].to_numpy()
    for k in (10, 50, 100, 250):
        expected = probabilities[:k].sum()
        (ends,) = re.findall(rf"first {k} {expected:,.0f} (\d+) to (\d+) {expected / k:.3f}", text)
        assert int(ends[0]) <= round(expected) <= int(ends[1])


def test_a_notebook_says_what_ranks(auto_run: Run, run: Run) -> None:
    text = parsed(auto_run._repr_html_()).text
    assert regression_in_words(auto_run.about) in text
    assert "First stage: It imagines" in text
    assert "First stage" not in parsed(run._repr_html_()).text
    assert "The regression ends at" in auto_run.plot_precision([]).summary


def test_a_large_corpus_is_read_in_part(fresh: Path) -> None:
    (subject,) = subjects_of([fresh])
    assert "had nothing to choose" in visible(report_html([subject]))
    regression = {**subject.run.about["regression"], "documents": 100}
    partly = replace(subject, run=replace(subject.run, about={**subject.run.about, "regression": regression}))
    assert "it chose which documents the regression read" in visible(report_html([partly]))


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
        assert f"{stated:.3f} {n} {n * stated:,.1f} {hits} {hits / n:.3f} {low:.3f} to {high:.3f}" in text


def test_only_blind_verdicts_say_whether_probabilities_are_right(fresh: Path, auto_run: Run) -> None:
    ids = auto_run.ranking.ids
    judge(fresh, {ids[0]: "yes", ids[1]: "no", ids[2]: "unsure"})
    judge(fresh, dict.fromkeys(ids[:9], "yes"), teaching=True)
    (subject,) = subjects_of([fresh])
    probabilities = auto_run.ranking.table["probability"].to_pylist()
    assert known_of(subject) == (probabilities[:3], [True, False, False])


def test_documents_of_subcategories_belong_without_a_verdict(fresh: Path, auto_run: Run) -> None:
    ids = auto_run.ranking.ids

    def marked(ranking: Ranking) -> Ranking:
        status = ["subcategory" if id in ids[3:5] else "new" for id in ranking.ids]
        return Ranking(ranking.table.set_column(ranking.table.schema.get_field_index("status"), "status", [status]))

    shutil.rmtree(fresh)
    replace(auto_run, ranking=marked(auto_run.ranking), baseline=marked(auto_run.baseline)).save(fresh)
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
    assert "What a verdict yields Which Judged Accepted For each To teach 5 5 1.000" in before
    assert "not judged" in before
    judge(fresh, {ids[0]: "no", ids[7]: "yes", ids[8]: "no"})
    (subject,) = subjects_of([fresh])
    assert "Blind 3 1 0.333 To teach 5 5 1.000" in visible(report_html([subject]))
    assert [each["id"] for each in subject.accepted()] == [*ids[1:5], ids[7]]
    assert all(f",{id}," in accepted_csv([subject]) for id in [*ids[1:5], ids[7]])
    assert results(fresh)["rankings"]["learned"]["counts"]["yes"] == 1


def test_runs_of_one_category_by_the_verdicts_they_learned_from(
    fresh: Path, auto_run: Run, corpus: Corpus, belong: set[str], run_path: Path, tmp_path: Path
) -> None:
    judge(fresh, {id: "yes" if id in belong else "no" for id in auto_run.ranking.ids[:100]})
    again = discover(corpus, "Chess", verdicts=judged(fresh))
    again.save(tmp_path / "again.run")
    text = visible(report_html(subjects_of([tmp_path / "again.run", fresh])))
    said = again.about["verdicts"]
    assert said["accepted"] + said["rejected"] == 100
    k = min(250, len(auto_run.ranking), len(again.ranking))
    assert f"the probabilities of the first {k} candidates, added up" in text
    for name, run in (("auto.run", auto_run), ("again.run", again)):
        own = run.about["verdicts"] or {"accepted": 0, "rejected": 0}
        expected = run.ranking.table["probability"].to_numpy()[:k].sum()
        row = f"Chess ({name}) {own['accepted']} {own['rejected']} {run.about['members']} {expected:,.0f} "
        assert row + rounded(run.about["regression"]["missing"]["expected"]) in text
    # Without verdicts there is nothing to compare by.
    assert "What the verdicts taught" not in visible(report_html(subjects_of([fresh, run_path])))


def test_runs_of_both_models_side_by_side(reviewed: Path, run_path: Path, auto_run: Run) -> None:
    text = visible(report_html(subjects_of([reviewed, run_path])))
    assert auto_run.regression is not None
    assert f"{len(auto_run.regression.tokens):,}" in text
    assert "in the first stage where there are two" in text
    assert "learned model" in text


# How to reproduce it


def test_the_command_names_the_model_where_it_must(auto_run: Run, run: Run, corpus: Corpus) -> None:
    assert discover_command(auto_run.about, "x.run") == "priorwise discover made-up.corpus Chess -o x.run"
    assert discover_command(run.about, "x.run") == ("priorwise discover made-up.corpus Chess --model presence -o x.run")
    for description, written in (("", "''"), ("Open files", "'Open files'"), ("@me", "'…'"), ("x " * 101, "'…'")):
        about = {**auto_run.about, "description": description}
        assert f" Chess --description {written} -o x.run" in discover_command(about, "x.run")
    both = discover(corpus, "Chess", model="auto", prior=pw.PseudoCounts(22, 4), top=5)
    assert discover_command(both.about, "x.run") == (
        "priorwise discover made-up.corpus Chess --model auto --prior 22,4 --top 5 -o x.run"
    )
