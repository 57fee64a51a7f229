"""The default model as a stage of a run: regression of membership on words and other categories, its prior learned."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from priorwise.charts import share_bars
from priorwise.corpus.storage.typed import typed
from priorwise.counting import counted, rounded
from priorwise.discovery.category import Category
from priorwise.discovery.knowledge import Knowledge
from priorwise.discovery.presence_stage import NO_ROWS, LearnedFrom, ranking_model
from priorwise.discovery.stage import RANKS, Drawing, FactTable, Stage
from priorwise.discovery.stopping import unfound_members
from priorwise.engines.engine import Engine
from priorwise.features.document_vectors import document_vectors, rarity, text_vector
from priorwise.features.other_labels import OtherLabels, other_labels
from priorwise.features.recipe import Recipe, inverse_document_frequency
from priorwise.features.spelling import Spelling
from priorwise.features.vectors import VectorFeatures
from priorwise.kernels import Floats, Rows
from priorwise.models.linear_model import GroupWeights, LinearModel, Origins, VectorWeights
from priorwise.models.missing import Missing
from priorwise.models.weights import Calibration, Weights
from priorwise.priors.keywords import Keywords
from priorwise.priors.structured import StructuredGaussian
from priorwise.ranking.evidence import further_scores
from priorwise.ranking.scorer import Scorer
from priorwise.ranking.table import Ranking

if TYPE_CHECKING:
    from priorwise.models.regression.member_trials import Setting


READ_AT_MOST = 65_536
"""How many documents the regression reads: all of a corpus up to this size, else half of them at random and half by
the presence model's scores."""

DESCRIBED_UP_TO = 100
"""With more members than this, a text about the category is one of many and adds nothing."""

FEW = 10
"""With fewer members than this, the estimate of missing members is a rough guess."""

LEAST_SHARE = 0.005
"""Settings with a smaller share are shown together."""

NOTHING_TO_CHECK_BY = ("No members are known, so none can check the ranking.", "One member cannot check the ranking.")
UNCHECKED = "The prior is fixed, and there are no probabilities and no estimate of missing members."
"""What a run with no member, or with one, has to say."""

WORTH_SAYING = 0.05
"""The share of the settings from which on it is said that they use other categories, or vectors."""

MEMBERS_NAMED = 500
"""A model keeps at most this many members, to name those nearest to a document."""


@dataclass(frozen=True)
class TriedSetting:
    """A setting that was tried, as `run.json` keeps it; `Setting` and `StructuredGaussian` say what the names mean."""

    variance: float
    share: float
    typical_rank: float | None
    kinship: float = 0.0
    labels: float = 0.0
    believed: int = 0
    one_sided: bool = False
    described: bool = False
    knowledge: float = 0.0
    vectors: float = 0.0

    @property
    def prior(self) -> StructuredGaussian:
        groups = {"labels": self.labels, "vectors": self.vectors}
        return StructuredGaussian(self.variance, self.kinship, {name: each for name, each in groups.items() if each})

    @property
    def setting(self) -> Setting:
        from priorwise.models.regression.member_trials import Setting

        return Setting(self.prior, self.believed, self.one_sided, self.described, self.knowledge)


@dataclass(frozen=True)
class MemberFacts:
    """What the default model learned.

    `members`, `documents`: how many members it knew, and how many documents it read. `labels`: how many other
    categories it could use as evidence. `described`: whether a text about the category had words that documents
    have. `missing`: the estimated number of missing members, with its 80% interval; None with fewer than two
    members. `typical_rank`: the rank at which a left-out member is typically found; None with fewer than two
    members. `tried`: every setting, with its share in the average. `words`: the keywords as they were given.
    `copies`: how many members are near copies of another member. `vectors`: the encoder of the documents' vectors;
    empty if it is not known, None if there are no vectors. `learned_before`: how many members an earlier model had
    learned from; they are never left out.
    """

    members: int
    documents: int
    labels: int
    described: bool
    missing: Missing | None
    typical_rank: float | None
    tried: tuple[TriedSetting, ...]
    words: tuple[str, ...] = ()
    copies: int = 0
    vectors: str | None = None
    learned_before: int = 0


