"""Multinomial naive Bayes with a thousand classes: time and memory."""

from __future__ import annotations

import time

import numpy as np
import scipy.sparse as sp
from measure import arguments, peak_memory, seconds, table, zipf_documents
from sklearn.naive_bayes import MultinomialNB as TheirMultinomialNB

import priorwise as pw

PER_DOCUMENT, VOCABULARY = 50, 100_000


def documents(n: int, n_classes: int, seed: int = 0) -> tuple[sp.csr_matrix, np.ndarray]:
    """Documents of Zipfian words, a fifth of which are drawn from 200 words of the document's class."""
    random = np.random.default_rng(seed)
    indptr, tokens = zipf_documents(random, n, PER_DOCUMENT, VOCABULARY)
    y = random.integers(0, n_classes, size=n)
    topical = random.random(len(tokens)) < 0.2
    of_class = np.repeat(y, np.diff(indptr))[topical]
    own = (200 * random.random(len(of_class)) ** 2).astype(np.int64)
    tokens[topical] = (of_class * 97 + own * 131) % VOCABULARY
    X = sp.csr_matrix((np.ones(len(tokens)), tokens, indptr), shape=(n, VOCABULARY))
    X.sum_duplicates()
    return X, y


def once(call) -> tuple[float, float, object]:
    """Seconds and peak megabytes of one call, and what it returned."""
    with peak_memory() as peak:
        begun = time.perf_counter()
        result = call()
        taken = time.perf_counter() - begun
    return taken, peak[0] / 2**20, result


def compare(n: int, n_classes: int, repeats: int) -> None:
    X, y = documents(n, n_classes)
    ours = pw.MultinomialNB()
    ours.fit(X, y).predict(X)
    _, fit_memory, _ = once(lambda: pw.MultinomialNB().fit(X, y))
    _, predict_memory, mine = once(lambda: ours.predict(X))
    their_fit, their_fit_memory, theirs = once(lambda: TheirMultinomialNB().fit(X, y))
    fit, fit_spread = seconds(lambda: ours.fit(X, y), repeats)
    their_predict, their_predict_memory, predicted = once(lambda: theirs.predict(X))
    predict, predict_spread = seconds(lambda: ours.predict(X), repeats)
    different = np.count_nonzero(mine != predicted)
    print(f"{n:,} documents × {PER_DOCUMENT} tokens, {n_classes:,} classes, {VOCABULARY:,} words")
    print(f"{ours.counts_.pairs.nnz:,} pairs of class and word; predictions that differ: {different}\n")
    headings = ["", "scikit-learn", "priorwise", "ratio"]
    table(
        headings,
        [
            [
                "fit, s",
                f"{their_fit:.2f}",
                f"{fit:.2f} (spread {fit_spread:.2f})",
                f"{their_fit / fit:.0f} × faster (≥ 20)",
            ],
            [
                "fit, peak MB",
                f"{their_fit_memory:,.0f}",
                f"{fit_memory:,.0f}",
                f"1/{their_fit_memory / fit_memory:.0f} (≤ 1/10)",
            ],
            [
                "predict, s",
                f"{their_predict:.2f}",
                f"{predict:.2f} (spread {predict_spread:.2f})",
                f"{their_predict / predict:.1f} × faster (≥ 5)",
            ],
            [
                "predict, peak MB",
                f"{their_predict_memory:,.0f}",
                f"{predict_memory:,.0f}",
                f"1/{their_predict_memory / predict_memory:.0f}",
            ],
        ],
    )
    top, _ = seconds(lambda: ours.top_k(X, 5), 1)
    print(f"\nThe five best classes of each document, with exact scores: {top:.2f} s")


def main() -> None:
    options = arguments(__doc__ or "")
    n = 200_000 // (10 if options.small else 1)
    compare(n, 1000 // (10 if options.small else 1), options.repeats)


if __name__ == "__main__":
    main()
