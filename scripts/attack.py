"""Attack priorwise with what a stranger, a failing disk or a power cut may do, and count what happens.

    .venv/bin/python scripts/attack.py                    # everything; about twenty minutes on two cores
    .venv/bin/python scripts/attack.py corpora --count 200
    NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=/tmp/bounds .venv/bin/python scripts/attack.py corpora matrices

Each attack runs in a process of its own, so that a crash is counted and not suffered. Exit code 1 if anything happened
that must not. docs/robustness.md has the counts of the last run.

corpora   crafted corpora whose checksums are right, read and trained on
matrices  crafted matrices and targets, for every estimator
flips     one bit flipped at every byte (of large files: at every so many) of a corpus, a model and a run
ends      a kill, and a power cut, before each step on the disk of everything that writes a result
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests")]

Outcome = tuple[str, str]
PATIENCE = 120


def in_a_process(work: Callable[[], str]) -> str:
    """Do some work in a process of its own; return what it says, or the signal or the exception that ended it."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        signal.alarm(PATIENCE)
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115
        try:
            said = work()
        except BaseException as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            said = f"{type(error).__name__} in {Path(last.filename).name}:{last.lineno}: {str(error)[:100]}"
        os.write(write, said.encode("utf-8", "replace"))
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as told:
        said = told.read()
    _, status = os.waitpid(child, 0)
    return f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else said


def corpora(count: int, seed: int, home: Path) -> Iterator[Outcome]:
    """Crafted corpora, each used as the commands use one."""
    import numpy as np

    from crafting import CHANGES, Crafted, small_corpus
    from priorwise.errors import PriorwiseError
    from priorwise.models.class_counts import ClassCounts
    from test_corpus_structure import read_all

    small_corpus(home / "sound.corpus")
    read_all(home / "sound.corpus")
    crafted, rng = Crafted(home / "sound.corpus"), np.random.default_rng(seed)
    for number in range(count):
        change = CHANGES[int(rng.integers(len(CHANGES)))]
        told = crafted.write(home / "crafted.corpus", change, rng)

        def use() -> str:
            from scipy.sparse import csr_matrix

            from priorwise.corpus import Corpus

            try:
                corpus = Corpus.open(home / "crafted.corpus")
                X = corpus.matrix()
                starts, labels = corpus.take_labels(np.arange(len(corpus)))
                membership = csr_matrix((np.ones(len(labels)), labels, starts), shape=(len(corpus), corpus.n_labels))
                ClassCounts.of(X, membership, np.ones(len(corpus)))
                read_all(home / "crafted.corpus")
            except PriorwiseError:
                return "refused"
            return "used"

        yield f"{number}: {told}", in_a_process(use)


def matrices(count: int, seed: int, home: Path) -> Iterator[Outcome]:
    """Crafted matrices, for every estimator."""
    import numpy as np

    from crafted_matrices import cases, estimators, sound, use

    rng = np.random.default_rng(seed)
    good, y = sound(rng)
    tried = 0
    made = estimators()
    for make in made.values():
        # Compiled once, here, and not in each process.
        use(make, good, y, good)
    while tried < count:
        for what, X, target in cases(rng):
            for name, make in made.items():
                if tried < count:
                    yield f"{name}: {what}", in_a_process(lambda: use(make, X, target, good))  # noqa: B023
                    tried += 1


