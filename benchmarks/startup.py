"""How long the command line takes to start, and a computing command to start computing."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from measure import arguments, seconds, table


def main() -> None:
    options = arguments(__doc__ or "")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "priorwise", "demo", "--folder", folder, "--made-up", "600"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        corpus = str(Path(folder, "made-up.corpus"))
        run = str(Path(folder, "astronomy.run"))
        # Everything a discovery loads before it computes: the corpus, the models and each compiled kernel, once.
        prelude = (
            "import numpy as np\n"
            "from priorwise.corpus import Corpus\n"
            "from priorwise.discovery import discover\n"
            "from priorwise.kernels import scoring\n"
            "from priorwise.models.naive_bayes._kernels import leave_one_out\n"
            f"corpus = Corpus.open({corpus!r})\n"
            "from priorwise.models.naive_bayes.presence_leave_one_out import LeaveOneOut\n"
            "from priorwise.models.naive_bayes.presence_leave_one_out import Cases\n"
            "cases = Cases.of([0, 1, 2], [0, 1], [True, False])\n"
            "LeaveOneOut(cases, cases.count(2)).predicted_positive()\n"
        )
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "python -c 'import sklearn.naive_bayes'": [sys.executable, "-c", "import sklearn.naive_bayes"],
            "priorwise --help (< 0.3)": [sys.executable, "-m", "priorwise", "--help"],
            "priorwise corpus X": [sys.executable, "-m", "priorwise", "corpus", corpus],
            "priorwise discover, until it computes (< 1)": [sys.executable, "-c", prelude],
            "priorwise explain RUN ID, whole": [sys.executable, "-m", "priorwise", "explain", run, "doc-00001"],
        }
        rows = []
        for name, command in commands.items():
            taken, spread = seconds(
                lambda command=command: subprocess.run(command, check=True, stdout=subprocess.DEVNULL), options.repeats
            )
            rows.append([name, f"{taken:.2f}", f"{spread:.2f}"])
        table(["command, warm", "seconds", "spread"], rows)


if __name__ == "__main__":
    main()
