"""Priors made from texts about the classes: the knowledge paper's four methods, and texts as examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from priorwise.errors import InputError
from priorwise.kernels import Floats
from priorwise.priors.informed import ImaginedTexts, Informed
from priorwise.priors.keywords import check_weights, count_words
from priorwise.priors.regression import CoefficientPrior, Laplace

Text = str | Mapping[str, float]
METHODS = ("var", "var-tfidf", "mode", "mode-tfidf")


def significance(counts: Floats) -> Floats:
    """How much a word says of the class whose text it is in: texts in rows, words in columns::

    significance(t, Q) = (1 + log tf(t, text of Q)) · log((texts + 1)/(texts containing t + 1))
    """
    texts, holding = len(counts), np.count_nonzero(counts, axis=0)
    with np.errstate(divide="ignore"):
        frequency = np.where(counts > 0, 1.0 + np.log(counts), 0.0)
    return frequency * np.log((texts + 1) / (holding + 1))


def informed(
    texts: Text | Sequence[Text | None],
    vectorizer: Any,
    method: str = "var-tfidf",
    strength: float = 1.0,
    *,
    variance: float = 1.0,
    prior: type[CoefficientPrior] = Laplace,
    others: Sequence[Text] = (),
) -> Informed:
    """Make the prior of every word of the vocabulary from one text for each class; its grid is the paper's (C, σ²).

    Knowledge words are those of a class's text. All other words have mode 0 and variance σ². With C the `strength`::

        method        mode of a knowledge word    variance of a knowledge word
        var           0                           C·σ²
        var-tfidf     0                           C·significance·σ²
        mode          C                           σ²
        mode-tfidf    C·significance              σ²

    A word of significance 0, which every text contains, is as any other word.

    `texts`: a text, or keywords with weights as `Keywords` holds them: one for a single output, or one per output
    in the order of ``classes_``, None where nothing is known. A keyword's weight multiplies its significance, or C;
    a negative one turns the mode round, and leaves a variance alone. `vectorizer`: fitted; texts are read as it
    reads documents. `method` ("var", "var-tfidf", "mode", "mode-tfidf"): as above. `strength`: C; with σ² it is
    chosen by cross-validation (`PriorSearch`). `variance`: σ². `prior`: the kind of prior. `others`: more texts,
    about classes that are not asked for: they only say how common a word is among texts.

    *knowledge*: Dayanik, Lewis, Madigan, Menkov and Genkin, *Constructing informative prior distributions from
    domain knowledge in text classification*.
    """
    from scipy.sparse import csr_matrix

    if method not in METHODS:
        raise InputError(f"no method '{method}'; there are {', '.join(map(repr, METHODS))}")
    if not (np.isfinite(strength) and strength > 0 and np.isfinite(variance) and variance > 0):
        raise InputError(f"strength and variance must be positive numbers, not {strength!r} and {variance!r}")
    if isinstance(texts, Mapping):
        check_weights(texts)
    own: Sequence[Text | None] = [texts] if isinstance(texts, str | Mapping) else list(texts)
    given = [row for row, text in enumerate(own) if text is not None]
    if not given:
        raise InputError("no knowledge text: give one for each class")
    if method.endswith("tfidf") and len(given) + len(others) == 1:
        raise InputError(
            f"'{method}' weighs words by how few of the texts have them, and there is one text alone: use "
            f"'{method.removesuffix('-tfidf')}', or give texts about other classes as well"
        )
    counts, weights = count_words([text for text in [*own, *others] if text is not None], vectorizer)
    size = significance(counts) if method.endswith("tfidf") else (counts > 0).astype(np.float64)
    known = np.zeros((len(own), counts.shape[1]))
    known[given] = (size * weights)[: len(given)]
    moves = "variance" if method.startswith("var") else "mode"
    return Informed(prior, csr_matrix(known), moves, strength, variance)


def from_texts(texts: Text | Sequence[Text | None], vectorizer: Any, *how: Any, **more: Any) -> CoefficientPrior:
    """Make the same prior as `informed`, written out: a number for each class and word. The arguments are the same."""
    return informed(texts, vectorizer, *how, **more).prior()


def of_two_classes(believed: Informed) -> Informed:
    """Turn the knowledge of two classes into that of their one output: the first class's words speak against it."""
    if believed.known.shape[0] != 2:
        raise InputError(f"two classes have two rows, not {believed.known.shape[0]}")
    first, second = believed.known[[0]], believed.known[[1]]
    known = second - first if believed.moves == "mode" else abs(first).maximum(abs(second))
    return replace(believed, known=known.tocsr())


def pseudo_counts(
    texts: Sequence[Text | None],
    vectorizer: Any,
    strength: float = 10.0,
    *,
    prior: Any,
    of: str = "words",
    significant: bool = True,
    others: Sequence[Text] = (),
) -> ImaginedTexts:
    """Make imagined counts for a naive Bayes model from one text for each class: the texts of `informed`.

    `texts`: a text, or keywords with weights, for each class in the order of ``classes_``; None where nothing is
    known. For labels of an indicator matrix, one for each. A word of negative weight is one that the imagined texts
    lack. `vectorizer`: fitted; texts are read as it reads documents. `strength`: how many words, or documents, are
    imagined of each class that has a text; `PriorSearch` can choose it. `prior`: the prior of every word
    alike: ``Dirichlet(0.1)``, say, or ``Beta(0.1, 0.3)``. `of` ("words", "documents"): imagined words for
    `MultinomialNB`, in the proportions of the text; or for `BernoulliNB` imagined documents, each of which holds
    every word of the text. `significant`: whether words count by their significance among the texts, so that those
    which every text has are left out. `others`: more texts, about classes that are not asked for.
    """
    from scipy.sparse import csr_matrix

    given = [row for row, text in enumerate(texts) if text is not None]
    if not given:
        raise InputError("no knowledge text: give one for each class")
    counts, weights = count_words([text for text in [*texts, *others] if text is not None], vectorizer)
    size = significance(counts) if significant else counts
    size = (size * np.maximum(weights, 0.0))[: len(given)]
    empty = np.flatnonzero(size.sum(axis=1) == 0)
    if len(empty):
        raise InputError(
            f"every word of knowledge text {given[empty[0]]} is in all texts: it tells no class from another"
        )
    shares = np.zeros((len(texts), counts.shape[1]))
    shares[given] = size / size.sum(axis=1, keepdims=True) if of == "words" else size > 0
    return ImaginedTexts(prior, csr_matrix(shares), of, strength)
