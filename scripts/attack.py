"""Attack priorwise with what a stranger, a failing disk or a power cut may do, and count what happens.

    .venv/bin/python scripts/attack.py                    # everything; about twenty minutes on two cores
    .venv/bin/python scripts/attack.py corpora --count 200
    NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=/tmp/bounds .venv/bin/python scripts/attack.py corpora matrices

Each attack runs in a process of its own, so that a crash is counted and not suffered. Exit code 1 if anything happened
that must not. docs/robustness.md has the counts of the last run.

corpora   crafted corpora whose checksums are right, read and trained on
runs      crafted runs whose checksums are right, loaded, explained, reported, exported and classified with
models    crafted models whose checksums are right, loaded and used
matrices  crafted matrices and targets, for every estimator
flips     one bit flipped at every byte of every file of a corpus, a model, a run, a review and the local copy of a
          corpus that lies elsewhere; --count N: at most N places of each
ends      a kill, and a power cut, before each step on the disk of everything that writes a result, commands included
full      a disk that is full from each write on, for the same
together  four processes that write the same result at the same time
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
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
            refuse_connections()
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


def refuse_connections() -> None:
    """Make an attempt to reach another machine an error that nobody expects, in Python and in Arrow."""
    import pyarrow.fs

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "urllib.Request"):
            raise Connected(f"{event} {arguments[1:]}")

    class NoFileSystem:
        def __init__(self, *arguments: Any, **options: Any) -> None:
            raise Connected("a file system of Arrow's")

        @staticmethod
        def from_uri(address: str) -> Any:
            if "://" in address and not address.startswith("file:"):
                raise Connected("a file system of Arrow's")
            return from_uri(address)

    sys.addaudithook(hook)
    from_uri = pyarrow.fs.FileSystem.from_uri
    for name in ("FileSystem", "S3FileSystem", "GcsFileSystem", "AzureFileSystem", "HadoopFileSystem"):
        setattr(pyarrow.fs, name, NoFileSystem)


class Connected(BaseException):
    """Something tried to reach another machine."""


TEXTS = ["tea milk", "tea leaves", "tea cup", "milk cow", "cow hay", "hay barn", "barn owl", "cup owl"]


def tea(path: Path | None = None) -> Any:
    """A corpus of eight documents, two of which are about tea."""
    from priorwise.corpus import Corpus

    return Corpus.from_texts(TEXTS, labels=["Tea", "Tea", *[None] * 6], path=path)


def classify(model: Any) -> None:
    """Assign a model's labels to texts, as the command does."""
    from priorwise.ranking.classifier import Classifier, classified

    classifier = Classifier(model)
    list(classified(classifier, [(text, text) for text in TEXTS], classifier.read(TEXTS), top=2, evidence=3))


def runs(count: int, seed: int, home: Path) -> Iterator[Outcome]:
    """Crafted runs, each used as the commands use one."""
    import numpy as np

    from crafted_folders import craft
    from priorwise.discovery import Run, discover
    from priorwise.errors import PriorwiseError
    from priorwise.report.page import report_html
    from priorwise.report.subject import subjects_of
    from priorwise.review import finished_of
    from reviews import judge

    corpus = tea(home / "tea.corpus")
    for name in ("default", "presence"):
        discover(corpus, "Tea", model=name).save(home / f"{name}.run")
        judge(home / f"{name}.run", {"2": "yes", "3": "no"})
    path = home / "crafted.run"

    def use() -> str:
        try:
            run = Run.load(path)
            list(run.ranking.rows())
            opened = run.open_corpus()
            run.explain(opened, "2")
            finished_of(path)
            report_html(subjects_of([path]))
            classify(run.model)
        except PriorwiseError:
            return "refused"
        return "used"

    rng = np.random.default_rng(seed)
    for number in range(count):
        told = craft(home / f"{('default', 'presence')[number % 2]}.run", path, rng)
        yield f"{number}: {told}", in_a_process(use)


