"""The place of a corpus that a file names, which a stranger may have written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from priorwise.errors import InputError
from priorwise.readers.addresses import is_address, shown, was_address


def recorded_path(place: Any) -> Path:
    """Return the place of a corpus that a run names, if it is on this machine.

    To open an address means to contact its host and to sign the request with the user's keys. So an address counts
    only if the user gives it.

    Raises
    ------
    InputError
        It is an address, or no place at all.

    Examples
    --------
    >>> recorded_path("data/news.corpus")
    PosixPath('data/news.corpus')
    >>> recorded_path("s3://key:secret@bucket/news.corpus?endpoint_override=host")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    priorwise.errors.InputError: this run names s3://bucket/news.corpus, and addresses are not opened unasked...
    """
    if not isinstance(place, str) or not place or "\0" in place:
        raise InputError("this run does not say where its corpus is; say where it is now (--corpus)")
    # Windows takes two slashes for another machine, and logs in there.
    elsewhere = is_address(place) or was_address(place) or (os.name == "nt" and place[:2] in ("//", "\\\\"))
    if elsewhere:
        raise InputError(
            f"this run names {shown(place)}, and addresses are not opened unasked; "
            "if you trust it, give it yourself (--corpus)"
        )
    return Path(place)
