"""Ingest from the command line: what is said, and what an interruption leaves."""

from __future__ import annotations

import json
import re
import signal
import time
from pathlib import Path

import pytest

from conftest import Cli
from priorwise.corpus import Corpus
from processes import Start


def test_ingest_prints_a_summary(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "in.csv"
    file.write_text("id,body,tags\n1,to be or,x;y\n2,not to be,\n", "utf-8")
    arguments = ["--text", "body", "--labels", "tags", "--separator", ";", "-o", tmp_path / "x.corpus"]
    result = cli("ingest", "records", file, *arguments)
    assert result.exit_code == 0, result.output
    assert re.search(r"x.corpus: 2 documents in [\d.]+ s \([\d,]+ documents/s, [\d.]+ MB/s\)", result.stdout)
    assert "4 distinct tokens, 6 in all documents; 2 labels, 2 memberships" in result.stdout
    assert Corpus.open(tmp_path / "x.corpus").largest_labels(5) == [("x", 1), ("y", 1)]
    again = cli("ingest", "records", file, *arguments)
    assert again.exit_code == 2
    assert cli("ingest", "records", file, *arguments, "--overwrite").exit_code == 0


def test_the_columns_of_a_table_are_guessed_unless_they_are_named(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "in.csv"
    rows = [f"R{n},On tea {n},Leaves are picked and dried in the shade,Plants; Drinks,Dry {n}" for n in range(5)]
    file.write_text("\n".join(["Record,Title,Abstract,Subjects,Notes", *rows]), "utf-8")
    result = cli("ingest", "records", file, "-o", tmp_path / "x.corpus")
    assert "Columns: text 'Abstract', title 'Title', labels 'Subjects', id 'Record'." in result.stderr
    corpus = Corpus.open(tmp_path / "x.corpus")
    assert (corpus.ids([0]), corpus.titles([0]), corpus.largest_labels(5)) == (
        ["R0"],
        ["On tea 0"],
        [("Drinks", 5), ("Plants", 5)],
    )
    result = cli("ingest", "records", file, "--text", "Notes", "--title", "Title", "-o", tmp_path / "y.corpus")
    assert "Columns: labels 'Subjects', id 'Record'." in result.stderr
    file.write_text("id,text,categories,authors\n1,tea,x; y,a; b\n2,milk,x; y,b; c\n", "utf-8")
    result = cli("ingest", "records", file, "-o", tmp_path / "w.corpus")
    assert "Columns: labels 'categories'." in result.stderr
    assert Corpus.open(tmp_path / "w.corpus").largest_labels(5) == [("x", 2), ("y", 2)]
    # A column that is not called so is not taken for labels where there is a text.
    file.write_text("id,text,authors\n1,tea,a; b\n2,milk,b; c\n", "utf-8")
    assert "Columns:" not in cli("ingest", "records", file, "-o", tmp_path / "v.corpus").stderr
    assert "has no labels: read" in cli("discover", tmp_path / "v.corpus", "x").stderr
    file.write_text("a,b\n1,2\n3,4\n", "utf-8")
    assert "no column 'text'" in cli("ingest", "records", file, "-o", tmp_path / "z.corpus").stderr


def test_ingest_of_a_folder(cli: Cli, tmp_path: Path) -> None:
    for label, name in (("a", "1.txt"), ("a", "2.txt"), ("b", "3.txt")):
        (tmp_path / "in" / label).mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / label / name).write_text("some words", "utf-8")
    assert cli("ingest", "folder", tmp_path / "in", "-o", tmp_path / "x.corpus").exit_code == 0
    assert Corpus.open(tmp_path / "x.corpus").largest_labels(5) == [("a", 2), ("b", 1)]


def test_an_interrupted_ingest_goes_on(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that stops in the middle and waits stands in for a long input."""
    script = """
import sys
import priorwise.corpus.build.ingestion as ingestion
ingestion.DOCUMENTS_PER_SHARD = 100
from priorwise.readers.records import RecordReader
whole = RecordReader.__iter__
def slow(self):
    for number, document in enumerate(whole(self)):
        if number == 450 and sys.argv[1] == "wait":
            print("half", flush=True)
            import time
            time.sleep(60)
        yield document
RecordReader.__iter__ = slow
from priorwise.cli import main
main(sys.argv[2:], prog_name="priorwise")
"""
    file = tmp_path / "in.jsonl"
    rows = [json.dumps({"id": str(n), "text": f"word{n % 7} all", "labels": ["x"]}) for n in range(600)]
    file.write_text("\n".join(rows), "utf-8")
    command = ("ingest", "records", file, "-o", "x.corpus", "--workers", "1")

    process = start("-c", script, "wait", *command, cwd=tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline() == "half\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode in (1, 130)
    assert "Traceback" not in errors
    assert "Stopped. Run the same command again to continue." in errors
    assert not (tmp_path / "x.corpus").exists()
    assert (tmp_path / "x.corpus.partial").is_dir()

    again = start("-c", script, "go on", *command, cwd=tmp_path)
    text, errors = again.communicate(timeout=60)
    assert again.returncode == 0, errors
    resumed = re.search(r"Continued after ([\d,]+) documents? that were done already\.", text)
    assert resumed is not None
    assert 100 <= int(resumed[1]) <= 400
    monkeypatch.setattr("priorwise.corpus.build.ingestion.DOCUMENTS_PER_SHARD", 100)
    assert Corpus.open(tmp_path / "x.corpus").checksum == Corpus.from_records(file).checksum
    assert not (tmp_path / "x.corpus.partial").exists()
