"""One Spark for all tests of a process: to start it takes longer than any of them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from priorwise.engines.spark import Spark, use_java

QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""A Java that lives for a minute need not compile for days."""

SETTINGS = {
    "spark.driver.extraJavaOptions": QUICK,
    "spark.executor.extraJavaOptions": QUICK,
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
}


@contextmanager
def a_spark(master: str, folder: Path, **settings: str) -> Iterator[Spark]:
    folders = {"spark.local.dir": str(folder), "spark.sql.warehouse.dir": str(folder / "warehouse")}
    with pytest.MonkeyPatch.context() as patch:
        # Copies of corpora at addresses; its workers take it from this process.
        patch.setenv("PRIORWISE_CACHE", str(folder / "cache"))
        spark = Spark.start(master, **SETTINGS, **folders, **settings)
        yield spark
        spark.stop()


class Cluster:
    """A standalone cluster on loopback: a master, and workers of one core each."""

    def __init__(self, folder: Path, environment: dict[str, str], memory: str = "700m") -> None:
        self.folder, self.memory = folder, memory
        java = {"JAVA_HOME": use_java(), "SPARK_DAEMON_JAVA_OPTS": QUICK}
        self.environment = {**environment, **java, "SPARK_LOCAL_DIRS": str(folder)}
        self.port = free_port()
        self.address = f"spark://127.0.0.1:{self.port}"
        self.processes: list[subprocess.Popen[bytes]] = []

    def begin(self, n_workers: int) -> None:
        self._launch("org.apache.spark.deploy.master.Master", "--port", self.port, "--webui-port", free_port())
        wait_for(self.port)
        for number in range(n_workers):
            self._launch(
                "org.apache.spark.deploy.worker.Worker",
                *("--cores", 1, "--memory", self.memory, "--port", free_port(), "--webui-port", free_port()),
                *("--work-dir", self.folder / f"worker-{number}", self.address),
            )

    def kill_worker(self) -> None:
        """End the last worker with all its children, as a machine that loses its power."""
        self._end(self.processes.pop())

    def end(self) -> None:
        while self.processes:
            self._end(self.processes.pop())

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def _launch(self, name: str, *arguments: object) -> None:
        import pyspark

        home = Path(pyspark.__file__).parent
        command = [home / "bin" / "spark-class", name, "--host", "127.0.0.1", *arguments]
        with (self.folder / f"{name.rpartition('.')[2]}-{len(self.processes)}.log").open("wb") as log:
            self.processes.append(
                subprocess.Popen(
                    [str(word) for word in command],
                    env=self.environment,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def wait_for(port: int, seconds: float = 120) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with socket.socket() as trying:
            if trying.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise TimeoutError(f"nothing listens on port {port}")
