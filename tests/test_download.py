"""Files from the network, from a server of this machine: whole, broken off, stalled, too large, refused."""

from __future__ import annotations

import base64
import socket
from pathlib import Path

import pytest

from priorwise.errors import DownloadFailed
from priorwise.readers import download as module
from priorwise.readers.download import download, fetch
from web_server import Web, serving

CONTENT = bytes(range(256)) * 1000
LIMIT = len(CONTENT)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file.partial"


def test_a_whole_file_and_its_progress(web: Web, path: Path) -> None:
    told: list[tuple[int, int]] = []
    download(web.put("/file", CONTENT), path, at_most=LIMIT, progress=lambda *how: told.append(how))
    assert path.read_bytes() == CONTENT
    assert told[-1] == (LIMIT, LIMIT)
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert {total for _, total in told} == {LIMIT}


@pytest.mark.parametrize("breaks", [[1], [100_000], [0, 5, 200_000]])
def test_what_breaks_off_goes_on_from_there(web: Web, path: Path, breaks: list[int]) -> None:
    download(web.put("/file", CONTENT, breaks_at=list(breaks)), path, at_most=LIMIT)
    assert path.read_bytes() == CONTENT
    there, ranges = 0, []
    for n in [*breaks, LIMIT]:
        ranges.append(f"bytes={there}-" if there else None)
        there = min(there + n, LIMIT)
    assert web.asked("/file") == ranges


def test_a_server_without_ranges_begins_anew(web: Web, path: Path) -> None:
    download(web.put("/file", CONTENT, breaks_at=[100_000], ranges=False), path, at_most=LIMIT)
    assert path.read_bytes() == CONTENT
    assert web.asked("/file") == [None, "bytes=100000-"]


def test_it_is_given_up_after_some_attempts_and_goes_on_the_next_time(web: Web, path: Path) -> None:
    url = web.put("/file", CONTENT, breaks_at=[1000] * module.ATTEMPTS)
    with pytest.raises(DownloadFailed, match=r"^127\.0\.0\.1:\d+: it broke off after 4,000 of 256,000 bytes$"):
        download(url, path, at_most=LIMIT)
    assert path.read_bytes() == CONTENT[:4000]
    download(url, path, at_most=LIMIT)
    assert path.read_bytes() == CONTENT
    assert web.asked("/file")[-1] == "bytes=4000-"


def test_a_file_that_is_there_already_is_not_sent_again(web: Web, path: Path) -> None:
    path.write_bytes(CONTENT)
    told: list[tuple[int, int]] = []
    download(web.put("/file", CONTENT), path, at_most=LIMIT, progress=lambda *how: told.append(how))
    assert path.read_bytes() == CONTENT
    assert told == []


def test_more_bytes_than_the_file_has_are_of_another_file(web: Web, path: Path) -> None:
    path.write_bytes(b"x" * (LIMIT + 10))
    download(web.put("/file", CONTENT), path, at_most=LIMIT)
    assert path.read_bytes() == CONTENT
    assert web.asked("/file") == [f"bytes={LIMIT + 10}-", None]


def test_another_part_than_was_asked_for_is_not_appended(web: Web, path: Path) -> None:
    path.write_bytes(CONTENT[:100])
    download(web.put("/file", CONTENT, status=206), path, at_most=LIMIT)  # It always sends the part from the beginning.
    assert path.read_bytes() == CONTENT
    assert web.asked("/file") == ["bytes=100-", None]


@pytest.mark.parametrize("with_length", [True, False])
def test_more_than_expected_is_refused(web: Web, path: Path, with_length: bool) -> None:
    url = web.put("/file", CONTENT, with_length=with_length)
    with pytest.raises(DownloadFailed, match="more than the 255,999"):
        download(url, path, at_most=LIMIT - 1)
    assert not path.exists()
    assert len(web.asked("/file")) == 1


def test_without_a_length_the_end_is_the_end(web: Web, path: Path) -> None:
    download(web.put("/file", CONTENT, with_length=False), path, at_most=LIMIT)
    assert path.read_bytes() == CONTENT


def test_a_server_that_falls_silent_is_given_up(web: Web, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ATTEMPTS", 2)
    url = web.put("/file", CONTENT, stalls=60.0)
    with pytest.raises(DownloadFailed, match="no answer within 1 s"):
        download(url, path, at_most=LIMIT, timeout=1.0)
    assert len(web.asked("/file")) == 2


def test_a_server_that_never_answers_is_asked_once(path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/file"
        with pytest.raises(DownloadFailed, match=r"no answer within 0\.1 s"):
            download(url, path, at_most=LIMIT, timeout=0.1)
        silent.accept()[0].close()
        silent.settimeout(0.0)
        with pytest.raises(BlockingIOError):
            silent.accept()


def test_a_trickle_is_given_up(web: Web, path: Path) -> None:
    url = web.put("/file", CONTENT, trickles=0.01)
    with pytest.raises(DownloadFailed, match="it sends too slowly"):
        download(url, path, at_most=LIMIT, patience=0.1)
    assert 0 < path.stat().st_size < LIMIT


def test_a_server_in_trouble_is_asked_again_and_a_refusal_is_final(web: Web, path: Path) -> None:
    with pytest.raises(DownloadFailed, match="it answered 503"):
        download(web.put("/trouble", status=503), path, at_most=LIMIT)
    assert len(web.asked("/trouble")) == module.ATTEMPTS
    with pytest.raises(DownloadFailed, match="it answered 404"):
        download(web.address + "/nothing", path, at_most=LIMIT)
    assert len(web.asked("/nothing")) == 1


def test_nobody_there(path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(DownloadFailed, match=r"^127\.0\.0\.1:\d+: connection refused$"):
        download(f"http://127.0.0.1:{port}/file", path, at_most=LIMIT)


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://example.org/x", "example.org", "", "http://", "http://[::1/x", "http://a..b/x"]
)
def test_strange_addresses(path: Path, url: str) -> None:
    with pytest.raises(DownloadFailed):
        download(url, path, at_most=LIMIT)
    assert not path.exists()


def test_a_password_goes_to_its_host_alone(web: Web, path: Path) -> None:
    with serving() as other:
        web.put("/file", status=302, headers={"Location": other.put("/moved", CONTENT)})
        url = (web.address + "/file").replace("http://", "http://me:top%20secret@")
        download(url, path, at_most=LIMIT)
        assert path.read_bytes() == CONTENT
        sent = [headers.get("Authorization") for _, headers in web.requests]
        assert sent == ["Basic " + base64.b64encode(b"me:top secret").decode()]
        assert [headers.get("Authorization") for _, headers in other.requests] == [None]
    with pytest.raises(DownloadFailed) as failure:
        download(url.replace("/file", "/nothing"), path, at_most=LIMIT)
    assert "secret" not in str(failure.value)


def test_pages(web: Web) -> None:
    url = web.put("/page", "é".encode(), kind="text/html; charset=utf-8")
    assert fetch(url, accept="text/html", at_most=2) == ("é", "text/html", url)
    assert web.requests[-1][1]["Accept"] == "text/html"
    with pytest.raises(DownloadFailed, match="longer than 1 bytes"):
        fetch(url, accept="text/html", at_most=1)
    with pytest.raises(DownloadFailed, match="no answer within"):
        fetch(web.put("/slow", b"x", stalls=60.0), accept="*/*", at_most=1, timeout=0.1)
