"""The tables of `spark.py`: what each engine took, how it grows with cores, and from when on Spark pays."""

from __future__ import annotations

from dataclasses import dataclass

from measure import table

ENGINES = {
    "local-1": "local, 1 thread",
    "local-2": "local, 2 threads",
    "local[1]": "Spark, `local[1]`",
    "local[2]": "Spark, `local[2]`",
    "cluster of 1": "Spark, a cluster of one worker",
    "cluster of 2": "Spark, a cluster of two workers",
}
STEPS = {
    "start": "start, s",
    "first job": "first job, s",
    "ingest": "ingest, s",
    "rank 1": "rank for 1, s",
    "rank 64": "for 64, s",
}
SIZES = {"6 million": 6e6, "60 million": 60e6, "1 billion": 1e9}
CORES = 64

Figures = dict[str, float]
"""What one engine took, by what it was for."""


@dataclass(frozen=True)
class Size:
    """How much was read: documents, how many of them beyond those of the small job, and megabytes of text."""

    documents: int
    more: int
    megabytes: float


def show_all(found: dict[str, Figures], size: Size) -> None:
    """Print every table; whether all engines made the same corpus comes first."""
    same = len({told["checksum"] for told in found.values()}) == 1
    print("the corpora are the same\n" if same else "THE CORPORA DIFFER\n")
    table(["engine", *STEPS.values(), "peak MB"], [[ENGINES[name], *row_of(told)] for name, told in found.items()])
    show_scaling(found)
    show_costs(found, size)


def row_of(told: Figures) -> list[str]:
    seconds = [f"{told[key]:.1f} ({told[f'{key}, processor']:.1f})" for key in STEPS]
    return [*seconds, f"{told['MB']:,.0f}"]


def show_scaling(found: dict[str, Figures]) -> None:
    """How much shorter it takes with twice as many cores; the clusters' share two cores with everything else."""
    print("\nfrom one to two (time of one over time of two)")
    pairs = {
        "threads of the local engine": ("local-1", "local-2"),
        "Spark, cores of one process": ("local[1]", "local[2]"),
        "Spark, workers of a cluster": ("cluster of 1", "cluster of 2"),
    }
    steps = ("ingest", "rank 64")
    rows = [[what, *(f"{found[a][step] / found[b][step]:.2f}" for step in steps)] for what, (a, b) in pairs.items()]
    table(["", "ingest", "rank for 64"], rows)


def show_costs(found: dict[str, Figures], size: Size) -> None:
    """What each document costs, from when on Spark pays, and what larger corpora would take."""
    local, spark = found["local-2"], found["local[2]"]

    def of_each(told: Figures, what: str) -> float:
        """What a document more costs: what any job costs is in a small one too."""
        return (told[f"ingest, {what}"] - told[f"small job, {what}"]) / size.more

    here, there = (of_each(told, "processor") for told in (local, spark))
    driver = of_each(spark, "this process")
    overhead = sum(spark[step] - local[step] for step in ("start", "first job"))
    corpus = local["corpus bytes"] / size.documents
    print(
        f"\na document ({size.megabytes * 1e3 / size.documents:.1f} kB): {here * 1e6:.0f} µs of a processor here, ",
        end="",
    )
    print(
        f"{there * 1e6:.0f} on Spark ({there / here:.1f} times), {driver * 1e6:.1f} of them of the driver alone; ",
        end="",
    )
    print(f"{corpus / 1e3:.1f} kB of corpus")
    print(f"Spark costs {overhead:.0f} s before it begins, and pays from so many documents on, against two cores here:")
    rows = []
    for cores in (4, 8, 16, 64):
        saved = here / 2 - there / cores - driver
        from_on = f"{overhead / saved:,.0f}" if saved > 0 else "never"
        rows.append([str(cores), from_on, f"{overhead / saved * here / 2 / 60:.1f}" if saved > 0 else ""])
    table(["cores of a cluster", "documents", "minutes that they take here"], rows)
    print()
    rows = [
        [
            name,
            f"{n * here / 3600:,.2f}",
            f"{n * there / 3600:,.2f}",
            f"{(overhead + n * there / CORES) / 60:,.1f}",
            f"{n * driver / 60:,.1f}",
            f"{n * corpus / 1e9:,.0f}",
        ]
        for name, n in SIZES.items()
    ]
    headings = [
        "core-hours here",
        "core-hours on Spark",
        f"minutes on {CORES} cores",
        "and of the driver alone",
        "corpus, GB",
    ]
    table(["documents", *headings], rows)
