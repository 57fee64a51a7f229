"""What a prior means, in words: its centre and its strength on the data at hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

from priorwise.counting import some


def prior_in_words(prior: Any, counts: Any, *, of_words: bool = False) -> str:
    """Say what is believed before reading, and how much text it takes to change that.

    Parameters
    ----------
    prior : prior, or sequence of one for each label
        What to tell.
    counts : ClassCounts or None
        What the model counted, if it counts.
    of_words : bool
        Whether it counted words, and not the documents that have them.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_matrix
    >>> from priorwise import Dirichlet
    >>> from priorwise.models.class_counts import ClassCounts
    >>> counts = ClassCounts.of(csr_matrix([[3.0, 1.0], [0.0, 2.0]]), csr_matrix(np.eye(2)), np.ones(2))
    >>> prior_in_words(Dirichlet(0.5), counts)
    'centre: each of the 2 words alike; strength: 1 imagined word, beside 3 counted in a class on average'
    """
    if isinstance(prior, tuple | list):
        common = Counter(map(repr, prior)).most_common()
        shown = ", ".join(f"{name} of {count:,}" for name, count in common[:5])
        more = f" and {len(common) - 5:,} others" if len(common) > 5 else ""
        return f"each label has its own: {shown}{more}"
    name = type(prior).__name__
    tell = _TELL_OF_WORDS.get(name, _TELL.get(name)) if of_words else _TELL.get(name)
    return tell(prior, counts) if tell is not None else repr(prior)


def _words(strength: float, counts: Any) -> str:
    return f"strength: {some(strength, 'imagined word')}, beside {_counted(counts)} counted in a class on average"


def _counted(counts: Any) -> str:
    return f"{float(counts.sizes.occurrences.mean()):,.0f}"


def _documents(strength: float, counts: Any) -> str:
    members = float(counts.documents.mean())
    return f"strength: {some(strength, 'imagined document')}, beside {members:,.0f} in a class on average"


UNSEEN = "centre: all words that a class has never seen alike"
COLLECTION = "centre: the share of all documents that have a word"
WORDS = "centre: the share of all words that a word is"


def _dirichlet(prior: Any, counts: Any) -> str:
    return f"centre: each of the {counts.n_tokens:,} words alike; {_words(prior.strength(counts.n_tokens), counts)}"


def _by_distinct(prior: Any, counts: Any) -> str:
    return f"{UNSEEN}; {_words(prior.strength(float(counts.sizes.distinct.mean())), counts)}"


def _by_occurrences(prior: Any, counts: Any) -> str:
    return f"{UNSEEN}; {_words(prior.strength(float(counts.sizes.occurrences.mean())), counts)}"


def _beta(prior: Any, counts: Any) -> str:
    return f"centre: a word is in {prior.centre:.3g} of the documents; {_documents(prior.strength, counts)}"


def _jelinek_mercer(prior: Any, counts: Any) -> str:
    return f"{COLLECTION}; {_documents(prior.strength(float(counts.documents.mean())), counts)}"


def _collection_beta(prior: Any, counts: Any) -> str:
    return f"{COLLECTION}; {_documents(prior.strength, counts)}"


def _jelinek_mercer_of_words(prior: Any, counts: Any) -> str:
    return f"{WORDS}; {_words(prior.strength(float(counts.sizes.occurrences.mean())), counts)}"


def _collection_beta_of_words(prior: Any, counts: Any) -> str:
    return f"{WORDS}; {_words(prior.strength, counts)}"


def _term_beta(prior: Any, counts: Any) -> str:
    return f"{COLLECTION}; strength: read from the data for each word and class, times {prior.scale:g}"


def _weight_manipulation(prior: Any, counts: Any) -> str:
    return f"no centre: all words that a class has never seen share a weight of {prior.gamma:g}"


def _coefficients(prior: Any, counts: Any) -> str:
    import numpy as np

    from priorwise.priors.odds import odds_sentence

    if np.ndim(prior.variance) or np.ndim(prior.mode):
        return "each word has a centre and a strength of its own"
    said, _, margin = odds_sentence(prior.mode, float(np.sqrt(prior.variance))).partition(", ")
    return f"centre: a word {said}; strength: {margin}, for each unit of its weight" if margin else f"a word {said}"


def _informed(prior: Any, counts: Any) -> str:
    known = "a push of C" if prior.moves == "mode" else "a variance of C times the others'"
    others = _coefficients(prior.kind(prior.variance), None)
    return f"knowledge gives its words {known}, by how much it says, C = {prior.strength:g}; of all others, {others}"


def _jeffreys(prior: Any, counts: Any) -> str:
    return "centre: a word says nothing; strength: no number to choose, for it may also say anything"


_TELL = {
    "Dirichlet": _dirichlet,
    "AbsoluteDiscount": _by_distinct,
    "WittenBell": _by_distinct,
    "LinearDiscount": _by_occurrences,
    "Beta": _beta,
    "JelinekMercer": _jelinek_mercer,
    "CollectionBeta": _collection_beta,
    "TermBeta": _term_beta,
    "WeightManipulation": _weight_manipulation,
    "Gaussian": _coefficients,
    "Laplace": _coefficients,
    "Informed": _informed,
    "Jeffreys": _jeffreys,
}
_TELL_OF_WORDS = {"JelinekMercer": _jelinek_mercer_of_words, "CollectionBeta": _collection_beta_of_words}
