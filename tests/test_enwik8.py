"""Where enwik8 comes from, with a small file in its place and a server of this machine in the network's."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from priorwise.errors import DownloadFailed
from priorwise.readers import download as module
from priorwise.readers.addresses import cache_folder
from priorwise.readers.download import ENWIK8, Content, find_enwik8
from web_server import Web

WIKI = b"<mediawiki>" + bytes(range(256)) * 500
SMALL = Content("enwik8", len(WIKI), hashlib.sha256(WIKI).hexdigest())
Find = Callable[..., Path]


def zipped(content: bytes = WIKI, name: str = "enwik8") -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README", "not this one")
        archive.writestr(name, content)
    return made.getvalue()


def packaged(setup: bytes = b"raise SystemExit('nobody runs this')") -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, data in {"setup.py": setup, "data/enwik8.gz": gzip.compress(WIKI)}.items():
            header = tarfile.TarInfo(f"mingru_pytorch-0.2.1/{name}")
            header.size = len(data)
            archive.addfile(header, io.BytesIO(data))
    return made.getvalue()


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No data of this machine's."""
    monkeypatch.delenv("PRIORWISE_DATA", raising=False)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def find(web: Web, cache: Path) -> Find:
    def call(*places: Path, **how: object) -> Path:
        return find_enwik8(places or [cache], content=SMALL, home=web.address + "/enwik8.zip", **how)  # type: ignore

    return call


def test_from_its_home_page_and_then_from_the_cache(find: Find, web: Web, cache: Path) -> None:
    web.put("/enwik8.zip", zipped())
    told: list[tuple[str, int, int]] = []
    path = find(progress=lambda *how: told.append(how))
    assert path == cache / "enwik8"
    assert path.read_bytes() == WIKI
    assert told[-1] == (web.address.removeprefix("http://"), len(zipped()), len(zipped()))
    assert sorted(each.name for each in cache.iterdir()) == ["enwik8"]
    assert find() == path == find(offline=True)
    assert len(web.requests) == 1


def test_a_damaged_copy_in_the_cache_is_replaced(find: Find, web: Web, cache: Path) -> None:
    web.put("/enwik8.zip", zipped())
    cache.mkdir()
    for damaged in (WIKI[:-1], WIKI[:-1] + b"?"):
        (cache / "enwik8").write_bytes(damaged)
        assert find().read_bytes() == WIKI
    assert len(web.requests) == 2


def test_from_the_data_folder(find: Find, web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIORWISE_DATA", str(tmp_path))
    web.put("/enwik8.zip", zipped())
    assert find().name == "enwik8"
    (tmp_path / "cache" / "enwik8").unlink()
    given = tmp_path / "wikipedia" / "enwik8.xz"
    given.parent.mkdir()
    given.write_bytes(b"as it is")
    assert find() == find(offline=True) == given
    assert len(web.requests) == 1


def test_offline_asks_nobody(find: Find, web: Web, cache: Path) -> None:
    web.put("/enwik8.zip", zipped())
    with pytest.raises(DownloadFailed, match="neither in the cache nor in PRIORWISE_DATA"):
        find(offline=True)
    assert web.requests == []
    assert not cache.exists()


def test_what_breaks_off_goes_on_the_next_time(find: Find, web: Web, cache: Path) -> None:
    archive = zipped()
    web.put("/enwik8.zip", archive, breaks_at=[50, 60] + [0] * (module.ATTEMPTS - 2))
    with pytest.raises(DownloadFailed, match=f"it broke off after 110 of {len(archive):,} bytes"):
        find()
    assert (cache / "enwik8.zip.partial").read_bytes() == archive[:110]
    assert find().read_bytes() == WIKI
    assert web.asked("/enwik8.zip")[-1] == "bytes=110-"
    assert not (cache / "enwik8.zip.partial").exists()


@pytest.mark.parametrize("left", [b"of another file", b"x" * 10_000_000])
def test_what_is_left_of_another_file_does_no_harm(find: Find, web: Web, cache: Path, left: bytes) -> None:
    web.put("/enwik8.zip", zipped())
    cache.mkdir()
    (cache / "enwik8.zip.partial").write_bytes(left)
    assert find().read_bytes() == WIKI
    assert web.asked("/enwik8.zip") == [f"bytes={len(left)}-", None]


@pytest.mark.parametrize(
    ("archive", "reason"),
    [
        (zipped(WIKI[:-1] + b"?"), "its checksum differs"),
        (zipped(WIKI[:-1]), "its checksum differs"),
        (zipped(WIKI + b"?"), f"more than the {len(WIKI):,} bytes"),
        (zipped(name="enwik9"), "there is no enwik8 in enwik8.zip"),
        (zipped()[:-200], "damaged"),
        (b"<html>Log in to the hotel's network</html>", "there is no enwik8"),
        (b"", "there is no enwik8"),
    ],
    ids=["other", "short", "long", "unnamed", "cut", "page", "empty"],
)
def test_wrong_archives_are_refused(find: Find, web: Web, cache: Path, archive: bytes, reason: str) -> None:
    web.put("/enwik8.zip", archive)
    with pytest.raises(DownloadFailed, match=reason):
        find()
    assert list(cache.iterdir()) == []


def test_a_bomb_before_it_is_refused(find: Find, web: Web, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("priorwise.readers.opening.ALWAYS_ALLOWED", 1 << 20)
    web.put("/enwik8.zip", packaged(setup=bytes(500_000)))
    assert find().read_bytes() == WIKI
    (cache / "enwik8").unlink()
    web.put("/enwik8.zip", packaged(setup=bytes(20_000_000)))
    with pytest.raises(DownloadFailed, match="expands to more than 200 times its size"):
        find()


def test_larger_than_any_archive_of_it(find: Find, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_ARCHIVE", len(zipped()) - 1)
    web.put("/enwik8.zip", zipped())
    with pytest.raises(DownloadFailed, match="that were expected"):
        find()


def test_a_cache_that_cannot_be_written(find: Find, web: Web, tmp_path: Path) -> None:
    web.put("/enwik8.zip", zipped())
    (tmp_path / "file").write_bytes(b"")
    unwritable = tmp_path / "file" / "cache"
    assert find(unwritable, tmp_path / "folder") == tmp_path / "folder" / "enwik8"
    assert find(unwritable, tmp_path / "folder", offline=True) == tmp_path / "folder" / "enwik8"
    with pytest.raises(DownloadFailed, match="there is no folder to keep it in"):
        find(unwritable)
    assert len(web.requests) == 1


def test_two_at_once_fetch_it_once(find: Find, web: Web) -> None:
    web.put("/enwik8.zip", zipped())
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: find(), range(4)))
    assert len(set(found)) == 1
    assert len(found) == 4
    assert len(web.requests) == 1


def test_the_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PRIORWISE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "priorwise"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == Path.home() / ".cache" / "priorwise"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "priorwise"
    monkeypatch.setenv("PRIORWISE_CACHE", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"


def test_the_real_one_is_a_hundred_million_bytes() -> None:
    assert (ENWIK8.size, len(ENWIK8.sha256)) == (100_000_000, 64)
