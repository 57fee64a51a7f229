"""Regression of membership on a document's features, under a structured Gaussian prior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from priorwise.errors import InputError, NotEnoughData
from priorwise.features.matrices import validate_data
from priorwise.kernels import Floats, Rows
from priorwise.models.base import PriorByName
from priorwise.models.missing import Missing, calibrate_by_moments, estimate_missing
from priorwise.models.regression.member_trials import MemberTrials, Setting, Trial, draw_folds, never_left_out
from priorwise.models.weights import Calibration, Weights
from priorwise.priors.base import checked
from priorwise.priors.structured import HyperPrior, StructuredGaussian
from priorwise.text.copies import near_copies

HELD_BY_TWO = 2
"""A feature of the first group that only one document has tells nothing about another document."""

LEAST_DENSE = 8
"""A group of fewer features than this is not worth an array of its own."""

ONE_SIDED_STEPS = 50
"""The most steps of Newton's method; a handful is the rule."""

NO_SLOPE = 1e-12
"""A calibration less steep than this does not tell documents apart."""


class Kinship(Protocol):
    """Which features of the first group are kin."""

    def traits(self, features: Rows, X: Any) -> Any | None:
        """The traits of some features, a row each, given documents with those features as columns."""


@dataclass(frozen=True)
class Known:
    """Which rows are what: known members, rejected documents, and candidates.

    `members`, `rejected`, `candidates`: rows. `classes`: the two classes to predict: other documents, members.
    """

    members: Rows
    rejected: Rows
    candidates: Rows
    classes: NDArray[Any]

    @classmethod
    def of(cls, y: Any, *, may_be_empty: bool = False) -> Known:
        """Read y: 1 is a known member, 0 unknown, −1 rejected; of two other classes the second holds the members.

        If it may be empty, there need be no member.
        """
        check_classification_targets(y)
        found = np.unique(y)
        signs = found.dtype.kind in "biuf" and set(found.tolist()) <= {-1, 0, 1}
        if not signs and len(found) > 2:
            raise ValueError(
                "Only binary classification is supported. Give 1 for a known member, 0 for unknown and -1 for "
                f"rejected; y has {len(found)} classes."
            )
        if signs:
            sign = np.asarray(y, dtype=np.int64)
            classes = found if len(found) == 2 else np.array([0, 1])
        else:
            sign, classes = (y == found[-1]).astype(np.int64), found
        members = np.flatnonzero(sign == 1)
        if len(found) == 1 and not may_be_empty:
            raise NotEnoughData(
                f"y has one class, {found.tolist()[0]!r}: it takes members and other documents to learn"
            )
        if not len(members) and not may_be_empty:
            raise NotEnoughData("y has no members: give 1 for a known member, 0 for unknown and -1 for rejected")
        return cls(members, np.flatnonzero(sign == -1), np.flatnonzero(sign == 0), classes)


