"""Files at an address, such as ``s3://bucket/news.jsonl``: what Arrow or fsspec reach, or else what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from priorwise.errors import CorpusError, MissingExtra

_ADVICE = {
    "Bucket '": "make the bucket first, or correct the name",
    "NO_SUCH_BUCKET": "make the bucket first, or correct the name",
    "ACCESS_DENIED": "say who you are by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or as your cloud does it; "
    "what is public is read as s3://anonymous@bucket/…",
    "INVALID_ACCESS_KEY_ID": "AWS_ACCESS_KEY_ID is not known there",
    "SIGNATURE_DOES_NOT_MATCH": "AWS_SECRET_ACCESS_KEY is not the one that belongs to AWS_ACCESS_KEY_ID",
    "NETWORK_CONNECTION": "look at the network and, for a store that is not Amazon's, at AWS_ENDPOINT_URL",
    "libjvm": "HDFS needs a Java: set JAVA_HOME",
    "libhdfs": "HDFS needs the library of a Hadoop client: set HADOOP_HOME, or ARROW_LIBHDFS_DIR to the folder with "
    "libhdfs.so, and CLASSPATH to what `hadoop classpath --glob` prints",
}


def is_address(path: str | Path) -> bool:
    """Return whether this is the address of a file or folder, not the path of one.

    Examples
    --------
    >>> is_address("s3://bucket/news.corpus"), is_address("news.corpus"), is_address(Path("news.corpus"))
    (True, False, False)
    """
    return isinstance(path, str) and "://" in path


def local_path(path: str | Path) -> Path | None:
    """Return the path that is meant, or None if it is an address elsewhere.

    Examples
    --------
    >>> local_path("file:///data/news.corpus"), local_path("s3://bucket/news.corpus")
    (PosixPath('/data/news.corpus'), None)
    """
    if not is_address(path):
        return Path(path)
    scheme, _, rest = str(path).partition("://")
    return Path(unquote(rest)) if scheme == "file" else None


def with_ending(address: str, ending: str) -> str:
    """Return the address of a neighbour, whose name has an ending more; the options after a ``?`` stay.

    Examples
    --------
    >>> with_ending("s3://bucket/x.corpus/?region=eu-west-1", ".partial")
    's3://bucket/x.corpus.partial?region=eu-west-1'
    """
    path, mark, options = address.partition("?") if is_address(address) else (address, "", "")
    return path.rstrip("/") + ending + mark + options


def shown(address: str) -> str:
    """Return an address as it may be shown to anybody: without a user's name and password, and without options.

    Examples
    --------
    >>> shown("s3://key:secret@bucket/x.corpus?region=eu-west-1"), shown("x?.corpus")
    ('s3://bucket/x.corpus', 'x?.corpus')
    """
    if not is_address(address):
        return address
    scheme, _, rest = address.partition("?")[0].partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"


@lru_cache(maxsize=32)
def file_system(address: str) -> tuple[Any, str]:
    """Return the file system of a path or an address, as Arrow has it, and what it calls the file or folder there."""
    from pyarrow import fs

    if not is_address(address):
        return fs.LocalFileSystem(), str(Path(address).absolute())
    with reached(address):
        try:
            files, path = fs.FileSystem.from_uri(address)
        except pa.ArrowInvalid as error:
            if address.partition("://")[0] in ("s3", "hdfs", "gs", "gcs", "abfs", "abfss"):
                raise CorpusError(f"{shown(address)} is no such address: {error}") from error
            files, path = _by_fsspec(address)
    return files, path.rstrip("/")


def _by_fsspec(address: str) -> tuple[Any, str]:
    from pyarrow.fs import FSSpecHandler, PyFileSystem

    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise MissingExtra("fsspec", "spark") from error
    try:
        found, path = url_to_fs(address)
    except (ValueError, ImportError) as error:
        raise CorpusError(f"{shown(address)} cannot be reached: {error}") from error
    return PyFileSystem(FSSpecHandler(found)), str(path)


@contextmanager
def reached(address: str) -> Iterator[None]:
    """Turn what Arrow says of a file system that it does not reach into an error of ours that says what to do."""
    try:
        yield
    except OSError as error:
        # What has a number comes from the system, and is about the disk.
        if error.errno is not None:
            raise
        # What Arrow advises to do about a bucket is to be done in Python.
        said = str(error).partition(". To create buckets")[0]
        advice = next((f"; {what}" for sign, what in _ADVICE.items() if sign in said), "")
        raise CorpusError(f"{shown(address)} cannot be reached: {said}{advice}") from error
