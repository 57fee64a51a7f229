"""Simulated reviews: what is read, what is known when, what is kept, and what is printed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from reference_screening import documents_until

import priorwise as pw
from conftest import Cli
from priorwise.corpus import Corpus
from priorwise.errors import BrokenFile, InputError, NotEnoughData, UnknownName
from priorwise.features.document_vectors import document_vectors
from priorwise.review import simulation
from priorwise.review.simulation import FILE_NAME, READERS, Replay, Simulation, Task, simulate

WITHOUT_ASREVIEW = [name for name in READERS if name != "asreview"]


@pytest.fixture(scope="module")
def reviewed() -> Corpus:
    rng = np.random.default_rng(5)
    sport, law = ["goal", "team", "match", "win", "player"], ["court", "law", "vote", "tax", "judge"]
    both = ["the", "of", "year", "people", "new", "first"]
    texts, labels = [], []
    for number in range(60):
        own = sport if number % 4 == 0 else law
        texts.append(" ".join([*rng.choice(own, 3), *rng.choice(both, 4), *rng.choice(sport + law, 2)]))
        labels.append(["sport"] if number % 4 == 0 else ["law"])
    return Corpus.from_texts(texts, labels=labels)


def task_of(corpus: Corpus, known: int = 2, seed: int = 0, about: str | None = None) -> Task:
    members = np.zeros(corpus.n_documents, bool)
    members[corpus.members("sport")] = True
    return Task.drawn(corpus, "sport", members, known, seed, about)


def literal_order(corpus: Corpus, task: Task, n: int) -> list[int]:
    """Solve the normal equations after every verdict, in the words, with the prior covariance written out."""
    X = document_vectors(corpus, np.arange(corpus.n_documents)).toarray()
    centred = X - X.mean(axis=0)
    scale = (X**2).sum() / ((X @ centred.T) ** 2).sum()
    covariance = np.eye(X.shape[1] + 1)
    covariance[:-1, :-1] = 0.2 * np.eye(X.shape[1]) + 0.8 * scale * centred.T @ centred
    X = np.hstack([X, np.full((len(X), 1), np.sqrt(0.1))])
    judged = list(task.start)
    for _ in range(n):
        members = task.members[judged]
        found, rejected = members.sum(), (~members).sum()
        unit = len(judged) / (found + found / 15)
        weights = np.where(members, unit, unit * found / (15 * rejected))
        left = X[judged].T @ (weights[:, None] * X[judged]) + 2.0 * np.linalg.inv(covariance)
        scores = X @ np.linalg.solve(left, X[judged].T @ (weights * np.where(members, 1.0, -1.0)))
        scores[judged] = -np.inf
        judged.append(int(np.argmax(scores)))
    return judged[len(task.start) :]


def test_squares_read_the_best_unread_document_after_every_verdict(reviewed: Corpus) -> None:
    task = task_of(reviewed)
    order = READERS["squares"](task)
    # From 20 verdicts on the weight of rejected documents is learned, which has its own test.
    assert [next(order) for _ in range(16)] == literal_order(reviewed, task, 16)


@pytest.mark.parametrize(("known", "about"), [(1, None), (3, None), (0, "team goal match player")])
def test_our_order_is_that_of_a_session(reviewed: Corpus, known: int, about: str | None) -> None:
    task = task_of(reviewed, known, about=about)
    *members, other = reviewed.ids(task.start)
    session = pw.Session(reviewed, members=members, description=about)
    session.judge(other, "no")
    read = []
    for _ in range(20):
        (document,) = session.next()
        read.append(reviewed.row(document.id))
        session.judge(document.id, "yes" if task.members[read[-1]] else "no")
    order = READERS["priorwise"](task)
    assert [next(order) for _ in range(20)] == read


@pytest.mark.parametrize("method", WITHOUT_ASREVIEW)
@pytest.mark.parametrize("about", [None, "the team and its match"])
def test_labels_of_unread_documents_do_not_matter(reviewed: Corpus, method: str, about: str | None) -> None:
    task = task_of(reviewed, about=about)
    order = READERS[method](task)
    read = [next(order) for _ in range(12)]
    seen = [*task.start, *read[:-1]]
    hidden = np.ones(len(task.members), bool)
    hidden[seen] = False
    flipped = READERS[method](replace(task, members=task.members ^ hidden))
    assert [next(flipped) for _ in range(12)] == read


@pytest.mark.parametrize("method", WITHOUT_ASREVIEW)
def test_every_document_is_read_once(reviewed: Corpus, method: str) -> None:
    task = task_of(reviewed)
    assert sorted([*task.start, *READERS[method](task)]) == list(range(60))


def test_a_text_alone_is_a_start(reviewed: Corpus) -> None:
    task = task_of(reviewed, known=0, about="team goal match player")
    assert not task.members[task.start].any()
    assert task.members[next(READERS["priorwise"](task))]


def test_methods_start_from_the_same_documents_and_seeds_from_others(reviewed: Corpus) -> None:
    assert task_of(reviewed, seed=3).start == task_of(reviewed, seed=3).start
    assert len({tuple(task_of(reviewed, seed=seed).start) for seed in range(8)}) > 6
    start = task_of(reviewed, known=5).start
    assert task_of(reviewed).members[start].tolist() == [True] * 5 + [False]


def test_the_replays_are_what_was_asked_for(reviewed: Corpus) -> None:
    said: list[str] = []
    simulation = simulate(reviewed, ["sport", "law"], known=(1, 3), seeds=2, against=["svm"], progress=said.append)
    assert simulation.labels == ["sport", "law"]
    assert simulation.methods == ["priorwise", "svm"]
    assert len(simulation.replays) == len(said) == simulation.fresh == 16
    one = simulation.chosen("sport", "svm", 3)[0]
    assert (one.documents, len(one.found)) == (56, 12)
    assert {id for id, _ in one.found} < set(reviewed.ids(reviewed.members("sport")))
    places = [place for _, place in one.found]
    assert places == sorted(places)
    assert one.metrics()["last member"] == places[-1]
    assert one.metrics()["WSS@95"] == pytest.approx((56 - documents_until(one.verdicts.tolist(), 0.95)) / 56 - 0.05)
    assert simulation.compared("svm", "ATD").ahead + simulation.compared("svm", "ATD").behind <= 2
    shares, recall = simulation.recall_curve(label="law")
    assert recall[0] == 0
    assert recall[-1] == 1
    assert (np.diff(recall) >= 0).all()
    assert len(shares) == len(recall)
    assert "priorwise" in str(simulation.chart("sport").summary)
    assert json.loads(json.dumps(simulation.as_json()))["summary"][0]["metrics"]["WSS@95"]["sd"] >= 0


def made_up(method: str, seed: int, places: list[int]) -> Replay:
    return Replay("a", method, 1, seed, None, 100, tuple((str(place), place) for place in places), 0.0)


def test_small_is_good_for_times_and_large_for_work_saved() -> None:
    early, late = [1, 2, 3], [40, 60, 80]
    ours, theirs = [made_up("priorwise", s, early) for s in (0, 1)], [made_up("svm", s, late) for s in (0, 1)]
    simulation = Simulation([*ours, *theirs])
    for metric in ("WSS@95", "ATD", "loss", "R-precision"):
        assert simulation.compared("svm", metric).ahead == 2
        assert simulation.compared("svm", metric).difference > 0
    assert simulation.latest("a", "svm") == [("80", 80.0), ("60", 60.0), ("40", 40.0)]
    assert simulation.means(method="svm")["ATD"] == (pytest.approx(0.6), 0.0)


# Kept replays


def test_a_stopped_simulation_continues(reviewed: Corpus, tmp_path: Path) -> None:
    first = simulate(reviewed, "sport", seeds=1, path=tmp_path)
    more = simulate(reviewed, "sport", seeds=3, against=["bmi"], path=tmp_path)
    assert (first.fresh, more.fresh) == (1, 5)
    assert first.replays[0] in more.replays
    again = simulate(reviewed, "sport", seeds=3, against=["bmi"], path=tmp_path)
    assert again.fresh == 0
    assert again.replays == more.replays
    kept = tmp_path / FILE_NAME
    kept.write_text(kept.read_text()[:-20])
    assert simulate(reviewed, "sport", seeds=3, against=["bmi"], path=tmp_path).fresh == 1
    assert simulate(reviewed, "sport", seeds=3, against=["bmi"], path=tmp_path).fresh == 0


def test_replays_of_another_corpus_are_refused(reviewed: Corpus, tmp_path: Path) -> None:
    simulate(reviewed, "sport", seeds=1, path=tmp_path)
    other = Corpus.from_texts(["a b", "b c", "c d", "a d"], labels=[["sport"], ["sport"], [], []])
    with pytest.raises(InputError, match="another corpus"):
        simulate(other, "sport", seeds=1, path=tmp_path)
    (tmp_path / FILE_NAME).write_text("{}\n")
    with pytest.raises(BrokenFile, match="not a file of simulated reviews"):
        simulate(reviewed, "sport", seeds=1, path=tmp_path)


# Mistakes


def test_impossible_reviews_are_refused(reviewed: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownName, match="no method 'smv'"):
        simulate(reviewed, "sport", against=["smv"])
    with pytest.raises(NotEnoughData, match="15 members among 60"):
        simulate(reviewed, "sport", known=15)
    with pytest.raises(InputError, match="at least one member"):
        simulate(reviewed, "sport", known=0)
    with pytest.raises(InputError, match="at least one category"):
        simulate(reviewed, [])
    monkeypatch.setattr(simulation, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="ASReview is not installed"):
        simulate(reviewed, "sport", seeds=1, against=["asreview"])


# The command


def test_the_command_prints_draws_and_continues(reviewed: Corpus, cli: Cli, tmp_path: Path) -> None:
    reviewed.save(tmp_path / "x.corpus")
    asked = ["simulate", tmp_path / "x.corpus", "sport", "--known", "1,2", "--seeds", "2", "--against", "svm"]
    first = cli(*asked)
    assert first.exit_code == 0, first.output
    assert "sport: 13 members to find among 57 documents, 2 members known, 2 reviews" in first.stdout
    for name in ("WSS@95", "RRF@10", "ATD", "last member", "recall@10", "Found last", "p (Wilcoxon)"):
        assert name in first.stdout
    assert (tmp_path / "x.simulation" / "recall-1.svg").read_text().startswith("<svg")
    again = cli(*asked)
    assert "up to date: 8 reviews." in again.stdout
    assert again.stdout.partition("\n")[2] == first.stdout
    found = json.loads(cli(*asked, "--json").stdout)
    own = pw.simulate(pw.Corpus.open(tmp_path / "x.corpus"), "sport", known=(1, 2), seeds=2, against=["svm"])
    assert found["tests"] == own.as_json()["tests"]
    titled = cli("simulate", tmp_path / "x.corpus", "sport", "--known", "0", "--title", "team match", "--seeds", "1")
    assert "0 members known" in titled.stdout


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["sprot"], "did you mean 'sport'"),
        (["sport", "--known", "x"], "whole numbers"),
        (["sport", "--against", "smv"], "no method 'smv'"),
    ],
)
def test_the_command_says_what_is_wrong(reviewed: Corpus, cli: Cli, tmp_path: Path, more: list[str], says: str) -> None:
    reviewed.save(tmp_path / "x.corpus")
    result = cli("simulate", tmp_path / "x.corpus", *more)
    assert result.exit_code == 2
    assert says in result.output
