"""Which candidates are in a subcategory and which are new: in Python, in the files, and on the terminal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference_graph as reference
from conftest import FAST, Cli, Refused
from priorwise.corpus import CategoryPage, Corpus, Document, ingest
from priorwise.corpus.build.ingestion import corpus_of
from priorwise.discovery import Run, discover
from priorwise.discovery.category import Status, Statuses, Subcategories
from priorwise.errors import InputError, UnknownName
from priorwise.readers.document import Entry, Stream

PARENTS = {
    "Board games": {"Games"},
    "Chess": {"Board games", "Chess openings"},
    "Chess openings": {"Chess"},
    "Gambits": {"Chess openings"},
    "Chess players": {"Chess", "People"},
    "Law": {"Society"},
    "Games": {"Society"},
}


def wiki() -> list[Entry]:
    """Chess is in a circle with its openings; 8 of its members are written, 1 is added."""
    random = np.random.default_rng(0)
    words = {
        "chess": ["king", "queen", "rook", "bishop", "knight", "pawn", "mate"],
        "law": ["court", "judge", "law", "vote", "tax", "state"],
    }

    def text(about: str) -> str:
        return " ".join([*random.choice(words[about], 8), *random.choice(["the", "of", "and", "to", "in"], 6)])

    others = [["Gambits"], ["Gambits", "Chess players"], ["Chess openings", "Gambits"], ["People"], [], ["Lost"]]
    listed: list[Entry] = [CategoryPage(name, sorted(parents)) for name, parents in PARENTS.items()]
    listed += [Document(f"c{i}", f"Chess \x1b[3m{i}", text("chess"), ["Chess"]) for i in range(8)]
    listed += [Document(f"o{i}", f"Other {i}", text("chess"), labels) for i, labels in enumerate(others)]
    listed += [Document(f"l{i}", f"Law {i}", text("law"), ["Law"]) for i in range(10)]
    listed.append(Document("added", "Template", text("chess"), added=["Chess"]))
    return listed


EXPECTED = {
    "o0": ("subcategory", "Chess › Chess openings › Gambits"),
    "o1": ("subcategory", "Chess › Chess players"),
    "o2": ("subcategory", "Chess › Chess openings"),
    "o3": ("new", None),
    "o4": ("new", None),
    "o5": ("new", None),
    **{f"l{i}": ("new", None) for i in range(10)},
}


@pytest.fixture(scope="module")
def chess(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("wiki") / "wiki.corpus"
    ingest(Stream(wiki()), path)
    return path


@pytest.fixture(scope="module")
def chess_run(chess: Path) -> Run:
    return discover(Corpus.open(chess), "Chess")


NAMES = ["a", "b", "c", "d", "é"]


@given(
    st.dictionaries(st.sampled_from(NAMES), st.sets(st.sampled_from(NAMES)), min_size=1),
    st.lists(st.lists(st.sampled_from([*NAMES, "label only"]), max_size=3), min_size=1, max_size=5),
    st.sampled_from([*NAMES, "label only"]),
    st.none() | st.integers(1, 3),
)
@settings(deadline=None)
def test_statuses_equal_the_slow_computation(
    graph: dict[str, set[str]], labels: list[list[str]], category: str, depth: int | None
) -> None:
    listed: list[Entry] = [CategoryPage(name, sorted(parents)) for name, parents in graph.items()]
    listed += [Document(str(number), "", "text", of) for number, of in enumerate(labels)]
    corpus = corpus_of(Corpus, Stream(listed), None)
    expected = []
    for of in labels:
        ways = [
            way
            for label in of
            if {label, category} <= set(reference.names(graph))
            and (way := reference.path(graph, category, label, depth)) is not None
        ]
        if category in of:
            expected.append(Status("member"))
        elif ways:
            nearest = min(ways, key=lambda way: (len(way), [name.encode() for name in way]))
            expected.append(Status("subcategory", " › ".join(nearest)))
        else:
            expected.append(Status("new"))
    assert Statuses(corpus, category, depth).of(range(len(labels))) == expected


def test_every_candidate_is_marked(chess_run: Run) -> None:
    for ranking in (chess_run.ranking, chess_run.baseline):
        rows = ranking.rows()
        assert {row["id"]: (row["status"], row["path"]) for row in rows} == EXPECTED
    counts = {"subcategory": 3, "new": 13}
    assert chess_run.about.subcategories == Subcategories(None, 3, {"ranking": counts, "baseline": counts})


def test_the_depth_changes_what_is_new_and_no_rank(chess: Path, chess_run: Run) -> None:
    run = discover(Corpus.open(chess), "Chess", subcategory_depth=1, top=5)
    assert run.ranking.ids == chess_run.ranking.ids[:5]
    marked = {row["id"]: row["status"] for row in run.ranking.rows()}
    assert marked.items() <= {**{id: status for id, (status, _) in EXPECTED.items()}, "o0": "new"}.items()
    about = run.about.subcategories
    assert about is not None
    assert (about.depth, about.categories) == (1, 2)
    for name, ranking in (("ranking", run.ranking), ("baseline", run.baseline)):
        statuses = ranking.table["status"].to_pylist()
        assert about.candidates[name] == {status: statuses.count(status) for status in ("subcategory", "new")}


def test_a_category_that_the_graph_does_not_know() -> None:
    listed = [Document(str(i), "", f"goal {i % 3}", ["Sport"] if i % 2 else ["Chess"]) for i in range(9)]
    run = discover(corpus_of(Corpus, Stream([*listed, CategoryPage("Chess", ["Games"])]), None), "Sport")
    assert set(run.ranking.table["status"].to_pylist()) == {"new"}
    assert run.about.subcategories is not None
    assert run.about.subcategories.categories == 0


def test_without_a_category_or_a_graph_nothing_is_said(chess: Path, corpus: Corpus) -> None:
    members = ["c0", "c1", "c2"]
    for run in (discover(Corpus.open(chess), members=members), discover(corpus, "Chess")):
        assert run.ranking.table["status"].null_count == run.ranking.table["path"].null_count == len(run.ranking)
        assert run.about.subcategories is None
    with pytest.raises(InputError, match="a list of members has no subcategories"):
        discover(Corpus.open(chess), members=members, subcategory_depth=2)
    with pytest.raises(InputError, match="this corpus has no category graph"):
        discover(corpus, "Chess", subcategory_depth=2)
    with pytest.raises(InputError, match="must be at least 1"):
        discover(Corpus.open(chess), "Chess", subcategory_depth=0)
    with pytest.raises(UnknownName, match="no category 'Ches'"):
        discover(Corpus.open(chess), "Ches")


def test_a_category_of_subcategories_only_has_no_members_to_learn_from(chess: Path, refused: Refused) -> None:
    assert "no members: give words or a description to start from" in refused("discover", chess, "Games")


def test_the_files_hold_it(chess: Path, chess_run: Run, cli: Cli, tmp_path: Path) -> None:
    chess_run.save(tmp_path / "a.run")
    for name in ("ranking", "baseline"):
        stored = pq.read_table(tmp_path / "a.run" / f"{name}.parquet").to_pylist()
        assert {row["id"]: (row["status"], row["path"]) for row in stored} == EXPECTED
    loaded = Run.load(tmp_path / "a.run")
    assert loaded.about == chess_run.about
    corpus = Corpus.open(chess)
    assert loaded.status(corpus, "o0") == Status(*EXPECTED["o0"])
    assert loaded.status(corpus, "added") == Status("member")
    cli("discover", chess, "Chess", "-o", tmp_path / "b.run")
    assert (tmp_path / "b.run" / "ranking.csv").read_bytes() == (tmp_path / "a.run" / "ranking.csv").read_bytes()


# On the terminal


def found(text: str) -> list[str]:
    """The lines of what was found, without where it is kept."""
    lines, kept, _ = text.partition("\n\nKept in ")
    assert kept
    return lines.splitlines()


def test_what_discover_prints(chess: Path, cli: Cli, corpus: Corpus) -> None:
    text = cli("discover", chess, "Chess", *FAST, "--show", 16).stdout
    assert "3 candidates in its 3 subcategories (at any depth), 13 new; for the baseline 3 and 13\n" in text
    header = next(line for line in text.splitlines() if line.split()[:1] == ["rank"])
    place = header.index("subcategory")
    cells = {line[header.index("title") :].split("  ")[0]: line[place:].split("  ")[0] for line in found(text)[-16:]}
    assert cells["Other 0"] == "Chess openings › Gambits"
    assert cells["Other 1"] == "Chess players"
    assert cells["Other 4"] == "(new)"
    text = cli("discover", chess, "Chess", *FAST, "--depth", 1, "--show", 0).stdout
    assert found(text)[-1].startswith("2 candidates in its 2 subcategories (at most 1 step below), 14 new")
    assert "subcategor" not in cli("discover", corpus.path, "Chess", *FAST).stdout


def test_a_category_without_subcategories(chess: Path, cli: Cli) -> None:
    text = cli("discover", chess, "Law", *FAST, "--show", 0).stdout
    assert found(text)[-1] == "No subcategory is known, so all candidates are new."


def test_explain_says_where_a_document_is(chess: Path, cli: Cli, tmp_path: Path) -> None:
    cli("discover", chess, "Chess", *FAST, "--depth", 1, "-o", tmp_path / "a.run")

    def second_line(id: str) -> str:
        return cli("explain", tmp_path / "a.run", id).stdout.splitlines()[1]

    assert second_line("o2") == "In a subcategory: Chess › Chess openings"
    assert second_line("o0") == "New: in neither 'Chess' nor a subcategory of it."
    assert second_line("c0") == "A member of 'Chess'."


def test_a_category(chess: Path, cli: Cli) -> None:
    assert cli("corpus", chess, "--category", "Chess", "--show", 3).stdout == (
        "Chess: 9 members (8 written in the document, 1 added by a template or a table)\n"
        "  Chess �[3m0\n"
        "  Chess �[3m1\n"
        "  Chess �[3m2\n"
        "  … and 6 more; --show N shows more of them\n"
        "\n"
        "In 2 categories:\n"
        "  Board games\n"
        "  Chess openings\n"
        "\n"
        "3 subcategories, at most 2 steps below:\n"
        "  category        members\n"
        "  Chess openings        1\n"
        "    Gambits             3\n"
        "  Chess players         1\n"
    )


def test_the_nearest_subcategories_come_first(chess: Path, cli: Cli) -> None:
    text = cli("corpus", chess, "--category", "Chess", "--show", 2).stdout
    assert text.splitlines()[-4:] == [
        "  category        members",
        "  Chess openings        1",
        "  Chess players         1",
        "  … and 1 more; --show N shows more of them",
    ]
    text = cli("corpus", chess, "--category", "Chess", "--depth", 1).stdout
    assert "2 subcategories, at most 1 step below:" in text
    assert "Gambits" not in text


UNKNOWN = "No page of a category is about it or names it, so nothing is known about subcategories."


@pytest.mark.parametrize(
    ("category", "lines"),
    [
        ("Games", ["Games: 0 members", "In 1 category:", "  Board games        0", "    Chess            9"]),
        ("Gambits", ["Gambits: 3 members (3 written in the document)", "No subcategory."]),
        ("Society", ["Society: 0 members", "In no other category.", "3 subcategories, at most 2 steps below:"]),
        ("Lost", ["Lost: 1 member (1 written in the document)", UNKNOWN]),
    ],
)
def test_categories_of_all_kinds(chess: Path, cli: Cli, category: str, lines: list[str]) -> None:
    shown = cli("corpus", chess, "--category", category).stdout.splitlines()
    assert [line for line in shown if line in lines] == lines


def test_a_category_that_is_not_there(chess: Path, refused: Refused) -> None:
    assert refused("corpus", chess, "--category", "Gambit") == "no category 'Gambit'; did you mean 'Gambits'?"
    assert "'Board games'" in refused("corpus", chess, "--category", "Bord games"), "one without members of its own"
    assert refused("corpus", chess, "--category", "\x1b[1m") == "no category '�[1m'"


def test_a_corpus_without_a_graph(corpus: Corpus, cli: Cli) -> None:
    text = cli("corpus", corpus.path, "--category", "Chess").stdout
    assert text.endswith("\nThis corpus has no category graph, so nothing is known about subcategories.\n")
    assert "  categories " not in cli("corpus", corpus.path).stdout


def test_the_size_of_the_graph(chess: Path, cli: Cli) -> None:
    assert "  categories   9 in the graph, 9 links between them\n" in cli("corpus", chess).stdout
