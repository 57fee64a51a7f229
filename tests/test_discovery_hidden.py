from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score

from conftest import Cli, Refused
from priorwise.corpus import Corpus
from priorwise.discovery.demo import DemoDocument, make_documents
from priorwise.discovery.hidden import (
    BASELINE,
    MEASURES,
    DefaultModel,
    HiddenResult,
    LaplaceBaseline,
    LinearPeer,
    all_methods,
    eligible_labels,
    hidden_members,
    peers,
    presence_methods,
    split_members,
    summarise,
)
from priorwise.errors import NotEnoughData, UnknownName


class Remembers:
    """A method that scores by a table, and keeps what it was shown."""

    def __init__(self, scores: np.ndarray, name: str = BASELINE) -> None:
        self.name = name
        self.table = scores
        self.shown: list[np.ndarray] = []

    def scores(self, corpus: Corpus, known: np.ndarray, label: str) -> np.ndarray:
        self.shown.append(known)
        return self.table


@pytest.fixture(scope="module")
def large() -> Corpus:
    documents = make_documents(1500)
    return Corpus.from_texts([each.text for each in documents], labels=[each.truth for each in documents])


def test_known_and_hidden_are_all_members_once(corpus: Corpus) -> None:
    members = corpus.members("Geology").tolist()
    for hide, n_hidden in [(0.5, 22), (0.1, 4), (0.9, 40)]:
        known, hidden = split_members(corpus, "Geology", hide=hide, seed=0)
        assert sorted([*known.tolist(), *hidden.tolist()]) == members
        assert len(hidden) == n_hidden
    assert len(members) == 44


def test_a_number_of_members_can_stay_known(corpus: Corpus) -> None:
    known, hidden = split_members(corpus, "Geology", hide=0.5, keep=5, seed=0)
    assert (len(known), len(hidden)) == (5, 39)
    method = Remembers(np.zeros(corpus.n_documents))
    (result,) = hidden_members(corpus, ["Geology"], [method], keep=5)
    assert (result.known, result.hidden) == (5, 39)
    assert np.array_equal(method.shown[0], known)
    with pytest.raises(NotEnoughData, match="too few"):
        split_members(corpus, "Geology", hide=0.5, keep=44, seed=0)


def test_the_default_is_among_the_methods(corpus: Corpus) -> None:
    from priorwise.discovery import discover

    known, _ = split_members(corpus, "Geology", hide=0.5, seed=0)
    scores = DefaultModel(named=False).scores(corpus, known, "Geology")
    run = discover(corpus, members=corpus.ids(known), top=400)
    rows = corpus.rows(run.ranking.ids)
    np.testing.assert_allclose(run.ranking.table["score"].to_numpy(), scores[rows])


def test_the_split_depends_on_seed_and_label_only(corpus: Corpus) -> None:
    first = split_members(corpus, "Geology", hide=0.5, seed=0)
    again = split_members(corpus, "Geology", hide=0.5, seed=0)
    other = split_members(corpus, "Geology", hide=0.5, seed=1)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])
    method = Remembers(np.zeros(corpus.n_documents))
    list(hidden_members(corpus, ["Railways", "Geology"], [method]))
    list(hidden_members(corpus, ["Geology"], [method]))
    assert np.array_equal(method.shown[1], method.shown[2])
    assert np.array_equal(method.shown[1], first[0])


def test_measures_equal_a_slow_computation(corpus: Corpus, documents: list[DemoDocument]) -> None:
    scores = np.random.default_rng(0).normal(size=corpus.n_documents)
    members = [row for row, document in enumerate(documents) if "Geology" in document.labels]
    scores[members] += 1
    method = Remembers(scores)
    (result,) = hidden_members(corpus, ["Geology"], [method])
    known = set(method.shown[0].tolist())
    candidates = sorted((row for row in range(400) if row not in known), key=lambda row: (-scores[row], row))
    hit = [row in members for row in candidates]
    for k in (50, 100, 250):
        assert result.measures[f"ppv@{k}"] == sum(hit[:k]) / k
    assert result.measures["average precision"] == pytest.approx(average_precision_score(hit, scores[candidates]))
    assert (result.known, result.hidden, tuple(result.measures)) == (22, 22, MEASURES)


