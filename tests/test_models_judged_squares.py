from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, random

from priorwise.errors import InputError
from priorwise.models.regression.judged_squares import RATIOS, USUAL_RATIO, JudgedSquares, learned_at, learned_ratio


def _documents(seed: int, n: int = 40, features: int = 25) -> csr_matrix:
    X = random(n, features, density=0.3, random_state=np.random.default_rng(seed), format="csr")
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    return csr_matrix(X.multiply(1 / np.maximum(lengths, 1e-9)[:, None]))


def _literal(X: csr_matrix, verdicts: dict[int, bool], strength: float, ratio: float, centre: np.ndarray) -> np.ndarray:
    """The normal equations of the weighted problem, in the features."""
    n, members = len(verdicts), sum(verdicts.values())
    rejected = n - members
    if members and rejected:
        unit = n / (members + members / ratio)
        weight = {True: unit, False: unit * members / (ratio * rejected)}
    else:
        # Without a member, rejected documents weigh as they would next to members.
        weight = {True: 1.0, False: 1.0 / (1.0 + ratio)}
    left, right = strength * np.eye(X.shape[1]), strength * centre
    for row, member in verdicts.items():
        x = X[row].toarray().ravel()
        left += weight[member] * np.outer(x, x)
        right += weight[member] * (1.0 if member else -1.0) * x
    return np.linalg.solve(left, right)


verdict_orders = st.lists(st.tuples(st.integers(0, 39), st.booleans()), min_size=1, max_size=90)


@given(
    seed=st.integers(0, 2**32 - 1),
    verdicts=verdict_orders,
    strength=st.sampled_from([0.1, 1.0, 5.0]),
    ratio=st.sampled_from([1.0, 15.0]),
    every=st.integers(1, 30),
    centred=st.booleans(),
)
def test_a_warm_start_ends_where_the_normal_equations_do(
    seed: int, verdicts: list[tuple[int, bool]], strength: float, ratio: float, every: int, centred: bool
) -> None:
    X = _documents(seed)
    centre = np.random.default_rng(seed).normal(size=X.shape[1]) * centred
    learner = JudgedSquares(X, strength=strength, ratio=ratio, centre=centre, tol=1e-6)
    for number, (row, member) in enumerate(verdicts):
        learner.judge(row, member)
        if number % every == 0:
            learner.scores()
    wanted = _literal(X, dict(verdicts), strength, ratio, centre)
    np.testing.assert_allclose(learner.weights(), wanted, atol=2e-4)
    np.testing.assert_allclose(learner.scores(), X @ wanted, atol=5e-4)


def test_members_weigh_as_much_as_was_asked() -> None:
    learner = JudgedSquares(_documents(0), ratio=15.0)
    for row in range(30):
        learner.judge(row, row < 3)
    weights = learner.document_weights()
    assert weights[:3].sum() == pytest.approx(15 * weights[3:].sum(), rel=1e-5)
    assert weights.mean() == pytest.approx(1.0, rel=1e-5)


def test_changing_a_verdict_changes_the_score() -> None:
    learner = JudgedSquares(_documents(1))
    learner.judge(5, True)
    before = learner.scores()[5]
    learner.judge(5, False)
    # Without a member, a rejected document has the small weight that it would have next to members.
    assert learner.scores()[5] < 0 < before


def test_a_support_vector_machine_with_squared_hinge_agrees_inside_its_margin() -> None:
    from sklearn.svm import LinearSVC

    X = _documents(2)
    learner = JudgedSquares(X, strength=5.0, tol=1e-6)
    for row in range(30):
        learner.judge(row, row % 4 == 0)
    machine = LinearSVC(C=1 / (2 * 5.0), fit_intercept=False, tol=1e-9, max_iter=100_000)
    machine.fit(X[:30], np.arange(30) % 4 == 0, sample_weight=learner.document_weights())
    np.testing.assert_allclose(learner.weights(), machine.coef_.ravel(), atol=1e-3)


def test_impossible_settings_are_refused() -> None:
    with pytest.raises(InputError, match="above 0"):
        JudgedSquares(_documents(0), strength=0.0)


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), members=st.integers(5, 12), centred=st.booleans())
def test_the_ratio_is_learned_by_leaving_out_each_judged_document(seed: int, members: int, centred: bool) -> None:
    n, strength, rng = 26, 2.0, np.random.default_rng(seed)
    X, is_member = _documents(seed, n), np.arange(n) < members
    centre = rng.normal(size=X.shape[1]) * centred
    losses = []
    for ratio in RATIOS:
        unit = n / (members + members / ratio)
        weights = np.where(is_member, unit, unit * members / (ratio * (n - members)))
        scores = []
        for row in range(n):
            left, right = strength * np.eye(X.shape[1]), strength * centre
            for other in set(range(n)) - {row}:
                x = X[other].toarray().ravel()
                left += weights[other] * np.outer(x, x)
                right += weights[other] * (1.0 if is_member[other] else -1.0) * x
            scores.append(X[row].toarray().ravel() @ np.linalg.solve(left, right))
        above = [sum(scores[other] > scores[row] for other in range(members, n)) for row in range(members)]
        losses.append(sum(np.log1p(above)))
    shares = np.exp(-np.array(losses))
    wanted = np.exp(shares @ np.log(RATIOS) / shares.sum())
    targets = np.where(is_member, 1.0, -1.0) - X @ centre
    assert learned_ratio((X @ X.T).toarray(), targets, is_member, strength=strength) == pytest.approx(wanted, rel=1e-6)
    learner = JudgedSquares(X, strength=strength, centre=centre)
    for row in range(n):
        learner.judge(row, bool(is_member[row]))
    found = learner.document_weights()
    assert found[:members].sum() / found[members:].sum() == pytest.approx(wanted, rel=1e-3)


def test_the_ratio_is_the_usual_one_until_there_is_enough_to_learn_from() -> None:
    few = np.arange(30) < 4
    assert learned_ratio(np.eye(30), np.where(few, 1.0, -1.0), few, strength=2.0) == USUAL_RATIO
    assert [learned_at(judged) for judged in (19, 20, 25, 26, 10_000)] == [0, 20, 20, 26, 212]
