"""Everything that a run can choose, checked before any work is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from priorwise.discovery.knowledge import Knowledge
from priorwise.discovery.learning import GivenPrior, Procedure
from priorwise.errors import InputError
from priorwise.models.linear_model import LinearModel
from priorwise.priors.keywords import Keywords
from priorwise.search import Target

DEFAULT, PRESENCE = "default", "presence"
OLD_NAMES = {"auto": DEFAULT}


@dataclass(frozen=True)
class Choices:
    """What a run can choose, but for the category.

    Parameters
    ----------
    model : {"default", "presence"}
        The model that ranks.
    procedure : Procedure
        How the prior of a presence model is learned.
    presence_asked : bool
        Whether anything was chosen about the presence model, so that it is there at least to compare.
    knowledge : Knowledge
        What was said about the category: words, a description, an earlier model.
    top : int
        How many documents to keep of each ranking.
    subcategory_depth : int, optional
        How many steps below the category a subcategory may be.
    text_only : bool
        Whether the documents' other labels are left aside.
    maintenance : bool
        Whether categories that serve a wiki's editors count as evidence, too.
    """

    model: str
    procedure: Procedure
    presence_asked: bool
    knowledge: Knowledge
    top: int
    subcategory_depth: int | None
    text_only: bool
    maintenance: bool = False

    @classmethod
    def of(
        cls,
        *,
        model: str | None = None,
        words: str | Mapping[str, float] | None = None,
        description: str | None = None,
        prior_from: LinearModel | None = None,
        prior: GivenPrior | None = None,
        centre: str | None = None,
        target: Target | Callable[..., Any] | None = None,
        search: str | None = None,
        seeds: int | None = None,
        seed: int = 0,
        negatives_per_positive: float | None = None,
        top: int = 1000,
        paper: bool = False,
        subcategory_depth: int | None = None,
        text_only: bool = False,
        maintenance: bool = False,
    ) -> Choices:
        """Check what was chosen, and fill in the rest; see :func:`priorwise.discover`."""
        about_presence = any(
            choice is not None for choice in (prior, centre, target, search, seeds, negatives_per_positive)
        )
        model = OLD_NAMES.get(model, model) if model is not None else None
        if model not in (None, DEFAULT, PRESENCE):
            raise InputError(f"no model '{model}'; there are '{DEFAULT}' and '{PRESENCE}'")
        if paper and model == DEFAULT:
            raise InputError("the paper's procedure is a presence model: leave the model out")
        chosen = model or (PRESENCE if paper or about_presence else DEFAULT)
        known = Knowledge(Keywords.of(words), description, prior_from)
        if chosen == PRESENCE and (known.can_start or known.words):
            raise InputError(
                "a presence model takes no words, no description and no earlier model: leave them out, or the choice "
                "of that model or its prior"
            )
        if paper and about_presence:
            raise InputError(
                "the paper's procedure fixes prior, centre, target, search, seeds and negatives per positive: "
                "leave them out"
            )
        if (seeds is not None and seeds < 1) or top < 1:
            raise InputError("seeds and top must be at least 1")
        if seed < 0 or (negatives_per_positive is not None and not negatives_per_positive > 0):
            raise InputError("the first seed must not be negative, and negatives per positive must be above 0")
        procedure = (
            Procedure.paper(seed=seed)
            if paper
            else Procedure.ours(
                target,  # type: ignore[arg-type]
                search=search or "exhaustive",
                seeds=5 if seeds is None else seeds,
                seed=seed,
                negatives_per_positive=negatives_per_positive,
                prior=prior,
                centre=centre or ("collection" if prior is None else getattr(prior, "centre", "uniform")),
            )
        )
        asked = chosen == PRESENCE or about_presence
        return cls(chosen, procedure, asked, known, top, subcategory_depth, text_only, maintenance)
