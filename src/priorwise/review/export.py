"""A run and what people said of its candidates, as files to work on with."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from priorwise.corpus import Corpus
from priorwise.corpus.storage.read_from import ReadFrom
from priorwise.discovery import Run
from priorwise.discovery.category import rows_there
from priorwise.durable import check_free_files
from priorwise.errors import CorpusError, InputError
from priorwise.exports import Finished, Result, WrittenBack, write_back, write_finished
from priorwise.exports.write_back import check_ids
from priorwise.review.results import decisions, last_words
from priorwise.review.verdicts import said_in

STATUS_OF = {"yes": "accepted", "no": "rejected", "unsure": "unsure"}


def finished(run: Run, corpus: Corpus | None, decided: Mapping[str, str], name: str | None = None) -> Finished:
    """Return the candidates of a run with what was decided of each, and the members known before.

    Examples
    --------
    >>> from priorwise.discovery import discover
    >>> texts = ["tea milk", "tea leaves", "tea cup", "milk cow", "cow hay", "hay barn", "barn owl", "cup owl"]
    >>> corpus = Corpus.from_texts(texts, labels=["Tea", "Tea", *[None] * 6])
    >>> finished(discover(corpus, "Tea"), corpus, {"2": "yes"}).counts()
    {'member': 2, 'accepted': 1, 'unjudged': 5}
    """
    label = run.about.label
    rows: dict[str, dict[str, Any]] = {row["id"]: row for row in run.ranking.rows()}
    # The baseline's own candidates count if somebody judged them; they have no rank in the ranking.
    only_baseline = [row for row in run.baseline.rows() if row["id"] not in rows and row["id"] in decided]
    rows |= {row["id"]: {**row, "rank": None, "probability": None} for row in only_baseline}
    has_graph = run.about.subcategories is not None
    results = [
        Result(
            each["id"],
            STATUS_OF.get(decided.get(each["id"], ""), "unjudged"),
            each["rank"],
            each["probability"],
            each["title"],
            {**({"subcategory": each["path"]} if has_graph else {}), "evidence": each["evidence"]},
        )
        for each in rows.values()
    ]
    # Judged in earlier rounds, and so no candidate any more, or beyond the candidates that the run keeps.
    judged = {each.id: each.verdict for each in run.about.learned_from} | dict(decided)
    before = {id: STATUS_OF[verdict] for id, verdict in judged.items() if id not in rows}
    members = list(run.about.given or ())
    if corpus is not None:
        members = members if label is None else corpus.ids(corpus.members(label))
        # A review may have been of another corpus.
        before = {id: before[id] for id in corpus.ids(rows_there(corpus, before))}
    statuses = {**{id: "member" for id in members if id not in rows}, **before}
    titles = list(statuses) if corpus is None else corpus.titles(corpus.rows(statuses))
    results += [Result(id, status, title=title) for (id, status), title in zip(statuses.items(), titles, strict=True)]
    return Finished(label, _with_pages(results, corpus), corpus, name or "")


def finished_of(path: str | Path, corpus: str | Path | None = None, name: str | None = None) -> Finished:
    """Return the same from a run's folder, with the verdicts in it."""
    folder = Path(path)
    run = Run.load(folder)
    try:
        opened = run.open_corpus(corpus)
    except (CorpusError, InputError):
        if corpus is not None:
            raise
        opened = None
    decided = decisions(last_words(said_in(folder)))
    return finished(run, opened, decided, name or ("" if run.about.label else folder.resolve().stem))


def export_run(
    path: str | Path,
    output: str | Path,
    *,
    corpus: str | Path | None = None,
    kind: str | None = None,
    statuses: Collection[str] | None = None,
    statement: tuple[str, str] | None = None,
    overwrite: bool = False,
) -> dict[str, int]:
    """Write what a run found and what people said of it to a new file; return how many documents of each status."""
    found = finished_of(path, corpus)
    return write_finished(output, found, kind=kind, statuses=statuses, statement=statement, overwrite=overwrite)


def check_accepted(found: Sequence[Finished], first: str | Path) -> None:
    """Raise InputError if a list of accepted documents is asked for before anybody has judged any."""
    if not any({"accepted", "rejected", "unsure"} & each.counts().keys() for each in found):
        how = shlex.join(["priorwise", "review", str(first)])
        raise InputError(f"nobody has judged these candidates yet, so none is accepted; first: {how}")


def write_into(
    found: Finished,
    output: str | Path,
    *,
    source: str | Path | None = None,
    at_least: float | None = None,
    overwrite: bool = False,
    draft: Path | None = None,
) -> WrittenBack:
    """Write the file that the corpus was made from again, with the results and the new labels."""
    if found.corpus is None:
        raise InputError("the corpus is not where it was; say where it is now (--corpus)")
    read_from, file, together = check_into(found.corpus, output, source, overwrite=overwrite or draft is not None)
    return write_back(
        file,
        output,
        found.results,
        label=found.label or found.title,
        columns=read_from.columns,
        opening=read_from.opening,
        labelled=() if found.label is None else ("accepted",),
        at_least=None if found.label is None else at_least,
        together=together,
        overwrite=overwrite,
        draft=draft,
    )


def check_into(
    corpus: Corpus, output: str | Path, source: str | Path | None, *, overwrite: bool
) -> tuple[ReadFrom, Path, list[Path]]:
    """Return how the corpus was read, where its file is and with which others; refuse now what must fail later."""
    check_free_files([Path(output)], overwrite=overwrite)
    read_from = corpus.read_from
    if read_from is None:
        raise InputError(
            "this corpus was made from a wiki, a database or a folder, or by an earlier priorwise, so there is no file "
            "to write into; write a table of the results instead (priorwise report RUN -o results.csv)"
        )
    file = read_from.found(source, corpus.path)
    together = read_from.together(file, corpus.path)
    if together is None:
        several = len(read_from.files) > 1
        known = frozenset(corpus.ids(range(corpus.n_documents))) if several else frozenset()
        check_ids(file, read_from.columns, read_from.opening, known)
    return read_from, file, together or [file]


def _with_pages(results: list[Result], corpus: Corpus | None) -> list[Result]:
    """Add where documents can be read, if they are pages of a wiki."""
    if corpus is None:
        return results
    rows = corpus.rows([each.id for each in results]).tolist()
    pages = [corpus.address(row) for row in rows]
    if not any(pages):
        return results
    return [replace(each, more={"page": page, **each.more}) for each, page in zip(results, pages, strict=True)]
