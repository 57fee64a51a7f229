"""Spark against the local engine, on the same files: time, memory, what Spark costs before it begins, and when it pays.

Some five minutes on two idle cores. What each engine took is kept in the folder of --keep as soon as it is known, so
that the same command again goes on with the engines that are missing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from process_tree import Usage
from spark_tables import ENGINES, Size, row_of, show_all

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

PART_BYTES = 1 << 22
"""Smaller than usual, so that there is something to share out."""

DOCUMENTS, PER_FILE = 120_000, 2000


def write_files(folder: Path, n_documents: int) -> float:
    """Articles in files of some megabytes; return how many there are in all."""
    from priorwise.discovery.demo import make_documents

    made = make_documents(PER_FILE)
    size = 0
    for start in range(0, n_documents, PER_FILE):
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
    from priorwise.readers import records as record_reading
    from priorwise.readers.records import RecordReader

    record_reading.PART_BYTES = PART_BYTES
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
    for step, some in (("small job", files[:1]), ("ingest", files)):
        own = time.process_time()
        ingest(RecordReader(some), output / f"{step[0]}.corpus", workers=workers, work=spark and spark.work)
        told[f"{step}, this process"] = time.process_time() - own
        lap(step)
    corpus = Corpus.open(output / "i.corpus")
    told["corpus bytes"] = sum(path.stat().st_size for path in (output / "i.corpus").iterdir())
    told["vocabulary"] = corpus.n_vocabulary
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


def main() -> None:
    if sys.argv[1:2] == ["--run"]:
        print(json.dumps(run(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a tenth of the size")
    parser.add_argument("--keep", type=Path, help="where the figures are kept; a folder of its own by default")
    options = parser.parse_args()
    n_documents = DOCUMENTS // (10 if options.small else 1)
    with tempfile.TemporaryDirectory() as scratch:
        keep = options.keep or Path(scratch, "figures")
        keep.mkdir(parents=True, exist_ok=True)
        folder = Path(scratch, "files")
        folder.mkdir()
        megabytes = write_files(folder, n_documents)
        found = {}
        for name in ENGINES:
            figures = keep / f"{name.replace(' ', '-')}-{n_documents}.json"
            if not figures.is_file():
                figures.write_text(json.dumps(figures_of(name, folder, Path(scratch))))
            found[name] = json.loads(figures.read_text())
            print(ENGINES[name], *row_of(found[name])[1:], sep="  ", file=sys.stderr)
    print(f"{n_documents:,} documents, {megabytes:,.0f} MB of JSONL in parts of {PART_BYTES >> 20} MB; ", end="")
    print("seconds, and in brackets seconds of the processors")
    show_all(found, Size(n_documents, n_documents - PER_FILE, megabytes))


def figures_of(name: str, folder: Path, scratch: Path) -> dict[str, float]:
    """What one engine takes, on a cluster of its own if it is one."""
    from spark_session import Cluster

    environment = {**os.environ, "SPARK_LOCAL_DIRS": str(scratch), "PYTHONPATH": os.pathsep.join(sys.path[1:])}
    output = scratch / name.replace(" ", "-")
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
        return measured(command, roots, environment)
    finally:
        if cluster is not None:
            cluster.end()


if __name__ == "__main__":
    main()
