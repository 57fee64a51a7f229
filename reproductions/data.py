"""The folder with the collections, and what is read from it once and kept."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from priorwise.corpus import Corpus, ingest
from priorwise.corpus.build.wikipedia import ingest_wikipedia, wiki_tokenizer
from priorwise.corpus.storage.manifest import this_tokenizer
from priorwise.durable import sync_folder
from priorwise.errors import CorpusError, InputError
from priorwise.readers.collections.base import CollectionReader, Paths
from priorwise.readers.collections.medline import MedlineReader
from priorwise.readers.collections.newsgroups import NewsgroupsReader
from priorwise.readers.collections.ohsumed import OhsumedReader
from priorwise.readers.collections.reuters import ReutersReader
from priorwise.readers.document import Document, Reader

_SYNSET = re.compile(r"(\d{8}) \d\d [nv] [0-9a-f]{2} (\S+) ")
_ABOVE = re.compile(r" @i? (\d{8}) ")

NOT_A_TITLE = "lines that are not the title of an occupation, left out"
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


class Kept(NamedTuple):
    """Where a collection is looked for in the data folder, and where it comes from."""

    title: str
    places: tuple[str, ...]
    source: str


COLLECTIONS = {
    "reuters": Kept("Reuters-21578", ("reuters-21578", "reuters21578*"), "reuters21578.tar.gz as it is published"),
    "newsgroups": Kept(
        "20 Newsgroups", ("20-newsgroups", "20news-bydate*"), "20news-bydate.tar.gz, the version by date, with headers"
    ),
    "ohsumed": Kept(
        "Ohsumed", ("ohsumed", "ohsumed-first-20000*"), "ohsumed-first-20000-docs.tar.gz, 23 classes C01 to C23"
    ),
    "medline": Kept(
        "MEDLINE", ("medline", "pubmed*n*.xml*"), "a file of PubMed's baseline, such as pubmed20n0014.xml.gz"
    ),
    "onet": Kept(
        "O*NET", ("taxonomies/onet_text*", "onet*"), "the text files of the O*NET database (Alternate Titles.txt)"
    ),
    "wordnet": Kept("WordNet", ("wordnet",), "the files data.noun and data.verb of WordNet 3.0 (Debian: wordnet-base)"),
    "mesh": Kept("MeSH", ("mesh",), "CTD_diseases.tsv.gz of the Comparative Toxicogenomics Database"),
    "factbook": Kept("CIA World Factbook", ("factbook",), "the Factbook of 1996, one row per field, in SQL"),
    "enwik8": Kept(
        "enwik8", ("wikipedia/enwik8*", "enwik8*"), "the first 10⁸ bytes of an English Wikipedia dump of 2006"
    ),
    "shinto-wiki": Kept(
        "the Shinto wiki", ("wikipedia/shintowiki*", "shintowiki*"), "a dump of its current pages (pages-current.xml)"
    ),
    "stop-list": Kept("the SMART stop list", ("smart-stop-list.txt",), "one word per line, 571 entries"),
}

READERS: dict[str, Callable[..., Reader]] = {
    "reuters": ReutersReader,
    "newsgroups": NewsgroupsReader,
    "ohsumed": OhsumedReader,
    "medline": MedlineReader,
    "onet": TitlesReader,
    "wordnet": GlossesReader,
}


class MissingCollection(InputError):
    """A collection that the data folder does not hold: which, where it was looked for, where it comes from."""

    def __init__(self, name: str, folder: Path) -> None:
        kept = COLLECTIONS[name]
        super().__init__(
            f"{kept.title} is not in {folder}: put {kept.source} there as {' or '.join(kept.places)}, "
            "or name another folder with --data (or PRIORWISE_DATA)"
        )


@dataclass(frozen=True)
class Data:
    """The collections in a folder.

    Parameters
    ----------
    folder : Path
        Where they are; see `COLLECTIONS` for the names.
    cache : Path
        Where corpora are kept once they were read.
    """

    folder: Path
    cache: Path

    def path(self, name: str) -> Path:
        """Return the file or folder of a collection."""
        for place in COLLECTIONS[name].places:
            for found in sorted(self.folder.glob(place)):
                return found
        raise MissingCollection(name, self.folder)

    def fingerprint(self, *names: str) -> str:
        """Return what changes when the files of any of these collections change: a checksum of names and sizes."""
        listed = []
        for top in map(self.path, names):
            files = sorted(path for path in top.rglob("*") if path.is_file()) if top.is_dir() else [top]
            listed += [(path.relative_to(top.parent).as_posix(), path.stat().st_size) for path in files]
        return hashlib.sha256(json.dumps(listed).encode()).hexdigest()[:16]

    def corpus(self, name: str, **options: Any) -> Corpus:
        """Return a collection as a corpus; read once with these options of its reader, then kept.

        Parameters
        ----------
        name : str
            A collection that has a reader: one of `READERS`.
        **options
            Those of the reader, such as ``split="train"``.
        """
        return self.kept_corpus(name, lambda: READERS[name](self.path(name), **options), **options)

    def kept_corpus(self, name: str, read: Callable[[], Reader], **options: Any) -> Corpus:
        """Return what a reader of a collection gives, as a corpus; `options` are what tells it from others."""
        key = json.dumps([self.fingerprint(name), this_tokenizer(), options], sort_keys=True)
        return self._kept(name, key, lambda path: ingest(read(), path, overwrite=True, duplicates="first"))

    def wiki(self, name: str) -> Corpus:
        """Return a wiki's articles as a corpus; read once, then kept.

        Templates leave a gap, as they did when the figures were published.
        """
        key = json.dumps([self.fingerprint(name), wiki_tokenizer()], sort_keys=True)
        source = [self.path(name)]
        return self._kept(
            name, key, lambda path: ingest_wikipedia(source, path, overwrite=True, inline_templates=False)
        )

    def _kept(self, name: str, key: str, make: Callable[[Path], Any]) -> Corpus:
        path = self.cache / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:12]}.corpus"
        try:
            return Corpus.open(path)
        except CorpusError:
            self.cache.mkdir(parents=True, exist_ok=True)
            make(path)
            sync_folder(self.cache)
            return Corpus.open(path)

    def stop_words(self) -> frozenset[str]:
        """Return the words of the SMART stop list."""
        return frozenset(self.path("stop-list").read_text(encoding="utf-8").split())


def data_folder(given: Path | None) -> Path:
    """Return the folder with the collections: the one given, or that in the environment variable PRIORWISE_DATA."""
    named = given or (Path(found) if (found := os.environ.get("PRIORWISE_DATA")) else None)
    if named is None:
        raise InputError("say where the collections are, with --data DIR or the environment variable PRIORWISE_DATA")
    if not named.is_dir():
        raise InputError(f"there is no folder {named} with collections; give another with --data (or PRIORWISE_DATA)")
    return named
