"""Two taxonomies with a thousand classes and more, as collections: O*NET's job titles and WordNet's glosses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from priorwise.readers.collection import CollectionReader, Paths
from priorwise.readers.document import Document

_SYNSET = re.compile(r"(\d{8}) \d\d [nv] [0-9a-f]{2} (\S+) ")
_ABOVE = re.compile(r" @i? (\d{8}) ")

NOT_A_TITLE = "lines that are no title of an occupation, left out"
NO_HYPERNYM = "synsets without a hypernym, left out"


class TitlesReader(CollectionReader):
    r"""Job titles of O*NET; a label is the occupation's code.

    Parameters
    ----------
    paths : path or sequence of paths
        The text files of the O*NET database, the folder or an archive of them; ``Alternate Titles.txt`` is read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> lines = "O*NET-SOC Code\tAlternate Title\tShort Title\n11-1011.00\tTea Taster\tn/a\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "Alternate Titles.txt")
    ...     _ = path.write_text(lines)
    ...     [(title.id, title.text, title.labels) for title in TitlesReader(path)]
    [('1', 'Tea Taster', ['11-1011.00'])]
    """

    kind = "onet"
    looked_for = "a file Alternate Titles.txt, in columns between tabs"

    def __init__(self, paths: Paths) -> None:
        super().__init__(paths)

    def documents(self) -> Iterator[Document]:
        """Yield the titles."""
        for name, content in self.files():
            if name.rpartition("/")[2] != "Alternate Titles.txt":
                continue
            for number, line in enumerate(self.text_of(content).splitlines()[1:], start=1):
                code, title, *_ = [*line.split("\t"), "", ""]
                if code and title:
                    yield Document(str(number), title, title, [code])
                else:
                    self.remark(NOT_A_TITLE)


class GlossesReader(CollectionReader):
    r"""Nouns and verbs of WordNet; a text is a synset's gloss, a label the synset above it (its first hypernym).

    Parameters
    ----------
    paths : path or sequence of paths
        ``data.noun`` and ``data.verb`` of WordNet 3.0, or the folder or an archive they are in.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> lines = "  1 The licence.\n00001740 03 n 01 entity 0 000 | all that is\n"
    >>> lines += "00001930 03 n 01 tea 0 001 @ 00001740 n 0000 | leaves in water\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "data.noun")
    ...     _ = path.write_text(lines)
    ...     [(gloss.id, gloss.title, gloss.text, gloss.labels) for gloss in GlossesReader(path)]
    [('noun 00001930', 'tea', 'leaves in water', ['noun 00001740'])]
    """

    kind = "wordnet"
    looked_for = "the files data.noun and data.verb"

    def __init__(self, paths: Paths) -> None:
        super().__init__(paths)

    def documents(self) -> Iterator[Document]:
        """Yield the glosses."""
        for name, content in self.files():
            part = name.rpartition("data.")[2]
            if part not in ("noun", "verb"):
                continue
            for line in self.text_of(content).splitlines():
                synset, gloss = _SYNSET.match(line), line.partition("| ")[2].strip()
                if synset is None:
                    continue
                above = _ABOVE.search(line)
                if above is None:
                    self.remark(NO_HYPERNYM)
                    continue
                yield Document(f"{part} {synset[1]}", synset[2].replace("_", " "), gloss, [f"{part} {above[1]}"])
