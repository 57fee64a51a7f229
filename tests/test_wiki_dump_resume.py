"""Killed or interrupted at any moment, the same call again makes the same corpus, with the same remarks."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from random import Random
from typing import Any

import pytest

from conftest import contents
from priorwise.corpus import Corpus
from priorwise.corpus.build.wikipedia import ingest_wikipedia
from priorwise.corpus.build.writing import IngestSummary
from wiki_dumps import MIN_BYTES, Page, dump_xml, packed, pieces_of, some_pages

PIECE = 4_000

KILLER = """
    import json, os, sys, time
    from pathlib import Path

    from priorwise.corpus.storage.files import FolderPlace
    from priorwise.corpus.build.shards import Shard
    from priorwise.corpus.build.wikipedia import ingest_wikipedia
    from priorwise.wiki import dump

    def slow(kind, method):
        original = getattr(kind, method)

        def slowly(*args, **options):
            time.sleep(0.01)
            return original(*args, **options)

        setattr(kind, method, slowly)

    piece, min_bytes, runs = json.loads(sys.argv[1])
    dump.BZIP2_BYTES, dump.XML_BYTES, dump._CHUNK = piece, piece, piece // 3
    ingest_wikipedia([runs[0]["source"]], runs[0]["target"] + "-loads-everything", min_bytes=min_bytes)
    slow(Shard, "write")
    slow(FolderPlace, "write")
    for run in runs:
        partial = Path(run["target"] + ".partial")
        if not (child := os.fork()):
            ingest_wikipedia([run["source"]], run["target"], min_bytes=min_bytes, workers=2, limit=run["limit"])
            os._exit(0)
        while len(list(partial.glob(run["seen"]))) < run["n"]:
            time.sleep(0.001)
        os.kill(child, run["signal"])
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def damaged_xml() -> bytes:
    """A dump about which there is much to say."""
    pages = some_pages(150, words=60)
    for place, title in enumerate(["Cut", "Open", "Broken", "Twice"]):
        pages.insert(9 + 30 * place, Page(title, f"the text of {title}, an article"))
    xml = dump_xml([*pages, Page("Twice", "the second text of Twice")])
    for title, damage, by in ((b"Cut", b"</page>", b""), (b"Open", b"</text>", b""), (b"Broken", b"text of", b"\xff")):
        at = xml.index(damage, xml.index(b"the text of " + title) - 12)
        xml = xml[:at] + by + xml[at + len(damage) :]
    return xml


def moments() -> dict[str, dict[str, Any]]:
    random = Random(3)
    shards = {"seen": "shard-??????", "signal": signal.SIGKILL, "limit": None, "compression": "multistream.xml.bz2"}
    found: dict[str, dict[str, Any]] = {f"killed-{i}": {**shards, "n": random.randrange(1, 11)} for i in range(4)}
    found["killed-gz"] = {**shards, "n": random.randrange(1, 11), "compression": "xml.gz"}
    found["control-c"] = {**shards, "n": random.randrange(1, 11), "signal": signal.SIGINT}
    found["limited"] = {**shards, "n": 2, "limit": 20}
    found["read"] = {**shards, "n": 1, "seen": "read.json"}
    found["merging"] = {**shards, "n": 2, "seen": "corpus/*.arrow"}
    return found


MOMENTS = moments()


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the dumps, and a corpus that was killed at each moment."""
    folder = tmp_path_factory.mktemp("killed")
    packed(folder, damaged_xml(), "xml.gz")
    path = packed(folder, damaged_xml(), "multistream.xml.bz2")
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 0xFF
    path.write_bytes(data)
    runs = [
        {**how, "source": str(source_of(folder, moment)), "target": str(folder / f"{moment}.corpus")}
        for moment, how in MOMENTS.items()
    ]
    command = [sys.executable, "-c", textwrap.dedent(KILLER), json.dumps([PIECE, MIN_BYTES, runs])]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert [int(line) for line in ended.stdout.split()] == [-how["signal"] for how in MOMENTS.values()], ended.stderr
    return folder


def source_of(folder: Path, moment: str) -> Path:
    return folder / f"wiki-pages-articles.{MOMENTS[moment]['compression']}"


def ingest(source: Path, target: Path, limit: int | None) -> tuple[IngestSummary, dict[str, bytes]]:
    with pieces_of(PIECE):
        summary = ingest_wikipedia([source], target, min_bytes=MIN_BYTES, limit=limit)
    return summary, contents(target)


# Of two processes, each would kill all of them for its part of the moments.
@pytest.mark.xdist_group("killed dumps")
@pytest.mark.parametrize("moment", MOMENTS)
def test_resuming(moment: str, killed: Path, tmp_path: Path) -> None:
    target, limit = killed / f"{moment}.corpus", MOMENTS[moment]["limit"]
    assert not target.exists()
    n_shards = len(list((killed / f"{moment}.corpus.partial").glob("shard-??????")))
    again, files = ingest(source_of(killed, moment), target, limit)
    whole, expected = ingest(source_of(killed, moment), tmp_path / "whole.corpus", limit)
    assert files == expected
    assert list(again.remarks.items()) == list(whole.remarks.items())
    assert again.documents == whole.documents == len(Corpus.open(target))
    assert n_shards > 0
    assert again.resumed > 0
    assert not again.discarded
    assert list(killed.glob(f"{moment}.corpus.*")) == []
    said = " ".join(again.remarks)
    assert "cut off" in said
    assert limit or ("had been read before" in said and "not UTF-8" in said and "without an end tag" in said)
    assert limit or moment == "killed-gz" or "damaged bzip2 block" in said


@pytest.mark.parametrize("change", [{"min_bytes": 30}, {"references": ["notes"]}, {"limit": 3}, {}])
def test_what_changes_the_corpus_begins_anew(change: dict[str, Any], tmp_path: Path) -> None:
    source = packed(tmp_path, dump_xml(some_pages(30)))
    options: dict[str, Any] = {"min_bytes": MIN_BYTES, **change}
    partial = tmp_path / "a.corpus.partial"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("priorwise.corpus.build.writing.PartialCorpus.publish", interrupt)
        with pytest.raises(KeyboardInterrupt):
            ingest_wikipedia([source], tmp_path / "a.corpus", min_bytes=MIN_BYTES)
    assert partial.is_dir()
    if not change:
        source.write_bytes(dump_xml(some_pages(31)))
    assert ingest_wikipedia([source], tmp_path / "a.corpus", **options).discarded
    assert not partial.exists()


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt
