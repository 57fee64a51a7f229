"""From what was learned and ranked to a run."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.discovery.choices import Choices
from priorwise.discovery.learning import Learned, Procedure
from priorwise.discovery.membership import Regressed
from priorwise.discovery.model import PresenceModel
from priorwise.discovery.run import Run
from priorwise.discovery.standing import Standings, about_standings
from priorwise.discovery.training import Rows
from priorwise.discovery.verdicts import Judged
from priorwise.models.prior_choice import score_of
from priorwise.priors import PseudoCounts
from priorwise.ranking.calibrate import Calibration
from priorwise.ranking.scorer import Top, places
from priorwise.ranking.table import Ranking
from priorwise.version import __version__


@dataclass(frozen=True)
class Category:
    """What a run is about: the members, and the documents that are no candidates."""

    corpus: Corpus
    label: str | None
    members: Rows
    excluded: Rows
    rejected: Rows
    verdicts: Judged | None = None

    @property
    def skip(self) -> NDArray[np.bool_]:
        """The documents that are no candidates."""
        skip = np.zeros(self.corpus.n_documents, dtype=bool)
        skip[self.members] = True
        skip[self.excluded] = True
        skip[self.rejected] = True
        return skip


def finished_run(
    category: Category,
    choices: Choices,
    learned: Learned,
    baseline: PresenceModel,
    best: Top,
    plain: Top,
    baseline_scores: NDArray[np.float64],
    standings: Standings | None = None,
    regressed: Regressed | None = None,
    together: dict[str, Any] | None = None,
) -> Run:
    """Put a run together: `best` under what ranks, `plain` under Laplace, which gives every document its score.

    `together` says what this category shared with others that were learned with it.
    """
    corpus, features = category.corpus, learned.training.features
    skip = category.skip

    def table(found: Top, calibration: Calibration, evidence: list[str]) -> Ranking:
        stand = None if standings is None else standings.of(found.documents)
        return Ranking.of(
            ids=corpus.ids(found.documents),
            titles=corpus.titles(found.documents),
            scores=found.scores,
            probabilities=calibration.probability(found.scores),
            baseline_ranks=places(baseline_scores, found.documents, skip),
            evidence=evidence,
            status=None if stand is None else [each.status for each in stand],
            path=None if stand is None else [each.path for each in stand],
        )

    if regressed is not None:
        first = table(best, regressed.model.calibration, regressed.model.evidence(corpus, best.documents))
    else:
        first = table(best, learned.calibration, learned.model.evidence(corpus, best.documents, features))
    second = table(plain, baseline.calibration, baseline.evidence(corpus, plain.documents, features))
    rankings = {"learned": first, "laplace": second}
    about = {
        **_about_corpus(corpus),
        "label": category.label,
        "members": len(category.members),
        "excluded": len(category.excluded),
        "verdicts": None if category.verdicts is None else category.verdicts.describe(),
        "model": choices.model,
        "description": choices.description,
        "text_only": choices.text_only,
        "procedure": {
            "paper": choices.paper,
            **choices.procedure.describe(learned.training),
            "top": choices.top,
        },
        **_about_learned(learned, choices.procedure),
        "regression": None if regressed is None else regressed.describe(),
        "predicted_positive": {"learned": best.predicted_positive, "laplace": plain.predicted_positive},
        "subcategories": None if standings is None else about_standings(standings, rankings),
        **({} if together is None else {"together": together}),
    }
    choice = learned.choice
    model = None if regressed is None else regressed.model
    return Run(about, first, second, learned.model, choice.terrains, choice.trials, model)


def _about_corpus(corpus: Corpus) -> dict[str, Any]:
    return {
        "versions": {
            "priorwise": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "pyarrow": pa.__version__,
        },
        "corpus": {
            "path": str(corpus.path.resolve()) if corpus.path else str(corpus.store) if corpus.store else None,
            "checksum": corpus.checksum,
            "documents": corpus.n_documents,
        },
    }


def _about_learned(learned: Learned, procedure: Procedure) -> dict[str, Any]:
    choice, weight = learned.choice, learned.training.negative_weight

    def value(prior: PseudoCounts, length_power: float) -> dict[str, float]:
        score, sensitivity = score_of(
            learned.samples, procedure.target, prior, negative_weight=weight, length_power=length_power
        )
        return {"score": score, "sensitivity": sensitivity}

    return {
        "learned": {
            "centre": choice.prior.centre,
            "lambda_negative": choice.prior.negative,
            "lambda_positive": choice.prior.positive,
            "length_power": choice.length_power,
            "remark": choice.remark,
            "vocabulary": len(learned.training.features),
        },
        "leave_one_out": {
            "target": procedure.target.name,
            "learned": value(choice.prior, choice.length_power),
            "laplace": value(PseudoCounts.laplace(), 0.0),
        },
    }
