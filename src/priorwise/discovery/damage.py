"""Errors about damaged files name the file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from priorwise.errors import BrokenFile


@contextlib.contextmanager
def damage_named(file: Path) -> Iterator[None]:
    """Turn whatever goes wrong while a file is read into a `BrokenFile` that names it.

    Where one such block is inside another, the inner one names the file.
    """
    try:
        yield
    except BrokenFile:
        raise
    except FileNotFoundError as error:
        raise BrokenFile(file.parent, f"damaged: {file.name} is missing") from error
    except (pa.ArrowException, ValueError, LookupError, TypeError, AttributeError, OSError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise BrokenFile(file, f"damaged ({reason})") from error
