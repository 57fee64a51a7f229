"""The corpus: documents as counted tokens, with ids, titles and labels, mapped from its files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from priorwise.corpus.build.copies import Copies
from priorwise.corpus.build.repeats import Duplicates
from priorwise.corpus.graph import CategoryGraph
from priorwise.corpus.lookup import LabelSearch, SortedNames, Strings, shortened
from priorwise.corpus.storage import files as file_of
from priorwise.corpus.storage.columns import gather, list_parts, string_column
from priorwise.corpus.storage.manifest import Manifest
from priorwise.corpus.storage.places import Fetched, Progress, Store, manifest_at
from priorwise.corpus.storage.read_from import ReadFrom
from priorwise.corpus.storage.structure import Verified, check_file
from priorwise.corpus.texts import StoredTexts
from priorwise.corpus.vectors import Vectors
from priorwise.counting import counted
from priorwise.errors import DamagedCorpus, InputError, UnknownName
from priorwise.processors import processors
from priorwise.readers.addresses import address_of, local_path, with_ending
from priorwise.readers.columnar import read_batches
from priorwise.text.languages import recognise

ListParts = tuple[NDArray[Any], NDArray[Any]]
Checksums = Mapping[str, Future[str]]
"""Of some files, being computed on other threads."""
NO_CHECKSUMS: Checksums = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class TokenBatch:
    """Consecutive documents, as views of the file.

    Document ``start + i`` has the token ids from ``offsets[i]`` to ``offsets[i + 1]``, ascending and distinct, and
    ``counts`` says how often each occurs.
    """

    start: int
    offsets: NDArray[Any]
    tokens: NDArray[np.uint32]
    counts: NDArray[Any]


class Corpus:
    """Documents as sets of counted tokens, with ids, titles and labels.

    Make one with :meth:`from_texts`, :meth:`from_records`, :meth:`from_matrix`, :meth:`from_dataframe` or
    :func:`~priorwise.ingest`, and open it again with :meth:`open`. Opening reads next to nothing: the
    files are mapped, and what is asked for is read when it is asked for. A document's row is its number, from 0.

    Examples
    --------
    >>> corpus = Corpus.from_texts(["to be or not to be", "not now"], labels=["Hamlet", None])
    >>> corpus
    <Corpus in memory: 2 documents, 5 distinct tokens, 1 label>
    >>> corpus.token_names([0, 1]), corpus.members("Hamlet").tolist()
    (['not', 'be'], [0])
    """

    def __init__(
        self,
        manifest: Manifest,
        files: Mapping[str, pa.Buffer],
        path: Path | None = None,
        store: Store | None = None,
        verified: Verified | None = None,
    ) -> None:
        self.path = path
        self._verified = verified
        self._sound: set[str] = set()
        self.store = Store(str(path.absolute())) if store is None and path is not None else store
        self._manifest = manifest
        self._files = files
        counts = manifest.counts
        self.n_documents, self.n_tokens, self.n_occurrences = counts.documents, counts.tokens, counts.occurrences
        self.n_vocabulary, self.n_labels, self.n_memberships = counts.vocabulary, counts.labels, counts.memberships

    @classmethod
    def open(cls, path: str | Path) -> Corpus:
        """Open a corpus folder.

        Parameters
        ----------
        path : str or Path
            The folder, or its address on a file system that Arrow or fsspec reach; from there, what is asked for is
            copied to the folder of downloads, once, and mapped.

        Raises
        ------
        CorpusError
            It is not a corpus; :class:`~priorwise.errors.NewerVersion` if a later priorwise wrote it, and
            :class:`~priorwise.errors.DamagedCorpus` if a file is missing or has the wrong length.
        """
        if (address := address_of(path)) is not None:
            return cls._open_address(address)
        if (on_disk := local_path(path)) is None:
            return cls._open_address(str(path))
        folder = on_disk
        manifest = Manifest.read(folder)
        mapped = {name: pa.memory_map(str(folder / name)).read_buffer() for name in manifest.files}
        return cls(manifest, mapped, folder, verified=Verified(folder, manifest))

    @classmethod
    def _open_address(cls, address: str) -> Corpus:
        """Open a corpus elsewhere; what is asked for is copied to the disk, a file at a time."""
        store = Store(with_ending(address, ""))
        manifest = manifest_at(store)
        fetched = Fetched(store, manifest)
        return cls(manifest, fetched, None, store, Verified(fetched.folder, manifest))

    def fetch(self, progress: Progress = lambda done, total: None) -> None:
        """Copy a corpus that lies elsewhere to the disk now, all but texts and other columns."""
        if isinstance(self._files, Fetched):
            self._files.fetch([name for name in self._files if name not in (file_of.TEXTS, file_of.OTHERS)], progress)

    def save(self, path: str | Path, *, overwrite: bool = False) -> Corpus:
        """Write the corpus to a folder, or to an address, and return it opened from there."""
        from priorwise.corpus.build.writing import claim_any

        with claim_any(path, overwrite=overwrite, fingerprint=None) as unfinished:
            place = unfinished.place()
            for name, buffer in self._files.items():
                place.copy(name, buffer)
            unfinished.publish(self._manifest)
        saved = type(self).open(path)
        if self.vectors is not None:
            saved.add_vectors(self.vectors.values, self.vectors.encoder)
        return saved

    def verify(self) -> None:
        """Read every file, compare its checksum and check its structure, even if that was done before.

        Raises
        ------
        DamagedCorpus
            With the name of the file, and what is wrong with it.
        """
        self._sound.clear()
        largest_first = sorted(self._manifest.files, key=lambda name: -self._manifest.files[name].bytes)
        with ThreadPoolExecutor(processors()) as pool:
            checksums = {name: pool.submit(_checksum, self._files[name]) for name in largest_first}
            try:
                for name in self._manifest.files:
                    self._check(name, checksums)
            finally:
                pool.shutdown(cancel_futures=True)
        if self.vectors is not None and self.path is not None:
            self.vectors.verify(self.path)

    @cached_property
    def vectors(self) -> Vectors | None:
        """The documents' vectors, if `priorwise embed` or :meth:`add_vectors` put them next to the corpus."""
        return None if self.path is None else Vectors.open(self.path, self.checksum, self.n_documents)

    def add_vectors(self, values: Any, encoder: str | None = None, *, overwrite: bool = False) -> None:
        """Keep a vector for each document: next to the corpus, or in memory if the corpus is in memory.

        Parameters
        ----------
        values : array, shape (n_documents, n_dimensions)
            A row per document, from any encoder. Only directions count; a row of zeros is a document without a vector.
        encoder : str, optional
            What made them, as ``priorwise embed --with`` takes it, so that new documents can be encoded alike.
        overwrite : bool
            Replace vectors that are there already.

        Examples
        --------
        >>> corpus = Corpus.from_texts(["red apple", "green apple"])
        >>> corpus.add_vectors([[1.0, 0.5], [0.0, 2.0]])
        >>> corpus.vectors.n_dimensions
        2
        """
        vectors = Vectors.of(values, encoder)
        if len(vectors.values) != self.n_documents:
            rows, documents = counted(len(vectors.values), "row"), counted(self.n_documents, "document")
            raise InputError(
                f"there are {rows} of vectors and {documents}: give one row per document, in the same order"
            )
        if self.path is not None:
            vectors.write(self.path, self.checksum, overwrite=overwrite)
        elif self.store is not None:
            raise InputError(f"{self.store} is not on this machine: copy the corpus here, and add vectors to the copy")
        self.__dict__["vectors"] = vectors

    @property
    def checksum(self) -> str:
        """The corpus's identity: one checksum over all that it holds."""
        return self._manifest.checksum

    @property
    def remarks(self) -> dict[str, int]:
        """What was read and left out when the corpus was made, with how often."""
        return dict(self._manifest.remarks)

    @property
    def read_from(self) -> ReadFrom | None:
        """The files that it was made from and how they were read; None if it was made from something else."""
        recorded = self._manifest.source
        return None if recorded is None else ReadFrom.read(recorded)

    @property
    def tokenizer(self) -> dict[str, Any] | None:
        """The rule that cut its texts into tokens; None if they were counted elsewhere."""
        return self._manifest.tokenizer

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        """Go to another process as an address."""
        if self.store is None:
            raise InputError("other processes cannot read a corpus in memory; save it to a folder that all can reach")
        return type(self).open, (self.store.address,)

    @property
    def _where(self) -> str:
        return str(self.path or self.store or "the corpus")

    @property
    def batch_sizes(self) -> list[int]:
        """How many documents each batch of its files has."""
        return self._manifest.batches

    def __len__(self) -> int:
        return self.n_documents

    def __repr__(self) -> str:
        where = "in memory" if self.store is None else f"'{self.path or self.store}'"
        sizes = (
            counted(self.n_documents, "document"),
            counted(self.n_vocabulary, "distinct token"),
            counted(self.n_labels, "label"),
        )
        return f"<Corpus {where}: {', '.join(sizes)}>"

    def _repr_html_(self) -> str:
        from priorwise.charts import element

        what = repr(self).removeprefix("<Corpus ").removesuffix(">")
        rows = [
            element("tr", element("td", element("bdi", label)), element("td", f"{size:,}"))
            for label, size in self.largest_labels(10)
        ]
        heading = element("tr", [element("th", name, scope="col") for name in ("largest labels", "members")])
        table = element("table", element("thead", heading), element("tbody", rows)) if rows else None
        return element("div", element("p", element("b", "Corpus"), f" {what}"), table)

    # Making one

    @classmethod
    def of(cls, data: Any) -> Corpus:
        """Return the corpus that is meant: itself, its folder, a file of records, a data frame, or records.

        Columns have the usual names, ``text``, ``id``, ``title`` and ``labels``. If yours have others, use
        :meth:`from_dataframe` or :meth:`from_records`.

        Parameters
        ----------
        data : Corpus, path, data frame, or iterable of mappings
            A frame of pandas or Polars; a dataset of Hugging Face is an iterable of mappings.

        Examples
        --------
        >>> len(Corpus.of([{"text": "red apple"}, {"text": "green apple"}]))
        2
        """
        if isinstance(data, Corpus):
            return data
        if isinstance(data, str | Path):
            return cls.open(data) if "://" in str(data) or Path(data).is_dir() else cls.from_records(data)
        return cls.from_records(data)

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        *,
        labels: Iterable[str | int | Iterable[str] | None] | None = None,
        ids: Iterable[str] | None = None,
        titles: Iterable[str] | None = None,
        title_words: bool = True,
        path: str | Path | None = None,
    ) -> Corpus:
        """Make a corpus from texts.

        Parameters
        ----------
        texts : iterable of str
        labels : iterable, optional
            For each text a label, a list of labels, or None.
        ids, titles : iterable of str, optional
            By default the texts are numbered from 0, and the title is the id.
        title_words : bool, default True
            Count the words of a title as words of its text.
        path : str or Path, optional
            The folder to write; without one the corpus lives in memory.

        Examples
        --------
        >>> corpus = Corpus.from_texts(["red apple", "green apple"], labels=[["fruit", "red"], "fruit"])
        >>> corpus.largest_labels(2)
        [('fruit', 2), ('red', 1)]
        """
        from priorwise.corpus.build import ingestion as build

        return build.corpus_of(cls, build.documents_of_texts(texts, labels, ids, titles, title_words), path)

    @classmethod
    def from_records(
        cls,
        records: str | Path | Iterable[Mapping[str, Any]] | Iterable[str | Path],
        *,
        text: str | Sequence[str] = "text",
        id: str = "id",
        title: str = "title",
        labels: str = "labels",
        separator: str | None = None,
        title_words: bool = True,
        keep_columns: bool = True,
        duplicates: Duplicates = "number",
        copies: Copies | None = "keep",
        path: str | Path | None = None,
        **opening: Any,
    ) -> Corpus:
        """Make a corpus from records: dictionaries, or files of them.

        Parameters
        ----------
        records : iterable of mappings, or path or paths of files
            Files are those that :class:`~priorwise.RecordReader` reads: tables, spreadsheets, bibliographies and more.
            A dataset of Hugging Face is an iterable of mappings. A data frame or an Arrow table is taken, too.
        text, id, title, labels : str
            The columns; `text` may be several. Without an ``id`` column the records are numbered, without a ``title``
            the id is the title.
        separator : str, optional
            What separates labels that come as one string; guessed from the data by default. An empty string means that
            each string is one label.
        title_words : bool, default True
            Count the words of the title as words of the document.
        keep_columns : bool, default True
            Keep the other columns; see :meth:`other`.
        duplicates : {"number", "first", "last", "error"}
            What to do with records that share an id: number the later ones (``a#2``), keep the first or the last, or
            refuse them.
        copies : {"keep", "drop", "join"}, optional
            What to do with near copies of an earlier record: keep and count them, leave them out, or leave them out and
            give their labels to the first. With None they are not looked for.
        path : str or Path, optional
            The folder to write; without one the corpus lives in memory.
        **opening
            How to open files, where they do not say it themselves: the parameters of :class:`~priorwise.Opening`, such
            as ``delimiter``, ``encoding`` and ``sheet``.

        Examples
        --------
        >>> records = [{"id": "a", "text": "red apple", "labels": "fruit; red"}]
        >>> Corpus.from_records(records).labels_of(0)
        ['fruit', 'red']
        """
        from priorwise.corpus.build import ingestion as build
        from priorwise.readers.fields import Columns
        from priorwise.readers.opening import Opening

        columns = Columns(text, id, title, labels, separator, title_words, keep_columns)
        reader = build.reader_of_records(records, columns, Opening(**opening))
        return build.corpus_of(cls, reader, path, duplicates, copies)

    @classmethod
    def from_matrix(
        cls,
        X: Any,
        vocabulary: Sequence[str] | Mapping[str, int],
        *,
        labels: Iterable[str | int | Iterable[str] | None] | None = None,
        ids: Iterable[str] | None = None,
        titles: Iterable[str] | None = None,
        path: str | Path | None = None,
    ) -> Corpus:
        """Make a corpus from counts.

        Parameters
        ----------
        X : sparse matrix or array
            Documents by tokens, whole numbers from 0.
        vocabulary : sequence of str, or mapping of str to column
            The columns' tokens, as a list or like ``CountVectorizer.vocabulary_``. Tokens that never occur are left
            out.
        labels, ids, titles, path
            As in :meth:`from_texts`.

        Examples
        --------
        >>> import numpy as np
        >>> corpus = Corpus.from_matrix(np.array([[2, 0], [1, 3]]), ["be", "to"])
        >>> corpus.matrix().toarray().tolist()
        [[2.0, 0.0], [1.0, 3.0]]
        """
        from priorwise.corpus.build import ingestion as build

        return build.corpus_of_matrix(cls, X, vocabulary, build.described(X.shape[0], labels, ids, titles), path)

    @classmethod
    def from_dataframe(cls, frame: Any, **options: Any) -> Corpus:
        """Make a corpus from a pandas or Polars data frame; options as in :meth:`from_records`.

        Without a column of ids, the index of a pandas frame names the documents, unless it just numbers the rows.
        """
        return cls.from_records(frame, **options)

    # Tokens and counts

    def batches(self) -> Iterator[TokenBatch]:
        """Yield all documents in order, in batches that are views of the file.

        Examples
        --------
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
        return self._vocabulary.column("documents").to_numpy()

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
        >>> Corpus.from_texts(["to be or not to be"]).token_ids(["be", "is"]).tolist()
        [0, -1]
        """
        return self._tokens.find_many(tokens)

    # Documents

    def languages(self, at_most: int = 2000) -> dict[str, float]:
        """Which languages the documents are in, with the share of each, the most frequent first.

        Parameters
        ----------
        at_most : int
            How many documents to look at, evenly over the corpus. Those whose words do not tell count as
            ``"not recognised"``: very short ones, and ones in a language that is not known.

        Examples
        --------
        >>> Corpus.from_texts(["the law of the sea", "das Recht ist nicht das Meer", "x"]).languages()
        {'English': 0.3333333333333333, 'German': 0.3333333333333333, 'not recognised': 0.3333333333333333}
        """
        rows = np.unique(np.linspace(0, self.n_documents - 1, min(at_most, self.n_documents)).astype(np.int64))
        offsets, tokens = self.take(rows)
        distinct, place = np.unique(tokens, return_inverse=True)
        names = np.array(self.token_names(distinct), object)[place]
        found: dict[str, int] = {}
        for begin, end in pairwise(offsets.tolist()):
            language = recognise(names[begin:end].tolist()) or "not recognised"
            found[language] = found.get(language, 0) + 1
        return {name: n / len(rows) for name, n in sorted(found.items(), key=lambda each: (-each[1], each[0]))}

    def ids(self, rows: ArrayLike) -> list[str]:
        """Return the ids of some documents."""
        return self._id_strings.take(as_rows(rows))

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
        >>> corpus = Corpus.from_texts(["a", "b"], labels=["Machine learning", None])
        >>> corpus.members("Machien learning")
        Traceback (most recent call last):
        ...
        priorwise.errors.UnknownName: no category 'Machien learning'; did you mean 'Machine learning' (1 member)?
        """
        return self._members[1][self._members_slice(label)].astype(np.int64)

    def member_origins(self, label: str) -> NDArray[np.uint8]:
        """Return where each membership of a label comes from, in the order of :meth:`members`.

        The numbers are those of :class:`~priorwise.Origin`.

        Examples
        --------
        >>> Corpus.from_texts(["a", "b"], labels=["x", "x"]).member_origins("x").tolist()
        [0, 0]
        """
        return self._origins[self._members_slice(label)]

    def label_named(self, name: str) -> str:
        """Return the label that a name means: itself, or without "Category:" before it as wikis write it.

        A name that means no label is returned as it is.

        Examples
        --------
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
        from priorwise.wiki.siteinfo import PARENTS, serves_editors

        labels = self.label_sizes().column("label").to_pylist() if names is None else names
        if not len(self.graph):
            return np.zeros(len(labels), np.bool_)
        hidden = {child for parent in PARENTS if parent in self.graph for child in self.graph.children(parent)}
        return np.fromiter(
            (name in hidden or name in PARENTS or serves_editors(name) for name in labels), np.bool_, len(labels)
        )

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
        unknown = UnknownName("category", label, near, sizes=sizes)
        if not self.n_labels:
            unknown.message += (
                "; the corpus has no labels: read the documents again and name their column (--labels), "
                "or give members, words or a description"
            )
        elif not near:
            largest = ", ".join(f"'{name}'" for name, _ in self.largest_labels(3))
            unknown.message += f" or similar; the largest {'is' if self.n_labels == 1 else 'are'} {largest}"
        raise unknown

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

    # Columns, mapped when they are first asked for

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self._manifest.batches)]).astype(np.int64)

    def _batches(self, name: str) -> list[pa.RecordBatch]:
        if self._verified is None or name in self._sound or name in self._verified:
            self._require(name)
            self._sound.add(name)
            return self._read(name, checked=self._verified is not None)[1]
        return self._checked(name)

    def _require(self, name: str) -> None:
        if name not in self._files:
            raise DamagedCorpus(f"{self._where} is damaged: its manifest does not name {name}")

    def _read(self, name: str, *, checked: bool = False) -> tuple[pa.Schema, list[pa.RecordBatch]]:
        try:
            return read_batches(self._files[name], checked=checked)
        except ValueError as error:
            raise self._damaged(name, str(error)) from error

    def _check(self, name: str, checksums: Checksums = NO_CHECKSUMS) -> None:
        """Compare a file with its checksum and check its structure; a damaged copy is thrown away and made again."""
        if name in self._sound:
            return
        state = self._verified.state(name) if self._verified is not None else None
        with ThreadPoolExecutor(1) as pool:
            checksum = checksums.get(name) or pool.submit(_checksum, self._files[name])
            wrong: DamagedCorpus | None = None
            try:
                check_file(name, *self._read(name), self._manifest, lambda other: self._checked(other, checksums))
            except DamagedCorpus as error:
                wrong = error
            except ValueError as error:
                wrong = self._damaged(name, str(error))
            matches = checksum.result() == self._manifest.files[name].sha256
        if not matches and isinstance(self._files, Fetched) and self._files.discard(name):
            self._check(name)
            return
        if not matches:
            raise self._damaged(name, "it does not match its checksum")
        if wrong is not None:
            raise wrong
        self._sound.add(name)
        if self._verified is not None:
            self._verified.add(name, state)

    def _checked(self, name: str, checksums: Checksums = NO_CHECKSUMS) -> list[pa.RecordBatch]:
        self._require(name)
        self._check(name, checksums)
        return self._read(name)[1]

    def _damaged(self, name: str, reason: str) -> DamagedCorpus:
        advice = "copy the corpus again from where it came from, or ingest it again"
        return DamagedCorpus(f"{self._where} is damaged: {name}: {reason}; {advice}")

    @cached_property
    def _token_lists(self) -> list[ListParts]:
        return [list_parts(batch.column("tokens")) for batch in self._batches(file_of.TOKENS)]

    @cached_property
    def _count_lists(self) -> list[ListParts]:
        return [list_parts(batch.column("counts")) for batch in self._batches(file_of.TOKENS)]

    @cached_property
    def _documents(self) -> list[pa.RecordBatch]:
        return self._batches(file_of.DOCUMENTS)

    @cached_property
    def _ids(self) -> SortedNames:
        order = self._batches(file_of.ID_ORDER)[0].column("document").to_numpy()
        return SortedNames(self._id_strings, order)

    @cached_property
    def _id_strings(self) -> Strings:
        return Strings([batch.column("id") for batch in self._documents])

    @cached_property
    def _titles(self) -> Strings:
        return Strings([batch.column("title") for batch in self._documents])

    @cached_property
    def _stored_texts(self) -> StoredTexts | None:
        if file_of.TEXTS not in self._files:
            return None
        return StoredTexts(self._starts, self._batches(file_of.TEXTS))

    @cached_property
    def _stored_others(self) -> StoredTexts | None:
        if file_of.OTHERS not in self._files:
            return None
        return StoredTexts(self._starts, self._batches(file_of.OTHERS))

    @cached_property
    def _address(self) -> str:
        return (self._documents[0].schema.metadata or {}).get(file_of.ADDRESS, b"").decode("utf-8", "replace")

    @cached_property
    def _label_lists(self) -> list[ListParts]:
        return [list_parts(batch.column("labels")) for batch in self._documents]

    @cached_property
    def _vocabulary(self) -> pa.RecordBatch:
        return self._batches(file_of.VOCABULARY)[0]

    @cached_property
    def _tokens(self) -> SortedNames:
        order = self._batches(file_of.TOKEN_ORDER)[0].column("token").to_numpy()
        return SortedNames(Strings([self._vocabulary.column("token")]), order)

    @cached_property
    def _label_table(self) -> pa.RecordBatch:
        return self._batches(file_of.LABELS)[0]

    @cached_property
    def _labels(self) -> SortedNames:
        return SortedNames(Strings([self._label_table.column("label")]), None)

    @cached_property
    def _members(self) -> ListParts:
        return list_parts(self._label_table.column("documents"))

    @cached_property
    def _origins(self) -> NDArray[np.uint8]:
        return list_parts(self._label_table.column("origins"))[1]

    @cached_property
    def graph(self) -> CategoryGraph:
        """Which categories are in which; without categories if the corpus was made without their pages."""
        stored = file_of.CATEGORIES in self._files
        return CategoryGraph(self._batches(file_of.CATEGORIES)[0] if stored else None)

    @cached_property
    def _label_search(self) -> LabelSearch:
        return LabelSearch(self._label_table.column("label"), np.diff(self._members[0]))

    def _gather(self, rows: ArrayLike, *columns: list[ListParts]) -> tuple[NDArray[np.int64], list[NDArray[Any]]]:
        offsets = [offsets for offsets, _ in columns[0]]
        values = [[values for _, values in column] for column in columns]
        return gather(self._starts, offsets, values, as_rows(rows))


def as_rows(rows: ArrayLike) -> NDArray[np.int64]:
    """Return row numbers as an array; a float or a mask is a mistake and says so."""
    given = np.asarray(rows)
    if given.size == 0:
        return np.empty(0, np.int64)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise TypeError(f"rows are whole numbers in one dimension, not {given.dtype} in {given.ndim}")
    return given.astype(np.int64)


def _checksum(content: pa.Buffer) -> str:
    return hashlib.sha256(content).hexdigest()
