"""How well do we know Bernoulli?: Beta and Jelinek-Mercer priors, and what an honest choice of them is worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from priorwise.models.bernoulli import BernoulliNB
from priorwise.papers.bernoulli_cells import METHODS, Judged, Outcome, chunks, decisions, judge
from priorwise.papers.bernoulli_tables import Layout
from priorwise.papers.experiment import Experiment, Findings, Progress, Session
from priorwise.papers.split import Split, split_of
from priorwise.papers.table import Table
from priorwise.papers.vocabulary import of_letters

VOCABULARIES: dict[str, tuple[Callable[[str], str], int]] = {
    "every token": (str, 1),
    "words of letters": (of_letters, 1),
    "words of letters in 2 documents or more": (of_letters, 2),
    "words of letters in 3 documents or more": (of_letters, 3),
}
"""What counts as a word: a rule for tokens, and in how many training documents it has to be."""


class Read(NamedTuple):
    """A collection as the experiment reads it."""

    title: str
    collection: str
    options: dict[str, Any]
    largest: int | None


PARTS = {
    "reuters": Read("Reuters-21578", "reuters", {}, 10),
    "newsgroups": Read("20 Newsgroups", "newsgroups", {}, None),
    "newsgroups-bodies": Read("20 Newsgroups, no headers", "newsgroups", {"strip_headers": True}, None),
    "ohsumed": Read("Ohsumed", "ohsumed", {}, None),
}


_SETTING = (
    "Each category is told from all other documents. Words are the tokens of letters that are not on the SMART stop "
    "list, in lower case; a document is the set of its words. λ of JE, (α, β) of VI and the numbers of the last two "
    "are chosen for each category. Reuters-21578 is the ModApte split with its ten largest topics. The paper does not "
    "say whether it reads the headers of 20 Newsgroups, which name sender and organisation, so both are here."
)


def run(session: Session) -> Findings:
    """Value every prior on every collection, then lay out the tables."""
    found, counts, vocabularies = {}, {}, {}
    for number, part in enumerate(session.only):

        def progress(what: str, share: float, part: str = part, number: int = number) -> None:
            session.progress(f"{PARTS[part].title}: {what}", (number + share) / len(session.only))

        key = {"part": part, "data": session.data.fingerprint(*EXPERIMENT.parts[part])}
        found[part], counts[PARTS[part].title] = _methods(session, part, key, progress)
        vocabularies[part] = _vocabularies(session, part, key)
    titles = {part: PARTS[part].title for part in found}
    sources = {part: PARTS[part].collection for part in found}
    parts = (_SETTING, *Layout(found, titles, sources).parts(), "## What counts as a word", _words(vocabularies))
    return Findings(parts, counts)


def _methods(session: Session, part: str, key: dict[str, Any], progress: Progress) -> tuple[dict[str, Judged], str]:
    @cache
    def split() -> Split:
        return load(session, part)

    sizes = session.results.cell({**key, "what": "sizes"}, lambda: _sizes(split()))
    true = np.array(sizes["true"], dtype=np.float64)
    portions = [(name, priors) for name, method in METHODS.items() for priors in chunks(method, session.quick)]
    cells: dict[str, list[Any]] = {name: [] for name in METHODS}
    for done, (name, priors) in enumerate(portions):
        progress(name, done / len(portions))
        own = {**key, "priors": [repr(prior) for prior in priors]}
        cells[name].append(session.results.cell(own, partial(_judge, split, priors)))
    judged = {name: Judged(method, method.priors(session.quick), cells[name], true) for name, method in METHODS.items()}
    return judged, sizes["counts"]


def _judge(split: Callable[[], Split], priors: Sequence[Any]) -> dict[str, Any]:
    return judge(split(), priors)


def load(session: Session, part: str, word: Callable[[str], str] = of_letters) -> Split:
    """Read a collection's two parts, with the words and the categories that count."""
    _, collection, options, largest = PARTS[part]
    train, test = (session.data.corpus(collection, split=split, **options) for split in ("train", "test"))
    labels = None if largest is None else sorted(name for name, _ in train.largest_labels(largest))
    return split_of(train, test, stop_words=session.data.stop_words(), labels=labels, word=word)


def _sizes(split: Split) -> dict[str, Any]:
    return {"true": np.asarray(split.Y_test.sum(axis=0)).ravel().tolist(), "counts": split.counts}


def _vocabularies(session: Session, part: str, key: dict[str, Any]) -> dict[str, Any]:
    def compute(word: Callable[[str], str], documents: int) -> dict[str, Any]:
        return _fixed_priors(load(session, part, word), documents)

    return {
        name: session.results.cell({**key, "vocabulary": name}, partial(compute, *rule))
        for name, rule in VOCABULARIES.items()
    }


def _fixed_priors(split: Split, documents: int) -> dict[str, Any]:
    """Macro F1 of the two priors that have nothing to choose, on words that are in so many training documents."""
    kept = np.flatnonzero(np.diff(split.X_train.tocsc().indptr) >= documents)
    true = np.asarray(split.Y_test.sum(axis=0)).ravel()
    found: dict[str, Any] = {"words": len(kept)}
    for name in ("LA", "EY"):
        model = BernoulliNB(METHODS[name].start).fit(split.X_train[:, kept], split.Y_train.astype(np.int64))
        found[name] = Outcome(*decisions(model, split.X_test[:, kept], split.Y_test), true).macro()[-1]
    return found


def _words(vocabularies: dict[str, Any]) -> Table:
    shown = ("words", "LA", "EY")
    rows = [(name, [found[name][what] for found in vocabularies.values() for what in shown]) for name in VOCABULARIES]
    columns = ["", *(f"{PARTS[part].title}: {what}" for part in vocabularies for what in shown)]
    return Table.of("Macro F1 of LA and EY by vocabulary", columns, rows, note="Stop words are left out in each.")


EXPERIMENT = Experiment(
    name="bernoulli",
    title="Beta and Jelinek-Mercer priors for Bernoulli naive Bayes",
    paper="Di Nunzio and Sordoni, *How well do we know Bernoulli?*",
    parts={name: (part.collection, "stop-list") for name, part in PARTS.items()},
    run=run,
)
