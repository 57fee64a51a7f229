"""MEDLINE: the citations of PubMed, with the Medical Subject Headings that indexers gave them."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from priorwise.readers.collections.base import CollectionReader, Paths, in_one_line
from priorwise.readers.document import Document

NO_ABSTRACT = "records without an abstract, left out"
MALFORMED = "records that are not well-formed XML or have no PMID, left out"


class MedlineReader(CollectionReader):
    r"""Citations of MEDLINE; an id is a PMID, a text is the title and the abstract, a label is a MeSH heading.

    Parameters
    ----------
    paths : path or sequence of paths
        Files of PubMed's baseline (``pubmed…n….xml.gz``), an archive or a folder of them, or any XML with
        ``<MedlineCitation>`` elements.
    major : bool, default False
        Take only the headings that are a main topic of the article: starred themselves, or by one of their qualifiers.
    without_abstract : bool, default False
        Keep records without an abstract too; their text is their title.
    labelled : bool, default False
        Leave out records without a heading.

    Notes
    -----
    Each record is parsed by itself, without the file's document type, so that no entity is expanded and a broken record
    costs nothing but itself.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> record = "<MedlineCitation><PMID>12</PMID><Article><ArticleTitle>On <i>tea</i>.</ArticleTitle>"
    >>> record += "<Abstract><AbstractText>It was drunk.</AbstractText></Abstract></Article><MeshHeadingList>"
    >>> record += '<MeshHeading><DescriptorName MajorTopicYN="Y">Tea</DescriptorName></MeshHeading>'
    >>> record += "</MeshHeadingList></MedlineCitation>"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "pubmed20n0001.xml")
    ...     _ = path.write_text(record)
    ...     [(document.id, document.text, document.labels) for document in MedlineReader(path, major=True)]
    [('12', 'On tea.\n\nIt was drunk.', ['Tea'])]
    """

    kind = "medline"
    apart = True
    looked_for = "<MedlineCitation> records in .xml files (with an abstract, unless those without are wanted too)"

    def __init__(
        self, paths: Paths, *, major: bool = False, without_abstract: bool = False, labelled: bool = False
    ) -> None:
        super().__init__(paths, labelled=labelled, major=major, without_abstract=without_abstract)
        self.major = major
        self.without_abstract = without_abstract

    def documents(self) -> Iterator[Document]:
        """Yield the citations."""
        for record in self.records("MedlineCitation", ".xml"):
            try:
                citation = ElementTree.fromstring(record)
            except ElementTree.ParseError:
                self.remark(MALFORMED)
                continue
            identity = (citation.findtext("PMID") or "").strip()
            if not identity:
                self.remark(MALFORMED)
                continue
            sections = [_text(section) for section in citation.findall("Article/Abstract/AbstractText")]
            abstract = "\n".join(section for section in sections if section)
            if not abstract and not self.without_abstract:
                self.remark(NO_ABSTRACT)
                continue
            title = _text(citation.find("Article/ArticleTitle"))
            text = f"{title}\n\n{abstract}".strip()
            yield Document(identity, title or identity, text, self._headings(citation))

    def _headings(self, citation: ElementTree.Element) -> list[str]:
        names = []
        for heading in citation.findall("MeshHeadingList/MeshHeading"):
            name = _text(heading.find("DescriptorName"))
            starred = any(part.get("MajorTopicYN") == "Y" for part in heading)
            if name and (starred or not self.major):
                names.append(name)
        return list(dict.fromkeys(names))


def _text(element: ElementTree.Element | None) -> str:
    return "" if element is None else in_one_line("".join(element.itertext()))