def models(count: int, seed: int, home: Path) -> Iterator[Outcome]:
    """Crafted models, each used as the commands use one."""
    import numpy as np

    from crafted_folders import craft
    from priorwise.discovery import discover
    from priorwise.errors import PriorwiseError
    from priorwise.models.linear_model import LinearModel
    from priorwise.ranking.evidence import explain
    from test_models_linear_model import small_model

    corpus = tea()
    small_model().save(home / "0.model")
    discover(corpus, "Tea").model.save(home / "1.model")
    discover(corpus, "Tea", model="presence").model.save(home / "2.model")
    path = home / "crafted.model"

    def use() -> str:
        try:
            model = LinearModel.load(path)
            classify(model)
            explain(model, corpus, 2)
            model.save(home / "again.model", overwrite=True)
        except PriorwiseError:
            return "refused"
        return "used"

    rng = np.random.default_rng(seed)
    for number in range(count):
        told = craft(home / f"{number % 3}.model", path, rng)
        yield f"{number}: {told}", in_a_process(use)


def corpora(count: int, seed: int, home: Path) -> Iterator[Outcome]:
    """Crafted corpora, each used as the commands use one."""
    import numpy as np

    from crafting import CHANGES, Crafted, small_corpus
    from priorwise.errors import PriorwiseError
    from priorwise.models.naive_bayes.counts import ClassCounts
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
    """Flipped bits; `count` is how many at most for each of the five."""
    import numpy as np

    from priorwise.corpus import Corpus
    from priorwise.discovery import Run, discover
    from priorwise.discovery.run import check_whole
    from priorwise.models.linear_model import LinearModel
    from priorwise.readers.addresses import cache_folder
    from priorwise.review import Verdict, Verdicts
    from test_models_linear_model import small_model

    corpus = tea(home / "x.corpus")
    discover(corpus, "Tea").save(home / "x.run")
    (home / "x.review").mkdir()
    store = Verdicts(home / "x.review" / "verdicts.sqlite")
    store.add_all([Verdict(str(row), "Ada", str(row), "yes", note="as agreed", rank=row) for row in range(8)])
    store.draw(["6", "7"])
    store.set_team(["Ada", "Bob"], 1, 0.25)
    store.close()
    told = all_said(home / "x.review")
    small_model().save(home / "x.model")

    def copy(_folder: Path) -> None:
        # A damaged copy is made again, so that nobody notices and nothing is wrong.
        found = Corpus._open_address(str(home / "x.corpus"))
        same = [found.text(row) for row in range(len(TEXTS))] == TEXTS
        same &= (found.matrix() != corpus.matrix()).nnz == 0 and found.members("Tea").tolist() == [0, 1]
        if same:
            raise Harmless

    def review(folder: Path) -> None:
        if all_said(folder) == told:
            raise Harmless

    def run(folder: Path) -> None:
        # The tables for people are compared by `priorwise verify` alone.
        Run.load(folder)
        check_whole(folder)
        # A number written with another e, or another name for the checksum itself: it says what it said before.
        content = json.loads((folder / "run.json").read_bytes())
        if all(content.get(name) == value for name, value in description.items() if name != "checksum"):
            raise Harmless

    description = json.loads((home / "x.run" / "run.json").read_bytes())
    with contextlib.suppress(Harmless):
        copy(home)
    subjects: list[tuple[Path, Callable[[Path], Any]]] = [
        (home / "x.corpus", lambda folder: Corpus.open(folder).verify()),
        (home / "x.model", LinearModel.load),
        (home / "x.run", run),
        (home / "x.review", review),
        (cache_folder() / "corpora" / corpus.checksum[:20], copy),
    ]
    rng = np.random.default_rng(seed)
    for folder, load in subjects:
        # Nothing reads a model's card, and SQLite makes its index of the log anew.
        files = [file for file in sorted(folder.rglob("*")) if file.is_file() and file.name not in UNREAD]
        step = max(1, -(-sum(file.stat().st_size for file in files) // count))
        for file in files:
            whole = file.read_bytes()
            places = range(0, len(whole), step)
            flipped = [(place, 1 << int(rng.integers(8))) for place in places]
            # One process for each file: a crash ends it, and is counted.
            outcome = in_a_process(lambda: flip_each(file, whole, flipped, folder, load))  # noqa: B023
            file.write_bytes(whole)
            name = f"{folder.name}/{file.relative_to(folder)}"
            counts, _, wrong = outcome.partition("\n")
            if not counts.startswith("{"):
                yield name, outcome
                continue
            for said, number in json.loads(counts).items():
                yield from [(name, said)] * number
            yield from ((f"{name}, {line}", line) for line in wrong.splitlines())


UNREAD = ("card.md", "verdicts.sqlite-shm")


def flip_each(
    file: Path, whole: bytes, flipped: list[tuple[int, int]], folder: Path, load: Callable[[Path], Any]
) -> str:
    """Flip a bit at each place of a file, one at a time; return how many were noticed, and the rest in lines."""
    from priorwise.errors import PriorwiseError

    counts, wrong = Counter[str](), []
    for place, bit in flipped:
        signal.alarm(PATIENCE)
        changed = bytearray(whole)
        changed[place] ^= bit
        file.write_bytes(changed)
        try:
            load(folder)
            wrong.append(f"byte {place}: unnoticed")
        except PriorwiseError:
            counts["noticed"] += 1
        except Harmless:
            counts["harmless"] += 1
        except Exception as error:
            wrong.append(f"byte {place}: {type(error).__name__}: {' '.join(str(error).split())[:100]}")
    return "\n".join([json.dumps(counts), *wrong[:200]])


def all_said(folder: Path) -> Any:
    """Return all that a review holds."""
    from priorwise.review import Verdicts

    store = Verdicts(folder / "verdicts.sqlite", read_only=True)
    try:
        return store.log(), store.samples(), store.team()
    finally:
        store.close()


class Harmless(Exception):
    """A change made no difference."""


def writers(root: Path) -> dict[str, Callable[[str, bool], Any]]:
    """What writes a result: each takes the text "old" or "new", and whether to overwrite."""
    from priorwise.corpus import Corpus
    from priorwise.discovery import discover
    from priorwise.durable import write_texts
    from priorwise.exports import Finished, Result, write_back, write_finished
    from test_models_linear_model import small_model

    corpus = tea()
    runs = {text: discover(corpus, "Tea", model="presence", seed=seed) for seed, text in enumerate(("old", "new"))}
    others = {text: Corpus.from_texts([text]) for text in ("old", "new")}
    model = small_model()
    source = root.with_name("source.csv")
    source.write_text("id,text\n1,tea\n")
    return {
        "a run": lambda text, over: runs[text].save(root / "x.run", overwrite=over),
        "a corpus": lambda text, over: others[text].save(root / "x.corpus", overwrite=over),
        "a model": lambda text, over: model.save(root / "x.model", overwrite=over),
        "a report and two lists": lambda text, over: write_texts(
            {root / f"x.{ending}": text * 9 for ending in ("html", "csv", "wiki")}, overwrite=over
        ),
        "a finished category": lambda text, over: write_finished(
            root / "x.jsonl", Finished(text, [Result("1", "accepted")]), overwrite=over
        ),
        "somebody's own file": lambda text, over: write_back(
            source, root / "x.csv", [Result("1", "accepted")], label=text, overwrite=over
        ),
    }


def commands(root: Path) -> dict[str, Callable[[str, bool], Any]]:
    """Every command that writes a result, called as :func:`writers` are."""
    from priorwise.corpus.vectors import Vectors

    inputs = root.with_name("inputs")
    inputs.mkdir(exist_ok=True)
    for text in ("old", "new"):
        rows = [f"{row},{line},{text} {line} {row}" for row, line in enumerate(TEXTS * 2)]
        labels = ["Tea" if "tea" in line else "Cow" if "cow" in line else "" for line in TEXTS * 2]
        lines = [f"{row},{label}" for row, label in zip(rows, labels, strict=True)]
        (inputs / f"{text}.csv").write_text("\n".join(["id,title,text,labels", *lines]) + "\n")
        call("ingest", "records", inputs / f"{text}.csv", "-o", inputs / f"{text}.corpus")
        call("discover", inputs / f"{text}.corpus", "Tea", "-o", inputs / f"{text}.run")
        call("train", inputs / f"{text}.corpus", "-o", inputs / f"{text}.model")

    quick = ("--model", "presence", "--prior", "laplace")

    def command(*words: str) -> Callable[[str, bool], None]:
        def write(text: str, over: bool) -> None:
            places = [word.replace("IN", f"{inputs}/{text}").replace("OUT", str(root / "x")) for word in words]
            call(*places, *(["--overwrite"] if over else []))

        return write

    return {
        "ingest": command("ingest", "records", "IN.csv", "-o", "OUT.corpus"),
        "discover": command("discover", "IN.corpus", "Tea", "-o", "OUT.run", *quick),
        "discover --into": command("discover", "IN.corpus", "Tea", "-o", "OUT.run", "--into", "OUT.csv", *quick),
        "discover --all-categories": command(
            "discover", "IN.corpus", "--all-categories", "--min-members", "2", "-o", "OUT.csv", *quick
        ),
        RUNS: command("discover", "IN.corpus", "--all-categories", "--min-members", "2", "--runs", "OUT.runs", *quick),
        "train": command("train", "IN.corpus", "-o", "OUT.model"),
        "classify": command("classify", "IN.model", "IN.csv", "-o", "OUT.csv"),
        "evaluate": command("evaluate", "IN.model", "IN.corpus", "-o", "OUT.json"),
        "report": command("report", "IN.run", "-o", "OUT.html", "-o", "OUT.csv", "-o", "OUT.ris"),
        "report --into": command("report", "IN.run", "-o", "OUT.html", "--into", "OUT.csv"),
        NEW_ONLY: command("review", "export", "IN.run", "OUT.csv"),
        "vectors": lambda text, over: Vectors.of([[len(text), 1.0], [float(text == "new"), 2.0]], None).write(
            root, "0" * 64, overwrite=over
        ),
    }


NEW_ONLY = "review export"
"""The one command that never replaces what is there."""

RUNS = "discover --runs"
"""The one result that grows: each run appears whole, and the same command continues with the next."""

IN_PARTS = (RUNS, "discover --into")
"""Commands with several results, each of which appears whole."""


def call(*words: Any) -> None:
    """Call the command line in this process."""
    import click

    from priorwise.cli.main import main
    from priorwise.errors import PriorwiseError

    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):  # noqa: PTH123
        try:
            main([str(word) for word in words], prog_name="priorwise", standalone_mode=False)
        except click.Abort as error:
            raise KeyboardInterrupt from error
        except click.ClickException as error:
            if isinstance(error.__cause__, PriorwiseError):
                raise error.__cause__ from error
            raise PriorwiseError(error.message) from error


chosen_writers = ""
"""A pattern for the names of the writers and commands to attack; by default all."""


def cases(root: Path) -> Iterator[tuple[str, Callable[[str, bool], Any], bool]]:
    """Yield each writer and command with its name, to make a new result and to replace an older one."""
    for what, write in {**writers(root), **commands(root)}.items():
        for overwrite in (False, True):
            name = f"{what}, {'replaced' if overwrite else 'new'}"
            if not (overwrite and what == NEW_ONLY) and re.search(chosen_writers, name):
                yield name, write, overwrite


def begun(root: Path, write: Callable[[str, bool], Any], *, overwrite: bool) -> None:
    """Begin with an empty folder, or with an older result in it."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    if overwrite:
        write("old", False)


def ends(count: int, seed: int, home: Path) -> Iterator[Outcome]:
    """A kill or a power cut before each step of each writer."""
    from power import kills, power_cuts, put_back
    from priorwise.errors import AlreadyExists
    from test_durable import _is_scratch, state

    root = home / "root"
    for what, write, overwrite in cases(root):
        begun(root, write, overwrite=overwrite)
        old = state(root)
        work = lambda: write("new", overwrite)  # noqa: B023, E731
        with put_back(root):
            work()
            new = state(root)
        missing = {None} if what.startswith(RUNS) else set()
        for way in (kills, power_cuts):
            begun(root, write, overwrite=overwrite)
            for number in way(root, work):
                found = {name: each for name, each in state(root).items() if not _is_scratch(name)}
                whole = all(
                    found.get(name) in {old.get(name), new.get(name), *missing} for name in {*found, *old, *new}
                )
                try:
                    work()
                except AlreadyExists:
                    whole &= found == new
                said = "whole" if whole and state(root) == new else f"not whole: {sorted(state(root))}"
                yield f"{what}, {way.__name__} {number}", said


def full(count: int, seed: int, home: Path) -> Iterator[Outcome]:
    """A disk that is full from each step of each writer on, and files that may not grow beyond each of some sizes."""
    from power import count_steps, full_from, grown_to, put_back
    from priorwise.errors import PriorwiseError
    from test_durable import _is_scratch, state

    root = home / "root"
    for what, write, overwrite in cases(root):
        begun(root, write, overwrite=overwrite)
        old = state(root)
        work = lambda: write("new", overwrite)  # noqa: B023, E731
        with put_back(root):
            steps = count_steps(root, work)
            new = state(root)
        longest = max(len(content) for content in new.values())
        ways = [(full_from, number) for number in range(steps + 1)]
        ways += [(grown_to, size) for size in sorted({0, 1, *range(64, longest, max(1, longest // 12)), longest - 1})]
        for way, number in ways:

            def tried() -> str:
                try:
                    with way(number, root):  # noqa: B023
                        work()  # noqa: B023
                except PriorwiseError:
                    return "refused"
                return "written"

            with put_back(root):
                said = in_a_process(tried)
                after = state(root)
                right = after == {"refused": old, "written": new}.get(said) or (said == "refused" and after == new)
                # Where older files were being replaced, a plan is left for the next call to finish.
                there = {name: each for name, each in after.items() if not _is_scratch(name)}
                planned = overwrite and any(name.endswith(".together") for name in after)
                if planned or what.startswith(IN_PARTS):
                    right |= all(each in (old.get(name), new.get(name)) for name, each in there.items())
                work_again = in_a_process(lambda: str(write("new", not what.startswith(NEW_ONLY))))  # noqa: B023
                if said in ("refused", "written") and not (right and state(root) == new):
                    said += f", but there is {sorted(set(after) ^ set(old))}; then {work_again[:60]}"
            yield f"{what}, {way.__name__} {number}", said


def together(count: int, seed: int, home: Path) -> Iterator[Outcome]:
    """Four processes that write one result at the same time; `count` is how often."""
    from priorwise.errors import PriorwiseError
    from test_durable import state

    root = home / "root"
    for what, write, overwrite in cases(root):
        by_command = what.startswith(("discover", "ingest"))
        results = []
        for text in ("old", "new"):
            begun(root, write, overwrite=False)
            write(text, False)
            results.append(state(root))
        for number in range(count):
            begun(root, write, overwrite=overwrite)
            children = []
            for writer in range(4):
                if not (child := os.fork()):
                    signal.alarm(PATIENCE)
                    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115
                    try:
                        write(("old", "new")[writer % 2], overwrite)
                    except PriorwiseError:
                        os._exit(1)
                    except BaseException:
                        os._exit(2)
                    os._exit(0)
                children.append(child)
            codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
            # A command that finds its own result says that it is up to date.
            written = {results[writer % 2] == state(root) for writer, code in enumerate(codes) if code == 0}
            right = state(root) in results and set(codes) <= {0, 1} and True in written
            right &= overwrite or (written == {True} and (codes.count(0) == 1 or by_command))
            told = "whole" if right else f"exit codes {codes}, there is {sorted(state(root))}"
            yield f"{what}, round {number}", told


ATTACKS: dict[str, tuple[Callable[[int, int, Path], Iterator[Outcome]], int, set[str]]] = {
    "corpora": (corpora, 1200, {"used", "refused"}),
    "runs": (runs, 500, {"used", "refused"}),
    "models": (models, 500, {"used", "refused"}),
    "matrices": (matrices, 800, {"used", "refused"}),
    "flips": (flips, 1_000_000, {"noticed", "harmless"}),
    "ends": (ends, 0, {"whole"}),
    "full": (full, 0, {"refused", "written"}),
    "together": (together, 10, {"whole"}),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attacks", nargs="*", choices=[*ATTACKS, []], help="which; all by default")
    parser.add_argument("--count", type=int, help="how many cases of each")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--only", default="", help="ends, full, together: only names that match this pattern, such as '^report, new'"
    )
    chosen = parser.parse_args()
    global chosen_writers
    chosen_writers = chosen.only
    warnings.simplefilter("ignore")
    failed = False
    for name in chosen.attacks or ATTACKS:
        attack, count, allowed = ATTACKS[name]
        began, told = time.monotonic(), Counter[str]()
        with tempfile.TemporaryDirectory() as home:
            os.environ["PRIORWISE_CACHE"] = f"{home}/cache"
            try:
                for what, said in attack(chosen.count or count, chosen.seed, Path(home)):
                    told[said if said in allowed else "WRONG"] += 1
                    if said not in allowed:
                        print(f"  {what}: {said}", flush=True)
            except KeyboardInterrupt:
                # Ctrl-C ends one attack, and prints its counts so far.
                pass
            except Exception:
                traceback.print_exc()
                told["WRONG"] += 1
        failed |= "WRONG" in told
        figures = ", ".join(f"{number:,} {said}" for said, number in sorted(told.items()))
        print(f"{name}: {sum(told.values()):,} tried: {figures} ({time.monotonic() - began:.0f} s)", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