def flips(count: int, seed: int, home: Path) -> Iterator[Outcome]:
    """Flipped bits; `count` is how many at most for each of the three."""
    import numpy as np

    from priorwise.corpus import Corpus
    from priorwise.discovery import Run, discover
    from priorwise.errors import PriorwiseError
    from priorwise.models.linear_model import LinearModel
    from test_linear_model import small_model
    from test_verify import READ

    texts = ["tea milk", "tea leaves", "tea cup", "milk cow", "cow hay", "hay barn", "barn owl", "cup owl"]
    corpus = Corpus.from_texts(texts, labels=["Tea", "Tea", *[None] * 6], path=home / "x.corpus")
    discover(corpus, "Tea", model="presence").save(home / "x.run")
    small_model().save(home / "x.model")
    of_model = {"model.json", "labels.arrow", "outputs.arrow", "tokens.arrow"}
    subjects: list[tuple[str, set[str] | None, Callable[[Path], Any]]] = [
        ("x.corpus", None, lambda folder: Corpus.open(folder).verify()),
        ("x.model", of_model, LinearModel.load),
        ("x.run", READ, Run.load),
    ]
    rng = np.random.default_rng(seed)
    for name, read, load in subjects:
        files = [file for file in sorted((home / name).iterdir()) if read is None or file.name in read]
        total = sum(file.stat().st_size for file in files)
        step = max(1, -(-total // count))
        for file in files:
            whole = file.read_bytes()
            for place in range(0, len(whole), step):
                changed = bytearray(whole)
                changed[place] ^= 1 << int(rng.integers(8))
                file.write_bytes(changed)
                try:
                    load(home / name)
                    said = "unnoticed"
                except PriorwiseError:
                    said = "noticed"
                except Exception as error:
                    said = f"{type(error).__name__}: {error}"
                yield f"{name}/{file.name}, byte {place}", said
            file.write_bytes(whole)


def ends(count: int, seed: int, home: Path) -> Iterator[Outcome]:
    """A kill or a power cut before each step of each writer."""
    import shutil

    import pyarrow as pa

    from power import count_steps, cut_power_at, kill_at
    from priorwise.cli.discover_many import write_tables
    from priorwise.corpus import Corpus
    from priorwise.corpus.whole_files import write_texts
    from priorwise.discovery import discover
    from priorwise.errors import AlreadyExists
    from test_durable import _is_scratch, state
    from test_linear_model import small_model

    texts = ["tea milk", "tea leaves", "tea cup", "milk cow", "cow hay", "hay barn", "barn owl", "cup owl"]
    corpus = Corpus.from_texts(texts, labels=["Tea", "Tea", *[None] * 6])
    runs = {text: discover(corpus, "Tea", model="presence", seed=seed) for seed, text in enumerate(("old", "new"))}
    others = {text: Corpus.from_texts([text]) for text in ("old", "new")}
    model, root = small_model(), home / "root"
    writers: dict[str, Callable[[str, bool], Any]] = {
        "a run": lambda text, over: runs[text].save(root / "x.run", overwrite=over),
        "a corpus": lambda text, over: others[text].save(root / "x.corpus", overwrite=over),
        "a model": lambda text, over: model.save(root / "x.model", overwrite=over),
        "a report and two lists": lambda text, over: write_texts(
            {root / f"x.{ending}": text * 9 for ending in ("html", "csv", "wiki")}, overwrite=over
        ),
        "two tables": lambda text, over: write_tables(
            {root / "x.csv": pa.table({"a": [text]}), root / "x.labels.csv": pa.table({"b": [text]})}, overwrite=over
        ),
    }
    for what, write in writers.items():
        for overwrite in (False, True):
            for end in (kill_at, cut_power_at):

                def begin() -> None:
                    shutil.rmtree(root, ignore_errors=True)
                    root.mkdir(parents=True)
                    if overwrite:  # noqa: B023
                        write("old", False)  # noqa: B023

                begin()
                old = state(root)
                work = lambda: write("new", overwrite)  # noqa: B023, E731
                steps = count_steps(root, work)
                new = state(root)
                for number in range(steps + 1):
                    begin()
                    end(number, root, work)
                    found = {name: each for name, each in state(root).items() if not _is_scratch(name)}
                    each_whole = all(found.get(name) in (old.get(name), new.get(name)) for name in {*found, *old, *new})
                    try:
                        work()
                    except AlreadyExists:
                        each_whole &= found == new
                    said = "whole" if each_whole and state(root) == new else f"not whole: {sorted(state(root))}"
                    yield f"{what}, {'replaced' if overwrite else 'new'}, {end.__name__} {number}", said


ATTACKS: dict[str, tuple[Callable[[int, int, Path], Iterator[Outcome]], int, set[str]]] = {
    "corpora": (corpora, 1200, {"used", "refused"}),
    "matrices": (matrices, 800, {"used", "refused"}),
    "flips": (flips, 3000, {"noticed"}),
    "ends": (ends, 0, {"whole"}),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attacks", nargs="*", choices=[*ATTACKS, []], help="which; all by default")
    parser.add_argument("--count", type=int, help="how many cases of each")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    failed = False
    for name in chosen.attacks or ATTACKS:
        attack, count, allowed = ATTACKS[name]
        began, told = time.monotonic(), Counter[str]()
        with tempfile.TemporaryDirectory() as home:
            os.environ["PRIORWISE_CACHE"] = f"{home}/cache"
            for what, said in attack(chosen.count or count, chosen.seed, Path(home)):
                told[said if said in allowed else "WRONG"] += 1
                if said not in allowed:
                    print(f"  {what}: {said}", flush=True)
        failed |= "WRONG" in told
        figures = ", ".join(f"{number:,} {said}" for said, number in sorted(told.items()))
        print(f"{name}: {sum(told.values()):,} tried: {figures} ({time.monotonic() - began:.0f} s)", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