@dataclass(frozen=True)
class Design:
    """The documents as the regression reads them, without features that only one has, and texts about the category.

    `X`, `texts`: documents, and texts about the category, with all features of the input. `features`: the features
    that are used. `columns`: the features that are used, of the documents and below them of the texts, ready to be
    solved. `groups`: the names of the further groups of features. `n_first`: how many features of the input are in
    the first group.
    """

    X: Any
    texts: Any
    features: Rows
    columns: Any
    groups: tuple[str, ...]
    n_first: int

    @classmethod
    def of(
        cls, X: Any, about: Any | None, groups: Mapping[str, int], kinship: Kinship | None, threads: int | None
    ) -> Design:
        """Choose the features, and put the texts below the documents."""
        # Only a fit waits for the compiled loops.
        from priorwise.models.regression.ridge_columns import RidgeColumns

        X = sp.csr_matrix(X, dtype=np.float64)
        n_documents, n_inputs = X.shape
        n_first = n_inputs - sum(groups.values())
        if n_first < 0:
            raise InputError(f"the groups have {sum(groups.values()):,} features, but X has only {n_inputs:,}")
        held = np.bincount(X.indices, minlength=n_inputs)
        first = np.flatnonzero(held[:n_first] >= min(HELD_BY_TWO, n_documents))
        sparse, dense = _groups_by_density(groups, held, n_first, n_documents)
        some = np.concatenate([first, *sparse.values()])
        features = np.concatenate([some, *dense.values()])
        used = X[:, some]
        texts = sp.csr_matrix((0, n_inputs)) if about is None else _texts(about, features, n_inputs)
        traits = None if kinship is None else kinship.traits(first, used[:, : len(first)])
        columns = RidgeColumns(
            sp.vstack([used, texts[:, some]], format="csr"),
            threads,
            traits=traits,
            groups=[len(each) for each in sparse.values()],
            dense=[_dense_block(X, texts, each) for each in dense.values()],
        )
        return cls(X, texts, features, columns, (*sparse, *dense), n_first)

    @property
    def has_kinship(self) -> bool:
        return self.columns.has_traits

    @property
    def about(self) -> Rows:
        """The rows of the texts."""
        return np.arange(self.X.shape[0], self.columns.n_documents)

    def weights(self, trials: MemberTrials, tried: Sequence[Trial], shares: Floats) -> Floats:
        """The weights of all features with all members: the sum over settings that were tried, each times its share.

        A feature that is not used has the weight that it has before any document is read: the prior's centre.
        """
        weights = np.zeros(self.X.shape[1])
        weights[self.features] = trials.weights(tried, shares)
        for each, by in zip(tried, shares, strict=True):
            if np.any(each.setting.prior.centre):
                weights += by * self._centre(each.setting.prior)
        return weights

    def copies(self, known: Known) -> Rows:
        """A number for each member, the same for members with nearly the same features of the first group."""
        return near_copies(self.X[known.members][:, : self.n_first])

    def folds(self, known: Known, seed: int) -> Rows:
        """Which members are left out together: near copies always are."""
        return draw_folds(len(known.members), seed, self.copies(known))

    def offset(self, prior: StructuredGaussian) -> Floats:
        """What the prior's centre alone scores every document and text."""
        return self.score(self._centre(prior))

    def score(self, weights: Floats) -> Floats:
        """What weights of all features score every document and text."""
        return np.concatenate([self.X @ weights, self.texts @ weights])

    def _centre(self, prior: StructuredGaussian) -> Floats:
        n_inputs = self.X.shape[1]
        if np.size(prior.centre) not in (1, n_inputs):
            raise InputError(
                f"the prior's centre has {np.size(prior.centre):,} numbers, but X has {n_inputs:,} features: give one "
                "number per feature, or one for all"
            )
        return np.broadcast_to(np.asarray(prior.centre, np.float64), n_inputs)

    def trials(self, known: Known, hyper: HyperPrior, fold: Rows, tol: float, **details: Any) -> MemberTrials:
        """Get ready to try settings."""
        return MemberTrials(
            self.columns,
            known.members,
            self.about,
            known.rejected,
            groups=self.groups,
            hyper=hyper,
            fold=fold,
            tol=tol,
            offset=self.offset,
            **details,
        )


def _groups_by_density(
    groups: Mapping[str, int], held: Rows, n_first: int, n_documents: int
) -> tuple[dict[str, Rows], dict[str, Rows]]:
    """The columns of each further group: groups of which most cells are 0, and groups of which most are not."""
    sparse: dict[str, Rows] = {}
    dense: dict[str, Rows] = {}
    begin = n_first
    for name, size in groups.items():
        own = np.arange(begin, begin + size)
        is_dense = size >= LEAST_DENSE and held[own].sum() > size * n_documents / 2
        (dense if is_dense else sparse)[name] = own
        begin += size
    return sparse, dense


def _dense_block(X: Any, texts: Any, columns: Rows) -> NDArray[np.float32]:
    """Neighbouring columns of the documents, and below them of the texts, as an array of its own."""
    own = slice(int(columns[0]), int(columns[-1]) + 1)
    return np.concatenate([part[:, own].astype(np.float32).toarray() for part in (X, texts)])


