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
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from xml.etree.ElementTree import iterparse

from measure import peak_memory, table

from priorwise.corpus.files import MemoryPlace
from priorwise.corpus.merge import merge
from priorwise.corpus.shards import Shard
from priorwise.corpus.wikipedia import ingest_wikipedia
from priorwise.readers.dump import DumpFile
from priorwise.readers.remarks import Remarks
from priorwise.readers.siteinfo import read_siteinfo
from priorwise.readers.wiki_pages import read_run
from priorwise.text.normalisation import normalise_texts
from priorwise.text.tokens import count_normal

ENGLISH_XML = 95e9
SAMPLE = 400


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
    cores = {
        "bzip2 alone, its blocks on two threads": (2, lambda: decompress(dump, 2)),
        "bzip2 alone, its blocks on one thread": (1, lambda: decompress(dump, 1)),
        "bzip2 alone, bz2.open": (1, lambda: sum(map(len, chunks(dump)))),
        "priorwise, dump to corpus, two workers": (2, lambda: run_priorwise(dump, folder, 2)),
        "priorwise, dump to corpus, one worker": (1, lambda: run_priorwise(dump, folder, 1)),
    }
    shares = dict.fromkeys(cores, 1.0)
    if importlib.util.find_spec("gensim"):
        name = "gensim WikiCorpus, one process, texts only"
        cores[name], shares[name] = (1, lambda: run_gensim(dump, folder, megabytes)), gensim_share(megabytes)
    if importlib.util.find_spec("mwparserfromhell"):
        name = "mwparserfromhell strip_code, texts and counts"
        cores[name], shares[name] = (1, lambda: run_mwparser(dump)), sample_bytes(dump) / 1e6 / megabytes
    times: dict[str, list[float]] = defaultdict(list)
    for _ in range(repeats + 1):
        for name, (_, call) in cores.items():
            begun = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - begun)
    rate = {name: megabytes * shares[name] / statistics.median(taken[1:]) for name, taken in times.items()}
    ours = {1: rate["priorwise, dump to corpus, one worker"], 2: rate["priorwise, dump to corpus, two workers"]}
    table(
        ["one run on the same dump", "MB of XML/s", "per core", "spread", "priorwise on as many cores"],
        [
            [
                name,
                f"{rate[name]:.1f}",
                f"{rate[name] / n:.1f}",
                f"±{(max(times[name][1:]) / min(times[name][1:]) - 1) / 2:.0%}",
                f"{ours[n] / rate[name]:.2f} ×",
            ]
            for name, (n, _) in cores.items()
        ],
    )
    hours = ENGLISH_XML / 1e6 / ours[2] / 3600
    print(f"\nEnglish Wikipedia, 95 GB of XML, at this rate on two workers: {hours:.1f} hours\n")


def decompress(dump: Path, threads: int) -> None:
    pieces = list(DumpFile(dump).pieces(Remarks()))
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(lambda piece: piece.read(Remarks()), pieces):
            pass


def chunks(dump: Path) -> Iterator[bytes]:
    with bz2.open(dump) as file:
        while chunk := file.read(1 << 20):
            yield chunk


def run_priorwise(dump: Path, folder: Path, workers: int) -> None:
    ingest_wikipedia([dump], folder / "x.corpus", overwrite=True, workers=workers)


def gensim_share(megabytes: float) -> float:
    return min(1.0, 20 / megabytes)


def run_gensim(dump: Path, folder: Path, megabytes: float) -> None:
    """The first 20 MB of XML: its texts, cut into tokens, as `WikiCorpus` gives them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from gensim.corpora.wikicorpus import WikiCorpus

        part = folder / "part.xml.bz2"
        if not part.exists():
            head = b"".join(_first(chunks(dump), 20 << 20))
            cut = head.rfind(b"</page>") + len(b"</page>")
            part.write_bytes(bz2.compress(head[:cut] + b"</mediawiki>"))
        for _ in WikiCorpus(str(part), processes=1, dictionary={}).get_texts():
            pass


def _first(some: Iterator[bytes], n: int) -> Iterator[bytes]:
    for chunk in some:
        yield chunk
        n -= len(chunk)
        if n <= 0:
            return


def sampled_texts(dump: Path) -> Iterator[str]:
    """The wikitext of the first articles."""
    with bz2.open(dump) as file:
        found = 0
        for _, element in iterparse(file):
            if element.tag.endswith("}text"):
                text = element.text or ""
                if len(text) >= 300:
                    found += 1
                    yield text
            if element.tag.endswith("}page"):
                element.clear()
            if found == SAMPLE:
                return


def sample_bytes(dump: Path) -> int:
    return sum(len(text.encode()) for text in sampled_texts(dump))


def run_mwparser(dump: Path) -> None:
    import mwparserfromhell

    for text in sampled_texts(dump):
        Counter(mwparserfromhell.parse(text).strip_code().lower().split())


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
