"""Why a document has its score, word by word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.errors import UnknownName
from priorwise.kernels import Floats, Rows
from priorwise.models.linear_model import LinearModel
from priorwise.models.weights import Calibration
from priorwise.ranking.scorer import Scorer

NEAREST = 2
"""How many members are named that a document is like."""

SHOWN = 5
"""How many words and labels a line of evidence names."""

AT_A_TIME = 8192
"""How many vectors are read at a time."""


@dataclass(frozen=True, slots=True)
class WordEvidence:
    """What one word, or one other label, adds to a score: its weight, times how much of it the document has.

    `name`: the word or the label. `group`: ``"words"``, ``"labels"`` or ``"vectors"``. `times`: how often it is in
    the document. `amount`: how much of it the document has; the weight is multiplied by it. `weight`: what the
    model adds for one unit of it. `from_prior`: the part of the weight that the prior brought; the documents added
    the rest. `in_members`, `in_others`: in how many members and other documents it occurs, as far as the model
    knows.
    """

    name: str
    group: str
    times: int
    amount: float
    weight: float
    from_prior: float
    in_members: float
    in_others: float

    @property
    def adds(self) -> float:
        return self.weight * self.amount

    @property
    def from_documents(self) -> float:
        """The part of the weight that the documents added to the prior's."""
        return self.weight - self.from_prior


@dataclass(frozen=True)
class Explanation:
    """A document's score, taken apart: the start and the words add up to it.

    `start`: what every document starts from, divided by length like the words. `words`: words and labels that the
    model knows, the strongest first. `unknown`: words without a weight. `probability`: the probability of
    membership that the score stands for, if the model says what scores mean. `n_members`, `n_others`: how many
    members and other documents the model learned from.
    """

    id: str
    title: str
    start: float
    words: list[WordEvidence]
    unknown: list[str]
    probability: float | None
    n_members: float
    n_others: float

    @property
    def score(self) -> float:
        """The score that the ranking orders by."""
        return self.start + sum(word.adds for word in self.words)


def explain(model: LinearModel, corpus: Corpus, row: int) -> Explanation:
    """Take the score of a document of a corpus apart, under a model with one output."""
    scorer = Scorer.of(model, corpus)
    offsets, tokens, counts = corpus.take_counts(np.array([row]))
    amounts = scorer.amounts(offsets, tokens, counts)
    names = corpus.token_names(tokens)
    place_of = _places(model, names)
    weights = scorer.weights.row(0)
    at = np.minimum(np.searchsorted(scorer.weights.features, tokens), max(len(weights) - 1, 0))
    origins = model.origins
    words, unknown = [], []
    for i, name in enumerate(names):
        place = place_of[i]
        if place < 0:
            unknown.append(name)
            continue
        brought, inside, outside = (0.0, np.nan, np.nan)
        if origins is not None:
            brought, inside, outside = (
                float(each[place]) for each in (origins.from_prior, origins.in_members, origins.in_others)
            )
        words.append(
            WordEvidence(
                name, "words", int(counts[i]), float(amounts[i]), float(weights[at[i]]), brought, inside, outside
            )
        )
    words += [
        WordEvidence(name, group, 1, 1.0, adds, 0.0, np.nan, np.nan)
        for group, name, adds in (*carried(model, corpus, row), *alike(model, corpus, np.array([row]))[0])
    ]
    words.sort(key=lambda word: (-abs(word.adds), word.name))
    start = scorer.bias / float(scorer.divisor(np.diff(offsets))[0])
    score = np.array([start + sum(word.adds for word in words)])
    line = model.calibration or Calibration(1.0, 0.0)
    return Explanation(
        corpus.ids([row])[0],
        corpus.titles([row])[0],
        start,
        words,
        unknown,
        float(line.probability(score)[0]) if model.has_probabilities else None,
        np.nan if origins is None else origins.n_members,
        np.nan if origins is None else origins.n_others,
    )


def _places(model: LinearModel, names: Sequence[str]) -> Rows:
    """The place of each name among the model's words, or −1."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.index_in(pa.array(names, pa.string()), value_set=model.tokens)
    return np.asarray(pc.fill_null(found, -1).to_numpy(zero_copy_only=False), dtype=np.int64)


def carried(model: LinearModel, corpus: Corpus, row: int) -> list[tuple[str, str, float]]:
    """The group, name and weight of each further feature that a document has, the strongest first."""
    found = []
    for group, own in model.groups.items():
        adds = own.by_name
        found += [(group, name, adds[name]) for name in corpus.labels_of(row) if name in adds]
    return sorted(found, key=lambda each: (-abs(each[2]), each[1]))


def reads_vectors(model: LinearModel, corpus: Corpus) -> bool:
    """Whether a model can use a corpus's vectors: both have some, and the same encoder made them."""
    own, there = model.vectors, corpus.vectors
    if own is None or there is None:
        return False
    return own.encoder == there.encoder and len(own.weights) == there.n_dimensions


