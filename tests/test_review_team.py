"""Several reviewers: a queue that is split or shared, disagreements, and the verdict that decides."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from priorwise.corpus import Corpus
from priorwise.discovery import Run
from priorwise.discovery.category import FILE_NAME
from priorwise.errors import InputError
from priorwise.review import Verdict, Verdicts, decisions, judged
from priorwise.review.session import Session
from priorwise.review.team import Team

IDS = [f"doc{number}" for number in range(3000)]


@pytest.fixture
def session(auto_run: Run, corpus: Corpus, tmp_path: Path) -> Iterator[Session]:
    auto_run.save(tmp_path / "chess.run")
    opened = Session.of_run(tmp_path / "chess.run", corpus)
    yield opened
    opened.close()


def test_a_split_gives_each_document_to_one_reviewer_and_everyone_about_the_same() -> None:
    team = Team(("Ada", "Bob", "Cyd"))
    readers = [team.readers(id) for id in IDS]
    assert {len(each) for each in readers} == {1}
    shares = Counter(name for (name,) in readers)
    assert all(abs(shares[name] - 1000) < 120 for name in team.reviewers)


def test_a_share_of_the_documents_goes_to_everyone() -> None:
    team = Team(("Ada", "Bob", "Cyd"), overlap=0.2)
    by_all = sum(team.readers(id) == team.reviewers for id in IDS)
    assert abs(by_all - 600) < 90
    # More overlap only adds readers: nobody loses a document.
    more = Team(team.reviewers, overlap=0.5)
    assert all(set(team.readers(id)) <= set(more.readers(id)) for id in IDS)


def test_two_of_three_judge_each_document_and_a_fourth_reviewer_moves_few() -> None:
    three = Team(("Ada", "Bob", "Cyd"), copies=2)
    assert all(len(three.readers(id)) == 2 for id in IDS)
    four = Team(("Ada", "Bob", "Cyd", "Dot"), copies=2)
    kept = sum(set(three.readers(id)) == set(four.readers(id)) for id in IDS)
    assert kept > 0.45 * len(IDS)


@pytest.mark.parametrize(
    ("names", "copies", "overlap"),
    [(("Ada",), 1, 0.0), (("Ada", "Ada"), 1, 0.0), (("Ada", " "), 1, 0.0), (("Ada", "Bob"), 3, 0.0),
     (("Ada", "Bob"), 0, 0.0), (("Ada", "Bob"), 1, 1.5), (("Ada", "x" * 101), 1, 0.0)],
)  # fmt: skip
def test_a_team_that_cannot_work_is_refused(names: tuple[str, ...], copies: int, overlap: float) -> None:
    with pytest.raises(InputError):
        Team(names, copies, overlap)


def test_a_split_queue_is_worked_without_a_document_twice(session: Session) -> None:
    session.share(["Ada", "Bob"])
    seen: dict[str, str] = {}
    for turn in range(12):
        name = ("Ada", "Bob")[turn % 2]
        (document,) = session.next(1, reviewer=name)
        assert document.id not in seen
        seen[document.id] = name
        session.judge(document.id, "no", reviewer=name)
    assert session.team is not None
    assert all(session.team.readers(id) == (name,) for id, name in seen.items())


def test_a_shared_document_comes_to_the_second_reviewer_first(session: Session) -> None:
    session.share(["Ada", "Bob"], copies=2)
    first = [each.id for each in session.next(3, reviewer="Ada")]
    for id in first:
        session.judge(id, "yes", reviewer="Ada")
    assert [each.id for each in session.next(3, reviewer="Bob")] == first
    session.judge(first[0], "yes", reviewer="Bob")
    assert [each.id for each in session.next(2, reviewer="Bob")] == first[1:]
    assert first[0] not in {each.id for each in session.next(50, reviewer="Ada")}
    # What the model learned from is no forecast of itself.
    assert session.log[-1].score is None


def test_a_disagreement_is_settled_by_the_verdict_that_decides(session: Session, tmp_path: Path) -> None:
    session.share(["Ada", "Bob"], copies=2)
    a, b = (each.id for each in session.next(2, reviewer="Ada"))
    for id, name, word in ((a, "Ada", "yes"), (a, "Bob", "no"), (b, "Ada", "yes"), (b, "Bob", "yes")):
        session.judge(id, word, reviewer=name, note=f"{name} says {word}")
    (open_one,) = session.disagreements
    assert (open_one.id, open_one.decision) == (a, None)
    assert {each.reviewer: each.note for each in open_one.verdicts} == {"Ada": "Ada says yes", "Bob": "Bob says no"}
    assert set(session.accepted) == {b}
    before = session.agreement
    session.decide(a, "yes", reviewer="Ada")
    (settled,) = session.disagreements
    assert settled.decision is not None
    assert set(session.accepted) == {a, b}
    # Ada's own verdict stays hers, and agreement is about what reviewers said by themselves.
    assert session.agreement == before
    assert decisions(session.log)[a] == "yes"
    assert set(judged(tmp_path / "chess.run").accepted) == {a, b}
    with pytest.raises(InputError, match="decision is yes, no or unsure"):
        session.decide(a, "skip")
    assert session.undo("Ada") == a
    assert session.disagreements[0].decision is None


def test_a_team_is_there_again_after_a_restart_and_can_be_dissolved(session: Session, corpus: Corpus) -> None:
    assert session.team is None
    session.share(["Ada", "Bob"], overlap=0.25)
    assert session.folder is not None
    again = Session.of_run(session.folder, corpus)
    assert again.team == Team(("Ada", "Bob"), 1, 0.25)
    again.share([])
    again.close()
    assert Session.of_run(session.folder, corpus).team is None


def test_verdicts_of_the_format_before_are_kept_and_can_then_be_decided(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    old = sqlite3.connect(path)
    old.execute(
        "CREATE TABLE verdict (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, "
        "reviewer TEXT NOT NULL, item TEXT NOT NULL, verdict TEXT NOT NULL, previous TEXT, "
        "seconds REAL, at TEXT NOT NULL, chosen TEXT NOT NULL DEFAULT 'blind' CHECK (chosen IN "
        "('blind', 'teach', 'rank', 'unsure', 'random')), rank INTEGER, score REAL, model INTEGER, note TEXT) STRICT"
    )
    old.execute(
        "CREATE TABLE sample (number INTEGER NOT NULL, item TEXT NOT NULL UNIQUE, after INTEGER NOT NULL) STRICT"
    )
    old.execute("CREATE INDEX verdict_of ON verdict (reviewer, item, number)")
    old.execute("INSERT INTO sample VALUES (1, 'a', 6)")
    old.execute("INSERT INTO verdict VALUES (7, 'v', 'Ada', 'a', 'no', NULL, 2.5, 'then', 'rank', 3, 0.5, 6, 'why')")
    old.execute("PRAGMA user_version = 3")
    old.commit()
    old.close()
    verdicts = Verdicts(path)
    assert verdicts.log() == [Verdict("v", "Ada", "a", "no", None, 2.5, "then", "rank", 3, 0.5, 6, "why", 7)]
    assert verdicts.samples()[0].items == ["a"]
    assert verdicts.team() == []
    assert verdicts.add(Verdict("w", "Bob", "a", "yes", chosen="decision")).number == 8
    verdicts.close()
