"""The strongest tokens of each document, and the names of many tokens at once, against the literal way."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from priorwise.corpus import Corpus
from priorwise.corpus.lookup import FEW, Strings
from priorwise.kernels.strongest import strongest_of_each
from priorwise.ranking.evidence import evidence_lines, strongest

# Few values, so that there are ties.
documents = st.lists(st.lists(st.sampled_from([-2.0, -1.0, 0.0, 1.0, 2.0, 2.5]), max_size=9), max_size=6)


@given(documents=documents, count=st.integers(1, 4))
def test_the_strongest_of_each_document(documents: list[list[float]], count: int) -> None:
    offsets = np.cumsum([0, *(len(each) for each in documents)])
    weights = np.array([weight for each in documents for weight in each])
    places, found = np.zeros((len(documents), count), np.int64), np.zeros(len(documents), np.int64)
    strongest_of_each(offsets, weights, places, found)
    for number, each in enumerate(documents):
        order = sorted((place for place, weight in enumerate(each) if weight), key=lambda place: -abs(each[place]))
        expected = [int(offsets[number]) + place for place in order[:count]]
        assert places[number, : found[number]].tolist() == expected


def test_lines_are_those_of_one_document_after_the_other(corpus: Corpus) -> None:
    random = np.random.default_rng(0)
    table = np.where(random.random(corpus.n_vocabulary) < 0.5, random.normal(size=corpus.n_vocabulary).round(1), 0.0)
    rows = random.permutation(corpus.n_documents)
    for line, row in zip(evidence_lines(corpus, rows, table, 3), rows.tolist(), strict=True):
        own = corpus.take([row])[1]
        own = own[table[own] != 0.0]
        assert line == strongest(corpus.token_names(own), table[own], 3)
    assert evidence_lines(corpus, rows[:0], table) == []


def test_many_names_at_once(corpus: Corpus) -> None:
    random = np.random.default_rng(1)
    names = [f"name {number}" for number in range(500)]
    strings = Strings([pa.array(names[:100]), pa.array(names[100:300]), pa.array(names[300:])])
    for size in (0, FEW, FEW + 1, 400):
        rows = random.integers(0, 500, size)
        assert strings.take(rows) == [names[row] for row in rows.tolist()]
    tokens = corpus.token_names(np.arange(corpus.n_vocabulary))
    asked = random.permutation(corpus.n_vocabulary)[:300]
    assert corpus.token_ids([*(tokens[i] for i in asked), "no such token"]).tolist() == [*asked.tolist(), -1]
