"""One table of all peers on the same work: time, memory and quality, each contestant in a process of its own.

    python benchmarks/peers.py --data DIR            # some minutes; continues where it was if it was broken off
    python benchmarks/peers.py --write               # puts the tables into docs/benchmarks/

Peers that are not installed are left out and named: `pip install --group peers` installs them. Without --data, made-up
documents take the place of Reuters, Ohsumed and Wikipedia. The result is a JSON file, from which the tables are made.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from contest import Job, Settings
from jobs import JOBS
from peer_tables import whole_table, write_tables
from race import race, serve

RESULTS = Path(__file__).with_name("peers.json")


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    processor = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": processor,
        "cores": len(os.sched_getaffinity(0)),
        "memory GB": round(memory / 1e9),
        "python": platform.python_version(),
    }


def prepared(job: Job, folder: Path, settings: Settings) -> dict[str, Any]:
    """What there is to do; the data are written by a process of their own, unless they are there."""
    done = folder / "work.json"
    if not done.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        given = ["--small"] * settings.small + (["--data", str(settings.data)] if settings.data else [])
        print(f"{job.name}: preparing", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, __file__, "--prepare", job.name, "--scratch", str(folder), *given], check=True)
    return json.loads(done.read_text())


def records_of(job: Job, known: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """A record for each contestant: what is known already of the version that is installed, or an empty one."""
    records = {}
    for each in job.contestants:
        base = {"role": each.role, "package": each.package, "version": each.version, "once": each.once}
        before = known.get(each.name, {})
        if each.version is None:
            records[each.name] = {**base, "missing": "not installed"}
        elif before.get("version") == each.version and "failed" not in before:
            records[each.name] = {**before, **base}
        else:
            records[each.name] = {**base, "runs": {}}
    return records


def run(jobs: list[Job], settings: Settings, scratch: Path, path: Path, repeats: int) -> dict[str, Any]:
    """Run what is not yet in the file of results, which is written after each step."""
    about = {"machine": machine(), "small": settings.small, "made up": settings.data is None}
    results: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    comparable = all(results.get(key) == value for key, value in about.items())
    if results and not comparable:
        print(f"{path}: figures of another machine, another size or other data are no start", file=sys.stderr)
    results = {**about, "jobs": results["jobs"] if comparable else {}}

    def keep() -> None:
        partial = path.with_suffix(".partial")
        partial.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        partial.replace(path)

    for job in jobs:
        folder = scratch / (f"{job.name}-small" if settings.small else job.name)
        work = prepared(job, folder, settings)
        known = results["jobs"].get(job.name, {})
        records = records_of(job, known.get("contestants", {}) if known.get("work") == work else {})
        results["jobs"][job.name] = {
            "work": work,
            "steps": list(job.steps),
            "quality": job.quality,
            "contestants": records,
        }
        keep()
        race(job, folder, [sys.executable, __file__, "--scratch", str(folder), "--contestant"], records, repeats, keep)
    results["jobs"] = {name: results["jobs"][name] for name in JOBS if name in results["jobs"]}
    keep()
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=list(JOBS), metavar="JOB", help=f"of {', '.join(JOBS)}")
    parser.add_argument("--small", action="store_true", help="a tenth of the size, to see that everything runs")
    parser.add_argument("--repeats", type=int, default=3, help="for those who are not too slow")
    parser.add_argument("--data", type=Path, default=os.environ.get("PRIORWISE_DATA"), help="the real collections")
    parser.add_argument("--scratch", type=Path, help="where prepared data are kept; else they are deleted")
    parser.add_argument("--results", type=Path, help=f"default: {RESULTS.name} beside this script, unless --small")
    parser.add_argument("--again", action="store_true", help="forget earlier results of these jobs")
    parser.add_argument("--write", action="store_true", help="put the tables of the results into the documentation")
    parser.add_argument("--prepare", help=argparse.SUPPRESS)
    parser.add_argument("--contestant", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    settings = Settings(options.small, Path(options.data).absolute() if options.data else None)
    if options.contestant:
        name, who = options.contestant
        serve(JOBS[name].contestant(who), options.scratch)
    elif options.prepare:
        work = JOBS[options.prepare].prepare(options.scratch, settings)
        (options.scratch / "work.json").write_text(json.dumps(asdict(work)))
    elif options.write:
        write_tables(json.loads((options.results or RESULTS).read_text(encoding="utf-8")), Path(__file__).parents[1])
    else:
        with tempfile.TemporaryDirectory() as temporary:
            scratch = (options.scratch or Path(temporary)).absolute()
            path = options.results or (scratch / RESULTS.name if options.small else RESULTS)
            if options.again and path.exists():
                results = json.loads(path.read_text(encoding="utf-8"))
                for name in options.only or JOBS:
                    results["jobs"].pop(name, None)
                path.write_text(json.dumps(results), encoding="utf-8")
            jobs = [JOBS[name] for name in options.only or JOBS]
            print(whole_table(run(jobs, settings, scratch, path, options.repeats)))


if __name__ == "__main__":
    main()
