"""The first page of a report, for people: what was searched, how many were found, the list, and how sure that is."""

from __future__ import annotations

from priorwise.charts import Markup, element
from priorwise.charts.markup import joined
from priorwise.counting import counted, rounded
from priorwise.report.parts import outside, table
from priorwise.report.subject import Subject, expected_at
from priorwise.review.agreement import agreements, group_agreement
from priorwise.review.results import last_words

LISTED = 100
LIKELY = 20
_SAID = (("yes", "accepted"), ("no", "rejected"), ("unsure", "unsure"))


def front(subject: Subject, heading: str) -> Markup:
    """Return the page."""
    has_found = any(each.verdict == "yes" for each in subject.judged)
    return joined(
        _lead(subject),
        _figures(subject),
        element(heading, "Documents to add" if has_found else "The most likely candidates"),
        _found(subject) if has_found else _likely(subject),
        element(heading, "How sure is this?"),
        [element("p", each) for each in _sure(subject)],
    )


def _lead(subject: Subject) -> Markup:
    about = subject.run.about
    judged = subject.judged
    said = (
        f"The category has {counted(about.members, 'member')} among {counted(about.corpus.documents, 'document')}. "
        "The other documents are ranked by how likely it is that they belong to it. "
    )
    if not judged:
        return element("p", said + "Nobody has judged them yet.")
    words = [each.verdict for each in judged]
    counts = [f"{words.count(word):,} {name}" for word, name in _SAID if word in words]
    return element("p", f"{said}People judged {counted(len(words), 'document')}: {', '.join(counts)}.")


def _figures(subject: Subject) -> Markup:
    facts = [("members before", f"{subject.run.about.members:,}")]
    if subject.judged:
        facts.append(("found", f"{sum(each.verdict == 'yes' for each in subject.judged):,}"))
        facts.append(("judged", f"{len(subject.judged):,}"))
    if subject.missing is not None:
        middle, low, high = map(rounded, subject.missing)
        facts.append(("estimated missing (80% interval)", f"{middle} ({low} to {high})"))
    return element(
        "dl", [element("div", element("dt", name), element("dd", value)) for name, value in facts], class_="facts"
    )


def _found(subject: Subject) -> Markup:
    """The documents that people accepted, by title."""
    titles = {
        row["id"]: row["title"] for ranking in (subject.run.baseline, subject.run.ranking) for row in ranking.rows()
    }
    ids = [each.id for each in subject.judged if each.verdict == "yes"]
    rows = [element("li", outside(subject.addresses.get(id), titles.get(id, id))) for id in ids[:LISTED]]
    more = len(ids) - len(rows)
    return joined(
        element("ol", rows, class_="found"),
        element("p", f"And {counted(more, 'further document')}: the list as CSV has all of them.") if more else None,
    )


def _likely(subject: Subject) -> Markup:
    ranking = subject.run.ranking
    has = ranking.has_probabilities
    rows = [
        [outside(subject.addresses.get(row["id"]), row["title"]), *([percent(row["probability"])] if has else [])]
        for row in ranking.rows(LIKELY)
    ]
    return table(f"The first {len(rows):,} of {len(ranking):,} candidates", ["Title", *["Probability"] * has], rows)


def percent(share: float) -> str:
    """Return a probability in percent that promises no more than it can.

    Examples
    --------
    >>> percent(0.0004), percent(0.5), percent(0.9999)
    ('under 1%', '50%', 'over 99%')
    """
    return "under 1%" if share < 0.01 else "over 99%" if share > 0.99 else f"{share:.0%}"


def _sure(subject: Subject) -> list[str]:
    said = []
    if subject.judged:
        said.append(subject.decision.reason)
    elif subject.run.ranking.has_probabilities:
        k = min(50, len(subject.run.ranking))
        said.append(
            f"About {rounded(k * expected_at(subject.run.ranking, k))} of the first {k} candidates should be members. "
            "This is an estimate: the model was tested on members that it had not seen. Judge some candidates to "
            "know more."
        )
    else:
        said.append("There are too few members to say how likely each candidate is. Judge some of them to know more.")
    if subject.reviewed:
        ranked = subject.results["rankings"]["learned"]
        is_done = not ranked["counts_at_k"]["unjudged"]
        if at := ranked["at_k" if is_done else "estimate"]:
            said.append(
                f"{'Judged blindly,' if is_done else 'By the blind verdicts so far, about'} {at['value']:.0%} of the "
                f"first {subject.k:,} candidates belong to the category "
                f"(95% interval {at['low']:.0%} to {at['high']:.0%})."
            )
    return said + _agreed(subject)


def _agreed(subject: Subject) -> list[str]:
    words = last_words(subject.log)
    group, pairs = group_agreement(words), [pair for pair in agreements(words) if pair.documents]
    if not group.documents:
        return []
    if group.reviewers == 2:
        (pair,) = pairs
        kappa = "" if pair.kappa is None else f" (Cohen’s κ {_number(pair.kappa)})"
        said = f"{pair.first} and {pair.second} gave the same verdict on {pair.agreed:.0%} of the"
        return [f"{said} {counted(pair.documents, 'document')} that both judged{kappa}."]
    if group.alpha is None:
        return []
    said = f"{group.reviewers} people judged; Krippendorff’s α of the {counted(group.documents, 'document')} that two"
    return [f"{said} or more of them judged is {_number(group.alpha)} (1 is perfect agreement, 0 is chance)."]


def _number(value: float) -> str:
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")
