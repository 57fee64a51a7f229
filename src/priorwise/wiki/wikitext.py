"""Wikitext in, plain text and category links out.

The concept page on wikitext says what is kept; :mod:`priorwise.wiki._kernels.wikitext` reads it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from html.entities import name2codepoint
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from priorwise.wiki.siteinfo import ENGLISH, SiteNames

RULE_VERSION = 2
"""Raised whenever the rules change; a corpus records the rules that made its texts."""

_DROPPED_TAGS = """ref math chem ce score timeline imagemap templatedata gallery source syntaxhighlight graph mapframe
    maplink hiero inputbox categorytree"""
_VERBATIM_TAGS = "nowiki pre"
_BREAKING_TAGS = """br hr p div li ul ol dl dt dd table caption tr td th blockquote center poem h1 h2 h3 h4 h5 h6"""
_SCHEMES = "http https ftp ftps irc ircs gopher svn git ssh telnet worldwind"
_SCHEMES_WITHOUT_SLASHES = "mailto news urn tel"
_FILE_OPTIONS = """thumb thumbnail frame framed enframed frameless border upright left right center centre none baseline
    sub super sup top text-top middle bottom text-bottom
    mini miniatur gerahmt rahmenlos hochkant links rechts zentriert vignette gauche droite centré cadre
    miniatura miniaturadeimagen izquierda derecha centro esquerda direita destra sinistra мини справа слева центр"""
_HIDDEN_SWITCHES = """hiddencat, versteckte kategorie, versteckte_kategorie, wartungskategorie, catcachee,
    categoríaoculta, скркат, 隠しカテゴリ, 非表示カテゴリ, 隐藏分类"""

_LEAST_CATEGORY_LINK = 6


@dataclass(frozen=True, slots=True)
class Article:
    """A page as it is read: its plain text up to the references, and the categories its links name, without repeats."""

    text: str
    categories: list[str]
    is_redirect: bool
    is_disambiguation: bool


@dataclass(frozen=True, slots=True)
class PlainTexts:
    """Many pages as they are read, in a few arrays."""

    data: NDArray[np.uint8]
    bounds: NDArray[np.int64]
    is_redirect: NDArray[np.bool_]
    is_disambiguation: NDArray[np.bool_]
    is_hidden: NDArray[np.bool_]
    category_data: NDArray[np.uint8]
    category_bounds: NDArray[np.int64]
    category_offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return self.bounds.size - 1

    def text(self, page: int) -> str:
        """Return the plain text of a page; bytes that are not UTF-8 are replaced."""
        return _decoded(self.data[self.bounds[page] : self.bounds[page + 1]])

    def categories(self, page: int) -> list[str]:
        """Return the categories of a page, in order and without repeats."""
        bounds = self.category_bounds[self.category_offsets[page] : self.category_offsets[page + 1] + 1].tolist()
        names = (category_name(_decoded(self.category_data[start:end])) for start, end in pairwise(bounds))
        return list(dict.fromkeys(filter(None, names)))

    def article(self, page: int) -> Article:
        """Return all there is about a page."""
        return Article(
            self.text(page), self.categories(page), bool(self.is_redirect[page]), bool(self.is_disambiguation[page])
        )


def read_wikitext(source: str | bytes, names: SiteNames = ENGLISH) -> Article:
    """Return the plain text of a page and the categories it names, in time linear in its length, whatever it contains.

    Bytes are UTF-8, and what is not is replaced.

    Examples
    --------
    >>> page = "'''Tea''' is a [[drink]]{{citation needed}}.<ref>A book.</ref> [[Category:Hot drinks|Tea]]"
    >>> read_wikitext(page)
    Article(text='Tea is a drink.', categories=['Hot drinks'], is_redirect=False, is_disambiguation=False)
    """
    data = source.encode("utf-8", "replace") if isinstance(source, str) else source
    return read_pages(data, [(0, len(data))], names).article(0)


def read_pages(
    data: bytes | bytearray | memoryview | NDArray[np.uint8],
    spans: Iterable[tuple[int, int]] | NDArray[np.int64],
    names: SiteNames = ENGLISH,
) -> PlainTexts:
    """Read many pages of one buffer at once; releases the interpreter's lock while it reads."""
    from priorwise.kernels.words import read_only
    from priorwise.wiki._kernels.wikitext import IS_DISAMBIGUATION, IS_HIDDEN, IS_REDIRECT, plain_texts

    source = read_only(np.frombuffer(data, np.uint8))
    spans = np.asarray(spans if isinstance(spans, np.ndarray) else list(spans), np.int64).reshape(-1, 2)
    spans = np.ascontiguousarray(np.clip(spans, 0, source.size))
    n_pages, n_bytes = len(spans), int(np.maximum(spans[:, 1] - spans[:, 0], 0).sum())

    # Pages of memory that are never touched cost nothing.
    text = np.empty(n_bytes + 1, np.uint8)
    bounds = np.zeros(n_pages + 1, np.int64)
    flags = np.zeros(n_pages, np.uint8)
    category_data = np.empty(n_bytes, np.uint8)
    category_bounds = np.empty(n_bytes // _LEAST_CATEGORY_LINK + 2, np.int64)
    category_offsets = np.zeros(n_pages + 1, np.int64)
    plain_texts(
        source, spans, known_names(names), text, bounds, flags, category_data, category_bounds, category_offsets
    )
    n_links = category_offsets[-1]
    return PlainTexts(
        text[: bounds[-1]],
        bounds,
        flags & IS_REDIRECT != 0,
        flags & IS_DISAMBIGUATION != 0,
        flags & IS_HIDDEN != 0,
        category_data[: category_bounds[n_links]].copy(),
        category_bounds[: n_links + 1].copy(),
        category_offsets,
    )


@cache
def known_names(names: SiteNames) -> NDArray[np.int64]:
    """Return every name that the kernel knows, as a table of keys and values."""
    from priorwise.wiki._kernels import wikitext_marks as known
    from priorwise.wiki._kernels.wikitext import IS_DISAMBIGUATION, IS_HIDDEN

    def spelt(words: Iterable[str]) -> Iterable[bytes]:
        # The kernel knows the case of ASCII letters only, so others are listed in every case that occurs.
        for word in words:
            for variant in {word, word.lower(), word.upper(), word.capitalize(), word.title()}:
                yield variant.encode()

    listed: list[tuple[int, int, bytes]] = [
        *((known.NAMESPACE, known.FILE, name) for name in spelt(names.file)),
        *((known.NAMESPACE, known.CATEGORY, name) for name in spelt(names.category)),
        *((known.NAMESPACE, known.LANGUAGE, name) for name in (b"simple",)),
        *((known.REDIRECT_WORD, 1, name) for name in spelt(names.redirect)),
        *((known.TEMPLATE_NAME, known.MARKS_DISAMBIGUATION, name) for name in spelt(names.disambiguation)),
        *((known.TEMPLATE_NAME, bits, name) for template, bits in names.inline for name in spelt([template])),
        *((known.HEADING, 1, name) for name in spelt(names.references)),
        *((known.TAG, known.DROP, name) for name in spelt(_DROPPED_TAGS.split())),
        *((known.TAG, known.VERBATIM, name) for name in spelt(_VERBATIM_TAGS.split())),
        *((known.TAG, known.BREAK, name) for name in spelt(_BREAKING_TAGS.split())),
        *((known.SCHEME, known.SLASHES, name) for name in spelt(_SCHEMES.split())),
        *((known.SCHEME, known.NO_SLASHES, name) for name in spelt(_SCHEMES_WITHOUT_SLASHES.split())),
        *((known.FILE_OPTION, 1, name) for name in spelt(_FILE_OPTIONS.split())),
        (known.SWITCH, IS_DISAMBIGUATION, b"disambig"),
        *((known.SWITCH, IS_HIDDEN, name) for name in spelt(word.strip() for word in _HIDDEN_SWITCHES.split(","))),
        *((known.ENTITY, point, name.encode()) for name, point in name2codepoint.items()),
    ]
    table = np.zeros((1 << (2 * len(listed)).bit_length(), 2), np.int64)
    for sort, value, name in listed:
        key = known.name_key(np.frombuffer(name, np.uint8), 0, len(name), sort)
        table[known.name_row(table, key)] = key, int(value)
    table.flags.writeable = False
    return table


def _decoded(data: NDArray[np.uint8]) -> str:
    return data.tobytes().decode("utf-8", "replace")


def category_name(name: str) -> str:
    """Return a category's title: single spaces, the first letter in upper case, no underscores."""
    name = " ".join(name.replace("_", " ").split())
    return name[:1].upper() + name[1:]
