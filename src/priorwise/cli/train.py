"""`priorwise train`: a labelled corpus in, a model out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from priorwise.cli.names import NamedPrior, parse_model, parse_objective, parse_prior, show_names
from priorwise.cli.options import CORPUS, COUNT, JSON, OVERWRITE, PATH, SEED, command, named, open_corpus, option
from priorwise.cli.output import only_json, progress_bar, safe, say, show_json
from priorwise.counting import counted
from priorwise.errors import InputError, NotEnoughData

FEATURES = ("tfidf", "log", "counts", "presence")
METHODS = ("var", "var-tfidf", "mode", "mode-tfidf")
LABELS_SHOWN = 3

_learn = partial(option, group="Learning the prior")
_regression = partial(option, group="Regressions")


@command(
    examples="""
    train articles.corpus -o topics.model
    train articles.corpus --prior learn:witten-bell --objective macro-f1 -o topics.model
    train articles.corpus --model logistic --keywords oil.txt -o oil.model
    """
)
@CORPUS
@option("-o", "--output", type=PATH, required=True, help="The model folder to write.")
@option("--model", default="multinomial", help="multinomial, bernoulli or another naive Bayes, logistic or probit.")
@option(
    "--prior",
    help="Its name, with or without its numbers, as in witten-bell:0.1; a preset, as laplace; or learn, or "
    "learn:witten-bell, to learn the numbers. [default: learned, if the model is multinomial and each document has "
    "one label; else the model's first]",
)
@option(
    "--list-models",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_names,
    old="--list",
    help="Show every model, its priors and their numbers, and every objective; then stop.",
)
@option(
    "--decide",
    type=click.Choice(["one", "each"]),
    help="A document has one label, or each is decided on its own. [default: as in the corpus]",
)
@option("--min-members", type=COUNT, default=1, help="Leave out labels with fewer.")
@option("--labelled", is_flag=True, help="If each label is decided: leave out documents without any.")
@option("--class-rate", type=click.Choice(["counted", "uniform"]), default="counted", help="The class rates to assume.")
@OVERWRITE
@_learn(
    "--objective",
    old="--target",
    help="Such as macro-f1, f0.5 or log-likelihood. [default: accuracy, for labels f1, for regressions log-likelihood]",
)
@_learn("--folds", type=click.IntRange(min=2), help="[default: exact leave-one-out; for logistic 10, for probit 5]")
@_learn("--seed", type=SEED, default=0, help="Where random draws start.")
@_learn("--approximate", is_flag=True, help="Learn by approximate leave-one-out, faster (logistic).")
@_regression(
    "--features",
    type=click.Choice(FEATURES),
    help="tfidf: 1 + log of a word's count, times its rarity, documents of one length. log: 1 + log of the count. "
    "counts: the count. presence: whether it occurs. [default: tfidf]",
)
@_regression(
    "--keywords",
    old="--knowledge",
    multiple=True,
    metavar="SOURCE",
    help="What you know about labels: keywords as in '+oil:2 -olive', or a text, in a file named LABEL.txt; a "
    "folder of such files; LABEL=FILE; or LABEL=TABLE:COLUMN of a table. May be repeated.",
)
@_regression(
    "--method",
    type=click.Choice(METHODS),
    help="How keywords or texts change a word's prior: a larger variance (var) or another centre (mode), for all "
    "words alike or more for typical ones (tfidf). [default: mode]",
)
@_regression("--strength", type=float, help="How much the keywords or texts count, C. [default: learned]")
@_regression(
    "--threshold",
    metavar="OBJECTIVE",
    help="Decide so that f1, another fBETA, precision:FLOOR or errors is best. [default: probability ½]",
)
@_regression("--show-prior", type=SEED, help="How many words to show with their prior. [default: 5 with --keywords]")
@JSON
def train(
    corpus: Path | str,
    output: Path,
    model: str,
    prior: str | None,
    objective: str | None,
    folds: int | None,
    seed: int,
    decide: str | None,
    class_rate: str,
    min_members: int,
    labelled: bool,
    overwrite: bool,
    as_json: bool,
    **regression: Any,
) -> None:
    """Learn the labels of CORPUS, two or thousands of them."""
    only_json(as_json)
    from priorwise.models.linear_model import check_output
    from priorwise.models.training import examples_of
    from priorwise.models.training import train as run_train

    check_output(output, overwrite=overwrite)
    kind = parse_model(model)
    if kind.regression and class_rate != "counted":
        raise InputError("--class-rate is for naive Bayes; a regression learns its intercept from the examples")
    prior = check_options(kind, prior, regression)
    named = NamedPrior(lambda types: None) if prior is None else parse_prior(model, prior)
    usual = kind.learned_priors() if prior is None else ()
    if not (named.learn or usual) and (objective is not None or folds is not None or regression["approximate"]):
        raise InputError("--objective and --folds say how to learn a prior; ask for that with --prior learn")
    wanted = parse_objective(objective)
    opened = open_corpus(corpus)
    multilabel = None if decide is None else decide == "each"
    examples = examples_of(opened, multilabel=multilabel, min_members=min_members, labelled_only=labelled)
    # Labels that are decided each on its own take too long to learn a prior for unasked.
    quick = bool(usual) and folds is None and (objective is not None or not examples.multilabel)
    learn = named.learn or quick or (bool(usual) and folds is not None)

    def make(types: int) -> Any:
        estimator = kind.with_prior(named.make(types), class_rate=class_rate)
        if not learn:
            return estimator
        from priorwise.models.prior_search import PriorSearch

        return PriorSearch(
            estimator,
            target=wanted,
            search="quick" if quick else "exhaustive",
            grid=usual or None,
            folds=_folds(folds, seed, examples),
            progress=None if quick else lambda done: bar.update(completed=done),
        )

    def about(fitted: Any) -> dict[str, Any]:
        rate = {} if kind.regression else {"class_rate": class_rate}
        how = _how(kind, folds, seed, regression["approximate"])
        return {"model": model, **rate, **_learned(fitted, objective, how)}

    measured = learn and not quick and not kind.regression
    with progress_bar("Learning the prior" if learn else "Counting", total=1.0 if measured else None) as bar:
        if kind.regression:
            made, fitted = train_regression(
                opened, examples, kind, named, objective=wanted, folds=folds, seed=seed, about=about, **regression
            )
        else:
            made, fitted = run_train(opened, examples, make, features=kind.reads, link=kind.link, about=about)
    made.save(output, overwrite=overwrite)
    print_training(corpus, made, fitted, kind)
    say(f"Written to {output}.")
    if as_json:
        show_json({"path": str(output), "labels": len(made.labels), "words": len(made.tokens), **made.about})


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


def _learned(fitted: Any, objective: str | None, by: str) -> dict[str, Any]:
    """What the model's description says of its prior."""
    from priorwise.priors.base import is_several

    prior = getattr(fitted, "best_prior_", None)
    if prior is None:
        return {"prior": repr(fitted.given_prior), "learned": None}
    return {
        "prior": list(map(repr, prior)) if is_several(prior) else repr(prior),
        "learned": {
            "target": objective,
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
    say(
        f"{named(corpus)}: {counted(about['corpus']['documents'], 'document')}, {len(model.labels):,} {what}; "
        f"{counted(len(model.tokens), 'distinct word')}"
    )
    if without := about["corpus"]["without_label"]:
        say(f"{counted(without, 'document')} without any of them, taken as examples of none (see --labelled)")
    for why, count in about["corpus"]["left_out"].items():
        say(f"Left out: {why} ({count:,})")
    best = getattr(fitted, "best_estimator_", fitted)
    name = "priors" if is_several(best.given_prior) else repr(best.given_prior)
    say(f"{about['model'].capitalize()}, {name}: {best.describe_prior()}.")
    learned = about["learned"]
    if learned is not None:
        usual = "f1" if model.multilabel or len(model.labels) == 2 else "accuracy"
        objective = learned["target"] or ("log-likelihood" if kind.regression else usual)
        say(
            f"Learned by {learned['by']}: {objective} {learned['score']:.4f}, "
            f"the best of {counted(learned['trials'], 'trial')}."
        )
        if learned["remark"]:
            say(f"Note: {safe(learned['remark'])}.")


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
    keywords, strength = given["keywords"], given["strength"]
    if not keywords and (given["method"] is not None or strength is not None):
        raise InputError("--method and --strength say what --keywords does: give that, too")
    if prior is None:
        return "gaussian" if not keywords else "laplace" if strength is not None else "learn:laplace"
    if keywords and strength is None and not prior.startswith("learn"):
        raise InputError("give --strength with --keywords, or let it be learned, as with --prior learn:laplace")
    return prior


def train_regression(
    corpus: Any,
    examples: Any,
    model: Any,
    named: NamedPrior,
    *,
    objective: Any,
    folds: int | None,
    seed: int,
    about: Callable[[Any], dict[str, Any]],
    features: str | None,
    keywords: tuple[str, ...],
    method: str | None,
    strength: float | None,
    threshold: str | None,
    approximate: bool,
    show_prior: int | None,
) -> tuple[Any, Any]:
    """Read the keywords, learn, and show the prior."""
    from priorwise.models.prior_search import PriorSearch
    from priorwise.models.training import fit_regression, prepare, prior_of_knowledge
    from priorwise.priors.keywords import read_knowledge

    known = read_knowledge(keywords, examples.labels) if keywords else None
    line = parse_objective(threshold, needs="counts")
    prepared = prepare(corpus, examples, features or "tfidf", known)
    prior = named.make(len(prepared.vocabulary.words))
    if known is not None:
        prior = prior_of_knowledge(
            known, examples, prepared.vocabulary, prior, method or "mode", 1.0 if strength is None else strength
        )
    estimator = model.with_prior(prior)
    if named.learn:
        grid = prior.grid([strength]) if known is not None and strength is not None else prior.grid()
        how = "approximate" if approximate else _shared_folds(model, folds, seed, examples)
        estimator = PriorSearch(estimator, target=objective, grid=grid, folds=how)
    made, fitted = fit_regression(corpus, examples, prepared, estimator, link=model.link, about=about, threshold=line)
    shown = 5 if show_prior is None and known is not None else show_prior or 0
    if shown:
        _show(getattr(fitted, "best_estimator_", fitted).prior, examples, prepared.vocabulary.words, known, shown)
    return made, fitted


def _shared_folds(model: Any, folds: int | None, seed: int, examples: Any) -> Any:
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
        from priorwise.models.regression.logistic_search import StratifiedFolds

        return StratifiedFolds(folds or model.usual_folds, seed)
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
        say(f"The prior of '{safe(label, 40)}':")
        own = one_each(prior, 1 if one_output else len(examples.labels))[output]
        for line in own.describe(words, output=output, limit=limit).splitlines():
            say(f"  {safe(line)}")
    if len(outputs) > LABELS_SHOWN:
        say(f"(and of {counted(len(outputs) - LABELS_SHOWN, 'more label')})")