def test_known_members_take_no_place(corpus: Corpus) -> None:
    """A method that puts the known members on top gains nothing by it."""
    known, hidden = split_members(corpus, "Geology", hide=0.5, seed=0)
    scores = np.zeros(corpus.n_documents)
    scores[known], scores[hidden] = 2.0, 1.0
    (result,) = hidden_members(corpus, ["Geology"], [Remembers(scores)])
    assert result.measures["average precision"] == pytest.approx(1.0)
    assert result.measures["ppv@50"] == 22 / 50


def made_up_results() -> list[HiddenResult]:
    random = np.random.default_rng(5)
    return [
        HiddenResult(label, 10, 10, method, dict(zip(MEASURES, random.random(4).round(3), strict=True)), 0.5)
        for label in "abcdefg"
        for method in (BASELINE, "one", "two")
    ]


def test_summaries_are_means_and_paired_tests() -> None:
    results = made_up_results()
    summaries = summarise(results)
    assert {summary.method for summary in summaries} == {BASELINE, "one", "two"}
    assert [s.means["ppv@250"] for s in summaries] == sorted((s.means["ppv@250"] for s in summaries), reverse=True)
    base = [result.measures["ppv@250"] for result in results if result.method == BASELINE]
    for summary in summaries:
        own = [result for result in results if result.method == summary.method]
        for measure in MEASURES:
            assert summary.means[measure] == pytest.approx(np.mean([result.measures[measure] for result in own]))
        values = [result.measures["ppv@250"] for result in own]
        assert summary.seconds == pytest.approx(3.5)
        assert summary.against.ahead == sum(a > b for a, b in zip(values, base, strict=True))
        if summary.method != BASELINE:
            assert summary.against.t_test == pytest.approx(stats.ttest_rel(values, base).pvalue)
            assert summary.against.wilcoxon == pytest.approx(stats.wilcoxon(values, base).pvalue)
    with pytest.raises(UnknownName, match="no method 'nobody'"):
        summarise(results, baseline="nobody")


def test_learned_priors_are_far_ahead_of_laplace(large: Corpus) -> None:
    """Seeds 0 to 5 with all labels gave 3.1 to 4.8 times Laplace's average precision, and 2.3 to 3.2 times PPV@50."""
    laplace, _, learned, _ = presence_methods()
    results = list(hidden_members(large, ["Astronomy", "Chess", "Geology", "Railways"], [laplace, learned]))
    by_method = {summary.method: summary for summary in summarise(results)}
    ours, base = by_method["presence, learned"].means, by_method[BASELINE].means
    assert ours["average precision"] > 2 * base["average precision"]
    assert ours["ppv@50"] > 1.5 * base["ppv@50"]
    precision = {(result.label, result.method): result.measures["average precision"] for result in results}
    for label in ("Astronomy", "Chess", "Geology", "Railways"):
        assert precision[label, "presence, learned"] > precision[label, BASELINE]


def test_every_peer_runs_and_beats_chance() -> None:
    random = np.random.default_rng(0)
    words = [f"w{number}" for number in range(60)]
    texts = [" ".join(random.choice(words, size=20)) + (" rock lava" if row < 30 else "") for row in range(200)]
    small = Corpus.from_texts(texts, labels=["Geology" if row < 30 else None for row in range(200)])
    chance = 15 / (200 - 15)
    results = list(hidden_members(small, ["Geology"], peers(tuned=True)))
    assert len({result.method for result in results}) == 16
    for result in results:
        assert result.measures["average precision"] > 2 * chance, result.method


def test_a_peer_is_what_scikit_learn_computes(corpus: Corpus, documents: list[DemoDocument]) -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    known = corpus.members("Geology")
    X = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\S+").fit_transform(
        [f"{each.title} {each.text}" for each in documents]
    )
    y = np.isin(np.arange(400), known)
    expected = LogisticRegression(solver="newton-cg", tol=1e-10).fit(X, y).decision_function(X)
    got = LinearPeer("logistic", "all").scores(corpus, known)
    np.testing.assert_allclose(got, expected, atol=1e-4)


