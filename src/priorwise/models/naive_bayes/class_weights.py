"""From counts and priors to weights, for any number of classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.models.naive_bayes.class_counts import ClassCounts
from priorwise.models.naive_bayes.event_models import EventModel, Unseen
from priorwise.models.weights import Background, Weights

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def class_weights(
    counts: ClassCounts,
    model: EventModel,
    priors: Sequence[Any],
    rest_priors: Sequence[Any] | None,
    log_rates: Floats,
) -> Weights:
    """Weights of each class, or of each class against all other documents.

    A token that a class has never seen weighs what the class and the token's group say: all tokens are one group; or
    those that occur in the collection are, or those that occur there equally often, if that matters. So the background
    has a column for each group, and only pairs of class and token that occur have a number of their own.

    Parameters
    ----------
    counts : ClassCounts
        What was counted.
    model : EventModel
        What a count means.
    priors : sequence
        One prior for each class.
    rest_priors : sequence, optional
        One prior for the documents that are not of each class. If given, each class is compared with those.
    log_rates : array, shape (n_classes,)
        Logarithm of each class's rate, or of its odds against the rest.
    """
    apart = Unseen.BY_COUNT if rest_priors is not None else max(map(model.tells_apart, set(priors)))
    in_all, group, sizes = _groups(counts, apart)
    background, bias = np.empty((counts.n_classes, len(in_all))), log_rates.copy()
    differences = counts.pairs.copy()
    for prior, rest, classes, pairs in _by_prior(priors, rest_priors, counts):
        unseen = model.parts(prior, rest, np.zeros((1, 1)), classes[:, np.newaxis], in_all[np.newaxis, :])
        background[classes] = unseen.present
        c = counts.pairs.indices[pairs]
        g = group[counts.tokens[pairs]] if len(in_all) > 1 else 0
        of_pairs = counts.collection[counts.tokens[pairs]] if apart == Unseen.IF_IN_COLLECTION else in_all[g]
        seen = model.parts(prior, rest, counts.pairs.data[pairs], c, of_pairs)
        differences.data[pairs] = seen.present - background[c, g]
        if unseen.absent is not None and seen.absent is not None:
            absent = np.zeros(background.shape)
            absent[classes] = unseen.absent
            bias += absent @ sizes + np.bincount(c, seen.absent - absent[c, g], counts.n_classes)
    return Weights(np.arange(counts.n_tokens), differences, bias, Background(background, group.astype(np.int32)))


def _groups(counts: ClassCounts, apart: Unseen) -> tuple[Floats, Ints, Ints]:
    """How often the tokens of each group occur in all, the group of each token, and how many tokens each has."""
    if apart != Unseen.ALIKE:
        by = counts.collection if apart == Unseen.BY_COUNT else (counts.collection > 0).astype(np.float64)
        in_all, group, sizes = np.unique(by, return_inverse=True, return_counts=True)
        return in_all, group, sizes
    return np.zeros(1), np.zeros(counts.n_tokens, dtype=np.int64), np.array([counts.n_tokens])


def _by_prior(
    priors: Sequence[Any], rest_priors: Sequence[Any] | None, counts: ClassCounts
) -> Iterator[tuple[Any, Any, Ints, Any]]:
    """Each distinct prior, with the classes that have it and where their pairs are."""
    both = list(zip(priors, rest_priors if rest_priors is not None else [None] * len(priors), strict=True))
    place = {pair: i for i, pair in enumerate(dict.fromkeys(both))}
    if len(place) == 1:
        yield *both[0], np.arange(counts.n_classes), slice(None)
        return
    number = np.array([place[pair] for pair in both])
    of_pairs = number[counts.pairs.indices]
    order = np.argsort(of_pairs, kind="stable")
    starts = np.searchsorted(of_pairs[order], np.arange(len(place) + 1))
    for pair, i in place.items():
        yield *pair, np.flatnonzero(number == i), order[starts[i] : starts[i + 1]]
