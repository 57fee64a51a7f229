"""Small files that a person wrote, read whole: a stop list, priors, keywords, a list of ids."""

from __future__ import annotations

from pathlib import Path

from priorwise.counting import plural
from priorwise.errors import BrokenFile
from priorwise.readers.compressed import reading

LONGEST_LIST = 1 << 30
"""So many bytes a list may have; one of all pages of the largest wikis has fewer."""


def small_text(path: Path, at_most: int, what: str) -> str:
    r"""Return the text of a file in UTF-8; a mark at its beginning that says so is left out.

    Parameters
    ----------
    path : Path
    at_most : int
        How many bytes it may have: a larger one was named by mistake.
    what : str
        What it should be, for the message.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "stop.txt")
    ...     _ = path.write_bytes(b"\xef\xbb\xbfthe\nof\n")
    ...     small_text(path, 100, "stop list")
    'the\nof\n'
    """
    with reading(path), path.open("rb") as file:
        content = file.read(at_most + 1)
    if len(content) > at_most:
        raise BrokenFile(path, f"longer than {at_most:,} bytes, which no {what} is")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BrokenFile(path, f"not valid UTF-8 (byte {error.start})") from error


def small_list(path: Path, what: str) -> list[str]:
    """Return the lines of a file that hold something, without the white space around it."""
    lines = [line.strip() for line in small_text(path, LONGEST_LIST, f"list of {plural(what)}").split("\n")]
    if not any(lines):
        raise BrokenFile(path, f"there is no {what} in it")
    return [line for line in lines if line]
