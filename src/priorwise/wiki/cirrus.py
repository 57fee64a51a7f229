"""Read the dumps of a wiki's search index, CirrusSearch: plain texts with all their categories."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from priorwise.errors import BrokenFile, InputError
from priorwise.readers.addresses import found_files
from priorwise.readers.document import CategoryPage, Document, Entry, Origin, Remarks
from priorwise.readers.opening import file_size, size_and_time
from priorwise.readers.records import neighbours
from priorwise.wiki.files import readable_pieces
from priorwise.wiki.siteinfo import ARTICLE, CATEGORY, SiteNames, folded, site_names
from priorwise.wiki.wikitext import Article, category_name, read_wikitext

OTHER_NAMESPACE = "pages of other namespaces left out"
REDIRECT = "redirects left out"
DISAMBIGUATION = "disambiguation pages left out"
NO_TITLE = "documents of CirrusSearch dumps without a title, left out"
NO_TEXT = "documents of CirrusSearch dumps without a text, left out"
NO_NAMESPACE = "documents of CirrusSearch dumps whose namespace is not a number, left out"
NO_PAGE = "documents of CirrusSearch dumps without the number of their page"
NO_CATEGORIES = "documents of CirrusSearch dumps with categories that are not names"

_ENGLISH_DISAMBIGUATION = frozenset(
    ("disambiguation pages", "all disambiguation pages", "all article disambiguation pages")
)
# The namespace of templates. Modules have names like theirs and are in the same list.
_TEMPLATE_NAMESPACES = (
    "template, bản mẫu, format, mal, mall, malline, modèle, plantilla, predefinição, sablon, sjabloon, skabelon, "
    "szablon, templat, vorlage, şablon, šablona, шаблон, תבנית, الگو, قالب, 틀"
)
_LARGEST_PAGE = 2**63 - 1
_site_names = lru_cache(maxsize=64)(site_names)


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
    """Read a record."""
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
        return Left(f"pages of less than {min_bytes} bytes left out")
    item = _text(record, "wikibase_item")
    other = {"wikibase_item": item} if item else {}
    return Read(Document(title, title, text, labels, added, origin, page, other=other), wrong)


def language_of(record: dict[str, Any]) -> str:
    """Return the code of the wiki's language."""
    wiki, found, _ = _text(record, "wiki").partition("wik")
    return wiki if found and wiki else _text(record, "language").partition("-")[0] or "en"


def _categories(
    record: dict[str, Any], article: Article | None, wrong: list[str]
) -> tuple[list[str], list[str], Origin]:
    """Return the categories that are written, those that are added, and the origin of the first."""
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
    return not meant.isdisjoint(map(folded, categories))


def _template_name(page: str) -> str:
    """Return the name of a template from that of its page, nothing for a module."""
    namespace, colon, name = page.partition(":")
    if not colon:
        return folded(page)
    return folded(name) if folded(namespace) in _template_namespaces() else ""


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


LONGEST_LINE = 1 << 28

NO_JSON = "lines of CirrusSearch dumps that are not JSON objects, left out"
NO_DOCUMENT = "action lines of CirrusSearch dumps without a document"
NO_ACTION = "documents of CirrusSearch dumps without an action line, read all the same"
NOT_UTF8 = "lines of CirrusSearch dumps that are not UTF-8, of which the wrong bytes were replaced"
CUT_OFF = "CirrusSearch dumps that end too early, of which the lines up to there were read"

_ACTIONS = ("index", "create", "update")


