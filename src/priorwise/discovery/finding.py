"""Find the documents missing from a category."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from priorwise.corpus import Corpus
from priorwise.discovery.choices import Choices
from priorwise.discovery.finished import Category, finished_run
from priorwise.discovery.learning import GivenPrior, laplace_model, learn
from priorwise.discovery.membership import regress
from priorwise.discovery.run import Run
from priorwise.discovery.standing import standings_below
from priorwise.discovery.training import Rows, SharedSample
from priorwise.discovery.verdicts import Judged
from priorwise.engines.engine import Engine, Local
from priorwise.errors import InputError, NotEnoughData
from priorwise.search import Target

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
    text_only: bool = False,
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
    text_only : bool
        Whether only the documents' words count. By default "auto" also lets other labels speak for a candidate, those
        that members carry more than twice as often as documents do, if members that are left out are found the better
        for it. Members given by their ids are found by words alone.
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
    choices = Choices.of(
        model=model,
        description=description,
        prior=prior,
        centre=centre,
        target=target,
        search=search,
        seeds=seeds,
        seed=seed,
        negatives_per_positive=negatives_per_positive,
        top=top,
        paper=paper,
        subcategory_depth=subcategory_depth,
        text_only=text_only,
    )
    rows, excluded = category_rows(corpus, label, members, exclude)
    rows, hard = (verdicts or Judged()).applied(corpus, rows, excluded)
    category = Category(corpus, label, rows, excluded, hard, verdicts)
    return run_of(category, choices, engine=engine or Local(threads), threads=threads, progress=progress)


def run_of(
    category: Category,
    choices: Choices,
    *,
    engine: Engine,
    threads: int | None = None,
    progress: Progress | None = None,
    shared: SharedSample | None = None,
    together: dict[str, Any] | None = None,
) -> Run:
    """Learn the prior of a category, and rank everything else.

    `shared` is a sample that judges the priors of other categories, too, and `together` what the run says about that.
    """
    corpus, members, top = category.corpus, category.members, choices.top
    seed = choices.procedure.seed
    tell = progress or (lambda what, share: None)
    # Before the work: what is wrong with the depth is said at once.
    standings = standings_below(corpus, category.label, choices.subcategory_depth)
    tell("drawing samples", 0.0)
    learned = learn(
        corpus,
        members,
        category.excluded,
        choices.procedure,
        hard=category.rejected,
        shared=shared,
        threads=threads,
    )
    tell("learning the prior", 1.0)
    baseline, _ = laplace_model(corpus, members, category.excluded, seed=seed)
    done = 0

    def ranked(documents: int) -> None:
        nonlocal done
        done += documents
        tell("ranking the corpus", done / corpus.n_documents)

    scorers = [learned.scorer, baseline.scorer_for(learned.training.features)]
    skip = category.skip
    best, plain = engine.rank_corpus(corpus, scorers, top=top, skip=skip, progress=ranked)
    baseline_scores = engine.score_corpus(corpus, scorers[1])
    regressed = None
    if choices.model == "auto":
        tell("learning the regression", 0.0)
        regressed = regress(
            corpus,
            members,
            skip,
            scorers[0],
            description=category.label if choices.description is None else choices.description,
            label=None if choices.text_only else category.label,
            rejected=category.rejected,
            seed=seed,
            threads=threads,
            engine=engine,
        )
        best = regressed.top(skip, top)
    return finished_run(
        category, choices, learned, baseline, best, plain, baseline_scores, standings, regressed, together
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
