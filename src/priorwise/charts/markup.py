"""HTML and SVG in which text from documents is always escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

_EMPTY = frozenset({"br", "col", "hr", "img", "link", "meta"})


class Markup(str):
    """Text that is already markup. All other text is escaped before it becomes part of a page."""

    __slots__ = ()


Child: TypeAlias = "str | int | float | Iterable[Child] | None"


def element(tag: str, *children: Child, **attributes: str | float | None) -> Markup:
    r"""Return an element; texts are escaped, None is left out, lists are followed.

    In the names of attributes ``_`` stands for ``-``, and one at the end is for names that Python has taken.

    Examples
    --------
    >>> print(element("p", "a < b", element("b", "<script>"), class_="quiet", aria_label='"x"'))
    <p class="quiet" aria-label="&quot;x&quot;">a &lt; b<b>&lt;script&gt;</b></p>
    """
    given = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(shown(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    if tag in _EMPTY:
        return Markup(f"<{tag}{given}>")
    return Markup(f"<{tag}{given}>{joined(*children)}</{tag}>")


def joined(*children: Child) -> Markup:
    """Concatenate elements and texts.

    Examples
    --------
    >>> print(joined("a & b", [element("br"), None], 3))
    a &amp; b<br>3
    """
    return Markup("".join(_text(child) for child in children))


def shown(value: str | float) -> str:
    r"""Format a text or number: without needless digits, and without characters that HTML forbids.

    Examples
    --------
    >>> shown(2.0), shown(1 / 3), shown("nul\x00, half a character \ud800")
    ('2', '0.33', 'nul�, half a character �')
    """
    if isinstance(value, str):
        return "".join(c if _is_writable(c) else "\ufffd" for c in value)
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _is_writable(c: str) -> bool:
    return (c >= " " or c in "\t\n") and not ("\x7f" <= c <= "\x9f" or "\ud800" <= c <= "\udfff" or c in "\ufffe\uffff")


def _text(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str | int | float):
        return escape(shown(child), quote=False)
    return joined(*child)
