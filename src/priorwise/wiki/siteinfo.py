"""What the head of a MediaWiki export says about its wiki: language, names of namespaces."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from xml.sax.saxutils import unescape

from priorwise.errors import BrokenFile
from priorwise.wiki.site_names import SiteNames, site_names

ARTICLE, FILE, CATEGORY = 0, 6, 14
LONGEST_HEAD = 1 << 20

_LANGUAGE = re.compile(r'xml:lang\s*=\s*"([A-Za-z-]+)"')
_NAMESPACE = re.compile(r"<namespace\s([^<>]*)>([^<]*)</namespace>")
_KEY = re.compile(r'\bkey="(-?\d{1,9})"')
_DATABASE = re.compile(r"<dbname>([^<]*)</dbname>")
_BASE = re.compile(r"<base>\s*(https?://[^<\s]+)\s*</base>")
_VERSION = re.compile(r"export-(\d+\.\d+)")


@dataclass(frozen=True, slots=True)
class SiteInfo:
    """What a dump says about its wiki.

    Attributes
    ----------
    names : SiteNames
        What the wiki calls its categories, files, redirects, disambiguation pages and references.
    namespaces : dict of str to int
        The number of each namespace by its name in lower case.
    language, version : str
        Such as ``"en"`` and ``"0.11"``; empty if the dump does not say.
    address : str
        What comes before a page's title in its address, such as ``"https://en.wikipedia.org/wiki/"``.
    """

    names: SiteNames
    namespaces: dict[str, int]
    language: str = ""
    version: str = ""
    address: str = ""

    def namespace_of(self, title: str) -> int:
        """Return the namespace that a title's prefix names, for dumps that do not say it otherwise.

        Examples
        --------
        >>> site = read_siteinfo(b'<mediawiki xml:lang="de"><namespace key="14">Kategorie</namespace>', Path("x.xml"))
        >>> site.namespace_of("Kategorie:Tee"), site.namespace_of("Tee: ein Getränk")
        (14, 0)
        """
        prefix, colon, _ = title.partition(":")
        return self.namespaces.get(_folded(prefix), ARTICLE) if colon else ARTICLE


def read_siteinfo(
    head: bytes, path: Path, references: Iterable[str] = (), *, inline_templates: bool = True
) -> SiteInfo:
    """Read the head of a dump, all that comes before its first page.

    Parameters
    ----------
    head : bytes
    path : Path
        The file, for what is said if it is no dump.
    references : iterable of str
        More headings from which on a page's text is dropped.
    inline_templates : bool
        Whether what inline templates show is read.

    Raises
    ------
    BrokenFile
        It is no MediaWiki export, or declares entities.
    """
    text = head.decode("utf-8", "replace")
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise BrokenFile(path, "it declares entities, which no MediaWiki export does; refused")
    if "<mediawiki" not in text:
        raise BrokenFile(path, "it is no MediaWiki export: there is no <mediawiki> element at its beginning")
    language = _first(_LANGUAGE, text)
    names = site_names(language.partition("-")[0] or _first(_DATABASE, text).removesuffix("wiki"))
    numbered = ((_first(_KEY, attributes), name) for attributes, name in _NAMESPACE.findall(text))
    namespaces = {_folded(unescape(name)): int(number) for number, name in numbered if name and number not in ("", "0")}

    def named(number: int) -> frozenset[str]:
        return frozenset(name for name, key in namespaces.items() if key == number)

    names = replace(
        names,
        category=names.category | named(CATEGORY),
        file=names.file | named(FILE),
        references=names.references | {" ".join(heading.lower().split()) for heading in references},
        inline=names.inline if inline_templates else frozenset(),
    )
    known = {**dict.fromkeys(names.category, CATEGORY), **dict.fromkeys(names.file, FILE), **namespaces}
    return SiteInfo(names, known, language, _first(_VERSION, text), page_address(unescape(_first(_BASE, text))))


def page_address(main_page: str) -> str:
    """Return what comes before a page's title in its address, from the address of the wiki's main page.

    Examples
    --------
    >>> page_address("https://en.wikipedia.org/wiki/Main_Page")
    'https://en.wikipedia.org/wiki/'
    >>> page_address("https://example.org/w/index.php?title=Main_Page")
    'https://example.org/w/index.php?title='
    """
    before, found, _ = main_page.partition("?title=")
    return before + found if found else main_page[: main_page.rfind("/") + 1]


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found.group(1) if found else ""


def _folded(name: str) -> str:
    return " ".join(name.replace("_", " ").lower().split())
