"""`priorwise explain`: why a document has its score."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from priorwise.cli.places import place
from priorwise.counting import counted


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("document_id")
@click.option("--corpus", callback=place, help="Where the corpus is, if it was moved; for a model.")
@click.option("--label", help="The label to explain, for a model. [default: the most probable]")
@click.option("--top", type=click.IntRange(min=1), help="Show only the strongest tokens.")
def explain(run: Path, document_id: str, corpus: Path | str | None, label: str | None, top: int | None) -> None:
    """Take the score of DOCUMENT_ID in RUN apart, token by token.

    For each token: how often it is in the document, its weight, how much of the document it is, and their product. The
    products add up to the score. In a run of --model presence: in how many members and others it occurs, what the data
    say (the log ratio of those rates), what the prior adds, and their sum; the sums add up to the score.

    RUN may also be a model of `priorwise train`: then the document is that of --corpus, and what each token adds to a
    label is shown.
    """
    from priorwise.discovery import Run
    from priorwise.errors import InputError

    if (run / "model.json").is_file() and not (run / "run.json").is_file():
        from priorwise.cli.explain_model import explain_model

        if corpus is None:
            raise InputError(f"{run} is a model: say in which corpus the document is, as --corpus X.corpus")
        explain_model(run, corpus, document_id, label, top)
        return
    if label is not None:
        raise InputError("--label is for models; a run is about one label")
    loaded = Run.load(run)
    opened = loaded.open_corpus(corpus)
    explanation = loaded.explain(opened, document_id)
    show = print_explanation if loaded.regression is None else print_weighed
    show(explanation, top, standing_in_words(loaded.standing(opened, document_id), loaded.about["label"]))


def standing_in_words(standing: Any, label: str) -> str | None:
    """Say in which category a document is already."""
    from priorwise.cli.output import safe

    if standing is None:
        return None
    return {
        "member": f"A member of '{safe(label)}'.",
        "subcategory": f"In a subcategory: {safe(standing.path or '', 150)}",
        "new": f"New: in neither '{safe(label)}' nor a subcategory of it.",
    }[standing.status]


def print_explanation(explanation: Any, top: int | None = None, where: str | None = None) -> None:
    """A row per token, then the sum."""
    from priorwise.cli.output import safe, show_table

    click.echo(f"{safe(explanation.title, 100)} ({safe(explanation.id)})")
    if where is not None:
        click.echo(where)
    shown = explanation.tokens[:top]
    rest = explanation.tokens[len(shown) :]
    members, others = f"of {explanation.n_members:,.0f}", f"of {explanation.n_others:,.0f}"
    start = explanation.start
    rows = [["(class sizes)", "", "", *_numbers(start.data, start.prior, start.weight)]]
    rows += [
        [
            safe(token.token, 30),
            f"{token.in_members:,.4g}",
            f"{token.in_others:,.4g}",
            *_numbers(token.data, token.prior, token.weight),
        ]
        for token in shown
    ]
    if rest:
        sums = [sum(getattr(token, part) for token in rest) for part in ("data", "prior", "weight")]
        rows.append([f"({counted(len(rest), 'more token')})", "", "", *_numbers(*sums)])
    everything = [start, *explanation.tokens]
    sums = [sum(getattr(token, part) for token in everything) for part in ("data", "prior", "weight")]
    rows.append(["sum, s(d)", "", "", *_numbers(*sums)])
    show_table(["token", f"members {members}", f"others {others}", "data", "prior", "weight"], rows)
    if explanation.unknown:
        click.echo(f"Without a say: {counted(len(explanation.unknown), 'token')} that no member has.")
    if explanation.divisor != 1.0:
        click.echo(f"Score: {explanation.total:.4f} / {explanation.divisor:.4f} (length) = {explanation.score:.4f}")
    else:
        click.echo(f"Score: {explanation.score:.4f}")


def print_weighed(explanation: Any, top: int | None = None, where: str | None = None) -> None:
    """A row per token, then the sum, for a regression."""
    from priorwise.cli.output import safe, show_table

    click.echo(f"{safe(explanation.title, 100)} ({safe(explanation.id)})")
    if where is not None:
        click.echo(where)
    shown = explanation.tokens[:top]
    rest = explanation.tokens[len(shown) :]
    rows = [[f"[{safe(label, 50)}]", "", "", "", f"{adds:+.4f}"] for label, adds in explanation.labels]
    rows += [
        [safe(token.token, 30), f"{token.times:,}", f"{token.weight:+.4f}", f"{token.amount:.4f}", f"{token.adds:+.4f}"]
        for token in shown
    ]
    if rest:
        rows.append([f"({counted(len(rest), 'more token')})", "", "", "", f"{sum(token.adds for token in rest):+.4f}"])
    rows.append(["score", "", "", "", f"{explanation.score:+.4f}"])
    show_table(["token", "times", "weight", "× amount", "adds"], rows)
    if explanation.unknown:
        click.echo(f"The document is longer by {counted(len(explanation.unknown), 'token')} without a weight.")
    click.echo(f"Probability of membership: {explanation.probability:.2f}")


def _numbers(*values: float) -> list[str]:
    return [f"{value:+.4f}" for value in values]
