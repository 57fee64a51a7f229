from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfTransformer

import reference_membership as reference
from conftest import Cli
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.made_up import DemoDocument
from priorwise.discovery.membership import regress
from priorwise.discovery.membership_model import MembershipModel
from priorwise.discovery.spelling import spelling
from priorwise.discovery.vectors import rarity
from priorwise.discovery.verdicts import Judged
from priorwise.engines.local import score_corpus
from priorwise.errors import BrokenFile, InputError
from priorwise.models.membership import learn_membership
from priorwise.models.weights import Weights
from priorwise.ranking.scorer import Scorer
from priorwise.ranking.vector_scorer import VectorScorer


def test_the_default_is_a_regression(auto_run: Run) -> None:
    assert auto_run.about["model"] == "auto"
    assert auto_run.regression is not None
    assert auto_run.about["regression"]["documents"] == 400
    assert sum(setting["share"] for setting in auto_run.about["regression"]["settings"]) == pytest.approx(1.0)


def test_scores_are_the_weights_on_the_vectors_of_scikit_learn(auto_run: Run, corpus: Corpus) -> None:
    assert auto_run.regression is not None
    X = TfidfTransformer(sublinear_tf=True).fit_transform(corpus.matrix())
    weight_of = dict(zip(auto_run.regression.tokens, auto_run.regression.weights.tolist(), strict=True))
    names = corpus.token_names(np.arange(corpus.n_vocabulary))
    scores = X @ np.array([weight_of.get(name, 0.0) for name in names])
    np.testing.assert_allclose(score_corpus(corpus, auto_run.regression.scorer(corpus)), scores, atol=1e-9)
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
    scorer = VectorScorer(Weights(ids[order], weights[order][None, :], np.zeros(1)), rarity(small))
    np.testing.assert_allclose(score_corpus(small, scorer), X @ weights, atol=1e-12)


def test_the_weights_are_learned_from_all_documents(corpus: Corpus) -> None:
    X = TfidfTransformer(sublinear_tf=True).fit_transform(corpus.matrix())
    features = np.flatnonzero(np.asarray((X > 0).sum(axis=0)).ravel() >= 2)
    X = X[:, features].tocsr()
    traits = spelling(corpus.token_names(features), corpus.document_frequency[features], corpus.n_documents, X)
    learned = learn_membership(X, corpus.members("Chess"), traits=traits)
    scores = X @ learned.weights
    run = discover(corpus, "Chess", description="")
    assert run.ranking.table["score"].to_numpy() == pytest.approx(scores[corpus.rows(run.ranking.ids)], abs=1e-3)


def test_probabilities_fall_and_add_up_to_what_is_expected(corpus: Corpus) -> None:
    run = discover(corpus, "Chess", top=10_000)
    p = run.ranking.table["probability"].to_numpy()
    assert np.all(np.diff(p) <= 0)
    assert p.sum() == pytest.approx(run.about["regression"]["missing"]["expected"], rel=0.01)
    assert run.about["predicted_positive"]["learned"] == int((p > 0.5).sum())


def test_an_explanation_adds_up(auto_run: Run, corpus: Corpus) -> None:
    for row in auto_run.ranking.rows(5):
        explained = auto_run.explain(corpus, row["id"])
        assert explained.score == pytest.approx(row["score"])
        assert explained.probability == pytest.approx(row["probability"])
        strongest = explained.tokens[0]
        assert row["evidence"].startswith(f"{strongest.token}:{strongest.adds:+.2f}")
        words = len(explained.tokens) + len(explained.unknown)
        assert words == len(corpus.take([corpus.row(row["id"])])[1])


def test_loading_gives_back_what_was_saved(auto_run: Run, auto_path: Path, corpus: Corpus) -> None:
    loaded = Run.load(auto_path)
    assert loaded.about == auto_run.about
    assert loaded.regression is not None
    assert auto_run.regression is not None
    assert loaded.regression.weights.tolist() == auto_run.regression.weights.tolist()
    document = auto_run.ranking.ids[3]
    assert loaded.explain(corpus, document) == auto_run.explain(corpus, document)


