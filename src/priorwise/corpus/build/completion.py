"""Complete memberships and the graph of categories from a wiki's own tables.

A text names some of the categories it is in; templates add others. The wiki's table ``categorylinks`` has them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from priorwise.corpus.build.category_names import NONE, CategoryNames
from priorwise.corpus.build.completed import CompletedShard
from priorwise.corpus.build.scratch import Allocate, Pairs, Shelf
from priorwise.corpus.build.shards import AnyShard
from priorwise.readers.remarks import Remarks
from priorwise.wiki.sql import CATEGORYLINKS, LINKTARGET, PAGE, SqlTable, SqlTables, TableShape

CATEGORY = 14

ADDED = "memberships added from the table categorylinks"
NOT_HERE = "rows of categorylinks not used: their page is not in the corpus"
NO_PAGE = "rows of categorylinks not used: the category's page is not in the corpus, and no table page tells its name"
NO_TARGET = "rows of categorylinks not used: their category is not in the table linktarget"

Progress = Callable[[int, int], None]


def complete(
    shards: Sequence[AnyShard],
    tables: SqlTables,
    allocate: Allocate,
    *,
    remarks: Remarks | None = None,
    progress: Progress | None = None,
) -> list[AnyShard]:
    """Add the memberships and the parents of categories that a wiki's tables have.

    What a text says stays *written*, or of unknown origin; what only the table has is *added*. Pages are joined by
    their numbers. Rows of files are not used, nor are rows of pages that are not in the corpus.

    Parameters
    ----------
    shards : sequence of AnyShard
        All shards of the corpus.
    tables : SqlTables
        The files.
    allocate : function
        Gives scratch room by name and size, in files that are mapped.
    remarks : Remarks, optional
        Where to tell what was added and what could not be used.
    progress : function, optional
        Called now and then with the bytes read and the bytes there are.

    Returns
    -------
    list of AnyShard
        As many, with the same documents in the same order. They do not depend on anything but the input.

    Notes
    -----
    Memory: 32 bytes for each document and each category with a page, some 150 for each category that a table names,
    and one shard. In scratch files: 12 bytes for each row that is used, and the tables of the new shards but for their
    tokens. English Wikipedia (7 million articles, 2.5 million categories, 200 million rows) needs some 800 MB of
    memory.
    """
    remarks = Remarks() if remarks is None else remarks
    joining = _Joining(shards, tables, allocate, remarks, progress)
    joining.read()
    return joining.completed()


class _Numbers:
    """A sorted list of a wiki's numbers, and what each stands for here."""

    def __init__(self, numbers: NDArray[Any], meanings: NDArray[Any]) -> None:
        order = np.argsort(numbers, kind="stable")
        ordered = numbers[order]
        # Of several with one number the first counts.
        first = np.diff(ordered, prepend=-1) != 0
        self.numbers = ordered[first]
        self.meanings = meanings[order[first]].astype(np.uint32)

    def __len__(self) -> int:
        return len(self.numbers)

    def find(self, numbers: NDArray[np.int64]) -> NDArray[np.uint32]:
        """Return what each number stands for, ``NONE`` for those that are not there."""
        if not len(self):
            return np.full(len(numbers), NONE, np.uint32)
        # Tables are sorted by these numbers, which makes this fast.
        at = np.minimum(np.searchsorted(self.numbers, numbers), len(self) - 1)
        return np.where(self.numbers[at] == numbers, self.meanings[at], np.uint32(NONE))


