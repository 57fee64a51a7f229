"""HTML, SVG and small PNG files in which text from documents is always escaped."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

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


@dataclass(frozen=True)
class Picture:
    """A chart. Notebooks display it, and ``save`` writes it as an SVG file."""

    parts: Markup
    width: float
    height: float
    summary: str

    def __repr__(self) -> str:
        return f"<Picture: {self.summary}>"

    @property
    def svg(self) -> Markup:
        """The drawing, to be styled by `chart_style`."""
        return self._svg()

    def _svg(self, *before: Markup, xmlns: str | None = None) -> Markup:
        return element(
            "svg",
            *before,
            self.parts,
            xmlns=xmlns,
            class_="picture",
            viewBox=f"0 0 {self.width:g} {self.height:g}",
            role="img",
            aria_label=self.summary,
        )

    def _repr_html_(self) -> str:
        return self._svg(element("style", Markup(chart_style())))

    def save(self, path: str | Path) -> None:
        """Write an SVG file that looks the same everywhere."""
        own = self._svg(element("style", Markup(chart_style())), xmlns="http://www.w3.org/2000/svg")
        Path(path).write_text(own + "\n", encoding="utf-8")


@cache
def chart_style() -> str:
    """Return the style that all charts share."""
    return (Path(__file__).parent / "chart.css").read_text(encoding="utf-8")


Bytes = NDArray[np.uint8]


def png(pixels: Bytes, palette: Bytes) -> bytes:
    """Return a PNG file (W3C PNG, colour type 3)."""
    height, width = pixels.shape
    # Each line begins with the number of its filter; 0 means no filter.
    lines = np.hstack([np.zeros((height, 1), np.uint8), pixels]).tobytes()
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            _chunk(b"PLTE", np.ascontiguousarray(palette[:, :3]).tobytes()),
            _chunk(b"tRNS", np.ascontiguousarray(palette[:, 3]).tobytes()),
            _chunk(b"IDAT", zlib.compress(lines, 9)),
            _chunk(b"IEND", b""),
        ]
    )


def data_address(file: bytes) -> str:
    """Return a data URL with the file."""
    return "data:image/png;base64," + b64encode(file).decode("ascii")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
