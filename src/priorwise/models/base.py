"""What every estimator with a prior is: it declares which priors it takes, what it reads and what its scores mean.

`priorwise train --model`, the explorer and `PriorSearch` read that from the class, so a new model is one class.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from priorwise.counting import hyphenated
from priorwise.errors import InputError, UnknownName
from priorwise.kernels import Floats
from priorwise.models.labels import OutputLabels
from priorwise.models.weights import Weights, label_scores, log_probabilities
from priorwise.priors.base import CountSummary, Prior, checked, is_several, serving

if TYPE_CHECKING:
    from priorwise.search import HeldOut, Target


MODELS: dict[str, type[PriorModel]] = {}
"""Every model that has been defined, by name."""

MODULES = (
    "naive_bayes.estimators",
    "naive_bayes.presence",
    "regression.logistic",
    "regression.probit",
)
"""The modules of this folder that define models, in the order in which people are told of them."""


class PriorByName(BaseEstimator):
    """An estimator whose prior's fields scikit-learn can set by name, as in ``prior__variance``."""

    prior: Any
    usual_target: ClassVar[Target | None] = None
    """What a search for the best prior aims at, unless someone says otherwise."""

    @property
    def given_prior(self) -> Any:
        """The prior, or the default."""
        return self.prior if self.prior is not None else self._default_prior()

    def _default_prior(self) -> Any:
        raise NotImplementedError

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name, with ``prior__…`` for the fields of a prior, the default one's too."""
        found: dict[str, Any] = super().get_params(deep=deep)
        if deep and found.get("prior", self) is None:
            found |= {f"prior__{name}": value for name, value in self._default_prior().get_params().items()}
        return found

    def set_params(self, **given: Any) -> Self:
        """Set parameters. A prior never changes: ``prior__alpha=0.1`` puts another one in its place."""
        numbers = {name.removeprefix("prior__"): given.pop(name) for name in list(given) if name.startswith("prior__")}
        super().set_params(**given)
        if numbers:
            prior = self.given_prior
            if is_several(prior):
                raise InputError("each class has a prior of its own here: set 'prior' as a whole")
            for name in numbers.keys() - prior.get_params().keys():
                raise UnknownName("field of the prior", name, prior.get_params(), complete=True)
            self.prior = replace(prior, **numbers)
        return self


class PriorModel(PriorByName):
    """Base of the estimators that have a prior. Defining a subclass registers it under its command-line name.

    With ``listed=False`` a class is not registered: a base of several models.
    """

    name: ClassVar[str]
    """Its name on the command line: the class's, without NB or Regression, in lower case with hyphens."""
    asks: ClassVar[type[Prior]]
    """The protocol of the priors that it takes."""
    reads: ClassVar[str] = "counts"
    """What it reads of a word: its count, or only its presence."""
    link: ClassVar[str] = "softmax"
    """What makes probabilities of scores, as in a saved model."""
    regression: ClassVar[bool] = False
    """Whether it fits coefficients to features, and does not count."""
    usual_folds: ClassVar[int | None] = None
    """In how many folds a prior is learned; None is exact leave-one-out."""
    shares_folds: ClassVar[bool] = False
    """Whether a search shares its work among folds, and can also leave out one document at a time by approximation."""
    prepares_for_one_kind: ClassVar[bool] = False
    """Whether what `held_out` prepares serves only priors of the kind that the model has."""
    trains: ClassVar[bool] = True
    """Whether ``priorwise train`` offers it."""
    explored: ClassVar[str] = ""
    """Its heading in the explorer; empty if it is not there. Not inherited, for a subclass may read otherwise."""

    def __init_subclass__(cls, *, listed: bool = True, **more: Any) -> None:
        super().__init_subclass__(**more)
        short = cls.__name__.removesuffix("NB").removesuffix("Regression")
        cls.name = vars(cls).get("name", hyphenated(short))
        if listed:
            MODELS[cls.name] = cls

    @classmethod
    def priors(cls) -> dict[str, type[Prior]]:
        """List the priors that it takes by name, the default one's class first."""
        usual = type(cls().given_prior)
        return {usual.name: usual, **serving(cls.asks)}

    @classmethod
    def learned_priors(cls) -> tuple[Prior, ...]:
        """List what ``priorwise train`` chooses from if nobody names a prior; empty if it learns none unasked."""
        return ()

    @classmethod
    def with_prior(cls, prior: Any, **options: Any) -> Self:
        """Make an estimator with this prior, and with those of the options that it has."""
        return cls(prior=prior, **{name: value for name, value in options.items() if name in cls._get_param_names()})

    def check_prior(self, prior: Any) -> None:
        """Refuse a prior that is not for this model."""
        checked(prior, self.asks, type(self).__name__)

    def _counted(self) -> CountSummary | None:
        """What was counted, for the prior to describe itself by; None if nothing was."""
        return None

    def describe_prior(self) -> str:
        """Say in words what the prior, or the one of each label, means for what was counted."""
        prior = self.given_prior
        if not is_several(prior):
            return str(prior.describe(self._counted()))
        common = Counter(map(repr, prior)).most_common()
        shown = ", ".join(f"{name} of {count:,}" for name, count in common[:5])
        more = f" and {len(common) - 5:,} others" if len(common) > 5 else ""
        return f"each label has its own: {shown}{more}"

    def held_out(self, X: Any, y: Any, weight: Any, folds: Any = None, grid: Sequence[Any] | None = None) -> HeldOut:
        """Score every document, under any prior, by models that have not seen it: here, by cross-validation.

        `folds` says how to hold documents out, if not in the model's own way, and `grid` what to choose from.
        """
        from priorwise.models.prior_search import FoldedScores

        return FoldedScores(self, X, y, weight, folds, grid)

    def _take(self, weights: Weights) -> None:
        """Predict with these weights from now on."""
        self.__dict__["weights_"] = weights

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        written = cast("str", super().__repr__(N_CHAR_MAX))
        if self.prior is not None:
            return written
        name, _, rest = written.partition("(")
        return f"{name}(prior={self._default_prior()!r}{', ' if rest != ')' else ''}{rest}"


