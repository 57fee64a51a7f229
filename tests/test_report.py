"""Reports: their figures are those of the run and of its review, and nothing in them comes from elsewhere."""

from __future__ import annotations

import re
import shutil
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import priorwise as pw
from conftest import corpus_of
from markup import parsed, visible
from priorwise.discovery import Run, discover
from priorwise.discovery.demo import DemoDocument
from priorwise.errors import InputError
from priorwise.report import report_html
from priorwise.report.page import report_style
from priorwise.report.parts import chance
from priorwise.report.subject import subjects_of
from priorwise.review import results
from reviews import EVIL, candidates, judge

SOURCE = Path(pw.__file__).parent


# The file


def test_the_file_needs_nothing_else_and_runs_nothing(reviewed: Path) -> None:
    html = report_html(subjects_of([reviewed]))
    found = parsed(html)
    assert not {"script", "link", "iframe", "object", "embed", "form", "base"}.intersection(found.tags)
    assert not [name for name, _ in found.attributes if name.startswith("on") or name == "style"]
    addresses = [value or "" for name, value in found.attributes if name in ("src", "href", "srcset", "data")]
    assert addresses
    assert [each for each in addresses if not each.startswith(("data:image/png;base64,", "#"))] == []
    assert "url(" not in report_style()
    assert "@import" not in report_style()
    assert len(html.encode()) < 500_000


def test_the_policy_allows_its_own_style_and_no_script(fresh: Path) -> None:
    html = report_html(subjects_of([fresh]))
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    (style,) = re.findall(r"<style>(.*?)</style>", html, flags=re.DOTALL)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    assert f"style-src &#x27;sha256-{digest}&#x27;" in policy
    assert policy.startswith("default-src &#x27;none&#x27;;")
    assert "script-src" not in policy
    assert html.index("Content-Security-Policy") < html.index("<style>")


def test_the_same_run_gives_the_same_bytes(reviewed: Path) -> None:
    assert report_html(subjects_of([reviewed])) == report_html(subjects_of([reviewed]))


def test_what_documents_and_reviewers_are_called_stays_text(documents: list[DemoDocument], tmp_path: Path) -> None:
    label = f"</title>{EVIL}"
    corpus = corpus_of(
        documents,
        labels=[[label] if "Chess" in document.labels else [] for document in documents],
        ids=[f"{EVIL}{document.id}" for document in documents],
        titles=[EVIL for _ in documents],
        path=tmp_path / "evil.corpus",
    )
    run = discover(corpus, label, top=5)
    run.save(tmp_path / "evil.run")
    judge(tmp_path / "evil.run", dict.fromkeys(candidates(run), "yes"), reviewer=EVIL[:100])
    for paths in ([tmp_path / "evil.run"], [tmp_path / "evil.run"] * 2):
        found = parsed(report_html(subjects_of(paths)))
        assert not {"script", "img"}.intersection(found.tags)
        assert "onerror" not in [name for name, _ in found.attributes]
        assert found.text.count(EVIL) >= 5
    notebook = parsed(run._repr_html_())
    assert not {"script", "img"}.intersection(notebook.tags)
    assert EVIL in notebook.text


def test_only_addresses_of_the_web_are_links(fresh: Path, run: Run) -> None:
    (subject,) = subjects_of([fresh])
    first, second, third = run.ranking.ids[:3]
    addresses = {first: "https://example.org/a?b&c", second: "javascript:alert(1)", third: "data:text/html,x"}
    html = report_html([replace(subject, addresses=addresses)])
    links = [
        value
        for name, value in parsed(html).attributes
        if name == "href" and not (value or "").startswith("data:image")
    ]
    # On the first page and in the appendix.
    assert links == ["https://example.org/a?b&c"] * 2


def test_headings_go_down_one_step_at_a_time(reviewed: Path, wiki_run: Path) -> None:
    for paths in ([reviewed], [reviewed, wiki_run]):
        levels = [int(tag[1]) for tag in parsed(report_html(subjects_of(paths))).tags if re.fullmatch("h[1-6]", tag)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))


def test_colours_are_those_of_the_app() -> None:
    app = dict(re.findall(r"(--[\w-]+): (light-dark\([^)]*\));", (SOURCE / "web/static/base.css").read_text()))
    used = re.findall(r"(--[\w-]+): (light-dark\([^)]*\));", report_style())
    assert len(used) > 10
    assert [pair for pair in used if app[pair[0]] != pair[1]] == []


# What it says


def test_before_a_review_it_says_what_is_missing_and_shows_the_rest(fresh: Path, run: Run) -> None:
    text = visible(report_html(subjects_of([fresh])))
    assert "Nobody has judged the candidates yet" in text
    assert "priorwise review chess.run --blind" in text
    assert "Fisher" not in text
    assert "95% interval" not in text
    expected = np.mean(run.ranking.table["probability"].to_numpy()[:50])
    assert f"first 50 {50 * expected:,.0f} {expected:.3f}" in text
    assert "The presence model" in text
    assert f"The first 50 of {len(run.ranking):,} candidates" in text


