"""The knowledge paper's experiment: choosing a prior, drawing training sets, reading texts, and all from end to end."""

from __future__ import annotations

import gzip
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from paper_collections import session_of, tables_of
from priorwise.errors import BrokenFile
from priorwise.priors.informed import Informed
from priorwise.priors.regression import Gaussian, Laplace
from regression_collections import HEADINGS, PLACES
from reproductions import knowledge
from reproductions.experiment import find_experiment
from reproductions.knowledge import (
    COPIES,
    KEYWORDS,
    KINDS,
    METHODS,
    PUBLISHED,
    SETS,
    Known,
    Layout,
    Problem,
    climb,
    count_texts,
    draw,
    factbook,
    judge,
    printed,
    scope_notes,
    walk,
    without_common,
)
from reproductions.split import Split

VARIANCES = (0.1, 1.0, 4.0, 25.0)


def problem_of(seed: int, cases: int = 24) -> Problem:
    random = np.random.default_rng(seed)
    X = random.normal(size=(cases, 4)) * (random.random((cases, 4)) < 0.7)
    y = X[:, 0] + 0.5 * random.normal(size=cases) > 0
    y[:2] = True, False
    return Problem.of(sparse.csr_matrix(X), y, seed)


def grid_of(kind: type) -> list[tuple]:
    informed = Informed(kind, sparse.csr_matrix([[1.0, 0.5, 0.0, 0.0, 0.0]]), "mode")
    return [informed.grid([strength], VARIANCES) for strength in (0.5, 2.0, 10.0)]


def held_out(problem: Problem, prior) -> float:
    """Cross-validated log-likelihood, fold by fold, each fitted from nothing and to the end."""
    total = 0.0
    for held in problem.folds:
        found = problem.solve(problem.penalty(prior), np.where(held, 0.0, 1.0), 1e-9, None)
        scores = problem.design.by_rows[held] @ found.coef
        total -= np.logaddexp(0, -np.where(problem.positive[held], 1, -1) * scores).sum()
    return float(total)


# Choosing a prior


@settings(max_examples=10)
@given(st.integers(0, 10_000), st.sampled_from([Laplace, Gaussian]))
def test_giving_priors_up_early_finds_the_same_as_trying_all(seed, kind):
    problem, rows = problem_of(seed), grid_of(kind)
    values = {prior: held_out(problem, prior) for row in rows for prior in row}
    with mock.patch.object(knowledge, "TOLERANCE", 1e-9):
        race = walk(problem, rows)
    assert values[race.best] == pytest.approx(max(values.values()), rel=1e-4)
    assert race.value == pytest.approx(values[race.best], rel=1e-4)
    assert race.fits <= len(values) * len(problem.folds)


@pytest.mark.parametrize("kind", [Laplace, Gaussian])
def test_a_climb_ends_where_no_neighbour_is_better(kind):
    problem, rows = problem_of(5, cases=40), grid_of(kind)
    race = climb(problem, rows, [(0, 0)])
    values = np.array([[held_out(problem, prior) for prior in row] for row in rows])
    i, j = next((i, j) for i, row in enumerate(rows) for j, prior in enumerate(row) if prior is race.best)
    near = values[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2]
    assert values[i, j] == pytest.approx(near.max(), rel=5e-3)


def test_patience_leaves_a_row_that_falls():
    problem = problem_of(1, cases=60)
    row = [Laplace(10.0**k) for k in range(-2, 9)]
    patient, all_ = walk(problem, [row], patience=2), walk(problem, [row])
    assert patient.best == all_.best
    assert patient.fits < all_.fits


def test_the_intercept_has_the_prior_of_a_word():
    X, y = sparse.csr_matrix(np.ones((6, 1))), np.array([True, True, True, True, True, False])
    found = Problem.of(X, y, 0).fit(Gaussian(0.5))
    assert found.coef[0] == pytest.approx(found.coef[1])
    assert found.intercept == 0


# Training sets


@pytest.fixture(scope="module")
def known() -> Known:
    random = np.random.default_rng(2)
    Y = random.random((90, 2)) < 0.3
    X = sparse.random(90, 20, 0.3, format="csr", random_state=1)
    X = sparse.csr_matrix(sparse.hstack([X, sparse.csr_matrix(Y * 1.0)]))
    texts = sparse.csr_matrix(np.eye(22)[[20, 21]])
    return Known(X[:60], X[60:], Y[:60], Y[60:], texts, texts.toarray() * 0.4, ["a", "b"])


