"""How to make the same run again: the command, the versions, the seeds, and the corpus's checksum."""

from __future__ import annotations

from pathlib import Path

from priorwise.charts import Markup, element
from priorwise.charts.markup import joined
from priorwise.discovery.run import About, Run
from priorwise.report.parts import code, command, note, path_word, table
from priorwise.report.subject import Subject
from priorwise.version import __version__

_LONGEST_DESCRIPTION = 200


def reproduce(subject: Subject) -> Markup:
    """Return what is needed to make the run and this report again."""
    run = subject.run
    about = run.about
    rows = [
        ["Corpus", f"{_corpus_name(about)}, {about.corpus.documents:,} documents"],
        ["Its checksum", element("code", about.corpus.checksum)],
        ["Members", f"{about.members:,}, and {about.excluded:,} documents left out"],
        ["Models", ", ".join(f"{stage.title} ({stage.role})" for stage in run.stages)],
        ["Prior", repr(run.prior)],
        ["Seed", str(about.seed)],
        ["Versions", ", ".join(f"{name} {version}" for name, version in about.versions.items())],
        ["This report", f"priorwise {__version__}"],
    ]
    commands = "\n".join(
        [
            discover_command(run, path_word(subject.path.name)),
            command("priorwise", "report", path_word(subject.path.name), "-o", "report.html"),
        ]
    )
    return joined(
        code(commands),
        [note(remark) for remark in _remarks(subject)],
        table("What the run was made with", ["", "Value"], rows, text=(1,)),
    )


def discover_command(run: Run, output: str) -> str:
    """Return the command that makes a run, from what it says about itself; ``…`` where it does not know."""
    about = run.about
    words = ["priorwise", "discover", _corpus_name(about)]
    if about.together is not None:
        # One of many labels that shared the documents by which their priors were judged.
        words += ["--categories-from", "…"]
    else:
        words += [about.label] if about.label is not None else ["--members", "…"] if about.members else []
    words += ["--exclude", "…"] if about.excluded else []
    words += ["--verdicts", "…"] if about.verdicts is not None else []
    if about.description is not None:
        words += ["--description", about.description if _fits(about.description) else "…"]
    words += ["--words", about.words] if about.words else []
    words += ["--prior-from", "…"] if about.prior_from else []
    words += ["--text-only"] if about.text_only else []
    words += ["--maintenance"] if about.maintenance else []
    words += _model(run)
    words += ["--seed", str(about.seed)] if about.seed else []
    words += ["--keep", str(about.top)] if about.top != 1000 else []
    if about.subcategories is not None and about.subcategories.depth is not None:
        words += ["--depth", str(about.subcategories.depth)]
    if about.together is not None:
        return command(*words, "--runs", "…")
    # A label may begin with a dash.
    if about.label is not None and about.label.startswith("-"):
        words = [*words[:2], "-o", output, *words[4:], "--", *words[2:4]]
        return command(*words)
    return command(*words, "-o", output)


def _fits(description: str) -> bool:
    """Whether a text can be given in the command; after an @ the command expects a file."""
    return len(description) <= _LONGEST_DESCRIPTION and not description.startswith("@")


def _model(run: Run) -> list[str]:
    """What chooses the model: by default the options of a presence model choose that model."""
    shared = run.about.together is not None
    learned = [stage for stage in run.stages if stage.model is not None]
    options = [word for stage in learned for word in stage.options(run.about.members, shared=shared)]
    if run.about.model == "presence":
        return options or ["--model", "presence"]
    return ["--model", "default", *options] if options else []


def _remarks(subject: Subject) -> list[str]:
    about = subject.run.about
    remarks = []
    too_long = not _fits(about.description or "")
    given = (
        (about.label is None and about.members)
        or about.excluded
        or about.verdicts is not None
        or about.together is not None
    )
    if given or too_long or "…" in discover_command(subject.run, ""):
        remarks.append(
            "Where the command says …, the run does not hold what it was given, or it is too long to show: a file of "
            "ids or labels, the verdicts or the model of an earlier run, a description (run.json has it), or an "
            "objective of somebody’s own."
        )
    if not subject.addresses:
        remarks.append("No document is linked: the corpus has no web pages, or was not there when this was made.")
    return remarks


def _corpus_name(about: About) -> str:
    # Only the name: a report is passed on, and should not show where files are on somebody's disk.
    return Path(about.corpus.path).name if about.corpus.path is not None else "X.corpus"
