"""What `priorwise train` asks and does for regressions: features, knowledge, thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from priorwise.cli.names import NamedPrior, parse_target
from priorwise.errors import InputError

FEATURES = ("tfidf", "log", "counts", "presence")
METHODS = ("var", "var-tfidf", "mode", "mode-tfidf")
LABELS_SHOWN = 3

_OPTIONS = (
    click.option(
        "--features",
        type=click.Choice(FEATURES),
        help="What a regression reads of a word: 1 + log of its count, times its rarity in the corpus, documents of "
        "one length (tfidf); 1 + log of its count; its count; or whether it is there. [default: tfidf]",
    ),
    click.option(
        "--knowledge",
        multiple=True,
        metavar="SOURCE",
        help="What you know about the labels: keywords as in '+oil:2 -olive', or a text, in a file named LABEL.txt; a "
        "folder of such files; or LABEL=FILE. May be given several times.",
    ),
    click.option(
        "--method",
        type=click.Choice(METHODS),
        help="How keywords or texts change a word's prior: a larger variance (var) or another centre (mode), for all "
        "words alike or more for typical ones (tfidf). For long texts and few examples: var-tfidf. [default: mode]",
    ),
    click.option("--strength", type=float, help="How much the keywords or texts count, C. [default: learned]"),
    click.option(
        "--threshold",
        metavar="TARGET",
        help="Decide so that f1, another fBETA, ppv:FLOOR or errors is best on the examples. [default: probability ½]",
    ),
    click.option("--approximate", is_flag=True, help="Learn by approximate leave-one-out, faster (logistic)."),
    click.option(
        "--show-prior",
        type=click.IntRange(min=0),
        help="How many words to show with their prior. [default: 5 with knowledge]",
    ),
)


def regression_options(command: Any) -> Any:
    """Add the options to a command, in this order."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def check_options(model: Any, prior: str | None, given: dict[str, Any]) -> str | None:
    """Refuse options that do not go together; return the prior by name, the usual one if none was given."""
    if not model.regression:
        for name, value in given.items():
            if value not in (None, (), False):
                option = "--" + name.replace("_", "-")
                raise InputError(f"{option} is for regressions: give --model logistic or --model probit with it")
        return prior
    if given["approximate"] and not model.shares_folds:
        raise InputError("--approximate is for --model logistic")
    knowledge, strength = given["knowledge"], given["strength"]
    if not knowledge and (given["method"] is not None or strength is not None):
        raise InputError("--method and --strength say what --knowledge does: give that too")
    if prior is None:
        return "gaussian" if not knowledge else "laplace" if strength is not None else "learn:laplace"
    if knowledge and strength is None and not prior.startswith("learn"):
        raise InputError("give --strength with --knowledge, or let it be learned, as with --prior learn:laplace")
    return prior


def train_regression(
    corpus: Any,
    examples: Any,
    model: Any,
    named: NamedPrior,
    *,
    target: Any,
    folds: int | None,
    seed: int,
    about: Callable[[Any], dict[str, Any]],
    features: str | None,
    knowledge: tuple[str, ...],
    method: str | None,
    strength: float | None,
    threshold: str | None,
    approximate: bool,
    show_prior: int | None,
) -> tuple[Any, Any]:
    """Read the knowledge, learn, and show the prior."""
    from priorwise.models.prior_search import PriorSearch
    from priorwise.models.regression_training import fit_regression, prepare, prior_of_knowledge
    from priorwise.priors.knowledge_files import read_knowledge

    known = read_knowledge(knowledge, examples.labels) if knowledge else None
    line = None if threshold is None else parse_target(threshold, needs="counts")
    prepared = prepare(corpus, examples, features or "tfidf", known)
    prior = named.make(len(prepared.vocabulary.words))
    if known is not None:
        prior = prior_of_knowledge(
            known, examples, prepared.vocabulary, prior, method or "mode", 1.0 if strength is None else strength
        )
    estimator = model.with_prior(prior)
    if named.learn:
        grid = prior.grid([strength]) if known is not None and strength is not None else prior.grid()
        how = "approximate" if approximate else _dealt(model, folds, seed, examples)
        estimator = PriorSearch(estimator, target=target, grid=grid, folds=how)
    made, fitted = fit_regression(corpus, examples, prepared, estimator, link=model.link, about=about, threshold=line)
    shown = 5 if show_prior is None and known is not None else show_prior or 0
    if shown:
        _show(getattr(fitted, "best_estimator_", fitted).prior, examples, prepared.vocabulary.words, known, shown)
    return made, fitted


def _dealt(model: Any, folds: int | None, seed: int, examples: Any) -> Any:
    """Folds, drawn by chance; a label with one document is named here, where its name is known."""
    import numpy as np

    from priorwise.errors import NotEnoughData

    members = np.asarray(examples.membership.sum(axis=0)).ravel()
    few = np.flatnonzero(np.minimum(members, len(examples.rows) - members) < 2)
    if len(few):
        raise NotEnoughData(
            f"'{examples.labels[few[0]]}' has one document, or all but one, so none can be held out to learn by: "
            "leave such labels out with --min-members 2, or give a prior"
        )
    if model.shares_folds:
        from priorwise.models.regression.logistic_table import Dealt

        return Dealt(folds or model.usual_folds, seed)
    from sklearn.model_selection import KFold, StratifiedKFold

    how = KFold if examples.multilabel else StratifiedKFold
    return how(min(folds or model.usual_folds, int(members.min())), shuffle=True, random_state=seed)


def _show(prior: Any, examples: Any, words: Sequence[str], known: Any, limit: int) -> None:
    """The prior of a few labels as tables that a person can read."""
    from priorwise.cli.output import safe
    from priorwise.priors.base import one_each

    one_output = len(examples.labels) == 2 and not examples.multilabel
    outputs = [(0, examples.labels[1])] if one_output else list(enumerate(examples.labels))
    if known is not None and not one_output:
        outputs = [(output, label) for output, label in outputs if label in known.of_labels]
    for output, label in outputs[:LABELS_SHOWN]:
        click.echo(f"Before reading, of '{safe(label, 40)}':")
        own = one_each(prior, 1 if one_output else len(examples.labels))[output]
        for line in own.describe(words, output=output, limit=limit).splitlines():
            click.echo(f"  {safe(line)}")
    if len(outputs) > LABELS_SHOWN:
        click.echo(f"(and of {len(outputs) - LABELS_SHOWN} more)")
