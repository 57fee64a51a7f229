"""One category learned from one training set by every method of the knowledge paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.models.threshold import fit_threshold
from priorwise.papers.knowledge_published import METHODS
from priorwise.papers.knowledge_search import Problem, climb, walk
from priorwise.priors.coefficients import PAPER_VARIANCES, Gaussian, Laplace
from priorwise.priors.informed import MODE_STRENGTHS, VARIANCE_STRENGTHS, Informed

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Mask = NDArray[np.bool_]

COPIES = 5
"""How often a text is added as a positive example."""

FEW, MANY = 100, 1000
"""Up to how many documents every pair is tried, and from how many on the likelihood has one hill to climb."""

PATIENCE = 3
"""With more than a few documents, larger variances are left once they were worse so often in turn."""

QUICK_VARIANCES = (0.25, 2.25, 9.0, 25.0, 100.0, 1e4)
QUICK_STRENGTHS = {"variance": (2.0, 10.0, 100.0), "mode": (0.5, 2.0, 5.0)}


@dataclass(frozen=True)
class Known:
    """A collection ready to learn from.

    Parameters
    ----------
    X_train, X_test : scipy.sparse.csr_matrix
        Weighted documents.
    Y_train, Y_test : array of bool
        Documents by categories.
    texts : scipy.sparse.csr_matrix
        What is known of each category, weighted as a document.
    significance : array
        Of each word, for each category.
    labels : list of str
        The categories.
    """

    X_train: Any
    X_test: Any
    Y_train: Mask
    Y_test: Mask
    texts: Any
    significance: Floats
    labels: list[str]


def draw(known: Known, label: int, training: str, seed: int) -> Places:
    """Draw a training set: which documents of the population.

    "500" is the same for all categories; the small ones are five members of the category, and five documents drawn
    without looking at their categories, or the nearest document of no member for each, by dot product.
    """
    n = known.X_train.shape[0]
    if training == "all":
        return np.arange(n)
    if training == "500":
        return np.sort(np.random.default_rng([seed, 500]).permutation(n)[:500])
    random = np.random.default_rng([seed, label])
    members = known.Y_train[:, label]
    five = random.permutation(np.flatnonzero(members))[:5]
    if training == "5+5":
        rest = np.setdiff1d(np.arange(n), five)
        return np.concatenate([five, random.permutation(rest)[:5]])
    taken: list[int] = []
    for row in five:
        near = np.asarray((known.X_train @ known.X_train[[row]].T).toarray()[:, 0])
        near[members] = -1.0
        near[taken] = -1.0
        taken.append(int(np.argmax(near)))
    return np.concatenate([five, np.array(taken, dtype=np.int64)])


def judge(known: Known, label: int, training: str, seed: int, kind: str, *, quick: bool) -> dict[str, Any]:
    """Learn one category by every method; count the test documents rightly put into it, and all put into it."""
    rows = draw(known, label, training, seed)
    task = Task(known, label, kind, seed, quick)
    return task.judge(known.X_train[rows], known.Y_train[rows, label])


@dataclass
class Task:
    """A category, and the classifier that is to tell it; `usual` is the place of No DK's σ² in the grid."""

    known: Known
    label: int
    kind: str
    seed: int
    quick: bool
    usual: int = 0

    def judge(self, X: Any, y: Mask) -> dict[str, Any]:
        """Use every method on one training set."""
        from scipy.sparse import vstack

        text = self.known.texts[[self.label]]
        with_text = vstack([X, *[text] * COPIES], format="csr"), np.append(y, np.ones(COPIES, dtype=bool))
        methods = METHODS[:2] if self.kind == "SVM" else METHODS
        return {method: self._method(method, *(with_text if method == "DK examples" else (X, y))) for method in methods}

    def _method(self, method: str, X: Any, y: Mask) -> dict[str, Any]:
        if not y.any():
            return {"found": 0, "decided": 0, "chosen": None}
        words = self.known.texts[[self.label]].indices
        columns = np.union1d(np.unique(X.indices), words)
        if self.kind == "SVM":
            coef, numbers = _svm(X[:, columns], y), None
        else:
            said = np.zeros(self.known.X_train.shape[1])
            said[words] = self.known.significance[self.label, words] if method.endswith("TFIDF") else 1.0
            problem = Problem.of(X[:, columns], y, self.seed)
            best = self._choose(problem, method, said[columns])
            coef, numbers = problem.fit(best).coef, _numbers(best)
        scores = [part[:, columns] @ coef[:-1] + coef[-1] for part in (X, self.known.X_test)]
        decided = scores[1] > fit_threshold(scores[0], y).value
        found = int(np.sum(decided & self.known.Y_test[:, self.label]))
        return {"found": found, "decided": int(np.sum(decided)), "chosen": numbers}

    def _choose(self, problem: Problem, method: str, said: Floats) -> Any:
        rows = candidates({"lasso": Laplace, "ridge": Gaussian}[self.kind], method, said, self.quick)
        documents = len(problem.positive)
        if method == "No DK":
            best = walk(problem, rows, patience=PATIENCE if documents > FEW else None).best
            self.usual = rows[0].index(best)
            return best
        if documents <= FEW:
            return walk(problem, rows).best
        starts = [(0, self.usual)]
        if documents <= MANY:
            starts.append((len(rows) // 2, self.usual))
        return climb(problem, rows, starts).best


def candidates(prior: type[Any], method: str, value: Floats, quick: bool) -> list[tuple[Any, ...]]:
    """The priors to choose from, a row for each C."""
    from scipy.sparse import csr_matrix

    variances = QUICK_VARIANCES if quick else PAPER_VARIANCES
    if method in METHODS[:2]:
        return [prior().grid(variances)]
    moves = "variance" if method.startswith("Var") else "mode"
    strengths = QUICK_STRENGTHS[moves] if quick else VARIANCE_STRENGTHS if moves == "variance" else MODE_STRENGTHS
    informed = Informed(prior, csr_matrix(np.append(value, 0.0)[np.newaxis]), moves)
    return [informed.grid([strength], variances) for strength in strengths]


def _numbers(prior: Any) -> list[float]:
    return list(prior.numbers) if isinstance(prior, Informed) else [float(prior.variance)]


def _svm(X: Any, y: Mask) -> Floats:
    """A support vector machine with hinge loss and C = 1; weights, and the intercept last."""
    from sklearn.svm import LinearSVC

    if y.all():
        return np.append(np.zeros(X.shape[1]), 1.0)
    model = LinearSVC(loss="hinge", C=1.0, max_iter=100_000, random_state=0).fit(X, y)
    return np.append(model.coef_[0], model.intercept_[0])
