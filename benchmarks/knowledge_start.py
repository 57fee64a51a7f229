"""Start from what somebody knows: a title, a query, keywords, with no member or a few.

    .venv/bin/python benchmarks/knowledge_start.py --clef DATA/reviews/clef2017 --data DATA --tags VOCABULARY \\
        newsgroups.corpus ohsumed.corpus reuters.corpus medline.corpus debian.corpus shinto-wiki.corpus enwik8.corpus \\
        -o keywords.csv

The first table ranks each topic's abstracts by its title,
and by its title and query, beside BM25 (k1 1.2, b 0.75) and BM25 with RM3 feedback (10 documents, 10 words, half of the
weight). Then 1, 2 and 5 members that are drawn at random are known, too. At last ten members are known, and a model of
ten others, compared with all twenty. The odds of what is known were chosen on every other topic ("chosen"); the rest
("judged") says how good they are.

The second table is about categories of corpora, those of `discovery_study.py`, evenly over their sizes: five members
with and without keywords, and the harm of wrong keywords, which are those of the next category, with 20 and 100
members. Keywords follow a fixed rule that never looks at hidden members: the words of the label's name and, where there
is a definition, its ten rarest words. Definitions are MeSH's scope notes and Reuters' descriptions (`--data`), and
those of package tags (`--tags`, the vocabulary of Debian's package `debtags`). "Name" counts the label's name as one
more member if that helps, as `discover` does by default; the other columns do without it. A run that is stopped
continues where it was.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import re
import tarfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from discovery_study import PARTS, SEED, categories
from priorwise.corpus import Corpus
from priorwise.discovery.category import Category
from priorwise.discovery.hidden import split_members
from priorwise.discovery.knowledge import Knowledge
from priorwise.discovery.member_stage import find_members
from priorwise.engines.engine import Local
from priorwise.priors.keywords import Keywords
from priorwise.ranking.metrics import average_precision, ppv_at

NONE = np.empty(0, np.int64)
NUMBERS = (1, 2, 5)
K = 50
FEWEST, MOST = 5, 10
"""A keyword from a definition is in at least this many documents; so many of them count."""

FEW_MEMBERS = ("nothing", "name", "right words", "right words and name")
MANY_MEMBERS = ("nothing", "wrong words")


def topics(folder: Path) -> Iterator[tuple[str, str, Corpus, np.ndarray]]:
    """Title, title and query, abstracts, and which of them were included."""
    for path in sorted(folder.glob("*.topic.json")):
        topic = json.loads(path.read_text(encoding="utf-8"))
        with gzip.open(folder / f"{topic['id']}.jsonl.gz", "rt", encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        texts = [f"{each['title'] or ''}\n{each['text'] or ''}" for each in records]
        included = np.array([bool(each["labels"]) for each in records])
        yield topic["title"], f"{topic['title']} {topic['query']}", Corpus.from_texts(texts), included


def bm25(corpus: Corpus, query: np.ndarray, k1: float = 1.2, b: float = 0.75) -> np.ndarray:
    """Score all documents for a query of weighted words."""
    X = corpus.matrix(np.arange(corpus.n_documents)).tocsr()
    length = np.asarray(X.sum(axis=1)).ravel()
    norm = k1 * (1 - b + b * length / length.mean())
    held = np.asarray(corpus.document_frequency, np.float64)
    rarity = np.log(1 + (X.shape[0] - held + 0.5) / (held + 0.5))
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    X.data = X.data * (k1 + 1) / (X.data + norm[row])
    return np.asarray(X @ (rarity * query))


def rm3(corpus: Corpus, query: np.ndarray, documents: int = 10, words: int = 10, share: float = 0.5) -> np.ndarray:
    """Score by BM25 after adding the words of its best documents to the query (Abdul-Jaleel et al. 2004)."""
    scores = bm25(corpus, query)
    best = np.argsort(-scores, kind="stable")[:documents]
    X = corpus.matrix(best).toarray()
    rates = (scores[best] / scores[best].sum()) @ (X / np.maximum(X.sum(axis=1, keepdims=True), 1.0))
    kept = np.argsort(-rates, kind="stable")[:words]
    more = np.zeros_like(rates)
    more[kept] = rates[kept] / rates[kept].sum()
    return bm25(corpus, (1 - share) * query / query.sum() + share * more)


def counted(corpus: Corpus, text: str) -> np.ndarray:
    """How often a text has each word of the corpus."""
    return np.asarray(corpus.vectorize([re.sub(r"[\W_]+", " ", text)]).toarray().ravel())


def default(corpus: Corpus, known: np.ndarray, name: str | None = None, **knowledge: Any) -> np.ndarray:
    """Score by the default model, with what is known of the category."""
    category = Category(corpus, None, known, NONE, NONE)
    return find_members(category, engine=Local(), text=name, knowledge=Knowledge(**knowledge)).scores


def without(known: np.ndarray, scores: np.ndarray, belongs: np.ndarray) -> np.ndarray:
    """Whether each document belongs, best first, without the members that were known."""
    rest = np.setdiff1d(np.arange(len(scores)), known)
    return np.asarray(belongs[rest][np.argsort(-scores[rest], kind="stable")])


def of_topic(title: str, both: str, corpus: Corpus, belongs: np.ndarray, seeds: int) -> dict[str, float]:
    """Average precision of each way to rank a topic."""
    members = np.flatnonzero(belongs)
    ways: list[tuple[str, int, Callable[[np.ndarray], np.ndarray]]] = []
    for text, name in ((title, "title"), (both, "title and query")):
        query = counted(corpus, text)
        ways += [
            (f"{name}: BM25", 0, lambda known, query=query: bm25(corpus, query)),
            (f"{name}: BM25 and RM3", 0, lambda known, query=query: rm3(corpus, query)),
            (f"{name}: default", 0, lambda known, text=text: default(corpus, known, description=text)),
        ]
    for n in NUMBERS:
        ways += [
            (f"{n} members alone", n, lambda known: default(corpus, known)),
            (f"{n} members and title", n, lambda known: default(corpus, known, description=title)),
            (f"{n} members, title and query", n, lambda known: default(corpus, known, description=both)),
        ]
    found = {}
    for name, n, score in ways:
        values = []
        for seed in range(seeds if n else 1) if len(members) >= 2 * n else ():
            known = np.sort(np.random.default_rng(seed).choice(members, n, replace=False))
            ranked = without(known, score(known), belongs)
            values.append(average_precision(ranked, int(ranked.sum())))
        found[name] = float(np.mean(values)) if values else np.nan
    found |= _continued(corpus, belongs, seeds)
    return found


def _continued(corpus: Corpus, belongs: np.ndarray, seeds: int) -> dict[str, float]:
    """Ten members, ten more with the first ten's model as what is known, and all twenty at once."""
    members = np.flatnonzero(belongs)
    names = ("10 members alone", "10 members and a model of 10 others", "20 members alone")
    if len(members) < 2 * 20:
        return dict.fromkeys(names, np.nan)
    values = []
    for seed in range(seeds):
        drawn = np.random.default_rng(seed).permutation(members)[:20]
        first, second = np.sort(drawn[:10]), np.sort(drawn[10:])
        earlier = find_members(Category(corpus, None, first, NONE, NONE), engine=Local()).model
        all_at_once = default(corpus, np.sort(drawn))
        scores = (default(corpus, second), default(corpus, second, earlier=earlier), all_at_once)
        ranked = [without(drawn, each, belongs) for each in scores]
        values.append([average_precision(each, int(each.sum())) for each in ranked])
    return dict(zip(names, np.mean(values, axis=0).tolist(), strict=True))


