"""The tables of the benchmarks are made from the file of their results; the race that fills it keeps what was run."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

from contest import Contestant, Job, Started, Work  # noqa: E402
from peer_figures import have_not_run, number, of, rate, reference, versions  # noqa: E402
from peer_tables import TABLES, classes_table, filled, speed_table, whole_table, write_tables  # noqa: E402
from race import finished, race  # noqa: E402


def runs(*seconds: float, memory: float = 100.0) -> list[dict[str, float]]:
    return [{"seconds": each, "processor": 2 * each, "memory": memory} for each in seconds]


def record(role: str, package: str, quality: dict[str, float], share: float = 1.0, **steps: Any) -> dict[str, Any]:
    about = {"role": role, "package": package, "version": "1.2", "share": share, "quality": quality}
    return {**about, "runs": steps, "once": any(len(each) == 1 for each in steps.values())}


@pytest.fixture
def results() -> dict[str, Any]:
    classes = {
        "ours": record("ours", "priorwise", {"accuracy": 0.5}, fit=runs(1.0, 2.0, 3.0), predict=runs(4.0, 4.0, 4.0)),
        "theirs": record("peer", "other", {"accuracy": 0.25}, fit=runs(8.0, memory=400.0), predict=runs(2.0)),
    }
    dump = {
        "ours": record("ours", "priorwise", {"words": 10.0}, all=runs(2.0, 4.0, 5.0)),
        "theirs": record("peer", "other", {"words": 9.0}, 0.1, all=runs(1.0, 4.0, 1.0)),
        "bzip2": record("limit", "python", {}, all=runs(1.0, 1.0, 1.0)),
        "absent": {"role": "peer", "package": "absent", "version": None, "once": False, "missing": "not installed"},
        "broken": {**record("peer", "broken", {}, all=[]), "failed": "ValueError: no"},
    }
    work = {"words": "1,000 classes: learn <them>", "amount": 0.0, "unit": ""}
    stream = {"words": "a dump: of words", "amount": 40.0, "unit": "MB/s"}
    return {
        "machine": {"processor": "A Processor", "cores": 2, "memory GB": 25, "python": "3.11"},
        "small": False,
        "made up": False,
        "jobs": {
            "classes": job_of(work, ["fit", "predict"], {"accuracy": "{:.3f}"}, classes),
            "dump": job_of(stream, ["all"], {"words": "{:.0f}"}, dump),
        },
    }


def job_of(work: dict[str, Any], steps: list[str], quality: dict[str, str], who: dict[str, Any]) -> dict[str, Any]:
    return {"work": work, "steps": steps, "quality": quality, "contestants": who}


def test_numbers_have_the_digits_that_count() -> None:
    shown = [number(value) for value in (0.01234, 0.0996, 0.5, 0.996, 1.234, 9.96, 12.34, 123.4, 1234.5)]
    assert shown == ["0.012", "0.10", "0.50", "1.0", "1.2", "10", "12", "123", "1,234"]


def test_a_ratio_is_of_medians_and_its_range_of_the_same_turns(results: dict[str, Any]) -> None:
    dump = results["jobs"]["dump"]
    figures = of(dump, "theirs", "all")
    # A tenth of the work in 1, 4 and 1 s, beside ours in 2, 4 and 5.
    assert figures.seconds == pytest.approx(10.0)
    assert figures.ratio == pytest.approx(2.5)
    assert figures.ratios == pytest.approx((2.0, 10.0))
    assert figures.spread == pytest.approx(4.0)
    assert figures.processor == pytest.approx(20.0)
    assert rate(dump, "theirs", "all") == "4.0 MB/s"
    once = of(results["jobs"]["classes"], "theirs", "fit")
    assert (once.runs, once.ratio, once.ratios, once.memory_ratio) == (1, 4.0, (4.0, 4.0), 4.0)


def test_who_took_part(results: dict[str, Any]) -> None:
    assert reference(results["jobs"]["dump"]) == "ours"
    assert have_not_run(results) == {"absent": "not installed", "broken": "ValueError: no"}
    assert versions(results) == {"priorwise": "1.2", "other": "1.2", "python": "1.2"}


def test_tables(results: dict[str, Any]) -> None:
    whole = " ".join(whole_table(results).split())
    assert "| ours | 4.0 | 2.50 | 1.0 times ours | 8.0 | 100 | 1.0 | 10 MB/s; words 10 |" in whole
    assert "| theirs | 10 | 4.00 | 2.5 times ours (2.0–10) | 20 | 100 | 1.0 | 4.0 MB/s; words 9 |" in whole
    assert "| theirs | 8.0 | once | 4.0 times ours | 16 | 400 | 4.0 | accuracy 0.250 |" in whole
    assert "**1,000 classes: learn <them>: *fit***" in whole
    assert "| *bzip2* | 1.0 | 1.00 | 4.0 times faster (2.0–5.0) | 2.0 | 100 | 1.0 | 40 MB/s |" in whole
    assert "Not measured: absent (not installed); broken (ValueError: no)." in whole
    assert "so once: theirs." in whole
    speed = speed_table(results)
    assert (
        "| **a dump**: of words | 4.0 s, words 10 | theirs 2.5 times our time (9) | bzip2 4.0 times faster |" in speed
    )
    assert "English Wikipedia, 95 GB of XML, takes 2.6 hours" in speed
    assert "classes" not in speed
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in classes_table(results).splitlines()[2:]]
    assert cells[0] == ["", "ours", "theirs"]
    assert cells[2:] == [
        ["fit", "2.0 s, 100 MB", "8.0 s, 400 MB"],
        ["predict", "4.0 s, 100 MB", "2.0 s, 100 MB"],
        ["accuracy", "0.500", "0.250"],
    ]


def test_only_what_stands_between_the_marks_is_written(results: dict[str, Any], tmp_path: Path) -> None:
    text = "Before.\n<!-- peers.py --write: speed -->\nold\n<!-- end of speed -->\nAfter.\n"
    once = filled(text, ("speed",), results)
    assert once.startswith("Before.\n<!-- peers.py --write: speed -->\n\n| two cores")
    assert once.endswith("\n\n<!-- end of speed -->\nAfter.\n")
    assert "old" not in once
    assert filled(once, ("speed",), results) == once
    with pytest.raises(SystemExit, match="no marks for the table 'classes'"):
        filled(text, ("classes",), results)
    with pytest.raises(SystemExit, match="small run"):
        write_tables({**results, "small": True}, tmp_path)


CONTESTANTS = """
import sys
sys.path.insert(0, {benchmarks!r})
from contest import Contestant, Started
from race import serve