@dataclass(frozen=True)
class MemberStage(Stage):
    """The default model; `about` says what it learned."""

    name: ClassVar[str] = "members"
    title: ClassVar[str] = "the default model"

    about: MemberFacts

    @property
    def missing(self) -> Missing | None:
        return self.about.missing

    @property
    def tried(self) -> tuple[TriedSetting, ...]:
        """Every setting, with its share in the average."""
        return self.about.tried

    def describe(self) -> list[str]:
        about, missing = self.about, self.about.missing
        believed = sum(each.share * each.believed for each in about.tried)
        sentences = (
            [f"Learned prior: {self.prior.describe()}"]
            if about.typical_rank is not None
            else [f"{NOTHING_TO_CHECK_BY[about.members]} {UNCHECKED}"]
        )
        used = [f"It read {counted(about.documents, 'document')}"]
        if believed >= 1:
            used.append(f"treated about {counted(round(believed), 'candidate')} as provisional members")
        if sum(each.share for each in about.tried if each.labels) >= WORTH_SAYING:
            used.append(f"used {counted(about.labels, 'other category')} as evidence")
        if sum(each.share for each in about.tried if each.vectors) >= WORTH_SAYING:
            used.append(f"compared documents by their vectors{f' ({about.vectors})' if about.vectors else ''}")
        sentences.append(f"{', '.join(used[:-1])} and {used[-1]}." if len(used) > 1 else f"{used[0]}.")
        if about.copies:
            are = "member is a near copy" if about.copies == 1 else "members are near copies"
            sentences.append(f"{about.copies:,} {are} of another member; copies are left out together.")
        if about.words:
            sentences.append(f"You gave {counted(len(about.words), 'keyword')}: {' '.join(about.words)}.")
        if known := sum(each.share * each.knowledge for each in about.tried):
            sentences.append(
                f"{known:.0%} of the score comes from your keywords, description or earlier model, "
                "the rest from the documents."
            )
        if about.learned_before:
            sentences.append(self._learned_before())
        if about.typical_rank is None:
            return sentences
        without = self._rank_without_knowledge()
        compared = "" if without is None else f"; by the documents alone, at rank {rounded(without)}"
        found = f"A member that was left out is typically found at rank {rounded(about.typical_rank)}"
        sentences.append(f"{found}{compared}.")
        if missing is None:
            return sentences
        expected = rounded(missing.expected)
        guess = " With so few members this is a rough guess." if about.members < FEW else ""
        sentences.append(
            f"Estimated missing: {expected} {'member' if expected == '1' else 'members'} "
            f"(80% interval {rounded(missing.low)} to {rounded(missing.high)}).{guess}"
        )
        return sentences

    def _rank_without_knowledge(self) -> float | None:
        """The typical rank by the best setting without what somebody knows; None if nothing is known."""
        alone = [each for each in self.about.tried if not each.knowledge]
        if not alone or len(alone) == len(self.about.tried):
            return None
        return max(alone, key=lambda each: each.share).typical_rank

    def _learned_before(self) -> str:
        n, new = self.about.learned_before, self.about.members - self.about.learned_before
        if new < 2:
            return "The earlier model learned from these members, too, so it says nothing new and is not used."
        return f"The earlier model learned from {n:,} of these members, so only the other {new:,} check the ranking."

    def table(self) -> FactTable | None:
        """Each setting with its share; those with a small one together."""
        settings = sorted(self.about.tried, key=lambda each: -each.share)
        shown = [each for each in settings if each.share >= LEAST_SHARE]
        if self.about.typical_rank is None:
            return None
        rows = [[each.setting.in_words(), f"{each.share:.3f}", _rank(each)] for each in shown]
        if rest := settings[len(shown) :]:
            more = f"{counted(len(rest), 'other setting')}"
            share = sum(each.share for each in rest)
            rows.append([more, "under 0.001" if share < 0.0005 else f"{share:.3f}", f"{_rank(rest[0])} or more"])
        return FactTable("Settings", ["setting", "share", "typical rank of a left-out member"], rows)

    def drawing(self) -> Drawing | None:
        """How much each setting counts."""
        table = self.table()
        if table is None:
            return None
        bars = [(row[0], float(row[1].removeprefix("under "))) for row in table.rows]
        picture = share_bars(
            bars, x_name="share", summary=f"How much each setting counts; most, {bars[0][1]:.3f}, {bars[0][0]}."
        )
        return Drawing(
            picture,
            "What was tried, and how much it counts in the weights. The variance says how far a word's weight may be "
            "from its centre. Words that are spelled alike may share it. Other categories of a document, and its "
            "vector, may count as evidence, a text about the category as a member, and the best candidates as "
            "provisional members. One-sided, no document has to score exactly 1 or 0.",
        )

    def facts(self) -> dict[str, Any]:
        return dataclasses.asdict(self.about)

    @classmethod
    def read(
        cls, folder: Path, facts: dict[str, Any], role: str, model: LinearModel | None, ranking: Ranking | None
    ) -> Self:
        about = typed(MemberFacts, facts)
        return cls(role, model, best_prior(about.tried), ranking, facts.get("predicted"), about)


