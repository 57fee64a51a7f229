"""The presence experiment on hidden members, and all experiments on one page."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from paper_collections import STOP_WORDS, Reproduce, Writer, write
from priorwise.corpus import Corpus
from priorwise.discovery.hidden import NONE, LaplaceBaseline, hidden_members, split_members
from priorwise.discovery.presence_stage import Procedure, learn
from priorwise.search import PPV
from reproductions import __main__, presence
from reproductions.data import Data


@pytest.fixture(scope="module")
def collections(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three newsgroups of forty messages, and a wiki of sixty articles; neither Ohsumed nor the other wiki."""
    folder, writer = tmp_path_factory.mktemp("data"), Writer()
    write(folder, "smart-stop-list.txt", "\n".join(STOP_WORDS))
    for g, group in enumerate(("rec.tea", "sci.oil", "talk.law")):
        for n in range(40):
            split = "train" if n < 25 else "test"
            text = f"From: a@b.example\nSubject: {group}\n\n{writer.text(g)}\n"
            write(folder, f"20-newsgroups/20news-bydate-{split}/{group}/{n}", text)
    pages = "".join(
        f"<page><title>Page {n}</title><ns>0</ns><id>{n}</id><text>{writer.text(n % 3, 60)} {'word ' * 60}"
        f"[[Category:Kind {n % 3}]]</text></page>"
        for n in range(60)
    )
    write(folder, "wikipedia/enwik8.xml", f"<mediawiki>{pages}</mediawiki>")
    return folder


@pytest.fixture(autouse=True)
def smaller_categories(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "FEWEST", 15)


def test_from_end_to_end_and_again(collections: Path, tmp_path: Path, reproduce: Reproduce) -> None:
    command = ("presence", "--data", collections, "-o", tmp_path, "--quick", "--only", "newsgroups")
    first = reproduce(*command)
    assert first.exit_code == 0, first.output
    page = (tmp_path / "presence.md").read_text(encoding="utf-8")
    assert "| American films | – (0.100) | – (0.196) | – (200 and 0.5) |" in page
    assert "20 Newsgroups: 120 documents" in page
    for picture in ("boxes", "20-newsgroups", "terrain-ppv", "terrain-average-precision"):
        drawing = ElementTree.parse(tmp_path / f"presence-{picture}.svg").getroot()
        assert f"![{drawing.get('aria-label')}](presence-{picture}.svg)" in page
    found = json.loads((tmp_path / "presence.json").read_text(encoding="utf-8"))
    (boxes,) = (part["boxes"] for part in found["parts"] if "boxes" in part)
    assert {len(values) for values in boxes["boxes"].values()} == {2}
    maps = [part["heat map"] for part in found["parts"] if "heat map" in part]
    assert [each["value"] for each in maps] == ["PPV", "average precision"]
    assert np.shape(maps[0]["values"]) == (len(maps[0]["grid"]),) * 2
    again = reproduce(*command)
    assert "\n0 cells computed, " in again.stdout
    assert (tmp_path / "presence.md").read_text(encoding="utf-8") == page


def test_cells_are_what_the_benchmark_measures(collections: Path, tmp_path: Path) -> None:
    corpus = presence.PARTS["newsgroups"].read(Data(collections, tmp_path))
    judged = presence.judge(corpus, "sci.oil", "laplace")
    (expected,) = hidden_members(corpus, ["sci.oil"], [LaplaceBaseline()])
    assert judged["members"] == 40
    assert judged["average precision"] == pytest.approx(expected.measures["average precision"])
    assert judged["ppv"][presence.KS.index(50)] == pytest.approx(expected.measures["ppv@50"])
    assert judged["strengths"] is None
    assert len(presence.judge(corpus, "sci.oil", "paper")["strengths"]) == 2


def test_the_terrain_is_that_of_the_papers_samples(collections: Path, tmp_path: Path) -> None:
    corpus = presence.PARTS["newsgroups"].read(Data(collections, tmp_path))
    found = presence.terrain(corpus, "sci.oil", PPV(), 40)
    assert found["grid"][:4] == [0.01, 0.1, 0.5, 1.0]
    assert found["grid"][-1] == 200.0
    known, _ = split_members(corpus, "sci.oil", hide=0.5, seed=0)
    procedure = Procedure(PPV(), negatives_per_positive=1.0, length_powers=(0.0,), centre="uniform")
    terrains = learn(corpus, known, NONE, procedure).choice.terrains
    assert found["values"][3][0] == pytest.approx(np.mean([each.score[3, 0] for each in terrains]))


def test_a_wiki_is_read_once(collections: Path, tmp_path: Path) -> None:
    data = Data(collections, tmp_path)
    corpus = data.wiki("enwik8")
    assert corpus.n_documents == 60
    assert presence.categories(corpus, 2) == ["Kind 0", "Kind 2"]
    made = next(tmp_path.glob("*.corpus")).stat().st_mtime_ns
    assert data.wiki("enwik8").checksum == corpus.checksum
    assert next(tmp_path.glob("*.corpus")).stat().st_mtime_ns == made
    assert isinstance(corpus, Corpus)


def test_all_runs_what_there_is_data_for(
    collections: Path, tmp_path: Path, reproduce: Reproduce, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(__main__, "NAMES", ("bernoulli", "knowledge", "presence"))
    found = reproduce("all", "--data", collections, "-o", tmp_path, "--quick")
    assert found.exit_code == 0, found.output
    assert "All 2 experiments on one page" in found.stdout
    assert "left out: presence, shinto-wiki: the Shinto wiki is not in" in found.stderr
    page = (tmp_path / "all.md").read_text(encoding="utf-8")
    assert page.startswith(
        "# The papers' experiments, run again\n\n    python -m reproductions all --data DIR --quick\n"
    )
    assert "- knowledge, modapte: Reuters-21578 is not in" in page
    for name in ("bernoulli", "presence"):
        assert f"(#{name})" in page
        own = (tmp_path / f"{name}.md").read_text(encoding="utf-8")
        assert f"({name})=\n#{own.splitlines()[0]}" in page
        assert [line for line in own.splitlines() if line.startswith("|")] == [
            line for line in page[page.index(f"({name})=") :].splitlines() if line.startswith("|")
        ][: own.count("\n|")]
    assert "--only newsgroups --only enwik8 --quick" in (tmp_path / "presence.md").read_text(encoding="utf-8")


def test_all_takes_no_parts_and_needs_some_data(tmp_path: Path, reproduce: Reproduce) -> None:
    found = reproduce("all", "--data", tmp_path, "-o", tmp_path / "out", "--only", "onet")
    assert found.exit_code != 0
    assert "--only goes with one experiment" in found.stderr
    found = reproduce("all", "--data", tmp_path, "-o", tmp_path / "out")
    assert found.exit_code != 0
    assert "has none of the collections" in found.stderr
