"""Complete memberships and the graph of categories from a wiki's own tables.

A text names some of the categories it is in; templates add others. The wiki's table ``categorylinks`` has them all.
What is too much for memory lies in scratch files that are mapped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from priorwise.corpus.build.shards import Allocate, AnyShard, Memberships, distinct_memberships, replaced, sorted_names
from priorwise.corpus.storage.columns import list_column, list_parts, string_column, string_parts
from priorwise.readers.document import Origin, Remarks
from priorwise.wiki.sql import CATEGORYLINKS, LINKTARGET, PAGE, SqlTable, SqlTables, TableShape
from priorwise.wiki.wikitext import category_name

NONE = 0xFFFFFFFF
"""The number of a name that is not known."""


class CategoryNames:
    """Distinct names, numbered in the order in which they come.

    Names that :func:`~priorwise.wiki.wikitext.category_name` makes equal have one number, so that a table and a text
    mean the same.

    Memory: the bytes of the names and about 80 bytes for each, up to twice that while it grows.
    """

    def __init__(self) -> None:
        self._known = 0
        self._table = np.full((1 << 10, 2), -1, np.int64)
        self._names = np.empty(1 << 14, np.uint8)
        self._bounds = np.zeros(1 << 10, np.int64)
        self._same_as = np.empty(1 << 10, np.uint32)

    def add(self, names: pa.Array) -> NDArray[np.uint32]:
        """Return the number of each name, with new numbers for those that are new."""
        before = self._known
        numbers = self._numbers(names, add=True)
        self._same_as = _with_room(self._same_as, self._known)
        self._same_as[before : self._known] = np.arange(before, self._known)
        strange = [
            (number, name)
            for number, given in enumerate(self.take(np.arange(before, self._known)).to_pylist(), before)
            if (name := category_name(given)) != given
        ]
        if strange:
            self._same_as[[number for number, _ in strange]] = self.add(pa.array([name for _, name in strange]))
        return self._same_as[numbers]

    def find(self, names: pa.Array) -> NDArray[np.uint32]:
        """Return the number of each name, ``NONE`` for those that are not there."""
        numbers = self._numbers(names, add=False)
        numbers[numbers != NONE] = self._same_as[numbers[numbers != NONE]]
        return numbers

    def take(self, numbers: NDArray[Any]) -> pa.Array:
        numbers = numbers.astype(np.int64)
        starts, lengths = self._bounds[numbers], self._bounds[numbers + 1] - self._bounds[numbers]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        places = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
        return string_column(offsets, self._names[places])

    def _numbers(self, names: pa.Array, *, add: bool) -> NDArray[np.uint32]:
        if not len(names):
            return np.empty(0, np.uint32)
        offsets, data = string_parts(names)
        if add:
            self._make_room(len(names), int(offsets[-1] - offsets[0]))
        from priorwise.corpus._kernels import number_names

        numbers = np.empty(len(names), np.uint32)
        self._known = number_names(data, offsets, self._table, self._names, self._bounds, self._known, add, numbers)
        return numbers

    def _make_room(self, n_names: int, n_bytes: int) -> None:
        from priorwise.corpus._kernels import rehash

        self._names = _with_room(self._names, int(self._bounds[self._known]) + n_bytes)
        self._bounds = _with_room(self._bounds, self._known + n_names + 1)
        if 2 * (self._known + n_names) > len(self._table):
            wider = np.full((1 << (2 * (self._known + n_names)).bit_length(), 2), -1, np.int64)
            rehash(self._table, wider)
            self._table = wider


def _with_room(array: NDArray[Any], size: int) -> NDArray[Any]:
    """Return an array of at least this size that begins like the one given; it doubles, so that this is rare."""
    if size <= len(array):
        return array
    longer = np.empty(max(size, 2 * len(array)), array.dtype)
    longer[: len(array)] = array
    return longer


_FIRST_BLOCK, _LARGEST_BLOCK = 1 << 12, 1 << 25
_WORDS_PER_LINE = 16


@dataclass(frozen=True, slots=True)
class Grouped:
    """The values of each key: those of key ``k`` are ``values[offsets[k]:offsets[k + 1]]``."""

    offsets: NDArray[np.int64]
    values: NDArray[np.uint32]

    def of(self, first: int, last: int) -> Grouped:
        """Return the values of the keys from ``first`` to before ``last``, which are numbered from 0 then."""
        offsets = self.offsets[first : last + 1]
        return Grouped(offsets - offsets[0], self.values[offsets[0] : offsets[-1]])

    def followed_by(self, other: Grouped) -> Grouped:
        """Return the keys of this and then those of another that have values."""
        ends = other.offsets[1:][np.diff(other.offsets) > 0]
        offsets = np.concatenate([self.offsets, self.offsets[-1] + ends])
        return Grouped(offsets, np.concatenate([self.values, other.values]))


class Pairs:
    """Pairs of a key and a value, appended and in the end grouped by their keys."""

    def __init__(self, name: str, allocate: Allocate) -> None:
        self._name = name
        self._allocate = allocate
        self._blocks: list[NDArray[np.uint32]] = []
        self._used = 0

    def append(self, keys: NDArray[np.uint32], values: NDArray[np.uint32]) -> None:
        """Add pairs; values stay in the order in which they come."""
        done = 0
        while done < len(keys):
            if not self._blocks or self._used == self._blocks[-1].shape[1]:
                size = min(_FIRST_BLOCK << len(self._blocks), _LARGEST_BLOCK)
                block = self._allocate(f"{self._name}-pairs-{len(self._blocks)}", 2 * size)
                self._blocks.append(block.reshape(2, size))
                self._used = 0
            block = self._blocks[-1]
            n = min(len(keys) - done, block.shape[1] - self._used)
            block[0, self._used : self._used + n] = keys[done : done + n]
            block[1, self._used : self._used + n] = values[done : done + n]
            self._used += n
            done += n

    def grouped(self, n_keys: int) -> Grouped:
        from priorwise.corpus._kernels import count_keys, place_values

        offsets = np.zeros(n_keys + 1, np.int64)
        for keys, _ in self._filled():
            count_keys(keys, offsets[1:])
        np.cumsum(offsets, out=offsets)
        placed = self._allocate(f"{self._name}-values", int(offsets[-1]))
        free = offsets[:-1].copy()
        for keys, values in self._filled():
            place_values(keys, values, free, placed)
        return Grouped(offsets, placed)

    def _filled(self) -> list[NDArray[np.uint32]]:
        last = len(self._blocks) - 1
        return [np.asarray(block[:, : self._used] if n == last else block) for n, block in enumerate(self._blocks)]


class ScratchTables:
    """Tables in scratch files; they come back as views, so that they take no memory.

    A file for each would be more than a process may have open.
    """

    def __init__(self, name: str, allocate: Allocate) -> None:
        self._name = name
        self._allocate = allocate
        self._room = np.empty(0, np.uint32)
        self._blocks = 0

    def put(self, table: pa.RecordBatch) -> NDArray[np.uint8]:
        """Keep a table, and return what :func:`table_at` takes."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_batch(table)
        written = np.frombuffer(sink.getvalue(), np.uint8)
        lines = -(-len(written) // (4 * _WORDS_PER_LINE))
        if lines * _WORDS_PER_LINE > len(self._room):
            size = max(lines * _WORDS_PER_LINE, min(_FIRST_BLOCK << self._blocks, _LARGEST_BLOCK))
            self._room = self._allocate(f"{self._name}-tables-{self._blocks}", size)
            self._blocks += 1
        place = np.asarray(self._room[: lines * _WORDS_PER_LINE]).view(np.uint8)[: len(written)]
        self._room = self._room[lines * _WORDS_PER_LINE :]
        place[:] = written
        return place


def table_at(place: NDArray[np.uint8]) -> pa.RecordBatch:
    """Return a table from where :meth:`ScratchTables.put` put it."""
    return pa.ipc.open_file(pa.py_buffer(place)).get_batch(0)


_FROM_TABLE = 3
"""In sorting, what a table says comes after every origin, because it says nothing about the text."""


class CompletedShard(AnyShard):
    """The tokens of one shard, with other labels and categories."""

    def __init__(
        self,
        shard: AnyShard,
        names: CategoryNames,
        labels: Grouped,
        parents: Grouped,
        further: tuple[NDArray[np.uint32], NDArray[np.uint64]],
        scratch: ScratchTables,
    ) -> None:
        self._shard = shard
        offsets, held = list_parts(shard.documents.column("labels"))
        of_held = list_parts(shard.documents.column("origins"))[1]
        joined = join(Memberships(shard.labels.column("label"), offsets.astype(np.int64), held, of_held), labels, names)
        self.added = len(joined.numbers) - len(held)
        numbers, origins = (list_column(joined.offsets, values) for values in (joined.numbers, joined.origins))
        self._changed = {
            "documents": scratch.put(pa.RecordBatch.from_pydict({"labels": numbers, "origins": origins})),
            "labels": scratch.put(pa.RecordBatch.from_pydict({"label": joined.names})),
            "categories": scratch.put(_categories(shard.categories, names, parents, further)),
        }

    @property
    def stored(self) -> AnyShard:
        return self._shard.stored

    def _table(self, name: str) -> pa.RecordBatch:
        if name not in self._changed:
            return getattr(self._shard, name)
        changed = table_at(self._changed[name])
        if name != "documents":
            return changed
        documents = self._shard.documents
        for column in changed.schema.names:
            documents = replaced(documents, column, changed.column(column))
        return documents


def join(held: Memberships, added: Grouped, names: CategoryNames) -> Memberships:
    """Add memberships to those that are there; one that is there already stays as it is."""
    distinct, places = np.unique(added.values, return_inverse=True)
    every, number_of_held, number_of_added = _union(held.names, distinct, names)
    bounds = held.offsets, added.offsets
    row = np.concatenate([np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)) for offsets in bounds])
    number = np.concatenate([number_of_held[held.numbers], number_of_added[places]])
    origin = np.concatenate([held.origins, np.full(len(places), _FROM_TABLE, np.uint8)])
    joined = distinct_memberships(every, len(added.offsets) - 1, row, number, origin)
    return replace(joined, origins=np.where(joined.origins == _FROM_TABLE, np.uint8(Origin.ADDED), joined.origins))


