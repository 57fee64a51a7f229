"""Files at an address, such as ``s3://bucket/news.jsonl``: what Arrow or fsspec reach, or else what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from priorwise.errors import CorpusError, InputError, MissingExtra, Unreachable

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
        if was_address(path):
            raise InputError(f"{path} was an address, and a path has lost one of its slashes: give the address itself")
        return Path(path)
    scheme, _, rest = str(path).partition("://")
    return Path(unquote(rest.removeprefix("localhost"))) if scheme == "file" else None


def was_address(path: str | Path) -> bool:
    """Return whether this is a path that was made of an address, and is on no disk.

    Examples
    --------
    >>> was_address(Path("s3://bucket/news.corpus")), was_address(Path("news.corpus"))
    (True, False)
    """
    first = Path(path).parts[:1]
    return bool(first) and re.fullmatch(r"[a-z][a-z0-9+.-]+:", first[0]) is not None and not Path(first[0]).exists()


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
    scheme, _, rest = address.partition("://")
    host = re.split("[/?]", rest, maxsplit=1)[0]
    if "@" in host:
        rest = rest[host.rindex("@") + 1 :]
    elif ":" in host and not host.rpartition(":")[2].isdigit():
        # A secret key with a slash that was not written as %2F ends where the bucket begins.
        rest = rest.rpartition("@")[2]
    return f"{scheme}://{rest.partition('?')[0]}"


def _said(error: Exception, address: str) -> str:
    """Return what an error says, without what an address hides."""
    return str(error).replace(address, shown(address))


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
                advice = "; in a key, a slash is written %2F and a blank %20" if "@" in address else ""
                # Without its cause, which would show the keys.
                raise CorpusError(f"{shown(address)} is no such address: {_said(error, address)}{advice}") from None
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
    except (ValueError, TypeError, ImportError) as error:
        raise CorpusError(f"{shown(address)} cannot be reached: {_said(error, address)}") from error
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
        said = _said(error, address).partition(". To create buckets")[0]
        advice = next((f"; {what}" for sign, what in _ADVICE.items() if sign in said), "")
        raise Unreachable(f"{shown(address)} cannot be reached: {said}{advice}") from error
