"""The finder: settings are weighed by the ranks of left-out members, and averaged."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, hstack, identity, vstack
from sklearn.utils.estimator_checks import parametrize_with_checks

import priorwise as pw
import reference_members as reference
from priorwise.errors import InputError, NotEnoughData
from priorwise.models.regression.member_regression import Design, Known
from priorwise.models.regression.member_trials import FOLDS, FOLDS_OF_MANY, Setting, draw_folds
from test_models_ridge_columns import some_documents


class Traits:
    """Kinship that is given."""

    def __init__(self, traits: csr_matrix) -> None:
        self.matrix = traits

    def traits(self, features: np.ndarray, X: Any) -> csr_matrix:
        return self.matrix[features]


@parametrize_with_checks([pw.MemberFinder()])
def test_scikit_learn_accepts_it(estimator: Any, check: Any) -> None:
    check(estimator)


def hyper(*variances: float, believed: tuple[int, ...] = ()) -> pw.HyperPrior:
    """Try these variances, times the number of documents, and these numbers of provisional members."""
    return pw.HyperPrior(variance=1.0, growth=0.0, small=0, steps=variances, believed=believed)


def labelled(n: int, known: Any, rejected: Any = ()) -> np.ndarray:
    y = np.zeros(n, np.int64)
    y[list(known)], y[list(rejected)] = 1, -1
    return y


def expected_shares(finder: pw.MemberFinder) -> np.ndarray:
    values = np.array([each.value for each in finder.tried_])
    shares = np.exp(values - values.max())
    return shares / shares.sum()


@pytest.mark.parametrize("n_known", [3, 7])
@pytest.mark.parametrize("rejected", [[], [31, 32]])
def test_settings_are_weighed_by_the_ranks_of_left_out_members(n_known: int, rejected: list[int]) -> None:
    X, traits = some_documents(60, 25, 4), some_documents(25, 9, 5)
    known = list(range(0, 5 * n_known, 5))
    finder = pw.MemberFinder(
        hyperprior=hyper(30.0, 300.0, 3000.0, believed=(4, 9)), kinship=Traits(traits), seed=2, tol=1e-4
    ).fit(X, labelled(60, known, rejected))
    fold = np.random.default_rng(2).permutation(n_known) % min(FOLDS, n_known)

    def ranks(setting: Setting) -> list[int]:
        S = reference.covariance(25, traits.toarray(), setting.prior.kinship)
        own = (setting.prior.variance, setting.believed, S)
        return reference.left_out_ranks(X.toarray(), known, fold.tolist(), rejected, *own)

    tried = [each.setting for each in finder.tried_]
    first = [Setting(pw.StructuredGaussian(v / 60, k)) for k in (0.0, 0.5) for v in (30.0, 300.0, 3000.0)]
    assert tried[:6] == first
    best = max((ranks(setting) for setting in first), key=reference.rank_value)
    assert finder.horizon_ == pytest.approx(5 * pw.LeftOutRanks().most_missing(np.array(best)) + 50)
    for each in finder.tried_:
        if not each.setting.one_sided:
            # Two documents that all but tie may change places.
            expected = reference.rank_value(ranks(each.setting), finder.horizon_)
            assert each.value == pytest.approx(expected, abs=0.3)
            assert each.typical_rank == pytest.approx(np.exp(-each.value / n_known) - 9)
    np.testing.assert_allclose([each.share for each in finder.tried_], expected_shares(finder))

    values = np.array([each.value for each in finder.tried_[:6]])
    ordered = [first[place] for place in np.argsort(-values, kind="stable")]
    assert tried[6:8] == [replace(setting, one_sided=True) for setting in ordered[:2]]
    assert tried[8:] == [replace(setting, believed=k) for k in (4, 9) for setting in ordered[:3]]
    assert finder.best_prior_ == max(finder.tried_, key=lambda each: each.share).setting.prior


@pytest.mark.parametrize("n_known", [3, 12, 100])
def test_fewer_members_get_a_stronger_prior(n_known: int) -> None:
    X, known = some_documents(150, 20, n_known), np.arange(n_known)
    design = Design.of(X, None, {}, None, None)
    trials = design.trials(Known.of(labelled(150, known)), pw.HyperPrior(), draw_folds(n_known, 1), 1e-5)
    (trial,) = trials.solve([Setting(pw.StructuredGaussian(200 / 150))])
    for left_out in range(trials.width):
        rest = known[trials.fold != left_out]
        variance = 200 / 150 * (len(rest) / n_known) ** reference.FEWER
        expected = reference.setting_scores(X.toarray(), rest.tolist(), [], variance, 0)
        np.testing.assert_allclose(trial.scores[:, left_out], expected, atol=1e-3)


def test_the_weights_are_the_average_of_the_settings_in_units_of_their_spread() -> None:
    X, traits = some_documents(80, 30, 9), some_documents(30, 9, 5)
    known, rejected = list(range(0, 30, 5)), [40]
    finder = pw.MemberFinder(hyperprior=hyper(100.0, 1000.0, believed=(6,)), kinship=Traits(traits), tol=1e-4)
    finder.fit(X, labelled(80, known, rejected))
    expected = np.zeros(80)
    for each in finder.tried_:
        prior = each.setting.prior
        S = reference.covariance(30, traits.toarray(), prior.kinship)
        if each.setting.one_sided:
            root = np.linalg.cholesky(S)

            def loss(v: np.ndarray, root: np.ndarray = root, strength: float = 1 / prior.variance) -> float:
                return reference.one_sided_loss(X @ root, known, strength, np.eye(30), v)

            scores = X @ (root @ minimize(loss, np.zeros(30)).x)
        else:
            scores = reference.setting_scores(X.toarray(), known, rejected, prior.variance, each.setting.believed, S)
        expected += each.share * scores / scores.std()
    np.testing.assert_allclose(X @ finder.coef_[0], expected, atol=0.05)
    candidates = np.setdiff1d(np.arange(80), [*known, *rejected])
    assert len(finder.left_out_scores_) == len(known)
    assert np.all((finder.left_out_ranks_ >= 1) & (finder.left_out_ranks_ <= len(candidates) + 1))
    chance = finder.predict_proba(X[candidates])[:, 1]
    assert chance.sum() == pytest.approx(finder.missing_.expected, rel=0.01)


def test_a_text_about_the_category_is_never_left_out_and_counts_only_where_it_is_tried() -> None:
    X = some_documents(50, 20, 3)
    dense, known = X.toarray(), np.arange(0, 20, 4)
    finder = pw.MemberFinder(hyperprior=hyper(300.0), about=X[49], tol=1e-4).fit(X[:49], labelled(49, known))
    fold = np.random.default_rng(0).permutation(5) % 5
    for each in finder.tried_:
        if each.setting.one_sided:
            continue
        described = each.setting.described
        rows = dense if described else dense[:49]
        ranks = []
        for left_out in range(5):
            rest = known[fold != left_out].tolist() + [49] * described
            # The strength is that of all 50 rows in both.
            scores = reference.setting_scores(rows, rest, [], 300 / 50 * 0.8**reference.FEWER, 0)
            others = [scores[d] for d in range(49) if d not in known]
            ranks += [int(np.sum(others >= scores[d])) + 1 for d in known[fold == left_out]]
        # A text is worth e times as much before any member is left out.
        assert each.value == pytest.approx(reference.rank_value(ranks, finder.horizon_) + described, abs=0.1)
    assert {each.setting.described for each in finder.tried_} == {False, True}
    np.testing.assert_allclose([each.share for each in finder.tried_], expected_shares(finder))


def test_a_text_without_a_known_word_is_not_used() -> None:
    X, y = some_documents(40, 12, 1), labelled(40, range(6))
    plain = pw.MemberFinder().fit(X, y)
    beyond = csr_matrix(([1.0], ([0], [11])), shape=(1, 12))
    X.data[X.indices == 11] = 0.0
    X.eliminate_zeros()
    without = pw.MemberFinder().fit(X, y)
    silent = pw.MemberFinder(about=beyond).fit(X, y)
    assert silent.coef_.tobytes() == without.coef_.tobytes()
    assert silent.coef_.tobytes() != plain.coef_.tobytes()


def test_other_groups_of_features_count_if_members_are_found_better() -> None:
    rng = np.random.default_rng(3)
    words, belongs = some_documents(80, 25, 3), np.zeros((80, 2))
    belongs[:16, 0] = belongs[rng.permutation(80)[:20], 1] = 1.0
    X = hstack([words, csr_matrix(belongs)]).tocsr()
    known = list(range(0, 16, 2))
    finder = pw.MemberFinder(hyperprior=hyper(300.0), groups={"labels": 2}, tol=1e-5).fit(X, labelled(80, known))
    fold = np.random.default_rng(0).permutation(8) % FOLDS
    variances = [each.setting.prior.groups.get("labels", 0.0) for each in finder.tried_]
    for each, variance in zip(finder.tried_, variances, strict=True):
        if not each.setting.one_sided:
            S = reference.covariance(27, None, 0.0, [(2, variance)])
            ranks = reference.left_out_ranks(X.toarray(), known, fold.tolist(), [], 300 / 80, 0, S)
            # Another group of features has odds of e⁻² before any member is left out.
            expected = reference.rank_value(ranks, finder.horizon_) - 2 * (variance > 0)
            assert each.value == pytest.approx(expected, abs=0.3)
    assert variances[:4] == [0.0, 1 / 16, 1 / 4, 1.0]
    np.testing.assert_allclose([each.share for each in finder.tried_], expected_shares(finder))
    assert sum(each.share for each, variance in zip(finder.tried_, variances, strict=True) if variance) > 0.9
    assert finder.coef_[0, 25] > 0.5
    assert set(np.argsort(-finder.decision_function(X))[:16]) == set(range(16))


def test_vectors_are_a_group_that_counts_if_members_are_found_better() -> None:
    rng = np.random.default_rng(3)
    words, members = some_documents(80, 30, 3), np.arange(80) < 20
    # What the vectors tell, no word tells; other labels tell nothing.
    vectors = rng.normal(size=(80, 16)) + 3.0 * members[:, None]
    labels = csr_matrix((rng.random((80, 4)) < 0.1).astype(float))
    y = labelled(80, range(0, 20, 2))
    X = hstack([words, labels, csr_matrix(vectors)], format="csr")
    finder = pw.MemberFinder(groups={"labels": 4, "vectors": 16}).fit(X, y)
    assert sum(each.share for each in finder.tried_ if each.setting.prior.groups.get("vectors")) > 0.9
    assert np.argsort(-finder.decision_function(X))[:20].max() < 20
    assert "with vectors" in max(finder.tried_, key=lambda each: each.share).setting.in_words()
    alone = pw.MemberFinder().fit(words, y)
    assert np.argsort(-alone.decision_function(words))[:20].max() >= 20


def test_groups_larger_than_the_input_are_refused() -> None:
    with pytest.raises(InputError, match="the groups have 9 features, but X has only 4"):
        pw.MemberFinder(groups={"labels": 9}).fit(some_documents(9, 4, 0), labelled(9, [1, 2]))


def test_members_far_beyond_the_category_all_cost_the_same() -> None:
    # Each document has a word of its own, so none is a copy of another.
    X = hstack([csr_matrix(np.repeat(np.eye(3), [20, 3, 4000], axis=0)), identity(4023)], format="csr")
    y = labelled(4023, [0, 1, 2, 3, 4, 5, 20, 21])
    finder = pw.MemberFinder(hyperprior=pw.HyperPrior(believed=())).fit(X, y)
    # Rows 20 and 21 look like nobody but each other, and one of them may be left out alone.
    assert finder.horizon_ < 300
    assert max(each.typical_rank for each in finder.tried_) <= finder.horizon_


@given(
    ranks=st.lists(st.integers(1, 5000), min_size=1, max_size=40),
    horizon=st.one_of(st.just(np.inf), st.floats(1, 5000)),
)
def test_the_objective_is_the_formula(ranks: list[int], horizon: float) -> None:
    target, given_ranks = pw.LeftOutRanks(), np.array(ranks)
    assert target.value(given_ranks, horizon) == pytest.approx(reference.rank_value(ranks, horizon))
    ordered, n = sorted(ranks), len(ranks)
    most = min(rank * (n + 1) / place for place, rank in enumerate(ordered, 1) if place > 0.1 * n)
    assert target.most_missing(given_ranks) == pytest.approx(most)
    assert target.horizon(given_ranks) == pytest.approx(5 * most + 50)
    typical = target.typical_rank(target.value(given_ranks), n)
    assert min(ranks) - 1e-6 <= typical <= max(ranks) + 1e-6


def test_many_members_are_left_out_by_thirds() -> None:
    folds = [draw_folds(n, 0) for n in (2, 4, 5, 99, 100)]
    assert [int(fold.max()) + 1 for fold in folds] == [2, 4, FOLDS, FOLDS, FOLDS_OF_MANY]
    assert all(np.ptp(np.bincount(fold)) <= 1 for fold in folds)


def test_the_variances_follow_the_number_of_members() -> None:
    X = some_documents(90, 40, 1)
    for n_known in (4, 20):
        finder = pw.MemberFinder().fit(X, labelled(90, range(n_known)))
        usual = 400 * (n_known / 5) ** 0.6 / 10_000
        tried = {round(each.setting.prior.variance / usual, 9) for each in finder.tried_}
        assert tried == {0.125, 0.5, 2.0, 8.0}


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_order_of_the_documents_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = some_documents(60, 25, 7), labelled(60, range(8), [20, 21])
    finder = pw.MemberFinder(tol=1e-5).fit(X, y)
    # Which members are left out together follows their order, so they keep it.
    order = np.concatenate([np.arange(8), 8 + rng.permutation(52)])
    again = pw.MemberFinder(tol=1e-5).fit(X[order], y[order])
    np.testing.assert_allclose(again.coef_, finder.coef_, atol=1e-2 * np.abs(finder.coef_).max())
    np.testing.assert_array_equal(again.left_out_ranks_, finder.left_out_ranks_)


def test_documents_without_words() -> None:
    finder = pw.MemberFinder().fit(csr_matrix((8, 3)), labelled(8, [0, 1]))
    assert not finder.coef_.any()
    chance = finder.predict_proba(csr_matrix((2, 3)))
    assert np.all((chance >= 0) & (chance <= 1))
    assert np.isfinite(finder.decision_function(csr_matrix((2, 3)))).all()


def test_threads_change_nothing() -> None:
    X, y = some_documents(90, 40, 1), labelled(90, range(8))
    one, three = (pw.MemberFinder(threads=threads).fit(X, y) for threads in (1, 3))
    assert one.coef_.tobytes() == three.coef_.tobytes()
    assert one.left_out_scores_.tobytes() == three.left_out_scores_.tobytes()
    assert one.calibration_ == three.calibration_


def test_nearly_all_others_may_be_rejected() -> None:
    X = some_documents(40, 15, 2)
    finder = pw.MemberFinder().fit(X, labelled(40, range(6), range(6, 38)))
    assert np.all(np.isfinite(finder.coef_))
    assert all(each.setting.believed == 0 for each in finder.tried_)


def test_progress_rises_to_the_end() -> None:
    told: list[float] = []
    X = vstack([some_documents(50, 20, 3)])
    groups: dict[str, Any] = {"groups": {"labels": 2}, "about": X[0]}
    pw.MemberFinder(progress=told.append, **groups).fit(X.tocsr(), labelled(50, range(6)))
    assert told == sorted(told)
    assert told[-1] == 1.0


def two_topics(n: int = 120, seed: int = 0) -> tuple[csr_matrix, np.ndarray]:
    """Documents of 40 words; the first sixth holds words 0 to 5 more often."""
    rng = np.random.default_rng(seed)
    rates = np.full((n, 40), 0.15)
    rates[: n // 6, :6] = 0.6
    X = (rng.random((n, 40)) < rates) * rng.random((n, 40))
    return csr_matrix(X), np.arange(n) < n // 6


def knows(*words: int) -> np.ndarray:
    row = np.zeros(40)
    row[list(words)] = 1.0
    return row


def share_found(scores: np.ndarray, is_member: np.ndarray, known: np.ndarray) -> float:
    order = [row for row in np.argsort(-scores, kind="stable") if row not in set(known.tolist())]
    wanted = int(is_member.sum()) - len(known)
    return float(is_member[order[:wanted]].mean())


def test_knowledge_alone_finds_members() -> None:
    X, is_member = two_topics()
    finder = pw.MemberFinder(knowledge=knows(0, 1, 2)).fit(X, np.zeros(120, int))
    scores = X @ finder.coef_[0]
    assert share_found(scores, is_member, np.empty(0, int)) > 2 / 6
    # Words that nobody named are learned from the candidates that fit.
    assert finder.coef_[0, 3:6].mean() > finder.coef_[0, 6:].mean()
    assert finder.missing_ is None
    with pytest.raises(NotEnoughData, match="nothing to learn probabilities from"):
        finder.predict_proba(X)


def test_one_member_is_enough_and_none_without_words_is_not() -> None:
    X, is_member = two_topics()
    y = np.zeros(120, int)
    y[3] = 1
    finder = pw.MemberFinder().fit(X, y)
    assert share_found(X @ finder.coef_[0], is_member, np.array([3])) > 0.3
    with pytest.raises(NotEnoughData):
        pw.MemberFinder().fit(X, np.zeros(120, int))
    with pytest.raises(NotEnoughData, match="words or a description"):
        pw.MemberFinder(knowledge=np.zeros(40)).fit(X, np.zeros(120, int))


@pytest.mark.parametrize("n_known", [0, 1, 6])
def test_what_knowledge_brought_and_what_documents_added_are_the_weights(n_known: int) -> None:
    X, _ = two_topics()
    y = np.zeros(120, int)
    y[:n_known] = 1
    knowledge = knows(0, 1) - knows(30)
    finder = pw.MemberFinder(knowledge=knowledge).fit(X, y)
    brought = finder.from_prior_
    np.testing.assert_allclose(brought, brought[0] * knowledge)
    assert brought[0] > 0
    shares = sum(each.share for each in finder.tried_ if each.setting.knowledge)
    assert 0 < shares <= 1
    alone = pw.MemberFinder().fit(X, y) if n_known > 1 else None
    assert alone is None or not alone.from_prior_.any()


def test_a_trial_mixed_with_knowledge_is_the_sum_of_both_in_units_of_their_spread() -> None:
    X, _ = two_topics()
    known = Known.of((np.arange(120) < 8).astype(int))
    design = Design.of(X, None, {}, None, None)
    row = knows(0, 1)
    trials = design.trials(known, pw.HyperPrior(), draw_folds(8, 0), 1e-4, known_scores=design.score(row))
    (plain,) = trials.solve([Setting(pw.StructuredGaussian(0.02))])
    mixed = trials.mix(plain, 0.3)
    s = X @ row
    expected = 0.3 * (s / s.std())[:, None] + 0.7 * plain.scores / plain.scores.std(axis=0)
    np.testing.assert_allclose(mixed.scores, expected, atol=1e-4)
    weights = design.weights(trials, [mixed], np.ones(1)) + 0.3 / trials.known_spread * row
    np.testing.assert_allclose(X @ weights, mixed.scores[:, -1], atol=2e-3)


def test_wrong_knowledge_does_little_harm_with_many_members() -> None:
    X, is_member = two_topics(600, 1)
    known = np.arange(0, 100, 2)
    y = np.zeros(600, int)
    y[known] = 1
    right = share_found(X @ pw.MemberFinder().fit(X, y).coef_[0], is_member, known)
    wrong = share_found(X @ pw.MemberFinder(knowledge=knows(30, 31, 32)).fit(X, y).coef_[0], is_member, known)
    assert wrong >= right - 0.05


def test_small_corpora_have_the_variances_of_larger_ones() -> None:
    usual = pw.HyperPrior()
    assert usual.usual_variance(5, 300) == usual.usual_variance(5, usual.small) > usual.usual_variance(5, 20_000)
