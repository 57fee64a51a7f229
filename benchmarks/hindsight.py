"""The most that any pair of strengths could have found: chosen on the hidden members themselves.

    .venv/bin/python benchmarks/hindsight.py ohsumed.corpus

No method may choose like this; it bounds what choosing better could still gain.
"""

from __future__ import annotations

import sys

import numpy as np
from measure import table

from priorwise.corpus import Corpus
from priorwise.discovery.hidden import LaplaceBaseline, LearnedPrior, eligible_labels, split_members
from priorwise.discovery.presence_stage import Procedure, draw_training
from priorwise.engines.engine import Local
from priorwise.models.naive_bayes.terrain import COARSE, length_divisor
from priorwise.models.weights import Weights
from priorwise.priors import PseudoCounts
from priorwise.ranking.metrics import ppv_at
from priorwise.ranking.scorer import Scorer

POWERS = (0.0, 0.5, 1.0)


def main() -> None:
    corpus = Corpus.open(sys.argv[1])
    length = np.concatenate([np.diff(batch.offsets) for batch in corpus.batches()])
    nothing = np.empty(0, dtype=np.int64)
    hindsight = "the best pair in hindsight, uniform centre"
    figures: dict[str, list[float]] = {"Laplace": [], "learned, collection": [], "learned, uniform": [], hindsight: []}
    for label in eligible_labels(corpus):
        known, hidden = split_members(corpus, label, hide=0.5, seed=0)
        candidates = np.setdiff1d(np.arange(corpus.n_documents), known)
        relevant = np.isin(candidates, hidden)

        def ppv(scores: np.ndarray, candidates: np.ndarray = candidates, relevant: np.ndarray = relevant) -> float:
            return ppv_at(relevant[np.argsort(-scores[candidates], kind="stable")], 250)

        figures["Laplace"].append(ppv(LaplaceBaseline().scores(corpus, known, label)))
        for centre in ("collection", "uniform"):
            learned = LearnedPrior("learned", Procedure.ours(centre=centre))
            figures[f"learned, {centre}"].append(ppv(learned.scores(corpus, known, label)))
        training = draw_training(corpus, known, nothing, seeds=[0])
        best = 0.0
        for negative in COARSE[::2]:
            for positive in COARSE[::2]:
                own = training.mean_counts().weights(PseudoCounts(negative, positive))
                scores = Local().score_corpus(corpus, Scorer(Weights(training.features, own.values, own.bias)))
                best = max(best, *(ppv(scores / length_divisor(length, power)) for power in POWERS))
        figures[hindsight].append(best)
    base = np.mean(figures["Laplace"])
    table(
        [f"{len(figures['Laplace'])} categories", "mean PPV@250", "× Laplace"],
        [[name, f"{np.mean(values):.3f}", f"{np.mean(values) / base:.2f}"] for name, values in figures.items()],
    )


if __name__ == "__main__":
    main()
