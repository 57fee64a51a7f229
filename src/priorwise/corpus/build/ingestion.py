"""Documents in, a corpus out: read or taken from memory, counted in shards on several threads, merged."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from priorwise.corpus.build.copies import Copies
from priorwise.corpus.build.repeats import Duplicates
from priorwise.corpus.build.shards import Shard
from priorwise.corpus.build.writing import Complete, IngestSummary, MakeShard, Work, corpus_in_memory, write_corpus
from priorwise.corpus.storage.manifest import VERSION, this_tokenizer
from priorwise.corpus.storage.read_from import ReadFrom
from priorwise.corpus.texts import BYTES_PER_BLOCK, KeepText, longest_kept
from priorwise.errors import InputError, UnknownName
from priorwise.readers.document import Document, Entry, Numbered, Reader, Stream, added_remarks, parts_of
from priorwise.readers.fields import PEEKED, Columns, guess_columns, said, with_usual_columns
from priorwise.readers.opening import Opening
from priorwise.readers.records import SPLIT, RecordReader, settled
from priorwise.text.tokens import CountedTexts

if TYPE_CHECKING:
    from priorwise.corpus.corpus import Corpus


DOCUMENTS_PER_SHARD = 1 << 14
CHARACTERS_PER_SHARD = 1 << 24
_REPORT_EVERY = 200

Progress = Callable[[int, int, int], None]


def ingest(
    reader: Reader,
    path: str | Path,
    *,
    workers: int | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
    duplicates: Duplicates = "error",
    copies: Copies | None = None,
    complete: Complete | None = None,
    keep_text: KeepText = "whole",
    work: Work | None = None,
) -> IngestSummary:
    """Read documents into a corpus folder.

    Parameters
    ----------
    reader : Reader
        Such as :class:`~priorwise.RecordReader` or :class:`~priorwise.FolderReader`.
    path : str or Path
        The corpus folder to make, ``X.corpus``. With `work` on Spark it may be an address, such as ``s3://…``.
    workers : int, optional
        Threads that count tokens; all processors by default. The corpus does not depend on it, byte for byte.
    overwrite : bool, default False
        Replace a corpus of that name, once the new one is whole.
    progress : function, optional
        Called now and then with the bytes read, the bytes there are, and the documents read, which with `work` on
        Spark are not known before the end: 0.
    duplicates : {"error", "first", "last", "number"}
        What to do when documents have the same id: refuse them, keep the first or the last of them and leave out the
        others, or number the later ones (``a#2``). Whatever is done is counted in the summary.
    copies : {"keep", "drop", "join"}, optional
        What to do with near copies of an earlier document (nine tenths of their words are the same): keep and count
        them, leave them out, or leave them out and give their labels to the first. By default they are not looked for.
    complete : function, optional
        Called with all shards before they are merged; returns those to merge in their place.
    keep_text : {"whole", "lead", "none"}
        How much of each text to keep for people to read: at most 100,000 bytes, at most 1,500, or nothing.
    work : Work, optional
        Where the work runs: threads of this process by default, or ``Spark(…).work``. The corpus is the same.

    Returns
    -------
    IngestSummary

    Notes
    -----
    A killed or interrupted call leaves ``X.corpus.partial``; the same call again continues there. A shard closes at
    16,384 documents or 16 million characters, so a worker needs at most about 300 MB, however long the input.

    Examples
    --------
    >>> import tempfile
    >>> from priorwise.readers.document import Stream
    >>> documents = Stream([Document("1", "One", "to be"), Document("2", "Two", "or not to be")])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ingest(documents, folder + "/hamlet.corpus").vocabulary
    4
    """
    fingerprint = reader.fingerprint()
    return write_corpus(
        ReaderShards(reader, keep_text, progress),
        path,
        tokenizer=this_tokenizer(),
        fingerprint=None if fingerprint is None else {"reader": fingerprint, **ways_of_working(keep_text)},
        workers=workers,
        overwrite=overwrite,
        duplicates=duplicates,
        copies=copies,
        complete=complete,
        work=work,
        read_from=ReadFrom.of(fingerprint),
        total_bytes=reader.total_bytes,
    )


def shard_makers(entries: Iterable[Entry], keep_text: KeepText) -> Iterator[MakeShard]:
    """Cut a stream of documents into shards, for :func:`~priorwise.corpus.build.writing.write_corpus`."""
    longest = longest_kept(keep_text)
    held: list[Entry] = []
    characters = 0
    for entry in entries:
        held.append(entry)
        characters += _characters(entry)
        if len(held) >= DOCUMENTS_PER_SHARD or characters >= CHARACTERS_PER_SHARD:
            yield partial(Shard.from_documents, held, longest)
            held, characters = [], 0
    if held:
        yield partial(Shard.from_documents, held, longest)


def _characters(entry: Entry) -> int:
    if isinstance(entry, Document):
        texts = len(entry.text) + len(entry.id) + len(entry.title) + sum(map(len, entry.labels))
        texts += sum(len(str(value)) for value in entry.other.values())
    else:
        texts = len(entry.name) + sum(map(len, entry.parents))
    return texts + sum(map(len, entry.added))


def ways_of_working(keep_text: KeepText) -> dict[str, Any]:
    """Return what else decides how the shards come out, in addition to the input."""
    return {
        "format": VERSION,
        "tokenizer": this_tokenizer(),
        "shard": [DOCUMENTS_PER_SHARD, CHARACTERS_PER_SHARD],
        "texts": [longest_kept(keep_text), BYTES_PER_BLOCK],
    }


class ReaderShards:
    """The shards of a reader's documents; a reader that has parts gives a split for each."""

    def __init__(self, reader: Reader, keep_text: KeepText, progress: Progress | None = None) -> None:
        self._reader, self._keep_text, self._progress = reader, keep_text, progress
        self._done_bytes, self._documents = 0, 0
        self._parts = parts_of(reader)

    def makers(self) -> Iterator[MakeShard]:
        """Yield functions that make the shards; none has documents of two parts."""
        for part in self._parts:
            if isinstance(part, Numbered) and part.first is None:
                part.first = self._documents
            yield from shard_makers(self._reported(part), self._keep_text)
            self._done_bytes += part.total_bytes

    def splits(self) -> list[ReaderSplit]:
        return [ReaderSplit(part, self._keep_text) for part in self._parts]

    def remarks(self) -> dict[str, int]:
        return added_remarks(part.remarks for part in self._parts)

    def splits_done(self, done: int, total: int) -> None:
        """Tell how much is read, as if splits were equally long."""
        if self._progress is not None:
            all_bytes = self._reader.total_bytes
            self._progress(all_bytes * done // max(1, total), all_bytes, 0)

    def _reported(self, part: Reader) -> Iterator[Entry]:
        for number, entry in enumerate(part, start=1):
            yield entry
            self._documents += isinstance(entry, Document)
            if number % _REPORT_EVERY == 0:
                self._report(part)
        self._report(part)

    def _report(self, part: Reader) -> None:
        if self._progress is not None:
            done = self._done_bytes + min(part.done_bytes, part.total_bytes)
            self._progress(done, self._reader.total_bytes, self._documents)


@dataclass(frozen=True, slots=True)
class ReaderSplit:
    """Documents that one reader reads, in another process than the one that found them."""

    reader: Reader
    keep_text: KeepText

    def makers(self) -> Iterator[MakeShard]:
        return shard_makers(self.reader, self.keep_text)

    def remarks(self) -> dict[str, int]:
        return self.reader.remarks


LabelsOfOne = str | int | Iterable[str] | None
_FRAME_ROWS = 4096


def corpus_of(
    kind: type[Corpus],
    reader: Reader,
    path: str | Path | None,
    duplicates: Duplicates = "error",
    copies: Copies | None = None,
) -> Corpus:
    """Make a corpus of documents, in a folder or in memory."""
    if path is not None:
        ingest(reader, path, duplicates=duplicates, copies=copies)
        return kind.open(path)
    makers = shard_makers(reader, "whole")
    return kind(
        *corpus_in_memory(
            makers,
            tokenizer=this_tokenizer(),
            duplicates=duplicates,
            copies=copies,
            told=lambda: dict(reader.remarks),
            read_from=ReadFrom.of(reader.fingerprint()),
        )
    )


def documents_of_texts(
    texts: Iterable[str],
    labels: Iterable[LabelsOfOne] | None,
    ids: Iterable[str] | None,
    titles: Iterable[str] | None,
    title_words: bool = True,
) -> Stream:
    """Return texts as documents; every list that is given must have as many entries as there are texts."""
    if isinstance(texts, str):
        raise InputError("texts is one string; give a list of them")

    def documents() -> Iterator[Document]:
        number = 0
        for number, text in enumerate(texts, start=1):
            if not isinstance(text, str):
                raise InputError(f"text {number - 1} is {type(text).__name__}, not a string")
            if any(len(column) < number for column in columns.values()):
                break
            identity = str(columns["ids"][number - 1] if "ids" in columns else number - 1)
            title = str(columns["titles"][number - 1]) if "titles" in columns else identity
            labels_of_one = label_list(columns["labels"][number - 1] if "labels" in columns else None)
            yield Document(identity, title, text, labels_of_one, title_words=title_words and "titles" in columns)
        for name, column in columns.items():
            if len(column) != number:
                raise InputError(f"{len(column):,} {name} do not fit the texts; give one for each text")

    given = {"ids": ids, "titles": titles, "labels": labels}
    columns: dict[str, list[Any]] = {name: list(column) for name, column in given.items() if column is not None}
    return Stream(documents())


def described(
    n: int, labels: Iterable[LabelsOfOne] | None, ids: Iterable[str] | None, titles: Iterable[str] | None
) -> list[Document]:
    """Return documents without text: what a matrix needs in addition to its counts."""
    entries = documents_of_texts([""] * n, labels, ids, titles)
    return [entry for entry in entries if isinstance(entry, Document)]


def label_list(labels: LabelsOfOne) -> list[str]:
    """Return the labels of one document as a list; a number, as in a target vector, is a label too."""
    if labels is None:
        return []
    listed = [labels] if isinstance(labels, str) or not isinstance(labels, Iterable) else list(labels)
    return [str(label) for label in listed if label != ""]


def reader_of_records(
    records: str | Path | Iterable[Mapping[str, Any]] | Iterable[str | Path], columns: Columns, opening: Opening
) -> Reader:
    """Return a reader of files, of a data frame, of an Arrow table, or of dictionaries, whichever these are."""
    if isinstance(records, str | os.PathLike):
        return _of_files([records], columns, opening)
    if isinstance(records, Mapping):
        names = ", ".join(map(str, list(records)[:5]))
        raise InputError(f"a dictionary of several tables or columns ({names}) is not a list of records; choose one")
    if hasattr(records, "to_batches"):
        batches = records.to_batches(max_chunksize=_FRAME_ROWS)
        return _stream(_checked(chain.from_iterable(batch.to_pylist() for batch in batches), columns), columns)
    if hasattr(records, "columns"):
        return documents_of_frame(records, columns)
    items = iter(records)
    first = next(items, None)
    if isinstance(first, str | os.PathLike):
        return _of_files([first, *items], columns, opening)  # type: ignore[list-item]
    features = getattr(records, "features", None)
    named = _class_names(chain([] if first is None else [first], items), features if features is not None else {})
    return _stream(_checked(named, columns), columns)


def _of_files(paths: Sequence[str | Path], columns: Columns, opening: Opening) -> RecordReader:
    reader = RecordReader(paths, columns, opening)
    return reader.with_columns(with_usual_columns(columns, reader.first_records()))


def _class_names(records: Iterable[Any], features: Mapping[str, Any]) -> Iterable[Any]:
    """Replace the numbers of classes by their names, which a dataset of Hugging Face keeps with its features."""
    classes = {column: names for column, each in features.items() if (names := getattr(each, "names", None))}
    if not classes:
        return records

    def name(value: Any, names: Sequence[str]) -> Any:
        return names[value] if isinstance(value, int) and 0 <= value < len(names) else None

    return (
        {key: name(value, classes[key]) if key in classes else value for key, value in record.items()}
        for record in records
    )


def _checked(records: Iterable[Any], columns: Columns) -> Iterator[Mapping[str, Any]]:
    for number, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise InputError(f"record {number} is {type(record).__name__}, not a dictionary or the path of a file")
        if number == 0:
            _check_columns(columns, record.keys(), "the records", [record])
        yield record


def _check_columns(columns: Columns, present: Collection[str], where: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Refuse records without the columns; where nobody named any, say which ones they might be."""
    try:
        columns.check(present, where)
    except UnknownName as error:
        if columns == Columns() and rows:
            likely = guess_columns(rows)
            named = {name: getattr(likely, name) for name in ("text", "title", "labels", "id")}
            chosen = ", ".join(f"{name}={value!r}" for name, value in named.items() if value in present)
            error.message += f"\nName the columns, as in Corpus.from_records(data, {chosen})"
        raise


def documents_of_frame(frame: Any, columns: Columns) -> Stream:
    """Return the rows of a pandas or Polars frame as documents, some thousand at a time.

    Without a column of ids, the index of a pandas frame names the documents, unless it just numbers them.
    """
    present = [str(name) for name in frame.columns]
    head = frame.head(PEEKED)
    cells = [_listed(head[name]) for name in frame.columns] if len(set(present)) == len(present) else []
    rows = [dict(zip(present, row, strict=False)) for row in zip(*cells, strict=True)]
    _check_columns(columns, present, "the data frame", rows)
    index = getattr(frame, "index", None)
    named = columns.id not in present and index is not None and type(index).__name__ != "RangeIndex"

    def records() -> Iterator[Mapping[str, Any]]:
        for start in range(0, len(frame), _FRAME_ROWS):
            part = (
                frame.iloc[start : start + _FRAME_ROWS] if hasattr(frame, "iloc") else frame.slice(start, _FRAME_ROWS)
            )
            values = [_listed(part[name]) for name in frame.columns]
            names = present
            if named:
                # An entry of an index with several levels is a tuple.
                keys = ["/".join(map(str, key)) if isinstance(key, tuple) else str(key) for key in part.index]
                names, values = [*present, columns.id], [*values, keys]
            for row in zip(*values, strict=True):
                yield dict(zip(names, row, strict=True))

    return _stream(records(), columns)


def _listed(series: Any) -> list[Any]:
    if hasattr(series, "to_list") and not hasattr(series, "notna"):
        return list(series.to_list())
    missing = series.isna().tolist()
    return [None if gone else value for value, gone in zip(series.tolist(), missing, strict=True)]


def _stream(records: Iterator[Mapping[str, Any]], columns: Columns) -> Stream:
    """Return records in memory as documents; what separates their labels is guessed from the first of them."""
    stream = Stream(())

    def documents() -> Iterator[Document]:
        head = list(islice(records, PEEKED))
        placed = with_usual_columns(columns, head)
        guess = settled(placed, head)
        chosen = guess.applied(placed)
        if guess.separator is not None:
            stream.remarks[SPLIT.format(placed.labels, said(guess.separator))] = sum(
                guess.separator in str(record.get(placed.labels)) for record in head
            )
        number = -1
        for number, record in enumerate(chain(head, records)):
            yield _placed(record, chosen, number)
        for role in ("title", "labels", "id"):
            if (name := getattr(placed, role)) != getattr(columns, role):
                stream.remarks[f"{role} taken from the column '{name}'"] = number + 1

    stream.documents = documents()
    return stream


def _placed(record: Mapping[str, Any], columns: Columns, number: int) -> Document:
    try:
        return columns.document(record, number)
    except (InputError, UnicodeDecodeError) as error:
        raise InputError(f"record {number}: {error}") from error


def corpus_of_matrix(
    kind: type[Corpus],
    X: Any,
    vocabulary: Sequence[str] | Mapping[str, int],
    documents: Sequence[Document],
    path: str | Path | None,
) -> Corpus:
    """Make a corpus of counts; see :meth:`~priorwise.corpus.corpus.Corpus.from_matrix`."""
    from scipy.sparse import csr_matrix

    rows = csr_matrix(X)
    rows.sum_duplicates()
    names = _column_names(vocabulary, rows.shape[1])
    if len(rows.data) and (rows.data.min() < 0 or rows.data.max() > np.iinfo(np.uint32).max):
        raise InputError("a matrix of counts has no entry below 0 or above 4,294,967,295; this one has")
    if not np.array_equal(rows.data, np.floor(rows.data)):
        raise InputError("a matrix of counts has whole numbers; this one has fractions (is it weighted by TF-IDF?)")
    rows.eliminate_zeros()
    starts = range(0, rows.shape[0], DOCUMENTS_PER_SHARD)
    shards = [partial(_shard_of_rows, rows, names, documents, start) for start in starts]
    if path is not None:
        write_corpus(shards, Path(path), tokenizer=None)
        return kind.open(path)
    return kind(*corpus_in_memory(shards, tokenizer=None))


def _shard_of_rows(rows: Any, names: list[str], documents: Sequence[Document], start: int) -> Shard:
    part = rows[start : start + DOCUMENTS_PER_SHARD]
    described = documents[start : start + DOCUMENTS_PER_SHARD]
    used, tokens = np.unique(part.indices, return_inverse=True)
    encoded = [names[column].encode("utf-8", "replace") for column in used.tolist()]
    counted = CountedTexts(
        offsets=part.indptr.astype(np.int64),
        tokens=tokens.astype(np.uint32),
        counts=part.data.astype(np.uint32),
        names=np.frombuffer(b"".join(encoded), np.uint8),
        name_offsets=np.concatenate([[0], np.cumsum([len(name) for name in encoded])]).astype(np.int32),
    )
    return Shard.from_counts(
        counted,
        ids=[document.id for document in described],
        titles=[document.title for document in described],
        labels=[document.labels for document in described],
    )


def _column_names(vocabulary: Sequence[str] | Mapping[str, int], width: int) -> list[str]:
    if isinstance(vocabulary, Mapping):
        by_column = {int(column): token for token, column in vocabulary.items()}
        if sorted(by_column) != list(range(width)):
            raise InputError(f"the vocabulary must name each of the {width:,} columns once")
        names = [by_column[column] for column in range(width)]
    else:
        names = [str(token) for token in vocabulary]
    if len(names) != width:
        raise InputError(f"the matrix has {width:,} columns and the vocabulary {len(names):,} tokens")
    if len(set(names)) != width:
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"the vocabulary has the token '{twice}' twice")
    return names
