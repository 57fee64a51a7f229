"""The tables of the study of hidden members, from its file of results: nobody writes them by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from measure import between_marks, markdown

from priorwise.ranking.metrics import compare

Row = dict[str, str]

MEASURES = {"ppv": "PPV@50 or @250", "average precision": "average precision"}
COLLECTIONS = {
    "newsgroups": "20 Newsgroups",
    "ohsumed": "Ohsumed",
    "reuters": "Reuters",
    "medline": "MEDLINE",
    "debian": "package tags",
    "shinto-wiki": "Shinto wiki",
    "enwik8": "enwik8",
    "mdn-zh": "MDN in Chinese",
    "thucnews-zh": "Chinese headlines",
    "librarians-fi": "Finnish questions to librarians",
    "debian-full": "package descriptions",
    "onet": "O*NET tasks",
    "clinc150": "CLINC150",
}
IN_README = ("newsgroups", "ohsumed", "reuters", "medline", "debian", "shinto-wiki", "enwik8")
"""The datasets of README's table; the others are on the page of the study only."""
KNOWN = ("5", "20", "100", "half")


@dataclass(frozen=True)
class Beside:
    """The default beside the best peer, by one measure."""

    ours: float
    words_only: float
    peer: str
    theirs: float
    ahead: int
    behind: int
    p: float


@dataclass(frozen=True)
class Line:
    """One collection with so many members known."""

    corpus: str
    known: str
    categories: int
    by: dict[str, Beside]
    missing: list[str]


def lines(rows: list[Row], ours: str, words_only: str, peers: list[str]) -> list[Line]:
    """A line for each collection and number of known members, in the order of the tables."""
    found = dict.fromkeys((row["corpus"], row["known"]) for row in rows)
    order = [*COLLECTIONS]
    pairs = sorted(found, key=lambda pair: (KNOWN.index(pair[1]), order.index(pair[0]) if pair[0] in order else 99))
    return [_line(rows, pair, ours, words_only, peers) for pair in pairs]


def _line(rows: list[Row], pair: tuple[str, str], ours: str, words_only: str, peers: list[str]) -> Line:
    own = [row for row in rows if (row["corpus"], row["known"]) == pair]
    by, number = {}, 0
    for measure in MEASURES:
        cases: dict[str, dict[str, float]] = {}
        for row in own:
            cases.setdefault(row["label"], {})[row["method"]] = float(row[measure])
        # A run that was stopped may have judged a category by some of the methods only.
        whole = [each for each in cases.values() if {ours, words_only, *peers} <= each.keys()]
        number = len(whole)
        values = {name: np.array([each[name] for each in whole]) for name in (ours, words_only, *peers)}
        best = max(peers, key=lambda name: float(values[name].mean()))
        against = compare(values[ours], values[best])
        means = (float(values[name].mean()) for name in (ours, words_only, best))
        mine, words, theirs = means
        by[measure] = Beside(mine, words, best, theirs, against.ahead, against.behind, against.wilcoxon)
    return Line(*pair, number, by, _missing([row for row in own if row["method"] == ours]))


def _missing(rows: list[Row]) -> list[str]:
    """Typically expected over hidden members, how often the interval holds, and precision said and found."""
    hidden = np.array([float(row["hidden"]) for row in rows])
    expected, low, high = (np.array([float(row[name]) for row in rows]) for name in ("missing", "low", "high"))
    within = (low <= hidden) & (hidden <= high)
    said, found = (np.mean([float(row[name]) for row in rows]) for name in ("expected at k", "ppv"))
    typical = float(np.exp(np.mean(np.log(expected / hidden))))
    return [str(len(rows)), f"{typical:.2f}", f"{within.sum()} of {len(rows)}", f"{said:.3f}", f"{found:.3f}"]


def peers_table(study: list[Line]) -> str:
    """The default, by all and by words only, and the best peer."""
    headings = ["corpus", "known", "categories"]
    for name in MEASURES.values():
        headings += [name, "words only", "best peer", "ahead/behind", "p"]
    rows = []
    for line in study:
        row = [COLLECTIONS.get(line.corpus, line.corpus), line.known, str(line.categories)]
        for each in line.by.values():
            peer = each.peer.replace(" negatives", "")
            row += [f"{each.ours:.3f}", f"{each.words_only:.3f}", f"{each.theirs:.3f} ({peer})"]
            row += [f"{each.ahead}/{each.behind}", f"{each.p:.2g}"]
        rows.append(row)
    return markdown(headings, rows, even=False)


def missing_table(study: list[Line]) -> str:
    """How far the default knows how many members are missing."""
    headings = ["corpus", "known", "categories", "missing, expected/hidden", "hidden within the interval"]
    rows = [[COLLECTIONS.get(line.corpus, line.corpus), line.known, *line.missing] for line in study]
    return markdown([*headings, "PPV said", "PPV found"], rows, even=False)


def readme_table(study: list[Line]) -> str:
    """Precision with five members known, a row for each dataset."""
    headings = [
        "members among the first candidates",
        "priorwise",
        "best of five scikit-learn pipelines",
    ]
    rows = []
    for line in (line for line in study if line.known == "5" and line.corpus in IN_README):
        each = line.by["ppv"]
        rows.append([COLLECTIONS.get(line.corpus, line.corpus), f"{each.ours:.0%}", f"{each.theirs:.0%}"])
    return markdown(headings, rows, even=False)


def precision_table(study: list[Line]) -> str:
    """Precision with few members known and with half of them, a column for each dataset."""
    parts = []
    for known, words in (("5", "five members known"), ("half", "half of the members known")):
        some = [(line.corpus, line.by["ppv"]) for line in study if line.known == known and line.corpus in IN_README]
        best = [max(each.ours, each.words_only, each.theirs) for _, each in some]
        rows = [
            ["`discover`, the default", *_cells([each.ours for _, each in some], best)],
            ["`discover --text-only`", *_cells([each.words_only for _, each in some], best)],
            ["the best of five scikit-learn pipelines", *_cells([each.theirs for _, each in some], best)],
            ["p (Wilcoxon), the default against it", *(f"{each.p:.2g}" for _, each in some)],
        ]
        parts.append(markdown([words, *(COLLECTIONS.get(corpus, corpus) for corpus, _ in some)], rows, even=False))
    return "\n\n".join(parts)


def _cells(values: list[float], best: list[float]) -> list[str]:
    """Three digits each, the best of its column in bold."""
    shown = [
        (f"{value:.3f}".removeprefix("0"), f"{most:.3f}".removeprefix("0"))
        for value, most in zip(values, best, strict=True)
    ]
    return [f"**{value}**" if value == most else value for value, most in shown]


TABLES = {
    "README.md": {"five members": readme_table},
    "docs/concepts/hidden-members.md": {"few members": precision_table},
    "docs/concepts/discovery-study-table.md": {"peers": peers_table, "missing": missing_table},
}


def write_tables(study: list[Line], root: Path) -> None:
    """Put every table between its marks."""
    for file, tables in TABLES.items():
        path = root / file
        text = path.read_text(encoding="utf-8")
        for name, make in tables.items():
            text = between_marks(text, "discovery_study.py", name, make(study))
        path.write_text(text, encoding="utf-8")
