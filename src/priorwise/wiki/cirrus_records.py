"""One record of a CirrusSearch dump in, an article or a category's page out, or why it is left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from priorwise.readers.document import CategoryPage, Document, Entry, Origin
from priorwise.wiki.site_names import SiteNames, site_names
from priorwise.wiki.siteinfo import ARTICLE, CATEGORY
from priorwise.wiki.wikitext import Article, category_name, read_wikitext

OTHER_NAMESPACE = "pages of other namespaces left out"
REDIRECT = "redirects left out"
DISAMBIGUATION = "disambiguation pages left out"
NO_TITLE = "documents of CirrusSearch dumps without a title, left out"
NO_TEXT = "documents of CirrusSearch dumps without a text, left out"
NO_NAMESPACE = "documents of CirrusSearch dumps whose namespace is no number, left out"
NO_PAGE = "documents of CirrusSearch dumps without the number of their page"
NO_CATEGORIES = "documents of CirrusSearch dumps with categories that are no names"

_ENGLISH_DISAMBIGUATION = frozenset(
    ("disambiguation pages", "all disambiguation pages", "all article disambiguation pages")
)
# The namespace of templates, for modules have names like theirs and stand in the same list.
_TEMPLATE_NAMESPACES = (
    "template, bản mẫu, format, mal, mall, malline, modèle, plantilla, predefinição, sablon, sjabloon, skabelon, "
    "szablon, templat, vorlage, şablon, šablona, шаблон, תבנית, الگو, قالب, 틀"
)
_LARGEST_PAGE = 2**63 - 1
_site_names = lru_cache(maxsize=64)(site_names)


def too_short(min_bytes: int) -> str:
    """Return what is said of pages with less wikitext."""
    return f"pages of less than {min_bytes} bytes left out"


@dataclass(frozen=True, slots=True)
class Left:
    """Why a record is left out, and whether something is wrong with it."""

    why: str
    is_wrong: bool = False


@dataclass(slots=True)
class Read:
    """What a record says, and what was wrong with it all the same."""

    entry: Entry
    wrong: list[str] = field(default_factory=list)


def entry_of(record: dict[str, Any], action_id: Any, min_bytes: int) -> Read | Left:
    """Read a record.

    Parameters
    ----------
    record : dict
        The line with the document; fields that are missing or of another type are done without, if possible.
    action_id : object
        The number of the page in the line before it.
    min_bytes : int
        Articles with less wikitext are left out.

    Examples
    --------
    >>> record = {"title": "Tea", "namespace": 0, "text": "A drink.", "category": ["Drinks", "Stubs"]}
    >>> entry_of(record, "7", 0).entry.origin.name
    'UNKNOWN'
    >>> entry = entry_of({**record, "source_text": "A [[drink]]. [[Category:Drinks]] {{stub}}"}, "7", 0).entry
    >>> entry.labels, entry.added
    (['Drinks'], ['Stubs'])
    """
    namespace = _number(record.get("namespace", ARTICLE))
    if namespace is None:
        return Left(NO_NAMESPACE, is_wrong=True)
    if namespace not in (ARTICLE, CATEGORY):
        return Left(OTHER_NAMESPACE)
    title = " ".join(_text(record, "title").replace("_", " ").split())
    if not title:
        return Left(NO_TITLE, is_wrong=True)

    names = _site_names(language_of(record))
    source = _text(record, "source_text")
    article = read_wikitext(source, names) if source else None
    # Before 2026 redirects were no documents of their own.
    if record.get("page_type") == "redirect" or record.get("redirect_target") or (article and article.is_redirect):
        return Left(REDIRECT)
    wrong: list[str] = []
    page = _page(action_id) or _page(record.get("page_id"))
    if not page:
        wrong.append(NO_PAGE)
    labels, added, origin = _categories(record, article, wrong)
    if namespace == CATEGORY:
        return Read(CategoryPage(category_name(title), labels, page, added, origin), wrong)

    text = _text(record, "text")
    if not text:
        return Left(NO_TEXT, is_wrong=not isinstance(record.get("text"), str))
    if _is_disambiguation(record, article, [*labels, *added], names):
        return Left(DISAMBIGUATION)
    if _bytes(record, source or text) < min_bytes:
        return Left(too_short(min_bytes))
    return Read(Document(title, title, text, labels, added, origin, page), wrong)


def language_of(record: dict[str, Any]) -> str:
    """Return the code of the wiki's language.

    Examples
    --------
    >>> language_of({"wiki": "nowiki", "language": "nb"}), language_of({"language": "de-at"}), language_of({})
    ('no', 'de', 'en')
    """
    wiki, found, _ = _text(record, "wiki").partition("wik")
    return wiki if found and wiki else _text(record, "language").partition("-")[0] or "en"


def _categories(
    record: dict[str, Any], article: Article | None, wrong: list[str]
) -> tuple[list[str], list[str], Origin]:
    """Return the categories that are written, those that are added, and the origin of the former."""
    listed = record.get("category") or []
    every = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    if not isinstance(listed, list) or len(every) < len(listed):
        wrong.append(NO_CATEGORIES)
    names = [name for name in dict.fromkeys(map(category_name, every)) if name]
    if article is None:
        return names, [], Origin.UNKNOWN
    written = set(article.categories)
    return article.categories, [name for name in names if name not in written], Origin.WRITTEN


def _is_disambiguation(
    record: dict[str, Any], article: Article | None, categories: list[str], names: SiteNames
) -> bool:
    if article is not None and article.is_disambiguation:
        return True
    templates = record.get("template")
    if isinstance(templates, list):
        used = map(_template_name, (name for name in templates if isinstance(name, str)))
        if not names.disambiguation.isdisjoint(used):
            return True
    meant = _ENGLISH_DISAMBIGUATION if isinstance(templates, list) else _disambiguation_categories(names)
    return not meant.isdisjoint(map(_folded, categories))


def _template_name(page: str) -> str:
    """Return the name of a template from that of its page, nothing for a module."""
    namespace, colon, name = page.partition(":")
    if not colon:
        return _folded(page)
    return _folded(name) if _folded(namespace) in _template_namespaces() else ""


@cache
def _template_namespaces() -> frozenset[str]:
    return frozenset(_TEMPLATE_NAMESPACES.split(", "))


@cache
def _disambiguation_categories(names: SiteNames) -> frozenset[str]:
    # Some wikis name the category after the template; short names of templates mean other things too.
    return _ENGLISH_DISAMBIGUATION | {name for name in names.disambiguation if len(name) > 6}


def _bytes(record: dict[str, Any], text: str) -> int:
    said = record.get("text_bytes")
    if isinstance(said, int) and not isinstance(said, bool):
        return said
    return len(text.encode("utf-8", "replace"))


def _page(value: Any) -> int:
    number = _number(value)
    return number if number is not None and 0 < number <= _LARGEST_PAGE else 0


def _number(value: Any) -> int | None:
    """Return a whole number, also one that is written as a string."""
    if isinstance(value, str) and len(value) < 20 and value.isascii() and value.isdigit():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(record: dict[str, Any], name: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else ""


def _folded(name: str) -> str:
    return " ".join(name.replace("_", " ").lower().split())
