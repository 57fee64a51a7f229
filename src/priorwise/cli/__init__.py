"""The command line: one command per verb, each a few lines that call the library."""

from priorwise.cli.main import main

__all__ = ["main"]
