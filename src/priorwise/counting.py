"""A number and what it counts, for people to read."""

from __future__ import annotations

import re


def counted(number: int, noun: str) -> str:
    """Say how many there are; the noun is given for one of them.

    Examples
    --------
    >>> counted(1, "document"), counted(2000, "label"), counted(0, "category"), counted(2, "box")
    ('1 document', '2,000 labels', '0 categories', '2 boxes')
    """
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """Return a noun for several; of several words, the last changes.

    Examples
    --------
    >>> plural("subcategory"), plural("day"), plural("class"), plural("more token")
    ('subcategories', 'days', 'classes', 'more tokens')
    """
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def some(number: float, noun: str) -> str:
    """Say how much there is of something that need not be whole, as exactly as it matters; the noun is given for one.

    Examples
    --------
    >>> some(1.0004, "other"), some(0.25, "member"), some(56234.1, "member")
    ('1 other', '0.25 members', '56,234 members')
    """
    shown = amount(number)
    return f"{shown} {noun if shown == '1' else plural(noun)}"


def amount(number: float) -> str:
    """Return a number as exactly as it matters.

    Examples
    --------
    >>> amount(1.0), amount(0.0133352), amount(4216.97), amount(float("inf"))
    ('1', '0.0133', '4,217', 'infinitely many')
    """
    if number == float("inf"):
        return "infinitely many"
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def rounded(number: float) -> str:
    """Return a number of documents, to two digits.

    Examples
    --------
    >>> rounded(7.2), rounded(361.2), rounded(12345.0)
    ('7', '360', '12,000')
    """
    return f"{float(f'{number:.2g}'):,.0f}"


def hyphenated(name: str) -> str:
    """Turn the name of a class into a name for the command line.

    Examples
    --------
    >>> hyphenated("WittenBell"), hyphenated("MacroF1"), hyphenated("PPV")
    ('witten-bell', 'macro-f1', 'ppv')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()