def test_small_sets_have_five_members_and_five_others(known):
    drawn = draw(known, 1, "5+5", 3)
    assert len(set(drawn.tolist())) == 10
    assert known.Y_train[drawn[:5], 1].all()
    np.testing.assert_array_equal(drawn, draw(known, 1, "5+5", 3))
    assert not np.array_equal(drawn, draw(known, 1, "5+5", 4))


def test_nearest_negatives_are_nearest_and_negative(known):
    drawn = draw(known, 0, "5+nearest", 0)
    taken: list[int] = []
    for row in drawn[:5]:
        products = known.X_train.toarray() @ known.X_train[[row]].toarray()[0]
        free = [i for i in range(60) if not known.Y_train[i, 0] and i not in taken]
        taken.append(max(free, key=lambda i: products[i]))
    assert drawn[5:].tolist() == taken


def test_five_hundred_are_the_same_for_every_category(known):
    np.testing.assert_array_equal(draw(known, 0, "500", 7), draw(known, 1, "500", 7))
    np.testing.assert_array_equal(draw(known, 0, "all", 0), np.arange(60))


@pytest.mark.parametrize("kind", KINDS)
def test_a_category_that_a_known_word_tells_is_found(known, kind):
    found = judge(known, 1, "5+5", 0, kind, quick=True)
    assert list(found) == list(METHODS[:2] if kind == "SVM" else METHODS)
    true = known.Y_test[:, 1].sum()
    method = "No DK" if kind == "SVM" else "Var"
    assert 2 * found[method]["found"] / (found[method]["decided"] + true) > (0.6 if kind == "SVM" else 0.9)
    for one in found.values():
        assert one["found"] <= min(true, one["decided"])


def test_a_category_without_members_in_the_set_is_found_only_by_its_text(known):
    nobody = Known(known.X_train, known.X_test, known.Y_train & False, *[getattr(known, name) for name in (
        "Y_test", "texts", "significance", "labels")])  # fmt: skip
    found = judge(nobody, 1, "500", 0, "lasso", quick=True)
    assert found["No DK"] == {"found": 0, "decided": 0, "chosen": None}
    assert found["DK examples"]["chosen"] is not None
    assert COPIES == 5


# Texts


def test_texts_are_counted_as_documents_are():
    counted = count_texts(["Wheat wheats, oil", "nothing"], ["oil", "wheat"], lambda token: token.rstrip("s"))
    assert counted.toarray().tolist() == [[1, 2], [0, 0]]


def test_documents_and_texts_are_weighed_alike():
    X = sparse.csr_matrix([[2.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 3.0]])
    Y = sparse.csr_matrix([[1.0], [0.0], [0.0]])
    made = knowledge.known_of(Split(X, X, Y, Y, ["tea", "said", "oil"], ["t"]), {"t": "tea tea", "o": "oil tea"}, str)
    idf = np.log(4 / np.array([2, 4, 2]))
    np.testing.assert_allclose(made.X_train.toarray(), [[1, 0, 0], [0, 0, 0], [0, 0, 1]])
    np.testing.assert_allclose(made.texts.toarray(), [[1, 0, 0]])
    assert idf[0] > 0
    np.testing.assert_allclose(made.significance, [[(1 + np.log(2)) * np.log(3 / 3), 0, 0]])


def test_the_factbook_of_1996_is_read(regression_collections):
    texts = factbook(regression_collections / "factbook")
    assert texts["peru"] == "peru\nArea total area of Peru's land"
    assert len(texts) == 15
    assert "area" not in without_common(texts)["peru"]


def test_scope_notes_have_name_note_and_synonyms(regression_collections):
    assert scope_notes(regression_collections / "mesh") == {
        "Gout": "Gout\nCrystals in a joint.\nPodagra\nGouty arthritis",
        "Anthrax": 'Anthrax\nA disease of "cattle".\n',
    }


