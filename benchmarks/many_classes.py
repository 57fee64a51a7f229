"""Multinomial naive Bayes with a thousand classes: time and memory, and how both grow."""

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


def size(model: pw.MultinomialNB) -> int:
    """Bytes of what a fitted model keeps: the counts and the weights."""
    matrices = [model.counts_.pairs, model.weights_.values]
    arrays = [array for matrix in matrices for array in (matrix.data, matrix.indices, matrix.indptr)]
    return sum(array.nbytes for array in [*arrays, model.weights_.background.values, model.weights_.background.group])


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


def growth(sizes: list[tuple[int, int]]) -> None:
    rows = []
    for n, n_classes in sizes:
        X, y = documents(n, n_classes)
        model = pw.MultinomialNB()
        fit, _ = seconds(lambda model=model, X=X, y=y: model.fit(X, y), 2)
        predict, _ = seconds(lambda model=model, X=X: model.predict(X), 1)
        rows.append(
            [
                f"{n:,}",
                f"{n_classes:,}",
                f"{model.counts_.pairs.nnz:,}",
                f"{fit:.2f}",
                f"{predict:.2f}",
                f"{size(model) / 2**20:,.0f}",
                f"{n_classes * VOCABULARY * 8 / 2**20:,.0f}",
            ]
        )
    headings = ["documents", "classes", "pairs", "fit, s", "predict, s", "model, MB", "classes × words, MB"]
    table(headings, rows)


def main() -> None:
    options = arguments(__doc__ or "")
    n = 200_000 // (10 if options.small else 1)
    compare(n, 1000 // (10 if options.small else 1), options.repeats)
    print()
    growth([(n // 4, n_classes) for n_classes in (10, 100, 1000, 10_000)])
    print()
    growth([(n // share, 1000) for share in (8, 4, 2, 1)])


if __name__ == "__main__":
    main()
