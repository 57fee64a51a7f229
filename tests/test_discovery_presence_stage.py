"""The choices of a discovery: the paper's procedure, samples, targets, searches."""

from __future__ import annotations

import numpy as np
import pytest
import reference_ranking as reference

import priorwise as pw
from priorwise.cli.names import parse_objective
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.demo import DemoDocument
from priorwise.errors import InputError
from slow_discovery import Sets, check_against_slow, facts_of, presence_of, rows_of


def trials_of(run: Run) -> int:
    """How many pairs of strengths the search looked at."""
    trials = presence_of(run).trials
    assert trials is not None
    return len(trials)


def test_negatives_per_positive_trains_on_the_mean_of_the_samples(
    corpus: Corpus, documents: list[DemoDocument], token_sets: Sets
) -> None:
    run = discover(corpus, "Chess", negatives_per_positive=2.5, seeds=3, seed=4)
    members = rows_of(documents, "Chess")
    others = [row for row in range(400) if row not in members]
    size = round(2.5 * len(members))
    samples = [[token_sets[row] for row in reference.sample(others, size, seed)] for seed in (4, 5, 6)]
    drawn = [tokens for each in samples for tokens in each]
    counted = reference.count([token_sets[m] for m in members], drawn, 1 / 3, collection=token_sets)
    facts = facts_of(run)
    assert facts.seeds == (4, 5, 6)
    assert facts.negatives_per_sample == size
    assert facts.counts == "mean of the samples"
    power = facts.length_power
    scores = [
        reference.s(counted, tokens, run.prior.negative, run.prior.positive) / len(tokens) ** power
        for tokens in token_sets
    ]
    check_against_slow(run, scores, members, [document.id for document in documents])


def test_the_papers_procedure(corpus: Corpus, documents: list[DemoDocument], token_sets: Sets) -> None:
    run = discover(corpus, "Chess", paper=True)
    facts = facts_of(run)
    assert (facts.paper, facts.target, facts.search) == (True, "ppv", "radial")
    assert (facts.seeds, facts.length_powers) == ((0, 1, 2, 3, 4), (0.0,))
    members = rows_of(documents, "Chess")
    assert facts.negatives_per_sample == len(members)
    others = [row for row in range(400) if row not in members]
    negatives = reference.sample(others, len(members), 0)
    counted = reference.count([token_sets[m] for m in members], [token_sets[n] for n in negatives])
    scores = [reference.s(counted, tokens, run.prior.negative, run.prior.positive) for tokens in token_sets]
    check_against_slow(run, scores, members, [document.id for document in documents])

    # Only cells that some climb looked at may win, the mean over the samples decides, sensitivity breaks ties.
    terrain = run.terrain
    looked_at = ~np.isnan(terrain.score)
    assert looked_at.sum() == trials_of(run) < terrain.score.size
    best = max((terrain.score[cell], terrain.sensitivity[cell]) for cell in zip(*np.nonzero(looked_at), strict=True))
    row, column = (int(np.flatnonzero(terrain.grid == x)[0]) for x in (run.prior.negative, run.prior.positive))
    assert (terrain.score[row, column], terrain.sensitivity[row, column]) == pytest.approx(best)


@pytest.mark.parametrize(
    "choice",
    [{"target": pw.PPV()}, {"centre": "uniform"}, {"search": "radial"}, {"negatives_per_positive": 2.0}, {"seeds": 5}],
)
def test_the_papers_procedure_takes_no_other_choice(corpus: Corpus, choice: dict[str, object]) -> None:
    with pytest.raises(InputError, match="paper's procedure fixes"):
        discover(corpus, "Chess", paper=True, **choice)  # type: ignore[arg-type]


TARGETS = {
    "average-precision": pw.AveragePrecision(),
    "ppv": pw.PPV(),
    "ppv:0.5": pw.PPV(floor=0.5),
    "f0.5": pw.FBeta(0.5),
    "f1:corpus": pw.FBeta(1.0, at_corpus_odds=True),
    "ppv@50": pw.PPVAtK(50),
    "log-loss": pw.LogLoss(),
}


@pytest.mark.parametrize("name", TARGETS)
def test_each_target_is_best_at_the_learned_prior(corpus: Corpus, name: str) -> None:
    run = discover(corpus, "Chess", target=TARGETS[name], seeds=1)
    facts = facts_of(run)
    assert facts.target == TARGETS[name].name
    # The learned prior is at least as good as the baseline's by its own objective, which is one of the cells.
    assert facts.learned is not None
    assert facts.laplace is not None
    assert facts.learned.score >= facts.laplace.score
    assert np.nanmax(run.terrain.score) == pytest.approx(facts.learned.score, abs=0.01)
    assert parse_objective(name) == TARGETS[name]


def test_count_targets_are_functions_of_the_terrain(corpus: Corpus) -> None:
    run = discover(corpus, "Chess", target=pw.FBeta(0.5), seeds=2)
    for terrain in presence_of(run).terrains:
        precision = np.divide(terrain.tp, terrain.tp + terrain.fp, out=np.zeros_like(terrain.tp), where=terrain.tp > 0)
        recall = terrain.tp / run.about.members
        expected = np.divide(
            1.25 * precision * recall, 0.25 * precision + recall, out=np.zeros_like(recall), where=recall > 0
        )
        np.testing.assert_allclose(terrain.score, expected, rtol=1e-12)


def test_a_function_of_yours_is_a_target(corpus: Corpus) -> None:
    def gap(y: np.ndarray, scores: np.ndarray) -> float:
        return float(np.median(scores[y]) - np.median(scores[~y]))

    run = discover(corpus, "Chess", target=gap, seeds=1)
    assert facts_of(run).target == "gap"


def test_radial_search_looks_at_fewer_cells(corpus: Corpus) -> None:
    run = discover(corpus, "Chess", centre="uniform")
    radial = discover(corpus, "Chess", search="radial", centre="uniform")
    assert trials_of(radial) < trials_of(run) == 41_209
    climbed, every = facts_of(radial).learned, facts_of(run).learned
    assert climbed is not None
    assert every is not None
    assert climbed.score <= every.score + 0.01
    starts = {(x, y) for x in (1.0, 8.0, 15.0) for y in (1.0, 8.0, 15.0)}
    grid = radial.terrain.grid
    looked_at = presence_of(radial).trials
    assert looked_at is not None
    assert starts <= {*zip(grid[looked_at.rows].tolist(), grid[looked_at.columns].tolist(), strict=True)}


def test_the_seed_changes_the_samples(run: Run, corpus: Corpus) -> None:
    other = discover(corpus, "Chess", seed=10, seeds=2)
    assert facts_of(other).seeds == (10, 11)
    samples = presence_of(run).terrains
    assert not np.array_equal(presence_of(other).terrains[0].fp, samples[0].fp)
    assert np.array_equal(presence_of(discover(corpus, "Chess", seed=1, seeds=1)).terrains[0].fp, samples[1].fp)
    assert other.baseline.ids != run.baseline.ids
