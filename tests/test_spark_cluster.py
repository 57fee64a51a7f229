"""A worker that dies in the middle, a job that is killed: the answer is the same."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from priorwise.corpus import Corpus, ingest
from priorwise.readers.records import RecordReader
from spark_session import SETTINGS, Cluster

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.xdist_group("spark")]

JOB = textwrap.dedent(
    """
    import json, sys, time
    from pathlib import Path

    from priorwise.corpus import Corpus, ingest
    from priorwise.corpus.build.ingestion import ReaderSplit
    from priorwise.engines.spark import Spark
    from priorwise.readers import records
    from priorwise.readers.records import RecordReader

    records.PART_BYTES = 5000


    class Slow(RecordReader):
        def __iter__(self):
            time.sleep(0.5)
            yield from super().__iter__()


    if __name__ == "__main__":
        import job

        files, target, master = sorted(Path(sys.argv[1]).glob("*.jsonl")), Path(sys.argv[2]), sys.argv[3]
        spark = Spark.start(master, **json.loads(Path("settings.json").read_text()))
        summary = ingest(job.Slow(files), target, work=spark.work)
        print(json.dumps({"resumed": summary.resumed, "documents": summary.documents}))
        spark.stop()
    """
)
N_FILES = 10


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    for number in range(N_FILES):
        lines = [
            {
                "id": f"{number:02d}-{row:03d}",
                "text": " ".join(f"w{row * k % 97}" for k in range(1, 12)),
                "labels": ["x"],
            }
            for row in range(60)
        ]
        (folder / f"{number:02d}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


@pytest.fixture
def job(tmp_path: Path, environment: dict[str, str]) -> Path:
    """A program whose splits take half a second each; its folder is on the path of the workers, too."""
    (tmp_path / "job.py").write_text(JOB)
    (tmp_path / "settings.json").write_text(json.dumps({**SETTINGS, "spark.local.dir": str(tmp_path / "spark")}))
    return tmp_path / "job.py"


def begin(job: Path, environment: dict[str, str], *arguments: object) -> subprocess.Popen[str]:
    path = os.pathsep.join([environment["PYTHONPATH"], str(job.parent)])
    with (job.parent / "job.log").open("a") as log:
        return subprocess.Popen(
            [sys.executable, str(job), *map(str, arguments)],
            env={**environment, "PYTHONPATH": path},
            cwd=job.parent,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,
        )


def end(running: subprocess.Popen[str] | None) -> None:
    """End a job with all its children, and wait for it."""
    if running is not None:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
        running.communicate()


def wait_for_splits(target: Path, n: int, running: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 240
    while len(list(target.parent.glob(f"{target.name}.partial/done/*.json"))) < n:
        assert running.poll() is None, "the job ended before it could be disturbed"
        assert time.monotonic() < until, "the job takes too long"
        time.sleep(0.05)


def expected(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr("priorwise.readers.records.PART_BYTES", 5000)
    ingest(RecordReader(sorted(files.glob("*.jsonl"))), tmp_path / "expected.corpus")
    return Corpus.open(tmp_path / "expected.corpus").checksum


def test_a_job_is_killed_and_goes_on_and_then_a_worker_dies(
    files: Path, job: Path, environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All on one cluster of two workers, for to start one takes longer than all that is done on it."""
    path = os.pathsep.join([environment["PYTHONPATH"], str(job.parent)])
    running: subprocess.Popen[str] | None = None
    cluster = Cluster(tmp_path, {**environment, "PYTHONPATH": path})
    target = tmp_path / "x.corpus"
    try:
        cluster.begin(2)
        running = begin(job, environment, files, target, cluster.address)
        wait_for_splits(target, 3, running)
        end(running)
        assert not target.exists()
        running = begin(job, environment, files, target, cluster.address)
        wait_for_splits(target, 6, running)
        cluster.kill_worker()
        told, _ = running.communicate(timeout=240)
    finally:
        cluster.end()
        end(running)
    assert running.returncode == 0, (tmp_path / "job.log").read_text()[-3000:]
    again = json.loads(told.splitlines()[-1])
    assert 180 <= again["resumed"] <= 360
    assert again["documents"] == 60 * N_FILES
    assert Corpus.open(target).checksum == expected(files, tmp_path, monkeypatch)
