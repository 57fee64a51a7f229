"""Many categories at once: one sample of other documents for all, and one pass over the corpus.

A category's own prior costs little once what all categories share is shared: the sample of negatives that judges the
priors is drawn and read once, and how scores are divided by the length is chosen once, on a few of the categories.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from priorwise.corpus import Corpus
from priorwise.discovery.choices import Choices
from priorwise.discovery.finding import Progress
from priorwise.discovery.many_learning import Together
from priorwise.discovery.many_tables import (
    LABELS,
    TABLE,
    ManyFound,
    about_labels,
    candidates,
    candidates_of,
    labels_table,
)
from priorwise.discovery.run import Run
from priorwise.engines.engine import Engine, Local
from priorwise.errors import InputError

AT_ONCE = 256
"""Categories whose weights are held at a time."""

MASK_BYTES = 256 * 2**20
"""What the marks of their members may take."""

RUNS_AT_ONCE = 32

TOP = 100
"""How many candidates to keep of each category: a thousand times as many are more than enough to read."""


def discover_many(
    corpus: Corpus,
    labels: Sequence[str],
    *,
    exclude: Iterable[str] = (),
    threads: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> ManyFound:
    """Find the documents missing from many categories.

    Each category gets a presence model with a prior of its own, learned as :func:`~priorwise.discover` learns it but
    for what all share: one sample of 2,000 other documents judges the priors, every second strength of the grid is
    looked at, and the power of a document's length by which scores are divided is the most frequent choice of 16 of the
    categories. All are ranked in one pass over the corpus. There is no Laplace baseline.

    If anything is said about the samples (`seeds`, `negatives_per_positive`, `paper`), or the model is "default", each
    category is learned exactly as if it were alone; the categories then share no more than the processors.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    labels : sequence of str
        The categories; at least 2 members each.
    exclude : iterable of str
        Ids of documents to leave out altogether.
    threads : int, optional
        All cores by default.
    engine : Engine, optional
        Where to work: this machine by default.
    progress : callable, optional
        Told what is being done and how far it is.
    **choices
        As of :func:`~priorwise.discover`: `model` ("presence" by default, the fast choice for many labels), `top`
        (100 by default), `seed`, `prior_from` (a model that has all of the labels), `prior`, `centre`, `target`,
        `search`, `seeds`, `negatives_per_positive`, `paper`, and `description`, of which only the empty one
        suits them all.

    Returns
    -------
    ManyFound

    Examples
    --------
    >>> texts = ["goal team win", "team match goal", "win match", "law vote", "vote court", "court law"] * 3
    >>> labels = ["sport", "sport", None, "politics", "politics", None] * 3
    >>> found = discover_many(Corpus.from_texts(texts, labels=labels), ["sport", "politics"], top=3)
    >>> [int(id) % 6 for id in found.candidates["id"].to_pylist()]
    [2, 2, 2, 5, 5, 5]
    """
    if choices.get("subcategory_depth") is not None:
        raise InputError("a table of candidates has no subcategories: leave their depth out, or make runs")
    engine = engine or Local(threads)
    tell = progress or (lambda what, share: None)
    together = _together(corpus, labels, exclude, engine, choices)
    found, about = [TABLE.empty_table()], [LABELS.empty_table()]
    if not together.shares:
        for run in _runs(together, labels, engine, progress):
            found.append(candidates_of(run))
            about.append(labels_table([run]))
        return ManyFound(pa.concat_tables(found), pa.concat_tables(about))
    at_once = max(1, min(AT_ONCE, MASK_BYTES // max(1, corpus.n_documents)))
    for start in range(0, len(labels), at_once):
        tell("learning the priors", start / len(labels))
        learned = together.learned(labels[start : start + at_once], engine)
        tell("ranking the corpus", start / len(labels))
        masks = [together.category(each.label).skip for each in learned]
        scorers = [each.scorer for each in learned]
        tops = engine.rank_corpus(corpus, scorers, top=together.choices.top, skip=masks)
        pairs = list(zip(learned, tops, strict=True))
        found += Local(threads).call(lambda pair: candidates(corpus, *pair), pairs)
        about.append(about_labels(learned, tops))
    tell("ranking the corpus", 1.0)
    return ManyFound(pa.concat_tables(found), pa.concat_tables(about))


def discover_runs(
    corpus: Corpus,
    labels: Sequence[str],
    *,
    done: Collection[str] = (),
    exclude: Iterable[str] = (),
    threads: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Iterator[Run]:
    """Find the documents missing from many categories, a :class:`~priorwise.Run` for each, in order.

    The rankings are those of :func:`discover_many`. A run also has the Laplace baseline, its ranks, and the terrain,
    which takes some five times as long.

    Parameters
    ----------
    done : collection of str
        Categories whose runs there are already.
    corpus, labels, exclude, threads, engine, progress, **choices
        As of :func:`discover_many`.

    Examples
    --------
    >>> texts = ["goal team win", "team match goal", "win match", "law vote", "vote court", "court law"] * 3
    >>> labels = ["sport", "sport", None, "politics", "politics", None] * 3
    >>> runs = discover_runs(Corpus.from_texts(texts, labels=labels), ["sport", "politics"], top=2)
    >>> [sorted(int(id) % 6 for id in run.ranking.ids) for run in runs]
    [[2, 2], [5, 5]]
    """
    engine = engine or Local(threads)
    together = _together(corpus, labels, exclude, engine, choices)
    left = set(done)
    return _runs(together, [label for label in labels if label not in left], engine, progress)


def _together(
    corpus: Corpus, labels: Sequence[str], exclude: Iterable[str], engine: Engine, choices: dict[str, Any]
) -> Together:
    """Check what was asked for, and choose what all share."""
    if not labels:
        raise InputError("give at least one label")
    labels = [corpus.label_named(label) for label in labels]
    if len(set(labels)) < len(labels):
        twice = next(label for label, times in Counter(labels).items() if times > 1)
        raise InputError(f"the label '{twice}' is there twice")
    if choices.get("description") or choices.get("words"):
        raise InputError("words or a description are of one category: leave them out, and the name of each counts")
    own = any(choices.get(name) is not None for name in ("seeds", "negatives_per_positive")) or choices.get("paper")
    model = choices.get("model") or (None if choices.get("paper") else "presence")
    checked = Choices.of(**{"top": TOP, **choices, "model": model})
    excluded = np.unique(corpus.rows(list(exclude))).astype(np.int64)
    shares = not own and checked.model == "presence"
    return Together.of(corpus, labels, checked, excluded, engine, shares=shares)


def _runs(together: Together, labels: Sequence[str], engine: Engine, progress: Progress | None) -> Iterator[Run]:
    tell = progress or (lambda what, share: None)
    for start in range(0, len(labels), RUNS_AT_ONCE):
        tell("learning and ranking", start / len(labels))
        yield from engine.call(together.run, labels[start : start + RUNS_AT_ONCE])
    tell("learning and ranking", 1.0)