def test_broken_texts_say_which_file(tmp_path):
    (tmp_path / "countries.sql.gz").write_bytes(b"no gzip")
    with pytest.raises(BrokenFile, match=r"countries\.sql\.gz"):
        factbook(tmp_path)
    (tmp_path / "CTD_diseases.tsv.gz").write_bytes(gzip.compress(b"# nothing\n"))
    with pytest.raises(BrokenFile, match="no heading"):
        scope_notes(tmp_path)
    for name in ("countries", "country_fields_1996"):
        (tmp_path / f"{name}.sql.gz").write_bytes(gzip.compress(b""))
    with pytest.raises(BrokenFile, match="no entry of 1996"):
        factbook(tmp_path)


# Tables, and from end to end


def test_every_number_that_was_printed_has_its_place():
    for part in PUBLISHED["macro"].values():
        assert list(part) == list(SETS)
        for columns in part.values():
            assert [len(columns[kind]) for kind in KINDS] == [2, len(METHODS), len(METHODS)]
    assert printed("modapte", "500", "ridge", "Mode/TFIDF") == 73.4


def test_gains_compare_with_the_printed_ones():
    right, wrong = {"found": 4, "decided": 4}, {"found": 2, "decided": 6}
    judged = [{method: right if method == "Var/TFIDF" else wrong for method in METHODS}]
    cells = {("modapte", training, kind, seed): judged for training in SETS for kind in KINDS for seed in (0, 1)}
    layout = Layout(cells, {"modapte": [4]}, {"modapte": "ModApte"})
    assert layout.gains("modapte", "5+5", "lasso", "Var/TFIDF") == pytest.approx([60, 60])
    assert layout.gains("modapte", "5+5", "lasso", "Mode/TFIDF") == [0, 0]
    gains = {row.name: row.cells for row in layout.parts()[5].rows}
    gained, spread, reached, above = gains["5+5, lasso, Var/TFIDF"]
    assert (gained.ours, gained.published) == pytest.approx((60, 18.6))
    assert (spread.ours, reached.ours, above.ours) == (0, "yes", pytest.approx(100 - 61.3))
    assert gains["5+5, lasso, Mode/TFIDF"][2].ours == "no"
    shown = {row.name: row.cells for row in layout.parts()[2].rows}
    assert shown["No DK"][1].ours == "40.0 ± 0.0"
    assert shown["Var"][0].show() == "–"


def test_a_gain_that_one_draw_could_have_missed_is_within_the_spread():
    draws = [{"Var/TFIDF": {"found": 4, "decided": 4}}, {"Var/TFIDF": {"found": 2, "decided": 6}}]
    cells = {
        ("modapte", training, kind, seed): [{method: {"found": 2, "decided": 6} for method in METHODS} | draws[seed]]
        for training in SETS for kind in KINDS for seed in (0, 1)
    }  # fmt: skip
    layout = Layout(cells, {"modapte": [4]}, {"modapte": "ModApte"})
    gains = {row.name: row.cells for row in layout.parts()[5].rows}
    assert gains["500, ridge, Var/TFIDF"][0].ours == pytest.approx(30)  # published: 33.4
    assert gains["500, ridge, Var/TFIDF"][1].ours == pytest.approx(60 / np.sqrt(2))
    assert gains["500, ridge, Var/TFIDF"][2].ours == "within the spread"


@pytest.mark.parametrize("part", ["modapte", "places", "medline"])
def test_a_run_fills_every_table_and_a_second_one_reads_it(regression_collections, corpora, tmp_path, part):
    pytest.importorskip("snowballstemmer")
    first = session_of(regression_collections, corpora, tmp_path / "cells", "knowledge", part)
    findings = knowledge.run(first)
    assert [table.title for table in tables_of(findings)][:4] == list(SETS.values())
    labels = {"modapte": list(KEYWORDS), "places": list(PLACES[:2]), "medline": sorted(HEADINGS)}[part]
    read, _ = knowledge.load(first, part)
    assert read.labels == labels
    again = session_of(regression_collections, corpora, tmp_path / "cells", "knowledge", part)
    assert knowledge.run(again) == findings
    assert again.results.computed == 0


def test_the_experiment_is_found_by_its_name():
    assert find_experiment("knowledge").chosen(("medline", "modapte")) == ("modapte", "medline")
