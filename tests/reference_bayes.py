"""Naive Bayes, slow and literal, written from the formulas: plain Python on sets and counters; nothing of priorwise."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

Document = frozenset[int]
Rate = Callable[[float, float, float, float], float]
"""θ from: documents of the class with the term, documents of the class, and the same for the collection."""

Weigh = Callable[[Counter, int], Callable[[int], float]]
"""Weight of a word, from the counts of a class and the number of words there are."""

IMPOSSIBLE = 1e-100


def log_or_nearly(rate: float) -> float:
    return math.log(rate) if rate > IMPOSSIBLE else math.log(IMPOSSIBLE)


def beta_rate(alpha: float, beta: float) -> Rate:
    def rate(found, documents, in_all, all_documents):
        if documents + alpha + beta == 0:
            return 0.5
        return (found + alpha) / (documents + alpha + beta)

    return rate


def jelinek_mercer_rate(mixing: float) -> Rate:
    def rate(found, documents, in_all, all_documents):
        everywhere = in_all / all_documents
        own = found / documents if documents else everywhere
        return (1 - mixing) * own + mixing * everywhere

    return rate


def collection_beta_rate(strength: float) -> Rate:
    def rate(found, documents, in_all, all_documents):
        centre = in_all / all_documents
        return (found + strength * centre) / (documents + strength) if documents + strength else centre

    return rate


def marginal_likelihood(strength: float, found: float, documents: float, in_all: float, all_documents: float) -> float:
    """log p(counts of the class) + log p(counts of the rest), up to the binomial coefficients, by Beta functions."""
    centre = in_all / all_documents
    a, b = strength * centre, strength * (1 - centre)

    def log_beta(x, y):
        return math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y)

    total = 0.0
    for t, m in ((found, documents), (in_all - found, all_documents - documents)):
        total += log_beta(t + a, m - t + b) - log_beta(a, b)
    return total


def term_beta_rate(scale: float) -> Rate:
    """The strength by trying a fine grid, and once more around its best."""

    def rate(found, documents, in_all, all_documents):
        centre = in_all / all_documents
        if not (0 < in_all < all_documents and 0 < documents < all_documents):
            return centre
        counts = found, documents, in_all, all_documents
        grid = [1e-3 * 10 ** (i / 40) for i in range(401)]
        for _ in range(4):
            best = max(range(len(grid)), key=lambda i: marginal_likelihood(grid[i], *counts))
            if best == len(grid) - 1 and grid[-1] > 9e6:
                return centre
            low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
            grid = [low * (high / low) ** (i / 40) for i in range(41)]
        likeliest = max(grid, key=lambda s: marginal_likelihood(s, *counts))
        if marginal_likelihood(likeliest, *counts) - marginal_likelihood(1e7, *counts) <= 1e-6:
            return centre
        strength = scale * likeliest
        return (found + strength * centre) / (documents + strength)

    return rate


def bernoulli_log_joint(
    document: Document,
    members: Sequence[Document],
    everything: Sequence[Document],
    n_terms: int,
    rate: Rate,
    class_rate: float,
) -> float:
    """log P(c) + log P(d|c): present terms θ, absent terms 1 − θ."""
    total = log_or_nearly(class_rate)
    for term in range(n_terms):
        found, in_all = sum(term in d for d in members), sum(term in d for d in everything)
        theta = rate(found, len(members), in_all, len(everything))
        total += log_or_nearly(theta) if term in document else log_or_nearly(1 - theta)
    return total


def laplace(alpha: float) -> Weigh:
    def weigh(counts, n_words):
        whole = sum(counts.values()) + alpha * n_words
        return lambda word: log_or_nearly((counts[word] + alpha) / whole if whole else 1 / n_words)

    return weigh


def absolute(delta: float) -> Weigh:
    def weigh(counts, n_words):
        n, u = sum(counts.values()), len(counts)
        if not n:
            return lambda word: math.log(1 / n_words)
        if u == n_words:
            return lambda word: math.log(counts[word] / n)
        return lambda word: math.log(
            (counts[word] - delta) / n if counts[word] else delta * u / (n * (n_words - u)),
        )

    return weigh


def linear(alpha: float) -> Weigh:
    def weigh(counts, n_words):
        n, u = sum(counts.values()), len(counts)
        if not n:
            return lambda word: math.log(1 / n_words)
        if u == n_words:
            return lambda word: math.log(counts[word] / n)
        return lambda word: math.log((1 - alpha) * counts[word] / n if counts[word] else alpha / (n_words - u))

    return weigh


def witten_bell(alpha: float) -> Weigh:
    def weigh(counts, n_words):
        n, u = sum(counts.values()), len(counts)
        if not n:
            return lambda word: math.log(1 / n_words)
        if u == n_words:
            return lambda word: math.log(counts[word] / n)
        whole = n + alpha * u
        return lambda word: math.log(counts[word] / whole if counts[word] else alpha * u / (whole * (n_words - u)))

    return weigh


def weight_manipulation(gamma: float) -> Weigh:
    def weigh(counts, n_words):
        n, u = sum(counts.values()), len(counts)
        return lambda word: math.log(counts[word]) - math.log(n) if counts[word] else gamma / (n_words - u)

    return weigh


def multinomial_log_joint(
    document: Counter, members: Sequence[Counter], n_words: int, weigh: Weigh, class_rate: float
) -> float:
    """log p(c) + Σ f_i · weight(i, c)."""
    counts: Counter = Counter()
    for member in members:
        counts.update(member)
    weight = weigh(counts, n_words)
    return log_or_nearly(class_rate) + sum(times * weight(word) for word, times in document.items())


def multinomial_log_joint_around_collection(
    document: Counter, members: Sequence[Counter], everything: Sequence[Counter], rate: Rate, class_rate: float
) -> float:
    """log p(c) + Σ f_i · log θ_i/π_i, of the words that the collection has."""
    counts, in_all = sum(members, Counter()), sum(everything, Counter())
    total = log_or_nearly(class_rate)
    for word, times in document.items():
        if in_all[word]:
            theta = rate(counts[word], sum(counts.values()), in_all[word], sum(in_all.values()))
            total += times * log_or_nearly(theta / (in_all[word] / sum(in_all.values())))
    return total


def presence_score_around_collection(
    document: Document, positives: Sequence[Document], negatives: Sequence[Document], negative: float, positive: float
) -> float:
    """s(d) of presence naive Bayes whose imagined documents hold each token as often as all documents do."""
    vocabulary = {token for case in positives for token in case}
    everything = [*positives, *negatives]
    score = math.log((positive + len(positives)) / (negative + len(negatives)))
    for token in document & vocabulary:
        share = sum(token in case for case in everything) / len(everything)
        in_positive, in_negative = sum(token in case for case in positives), sum(token in case for case in negatives)
        score += math.log((positive * share + in_positive) / (positive + len(positives)))
        score -= math.log((negative * share + in_negative) / (negative + len(negatives)))
    return score


def presence_scores_around_collection(
    document: Document, cases: Sequence[Document], labels: Sequence[int], strengths: Sequence[float]
) -> list[float]:
    """log p(c) + Σ log p(x|c) for each class, over every token seen in training."""
    total = sum(strengths) + len(cases)
    scores = []
    for c, strength in enumerate(strengths):
        own = [case for case, label in zip(cases, labels, strict=True) if label == c]
        score = math.log((strength + len(own)) / total)
        for token in document & {token for case in cases for token in case}:
            share = sum(token in case for case in cases) / len(cases)
            score += math.log((strength * share + sum(token in case for case in own)) / (strength + len(own)))
        scores.append(score)
    return scores


def presence_scores_by_term(
    document: Document, cases: Sequence[Document], labels: Sequence[int], scales: Sequence[float], vocabulary: set[int]
) -> list[float]:
    """log n(c) + Σ log p(x|c) for each class; the strength of each token is the likeliest times the class's scale."""
    scores = []
    for c, scale in enumerate(scales):
        own = [case for case, label in zip(cases, labels, strict=True) if label == c]
        score, rate = log_or_nearly(len(own)), term_beta_rate(scale)
        for token in document & vocabulary:
            counts = sum(token in case for case in own), len(own), sum(token in case for case in cases), len(cases)
            score += log_or_nearly(rate(*counts))
        scores.append(score)
    return scores


def presence_score_by_term(
    document: Document, positives: Sequence[Document], negatives: Sequence[Document], negative: float, positive: float
) -> float:
    """s(d) of presence naive Bayes with a Beta per token, its strength scaled by class."""
    labels = [1] * len(positives) + [0] * len(negatives)
    vocabulary = {token for case in positives for token in case}
    cases = [*positives, *negatives]
    of_negative, of_positive = presence_scores_by_term(document, cases, labels, [negative, positive], vocabulary)
    return of_positive - of_negative
