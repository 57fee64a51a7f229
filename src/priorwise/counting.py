"""A number and what it counts, for people to read."""

from __future__ import annotations


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
