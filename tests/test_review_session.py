"""A session learns after every verdict, forgets none, and says what is left."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import priorwise as pw
import reference_review as slow
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.category import Judged
from priorwise.discovery.demo import DemoDocument
from priorwise.errors import DamagedCorpus, InputError, UnknownName
from priorwise.models.regression.judged_squares import balanced, learned_change
from priorwise.review import Verdict, Verdicts, decisions, judged
from priorwise.review import session as session_module
from priorwise.review.results import last_words, results_of
from priorwise.review.session import Session
from priorwise.review.verdicts import CHOSEN, WORDS, Tally, current
from processes import Start

Truth = dict[str, str]


@pytest.fixture(scope="module")
def truth(documents: list[DemoDocument]) -> Truth:
    return {each.id: "yes" if "Chess" in each.truth else "no" for each in documents}


@pytest.fixture
def folder(auto_run: Run, tmp_path: Path) -> Path:
    auto_run.save(tmp_path / "chess.run")
    return tmp_path / "chess.run"


@pytest.fixture
def session(folder: Path, corpus: Corpus) -> Iterator[Session]:
    opened = Session.of_run(folder, corpus)
    yield opened
    opened.close()


def work(session: Session, truth: Truth, n: int, reviewer: str = "me") -> list[str]:
    """Judge the next documents, one after the other."""
    seen = []
    for _ in range(n):
        (document,) = session.next(1, reviewer=reviewer)
        session.judge(document.id, truth[document.id], reviewer=reviewer)
        seen.append(document.id)
    return seen


# What is learned


@given(st.integers(0, 10_000), st.integers(1, 8), st.integers(1, 6), st.floats(0.1, 10), st.floats(0.5, 20))
def test_the_weights_are_those_of_the_normal_equations(
    seed: int, n: int, width: int, strength: float, ratio: float
) -> None:
    rng = np.random.default_rng(seed)
    X, centre, members = rng.normal(size=(n, width)), rng.normal(size=width), rng.random(n) < 0.5
    targets, weights = np.where(members, 1.0, -1.0), balanced(members, ratio)
    assert weights.mean() == pytest.approx(1 if members.any() else 1 / (1 + ratio))
    if members.any() and not members.all():
        assert weights[members].sum() == pytest.approx(ratio * weights[~members].sum())
    change = learned_change(csr_matrix(X), targets - X @ centre, weights, strength=strength, tol=1e-9)
    expected = slow.dense_posterior(X.tolist(), targets.tolist(), weights.tolist(), centre.tolist(), strength)
    assert (centre + change).tolist() == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_it_starts_with_the_ranking_of_the_run(session: Session, auto_run: Run) -> None:
    assert [each.id for each in session.next(20)] == auto_run.ranking.ids[:20]
    first, row = session.next(1)[0], auto_run.ranking.rows(1)[0]
    assert (first.title, first.rank, first.chosen) == (row["title"], 1, "rank")
    assert first.probability == pytest.approx(row["probability"], abs=1e-4)
    assert session.missing == auto_run.missing
    assert session.ranking.ids == auto_run.ranking.ids


def test_verdicts_change_the_ranking(session: Session, auto_run: Run, truth: Truth) -> None:
    seen = work(session, truth, 30)
    assert len(set(seen)) == 30
    assert seen != auto_run.ranking.ids[:30]
    found = sum(truth[id] == "yes" for id in seen)
    assert found >= sum(truth[id] == "yes" for id in auto_run.ranking.ids[:30])
    progress = session.progress
    assert (progress.judged, progress.found, progress.unread) == (30, found, len(auto_run.ranking) - 30)
    assert progress.curve == np.cumsum([truth[id] == "yes" for id in seen]).tolist()
    assert progress.last == sum(truth[id] == "yes" for id in seen[-20:])
    assert session.accepted == [id for id in seen if truth[id] == "yes"]
    assert not set(seen) & set(session.ranking.ids)


def test_explanations_add_up_to_the_score_that_ranks_now(session: Session, truth: Truth) -> None:
    before = session.next(1)[0]
    for _ in range(2):
        for each in session.next(5):
            assert session.explain(each.id).score == pytest.approx(each.score, abs=1e-5)
            assert session.explain(each.id).probability == pytest.approx(each.probability, abs=1e-4)
        row = session.queue(3).rows()[0]
        assert (row["id"], row["score"]) == (session.next(1)[0].id, session.next(1)[0].score)
        work(session, truth, 25)
    assert session.next(1)[0].score != before.score


def test_the_model_can_be_saved_and_ranks_alike(session: Session, truth: Truth, corpus: Corpus, tmp_path: Path) -> None:
    from priorwise.ranking.evidence import explain

    work(session, truth, 12)
    session.model.save(tmp_path / "learned.model")
    loaded = pw.LinearModel.load(tmp_path / "learned.model")
    for each in session.next(3):
        assert explain(loaded, corpus, corpus.row(each.id)).score == pytest.approx(each.score, abs=1e-5)


def test_probabilities_add_up_to_the_estimate(session: Session, truth: Truth) -> None:
    work(session, truth, 40)
    total = sum(row["probability"] for row in session.queue().rows())
    assert total == pytest.approx(max(session.missing.expected, 0.5), rel=1e-3)


# Who is asked what


def test_unsure_and_skipped_documents_come_back_later(session: Session, truth: Truth) -> None:
    unsure, skipped = (each.id for each in session.next(2))
    session.judge(unsure, "unsure")
    session.judge(skipped, "skip")
    assert session.next(1, reviewer="Bob")[0].id == skipped
    session.judge(skipped, "skip", reviewer="Bob")
    seen = work(session, truth, 20)
    assert not {unsure, skipped} & set(seen)
    assert skipped in [each.id for each in session.next(session.progress.unread)]
    rest = work(session, truth, session.progress.unread)
    assert skipped in rest
    assert unsure not in rest
    assert [each.id for each in session.next(3)] == [unsure]
    session.judge(unsure, truth[unsure])
    assert session.next(3) == []
    assert session.missing.high == 0


def test_two_reviewers_get_different_documents(session: Session) -> None:
    first, second = (session.next(3, reviewer=name) for name in ("Ada", "Bob"))
    assert not {each.id for each in first} & {each.id for each in second}
    assert session.next(3, reviewer="Ada") == first


@pytest.mark.parametrize("ask", ["unsure", "mixed"])
def test_documents_that_the_model_is_unsure_of(ask: str, folder: Path, corpus: Corpus, truth: Truth) -> None:
    session = Session.of_run(folder, corpus, ask=ask)
    work(session, truth, 8)
    chosen = [each.chosen for each in session.log]
    assert chosen == ["unsure"] * 8 if ask == "unsure" else ["rank", "rank", "rank", "unsure"] * 2
    document = next(each for each in session.next(4) if each.chosen == "unsure")
    assert document.probability is not None
    nearest = min(abs(row["probability"] - 0.5) for row in session.queue().rows())
    assert abs(document.probability - 0.5) == pytest.approx(nearest, abs=1e-3)
    session.close()
    with pytest.raises(InputError, match="best, unsure, mixed"):
        Session.of_run(folder, corpus, ask="worst")


def test_undo_returns_to_the_state_before(session: Session, truth: Truth) -> None:
    work(session, truth, 10)
    before, scores = session.next(5), session._now().scores.tobytes()
    session.judge(before[0].id, "yes")
    assert session.next(1)[0].id != before[0].id
    assert session.undo() == before[0].id
    assert session._now().scores.tobytes() == scores
    assert [each.id for each in session.next(5)] == [each.id for each in before]
    assert session.undo("nobody") is None


def test_what_cannot_be_judged(session: Session, corpus: Corpus) -> None:
    member = corpus.ids(corpus.members("Chess"))[0]
    document = session.next(1)[0].id
    with pytest.raises(InputError, match="member already"):
        session.judge(member, "yes")
    with pytest.raises(UnknownName):
        session.judge("no such document", "yes")
    for word in ("maybe", "withdrawn"):
        with pytest.raises(InputError):
            session.judge(document, word)
    assert session.log == []


# The log


def test_the_log_says_who_judged_what_under_which_model(session: Session, truth: Truth) -> None:
    third = session.next(3, reviewer="Bob")[2]
    session.judge(third.id, "no", reviewer="Ada", note="an opening, not a player", seconds=2.0)
    work(session, truth, 1, "Bob")
    first, second = session.log
    assert (first.reviewer, first.item, first.rank, first.model, first.chosen) == ("Ada", third.id, 3, 0, "rank")
    assert (first.note, first.seconds, first.score) == ("an opening, not a player", 2.0, third.score)
    assert (second.reviewer, second.rank, second.model) == ("Bob", 1, first.number)


def test_a_verdict_keeps_the_rank_and_the_model_under_which_the_document_was_read(session: Session) -> None:
    """Ada judges while Bob reads, and Bob's page asks for the queue again: what he read stays as he saw it."""
    read = session.next(8, reviewer="Bob")[7]
    session.explain(read.id, reviewer="Bob")
    for each in session.next(3, reviewer="Ada"):
        session.judge(each.id, "no", reviewer="Ada")
    now = next(each for each in session.next(40, reviewer="Bob") if each.id == read.id)
    assert now.score != read.score
    kept = session.judge(read.id, "yes", reviewer="Bob")
    assert (kept.rank, kept.score, kept.model) == (read.rank, read.score, 0)
    # A document that he only has in his queue is judged as it is ranked in the last queue that he was given.
    first = session.next(8, reviewer="Bob")[0]
    kept = session.judge(first.id, "yes", reviewer="Bob")
    assert (kept.rank, kept.score, kept.model) == (1, first.score, session.log[-2].number)


