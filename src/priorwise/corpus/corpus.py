"""The corpus, and the ways to make one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from priorwise.corpus.build.copies import Copies
from priorwise.corpus.build.repeats import Duplicates
from priorwise.corpus.contents import CorpusContents


class Corpus(CorpusContents):
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

    def _repr_html_(self) -> str:
        from priorwise.corpus.notebook import corpus_html

        return corpus_html(self)

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
        from priorwise.corpus.build import in_memory as build

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
        from priorwise.corpus.build import in_memory as build
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
        from priorwise.corpus.build import in_memory as build

        return build.corpus_of_matrix(cls, X, vocabulary, build.described(X.shape[0], labels, ids, titles), path)

    @classmethod
    def from_dataframe(
        cls,
        frame: Any,
        *,
        text: str | Sequence[str] = "text",
        id: str = "id",
        title: str = "title",
        labels: str = "labels",
        separator: str | None = None,
        title_words: bool = True,
        keep_columns: bool = True,
        duplicates: Duplicates = "number",
        path: str | Path | None = None,
    ) -> Corpus:
        """Make a corpus from a pandas or Polars data frame; parameters as in :meth:`from_records`.

        Without a column of ids, the index of a pandas frame names the documents, unless it just numbers the rows.
        """
        from priorwise.corpus.build import in_memory as build
        from priorwise.readers.fields import Columns

        columns = Columns(text, id, title, labels, separator, title_words, keep_columns)
        return build.corpus_of(cls, build.documents_of_frame(frame, columns), path, duplicates)
