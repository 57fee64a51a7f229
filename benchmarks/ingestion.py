"""Ingestion: texts to a corpus, and how quickly the corpus opens and answers."""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
from measure import arguments, peak_memory, seconds, table

from priorwise.corpus import Corpus, ingest
from priorwise.discovery.demo import make_documents
from priorwise.readers.records import RecordReader
from priorwise.text.tokens import count_texts


def main() -> None:
    options = arguments(__doc__ or "")
    n_documents = 100_000 // (10 if options.small else 1)
    made = make_documents(n_documents // 10)
    texts = [document.text for document in made] * 10
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "articles.jsonl")
        with source.open("w", encoding="utf-8") as file:
            for number, text in enumerate(texts):
                labels = made[number % len(made)].labels
                file.write(json.dumps({"id": str(number), "title": "x", "text": text, "labels": labels}) + "\n")

        word = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
        plain, _ = seconds(lambda: [Counter(word.findall(text.lower())) for text in texts[: n_documents // 10]], 1)
        kernel, _ = seconds(lambda: count_texts(texts[: n_documents // 10]), options.repeats)
        rows = [
            ["re.findall and Counter, one thread", f"{megabytes / 10 / plain:.0f}", "", "1"],
            ["our tokeniser and counter, one thread", f"{megabytes / 10 / kernel:.0f}", "", f"{plain / kernel:.1f}"],
        ]
        for workers in (1, 2):
            path = Path(folder, f"{workers}.corpus")
            with peak_memory() as peak:
                begun = time.perf_counter()
                ingest(RecordReader([source]), path, workers=workers)
                taken = time.perf_counter() - begun
            rows.append(
                [
                    f"ingest of JSONL, whole, {workers} worker{'s' * (workers > 1)}",
                    f"{megabytes / taken:.0f}",
                    f"{n_documents / taken:,.0f} documents/s, {peak[0] / 2**20:.0f} MB of memory",
                    f"{10 * plain / taken:.1f}",
                ]
            )
        table(["texts to tokens", "MB of text/s", "", "× the first"], rows)

        corpus = Corpus.from_matrix(
            np.ones((1_000_000, 1), dtype=np.int64),
            ["x"],
            labels=[f"Category {number} of things {number * 7919 % 100_003}" for number in range(1_000_000)],
        )
        corpus.save(Path(folder, "labels.corpus"))
        opening, _ = seconds(lambda: Corpus.open(Path(folder, "labels.corpus")), options.repeats)
        corpus = Corpus.open(Path(folder, "labels.corpus"))
        exact, _ = seconds(
            lambda: corpus.members("Category 500000 of things 20001".replace("20001", str(500_000 * 7919 % 100_003))), 5
        )
        typed, _ = seconds(lambda: corpus.search_labels("Categroy 500000 of things"), 3)
        print()
        table(
            ["1,000,000 documents and labels", "ms"],
            [
                ["open", f"{1000 * opening:.2f}"],
                ["members of a label", f"{1000 * exact:.2f}"],
                ["search_labels with a typing error", f"{1000 * typed:.0f}"],
            ],
        )


if __name__ == "__main__":
    main()
