"""A review as a spreadsheet, and the command."""

from __future__ import annotations

import csv
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from conftest import Cli, Refused
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.errors import BrokenFile, InputError, MissingExtra
from priorwise.review import Choices, Item, Verdict, Verdicts, items_of
from priorwise.review.queue import read_sheet, write_sheet
from priorwise.review.verdicts import said_in
from reviews import judge

HOSTILE = [
    "=HYPERLINK(1)",
    "+1",
    "-1",
    "@x",
    "\tx",
    "'=1",
    "''@",
    "007",
    "plain",
    'comma, "quote"',
    "two\nlines",
    "\x01",
]
KINDS = [".xlsx", ".csv"]


@pytest.fixture
def hostile() -> tuple[Corpus, list[Item]]:
    corpus = Corpus.from_texts([f"{id} text" for id in HOSTILE], ids=HOSTILE, titles=HOSTILE)
    return corpus, [Item(id, id) for id in HOSTILE]


def fill_in(path: Path, word_of: Callable[[str], str | None], heading: str = "verdict") -> None:
    """Fill in a sheet as a person would."""
    if path.suffix == ".xlsx":
        book = openpyxl.load_workbook(path)
        sheet = book.active
        columns = {cell.value: cell.column for cell in sheet[1]}
        for row in range(2, sheet.max_row + 1):
            sheet.cell(row, columns["verdict"]).value = word_of(str(sheet.cell(row, columns["id"]).value))
        sheet.cell(1, columns["verdict"]).value = heading
        book.save(path)
        return
    with path.open(encoding="utf-8-sig", newline="") as file:
        first, *rows = csv.reader(file)
    for row in rows:
        row[first.index("verdict")] = word_of(row[first.index("id")]) or ""
    first[first.index("verdict")] = heading
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=";").writerows([first, *rows])


@pytest.mark.parametrize("kind", KINDS)
def test_there_and_back(kind: str, hostile: tuple[Corpus, list[Item]], verdicts: Verdicts, tmp_path: Path) -> None:
    corpus, items = hostile
    path = tmp_path / f"sheet{kind}"
    verdicts.add(Verdict("1", "Ada", "plain", "no"))
    write_sheet(path, items, corpus, verdicts.current("Ada"))
    words = iter(["yes", "no", "unsure", "skip", "Y", "n", "?", " YES ", "s", None, "u", "yes"])
    fill_in(path, lambda id: next(words))
    assert read_sheet(path, "Ada", items, verdicts) == 11
    found = {v.item: v.verdict for v in verdicts.current("Ada")}
    expected = ["yes", "no", "unsure", "skip", "yes", "no", "unsure", "yes", "skip", None, "unsure", "yes"]
    assert found == {id: word for id, word in zip(HOSTILE, expected, strict=True) if word}
    assert {v.item: v.previous for v in verdicts.current("Ada")}["plain"] == "1"
    assert read_sheet(path, "Ada", items, verdicts) == 0, "reading it again changes nothing"
    assert read_sheet(path, "Bob", items, verdicts) == 11


def test_no_cell_is_a_formula(hostile: tuple[Corpus, list[Item]], tmp_path: Path) -> None:
    corpus, items = hostile
    write_sheet(tmp_path / "a.xlsx", items, corpus)
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "n", "inlineStr"}
    assert "=HYPERLINK(1)" in {cell.value for cell in sheet["B"]}
    assert all(cell.quotePrefix for cell in sheet["B"] if str(cell.value)[:1] in "=+-@")
    with zipfile.ZipFile(tmp_path / "a.xlsx") as packed:
        assert b"<f>" not in packed.read("xl/worksheets/sheet1.xml")
    write_sheet(tmp_path / "a.csv", items, corpus)
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as file:
        assert not any(cell[:1] in ("=", "+", "-", "@", "\t", "\r") for row in csv.reader(file) for cell in row if cell)


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_row_is_named_and_nothing_is_stored(
    kind: str, hostile: tuple[Corpus, list[Item]], verdicts: Verdicts, tmp_path: Path
) -> None:
    corpus, items = hostile
    path = tmp_path / f"sheet{kind}"
    write_sheet(path, items, corpus)
    fill_in(path, lambda id: "perhaps" if id == "007" else "yes")
    with pytest.raises(BrokenFile, match=r"line 9: 'perhaps' is not a verdict; write yes, no, unsure or skip"):
        read_sheet(path, "Ada", items, verdicts)
    write_sheet(path, items, corpus)
    fill_in(path, lambda id: "yes")
    with pytest.raises(BrokenFile, match=r"line 13: the document .* is not in this review"):
        read_sheet(path, "Ada", items[:-1], verdicts)
    write_sheet(path, items, corpus)
    fill_in(path, lambda id: "yes", heading="judgement")
    with pytest.raises(BrokenFile, match="one column 'verdict'"):
        read_sheet(path, "Ada", items, verdicts)
    assert verdicts.log() == []


