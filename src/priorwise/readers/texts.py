"""Read texts from anywhere: files of records, plain files, folders of them, lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import BinaryIO

from priorwise.errors import BrokenFile
from priorwise.readers.compressed import opened
from priorwise.readers.document import Document
from priorwise.readers.fields import Columns
from priorwise.readers.folder import FolderReader, decoded
from priorwise.readers.json_lines import LONGEST_RECORD
from priorwise.readers.opening import STDIN, Opening
from priorwise.readers.records import RecordReader, holds_records


def read_texts(
    paths: Sequence[Path], columns: Columns, opening: Opening | None = None, *, lines: bool = False
) -> Iterator[Document]:
    r"""Yield the documents of files and folders, in the order given.

    Parameters
    ----------
    paths : sequence of Path
        Files of records, by their names; any other file is one document, whose id is the path; a folder is all files
        in it. Files may be compressed.
    columns : Columns
        Which columns make a document of a record.
    opening : Opening, optional
        How to open files of records, where they do not say it themselves. With a format or a delimiter, every file
        holds records.
    lines : bool
        Whether each line of a plain file is a document, with the path and the number of the line as its id.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "letter.txt")
    ...     _ = path.write_text("Dear Sir,\n")
    ...     [document.text for document in read_texts([path], Columns())]
    ['Dear Sir,\n']
    """
    for are_records, group in groupby(
        paths, lambda path: path == STDIN or (not path.is_dir() and holds_records(path, opening))
    ):
        if are_records:
            # One reader for all of them, so that records without an id are numbered on.
            yield from RecordReader(list(group), columns, opening)
            continue
        for path in group:
            if path.is_dir():
                for document in FolderReader(path):
                    yield Document(str(path / document.id), document.title, document.text)
            elif lines:
                with opened(path, lambda n: None) as stream:
                    yield from read_lines(stream, f"{path}:")
            else:
                yield Document(str(path), path.name, _whole(path))


def read_lines(stream: BinaryIO, prefix: str = "") -> Iterator[Document]:
    r"""Yield each line that is not empty as a document; its id is the number of the line, after a prefix.

    Examples
    --------
    >>> import io
    >>> [(document.id, document.text) for document in read_lines(io.BytesIO(b"one\n\ntwo\n"), "a.txt:")]
    [('a.txt:1', 'one'), ('a.txt:3', 'two')]
    """
    number = 0
    while line := stream.readline(LONGEST_RECORD + 1):
        number += 1
        if len(line) > LONGEST_RECORD:
            where = prefix.rstrip(":") or "the standard input"
            raise BrokenFile(where, f"longer than {LONGEST_RECORD:,} bytes", line=number)
        text = decoded(line)[0].rstrip("\r\n")
        if text.strip():
            yield Document(f"{prefix}{number}", f"{prefix}{number}", text)


def _whole(path: Path) -> str:
    with opened(path, lambda n: None) as stream:
        content = stream.read(LONGEST_RECORD + 1)
    if len(content) > LONGEST_RECORD:
        raise BrokenFile(path, f"longer than {LONGEST_RECORD:,} bytes, too long for one document (see --lines)")
    return decoded(content)[0]
