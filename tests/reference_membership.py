"""Membership by regression, slow and literal; nothing of priorwise."""

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


def ridge(
    X: np.ndarray,
    target: Sequence[float],
    strength: float,
    traits: np.ndarray | None = None,
    shared: float = 0.0,
    n_apart: int = 0,
    apart: float = 0.0,
) -> np.ndarray:
    """argmin_w Σ (t − w·x)² + λ wᵀS⁻¹w, with S = (1 − s) I + s TTᵀ, but for the last features: a variance or w = 0."""
    together = X.shape[1] - n_apart
    S = np.eye(X.shape[1])
    if traits is not None:
        S[:together, :together] = (1 - shared) * np.eye(together) + shared * traits @ traits.T
    S[together:, together:] *= apart
    free = X.shape[1] if apart > 0 else together
    w = np.zeros(X.shape[1])
    own, prior = X[:, :free], np.linalg.inv(S[:free, :free])
    w[:free] = np.linalg.solve(own.T @ own + strength * prior, own.T @ np.asarray(target))
    return w


def setting_scores(
    X: np.ndarray,
    known: Sequence[int],
    barred: Sequence[int],
    variance: float,
    k: int,
    traits: np.ndarray | None = None,
    shared: float = 0.0,
    n_apart: int = 0,
    apart: float = 0.0,
) -> np.ndarray:
    """Scores of all documents, if `known` are members, `barred` may not be believed, and the k best others are."""
    n = len(X)
    target = [1.0 if d in set(known) else 0.0 for d in range(n)]
    scores = X @ ridge(X, target, n / variance, traits, shared, n_apart, apart)
    if k:
        others = [d for d in range(n) if d not in set(known) | set(barred)]
        others.sort(key=lambda d: (-scores[d], d))
        for place, d in enumerate(others[:k]):
            target[d] = 0.5 * (1 - place / k)
        scores = X @ ridge(X, target, n / variance, traits, shared, n_apart, apart)
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


def log_ranks(
    X: np.ndarray,
    known: Sequence[int],
    fold: Sequence[int],
    rejected: Sequence[int],
    variance: float,
    k: int,
    traits: np.ndarray | None = None,
    shared: float = 0.0,
    lost: float = math.inf,
    n_apart: int = 0,
    apart: float = 0.0,
) -> float:
    """The sum of log(r + 9) over members left out, r the rank among documents neither known nor rejected.

    The variance is that for all members.
    """
    total = 0.0
    for left_out in sorted(set(fold)):
        out = [d for d, f in zip(known, fold, strict=True) if f == left_out]
        rest = [d for d in known if d not in out]
        own = variance * (len(rest) / len(known)) ** FEWER
        scores = setting_scores(X, rest, rejected, own, k, traits, shared, n_apart, apart)
        others = [scores[d] for d in range(len(X)) if d not in set(known) | set(rejected)]
        total += sum(math.log(min(sum(other >= scores[d] for other in others) + 1, lost) + 9) for d in out)
    return total


def one_sided_loss(X: np.ndarray, known: Sequence[int], strength: float, w: np.ndarray) -> float:
    """Σ_members max(0, 1 − w·x)² + Σ_others max(0, w·x)² + λ|w|²."""
    scores = X @ w
    loss = sum(max(0.0, 1 - s) ** 2 if d in set(known) else max(0.0, s) ** 2 for d, s in enumerate(scores))
    return loss + strength * float(w @ w)
