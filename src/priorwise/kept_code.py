"""Where compiled code is kept between runs, and who is told when there is none yet."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

VARIABLE = "NUMBA_CACHE_DIR"

COMPILING = (
    "First use after an installation: compiling the inner loops for this processor, once, takes 2 to 4 seconds,"
    " for dumps of a wiki up to 20"
)

_told: list[Callable[[str], None]] = []


def on_compiling(tell: Callable[[str], None]) -> None:
    """Call a function, once and with one line to show, when the first kernel of this process has to be compiled."""
    _told[:] = [tell]


def announce() -> None:
    """Say that a kernel is being compiled, to whom it concerns; once."""
    while _told:
        _told.pop()(COMPILING)


def find_room(here: Path = Path(__file__).parent) -> Path | None:
    """See to it that Numba finds a folder for compiled code, and return it if it had to be made.

    Numba keeps the code next to the source, else in the user's cache folder, and refuses to work if it can write to
    neither: the package belongs to someone else and the user has no home, as in many containers. The code is then kept
    for as long as the process lasts.
    """
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    given = os.environ.get(VARIABLE)
    if (given and _is_writable(Path(given))) or _is_writable(here / "__pycache__") or _is_writable(home / "numba"):
        return None
    folder = Path(tempfile.mkdtemp(prefix="priorwise-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ[VARIABLE] = str(folder)
    if "numba" in sys.modules:
        sys.modules["numba"].config.CACHE_DIR = str(folder)
    warnings.warn(
        f"compiled code cannot be kept here, so every start takes long; set {VARIABLE} to a folder that can be written",
        stacklevel=3,
    )
    return folder


def _is_writable(folder: Path) -> bool:
    """Say whether files can be made in a folder that may have to be made first."""
    there = next(each for each in (folder, *folder.parents) if each.exists())
    effective = os.access in os.supports_effective_ids
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK, effective_ids=effective)
