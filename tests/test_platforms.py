"""What other systems do differently: line ends, names that differ in case or are long, files that are open once."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path, PureWindowsPath

import pytest

from priorwise.corpus import Corpus
from priorwise.readers.folder import FolderReader
from priorwise.readers.opening import spooled
from priorwise.readers.records import RecordReader, rows_of


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_system(end: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(f'id,text{end}1,"two{end}lines"{end}2,b{end}'.encode())
    found = list(RecordReader([tmp_path / "a.csv"]))
    assert [(document.id, document.text) for document in found] == [("1", f"two{end}lines"), ("2", "b")]
    if end == "\r":
        return
    (tmp_path / "a.jsonl").write_bytes(f'{{"id": "1", "text": "a"}}{end}{{"id": "2", "text": "b"}}{end}'.encode())
    assert len(list(rows_of(tmp_path / "a.jsonl"))) == 2
    (tmp_path / "a.ris").write_bytes(f"TY  - JOUR{end}TI  - One{end}ER  - {end}".encode())
    assert [document.title for document in RecordReader([tmp_path / "a.ris"])] == ["One"]


def test_names_that_differ_in_case_are_two_documents(tmp_path: Path) -> None:
    """Where a file system does not tell them apart, there is one file; a corpus holds ids, not files, and tells."""
    corpus = Corpus.from_records([{"id": "Tea", "text": "a"}, {"id": "tea", "text": "b"}], path=tmp_path / "x.corpus")
    assert corpus.ids([0, 1]) == ["Tea", "tea"]
    assert corpus.remarks == {}


def test_ids_and_labels_become_no_names_of_files(tmp_path: Path) -> None:
    """Names that are reserved or forbidden on Windows, or too long, are in tables and not on the disk."""
    names = ["CON", "nul.txt", "a:b", "x" * 400, "trailing.", 'q"?*<>|', "../up", "C:\\temp"]
    records = [{"id": name, "text": "a", "labels": [name]} for name in names]
    corpus = Corpus.from_records(records, path=tmp_path / "x.corpus")
    assert corpus.ids(range(len(names))) == names
    for path in (tmp_path / "x.corpus").iterdir():
        assert not PureWindowsPath(path.name).is_reserved() if sys.version_info < (3, 13) else True
        assert len(path.name) < 40


def test_ids_of_a_folder_have_slashes_everywhere(tmp_path: Path) -> None:
    (tmp_path / "in" / "deep" / "label").mkdir(parents=True)
    (tmp_path / "in" / "deep" / "label" / "1.txt").write_text("a")
    assert [document.id for document in FolderReader(tmp_path / "in")] == ["deep/label/1.txt"]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="only Linux lists the files that are open")
def test_a_copy_is_closed_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet.gz"
    path.write_bytes(gzip.compress(b"content"))
    with spooled(path, lambda n: None) as copy:
        held = [each.readlink() for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
        assert copy not in held
        assert copy.suffix == ".parquet"
        assert copy.read_bytes() == b"content"
    assert not copy.exists()


def test_the_readers_import_where_unix_is_missing() -> None:
    """What the readers of files need is there on every system."""
    missing = ("fcntl", "resource", "pwd", "grp", "termios")
    modules = [
        "readers.addresses",
        "readers.archives",
        "readers.bibliographic",
        "readers.blocks",
        "readers.columnar",
        "readers.document",
        "readers.download",
        "readers.fields",
        "readers.folder",
        "readers.opening",
        "readers.records",
        "readers.tabular",
        "wiki.fetch",
    ]
    script = f"import sys\nfor name in {missing!r}: sys.modules[name] = None\n"
    # The lock of the folder of downloads is the one that is still Unix's.
    script += "import types; sys.modules['fcntl'] = types.SimpleNamespace(flock=None, LOCK_EX=0, LOCK_NB=0)\n"
    script += "".join(f"import priorwise.{name}\n" for name in modules)
    script += "import priorwise.exports.write_back, priorwise.exports.wikis\n"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
