"""`priorwise discover` for many labels: one table of all, or a run folder for each."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from priorwise.cli.output import progress_bar, safe, say, show_json, show_table
from priorwise.counting import counted, rounded
from priorwise.errors import AlreadyExists, BrokenFile, NotEnoughData

MIN_MEMBERS = 50


@dataclass(frozen=True)
class ManyLabels:
    """Which labels: those of a file, or all that have enough members."""

    file: Path | None
    all: bool
    min_members: int | None
    maintenance: bool = False

    def check(self, output: Path | None, runs: Path | None, depth: int | None, *, overwrite: bool) -> None:
        """Refuse what does not go together, before anything is opened."""
        from priorwise.durable import check_free_files

        if self.file is not None and self.all:
            raise click.UsageError("Give either --categories-from FILE or --all-categories.")
        if self.min_members is not None and not self.all:
            raise click.UsageError("--min-members goes with --all-categories.")
        if output is not None and runs is not None:
            raise click.UsageError("Give either -o TABLE or --runs FOLDER.")
        if depth is not None and runs is None:
            raise click.UsageError("--depth with many categories needs --runs: a table has no subcategories.")
        if output is not None and output.suffix not in (".parquet", ".csv"):
            raise click.UsageError("With many categories the output is a table: its name must end in .parquet or .csv.")
        try:
            check_free_files(files(output), overwrite=overwrite)
        except AlreadyExists:
            # What made these tables is compared when the corpus is open.
            if not files(output)[-1].is_file():
                raise

    def of(self, corpus: Any) -> list[str]:
        if self.file is not None:
            from priorwise.readers.opening import small_list

            return list(dict.fromkeys(corpus.label_named(label) for label in small_list(self.file, "label")))
        return labels_with(corpus, self.min_members or MIN_MEMBERS, maintenance=self.maintenance)


A_LONG_JOB = 100
"""With more categories than this, the default model's time is worth a remark."""


def files(output: Path | None) -> list[Path]:
    """The table of candidates, the table of labels next to it, and the record of what they were made from."""
    if output is None:
        return []
    return [output, *(output.with_suffix(end) for end in (f".labels{output.suffix}", f"{output.suffix}.asked.json"))]


def discover_many(
    corpus: Any,
    many: ManyLabels,
    choices: dict[str, Any],
    *,
    asked: dict[str, str],
    output: Path | None,
    runs: Path | None,
    show: int,
    overwrite: bool,
    as_json: bool,
    engine: Any,
) -> None:
    """Find the documents missing from many categories."""
    from priorwise.discovery.finding import DEFAULT, RunChoices
    from priorwise.discovery.many import discover_many as find

    if output is not None and not overwrite and (kept := read_tables(output, asked)) is not None:
        say(f"{output} is up to date.\n", err=as_json)
        _show(kept, output, show, as_json=as_json)
        return
    labels = many.of(corpus)
    of_model = {name: value for name, value in choices.items() if name not in ("exclude", "threads")}
    if len(labels) > A_LONG_JOB and RunChoices.of(**of_model).model == DEFAULT:
        say(
            f"Learning {counted(len(labels), 'category')} by the default model, each as if it were alone. "
            "--model presence is hundreds of times faster, but finds fewer members and does not estimate how many are "
            "missing.",
            err=True,
        )
    with progress_bar("Learning the priors", total=1.0) as bar:
        choices |= {
            "engine": engine,
            "progress": lambda what, share: bar.update(description=what.capitalize(), completed=share),
        }
        if runs is not None:
            _make_runs(corpus, labels, runs, choices, overwrite=overwrite)
            return
        found = by_missing(find(corpus, labels, **choices))
    if output is not None:
        write_tables(output, found, asked, overwrite=overwrite)
    _show(found, output, show, as_json=as_json)


def _show(found: Any, output: Path | None, show: int, *, as_json: bool) -> None:
    if as_json:
        show_json({"labels": found.labels.to_pylist(), "candidates": found.candidates.to_pylist()})
        return
    _print_labels(found, show)
    labels = found.labels.num_rows
    if labels and found.labels["missing"].null_count == labels:
        say(
            "\nRanked by the presence model, which is fast but does not estimate how many members are missing. "
            "The default model does, and the categories are then sorted by that number."
        )
    if output is not None:
        say(f"\n{output}: {counted(found.candidates.num_rows, 'candidate')} for {counted(labels, 'category')}")


def _make_runs(corpus: Any, labels: list[str], runs: Path, choices: dict[str, Any], *, overwrite: bool) -> None:
    from priorwise.discovery.many import TABLE, RunFolders, discover_runs
    from priorwise.durable import disk_errors_explained, held, sweep
    from priorwise.version import __version__

    elsewhere = ("engine", "progress", "threads")
    chosen = {name: str(value) for name, value in choices.items() if name not in elsewhere}
    made_with = {"priorwise": __version__, "corpus": corpus.checksum, **chosen}
    with disk_errors_explained(runs):
        runs.parent.mkdir(parents=True, exist_ok=True)
    # For as long as it takes: another job of the same name would mix its runs with these.
    with held(runs, lock_name=".job.lock"):
        folders = RunFolders(runs, labels, made_with, overwrite=overwrite)
        done = folders.done
        for path in (runs, *(runs / folders.names[label] for label in done)):
            sweep(path)
        # What is wrong with the labels is said before anything is written.
        found = discover_runs(corpus, labels, done=done, **choices)
        folders.begin()
        for run in found:
            folders.save(run)
        folders.finish()
    before = f", {len(done):,} of them from before" if done else ""
    say(f"{runs}: {counted(len(labels), 'run')}{before}; {TABLE} says which run belongs to which category")


