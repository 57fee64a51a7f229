"""The Open Directory Project (DMOZ): web pages described by editors, in a tree of topics."""

from __future__ import annotations

from collections.abc import Iterator

from priorwise.errors import InputError
from priorwise.readers.blocks import attributes, field, unescaped
from priorwise.readers.collections.base import CollectionReader, Paths, in_one_line
from priorwise.readers.document import Document

NOT_FILED = "pages without an address or a topic, left out"


class ODPReader(CollectionReader):
    r"""Listings of the Open Directory's content file; a text is the title and the editor's description.

    A page that is listed under several topics is described anew under each, so each listing is a document: its id is
    the page's address, a space and the topic.

    Parameters
    ----------
    paths : path or sequence of paths
        ``content.rdf.u8.gz`` as it was published; the file's broken encodings and control characters do no harm.
    depth : int, optional
        Cut topics to that many levels below ``Top``: with 2, *Top/Arts/Animation/Anime* is *Top/Arts/Animation*.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> page = '<ExternalPage about="http://tea.example/"><d:Title>Tea</d:Title><d:Description>Leaves &amp; cups.'
    >>> page += "</d:Description><topic>Top/Home/Cooking/Beverages/Tea</topic></ExternalPage>"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "content.rdf.u8")
    ...     _ = path.write_text(page)
    ...     [(listing.title, listing.text, listing.labels) for listing in ODPReader(path, depth=2)]
    [('Tea', 'Tea\n\nLeaves & cups.', ['Top/Home/Cooking'])]
    """

    kind = "odp"
    looked_for = "<ExternalPage> records in .rdf files"

    def __init__(self, paths: Paths, *, depth: int | None = None) -> None:
        if depth is not None and depth < 1:
            raise InputError("topics cannot be cut to fewer than one level")
        super().__init__(paths, depth=depth)
        self.depth = depth

    def documents(self) -> Iterator[Document]:
        """Yield the listings."""
        topic_above = ""
        for record in self.records("ExternalPage|Topic", ".rdf"):
            if record.startswith("<Topic"):
                topic_above = attributes(record).get("r:id", "")
                continue
            # Older files name the topic only once, above its pages.
            topic = unescaped(field(record, "topic")).strip() or topic_above
            address = attributes(record).get("about", "").strip()
            if not topic or not address:
                self.remark(NOT_FILED)
                continue
            title = in_one_line(unescaped(field(record, "d:Title")))
            description = unescaped(field(record, "d:Description")).strip()
            label = topic if self.depth is None else "/".join(topic.split("/")[: self.depth + 1])
            yield Document(f"{address} {topic}", title or address, f"{title}\n\n{description}".strip(), [label])
