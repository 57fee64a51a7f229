"""Medians, spreads and ratios from the results of `peers.py`."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any

Record = dict[str, Any]


@dataclass(frozen=True)
class Figures:
    """One contestant at one step, for the whole of the work.

    `spread` is the longest time over the shortest. `ratio` is the time in ours, and `ratios` the least and the most of
    it where both had the same turn.
    """

    seconds: float
    spread: float
    runs: int
    processor: float
    memory: float
    ratio: float
    ratios: tuple[float, float]
    memory_ratio: float


def of(job: Record, name: str, step: str) -> Figures:
    """Figures of a contestant who has run."""
    ours = job["contestants"][reference(job)]
    record = job["contestants"][name]
    runs, base = record["runs"][step], ours["runs"][step]
    times = [run["seconds"] / record["share"] for run in runs]
    ours_median = median(run["seconds"] for run in base) / ours["share"]
    if len(runs) == len(base):
        each = [time * ours["share"] / run["seconds"] for time, run in zip(times, base, strict=True)]
    else:
        each = [time / ours_median for time in times]
    memory = median(run["memory"] for run in runs)
    return Figures(
        median(times),
        max(times) / min(times),
        len(runs),
        median(run["processor"] for run in runs) / record["share"],
        memory,
        median(times) / ours_median,
        (min(each), max(each)),
        memory / median(run["memory"] for run in base),
    )


def reference(job: Record) -> str:
    """The first of ours, to which ratios refer."""
    return next(name for name, record in job["contestants"].items() if record["role"] == "ours")


def have_run(job: Record, role: str | None = None) -> list[str]:
    """Those of whom there are figures, of one role or of all."""
    return [
        name
        for name, record in job["contestants"].items()
        if "quality" in record and "failed" not in record and role in (None, record["role"])
    ]


def have_not_run(results: Record) -> dict[str, str]:
    """Those of whom there are none, and why."""
    return {
        name: record.get("missing") or record.get("failed") or "not finished"
        for job in results["jobs"].values()
        for name, record in job["contestants"].items()
        if name not in have_run(job)
    }


def quality(job: Record, name: str) -> list[str]:
    """What came of the work, in words."""
    shown = job["contestants"][name]["quality"]
    return [f"{figure} {form.format(shown[figure])}" for figure, form in job["quality"].items() if figure in shown]


def rate(job: Record, name: str, step: str) -> str:
    """How much a second, if the work is a stream."""
    work = job["work"]
    return f"{number(work['amount'] / of(job, name, step).seconds)} {work['unit']}" if work["unit"] else ""


def versions(results: Record) -> dict[str, str]:
    """Package → version, of all that took part."""
    return {
        record["package"]: record["version"]
        for job in results["jobs"].values()
        for name, record in job["contestants"].items()
        if name in have_run(job)
    }


def number(value: float) -> str:
    """Two or three digits that count.

    >>> [number(value) for value in (0.01234, 0.5, 1.234, 12.34, 123.4, 1234.5)]
    ['0.012', '0.50', '1.2', '12', '123', '1,234']
    """
    if value >= 9.95:
        return f"{value:,.0f}"
    if value >= 0.995:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 0.0995 else f"{value:.2g}"
