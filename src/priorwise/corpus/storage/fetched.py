"""A corpus at an address, such as ``s3://bucket/X.corpus``: each file is copied to the disk when it is first asked for.

A corpus is mapped, so it must lie on a disk. The copies are named after the corpus's checksum: wherever the same corpus
is opened from, they are the same, and a corpus that was made again is copied again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import pyarrow as pa

from priorwise.corpus.storage.manifest import FILE_NAME, Manifest
from priorwise.corpus.storage.places import Store
from priorwise.durable import disk_errors_explained
from priorwise.errors import BrokenFile, CorpusError, DamagedCorpus
from priorwise.readers.addresses import reached
from priorwise.readers.copies import cache_folder, copied

Progress = Callable[[int, int], None]
"""Told how many bytes are there, and how many there will be."""


class Fetched(Mapping[str, pa.Buffer]):
    """The files of a corpus elsewhere, each copied when it is first asked for.

    Parameters
    ----------
    store : Store
        The corpus folder.
    manifest : Manifest
    """

    def __init__(self, store: Store, manifest: Manifest) -> None:
        self._store, self._records = store, manifest.files
        self.folder = cache_folder() / "corpora" / manifest.checksum[:20]
        self._again: set[str] = set()
        self._mapped: dict[str, pa.Buffer] = {}

    def __getitem__(self, name: str) -> pa.Buffer:
        if name not in self._mapped:
            self._map(name)
        return self._mapped[name]

    def _map(self, name: str, tell: Callable[[int], None] = lambda n: None) -> None:
        record, store = self._records[name], self._store
        target = self.folder / name
        try:
            with disk_errors_explained(target), reached(store.address):
                copied(
                    lambda: store.files.open_input_file(store.path(name)),
                    target,
                    record.bytes,
                    sha256=record.sha256,
                    tell=tell,
                )
        except (BrokenFile, FileNotFoundError) as error:
            raise DamagedCorpus(f"{store} is damaged: {name} is missing or does not match its checksum") from error
        self._mapped[name] = pa.memory_map(str(target)).read_buffer()

    def discard(self, name: str) -> bool:
        """Throw a damaged copy away, so that it is made again; return False if that was done before."""
        if name in self._again:
            return False
        self._again.add(name)
        self._mapped.pop(name, None)
        (self.folder / name).unlink(missing_ok=True)
        return True

    def fetch(self, names: Iterable[str], progress: Progress) -> None:
        """Copy some files now, and tell how far it is."""
        wanted = [name for name in names if name not in self._mapped]
        total, done = sum(self._records[name].bytes for name in wanted), 0

        def tell(n: int) -> None:
            nonlocal done
            done += n
            progress(done, total)

        for name in wanted:
            self._map(name, tell)

    def __contains__(self, name: object) -> bool:
        return name in self._records

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)


def manifest_at(store: Store) -> Manifest:
    """Read the manifest of a corpus elsewhere."""
    with reached(store.address):
        if not store.exists(FILE_NAME):
            raise CorpusError(f"{store} is not a corpus folder: it has no {FILE_NAME}")
        return Manifest.parse(store.get(FILE_NAME), str(store))
