"""Judging to teach: what comes first, what is kept apart, and what is learned from it."""

from __future__ import annotations

import csv
import shutil
import sqlite3
from collections import Counter
from math import log, sqrt
from pathlib import Path

import numpy as np
import pytest

import reference_review as slow
from conftest import Cli, Refused, words_of
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.demo import DemoDocument
from priorwise.discovery.run import VerdictCounts
from priorwise.review import Choices, Item, Verdict, Verdicts, items_of, judged, results, teaching_items
from priorwise.review.results import results_of
from priorwise.review.verdicts import said_in
from reviews import judge, with_status


@pytest.fixture
def folder(auto_path: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(auto_path, tmp_path / "chess.run"))


def vectors_of(texts: list[str]) -> list[dict[str, float]]:
    """Log term frequencies times log((N + 1)/(n + 1)) + 1, of length 1."""
    counts = [Counter(text.split()) for text in texts]
    holding = Counter(token for count in counts for token in count)
    found = []
    for count in counts:
        vector = {t: (1 + log(f)) * (log((len(texts) + 1) / (holding[t] + 1)) + 1) for t, f in count.items()}
        length = sqrt(sum(x * x for x in vector.values()))
        found.append({token: x / length for token, x in vector.items()})
    return found


# The order


@pytest.mark.parametrize("top", [5, 60])
def test_the_least_sure_first_and_nothing_twice(
    auto_run: Run, corpus: Corpus, documents: list[DemoDocument], top: int
) -> None:
    vectors = dict(zip([d.id for d in documents], vectors_of([" ".join(words_of(d)) for d in documents]), strict=True))
    rows = auto_run.ranking.rows()
    order = slow.teaching_order([row["probability"] for row in rows], [vectors[row["id"]] for row in rows], top)
    expected = [Item(rows[place]["id"], rows[place]["title"]) for place in order]
    assert teaching_items(auto_run, corpus, Choices(top=top)) == expected


def test_of_documents_that_are_nearly_the_same_one_is_asked() -> None:
    rng = np.random.default_rng(0)
    words = {"in": ["goal", "team", "win", "match", "cup"], "out": ["law", "vote", "tax", "court", "judge"]}
    texts = [" ".join(rng.choice(words[kind], 6)) for kind in ["in"] * 12 + ["out"] * 20]
    # Each document that is not a member is there three times, once with a rare word at its end.
    texts = [*texts[:6], *(text + end for text in texts[6:] for end in ("", "", f" x{text[:3]}"))]
    corpus = Corpus.from_texts(texts, labels=["sport"] * 6 + [None] * (len(texts) - 6))
    run = discover(corpus, "sport")
    vectors = vectors_of(texts)
    rows = run.ranking.rows()
    order = slow.teaching_order([row["probability"] for row in rows], [vectors[int(r["id"])] for r in rows], len(rows))
    found = [item.id for item in teaching_items(run, corpus, Choices(top=None))]
    assert found == [rows[place]["id"] for place in order]
    assert 5 < len(found) < len(rows) / 2


def test_what_is_known_is_not_asked(auto_run: Run, corpus: Corpus) -> None:
    first = [item.id for item in teaching_items(auto_run, corpus)]
    rest = [item.id for item in teaching_items(auto_run, corpus, judged=first[:3])]
    assert not set(first[:3]) & set(rest)
    assert teaching_items(auto_run, corpus, judged=auto_run.ranking.ids) == []
    run = with_status(auto_run, dict.fromkeys(first[3:5], "subcategory"))
    assert not set(first[3:5]) & {item.id for item in teaching_items(run, corpus)}
    assert set(first[3:5]) <= {item.id for item in teaching_items(run, corpus, Choices(subcategories=True))}


# The file