def _texts(about: Any, features: Rows, n_inputs: int) -> Any:
    """Texts about the category with all features of the input; only those that have some of the features used."""
    rows = sp.csr_matrix(about, dtype=np.float64).copy()
    rows.resize((rows.shape[0], n_inputs))
    return rows[np.flatnonzero(np.diff(rows[:, features].indptr))]


class LinearMembers(ClassifierMixin, BaseEstimator):
    """What the regression and the finder share: input, scores, probabilities and predictions."""

    groups: Mapping[str, int] | None
    kinship: Any
    about: Any
    threads: int | None
    coef_: Floats
    intercept_: Floats
    classes_: NDArray[Any]
    calibration_: Calibration | None
    missing_: Missing | None

    def _read(self, X: Any, y: Any, *, may_be_empty: bool = False) -> tuple[Design, Known]:
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        known = Known.of(y, may_be_empty=may_be_empty)
        self.classes_ = known.classes
        kinship = self.kinship
        if kinship is None and hasattr(self, "feature_names_in_"):
            from priorwise.features.spelling import Spelling

            kinship = Spelling.of(self.feature_names_in_.tolist())
        return Design.of(X, self.about, self.groups or {}, kinship or None, self.threads), known

    def calibrate(
        self,
        candidates: Floats,
        left_out: Floats,
        ranks: NDArray[np.int64] | None = None,
        *,
        missing: Missing | None = None,
    ) -> Self:
        """Estimate how many members are missing, and what a score means, from the scores of all candidates.

        `fit` does this with the candidates it was given. Call it again if those were only some of them.

        `candidates`: the scores of all documents that may be members. `left_out`: the scores of members by
        models that did not know them. `ranks`: the ranks of those members among the candidates; by default from
        the scores. `missing`: an estimate to use instead. Members that were found in rank order are easier to
        find than missing ones, so after verdicts left-out members say nothing about those.
        """
        if ranks is None:
            ascending = np.sort(candidates)
            ranks = len(ascending) - np.searchsorted(ascending, left_out) + 1
        self.missing_ = missing or estimate_missing(ranks, len(candidates))
        self.calibration_ = (
            calibrate_by_moments(candidates, left_out, self.missing_.expected)
            if len(candidates)
            else Calibration(0.0, 0.0)
        )
        # The decision is 0 where the probability is ½. Where the scores tell nothing, all are on one side.
        slope, intercept = self.calibration_.slope, self.calibration_.intercept
        self.intercept_ = np.array([intercept / max(slope, NO_SLOPE)])
        return self

    @property
    def weights_(self) -> Weights:
        """The fitted model as everything after fitting reads it: the features whose weight is not 0."""
        check_is_fitted(self, "coef_")
        used = np.flatnonzero(self.coef_[0])
        return Weights(used, self.coef_[:, used], self.intercept_)

    def decision_function(self, X: Any) -> Floats:
        """The score of each document, ``X @ coef_[0] + intercept_``: above 0 if the probability is above ½."""
        return self._scores(X) + self.intercept_[0]

    def predict_proba(self, X: Any) -> Floats:
        """The probability of being another document, and of being a member."""
        scores = self._scores(X)
        if self.calibration_ is None:
            raise NotEnoughData("with fewer than two members there is nothing to learn probabilities from")
        chance = self.calibration_.probability(scores)
        return np.column_stack([1.0 - chance, chance])

    def predict(self, X: Any) -> NDArray[Any]:
        """Members are the documents with a probability above ½."""
        is_member = self.decision_function(X) > 0
        return np.asarray(self.classes_[is_member.astype(int)])

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return np.asarray(X @ self.coef_[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags


class MemberRegression(PriorByName, LinearMembers):
    """Regress membership on features, under a structured Gaussian prior.

    A known member's target is 1. Every other document's target is 0, because most are not members::

        w = argmin Σ_d (t_d − w·x_d)² + (w − centre)ᵀ(variance · S)⁻¹(w − centre)

    One-sided, a member may score above 1 and another document below 0 at no cost, as in a support vector machine::

        w = argmin Σ_members max(0, 1 − w·x_d)² + Σ_others max(0, w·x_d)² + …

    With `believed` = k the regression is solved twice. The second time the k best candidates of the first count as
    provisional members, with targets from ½ down to 0. Members that nobody has found yet look like members, and show
    what else members look like.

    Parameters
    ----------
    prior : StructuredGaussian, optional
        The prior of the weights; by default the one that usually suits as many members (`HyperPrior`).
    one_sided : bool
        Whether only documents on the wrong side cost anything.
    believed : int
        How many of the best candidates to treat as provisional members; not together with `one_sided`.
    groups : mapping of str to int, optional
        Further groups of features, with how many each has: the last columns of X, group after group.
    kinship : Kinship, optional
        Which features of the first group are kin, such as ``Spelling.of(words)``. By default words that are spelled
        alike, if X is a data frame whose columns are words. False: none.
    about : sparse matrix, optional
        Texts about the category, such as its name, as rows like those of X. Each counts as one member.
    warm_start : bool
        Whether `fit` starts from the last solution, if the number of documents is the same.
    tol : float
        The residual's length relative to the targets' at which to stop.
    threads : int, optional
        All cores by default.

    Attributes
    ----------
    coef_ : array, shape (1, n_features)
        The weights. A feature that only one document has keeps the prior's centre.
    prior_ : StructuredGaussian
        The prior that was used.
    missing_ : Missing
        The estimated number of missing members. With one fit, members are ranked with the documents they were learned
        from, so this is too low; `MemberFinder` leaves members out.

    Examples
    --------
    >>> X = np.repeat([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]], [8, 24], axis=0)
    >>> y = np.arange(32) < 5
    >>> model = MemberRegression(StructuredGaussian(10.0)).fit(X, y)
    >>> bool(model.coef_[0, 0] > model.coef_[0, 1])
    True
    """

    def __init__(
        self,
        prior: StructuredGaussian | None = None,
        *,
        one_sided: bool = False,
        believed: int = 0,
        groups: Mapping[str, int] | None = None,
        kinship: Any = None,
        about: Any = None,
        warm_start: bool = False,
        tol: float = 1e-3,
        threads: int | None = None,
    ) -> None:
        self.prior = prior
        self.one_sided = one_sided
        self.believed = believed
        self.groups = groups
        self.kinship = kinship
        self.about = about
        self.warm_start = warm_start
        self.tol = tol
        self.threads = threads

    def _default_prior(self) -> StructuredGaussian:
        return StructuredGaussian()

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the weights; y is 1 for a known member, 0 for unknown and −1 for rejected."""
        if self.one_sided and self.believed:
            raise InputError("choose either one_sided or believed: provisional members need targets on both sides")
        design, known = self._read(X, y)
        hyper = HyperPrior()
        usual = hyper.usual_variance(len(known.members), design.columns.n_documents)
        given = StructuredGaussian(usual) if self.prior is None else self.prior
        self.prior_ = checked(given, StructuredGaussian, "MemberRegression")
        never = never_left_out(len(known.members))
        trials = design.trials(known, hyper, never, self.tol, one_sided_steps=ONE_SIDED_STEPS)
        described, k = bool(len(design.about)), min(self.believed, len(trials.candidates))
        setting = Setting(self.prior_, k, self.one_sided, described)
        last = self._last(design)
        if last is not None and self.one_sided:
            trial = trials.at(setting, last)
        else:
            plain = Setting(self.prior_, described=described)
            (trial,) = trials.solve([plain], None if last is None else [trials.at(plain, last)])
        if setting.believed or setting.one_sided:
            (trial,) = trials.solve([setting], [trial])
        self.dual_ = trial.alpha
        self.coef_ = design.weights(trials, [trial], np.ones(1))[None, :]
        scores = trial.scores[:, 0].astype(np.float64)
        return self.calibrate(scores[trials.candidates], scores[known.members])

    def _last(self, design: Design) -> Any | None:
        """The dual solution of the last fit, if this one is to start from it."""
        dual = getattr(self, "dual_", None)
        fits = self.warm_start and dual is not None and len(dual) == design.columns.n_documents
        return dual if fits else None
