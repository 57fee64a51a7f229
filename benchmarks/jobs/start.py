"""How long a command takes to start."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

from contest import Contestant, Job, Settings, Started, Work


def prepare(folder: Path, settings: Settings) -> Work:
    return Work("start of the command line")


def command(arguments: list[str], folder: Path) -> Started:
    def run() -> None:
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)

    run()
    return Started({"all": run})


START = Job(
    "start",
    prepare,
    (
        Contestant("priorwise --help", partial(command, ["-m", "priorwise", "--help"]), "ours"),
        Contestant(
            "import sklearn.naive_bayes", partial(command, ["-c", "import sklearn.naive_bayes"]), "peer", "scikit-learn"
        ),
        Contestant("python -c pass", partial(command, ["-c", "pass"]), "limit", "python"),
    ),
)
