"""The default of `discover` against scikit-learn's linear models, by the number of members that are known.

.venv/bin/python benchmarks/discovery_study.py ohsumed.corpus medline.corpus -o study.csv

Categories are dealt by a hash of their names: the default was chosen on five of six, one says how good it is
(`--part`). A collection of few categories takes part with all of them, but other members are known. Of each part,
categories are taken evenly over their sizes. Every peer's C is fixed, and the table shows the peer that is best on that
corpus *afterwards*: more than any tuning by cross-validation can reach. The peers see words; the default also sees
other labels, and stands beside itself without them. A second table says how far the default knows how many members are
missing. A run that is stopped goes on where it was.

With `--peers wide` the peers have three values of C, read pairs of adjacent words or do not, and have class weights or
none. With `--peers vectors` they read the corpus's vectors (`priorwise embed`): the centroid of the members, a linear
support vector machine on vectors, and one on words and vectors. The default without other labels does without vectors.

With `--peers languages` the peers are linear support vector machines, with three values of C, on words and on runs of
two to four characters. `--part half` takes half of the categories, also where they are few.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from priorwise.corpus import Corpus
from priorwise.discovery.hidden import DefaultModel, LinearPeer, split_members, tfidf
from priorwise.ranking.metrics import average_precision, ppv_at
from study_tables import lines, missing_table, peers_table, write_tables

SEED = 1000
PARTS = {"choose": (0, 1, 2, 4, 5), "judge": (3,), "half": (1, 3, 5)}
FEW = 24
"""With more categories than this, those that were chosen on do not judge."""


class VectorPeer:
    """What people do with vectors alone, or with vectors and words: a centroid, or a support vector machine."""

    def __init__(self, kind: str, C: float = 1.0) -> None:
        self.kind, self.C = kind, C
        self.name = kind if kind == "centroid of vectors" else f"svm on {kind}, C={C:g}"

    def scores(self, corpus: Corpus, known: Any, label: str = "") -> Any:
        """Score every document of the corpus."""
        from scipy.sparse import csr_matrix, hstack
        from sklearn.svm import LinearSVC

        if corpus.vectors is None:
            raise SystemExit("the corpus has no vectors; run `priorwise embed` first")
        vectors = corpus.vectors.take(np.arange(corpus.n_documents)) - corpus.vectors.mean()
        if self.kind == "centroid of vectors":
            return vectors @ vectors[known].mean(axis=0)
        X = vectors if self.kind == "vectors" else hstack([tfidf(corpus), csr_matrix(vectors)], format="csr")
        y = np.isin(np.arange(corpus.n_documents), known)
        return LinearSVC(C=self.C).fit(X, y).decision_function(X)


class TextPeer(LinearPeer):
    """A peer that may read pairs of adjacent words as well, or runs of two to four characters, or balance its classes.

    Pairs and runs are those that at least two texts have.
    """

    def __init__(self, kind: str, C: float, reads: str = "words", *, balanced: bool = False) -> None:
        super().__init__(kind, "all", C=C)
        self.reads, self.class_weight = reads, "balanced" if balanced else None
        self.name += f", {reads}" * (reads != "words") + ", balanced" * balanced

    def features(self, corpus: Corpus) -> Any:
        return super().features(corpus) if self.reads == "words" else _cut(corpus, self.reads)


@lru_cache(maxsize=1)
def _cut(corpus: Corpus, reads: str) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    pairs = {"ngram_range": (1, 2), "token_pattern": r"\w+"}
    how = {"analyzer": "char", "ngram_range": (2, 4)} if reads == "characters" else pairs
    rows = range(corpus.n_documents)
    texts = [f"{title}\n{corpus.text(row) or ''}" for row, title in zip(rows, corpus.titles(rows), strict=True)]
    return TfidfVectorizer(sublinear_tf=True, min_df=2, **how).fit_transform(texts)


OURS = DefaultModel()
WORDS_ONLY = DefaultModel(labels=False)
PEERS = {
    "usual": [
        LinearPeer("svm", "bagged"),
        LinearPeer("svm", "all", C=0.1),
        LinearPeer("logistic", "all"),
        LinearPeer("logistic", "all", C=10.0),
        LinearPeer("logistic", "bagged", C=10.0),
    ],
    "wide": [
        TextPeer(kind, C, reads, balanced=balanced)
        for kind in ("svm", "logistic")
        for C in (0.1, 1.0, 10.0)
        for reads in ("words", "pairs")
        for balanced in (False, True)
    ],
    "vectors": [
        VectorPeer("centroid of vectors"),
        *(VectorPeer(kind, C) for kind in ("vectors", "words and vectors") for C in (0.1, 1.0, 10.0)),
    ],
    "languages": [TextPeer("svm", C, reads) for reads in ("words", "characters") for C in (0.1, 1.0, 10.0)],
}
COLUMNS = ["corpus", "known", "label", "method", "hidden", "k", "ppv", "average precision", "seconds"]
COLUMNS += ["missing", "low", "high", "expected at k"]


def categories(corpus: Corpus, known: int | None, part: str, most: int) -> list[str]:
    """Names of categories, evenly over their sizes: at least twice as many members as are known, and 20."""
    sizes = corpus.label_sizes()
    fewest = max(20, 2 * (known or 0))
    pairs = zip(sizes["documents"].to_pylist(), sizes["label"].to_pylist(), strict=True)
    large = sorted((size, label) for size, label in pairs if fewest <= size < 0.6 * corpus.n_documents)
    if len(large) > FEW or part == "half":
        large = [each for each in large if _hash(each[1]) % 6 in PARTS[part]]
    places = np.unique(np.linspace(0, len(large) - 1, min(most, len(large))).round().astype(int))
    return [large[place][1] for place in places]


def _hash(label: str) -> int:
    return int(hashlib.md5(label.encode(), usedforsecurity=False).hexdigest(), 16)


def study(path: Path, known: int | None, chosen: Any, done: set[tuple[str, ...]], write: Any) -> None:
    """Every method on every category, a row as each comes."""
    corpus = Corpus.open(path)
    for label in categories(corpus, known, chosen.part, chosen.most):
        shown, hidden = split_members(corpus, label, hide=0.5, keep=known, seed=SEED)
        candidates = np.setdiff1d(np.arange(corpus.n_documents), shown)
        k = 250 if len(hidden) >= 250 else 50
        for method in (OURS, WORDS_ONLY, *PEERS[chosen.peers]):
            key = (path.stem, str(known or "half"), label, method.name)
            if key in done:
                continue
            begun = time.perf_counter()
            if isinstance(method, DefaultModel):
                found = method.found(corpus, shown, label)
                every, missing = found.scores, found.stage.about.missing
                likely = np.sort(found.model.calibration.probability(every[candidates]))[::-1][:k].mean()
                said = [f"{missing.expected:.1f}", f"{missing.low:.1f}", f"{missing.high:.1f}", f"{likely:.4f}"]
            else:
                every, said = method.scores(corpus, shown, label), [""] * 4
            seconds = time.perf_counter() - begun
            relevant = np.isin(candidates, hidden)[np.argsort(-every[candidates], kind="stable")]
            figures = [ppv_at(relevant, k), average_precision(relevant), round(seconds, 2)]
            write.writerow([*key, len(hidden), k, *figures, *said])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--known", default="5,20,100,half")
    parser.add_argument("--part", choices=list(PARTS), default="judge")
    parser.add_argument("--peers", choices=list(PEERS), default="usual")
    parser.add_argument("--most", type=int, default=24, help="How many categories of each corpus.")
    parser.add_argument("--write", action="store_true", help="Put the tables into the documentation.")
    parser.add_argument("-o", "--output", type=Path, required=True)
    chosen = parser.parse_args()
    if not chosen.output.exists():
        chosen.output.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    with chosen.output.open(newline="", encoding="utf-8") as file:
        done = {tuple(row[name] for name in COLUMNS[:4]) for row in csv.DictReader(file)}
    with chosen.output.open("a", newline="", encoding="utf-8", buffering=1) as file:
        for known in chosen.known.split(","):
            for path in chosen.corpora:
                number = None if known == "half" else int(known)
                study(path, number, chosen, done, csv.writer(file))
    with chosen.output.open(newline="", encoding="utf-8") as file:
        judged = lines(
            list(csv.DictReader(file)), OURS.name, WORDS_ONLY.name, [peer.name for peer in PEERS[chosen.peers]]
        )
    if chosen.write:
        write_tables(judged, Path(__file__).parents[1])
    print(peers_table(judged), missing_table(judged), sep="\n\n")


if __name__ == "__main__":
    main()
