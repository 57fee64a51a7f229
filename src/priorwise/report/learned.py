"""The learned prior in numbers, in words and on its terrain, and the size of the presence model."""

from __future__ import annotations

from priorwise.charts import Markup, element
from priorwise.charts.markup import joined
from priorwise.counting import amount
from priorwise.discovery.demo import beside_laplace
from priorwise.discovery.pictures import climbs, terrain_picture
from priorwise.discovery.words import in_words
from priorwise.report.parts import LAPLACE, LEARNED, figure, note, table
from priorwise.report.subject import Subject


def learned_prior(subject: Subject) -> Markup:
    """Return the prior and what it means."""
    run, about = subject.run, subject.run.about
    learned, loo = about["learned"], about["leave_one_out"]
    origin = "given, not learned" if about["procedure"]["given"] else "learned"
    ranks = run.regression is None
    rows = [
        [
            name,
            f"{loo[key]['score']:.4f}",
            f"{loo[key]['sensitivity']:.1%}",
            # Of a run with a second stage these are that stage's.
            *([f"{about['predicted_positive'][key]:,}"] if ranks else []),
        ]
        for name, key in ((LEARNED, "learned"), (LAPLACE, "laplace"))
    ]
    samples = f"{len(run.seeds)} sample{'s' * (len(run.seeds) > 1)}"
    return joined(
        None if ranks else element("p", _first_stage(subject)),
        element(
            "p",
            "The prior was ",
            origin,
            ": ",
            element("strong", f"λ− = {amount(run.prior.negative)}, λ+ = {amount(run.prior.positive)}"),
            f". {_in_words(subject)}",
        ),
        element(
            "p",
            f"The model has {learned['vocabulary']:,} tokens, those of its {about['members']:,} members. "
            f"{_length(learned['length_power'])}",
        ),
        note(f"Note: {learned['remark']}.") if learned["remark"] else None,
        table(
            f"Leave-one-out on {samples} of the others" + ", and the number of documents predicted to belong" * ranks,
            ["", loo["target"], "members found", *(["predicted positive"] if ranks else [])],
            rows,
        ),
        figure(terrain_picture(run), _terrain_words(subject)),
    )


def _first_stage(subject: Subject) -> str:
    about = subject.run.about
    others = about["corpus"]["documents"] - about["excluded"]
    read = about["regression"]["documents"]
    use = (
        "Here it chose which documents the regression read."
        if read < others
        else "Here the regression read all documents, so it had nothing to choose."
    )
    return (
        "Presence naive Bayes with a learned prior is the first stage: it scores all documents, and of a large corpus "
        f"the regression reads half by that score and half at random. {use}"
    )


def _in_words(subject: Subject) -> str:
    prior = subject.run.prior
    # What is said beside Laplace's prior is said of a learned one.
    return in_words(prior) if subject.run.about["procedure"]["given"] else " ".join(beside_laplace(prior))


def _length(power: float) -> str:
    if power == 0:
        return "Scores are plain sums, which favour long documents."
    divisor = "length" if power == 1 else f"length^{power:g}"
    return f"Scores are divided by {divisor}, so that long documents have no advantage."


def _terrain_words(subject: Subject) -> str:
    run = subject.run
    looked_at = f"{len(run.trials):,} of {run.terrain.score.size:,} pairs of strengths"
    ways = climbs(run)
    if ways:
        return (
            f"The search looked at {looked_at}; those left blank were not looked at. "
            f"The lines are its {len(ways)} climbs, from nine starts for each of {len(run.seeds)} samples. "
            "Colours are means over the samples."
        )
    return f"The search looked at {looked_at}. Colours are means over {len(run.seeds)} samples of the others."