def sums(folder):
    done = []
    print("noise on the standard output")
    return Started({{"all": lambda: done.append(sum(range(200_000)))}}, lambda: {{"sum": done[-1]}}, share=0.5)

def broken(folder):
    raise ValueError("no such luck")

def leaves(folder):
    return Started({{"all": lambda: sys.exit(3)}})

start = {{"sums": sums, "broken": broken, "leaves": leaves}}[sys.argv[-1]]
serve(Contestant(sys.argv[-1], start), None)
"""


def test_a_race_keeps_what_was_run(tmp_path: Path) -> None:
    script = tmp_path / "contestants.py"
    script.write_text(CONTESTANTS.format(benchmarks=str(ROOT / "benchmarks")))
    who = tuple(Contestant(name, lambda _: Started({}), "ours") for name in ("sums", "broken", "leaves"))
    job = Job("job", lambda *_: Work("work"), who)
    records: dict[str, dict[str, Any]] = {each.name: {"runs": {}} for each in who}
    kept: list[int] = []
    command = [sys.executable, str(script)]
    race(job, tmp_path, command, records, 2, lambda: kept.append(len(records["sums"]["runs"].get("all", []))))
    assert records["broken"]["failed"] == "ValueError: no such luck"
    assert records["leaves"]["failed"] == "the process ended with 3"
    assert records["sums"]["quality"] == {"sum": sum(range(200_000))}
    assert records["sums"]["share"] == 0.5
    measured = list(records["sums"]["runs"]["all"])
    assert len(measured) == 2
    assert all(run["seconds"] > 0 and run["memory"] > 1 for run in measured)
    assert kept[-1] == 2
    assert finished(records["sums"], job, 2)
    assert not finished(records["sums"], job, 3)
    race(job, tmp_path, command, records, 3, lambda: None)
    assert records["sums"]["runs"]["all"][:2] == measured
    assert len(records["sums"]["runs"]["all"]) == 3


@pytest.mark.parametrize("file", TABLES)
def test_the_documentation_holds_what_was_measured(file: str) -> None:
    results = json.loads((ROOT / "benchmarks" / "peers.json").read_text(encoding="utf-8"))
    text = (ROOT / file).read_text(encoding="utf-8")
    assert filled(text, TABLES[file], results) == text, f"{file} was edited: run python benchmarks/peers.py --write"
