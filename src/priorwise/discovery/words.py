"""What a run's prior says, in words."""

from __future__ import annotations

from typing import Any

from priorwise.counting import some
from priorwise.priors import PseudoCounts

LISTENS = 0.05
"""Settings that listen to other labels are worth a word if they count for so much."""


def in_words(prior: PseudoCounts) -> str:
    """Say what a prior imagines.

    Examples
    --------
    >>> in_words(PseudoCounts(negative=22, positive=1))
    'It imagines 22 others and 1 member, each with every token in it (centre: uniform).'
    >>> in_words(PseudoCounts(3162.3, 0.5, centre="collection"))
    'It imagines 3,162 others and 0.5 members that hold each token as often as all documents do (centre: collection).'
    """
    imagined = f"{some(prior.negative, 'other')} and {some(prior.positive, 'member')}"
    hold = (
        "that hold each token as often as all documents do"
        if prior.centre == "collection"
        else "each with every token in it"
    )
    comma = "" if prior.centre == "collection" else ","
    return f"It imagines {imagined}{comma} {hold} (centre: {prior.centre})."


def regression_in_words(about: dict[str, Any]) -> str:
    """Say what the second stage learned, and what it expects to be missing.

    Examples
    --------
    >>> settings = [{"variance": 200.0, "believed": 0, "share": 0.1}, {"variance": 800.0, "believed": 30, "share": 0.9}]
    >>> missing = {"expected": 120.4, "low": 40.0, "high": 361.2}
    >>> about = {"members": 20, "regression": {"documents": 5000, "settings": settings, "missing": missing}}
    >>> print(regression_in_words(about))
    The regression read 5,000 documents and takes about 27 of the others for likely members.
    About 120 members are missing (40 to 360 in four of five cases).
    """
    regression = about["regression"]
    believed = sum(setting["share"] * setting["believed"] for setting in regression["settings"])
    belief = f"takes about {believed:,.0f} of the others for likely members" if believed >= 1 else "believes no others"
    missing = regression["missing"]
    heard = sum(setting["share"] for setting in regression["settings"] if setting.get("labels"))
    labels = f" It also listens to {some(regression['labels'], 'other label')}." if heard >= LISTENS else ""
    few = " With so few members this is little more than a guess." if about["members"] < 10 else ""
    expected = rounded(missing["expected"])
    return (
        f"The regression read {regression['documents']:,} documents and {belief}.{labels}\n"
        f"About {expected} {'member is' if expected == '1' else 'members are'} missing "
        f"({rounded(missing['low'])} to {rounded(missing['high'])} in four of five cases).{few}"
    )


def rounded(number: float) -> str:
    """A number of documents, to two digits.

    Examples
    --------
    >>> rounded(7.2), rounded(361.2), rounded(12345.0)
    ('7', '360', '12,000')
    """
    return f"{float(f'{number:.2g}'):,.0f}"
