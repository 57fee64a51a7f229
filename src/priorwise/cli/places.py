"""Paths and addresses on the command line, and how a corpus is opened from either."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click


def place(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Path | str | None:
    """Return a path, or the address of a folder elsewhere as it is: a path would lose one of its slashes."""
    return value if value is None or "://" in value else Path(value)


def files(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the files that are meant; what a shell does not expand, because it is an address, is expanded here."""
    if not any("://" in value for value in values):
        return tuple(map(Path, values))
    from priorwise.readers.remote_file import found_files

    return tuple(found_files(values))


def _lift_limits(_ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        from priorwise.readers.guarded import ALLOW_LARGE

        # In the environment, so that other processes of this job see it too.
        os.environ[ALLOW_LARGE] = "1"


allow_large = click.option(
    "--allow-large",
    is_flag=True,
    expose_value=False,
    callback=_lift_limits,
    help="Read files that expand to more than 200 times their size; only if you trust them.",
)


def named(path: Path | str) -> str:
    """Return a path or an address as it may be shown: without keys and options.

    Examples
    --------
    >>> named("s3://key:secret@bucket/x.corpus?region=eu-west-1"), named(Path("x.corpus"))
    ('s3://bucket/x.corpus', 'x.corpus')
    """
    from priorwise.readers.addresses import shown

    return shown(str(path))


def open_corpus(path: Path | str) -> Any:
    """Open a corpus; one that lies elsewhere is copied here first, under a bar, unless it was before."""
    from priorwise.corpus import Corpus

    corpus = Corpus.open(path)
    if corpus.path is None:
        from priorwise.cli.output import progress_bar

        with progress_bar(f"Fetching {corpus.store}") as bar:
            corpus.fetch(lambda done, total: bar.update(completed=done, total=total or None))
    return corpus


def runs_beside(corpus: Path | str) -> Path:
    """Return where the runs of a corpus are kept if nothing is said: beside it, or here if it lies elsewhere.

    Examples
    --------
    >>> str(runs_beside(Path("data/x.corpus"))), str(runs_beside("s3://bucket/x.corpus"))
    ('data/x.runs', 'x.runs')
    """
    if isinstance(corpus, Path):
        # "." and ".." are names of no folder, and have no ending.
        return (corpus if corpus.name not in ("", "..") else corpus.resolve()).with_suffix(".runs")
    return Path(corpus.partition("?")[0].rstrip("/").rpartition("/")[2]).with_suffix(".runs")
