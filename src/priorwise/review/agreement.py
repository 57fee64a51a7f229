"""How far reviewers agree beyond what chance would give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from priorwise.review.verdicts import Verdict

JUDGEMENTS = ("yes", "no", "unsure")
_Z = 1.959963984540054
"""Of the normal distribution, for 95%."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two reviewers on the documents that both have judged.

    Attributes
    ----------
    first, second : str
        The reviewers.
    documents : int
        How many both have judged; skipped ones do not count.
    agreed : float
        The share on which they said the same.
    kappa, low, high : float or None
        Cohen's κ and its 95% interval; None where chance alone makes them agree, so that κ is not defined.
    """

    first: str
    second: str
    documents: int
    agreed: float
    kappa: float | None
    low: float | None
    high: float | None


def cohen_kappa(first: Sequence[str], second: Sequence[str]) -> tuple[float | None, float | None, float | None]:
    """Return Cohen's κ = (p_o − p_e)/(1 − p_e) and its 95% interval, with the large-sample variance.

    With p_ij the share of documents that the first put in class i and the second in j (Fleiss, Cohen, Everitt 1969)::

        n(1 − p_e)⁴ var κ = Σ_i p_ii ((1 − p_e) − (p_i. + p_.i)(1 − p_o))²
                            + (1 − p_o)² Σ_{i≠j} p_ij (p_.i + p_j.)² − (p_o p_e − 2p_e + p_o)²

    Examples
    --------
    >>> kappa, low, high = cohen_kappa(["yes"] * 20 + ["no"] * 20, ["yes"] * 15 + ["no"] * 25)
    >>> round(kappa, 3), round(low, 3), round(high, 3)
    (0.75, 0.552, 0.948)
    """
    if not first:
        return None, None, None
    classes = {word: number for number, word in enumerate(dict.fromkeys([*first, *second]))}
    shares = np.zeros((len(classes), len(classes)))
    np.add.at(shares, ([classes[word] for word in first], [classes[word] for word in second]), 1.0 / len(first))
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    observed, expected = float(np.trace(shares)), float(rows @ columns)
    if expected >= 1.0 - 1e-12:
        return None, None, None
    kappa = (observed - expected) / (1.0 - expected)
    same = np.diag(shares) @ ((1.0 - expected) - (rows + columns) * (1.0 - observed)) ** 2
    margins = (columns[:, None] + rows[None, :]) ** 2
    apart = (1.0 - observed) ** 2 * float(np.sum(shares * margins) - np.sum(np.diag(shares) * np.diag(margins)))
    variance = same + apart - (observed * expected - 2.0 * expected + observed) ** 2
    error = float(np.sqrt(max(0.0, float(variance)) / len(first))) / (1.0 - expected) ** 2
    return kappa, max(-1.0, kappa - _Z * error), min(1.0, kappa + _Z * error)


def agreements(verdicts: Sequence[Verdict]) -> list[Agreement]:
    """Compare each two reviewers, by name.

    Examples
    --------
    >>> said = [("a", "Ada", "yes"), ("b", "Ada", "no"), ("a", "Bob", "yes"), ("b", "Bob", "no"), ("c", "Bob", "no")]
    >>> [pair] = agreements([Verdict(f"{name}{item}", name, item, word) for item, name, word in said])
    >>> pair.documents, pair.agreed, pair.kappa
    (2, 1.0, 1.0)
    """
    by_reviewer: dict[str, dict[str, str]] = {}
    for each in verdicts:
        if each.verdict in JUDGEMENTS:
            by_reviewer.setdefault(each.reviewer, {})[each.item] = each.verdict
    return [_agreement(a, b, by_reviewer) for a, b in combinations(sorted(by_reviewer), 2)]


def _agreement(a: str, b: str, said: Mapping[str, Mapping[str, str]]) -> Agreement:
    both = sorted(said[a].keys() & said[b].keys())
    first, second = [said[a][item] for item in both], [said[b][item] for item in both]
    agreed = sum(x == y for x, y in zip(first, second, strict=True)) / len(both) if both else 0.0
    return Agreement(a, b, len(both), agreed, *cohen_kappa(first, second))
