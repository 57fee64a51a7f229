"""Which tokens count as words: the papers say little of it, and it matters."""

from __future__ import annotations


def of_letters(token: str) -> str:
    """Return a token that consists of letters, and nothing for numbers and for what has digits or apostrophes in it.

    Examples
    --------
    >>> of_letters("tea"), of_letters("3.14"), of_letters("mp3"), of_letters("naïve")
    ('tea', '', '', 'naïve')
    """
    return token if token.isalpha() else ""
