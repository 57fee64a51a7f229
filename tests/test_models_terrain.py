"""The chosen prior is the best one, by looking at all of them."""

from __future__ import annotations

import numpy as np
import pytest
from reference import average_precision

from priorwise.models.naive_bayes.presence_leave_one_out import PAPER_GRID, LeaveOneOut
from priorwise.models.naive_bayes.terrain import LENGTH_POWERS, Survey, choose_prior, score_of
from priorwise.priors import PseudoCounts
from priorwise.search import PPV, AveragePrecision, FBeta, FromCounts, FromScores, LogLoss, PPVAtK
from test_models_presence_leave_one_out import as_cases, random_cases


def samples(seeds, **options):
    made = []
    for seed in seeds:
        documents, labels, n_tokens = random_cases(seed, **options)
        cases = as_cases(documents, labels)
        made.append(LeaveOneOut(cases, cases.count(n_tokens)))
    return made


def cell_by_cell(loo, negative_weight, length_power=0.0):
    """Average precision as any function of scores, which is not binned."""

    class OneByOne(AveragePrecision, listed=False):
        def everywhere(self, cells):
            return None

    return Survey(loo, OneByOne(), PAPER_GRID, negative_weight, length_power)


@pytest.mark.parametrize("target", [PPV(), PPV(floor=0.5), FBeta(0.5), FBeta(1.0, at_corpus_odds=True)])
def test_exhaustive_search_of_counts_finds_the_best_mean(target):
    loos = samples([0, 1, 2], n=60)
    choice = choose_prior(loos, target, grid=PAPER_GRID, negative_weight=3.0)
    mean = np.mean([terrain.score for terrain in choice.terrains], axis=0)
    assert choice.score == mean.max()
    assert len(choice.trials) == 41209
    assert score_of(loos, target, choice.prior, negative_weight=3.0)[0] == pytest.approx(choice.score)
    sensitivity = np.mean([terrain.sensitivity for terrain in choice.terrains], axis=0)
    assert choice.sensitivity == pytest.approx(sensitivity[mean == mean.max()].max())


@pytest.mark.parametrize("length_power", [0.0, 0.5, 1.0])
def test_binned_average_precision_is_close_to_the_exact_one(length_power):
    loo = samples([5], n=300)[0]
    binned = Survey(loo, AveragePrecision(), PAPER_GRID, 10.0, length_power).score
    random = np.random.default_rng(0)
    rows, columns = random.integers(0, 203, size=(2, 40))
    exact = cell_by_cell(loo, 10.0, length_power).values(np.column_stack([rows, columns]))[:, 0]
    np.testing.assert_allclose(binned[rows, columns], exact, atol=5e-3)
    terms = loo.terms(PAPER_GRID)
    divisor = np.maximum(loo.cases.length, 1) ** length_power
    scores = (terms.positive[:, columns[0]] - terms.negative[:, rows[0]]) / divisor
    slow = average_precision(scores.tolist(), loo.cases.positive.tolist(), 10.0)
    assert exact[0] == pytest.approx(slow)


def test_the_average_precision_of_the_choice_is_the_best_to_the_bins_precision():
    loo = samples([6], n=60)[0]
    choice = choose_prior([loo], AveragePrecision(), grid=PAPER_GRID, negative_weight=5.0)
    rows, columns = np.indices((203, 203)).reshape(2, -1)
    every = cell_by_cell(loo, 5.0).values(np.column_stack([rows, columns]))[:, 0]
    chosen = score_of([loo], AveragePrecision(), choice.prior, negative_weight=5.0)[0]
    assert chosen >= every.max() - 5e-3


