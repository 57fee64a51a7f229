"""Measure how fast files of records are read, and how much memory that takes, with peers in the same run.

    python benchmarks/files.py                 # 100,000 rows, 80,000 records; some minutes
    python benchmarks/files.py --rows 10000 --records 8000 --memory 1000 10000

Everything is generated. Each job runs in a process of its own. Seconds are processor time (user and system), because
that does not depend on what else the machine does. Memory is the peak of the process, without what it took to start.
`rispy` and `pandas` are measured if they are installed.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HEADER = ["id", "title", "text", "labels", "shelf"]


def rows(n: int) -> Iterator[list[str]]:
    """Yield rows of a library's catalogue: 40 words of text, some labels."""
    chosen = random.Random(0)
    words = ["".join(chosen.choices("abcdefghijklmnopqrstuvwxyz", k=chosen.randint(3, 10))) for _ in range(20_000)]
    labels = [f"Label {number}" for number in range(200)]
    for number in range(n):
        text = " ".join(chosen.choices(words, k=40))
        given = "; ".join(chosen.sample(labels, chosen.randint(0, 3)))
        yield [f"{number:07d}", " ".join(chosen.choices(words, k=6)), text, given, f"Q {number % 997}"]


def write_csv(path: Path, n: int) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([HEADER])
        csv.writer(file).writerows(rows(n))


def write_jsonl(path: Path, n: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in rows(n):
            file.write(json.dumps(dict(zip(HEADER, row, strict=True))) + "\n")


def write_xlsx(path: Path, n: int) -> None:
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Books")
    for row in [HEADER, *rows(n)]:
        sheet.append(row)
    book.save(path)


def write_ris(path: Path, n: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number, (_, title, text, labels, shelf) in enumerate(rows(n)):
            keywords = "".join(f"KW  - {label}\n" for label in labels.split("; ") if label)
            file.write(
                f"TY  - JOUR\nTI  - {title}\nAU  - Author, A. {number % 5000}\nAU  - Other, B.\n"
                f"PY  - {1990 + number % 30}\n"
                f"T2  - Journal\nDO  - 10.1234/x.{number}\nAB  - {text}\nCN  - {shelf}\n{keywords}ER  - \n\n"
            )


def ingest(path: str) -> int:
    """Read a file into a corpus on the disk, as `priorwise ingest records` does."""
    from priorwise.corpus import ingest as run
    from priorwise.readers.records import RecordReader

    with tempfile.TemporaryDirectory() as folder:
        reader = RecordReader([path])
        return run(reader, Path(folder, "a.corpus"), workers=1, duplicates="number", copies="keep").documents


def read(path: str) -> int:
    """Only read the records, each as a document."""
    from priorwise.readers.records import RecordReader

    return sum(1 for _ in RecordReader([path]))


def by_pandas(path: str) -> int:
    import pandas as pd

    if path.endswith("xlsx"):
        return len(pd.read_excel(path, engine="openpyxl"))
    return len(pd.read_json(path, lines=True) if path.endswith("jsonl") else pd.read_csv(path, dtype=str))


def by_rispy(path: str) -> int:
    import rispy

    with Path(path).open(encoding="utf-8") as file:
        return len(rispy.load(file))


JOBS: dict[str, Callable[[str], int]] = {"ingest": ingest, "read": read, "pandas": by_pandas, "rispy": by_rispy}


def measured(job: str, path: Path) -> dict[str, Any]:
    """Run a job in a process of its own, once to warm up what is compiled, and return what it took."""
    done = subprocess.run(
        [sys.executable, __file__, "--job", job, str(path)], capture_output=True, text=True, check=True
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def run_job(job: str, path: str) -> None:
    import resource

    if job in ("ingest", "read"):
        with tempfile.TemporaryDirectory() as folder:
            small = Path(folder, "small.csv")
            write_csv(small, 20)
            JOBS[job](str(small))
    before, begun = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    n = JOBS[job](path)
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    told = {"rows": n, "processor": seconds, "clock": time.perf_counter() - begun}
    print(json.dumps({**told, "megabytes": (after.ru_maxrss - before.ru_maxrss) / 1024}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--records", type=int, default=80_000)
    parser.add_argument("--memory", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--job", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.job:
        run_job(*given.job)
        return
    print("| file | job | rows | processor s | clock s | MB more at the peak |\n|---|---|---:|---:|---:|---:|")

    def show(name: str, job: str, path: Path) -> None:
        if job in JOBS and (job not in ("pandas", "rispy") or find_spec(job)):
            told = measured(job, path)
            cells = f"{told['processor']:.1f} | {told['clock']:.1f} | {told['megabytes']:,.0f}"
            print(f"| {name} | {job} | {told['rows']:,} | {cells} |", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        for write, name, n, peers in (
            (write_xlsx, "a.xlsx", given.rows, ["pandas"]),
            (write_csv, "a.csv", given.rows, ["pandas"]),
            (write_ris, "a.ris", given.records, ["rispy"]),
        ):
            path = Path(folder, name)
            write(path, n)
            for job in ["ingest", "read", *peers]:
                show(path.suffix, job, path)
            path.unlink()
        for write, name in ((write_csv, "a.csv"), (write_jsonl, "a.jsonl")):
            for n in given.memory:
                path = Path(folder, name)
                write(path, n)
                for job in ["read", "pandas"]:
                    show(path.suffix, job, path)
                path.unlink()


if __name__ == "__main__":
    main()
