"""The statistical appendix: precision by blind verdicts, what to expect, what was learned, and how to repeat it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from priorwise.charts import Markup, box_plots, element, line_chart, reliability_plot
from priorwise.charts.markup import joined
from priorwise.counting import rounded
from priorwise.discovery.category import ARROW, SUBCATEGORY
from priorwise.discovery.run import About, Run, VerdictCounts, names_of, precision_curves
from priorwise.discovery.stage import COMPARES, NARROWS, Stage
from priorwise.kernels import Floats
from priorwise.ranking.metrics import Z95, wilson
from priorwise.report.parts import (
    BASELINE,
    chance,
    code,
    command,
    figure,
    interval,
    note,
    outside,
    path_word,
    share,
    table,
)
from priorwise.report.subject import Subject, expected_at
from priorwise.version import __version__

KINDS = {
    "yes": "Accepted",
    SUBCATEGORY: "In a subcategory",
    "no": "Rejected",
    "unsure": "Unsure",
    "unjudged": "Not judged",
}


def precision(subject: Subject) -> Markup:
    """Return what the review says, or what there is to expect before one."""
    if subject.reviewed:
        return joined(
            _judged(subject),
            _boxes(subject),
            _tests(subject),
            reliability(subject),
            gain(subject),
            _kinds(subject),
            _reviewers(subject),
        )
    return joined(
        note(
            f"Nobody has judged the candidates {'blindly ' if subject.results['teachers'] else ''}yet, so precision, "
            "its tests and the number of new members are missing. Judge them blindly, and make this report again:"
        ),
        code(command("priorwise", "review", path_word(subject.path.name), "--blind"), data_blind=subject.path.name),
        expected(subject),
        _known(subject),
        gain(subject),
    )


def _judged(subject: Subject) -> Markup:
    found = subject.results
    learned, laplace = (np.array(found["rankings"][name]["ppv"]) for name in ("learned", "laplace"))
    picture = precision_curves(learned, laplace, found["area_between"], mark=subject.k, names=names_of(subject.run))
    return joined(
        _unjudged(subject),
        figure(
            picture,
            "Precision@k: the share of members among the first k documents of each ranking. The area between the "
            f"curves, {found['area_between']:+.3f}, is the mean of their difference, in the colour of the higher "
            f"curve. The thin line marks k = {subject.k}.{_depth(subject)}",
        ),
    )


def _depth(subject: Subject) -> str:
    depth, longest = subject.results["depth"], max(len(subject.run.ranking), len(subject.run.baseline))
    if depth == longest or any(_missing(subject)):
        return ""
    # A longer curve would fall only because nobody judged more.
    return f" The curves end at k = {depth:,}: beyond it, not all documents are judged."


def _unjudged(subject: Subject) -> Markup | None:
    missing = _missing(subject)
    if not any(missing):
        return None
    return note(
        f"The review is not finished: of the first {subject.k:,} documents, {missing[0]:,} of the "
        f"{subject.ranked_by}’s ranking and {missing[1]:,} of the baseline’s are not judged. "
        "Only confirmed members count, so the figures are lower bounds."
    )


def _missing(subject: Subject) -> list[int]:
    """How many of the first k of each ranking are not judged."""
    return [subject.results["rankings"][name]["counts_at_k"]["unjudged"] for name in ("learned", "laplace")]


def _boxes(subject: Subject) -> Markup:
    names = _names(subject)
    spreads = [subject.results["rankings"][name]["at_k"] for name in ("learned", "laplace")]
    learned, laplace = spreads
    picture = box_plots(
        [(f"precision@{subject.k}", learned, laplace)],
        names_of(subject.run),
        x_name=f"precision@{subject.k}",
        summary=f"Box plots of precision@{subject.k}: {subject.ranked_by} {share(learned['value'])} "
        f"({interval(learned)}), baseline {share(laplace['value'])} ({interval(laplace)}).",
    )
    return joined(
        figure(picture, BOXES),
        table(
            f"Precision of the first {subject.k:,}",
            ["", f"precision@{subject.k}", "95% interval"],
            [[name, share(spread["value"]), interval(spread)] for name, spread in zip(names, spreads, strict=True)],
        ),
    )


BOXES = (
    "10,000 bootstrap samples of the judged documents: a box holds the middle half of them, its line is the median, "
    "the whiskers end at the 95% interval, and the grey line joins the means."
)


def _tests(subject: Subject) -> Markup:
    difference, one = subject.results["difference"], subject.found_by_one()
    spread: dict[str, Any] = difference["spread"]
    rows = [
        ["Fisher’s exact test", chance(difference["exact"]), "the documents that are in one of the two lists only"],
        [
            "McNemar’s exact test",
            chance(one.p),
            f"the documents that belong, each paired with itself: {one.first:,} are in the {subject.ranked_by}’s "
            f"list only, {one.second:,} in the baseline’s only, {one.both:,} in both",
        ],
        ["Welch’s t-test", chance(difference["t_test"]), "the paper’s; as if no document were in both lists"],
    ]
    return joined(
        element(
            "p",
            f"Among the first {subject.k:,} the {subject.ranked_by}’s precision minus the baseline’s is ",
            element("strong", f"{spread['value']:+.3f}"),
            f" (95% interval {interval(spread, '+')}; documents in both lists cancel).",
        ),
        table("Is the difference more than chance?", ["Test", "Result", "What it compares"], rows, text=(1, 2)),
    )


def _kinds(subject: Subject) -> Markup:
    rankings = subject.results["rankings"]
    columns = [(name, part) for name in ("learned", "laplace") for part in ("counts_at_k", "counts")]
    rows = [[words, *(f"{rankings[name][part][kind]:,}" for name, part in columns)] for kind, words in KINDS.items()]
    headings = [f"{name}, {part}" for name in _names(subject) for part in (f"first {subject.k:,}", "all")]
    return table("What the candidates are", ["", *headings], rows)


def _reviewers(subject: Subject) -> Markup:
    found = subject.results
    rows = [
        [each["name"], *(f"{each[word]:,}" for word in ("yes", "no", "unsure", "skip"))] for each in found["reviewers"]
    ]
    parts = [table("Reviewers", ["Name", "Yes", "No", "Unsure", "Skipped"], rows)]
    if found["agreement"]:
        pairs = [
            [
                f"{pair['first']} and {pair['second']}",
                f"{pair['documents']:,}",
                f"{pair['agreed']:.1%}",
                "not defined" if pair["kappa"] is None else f"{pair['kappa']:.3f} ({interval(pair)})",
            ]
            for pair in found["agreement"]
        ]
        parts.append(table("Agreement", ["Reviewers", "Documents", "The same", "Cohen’s κ (95% interval)"], pairs))
    return joined(parts)


def _known(subject: Subject) -> Markup | None:
    rankings = subject.results["rankings"]
    if not any(rankings[name]["counts"][SUBCATEGORY] for name in rankings):
        return None
    rows = [
        [name, *(f"{rankings[key][part][SUBCATEGORY]:,}" for part in ("counts_at_k", "counts"))]
        for name, key in zip(_names(subject), ("learned", "laplace"), strict=True)
    ]
    return table(
        "Candidates that are in a subcategory, and so are known to belong",
        ["", f"of the first {subject.k:,}", "of all"],
        rows,
    )


def _names(subject: Subject) -> tuple[str, str]:
    return subject.ranked_by.capitalize(), BASELINE


DEPTHS = (10, 25, 50, 100, 250, 500, 1000)


def expected(subject: Subject) -> Markup:
    """Return how many of the first documents should belong."""
    ranking, missing = subject.run.ranking, subject.run.missing
    if not ranking.has_probabilities:
        return note("There were too few members to check the ranking, so there are no probabilities.")
    depths = [k for k in DEPTHS if k <= len(ranking)] or [len(ranking)]
    rows = [[f"first {k:,}", f"{k * expected_at(ranking, k):,.0f}", share(expected_at(ranking, k))] for k in depths]
    headings = ["", "expected members", "precision@k"]
    if missing is None:
        words = (
            "Probabilities come from the leave-one-out scores of members and other documents. They are right if the "
            "category lacks about as many members as it has."
        )
    else:
        probabilities = ranking.table["probability"].to_numpy()
        fewest, most = (rescaled(probabilities, missing.expected, end) for end in (missing.low, missing.high))
        headings.insert(2, "80% interval")
        for k, row in zip(depths, rows, strict=True):
            row.insert(2, f"{fewest[:k].sum():,.0f} to {most[:k].sum():,.0f}")
        words = (
            "The expected members are the sum of the first k candidates’ probabilities. The probabilities of all "
            f"candidates add up to the estimated number of missing members, {rounded(missing.expected)}. The interval "
            f"is what they would be if {rounded(missing.low)} or {rounded(missing.high)} members were missing."
        )
    return joined(table("What to expect of the ranking", headings, rows), element("p", words, class_="quiet"))


def rescaled(probabilities: Floats, expected: float, wanted: float) -> Floats:
    """Return what the probabilities of the best candidates would be if another number of members were missing.

    All candidates' odds are multiplied by one number c, so that all probabilities add up to `wanted`::

        p′ = cp/(1 − p + cp),    Σ p′ + c·(expected − Σ p) = wanted

    Those that are not among the best are so improbable that their odds are their probabilities.

    Examples
    --------
    >>> rescaled(np.array([0.5, 0.2]), 1.0, 2.0).round(3).tolist()
    [0.739, 0.414]
    """
    from scipy.optimize import brentq

    rest = max(0.0, expected - float(probabilities.sum()))

    def at(c: float) -> Floats:
        return c * probabilities / (1.0 - probabilities + c * probabilities)

    def excess(c: float) -> float:
        return float(at(c).sum()) + c * rest - wanted

    wanted = wanted if rest else min(wanted, 0.999 * len(probabilities))
    high = 1.0
    while excess(high) < 0.0 and high < 1e12:
        high *= 2.0
    return at(brentq(excess, 0.0, high) if excess(high) >= 0.0 else high)


MOST_BINS = 10
FEWEST_IN_A_BIN = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Candidates of about the same probability: how many, the mean of what was stated, and how many were accepted."""

    documents: int
    stated: float
    accepted: int

    @property
    def share(self) -> float:
        return self.accepted / self.documents

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of that share."""
        return wilson(self.accepted, self.documents)


def binned(probabilities: Sequence[float], accepted: Sequence[bool]) -> list[Bin]:
    """Return bins of as many candidates each, by probability from high to low: at most ten, of ten at least.

    Examples
    --------
    >>> binned([0.9] * 10 + [0.2] * 10, [True] * 9 + [False] * 11)
    [Bin(documents=10, stated=0.9, accepted=9), Bin(documents=10, stated=0.2, accepted=0)]
    """
    stated, hits = np.asarray(probabilities, np.float64), np.asarray(accepted, np.bool_)
    order = np.argsort(-stated, kind="stable")
    parts = np.array_split(order, min(MOST_BINS, max(1, len(order) // FEWEST_IN_A_BIN)))
    return [Bin(len(part), math.fsum(stated[part]) / len(part), int(hits[part].sum())) for part in parts if len(part)]


def reliability(subject: Subject) -> Markup | None:
    """Return the curve of what was stated against what was accepted, and both numbers in words."""
    stated, accepted = known_of(subject)
    if not stated or not subject.run.ranking.has_probabilities:
        return None
    bins = binned(stated, accepted)
    sum_stated, right = math.fsum(stated), sum(accepted)
    within = Z95 * math.sqrt(math.fsum(p * (1.0 - p) for p in stated))
    counts = subject.results["rankings"]["learned"]["counts_at_k"]
    apart = " Documents of a subcategory are among them, whether judged or not." if counts[SUBCATEGORY] else ""
    words = (
        f"Of the {len(stated):,} judged candidates among the first {subject.results['depth']:,} the run expected "
        f"{sum_stated:,.0f} to belong, and {right:,} do. Were every probability right, the number would be between "
        f"{max(0.0, sum_stated - within):,.0f} and {min(float(len(stated)), sum_stated + within):,.0f} in 95 of 100 "
        f"cases.{apart}"
    )
    picture = reliability_plot(
        [(each.stated, each.share, *each.interval) for each in bins],
        x_name="probability stated by the run",
        y_name="share that belongs",
        summary=f"Reliability curve: {sum_stated:,.0f} of {len(stated):,} judged candidates were expected to belong, "
        f"{right:,} do; the table has the figures.",
    )
    rows = [
        [
            share(each.stated),
            f"{each.documents:,}",
            f"{each.documents * each.stated:,.1f}",
            f"{each.accepted:,}",
            share(each.share),
            "{:.3f} to {:.3f}".format(*each.interval),
        ]
        for each in bins
    ]
    headings = ["Probability stated", "Documents", "Expected", "Belong", "Share", "95% interval"]
    return joined(
        element("p", words),
        figure(
            picture,
            "Candidates in groups of equal size by the probability that the run stated, against the share of each that "
            "belongs, with Wilson’s 95% interval. On the diagonal probabilities mean what they say; below it the run "
            "was too sure.",
        ),
        table("Are the probabilities right?", headings, rows),
    )


def known_of(subject: Subject) -> tuple[list[float], list[bool]]:
    """Return the probability of each candidate that was judged blindly or is in a subcategory, and if it belongs.

    Only as far from the top as the rankings are compared: what was judged beyond is in the other ranking's top, too,
    and so the sample is not fair.
    """
    relevant = subject.relevant
    belongs = {
        each["id"]: each["id"] in relevant
        for each in subject.results["documents"]
        if each["verdict"] is not None or each["status"] == SUBCATEGORY
    }
    rows = [row for row in subject.run.ranking.rows(subject.results["depth"]) if row["id"] in belongs]
    return [row["probability"] for row in rows], [belongs[row["id"]] for row in rows]


NAMES = {"blind": "blind", "teaching": "in the workbench"}


def gain(subject: Subject) -> Markup | None:
    """Return how many members were accepted for each document judged, blindly and in the workbench apart."""
    progress = {NAMES[kind]: found for kind, found in subject.results["progress"].items() if found}
    if not progress:
        return None
    said = "; ".join(
        f"{name}, {accepted[-1]:,} of {len(accepted):,} documents accepted" for name, accepted in progress.items()
    )
    picture = line_chart(
        [(name, [(0, 0), *enumerate(accepted, start=1)]) for name, accepted in progress.items()],
        x_name="documents judged",
        y_name="accepted",
        summary=f"Documents accepted against documents judged: {said}.",
    )
    rows = [
        [name.capitalize(), f"{len(accepted):,}", f"{accepted[-1]:,}", f"{accepted[-1] / len(accepted):.3f}"]
        for name, accepted in progress.items()
    ]
    return joined(
        figure(picture, "Documents accepted, in the order in which they were judged.", _apart(progress)),
        table("What a verdict yields", ["", "Judged", "Accepted", "For each"], rows),
    )


def _apart(progress: dict[str, list[int]]) -> str:
    if NAMES["teaching"] not in progress:
        return ""
    return (
        " In the workbench the model chooses the documents and learns from each verdict, so these verdicts count in no "
        "figure of precision."
    )


def growth(subjects: Sequence[Subject]) -> Markup | None:
    """Return what runs of one category expect, against the number of verdicts that each learned from."""
    by_label: dict[str, list[Subject]] = {}
    for subject in subjects:
        if subject.run.about.label is not None:
            by_label.setdefault(subject.run.about.label, []).append(subject)
    parts = [_grown(label, sorted(own, key=lambda each: each.learned_from)) for label, own in by_label.items()]
    found = [part for part in parts if part is not None]
    return joined(element("h3", "What the verdicts taught"), found) if found else None


def _grown(label: str, subjects: Sequence[Subject]) -> Markup | None:
    subjects = [subject for subject in subjects if subject.run.ranking.has_probabilities]
    if len({subject.learned_from for subject in subjects}) < 2:
        return None
    k = min(250, *(len(subject.run.ranking) for subject in subjects))
    expected = [k * expected_at(subject.run.ranking, k) for subject in subjects]
    verdicts = [subject.run.about.verdicts or VerdictCounts() for subject in subjects]
    picture = line_chart(
        [
            (
                f"expected in the first {k:,}",
                [(subject.learned_from, number) for subject, number in zip(subjects, expected, strict=True)],
            ),
            (
                "with those accepted before",
                [
                    (subject.learned_from, number + own.accepted)
                    for subject, number, own in zip(subjects, expected, verdicts, strict=True)
                ],
            ),
        ],
        x_name="verdicts that the run learned from",
        y_name="members",
        summary=f"{label}: members expected in the first {k:,} of each run against the verdicts that it learned from; "
        "the table has the figures.",
    )
    rows = [
        [
            subject.name,
            f"{own.accepted:,}",
            f"{own.rejected:,}",
            f"{subject.run.about.members:,}",
            f"{number:,.0f}",
            _missing_now(subject),
        ]
        for subject, own, number in zip(subjects, verdicts, expected, strict=True)
    ]
    headings = ["Run", "Accepted before", "Rejected before", "Members", f"Expected in the first {k:,}", "Missing"]
    return joined(
        figure(
            picture,
            f"{label}: the probabilities of the first {k:,} candidates, added up, for each run by the number of "
            "verdicts that it learned from. Accepted documents are not candidates again, so the lower line may fall "
            "while more is found; the upper one adds it.",
        ),
        table(f"Runs of {label} by verdicts", headings, rows),
    )


def _missing_now(subject: Subject) -> str:
    missing = subject.run.missing
    if missing is None:
        return "–"
    return f"{rounded(missing.expected)} ({rounded(missing.low)} to {rounded(missing.high)})"


STRONGEST = 10
"""How many other categories are named."""


def stage_sections(subject: Subject) -> list[tuple[str, Markup]]:
    """Return a heading and what to say for each stage that learned something, the one that ranks first."""
    learned = [stage for stage in reversed(subject.run.stages) if stage.model is not None]
    return [(stage.title.capitalize(), _section(subject, stage)) for stage in learned]


def _section(subject: Subject, stage: Stage) -> Markup:
    run, figures, drawing = subject.run, stage.table(), stage.drawing()
    roles = {
        NARROWS: "This model chose which documents the default model reads: half by its score, half at random.",
        COMPARES: "This model is here to compare; it did not take part in the ranking.",
    }
    return joined(
        element("p", roles[stage.role]) if stage.role in roles else None,
        [note(each) if each.startswith("Note:") else element("p", each) for each in stage.describe()],
        _size(subject, stage) if stage is run.ranker else None,
        _other_categories(stage),
        None if drawing is None else figure(drawing.picture, drawing.caption),
        None if figures is None else table(figures.caption, figures.headings, figures.rows),
    )


def _size(subject: Subject, stage: Stage) -> Markup:
    compared = subject.run.compared
    said = f"The model has {subject.model_size:,} words with a weight."
    if stage.predicted is not None:
        said += f" It predicts {stage.predicted:,} documents to be members"
        said += "." if compared.predicted is None else f"; {compared.title} predicts {compared.predicted:,}."
    return element("p", said)


def _other_categories(stage: Stage) -> Markup | None:
    """The other categories that add most, if any do."""
    labels = stage.model.groups.get("labels") if stage.model is not None else None
    if labels is None:
        return None
    strongest = sorted(labels.by_name.items(), key=lambda each: (-abs(each[1]), each[0]))
    rows = [element("li", element("bdi", name), f" {adds:+.2f}") for name, adds in strongest[:STRONGEST]]
    chosen = f"; the strongest {len(rows)} of {len(strongest):,}" if len(rows) < len(strongest) else ""
    return joined(element("p", f"What other categories of a document add to its score{chosen}:"), element("ul", rows))


TOP = 50
_EVIDENCE = re.compile(r"(\S.*?):([+-]\d+\.\d\d)(?=\s|$)")


def candidates(subject: Subject, top: int = TOP) -> Markup:
    """Return the first candidates of the run's ranking."""
    run = subject.run
    has_graph = run.about.subcategories is not None
    verdicts = {each["id"]: each["decided"] for each in subject.results["documents"]}
    is_judged = any(verdicts.values())
    has = run.ranking.has_probabilities
    headings = ["Title", "Rank", *["Probability"] * has, "Baseline rank", "Strongest words"]
    rows = []
    for row in run.ranking.rows(top):
        cells = [
            outside(subject.addresses.get(row["id"]), row["title"]),
            f"{row['rank']:,}",
            *([f"{row['probability']:.2f}"] if has else []),
            f"{row['baseline_rank']:,}",
            evidence(row["evidence"]),
        ]
        cells += [_status(row["path"], row["status"], run.about.label)] if has_graph else []
        word = verdicts.get(row["id"])
        verdict = element("span", word or "not judged", class_=f"verdict {word or 'none'}")
        cells += [verdict] if is_judged else []
        rows.append(cells)
    headings += (["Status"] if has_graph else []) + (["Verdict"] if is_judged else [])
    by_length = ", before the division by length" if run.model.length_power else ""
    shown = min(top, len(run.ranking))
    caption = f"The first {shown:,} of {len(run.ranking):,} candidates"
    return joined(
        table(caption, headings, rows, text=range(3 + has, len(headings))),
        element(
            "p",
            f"Each word is shown with what it adds to the score{by_length}. The baseline rank is the document’s place "
            "in the baseline’s whole ranking.",
            class_="quiet",
        ),
    )


def evidence(line: str) -> Markup:
    """Return a line of evidence as tokens and labels with their weights.

    Examples
    --------
    >>> print(evidence("a:b:+1.50 c:-0.25"))
    <span class="token">a:b <b>+1.50</b></span> <span class="token against">c <b>−0.25</b></span>
    >>> print(evidence("[Hot drinks]:+0.50"))
    <span class="token">[Hot drinks] <b>+0.50</b></span>
    """
    parts = []
    for token, weight in _EVIDENCE.findall(line):
        against = weight.startswith("-")
        number = element("b", weight.replace("-", "−"))
        parts.append(element("span", token, " ", number, class_="token against" if against else "token"))
    return Markup(" ".join(parts))


def _status(path: str | None, status: str | None, label: str | None) -> str:
    return path.removeprefix(f"{label}{ARROW}") if path is not None else status or ""


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