def _print_labels(found: Any, show: int) -> None:
    """The labels that miss the most members, or else the largest, and the first candidate of each."""
    firsts: dict[str, dict[str, Any]] = {}
    ranks = found.candidates["rank"].to_numpy()
    for row in found.candidates.filter(ranks == 1).to_pylist():
        firsts[row["label"]] = row
    rows = []
    for label in found.labels.slice(0, show).to_pylist():
        first = firsts.get(label["label"])
        rows.append(
            [
                safe(label["label"], 40),
                f"{label['members']:,}",
                "" if label["missing"] is None else rounded(label["missing"]),
                ""
                if label["missing"] is None
                else f"{rounded(label['missing_low'])} to {rounded(label['missing_high'])}",
                "" if label["leave_one_out"] is None else f"{label['leave_one_out']:.3f}",
                f"{label['predicted_positive']:,}",
                "" if first is None else f"{first['probability']:.2f}",
                "" if first is None else safe(first["title"], 40),
            ]
        )
    if rows:
        headings = ["category", "members", "missing", "80% interval", "leave-one-out", "predicted", "prob."]
        show_table([*headings, "first candidate"], rows, left=(0, 7), filled=True)


def by_missing(found: Any) -> Any:
    """Sort labels by how many members they miss, and the candidates with them; labels without that number stay."""
    import numpy as np

    missing = found.labels["missing"].to_numpy()
    order = np.argsort(-np.nan_to_num(missing, nan=-1.0), kind="stable")
    labels = found.labels.take(order)
    place = {label: number for number, label in enumerate(labels["label"].to_pylist())}
    rows = np.argsort([place[label] for label in found.candidates["label"].to_pylist()], kind="stable")
    return replace(found, labels=labels, candidates=found.candidates.take(rows))


def labels_with(corpus: Any, min_members: int, *, maintenance: bool = False) -> list[str]:
    """The labels with enough members that are not on every document, the largest first.

    Categories that serve a wiki's editors are left out unless they are asked for.
    """
    sizes = corpus.largest_labels(corpus.label_sizes().num_rows)
    found = [label for label, size in sizes if min_members <= size < corpus.n_documents]
    if not maintenance:
        found = [label for label, left_out in zip(found, corpus.maintenance_labels(found), strict=True) if not left_out]
    if not found:
        raise NotEnoughData(f"no category of the corpus has {counted(min_members, 'member')}; see --min-members")
    return found


def write_tables(output: Path, found: Any, asked: dict[str, str], *, overwrite: bool) -> None:
    """Write both tables and the record of what they were made from, all or none."""
    from pyarrow import parquet

    from priorwise.durable import whole_files
    from priorwise.tables import write_csv

    paths = files(output)
    with whole_files(paths, overwrite=overwrite) as drafts:
        for path, table in zip(paths, (found.candidates, found.labels), strict=False):
            if path.suffix == ".csv":
                write_csv(table, drafts[path])
            else:
                parquet.write_table(table, drafts[path], compression="zstd")
        record = {"asked": asked, "files": {path.name: _digest(drafts[path]) for path in paths[:-1]}}
        drafts[paths[-1]].write_text(json.dumps(record, indent=2), encoding="utf-8")


def read_tables(output: Path, asked: dict[str, str]) -> Any:
    """Return the tables if they were made from the same; None if there are none."""
    from pyarrow import parquet

    from priorwise.discovery.many import CANDIDATES, LABELS, ManyFound
    from priorwise.tables import read_csv

    *paths, record = files(output)
    if not record.is_file():
        return None
    try:
        kept = json.loads(record.read_bytes())
        before, digests = dict(kept["asked"]), dict(kept["files"])
    except (ValueError, LookupError, TypeError) as error:
        raise BrokenFile(record, "damaged; remove it yourself, or choose another name") from error
    if changed := [name for name in dict.fromkeys([*asked, *before]) if before.get(name) != asked.get(name)]:
        raise AlreadyExists(output, changed=changed)
    if any(not path.is_file() or _digest(path) != digests.get(path.name) for path in paths):
        raise AlreadyExists(output)
    schemas = (CANDIDATES, LABELS)
    return ManyFound(
        *(
            read_csv(path, schema) if path.suffix == ".csv" else parquet.read_table(path)
            for path, schema in zip(paths, schemas, strict=True)
        )
    )


def _digest(path: Path) -> str:
    from hashlib import file_digest

    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
