"""A finished category as a new file: a table, a bibliography, or a list for a wiki."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from priorwise.corpus import Corpus
from priorwise.durable import whole_file
from priorwise.errors import InputError
from priorwise.exports.wikis import (
    chosen,
    edits,
    item_of,
    link,
    page_list,
    pywikibot_list,
    quick_statements,
    wikitext_list,
)
from priorwise.exports.write_back import (
    COLUMNS,
    STATUSES,
    Result,
    as_cell,
    keywords_for,
    record_text,
    write_table,
    write_workbook,
)

KINDS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".xlsx": "xlsx",
    ".jsonl": "jsonl",
    ".ris": "ris",
    ".nbib": "nbib",
    ".wiki": "wikitext",
    ".wikitext": "wikitext",
    ".txt": "pages",
}
"""What a file holds, by the ending of its name."""

LEFT_OUT = {"quickstatements": "without an item of Wikidata, left out"}
LEFT_OUT |= dict.fromkeys(("pages", "pywikibot", "edits"), "with a title that no page can have, left out")
"""What a list for a wiki leaves out, and why."""

LISTS = ("wikitext", "pages", "pywikibot", "quickstatements", "edits")
"""Lists for wikis; a list has accepted documents only, unless other statuses are asked for."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A category and what is known about its documents.

    Parameters
    ----------
    label : str or None
        The category, which accepted documents get; None if there is none.
    results : sequence of Result
        Its candidates and members.
    corpus : Corpus, optional
        Where their texts, labels and other columns are; a table has the other columns, a bibliography all of it.
    name : str
        What to call it instead, if it has no category or several have the same one.
    """

    label: str | None
    results: Sequence[Result]
    corpus: Corpus | None = None
    name: str = ""

    @property
    def title(self) -> str:
        """What columns and headings call it."""
        return self.name or self.label or "members"

    def of(self, statuses: Collection[str]) -> Finished:
        """Return the same with the results of some statuses, best first and members last."""
        found = sorted((each for each in self.results if each.status in statuses), key=lambda each: each.order)
        return replace(self, results=found)

    def counts(self) -> dict[str, int]:
        found = Counter(each.status for each in self.results)
        return {status: found[status] for status in STATUSES if found[status]}


def kind_of(path: Path) -> str:
    """Return what a file is to hold, by its name."""
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise InputError(f"{path.name} should end in one of {', '.join(KINDS)}, which says what it holds")
    return kind


def write_finished(
    path: str | Path,
    finished: Finished | Sequence[Finished],
    *,
    kind: str | None = None,
    statuses: Collection[str] | None = None,
    statement: tuple[str, str] | None = None,
    overwrite: bool = False,
) -> dict[str, int]:
    """Write one or more finished categories to a new file.

    Parameters
    ----------
    path : str or Path
        The file. Its ending says what it holds: ``.csv``, ``.tsv``, ``.xlsx`` and ``.jsonl`` a table, ``.ris`` and
        ``.nbib`` a bibliography whose keywords are status, rank and probability, ``.wiki`` links, ``.txt`` titles for
        PetScan and PagePile.
    finished : Finished or sequence of Finished
    kind : str, optional
        What to write, whatever the ending: also ``"pywikibot"``, ``"quickstatements"``, and ``"edits"``, a dry run.
    statuses : collection of str, optional
        Which documents: by default all in tables and bibliographies, and those accepted in lists for wikis.
    statement : tuple of str, optional
        The property and the item that QuickStatements adds, such as ``("P921", "Q2539")``.
    overwrite : bool
        Replace the file if it is there.

    Returns
    -------
    dict
        How many documents of each status were chosen, and how many of them a list leaves out.

    Examples
    --------
    >>> import tempfile
    >>> tea = Finished("Tea", [Result("7", "accepted", 1, 0.93, "Green tea"), Result("8", "member")])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_finished(Path(folder, "tea.csv"), tea)
    ...     print(Path(folder, "tea.csv").read_text("utf-8-sig"), end="")
    {'member': 1, 'accepted': 1}
    category,id,title,status,rank,probability
    Tea,7,Green tea,accepted,1,0.93
    Tea,8,,member,,
    """
    target = Path(path)
    several = [finished] if isinstance(finished, Finished) else list(finished)
    with whole_file(target, overwrite=overwrite) as draft:
        return write_draft(draft, kind or kind_of(target), several, statuses, statement)


def finished_bytes(
    finished: Sequence[Finished],
    kind: str,
    *,
    statuses: Collection[str] | None = None,
    statement: tuple[str, str] | None = None,
) -> bytes:
    r"""Return what :func:`write_finished` writes, for a server to send.

    Examples
    --------
    >>> finished_bytes([Finished("Tea", [Result("Green tea", "accepted", 1)])], "pywikibot")
    b'[[Green tea]]\n'
    """
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder, "finished")
        write_draft(draft, kind, finished, statuses, statement)
        return draft.read_bytes()


def write_draft(
    draft: Path,
    kind: str,
    finished: Sequence[Finished],
    statuses: Collection[str] | None = None,
    statement: tuple[str, str] | None = None,
) -> dict[str, int]:
    """Write the same to a path that takes its name later, with other files."""
    wanted = statuses or (("accepted",) if kind in LISTS else STATUSES)
    if unknown := [each for each in wanted if each not in STATUSES]:
        raise InputError(f"'{unknown[0]}' is not a status; they are {', '.join(STATUSES)}")
    found = [each.of(wanted) for each in finished]
    left_out = 0
    if kind in LISTS:
        text = "".join(_list(kind, each, wanted, statement, alone=len(found) == 1) for each in found)
        left_out = sum(_left_out(kind, each, wanted) for each in found)
        draft.write_text(text, encoding="utf-8", errors="replace", newline="")
    elif kind in ("ris", "nbib"):
        with draft.open("w", encoding="utf-8", errors="replace", newline="") as file:
            file.writelines(_records(kind, found))
    elif kind == "jsonl":
        with draft.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
            for row in _rows(found):
                told = {name: value for name, value in row.items() if value not in (None, "")}
                file.write(json.dumps(told, ensure_ascii=False, default=str) + "\n")
    else:
        _write_table(draft, kind, list(_rows(found)))
    counts = dict(sum((Counter(each.counts()) for each in found), Counter()))
    return counts | ({LEFT_OUT[kind]: left_out} if left_out else {})


def _left_out(kind: str, each: Finished, wanted: Collection[str]) -> int:
    if kind == "wikitext":
        return 0
    if kind == "quickstatements":
        return _items(each).count(None)
    return len(each.results) - len(list(chosen(each.results, wanted)))


def _items(finished: Finished) -> list[str | None]:
    """Return the item of Wikidata of each document, if it has one."""
    others = (
        {} if row is None or finished.corpus is None else finished.corpus.other(row) for _, row in _placed(finished)
    )
    return [item_of(each.id, {**each.more, **other}) for each, other in zip(finished.results, others, strict=True)]


def _list(kind: str, each: Finished, wanted: Collection[str], statement: Any, *, alone: bool) -> str:
    if kind == "wikitext":
        heading = None if alone else each.title if each.label is None else link(each.label, "Category:")
        return wikitext_list(each.results, wanted, heading)
    if kind == "quickstatements":
        if statement is None:
            raise InputError("say which statement QuickStatements adds: a property and an item, as in P921=Q2539")
        return quick_statements(_items(each), statement)
    if kind == "edits":
        if each.label is None:
            raise InputError(f"{each.title} has no category, so there is none to add; try the lists pages or pywikibot")
        return edits(each.results, each.label, wanted)
    return {"pages": page_list, "pywikibot": pywikibot_list}[kind](each.results, wanted)


def _rows(finished: Sequence[Finished]) -> Iterator[dict[str, Any]]:
    """Yield each result with the other columns of its document."""
    for each in finished:
        for result, row in _placed(each):
            own = {"category": each.title, "id": result.id, "title": result.title}
            own |= dict(zip(COLUMNS, result.cells(), strict=True)) | dict(result.more)
            other = {} if row is None or each.corpus is None else each.corpus.other(row)
            yield own | {f"{name} (file)" if name in own else name: value for name, value in other.items()}


def _placed(finished: Finished) -> Iterator[tuple[Result, int | None]]:
    if finished.corpus is None:
        yield from ((result, None) for result in finished.results)
        return
    rows = finished.corpus.rows([result.id for result in finished.results]).tolist()
    yield from zip(finished.results, rows, strict=True)


def _write_table(draft: Path, kind: str, rows: list[dict[str, Any]]) -> None:
    headings = list(dict.fromkeys(name for row in rows for name in row)) or ["category", "id", "title", *COLUMNS]
    cells = ([as_cell(row.get(name)) for name in headings] for row in rows)
    if kind == "xlsx":
        write_workbook(draft, headings, cells)
    else:
        write_table(draft, headings, cells, "\t" if kind == "tsv" else ",")


def _records(kind: str, finished: Sequence[Finished]) -> Iterator[str]:
    for each in finished:
        for result, row in _placed(each):
            record: dict[str, Any] = {
                "id": result.id,
                "title": result.title or result.id,
                "url": result.more.get("page"),
            }
            words = keywords_for(result, each.title, each.label if result.status in ("accepted", "member") else None)
            if row is not None and each.corpus is not None:
                record = each.corpus.other(row) | {"text": each.corpus.text(row), **record}
                words = [*dict.fromkeys([*each.corpus.labels_of(row), *words])]
            yield record_text(kind, record, words)
