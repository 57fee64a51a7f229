"""What a run's prior says, in words."""

from __future__ import annotations

from priorwise.priors import PseudoCounts


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


def some(number: float, noun: str) -> str:
    """A number of imagined documents, as exactly as it matters.

    Examples
    --------
    >>> some(1, "other"), some(0.25, "member"), some(56234.1, "member")
    ('1 other', '0.25 members', '56,234 members')
    """
    return f"{amount(number)} {noun}{'' if number == 1 else 's'}"


def amount(number: float) -> str:
    """A strength, as exactly as it matters.

    Examples
    --------
    >>> amount(1.0), amount(0.0133352), amount(4216.97)
    ('1', '0.0133', '4,217')
    """
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"
