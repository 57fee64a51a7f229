"""A corpus as files: opened, saved, verified, and its columns mapped when they are first asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from priorwise.corpus.build import merge as file_of
from priorwise.corpus.build.gather import gather
from priorwise.corpus.graph import CategoryGraph
from priorwise.corpus.label_search import LabelSearch
from priorwise.corpus.lookup import SortedNames, Strings
from priorwise.corpus.storage.columns import list_parts
from priorwise.corpus.storage.fetched import Fetched, Progress, manifest_at
from priorwise.corpus.storage.manifest import Manifest
from priorwise.corpus.storage.places import Store
from priorwise.corpus.storage.read_from import ReadFrom
from priorwise.corpus.storage.structure import check_file
from priorwise.corpus.storage.verified import Verified
from priorwise.corpus.texts import StoredTexts
from priorwise.corpus.vectors import Vectors
from priorwise.counting import counted
from priorwise.errors import DamagedCorpus, InputError
from priorwise.readers.addresses import local_path, with_ending
from priorwise.readers.arrow_messages import read_batches
from priorwise.readers.remote_file import RemoteFile

ListParts = tuple[NDArray[Any], NDArray[Any]]


class StoredCorpus:
    """The files of a corpus, in a folder or in memory; see :class:`~priorwise.corpus.corpus.Corpus`."""

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
    def open(cls, path: str | Path) -> Self:
        """Open a corpus folder.

        Parameters
        ----------
        path : str or Path
            The folder, or its address on a file system that Arrow or fsspec reach; from there, what is asked for is
            copied to the folder of downloads, once, and mapped.

        Raises
        ------
        CorpusError
            It is no corpus; :class:`~priorwise.errors.NewerVersion` if a later priorwise wrote it, and
            :class:`~priorwise.errors.DamagedCorpus` if a file is missing or has the wrong length.
        """
        if isinstance(path, RemoteFile):
            return cls._open_address(path.address)
        if (on_disk := local_path(path)) is None:
            return cls._open_address(str(path))
        folder = on_disk
        manifest = Manifest.read(folder)
        mapped = {name: pa.memory_map(str(folder / name)).read_buffer() for name in manifest.files}
        return cls(manifest, mapped, folder, verified=Verified(folder, manifest))

    @classmethod
    def _open_address(cls, address: str) -> Self:
        """Open a corpus elsewhere; what is asked for is copied to the disk, a file at a time."""
        store = Store(with_ending(address, ""))
        manifest = manifest_at(store)
        fetched = Fetched(store, manifest)
        return cls(manifest, fetched, None, store, Verified(fetched.folder, manifest))

    def fetch(self, progress: Progress = lambda done, total: None) -> None:
        """Copy a corpus that lies elsewhere to the disk now, all but texts and other columns."""
        if isinstance(self._files, Fetched):
            self._files.fetch([name for name in self._files if name not in (file_of.TEXTS, file_of.OTHERS)], progress)

    def save(self, path: str | Path, *, overwrite: bool = False) -> Self:
        """Write the corpus to a folder, or to an address, and return it opened from there."""
        from priorwise.corpus.build.write import claim_any

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
        for name in self._manifest.files:
            self._check(name)
        if self.vectors is not None and self.path is not None:
            self.vectors.verify(self.path)

    @cached_property
    def vectors(self) -> Vectors | None:
        """The documents' vectors, if `priorwise embed` or :meth:`add_vectors` put them beside the corpus."""
        return None if self.path is None else Vectors.open(self.path, self.checksum, self.n_documents)

    def add_vectors(self, values: Any, encoder: str | None = None, *, overwrite: bool = False) -> None:
        """Keep a vector for each document: beside the corpus, or in memory if the corpus is in memory.

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
        >>> from priorwise.corpus import Corpus
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
        """The files that it was made of and how they were read; None if it was made of something else."""
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

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self._manifest.batches)]).astype(np.int64)

    def _batches(self, name: str) -> list[pa.RecordBatch]:
        if self._verified is None or name in self._sound or name in self._verified:
            self._require(name)
            self._sound.add(name)
            return self._read(name)[1]
        return self._checked(name)

    def _require(self, name: str) -> None:
        if name not in self._files:
            raise DamagedCorpus(f"{self._where} is damaged: its manifest does not name {name}")

    def _read(self, name: str) -> tuple[pa.Schema, list[pa.RecordBatch]]:
        try:
            return read_batches(self._files[name])
        except ValueError as error:
            raise self._damaged(name, str(error)) from error

    def _check(self, name: str) -> None:
        """Compare a file with its checksum and check its structure; a damaged copy is thrown away and made again."""
        if name in self._sound:
            return
        state = self._verified.state(name) if self._verified is not None else None
        with ThreadPoolExecutor(1) as beside:
            checksum = beside.submit(lambda: hashlib.sha256(self._files[name]).hexdigest())
            wrong: DamagedCorpus | None = None
            try:
                check_file(name, *self._read(name), self._manifest, self._checked)
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

    def _checked(self, name: str) -> list[pa.RecordBatch]:
        self._require(name)
        self._check(name)
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
        return SortedNames(Strings([batch.column("id") for batch in self._documents]), order)

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
    """Return row numbers as an array; a float or a mask is a mistake and says so.

    Examples
    --------
    >>> as_rows([2, 0]).tolist()
    [2, 0]
    """
    given = np.asarray(rows)
    if given.size == 0:
        return np.empty(0, np.int64)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise TypeError(f"rows are whole numbers in one dimension, not {given.dtype} in {given.ndim}")
    return given.astype(np.int64)
