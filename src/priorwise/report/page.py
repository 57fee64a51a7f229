"""One HTML file: no script, no network, nothing but what is in it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from priorwise.charts import Markup, chart_style, element
from priorwise.charts.markup import joined
from priorwise.counting import rounded
from priorwise.durable import write_texts
from priorwise.errors import InputError
from priorwise.report.appendix import TOP, candidates, precision, reproduce, stage_sections
from priorwise.report.front import front
from priorwise.report.overview import overview
from priorwise.report.parts import share
from priorwise.report.subject import Subject, expected_at, subjects_of


def write_report(
    runs: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    corpus: str | Path | None = None,
    top: int = TOP,
    overwrite: bool = False,
) -> None:
    """Write a report about runs as one HTML file that needs nothing else.

    Parameters
    ----------
    runs : path or sequence of paths
        Folders that `Run.save` wrote. With several, categories are compared first.
    output : path
        The file to write.
    corpus : path, optional
        Where the corpus is now, if it was moved; without it titles are not linked to their pages.
    top : int
        How many candidates of each run to show.
    overwrite : bool
        Whether to replace the file if it is there.

    Examples
    --------
    >>> import tempfile
    >>> from priorwise.corpus import Corpus
    >>> from priorwise.discovery import discover
    >>> texts = ["tea milk", "tea leaves", "tea cup", "milk cow", "cow hay", "hay barn", "barn owl", "cup owl"]
    >>> corpus = Corpus.from_texts(texts, labels=["Tea", "Tea", None, None, None, None, None, None])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     discover(corpus, "Tea", model="presence").save(f"{folder}/tea.run")
    ...     write_report(f"{folder}/tea.run", f"{folder}/tea.html")
    ...     print(Path(folder, "tea.html").read_text(encoding="utf-8")[:15])
    <!doctype html>
    """
    paths = [runs] if isinstance(runs, str | Path) else list(runs)
    write_texts({Path(output): report_html(subjects_of(paths, corpus), top=top)}, overwrite=overwrite)


def report_html(subjects: Sequence[Subject], *, top: int = TOP) -> str:
    """Return the whole file."""
    style = report_style()
    digest = b64encode(sha256(style.encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", f"{_title(subjects)} · priorwise"),
        element("style", Markup(style)),
    )
    return f"<!doctype html>\n{element('html', head, element('body', report_main(subjects, top=top)), lang='en')}\n"


def report_main(subjects: Sequence[Subject], *, top: int = TOP) -> Markup:
    """Return what there is to read, for a file of its own or a page of the app."""
    if not subjects:
        raise InputError("a report needs at least one run")
    if top < 1:
        raise InputError("a report shows at least one candidate")
    several = len(subjects) > 1
    title = element("h1", _title(subjects))
    if not several:
        return element("main", title, _layers(subjects[0], 2, top), id="report")
    links = [
        element("li", element("a", subject.name, href=f"#run-{number}"))
        for number, subject in enumerate(subjects, start=1)
    ]
    return element(
        "main",
        title,
        element("nav", element("ol", links), aria_label="Categories"),
        element("section", element("h2", "Side by side"), overview(subjects)),
        [
            element(
                "section",
                element("h2", element("bdi", subject.name), id=f"run-{number}"),
                _layers(subject, 3, top),
            )
            for number, subject in enumerate(subjects, start=1)
        ],
        id="report",
    )


def _title(subjects: Sequence[Subject]) -> str:
    if len(subjects) == 1:
        return subjects[0].name
    labels = {subject.run.about.label for subject in subjects}
    runs = f"{len(subjects)} runs"
    if len(labels) == len(subjects):
        return f"{len(subjects)} categories"
    return f"{runs} of {labels.pop()}" if len(labels) == 1 and None not in labels else runs


def _layers(subject: Subject, level: int, top: int) -> Markup:
    """Return the page for people, and after it the statistical appendix."""
    heading, below = f"h{level}", f"h{level + 1}"
    sections = [
        ("Precision", precision(subject)),
        *stage_sections(subject),
        ("Candidates", candidates(subject, top)),
        ("How to reproduce it", reproduce(subject)),
    ]
    return joined(
        element("section", front(subject, heading), class_="front"),
        element(
            "section",
            element(heading, "Statistical appendix"),
            element("p", "For readers who want to check the figures or repeat the work.", class_="quiet"),
            _summary(subject),
            [element("section", element(below, name), content) for name, content in sections],
            class_="appendix",
        ),
    )


def _summary(subject: Subject) -> Markup:
    about, counts = subject.run.about, subject.counts()
    missing = subject.run.missing
    facts = [
        ("members", f"{counts['category']:,}"),
        ("other documents", f"{about.others:,}"),
        ("candidates in a subcategory", f"{counts['subcategory']:,}") if about.subcategories else None,
    ]
    if missing is not None:
        between = f"({rounded(missing.low)} to {rounded(missing.high)})"
        before = ", before judging" if subject.judged else ""
        facts.append((f"estimated missing{before} (80% interval)", f"{rounded(missing.expected)} {between}"))
    if subject.reviewed:
        rankings = subject.results["rankings"]
        facts += [
            ("new, accepted", f"{counts['new']:,}"),
            *(
                (f"precision@{subject.k}, {name}", _precision(rankings[key]))
                for key, name in (("learned", subject.ranked_by), ("laplace", "baseline"))
            ),
        ]
    elif subject.run.ranking.has_probabilities:
        facts.append((f"expected precision@{subject.k}", share(expected_at(subject.run.ranking, subject.k))))
    return element(
        "dl",
        [element("div", element("dt", name), element("dd", value)) for name, value in filter(None, facts)],
        class_="facts",
    )


def _precision(ranking: dict[str, Any]) -> str:
    """Write the precision of a ranking; while documents wait to be judged, what those judged so far suggest."""
    if not ranking["counts_at_k"]["unjudged"]:
        return share(ranking["at_k"]["value"])
    found = ranking["estimate"]
    return "not judged yet" if found is None else f"{share(found['low'])} to {share(found['high'])}"


@cache
def report_style() -> str:
    """Return the style of reports, charts included."""
    return (Path(__file__).parent / "report.css").read_text(encoding="utf-8") + chart_style()
