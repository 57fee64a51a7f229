"""Write a large MediaWiki dump with the long tails of a real one: words, categories, lengths; markup and redirects."""

from __future__ import annotations

import argparse
import bz2
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path

import numpy as np

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
  <siteinfo><sitename>Generated</sitename><dbname>enwiki</dbname><case>first-letter</case><namespaces>
  <namespace key="0" case="first-letter" /><namespace key="6" case="first-letter">File</namespace>
  <namespace key="14" case="first-letter">Category</namespace></namespaces></siteinfo>
"""
PAGE = """  <page>
    <title>{title}</title>
    <ns>{namespace}</ns>
    <id>{number}</id>{redirect}
    <revision><id>{number}</id><timestamp>2026-01-01T00:00:00Z</timestamp><contributor><username>Someone</username>
      <id>1</id></contributor><model>wikitext</model><format>text/x-wiki</format>
      <text bytes="{size}" xml:space="preserve">{text}</text><sha1>phoiac9h4m842xq45sp7s6u21eteeq1</sha1></revision>
  </page>
"""
PAGES_PER_STREAM = 500
VOCABULARY = 400_000
NEW_WORDS = 0.02
CONSONANTS, VOWELS = "b c d f g h k l m n p r s t v w z br ch st th", "a e i o u ai ou"
SYLLABLES = [consonant + vowel for consonant in CONSONANTS.split() for vowel in VOWELS.split()]


def word(number: int) -> str:
    """The word of a number: the more frequent, the shorter."""
    letters = []
    number += 20
    while number:
        number, rest = divmod(number, len(SYLLABLES))
        letters.append(SYLLABLES[rest])
    return "".join(letters)


def category(number: int) -> str:
    return f"{word(number * 7 + 3)} {word(number % 1000)} of {word(number % 97)}".capitalize()


def page(random: np.random.Generator, number: int, words: list[str], mean_words: int, n_categories: int) -> str:
    kind = random.random()
    if kind < 0.15:
        return filled(f"{word(number)} {number} (name)", number, "#REDIRECT [[Elsewhere]]", redirect=True)
    if kind < 0.2:
        child = number % n_categories
        parents = "".join(f"[[Category:{category(int(n))}]]\n" for n in random.integers(0, 1 + child // 2, 2))
        return filled(f"Category:{category(child)}", number, f"Main article.\n{parents}", namespace=14)
    n_words = int(mean_words * random.lognormal(-0.5, 1.0)) + 60
    drawn = ((VOCABULARY ** random.random(n_words)) - 1).astype(np.int64).tolist()
    text = [words[token] for token in drawn]
    for at in np.flatnonzero(random.random(n_words) < NEW_WORDS).tolist():
        text[at] = word(VOCABULARY + number * 64 + at)
    for at in range(0, n_words, 40):
        text[at] = f"[[{text[at]}|{text[at].capitalize()}]]"
    for at in range(25, n_words, 60):
        text[at] = f".<ref name='n{at}'>{{{{cite book|title={text[at]}|year=1999}}}}</ref>\n\n"
    ranks = (n_categories ** random.random(4)).astype(np.int64)
    tail = "".join(f"[[Category:{category(int(rank))}]]\n" for rank in ranks)
    infobox = "{{Infobox thing\n| name = '''" + text[0] + "'''\n| image = x.jpg\n}}\n"
    return filled(
        f"{word(number)} {number}",
        number,
        f"{infobox}{' '.join(text)}\n\n== See also ==\n* [[Other]]\n\n== References ==\n{{{{reflist}}}}\n{tail}",
    )


def filled(title: str, number: int, text: str, *, namespace: int = 0, redirect: bool = False) -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    mark = '\n    <redirect title="Elsewhere" />' if redirect else ""
    return PAGE.format(
        title=title.capitalize(), namespace=namespace, number=number, redirect=mark, size=len(text), text=escaped
    )


def stream(first: int, last: int, mean_words: int, n_categories: int) -> tuple[bytes, int]:
    """Pages as one bzip2 stream, as in a multistream dump, and the size of the XML."""
    words = _words()
    random = np.random.default_rng(first)
    xml = "".join(page(random, number, words, mean_words, n_categories) for number in range(first, last)).encode()
    return bz2.compress(xml), len(xml)


def _words(known: list[str] = []) -> list[str]:  # noqa: B006 (one list for each process)
    if not known:
        known.extend(word(number) for number in range(VOCABULARY))
    return known


def write_dump(path: Path, n_pages: int, mean_words: int = 200) -> int:
    """Write a multistream dump and return the size of its XML in bytes."""
    starts = range(1, n_pages + 1, PAGES_PER_STREAM)
    size = 0
    with path.open("wb") as file, ProcessPoolExecutor() as pool:
        file.write(bz2.compress(HEAD.encode()))
        for compressed, xml in _streams(pool, starts, n_pages, mean_words):
            file.write(compressed)
            size += xml
        file.write(bz2.compress(b"</mediawiki>\n"))
    return size


def _streams(pool: ProcessPoolExecutor, starts: range, n_pages: int, mean_words: int) -> Iterator[tuple[bytes, int]]:
    lasts = [min(start + PAGES_PER_STREAM, n_pages + 1) for start in starts]
    return pool.map(stream, starts, lasts, repeat(mean_words), repeat(max(1000, n_pages // 4)), chunksize=4)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--pages", type=int, default=2_000_000)
    options = parser.parse_args()
    written = write_dump(options.path, options.pages)
    print(f"{written / 1e6:,.0f} MB of XML, {options.path.stat().st_size / 1e6:,.0f} MB on the disk")
