"""The group of all commands, and how errors reach the terminal."""

from __future__ import annotations

import errno
import importlib
from typing import Any

import click

COMMANDS = {
    "benchmark": ("priorwise.cli.benchmark", "benchmark", "Compare methods on hidden members, scikit-learn included."),
    "corpus": ("priorwise.cli.corpus", "corpus", "Show what a corpus holds."),
    "demo": ("priorwise.cli.demo", "demo", "See the whole of it in about a minute."),
    "discover": ("priorwise.cli.discover", "discover", "Find the documents missing from a category."),
    "explain": ("priorwise.cli.explain", "explain", "Say why a document has its score, token by token."),
    "ingest": ("priorwise.cli.ingest", "ingest", "Read documents into a corpus."),
}


class _Failure(click.ClickException):
    exit_code = 2


class _Commands(click.Group):
    """Commands that are imported when they are called, and errors that are one sentence."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name, _ = COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][2]) for name in self.list_commands(ctx)])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from priorwise.errors import UnknownName

            raise _Failure(str(UnknownName("command", args[0], COMMANDS)))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        from priorwise.errors import PriorwiseError

        try:
            return super().invoke(ctx)
        except PriorwiseError as error:
            raise _Failure(str(error)) from error
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise _Failure("no space left on the disk; nothing half-written was left behind") from error
            if error.errno in (errno.EACCES, errno.EROFS, errno.EISDIR, errno.ENOTDIR, errno.ENOENT):
                raise _Failure(f"{error.filename}: {error.strerror}") from error
            raise


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="priorwise", message="%(prog)s %(version)s")
def main() -> None:
    r"""Text classification in which the prior is the thing you choose, learn, look at and reuse.

    Start with `priorwise demo`, or:

    \b
      priorwise ingest records articles.jsonl -o articles.corpus
      priorwise discover articles.corpus "Machine learning" -o ml.run
      priorwise explain ml.run DOCUMENT_ID
    """
