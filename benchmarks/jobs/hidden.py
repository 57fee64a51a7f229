"""Hidden members: half of each category is hidden, and every document ranked by what the other half teaches.

From a corpus, or for the peers its TF-IDF matrix, to a score for each document, all categories one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from contest import Contestant, Job, Settings, Started, Work


def prepare(folder: Path, settings: Settings) -> Work:
    import json

    import priorwise as pw
    from priorwise.discovery.demo import make_documents
    from priorwise.discovery.hidden import eligible_labels

    path = folder / "x.corpus"
    if settings.data:
        archive = settings.data / "ohsumed" / "ohsumed-first-20000-docs.tar.xz"
        pw.ingest(pw.OhsumedReader(archive), path, overwrite=True)
        name = "Ohsumed"
    else:
        made = make_documents(settings.size(20_000))
        pw.Corpus.from_texts([each.text for each in made], labels=[each.truth for each in made]).save(path)
        name = "made-up documents"
    corpus = pw.Corpus.open(path)
    labels = eligible_labels(corpus, 50)
    chosen = labels[:: 8 if settings.small else 4]
    (folder / "labels.json").write_text(json.dumps(chosen))
    return Work(
        f"hidden members: half of each of {len(chosen)} of the {len(labels)} categories of {name}, found again among "
        f"{corpus.n_documents:,} documents"
    )


def started(make: Callable[[], Any], folder: Path) -> Started:
    import json

    import priorwise as pw
    from priorwise.discovery.hidden import hidden_members

    corpus = pw.Corpus.open(folder / "x.corpus")
    labels = json.loads((folder / "labels.json").read_text())
    method, found = make(), []
    list(hidden_members(corpus, labels[:1], [method]))  # loads compiled code, makes the matrix

    def run() -> None:
        found[:] = hidden_members(corpus, labels, [method])

    def quality() -> dict[str, float]:
        shown = {"precision in the first 250": "ppv@250", "average precision": "average precision"}
        return {name: float(np.mean([each.measures[of] for each in found])) for name, of in shown.items()}

    return Started({"all": run}, quality)


def ours() -> Any:
    from priorwise.discovery.hidden import DefaultModel

    return DefaultModel()


def linear(kind: str, negatives: str, *, tuned: bool = False) -> Any:
    from priorwise.discovery.hidden import LinearPeer

    return LinearPeer(kind, negatives, tuned=tuned)


def peer(name: str, kind: str, negatives: str, *, tuned: bool = False) -> Contestant:
    make = partial(linear, kind, negatives, tuned=tuned)
    return Contestant(f"scikit-learn, {name}", partial(started, make), "peer", "scikit-learn", once=tuned)


HIDDEN = Job(
    "hidden",
    prepare,
    (
        Contestant("priorwise discover, the default", partial(started, ours), "ours"),
        peer("logistic regression, all others negative", "logistic", "all"),
        peer("linear SVM, all others negative", "svm", "all"),
        peer("linear SVM, mean of ten samples", "svm", "bagged"),
        peer("linear SVM, mean of ten samples, C tuned", "svm", "bagged", tuned=True),
    ),
    quality={"precision in the first 250": "{:.3f}", "average precision": "{:.3f}"},
)
