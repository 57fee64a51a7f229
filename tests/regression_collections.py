"""Small made-up collections in the shapes that the experiments with regressions read."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from reproductions.knowledge import KEYWORDS
from small_collections import story

PLACES = ("aruba", "bolivia", "peru")
HEADINGS = ("Gout", "Anthrax")


def write_regression_collections(folder: Path, train: int = 6, test: int = 3) -> Path:
    """Ten topics with so many stories each, places with the Factbook, MEDLINE with headings, and a stop list."""
    (folder / "reuters-21578").mkdir(parents=True)
    (folder / "reuters-21578" / "reut2-000.sgm").write_text(_stories(train, test))
    (folder / "smart-stop-list.txt").write_text("the\nof\nand\n")
    _write_factbook(folder / "factbook")
    _write_mesh(folder / "mesh")
    (folder / "medline").mkdir()
    (folder / "medline" / "pubmed20n0014.xml.gz").write_bytes(gzip.compress(_citations(12).encode()))
    return folder


@pytest.fixture(scope="session")
def regression_collections(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_regression_collections(tmp_path_factory.mktemp("data"))


def _stories(train: int, test: int) -> str:
    random, made = np.random.default_rng(0), []
    for topic, text in KEYWORDS.items():
        words = [*text.split(), topic.replace("-", "")]
        for k in range(train + test):
            said = " ".join([*random.choice(words, 5), *random.choice(["market", "said", "the", "year", "week"], 6)])
            place = PLACES[int(random.integers(3))]
            body = f"<TEXT><TITLE>{topic}</TITLE><BODY>{said} {place}'s</BODY></TEXT>"
            part = "TRAIN" if k < train else "TEST"
            made.append(
                story(len(made) + 1, part, "YES", body, topics=[topic]).replace("<D>usa</D>", f"<D>{place}</D>")
            )
    # A topic that only one part of the split has, and a story without a topic.
    made.append(story(len(made) + 1, "TRAIN", "YES", "<TEXT><BODY>jute alone</BODY></TEXT>", topics=["jute"]))
    made.append(story(len(made) + 1, "TRAIN", "YES", "<TEXT><BODY>nothing</BODY></TEXT>"))
    return "".join(made)


def _write_factbook(folder: Path) -> None:
    folder.mkdir()
    names = ["Aruba", "Bolivia", "Peru", *(f"Land {k}" for k in range(12))]
    countries = [f"  ({k}, 1996, N'{k}', N'{name}', N'html', {k})" for k, name in enumerate(names)]
    countries.append("  (99, 2000, N'x', N'Peru', N'html', 99)")
    fields = [f"  ({k}, 7, {k}, N'Area', N'total area of {name}''s land'" + ")" for k, name in enumerate(names)]
    fields.append("  (200, 7, 99, N'Area', N'another year')")
    for name, rows in (("countries", countries), ("country_fields_1996", fields)):
        text = "INSERT INTO T VALUES\n" + ",\n".join(rows) + ";\n"
        (folder / f"{name}.sql.gz").write_bytes(gzip.compress(text.encode()))


def _write_mesh(folder: Path) -> None:
    folder.mkdir()
    rows = [
        ["Gout", "MESH:1", "", "Crystals in a joint.", "", "", "", "Podagra|Gouty arthritis", ""],
        ["Anthrax", "MESH:2", "", 'A disease of "cattle".', "", "", "", "", ""],
        ["Nameless", "MESH:3", "", "", "", "", "", "", ""],
    ]
    text = "# Fields:\n" + "\n".join("\t".join(row) for row in rows) + "\n"
    (folder / "CTD_diseases.tsv.gz").write_bytes(gzip.compress(text.encode()))


def _citations(count: int) -> str:
    made = []
    for k in range(count):
        heading, words = (("Gout", "joint crystals podagra"), ("Anthrax", "cattle spores"))[k % 2]
        made.append(
            f"<MedlineCitation><PMID>{k + 1}</PMID><Article><ArticleTitle>On {words}.</ArticleTitle><Abstract>"
            f"<AbstractText>It was {words} in case {k}.</AbstractText></Abstract></Article><MeshHeadingList>"
            f"<MeshHeading><DescriptorName>{heading}</DescriptorName></MeshHeading></MeshHeadingList></MedlineCitation>"
        )
    return "<PubmedArticleSet>" + "".join(made) + "</PubmedArticleSet>"