def test_figures_of_a_review_are_those_of_its_results(reviewed: Path) -> None:
    text, found = visible(report_html(subjects_of([reviewed]))), results(reviewed)
    for name, key in (("Presence model", "learned"), ("Baseline", "laplace")):
        at = found["rankings"][key]["at_k"]
        assert f"{name} {at['value']:.3f} {at['low']:.3f} to {at['high']:.3f}" in text
    difference = found["difference"]
    assert f"the presence model’s precision minus the baseline’s is {difference['spread']['value']:+.3f}" in text
    assert f"The area between the curves, {found['area_between']:+.3f}, is the mean of their difference" in text
    assert f"Fisher’s exact test {chance(difference['exact'])}".replace("\xa0", " ") in text
    assert f"Welch’s t-test {chance(difference['t_test'])}".replace("\xa0", " ") in text
    assert "Nobody has judged" not in text
    assert "is not finished" not in text


def test_mcnemar_counts_what_belongs_in_one_list_only(reviewed: Path, documents: list[DemoDocument], run: Run) -> None:
    belong = {document.id for document in documents if "Chess" in document.truth}
    (subject,) = subjects_of([reviewed])
    first, second = (set(ranking.ids[: subject.k]) & belong for ranking in (run.ranking, run.baseline))
    words = (
        f"{len(first - second)} are in the presence model’s list only, "
        f"{len(second - first)} in the baseline’s only, {len(first & second)} in both"
    )
    assert words in visible(report_html([subject]))


def test_a_review_that_is_not_finished_says_so(fresh: Path, run: Run) -> None:
    judge(fresh, {run.ranking.ids[0]: "yes"})
    (subject,) = subjects_of([fresh])
    learned = len(run.ranking.ids[: subject.k]) - 1
    laplace = len([id for id in run.baseline.ids[: subject.k] if id != run.ranking.ids[0]])
    text = visible(report_html([subject]))
    assert f"{learned:,} of the presence model’s ranking and {laplace:,} of the baseline’s are not judged" in text


def test_skipping_is_no_review(fresh: Path, run: Run) -> None:
    judge(fresh, {run.ranking.ids[0]: "skip"})
    assert "Nobody has judged" in visible(report_html(subjects_of([fresh])))


def test_category_subcategory_and_new(wiki_run: Path) -> None:
    (before,) = subjects_of([wiki_run])
    assert before.counts() == {"category": 8, "subcategory": 3, "new": 0}
    assert "Candidates that are in a subcategory" in visible(report_html([before]))
    judge(wiki_run, {"n0": "yes", "n1": "yes", "l0": "no", "g0": "no"})
    (after,) = subjects_of([wiki_run])
    assert after.counts() == {"category": 8, "subcategory": 2, "new": 2}
    assert after.relevant == {"g1", "g2", "n0", "n1"}
    assert [each["title"] for each in after.accepted()] == sorted(
        ["New 0", "New 1"], key=lambda title: after.run.ranking.table["title"].to_pylist().index(title)
    )


def test_the_prior_in_words_and_its_numbers(fresh: Path, run: Run) -> None:
    text = visible(report_html(subjects_of([fresh])))
    for sentence in run.ranker.describe():
        assert sentence in text
    assert f"The model has {len(run.model.tokens):,} words with a weight." in text
    predicted = f"It predicts {run.ranker.predicted:,} documents to be members; the baseline predicts "
    assert f"{predicted}{run.compared.predicted:,}." in text
    assert run.about.corpus.checksum in text
    assert f"priorwise {pw.__version__}" in text


def test_candidates_carry_their_evidence_and_verdict(reviewed: Path, run: Run) -> None:
    text = visible(report_html(subjects_of([reviewed]), top=3))
    assert "The first 3 of" in text
    for row in run.ranking.rows(3):
        tokens = row["evidence"].replace(":", " ").replace("-", "−")
        assert re.search(rf"{re.escape(row['title'])} {row['rank']} \S+ \S+ {re.escape(tokens)} (yes|no)", text)


def test_a_corpus_that_is_gone_costs_only_the_links(fresh: Path, documents: list[DemoDocument], tmp_path: Path) -> None:
    discover(corpus_of(documents, path=tmp_path / "gone.corpus"), "Chess").save(tmp_path / "left.run")
    shutil.rmtree(tmp_path / "gone.corpus")
    assert "No document is linked" in visible(report_html(subjects_of([tmp_path / "left.run"])))
    with pytest.raises(InputError, match="no such"):
        subjects_of([tmp_path / "nothing.run"])
    with pytest.raises(pw.PriorwiseError):
        subjects_of([fresh], tmp_path / "elsewhere.corpus")
