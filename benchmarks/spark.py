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
from measure import table

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

PART_BYTES = 1 << 22
"""Smaller than usual, so that there is something to share out."""

DOCUMENTS, PER_FILE = 120_000, 2000
ENGINES = {
    "local-1": "local, 1 thread",
    "local-2": "local, 2 threads",
    "local[1]": "Spark, `local[1]`",
    "local[2]": "Spark, `local[2]`",
    "cluster of 1": "Spark, a cluster of one worker",
    "cluster of 2": "Spark, a cluster of two workers",
}
STEPS = {
    "start": "start, s",
    "first job": "first job, s",
    "ingest": "ingest, s",
    "rank 1": "rank for 1, s",
    "rank 64": "for 64, s",
}
SIZES = {"6 million": 6e6, "60 million": 60e6, "1 billion": 1e9}
CORES = 64


def write_files(folder: Path, n_documents: int) -> float:
    """Articles in files of some megabytes; return how many there are in all."""
    from priorwise.discovery.made_up import make_documents

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
    same = len({told["checksum"] for told in found.values()}) == 1
    print("the corpora are the same\n" if same else "THE CORPORA DIFFER\n")
    table(["engine", *STEPS.values(), "peak MB"], [[ENGINES[name], *row_of(told)] for name, told in found.items()])
    show_scaling(found)
    show_costs(found, n_documents, megabytes)


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


def row_of(told: dict[str, float]) -> list[str]:
    seconds = [f"{told[key]:.1f} ({told[f'{key}, processor']:.1f})" for key in STEPS]
    return [*seconds, f"{told['MB']:,.0f}"]


def show_scaling(found: dict[str, dict[str, float]]) -> None:
    """How much shorter it takes with twice as many cores; the clusters' share two cores with everything else."""
    print("\nfrom one to two (time of one over time of two)")
    pairs = {
        "threads of the local engine": ("local-1", "local-2"),
        "Spark, cores of one process": ("local[1]", "local[2]"),
        "Spark, workers of a cluster": ("cluster of 1", "cluster of 2"),
    }
    steps = ("ingest", "rank 64")
    rows = [[what, *(f"{found[a][step] / found[b][step]:.2f}" for step in steps)] for what, (a, b) in pairs.items()]
    table(["", "ingest", "rank for 64"], rows)


def show_costs(found: dict[str, dict[str, float]], n_documents: int, megabytes: float) -> None:
    """What each document costs, from when on Spark pays, and what larger corpora would take."""
    local, spark = found["local-2"], found["local[2]"]

    def of_each(told: dict[str, float], what: str) -> float:
        """What a document more costs: what any job costs is in a small one too."""
        return (told[f"ingest, {what}"] - told[f"small job, {what}"]) / (n_documents - PER_FILE)

    here, there = (of_each(told, "processor") for told in (local, spark))
    driver = of_each(spark, "this process")
    overhead = sum(spark[step] - local[step] for step in ("start", "first job"))
    size = local["corpus bytes"] / n_documents
    print(f"\na document ({megabytes * 1e3 / n_documents:.1f} kB): {here * 1e6:.0f} µs of a processor here, ", end="")
    print(
        f"{there * 1e6:.0f} on Spark ({there / here:.1f} times), {driver * 1e6:.1f} of them of the driver alone; ",
        end="",
    )
    print(f"{size / 1e3:.1f} kB of corpus")
    print(f"Spark costs {overhead:.0f} s before it begins, and pays from so many documents on, against two cores here:")
    rows = []
    for cores in (4, 8, 16, 64):
        saved = here / 2 - there / cores - driver
        from_on = f"{overhead / saved:,.0f}" if saved > 0 else "never"
        rows.append([str(cores), from_on, f"{overhead / saved * here / 2 / 60:.1f}" if saved > 0 else ""])
    table(["cores of a cluster", "documents", "minutes that they take here"], rows)
    print()
    rows = [
        [
            name,
            f"{n * here / 3600:,.2f}",
            f"{n * there / 3600:,.2f}",
            f"{(overhead + n * there / CORES) / 60:,.1f}",
            f"{n * driver / 60:,.1f}",
            f"{n * size / 1e9:,.0f}",
        ]
        for name, n in SIZES.items()
    ]
    headings = [
        "core-hours here",
        "core-hours on Spark",
        f"minutes on {CORES} cores",
        "and of the driver alone",
        "corpus, GB",
    ]
    table(["documents", *headings], rows)


if __name__ == "__main__":
    main()