def of_topics(folder: Path, seeds: int) -> None:
    """Print average precision by what was known."""
    started = time.perf_counter()
    found = [of_topic(*topic, seeds) for topic in topics(folder)]
    print(f"CLEF 2017, average precision ({seeds} draws, {time.perf_counter() - started:.0f} s)")
    print(f"{'':34}{'topics':>8}{'all':>8}{'chosen':>8}{'judged':>8}")
    for name in found[0]:
        values = np.array([each[name] for each in found])
        parts = [np.nanmean(values), np.nanmean(values[::2]), np.nanmean(values[1::2])]
        print(f"{name:34}{np.isfinite(values).sum():>8}" + "".join(f"{value:>8.3f}" for value in parts))


def definitions(data: Path | None, tags: Path | None) -> dict[str, str]:
    """What tells a label's meaning in words: MeSH's scope notes, descriptions of Reuters' topics and package tags."""
    found = {}
    for block in tags.read_text(encoding="utf-8").split("\n\n") if tags else []:
        if tag := re.match(r"Tag: (\S+)", block):
            found[tag[1]] = block.partition("Description:")[2]
    if data is None:
        return found
    with gzip.open(data / "mesh" / "CTD_diseases.tsv.gz", "rt", encoding="utf-8") as file:
        for name, _, _, note, _, places, *_ in (line.split("\t") for line in file if not line.startswith("#")):
            found[name] = f"{name} {note}"
            found |= {place: found[name] for place in places.split("|") if re.fullmatch(r"C\d\d", place)}
    with tarfile.open(data / "reuters-21578" / "reuters21578.tar.xz") as archive:
        text = archive.extractfile("reuters21578/cat-descriptions_120396.txt").read().decode()
    return found | {label.lower(): name for name, label in re.findall(r"^(.+) \(([A-Z-]+)\)$", text, re.MULTILINE)}


