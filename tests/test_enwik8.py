"""Where enwik8 comes from, with a small file in its place and a server of this machine in the network's."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import sys
import tarfile
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from priorwise.errors import DownloadFailed
from priorwise.readers import download as download_module
from priorwise.readers import enwik8 as module
from priorwise.readers import package_index
from priorwise.readers.copies import cache_folder
from priorwise.readers.enwik8 import ENWIK8, Content, find_enwik8
from priorwise.readers.package_index import find_sdist, package_indexes, settings_of_pip
from web_server import Web

WIKI = b"<mediawiki>" + bytes(range(256)) * 500
SMALL = Content("enwik8", len(WIKI), hashlib.sha256(WIKI).hexdigest())
SDIST = "mingru_pytorch-0.2.1.tar.gz"
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
    """No data of this machine's, and no registry but what a test sets up."""
    monkeypatch.delenv("PRIORWISE_DATA", raising=False)
    monkeypatch.setattr(module, "package_indexes", list)


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
    web.put("/enwik8.zip", archive, breaks_at=[50, 60] + [0] * (download_module.ATTEMPTS - 2))
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
    monkeypatch.setattr("priorwise.readers.guarded.ALWAYS_ALLOWED", 1 << 20)
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


def json_index(web: Web, **files: str) -> tuple[bytes, str]:
    listed = [{"filename": name, "url": url, "hashes": {}} for name, url in files.items()]
    page = {"meta": {"api-version": "1.1"}, "name": "mingru-pytorch", "files": listed}
    return json.dumps(page).encode(), "application/vnd.pypi.simple.v1+json"


def html_index(web: Web, **files: str) -> tuple[bytes, str]:
    links = "".join(
        f'<a href="{url}#sha256=0" data-requires-python="&gt;=3.9">{name}</a><br>' for name, url in files.items()
    )
    return f"<!DOCTYPE html><html><body><h1>Links</h1>{links}</body></html>".encode(), "text/html"


@pytest.mark.parametrize("index", [json_index, html_index])
@pytest.mark.parametrize("link", ["/files/{name}", "../../files/{name}", "{address}/files/{name}"])
def test_from_the_registry(
    find: Find, web: Web, monkeypatch: pytest.MonkeyPatch, index: Callable[..., tuple[bytes, str]], link: str
) -> None:
    names = ["mingru_pytorch-0.2.0.tar.gz", "mingru_pytorch-0.2.1-py3-none-any.whl", SDIST]
    page, kind = index(web, **{name: link.format(name=name, address=web.address) for name in names})
    web.put("/simple/mingru-pytorch/", page, kind=kind)
    web.put(f"/files/{SDIST}", packaged())
    monkeypatch.setattr(module, "package_indexes", lambda: ["file:///nowhere", web.address + "/simple"])
    assert find().read_bytes() == WIKI
    assert [path for path, _ in web.requests] == ["/enwik8.zip", "/simple/mingru-pytorch/", f"/files/{SDIST}"]
    assert "application/vnd.pypi.simple.v1+json" in web.requests[1][1]["Accept"]


def test_html_with_a_base(web: Web) -> None:
    page = f'<html><head><base href="{web.address}/base/"></head><a href="{SDIST}">x</a></html>'.encode()
    web.put("/simple/mingru-pytorch/", page, kind="text/html")
    found = find_sdist(web.address + "/simple/", "minGRU_pytorch", "0.2.1")
    assert found == f"{web.address}/base/{SDIST}"


def test_a_password_of_the_registry_goes_to_its_own_files_alone(web: Web) -> None:
    index = web.address.replace("http://", "http://me:secret@") + "/simple"
    for link, expected in [
        (f"/files/{SDIST}", f"{index.removesuffix('/simple')}/files/{SDIST}"),
        (f"http://elsewhere.example/{SDIST}", f"http://elsewhere.example/{SDIST}"),
        (
            f"https://{web.address.removeprefix('http://')}/{SDIST}",
            f"https://{web.address.removeprefix('http://')}/{SDIST}",
        ),
    ]:
        page, kind = json_index(web, **{SDIST: link})
        web.put("/simple/mingru-pytorch/", page, kind=kind)
        assert find_sdist(index, "mingru-pytorch", "0.2.1") == expected


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        (b"{", "application/json"),
        (b"[]", "application/json"),
        (b'{"files": 7}', "application/json"),
        (b'{"files": [7]}', "application/json"),
        (b'{"files": [{"filename": "x"}]}', "application/json"),
        (b"[" * 100_000, "application/json"),
        (f'{{"files": [{{"filename": "{SDIST}", "url": "http://[/"}}]}}'.encode(), "application/json"),
        (b'<a href="http://[/x">x</a>', "text/html"),
        (b"<a><a href><base><a href='/'>", "text/html"),
        (b"\xff\xfe\x00<!", "text/html"),
        (b"{}", "text/html"),
    ],
)
def test_strange_registries(web: Web, page: bytes, kind: str) -> None:
    web.put("/simple/mingru-pytorch/", page, kind=kind)
    with pytest.raises(DownloadFailed, match=r"is not that of a package registry|it has no source package"):
        find_sdist(web.address + "/simple", "mingru-pytorch", "0.2.1")


def test_every_reason_is_told(find: Find, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "package_indexes", lambda: [web.address + "/one", web.address + "/two"])
    web.put("/two/mingru-pytorch/", b"<html></html>", kind="text/html")
    with pytest.raises(DownloadFailed) as failure:
        find()
    host = web.address.removeprefix("http://")
    assert str(failure.value).split("; ") == [
        f"{host}: it answered 404 Not Found",
        f"{host}: it answered 404 Not Found",
        f"{host}: it has no source package mingru-pytorch 0.2.1",
    ]
    monkeypatch.setattr(module, "package_indexes", list)
    with pytest.raises(DownloadFailed, match="404 Not Found; no package registry: pip is not there"):
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


def test_what_pip_is_set_to_ask(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX"):
        monkeypatch.delenv(variable, raising=False)
    settings = tmp_path / "pip.conf"
    monkeypatch.setenv("PIP_CONFIG_FILE", str(settings))
    settings.write_text("[global]\nindex-url = https://me:se'cret@a.example/simple\n[download]\nextra-index-url =\n")
    assert package_indexes()[0] == "https://me:se'cret@a.example/simple"
    monkeypatch.setenv("PIP_INDEX_URL", "https://b.example/simple")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://c.example/simple https://d.example/simple")
    assert package_indexes() == [f"https://{host}.example/simple" for host in "bcd"]
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert package_indexes() == []


def test_what_pip_asks_when_nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    indexes = package_indexes()
    assert len(indexes) == 1
    assert indexes[0].startswith("https://")


def test_without_pip_there_is_no_registry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for program in (tmp_path / "nothing", sys.executable):
        monkeypatch.setattr(package_index.sys, "executable", str(program))
        monkeypatch.setenv("PYTHONHOME", str(tmp_path))
        assert package_indexes() == []


def test_a_folder_named_pip_is_not_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "pip").mkdir()
    for name in ("__init__.py", "__main__.py"):
        (tmp_path / "pip" / name).write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    package_indexes()
    assert not (tmp_path / "ran").exists()


def test_settings_that_pip_cannot_have_written() -> None:
    assert settings_of_pip("global.index-url=unquoted\nglobal.other='x'\ninstall.index-url='no'\n") == {
        "index-url": "unquoted"
    }
