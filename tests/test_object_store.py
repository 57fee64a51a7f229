"""Inputs and corpora at addresses of an object store: a server that answers as Amazon's S3 does."""

from __future__ import annotations

import bz2
import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import FAST, Cli, Refused
from object_store import ObjectStore, an_object_store
from priorwise.corpus import Corpus, ingest
from priorwise.corpus.build.ingestion import ReaderShards, ways_of_working
from priorwise.corpus.build.wikipedia import ingest_wikipedia
from priorwise.corpus.build.writing import RemotePartial
from priorwise.corpus.storage.places import Store
from priorwise.engines.engine import Local
from priorwise.engines.spark import Spark
from priorwise.engines.spark_ingest import written_split
from priorwise.errors import AlreadyExists, BrokenFile, CorpusError, DamagedCorpus, InputError
from priorwise.readers import records as record_reading
from priorwise.readers.addresses import file_system, reached
from priorwise.readers.records import RecordReader
from test_engine import make_scorers


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    with an_object_store(tmp_path_factory.mktemp("moto")) as running:
        yield running


@pytest.fixture
def bucket(server: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A bucket of this test's own, as an address; the server is named by the environment."""
    monkeypatch.setenv("PRIORWISE_CACHE", str(tmp_path / "cache"))
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    file_system.cache_clear()
    yield server.new_bucket()
    file_system.cache_clear()


def records(n: int, start: int = 0) -> list[dict[str, object]]:
    return [
        {"id": f"d{number:04d}", "text": f"w{number % 7} w{number % 11} é", "labels": ["Odd" if number % 2 else "Even"]}
        for number in range(start, start + n)
    ]


def as_lines(documents: list[dict[str, object]]) -> bytes:
    return "".join(json.dumps(document) + "\n" for document in documents).encode()


@pytest.fixture
def inputs(bucket: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Files of several kinds, in several parts, and what Spark leaves beside its own."""
    monkeypatch.setattr(record_reading, "PART_BYTES", 2000)
    store = Store(f"{bucket}/in")
    store.put("a.jsonl", as_lines(records(120)))
    store.put("b.jsonl.gz", gzip.compress(as_lines(records(50, 120))))
    with store.write("c.parquet") as file:
        pq.write_table(pa.Table.from_pylist(records(230, 170)), file, row_group_size=60)
    with store.write("d.arrow") as file, pa.ipc.new_file(file, pa.Table.from_pylist(records(9, 400)).schema) as writer:
        writer.write_table(pa.Table.from_pylist(records(9, 400)))
    store.put("_SUCCESS", b"")
    return [f"{bucket}/in/*.jsonl", f"{bucket}/in/b.jsonl.gz", f"{bucket}/in/c.parquet", f"{bucket}/in/[d-z]*.arrow"]


@pytest.mark.spark
@pytest.mark.xdist_group("spark")
def test_spark_reads_and_writes_there(
    spark: Spark, server: ObjectStore, bucket: str, inputs: list[str], tmp_path: Path
) -> None:
    """Its workers were started before, so all that they need to know is in the address."""
    addresses = [server.with_options(address) for address in inputs]
    target = server.with_options(f"{bucket}/out/x.corpus")
    reader = RecordReader(addresses)
    splits = ReaderShards(reader, "whole").splits()
    assert len(splits) > 5
    # What a kill leaves is what is there when nobody tidies up.
    unfinished = RemotePartial(target, {"reader": reader.fingerprint(), **ways_of_working("whole")}, tmp_path)
    written_split(unfinished.store, 1, splits[1])

    made = ingest(RecordReader(addresses), target, work=spark.work)
    assert 0 < made.resumed < made.documents == 409
    ingest(RecordReader(inputs), tmp_path / "here.corpus")
    there, here = Corpus.open(target), Corpus.open(tmp_path / "here.corpus")
    there.verify()
    assert there.checksum == here.checksum
    assert here.ids([0, 119, 120, 408]) == ["d0000", "d0119", "d0120", "d0408"]
    assert Store(f"{bucket}/out").names() == ["x.corpus"]

    (scorer,) = make_scorers(np.random.default_rng(0), here, 1)
    np.testing.assert_array_equal(spark.score_corpus(there, scorer), Local().score_corpus(here, scorer))
    with pytest.raises(AlreadyExists) as refused:
        ingest(RecordReader(addresses), target, work=spark.work)
    assert str(refused.value).startswith(f"{bucket}/out/x.corpus is there already")
    assert "secret" not in str(refused.value) + repr(there)


def test_commands_take_a_corpus_from_there(
    cli: Cli, refused: Refused, bucket: str, corpus: Corpus, tmp_path: Path
) -> None:
    """Copied once, mapped from then on; the run says where it is from."""
    address = f"{bucket}/deep/made-up.corpus"
    assert repr(corpus.save(address)).startswith(f"<Corpus '{address}': 400 documents")
    run, here = tmp_path / "there.run", tmp_path / "here.run"
    for source, output in ((address, run), (corpus.path, here)):
        assert cli("discover", source, "Chess", "--model", "presence", *FAST, "-o", output).exit_code == 0
    assert (run / "ranking.csv").read_bytes() == (here / "ranking.csv").read_bytes()
    assert json.loads((run / "run.json").read_text())["corpus"]["path"] == address
    copies = {path.name: path.stat().st_ino for path in (tmp_path / "cache").rglob("*.arrow")}
    assert "tokens.arrow" in copies
    assert "texts.arrow" not in copies
    first = Corpus.open(address).ids([3])[0]
    assert "--corpus" in refused("explain", run, first)
    assert cli("explain", run, first, "--corpus", address).stdout == cli("explain", here, first).stdout
    assert "400 documents" in cli("corpus", address).stdout
    assert copies.items() <= {path.name: path.stat().st_ino for path in (tmp_path / "cache").rglob("*.arrow")}.items()
    assert "only a corpus to an address" in refused("discover", address, "Chess", "-o", f"{bucket}/x.run")
    assert not Path("s3:").exists()


def test_commands_read_texts_from_there(cli: Cli, bucket: str, inputs: list[str], tmp_path: Path) -> None:
    target = tmp_path / "x.corpus"
    assert "409 documents" in cli("ingest", "records", *inputs, "-o", target).stdout
    assert cli("train", target, "-o", tmp_path / "x.model").exit_code == 0
    Corpus.open(target).save(f"{bucket}/x.corpus")
    there, here = (cli("classify", tmp_path / "x.model", place).stdout for place in (f"{bucket}/x.corpus", target))
    assert there == here
    texts = [json.loads(line)["id"] for line in cli("classify", tmp_path / "x.model", *inputs).stdout.splitlines()]
    assert texts == [f"d{number:04d}" for number in range(409)]


def test_a_dump_is_read_from_there(bucket: str, tmp_path: Path) -> None:
    page = "<page><title>T {0}</title><ns>0</ns><id>{0}</id><text>word{0} [[Category:C]]</text></page>\n"
    dump = "<mediawiki>\n" + "".join(page.format(n) for n in range(1, 90)) + "</mediawiki>\n"
    for name, content in (("x.xml.bz2", bz2.compress(dump.encode())), ("x.xml", dump.encode())):
        Store(bucket).put(name, content)
        (tmp_path / name).write_bytes(content)
        made = [
            ingest_wikipedia([source], tmp_path / f"{name}{place}.corpus", min_bytes=1)
            for place, source in enumerate((f"{bucket}/{name}", tmp_path / name))
        ]
        assert made[0].documents == made[1].documents == 89
        one, other = (Corpus.open(tmp_path / f"{name}{place}.corpus").checksum for place in (0, 1))
        assert one == other


def test_a_copy_that_broke_off_goes_on(bucket: str, corpus: Corpus, tmp_path: Path) -> None:
    corpus.save(f"{bucket}/x.corpus")
    content = (corpus.path / "tokens.arrow").read_bytes()
    folder = tmp_path / "cache" / "corpora" / corpus.checksum[:20]
    folder.mkdir(parents=True)
    (folder / "tokens.arrow.partial").write_bytes(content[:1000])
    told: list[tuple[int, int]] = []
    there = Corpus.open(f"{bucket}/x.corpus")
    there.fetch(lambda done, total: told.append((done, total)))
    assert told[-1][0] == told[-1][1] > 0
    assert (folder / "tokens.arrow").read_bytes() == content
    assert (there.matrix() != corpus.matrix()).nnz == 0
    again: list[tuple[int, int]] = []
    Corpus.open(f"{bucket}/x.corpus").fetch(lambda done, total: again.append((done, total)))
    assert again[-1] == told[-1]


def test_what_is_damaged_there_is_said(bucket: str, corpus: Corpus, tmp_path: Path) -> None:
    corpus.save(f"{bucket}/x.corpus")
    content = bytearray((corpus.path / "tokens.arrow").read_bytes())
    content[900] ^= 1
    Store(f"{bucket}/x.corpus").put("tokens.arrow", bytes(content))
    Store(f"{bucket}/x.corpus").remove("labels.arrow")
    says = r"x\.corpus is damaged: {}\.arrow is missing or does not match"
    there = Corpus.open(f"{bucket}/x.corpus")
    with pytest.raises(DamagedCorpus, match=says.format("tokens")):
        there.matrix()
    with pytest.raises(DamagedCorpus, match=says.format("labels")):
        there.members("Chess")
    assert not list((tmp_path / "cache").rglob("tokens.arrow*"))


def test_a_damaged_copy_is_made_again(bucket: str, corpus: Corpus, tmp_path: Path) -> None:
    corpus.save(f"{bucket}/x.corpus")
    Corpus.open(f"{bucket}/x.corpus").matrix()
    (copy,) = (tmp_path / "cache").rglob("tokens.arrow")
    content = bytearray(copy.read_bytes())
    content[900] ^= 1
    copy.write_bytes(content)
    assert (Corpus.open(f"{bucket}/x.corpus").matrix() != corpus.matrix()).nnz == 0
    assert copy.read_bytes() != bytes(content)


def test_what_is_not_there_is_said(bucket: str, tmp_path: Path) -> None:
    for address in (f"{bucket}/x.corpus", "s3://no-such-bucket/x.corpus"):
        with pytest.raises(CorpusError, match=rf"^{address} is not a corpus folder: it has no manifest"):
            Corpus.open(address)
    for address, says in (
        (f"{bucket}/x.jsonl", "no such file"),
        (f"{bucket}/x/*.jsonl", "no such f"),
        (f"{bucket}/x/", "no such f"),
    ):
        with pytest.raises(BrokenFile, match=f"there is {says}"):
            RecordReader([address])
    corpus = Corpus.from_texts(["a b"])
    with pytest.raises(CorpusError, match=r"no-such-bucket.*; make the bucket first, or correct the name$"):
        corpus.save("s3://no-such-bucket/x.corpus")
    with pytest.raises(CorpusError, match=r"s3://x/\?\? is not such an address|cannot be reached|no manifest"):
        Corpus.open("s3://")
    with pytest.raises(InputError, match="the local engine writes a corpus to the disk"):
        ingest(RecordReader([_lines(tmp_path)]), f"{bucket}/y.corpus")


def _lines(folder: Path) -> Path:
    (folder / "x.jsonl").write_bytes(as_lines(records(3)))
    return folder / "x.jsonl"


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("AWS Error ACCESS_DENIED during HeadObject operation", "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
        ("AWS Error NETWORK_CONNECTION during ListObjectsV2 operation: curlCode: 7", "AWS_ENDPOINT_URL"),
        ("Unable to load libhdfs: ./libhdfs.so: cannot open", "ARROW_LIBHDFS_DIR"),
    ],
)
def test_what_to_do_is_said(said: str, advice: str) -> None:
    with pytest.raises(CorpusError, match=advice) as raised, reached("s3://key:secret@bucket/x?region=eu"):
        raise OSError(said)
    assert str(raised.value).startswith(f"s3://bucket/x cannot be reached: {said}; ")
    with pytest.raises(FileNotFoundError), reached("s3://bucket/x"):
        raise FileNotFoundError(2, "of the disk")
