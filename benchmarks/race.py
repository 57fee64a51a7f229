"""Run the contestants of a job, each in a process of its own, in turn: time, processor time, memory, quality."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from contest import Contestant, Job
from process_tree import private_megabytes, processor_seconds

LOOK_EVERY = 0.01
"""Seconds between two looks at the memory, or longer, so that the looks take a twentieth of the time at most."""

PATIENCE = 900.0
"""Seconds after which a contestant is given up."""

Run = dict[str, float]


class ContestantFailed(Exception):
    """A contestant broke off, or took too long."""


def serve(contestant: Contestant, folder: Path) -> None:
    """Be a contestant: do a step for each line that is read, and answer with a line."""
    # Some print to the standard output from C or Java, which must not come between the answers.
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)
        warnings.simplefilter("ignore")

        def answer(content: dict[str, Any]) -> None:
            answers.write(json.dumps(content) + "\n")
            answers.flush()

        try:
            started = contestant.start(folder)
            answer({"share": started.share})
            for line in sys.stdin:
                if line.strip() == "quality":
                    answer(started.quality())
                    continue
                step = started.steps[line.strip()]
                begun = time.perf_counter()
                step()
                answer({"seconds": time.perf_counter() - begun})
        except Exception as error:
            traceback.print_exc()
            answer({"failed": f"{type(error).__name__}: {error}"})


class Process:
    """A contestant's process, seen from outside."""

    def __init__(self, command: list[str], log: Path) -> None:
        self._log = log.open("w")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self._log}
        self._process = subprocess.Popen(command, text=True, **pipes)

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._log.close()

    def ready(self) -> dict[str, float]:
        """Wait until it has loaded what there is to load."""
        return self._answer()[0]

    def run(self, step: str) -> Run:
        """Do a step, and measure it."""
        before = processor_seconds(self._process.pid)
        self._ask(step)
        told, memory = self._answer()
        used = processor_seconds(self._process.pid) - before
        measured = {"seconds": told["seconds"], "processor": used, "memory": memory}
        return {name: round(value, 6) for name, value in measured.items()}

    def quality(self) -> dict[str, float]:
        """What came of the last run."""
        self._ask("quality")
        return self._answer()[0]

    def _ask(self, line: str) -> None:
        # Of a process that has ended, the answer will tell.
        with suppress(BrokenPipeError):
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def _answer(self) -> tuple[dict[str, Any], float]:
        """Wait for a line, and watch the memory meanwhile."""
        peak, pause, until = 0.0, LOOK_EVERY, time.monotonic() + PATIENCE
        while not select.select([self._process.stdout], [], [], pause)[0]:
            begun = time.monotonic()
            peak = max(peak, private_megabytes(self._process.pid))
            pause = max(LOOK_EVERY, 20 * (time.monotonic() - begun))
            if begun > until:
                self._process.kill()
                raise ContestantFailed(f"no answer within {PATIENCE:.0f} s")
        peak = max(peak, private_megabytes(self._process.pid))
        line = self._process.stdout.readline()
        if not line:
            raise ContestantFailed(f"the process ended with {self._process.wait()}")
        answer = json.loads(line)
        if "failed" in answer:
            raise ContestantFailed(answer["failed"])
        return answer, peak


def race(
    job: Job,
    folder: Path,
    command: list[str],
    records: dict[str, dict[str, Any]],
    repeats: int,
    kept: Callable[[], None],
) -> None:
    """Complete the records of a job's contestants, and call `kept` after each run.

    Those who run once are first, one by one. The others stay and take turns, so that all meet the same machine.
    """
    waiting = [each for each in job.contestants if not finished(records[each.name], job, wanted(each, repeats))]
    for one in (each for each in waiting if each.once):
        _take_turns(job, [one], 1, folder, command, records, kept)
    _take_turns(job, [each for each in waiting if not each.once], repeats, folder, command, records, kept)


def wanted(contestant: Contestant, repeats: int) -> int:
    """How often a contestant runs."""
    return 1 if contestant.once else repeats


def finished(record: dict[str, Any], job: Job, repeats: int) -> bool:
    """Whether there is nothing left to do."""
    if "missing" in record or "failed" in record:
        return True
    return "quality" in record and all(len(record["runs"].get(step, [])) >= repeats for step in job.steps)


def _take_turns(
    job: Job,
    contestants: list[Contestant],
    repeats: int,
    folder: Path,
    command: list[str],
    records: dict[str, dict[str, Any]],
    kept: Callable[[], None],
) -> None:
    with ExitStack() as stack:
        processes: dict[str, Process] = {}

        def attempt(name: str, call: Callable[[], None]) -> None:
            try:
                call()
            except ContestantFailed as failure:
                records[name]["failed"] = str(failure)
                processes.pop(name, None)
                print(f"{job.name}: {name} failed: {failure}", file=sys.stderr, flush=True)
            kept()

        def begin(name: str) -> None:
            log = folder / f"{name.replace('/', '-')}.log"
            process = stack.enter_context(Process([*command, job.name, name], log))
            records[name] |= process.ready()
            processes[name] = process

        def once(name: str) -> None:
            measured = {step: processes[name].run(step) for step in job.steps}
            for step, run in measured.items():
                records[name]["runs"].setdefault(step, []).append(run)
            if "quality" not in records[name]:
                records[name]["quality"] = processes[name].quality()
            said = ", ".join(f"{step} {run['seconds']:.2f} s" for step, run in measured.items())
            print(f"{job.name}: {name}: {said}", file=sys.stderr, flush=True)

        for each in contestants:
            attempt(each.name, lambda name=each.name: begin(name))
        for turn in range(repeats):
            for name in list(processes):
                if len(records[name]["runs"].get(job.steps[0], [])) <= turn:
                    attempt(name, lambda name=name: once(name))