def _union(
    held: pa.Array, added: NDArray[np.uint32], names: CategoryNames
) -> tuple[pa.Array, NDArray[np.uint32], NDArray[np.uint32]]:
    """Return all names, sorted by bytes, and the numbers among them of those held and of those added."""
    numbers = names.find(held)
    known = np.flatnonzero(numbers != NONE)
    by_number = known[np.argsort(numbers[known])]
    at = np.minimum(np.searchsorted(numbers[by_number], added), max(0, len(by_number) - 1))
    is_held = numbers[by_number][at] == added if len(by_number) else np.zeros(len(added), np.bool_)
    every, new_number = sorted_names(pa.concat_arrays([held, names.take(added[~is_held])]))
    row_of_added = len(held) + np.cumsum(~is_held) - 1
    if len(by_number):
        row_of_added = np.where(is_held, by_number[at], row_of_added)
    return every, new_number[: len(held)], new_number[row_of_added]


def _categories(
    table: pa.RecordBatch,
    names: CategoryNames,
    parents: Grouped,
    further: tuple[NDArray[np.uint32], NDArray[np.uint64]],
) -> pa.RecordBatch:
    encoded = table.column("parents").values.dictionary_encode()
    parent_names, new_number = sorted_names(encoded.dictionary)
    offsets = table.column("parents").offsets.to_numpy().astype(np.int64)
    origins = list_parts(table.column("origins"))[1]
    held = Memberships(parent_names, offsets, new_number[encoded.indices.to_numpy()], origins)
    joined = join(held, parents, names)
    return pa.RecordBatch.from_pydict(
        {
            "category": pa.concat_arrays([table.column("category"), names.take(further[0])]),
            "page": pa.concat_arrays([table.column("page"), pa.array(further[1])]),
            "parents": list_column(joined.offsets, joined.names.take(pa.array(joined.numbers))),
            "origins": list_column(joined.offsets, joined.origins),
        }
    )


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

    Memory: 32 bytes for each document and each category with a page, about 150 for each category that a table names,
    and one shard. In scratch files: 12 bytes for each row that is used, and the tables of the new shards but for their
    tokens. English Wikipedia (7 million articles, 2.5 million categories, 200 million rows) needs about 800 MB of
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
        scratch = ScratchTables("completed", self.allocate)
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
                own.followed_by(others),
                (self.further.meanings[with_parents], self.further.numbers[with_parents].astype(np.uint64)),
                scratch,
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
    return column.fill_null(-1).to_numpy()


def _is(batch: pa.RecordBatch, kind: str) -> NDArray[np.bool_]:
    """Tell of each row whether its page is said to be of a kind; before 2011 the table did not say."""
    if "cl_type" not in batch.schema.names:
        return np.zeros(batch.num_rows, np.bool_)
    return pc.equal(batch["cl_type"], kind).fill_null(False).to_numpy(zero_copy_only=False)