def test_two_verdicts_for_one_document(hostile: tuple[Corpus, list[Item]], verdicts: Verdicts, tmp_path: Path) -> None:
    _, items = hostile
    path = tmp_path / "sheet.csv"
    path.write_text("id,verdict\nplain,yes\n\nplain,yes\n", encoding="utf-8")
    assert read_sheet(path, "Ada", items, verdicts) == 1
    path.write_text("id,verdict\nplain,yes\nplain,no\n", encoding="utf-8")
    with pytest.raises(BrokenFile, match="line 3: the document has another verdict in row 2"):
        read_sheet(path, "Ada", items, verdicts)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", b"", "one column 'id'"),
        ("a.csv", b"id,verdict\n\xff,yes\n", "'ÿ' is not in this review"),
        ("a.xlsx", b"PK nonsense", "not a spreadsheet that can be read"),
        ("a.xlsx", b"", "there is no row"),
        ("a.txt", b"id,verdict\n", "its name does not say what it holds"),
        ("missing.csv", None, "no such file"),
    ],
)
def test_broken_sheets(name: str, content: bytes | None, words: str, verdicts: Verdicts, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(BrokenFile, match=words):
        read_sheet(tmp_path / name, "Ada", [], verdicts)


def test_a_packed_bomb_is_not_opened(verdicts: Verdicts, tmp_path: Path) -> None:
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/worksheets/sheet1.xml", b"\0" * (101 << 20))
    with pytest.raises(BrokenFile, match="too large"):
        read_sheet(path, "Ada", [], verdicts)


def test_other_kinds_of_files(hostile: tuple[Corpus, list[Item]], tmp_path: Path) -> None:
    corpus, items = hostile
    with pytest.raises(InputError, match=r"\.xlsx or a \.csv"):
        write_sheet(tmp_path / "a.ods", items, corpus)


def test_without_openpyxl(monkeypatch: pytest.MonkeyPatch, hostile: tuple[Corpus, list[Item]], tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(MissingExtra, match=r"priorwise\[web\]"):
        write_sheet(tmp_path / "a.xlsx", hostile[1], hostile[0])


# The command


def test_export_import_results(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(run_path, tmp_path / "chess.run"))
    sheet = tmp_path / "chess.xlsx"
    written = cli("review", folder, "--blind", "--export", sheet, "--top", 5)
    n = len(items_of(Run.load(folder), Choices(top=5)))
    assert f"{n} documents written" in written.stdout
    fill_in(sheet, lambda id: "yes")
    for name in ("Ada", "Bob"):
        read = cli("review", folder, "--blind", "--import", sheet, "--top", 5, "--reviewer", name)
        assert f"{n} verdicts read" in read.stdout
    shown = cli("review", folder, "--results")
    assert "precision@250" in shown.stdout
    assert f"Ada: {n} yes, 0 no" in shown.stdout
    assert f"Ada and Bob: 100.0% of {n} the same, Cohen's κ is not defined" in shown.stdout


def test_refusals(refused: Refused, cli: Cli, run_path: Path, tmp_path: Path) -> None:
    assert "no such run" in refused("review", "results", tmp_path / "nowhere.run")
    (tmp_path / "x.csv").write_text("mine")
    assert "is there already" in refused("review", "export", run_path, tmp_path / "x.csv")
    result = cli("review", "import", run_path, tmp_path / "x.csv")
    assert result.exit_code == 2
    assert "Missing option '--reviewer'" in result.stderr


def test_a_run_with_verdicts_is_not_overwritten(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "a.run"
    run.save(folder)
    run.save(folder, overwrite=True)
    judge(folder, {run.ranking.ids[0]: "yes"})
    with pytest.raises(InputError, match="verdicts"):
        run.save(folder, overwrite=True)
    assert (folder / "verdicts.sqlite").is_file()


def test_a_run_in_a_corpus_without_texts(tmp_path: Path) -> None:
    texts = ["goal team win", "team match goal", "win match", "match goal", "law vote", "vote court", "tax law"] * 3
    matrix = Corpus.from_texts(texts)
    corpus = Corpus.from_matrix(
        matrix.matrix(), matrix.token_names(range(matrix.n_vocabulary)), labels=["sport", "sport", *[None] * 5] * 3
    )
    run = discover(corpus, "sport")
    write_sheet(tmp_path / "a.csv", items_of(run), corpus)
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as file:
        assert {row[3] for row in list(csv.reader(file))[1:]} == {""}


@pytest.mark.parametrize(("mode", "chosen"), [("--blind", "blind"), ("--active", "teach"), ("--ask=best", "rank")])
def test_a_sheet_says_how_its_documents_were_chosen(
    mode: str, chosen: str, cli: Cli, auto_path: Path, tmp_path: Path
) -> None:
    """However it is imported, only a blind sheet counts as blind."""
    folder, sheet = Path(shutil.copytree(auto_path, tmp_path / "a.run")), tmp_path / "a.csv"
    assert cli("review", "export", folder, sheet, mode, "--limit", 3).exit_code == 0
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "verdict": "yes"} for row in rows)
    for other in (["--blind"], ["--active"], []):
        result = cli("review", "import", folder, sheet, *other, "--limit", 3, "--reviewer", f"Ada {other}")
        assert f"{len(rows)} verdicts read" in result.stdout, result.output
    assert {each.chosen for each in said_in(folder)} == {chosen}
    with sheet.open("a", encoding="utf-8", newline="") as file:
        csv.writer(file).writerow([rows[0]["id"], "", "", "", "yes", "by hand"])
    assert "leave that column as it was" in cli("review", "import", folder, sheet, "--reviewer", "Bob").output


def test_a_sheet_that_does_not_say_it_is_not_blind(cli: Cli, auto_path: Path, auto_run: Run, tmp_path: Path) -> None:
    folder, sheet = Path(shutil.copytree(auto_path, tmp_path / "a.run")), tmp_path / "a.csv"
    sheet.write_text(f"id,verdict\n{auto_run.ranking.ids[0]},yes\n", encoding="utf-8")
    assert "1 verdict read" in cli("review", folder, "--import", sheet, "--reviewer", "Ada").stdout
    assert [each.chosen for each in said_in(folder)] == ["rank"]
