"""The formats of records; apart from their readers, so that asking for help loads none of them."""

from __future__ import annotations

FORMATS: dict[str, tuple[str, ...]] = {
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "spreadsheet": (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".arrows", ".feather", ".ipc"),
    "ris": (".ris",),
    "nbib": (".nbib", ".medline"),
    "bibtex": (".bib", ".bibtex"),
    "endnote": (".xml",),
    "sqlite": (".sqlite", ".sqlite3", ".db"),
    "duckdb": (".duckdb", ".ddb"),
}
"""The formats of records, and the endings of their files' names."""

BIBLIOGRAPHIES = ("ris", "nbib", "bibtex", "endnote")
BY_SUFFIX = {suffix: name for name, suffixes in FORMATS.items() for suffix in suffixes}
