"""How good a review order is: the metrics of literature screening, from the verdicts in the order they were given.

Every function takes `verdicts`: one entry per document in review order, true for a member. Leave out documents that
were known before the review began. If a review stopped early, append the true labels of the documents nobody read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.errors import InputError

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Screening:
    """The metrics of one review.

    Parameters
    ----------
    documents, members : int
        How many documents were reviewed, and how many of them are members.
    wss_95, wss_100 : float
        Work saved over sampling at a recall of 95% and 100% (`work_saved`).
    rrf_10 : float
        The recall after a tenth of the documents.
    average_discovery : float
        The mean place of the members (ATD).
    r_precision : float
        Precision among the first documents, as many as there are members.
    last_member : int
        The place of the last member.
    area : float
        Area under the recall curve, from 0 for the worst order to 1 for the best.
    loss : float
        ASReview's loss: 1 minus the area.
    """

    documents: int
    members: int
    wss_95: float
    wss_100: float
    rrf_10: float
    average_discovery: float
    r_precision: float
    last_member: int
    area: float
    loss: float


def screening_metrics(verdicts: ArrayLike) -> Screening:
    """Compute all metrics of one review.

    Examples
    --------
    >>> found = screening_metrics([1, 1, 0, 1, 0, 0, 0, 0, 0, 0])
    >>> found.last_member, round(found.wss_95, 2), round(found.loss, 3)
    (4, 0.55, 0.048)
    """
    members = _members(verdicts)
    loss = screening_loss(members)
    return Screening(
        documents=len(members),
        members=int(members.sum()),
        wss_95=work_saved(members, 0.95),
        wss_100=work_saved(members, 1.0),
        rrf_10=recall_after_share(members, 0.1),
        average_discovery=average_discovery(members),
        r_precision=r_precision(members),
        last_member=last_member(members),
        area=1.0 - loss,
        loss=loss,
    )


def recall_curve(verdicts: ArrayLike) -> Floats:
    """Return the recall after each document.

    Examples
    --------
    >>> recall_curve([1, 0, 1]).tolist()
    [0.5, 0.5, 1.0]
    """
    members = _members(verdicts)
    curve: Floats = np.cumsum(members) / members.sum()
    return curve


def recall_at(verdicts: ArrayLike, k: int) -> float:
    """Return the share of the members that are among the first `k` documents.

    Examples
    --------
    >>> recall_at([1, 0, 1, 1], 3)
    0.6666666666666666
    """
    members = _members(verdicts)
    return float(members[: max(k, 0)].sum() / members.sum())


def recall_after_share(verdicts: ArrayLike, share: float) -> float:
    """Return the recall after a share of the documents, rounded down; RRF@10 is the recall after a tenth.

    Examples
    --------
    >>> recall_after_share([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], 0.2)
    0.6666666666666666
    """
    members = _members(verdicts)
    places = np.arange(1, len(members) + 1) / len(members)
    return recall_at(members, int(np.searchsorted(places, share, side="right")))


def documents_until(verdicts: ArrayLike, recall: float) -> int:
    """Return how many documents must be read before this recall is reached.

    Examples
    --------
    >>> documents_until([1, 0, 0, 1, 0], 0.5), documents_until([1, 0, 0, 1, 0], 0.95)
    (1, 4)
    """
    members = _members(verdicts)
    # The tolerance keeps 0.95 × 20 from being 19.000000000000004.
    wanted = max(1, math.ceil(recall * int(members.sum()) - 1e-9))
    return int(np.searchsorted(np.cumsum(members), wanted)) + 1


def work_saved(verdicts: ArrayLike, recall: float = 0.95) -> float:
    """Return the work saved over sampling (WSS) as Cohen and others defined it in 2006.

    It is the share of documents that nobody has to read once the recall is reached, minus the share that reading in
    random order would save::

        WSS = (N − k)/N − (1 − recall),   k = the documents read when the recall is reached

    Examples
    --------
    >>> round(work_saved([1, 1, 0, 0, 0, 0, 0, 0, 0, 0]), 2)
    0.75
    """
    members = _members(verdicts)
    return (len(members) - documents_until(members, recall)) / len(members) - (1.0 - recall)


def work_saved_over_random(verdicts: ArrayLike, recall: float = 0.95) -> float:
    """Return the work saved as ASReview Insights computes it.

    Two details differ from `work_saved`. The recall is rounded down to a whole member: at 95% of 23 members, 21 are
    enough. The comparison is with an order that finds members at even distances.

    Examples
    --------
    >>> work_saved_over_random([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], 1.0)
    0.6
    """
    members = _members(verdicts)
    n = int(members.sum())
    wanted = int(np.searchsorted(np.arange(1, n + 1) / n, recall, side="right"))
    if wanted == 0:
        raise InputError(f"With {n} members no recall of {recall} can be read off. Ask for at least {1 / n:.3f}.")
    at_random = np.searchsorted(np.round(np.linspace(0, n, len(members))), wanted)
    return float(at_random - np.searchsorted(np.cumsum(members), wanted)) / len(members)


def time_to_discovery(verdicts: ArrayLike, ids: Sequence[str] | None = None) -> list[tuple[str, int]]:
    """Return each member with its place in the review, from 1.

    Without `ids`, documents are named by their place.

    Examples
    --------
    >>> time_to_discovery([0, 1, 1], ["a", "b", "c"])
    [('b', 2), ('c', 3)]
    """
    members = _members(verdicts)
    places = (np.flatnonzero(members) + 1).tolist()
    if ids is not None and len(ids) != len(members):
        raise InputError(f"There are {len(members)} verdicts and {len(ids)} ids. Give one id for each verdict.")
    return [(str(place) if ids is None else ids[place - 1], place) for place in places]


def average_discovery(verdicts: ArrayLike) -> float:
    """Return the mean place of the members (average time to discovery, ATD), in documents.

    Examples
    --------
    >>> average_discovery([0, 1, 1])
    2.5
    """
    return float(np.mean(np.flatnonzero(_members(verdicts)) + 1))


def r_precision(verdicts: ArrayLike) -> float:
    """Return the precision among the first R documents, where R is the number of members.

    Examples
    --------
    >>> r_precision([1, 0, 1])
    0.5
    """
    members = _members(verdicts)
    return recall_at(members, int(members.sum()))


def last_member(verdicts: ArrayLike) -> int:
    """Return the place of the last member, from 1.

    Examples
    --------
    >>> last_member([1, 0, 1, 0])
    3
    """
    return int(np.flatnonzero(_members(verdicts))[-1]) + 1


def screening_loss(verdicts: ArrayLike) -> float:
    """Return ASReview's loss: 0 if all members come first, 1 if they come last.

    It is the area between the recall curve and the best possible one, divided by the area between the best and the
    worst. That is the share of pairs of a member and another document in which the other document comes first.

    Examples
    --------
    >>> screening_loss([1, 1, 0, 0]), screening_loss([0, 1, 0, 1]), screening_loss([0, 0, 1, 1])
    (0.0, 0.75, 1.0)
    """
    members = _members(verdicts)
    n = int(members.sum())
    if n == len(members):
        raise InputError("Every document is a member, so no order is better than another.")
    others_before = np.cumsum(~members)[members].sum()
    return float(others_before / (n * (len(members) - n)))


def _members(verdicts: ArrayLike) -> Mask:
    members = np.asarray(verdicts).astype(bool)
    if members.ndim != 1 or not members.any():
        raise InputError("A review without a member has no recall. Give one verdict per document, at least one true.")
    return members
