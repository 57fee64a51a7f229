"""Opening somebody's run contacts nobody."""

from __future__ import annotations

import json
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli
from priorwise.corpus import Corpus
from priorwise.corpus.storage.places import recorded_path
from priorwise.errors import InputError

ADDRESSES = [
    "s3://bucket/x?endpoint_override=127.0.0.1:9&scheme=http",
    "s3://key:secret@bucket/x",
    "ftp://127.0.0.1/x",
    "http://127.0.0.1:9/x.corpus",
    "hdfs://127.0.0.1/x",
    "gs://bucket/x",
    "s3:/bucket/x",
    "file://host/x",
]


@pytest.mark.parametrize("place", [*ADDRESSES, "", 7, ["x"], "a\0b", None])
def test_only_a_place_on_this_machine_is_followed(place: Any) -> None:
    with pytest.raises(InputError, match="--corpus") as said:
        recorded_path(place)
    assert "secret" not in str(said.value)


@pytest.mark.parametrize("command", ["explain", "report", "review"])
@pytest.mark.parametrize("address", ADDRESSES[:3])
def test_no_command_contacts_what_a_run_names(
    run_path: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, command: str, address: str
) -> None:
    path = shutil.copytree(run_path, tmp_path / "x.run")
    about = json.loads((path / "run.json").read_text(encoding="utf-8"))
    about["corpus"]["path"] = address
    # Whoever sends a run can also leave its checksums out.
    del about["checksum"], about["files"]
    (path / "run.json").write_text(json.dumps(about), encoding="utf-8")

    def no_connection(*arguments: Any, **options: Any) -> Any:
        raise AssertionError("something was contacted")

    monkeypatch.setattr(socket.socket, "connect", no_connection)
    monkeypatch.setattr("priorwise.corpus.corpus.manifest_at", no_connection)
    arguments: dict[str, list[object]] = {
        "explain": [path, "d1"],
        "report": [path, "-o", tmp_path / "x.html"],
        "review": [path, "--export", "x.csv"],
    }
    told = cli(command, *arguments[command])
    # A report does without the corpus, and says so.
    assert command == "report" or "addresses are not opened unasked" in told.stderr


def test_a_corpus_that_the_user_names_is_opened(run_path: Path, corpus: Corpus) -> None:
    from priorwise.discovery import Run

    assert corpus.path is not None
    assert Run.load(run_path).open_corpus(f"file://{corpus.path}").checksum == corpus.checksum
