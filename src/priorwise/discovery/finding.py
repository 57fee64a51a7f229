"""Find the documents missing from a category."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from platform import python_version
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.discovery.category import Category, Judged, Statuses, count_statuses, statuses_below
from priorwise.discovery.knowledge import Knowledge
from priorwise.discovery.member_stage import READ_AT_MOST, find_members
from priorwise.discovery.presence_stage import (
    NOTHING_TO_FIND,
    Baseline,
    BaselineStage,
    GivenPrior,
    Learned,
    PresenceFacts,
    PresenceStage,
    Procedure,
    SharedSample,
    learn,
)
from priorwise.discovery.run import About, CorpusRef, Run, SharedLearning, VerdictCounts
from priorwise.discovery.stage import COMPARES, NARROWS, RANKS, KnownStage, Stage, known_alone
from priorwise.engines.engine import Engine, Local
from priorwise.errors import InputError, NotEnoughData
from priorwise.kernels import Floats
from priorwise.models.linear_model import LinearModel
from priorwise.models.weights import Calibration
from priorwise.priors import PseudoCounts
from priorwise.priors.keywords import Keywords
from priorwise.ranking.evidence import evidence_lines
from priorwise.ranking.scorer import Scorer, Top, best_first, places
from priorwise.ranking.table import Ranking
from priorwise.search import Target
from priorwise.version import __version__

DEFAULT, PRESENCE = "default", "presence"
OLD_NAMES = {"auto": DEFAULT}


@dataclass(frozen=True)
class RunChoices:
    """What a run can choose, but for the category.

    `model` ("default", "presence"): the model that ranks. `procedure`: how the prior of a presence model is
    learned. `presence_asked`: whether anything was chosen about the presence model, so that it is there at least to
    compare. `knowledge`: what was said about the category: words, a description, an earlier model. `top`: how many
    documents to keep of each ranking. `subcategory_depth`: how many steps below the category a subcategory may be.
    `text_only`: whether the documents' other labels are left aside. `maintenance`: whether categories that serve a
    wiki's editors count as evidence, too.
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
    ) -> RunChoices:
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


Progress = Callable[[str, float], None]
"""Told what is being done and how far it is, from 0 to 1."""


