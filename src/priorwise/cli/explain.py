"""`priorwise explain`: why a document has its score, in a run or by a trained model."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from priorwise.cli.options import COUNT, JSON, MOVED_CORPUS, PATH, command, option
from priorwise.cli.output import safe, say, show_json, show_table
from priorwise.counting import counted
from priorwise.errors import InputError, UnknownName


@command(examples='explain ml.run 1\nexplain ml.run "Neural network" --show 10')
@click.argument("run", type=PATH)
@click.argument("document")
@MOVED_CORPUS
@option("--label", help="The label to explain, for a model. [default: the most probable]")
@option(
    "--show",
    old="--top",
    type=COUNT,
    default=20,
    show_default=True,
    help="Words to show, the strongest first. --json has all.",
)
@JSON
def explain(run: Path, document: str, corpus: Path | str | None, label: str | None, show: int, as_json: bool) -> None:
    """Show why DOCUMENT has its score in RUN, word by word. DOCUMENT is an id, a title, or a rank such as 3.

    For each word: in how many members and other documents it occurs, how often it is in this document, its weight, and
    what it adds to the score. The numbers add up to the score. Where the prior brought a part of a weight, that part is
    shown.

    RUN may also be a model of `priorwise train`. Then the document is one of --corpus, and each word is shown with what
    it adds to a label.
    """
    from priorwise.discovery import Run

    if (run / "model.json").is_file() and not (run / "run.json").is_file():
        if corpus is None:
            raise InputError(f"{run} is a model: say in which corpus the document is, as --corpus X.corpus")
        explain_model(run, corpus, document, label, show, as_json=as_json)
        return
    if label is not None:
        raise InputError("--label is for models; a run is about one category")
    loaded = Run.load(run)
    opened = loaded.open_corpus(corpus)
    document_id = find_document(document, opened, loaded.ranking)
    explanation, status = loaded.explain(opened, document_id), loaded.status(opened, document_id)
    if as_json:
        known = None if status is None else status.status
        words = [{**asdict(word), "adds": word.adds} for word in explanation.words]
        show_json({**asdict(explanation), "words": words, "score": explanation.score, "status": known})
    else:
        print_explanation(explanation, show, status_in_words(status, loaded.about.label))


def find_document(given: str, corpus: Any, ranking: Any) -> str:
    """The id of a document by its id, its title or its rank, whichever is there first."""
    try:
        corpus.row(given)
    except UnknownName:
        ids = corpus.ids(corpus.rows_titled(given))
        if len(ids) > 1:
            raise InputError(f"{len(ids):,} documents are called '{given}': give an id, such as {ids[0]}") from None
        rank = int(given) if given.isascii() and given.isdigit() else 0
        if not ids and 1 <= rank <= len(ranking):
            ids = [ranking.ids[rank - 1]]
        if not ids:
            raise
        return str(ids[0])
    return given


def status_in_words(status: Any, label: str | None) -> str | None:
    """Say in which category a document is already."""
    if status is None or label is None:
        return None
    return {
        "member": f"A member of '{safe(label)}'.",
        "subcategory": f"In a subcategory: {safe(status.path or '', 150)}",
        "new": f"New: in neither '{safe(label)}' nor a subcategory of it.",
    }[status.status]


def print_explanation(explanation: Any, top: int | None = None, where: str | None = None) -> None:
    """A row per word, then the sum."""
    say(f"{safe(explanation.title, 100)} ({safe(explanation.id)})")
    if where is not None:
        say(where)
    shown, rest = explanation.words[:top], explanation.words[len(explanation.words[:top]) :]
    brought = any(word.from_prior for word in explanation.words)
    headings = ["word", _of("in members", explanation.n_members), _of("in others", explanation.n_others), "times"]
    headings += ["from prior", "from documents"] * brought + ["weight", "adds"]

    def row(name: str, *cells: str, adds: float) -> list[str]:
        return [name, *cells, *[""] * (len(headings) - 2 - len(cells)), f"{adds:+.4f}"]

    rows = [row("(start)", adds=explanation.start)] if explanation.start else []
    for word in shown:
        name = safe(word.name, 30) if word.group == "words" else f"[{safe(word.name, 60)}]"
        cells = [_count(word.in_members), _count(word.in_others), f"{word.times:,}"]
        cells += [f"{part:+.4f}" for part in (word.from_prior, word.from_documents)] if brought else []
        rows.append(row(name, *cells, f"{word.weight:+.4f}", adds=word.adds))
    if rest:
        more = counted(len(rest), "more word") + " and categories" * any(word.group == "labels" for word in rest)
        rows.append(row(f"({more})", adds=sum(word.adds for word in rest)))
    rows.append(row("score", adds=explanation.score))
    show_table(headings, rows)
    if explanation.unknown:
        say(f"Words without a weight: {len(explanation.unknown):,}")
    if explanation.probability is not None:
        say(f"Probability of membership: {explanation.probability:.2f}")


def _of(name: str, total: float) -> str:
    return name if total != total else f"{name}, of {total:,.0f}"


def _count(number: float) -> str:
    return "" if number != number else f"{number:,.4g}"


def explain_model(
    path: Path, corpus_path: Path | str, document_id: str, label: str | None, top: int | None, *, as_json: bool
) -> None:
    """Print a row per word, and the sum."""
    import numpy as np

    from priorwise.corpus import Corpus
    from priorwise.models.linear_model import LinearModel
    from priorwise.ranking.classifier import Classifier

    model = LinearModel.load(path)
    if label is not None and label not in model.labels:
        raise UnknownName("label", label, model.labels, complete=True)
    corpus, classifier = Corpus.open(corpus_path), Classifier(model)
    row = corpus.row(document_id)
    _, bags = next(classifier.read_corpus(corpus, np.array([row])))
    verdict = classifier.judge(bags)
    chosen = int(verdict.best(1)[0, 0]) if label is None else list(model.labels).index(label)
    every, start = classifier.evidence(bags, 0, chosen, None), classifier.start(bags, 0, chosen)
    probability = np.exp(verdict.log_probability[0, chosen])
    if as_json:
        words = [{"word": token, "adds": adds} for token, adds in every]
        about: dict[str, Any] = {"id": document_id, "title": corpus.titles([row])[0], "label": model.labels[chosen]}
        about |= {"probability": probability, "assigned": bool(verdict.decided[0, chosen])}
        show_json({**about, "start": start, "words": words, "unknown_words": int(bags.unknown[0])})
        return
    decided = "assigned" if verdict.decided[0, chosen] else "not assigned"
    say(f"{safe(corpus.titles([row])[0], 100)} ({safe(document_id)})")
    say(f"'{safe(model.labels[chosen], 60)}': probability {probability:.3f}, {decided}")
    silent = sum(adds == 0 for _, adds in every)
    every = [(token, adds) for token, adds in every if adds != 0]
    shown = every if top is None else every[:top]
    value = dict(zip(bags.X.indices.tolist(), bags.X.data.tolist(), strict=True))
    names = {model.tokens[column].as_py(): number for column, number in value.items()}
    rows = [["(start)", "", f"{start:+.4f}"]]
    rows += [[safe(token, 30), f"{names[token]:.4g}", f"{adds:+.4f}"] for token, adds in shown]
    if len(shown) < len(every):
        rest = sum(adds for _, adds in every[len(shown) :])
        rows.append([f"({counted(len(every) - len(shown), 'more word')})", "", f"{rest:+.4f}"])
    rows.append(["sum", "", f"{start + sum(adds for _, adds in every):+.4f}"])
    show_table(["word", "feature", "adds"], rows)
    if not model.multilabel and len(model.labels) > 2:
        say("Each number is what is added beyond the mean of all classes.")
    if silent:
        say(f"{counted(silent, 'word')} of weight 0.")
    if unknown := int(bags.unknown[0]):
        say(f"The model does not know {counted(unknown, 'word')}.")