class LinearClassifier(ClassifierMixin, PriorModel, listed=False):
    """Base of the estimators: an output is the second of two classes, one of several, or a label against the rest."""

    _labels: OutputLabels
    classes_: NDArray[Any]

    def _scores(self, X: Any) -> Floats:
        """A column for each output."""
        raise NotImplementedError

    def _first_classes(self, y: Any, classes: Any) -> None:
        """Take the classes of the first call of `partial_fit`; refuse others later."""
        if not hasattr(self, "classes_"):
            labels = OutputLabels.of(y, classes)
            if classes is None and not labels.multilabel:
                raise InputError("classes must be given at the first call of partial_fit")
            self._labels, self.classes_ = labels, labels.classes
        elif classes is not None and not np.array_equal(np.unique(np.asarray(classes)), self.classes_):
            raise InputError(f"classes {classes!r} differ from those of the first call, {self.classes_.tolist()}")

    @property
    def _two_classes(self) -> bool:
        return self._labels.n_outputs == 1 and len(self.classes_) == 2

    def decision_function(self, X: Any) -> Floats:
        """Score of the second of two classes, else one column per class or label.

        The score of several classes in naive Bayes is log P(c) + log P(d|c), up to a term that all classes share.
        """
        scores = self._scores(X)
        return scores[:, 0] if self._two_classes else scores

    def predict_log_proba(self, X: Any) -> Floats:
        """Log of the probability of each class; of each label on its own.

        In a regression of more than two classes, the one-vs-rest probabilities are divided by their sum.
        """
        scores = label_scores(self._scores(X), len(self.classes_))
        if len(self.classes_) == 1 and not self._labels.multilabel:
            return np.zeros(scores.shape)
        return log_probabilities(scores, self.link, multilabel=self._labels.multilabel)

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class; of each label on its own."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> Any:
        """The class with the largest score, a tie to the first; or every label whose score is above 0."""
        scores = self._scores(X)
        if self._labels.multilabel:
            return self._labels.indicator(scores > 0)
        best = (scores[:, 0] > 0).astype(int) if self._two_classes else np.argmax(scores, axis=1)
        return self.classes_[best]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags


def models() -> dict[str, type[PriorModel]]:
    """List every model by name: those of this package, and those that have been defined elsewhere."""
    for module in MODULES:
        importlib.import_module(f"priorwise.models.{module}")
    own = [name for name, model in MODELS.items() if model.__module__.startswith("priorwise.")]
    places = {f"priorwise.models.{module}": place for place, module in enumerate(MODULES)}
    order = sorted(own, key=lambda name: places.get(MODELS[name].__module__, len(places)))
    return {name: MODELS[name] for name in [*order, *(set(MODELS) - set(own))]}
