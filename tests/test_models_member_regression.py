"""The member regression: the optimum of the stated objective, whatever the prior; and an estimator like any other."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse import coo_array, csc_matrix, csr_array, csr_matrix
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import priorwise as pw
import reference_members as reference
from priorwise.errors import InputError, NotEnoughData
from priorwise.models.regression.ridge_columns import RidgeColumns
from test_models_member_finder import Traits, labelled
from test_models_ridge_columns import some_documents


@parametrize_with_checks([pw.MemberRegression()])
def test_scikit_learn_accepts_it(estimator: Any, check: Any) -> None:
    check(estimator)


class Case:
    """A prior with a centre, kinship and groups, and documents in which every feature is held by two."""

    def __init__(self, seed: int, *, one_sided: bool) -> None:
        rng = np.random.default_rng(seed)
        n, self.width = int(rng.integers(8, 30)), int(rng.integers(3, 12))
        X = rng.normal(size=(n, self.width)) * (rng.random((n, self.width)) < 0.5)
        X[:2] = rng.normal(size=(2, self.width))
        self.X, self.known = X, list(range(int(rng.integers(1, n // 2))))
        self.groups = {"labels": 1, "links": 1}
        traits = csr_matrix(rng.random((self.width - 2, 3)) * (rng.random((self.width - 2, 3)) < 0.5))
        # At the optimum of the one-sided objective we compare through S⁻¹, so no group is left out.
        variances = rng.choice([0.1, 1.0, 3.0] if one_sided else [0.0, 0.1, 1.0, 3.0], 2)
        kinship = float(rng.choice([0.0, 0.5, 0.8]))
        self.centre = rng.normal(size=self.width) * 0.5 if seed % 3 else float(rng.normal())
        self.prior = pw.StructuredGaussian(
            10.0 ** rng.uniform(-1.5, 1.5), kinship, dict(zip(self.groups, variances, strict=True)), self.centre
        )
        self.S = reference.covariance(self.width, traits.toarray(), kinship, [(1, each) for each in variances])
        self.model = pw.MemberRegression(
            self.prior, one_sided=one_sided, groups=self.groups, kinship=Traits(traits), tol=1e-6
        )
        self.y = labelled(n, self.known)


@given(seed=st.integers(0, 2**32 - 1))
def test_the_weights_are_the_closed_form(seed: int) -> None:
    case = Case(seed, one_sided=False)
    expected = reference.ridge(case.X, case.y, 1 / case.prior.variance, case.S, case.centre)
    found = case.model.fit(case.X, case.y).coef_[0]
    np.testing.assert_allclose(found, expected, atol=2e-3 * max(1.0, np.abs(expected).max()))


@given(seed=st.integers(0, 2**32 - 1))
def test_one_sided_weights_are_the_optimum_that_scipy_finds(seed: int) -> None:
    case = Case(seed, one_sided=True)
    strength = 1 / case.prior.variance

    def loss(w: np.ndarray) -> float:
        return reference.one_sided_loss(case.X, case.known, strength, case.S, w, case.centre)

    start = np.broadcast_to(np.asarray(case.centre, float), case.width)
    best = minimize(loss, start, options={"gtol": 1e-8}).fun
    found = loss(case.model.fit(case.X, case.y).coef_[0])
    assert found == pytest.approx(best, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("k", [1, 5])
def test_provisional_members(k: int) -> None:
    X, known, rejected = some_documents(60, 20, 4), list(range(0, 30, 5)), [31, 32]
    model = pw.MemberRegression(pw.StructuredGaussian(2.0), believed=k, tol=1e-6).fit(X, labelled(60, known, rejected))
    expected = reference.setting_scores(X.toarray(), known, rejected, 2.0, k)
    np.testing.assert_allclose(X @ model.coef_[0], expected, atol=1e-3)
    assert len(pw.MemberRegression(believed=1000).fit(X, labelled(60, known)).coef_[0]) == 20
    with pytest.raises(InputError, match="either one_sided or believed"):
        pw.MemberRegression(believed=k, one_sided=True).fit(X, labelled(60, known))


def test_a_feature_that_one_document_has_keeps_the_centre() -> None:
    """So a keyword that you name counts, even where it can teach nothing about another document."""
    X = np.array([[1.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 1]] * 1)
    y = np.array([1, 1, 0, 0])
    centre = np.array([0.0, 0.1, 2.0])
    model = pw.MemberRegression(pw.StructuredGaussian(0.5, centre=centre), tol=1e-6).fit(X, y)
    assert model.coef_[0, 2] == 2.0
    # The keyword's document scores 2 before anything is learned; the other weights make up for it.
    expected = reference.ridge(X, y, 1 / 0.5, np.diag([1.0, 1.0, 0.0]), centre)
    np.testing.assert_allclose(model.coef_[0], expected, atol=1e-4)
    assert pw.MemberRegression(pw.StructuredGaussian(0.5)).fit(X, y).coef_[0, 2] == 0.0


def test_a_centre_for_other_features_is_refused() -> None:
    with pytest.raises(InputError, match="centre has 5 numbers, but X has 4 features"):
        pw.MemberRegression(pw.StructuredGaussian(1.0, centre=np.ones(5))).fit(
            some_documents(9, 4, 0), [1] * 4 + [0] * 5
        )


def test_texts_about_the_category_count_as_members() -> None:
    X = some_documents(40, 15, 2)
    y = labelled(39, range(5))
    prior = pw.StructuredGaussian(3.0, centre=np.linspace(-1, 1, 15))
    model = pw.MemberRegression(prior, about=X[39], tol=1e-6).fit(X[:39], y)
    expected = reference.ridge(X.toarray(), [*y, 1], 1 / 3.0, np.eye(15), prior.centre)
    np.testing.assert_allclose(model.coef_[0], expected, atol=1e-3)


# Steps


def counted_steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    steps = [0]
    own = RidgeColumns._step

    def step(self: RidgeColumns, *arguments: Any) -> Any:
        steps[0] += 1
        return own(self, *arguments)

    monkeypatch.setattr(RidgeColumns, "_step", step)
    return steps


@pytest.mark.parametrize("centre", [0.0, 0.3])
@pytest.mark.parametrize("one_sided", [False, True])
def test_a_warm_start_finds_the_same_optimum_in_fewer_steps(
    monkeypatch: pytest.MonkeyPatch, centre: float, one_sided: bool
) -> None:
    X, before, after = some_documents(200, 60, 1), labelled(200, range(20)), labelled(200, range(22), [50])
    prior = pw.StructuredGaussian(5.0, centre=centre)
    steps = counted_steps(monkeypatch)

    def fitted(model: pw.MemberRegression) -> tuple[np.ndarray, int]:
        steps[0] = 0
        coef = model.fit(X, after).coef_
        return coef, steps[0]

    details: dict[str, Any] = {"one_sided": one_sided, "tol": 1e-4}
    cold, cold_steps = fitted(pw.MemberRegression(prior, **details))
    warm, warm_steps = fitted(pw.MemberRegression(prior, warm_start=True, **details).fit(X, before))
    np.testing.assert_allclose(warm, cold, atol=1e-3 * np.abs(cold).max())
    assert warm_steps < cold_steps
    anew, anew_steps = fitted(pw.MemberRegression(prior, **details).fit(X, before))
    assert (anew.tobytes(), anew_steps) == (cold.tobytes(), cold_steps)
    other_size = pw.MemberRegression(prior, warm_start=True, **details).fit(X[:100], before[:100]).fit(X, after)
    assert other_size.coef_.tobytes() == cold.tobytes()


# Input


@pytest.mark.parametrize("kind", [pw.MemberFinder, pw.MemberRegression])
def test_any_form_of_input_gives_the_same_weights(kind: Any) -> None:
    X, y = some_documents(40, 12, 3), labelled(40, range(8))
    expected = kind().fit(X, y).coef_.tobytes()
    for other in (X.toarray(), csc_matrix(X), csr_array(X), coo_array(X)):
        assert kind().fit(other, y).coef_.tobytes() == expected
    for labels in (y == 1, y.astype(float), np.where(y == 1, "yes", "no"), y.tolist()):
        assert kind().fit(X, labels).coef_.tobytes() == expected


def test_the_classes_are_those_of_y() -> None:
    X = some_documents(40, 12, 3)
    rejected = np.where(np.arange(40) < 8, 1, -1)
    all_three = labelled(40, range(8), range(30, 40))
    for y, classes in (
        (rejected, [-1, 1]),
        (all_three, [0, 1]),
        (np.where(rejected > 0, "tea", "cow"), ["cow", "tea"]),
    ):
        model = pw.MemberRegression().fit(X, y)
        assert model.classes_.tolist() == classes
        predicted = model.predict(X)
        assert set(predicted.tolist()) <= set(classes)
        np.testing.assert_array_equal(predicted == classes[1], model.decision_function(X) > 0)
        np.testing.assert_array_equal(predicted == classes[1], model.predict_proba(X)[:, 1] > 0.5)


@pytest.mark.parametrize(
    ("y", "says"),
    [
        ([0] * 9, "y has one class, 0"),
        ([1] * 9, "y has one class, 1"),
        ([0] * 5 + [-1] * 4, "y has no members"),
    ],
)
@pytest.mark.parametrize("kind", [pw.MemberFinder, pw.MemberRegression])
def test_it_takes_members_and_other_documents(kind: Any, y: list[int], says: str) -> None:
    with pytest.raises(NotEnoughData, match=says):
        kind().fit(some_documents(9, 4, 0), y)


def test_more_than_two_classes_are_refused() -> None:
    with pytest.raises(ValueError, match="y has 3 classes"):
        pw.MemberRegression().fit(some_documents(9, 4, 0), ["a", "b", "c"] * 3)


TEXTS = ["goal team win", "team match goal", "win match", "match goal", "law vote", "vote court", "tax law"] * 4
IS_SPORT = [True, True, False, False, False, False, False] * 4


def test_words_that_are_spelled_alike_are_kin_in_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    words = ["film", "films", "filmed", "law", "vote"]
    table = pandas.DataFrame(rng.random((30, 5)) * (rng.random((30, 5)) < 0.6), columns=words)
    y = np.arange(30) < 8
    prior = pw.StructuredGaussian(1.0, kinship=0.5)
    by_names = pw.MemberRegression(prior).fit(table, y)
    given_words = pw.MemberRegression(prior, kinship=pw.Spelling.of(words)).fit(table.to_numpy(), y)
    assert by_names.coef_.tobytes() == given_words.coef_.tobytes()
    alone = pw.MemberRegression(prior, kinship=False).fit(table, y)
    assert alone.coef_.tobytes() == pw.MemberRegression(prior).fit(table.to_numpy(), y).coef_.tobytes()
    assert alone.coef_.tobytes() != by_names.coef_.tobytes()
    np.testing.assert_array_equal(by_names.predict(table), given_words.predict(table.to_numpy()))


@pytest.mark.parametrize("estimator", [pw.MemberFinder(), pw.MemberRegression()], ids=lambda each: type(each).__name__)
def test_a_pipeline_from_texts(estimator: Any) -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"text": TEXTS, "sport": IS_SPORT})
    pipeline = make_pipeline(TfidfVectorizer(sublinear_tf=True), clone(estimator))
    pipeline.fit(table["text"], table["sport"])
    best = np.argsort(-pipeline.decision_function(table["text"]), kind="stable")[:16]
    assert {TEXTS[row] for row in best} == {"goal team win", "team match goal", "win match", "match goal"}
    chance = cross_val_predict(pipeline, table["text"], table["sport"], cv=4, method="predict_proba")
    assert chance.shape == (28, 2)
    np.testing.assert_allclose(chance.sum(axis=1), 1.0)
    found = np.mean([chance[row, 1] for row in range(28) if IS_SPORT[row]])
    assert found > 2 * np.mean([chance[row, 1] for row in range(28) if row % 7 >= 4])


def test_priors_can_be_searched_and_copied() -> None:
    X, y = some_documents(60, 20, 4), labelled(60, range(12))
    priors = [pw.StructuredGaussian(v, 0.5, {"labels": 0.25}) for v in (0.01, 1.0)]
    model = pw.MemberRegression(groups={"labels": 2}, kinship=pw.Spelling.of(["goal", "goals"] * 9))
    search = GridSearchCV(model, {"prior": priors}, cv=2, scoring="average_precision").fit(X, y)
    assert search.best_params_["prior"] in priors
    for again in (pickle.loads(pickle.dumps(search.best_estimator_)), copy.deepcopy(search.best_estimator_)):
        assert again.prior == search.best_estimator_.prior
        assert again.decision_function(X).tobytes() == search.best_estimator_.decision_function(X).tobytes()
    with pytest.raises(TypeError):
        priors[0].groups["labels"] = 1.0  # type: ignore[index]


@given(seed=st.integers(0, 2**32 - 1))
def test_weights_are_what_code_after_fitting_reads(seed: int) -> None:
    X = some_documents(20, 9, seed)
    assume(X.nnz > 30)
    model = pw.MemberRegression().fit(X, labelled(20, range(5)))
    weights = model.weights_
    assert np.all(weights.values != 0)
    scores = X.toarray()[:, weights.features] @ weights.values[0] + weights.bias[0]
    np.testing.assert_allclose(scores, model.decision_function(X), atol=1e-9 * (1 + np.abs(weights.bias[0])))
