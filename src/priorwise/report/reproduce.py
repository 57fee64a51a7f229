"""How to make the same run again: the command, the versions, the seeds, and the corpus's checksum."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

from priorwise.charts import Markup, element
from priorwise.charts.markup import joined
from priorwise.report.parts import code, note, table
from priorwise.report.subject import Subject
from priorwise.version import __version__

_TARGETS = (
    (r"average precision", "average-precision"),
    (r"log loss", "log-loss"),
    (r"(ppv|ppv@\d+|f[\d.]+)", r"\1"),
    (r"(f[\d.]+) at corpus odds", r"\1:corpus"),
    (r"ppv, sensitivity at least ([\d.]+)", r"ppv:\1"),
)

_LONGEST_DESCRIPTION = 200


def reproduce(subject: Subject) -> Markup:
    """Return what is needed to make the run and this report again."""
    about = subject.run.about
    corpus, procedure, versions = about["corpus"], about["procedure"], about["versions"]
    rows = [
        ["Corpus", f"{_corpus_name(about)}, {corpus['documents']:,} documents"],
        ["Its checksum", element("code", corpus["checksum"])],
        ["Members", f"{about['members']:,}, and {about['excluded']:,} documents left out"],
        ["Model", "presence" if about["regression"] is None else "auto: presence, then a regression"],
        ["Target and search", f"{procedure['target']}, {procedure['search']}"],
        ["Seeds", ", ".join(str(seed) for seed in procedure["seeds"])],
        ["Negatives in each sample", f"{procedure['negatives_per_sample']:,}"],
        ["Counts", procedure["counts"]],
        ["Versions", ", ".join(f"{name} {version}" for name, version in versions.items())],
        ["This report", f"priorwise {__version__}"],
    ]
    commands = "\n".join(
        [
            discover_command(about, subject.path.name),
            shlex.join(["priorwise", "report", subject.path.name, "-o", "report.html"]),
        ]
    )
    return joined(
        code(commands),
        [note(remark) for remark in _remarks(subject)],
        table("What the run was made with", ["", "Value"], rows, text=(1,)),
    )


def discover_command(about: dict[str, Any], output: str) -> str:
    """Return the command that makes a run, from what it says about itself; ``…`` where it does not know."""
    procedure = about["procedure"]
    words = ["priorwise", "discover", _corpus_name(about)]
    if about.get("together") is not None:
        # One of many labels that shared the documents by which their priors were judged.
        words += ["--labels-from", "…"]
    else:
        words += [about["label"]] if about["label"] is not None else ["--members", "…"]
    if about["excluded"]:
        words += ["--exclude", "…"]
    if about.get("verdicts") is not None:
        words += ["--verdicts", "…"]
    if about.get("description") is not None:
        words += ["--description", about["description"] if _fits(about["description"]) else "…"]
    if about.get("text_only"):
        words += ["--text-only"]
    seeds = procedure["seeds"]
    words += ["--paper"] if procedure["paper"] else _model(about)
    if seeds[0]:
        words += ["--seed", str(seeds[0])]
    if procedure["top"] != 1000:
        words += ["--top", str(procedure["top"])]
    if (about.get("subcategories") or {}).get("depth") is not None:
        words += ["--subcategory-depth", str(about["subcategories"]["depth"])]
    if about.get("together") is not None:
        return shlex.join([*words, "--runs", "…"])
    # A label may begin with a dash.
    if about["label"] is not None and about["label"].startswith("-"):
        words = [*words[:2], "-o", output, *words[4:], "--", *words[2:4]]
        return shlex.join(words)
    return shlex.join([*words, "-o", output])


def _fits(description: str) -> bool:
    """Whether a text can be given in the command; after an @ the command expects a file."""
    return len(description) <= _LONGEST_DESCRIPTION and not description.startswith("@")


def _model(about: dict[str, Any]) -> list[str]:
    """Who says something about the prior gets a presence model, unless told otherwise; who says nothing, no such."""
    choices = _choices(about)
    if about["regression"] is None:
        return choices or ["--model", "presence"]
    return ["--model", "auto", *choices] if choices else []


def _choices(about: dict[str, Any]) -> list[str]:
    procedure, learned = about["procedure"], about["learned"]
    words = []
    if procedure["given"]:
        words += ["--prior", f"{learned['lambda_negative']!r},{learned['lambda_positive']!r}"]
        words += ["--centre", learned["centre"]] if learned["centre"] != "uniform" else []
    elif procedure["centre"] != "collection":
        words += ["--centre", procedure["centre"]]
    if procedure["target"] != "average precision":
        words += ["--target", target_option(procedure["target"]) or "…"]
    if procedure["search"] != "exhaustive":
        words += ["--search", procedure["search"]]
    if len(procedure["seeds"]) != 5 and about.get("together") is None:
        words += ["--seeds", str(len(procedure["seeds"]))]
    if procedure["counts"] != "all other documents":
        per_member = procedure["negatives_per_sample"] / about["members"]
        words += ["--negatives-per-positive", f"{per_member:.10g}"]
    return words


def target_option(name: str) -> str | None:
    """Return how the command line spells a target; None for one of somebody's own.

    Examples
    --------
    >>> target_option("f0.5 at corpus odds"), target_option("ppv, sensitivity at least 0.5"), target_option("mine")
    ('f0.5:corpus', 'ppv:0.5', None)
    """
    for pattern, option in _TARGETS:
        if found := re.fullmatch(pattern, name):
            return found.expand(option)
    return None


def _remarks(subject: Subject) -> list[str]:
    about = subject.run.about
    remarks = []
    own_target = target_option(about["procedure"]["target"]) is None
    too_long = not _fits(about.get("description") or "")
    given = about["label"] is None or about["excluded"] or about.get("verdicts") is not None
    if given or about.get("together") is not None or own_target or too_long:
        remarks.append(
            "Where the command says … the run does not hold what it was given, or it is too long to show: a file of "
            "ids or labels, the verdicts of an earlier run, a description (run.json has it), or a target of "
            "somebody’s own."
        )
    if not subject.addresses:
        remarks.append("No document is linked: the corpus has no web pages, or was not there when this was made.")
    return remarks


def _corpus_name(about: dict[str, Any]) -> str:
    path = about["corpus"]["path"]
    # Only the name: a report is passed on, and where things lie on somebody's disk is nobody's business.
    return Path(path).name if path is not None else "X.corpus"
