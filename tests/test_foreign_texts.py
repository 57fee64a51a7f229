"""Windows line ends in everything that people write, and terminals that know few letters."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import FAST, Cli, Refused
from priorwise.corpus import Corpus
from priorwise.discovery import Run
from priorwise.priors.bxr_files import read_bxr_priors
from priorwise.priors.keywords import read_knowledge
from priorwise.readers.fields import Columns
from priorwise.readers.folder import read_texts
from priorwise.readers.records import RecordReader
from priorwise.review.queue import Item, read_sheet
from priorwise.review.verdicts import Verdicts
from processes import Shell

BOM = b"\xef\xbb\xbf"


def windows(text: str) -> bytes:
    """As a Windows editor saves it: with a mark before it, and two characters at each line's end."""
    return BOM + text.replace("\n", "\r\n").encode()


def both_ways(folder: Path, name: str, text: str, read: Callable[[Path], Any]) -> list[Any]:
    found = []
    for place, content in (("unix", text.encode()), ("windows", windows(text))):
        (folder / place).mkdir(exist_ok=True)
        path = folder / place / name
        path.write_bytes(content)
        found.append(read(path))
    return found


def plain(documents: Any) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(each.id.rpartition("/")[2], each.text, tuple(each.labels)) for each in documents]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.jsonl", '{"id": "1", "text": "tea", "labels": ["x"]}\n{"id": "2", "text": "é"}\n'),
        ("a.csv", 'id,text,labels\n1,"tea, hot",x\n2,é,\n'),
        ("a.tsv", "id\ttext\tlabels\n1\ttea\tx\n2\té\t\n"),
    ],
)
def test_records(name: str, text: str, tmp_path: Path) -> None:
    unix, windows = both_ways(tmp_path, name, text, lambda path: plain(RecordReader([path])))
    assert unix == windows
    assert len(unix) == 2


def test_texts_by_the_line(tmp_path: Path) -> None:
    read = lambda path: plain(read_texts([path], Columns(), lines=True))  # noqa: E731
    unix, windows = both_ways(tmp_path, "a.txt", "one\n\ntwo é\nthree", read)
    assert unix == windows == [("a.txt:1", "one", ()), ("a.txt:3", "two é", ()), ("a.txt:4", "three", ())]


@pytest.mark.parametrize("text", ["+oil:2 -olive\nwheat, corn # grain\n", "Oil is a liquid.\nIt burns.\n"])
def test_knowledge(text: str, tmp_path: Path) -> None:
    unix, windows = both_ways(tmp_path, "x.txt", text, lambda path: read_knowledge([str(path)], ["x"]).of_labels["x"])
    if isinstance(windows, str):
        windows = windows.replace("\r\n", "\n")
    assert unix == windows


def test_priors_of_bbr(tmp_path: Path) -> None:
    text = "# those of an expert\noil 0.5 2\n\nclass x tea -1 inf\n"
    read = lambda path: read_bxr_priors(path, ["oil", "tea"], classes=["x", "y"])  # noqa: E731
    unix, windows = both_ways(tmp_path, "priors.txt", text, read)
    assert repr(unix) == repr(windows)


def test_a_sheet(tmp_path: Path) -> None:
    def read(path: Path) -> list[tuple[str, str]]:
        verdicts = Verdicts(path.with_suffix(".sqlite"))
        assert read_sheet(path, "Ada", [Item("d1", "é"), Item("d2", "2")], verdicts) == 2
        said = [(each.item, each.verdict) for each in verdicts.current()]
        verdicts.close()
        return said

    unix, windows = both_ways(tmp_path, "x.csv", "id;verdict\nd1;yes\nd2;n\n", read)
    assert unix == windows == [("d1", "yes"), ("d2", "no")]


def test_members_and_descriptions(cli: Cli, corpus: Corpus, tmp_path: Path) -> None:
    members = corpus.ids(corpus.members("Chess"))

    def rank(path: Path) -> Any:
        out = path.with_suffix(".run")
        result = cli("discover", corpus.path, "--members", path, *FAST, "-o", out)
        assert result.exit_code == 0, result.output
        return Run.load(out).ranking.table

    unix, windows = both_ways(tmp_path, "members.txt", "\n".join(members) + "\n", rank)
    assert unix.equals(windows)


def test_labels_from_a_file(cli: Cli, corpus: Corpus, tmp_path: Path) -> None:
    def rank(path: Path) -> str:
        out = path.with_suffix(".csv")
        result = cli("discover", corpus.path, "--labels-from", path, "-o", out)
        assert result.exit_code == 0, result.output
        return out.read_text("utf-8")

    unix, windows = both_ways(tmp_path, "labels.txt", "Chess\nGeology\n", rank)
    assert unix == windows


# Terminals and pipes that know few letters

PLACES = {
    # Click takes a terminal that knows nothing but ASCII for one that was set up wrongly, and writes UTF-8.
    "ascii": ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, "utf-8"),
    "latin-1": ({"LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "latin-1"}, "latin-1"),
}


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with records in five scripts."""
    folder = tmp_path_factory.mktemp("foreign")
    records = [
        {
            "id": f"d{n}",
            "title": f"Καφές {n} – “ö” 茶",
            "text": f"чай milk w{n % 5}",
            "labels": ["Löss" if n % 2 else "Les"],
        }
        for n in range(40)
    ]
    text = "\n".join(json.dumps(record, ensure_ascii=False) for record in records)
    (folder / "a.jsonl").write_text(text, "utf-8")
    return folder


@pytest.mark.parametrize("place", sorted(PLACES))
def test_every_locale_gives_the_same_files(
    place: str, foreign: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    """Files are UTF-8 whatever the terminal knows; what it cannot show is spelled or replaced, never an error."""
    variables, encoding = PLACES[place]
    corpus, out, page = tmp_path / "x.corpus", tmp_path / "x.run", tmp_path / "x.html"
    steps: list[list[object]] = [
        ["ingest", "records", foreign / "a.jsonl", "-o", corpus],
        ["discover", corpus, "Les", *FAST, "-o", out],
        ["report", out, "-o", page],
    ]
    for step in steps:
        done = subprocess.run(
            [sys.executable, "-m", "priorwise", *map(str, step)],
            env={**environment, **variables},
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        done.stdout.decode(encoding)
    titles = [row["title"] for row in Run.load(out).ranking.rows()]
    assert titles[0].startswith("Καφές ")
    with (out / "ranking.csv").open(encoding="utf-8", newline="") as file:
        assert [row["title"] for row in csv.DictReader(file)] == titles
    assert "Καφές" in page.read_text("utf-8")


def test_letters_that_the_locale_does_not_have(shell: Shell, corpus: Corpus) -> None:
    said = shell("-m", "priorwise", "discover", corpus.path, "Löss", **PLACES["ascii"][0])
    assert said.returncode == 2
    assert said.stderr == (
        "Error: this locale has only ASCII letters, and you typed others; "
        "set LC_ALL=C.UTF-8, or do not set PYTHONUTF8=0\n"
    )


def test_the_name_of_a_file_that_is_not_utf_8(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "tea"}\n', "utf-8")
    said = refused("ingest", "records", tmp_path / "a.jsonl", "-o", tmp_path / "caf\udce9.corpus")
    assert said.endswith("is not valid UTF-8; rename the file or the folder")
    assert [each.name for each in tmp_path.iterdir()] == ["a.jsonl"]
