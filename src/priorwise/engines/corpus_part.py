"""Some consecutive documents of a corpus, local or remote: the input of one task of a pass over the corpus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.corpus import Corpus, TokenBatch
from priorwise.corpus.storage.columns import gather, list_parts
from priorwise.corpus.storage.files import TOKENS
from priorwise.corpus.storage.places import Store
from priorwise.corpus.storage.structure import check_token_batch
from priorwise.errors import DamagedCorpus, InputError


class Documents(Protocol):
    """What a pass over documents needs. A corpus provides it, and so does a part of one."""

    @property
    def n_documents(self) -> int:
        """How many documents there are."""
        ...

    @property
    def n_vocabulary(self) -> int:
        """How many distinct tokens there are."""
        ...

    def batches(self) -> Iterator[TokenBatch]:
        """Yield all documents in order."""
        ...

    def take(self, rows: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """Return the tokens of some documents."""
        ...


@dataclass(frozen=True)
class CorpusPart:
    """Documents of some neighbouring batches, numbered from 0.

    Parameters
    ----------
    store : Store
        The corpus folder.
    numbers, sizes : tuple of int
        Which batches, and how many documents each has.
    start : int
        The number of the first document in the whole corpus.
    n_documents, n_vocabulary : int
        How many documents the part has, and distinct tokens the corpus.
    """

    store: Store
    numbers: tuple[int, ...]
    sizes: tuple[int, ...]
    start: int
    n_documents: int
    n_vocabulary: int

    @cached_property
    def _tables(self) -> list[Any]:
        return [
            self._checked(self.store.table(TOKENS, number), size)
            for number, size in zip(self.numbers, self.sizes, strict=True)
        ]

    def _checked(self, table: Any, size: int) -> Any:
        try:
            check_token_batch(table, size, self.n_vocabulary)
        except ValueError as error:
            raise DamagedCorpus(f"{self.store} is damaged: {TOKENS}: {error}") from error
        return table

    def batches(self) -> Iterator[TokenBatch]:
        """Yield the documents in order, in batches that are views of the file if it is on the disk."""
        start = 0
        for table in self._tables:
            offsets, tokens = list_parts(table.column("tokens"))
            yield TokenBatch(start, offsets, tokens, list_parts(table.column("counts"))[1])
            start += table.num_rows

    def take(self, rows: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """Return the tokens of some documents, copied: offsets and token ids."""
        batches = list(self.batches())
        starts = np.array([*(batch.start for batch in batches), self.n_documents], np.int64)
        offsets, tokens = [batch.offsets for batch in batches], [batch.tokens for batch in batches]
        indptr, (found,) = gather(starts, offsets, [tokens], np.asarray(rows, np.int64))
        return indptr, found

    def own(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which of its documents are among some of the whole corpus."""
        mask = np.zeros(self.n_documents, dtype=bool)
        local = rows - self.start
        mask[local[(local >= 0) & (local < self.n_documents)]] = True
        return mask


def parts_of_corpus(corpus: Corpus, n_parts: int) -> list[CorpusPart]:
    """Cut a corpus into about this many parts of similar size.

    Examples
    --------
    >>> parts_of_corpus(Corpus.from_texts(["in memory"]), 2)
    Traceback (most recent call last):
    ...
    priorwise.errors.InputError: other processes cannot read a corpus in memory; save it to a folder that all can reach
    """
    if corpus.store is None:
        raise InputError("other processes cannot read a corpus in memory; save it to a folder that all can reach")
    store, sizes = corpus.store, corpus.batch_sizes
    starts = np.concatenate([[0], np.cumsum(sizes)])
    bounds = np.unique(np.linspace(0, len(sizes), max(1, n_parts) + 1).round().astype(int))
    return [
        CorpusPart(
            store,
            tuple(range(first, last)),
            tuple(sizes[first:last]),
            int(starts[first]),
            int(starts[last] - starts[first]),
            corpus.n_vocabulary,
        )
        for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    ]
