"""The default of discovery: presence naive Bayes looks at all documents, a regression at those that matter."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.discovery.membership_model import MembershipModel
from priorwise.discovery.other_labels import LabelWeights, beside, other_labels
from priorwise.discovery.spelling import spelling
from priorwise.discovery.vectors import document_vectors, rarity, with_description
from priorwise.engines.engine import Engine, Local
from priorwise.models.membership import Membership, learn_membership
from priorwise.models.weights import Weights
from priorwise.ranking.calibrate import Calibration
from priorwise.ranking.missing import Missing, calibrate_by_moments, estimate_missing
from priorwise.ranking.scorer import Scorer, Top, best_first
from priorwise.ranking.vector_scorer import VectorScorer

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

READ_AT_MOST = 65_536
"""How many documents the regression reads: all of a corpus up to this size, else half of them at random and half by
the first stage."""

DESCRIBED_UP_TO = 100
"""With more members than this, a text about the category is one of many and says nothing new."""


@dataclass(frozen=True)
class Regressed:
    """What the second stage learned, and the scores it gives to every document of the corpus."""

    learned: Membership
    model: MembershipModel
    scores: Floats
    missing: Missing
    read: int
    described: bool

    def top(self, skip: NDArray[np.bool_], top: int) -> Top:
        """The best candidates; those that are more likely members than not are predicted positive."""
        may = np.flatnonzero(~skip)
        best = may[np.argpartition(-self.scores[may], top)[:top]] if top < len(may) else may
        # Equals at the end of the list stand in the order of the corpus, too.
        if top < len(may):
            best = may[self.scores[may] >= self.scores[best].min()]
        documents, scores = best_first(self.scores[best], best, top)
        likely = int(np.count_nonzero(self.model.calibration.probability(self.scores[may]) > 0.5))
        return Top(documents, scores, likely)

    def describe(self) -> dict[str, Any]:
        """What `run.json` keeps."""
        settings = [
            {**asdict(setting), "share": float(share), "log_rank": float(rank)}
            for setting, share, rank in zip(
                self.learned.settings, self.learned.shares, self.learned.log_ranks, strict=True
            )
        ]
        missing = {"expected": self.missing.expected, "low": self.missing.low, "high": self.missing.high}
        return {
            "documents": self.read,
            "described": self.described,
            "labels": len(self.model.labels.names),
            "settings": settings,
            "missing": missing,
        }


def regress(
    corpus: Corpus,
    members: Rows,
    skip: NDArray[np.bool_],
    first_stage: Scorer,
    *,
    description: str | None = None,
    label: str | None = None,
    rejected: Rows | None = None,
    seed: int = 0,
    read_at_most: int = READ_AT_MOST,
    threads: int | None = None,
    engine: Engine | None = None,
) -> Regressed:
    """Learn the regression, and score the whole corpus by it.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    members : array of int
        The members' rows, ascending.
    skip : array of bool
        Documents that cannot be candidates: members, what was excluded, what people rejected.
    first_stage : Scorer
        Chooses what to read of a corpus with more than `read_at_most` documents.
    description : str, optional
        A text about the category, such as its name: it counts as one more member, if members that are left out are
        found the better for it. With more than 100 members it is not asked.
    label : str, optional
        The category's own label: other labels that its members carry then speak for it, if members that are left out
        are found the better for them. By default only the documents' words do.
    rejected : array of int, optional
        Documents that people rejected.
    seed : int
        Which documents are read at random, and which members are left out together.
    read_at_most : int
        How many documents to read.
    threads : int, optional
        All cores by default.
    engine : Engine, optional
        Where the whole corpus is scored: this machine by default.
    """
    passes = engine or Local(threads)
    hard = np.empty(0, np.int64) if rejected is None else rejected
    readable = ~skip
    readable[members] = True
    readable[hard] = True
    rows = _rows_to_read(corpus, members, hard, readable, first_stage, read_at_most, seed, passes)
    vectors = document_vectors(corpus, rows)
    known, no = np.searchsorted(rows, members), np.searchsorted(rows, hard)
    others = other_labels(corpus, members, label)
    X, imagined = with_description(corpus, vectors, description if len(members) <= DESCRIBED_UP_TO else None)
    held_by = corpus.document_frequency[vectors.features]
    traits = spelling(corpus.token_names(vectors.features), held_by, corpus.n_documents, vectors.X)
    learned = learn_membership(
        beside(X, others.columns(corpus, rows)),
        known,
        imagined=imagined,
        rejected=no,
        traits=traits,
        n_labels=len(others),
        seed=seed,
        threads=threads,
    )

    of_tokens, of_labels = np.split(learned.weights, [len(vectors.features)])
    used = np.flatnonzero(of_tokens)
    weights = Weights(vectors.features[used], of_tokens[used][None, :], np.zeros(1))
    scores = passes.score_corpus(corpus, VectorScorer(weights, rarity(corpus)))
    labels = LabelWeights.of(corpus, others, of_labels)
    scores += labels.scores(corpus)
    candidates = scores[~skip]
    ranks = _ranks(learned, candidates, len(rows) - len(known) - len(no))
    missing = estimate_missing(ranks, len(candidates))
    calibration = (
        calibrate_by_moments(candidates, learned.held_out, missing.expected)
        if len(candidates)
        else Calibration(0.0, 0.0)
    )
    model = MembershipModel(corpus.token_names(weights.features), weights.values[0], calibration, labels)
    return Regressed(learned, model, scores, missing, len(rows), len(imagined) > 0)


def _rows_to_read(
    corpus: Corpus,
    members: Rows,
    hard: Rows,
    readable: NDArray[np.bool_],
    first_stage: Scorer,
    at_most: int,
    seed: int,
    engine: Engine,
) -> Rows:
    if np.count_nonzero(readable) <= at_most:
        return np.flatnonzero(readable)
    chosen = np.zeros(corpus.n_documents, bool)
    chosen[members] = True
    chosen[hard] = True
    room = max(at_most - int(chosen.sum()), at_most // 2)
    rest = np.flatnonzero(readable & ~chosen)
    if room // 2 < len(rest):
        scores = engine.score_corpus(corpus, first_stage)[rest]
        rest = rest[np.argpartition(-scores, room // 2)[: room // 2]]
    chosen[rest] = True
    rest = np.flatnonzero(readable & ~chosen)
    drawn = np.random.default_rng(seed).choice(len(rest), min(room - room // 2, len(rest)), replace=False)
    chosen[rest[drawn]] = True
    return np.flatnonzero(chosen)


def _ranks(learned: Membership, candidates: Floats, read: int) -> NDArray[np.int64]:
    """The ranks of left-out members among all candidates, where only some of them were read.

    Those that were not read are the less likely ones, and stand behind what was read, but for the random half.
    """
    if read >= len(candidates):
        return learned.held_out_ranks
    ascending = np.sort(candidates)
    return len(ascending) - np.searchsorted(ascending, learned.held_out) + 1
