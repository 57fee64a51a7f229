"""A wiki's dump files, sorted by what they hold, and a first look at their articles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from priorwise.errors import BrokenFile, InputError
from priorwise.readers.compressed import compression
from priorwise.readers.document import Document
from priorwise.readers.remarks import Remarks
from priorwise.readers.remote_file import found_files
from priorwise.wiki.cirrus import CirrusReader
from priorwise.wiki.dump import DumpFile
from priorwise.wiki.files import Kind, kind_of, readable_pieces
from priorwise.wiki.pages import read_run
from priorwise.wiki.siteinfo import SiteInfo, read_siteinfo
from priorwise.wiki.sql_tables import SqlTables

MIN_BYTES = 300
"""Articles with less wikitext are left out (presence)."""

_BLOCKS_LOOKED_AT = 64
"""So many blocks of a bzip2 file with a damaged beginning are looked at before it is none of a wiki's files."""


@dataclass(frozen=True, slots=True)
class WikiFiles:
    """A wiki's files, by what they hold.

    Attributes
    ----------
    dumps, cirrus, indexes : list of Path
        XML dumps, CirrusSearch dumps, and the indexes of multistream dumps.
    tables : SqlTables
        SQL dumps.
    """

    dumps: list[Path]
    cirrus: list[Path]
    indexes: list[Path]
    tables: SqlTables

    @classmethod
    def recognised(cls, paths: Sequence[str | Path]) -> WikiFiles:
        """Sort files by their contents."""
        found: dict[Kind, list[Path]] = defaultdict(list)
        for path in found_files(paths):
            found[_kind(path)].append(path)
        if not found["xml"] and not found["cirrus"]:
            raise InputError(
                "there is no dump of pages among the files; give a pages-articles or CirrusSearch dump too"
            )
        tables = SqlTables(found["sql:categorylinks"], found["sql:linktarget"], found["sql:page"])
        return cls(found["xml"], found["cirrus"], found["index"], tables)

    def pages_in_indexes(self) -> int:
        """Return how many pages the indexes name: a page is a line."""
        n = 0
        for path in self.indexes:
            last = b"\n"
            for piece in readable_pieces(path, lambda n: None, lambda reason: None):
                n += piece.count(b"\n")
                last = piece[-1:] or last
            n += last != b"\n"
        return n


def dumps_and_sites(
    files: WikiFiles, references: Sequence[str], remarks: Remarks, *, inline_templates: bool = True
) -> list[tuple[DumpFile, SiteInfo]]:
    """Return the XML dumps, each with what is known of its wiki; damage to one's head is made up for by another's."""

    def site_of(head: bytes, path: Path) -> SiteInfo:
        return read_siteinfo(head, path, references, inline_templates=inline_templates)

    found: list[tuple[DumpFile, SiteInfo | None]] = []
    for path in files.dumps:
        dump = DumpFile(path)
        head = dump.head()
        found.append((dump, site_of(head, path) if head.strip() else None))
    known = next((site for _, site in found if site is not None), None)
    for dump, site in found:
        if site is None:
            remarks.add(
                "heads of dumps could not be read" + ("" if known else "; English names are assumed"), dump.path.name
            )
    assumed = known or site_of(b"<mediawiki>", Path())
    return [(dump, site or assumed) for dump, site in found]


def first_articles(
    paths: Sequence[str | Path], n: int, *, min_bytes: int = MIN_BYTES, references: Sequence[str] = ()
) -> Iterator[Document]:
    """Yield the first articles of a wiki's files as they would be read into a corpus.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "tea.xml")
    ...     _ = path.write_text("<mediawiki><page><title>Tea</title><text>[[Tea]]s</text></page></mediawiki>")
    ...     [article.text for article in first_articles([path], 1, min_bytes=1)]
    ['Teas']
    """
    files = WikiFiles.recognised(paths)
    yield from islice(_articles(files, min_bytes, references), n)


def _articles(files: WikiFiles, min_bytes: int, references: Sequence[str]) -> Iterator[Document]:
    remarks = Remarks()
    for dump, site in dumps_and_sites(files, references, remarks):
        for piece in dump.pieces(remarks):
            for run in piece.read(remarks):
                pages = read_run(run, site, dump.path, remarks, min_bytes=min_bytes)
                for row, title in enumerate(pages.titles):
                    start, end = pages.spans[row].tolist()
                    text = pages.data[start:end].tobytes().decode("utf-8", "replace")
                    yield Document(title, title, text, pages.labels[row], page=pages.pages[row])
    entries = CirrusReader(files.cirrus, min_bytes=min_bytes)
    yield from (entry for entry in entries if isinstance(entry, Document))


def _kind(path: Path) -> Kind:
    try:
        return kind_of(path)
    except BrokenFile:
        if compression(path) == "bz2":
            first = islice(DumpFile(path).blocks(0), _BLOCKS_LOOKED_AT)
            if any(b"<page>" in (block.content or b"") for block in first):
                return "xml"
        raise
