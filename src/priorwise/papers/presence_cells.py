"""What the presence experiment measures: a category, half of it hidden, ranked by each method."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorwise.corpus import Corpus
from priorwise.discovery.hidden import NONE, Auto, LaplaceBaseline, split_members
from priorwise.discovery.learning import Procedure, learn
from priorwise.engines.engine import Local
from priorwise.ranking.metrics import average_precision, ppv_at

METHODS = {
    "laplace": "Laplace's prior, the baseline",
    "paper": "the paper's procedure",
    "learned": "learned for average precision",
    "auto": "the regression, today's default",
}

KS = (1, 2, 5, 10, 20, 50, 100, 250)
FEWEST = 100
MOST = 12


def categories(corpus: Corpus, most: int) -> list[str]:
    """Names of categories with at least 100 members, evenly over their sizes."""
    sizes = corpus.label_sizes()
    pairs = zip(sizes["documents"].to_pylist(), sizes["label"].to_pylist(), strict=True)
    large = sorted((size, label) for size, label in pairs if FEWEST <= size < 0.6 * corpus.n_documents)
    places = np.unique(np.linspace(0, max(0, len(large) - 1), min(most, len(large))).round().astype(int))
    return [large[place][1] for place in places]


def judge(corpus: Corpus, label: str, method: str) -> dict[str, Any]:
    """Hide half of a category, rank all other documents, and see where the hidden members are."""
    known, hidden = split_members(corpus, label, hide=0.5, seed=0)
    strengths = None
    if method in ("paper", "learned"):
        learned = learn(corpus, known, NONE, Procedure.paper() if method == "paper" else Procedure.ours())
        strengths = [learned.choice.prior.negative, learned.choice.prior.positive]
        scores = Local().score_corpus(corpus, learned.model.scorer_for(learned.training.features))
    else:
        ranker = LaplaceBaseline() if method == "laplace" else Auto()
        scores = ranker.scores(corpus, known, label)
    candidates = np.setdiff1d(np.arange(corpus.n_documents), known)
    relevant = np.isin(candidates, hidden)[np.argsort(-scores[candidates], kind="stable")]
    return {
        "members": len(known) + len(hidden),
        "ppv": [ppv_at(relevant, k) for k in KS],
        "average precision": average_precision(relevant),
        "strengths": strengths,
    }


def terrain(corpus: Corpus, label: str, target: Any, every: int) -> dict[str, Any]:
    """The mean of a target over all pairs of strengths, imagined documents holding every token; some of the grid."""
    known, _ = split_members(corpus, label, hide=0.5, seed=0)
    procedure = Procedure(target, negatives_per_positive=1.0, length_powers=(0.0,), centre="uniform")
    choice = learn(corpus, known, NONE, procedure).choice
    grid, values = choice.terrains[0].grid, np.mean([each.score for each in choice.terrains], axis=0)
    places = np.unique(np.concatenate([np.arange(4), np.arange(4, len(grid), every), [len(grid) - 1]]))
    return {
        "grid": grid[places].tolist(),
        "values": values[np.ix_(places, places)].tolist(),
        "best": [choice.prior.positive, choice.prior.negative],
        "sensitivity": choice.sensitivity,
    }
