"""What the naive Bayes models of counts share: count first, smooth after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csc_matrix
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d

from priorwise.errors import InputError
from priorwise.features.matrices import validate_data
from priorwise.models.base import PriorModel
from priorwise.models.labels import Labels
from priorwise.models.naive_bayes.class_counts import ClassCounts
from priorwise.models.naive_bayes.class_rates import log_class_rates
from priorwise.models.naive_bayes.class_scores import best_outputs, score_documents
from priorwise.models.naive_bayes.class_weights import class_weights
from priorwise.models.naive_bayes.event_models import EventModel
from priorwise.models.naive_bayes.left_out import LeftOut
from priorwise.models.weights import Background, Weights
from priorwise.priors.base import Counted, one_each
from priorwise.priors.informed import imagines, smoothing_of
from priorwise.search.held_out import HeldOut, candidates_of

Floats = NDArray[np.float64]


class CountNB(ClassifierMixin, PriorModel, listed=False):
    """Base of the naive Bayes models that keep counts of class and token; the members say what a count means."""

    _event_model: ClassVar[type[EventModel]]
    _leave_one_out: ClassVar[type[LeftOut]]

    def __init__(self, prior: Any = None, *, class_rate: str | ArrayLike = "counted") -> None:
        self.prior = prior
        self.class_rate = class_rate

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Count, then blend the counts with the prior."""
        X, y = self._validated(X, y, reset=True)
        self._labels = Labels.of(y)
        self.classes_ = self._labels.classes
        self.counts_ = self._count(X, y, sample_weight)
        self.weights_ = self._blend()
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Add the counts of more documents.

        The first call must name all `classes`, unless `y` is an indicator matrix.
        """
        first = not hasattr(self, "classes_")
        X, y = self._validated(X, y, reset=first)
        if first:
            labels = Labels.of(y, classes)
            if classes is None and not labels.multilabel:
                raise InputError("classes must be given at the first call of partial_fit")
            self._labels, self.classes_ = labels, labels.classes
            self.counts_ = self._count(X, y, sample_weight)
        else:
            if classes is not None and not np.array_equal(np.unique(np.asarray(classes)), self.classes_):
                raise InputError(f"classes {classes!r} differ from those of the first call, {self.classes_.tolist()}")
            self.counts_ = self.counts_ + self._count(X, y, sample_weight)
        self.weights_ = self._blend()
        return self

    def _validated(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        X, y = validate_data(self, X, y, accept_sparse="csr", multi_output=True, reset=reset)
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        return self._features(X), y

    def _features(self, X: Any) -> Any:
        """Sparse matrix of what is counted."""
        raise NotImplementedError

    def _count(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> ClassCounts:
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        return ClassCounts.of(X, self._labels.membership(y), weight)

    def _blend(self) -> Weights:
        labels = self._labels
        rates = log_class_rates(self.class_rate, self.counts_, labels)
        counts = self._with_imagined(self.counts_)
        priors, rest_priors = self._priors(labels)
        return class_weights(
            counts,
            self._event_model(counts),  # type: ignore[call-arg]
            priors,
            rest_priors if labels.against_rest else None,
            rates,
        )

    def _with_imagined(self, counts: ClassCounts) -> ClassCounts:
        """What was counted, and what the prior imagines to have been; of two classes the second has the counts."""
        prior = self.given_prior
        if not imagines(prior):
            return counts
        pairs, documents = prior.counts(len(self._labels.classes), counts.n_tokens)
        own = slice(1, None) if self._labels.n_outputs < len(self._labels.classes) else slice(None)
        imagined = ClassCounts(
            pairs[own].tocsc(), documents[own], np.asarray(pairs.sum(axis=0)).ravel(), float(documents.sum())
        )
        return counts + imagined

    def _priors(self, labels: Labels) -> tuple[Sequence[Any], Sequence[Any]]:
        """The prior of each output, and of the documents it is told from."""
        each = one_each(smoothing_of(self.given_prior), len(labels.classes))
        for prior in each:
            self.check_prior(prior)
        if labels.n_outputs == 1 and len(each) == 2:
            return [each[1]], [each[0]]
        return each, each

    def held_out(self, X: Any, y: Any, weight: Any, folds: Any = None, grid: Sequence[Any] | None = None) -> HeldOut:
        """Exact leave-one-out, or folds if asked for.

        Imagined texts are about all classes at once: they are judged by folds, and all labels share them.
        """
        own, candidates = candidates_of(grid, self.given_prior)
        for prior in candidates:
            self.check_prior(smoothing_of(prior))
        imagined = any(map(imagines, candidates))
        if folds is None and not imagined:
            held_out: HeldOut = self._leave_one_out(self._features(X), y, weight, self.class_rate)
        else:
            held_out = super().held_out(X, y, weight, folds, candidates)
        held_out.own, held_out.candidates, held_out.one_for_all = own, candidates, imagined
        return held_out

    def _take(self, weights: Weights) -> None:
        values, n = csc_matrix(weights.table(self.n_features_in_)), self.n_features_in_
        nothing = Background(np.zeros((len(weights.bias), 1)), np.zeros(n, dtype=np.int32))
        self.weights_ = Weights(np.arange(n), values, weights.bias, nothing)

    def _counted(self) -> Counted:
        sizes = self.counts_.sizes
        unit = "word" if self.reads == "counts" else "document"
        size = sizes.occurrences if self.reads == "counts" else self.counts_.documents
        return Counted(unit, self.counts_.n_tokens, float(size.mean()), float(sizes.distinct.mean()))

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self, "weights_")
        return score_documents(self.weights_, self._read(X))

    def _read(self, X: Any) -> Any:
        return self._features(validate_data(self, X, accept_sparse="csr", reset=False))

    def decision_function(self, X: Any) -> Floats:
        """Log odds of the second of two classes, or of each label; for several classes log P(c) + log P(d|c) of each.

        With several classes, up to a term that depends on the document alone.
        """
        scores = self._scores(X)
        return scores[:, 0] if self._two_classes else scores

    def predict_log_proba(self, X: Any) -> Floats:
        """Log of the posterior probability of each class; of each label on its own."""
        scores = self._scores(X)
        if self._labels.multilabel:
            return -np.logaddexp(0.0, -scores)
        if self._two_classes:
            return -np.logaddexp(0.0, np.column_stack([scores[:, 0], -scores[:, 0]]))
        return scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)

    def predict_proba(self, X: Any) -> Floats:
        """Posterior probability of each class; of each label on its own."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> Any:
        """The class with the largest posterior, a tie to the first; or every label whose log odds are above 0."""
        check_is_fitted(self, "weights_")
        if self._labels.multilabel:
            return self._labels.indicator(self._scores(X) > 0)
        if self._two_classes:
            return self.classes_[(self._scores(X)[:, 0] > 0).astype(int)]
        best, _ = best_outputs(self.weights_, self._read(X), need_scores=False)
        return self.classes_[best[:, 0]]

    def top_k(self, X: Any, k: int) -> tuple[NDArray[Any], Floats]:
        """The k best classes of each document, best first, with their scores as in `decision_function`.

        Of two classes each one's score is its log odds. All but the few classes in question are ruled out without a
        full sum, and nothing is sorted.

        Examples
        --------
        >>> from priorwise import MultinomialNB
        >>> model = MultinomialNB().fit([[2, 0, 0], [0, 2, 0], [0, 0, 2]], ["a", "b", "c"])
        >>> model.top_k([[1, 3, 0]], 2)[0].tolist()
        [['b', 'a']]
        """
        check_is_fitted(self, "weights_")
        if k < 1:
            raise InputError(f"k must be at least 1, not {k}")
        if self._two_classes:
            scores = self._scores(X)[:, 0]
            both = np.column_stack([-scores, scores])
            order = np.argsort(-both, axis=1, kind="stable")[:, :k]
            return self.classes_[order], np.take_along_axis(both, order, axis=1)
        best, scores = best_outputs(self.weights_, self._read(X), k)
        return self.classes_[best], scores

    @property
    def _two_classes(self) -> bool:
        return self._labels.n_outputs == 1 and len(self.classes_) == 2

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = True
        tags.classifier_tags.multi_label = True
        return tags
