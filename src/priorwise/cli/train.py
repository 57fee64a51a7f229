"""`priorwise train`: a labelled corpus in, a model out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from priorwise.cli.names import NamedPrior, parse_model, parse_prior, parse_target, show_names
from priorwise.cli.options import named, open_corpus, place
from priorwise.cli.output import progress_bar, safe
from priorwise.counting import counted
from priorwise.errors import InputError, NotEnoughData

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
        "folder of such files; LABEL=FILE; or LABEL=TABLE:COLUMN for a column of a spreadsheet. May be given again.",
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


@click.command()
@click.argument("corpus", callback=place)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The model folder to write.")
@click.option(
    "--model",
    default="multinomial",
    show_default=True,
    help="The likelihood: multinomial, bernoulli or another naive Bayes, logistic or another regression.",
)
@click.option(
    "--prior",
    help="The prior: its name, with its numbers or without, as in witten-bell:0.1; a preset, as "
    "laplace; or learn, or learn:witten-bell, to learn the numbers. [default: the model's first]",
)
@click.option(
    "--target",
    help="The objective of a learned prior, as macro-f1, f0.5 or log-likelihood. "
    "[default: accuracy, for labels f1, for regressions log-likelihood]",
)
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_names,
    help="Show every model, its priors and their numbers, and every target; then stop.",
)
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    help="How many folds to learn by. [default: exact leave-one-out; for logistic 10, for probit 5]",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="How the folds are drawn.")
@click.option(
    "--decide",
    type=click.Choice(["one", "each"]),
    help="A document has one of the labels, or each label is decided on its own. [default: as in the corpus]",
)
@click.option(
    "--class-rate",
    type=click.Choice(["counted", "uniform"]),
    default="counted",
    show_default=True,
    help="The class rates to assume.",
)
@click.option(
    "--min-members", type=click.IntRange(min=1), default=1, show_default=True, help="Leave out labels with fewer."
)
@click.option("--labelled", is_flag=True, help="If each label is decided: leave out documents without any.")
@click.option("--overwrite", is_flag=True, help="Replace the model if it is there already.")
@regression_options
def train(
    corpus: Path | str,
    output: Path,
    model: str,
    prior: str | None,
    target: str | None,
    folds: int | None,
    seed: int,
    decide: str | None,
    class_rate: str,
    min_members: int,
    labelled: bool,
    overwrite: bool,
    **regression: Any,
) -> None:
    """Learn the labels of CORPUS, two or thousands of them."""
    from priorwise.models.linear_model import check_output
    from priorwise.models.training import examples_of
    from priorwise.models.training import train as run_train

    check_output(output, overwrite=overwrite)
    kind = parse_model(model)
    if kind.regression and class_rate != "counted":
        raise InputError("--class-rate is for naive Bayes; a regression learns its intercept from the examples")
    prior = check_options(kind, prior, regression)
    named = NamedPrior(lambda types: None) if prior is None else parse_prior(model, prior)
    if not named.learn and (target is not None or folds is not None or regression["approximate"]):
        raise InputError("--target and --folds say how to learn a prior; ask for that with --prior learn")
    wanted = None if target is None else parse_target(target)
    opened = open_corpus(corpus)
    multilabel = None if decide is None else decide == "each"
    examples = examples_of(opened, multilabel=multilabel, min_members=min_members, labelled_only=labelled)

    def make(types: int) -> Any:
        estimator = kind.with_prior(named.make(types), class_rate=class_rate)
        if not named.learn:
            return estimator
        from priorwise.models.prior_search import PriorSearch

        how = _folds(folds, seed, examples)
        return PriorSearch(estimator, target=wanted, folds=how, progress=lambda done: bar.update(completed=done))

    def about(fitted: Any) -> dict[str, Any]:
        rate = {} if kind.regression else {"class_rate": class_rate}
        return {"model": model, **rate, **_learned(fitted, target, _how(kind, folds, seed, regression["approximate"]))}

    told = named.learn and not kind.regression
    with progress_bar("Learning the prior" if named.learn else "Counting", total=1.0 if told else None) as bar:
        if kind.regression:
            made, fitted = train_regression(
                opened, examples, kind, named, target=wanted, folds=folds, seed=seed, about=about, **regression
            )
        else:
            made, fitted = run_train(opened, examples, make, features=kind.reads, link=kind.link, about=about)
    made.save(output, overwrite=overwrite)
    print_training(corpus, made, fitted, kind)
    click.echo(f"Written to {output}.")


def _folds(folds: int | None, seed: int, examples: Any) -> Any:
    if folds is None:
        return None
    from sklearn.model_selection import KFold, StratifiedKFold

    if folds > len(examples.rows):
        raise NotEnoughData(f"{len(examples.rows)} documents do not make {folds} folds; ask for fewer")
    # Classes are spread evenly over the folds if each has a document for every fold, else as chance has it.
    even = not examples.multilabel and examples.membership.sum(axis=0).min() >= folds
    return (StratifiedKFold if even else KFold)(folds, shuffle=True, random_state=seed)


def _how(kind: Any, folds: int | None, seed: int, approximate: bool) -> str:
    """What a prior is learned by."""
    folds = kind.usual_folds if folds is None else folds
    if approximate or folds is None:
        return "approximate leave-one-out" if approximate else "leave-one-out"
    return f"{folds} folds, seed {seed}"


def _learned(fitted: Any, target: str | None, by: str) -> dict[str, Any]:
    """What the model's description says of its prior."""
    from priorwise.priors.base import is_several

    prior = getattr(fitted, "best_prior_", None)
    if prior is None:
        return {"prior": repr(fitted.given_prior), "learned": None}
    return {
        "prior": list(map(repr, prior)) if is_several(prior) else repr(prior),
        "learned": {
            "target": target,
            "score": float(fitted.best_score_),
            "trials": len(fitted.trials_["score"]),
            "by": by,
            "remark": fitted.remark_,
        },
    }