OLD = """
CREATE TABLE verdict (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    id       TEXT NOT NULL UNIQUE,
    reviewer TEXT NOT NULL,
    item     TEXT NOT NULL,
    verdict  TEXT NOT NULL CHECK (verdict IN ('yes', 'no', 'unsure', 'skip', 'withdrawn')),
    previous TEXT,
    seconds  REAL,
    at       TEXT NOT NULL
) STRICT;
CREATE INDEX verdict_of ON verdict (reviewer, item, number);
INSERT INTO verdict (id, reviewer, item, verdict, previous, seconds, at)
VALUES ('1', 'Ada', 'a', 'no', NULL, 2.5, '2024-01-01'), ('2', 'Ada', 'a', 'yes', '1', NULL, '2024-01-02'),
       ('3', 'Ada', 'b', 'no', NULL, NULL, '2024-01-03');
"""


@pytest.mark.parametrize("version", [0, 1])
def test_a_file_of_the_first_format_is_read_and_goes_on(tmp_path: Path, version: int) -> None:
    """Version 0: its maker was killed before it was said which format it has."""
    path = tmp_path / "verdicts.sqlite"
    database = sqlite3.connect(path)
    database.executescript(OLD)
    database.execute(f"PRAGMA user_version = {version}")
    database.close()
    before = path.read_bytes()
    old = [
        Verdict("2", "Ada", "a", "yes", "1", None, "2024-01-02", number=2),
        Verdict("3", "Ada", "b", "no", at="2024-01-03", number=3),
    ]
    reading = Verdicts(path, read_only=True)
    assert reading.current() == old
    assert [each.id for each in reading.log()] == ["1", "2", "3"]
    reading.close()
    assert path.read_bytes() == before
    for _ in range(2):
        verdicts = Verdicts(path)
        verdicts.add(Verdict("4", "Ada", "a", "no", chosen="teach"))
        verdicts.close()
    verdicts = Verdicts(path)
    assert [(each.id, not each.is_blind) for each in verdicts.current()] == [("2", False), ("3", False), ("4", True)]
    verdicts.close()


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_of_the_second_format_says_what_was_to_teach(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "verdicts.sqlite"
    database = sqlite3.connect(path)
    database.executescript(OLD)
    database.execute("ALTER TABLE verdict ADD COLUMN teaching INTEGER NOT NULL DEFAULT 0")
    database.execute("UPDATE verdict SET teaching = 1 WHERE id = '3'")
    database.execute("PRAGMA user_version = 2")
    database.commit()
    database.close()
    verdicts = Verdicts(path, read_only=read_only)
    assert [each.chosen for each in verdicts.log()] == ["blind", "blind", "teach"]
    if not read_only:
        verdicts.add(Verdict("4", "Ada", "c", "no", chosen="rank", rank=7, score=0.5, model=3, note="why not"))
        assert verdicts.samples() == []
        verdicts.close()
        verdicts = Verdicts(path)
        last = verdicts.log()[-1]
        assert (last.chosen, last.rank, last.score, last.model, last.note) == ("rank", 7, 0.5, 3, "why not")
    verdicts.close()


def test_the_last_word_is_that_of_each_list(tmp_path: Path) -> None:
    verdicts = Verdicts(tmp_path / "verdicts.sqlite")
    verdicts.add(Verdict("1", "Ada", "a", "no"))
    verdicts.add(Verdict("2", "Ada", "a", "yes", chosen="teach"))
    verdicts.add(Verdict("3", "Ada", "b", "yes", chosen="teach"))
    verdicts.add(Verdict("4", "Ada", "b", "withdrawn", "3", chosen="teach"))
    assert [(each.id, not each.is_blind) for each in verdicts.current("Ada")] == [("1", False), ("2", True)]
    verdicts.close()


# What counts where


def test_teaching_changes_no_figure_of_the_blind_review(folder: Path, auto_run: Run) -> None:
    ids = auto_run.ranking.ids
    judge(folder, dict.fromkeys(ids[:20], "yes"))
    judge(folder, dict.fromkeys(ids[10:30], "no"), reviewer="Bob")
    before = results(folder, k=20)
    judge(folder, dict.fromkeys(ids[:60], "no"), teaching=True)
    judge(folder, dict.fromkeys(ids[60:62], "yes"), reviewer="Cyd", teaching=True)
    after = results(folder, k=20)
    changed = {"documents", "accepted", "progress", "teachers"}
    assert {name: value for name, value in after.items() if name not in changed} == {
        name: value for name, value in before.items() if name not in changed
    }
    assert [each["verdict"] for each in after["documents"]] == [each["verdict"] for each in before["documents"]]
    assert before["progress"]["teaching"] == before["teachers"] == []
    assert [each["name"] for each in after["teachers"]] == ["Ada", "Cyd"]
    # Ada changed her mind about all of hers, Cyd accepted two.
    assert after["accepted"] == sorted(ids[60:62])
    assert {each["id"]: each["decided"] for each in after["documents"]}[ids[0]] == "no"


def test_progress_counts_documents_in_the_order_of_judging(auto_run: Run) -> None:
    ids = auto_run.ranking.ids
    said = [
        Verdict("1", "Ada", ids[4], "yes"),
        Verdict("2", "Bob", ids[4], "yes"),
        Verdict("3", "Ada", ids[1], "no"),
        Verdict("4", "Ada", ids[2], "skip"),
        Verdict("5", "Ada", ids[9], "yes"),
        Verdict("6", "Ada", ids[3], "yes", chosen="teach"),
    ]
    assert results_of(auto_run, said)["progress"] == {"blind": [1, 1, 2], "teaching": [1]}


def test_the_next_run_learns_from_both(folder: Path, auto_run: Run, corpus: Corpus) -> None:
    ids = auto_run.ranking.ids
    judge(folder, dict.fromkeys(ids[:3], "yes"))
    judge(folder, dict.fromkeys(ids[3:5], "no"))
    judge(folder, dict.fromkeys(ids[2:4], "no"), teaching=True)
    judge(folder, dict.fromkeys(ids[4:5], "skip"), teaching=True)
    judge(folder, dict.fromkeys(ids[5:7], "yes"), teaching=True)
    # What was said last counts; to skip takes back nothing.
    found = judged(folder)
    assert (found.accepted, found.rejected) == (tuple(sorted([*ids[:2], *ids[5:7]])), tuple(sorted(ids[2:5])))
    again = discover(corpus, "Chess", verdicts=judged(folder))
    assert again.about.verdicts == VerdictCounts(accepted=4, rejected=3)


# The command


def test_a_sheet_to_teach(cli: Cli, folder: Path, auto_run: Run, corpus: Corpus, tmp_path: Path) -> None:
    expected = [item.id for item in teaching_items(auto_run, corpus, Choices(top=4))]
    sheet = tmp_path / "a.csv"
    assert cli("review", folder, "--teach", "--top", 4, "--export", sheet).exit_code == 0
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == expected
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["id", "verdict"], extrasaction="ignore")
        writer.writeheader()
        writer.writerows({**row, "verdict": "y" if number % 2 else "n"} for number, row in enumerate(rows))
    # Judged blindly since it was written, which is no reason to refuse the sheet.
    judge(folder, dict.fromkeys(expected[:1], "yes"))
    for new in (4, 0):
        result = cli("review", folder, "--teach", "--top", 4, "--import", sheet, "--reviewer", "Ada")
        assert f"{new} verdicts read" in result.stdout
    assert [(each.item, each.verdict) for each in said_in(folder) if not each.is_blind] == [
        (id, "yes" if number % 2 else "no") for number, id in enumerate(expected)
    ]
    assert "4 documents, 2 accepted" in cli("review", folder, "--results").stdout
    again = tmp_path / "b.csv"
    cli("review", folder, "--teach", "--top", 4, "--export", again)
    with again.open(encoding="utf-8-sig", newline="") as file:
        assert [row["id"] for row in csv.DictReader(file)][:3] == expected[1:]


def test_blind_and_teaching_lists_differ(auto_run: Run, corpus: Corpus, refused: Refused) -> None:
    blind, teaching = items_of(auto_run, Choices(top=30)), teaching_items(auto_run, corpus, Choices(top=30))
    assert [item.id for item in blind] != [item.id for item in teaching]
    assert "Error" not in refused("review", "nowhere.run", "--teach")