def test_a_verdict_is_stored_while_the_ranking_is_learned(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = session.next(2)
    session.judge(first.id, "yes")
    is_learning, may_go_on = threading.Event(), threading.Event()
    learned_change = session_module.learned_change

    def slow(*given: Any, **named: Any) -> Any:
        is_learning.set()
        assert may_go_on.wait(60)
        return learned_change(*given, **named)

    monkeypatch.setattr(session_module, "learned_change", slow)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(session.next)
        assert is_learning.wait(60)
        session.judge(second.id, "no")
        assert [each.item for each in session.log] == [first.id, second.id]
        may_go_on.set()
        assert second.id not in [each.id for each in asked.result()]


def test_a_verdict_that_is_sent_twice_counts_once(session: Session) -> None:
    document = session.next(1)[0].id
    for _ in range(2):
        session.judge(document, "yes", identity="x1")
    assert len(session.log) == session.progress.judged == 1


def test_verdicts_in_rank_order_are_in_no_blind_statistic(session: Session, auto_run: Run, truth: Truth) -> None:
    work(session, truth, 20)
    found = results_of(auto_run, current(session.log))
    assert found["reviewers"] == []
    assert found["rankings"]["learned"]["counts"]["yes"] == 0
    assert len(found["progress"]["teaching"]) == 20


REVIEWER = """
import sys
import priorwise as pw
session = pw.Session.of_run(sys.argv[1])
while True:
    document = session.next(1)[0]
    session.judge(document.id, "yes" if int(document.id[-3:]) % 3 else "no")
    print(document.id, flush=True)
"""


def test_a_killed_session_continues_where_it_was(folder: Path, corpus: Corpus, start: Start) -> None:
    answered: list[str] = []
    for round in range(2):
        writer = start("-c", REVIEWER, folder)
        assert writer.stdout is not None
        answered += [writer.stdout.readline().strip() for _ in range(7)]
        writer.kill()
        rest, _ = writer.communicate()
        answered += rest.split()
        session = Session.of_run(folder, corpus)
        said = [each.item for each in session.log]
        # The last one may be on the disk, though its answer was not heard.
        assert said[: len(answered)] == answered, round
        assert len(said) - len(answered) in (0, 1)
        answered = said
        session.close()
    _same_as_replayed(folder, corpus)


def _same_as_replayed(folder: Path, corpus: Corpus) -> None:
    """The state that was reached verdict by verdict, and that of the log read at once, are equal to the last bit."""
    once = Session.of_run(folder, corpus)
    step = Session(corpus, "Chess")
    for each in once.log:
        if each.verdict == "withdrawn":
            step.undo(each.reviewer)
        else:
            step.next(2, reviewer=each.reviewer)
            step.judge(each.item, each.verdict, reviewer=each.reviewer)
    assert once._now().scores.tobytes() == step._now().scores.tobytes()
    assert once._now().unfound.probabilities.tobytes() == step._now().unfound.probabilities.tobytes()
    assert [(each.rank, each.score, each.model) for each in once.log] == [
        (each.rank, each.score, each.model) for each in step.log
    ]
    assert once.queue(20).table == step.queue(20).table
    once.close()


def test_a_session_replays_to_the_same_state_bit_for_bit(folder: Path, corpus: Corpus, truth: Truth) -> None:
    session = Session.of_run(folder, corpus)
    work(session, truth, 12)
    session.undo()
    session.judge(session.next(1)[0].id, "unsure", reviewer="Bob")
    session.judge(session.log[0].item, "no", reviewer="Bob")
    session.judge(session.log[0].item, "no")
    work(session, truth, 5, "Bob")
    session.close()
    _same_as_replayed(folder, corpus)


def test_many_threads_lose_and_double_nothing(session: Session, truth: Truth) -> None:
    def one(name: str) -> None:
        for _ in range(5):
            work(session, truth, 1, name)

    threads = [threading.Thread(target=one, args=(f"r{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    said = [each.item for each in session.log]
    assert len(said) == len(set(said)) == session.progress.judged == 40


def test_two_processes_share_a_log(folder: Path, corpus: Corpus, truth: Truth) -> None:
    first, second = Session.of_run(folder, corpus), Session.of_run(folder, corpus)
    seen = work(first, truth, 5)
    assert second.progress.judged == 5
    assert not set(seen) & {each.id for each in second.next(10)}
    first.close()
    second.close()


# Where it is kept


def test_a_session_in_memory_can_be_kept(corpus: Corpus, truth: Truth, tmp_path: Path) -> None:
    session = Session(corpus, "Chess")
    work(session, truth, 6)
    session.save(tmp_path / "kept.run")
    work(session, truth, 2)
    expected, log = session.next(3), session.log
    session.close()
    again = Session(corpus, "Chess", path=tmp_path / "kept.run")
    assert again.next(3) == expected
    assert again.log == log
    with pytest.raises(InputError, match="already"):
        again.save(tmp_path / "other.run")
    again.close()
    with pytest.raises(InputError, match="not 'Law'"):
        Session(corpus, "Law", path=tmp_path / "kept.run")
    with pytest.raises(DamagedCorpus):
        Session(Corpus.from_texts(["a", "b"]), "Chess", path=tmp_path / "kept.run")


def test_a_path_makes_a_run_folder(corpus: Corpus, truth: Truth, tmp_path: Path) -> None:
    session = Session(corpus, "Chess", path=tmp_path / "new.run", top=50)
    seen = work(session, truth, 3)
    session.close()
    assert judged(tmp_path / "new.run").accepted == tuple(sorted(id for id in seen if truth[id] == "yes"))


def test_a_list_of_members_is_remembered(corpus: Corpus, truth: Truth, tmp_path: Path) -> None:
    members = [id for id, word in truth.items() if word == "yes"][:6]
    out = [id for id, word in truth.items() if word == "no"][:4]
    discover(corpus, members=members, exclude=out).save(tmp_path / "list.run")
    session = Session.of_run(tmp_path / "list.run", corpus)
    assert session.progress.unread == corpus.n_documents - 10
    assert not {*members, *out} & {each.id for each in session.next(400)}
    with pytest.raises(InputError, match="left out"):
        session.judge(out[0], "yes")
    session.close()


def test_a_run_of_the_presence_model_is_reviewed_by_the_default_model(
    run_path: Path, corpus: Corpus, auto_run: Run, tmp_path: Path
) -> None:
    session = Session.of_run(Path(shutil.copytree(run_path, tmp_path / "presence.run")), corpus)
    assert [each.id for each in session.next(10)] == auto_run.ranking.ids[:10]
    session.close()


def test_all_rounds_are_one_project(folder: Path, corpus: Corpus, truth: Truth, tmp_path: Path) -> None:
    first = Session.of_run(folder, corpus)
    one = work(first, truth, 10)
    first.judge(unsure := first.next(1)[0].id, "unsure")
    first.close()
    discover(corpus, "Chess", verdicts=judged(folder)).save(tmp_path / "r2.run")
    second = Session.of_run(tmp_path / "r2.run", corpus)
    assert second.progress.judged == 11
    assert [each.id for each in second.judged.order] == [*one, unsure]
    two = work(second, truth, 10)
    assert not {*one, unsure} & set(two)
    expected = second.missing
    second.close()
    chained = judged(tmp_path / "r2.run")
    assert [each.id for each in chained.order] == [*one, unsure, *two]
    assert chained.accepted == tuple(sorted(id for id in [*one, *two] if truth[id] == "yes"))
    assert chained.unsure == (unsure,)
    third = discover(corpus, "Chess", verdicts=chained)
    assert unsure not in third.ranking.ids
    assert third.missing == expected, "one number in every place"
    together = Session(corpus, "Chess", verdicts=chained)
    assert together.missing == expected


def test_no_estimate_from_verdicts_whose_order_is_unknown(corpus: Corpus, truth: Truth) -> None:
    """Left-out members that people found in rank order are easier to find than those that are missing."""
    found = discover(corpus, "Chess").ranking.ids[:6]
    run = discover(corpus, "Chess", verdicts=Judged(tuple(id for id in found if truth[id] == "yes"), ()))
    assert run.missing is None
    said = run.ranker.describe()
    assert any("typically found at rank" in each for each in said)
    assert not any("missing" in each for each in said)


# Reviewers together


@st.composite
def logs(draw: st.DrawFn) -> list[Verdict]:
    said = st.tuples(st.sampled_from("AB"), st.sampled_from("xyz"), st.sampled_from(WORDS), st.sampled_from(CHOSEN))
    return [
        Verdict(str(number), reviewer, item, word, chosen=chosen)
        for number, (reviewer, item, word, chosen) in enumerate(draw(st.lists(said, max_size=20)))
    ]


@given(logs())
def test_a_tally_says_what_the_whole_log_says(log: list[Verdict]) -> None:
    tally = Tally()
    for each in log:
        tally.add(each)
    assert tally.words == decisions(last_words(current(log)))
    documents = {each.id: each for each in tally.documents()}
    assert {id: each.verdict for id, each in documents.items()} == tally.words
    first: dict[str, bool] = {}
    for each in log:
        if each.verdict in ("yes", "no", "unsure"):
            first.setdefault(each.item, each.chosen == "random")
    assert [(id, each.drawn) for id, each in documents.items()] == [
        (id, drawn) for id, drawn in first.items() if id in documents
    ]


# A random sample


def test_a_random_sample_gives_a_certificate(session: Session, truth: Truth) -> None:
    members = sum(word == "yes" for word in truth.values())
    assert session.sample(2)[0].chosen == "random"
    with pytest.raises(InputError, match="not judged yet"):
        session.sample(2)
    drawn = work(session, truth, 2)
    assert [each.chosen for each in session.log] == ["random"] * 2
    assert session.stop.safe is False
    while session.progress.unread > 120:
        work(session, truth, 10)
    assert members > session.progress.found > 0.9 * members - 20
    unread = session.progress.unread
    sample = session.sample(unread - 5)
    assert not {each.id for each in sample} & set(drawn)
    session.close()
    again = Session.of_run(session.folder or "", session.corpus)
    assert [each.id for each in again.next(5)] == [each.id for each in sample[:5]], "it is on the disk"
    work(again, truth, unread - 5)
    # Twelve members are too few to prove that not one in twenty is missing.
    stop = again.may_stop(recall=0.8)
    assert stop.safe
    assert f"{unread - 5} documents drawn at random from {unread}" in stop.reason
    with pytest.raises(InputError, match="5 unread documents"):
        again.sample(6)
    again.close()


def test_samples_of_older_logs(tmp_path: Path) -> None:
    log = Verdicts(tmp_path / "v.sqlite")
    log.add(Verdict("1", "Ada", "a", "yes"))
    assert log.draw(["b", "c"]) == 1
    assert log.draw(["d"]) == 2
    assert [(each.number, each.after, each.items) for each in log.samples()] == [(1, 1, ["b", "c"]), (2, 1, ["d"])]
    log.close()
