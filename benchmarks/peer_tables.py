"""The tables of docs/benchmarks/, from the results of `peers.py`: nobody writes them by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from measure import between_marks, markdown

from peer_figures import Record, have_not_run, have_run, number, of, quality, rate, reference, versions

ENGLISH_XML = 95_000
"""Megabytes of XML of the English Wikipedia."""

TABLES = {"docs/benchmarks/index.md": ("speed", "classes"), "docs/benchmarks/peers.md": ("whole",)}


def whole_table(results: Record) -> str:
    """Everybody at every piece of work, and what it was measured with."""
    headings = ["", "seconds", "spread", "time", "processor, s", "MB", "× our memory", "what came of it"]
    rows = []
    for job in results["jobs"].values():
        for step in job["steps"]:
            what = job["work"]["words"] + (f": *{step}*" if len(job["steps"]) > 1 else "")
            rows.append([f"**{what}**", *[""] * (len(headings) - 1)])
            rows += [_row(job, name, step) for name in have_run(job)]
    return "\n\n".join([markdown(headings, rows), *_remarks(results)])


def _row(job: Record, name: str, step: str) -> list[str]:
    figures = of(job, name, step)
    limit = job["contestants"][name]["role"] == "limit"
    return [
        f"*{name}*" if limit else name,
        number(figures.seconds),
        f"{figures.spread:.2f}" if figures.runs > 1 else "once",
        _compared(figures.ratio, figures.ratios),
        number(figures.processor),
        f"{figures.memory:,.0f}",
        number(figures.memory_ratio),
        "; ".join(filter(None, [rate(job, name, step), *quality(job, name)])),
    ]


def _compared(ratio: float, ratios: tuple[float, float]) -> str:
    """A time compared with ours, in words, with the smallest and the largest ratio."""
    faster = ratio < 1
    least, most = sorted(1 / each if faster else each for each in ratios)
    between = f" ({number(least)}–{number(most)})" if number(least) != number(most) else ""
    return f"{number(1 / ratio if faster else ratio)} times {'faster' if faster else 'ours'}{between}"


def _remarks(results: Record) -> list[str]:
    machine = results["machine"]
    used = ", ".join(f"{package} {version}" for package, version in sorted(versions(results).items()))
    remarks = [f"{machine['processor']}, {machine['cores']} cores, {machine['memory GB']} GB. {used}."]
    if slow := _ran_once(results):
        remarks.append(f"Too slow to be run again, so once: {'; '.join(slow)}.")
    if absent := have_not_run(results):
        remarks.append("Not measured: " + "; ".join(f"{name} ({why})" for name, why in absent.items()) + ".")
    return remarks


def _ran_once(results: Record) -> list[str]:
    found = [name for job in results["jobs"].values() for name in have_run(job) if job["contestants"][name]["once"]]
    return list(dict.fromkeys(found))


def speed_table(results: Record) -> str:
    """A line for each piece of work: ours, and how much faster or slower the peers and the limits are."""
    headings = ["two cores", "ours", "peers", "limit"]
    rows = []
    for name, job in results["jobs"].items():
        if name == "classes":
            continue
        ours = reference(job)
        title, _, rest = job["work"]["words"].partition(":")
        rows.append(
            [
                f"**{title}**:{rest}" if rest else f"**{title}**",
                ", ".join([f"{number(of(job, ours, 'all').seconds)} s", *quality(job, ours)[:1]]),
                *("; ".join(_as_multiple(job, other) for other in have_run(job, role)) for role in ("peer", "limit")),
            ]
        )
    return "\n\n".join([markdown(headings, rows, even=False), *_wikipedia(results)])


def _as_multiple(job: Record, name: str) -> str:
    """How much faster or slower than ours, with the first figure of quality where it differs from ours."""
    ratio = of(job, name, "all").ratio
    told = f"{name} {number(1 / ratio)} times faster" if ratio < 1 else f"{name} {number(ratio)} times our time"
    for figure, form in list(job["quality"].items())[:1]:
        own, theirs = (job["contestants"][who]["quality"].get(figure) for who in (reference(job), name))
        if theirs is not None and form.format(theirs) != form.format(own):
            told += f" ({form.format(theirs)})"
    return told


def _seconds_and_memory(job: Record, name: str, step: str) -> str:
    figures = of(job, name, step)
    return f"{number(figures.seconds)} s, {figures.memory:,.0f} MB"


def _wikipedia(results: Record) -> list[str]:
    """How long the whole of it takes, by the fastest of ours."""
    job = results["jobs"].get("dump")
    if job is None:
        return []
    fastest = min((of(job, name, "all").seconds, name) for name in have_run(job, "ours"))
    hours = ENGLISH_XML / (job["work"]["amount"] / fastest[0]) / 3600
    return [f"At the rate of *{fastest[1]}*, English Wikipedia, 95 GB of XML, takes {hours:.1f} hours."]


def classes_table(results: Record) -> str:
    """A column for each who learned a thousand classes."""
    job = results["jobs"]["classes"]
    names = have_run(job)
    rows = [[step, *(_seconds_and_memory(job, name, step) for name in names)] for step in job["steps"]]
    rows += [
        [figure, *(form.format(job["contestants"][name]["quality"][figure]) for name in names)]
        for figure, form in job["quality"].items()
    ]
    title, _, rest = job["work"]["words"].partition(": ")
    return f"{title}, {rest}:\n\n" + markdown(["", *names], rows)


MAKERS = {"whole": whole_table, "speed": speed_table, "classes": classes_table}


def filled(text: str, tables: tuple[str, ...], results: Record) -> str:
    """A file with what stands between its marks made anew."""
    for name in tables:
        text = between_marks(text, "peers.py", name, MAKERS[name](results))
    return text


def write_tables(results: dict[str, Any], root: Path) -> None:
    """Write every table into its file; figures of a small run are for nobody to read."""
    if results["small"] or results["made up"]:
        raise SystemExit("these results are of a small run, or of made-up documents: run with --data first")
    for file, tables in TABLES.items():
        path = root / file
        path.write_text(filled(path.read_text(encoding="utf-8"), tables, results), encoding="utf-8")
