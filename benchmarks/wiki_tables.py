"""A wiki's SQL tables: how fast rows are read, and what completing a corpus takes."""

from __future__ import annotations

import gzip
import re
import tempfile
import time
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
from measure import arguments, peak_memory, seconds, table

from priorwise.corpus.build.completion import complete
from priorwise.corpus.build.shards import Shard, category_table
from priorwise.corpus.build.writing import PartialCorpus
from priorwise.corpus.storage.columns import list_column
from priorwise.wiki.files import readable_pieces
from priorwise.wiki.sql import CATEGORYLINKS, SqlTable, SqlTables

PER_PAGE = 20
SHARD = 1 << 14
OLD = "cl_from cl_to cl_sortkey cl_timestamp cl_sortkey_prefix cl_collation cl_type"
NEW = "cl_from cl_sortkey cl_timestamp cl_sortkey_prefix cl_type cl_collation_id cl_target_id"


def titles(n: int) -> list[str]:
    words = ["American", "films", "people", "from", "villages", "in", "of", "history", "stubs", "articles", "with"]
    random = Random(0)
    return [f"{'_'.join(random.choices(words, k=3)).capitalize()}_{number}" for number in range(n)]


def write_table(path: Path, name: str, columns: str, rows) -> None:
    with path.open("wb") as file:
        listed = ", ".join(f"`{column}` varbinary(255)" for column in columns.split())
        file.write(f"CREATE TABLE `{name}` ({listed});\n".encode())
        held, size = [], 0
        for row in rows:
            held.append(row)
            size += len(row)
            if size > 1_000_000:
                file.write(f"INSERT INTO `{name}` VALUES ".encode() + b",".join(held) + b";\n")
                held, size = [], 0
        file.write(f"INSERT INTO `{name}` VALUES ".encode() + b",".join(held) + b";\n")


def links(n_rows: int, names: list[str], *, new: bool):
    """Rows by page; a category's size falls like 1/rank, one row in twenty is a subcategory's or a file's."""
    random = Random(1)
    keys = [
        random.randbytes(24).replace(b"\\", b"\\\\").replace(b"'", b"\\'").replace(b"\n", b"\\n") for _ in range(1000)
    ]
    kinds = [b"page"] * 38 + [b"subcat", b"file"]
    for number in range(n_rows):
        page = 3 * (number // PER_PAGE) + 1
        to = min(int(len(names) ** random.random()), len(names) - 1)
        key, kind = keys[number % 1000], kinds[number % 40]
        if new:
            yield b"(%d,'%b','2021-06-01 12:00:00','','%b',1,%d)" % (page, key, kind, 5 * to + 7)
        else:
            said = names[to].encode()
            yield b"(%d,'%b','%b','2015-02-03 04:05:06','','uca-default-u-kn','%b')" % (page, said, key, kind)


def shards_without_tokens(n_documents: int, names: list[str]) -> list[Shard]:
    """Documents with three written labels each, in shards as an ingest makes them."""
    random = np.random.default_rng(0)
    made = []
    for start in range(0, n_documents, SHARD):
        n = min(SHARD, n_documents - start)
        chosen = random.integers(0, len(names), 3 * n)
        used, numbers = np.unique(chosen, return_inverse=True)
        label = pa.array([names[number].replace("_", " ") for number in used])
        order = np.argsort(np.argsort(np.array([name.as_py().encode() for name in label], object)))
        offsets = np.arange(0, 3 * n + 1, 3)
        ids = pa.array([str(number) for number in range(start, start + n)])
        documents = {
            "id": ids,
            "title": ids,
            "labels": list_column(offsets, order[numbers].astype(np.uint32)),
            "origins": list_column(offsets, np.zeros(3 * n, np.uint8)),
            "page": pa.array(3 * np.arange(start, start + n, dtype=np.uint64) + 1),
        }
        empty = pa.RecordBatch.from_pydict({})
        made.append(
            Shard(
                pa.RecordBatch.from_pydict(documents),
                empty,
                empty,
                pa.RecordBatch.from_pydict({"label": label.take(pa.array(np.argsort(order)))}),
                category_table([]),
            )
        )
    return made


def by_regular_expression(path: Path) -> int:
    """What a script would do."""
    row = re.compile(rb"\((\d+),'((?:[^'\\]|\\.)*)','(?:[^'\\]|\\.)*','[^']*','[^']*','[^']*','(\w+)'\)")
    with path.open("rb") as file:
        return sum(len(row.findall(line)) for line in file if line.startswith(b"INSERT"))


def main() -> None:
    options = arguments(__doc__ or "")
    n_rows = 3_000_000 // (10 if options.small else 1)
    names = titles(n_rows // 10)
    with tempfile.TemporaryDirectory() as folder:
        old, new, packed = (Path(folder, name) for name in ("old.sql", "new.sql", "old.sql.gz"))
        write_table(old, "categorylinks", OLD, links(n_rows, names, new=False))
        write_table(new, "categorylinks", NEW, links(n_rows, names, new=True))
        packed.write_bytes(gzip.compress(old.read_bytes(), 6))
        targets = Path(folder, "targets.sql")
        rows = (b"(%d,14,'%b')" % (5 * number + 7, name.encode()) for number, name in enumerate(names))
        write_table(targets, "linktarget", "lt_id lt_namespace lt_title", rows)

        def read(path: Path) -> int:
            return sum(batch.num_rows for batch in SqlTable(path, CATEGORYLINKS))

        def unpack() -> int:
            return sum(map(len, readable_pieces(packed, lambda _: None, print)))

        sizes = {path: path.stat().st_size / 1e6 for path in (old, new)}
        plain, _ = seconds(lambda: by_regular_expression(old), 1)
        unpacking, spread = seconds(unpack, options.repeats)
        lines = [
            ["a regular expression", f"{sizes[old] / plain:.0f}", "1", ""],
            ["gunzip alone", f"{sizes[old] / unpacking:.0f}", f"{plain / unpacking:.1f}", f"{spread:.2f}"],
        ]
        for what, path, size in (
            ("names in the rows (until 2025)", old, sizes[old]),
            ("the same, gzip", packed, sizes[old]),
            ("numbers in the rows", new, sizes[new]),
        ):
            took, spread = seconds(lambda path=path: read(path), options.repeats)
            rate = size / took
            lines.append([what, f"{rate:.0f}", f"{rate * plain / sizes[old]:.1f}", f"{spread:.2f}"])
        table([f"{n_rows:,} rows of categorylinks, one thread", "MB of SQL/s", "× the first", "spread"], lines)

        shards = shards_without_tokens(n_rows // PER_PAGE * 2 // 3, names)
        lines = []
        for what, tables in (("names", SqlTables([old])), ("numbers", SqlTables([new], [targets]))):
            room = PartialCorpus(Path(folder, f"{what}.corpus"), None)
            with peak_memory() as peak:
                begun = time.perf_counter()
                completed = complete(shards, tables, room.allocate)
                took = time.perf_counter() - begun
            added = sum(shard.added for shard in completed)  # type: ignore[attr-defined]
            lines.append([what, f"{n_rows / took / 1e6:.2f}", f"{added:,}", f"{peak[0] / 2**20:.0f}"])
        print()
        documents = sum(shard.documents.num_rows for shard in shards)
        heading = f"completing {documents:,} documents in {len(shards)} shards, {len(names):,} categories"
        table([heading, "million rows/s", "memberships added", "MB of memory"], lines)


if __name__ == "__main__":
    main()
