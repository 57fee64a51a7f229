"""`priorwise verify`: whether what is on the disk is what was written."""

from __future__ import annotations

from pathlib import Path

import click

from priorwise.cli.places import place


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
def verify(paths: tuple[str, ...]) -> None:
    """Check that each PATH is whole: a corpus, a run, a folder of runs, a model, or the verdicts of a review.

    Every file is read and compared with its checksum, and its structure is checked. Verdicts have no checksums: there,
    the database is checked and every verdict is read. The first fault ends the command with exit code 2, and what to do
    about it.
    """
    for given in paths:
        path = place(click.get_current_context(), verify.params[0], given)
        if path is not None:
            click.echo(f"{given}: {_verified(path)}")


def _verified(path: Path | str) -> str:
    """Check one thing, and say what it is."""
    from priorwise.corpus.storage.manifest import FILE_NAME as CORPUS
    from priorwise.discovery.run import MARKER as RUN
    from priorwise.discovery.run_folders import MARKER as RUNS
    from priorwise.discovery.verdicts import FILE_NAME as VERDICTS
    from priorwise.errors import BrokenFile
    from priorwise.models.linear_model import FILE_NAME as MODEL

    if isinstance(path, str) or (path / CORPUS).is_file():
        return _corpus(path)
    if (path / MODEL).is_file():
        return _model(path)
    if (path / RUN).is_file():
        return _run(path)
    if (path / RUNS).is_file():
        runs = sorted(each.parent for each in path.glob(f"*/{RUN}"))
        for run in runs:
            _run(run)
        return f"{len(runs):,} whole runs"
    if path.name == VERDICTS and path.is_file():
        return _review(path.parent)
    if not path.exists():
        raise BrokenFile(path, "there is no such file or folder")
    raise BrokenFile(path, "neither a corpus nor a run, a model or verdicts, so there is nothing to compare it with")


def _corpus(path: Path | str) -> str:
    from priorwise.corpus import Corpus
    from priorwise.counting import counted

    corpus = Corpus.open(path)
    corpus.verify()
    return f"a whole corpus of {counted(len(corpus), 'document')}"


def _model(path: Path) -> str:
    from priorwise.counting import counted
    from priorwise.models.linear_model import LinearModel

    return f"a whole model of {counted(len(LinearModel.load(path).labels), 'label')}"


def _run(path: Path) -> str:
    from priorwise.discovery.run import Run, check_whole
    from priorwise.discovery.verdicts import FILE_NAME as VERDICTS

    Run.load(path)
    has_checksums = check_whole(path)
    reviewed = f", {_review(path)}" if (path / VERDICTS).is_file() else ""
    return f"a {'whole run' if has_checksums else 'readable run of an earlier version, without checksums'}{reviewed}"


def _review(folder: Path) -> str:
    from priorwise.counting import counted
    from priorwise.review.verdicts import Verdicts

    verdicts = Verdicts.of_run(folder)
    try:
        verdicts.check()
        return f"{counted(len(verdicts.log()), 'verdict')} that can be read"
    finally:
        verdicts.close()