def print_training(corpus: Path | str, model: Any, fitted: Any, kind: Any) -> None:
    """Say what was learned from how much, and what the prior means."""
    from priorwise.priors.base import is_several

    about = model.about
    what = "labels, each decided on its own" if model.multilabel else "classes, one for each document"
    click.echo(
        f"{named(corpus)}: {counted(about['corpus']['documents'], 'document')}, {len(model.labels):,} {what}; "
        f"{counted(len(model.tokens), 'distinct word')}"
    )
    if without := about["corpus"]["without_label"]:
        click.echo(f"{counted(without, 'document')} without any of them, taken as examples of none (see --labelled)")
    for why, count in about["corpus"]["left_out"].items():
        click.echo(f"Left out: {why} ({count:,})")
    best = getattr(fitted, "best_estimator_", fitted)
    name = "priors" if is_several(best.given_prior) else repr(best.given_prior)
    click.echo(f"{about['model'].capitalize()}, {name}: {best.describe_prior()}.")
    learned = about["learned"]
    if learned is not None:
        usual = "f1" if model.multilabel or len(model.labels) == 2 else "accuracy"
        target = learned["target"] or ("log-likelihood" if kind.regression else usual)
        click.echo(
            f"Learned by {learned['by']}: {target} {learned['score']:.4f}, "
            f"the best of {counted(learned['trials'], 'trial')}."
        )
        if learned["remark"]:
            click.echo(f"Note: {safe(learned['remark'])}.")


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
    from priorwise.models.training import fit_regression, prepare, prior_of_knowledge
    from priorwise.priors.keywords import read_knowledge

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

    members = np.asarray(examples.membership.sum(axis=0)).ravel()
    few = np.flatnonzero(np.minimum(members, len(examples.rows) - members) < 2)
    if len(few):
        raise NotEnoughData(
            f"'{examples.labels[few[0]]}' has one document, or all but one, so none can be held out to learn by: "
            "leave such labels out with --min-members 2, or give a prior"
        )
    if model.shares_folds:
        from priorwise.models.regression.logistic_search import Dealt

        return Dealt(folds or model.usual_folds, seed)
    from sklearn.model_selection import KFold, StratifiedKFold

    how = KFold if examples.multilabel else StratifiedKFold
    return how(min(folds or model.usual_folds, int(members.min())), shuffle=True, random_state=seed)


def _show(prior: Any, examples: Any, words: Sequence[str], known: Any, limit: int) -> None:
    """The prior of a few labels as tables that a person can read."""
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
