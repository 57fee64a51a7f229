"""How quickly a corpus of two million documents opens, and how fast its files are verified.

    python benchmarks/large_corpus.py --documents 2000000

The documents are made up: words from a long-tailed distribution, two labels each. Verification reads every
byte, compares the checksums and checks every number. Processor time is given because other work may share the machine.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from priorwise.corpus import Corpus
from priorwise.corpus.build.shards import Shard
from priorwise.corpus.build.writing import write_corpus
from priorwise.text.tokens import CountedTexts

PER_SHARD = 1 << 14
WORDS = 200_000
LABELS = 5_000


def made_up_shard(first: int, n: int, length: int) -> Shard:
    """Return so many documents of about `length` distinct words."""
    rng = np.random.default_rng(first)
    drawn = np.minimum((WORDS ** rng.random((n, length))).astype(np.int64), WORDS - 1)
    keys = np.unique(np.arange(n)[:, None] * WORDS + drawn)
    rows, words = keys // WORDS, keys % WORDS
    used, tokens = np.unique(words, return_inverse=True)
    names = [f"word{word}".encode() for word in used.tolist()]
    counted = CountedTexts(
        offsets=np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))]),
        tokens=tokens.astype(np.uint32),
        counts=rng.integers(1, 9, len(keys)).astype(np.uint32),
        names=np.frombuffer(b"".join(names), np.uint8),
        name_offsets=np.concatenate([[0], np.cumsum([len(name) for name in names])]).astype(np.int32),
    )
    ids = [str(first + row) for row in range(n)]
    labels = [[f"Label {label}" for label in row] for row in rng.integers(0, LABELS, (n, 2)).tolist()]
    return Shard.from_counts(counted, ids=ids, titles=ids, labels=labels)


def shards(documents: int, length: int) -> Iterator[Callable[[], Shard]]:
    """Yield functions that make the shards."""
    for first in range(0, documents, PER_SHARD):
        yield partial(made_up_shard, first, min(PER_SHARD, documents - first), length)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=2_000_000)
    parser.add_argument("--length", type=int, default=60, help="distinct words of a document, at most")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["PRIORWISE_CACHE"] = f"{home}/cache"
        path = Path(home, "large.corpus")
        write_corpus(shards(options.documents, options.length), path, tokenizer=None, workers=1)
        size = sum(file.stat().st_size for file in path.iterdir())
        print(f"{options.documents:,} documents, {size / 1e9:.2f} GB", flush=True)
        # A file that has just been written is not remembered as verified.
        time.sleep(3)
        Corpus.open(path).verify()
        for name in ("verified", "verified again"):
            clock, processor = time.perf_counter(), time.process_time()
            Corpus.open(path).verify()
            clock, processor = time.perf_counter() - clock, time.process_time() - processor
            print(f"{name}: {size / clock / 1e9:.2f} GB/s by the clock, {size / processor / 1e9:.2f} by processor time")
        taken = []
        for _ in range(50):
            clock, processor = time.perf_counter(), time.process_time()
            corpus = Corpus.open(path)
            corpus.members("Label 7"), corpus.ids([options.documents - 1])
            taken.append((time.perf_counter() - clock, time.process_time() - processor))
        by_clock, by_processor = np.median(taken, axis=0) * 1000
        print(f"opened, a label's members and an id read: {by_clock:.1f} ms, {by_processor:.1f} ms of processor time")


if __name__ == "__main__":
    main()
