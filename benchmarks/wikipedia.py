"""A Wikipedia dump to a corpus: end to end, stage by stage, and against others who read dumps.

    python benchmarks/wikipedia.py DUMP.xml.bz2
    python benchmarks/wikipedia.py DUMP.xml.bz2 --memory    # one ingest, with the memory it takes

Peers that are not installed (gensim, mwparserfromhell) are left out.
"""

from __future__ import annotations

import argparse
import bz2
import importlib.util
import os
import resource
import statistics
import tempfile
import time
import warnings
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from xml.etree.ElementTree import iterparse

from measure import peak_memory, table

from priorwise.corpus.build.merge import merge
from priorwise.corpus.build.shards import Shard
from priorwise.corpus.build.wikipedia import ingest_wikipedia
from priorwise.corpus.storage.files import MemoryPlace
from priorwise.readers.document import Remarks
from priorwise.text.normalisation import normalise_texts
from priorwise.text.tokens import count_normal
from priorwise.wiki.dump import DumpFile
from priorwise.wiki.pages import read_run
from priorwise.wiki.siteinfo import read_siteinfo

ENGLISH_XML = 95e9
OURS, OURS_ON_TWO = "priorwise, dump to corpus, one worker", "priorwise, dump to corpus, two workers"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--memory", action="store_true", help="one ingest on two workers, with the memory it takes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.memory:
            print_memory(options.dump, Path(folder))
            return
        print_rates(options.dump, Path(folder), options.repeats)
    print_stages(options.dump)


def print_rates(dump: Path, folder: Path, repeats: int) -> None:
    """Every method in turn, several times over, so that all see the same machine."""
    megabytes = sum(len(block.content or b"") for block in DumpFile(dump).blocks(0)) / 1e6
    methods: dict[str, tuple[float, Callable[[], object]]] = {
        "bzip2 alone, bz2.open": (megabytes, lambda: sum(map(len, chunks(dump)))),
        "bzip2 alone, our blocks, two threads": (megabytes, lambda: decompress(dump, 2)),
        OURS: (megabytes, lambda: ingest_wikipedia([dump], folder / "1.corpus", overwrite=True, workers=1)),
        OURS_ON_TWO: (megabytes, lambda: ingest_wikipedia([dump], folder / "2.corpus", overwrite=True, workers=2)),
    }
    if importlib.util.find_spec("gensim"):
        part, size = first_part(dump, folder, 20)
        methods["gensim WikiCorpus, its texts only"] = size, lambda: run_gensim(part)
    if importlib.util.find_spec("mwparserfromhell"):
        small, little = first_part(dump, folder, 4)
        methods["mwparserfromhell strip_code, words counted"] = little, lambda: deque(mwparser_words(small), maxlen=0)
    wall: dict[str, list[float]] = defaultdict(list)
    cpu: dict[str, list[float]] = defaultdict(list)
    for _ in range(repeats + 1):
        for name, (_, call) in methods.items():
            begun, spent = time.perf_counter(), cpu_seconds()
            call()
            wall[name].append(time.perf_counter() - begun)
            cpu[name].append(cpu_seconds() - spent)
    per_core = {name: size / statistics.median(cpu[name][1:]) for name, (size, _) in methods.items()}
    table(
        ["one run on the same dump", "MB of XML per second", "per core", "spread", "ours, one worker, per core"],
        [
            [
                name,
                f"{size / statistics.median(wall[name][1:]):.1f}",
                f"{per_core[name]:.1f}",
                f"{max(cpu[name][1:]) / min(cpu[name][1:]):.2f}",
                f"{per_core[OURS] / per_core[name]:.2f} times as fast",
            ]
            for name, (size, _) in methods.items()
        ],
    )
    hours = ENGLISH_XML / 1e6 / (megabytes / statistics.median(wall[OURS_ON_TWO][1:])) / 3600
    print(
        "\nPer core: by processor time, all processes together. At this rate English Wikipedia, 95 GB of XML, takes two"
    )
    print(f"cores {hours:.1f} hours.\n")


def cpu_seconds() -> float:
    """Processor time of this process and of those it has waited for."""
    return sum(os.times()[:4])


