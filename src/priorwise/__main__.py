"""`python -m priorwise` is the command line."""

from priorwise.cli import main

if __name__ == "__main__":
    main(prog_name="priorwise")
