"""Transformers in the manner of scikit-learn: texts to words, counts to weights, and which columns to keep."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from priorwise.errors import BrokenFile, InputError, optional
from priorwise.features.matrices import validate_data
from priorwise.features.recipe import inverse_document_frequency, term_frequency
from priorwise.kernels import Floats
from priorwise.readers.opening import small_text
from priorwise.text.tokens import tokens

LARGEST_LIST = 1 << 24
"""Bytes of the longest file that is taken for a stop list."""


class Words(TransformerMixin, BaseEstimator):
    """Cut texts into words, leave out stop words, and stem what is left.

    It is a transformer of texts into texts, words with spaces between, and it is a function of one text as well::

        CountVectorizer(analyzer=Words("english", "porter"))

    so that `knowledge` reads texts as that vectorizer does.

    Parameters
    ----------
    stop_words : "english", path, or collection of str, optional
        Words to leave out, before stemming: scikit-learn's English list; a file of words, such as SMART's, separated by
        spaces or lines, in which what follows ``#`` is a remark; or the words themselves.
    stemmer : str or callable, optional
        ``"porter"`` or another algorithm of the package snowballstemmer (``"english"`` is Porter's second), or a
        function of a word. Stems are remembered: a word is stemmed once.

    Examples
    --------
    >>> Words("english", "porter").transform(["The harvests were relational!"]).tolist()
    ['harvest relat']
    >>> Words(stop_words={"the"})("The wheat, the corn")
    ['wheat', 'corn']
    """

    def __init__(
        self, stop_words: str | Path | Iterable[str] | None = None, stemmer: str | Callable[[str], str] | None = None
    ) -> None:
        self.stop_words = stop_words
        self.stemmer = stemmer

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Check the parameters; there is nothing to learn."""
        self._reader()
        return self

    def transform(self, X: Iterable[str]) -> Any:
        """Turn each text into its words, with spaces between."""
        if isinstance(X, str):
            raise InputError("give a list of texts, not one text")
        read = self._reader()
        return np.array([" ".join(read(text)) for text in X], dtype=object)

    def __call__(self, text: str) -> list[str]:
        return self._reader()(text)

    def _reader(self) -> Callable[[str], list[str]]:
        """The function of these parameters; made once, because every text needs it."""
        made = self.__dict__.get("_made")
        if made is None or made[0] is not self.stop_words or made[1] is not self.stemmer:
            made = self._made = (self.stop_words, self.stemmer, self._make_reader())
        return made[2]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_made"}

    def _make_reader(self) -> Callable[[str], list[str]]:
        stop = stop_list(self.stop_words)
        if self.stemmer is None:
            return lambda text: [word for word in tokens(text) if word not in stop]
        if callable(self.stemmer):
            stem = self.stemmer
            return lambda text: [stem(word) for word in tokens(text) if word not in stop]
        stems = stems_of(self.stemmer)
        return lambda text: [stems[word] for word in tokens(text) if word not in stop]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = False
        return tags


def stop_list(given: str | Path | Iterable[str] | None) -> frozenset[str]:
    """The words to leave out, cut as texts are: a list's *don't* is one word here."""
    if given is None:
        return frozenset()
    if given == "english":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS)
    if isinstance(given, str | Path):
        return _of_file(Path(given))
    return frozenset(word for entry in given for word in tokens(entry))


def _of_file(path: Path) -> frozenset[str]:
    if not path.is_file():
        raise BrokenFile(path, "there is no such stop list; 'english' is scikit-learn's")
    text = small_text(path, LARGEST_LIST, "stop list")
    words = frozenset(word for line in text.splitlines() for word in tokens(line.split("#")[0]))
    if not words:
        raise BrokenFile(path, "a stop list without a word")
    return words


class Stems(dict[str, str]):
    """The stem of each word that was asked for; the stemmer's own state is kept to one thread at a time."""

    def __init__(self, algorithm: str) -> None:
        super().__init__()
        snowballstemmer = optional("snowballstemmer", "stemming")
        known = snowballstemmer.algorithms()
        if algorithm not in known:
            raise InputError(f"no stemmer '{algorithm}'; there are {', '.join(sorted(known))}")
        self._stemmer, self._lock = snowballstemmer.stemmer(algorithm), Lock()

    def __missing__(self, word: str) -> str:
        with self._lock:
            found = self[word] = str(self._stemmer.stemWord(word))
        return found