def test_labels_that_are_large_enough(corpus: Corpus, documents: list[DemoDocument]) -> None:
    sizes = {
        label: sum(label in each.labels for each in documents) for label in {x for d in documents for x in d.labels}
    }
    assert eligible_labels(corpus, 14) == sorted(label for label, size in sizes.items() if size >= 14)
    everywhere = Corpus.from_texts(["a", "b", "c"], labels=[["x"], ["x", "y"], ["x", "y"]])
    assert eligible_labels(everywhere, 2) == ["y"]


def test_what_cannot_be_judged_is_said_before_any_work() -> None:
    tiny = Corpus.from_texts(["a b", "b c", "c", "d", "e"], labels=[["x"], ["x", "y"], ["x"], ["x"], None])
    method = Remembers(np.zeros(5))
    with pytest.raises(NotEnoughData, match="'y' has 1 member: too few"):
        next(hidden_members(tiny, ["x", "y"], [method]))
    with pytest.raises(UnknownName, match="no category 'z'"):
        next(hidden_members(tiny, ["z"], [method]))
    assert method.shown == []


def test_names_of_methods_are_all_different() -> None:
    names = [method.name for method in all_methods(every_target=True, tuned=True)]
    assert len(names) == len(set(names)) > 20
    learned = {
        method.name: method.procedure.centre for method in presence_methods(every_target=True, centre="uniform")[1:]
    }  # type: ignore[attr-defined]
    assert learned.pop("presence, learned, collection centre") == "collection"
    assert set(learned.values()) == {"uniform"}
    assert names[0] == LaplaceBaseline.name == BASELINE


def test_the_command(corpus: Corpus, cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "figures.csv"
    arguments = ["--labels", "Geology", "--labels", "Railways", "--methods", "uniform centre", "--methods", "svm, 1"]
    result = cli("benchmark", "hidden", corpus.path, *arguments, "-o", file)
    assert result.exit_code == 0, result.output
    uniform = "presence, learned, uniform centre"
    chosen = [method for method in all_methods() if method.name in (BASELINE, uniform, "svm, 1:1")]
    expected = list(hidden_members(corpus, ["Geology", "Railways"], chosen))
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [(row["label"], row["method"]) for row in rows] == [(each.label, each.method) for each in expected]
    for row, each in zip(rows, expected, strict=True):
        assert (int(row["known"]), int(row["hidden"])) == (each.known, each.hidden)
        assert [float(row[measure]) for measure in MEASURES] == list(each.measures.values())
    summaries = summarise(expected)
    table = [line for line in result.stdout.splitlines() if line.startswith("  ")]
    assert [line.split("  ")[1] for line in table[1:]] == [summary.method for summary in summaries]
    base = next(summary for summary in summaries if summary.method == BASELINE)
    for line, summary in zip(table[1:], summaries, strict=True):
        shown = line.removeprefix("  ").removeprefix(summary.method).split()
        assert shown[:4] == [f"{summary.means[measure]:.3f}" for measure in MEASURES]
        assert shown[4] == f"{summary.means['ppv@250'] / base.means['ppv@250']:.2f}"
        assert shown[5] == f"{summary.against.ahead}/{summary.against.behind}"
    assert list(tmp_path.iterdir()) == [file]
    again = cli("benchmark", "hidden", corpus.path, *arguments, "-o", file)
    assert "figures.csv is there already" in again.stderr


def test_labels_are_chosen_by_size(corpus: Corpus, cli: Cli) -> None:
    result = cli("benchmark", "hidden", corpus.path, "--min-members", "20", "--methods", "Laplace", "--hide", "0.25")
    assert result.exit_code == 0
    n_labels = len(eligible_labels(corpus, 20))
    assert result.stdout.startswith(f"{n_labels} categories of {corpus.path}, 25% of the members hidden")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "no category of"),
        (["--labels", "Geolgy"], "no category 'Geolgy'; did you mean 'Geology' (44 members)?"),
        (["--labels", "Geology", "--methods", "logistc"], "no method 'logistc'"),
        (["--labels", "Geology", "-o", "no-such-folder/x.csv"], "no-such-folder/x.csv cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said(corpus: Corpus, refused: Refused, arguments: list[str], says: str) -> None:
    assert says in refused("benchmark", "hidden", corpus.path, *arguments)
