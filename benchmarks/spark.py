"""Spark against the local engine, on the same files: time, memory, and what Spark costs before it begins."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from measure import arguments, table

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

PART_BYTES = 1 << 22
"""Smaller than usual, so that there is something to share out."""


def write_files(folder: Path, n_documents: int) -> float:
    """Articles in files of some megabytes; return how many there are in all."""
    from priorwise.discovery.made_up import make_documents

    made = make_documents(2000)
    size = 0
    for start in range(0, n_documents, 2000):
        lines = [
            json.dumps({"id": f"{start + n:08d}", "text": document.text, "labels": list(document.labels)})
            for n, document in enumerate(made)
        ]
        path = folder / f"{start:08d}.jsonl"
        path.write_text("\n".join(lines) + "\n")
        size += path.stat().st_size
    return size / 1e6


def run(engine: str, folder: Path, output: Path) -> dict[str, float]:
    """One engine's part, in a process of its own: start, ingest, one pass over the corpus for 1 scorer and for 64."""
    from priorwise.corpus import Corpus, ingest
    from priorwise.engines.engine import Local
    from priorwise.engines.spark import Spark
    from priorwise.models.weights import Weights
    from priorwise.ranking.scorer import Scorer
    from priorwise.readers import record_parts
    from priorwise.readers.records import RecordReader

    record_parts.PART_BYTES = PART_BYTES
    files = sorted(folder.glob("*.jsonl"))
    told: dict[str, float] = {}
    clock = time.perf_counter()

    def lap(name: str) -> None:
        nonlocal clock
        told[name] = time.perf_counter() - clock
        # Whoever measures now looks at the processes, and says when that is done.
        print(name, flush=True)
        sys.stdin.readline()
        clock = time.perf_counter()

    spark = None
    if engine.startswith("local-"):
        from priorwise.text.tokens import count_texts

        count_texts(["compile or load the kernels"])
    else:
        settings = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.executor.memory": "1g"}
        spark = Spark.start(engine, **settings)
    lap("start")
    workers = int(engine.removeprefix("local-")) if spark is None else None
    ingest(RecordReader(files[:1]), output / "warm.corpus", workers=workers, work=spark and spark.work)
    lap("first job")
    ingest(RecordReader(files), output / "x.corpus", workers=workers, work=spark and spark.work)
    lap("ingest")
    corpus = Corpus.open(output / "x.corpus")
    random = np.random.default_rng(0)
    features = np.arange(corpus.n_vocabulary)
    scorers = [Scorer(Weights(features, random.normal(size=(1, len(features))), np.zeros(1))) for _ in range(64)]
    where = Local(workers) if spark is None else spark
    lap("open")
    where.rank_corpus(corpus, scorers[:1], top=1000)
    lap("rank 1")
    where.rank_corpus(corpus, scorers, top=1000)
    lap("rank 64")
    told["checksum"] = int(corpus.checksum[:12], 16)
    if spark is not None:
        spark.stop()
    return told


def measured(command: list[str], roots: list[int], environment: dict[str, str]) -> dict[str, float]:
    """What a process tells, and what it, its descendants and a cluster's used together: memory, and processor time."""
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    )
    assert process.stdin is not None
    assert process.stdout is not None
    usage, stop = Usage([process.pid, *roots]), threading.Event()

    def watch() -> None:
        while not stop.wait(0.2):
            usage.look()

    watcher = threading.Thread(target=watch)
    watcher.start()
    told: dict[str, float] = {}
    before = usage.seconds
    for line in process.stdout:
        if line.startswith("{"):
            told |= json.loads(line)
            continue
        usage.look()
        told[f"{line.strip()}, processor"], before = usage.seconds - before, usage.seconds
        process.stdin.write("go on\n")
        process.stdin.flush()
    stop.set()
    watcher.join()
    if process.wait():
        raise SystemExit(f"failed: {' '.join(command)}")
    return {**told, "MB": usage.peak}


class Usage:
    """Processor time, and the most private memory, of some processes and all their descendants."""

    def __init__(self, roots: list[int]) -> None:
        self.roots, self.peak, self.lock = roots, 0.0, threading.Lock()
        self.used: dict[int, float] = {}
        self.look()

    @property
    def seconds(self) -> float:
        with self.lock:
            return sum(self.used.values())

    def look(self) -> None:
        children: dict[int, list[int]] = {}
        size, used = {}, {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                status = (folder / "status").read_text().splitlines()
                times = (folder / "stat").read_text().rpartition(")")[2].split()[11:13]
            except OSError:
                continue
            fields = dict(line.split(":", 1) for line in status if ":" in line)
            pid = int(folder.name)
            children.setdefault(int(fields["PPid"]), []).append(pid)
            size[pid] = int(fields.get("RssAnon", "0 kB").split()[0]) / 1e3
            used[pid] = sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
        waiting, found = list(self.roots), []
        while waiting:
            pid = waiting.pop()
            found.append(pid)
            waiting += children.get(pid, [])
        with self.lock:
            self.peak = max(self.peak, sum(size.get(pid, 0.0) for pid in found))
            self.used |= {pid: used[pid] for pid in found if pid in used}


def main() -> None:
    if sys.argv[1:2] == ["--run"]:
        print(json.dumps(run(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))))
        return
    from spark_session import Cluster

    options = arguments(__doc__ or "")
    n_documents = 60_000 // (10 if options.small else 1)
    rows, seen = [], set()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "files")
        folder.mkdir()
        megabytes = write_files(folder, n_documents)
        environment = {**os.environ, "SPARK_LOCAL_DIRS": scratch, "PYTHONPATH": os.pathsep.join(sys.path[1:])}
        for name in ("local-1", "local-2", "local[1]", "local[2]", "cluster of 1", "cluster of 2"):
            output = Path(scratch, name.replace(" ", "-"))
            output.mkdir()
            cluster, engine = None, name
            if name.startswith("cluster"):
                cluster = Cluster(output, environment, memory="1200m")
                cluster.begin(int(name[-1]))
                engine = cluster.address
                time.sleep(5)
            try:
                command = [sys.executable, __file__, "--run", engine, str(folder), str(output)]
                roots = [process.pid for process in cluster.processes] if cluster else []
                told = measured(command, roots, environment)
            finally:
                if cluster is not None:
                    cluster.end()
            seen.add(told["checksum"])
            steps = ("start", "first job", "ingest", "rank 1", "rank 64")
            seconds = [f"{told[key]:.1f} ({told[f'{key}, processor']:.1f})" for key in steps]
            rows.append([name, *seconds, f"{told['MB']:,.0f}"])
            print(rows[-1], file=sys.stderr)
    print(f"{n_documents:,} documents, {megabytes:,.0f} MB of JSONL in parts of {PART_BYTES >> 20} MB")
    print("seconds, and in brackets seconds of the processors")
    print("the corpora are the same" if len(seen) == 1 else "THE CORPORA DIFFER")
    table(["engine", "start", "first job", "ingest", "rank 1", "rank 64", "peak MB"], rows)


if __name__ == "__main__":
    main()