def keywords(corpus: Corpus, label: str, meaning: str) -> Keywords | None:
    """The words of a label's name and the ten rarest of its definition, of those that five documents have."""
    held = np.asarray(corpus.document_frequency)
    own = np.flatnonzero((counted(corpus, label) > 0) & (held >= FEWEST))
    more = np.flatnonzero((counted(corpus, meaning) > 0) & (held >= FEWEST))
    more = more[np.argsort(held[more], kind="stable")][:MOST]
    words = corpus.token_names(np.union1d(own, more))
    return Keywords(dict.fromkeys(words, 1.0)) if words else None


def of_corpus(path: Path, chosen: Any, meanings: dict[str, str], done: set[tuple[str, ...]], write: Any) -> None:
    """Precision@50 with and without keywords, right and wrong ones, a row as each comes."""
    corpus = Corpus.open(path)
    for known in chosen.known:
        ways = FEW_MEMBERS if known == 5 else MANY_MEMBERS
        told = {
            each: keywords(corpus, each, meanings.get(each, "")) for each in categories(corpus, known, chosen.part, 24)
        }
        usable = [each for each in told.items() if each[1]]
        places = np.linspace(0, len(usable) - 1, min(chosen.categories, len(usable))).round().astype(int)
        told = dict(usable[place] for place in places)
        if known != 5 and len(told) < 2:
            print(f"{path.stem}: fewer than two categories to choose from with {known} members, so no wrong keywords")
            continue
        for place, label in enumerate(told):
            members, hidden = split_members(corpus, label, hide=0.5, keep=known, seed=SEED)
            belongs = np.isin(np.arange(corpus.n_documents), np.concatenate([members, hidden]))
            wrong = list(told.values())[(place + 1) % len(told)]
            for way in ways:
                key = (path.stem, str(known), label, way)
                if key in done:
                    continue
                words = {"right": told[label], "wrong": wrong}.get(way.split()[0], Keywords())
                scores = default(corpus, members, label if "name" in way else None, words=words)
                write.writerow([*key, ppv_at(without(members, scores, belongs), K)])


def keyword_table(rows: list[dict[str, str]]) -> str:
    """Means by corpus, number of known members and what was told."""
    found: dict[tuple[str, str], dict[str, list[float]]] = {}
    for row in rows:
        found.setdefault((row["corpus"], row["known"]), {}).setdefault(row["told"], []).append(float(row["precision"]))
    ways = list(dict.fromkeys((*FEW_MEMBERS, *MANY_MEMBERS)))
    lines = [f"{'':28}{'known':>6}{'categories':>12}" + "".join(f"{way:>26}" for way in ways)]
    for (name, known), values in found.items():
        cells = [f"{np.mean(values[way]):>26.3f}" if way in values else " " * 26 for way in ways]
        lines.append(f"{name:28}{known:>6}{len(values['nothing']):>12}" + "".join(cells))
    return "\n".join(lines)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="*", type=Path)
    parser.add_argument("--clef", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--categories", type=int, default=12, help="How many categories of each corpus.")
    parser.add_argument("--data", type=Path, help="Folder with mesh/ and reuters-21578/, for definitions of labels.")
    parser.add_argument("--tags", type=Path, help="The vocabulary of Debian's debtags: definitions of package tags.")
    parser.add_argument("--known", type=int, nargs="*", default=[5, 20, 100])
    parser.add_argument("--part", choices=list(PARTS), default="judge")
    parser.add_argument("-o", "--output", type=Path, default=Path("keywords.csv"))
    chosen = parser.parse_args()
    if chosen.clef:
        of_topics(chosen.clef, chosen.seeds)
    if chosen.corpora:
        columns = ["corpus", "known", "label", "told", "precision"]
        if not chosen.output.exists():
            chosen.output.write_text(",".join(columns) + "\n", encoding="utf-8")
        with chosen.output.open(newline="", encoding="utf-8") as file:
            done = {tuple(row[name] for name in columns[:4]) for row in csv.DictReader(file)}
        meanings = definitions(chosen.data, chosen.tags)
        with chosen.output.open("a", newline="", encoding="utf-8", buffering=1) as file:
            for path in chosen.corpora:
                of_corpus(path, chosen, meanings, done, csv.writer(file))
        with chosen.output.open(newline="", encoding="utf-8") as file:
            print(keyword_table(list(csv.DictReader(file))))


if __name__ == "__main__":
    main()
