"""`discover --into` and `report --into`: the file that a corpus was made from, with the results in it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from conftest import Cli, Refused
from priorwise.corpus import Corpus
from priorwise.corpus.storage.read_from import ReadFrom, check_read_from
from priorwise.discovery import Run
from priorwise.readers.fields import Columns
from priorwise.readers.opening import Opening
from reviews import judge

TEA, HAY = "Tee Blätter Kanne heiß", "Kuh Heu Stall kalt"
OPTIONS = ["--text", "Beschreibung", "--id", "Signatur", "--title", "Titel", "--labels", "Schlagwörter"]


@pytest.fixture
def catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> Path:
    """A catalogue in Windows-1252 with semicolons, every fourth book without its label, and its corpus."""
    monkeypatch.chdir(tmp_path)
    rows = [["Signatur", "Titel", "Beschreibung", "Schlagwörter", "Jahr"]]
    for n in range(60):
        labels = "Vieh; Hof" if n % 2 else "Getränk" if n % 8 == 0 else "Getränk; Tee"
        rows.append([f"{n:05d}", f"Buch {n}", HAY if n % 2 else TEA, labels, str(1900 + n)])
    with Path("katalog.csv").open("w", encoding="cp1252", newline="") as file:
        csv.writer(file, delimiter=";").writerows(rows)
    cli("ingest", "records", "katalog.csv", *OPTIONS, "-o", "katalog.corpus")
    return tmp_path / "katalog.csv"


def labelled(path: Path) -> set[str]:
    with path.open(encoding="cp1252", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    assert len(rows) == 60
    return {row["Signatur"] for row in rows if "Tee" in row["Schlagwörter"].split("; ")}


def test_discover_into_the_file_and_again_after_review(catalogue: Path, cli: Cli, refused: Refused) -> None:
    before = labelled(catalogue)
    said = cli("discover", "katalog.corpus", "Tee", "--into", "neu.csv", "--at-least", "0.5", "-o", "tee.run").stdout
    missing = {f"{n:05d}" for n in range(0, 60, 8)}
    assert labelled(Path("neu.csv")) == before | missing
    assert f"neu.csv: 60 rows; the label 'Tee' added to {len(missing)}" in said
    # Apart from the labels and the new columns all is as it was.
    old, new = (Path(name).read_bytes().splitlines() for name in ("katalog.csv", "neu.csv"))
    assert all(after.startswith(line[:20]) for line, after in zip(old, new, strict=True))
    judge(Path("tee.run"), {"00000": "yes", "00001": "no"})
    cli("report", "tee.run", "--into", "danach.csv")
    assert labelled(Path("danach.csv")) == before | {"00000"}
    assert "katalog.csv is there already" in refused("report", "tee.run", "--into", "katalog.csv")
    cli("report", "tee.run", "--into", "danach.xlsx")
    assert Path("danach.xlsx").is_file()


def test_the_file_is_found_or_asked_for(catalogue: Path, cli: Cli, refused: Refused, tmp_path: Path) -> None:
    cli("discover", "katalog.corpus", "Tee", "-o", "tee.run")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    catalogue.rename(elsewhere / "old.csv")
    said = refused("discover", "katalog.corpus", "Tee", "--into", "neu.csv")
    assert "katalog.csv, which this corpus was made from, is not next to it and not here; say where (--source)" in said
    # The page and the file appear together: a page alone would be in the way of the same command.
    refused("report", "tee.run", "-o", "page.html", "--into", "neu.csv")
    assert not Path("page.html").exists()
    assert "One file is to hold two things" in refused("report", "tee.run", "-o", "neu.csv", "--into", "neu.csv")
    cli("report", "tee.run", "-o", "page.html", "--into", "neu.csv", "--source", elsewhere / "old.csv")
    assert all(Path(name).is_file() for name in ("neu.csv", "page.html"))


def test_a_corpus_knows_how_it_was_read(catalogue: Path) -> None:
    corpus = Corpus.open("katalog.corpus")
    columns = Columns(("Beschreibung",), "Signatur", "Titel", "Schlagwörter")
    assert corpus.read_from == ReadFrom({"katalog.csv": catalogue.stat().st_size}, columns, Opening())
    assert str(catalogue.parent) not in Path("katalog.corpus/manifest.json").read_text("utf-8")
    assert Corpus.from_texts(["a"]).read_from is None


@pytest.mark.parametrize(
    "recorded",
    [
        [],
        {},
        {"files": {"../x.csv": 1}, "columns": {}, "opening": {}},
        {"files": {"x.csv": "1"}, "columns": {}, "opening": {}},
        {"files": {"x.csv": 1}, "columns": {"colour": "red"}, "opening": {}},
        {"files": {"x.csv": 1}, "columns": {"id": 7}, "opening": {}},
        {"files": {"x.db": 1}, "columns": {}, "opening": {"query": "SELECT 1"}},
        {"files": {"x.csv": 1}, "columns": {}, "opening": {"encoding": ["a"]}},
    ],
)
def test_what_a_stranger_says_about_it_is_checked(recorded: object) -> None:
    with pytest.raises(ValueError, match="what it was made from"):
        check_read_from(recorded)


def test_rows_without_ids_are_told_by_their_number_only_in_the_whole_unchanged_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli, refused: Refused
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [f"{TEA if n % 2 else HAY} {n},{'Tee' if n % 4 == 1 else 'Hof'}\n" for n in range(40)]
    for name, part in (("all.csv", lines), ("a.csv", lines[:20]), ("b.csv", lines[20:])):
        Path(name).write_text("text,labels\n" + "".join(part), "utf-8")
    cli("ingest", "records", "all.csv", "-o", "all.corpus")
    cli("ingest", "records", "a.csv", "b.csv", "-o", "both.corpus")
    into = ("--into", "new.csv", "--at-least", "0.02")
    cli("discover", "all.corpus", "Tee", *into)
    Path("new.csv").unlink()
    cli("discover", "both.corpus", "Tee", *into, "--source", "b.csv")
    with_both = Path("new.csv").read_text("utf-8").splitlines()
    assert len(with_both) == 21
    Path("new.csv").unlink()
    Path("a.csv").unlink()
    assert "this row has no id" in refused("discover", "both.corpus", "Tee", *into, "--source", "b.csv")
    Path("all.csv").write_text("text,labels\n" + "".join(lines[1:]), "utf-8")
    assert "this row has no id, and the file has changed" in refused("discover", "all.corpus", "Tee", *into)
    assert not Path("new.csv").exists()


def test_files_with_the_same_ids_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli, refused: Refused
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{n % 20},{TEA if n % 2 else HAY} {n},{'Tee' if n % 4 == 1 else ''}\n" for n in range(40)]
    for name, part in (("a.csv", rows[:20]), ("b.csv", rows[20:])):
        Path(name).write_text("id,text,labels\n" + "".join(part), "utf-8")
    cli("ingest", "records", "a.csv", "b.csv", "-o", "both.corpus")
    cli("discover", "both.corpus", "Tee", "--into", "new.csv", "--source", "b.csv", "-o", "tee.run")
    ranks = {row["id"]: row["rank"] for row in Run.load("tee.run").ranking.rows()}
    with Path("new.csv").open(encoding="utf-8") as file:
        written = {row["id"]: row["Tee: rank"] for row in csv.DictReader(file)}
    assert written == {str(n): str(ranks.get(f"{n}#2", "")) for n in range(20)}
    Path("a.csv").unlink()
    said = refused("discover", "both.corpus", "Tee", "--into", "other.csv", "--source", "b.csv")
    assert "several rows had the id '0'" in said


def test_rows_of_a_file_that_the_corpus_was_not_made_of_are_matched_by_their_ids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"r{n},{TEA if n % 2 else HAY} {n},{'Tee' if n % 4 == 1 else ''}\n" for n in range(40)]
    for name, part in (("a.csv", rows[:20]), ("b.csv", rows[20:]), ("c.csv", rows[13:26])):
        Path(name).write_text("id,text,labels\n" + "".join(part), "utf-8")
    cli("ingest", "records", "a.csv", "b.csv", "-o", "both.corpus")
    cli("discover", "both.corpus", "Tee", "--into", "new.csv", "--source", "c.csv", "-o", "tee.run")
    ranks = {row["id"]: row["rank"] for row in Run.load("tee.run").ranking.rows()}
    with Path("new.csv").open(encoding="utf-8") as file:
        written = {row["id"]: row["Tee: rank"] for row in csv.DictReader(file)}
    assert written == {f"r{n}": str(ranks.get(f"r{n}", "")) for n in range(13, 26)}


def test_bibliographies_that_were_joined_get_results_whichever_file_named_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    monkeypatch.chdir(tmp_path)
    tagged, pubmed, other = "", "", ""
    for n in range(24):
        text, keyword = (TEA, "Tee") if n % 2 else (HAY, "Hof")
        known = f"KW  - {keyword}\n" if n % 4 < 2 else ""
        tagged += f"TY  - JOUR\nTI  - A first study number {n}\nDO  - 10.1000/x{n}\nAB  - {text}\n{known}ER  - \n"
        # The same publication under a longer title, and a third file that has nothing but that title.
        title = f"A first study number {n}: the whole of it"
        pubmed += f"PMID- {n + 100}\nTI  - {title}\nFAU - Abel, A\nDP  - 2001\nLID - 10.1000/x{n} [doi]\n\n"
        other += f"TY  - JOUR\nTI  - {title}\nAU  - Abel, A\nPY  - 2001\nER  - \n"
    for name, text in (("zotero.ris", tagged), ("pubmed.nbib", pubmed), ("embase.ris", other)):
        Path(name).write_text(text, "utf-8")
    said = cli("ingest", "records", "zotero.ris", "pubmed.nbib", "embase.ris", "-o", "all.corpus").stdout
    assert "24 documents" in said
    for name in ("zotero.ris", "pubmed.nbib", "embase.ris"):
        new = f"new-{name}"
        assert "without a result" not in cli("discover", "all.corpus", "Tee", "--into", new, "--source", name).stdout
        written = Path(new).read_text("utf-8")
        assert written.count("priorwise: Tee: rank") == 18
        assert written.count("priorwise: Tee: member") == 6


@pytest.mark.parametrize(("yes", "no"), [("1", "0"), ("Yes", "No"), ("x", "")])
def test_a_column_of_verdicts_is_one_category(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli, yes: str, no: str
) -> None:
    """A screening file has a column `included`: its rows with yes are the members, and new ones are written as yes."""
    monkeypatch.chdir(tmp_path)
    known = {str(n) for n in range(0, 60, 2) if n % 8}
    rows = [["id", "abstract", "included"]]
    rows += [[str(n), HAY if n % 2 else TEA, yes if str(n) in known else no] for n in range(60)]
    with Path("screening.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    said = cli("ingest", "records", "screening.csv", "-o", "screening.corpus")
    assert "read as yes or no: the category is 'included'" in said.stdout + said.stderr
    corpus = Corpus.open("screening.corpus")
    assert corpus.n_labels == 1
    assert set(corpus.ids(corpus.members("included"))) == known
    cli("discover", "screening.corpus", "included", "--into", "new.csv", "--at-least", "0.5")
    with Path("new.csv").open(encoding="utf-8", newline="") as file:
        new = {row["id"]: row["included"] for row in csv.DictReader(file)}
    assert {id for id, cell in new.items() if cell not in ("", "0", "No")} == {str(n) for n in range(0, 60, 2)}
    assert set(new.values()) <= {yes, no, "1"}