class CirrusReader:
    r"""Articles and categories' pages from CirrusSearch dumps, with constant memory.

    A document's id is its title; its text is what the search index has, without tables and notes, but with all its
    sections. If the dump has the wikitext too, the categories it names are *written* and the others *added*; without
    it, their origin is unknown. Disambiguation pages, short pages and other namespaces are left out and counted. What
    cannot be read is counted and named, and the rest is read. Articles with less wikitext than `min_bytes` are left
    out; if the dump does not say how much there is, those with less text.

    Examples
    --------
    >>> import tempfile
    >>> action = '{"index":{"_id":"7"}}'
    >>> page = '{"title":"Tea","namespace":0,"text":"Tea is a drink.","category":["Hot drinks"]}'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "teawiki_content-20260101-00000.json")
    ...     _ = path.write_text(f"{action}\n{page}\n")
    ...     [(entry.title, entry.labels, entry.page) for entry in CirrusReader([path], min_bytes=1)]
    [('Tea', ['Hot drinks'], 7)]
    """

    def __init__(self, paths: Sequence[str | Path], *, min_bytes: int = 300) -> None:
        if min_bytes < 0:
            raise InputError(f"min_bytes is {min_bytes}, and must not be negative")
        self.paths = found_files(paths)
        self.min_bytes = min_bytes
        self.remarks: dict[str, int] = {}
        self.done_bytes = 0
        self.total_bytes = sum(map(file_size, self.paths))
        self._remarks = Remarks()

    def __iter__(self) -> Iterator[Entry]:
        self.done_bytes = 0
        self._remarks = Remarks()
        try:
            for path in self.paths:
                yield from self._entries(path)
        finally:
            self.remarks = self._remarks.lines()

    def parts(self) -> list[CirrusReader]:
        """Return readers of neighbouring files, about 64 MB together."""
        chosen = neighbours([file_size(path) for path in self.paths])
        return [CirrusReader(self.paths[part], min_bytes=self.min_bytes) for part in chosen]

    def fingerprint(self) -> dict[str, Any] | None:
        """Return the names, sizes and times of the files, and the options."""
        files = [[str(path.resolve()), *size_and_time(path)] for path in self.paths]
        return {"kind": "cirrus", "files": files, "min_bytes": self.min_bytes}

    def _entries(self, path: Path) -> Iterator[Entry]:
        action: tuple[str, Any] | None = None
        understood = False
        for number, line in self._lines(path):
            place = f"{path.name}, line {number:,}"
            record = self._record(line, place)
            if record is None:
                action = None
                continue
            understood = True
            if (page := _page_of_action(record)) is not None:
                if action is not None:
                    self._remarks.add(NO_DOCUMENT, action[0])
                action = place, page
                continue
            if action is None:
                self._remarks.add(NO_ACTION, place)
            entry = entry_of(record, action[1] if action else None, self.min_bytes)
            action = None
            if isinstance(entry, Left):
                self._remarks.add(entry.why, place if entry.is_wrong else None)
                continue
            for what in entry.wrong:
                self._remarks.add(what, place)
            yield entry.entry
        if action is not None:
            self._remarks.add(NO_DOCUMENT, action[0])
        if not understood:
            reasons = "; ".join(self._remarks.lines()) or "it is empty"
            raise BrokenFile(path, f"no CirrusSearch dump: there is not one JSON object in it ({reasons})")

    def _record(self, line: bytes, place: str) -> dict[str, Any] | None:
        try:
            text = line.decode()
        except UnicodeDecodeError:
            text = line.decode("utf-8", "replace")
            self._remarks.add(NOT_UTF8, place)
        try:
            record = json.loads(text)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            self._remarks.add(NO_JSON, place)
            return None
        return record

    def _lines(self, path: Path) -> Iterator[tuple[int, bytes]]:
        """Yield the lines that are not empty, with their numbers."""
        number, held, held_bytes = 1, list[bytes](), 0

        def cut_off(_reason: str) -> None:
            self._remarks.add(CUT_OFF, f"{path.name}, line {number:,}")

        for piece in readable_pieces(path, self._tell, cut_off):
            start = 0
            while (end := piece.find(b"\n", start)) >= 0:
                line = b"".join([*held, piece[start:end]])
                if line.strip():
                    yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                number, held, held_bytes, start = number + 1, [], 0, end + 1
            held.append(piece[start:])
            held_bytes += len(piece) - start
            if held_bytes > LONGEST_LINE:
                raise BrokenFile(path, f"the line is longer than {LONGEST_LINE:,} bytes; refused", line=number)
        if (line := b"".join(held)).strip():
            yield number, line

    def _tell(self, n: int) -> None:
        self.done_bytes += n


def _page_of_action(record: dict[str, Any]) -> Any:
    """Return the page's number as an action line has it, or None for any other line."""
    if len(record) != 1:
        return None
    (name, action), *_ = record.items()
    return action.get("_id", "") if name in _ACTIONS and isinstance(action, dict) else None
