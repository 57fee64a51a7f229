"""Categories of a wiki on the command line: written in any way, and those for editors left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pyarrow import csv as arrow_csv

import priorwise as pw
from conftest import Cli, Refused
from priorwise.corpus import CategoryPage, Corpus, Document, ingest
from priorwise.discovery import Run
from priorwise.features.other_labels import other_labels
from priorwise.readers.document import Stream

TRACKED = "Articles with unsourced statements"


@pytest.fixture
def wiki(tmp_path: Path) -> Path:
    """Chess and law; half of chess is tracked by a category for editors, and so is no article on law."""
    rng = np.random.default_rng(0)
    words = {"Chess": ["king", "rook", "pawn", "mate"], "Law": ["court", "judge", "vote", "tax"]}
    pages: list[Document | CategoryPage] = [CategoryPage("Gambits", ["Chess"])]
    for n in range(40):
        topic = "Chess" if n % 2 else "Law"
        labels = [] if n % 10 == 1 else [topic, *([TRACKED, "Games"] if topic == "Chess" and n % 4 == 1 else [])]
        pages.append(Document(f"p{n}", f"{topic} {n}", " ".join(rng.choice(words[topic], 9)), labels))
    ingest(Stream(pages), tmp_path / "wiki.corpus")
    return tmp_path / "wiki.corpus"


def test_a_category_may_be_written_as_wikis_do(wiki: Path, cli: Cli, tmp_path: Path) -> None:
    for number, name in enumerate(["Chess", "Category:Chess", ":category:chess", "Category: Chess"]):
        cli("discover", wiki, name, "-o", tmp_path / f"{number}.run")
    runs = [Run.load(tmp_path / f"{number}.run") for number in range(4)]
    assert {run.about.label for run in runs} == {"Chess"}
    # Above all, the category is no evidence for itself.
    assert all(run.ranking.table.equals(runs[0].ranking.table) for run in runs)
    (tmp_path / "labels.txt").write_text("Category:Chess\nLaw\nChess\n")
    cli("discover", wiki, "--labels-from", tmp_path / "labels.txt", "-o", tmp_path / "many.csv")
    assert arrow_csv.read_csv(tmp_path / "many.labels.csv")["label"].to_pylist() == ["Chess", "Law"]


def test_categories_for_editors_are_no_evidence_unless_asked_for(wiki: Path, cli: Cli, tmp_path: Path) -> None:
    corpus = Corpus.open(wiki)
    names = {
        asked: corpus.label_names(other_labels(corpus, corpus.members("Chess"), "Chess", maintenance=asked).numbers)
        for asked in (False, True)
    }
    assert names == {False: ["Games"], True: [TRACKED, "Games"]}
    cli("discover", wiki, "Chess", "--maintenance", "-o", tmp_path / "x.run")
    assert Run.load(tmp_path / "x.run").about.maintenance
    every = ("discover", wiki, "--all-labels", "--min-members", 5)
    cli(*every, "-o", tmp_path / "some.csv")
    cli(*every, "--maintenance", "-o", tmp_path / "all.csv")
    some, all_of_them = (
        set(arrow_csv.read_csv(tmp_path / f"{name}.labels.csv")["label"].to_pylist()) for name in ("some", "all")
    )
    assert all_of_them - some == {TRACKED}


def test_many_labels_are_sorted_by_how_many_are_missing(wiki: Path, cli: Cli, tmp_path: Path) -> None:
    every = ("discover", wiki, "--all-labels", "--min-members", 5)
    fast = cli(*every, "--model", "presence").stdout
    assert "does not estimate how many members are missing" in " ".join(fast.split())
    # Few enough for the model that would rank each alone.
    shown = cli(*every, "-o", tmp_path / "x.csv").stdout
    assert "80% interval" in shown
    assert "does not estimate" not in shown
    labels = arrow_csv.read_csv(tmp_path / "x.labels.csv")
    missing = labels["missing"].to_pylist()
    assert missing == sorted(missing, reverse=True)
    candidates = arrow_csv.read_csv(tmp_path / "x.csv")["label"].to_pylist()
    assert list(dict.fromkeys(candidates)) == labels["label"].to_pylist()
    assert (tmp_path / "x.csv").read_bytes().startswith(b"\xef\xbb\xbf")


def test_members_may_be_a_list_of_pages(wiki: Path, cli: Cli, refused: Refused, tmp_path: Path) -> None:
    path = tmp_path / "petscan.json"
    path.write_text('{"pages": ["Chess_3", "Chess_5", "Chess 7", "Draughts"]}')
    result = cli("discover", wiki, "--members", path, "-o", tmp_path / "x.run")
    assert "titles that no document of the corpus has, left out: 1" in result.stderr
    assert Run.load(tmp_path / "x.run").about.members == 3
    # Ids with a mistake among them are refused as before.
    path.write_text("p3\np5\np999\n")
    assert "p999" in refused("discover", wiki, "--members", path)


def test_discover_takes_a_data_frame_or_records(wiki: Path, tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    corpus = Corpus.open(wiki)
    rows = range(len(corpus))
    records = [{"text": corpus.text(n), "title": corpus.titles([n])[0], "labels": corpus.labels_of(n)} for n in rows]
    frame = pd.DataFrame(records, index=corpus.ids(rows))
    run = pw.discover(frame, "Chess")
    assert set(run.ranking.ids[:4]) == {"p1", "p11", "p21", "p31"}
    by_number = pw.discover(records, "Chess")
    assert [f"p{id}" for id in by_number.ranking.ids] == run.ranking.ids