@pytest.mark.parametrize("target", [LogLoss(), PPVAtK(5), FromScores(lambda y, s: np.tanh(s[y]).mean())])
def test_other_targets_of_scores_climb_from_the_best_coarse_cell(target):
    loos = samples([7, 8], n=50)
    choice = choose_prior(loos, target, grid=PAPER_GRID)
    mean = np.mean([terrain.score for terrain in choice.terrains], axis=0)
    assert choice.score == np.nanmax(mean)
    assert np.isnan(mean).any()
    assert len(choice.trials) == np.count_nonzero(~np.isnan(mean)) >= 576
    row, column = choice.paths[0][0][-1]
    around = mean[max(0, row - 2) : row + 3, max(0, column - 2) : column + 3]
    assert mean[row, column] == around.max() == choice.score
    assert score_of(loos, target, choice.prior)[0] == pytest.approx(choice.score)


@pytest.mark.parametrize("target", [PPV(), LogLoss()])
def test_radial_search_averages_over_the_samples_every_pair_explored_under_any(target):
    loos = samples([9, 10], n=50)
    choice = choose_prior(loos, target, grid=PAPER_GRID, search="radial")
    explored = {(trial.row, trial.column) for trial in choice.trials}
    assert len(choice.paths) == 2
    assert [len(paths) for paths in choice.paths] == [9, 9]
    for row, column in [(3, 3), (10, 17)]:
        assert (row, column) in explored
    for terrain in choice.terrains:
        assert {tuple(cell) for cell in np.argwhere(~np.isnan(terrain.score)).tolist()} == explored
    trial = max(choice.trials, key=lambda trial: trial.score)
    assert choice.score == trial.score
    prior = PseudoCounts(PAPER_GRID[trial.row], PAPER_GRID[trial.column])
    assert score_of(loos, target, prior)[0] == pytest.approx(trial.score)


def test_length_power_is_the_one_with_the_best_average_precision():
    documents, labels, n_tokens = random_cases(11, n=200)
    # Long documents of the negative class, so that length misleads plain scores.
    random = np.random.default_rng(0)
    documents = [
        d if y else d | frozenset(random.choice(n_tokens, size=40, replace=False).tolist())
        for d, y in zip(documents, labels, strict=True)
    ]
    cases = as_cases(documents, labels)
    loo = LeaveOneOut(cases, cases.count(n_tokens))
    choice = choose_prior([loo], FBeta(0.5), grid=PAPER_GRID, length_powers=LENGTH_POWERS)
    values = {
        power: score_of([loo], AveragePrecision(), choice.prior, length_power=power)[0] for power in LENGTH_POWERS
    }
    assert values[choice.length_power] == max(values.values())


def test_a_degenerate_optimum_is_said():
    loos = samples([12], n=120)
    choice = choose_prior(loos, FromCounts(lambda tp, fp, p, n: (tp > 0) / (1 + tp + 2 * fp)), grid=PAPER_GRID)
    assert choice.sensitivity < 0.1
    assert "degenerate optimum" in choice.remark
    flat = choose_prior(loos, FromCounts(lambda tp, fp, p, n: np.zeros_like(tp)), grid=PAPER_GRID)
    assert "do not tell them apart" in flat.remark
    assert flat.sensitivity == flat.terrains[0].sensitivity.max()
    edge = choose_prior(loos, FromCounts(lambda tp, fp, p, n: -fp + 0 * tp), grid=np.array([0.5, 1.0, 2.0]))
    assert "end of the grid" in edge.remark


def test_unknown_search_is_refused():
    with pytest.raises(ValueError, match="no search 'random'; there are 'exhaustive' and 'radial'"):
        choose_prior(samples([0], n=20), PPV(), grid=PAPER_GRID, search="random")


def test_a_given_prior_is_taken_as_it_is():
    loos = samples([13, 14], n=60)
    given = PseudoCounts(3.25, 0.7)
    choice = choose_prior(loos, FBeta(0.5), grid=PAPER_GRID, given=given, length_powers=LENGTH_POWERS)
    assert choice.prior == given
    assert choice.score == score_of(loos, FBeta(0.5), given)[0] < max(choice.trials.score)
    assert "given, not learned" in choice.remark