@cache
def stems_of(algorithm: str) -> Stems:
    """The stems of an algorithm, remembered for all who ask."""
    return Stems(algorithm)


class TermFrequency(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """What a count of f says of a document.

    ::

        raw       f
        boolean   1
        log       1 + log f

    each where f is positive, and 0 where it is 0.

    Parameters
    ----------
    kind : {"log", "raw", "boolean"}
        Which of them.

    Examples
    --------
    >>> TermFrequency("log").fit_transform([[0, 1, 20]]).toarray().round(3)
    array([[0.   , 1.   , 3.996]])
    """

    def __init__(self, kind: str = "log") -> None:
        self.kind = kind

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the counts; there is nothing to learn."""
        _counts(self, X, reset=True)
        return self

    def transform(self, X: Any) -> sp.csr_matrix:
        """Turn counts into term frequencies."""
        counts = _counts(self, X, reset=False)
        counts.data = term_frequency(counts.data, self.kind)
        return counts

    def __sklearn_tags__(self) -> Any:
        return _count_tags(super().__sklearn_tags__(), fitted=False)


class InverseDocumentFrequency(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Multiply every column by how rare its word is: with N documents, n of which hold the word.

    ::

        lookahead   log((N + 1)/(n + 1))            the papers'
        plain       log(N/n), 0 for a word that no document holds
        smooth      log((N + 1)/(n + 1)) + 1        scikit-learn's

    Parameters
    ----------
    kind : {"lookahead", "plain", "smooth"}
        Which of them.
    population : matrix, optional
        Documents to count in, if not those that are fitted: the papers count in the whole training population even
        when they train on a few documents of it.

    Attributes
    ----------
    idf_ : array, shape (n_features,)
        The factor of each column.

    Examples
    --------
    >>> InverseDocumentFrequency().fit([[1, 0], [1, 1], [1, 0]]).idf_.round(3)
    array([0.   , 0.693])
    >>> InverseDocumentFrequency(population=[[1, 0]] * 7).fit([[1, 0]]).idf_.round(3)
    array([0.   , 2.079])
    """

    def __init__(self, kind: str = "lookahead", *, population: Any = None) -> None:
        self.kind = kind
        self.population = population

    def fit(self, X: Any, y: Any = None) -> Self:
        """Count in how many documents each word occurs."""
        documents = _counts(self, X, reset=True)
        if self.population is not None:
            documents = sp.csr_matrix(self.population, dtype=np.float64)
            if documents.shape[1] != self.n_features_in_:
                raise InputError(
                    f"population has {documents.shape[1]} columns, but X {self.n_features_in_}: give the same words"
                )
        holding = np.bincount(documents.indices[documents.data != 0], minlength=documents.shape[1]).astype(np.float64)
        self.idf_ = inverse_document_frequency(holding, documents.shape[0], self.kind)
        return self

    def transform(self, X: Any) -> sp.csr_matrix:
        """Multiply the columns."""
        check_is_fitted(self, "idf_")
        weighted = _counts(self, X, reset=False)
        weighted.data *= self.idf_[weighted.indices]
        return weighted

    def __sklearn_tags__(self) -> Any:
        return _count_tags(super().__sklearn_tags__(), fitted=True)


def _counts(estimator: Any, X: Any, *, reset: bool) -> sp.csr_matrix:
    X = validate_data(
        estimator, X, accept_sparse="csr", dtype=np.float64, reset=reset, ensure_non_negative=True, copy=True
    )
    counts = sp.csr_matrix(X)
    counts.eliminate_zeros()
    return counts


def _count_tags(tags: Any, *, fitted: bool) -> Any:
    tags.input_tags.sparse = True
    tags.input_tags.positive_only = True
    tags.requires_fit = fitted
    return tags


class PearsonSelection(SelectorMixin, BaseEstimator):
    """Keep the `k` columns with the largest absolute correlation with the label.

    ::

        r_j = Σ_i (x_ij − x̄_j)(y_i − ȳ) / √(Σ_i (x_ij − x̄_j)² · Σ_i (y_i − ȳ)²)

    With several classes, or labels, a column counts by its best one.

    Parameters
    ----------
    k : int
        How many columns; all if there are fewer.

    Attributes
    ----------
    scores_ : array, shape (n_features,)
        ``|r_j|``; 0 for a column that is constant.

    References
    ----------
    *sparse*: Eyheramendy and others, *Sparse Bayesian classifiers for text categorization*.

    Examples
    --------
    >>> X = np.array([[1.0, 5.0, 0.0], [2.0, 5.0, 1.0], [3.0, 5.0, 0.0], [4.0, 5.0, 1.0]])
    >>> selection = PearsonSelection(1).fit(X, [0, 0, 1, 1])
    >>> selection.scores_.round(3), selection.get_support().tolist()
    (array([0.894, 0.   , 0.   ]), [True, False, False])
    """

    def __init__(self, k: int = 300) -> None:
        self.k = k

    def fit(self, X: Any, y: Any) -> Self:
        """Correlate each column with the labels."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, multi_output=True, reset=True)
        check_classification_targets(y)
        if not (isinstance(self.k, int | np.integer) and self.k >= 1):
            raise InputError(f"k must be a whole number of at least 1, not {self.k!r}")
        if getattr(y, "ndim", 1) == 2:
            members = y.toarray() if sp.issparse(y) else y
        else:
            classes = np.unique(y)
            members = y[:, np.newaxis] == (classes[1:] if len(classes) == 2 else classes)
        self.scores_ = np.max(np.abs(correlations(X, members.astype(np.float64))), axis=1, initial=0.0)
        return self

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "scores_")
        kept = np.zeros(len(self.scores_), dtype=bool)
        kept[np.argsort(-self.scores_, kind="stable")[: self.k]] = True
        return kept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def correlations(X: Any, Y: Floats) -> Floats:
    """Pearson's r of every column of X with every column of Y, without making X dense; 0 where either is constant."""
    n = X.shape[0]
    mean = np.asarray(X.mean(axis=0)).ravel()
    squares = np.asarray((X.multiply(X) if sp.issparse(X) else X**2).sum(axis=0)).ravel()
    spread = np.maximum(squares - n * mean**2, 0.0)
    centred = Y - Y.mean(axis=0)
    together = np.asarray(X.T @ centred)
    scale = np.sqrt(spread[:, np.newaxis] * np.sum(centred**2, axis=0))
    # What is left of a constant column is rounding.
    steady = spread <= 1e-12 * np.maximum(squares, 1e-300)
    scale[steady] = 0.0
    return np.divide(together, scale, out=np.zeros_like(together), where=scale > 0)


class WordMatrix(sp.csr_matrix):
    """A sparse matrix with the word of each column in `words`; rows taken from it have none."""

    words: Any = None


class NamedColumns(TransformerMixin, BaseEstimator):
    """A vectorizer that tells the next step of a pipeline which word each column is.

    A prior that is about words, such as ``Informed(Laplace, {"wheat": 2.0}, "mode")``, needs that: in
    cross-validation every fold has a vocabulary of its own.

    Parameters
    ----------
    vectorizer : transformer
        A `TfidfVectorizer`, or anything else with `get_feature_names_out`.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> from priorwise import Informed, Laplace, LogisticRegression
    >>> known = Informed(Laplace, {"wheat": 2.0, "oil": -1.0}, "mode")
    >>> model = make_pipeline(NamedColumns(TfidfVectorizer()), LogisticRegression(known))
    >>> model.fit(["wheat rose", "oil fell"], [1, 0]).predict(["wheat"]).tolist()
    [1]
    """

    def __init__(self, vectorizer: Any) -> None:
        self.vectorizer = vectorizer

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the vocabulary."""
        self.vectorizer_ = clone(self.vectorizer).fit(X, y)
        return self

    def transform(self, X: Any) -> WordMatrix:
        """Turn texts into a matrix with named columns."""
        check_is_fitted(self, "vectorizer_")
        made = WordMatrix(self.vectorizer_.transform(X))
        made.words = self.get_feature_names_out()
        return made

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The word of each column."""
        return self.vectorizer_.get_feature_names_out()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags
