"""Find the documents missing from a category."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.discovery.learning import GivenPrior, Learned, Procedure, laplace_model, learn
from priorwise.discovery.membership import regress
from priorwise.discovery.run import Run
from priorwise.discovery.standing import about_standings, standings_below
from priorwise.discovery.verdicts import Judged
from priorwise.engines.engine import Engine, Local
from priorwise.errors import InputError, NotEnoughData
from priorwise.models.prior_choice import score_of
from priorwise.priors import PseudoCounts
from priorwise.ranking.calibrate import Calibration
from priorwise.ranking.scorer import Top, places
from priorwise.ranking.table import Ranking
from priorwise.search import Target
from priorwise.version import __version__

MODELS = ("auto", "presence")
Rows = NDArray[np.int64]
Progress = Callable[[str, float], None]
"""Told what is being done and how far it is, from 0 to 1."""


def discover(
    corpus: Corpus,
    label: str | None = None,
    *,
    members: Iterable[str] | None = None,
    exclude: Iterable[str] = (),
    model: str | None = None,
    description: str | None = None,
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
    verdicts: Judged | None = None,
    threads: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Run:
    """Learn the prior of a category, rank everything else, and put the Laplace baseline beside it.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    label : str, optional
        The category: its members are the documents that carry this label.
    members : iterable of str, optional
        The ids of the members, instead of a label.
    exclude : iterable of str
        Ids of documents to leave out altogether: neither members, nor negatives, nor candidates.
    model : {"auto", "presence"}, optional
        "presence" is presence-only naive Bayes with a learned prior, the fastest. "auto" ranks by a regression on the
        documents' words whose prior is learned as well, which finds more hidden members; presence naive Bayes is then
        the first stage, and chooses what the regression reads of a large corpus. "auto" by default, and "presence" if
        anything is said about its prior (`prior`, `centre`, `target`, `search`, `seeds`, `negatives_per_positive`,
        `paper`).
    description : str, optional
        A text about the category, which "auto" takes for one more member: with few members it carries the start. The
        label by default; the empty string for none.
    prior : PseudoCounts or callable, optional
        A prior to use instead of a learned one, or a function of the number of tokens, such as ``PseudoCounts.perks``.
    centre : {"collection", "uniform"}, optional
        What the imagined documents of the prior hold: each token as often as the corpus does (the default, which finds
        more hidden members), or every token. A prior that is given keeps its own centre by default.
    target : Target or callable, optional
        What a good prior is good at; average precision at the corpus's class odds by default.
    search : {"exhaustive", "radial"}, optional
        Every cell of the grid (the default), or the paper's climbs.
    seeds : int, optional
        How many samples of negatives to average over; 5 by default.
    seed : int
        The first seed; the others follow it.
    negatives_per_positive : float, optional
        Train on samples of so many negatives per member, and take the mean of their counts. By default the model is
        trained on all other documents, and samples of them (20 per member, at most 5,000) only judge the priors.
    top : int
        How many documents to keep of each ranking.
    paper : bool
        Exactly the paper's procedure; not together with `prior`, `centre`, `target`, `search`, `seeds` or
        `negatives_per_positive`.
    subcategory_depth : int, optional
        How many steps below the category a subcategory may be for its documents not to be *new*; any number by default.
        It marks the candidates and does not change their ranks.
    verdicts : Judged, optional
        What people said about an earlier run, from ``priorwise.review.judged``: what they accepted is a member,
        what they rejected a negative that counts more than others, and neither is a candidate again.
    threads : int, optional
        All cores by default.
    engine : Engine, optional
        Where the passes over the corpus run: this machine by default, or ``Spark``; the answer is the same.
    progress : callable, optional
        Told what is being done and how far it is.

    Examples
    --------
    >>> texts = ["goal team win", "team match goal", "win match", "match goal", "law vote", "vote court", "tax law"] * 3
    >>> labels = ["sport", "sport", None, None, None, None, None] * 3
    >>> run = discover(Corpus.from_texts(texts, labels=labels), "sport")
    >>> sorted(int(id) % 7 for id in run.ranking.ids[:6])
    [2, 2, 2, 3, 3, 3]
    """
    about_presence = any(
        choice is not None for choice in (prior, centre, target, search, seeds, negatives_per_positive)
    )
    if model not in (None, *MODELS):
        raise InputError(f"no model '{model}'; there are {' and '.join(repr(name) for name in MODELS)}")
    if paper and model == "auto":
        raise InputError("the paper's procedure is a presence model: leave the model out")
    chosen = model or ("presence" if paper or about_presence else "auto")
    if description and chosen == "presence":
        raise InputError("a presence model takes no description: leave it out, or what chooses that model or its prior")
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
    tell = progress or (lambda what, share: None)
    rows, excluded = category_rows(corpus, label, members, exclude)
    rows, hard = (verdicts or Judged()).applied(corpus, rows, excluded)
    standings = standings_below(corpus, label, subcategory_depth)
    tell("drawing samples", 0.0)
    learned = learn(corpus, rows, excluded, procedure, hard=hard, threads=threads)
    tell("learning the prior", 1.0)
    baseline, _ = laplace_model(corpus, rows, excluded, seed=seed)

    skip = np.zeros(corpus.n_documents, dtype=bool)
    skip[rows] = True
    skip[excluded] = True
    skip[hard] = True
    done = 0

    def ranked(documents: int) -> None:
        nonlocal done
        done += documents
        tell("ranking the corpus", done / corpus.n_documents)

    features = learned.training.features
    scorers = [learned.model.scorer_for(features), baseline.scorer_for(features)]
    passes = engine or Local(threads)
    best, plain = passes.rank_corpus(corpus, scorers, top=top, skip=skip, progress=ranked)
    baseline_scores = passes.score_corpus(corpus, scorers[1])

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

    regressed = None
    if chosen == "auto":
        tell("learning the regression", 0.0)
        text = label if description is None else description
        regressed = regress(corpus, rows, skip, scorers[0], description=text, rejected=hard, seed=seed, threads=threads)
        best = regressed.top(skip, top)
        first = table(best, regressed.model.calibration, regressed.model.evidence(corpus, best.documents))
    else:
        evidence = learned.model.evidence(corpus, best.documents, features)
        first = table(best, learned.model.calibration, evidence)
    second = table(plain, baseline.calibration, baseline.evidence(corpus, plain.documents, features))
    rankings = {"learned": first, "laplace": second}

    about = {
        **_about_corpus(corpus),
        "label": label,
        "members": len(rows),
        "excluded": len(excluded),
        "verdicts": None if verdicts is None else verdicts.describe(),
        "model": chosen,
        "description": description,
        "procedure": {"paper": paper, **procedure.describe(learned.training), "top": top},
        **_about_learned(learned, procedure),
        "regression": None if regressed is None else regressed.describe(),
        "predicted_positive": {"learned": best.predicted_positive, "laplace": plain.predicted_positive},
        "subcategories": None if standings is None else about_standings(standings, rankings),
    }
    choice = learned.choice
    return Run(
        about,
        first,
        second,
        learned.model,
        choice.terrains,
        choice.trials,
        None if regressed is None else regressed.model,
    )


def category_rows(
    corpus: Corpus, label: str | None, members: Iterable[str] | None, exclude: Iterable[str]
) -> tuple[Rows, Rows]:
    """The rows of the category's members and of the excluded documents."""
    if corpus.n_documents == 0:
        raise NotEnoughData("the corpus is empty")
    if (label is None) == (members is None):
        raise InputError("give either a label or a list of members")
    rows = corpus.members(label) if label is not None else corpus.rows(list(members or ()))
    excluded = np.unique(corpus.rows(list(exclude)))
    return np.setdiff1d(np.unique(rows), excluded).astype(np.int64), excluded.astype(np.int64)


def _about_corpus(corpus: Corpus) -> dict[str, Any]:
    return {
        "versions": {
            "priorwise": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "pyarrow": pa.__version__,
        },
        "corpus": {
            "path": str(corpus.path.resolve()) if corpus.path else None,
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
