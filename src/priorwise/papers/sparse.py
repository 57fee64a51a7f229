"""Sparse Bayesian classifiers: probit and logistic regression whose priors make them sparse, on ModApte."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from priorwise.corpus import Corpus
from priorwise.papers.experiment import Experiment, Findings, Session
from priorwise.papers.sparse_cells import judge, stopped_early
from priorwise.papers.sparse_published import F1, LAPLACE, TOPICS, Setting
from priorwise.papers.sparse_tables import Layout
from priorwise.papers.split import Split, membership, split_of

TEXT = 1
"""Raised when documents become other words than before, so that cells are computed anew."""

_SETTING = (
    "Reuters-21578, the ModApte split, stories with at least one of the 90 topics that both of its parts have; the "
    "paper counts 7,769 and 3,019. Words are the tokens that are not on the SMART stop list, what comes before an "
    "apostrophe, in lower case, not stemmed. Each of the ten largest topics is told from the rest by the words with "
    "the largest absolute Pearson correlation of frequency and topic. The intercept has the prior of the features. The "
    "threshold is the one with the fewest errors on the training documents."
)


def run(session: Session) -> Findings:
    """Fit every topic under every setting, then lay out the tables."""

    @cache
    def split() -> Split:
        return load(session)

    shared = {"text": TEXT, "data": [session.data.fingerprint(name) for name in ("reuters", "stop-list")]}
    sizes = session.results.cell({**shared, "what": "sizes"}, lambda: _sizes(split()))
    jobs = [("judge", setting, topic) for setting in F1 for topic in TOPICS]
    jobs += [("early", setting, topic) for setting in LAPLACE.values() for topic in TOPICS]
    cells: dict[tuple[str, Setting], list[Any]] = {}
    for done, (what, setting, topic) in enumerate(jobs):
        session.progress(f"{setting.model} {setting.title}: {topic}", done / len(jobs))
        key = {**shared, "what": what, "topic": topic, **setting._asdict()}
        found = session.results.cell(key, partial(_compute, what, split, topic, setting))
        cells.setdefault((what, setting), []).append(found)
    by_kind = {kind: {s: found for (what, s), found in cells.items() if what == kind} for kind in ("judge", "early")}
    layout = Layout(by_kind["judge"], by_kind["early"], sizes["true"])
    return Findings((_SETTING, *layout.parts()), {"ModApte": sizes["counts"]})


def _compute(what: str, split: Callable[[], Split], topic: str, setting: Setting) -> dict[str, Any]:
    return (judge if what == "judge" else stopped_early)(split(), topic, setting)


def load(session: Session) -> Split:
    """Read the stories that have a topic which is in both parts."""
    train, test = (session.data.corpus("reuters", split=part, labelled=True) for part in ("train", "test"))
    whole = split_of(train, test, stop_words=session.data.stop_words(), labels=TOPICS, word=_plain)
    names = [set(corpus.label_names(range(corpus.n_labels))) for corpus in (train, test)]
    kept = [_labelled(corpus, names[0] & names[1]) for corpus in (train, test)]
    X, Y = (whole.X_train[kept[0]], whole.X_test[kept[1]]), (whole.Y_train[kept[0]], whole.Y_test[kept[1]])
    return Split(*X, *Y, whole.words, whole.labels)


def _plain(token: str) -> str:
    """What comes before an apostrophe."""
    return token.partition("'")[0]


def _labelled(corpus: Corpus, names: set[str]) -> Any:
    wanted = [name in names for name in corpus.label_names(range(corpus.n_labels))]
    return np.flatnonzero(membership(corpus) @ np.array(wanted, dtype=np.float64))


def _sizes(split: Split) -> dict[str, Any]:
    return {"true": np.asarray(split.Y_test.sum(axis=0)).ravel().tolist(), "counts": split.counts}


EXPERIMENT = Experiment(
    name="sparse",
    title="Sparse Bayesian classifiers",
    paper=(
        "Eyheramendy, Genkin, Ju, Lewis and Madigan, *Sparse Bayesian classifiers for text categorization*; "
        "tables 1 to 6."
    ),
    parts={"modapte": ("reuters", "stop-list")},
    run=run,
)
