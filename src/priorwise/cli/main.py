"""The group of all commands, and how errors reach the terminal."""

from __future__ import annotations

import errno
import importlib
import sys
from typing import Any

import click

from priorwise import __version__
from priorwise.cli.output import safe, spell_out
from priorwise.errors import PriorwiseError, UnknownName

GROUPS = {
    "Find": {
        "app": ("priorwise.cli.app", "app", "Do the whole job in the browser."),
        "discover": (
            "priorwise.cli.discover",
            "discover",
            "Find the documents missing from a category or many.",
        ),
        "explain": ("priorwise.cli.explain", "explain", "Show why a document has its score, word by word."),
        "mcp": ("priorwise.cli.mcp", "mcp", "Let an agent do the job, by the Model Context Protocol."),
        "demo": ("priorwise.cli.demo", "demo", "Try it on real articles, in about a minute."),
    },
    "Judge": {
        "review": ("priorwise.cli.review", "review", "Judge what a run found."),
        "report": ("priorwise.cli.report", "report", "Write what runs found, and how good they are, as one file."),
    },
    "Classify": {
        "train": ("priorwise.cli.train", "train", "Learn the labels of a corpus, a few or thousands."),
        "classify": ("priorwise.cli.classify", "classify", "Assign a model's labels to texts."),
        "evaluate": ("priorwise.cli.evaluate", "evaluate", "Measure how good a model is on a labelled corpus."),
    },
    "Data": {
        "ingest": ("priorwise.cli.ingest", "ingest", "Read documents into a corpus."),
        "corpus": ("priorwise.cli.data", "corpus", "Show what a corpus holds."),
        "embed": ("priorwise.cli.data", "embed", "Give documents vectors, to find other words of similar meaning."),
        "fetch": ("priorwise.cli.data", "fetch", "Download the dump of a wiki."),
        "verify": ("priorwise.cli.data", "verify", "Check that a corpus, run, model or review is whole."),
    },
    "Lab": {
        "explore": ("priorwise.cli.app", "explore", "Move a prior and see what it does, in the browser."),
        "benchmark": ("priorwise.cli.lab", "benchmark", "Compare methods on hidden members."),
        "simulate": ("priorwise.cli.lab", "simulate", "Replay reviews whose outcome is known."),
    },
}
"""The commands as `priorwise --help` groups them: module, function and one line each."""

COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}


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
        return getattr(importlib.import_module(module), name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<9}", summary) for name, (_, _, summary) in commands.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if sys.getfilesystemencoding() == "ascii" and any(not word.isascii() for word in args):
            reason = "this locale has only ASCII letters, and you typed others"
            raise _Failure(f"{reason}; set LC_ALL=C.UTF-8, or do not set PYTHONUTF8=0")
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            unknown = str(UnknownName("command", args[0], COMMANDS))
            raise _Failure(safe(unknown if unknown.endswith("?") else f"{unknown}; `priorwise --help` lists them"))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        from priorwise.kept_code import on_compiling

        if sys.stderr.isatty():
            on_compiling(lambda line: click.echo(line, err=True))
        try:
            return super().invoke(ctx)
        except PriorwiseError as error:
            raise _Failure(safe(str(error))) from error
        except click.exceptions.NoArgsIsHelpError:
            raise
        except click.UsageError as error:
            where = f"\nSee {error.ctx.command_path} --help." if error.ctx is not None else ""
            raise _Failure(safe(error.format_message()) + where) from error
        except UnicodeEncodeError as error:
            # What Python could not decode of a file's name it hands over as half characters; others cannot use them.
            if not any("\udc80" <= letter <= "\udcff" for letter in error.object[error.start : error.end]):
                raise
            raise _Failure(
                safe(f"the name {error.object} is not valid UTF-8; rename the file or the folder")
            ) from error
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise _Failure("no space left on the disk") from error
            if error.errno == errno.EPIPE or error.strerror is None:
                raise
            where = f"{error.filename}: " if error.filename is not None else ""
            raise _Failure(safe(f"{where}{error.strerror}")) from error


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True},
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Find the documents that are missing from a category, and see why each one was found.

    `priorwise` alone opens the app in the browser, and `priorwise demo` shows the job in the terminal. Or use the
    commands:

    \b
      priorwise ingest records articles.jsonl -o articles.corpus
      priorwise discover articles.corpus "Machine learning"
      priorwise review articles.runs/machine-learning.run
    """  # noqa: D301, click asks for the character itself
    spell_out(sys.stdout, sys.stderr)
    if ctx.invoked_subcommand is None:
        from priorwise.cli.app import app

        ctx.invoke(app)