def alike(model: LinearModel, corpus: Corpus, rows: Rows) -> list[list[tuple[str, str, float]]]:
    """What the vector of each of some documents adds, named by the nearest members: at most one entry for each."""
    own = model.vectors
    if own is None or corpus.vectors is None or not reads_vectors(model, corpus):
        return [[] for _ in rows]
    vectors = corpus.vectors.take(rows)
    try:
        members = corpus.rows(own.members)
    except UnknownName:
        # Another corpus than the model learned from.
        members = np.empty(0, np.int64)
    near = (corpus.vectors.take(members) - own.centre) @ (vectors - own.centre).T if len(members) else None
    titles = corpus.titles(members) if len(members) else []
    found = []
    for place, (row, adds) in enumerate(zip(rows.tolist(), own.adds(vectors).tolist(), strict=True)):
        best = [] if near is None else np.argsort(-near[:, place], kind="stable").tolist()
        names = [titles[each] for each in best if members[each] != row][:NEAREST]
        told = "like " + ", ".join(f"'{name}'" for name in names) if names else "like members"
        found.append([("vectors", told if adds > 0 else "unlike members", adds)] if adds else [])
    return found


def further_scores(model: LinearModel, corpus: Corpus, rows: Rows) -> Floats:
    """What the further features of some documents add to their scores."""
    scores = np.zeros(len(rows))
    if model.vectors is not None and corpus.vectors is not None and reads_vectors(model, corpus):
        for begin in range(0, len(rows), AT_A_TIME):
            part = slice(begin, begin + AT_A_TIME)
            scores[part] = model.vectors.adds(corpus.vectors.take(rows[part]))
    for own in model.groups.values():
        offsets, labels = corpus.take_labels(rows)
        distinct, place = np.unique(labels, return_inverse=True)
        adds = np.array([own.by_name.get(name, 0.0) for name in corpus.label_names(distinct)])
        document = np.repeat(np.arange(len(rows)), np.diff(offsets))
        scores += np.bincount(document, adds[place] if len(place) else None, len(rows))
    return scores


def evidence_lines(corpus: Corpus, rows: Rows, scorer: Scorer, model: LinearModel | None = None) -> list[str]:
    """The strongest words and labels of each of some documents as a line of text, with what each adds to the score.

    Where scores are divided by length, words are shown before the division.
    """
    from priorwise.ranking._kernels import strongest_of_each

    offsets, tokens, counts = corpus.take_counts(rows)
    adds = scorer.table(corpus.n_vocabulary)[tokens]
    if scorer.rarity is not None:
        adds = adds * scorer.amounts(offsets, tokens, counts)
    places, found = np.zeros((len(rows), SHOWN), np.int64), np.zeros(len(rows), np.int64)
    strongest_of_each(offsets, adds, places, found)
    chosen = places[np.arange(SHOWN) < found[:, np.newaxis]]
    distinct, name_of = np.unique(tokens[chosen], return_inverse=True)
    names = np.array(corpus.token_names(distinct), object)[name_of].tolist()
    numbers = adds[chosen].tolist()
    bounds = [0, *np.cumsum(found).tolist()]
    lines = []
    near = [[] for _ in rows] if model is None else alike(model, corpus, rows)
    for row, (begin, end), of_vectors in zip(rows.tolist(), pairwise(bounds), near, strict=True):
        parts = list(zip(names[begin:end], numbers[begin:end], strict=True))
        if model is not None and (model.groups or of_vectors):
            further = (*carried(model, corpus, row), *of_vectors)
            parts += [(f"[{name}]", number) for _, name, number in further]
            parts = sorted(parts, key=lambda each: -abs(each[1]))[:SHOWN]
        lines.append(" ".join(f"{name}:{number:+.2f}" for name, number in parts))
    return lines


LOOKED_AT = 5000
"""Of more documents than this, an even share is compared."""


def most_similar(corpus: Corpus, row: int, rows: NDArray[np.int64], n: int = 3) -> list[tuple[int, list[str]]]:
    """Return the most similar of some documents, each with the words that make it so.

    Words count by their inverse document frequency, and each once.
    """
    others = rows[rows != row]
    if len(others) > LOOKED_AT:
        others = others[np.linspace(0, len(others) - 1, LOOKED_AT).astype(np.int64)]
    if not len(others):
        return []
    _, own = corpus.take(np.array([row]))
    offsets, tokens = corpus.take(others)
    rarity = np.log((corpus.n_documents + 1) / (corpus.document_frequency + 0.5)) ** 2
    shared = np.isin(tokens, own)
    document = np.repeat(np.arange(len(others)), np.diff(offsets))
    dot = np.bincount(document, rarity[tokens] * shared, len(others))
    length = np.sqrt(np.bincount(document, rarity[tokens], len(others)))
    likeness = dot / np.maximum(length, 1e-9)
    best = np.argsort(-likeness, kind="stable")[:n]
    found = []
    for place in best[likeness[best] > 0].tolist():
        common = tokens[offsets[place] : offsets[place + 1]][shared[offsets[place] : offsets[place + 1]]]
        strongest = common[np.argsort(-rarity[common], kind="stable")[:5]]
        found.append((int(others[place]), corpus.token_names(strongest)))
    return found
