"""`python -m priorwise` is the command line."""

from priorwise.cli import main

main(prog_name="priorwise")