def _rank(tried: TriedSetting) -> str:
    return "" if tried.typical_rank is None else rounded(tried.typical_rank)


def best_prior(tried: tuple[TriedSetting, ...]) -> StructuredGaussian:
    """The prior of the setting that counts most."""
    if not tried:
        raise ValueError("no setting was tried")
    return max(tried, key=lambda each: each.share).prior


@dataclass(frozen=True)
class CategoryFeatures:
    """Documents of a corpus as the default model reads them.

    `X`: a column per word of the corpus, then one per other category, then one per dimension of the vectors. `y`: 1
    for a member, −1 for a rejected document, else 0. `about`: a text about the category. `vectors`: the documents'
    vectors.
    """

    rows: Rows
    X: Any
    y: NDArray[np.int64]
    labels: OtherLabels
    about: Any | None
    vectors: VectorFeatures | None = None

    @classmethod
    def of(
        cls,
        category: Category,
        rows: Rows,
        *,
        text: str | None,
        use_labels: bool,
        use_vectors: bool = True,
        maintenance: bool = False,
        ignored: Rows = NO_ROWS,
    ) -> CategoryFeatures:
        """Read some documents of a category's corpus, without the words to ignore."""
        from scipy.sparse import hstack

        corpus = category.corpus
        X = _without(document_vectors(corpus, rows), ignored)
        label = category.label if use_labels else None
        labels = other_labels(corpus, category.members, label, maintenance=maintenance)
        vectors = VectorFeatures.of(corpus) if use_vectors else None
        further = [labels.columns(corpus, rows)] if len(labels) else []
        if vectors is not None:
            further.append(vectors.columns(corpus, rows))
        if further:
            X = hstack([X, *further], format="csr")
        y = np.zeros(len(rows), np.int64)
        y[np.searchsorted(rows, category.members)] = 1
        y[np.searchsorted(rows, category.rejected)] = -1
        about = None
        if text and len(category.members) <= DESCRIBED_UP_TO:
            about = _without(text_vector(corpus, text), ignored)
        return cls(rows, X, y, labels, about, vectors)

    @property
    def groups(self) -> dict[str, int]:
        """How many features each group beyond the words has."""
        sizes = {"labels": len(self.labels), "vectors": 0 if self.vectors is None else len(self.vectors)}
        return {name: size for name, size in sizes.items() if size}

    def ranker(self, category: Category, **details: Any) -> Any:
        """The estimator that ranks the category, not fitted yet."""
        from priorwise.models.regression.member_finder import MemberFinder

        corpus = category.corpus
        return MemberFinder(
            groups=self.groups or None,
            kinship=Spelling(corpus.token_names, corpus.document_frequency, corpus.n_documents),
            about=self.about,
            **details,
        )


def _without(X: Any, columns: Rows) -> Any:
    """The same rows without some columns, which keep their places; lengths stay as they were."""
    if len(columns):
        X.data[np.isin(X.indices, columns)] = 0.0
        X.eliminate_zeros()
    return X


