"""Matrices and targets that no estimator should be given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

import priorwise as pw

Case = tuple[str, Any, Any]


def sound(rng: np.random.Generator) -> tuple[sp.csr_matrix, Any]:
    """Return counts of 24 documents over 12 words, and three classes."""
    X = sp.csr_matrix(rng.poisson(0.8, (24, 12)).astype(np.float64))
    return X, np.arange(24) % 3


def _as(X: sp.csr_matrix, kind: str) -> Any:
    return X.asformat(kind)


def cases(rng: np.random.Generator) -> list[Case]:
    """Return hostile inputs, each with what is wrong with it."""
    X, y = sound(rng)
    found: list[Case] = []

    def changed(what: str, kind: str, change: Callable[[Any], None]) -> None:
        copy = _as(X, kind).copy()
        change(copy)
        found.append((f"{what} ({kind})", copy, y))

    def put(name: str, place: int, value: int) -> Callable[[Any], None]:
        return lambda matrix: getattr(matrix, name).__setitem__(place, value)

    for kind in ("csr", "csc"):
        wide = 12 if kind == "csr" else 24
        for value in (wide, wide + 1, 10**6, 2**31 - 1, -1, -(2**31)):
            changed(f"an index of {value}", kind, put("indices", int(rng.integers(X.nnz)), value))
        for value in (10**6, -1, 2**31 - 1):
            changed(f"an offset of {value}", kind, put("indptr", int(rng.integers(1, 12)), value))
        changed("descending offsets", kind, lambda m: m.indptr.__setitem__(slice(1, -1), m.indptr[1:-1][::-1].copy()))
        changed("a first offset of 1", kind, put("indptr", 0, 1))
        changed("a last offset too large", kind, put("indptr", -1, X.nnz + 5))
    changed("a row beyond", "coo", lambda m: m.coords[0].__setitem__(0, 24))
    changed("a negative column", "coo", lambda m: m.coords[1].__setitem__(0, -1))
    found += [
        ("all zeros", X * 0, y),
        ("no stored value", sp.csr_matrix(X.shape), y),
        ("all zeros, dense", np.zeros(X.shape), y),
        ("one class", X, np.zeros(24)),
        ("one class, dense", X.toarray(), np.array(["a"] * 24)),
        ("two documents", X[:2], y[:2]),
        ("one document", X[:1], y[:1]),
        ("one column", X[:, :1], y),
        ("no column", X[:, :0], y),
        ("no document", X[:0], y[:0]),
        ("a label for nobody", X, sp.csr_matrix((24, 3))),
        ("labels for everybody", X, np.ones((24, 3), int)),
    ]
    for value in (2.0**52, 2.0**53, 2.0**62, 1e100, 1e160, 1e300, 1.7e308, np.inf, np.nan, 1e-300, 5e-324, -1.0):
        changed(f"a value of {value}", "csr", lambda m, value=value: m.data.__setitem__(0, value))
        found.append((f"all values {value}", np.full(X.shape, value), y))
    found.append(("whole numbers of 2^62", np.full(X.shape, 2**62), y))
    return found


def estimators() -> dict[str, Callable[[], Any]]:
    """Return every classifier, with a search over those that have priors to search."""
    single: dict[str, Callable[[], Any]] = {
        "BernoulliNB": pw.BernoulliNB,
        "MultinomialNB": pw.MultinomialNB,
        "WeightedNB": pw.WeightedNB,
        "PresenceNB": pw.PresenceNB,
        "LogisticRegression": lambda: pw.LogisticRegression(pw.Gaussian(1.0)),
        "LogisticRegression, Laplace": lambda: pw.LogisticRegression(pw.Laplace(1.0)),
        "ProbitRegression": pw.ProbitRegression,
    }
    searched: dict[str, Callable[[], Any]] = {
        f"PriorSearch over {name}": lambda make=make: pw.PriorSearch(make()) for name, make in list(single.items())[:4]
    }
    return single | searched


def use(make: Callable[[], Any], X: Any, y: Any, good: Any) -> str:
    """Fit and predict; return "refused" or "used". Anything but a refusal of ours is raised."""
    try:
        model = make().fit(X, y)
        proba = model.predict_proba(good)
        model.predict(X)
    except (ValueError, TypeError) as error:
        # scikit-learn's own checks refuse with ValueError or TypeError, and InputError is a ValueError.
        if isinstance(error, TypeError) and "Sparse data was passed" not in str(error):
            raise
        return "refused"
    if not np.all(np.isfinite(np.asarray(proba, dtype=np.float64))):
        raise AssertionError("a probability is not a number")
    return "used"
