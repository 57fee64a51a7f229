"""How far reviewers agree beyond what chance would give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from priorwise.ranking.metrics import Z95
from priorwise.review.verdicts import JUDGEMENTS, Verdict


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two reviewers on the documents that both have judged, without those they skipped.

    `agreed` is the share on which they said the same; `kappa`, `low` and `high` are Cohen's κ and its 95% interval, or
    None where chance alone makes them agree.
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
    return kappa, max(-1.0, kappa - Z95 * error), min(1.0, kappa + Z95 * error)


def fleiss_kappa(documents: Sequence[Sequence[str]]) -> float | None:
    """Return Fleiss' κ of documents that were each judged by the same number of reviewers.

    With n_ij of the n reviewers giving document i the verdict j (Fleiss 1971)::

        P_i = Σ_j n_ij (n_ij − 1) / (n (n − 1)),   κ = (mean P_i − Σ_j p_j²) / (1 − Σ_j p_j²)

    Examples
    --------
    >>> round(fleiss_kappa([["yes"] * 3, ["no"] * 3, ["yes", "yes", "no"]]), 3)
    0.55
    """
    counts = _counts(documents)
    if not len(counts) or (n := int(counts[0].sum())) < 2:
        return None
    observed = float(np.mean((counts * (counts - 1)).sum(axis=1) / (n * (n - 1))))
    expected = float(np.sum((counts.sum(axis=0) / counts.sum()) ** 2))
    return None if expected >= 1.0 - 1e-12 else (observed - expected) / (1.0 - expected)


def krippendorff_alpha(documents: Sequence[Sequence[str]]) -> float | None:
    """Return Krippendorff's α for nominal verdicts; documents may have different numbers of reviewers.

    Documents with fewer than two verdicts do not count. With m_i verdicts on document i, n_ij of them j, and
    n_j = Σ_i n_ij, n = Σ_j n_j (Krippendorff 2011)::

        α = 1 − (n − 1) Σ_i Σ_{j≠k} n_ij n_ik / (m_i − 1) / Σ_{j≠k} n_j n_k

    Examples
    --------
    >>> round(krippendorff_alpha([["yes"] * 3, ["no", "no"], ["yes", "no"], ["no"]]), 3)
    0.5
    """
    counts = _counts([each for each in documents if len(each) > 1])
    if not len(counts):
        return None
    sizes, totals = counts.sum(axis=1), counts.sum(axis=0)
    apart = float(np.sum((sizes**2 - (counts**2).sum(axis=1)) / (sizes - 1)))
    by_chance = float(totals.sum() ** 2 - np.sum(totals**2))
    return None if by_chance <= 0 else 1.0 - (float(totals.sum()) - 1.0) * apart / by_chance


def _counts(documents: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """How often each document was given each verdict."""
    words = {word: number for number, word in enumerate(dict.fromkeys(word for each in documents for word in each))}
    counts = np.zeros((len(documents), len(words)))
    for row, each in enumerate(documents):
        for word in each:
            counts[row, words[word]] += 1
    return counts


@dataclass(frozen=True, slots=True)
class GroupAgreement:
    """All reviewers on the documents that two or more of them have judged.

    `fleiss` is Fleiss' κ of the documents that every reviewer has judged (`by_all`), `alpha` Krippendorff's α of all.
    """

    reviewers: int
    documents: int
    by_all: int
    fleiss: float | None
    alpha: float | None


def group_agreement(verdicts: Sequence[Verdict]) -> GroupAgreement:
    """Compare all reviewers at once; decisions about disagreements do not count.

    Examples
    --------
    >>> said = [("a", "Ada", "yes"), ("b", "Ada", "no"), ("a", "Bob", "yes"), ("b", "Bob", "no"), ("c", "Bob", "no")]
    >>> group_agreement([Verdict(f"{name}{item}", name, item, word) for item, name, word in said])
    GroupAgreement(reviewers=2, documents=2, by_all=2, fleiss=1.0, alpha=1.0)
    """
    by_item: dict[str, dict[str, str]] = {}
    for each in verdicts:
        if each.verdict in JUDGEMENTS and not each.is_decision:
            by_item.setdefault(each.item, {})[each.reviewer] = each.verdict
    n = len({name for words in by_item.values() for name in words})
    several = [list(words.values()) for words in by_item.values() if len(words) > 1]
    by_all = [words for words in several if len(words) == n]
    return GroupAgreement(n, len(several), len(by_all), fleiss_kappa(by_all), krippendorff_alpha(several))


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
        if each.verdict in JUDGEMENTS and not each.is_decision:
            by_reviewer.setdefault(each.reviewer, {})[each.item] = each.verdict
    return [_agreement(a, b, by_reviewer) for a, b in combinations(sorted(by_reviewer), 2)]


def _agreement(a: str, b: str, said: Mapping[str, Mapping[str, str]]) -> Agreement:
    both = sorted(said[a].keys() & said[b].keys())
    first, second = [said[a][item] for item in both], [said[b][item] for item in both]
    agreed = sum(x == y for x, y in zip(first, second, strict=True)) / len(both) if both else 0.0
    return Agreement(a, b, len(both), agreed, *cohen_kappa(first, second))
