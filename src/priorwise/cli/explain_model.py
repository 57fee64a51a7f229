"""`priorwise explain` for a trained model: what each word of a document adds to a label."""

from __future__ import annotations

from pathlib import Path

import click

from priorwise.counting import counted


def explain_model(path: Path, corpus_path: Path | str, document_id: str, label: str | None, top: int | None) -> None:
    """Print a row per token, and the sum."""
    import numpy as np

    from priorwise.cli.output import safe, show_table
    from priorwise.corpus import Corpus
    from priorwise.errors import UnknownName
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
    decided = "assigned" if verdict.decided[0, chosen] else "not assigned"
    click.echo(f"{safe(corpus.titles([row])[0], 100)} ({safe(document_id)})")
    probability = np.exp(verdict.log_probability[0, chosen])
    click.echo(f"'{safe(model.labels[chosen], 60)}': probability {probability:.3f}, {decided}")
    every, start = classifier.evidence(bags, 0, chosen, None), classifier.start(bags, 0, chosen)
    silent = sum(adds == 0 for _, adds in every)
    every = [(token, adds) for token, adds in every if adds != 0]
    shown = every if top is None else every[:top]
    value = dict(zip(bags.X.indices.tolist(), bags.X.data.tolist(), strict=True))
    names = {model.tokens[column].as_py(): number for column, number in value.items()}
    rows = [["(start)", "", f"{start:+.4f}"]]
    rows += [[safe(token, 30), f"{names[token]:.4g}", f"{adds:+.4f}"] for token, adds in shown]
    if len(shown) < len(every):
        rest = sum(adds for _, adds in every[len(shown) :])
        rows.append([f"({counted(len(every) - len(shown), 'more token')})", "", f"{rest:+.4f}"])
    rows.append(["sum", "", f"{start + sum(adds for _, adds in every):+.4f}"])
    show_table(["token", "feature", "adds"], rows)
    if not model.multilabel and len(model.labels) > 2:
        click.echo("Each number is what is added beyond the mean of all classes.")
    if silent:
        click.echo(f"{counted(silent, 'token')} of weight 0.")
    if unknown := int(bags.unknown[0]):
        click.echo(f"Without a say: {counted(unknown, 'word')} that the model does not know.")