def discover(
    corpus: Corpus | Any,
    label: str | None = None,
    *,
    members: Iterable[str] | None = None,
    exclude: Iterable[str] = (),
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
    verdicts: Judged | None = None,
    threads: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Run:
    """Find the documents that are missing from a category: learn its prior, and rank every other document.

    Parameters
    ----------
    corpus : Corpus
        The documents; or anything that :meth:`Corpus.of` makes a corpus of, such as a data frame.
    label : str, optional
        The category: its members are the documents that carry this label.
    members : iterable of str, optional
        The ids of the members, instead of a label.
    exclude : iterable of str
        Ids of documents to leave out altogether: neither members, nor other documents, nor candidates.
    model : {"default", "presence"}, optional
        "default" ranks by :class:`~priorwise.MemberFinder`, a regression on words and other categories whose prior is
        learned from left-out members. Of a corpus with more than 65,536 documents it reads a part that a presence model
        chooses. "presence" ranks by presence-only naive Bayes with a learned prior, which is faster and finds fewer.
        By default "default", and "presence" if anything is said about its prior (`prior`, `centre`, `target`, `search`,
        `seeds`, `negatives_per_positive`, `paper`).
    words : str or mapping of str to float, optional
        Keywords, such as ``"+oil:2 +crude -olive the:0"``, for the default model (:class:`~priorwise.Keywords`): words
        that count for the category, against it, or not at all. How much they count is learned from left-out members.
        With words, a description or an earlier model there need be no members.
    description : str, optional
        A text about the category, for the default model. Its words count like keywords. With or without it the label
        may count as one more member, if left-out members are then found better; with the empty string it does not.
    prior_from : LinearModel, optional
        An earlier model of the category, such as ``Run.load(folder).model``: its weights are where this one starts.
    prior : PseudoCounts or callable, optional
        A prior of the presence model to use instead of a learned one, or a function of the number of words, such as
        ``PseudoCounts.perks``.
    centre : {"collection", "uniform"}, optional
        What the imagined documents of that prior hold: each word as often as the corpus does (the default, which finds
        more hidden members), or every word. A prior that is given keeps its own centre by default.
    target : Target or callable, optional
        The objective that the presence model's prior maximises; average precision at the corpus's class odds by
        default.
    search : {"exhaustive", "radial"}, optional
        Every cell of the grid (the default), or the paper's climbs.
    seeds : int, optional
        How many samples of other documents to average over; 5 by default.
    seed : int
        The first seed; the others follow it.
    negatives_per_positive : float, optional
        Train the presence model on samples with this many other documents per member, and take the mean of their
        counts. By default it is trained on all other documents, and samples (20 per member, at most 5,000) only judge
        the priors.
    top : int
        How many documents to keep of each ranking.
    paper : bool
        Exactly the presence paper's procedure; not together with `prior`, `centre`, `target`, `search`, `seeds` or
        `negatives_per_positive`.
    subcategory_depth : int, optional
        How many steps below the category a subcategory may be for its documents not to be *new*; any number by default.
        It marks the candidates and does not change their ranks.
    text_only : bool
        Whether only the documents' words count. By default other categories that members carry more than twice as often
        as documents do count as evidence for a candidate, if left-out members are then found better. Members given by
        their ids are found by words alone.
    maintenance : bool
        Whether categories that serve a wiki's editors, such as hidden ones, count as evidence, too.
    verdicts : Judged, optional
        What people said about an earlier run, from ``priorwise.review.judged``: accepted documents are members,
        rejected ones are not, and neither is a candidate again.
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
    >>> run = discover(Corpus.from_texts(texts), words="+vote -tax")
    >>> sorted(int(id) % 7 for id in run.ranking.ids[:6])
    [4, 4, 4, 5, 5, 5]
    """
    choices = RunChoices.of(
        model=model,
        words=words,
        description=description,
        prior_from=prior_from,
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
        maintenance=maintenance,
    )
    corpus = Corpus.of(corpus)
    knowledge = choices.knowledge
    category = Category.of(corpus, label, members, exclude, verdicts, may_be_empty=knowledge.can_start)
    knowledge.check(corpus, category.label)
    return run_of(category, choices, engine=engine or Local(threads), threads=threads, progress=progress)


def run_of(
    category: Category,
    choices: RunChoices,
    *,
    engine: Engine,
    threads: int | None = None,
    progress: Progress | None = None,
    shared: SharedSample | None = None,
    together: SharedLearning | None = None,
) -> Run:
    """Learn a category, and rank everything else.

    `shared` is a sample that judges the priors of other categories, too, and `together` what the run says about that.
    """
    job = Discovery(category, choices, engine, threads, progress or (lambda what, share: None), shared)
    # Before the work: an impossible depth is an error at once.
    statuses = statuses_below(category.corpus, category.label, choices.subcategory_depth)
    stages = RANKED_BY[choices.model](job, statuses)
    rankings = {"ranking": stages[-1].ranking, "baseline": stages[0].ranking}
    found = {name: ranking for name, ranking in rankings.items() if ranking is not None}
    verdicts = category.verdicts
    about = About(
        category.label,
        len(category.members),
        len(category.excluded),
        _reference(category.corpus),
        {"priorwise": __version__, "python": python_version(), "numpy": np.__version__, "pyarrow": pa.__version__},
        choices.model,
        choices.knowledge.description,
        choices.text_only,
        choices.procedure.seed,
        choices.top,
        None if verdicts is None else VerdictCounts(len(verdicts.accepted), len(verdicts.rejected)),
        None if statuses is None else count_statuses(statuses, found),
        together,
        str(choices.knowledge.words) or None,
        choices.knowledge.new_to(category).source,
        category.given,
        tuple(category.corpus.ids(category.excluded)),
        () if verdicts is None else verdicts.order,
        choices.maintenance,
    )
    return Run(about, stages)


@dataclass(frozen=True)
class Discovery:
    """A category that is being learned and ranked."""

    category: Category
    choices: RunChoices
    engine: Engine
    threads: int | None
    tell: Progress
    shared: SharedSample | None

    @cached_property
    def baseline(self) -> Baseline:
        category = self.category
        return Baseline.of(category.corpus, category.members, category.excluded, seed=self.choices.procedure.seed)

    @cached_property
    def alone(self) -> Scorer:
        """Scores documents by what is known before members can be left out."""
        return known_alone(self.category, self.choices.knowledge)

    @cached_property
    def baseline_scores(self) -> Floats:
        """The score of every document by the baseline, or by what is known if there are too few members for that."""
        scorer = self.baseline.scorer if self.category.can_leave_out else self.alone
        return self.engine.score_corpus(self.category.corpus, scorer)

    def learn_presence(self) -> Learned:
        category = self.category
        self.tell("learning the prior", 0.0)
        learned = learn(
            category.corpus,
            category.members,
            category.excluded,
            self.choices.procedure,
            hard=category.rejected,
            shared=self.shared,
            threads=self.threads,
        )
        self.tell("learning the prior", 1.0)
        return learned

    def baseline_stage(self, statuses: Statuses | None) -> Stage:
        skip = self.category.skip
        top = top_of(self.baseline_scores, skip, self.choices.top)
        if not self.category.can_leave_out:
            lines = evidence_lines(self.category.corpus, top.documents, self.alone)
            return KnownStage(COMPARES, None, None, self.table(top, None, lines, statuses), None)
        baseline = self.baseline
        positive = int(np.count_nonzero(self.baseline_scores[~skip] > 0))
        prior = PseudoCounts.laplace()
        about = PresenceFacts(prior.negative, prior.positive, prior.centre, 0.0, len(baseline.training.features))
        lines = evidence_lines(self.category.corpus, top.documents, baseline.scorer)
        ranking = self.table(top, baseline.calibration, lines, statuses)
        return BaselineStage(COMPARES, None, prior, ranking, positive, about, [])

    def table(
        self, found: Top, calibration: Calibration | None, evidence: list[str], statuses: Statuses | None
    ) -> Ranking:
        """The best candidates of a stage as a table."""
        corpus = self.category.corpus
        status = None if statuses is None else statuses.of(found.documents)
        return Ranking.of(
            ids=corpus.ids(found.documents),
            titles=corpus.titles(found.documents),
            scores=found.scores,
            probabilities=None if calibration is None else calibration.probability(found.scores),
            baseline_ranks=places(self.baseline_scores, found.documents, self.category.skip),
            evidence=evidence,
            status=None if status is None else [each.status for each in status],
            path=None if status is None else [each.path for each in status],
        )


def rank_by_members(job: Discovery, statuses: Statuses | None) -> list[Stage]:
    """The stages of the default model; a presence model is among them if it chooses what to read, or was asked for."""
    category, choices, corpus = job.category, job.choices, job.category.corpus
    if category.skip.all() and not len(category.rejected):
        raise NotEnoughData(NOTHING_TO_FIND)
    stages = [job.baseline_stage(statuses)]
    is_large = len(category.readable) > READ_AT_MOST
    learned: Learned | None = None
    if category.can_leave_out and (is_large or choices.presence_asked):
        learned = job.learn_presence()
        role = NARROWS if is_large else COMPARES
        stages.append(PresenceStage.of(learned, learned.model(category.label), role, None, None))

    def narrow() -> Floats:
        return job.baseline_scores if learned is None else job.engine.score_corpus(corpus, learned.scorer)

    job.tell("learning the prior", 0.0)
    found = find_members(
        category,
        engine=job.engine,
        text=choices.knowledge.name(category.label),
        knowledge=choices.knowledge,
        use_labels=not choices.text_only,
        use_vectors=not choices.text_only,
        maintenance=choices.maintenance,
        narrow=narrow,
        seed=choices.procedure.seed,
        at_most=READ_AT_MOST,
        threads=job.threads,
        progress=lambda share: job.tell("learning the prior", share),
    )
    job.tell("ranking the corpus", 1.0)
    top = top_of(found.scores, category.skip, choices.top)
    lines = evidence_lines(corpus, top.documents, Scorer.of(found.model, corpus), found.model)
    return [*stages, replace(found.stage, ranking=job.table(top, found.model.calibration, lines, statuses))]


def rank_by_presence(job: Discovery, statuses: Statuses | None) -> list[Stage]:
    """The stages of a presence model that ranks."""
    category, corpus = job.category, job.category.corpus
    learned = job.learn_presence()
    done = 0

    def ranked(documents: int) -> None:
        nonlocal done
        done += documents
        job.tell("ranking the corpus", done / corpus.n_documents)

    (top,) = job.engine.rank_corpus(corpus, [learned.scorer], top=job.choices.top, skip=category.skip, progress=ranked)
    ranking = job.table(top, learned.calibration, evidence_lines(corpus, top.documents, learned.scorer), statuses)
    model = learned.model(category.label)
    stage = PresenceStage.of(learned, model, RANKS, ranking, top.predicted_positive)
    return [job.baseline_stage(statuses), stage]


RANKED_BY: dict[str, Callable[[Discovery, Statuses | None], list[Stage]]] = {
    DEFAULT: rank_by_members,
    PRESENCE: rank_by_presence,
}
"""How each model ranks a category: the stages, the last of which ranks."""


def top_of(scores: Floats, skip: NDArray[np.bool_], top: int) -> Top:
    """The best candidates by their scores, best first; ties in the order of the corpus."""
    may = np.flatnonzero(~skip)
    best = may
    if top < len(may):
        best = may[np.argpartition(-scores[may], top)[:top]]
        # All that tie with the last one, so that the order of the corpus decides.
        best = may[scores[may] >= scores[best].min()]
    documents, own = best_first(scores[best], best, top)
    return Top(documents, own, int(np.count_nonzero(scores[may] > 0)))


def _reference(corpus: Corpus) -> CorpusRef:
    path = str(corpus.path.resolve()) if corpus.path else str(corpus.store) if corpus.store else None
    return CorpusRef(path, corpus.checksum, corpus.n_documents)
