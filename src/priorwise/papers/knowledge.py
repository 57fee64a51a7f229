"""Priors from domain knowledge: logistic regression on few examples and a page of text about each category."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from priorwise.corpus import Corpus
from priorwise.features.recipe import Recipe, inverse_document_frequency
from priorwise.features.words import Words
from priorwise.papers.experiment import Experiment, Findings, Session
from priorwise.papers.knowledge_cells import Known, judge
from priorwise.papers.knowledge_published import KEYWORDS, KINDS, SETS
from priorwise.papers.knowledge_tables import Layout
from priorwise.papers.knowledge_texts import count_texts, factbook, scope_notes, without_common
from priorwise.papers.split import Split, split_of
from priorwise.priors.knowledge import significance
from priorwise.readers.document import Stream
from priorwise.readers.medline import MedlineReader

TEXT = 1
"""Raised when documents become other words than before, so that cells are computed anew."""

SEARCH = 2
"""Raised when priors are chosen otherwise than before."""

DRAWS, QUICK_DRAWS = 10, 2
"""How many times a small training set is drawn."""

LARGEST = 10
"""How many headings of MEDLINE count, those with the most documents; the paper has 32."""

FEWEST = 5
"""How many training documents a place has to have, so that five can be drawn."""

_INNER = re.compile("[',.]")
"""Punctuation within a token; what comes after it is left out."""

_SETTING = (
    "Documents and texts about the categories are read alike: tokens in lower case, of *company's* and *1,000* what "
    "comes before the punctuation, on ModApte and MEDLINE without the words of the SMART stop list and stemmed by "
    "Porter's algorithm; TFIDF (1 + log f)·log((N + 1)/(n + 1)) with N and n from the whole training population, of "
    "length 1. The intercept has the prior of a word of which nothing is known. (C, σ²) has the best ten-fold "
    "log-likelihood of the paper's grid, for each category and training set. Members and others are dealt to the folds "
    "apart, each from the first fold on, so that five members and five others make five folds with one of each. Of ten "
    "documents every pair is tried; of more the best pair is found by climbing, from pair to neighbouring pair, from "
    "one or two starts. The threshold has the best F1 on the training documents. Macro F1 in per cent; of small "
    "training sets the mean of ten draws, ± their standard deviation. The paper drew once. "
    "Two collections stand in for the paper's. For RCV1's regions: the places of Reuters-21578 with names that begin "
    "with A or B, as in the paper, on the ModApte split, with entries of the CIA World Factbook of 1996, less words "
    "that are in a tenth of them. For the Bio Articles: the ten disease headings with the most documents of MEDLINE, "
    "half of the citations to learn from, with the scope notes, names and synonyms of MeSH."
)

Loaded = tuple[Corpus, Corpus, dict[str, str], list[str]]
"""Training and test documents, the texts about categories, and the categories that count."""


class Collection(NamedTuple):
    """A collection, what is known of its categories, and how it is read."""

    title: str
    needs: tuple[str, ...]
    stemmed: bool
    load: Callable[[Session], Loaded]


def run(session: Session) -> Findings:
    """Learn every category from every training set by every method, then lay out the tables."""
    cells: dict[tuple[str, str, str, int], list[dict[str, Any]]] = {}
    sizes: dict[str, dict[str, Any]] = {}
    draws = QUICK_DRAWS if session.quick else DRAWS
    for number, part in enumerate(session.only):

        @cache
        def read(part: str = part) -> tuple[Known, str]:
            return load(session, part)

        data = [session.data.fingerprint(name) for name in PARTS[part].needs]
        shared = {"part": part, "text": TEXT, "search": SEARCH, "data": data}
        sizes[part] = session.results.cell({**shared, "what": "sizes"}, partial(_sizes, read))
        labels = sizes[part]["labels"]
        jobs = [
            (training, kind, seed, place)
            for training in reversed(SETS)
            for seed in range(1 if training == "all" else draws)
            for kind in KINDS
            for place in range(len(labels))
        ]
        for done, (training, kind, seed, place) in enumerate(jobs):
            share = (number + done / len(jobs)) / len(session.only)
            session.progress(f"{PARTS[part].title}, {training}, {kind}: {labels[place]}", share)
            key = {**shared, "training": training, "kind": kind, "seed": seed, "label": labels[place]}
            found = session.results.cell(key, partial(_judge, read, place, training, seed, kind, session.quick))
            cells.setdefault((part, training, kind, seed), []).append(found)
    titles = {part: PARTS[part].title for part in session.only}
    layout = Layout(cells, {part: found["true"] for part, found in sizes.items()}, titles)
    return Findings((_SETTING, *layout.parts()), {titles[part]: found["counts"] for part, found in sizes.items()})


def _judge(
    read: Callable[[], tuple[Known, str]], place: int, training: str, seed: int, kind: str, quick: bool
) -> dict[str, Any]:
    return judge(read()[0], place, training, seed, kind, quick=quick)


def _sizes(read: Callable[[], tuple[Known, str]]) -> dict[str, Any]:
    known, counts = read()
    return {"labels": known.labels, "true": known.Y_test.sum(axis=0).tolist(), "counts": counts}


def load(session: Session, part: str) -> tuple[Known, str]:
    """Read a collection and the texts about its categories, and weigh both alike."""
    train, test, texts, labels = PARTS[part].load(session)
    words = Words(session.data.stop_words(), "porter") if PARTS[part].stemmed else Words()

    @cache
    def word(token: str) -> str:
        return next(iter(words(_INNER.split(token)[0])), "")

    split = split_of(train, test, labels=labels, word=word)
    return known_of(split, texts, word), split.counts


def known_of(split: Split, texts: dict[str, str], word: Callable[[str], str]) -> Known:
    """Weigh documents and texts: TFIDF with the training population's frequencies, of length 1."""
    own = count_texts([texts[label] for label in split.labels], split.words, word)
    others = count_texts([text for name, text in texts.items() if name not in split.labels], split.words, word)
    holding = np.bincount(split.X_train.indices, minlength=len(split.words))
    factors = inverse_document_frequency(holding, split.X_train.shape[0], "lookahead")
    recipe = Recipe("log", factors, cosine=True)
    counts = np.vstack([own.toarray(), others.toarray()])
    return Known(
        recipe.apply(split.X_train),
        recipe.apply(split.X_test),
        split.Y_train.toarray() > 0,
        split.Y_test.toarray() > 0,
        recipe.apply(own),
        significance(counts)[: len(split.labels)],
        list(split.labels),
    )


