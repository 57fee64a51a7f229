"""The member regression, slow and literal; nothing of priorwise."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

FEWER = 1.2


def vectors(texts: Sequence[Sequence[str]]) -> tuple[np.ndarray, list[str]]:
    """Log term frequency times log((N + 1)/(n + 1)) + 1, each document of length 1; a column per word, sorted."""
    words = sorted({word for text in texts for word in text})
    holding = {word: sum(word in text for text in texts) for word in words}
    rows = []
    for text in texts:
        row = [
            (1 + math.log(text.count(word))) * (math.log((len(texts) + 1) / (holding[word] + 1)) + 1)
            if word in text
            else 0.0
            for word in words
        ]
        length = math.sqrt(sum(value**2 for value in row))
        rows.append([value / length if length else 0.0 for value in row])
    return np.array(rows), words


def covariance(
    n_features: int, traits: np.ndarray | None = None, kinship: float = 0.0, groups: Sequence[tuple[int, float]] = ()
) -> np.ndarray:
    """S: (1 − k) I + k TTᵀ for the first features, then for each group a size and a variance."""
    n_first = n_features - sum(size for size, _ in groups)
    S = np.eye(n_features)
    if traits is not None:
        S[:n_first, :n_first] = (1 - kinship) * np.eye(n_first) + kinship * traits @ traits.T
    begin = n_first
    for size, variance in groups:
        S[begin : begin + size, begin : begin + size] *= variance
        begin += size
    return S


def ridge(
    X: np.ndarray,
    target: Sequence[float] | np.ndarray,
    strength: float,
    S: np.ndarray,
    centre: float | np.ndarray = 0.0,
) -> np.ndarray:
    """argmin_w Σ (t − w·x)² + λ (w − c)ᵀS⁻¹(w − c); where the variance is 0, w = c."""
    free = np.diag(S) > 0
    w = np.broadcast_to(np.asarray(centre, float), X.shape[1]).copy()
    own, prior = X[:, free], strength * np.linalg.inv(S[np.ix_(free, free)])
    rest = np.asarray(target) - X[:, ~free] @ w[~free]
    w[free] = np.linalg.solve(own.T @ own + prior, own.T @ rest + prior @ w[free])
    return w


def setting_scores(
    X: np.ndarray, known: Sequence[int], barred: Sequence[int], variance: float, k: int, S: np.ndarray | None = None
) -> np.ndarray:
    """Scores of all documents, if `known` are members, `barred` may not be believed, and the k best others are."""
    S = np.eye(X.shape[1]) if S is None else S
    target = [1.0 if d in set(known) else 0.0 for d in range(len(X))]
    scores = X @ ridge(X, target, 1 / variance, S)
    if k:
        others = [d for d in range(len(X)) if d not in set(known) | set(barred)]
        others.sort(key=lambda d: (-scores[d], d))
        for place, d in enumerate(others[:k]):
            target[d] = 0.5 * (1 - place / k)
        scores = X @ ridge(X, target, 1 / variance, S)
    return scores


def runs_of_four(word: str) -> set[str]:
    """Every run of four characters, the word's beginning and end being characters."""
    marked = f"\0{word}\0"
    return {marked[place : place + 4] for place in range(len(marked) - 3)}


def spelling(words: Sequence[str], holding: Sequence[int], n: int, X: np.ndarray) -> np.ndarray:
    """A column per run of at least two words: rarity of the run over that of the word, all as long as the documents."""
    having: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        for run in runs_of_four(word):
            having.setdefault(run, []).append(place)
    columns = []
    for _, places in sorted(having.items()):
        if len(places) >= 2:
            rarity = math.log((n + 1) / (min(n, sum(holding[p] for p in places)) + 1)) + 1
            columns.append(
                [rarity / (math.log((n + 1) / (holding[p] + 1)) + 1) if p in places else 0.0 for p in range(len(words))]
            )
    traits = np.array(columns).T
    return traits * math.sqrt((X**2).sum() / ((X @ traits) ** 2).sum())


def left_out_ranks(
    X: np.ndarray,
    known: Sequence[int],
    fold: Sequence[int],
    rejected: Sequence[int],
    variance: float,
    k: int,
    S: np.ndarray | None = None,
) -> list[int]:
    """The rank of each member among documents neither known nor rejected, by a fit without its fold.

    The variance is that for all members.
    """
    ranks = [0] * len(known)
    for left_out in sorted(set(fold)):
        rest = [d for d, f in zip(known, fold, strict=True) if f != left_out]
        scores = setting_scores(X, rest, rejected, variance * (len(rest) / len(known)) ** FEWER, k, S)
        others = [scores[d] for d in range(len(X)) if d not in set(known) | set(rejected)]
        for place, d in enumerate(known):
            if fold[place] == left_out:
                ranks[place] = sum(other >= scores[d] for other in others) + 1
    return ranks


def rank_value(ranks: Sequence[float], horizon: float = math.inf) -> float:
    """Σ −log(min(r, horizon) + 9)."""
    return -sum(math.log(min(rank, horizon) + 9) for rank in ranks)


def one_sided_loss(
    X: np.ndarray,
    known: Sequence[int],
    strength: float,
    S: np.ndarray,
    w: np.ndarray,
    centre: float | np.ndarray = 0.0,
) -> float:
    """Σ_members max(0, 1 − w·x)² + Σ_others max(0, w·x)² + λ (w − c)ᵀS⁻¹(w − c)."""
    loss = sum(max(0.0, 1 - s) ** 2 if d in set(known) else max(0.0, s) ** 2 for d, s in enumerate(X @ w))
    return loss + strength * float((w - centre) @ np.linalg.solve(S, w - centre))
