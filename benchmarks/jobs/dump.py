"""A dump of Wikipedia to words.

Ours writes a corpus that is ready to be searched and ranked, the others give texts or words and no more. They are given
the first part of the dump, because the whole would take too long; their times are those of the whole, at the same rate.
"""

from __future__ import annotations

import bz2
import lzma
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from contest import Contestant, Job, Settings, Started, Work

PAGES_PER_STREAM = 100
PART = 20


def prepare(folder: Path, settings: Settings) -> Work:
    from generated_wiki import write_dump
    from wikipedia import chunks, first_part

    dump = folder / "dump.xml.bz2"
    if settings.data:
        with lzma.open(settings.data / "wikipedia" / "enwik8.xz") as file:
            write_multistream(file.read(settings.size(10**8)), dump)
        name = "enwik8"
    else:
        write_dump(dump, settings.size(50_000))
        name = "a made-up wiki"
    size = sum(map(len, chunks(dump)))
    first_part(dump, folder, max(1, round(size / 1e6 / PART)))[0].rename(folder / "part.xml.bz2")
    return Work(f"a dump to words: {name}, {size / 1e6:,.0f} MB of XML, bzip2", size / 1e6, "MB/s")


def write_multistream(xml: bytes, path: Path) -> None:
    """Write whole pages as Wikipedia does today: some pages a stream, each with the number of its namespace."""
    head, *pages = re.split(rb"(?=  <page>)", xml[: xml.rindex(b"</page>") + len(b"</page>\n")])
    numbers = dict(re.findall(rb'<namespace key="(-?\d+)"[^>]*>([^<]+)</namespace>', head))
    namespaces = {name: number for number, name in numbers.items()}

    def numbered(page: bytes) -> bytes:
        title = re.search(rb"<title>([^<]*)</title>", page)
        prefix = title.group(1).partition(b":")[0] if b":" in title.group(1) else b""
        ns = b"<ns>" + namespaces.get(prefix, b"0") + b"</ns>"
        return page[: title.end()] + b"\n    " + ns + page[title.end() :]

    with path.open("wb") as file:
        file.write(bz2.compress(head))
        for start in range(0, len(pages), PAGES_PER_STREAM):
            file.write(bz2.compress(b"".join(map(numbered, pages[start : start + PAGES_PER_STREAM]))))
        file.write(bz2.compress(b"</mediawiki>\n"))


def xml_size(dump: Path) -> int:
    with bz2.open(dump) as file:
        return sum(map(len, iter(lambda: file.read(1 << 20), b"")))


def ours(workers: int, folder: Path) -> Started:
    from priorwise.corpus import Corpus
    from priorwise.corpus.build.wikipedia import ingest_wikipedia

    dump, corpus = folder / "dump.xml.bz2", folder / f"{workers}.corpus"

    def run() -> None:
        ingest_wikipedia([dump], corpus, overwrite=True, workers=workers)

    def quality() -> dict[str, float]:
        made = Corpus.open(corpus)
        words = sum(int(batch.counts.sum()) for batch in made.batches())
        return per_megabyte(made.n_documents, words, xml_size(dump))

    run()  # loads compiled code
    return Started({"all": run}, quality)


def per_megabyte(articles: int, words: int, size: int) -> dict[str, float]:
    return {"words per MB": words / (size / 1e6), "articles per MB": articles / (size / 1e6)}


def bzip2_alone(folder: Path) -> Started:
    return Started({"all": lambda: xml_size(folder / "dump.xml.bz2")})


def our_bzip2(folder: Path) -> Started:
    from wikipedia import decompress

    decompress(folder / "part.xml.bz2", 2)  # loads compiled code
    return Started({"all": lambda: decompress(folder / "dump.xml.bz2", 2)})


def reader(words_of_articles: Callable[[Path], Iterator[int]], folder: Path) -> Started:
    """Start a peer that gives the number of words of each article of a part."""
    part = folder / "part.xml.bz2"
    found: list[int] = []

    def run() -> None:
        found[:] = words_of_articles(part)

    size = xml_size(part)
    share = size / xml_size(folder / "dump.xml.bz2")
    return Started({"all": run}, lambda: per_megabyte(len(found), sum(found), size), share)


def gensim(dump: Path) -> Iterator[int]:
    from gensim.corpora.wikicorpus import WikiCorpus

    return map(len, WikiCorpus(str(dump), processes=1, dictionary={}).get_texts())


def mwparserfromhell(dump: Path) -> Iterator[int]:
    from wikipedia import mwparser_words

    return (words.total() for words in mwparser_words(dump))


def wikiextractor(folder: Path) -> Started:
    import shutil
    import subprocess
    import sys

    part, output = folder / "part.xml.bz2", folder / "extracted"
    command = [sys.executable, "-m", "wikiextractor.WikiExtractor", str(part)]
    command += ["--no-templates", "--discard_empty", "--processes", "1", "--quiet", "--output", str(output)]

    def run() -> None:
        shutil.rmtree(output, ignore_errors=True)
        subprocess.run(command, check=True)

    def quality() -> dict[str, float]:
        text = "".join(path.read_text() for path in output.rglob("wiki_*"))
        return per_megabyte(text.count("<doc "), len(re.findall(r"\w+", re.sub(r"<[^>]*>", " ", text))), size)

    size = xml_size(part)
    return Started({"all": run}, quality, size / xml_size(folder / "dump.xml.bz2"))


DUMP = Job(
    "dump",
    prepare,
    (
        Contestant("priorwise ingest, one worker", partial(ours, 1), "ours"),
        Contestant("priorwise ingest, two workers", partial(ours, 2), "ours"),
        Contestant("bzip2 alone, Python's bz2", bzip2_alone, "limit", package="python"),
        Contestant("bzip2 alone, our blocks on two threads", our_bzip2, "limit"),
        Contestant("gensim WikiCorpus", partial(reader, gensim), package="gensim"),
        Contestant("mwparserfromhell", partial(reader, mwparserfromhell), package="mwparserfromhell"),
        Contestant("WikiExtractor", wikiextractor, package="wikiextractor"),
    ),
    quality={"words per MB": "{:,.0f}", "articles per MB": "{:.0f}"},
)