def _modapte(session: Session) -> Loaded:
    train, test = (session.data.corpus("reuters", split=part) for part in ("train", "test"))
    return train, test, KEYWORDS, list(KEYWORDS)


def _places(session: Session) -> Loaded:
    train, test = (session.data.corpus("reuters", split=part, labels="places") for part in ("train", "test"))
    texts = {name.replace(" ", "-"): text for name, text in factbook(session.data.path("factbook")).items()}
    in_test = {name for name, _ in test.largest_labels(test.n_labels)}
    labels = [name for name, size in train.largest_labels(train.n_labels) if size >= FEWEST and name in in_test]
    return train, test, without_common(texts), sorted(name for name in labels if name in texts and name[0] in "ab")


def _medline(session: Session) -> Loaded:
    train, test = (
        session.data.kept_corpus("medline", partial(_half, session, half), half=half) for half in ("first", "second")
    )
    texts = scope_notes(session.data.path("mesh"))
    named = [name for name, _ in train.largest_labels(train.n_labels) if name in texts]
    return train, test, texts, sorted(named[:LARGEST])


def _half(session: Session, half: str) -> Stream:
    """Half of the citations, in the order of their numbers."""
    citations = list(MedlineReader(session.data.path("medline"), labelled=True))
    middle = len(citations) // 2
    return Stream(citations[:middle] if half == "first" else citations[middle:])


PARTS = {
    "modapte": Collection("ModApte with keywords", ("reuters", "stop-list"), True, _modapte),
    "places": Collection("Places of Reuters-21578 with the Factbook", ("reuters", "factbook"), False, _places),
    "medline": Collection("MEDLINE with scope notes", ("medline", "mesh", "stop-list"), True, _medline),
}

EXPERIMENT = Experiment(
    name="knowledge",
    title="Priors from domain knowledge",
    paper=(
        "Dayanik, Lewis, Madigan, Menkov and Genkin, *Constructing informative prior distributions from domain "
        "knowledge in text classification*; tables 3 to 6."
    ),
    parts={name: part.needs for name, part in PARTS.items()},
    run=run,
)
