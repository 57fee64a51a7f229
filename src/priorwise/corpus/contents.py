"""What a corpus holds: tokens and counts, documents, labels."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from priorwise.corpus.lookup import shortened
from priorwise.corpus.storage.columns import string_column
from priorwise.corpus.stored import StoredCorpus, as_rows
from priorwise.counting import counted
from priorwise.errors import DamagedCorpus, UnknownName


@dataclass(frozen=True, slots=True)
class TokenBatch:
    """Consecutive documents, as views of the file.

    Attributes
    ----------
    start : int
        The first document's number.
    offsets : ndarray
        Document ``start + i`` has the entries from ``offsets[i]`` to ``offsets[i + 1]``.
    tokens : ndarray of uint32
        Token ids, ascending and distinct within a document.
    counts : ndarray of unsigned integers
        How often each occurs.
    """

    start: int
    offsets: NDArray[Any]
    tokens: NDArray[np.uint32]
    counts: NDArray[Any]


class CorpusContents(StoredCorpus):
    """Everything that can be asked of a corpus; see :class:`~priorwise.corpus.corpus.Corpus`."""

    # Tokens and counts

    def batches(self) -> Iterator[TokenBatch]:
        """Yield all documents in order, in batches that are views of the file.

        Examples
        --------
        >>> from priorwise.corpus import Corpus
        >>> corpus = Corpus.from_texts(["to be or not to be"])
        >>> [batch.counts.tolist() for batch in corpus.batches()]
        [[2, 1, 1, 2]]
        """
        for start, (offsets, tokens), (_, counts) in zip(
            self._starts.tolist(), self._token_lists, self._count_lists, strict=False
        ):
            yield TokenBatch(start, offsets, tokens, counts)

    def take(self, rows: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """Return the tokens of some documents, copied: offsets and token ids."""
        indptr, (tokens,) = self._gather(rows, self._token_lists)
        return indptr, tokens

    def take_counts(self, rows: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[Any]]:
        """Return the tokens and counts of some documents, copied: offsets, token ids, counts."""
        indptr, (tokens, counts) = self._gather(rows, self._token_lists, self._count_lists)
        return indptr, tokens, counts

    def matrix(self, rows: ArrayLike | None = None, *, binary: bool = False) -> Any:
        """Return documents by tokens as a ``scipy.sparse.csr_matrix`` of counts, or of ones if ``binary``.

        Examples
        --------
        >>> from priorwise.corpus import Corpus
        >>> Corpus.from_texts(["to be or not to be"]).matrix(binary=True).toarray().tolist()
        [[1.0, 1.0, 1.0, 1.0]]
        """
        from scipy.sparse import csr_matrix

        wanted = np.arange(self.n_documents) if rows is None else rows
        indptr, tokens, counts = self.take_counts(wanted)
        values = np.ones(len(tokens)) if binary else counts.astype(np.float64)
        return csr_matrix((values, tokens.astype(np.int32), indptr), shape=(len(indptr) - 1, self.n_vocabulary))

    def vectorize(self, texts: Iterable[str]) -> Any:
        """Return new texts over this vocabulary, as :meth:`matrix` does; tokens that are not in it are dropped.

        Examples
        --------
        >>> from priorwise.corpus import Corpus
        >>> Corpus.from_texts(["to be", "be"]).vectorize(["be, be or"]).toarray().tolist()
        [[2.0, 0.0]]
        """
        from scipy.sparse import csr_matrix

        from priorwise.text.tokens import count_texts, rule_of

        counted = count_texts(texts, rule_of(self.tokenizer))
        names = string_column(counted.name_offsets, counted.names).to_pylist()
        ids = self._tokens.find_many(names)[counted.tokens]
        rows = np.repeat(np.arange(len(counted.offsets) - 1), np.diff(counted.offsets))
        known = ids >= 0
        entries = (counted.counts[known].astype(np.float64), (rows[known], ids[known]))
        return csr_matrix(entries, shape=(len(counted.offsets) - 1, self.n_vocabulary))

    @cached_property
    def document_frequency(self) -> NDArray[np.uint32]:
        """In how many documents each token occurs: a view of the file, descending."""
        frequency: NDArray[np.uint32] = self._vocabulary.column("documents").to_numpy()
        return frequency

    def token_names(self, token_ids: ArrayLike) -> list[str]:
        """Return the tokens of some ids."""
        return self._tokens.strings.take(as_rows(token_ids))

    def token_id(self, token: str) -> int | None:
        """Return the id of a token, or None if no document has it."""
        return self._tokens.find(token)

    def token_ids(self, tokens: Sequence[str]) -> NDArray[np.int64]:
        """Return the ids of some tokens, −1 for those that no document has.

        Examples
        --------
        >>> from priorwise.corpus import Corpus
        >>> Corpus.from_texts(["to be or not to be"]).token_ids(["be", "is"]).tolist()
        [0, -1]
        """
        return self._tokens.find_many(tokens)

    # Documents

    def ids(self, rows: ArrayLike) -> list[str]:
        """Return the ids of some documents."""
        return self._ids.strings.take(as_rows(rows))

    def titles(self, rows: ArrayLike) -> list[str]:
        """Return the titles of some documents."""
        return self._titles.take(as_rows(rows))

    @property
    def keeps_text(self) -> bool:
        """Whether documents can be read; see :meth:`text`."""
        return self._stored_texts is not None

    def text(self, row: int) -> str | None:
        """Return what was kept of a document's text, or None if this corpus keeps no texts.

        Examples
        --------
        >>> from priorwise.corpus import Corpus
        >>> Corpus.from_texts(["To be, or not to be."]).text(0)
        'To be, or not to be.'
        """
        if not 0 <= row < self.n_documents:
            raise IndexError(f"documents go from 0 to {self.n_documents - 1}, and {row} was asked for")
        return None if self._stored_texts is None else self._stored_texts.text(row)

    def other(self, row: int) -> dict[str, Any]:
        """Return the other columns of a document's record, such as a shelf mark or a year; often there are none.

        Examples
        --------
        >>> from priorwise.corpus import Corpus
        >>> Corpus.from_records([{"text": "On tea.", "year": 1701}]).other(0)
        {'year': 1701}
        """
        if not 0 <= row < self.n_documents:
            raise IndexError(f"documents go from 0 to {self.n_documents - 1}, and {row} was asked for")
        kept = "" if self._stored_others is None else self._stored_others.text(row)
        try:
            found = json.loads(kept) if kept else {}
        except (ValueError, RecursionError) as error:
            raise DamagedCorpus(f"{self._where} is damaged: the other columns of a document cannot be read") from error
        return found if isinstance(found, dict) else {}

    def address(self, row: int) -> str | None:
        """Return the address of a document's page in its wiki, or None if it has none.

        Examples
        --------
        >>> from priorwise.corpus import Corpus
        >>> Corpus.from_texts(["no page"]).address(0) is None
        True
        """
        from urllib.parse import quote

        return self._address + quote(self.titles([row])[0].replace(" ", "_"), "/:,()!*'") if self._address else None

    def labels_of(self, row: int) -> list[str]:
        """Return the labels of a document, sorted."""
        return self.label_names(self.take_labels([row])[1])

    def take_labels(self, rows: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """Return the labels of some documents, copied: offsets and label numbers, ascending."""
        indptr, (numbers,) = self._gather(rows, self._label_lists)
        return indptr, numbers

    def label_names(self, numbers: ArrayLike) -> list[str]:
        """Return the labels of some numbers."""
        return self._labels.strings.take(as_rows(numbers))

    def row(self, id: str) -> int:
        """Return the number of the document with an id; :class:`~priorwise.errors.UnknownName` if there is none."""
        found = self._ids.find(id)
        if found is None:
            raise UnknownName("document", id, self._ids.neighbours(id))
        return found

    def rows(self, ids: Iterable[str]) -> NDArray[np.int64]:
        """Return the numbers of the documents with some ids, in that order."""
        wanted = list(ids)
        found = self._ids.find_many(wanted)
        missing = [wanted[i] for i in np.flatnonzero(found < 0)]
        if missing:
            unknown = UnknownName("document", missing[0], self._ids.neighbours(missing[0]))
            if len(missing) > 1:
                unknown.message += f" ({len(missing):,} of {len(wanted):,} ids are not there: {shortened(missing)})"
            raise unknown
        return found

    def rows_titled(self, title: str) -> NDArray[np.int64]:
        """Return the numbers of the documents with exactly this title, ascending; there may be none, or several."""
        import pyarrow.compute as pc

        chunks = zip(self._titles.chunks, self._titles.starts.tolist(), strict=False)
        found = [
            start + np.flatnonzero(pc.equal(chunk, title).to_numpy(zero_copy_only=False)) for chunk, start in chunks
        ]
        return np.concatenate([np.empty(0, np.int64), *found]).astype(np.int64)

    # Labels

    def members(self, label: str) -> NDArray[np.int64]:
        """Return the documents of a label, ascending; :class:`~priorwise.errors.UnknownName` if there is none.

        A category that is only in the graph has no documents of its own, and is known nevertheless.

        Examples
        --------
        >>> from priorwise.corpus import Corpus
        >>> corpus = Corpus.from_texts(["a", "b"], labels=["Machine learning", None])
        >>> corpus.members("Machien learning")
        Traceback (most recent call last):
        ...
        priorwise.errors.UnknownName: no label 'Machien learning'; did you mean 'Machine learning' (1 member)?
        """
        return self._members[1][self._members_slice(label)].astype(np.int64)

    def member_origins(self, label: str) -> NDArray[np.uint8]:
        """Return where each membership of a label comes from, in the order of :meth:`members`.

        The numbers are those of :class:`~priorwise.Origin`.

        Examples
        --------
        >>> from priorwise.corpus import Corpus
        >>> Corpus.from_texts(["a", "b"], labels=["x", "x"]).member_origins("x").tolist()
        [0, 0]
        """
        return self._origins[self._members_slice(label)]

    def label_named(self, name: str) -> str:
        """Return the label that a name means: itself, or without "Category:" before it as wikis write it.

        A name that means no label is returned as it is.

        Examples
        --------
        >>> from priorwise.corpus import Corpus
        >>> Corpus.from_texts(["a"], labels=["Hot drinks"]).label_named("Category:hot_drinks")
        'Hot drinks'
        """
        if self._labels.find(name) is not None or name in self.graph:
            return name
        from priorwise.wiki.siteinfo import is_category_space
        from priorwise.wiki.wikitext import category_name

        space, colon, rest = name.strip().lstrip(":").partition(":")
        bare = category_name(rest) if colon and is_category_space(space) else category_name(name)
        return bare if self._labels.find(bare) is not None or bare in self.graph else name

    def maintenance_labels(self, names: Sequence[str] | None = None) -> NDArray[np.bool_]:
        """Return for each label, all or some, whether it is a category for a wiki's editors.

        Such are hidden categories, and those that track what is to be done. No other corpus has any.
        """
        from priorwise.corpus.maintenance import maintenance_labels

        return maintenance_labels(self, self.label_sizes().column("label").to_pylist() if names is None else names)

    def _members_slice(self, label: str) -> slice:
        named = self.label_named(label)
        number = self._labels.find(named)
        if number is not None:
            offsets, _ = self._members
            return slice(offsets[number], offsets[number + 1])
        if named in self.graph:
            return slice(0, 0)
        near = dict(self.search_labels(label))
        sizes = {name: counted(size, "member") for name, size in near.items()}
        raise UnknownName("label", label, near, sizes=sizes)

    def label_sizes(self) -> pa.Table:
        """Return every label with the number of its documents, as an Arrow table sorted by label."""
        return pa.table({"label": self._label_table.column("label"), "documents": np.diff(self._members[0])})

    def largest_labels(self, n: int) -> list[tuple[str, int]]:
        """Return the labels with the most documents, and how many."""
        sizes = np.diff(self._members[0])
        largest = np.lexsort((np.arange(len(sizes)), -sizes))[:n]
        return list(zip(self._labels.strings.take(largest), sizes[largest].tolist(), strict=True))

    def search_labels(self, query: str, limit: int = 10) -> list[tuple[str, int]]:
        """Return the labels most like a query, with their sizes: equal, beginning so, containing it, mistyped."""
        return self._label_search(query, limit)
