"""What several jobs share: files of sparse matrices for those who read text, and a Spark.

Modules of jobs import what is heavy where it is used, so that no contestant carries the others' libraries.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def write_svmlight(X: Any, y: np.ndarray, path: Path) -> None:
    """For Spark: features from 1, in ascending order."""
    from sklearn.datasets import dump_svmlight_file

    X.sort_indices()
    dump_svmlight_file(X, y, str(path), zero_based=False)


def write_vw(svmlight: Path, path: Path) -> None:
    """For Vowpal Wabbit, from the other format; its classes begin with 1."""
    with svmlight.open() as lines, path.open("w") as file:
        for line in lines:
            label, features = line.split(" ", 1)
            file.write(f"{int(label) + 1} | {features}")


def spark_session(folder: Path, memory: str) -> Any:
    """Spark on all cores of this machine."""
    from priorwise.engines.spark import Spark

    settings = {
        "spark.driver.memory": memory,
        "spark.driver.maxResultSize": "0",
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.local.dir": str(folder),
    }
    return Spark.start("local[*]", **settings).session


def spark_vectors(session: Any, path: Path, n_features: int) -> Any:
    """A file of vectors as a table in memory."""
    frame = session.read.format("libsvm").option("numFeatures", str(n_features)).load(str(path)).repartition(2).cache()
    frame.count()
    return frame