class _Joining:
    """The tables as they are read, joined to the pages of the corpus."""

    def __init__(
        self,
        shards: Sequence[AnyShard],
        tables: SqlTables,
        allocate: Allocate,
        remarks: Remarks,
        progress: Progress | None,
    ) -> None:
        self.shards, self.tables, self.allocate = shards, tables, allocate
        self.remarks, self.progress = remarks, progress
        self.done_bytes = 0
        self.names = CategoryNames()
        self.labels, self.parents = Pairs("added-labels", allocate), Pairs("added-parents", allocate)

    def read(self) -> None:
        """Read the tables, so that each can be joined to those before it."""
        self.documents = _by_page(shard.documents.column("page") for shard in self.shards)
        in_shards = _by_page(shard.categories.column("page") for shard in self.shards)
        self.n_categories = sum(shard.categories.num_rows for shard in self.shards)
        self.targets = self._named_categories(LINKTARGET, self.tables.linktarget)
        self.further = self._named_categories(PAGE, self.tables.page, but=in_shards)
        self.categories = _Numbers(
            np.concatenate([in_shards.numbers, self.further.numbers]),
            np.concatenate([in_shards.meanings, self.n_categories + np.arange(len(self.further))]),
        )
        for path, batch in self._batches(CATEGORYLINKS, self.tables.categorylinks):
            self._link(path, batch)

    def completed(self) -> list[AnyShard]:
        """Return the shards with what was found."""
        labels = self.labels.grouped(sum(shard.documents.num_rows for shard in self.shards))
        parents = self.parents.grouped(self.n_categories + len(self.further))
        shelf = Shelf("completed", self.allocate)
        finished: list[AnyShard] = []
        document, category, added = 0, 0, 0
        for number, shard in enumerate(self.shards):
            n_documents, n_categories = shard.documents.num_rows, shard.categories.num_rows
            # The categories that are in no shard are spread over all of them.
            first, last = (len(self.further) * place // len(self.shards) for place in (number, number + 1))
            own = parents.of(category, category + n_categories)
            others = parents.of(self.n_categories + first, self.n_categories + last)
            with_parents = first + np.flatnonzero(np.diff(others.offsets))
            completed = CompletedShard(
                shard,
                self.names,
                labels.of(document, document + n_documents),
                own.followed_by(others.without_empty()),
                (self.further.meanings[with_parents], self.further.numbers[with_parents].astype(np.uint64)),
                shelf,
            )
            finished.append(completed)
            document, category, added = document + n_documents, category + n_categories, added + completed.added
        self.remarks.add(ADDED, n=added)
        return finished

    def _batches(self, shape: TableShape, paths: Sequence[Path]) -> Iterator[tuple[Path, pa.RecordBatch]]:
        for path in paths:
            table = SqlTable(path, shape)
            for batch in table:
                yield path, batch
                if self.progress is not None:
                    self.progress(self.done_bytes + table.done_bytes, self.tables.total_bytes)
            self.done_bytes += table.done_bytes
            self.remarks.include(table.remarks)

    def _named_categories(self, shape: TableShape, paths: Sequence[Path], but: _Numbers | None = None) -> _Numbers:
        """Return the names' numbers of a table's categories by its own numbers, but for those that are known."""
        number, namespace, title = shape.columns
        numbers, meanings = [np.empty(0, np.int64)], [np.empty(0, np.uint32)]
        for _, batch in self._batches(shape, paths):
            chosen = batch.filter(pc.equal(batch[namespace], CATEGORY))
            if but is not None:
                chosen = chosen.filter(pa.array(but.find(_integers(chosen[number])) == NONE))
            numbers.append(_integers(chosen[number]))
            meanings.append(self.names.add(chosen[title].fill_null("")))
        return _Numbers(np.concatenate(numbers), np.concatenate(meanings))

    def _link(self, path: Path, batch: pa.RecordBatch) -> None:
        """Note which of a table's pages are in which categories."""
        if "cl_to" not in batch.schema.names:
            self.tables.need_linktarget(path)
        pages = _integers(batch["cl_from"])
        is_page, is_category, is_file = (_is(batch, kind) for kind in ("page", "subcat", "file"))
        document = np.where(is_category | is_file, np.uint32(NONE), self.documents.find(pages))
        category = np.where(is_page | is_file, np.uint32(NONE), self.categories.find(pages))
        used = (document != NONE) | (category != NONE)
        self.remarks.add(NO_PAGE, n=int((~used & is_category).sum()))
        self.remarks.add(NOT_HERE, n=int((~used & ~is_category & ~is_file).sum()))

        target = self._targets_of(path, batch.filter(pa.array(used)))
        self.remarks.add(NO_TARGET, n=int((target == NONE).sum()))
        for pairs, rows in ((self.labels, document[used]), (self.parents, category[used])):
            both = (rows != NONE) & (target != NONE)
            pairs.append(rows[both], target[both])

    def _targets_of(self, path: Path, batch: pa.RecordBatch) -> NDArray[np.uint32]:
        """Return the number of each row's category."""
        found = np.full(batch.num_rows, NONE, np.uint32)
        if "cl_to" in batch.schema.names:
            titles = batch["cl_to"].fill_null("")
            named = pc.not_equal(titles, "").to_numpy(zero_copy_only=False)
            found[named] = self.names.add(titles.filter(pa.array(named)))
        unnamed = found == NONE
        if "cl_target_id" in batch.schema.names and unnamed.any():
            self.tables.need_linktarget(path)
            found[unnamed] = self.targets.find(_integers(batch["cl_target_id"])[unnamed])
        return found


def _by_page(columns: Iterable[pa.Array]) -> _Numbers:
    """Return the rows by the numbers of their pages, but for those that have none."""
    pages = np.concatenate([np.empty(0, np.uint64), *(column.to_numpy() for column in columns)])
    rows = np.flatnonzero((pages > 0) & (pages < 1 << 63))
    return _Numbers(pages[rows].astype(np.int64), rows)


def _integers(column: pa.Array) -> NDArray[np.int64]:
    """Return whole numbers, -1 for nothing; no page has that number."""
    values: NDArray[np.int64] = column.fill_null(-1).to_numpy()
    return values


def _is(batch: pa.RecordBatch, kind: str) -> NDArray[np.bool_]:
    """Tell of each row whether its page is said to be of a kind; before 2011 the table did not say."""
    if "cl_type" not in batch.schema.names:
        return np.zeros(batch.num_rows, np.bool_)
    said: NDArray[np.bool_] = pc.equal(batch["cl_type"], kind).fill_null(False).to_numpy(zero_copy_only=False)
    return said
