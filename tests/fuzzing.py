"""Input that nobody meant to write: noise, files that break off, files that were changed in a few places.

How many cases are tried is the profile's to say: few by default, very many with ``--hypothesis-profile=fuzz``.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from priorwise.errors import PriorwiseError

MOST_MEMORY = 1 << 30
"""Bytes by which a process may have grown after all cases of a test; what is in the files is a few thousand."""

Change = tuple[str, int, bytes | int]

PLACES = st.integers(0, 1 << 20)
AWKWARD = [b"\0", b"\xff", b"\n", b"\r\n", b'"', b"'", b"\\", b",", b"\t", b"<", b">", b"&", b"{", b"}", b"[", b"]"]
AWKWARD += [b"\xef\xbb\xbf", b"\\ud800", b"\xed\xa0\x80", b"1e999", b"-1", b"null", b"\xff\xff\xff\x7f", b"\x80" * 8]


def changes(marks: Sequence[bytes] = AWKWARD) -> st.SearchStrategy[list[Change]]:
    """A few changes: bytes put in or over others, a stretch cut out, doubled, or moved, and the end cut off."""
    put = st.tuples(st.just("put"), PLACES, st.sampled_from(list(marks)) | st.binary(min_size=1, max_size=4))
    stretch = st.tuples(st.sampled_from(["cut", "double", "move", "end"]), PLACES, st.integers(1, 2_000))
    return st.lists(put | stretch, min_size=1, max_size=6)


def changed(data: bytes, made: Iterable[Change]) -> bytes:
    for how, place, what in made:
        at = place % (len(data) + 1)
        if isinstance(what, bytes):
            data = data[:at] + what + data[at + len(what) * (place % 2) :]
            continue
        taken, rest = data[at : at + what], data[:at] + data[at + what :]
        if how == "cut":
            data = rest
        elif how == "double":
            data = data[:at] + taken + data[at:]
        elif how == "move":
            data = rest[: at // 2] + taken + rest[at // 2 :]
        else:
            data = data[:at]
    return data


class Content(bytes):
    """What a file holds, shown in short."""

    def __repr__(self) -> str:
        return super().__repr__() if len(self) < 1000 else f"{bytes(self[:1000])!r}… ({len(self):,} bytes)"


def hostile(data: bytes, marks: Sequence[bytes] = AWKWARD) -> st.SearchStrategy[bytes]:
    """Such data with a few changes; now and then mere noise."""
    mutated = changes(marks).map(lambda made: Content(changed(data, made)))
    return st.one_of(mutated, mutated, mutated, st.binary(max_size=300))


def tried(times: float = 1) -> Any:
    """So many times as many cases as the profile says."""
    usual = settings.default.max_examples if settings.default else 100
    return settings(max_examples=int(times * usual), suppress_health_check=[HealthCheck.too_slow])


@contextmanager
def or_refused() -> Iterator[list[str]]:
    """Let what is done within be refused in a sentence, which is then in the list; any other error is a failure."""
    said: list[str] = []
    try:
        yield said
    except PriorwiseError as error:
        said.append(str(error).strip())
    assert all(said)


def read_or_refused(read: Callable[[Path], Iterable[Any]], name: str, content: bytes, most: int = 10_000) -> list[Any]:
    """What a reader makes of a file, nothing if it refuses it."""
    found: list[Any] = []
    with tempfile.TemporaryDirectory() as folder, or_refused():
        path = Path(folder, name)
        path.write_bytes(content)
        found = list(islice(read(path), most))
    assert len(found) < most
    return found


@contextmanager
def little_memory() -> Iterator[None]:
    """Whatever was read within, the process has not grown beyond measure."""
    if sys.platform == "win32":
        yield
        return
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert grown < MOST_MEMORY
