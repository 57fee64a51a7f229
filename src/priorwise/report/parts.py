"""The small parts that pages are made of: numbers in words, tables, figures."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from priorwise.charts import Markup, Picture, element
from priorwise.charts.markup import Child

BASELINE = "Baseline"


def share(number: float) -> str:
    """Return a share as it is printed in tables.

    Examples
    --------
    >>> share(0.288), share(1.0), share(float("nan")), share(0.0002), share(0.0)
    ('0.288', '1.000', '–', 'under 0.001', '0')
    """
    if number != number:
        return "–"
    return "0" if number == 0 else "under 0.001" if number < 0.0005 else f"{number:.3f}"


def chance(p: float) -> str:
    r"""Return a p-value in words.

    Examples
    --------
    >>> chance(0.00004), chance(0.0312)
    ('p\xa0<\xa00.001', 'p\xa0=\xa00.031')
    """
    # Spaces at which no line is broken.
    return ("p < 0.001" if p < 0.001 else f"p = {p:.3f}").replace(" ", "\N{NO-BREAK SPACE}")


def interval(spread: Mapping[str, float], sign: str = "") -> str:
    """Return the 95% interval of a spread.

    Examples
    --------
    >>> interval({"low": 0.228, "high": 0.352}), interval({"low": -0.1, "high": 0.2}, "+")
    ('0.228 to 0.352', '−0.100 to +0.200')
    """
    return f"{spread['low']:{sign}.3f} to {spread['high']:{sign}.3f}".replace("-", "−")


def table(
    caption: str, headings: Sequence[str], rows: Sequence[Sequence[Child]], *, text: Sequence[int] = ()
) -> Markup:
    """Return a table; the first cell of a row names it, columns in `text` are words, all others are numbers."""
    words = {0, *text}

    def style(column: int) -> str | None:
        return None if column in words else "number"

    body = [
        element(
            "tr",
            element("th", row[0], scope="row"),
            [element("td", cell, class_=style(column)) for column, cell in enumerate(row[1:], start=1)],
        )
        for row in rows
    ]
    head = [
        element("th", heading or element("span", "Which", class_="said"), scope="col", class_=style(column))
        for column, heading in enumerate(headings)
    ]
    filled = element(
        "table", element("caption", caption), element("thead", element("tr", head)), element("tbody", body)
    )
    # A wide table scrolls by itself, also with the keys.
    return element("div", filled, class_="wide", tabindex=0, role="region", aria_label=caption)


def figure(picture: Picture, *caption: Child) -> Markup:
    """Return a chart with what it says under it."""
    return element("figure", picture.svg, element("figcaption", *caption))


def note(*children: Child) -> Markup:
    """Return a remark that should not be overlooked."""
    return element("p", *children, class_="note")


def code(text: str, **attributes: str) -> Markup:
    """Return a command to copy."""
    return element("pre", element("code", text), tabindex=0, **attributes)


def command(*words: str) -> str:
    """Return a command to paste into a shell; names with spaces or signs are quoted.

    Examples
    --------
    >>> print(command("priorwise", "review", "my run; rm x"))
    priorwise review 'my run; rm x'
    """
    return shlex.join(words)


def path_word(name: str) -> str:
    """Return a path as a word of a command: one that begins with a dash would be taken for an option.

    Examples
    --------
    >>> path_word("-x.run"), path_word("x.run")
    ('./-x.run', 'x.run')
    """
    return f"./{name}" if name.startswith("-") else name


def outside(address: str | None, title: str) -> Markup:
    """Return a title as a link to its page; as text if it has none on the web."""
    named = element("bdi", title)
    if address is None or not address.lower().startswith(("https://", "http://")):
        return named
    return element("a", named, href=address, rel="noopener noreferrer")
