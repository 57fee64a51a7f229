"""Every exception that priorwise raises on purpose.

The command line prints these as one sentence, without a traceback, and exits with code 2::

    PriorwiseError
    ├── InputError                what was given cannot be used
    │   ├── BrokenFile            a file that cannot be read: which, where, why
    │   ├── UnknownName           no such label, document, column …: with the nearest ones
    │   └── NotEnoughData         too few members, an empty corpus, a label that is everything
    ├── CorpusError               a corpus folder that cannot be opened or written
    │   ├── NewerVersion          written by a later priorwise
    │   ├── DamagedCorpus         files that do not match their manifest
    │   ├── AlreadyExists         the output is there already
    │   ├── InUse                 another process is writing the output: which
    │   └── Unreachable           an address that does not answer, or not to us: what to do next
    ├── DiskFull                  no space left where the output goes
    ├── EngineFailed              a cluster that could not be had, or that broke off: what to do next
    │   └── MissingJava           no Java, which Spark needs
    ├── DownloadFailed            a file that could not be had from the network: from where, why
    └── MissingExtra              an optional package that this needs is not installed
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any


class PriorwiseError(Exception):
    """Base of all; catch it to catch everything that priorwise raises on purpose.

    Examples
    --------
    >>> import priorwise as pw
    >>> try:
    ...     pw.Corpus.open("nowhere.corpus")
    ... except pw.PriorwiseError as error:
    ...     print(error)
    nowhere.corpus does not exist
    """


class InputError(PriorwiseError, ValueError):
    """What was given cannot be used; the message says what was wrong, where, and what to do next."""


class BrokenFile(InputError):
    """A file that cannot be read.

    Examples
    --------
    >>> print(BrokenFile("news.jsonl", "not valid JSON", line=7))
    news.jsonl, line 7: not valid JSON
    """

    def __init__(self, path: str | Path, reason: str, *, line: int | None = None) -> None:
        where = f"{path}, line {line}" if line is not None else f"{path}"
        self.reason, self.line = reason, line
        super().__init__(f"{where}: {reason}")


FEW = 8
"""Up to this many names are all listed."""


class UnknownName(InputError, KeyError):
    """A name that is not there, with the nearest names that are; if `known` is complete and short, with all of them.

    With `sizes`, the names that are known were found by a search, the best first.

    Examples
    --------
    >>> print(UnknownName("column", "txt", ["text", "title"]))
    no column 'txt'; did you mean 'text'?
    >>> print(UnknownName("label", "wine", ["tea", "milk"], complete=True))
    no label 'wine'; there are 'tea', 'milk'
    """

    def __init__(
        self, kind: str, name: str, known: Iterable[str], *, sizes: dict[str, str] | None = None, complete: bool = False
    ) -> None:
        from difflib import get_close_matches

        there = list(known)
        nearest = get_close_matches(name, there, n=3, cutoff=0.6) or (there[:3] if sizes else [])
        hints = [f"'{n}'" + (f" ({sizes[n]})" if sizes and n in sizes else "") for n in nearest]
        self.message = f"no {kind} '{name}'"
        if hints:
            self.message += f"; did you mean {' or '.join(hints)}?"
        elif complete and 0 < len(there) <= FEW:
            self.message += f"; there {'is' if len(there) == 1 else 'are'} {', '.join(map(repr, there))}"
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message


class NotEnoughData(InputError):
    """Too little to learn from: fewer than two members, an empty corpus, a label that is everything."""


class CorpusError(PriorwiseError):
    """A corpus folder that cannot be opened or written."""


class NewerVersion(CorpusError):
    """Written by a later priorwise than this one."""


class DamagedCorpus(CorpusError):
    """Files that are missing or do not match their manifest."""


class AlreadyExists(CorpusError):
    """The output is there already; something that is not of the kind to be written is never replaced.

    Examples
    --------
    >>> print(AlreadyExists("news.corpus"))
    news.corpus is there already; choose another name, or replace it with --overwrite (in Python, overwrite=True)
    """

    def __init__(self, path: str | Path, *, not_a: str | None = None, changed: Iterable[str] = ()) -> None:
        differs = ", ".join(changed)
        if differs:
            advice = (
                f" and was made differently: {differs} changed; choose another name, or replace it with --overwrite"
            )
        elif not_a is not None:
            advice = f" and is not a {not_a}, so it is not replaced; choose another name"
        else:
            advice = "; choose another name, or replace it with --overwrite (in Python, overwrite=True)"
        super().__init__(f"{path} is there already{advice}")


class InUse(CorpusError):
    """Another process is writing the same output at this moment.

    Examples
    --------
    >>> print(InUse("x.csv", "process 7 of user ann"))
    x.csv is being written by process 7 of user ann; wait for it or choose another name
    """

    def __init__(self, path: str | Path, holder: str) -> None:
        super().__init__(f"{path} is being written by {holder}; wait for it or choose another name")


class Unreachable(CorpusError):
    """An address that does not answer, or not to us; what was done by then is kept."""


class DiskFull(PriorwiseError):
    """No space left where the output goes."""


class EngineFailed(PriorwiseError):
    """A cluster that could not be had, or that broke off; what was done by then is kept."""


class MissingJava(EngineFailed):
    """No Java on this machine, or one that is too old; the message says where was looked, and what to install."""


class DownloadFailed(PriorwiseError):
    """A file that could not be had from the network; only hosts are named, for an address may hold a password."""


class MissingExtra(PriorwiseError, ImportError):
    """An optional package that this needs is not installed.

    Examples
    --------
    >>> print(MissingExtra("polars", "dataframes"))
    this needs the package 'polars': pip install 'priorwise[dataframes]'
    """

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"this needs the package '{package}': pip install 'priorwise[{extra}]'")


def optional(module: str, extra: str) -> Any:
    """Import a module of an optional package, or say which extra has it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(module.partition(".")[0].replace("_", "-"), extra) from error