def test_a_run_without_its_regression_is_damaged(auto_run: Run, tmp_path: Path) -> None:
    auto_run.save(tmp_path / "x.run")
    (tmp_path / "x.run" / "regression.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(BrokenFile, match="not a priorwise model"):
        Run.load(tmp_path / "x.run")
    (tmp_path / "x.run" / "regression.parquet").unlink()
    with pytest.raises(BrokenFile, match=r"regression\.parquet is missing"):
        Run.load(tmp_path / "x.run")


def test_the_model_of_another_kind_is_refused(auto_path: Path) -> None:
    with pytest.raises(BrokenFile):
        MembershipModel.load(auto_path / "model.parquet")


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
    assert named.about["regression"]["described"]
    nameless = discover(corpus, "Chess::board", description="")
    assert not nameless.about["regression"]["described"]
    by_words = discover(corpus, members=["5", "6"], description="chess board")
    assert by_words.ranking.table["score"].to_pylist() == named.ranking.table["score"].to_pylist()
    assert nameless.ranking.table["score"].to_pylist() != named.ranking.table["score"].to_pylist()
    for choice in ({"model": "presence"}, {"seeds": 1}, {"paper": True}):
        with pytest.raises(InputError, match="takes no description"):
            discover(corpus, "Chess::board", description="chess", **choice)  # type: ignore[arg-type]


def test_a_chosen_prior_means_presence(corpus: Corpus) -> None:
    assert discover(corpus, "Chess", seeds=1).about["model"] == "presence"
    assert discover(corpus, "Chess", seeds=1, model="auto").about["model"] == "auto"
    with pytest.raises(InputError, match="no model 'best'"):
        discover(corpus, "Chess", model="best")
    with pytest.raises(InputError, match="presence model"):
        discover(corpus, "Chess", model="auto", paper=True)


def test_a_large_corpus_is_read_in_part(corpus: Corpus) -> None:
    members = corpus.members("Chess")
    skip = np.zeros(corpus.n_documents, bool)
    skip[members] = True
    stage = Scorer(Weights(np.arange(5), np.ones((1, 5)), np.zeros(1)))
    part = regress(corpus, members, skip, stage, read_at_most=150)
    assert part.read == 150
    assert len(part.scores) == corpus.n_documents
    whole = regress(corpus, members, skip, stage)
    assert whole.read == corpus.n_documents
    # What was read in part finds much the same.
    best = {*np.argsort(-np.where(skip, -np.inf, whole.scores))[:20].tolist()}
    found = {*np.argsort(-np.where(skip, -np.inf, part.scores))[:40].tolist()}
    assert len(best & found) >= 10


def test_what_is_excluded_is_not_read_in_part_either(corpus: Corpus) -> None:
    members, rows = corpus.members("Chess"), np.arange(corpus.n_documents)
    skip = ~np.isin(rows, members)
    candidates = rows[skip][:1]
    skip[members], skip[candidates] = True, False
    stage = Scorer(Weights(np.arange(5), np.ones((1, 5)), np.zeros(1)))
    # Fewer documents than there is room for by the first stage.
    assert regress(corpus, members, skip, stage, read_at_most=len(members)).read == len(members) + len(candidates)


def test_what_people_rejected_is_no_candidate_and_never_believed(corpus: Corpus) -> None:
    first = discover(corpus, "Chess")
    rejected = tuple(first.ranking.ids[:3])
    again = discover(corpus, "Chess", verdicts=Judged((), rejected))
    assert not {*rejected} & {*again.ranking.ids}
    accepted = discover(corpus, "Chess", verdicts=Judged(rejected))
    listed = discover(corpus, members=[*corpus.ids(corpus.members("Chess")), *rejected], description="Chess")
    assert accepted.ranking.ids == listed.ranking.ids


def test_excluded_documents_are_not_read(corpus: Corpus) -> None:
    members = {*corpus.members("Chess").tolist()}
    excluded = [id for row, id in enumerate(corpus.ids(np.arange(100))) if row not in members]
    run = discover(corpus, "Chess", exclude=excluded)
    assert run.about["regression"]["documents"] == 400 - len(excluded)
    assert not {*excluded} & {*run.ranking.ids}


def test_the_command_says_what_is_expected(cli: Cli, corpus: Corpus, tmp_path: Path) -> None:
    result = cli("discover", corpus.path, "Chess", "-o", tmp_path / "c.run", "--show", 2)
    assert result.exit_code == 0, result.output
    assert "The regression read 400 documents" in result.stdout
    assert "members are missing (" in result.stdout
    run = Run.load(tmp_path / "c.run")
    shown = cli("explain", tmp_path / "c.run", run.ranking.ids[0], "--top", 2)
    assert "Probability of membership" in shown.stdout
    assert f"{run.ranking.rows(1)[0]['score']:+.4f}" in shown.stdout


def test_two_members_and_empty_documents() -> None:
    texts = ["team goal", "goal win", "", "team win", "law", "vote law", "tax"]
    corpus = Corpus.from_texts(texts, labels=["sport", "sport", None, None, None, None, None])
    run = discover(corpus, "sport")
    assert run.ranking.ids[0] == "3"
    assert len(run.ranking) == 5
    assert np.all(np.isfinite(run.ranking.table["probability"].to_numpy()))
