"""Priors made from texts about the classes: the knowledge paper's four methods, and texts as examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError
from priorwise.priors.coefficients import CoefficientPrior, Laplace
from priorwise.priors.keywords import count_words

Floats = NDArray[np.float64]
Text = str | Mapping[str, float]

METHODS = ("var", "var-tfidf", "mode", "mode-tfidf")


def significance(counts: Floats) -> Floats:
    """How much a word says of the class whose text it is in: texts in rows, words in columns::

        significance(t, Q) = (1 + log tf(t, text of Q)) · log((texts + 1)/(texts containing t + 1))

    Examples
    --------
    >>> significance(np.array([[1.0, 3.0, 1.0], [0.0, 0.0, 2.0]])).round(3)
    array([[0.405, 0.851, 0.   ],
           [0.   , 0.   , 0.   ]])
    """
    texts, holding = len(counts), np.count_nonzero(counts, axis=0)
    with np.errstate(divide="ignore"):
        frequency = np.where(counts > 0, 1.0 + np.log(counts), 0.0)
    weighted: Floats = frequency * np.log((texts + 1) / (holding + 1))
    return weighted


def from_texts(
    texts: Text | Sequence[Text],
    vectorizer: Any,
    method: str = "var-tfidf",
    strength: float = 1.0,
    *,
    variance: float = 1.0,
    prior: type[CoefficientPrior] = Laplace,
    others: Sequence[Text] = (),
) -> CoefficientPrior:
    """Make the prior of every word of the vocabulary from one text for each class.

    Knowledge words are those of a class's text. All other words have mode 0 and variance σ². With C the `strength`::

        method        mode of a knowledge word    variance of a knowledge word
        var           0                           C·σ²
        var-tfidf     0                           C·significance·σ²
        mode          C                           σ²
        mode-tfidf    C·significance              σ²

    A word of significance 0, which every text contains, is as any other word.

    Parameters
    ----------
    texts : str, mapping, or sequence of them
        A text, or keywords with weights as `parse_keywords` gives them: one for a single output, or one per output in
        the order of ``classes_``. A keyword's weight multiplies its significance, or C; a negative one turns the mode
        round, and leaves a variance alone.
    vectorizer : CountVectorizer or TfidfVectorizer
        Fitted; texts are read as it reads documents.
    method : {"var", "var-tfidf", "mode", "mode-tfidf"}
        As above.
    strength : float
        C; with σ² it is chosen by cross-validation (`try_priors`).
    variance : float
        σ².
    prior : Gaussian or Laplace
        The kind of prior.
    others : sequence
        More texts, about classes that are not asked for: they only say how common a word is among texts.

    References
    ----------
    *knowledge*: Dayanik, Lewis, Madigan, Menkov and Genkin, *Constructing informative prior distributions from domain
    knowledge in text classification*.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> vectorizer = CountVectorizer().fit(["wheat corn tonnes", "oil barrels tonnes"])
    >>> made = from_texts({"wheat": 1.0, "oil": -1.0}, vectorizer, "mode", strength=2.0)
    >>> print(made.describe(vectorizer.get_feature_names_out()))
    word              mode  ± spread  as odds
    oil                 -2         1  'oil' divides the odds by 7.4, give or take a factor of 2.7
    wheat                2         1  'wheat' multiplies the odds by 7.4, give or take a factor of 2.7
    every other word     0         1  it leaves the odds as they are, give or take a factor of 2.7
    """
    if method not in METHODS:
        raise InputError(f"no method '{method}'; there are {', '.join(map(repr, METHODS))}")
    if not (np.isfinite(strength) and strength > 0 and np.isfinite(variance) and variance > 0):
        raise InputError(f"strength and variance must be positive numbers, not {strength!r} and {variance!r}")
    single = isinstance(texts, str | Mapping)
    own: Sequence[Text] = [texts] if isinstance(texts, str | Mapping) else list(texts)
    if not own:
        raise InputError("no knowledge text: give one for each class")
    counts, weights = count_words([*own, *others], vectorizer)
    size = significance(counts) if method.endswith("tfidf") else (counts > 0).astype(np.float64)
    size, weights = size[: len(own)], weights[: len(own)]
    known = size > 0
    if method.startswith("var"):
        made = prior(variance=np.where(known, strength * size * np.abs(weights) * variance, variance), mode=0.0)
    else:
        made = prior(variance=variance, mode=np.where(known, strength * size * weights, 0.0))
    if not single:
        return made
    return prior(variance=_first(made.variance), mode=_first(made.mode))


def as_examples(
    documents: Sequence[str], labels: Sequence[Any], texts: Mapping[Any, str], copies: int = 5
) -> tuple[list[str], list[Any]]:
    """Add each class's text to the documents as `copies` more of its examples (DK examples).

    Examples
    --------
    >>> as_examples(["wheat rose"], ["grain"], {"oil": "crude barrel"}, copies=2)
    (['wheat rose', 'crude barrel', 'crude barrel'], ['grain', 'oil', 'oil'])
    """
    if copies < 1:
        raise InputError(f"copies must be at least 1, not {copies!r}")
    if len(documents) != len(labels):
        raise InputError(f"there are {len(documents)} documents and {len(labels)} labels: give one label for each")
    more = [(text, label) for label, text in texts.items() for _ in range(copies)]
    return [*documents, *(text for text, _ in more)], [*labels, *(label for _, label in more)]


def _first(numbers: Any) -> Any:
    table = np.asarray(numbers)
    return table[0] if table.ndim == 2 else float(table)
