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
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.demo import DemoDocument
from priorwise.exports.wikis import link
from priorwise.readers.bibliographic import MARK
from priorwise.readers.records import rows_of
from priorwise.report.subject import subjects_of
from priorwise.review import decisions, export_run, finished_of, judged
from priorwise.review.results import last_words
from priorwise.review.session import Session
from priorwise.review.verdicts import said_in
from reviews import candidates, judge

TITLES = ["Plain title", "=HYPERLINK(1)", "a]] {{delete}} [[b", "+1", "two\nlines", '"quoted", with a comma', "Tea~~~~"]

STATUS = (("accepted", "yes"), ("rejected", "no"))


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
    result = cli("report", accepted, "-o", tmp_path / "x.csv", "--status", "accepted")
    assert result.stdout == f"{tmp_path / 'x.csv'}: {len(expected)} accepted\n"
    with (tmp_path / "x.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert sorted(row["id"] for row in rows) == sorted(each["id"] for each in expected)
    assert len(rows) == len(subject.results["accepted"])
    assert [row["title"].removeprefix("'") for row in rows] == [each["title"] for each in expected]
    assert not [cell for row in rows for cell in row.values() if re.match(r"[=+\-@\t\r]", cell)]
    assert {row["status"] for row in rows} == {"accepted"}
    ranks = [int(row["rank"]) for row in rows if row["rank"]]
    assert ranks == sorted(ranks)


def test_wikitext_is_one_line_for_each(accepted: Path, cli: Cli, tmp_path: Path) -> None:
    cli("report", accepted, "-o", tmp_path / "x.wiki")
    lines = (tmp_path / "x.wiki").read_text(encoding="utf-8").splitlines()
    (subject,) = subjects_of([accepted])
    assert lines == [f"* {link(each['title'])}" for each in subject.accepted()]
    assert "* [[:Plain title]]" in lines


def test_every_document_is_in_a_table_with_what_became_of_it(accepted: Path, cli: Cli, tmp_path: Path) -> None:
    said = decisions(last_words(said_in(accepted)))
    members = Corpus.open(tmp_path / "titles.corpus").members("Chess")
    counts = {status: sum(word == verdict for word in said.values()) for status, verdict in STATUS}
    for ending in ("csv", "tsv", "xlsx", "jsonl", "ris", "nbib"):
        path = tmp_path / f"x.{ending}"
        result = cli("report", accepted, "-o", path)
        numbers = f"{len(members)} known before, {counts['accepted']} accepted, {counts['rejected']} rejected"
        assert result.stdout == f"{path}: {numbers}\n"
        assert sum(1 for _ in rows_of(path)) == len(members) + sum(counts.values())
    rows = [dict(row) for _, row in rows_of(tmp_path / "x.jsonl")]
    assert {row["id"]: row["status"] for row in rows if row["status"] != "member"} == {
        id: dict(map(reversed, STATUS))[word]  # type: ignore[arg-type]
        for id, word in said.items()
    }
    assert export_run(accepted, tmp_path / "y.jsonl")["member"] == len(members)
    assert (tmp_path / "y.jsonl").read_bytes() == (tmp_path / "x.jsonl").read_bytes()


def test_earlier_rounds_and_lists_of_members_are_in_it(accepted: Path, tmp_path: Path) -> None:
    corpus = Corpus.open(tmp_path / "titles.corpus")
    before = finished_of(accepted).counts()
    discover(corpus, "Chess", verdicts=judged(accepted)).save(tmp_path / "second.run")
    after = finished_of(tmp_path / "second.run").counts()
    assert {status: after[status] for status in before} == before
    given = corpus.ids(corpus.members("Chess"))
    discover(corpus, members=given).save(tmp_path / "list.run")
    assert finished_of(tmp_path / "list.run").counts()["member"] == len(given)


def test_documents_judged_beyond_the_candidates_of_the_run_are_in_it(corpus: Corpus, cli: Cli, tmp_path: Path) -> None:
    session = Session(corpus, "Chess", path=tmp_path / "short.run", top=3)
    for number in range(8):
        session.judge(session.next(1)[0].id, "no" if number == 1 else "yes")
    assert len(Run.load(tmp_path / "short.run").ranking) == 3
    assert finished_of(tmp_path / "short.run").counts() | {"member": 0} == {
        "member": 0,
        "accepted": session.progress.found,
        "rejected": 1,
    }
    cli("report", tmp_path / "short.run", "--status", "accepted", "-o", tmp_path / "x.jsonl")
    assert sorted(row["id"] for _, row in rows_of(tmp_path / "x.jsonl")) == sorted(session.accepted)


def test_a_run_without_a_category_adds_no_label(cli: Cli, refused: Refused, tmp_path: Path) -> None:
    source, run, new = tmp_path / "s.csv", tmp_path / "found.run", tmp_path / "new.csv"
    source.write_text(
        "id,text,labels\n" + "".join(f"{n},{'tea cup' if n % 2 else 'law vote'} {n},\n" for n in range(9))
    )
    cli("ingest", "records", source, "-o", tmp_path / "s.corpus")
    (tmp_path / "ids.txt").write_text("1\n3\n5\n")
    said = cli("discover", tmp_path / "s.corpus", "--members", tmp_path / "ids.txt", "-o", run, "--into", new).stdout
    assert "new.csv: 9 rows; no label added: the run has no category" in said
    header, first = new.read_text("utf-8-sig").splitlines()[:2]
    assert header == "id,text,labels,found: status,found: rank,found: probability"
    assert first.startswith("0,law vote 0,,unjudged,")
    cli("review", run, "--terminal", input="y\ny\n")
    cli("report", run, "-o", tmp_path / "r.ris", "-o", tmp_path / "r.csv")
    keywords = [line for line in (tmp_path / "r.ris").read_text("utf-8").splitlines() if line.startswith("KW")]
    assert keywords
    assert all(line.startswith(f"KW  - {MARK}found: ") for line in keywords)
    assert "found has no category" in refused("report", run, "--list", "edits")


def test_lists_for_tools_of_wikis(accepted: Path, cli: Cli, refused: Refused, tmp_path: Path) -> None:
    (subject,) = subjects_of([accepted])
    plain = [each["title"] for each in subject.accepted() if link(each["title"]).startswith("[[")]
    cli("report", accepted, "-o", tmp_path / "x.txt")
    assert (tmp_path / "x.txt").read_text("utf-8").splitlines() == plain
    printed = cli("report", accepted, "--list", "pywikibot").stdout
    assert printed.splitlines() == [f"[[{title}]]" for title in plain]
    edits = cli("report", accepted, "--list", "edits").stdout.splitlines()
    assert len(edits) == len(plain)
    assert all(": + [[Category:Chess]]" in line for line in edits)
    assert "say which statement" in refused("report", accepted, "--list", "quickstatements")
    assert cli("report", accepted, "--list", "quickstatements", "--statement", "P921=Q718").stdout == ""
    assert "as in P921=Q2539" in refused("report", accepted, "--list", "quickstatements", "--statement", "P921")


def test_several_runs_have_headings_and_all_files_come_at_once(accepted: Path, cli: Cli, tmp_path: Path) -> None:
    names = [tmp_path / name for name in ("r.html", "r.csv", "r.wikitext")]
    result = cli("report", accepted, accepted, "-o", names[0], "-o", names[1], "-o", names[2])
    assert result.exit_code == 0
    assert all(name.is_file() for name in names)
    headings = [line for line in names[2].read_text(encoding="utf-8").splitlines() if line.startswith("=")]
    assert headings == ["== [[:Category:Chess]] =="] * 2
    edits = cli("report", accepted, accepted, "--list", "edits").stdout.splitlines()
    assert all(": + [[Category:Chess]]" in line for line in edits)


def test_files_come_all_or_none(accepted: Path, refused: Refused, tmp_path: Path) -> None:
    page, sheet = tmp_path / "r.html", tmp_path / "r.csv"
    page.write_text("old", encoding="utf-8")
    nowhere = tmp_path / "nowhere" / "r.wiki"
    said = refused("report", accepted, "-o", page, "-o", sheet, "-o", nowhere, "--overwrite")
    assert f"{nowhere} cannot be written" in said
    assert page.read_text(encoding="utf-8") == "old"
    assert f"{page} is there already" in refused("report", accepted, "-o", page, "-o", sheet)
    assert "One file is to hold two things" in refused("report", accepted, "-o", page, "-o", page, "--overwrite")
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