def rows_to_read(
    category: Category, narrow: Callable[[], Floats] | None, *, seed: int, at_most: int = READ_AT_MOST
) -> Rows:
    """The documents to read: all that may be read, or members, rejected documents, the best others and some at random.

    `narrow` gives a score of every document, by which half of the others are chosen.
    """
    readable = category.readable
    if len(readable) <= at_most or narrow is None:
        return readable
    free = np.zeros(category.corpus.n_documents, bool)
    free[readable] = True
    free[category.members] = free[category.rejected] = False
    room = max(at_most - len(category.members) - len(category.rejected), at_most // 2)
    chosen = [category.members, category.rejected]
    rest = np.flatnonzero(free)
    if room // 2 < len(rest):
        rest = rest[np.argpartition(-narrow()[rest], room // 2)[: room // 2]]
    chosen.append(rest)
    free[rest] = False
    rest = np.flatnonzero(free)
    drawn = np.random.default_rng(seed).choice(len(rest), min(room - room // 2, len(rest)), replace=False)
    return np.unique(np.concatenate([*chosen, rest[drawn]])).astype(np.int64)


@dataclass(frozen=True)
class FoundMembers:
    """What the default model learned of a category, and the score it gives to every document of the corpus."""

    stage: MemberStage
    model: LinearModel
    scores: Floats


def find_members(
    category: Category,
    *,
    engine: Engine,
    text: str | None = None,
    knowledge: Knowledge | None = None,
    use_labels: bool = True,
    use_vectors: bool = True,
    maintenance: bool = False,
    narrow: Callable[[], Floats] | None = None,
    seed: int = 0,
    at_most: int = READ_AT_MOST,
    threads: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> FoundMembers:
    """Learn the default model of a category, and score the whole corpus by it.

    `category`: what to learn. `engine`: where a corpus that was not read whole is scored. `text`: a text about the
    category, such as its name. It counts as one more member if that helps to find members that were left out. It is
    not used with more than 100 members. `knowledge`: words, a description or an earlier model. With fewer than two
    members the category's name is used like a description. `use_labels`: whether other categories count as
    evidence, if that helps to find members that were left out. `use_vectors`: whether the documents' vectors count,
    if the corpus has any and that helps to find members that were left out. `maintenance`: whether categories that
    serve a wiki's editors count as well. `narrow`: gives a score of every document, to choose what to read of a
    corpus with more than `at_most` documents. `seed`: which documents are read at random, and which members are
    left out together. `at_most`: how many documents to read. `threads`: all cores by default. `progress`: told
    which share of the search is done.
    """
    corpus = category.corpus
    rows = rows_to_read(category, narrow, seed=seed, at_most=at_most)
    before = (knowledge or Knowledge()).learned_before(category)
    known = (knowledge or Knowledge()).new_to(category)
    ignored = known.ignored(corpus)
    read = CategoryFeatures.of(
        category,
        rows,
        text=text,
        use_labels=use_labels,
        use_vectors=use_vectors,
        maintenance=maintenance,
        ignored=ignored,
    )
    row = (known if category.can_leave_out else known.starting(text)).row(corpus, category.label)
    details = {"learned_before": np.searchsorted(rows, before)} if known.earlier is not None else {}
    given = row if row.any() else None
    finder = read.ranker(category, knowledge=given, seed=seed, threads=threads, progress=progress, **details)
    finder.fit(read.X, read.y)
    prior = repr(finder.best_prior_)
    model = linear_model(category, read, finder.coef_[0], finder.from_prior_, prior, finder.calibration_)
    candidates = ~category.skip
    reads_all, is_judged = len(rows) == len(category.readable), bool(category.verdicts and category.verdicts.accepted)
    if reads_all:
        scores = np.full(corpus.n_documents, -np.inf)
        scores[rows] = read.X @ finder.coef_[0]
    else:
        scores = engine.score_corpus(corpus, Scorer.of(model, corpus))
        scores += further_scores(model, corpus, np.arange(corpus.n_documents))
    missing = missing_after(category) if is_judged else None
    if category.can_leave_out and (missing or not reads_all):
        finder.calibrate(scores[candidates], finder.left_out_scores_, missing=missing)
        model = dataclasses.replace(model, calibration=finder.calibration_)
    tried = tuple(
        TriedSetting(
            each.setting.prior.variance,
            each.share,
            None if np.isnan(each.typical_rank) else each.typical_rank,
            each.setting.prior.kinship,
            each.setting.prior.groups.get("labels", 0.0),
            each.setting.believed,
            each.setting.one_sided,
            each.setting.described,
            each.setting.knowledge,
            each.setting.prior.groups.get("vectors", 0.0),
        )
        for each in finder.tried_
    )
    about = MemberFacts(
        len(category.members),
        len(rows),
        len(read.labels),
        read.about is not None and bool(read.about.nnz),
        missing if is_judged else finder.missing_,
        None if np.isnan(finder.typical_rank_) else finder.typical_rank_,
        tried,
        tuple(str(Keywords({word: weight})) for word, weight in known.words.items()),
        finder.n_copies_,
        None if read.vectors is None or corpus.vectors is None else corpus.vectors.encoder or "",
        len(before) if category.can_leave_out else 0,
    )
    line = finder.calibration_
    likely = None if line is None else int(np.count_nonzero(line.probability(scores[candidates]) > 0.5))
    return FoundMembers(MemberStage(RANKS, model, finder.best_prior_, None, likely, about), model, scores)


def missing_after(category: Category) -> Missing | None:
    """The estimated number of missing members after verdicts; None if nobody knows in which order they were given."""
    verdicts = category.verdicts
    if verdicts is None or not verdicts.order:
        return None
    judged = [each.verdict == "yes" for each in verdicts.order]
    found = unfound_members(judged, category.n_candidates, ranked=[not each.drawn for each in verdicts.order])
    return Missing(found.expected, found.low, found.high)


def linear_model(
    category: Category,
    read: CategoryFeatures,
    coef: Floats,
    from_prior: Floats,
    prior: str,
    calibration: Calibration | None,
) -> LinearModel:
    """A weight for each column of `read.X`, and the part of it that the prior brought, by the names of the columns."""
    corpus, n_words = category.corpus, category.corpus.n_vocabulary
    of_words, of_labels, of_vectors = np.split(coef, [n_words, n_words + len(read.labels)])
    used = np.flatnonzero(of_words)
    known = read.X[np.flatnonzero(read.y == 1)]
    in_members = np.bincount(known.indices, minlength=read.X.shape[1])[used].astype(np.float64)
    in_all = np.bincount(read.X.indices, minlength=read.X.shape[1])[used]
    weighted = np.flatnonzero(of_labels)
    names = corpus.label_names(read.labels.numbers[weighted])
    groups = {"labels": GroupWeights(names, (of_labels * read.labels.amounts)[weighted])} if len(weighted) else {}
    unknown = float(inverse_document_frequency(np.ones(1), corpus.n_documents, "smooth")[0])
    return ranking_model(
        LearnedFrom.of(corpus, category.members),
        category.label,
        "members",
        prior,
        Weights(np.arange(len(used)), of_words[used][None, :], np.zeros(1)),
        corpus.token_names(used),
        len(category.members),
        calibration,
        features="counts",
        recipe=Recipe("log", rarity(corpus)[used], cosine=True, unknown=unknown),
        groups=groups,
        vectors=_vector_weights(category, read, of_vectors),
        origins=Origins(
            in_members,
            in_all - in_members,
            from_prior[used],
            float(known.shape[0]),
            float(read.X.shape[0] - known.shape[0]),
        ),
    )


def _vector_weights(category: Category, read: CategoryFeatures, coef: Floats) -> VectorWeights | None:
    """The weights of the columns of the vectors; None if they add nothing."""
    if read.vectors is None or category.corpus.vectors is None or not coef.any():
        return None
    some = np.unique(np.linspace(0, len(category.members) - 1, min(MEMBERS_NAMED, len(category.members))).astype(int))
    named = category.corpus.ids(category.members[some]) if len(category.members) else []
    return VectorWeights(category.corpus.vectors.encoder, coef * read.vectors.scale, read.vectors.centre, list(named))