def decompress(dump: Path, threads: int) -> None:
    pieces = list(DumpFile(dump).pieces(Remarks()))
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(lambda piece: piece.read(Remarks()), pieces):
            pass


def chunks(dump: Path) -> Iterator[bytes]:
    with bz2.open(dump) as file:
        while chunk := file.read(1 << 20):
            yield chunk


def first_part(dump: Path, folder: Path, megabytes: int) -> tuple[Path, float]:
    """The first pages of a dump as a dump of its own, and how many MB of XML it has."""
    head = b""
    for chunk in chunks(dump):
        head += chunk
        if len(head) > megabytes * 1_000_000:
            break
    xml = head[: head.rfind(b"</page>") + len(b"</page>")] + b"</mediawiki>"
    path = folder / f"part{megabytes}.xml.bz2"
    path.write_bytes(bz2.compress(xml))
    return path, len(xml) / 1e6


def run_gensim(dump: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from gensim.corpora.wikicorpus import WikiCorpus

        for _ in WikiCorpus(str(dump), processes=1, dictionary={}).get_texts():
            pass


def mwparser_words(dump: Path) -> Iterator[Counter[str]]:
    """The words of each page that is no redirect."""
    import mwparserfromhell

    with bz2.open(dump) as file:
        for _, element in iterparse(file):
            if element.tag.endswith("}text") and not (element.text or "").lower().startswith("#redirect"):
                yield Counter(mwparserfromhell.parse(element.text or "").strip_code().lower().split())
            if element.tag.endswith("}page"):
                element.clear()


def print_stages(dump: Path) -> None:
    """What one core spends its time on."""
    source = DumpFile(dump)
    site = read_siteinfo(source.head(), dump)
    spent: dict[str, float] = defaultdict(float)
    megabytes, shards = 0.0, []

    @contextmanager
    def timed(name: str) -> Iterator[None]:
        begun = time.process_time()
        yield
        spent[name] += time.process_time() - begun

    for piece in source.pieces(Remarks()):
        with timed("decompress"):
            runs = piece.read(Remarks())
        for run in runs:
            megabytes += run.limit / 1e6
            with timed("pages, wikitext, categories"):
                pages = read_run(run, site, dump, Remarks(), min_bytes=300)
            with timed("normal form"):
                normal = normalise_texts(pages.data, pages.spans)
            with timed("tokens, counted"):
                counted = count_normal(normal)
            with timed("shard"):
                ids = [f"{title} {row} {len(shards)}" for row, title in enumerate(pages.titles)]
                shards.append(Shard.from_counts(counted, ids=ids, titles=pages.titles, labels=pages.labels))
    with timed("merge"):
        merge(shards, MemoryPlace(), None, workers=1)
    total = sum(spent.values())
    table(
        ["one core's time", "share", "ms per MB of XML"],
        [[name, f"{taken / total:.0%}", f"{1000 * taken / megabytes:.1f}"] for name, taken in spent.items()],
    )


def print_memory(dump: Path, folder: Path) -> None:
    begun = time.perf_counter()
    with peak_memory() as peak:
        summary = ingest_wikipedia([dump], folder / "x.corpus", workers=2)
    taken = time.perf_counter() - begun
    size = sum(file.stat().st_size for file in (folder / "x.corpus").iterdir())
    table(
        ["one ingest on two workers", ""],
        [
            ["documents", f"{summary.documents:,}"],
            ["distinct tokens", f"{summary.vocabulary:,}"],
            ["labels, memberships", f"{summary.labels:,}, {summary.memberships:,}"],
            ["dump on the disk", f"{summary.bytes / 1e6:,.0f} MB"],
            ["corpus on the disk", f"{size / 1e6:,.0f} MB"],
            ["time", f"{taken:,.0f} s, {summary.documents / taken:,.0f} documents/s on {os.cpu_count()} cores"],
            ["most memory of its own", f"{peak[0] / 2**20:,.0f} MB"],
            ["most memory with mapped files", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10:,.0f} MB"],
        ],
    )


if __name__ == "__main__":
    main()
