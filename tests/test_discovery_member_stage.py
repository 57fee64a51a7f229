"""The default model as a stage: what it learned is what the finder finds, in whole and in part."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import hstack
from sklearn.feature_extraction.text import TfidfTransformer

import priorwise as pw
import reference_members as reference
from conftest import Cli, words_of
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover, finding
from priorwise.discovery.category import Category, Judged
from priorwise.discovery.demo import DemoDocument
from priorwise.discovery.member_stage import rows_to_read
from priorwise.engines.engine import Local
from priorwise.errors import InputError
from priorwise.features.document_vectors import document_vectors, rarity, text_vector
from priorwise.features.other_labels import other_labels
from priorwise.models.weights import Weights
from priorwise.ranking.evidence import further_scores
from priorwise.ranking.scorer import Scorer
from slow_discovery import member_facts


def test_the_default_model(auto_run: Run) -> None:
    assert auto_run.about.model == "default"
    assert [stage.name for stage in auto_run.stages] == ["baseline", "members"]
    facts = member_facts(auto_run)
    assert facts.documents == 400
    assert sum(setting.share for setting in facts.tried) == pytest.approx(1.0)
    best = max(facts.tried, key=lambda setting: setting.share)
    assert auto_run.prior == best.setting.prior


def test_scores_are_the_weights_on_the_vectors_of_scikit_learn(auto_run: Run, corpus: Corpus) -> None:
    X = TfidfTransformer(sublinear_tf=True).fit_transform(corpus.matrix())
    model = auto_run.model
    weight_of = dict(zip(model.tokens.to_pylist(), model.weights.row(0).tolist(), strict=True))
    names = corpus.token_names(np.arange(corpus.n_vocabulary))
    scores = X @ np.array([weight_of.get(name, 0.0) for name in names])
    np.testing.assert_allclose(Local().score_corpus(corpus, Scorer.of(model, corpus)), scores, atol=1e-9)
    scores += further_scores(model, corpus, np.arange(corpus.n_documents))
    rows = corpus.rows(auto_run.ranking.ids)
    np.testing.assert_allclose(auto_run.ranking.table["score"].to_numpy(), scores[rows], atol=1e-9)
    others = np.setdiff1d(np.arange(corpus.n_documents), corpus.members("Chess"))
    assert auto_run.ranking.ids == corpus.ids(others[np.argsort(-scores[others], kind="stable")])


def test_the_vectors_are_those_of_the_formula(documents: list[DemoDocument]) -> None:
    texts = [document.text.split()[:60] for document in documents[:25]]
    small = Corpus.from_texts([" ".join(text) for text in texts])
    X, words = reference.vectors(texts)
    ids = np.array([small.token_id(word) for word in words])
    order = np.argsort(ids)
    weights = np.random.default_rng(0).normal(size=len(words))
    scorer = Scorer(Weights(ids[order], weights[order][None, :], np.zeros(1)), rarity=rarity(small))
    np.testing.assert_allclose(Local().score_corpus(small, scorer), X @ weights, atol=1e-12)
    rows = np.arange(25)[::-1]
    np.testing.assert_allclose(document_vectors(small, rows)[:, ids].toarray(), X[rows], atol=1e-12)
    np.testing.assert_allclose(rarity(small), small_rarity(small), atol=1e-12)
    one = text_vector(small, f"{words[3]}_{words[3]}::{words[5]}, zebra")
    assert {*small.token_names(one.indices)} == {words[3], words[5]}
    assert np.linalg.norm(one.data) == pytest.approx(1.0)


def small_rarity(corpus: Corpus) -> np.ndarray:
    n = corpus.n_documents
    holding = [sum(token in corpus.take([row])[1] for row in range(n)) for token in range(corpus.n_vocabulary)]
    return np.log((n + 1) / (np.array(holding) + 1)) + 1


@pytest.mark.parametrize(
    ("label", "text", "text_only"),
    [("Chess", None, False), ("Geology", "", False), ("Railways", "steam engines", True)],
)
def test_a_notebook_can_do_what_discover_does_to_the_bit(
    corpus: Corpus, label: str, text: str | None, text_only: bool
) -> None:
    """With public parts: document vectors, other labels, spelling, and the finder."""
    rows, members = np.arange(corpus.n_documents), corpus.members(label)
    X, groups = document_vectors(corpus, rows), None
    evidence = other_labels(corpus, members, None if text_only else label)
    if len(evidence):
        X, groups = hstack([X, evidence.columns(corpus, rows)], format="csr"), {"labels": len(evidence)}
    spelling = pw.Spelling(corpus.token_names, corpus.document_frequency, corpus.n_documents)
    # The name may count as a member. The words of a description count by themselves.
    about = None if text == "" else text_vector(corpus, label)
    knowledge = text_vector(corpus, text) if text else None
    finder = pw.MemberFinder(groups=groups, kinship=spelling, about=about, knowledge=knowledge)
    finder.fit(X, np.isin(rows, members))

    run = discover(corpus, label, description=text, text_only=text_only)
    found = corpus.rows(run.ranking.ids)
    scores = X @ finder.coef_[0]
    assert scores[found].tobytes() == run.ranking.table["score"].to_numpy().tobytes()
    chance = finder.predict_proba(X)[:, 1]
    assert chance[found].tobytes() == run.ranking.table["probability"].to_numpy().tobytes()
    candidates = np.setdiff1d(rows, members)
    assert found.tolist() == candidates[np.argsort(-finder.decision_function(X)[candidates], kind="stable")].tolist()
    assert run.missing == finder.missing_
    assert run.prior == finder.best_prior_
    assert run.ranker.predicted == int(np.sum(finder.predict(X)[candidates]))
    shares = [(each.setting, each.share, each.typical_rank) for each in finder.tried_]
    assert [(each.setting, each.share, each.typical_rank) for each in member_facts(run).tried] == shares


def test_probabilities_fall_and_add_up_to_what_is_expected(corpus: Corpus) -> None:
    run = discover(corpus, "Chess", top=10_000)
    p = run.ranking.table["probability"].to_numpy()
    assert np.all(np.diff(p) <= 0)
    assert run.missing is not None
    assert p.sum() == pytest.approx(run.missing.expected, rel=0.01)
    assert run.ranker.predicted == int((p > 0.5).sum())


def test_an_explanation_adds_up(auto_run: Run, corpus: Corpus) -> None:
    for row in auto_run.ranking.rows(5):
        explained = auto_run.explain(corpus, row["id"])
        assert explained.score == pytest.approx(row["score"])
        assert explained.probability == pytest.approx(row["probability"])
        strongest = explained.words[0]
        name = f"[{strongest.name}]" if strongest.group == "labels" else strongest.name
        assert row["evidence"].startswith(f"{name}:{strongest.adds:+.2f}")
        words = [word for word in explained.words if word.group == "words"]
        assert len(words) + len(explained.unknown) == len(corpus.take([corpus.row(row["id"])])[1])


def test_an_explanation_says_in_how_many_documents_a_word_is(
    auto_run: Run, corpus: Corpus, documents: list[DemoDocument]
) -> None:
    members = {*corpus.members("Chess").tolist()}
    words = [set(words_of(document)) for document in documents]
    explained = auto_run.explain(corpus, auto_run.ranking.ids[0])
    assert (explained.n_members, explained.n_others) == (len(members), 400 - len(members))
    for word in explained.words[:10]:
        if word.group == "words":
            holding = [row for row in range(400) if word.name in words[row]]
            assert word.in_members == sum(row in members for row in holding)
            assert word.in_others == sum(row not in members for row in holding)


def test_loading_gives_back_what_was_saved(auto_run: Run, auto_path: Path, corpus: Corpus) -> None:
    loaded = Run.load(auto_path)
    assert loaded.about == auto_run.about
    assert loaded.ranker.facts() == auto_run.ranker.facts()
    assert loaded.model.weights.row(0).tolist() == auto_run.model.weights.row(0).tolist()
    assert loaded.model.calibration == auto_run.model.calibration
    document = auto_run.ranking.ids[3]
    assert loaded.explain(corpus, document) == auto_run.explain(corpus, document)


def test_the_name_counts_as_one_more_member() -> None:
    texts = [
        "goal ball",
        "goal cup",
        "law vote",
        "law tax",
        "vote tax",
        "chess board",
        "rook board",
        "chess",
        "cup",
    ] * 4
    labels = ["Chess::board" if row in (5, 6) else None for row in range(len(texts))]
    corpus = Corpus.from_texts(texts, labels=labels)
    named = discover(corpus, "Chess::board")
    assert member_facts(named).described
    nameless = discover(corpus, "Chess::board", description="")
    assert not member_facts(nameless).described
    by_words = discover(corpus, members=["5", "6"], description="chess board")
    assert not member_facts(by_words).described
    assert any(each.knowledge for each in member_facts(by_words).tried)
    assert not any(each.knowledge for each in member_facts(named).tried)
    assert nameless.ranking.table["score"].to_pylist() != named.ranking.table["score"].to_pylist()
    for choice in ({"model": "presence"}, {"seeds": 1}, {"paper": True}):
        with pytest.raises(InputError, match="takes no words, no description"):
            discover(corpus, "Chess::board", description="chess", **choice)  # type: ignore[arg-type]


def test_a_chosen_prior_means_presence(corpus: Corpus) -> None:
    assert discover(corpus, "Chess", seeds=1).about.model == "presence"
    both = discover(corpus, "Chess", seeds=1, model="default")
    assert [(stage.name, stage.role) for stage in both.stages] == [
        ("baseline", "compares"),
        ("presence", "compares"),
        ("members", "ranks"),
    ]
    # What the model was called before.
    assert discover(corpus, "Chess", model="auto").about.model == both.about.model == "default"
    with pytest.raises(InputError, match="no model 'best'"):
        discover(corpus, "Chess", model="best")
    with pytest.raises(InputError, match="presence model"):
        discover(corpus, "Chess", model="default", paper=True)


def test_a_large_corpus_is_read_in_part(corpus: Corpus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    whole = discover(corpus, "Chess")
    monkeypatch.setattr(finding, "READ_AT_MOST", 150)
    part = discover(corpus, "Chess")
    assert [(stage.name, stage.role) for stage in part.stages] == [
        ("baseline", "compares"),
        ("presence", "narrows"),
        ("members", "ranks"),
    ]
    assert member_facts(part).documents == 150
    assert len(part.ranking) == len(whole.ranking)
    # What was read in part finds much the same.
    assert len({*whole.ranking.ids[:20]} & {*part.ranking.ids[:40]}) >= 10
    p = part.ranking.table["probability"].to_numpy()
    assert part.missing is not None
    assert p.sum() == pytest.approx(part.missing.expected, rel=0.01)
    for row in part.ranking.rows(9):
        explained = part.explain(corpus, row["id"])
        assert (explained.score, explained.probability) == pytest.approx((row["score"], row["probability"]))
    part.save(tmp_path / "part.run")
    loaded = Run.load(tmp_path / "part.run")
    assert [stage.facts() for stage in loaded.stages] == [stage.facts() for stage in part.stages]
    assert loaded.ranking.table.equals(part.ranking.table)


def test_which_documents_are_read(corpus: Corpus) -> None:
    excluded = corpus.ids(np.arange(300, 400))
    rejected = [id for id in corpus.ids(np.arange(20)) if corpus.row(id) not in corpus.members("Chess")][:3]
    category = Category.of(corpus, "Chess", None, excluded, Judged((), tuple(rejected)))
    scores = np.random.default_rng(0).normal(size=400)
    rows = rows_to_read(category, lambda: scores, seed=3, at_most=100)
    assert len(rows) == 100
    assert np.all(np.diff(rows) > 0)
    assert not {*rows.tolist()} & {*range(300, 400)}
    assert {*category.members.tolist(), *category.rejected.tolist()} <= {*rows.tolist()}
    free = np.setdiff1d(category.readable, [*category.members, *category.rejected])
    best = free[np.argsort(-scores[free])][: (100 - len(category.members) - 3) // 2]
    assert {*best.tolist()} <= {*rows.tolist()}
    again = rows_to_read(category, lambda: scores, seed=4, at_most=100)
    assert not np.array_equal(rows, again)
    assert {*best.tolist()} <= {*again.tolist()}
    # All of them, if there is room, or nothing to choose by.
    np.testing.assert_array_equal(rows_to_read(category, lambda: scores, seed=3, at_most=300), category.readable)
    np.testing.assert_array_equal(rows_to_read(category, None, seed=3, at_most=100), category.readable)


def test_what_is_excluded_is_not_read_in_part_either(corpus: Corpus) -> None:
    members = corpus.members("Chess")
    other = np.setdiff1d(np.arange(400), members)
    category = Category.of(corpus, "Chess", None, corpus.ids(other[1:]), None)
    # Fewer documents than there is room for by the first stage.
    rows = rows_to_read(category, lambda: np.zeros(400), seed=0, at_most=len(members))
    assert rows.tolist() == sorted([*members.tolist(), int(other[0])])


def test_what_people_rejected_is_no_candidate_and_never_believed(corpus: Corpus) -> None:
    first = discover(corpus, "Chess")
    rejected = tuple(first.ranking.ids[:3])
    again = discover(corpus, "Chess", verdicts=Judged((), rejected))
    assert not {*rejected} & {*again.ranking.ids}
    accepted = discover(corpus, "Chess", description="", verdicts=Judged(rejected))
    listed = discover(corpus, members=[*corpus.ids(corpus.members("Chess")), *rejected], description="")
    assert accepted.ranking.ids == listed.ranking.ids


def test_excluded_documents_are_not_read(corpus: Corpus) -> None:
    members = {*corpus.members("Chess").tolist()}
    excluded = [id for row, id in enumerate(corpus.ids(np.arange(100))) if row not in members]
    run = discover(corpus, "Chess", exclude=excluded)
    assert member_facts(run).documents == 400 - len(excluded)
    assert not {*excluded} & {*run.ranking.ids}


def test_the_command_says_what_is_expected(cli: Cli, corpus: Corpus, tmp_path: Path) -> None:
    result = cli("discover", corpus.path, "Chess", "-o", tmp_path / "c.run", "--show", 2)
    assert result.exit_code == 0, result.output
    assert "It read 400 documents" in result.stdout
    run = Run.load(tmp_path / "c.run")
    assert run.missing is not None
    low, expected, high = (f"{number:.0f}" for number in (run.missing.low, run.missing.expected, run.missing.high))
    assert f"Estimated missing: {expected} members (80% interval {low} to {high})." in result.stdout
    shown = cli("explain", tmp_path / "c.run", run.ranking.ids[0], "--top", 2)
    assert "Probability of membership" in shown.stdout
    assert f"{run.ranking.rows(1)[0]['score']:+.4f}" in shown.stdout


def test_members_that_are_near_copies_are_counted() -> None:
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    texts = [" ".join(words), " ".join([*words, "eleven"]), "one fish two fish", "red fish", "law", "tax law", "vote"]
    labels = [["Numbers", f"label {place}"] if place < 4 else [] for place in range(len(texts))]
    stage = discover(Corpus.from_texts(texts, labels=labels), "Numbers").stages[-1]
    assert "1 member is a near copy of another member; copies are left out together." in stage.describe()


def test_two_members_and_empty_documents() -> None:
    texts = ["team goal", "goal win", "", "team win", "law", "vote law", "tax"]
    corpus = Corpus.from_texts(texts, labels=["sport", "sport", None, None, None, None, None])
    run = discover(corpus, "sport")
    assert run.ranking.ids[0] == "3"
    assert len(run.ranking) == 5
    assert np.all(np.isfinite(run.ranking.table["probability"].to_numpy()))
