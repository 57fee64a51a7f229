"""Whatever became of a file that priorwise wrote, or a person for it, it is used or refused in a sentence."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzing import AWKWARD, hostile, little_memory, or_refused, read_or_refused, tried
from priorwise.corpus import Corpus
from priorwise.discovery import Run
from priorwise.models.linear_model import LinearModel
from priorwise.priors.bxr_files import read_bxr_priors
from priorwise.priors.keywords import read_knowledge
from priorwise.review.queue import Item, read_sheet
from priorwise.review.verdicts import Verdict, Verdicts, said_in
from test_models_linear_model import small_model


def attack(folder: Path, use: Callable[[Path], Any]) -> None:
    """Change one file after the other of a folder, and use the folder each time."""
    whole = {file.relative_to(folder): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}

    @tried()
    @given(st.sampled_from(list(whole)).flatmap(lambda name: st.tuples(st.just(name), hostile(whole[name]))))
    def attempt(change: tuple[Path, bytes]) -> None:
        name, content = change
        (folder / name).write_bytes(content)
        with or_refused():
            use(folder)
        (folder / name).write_bytes(whole[name])

    use(folder)
    with little_memory():
        attempt()


def test_a_model(tmp_path: Path) -> None:
    small_model().save(tmp_path / "x.model")
    attack(tmp_path / "x.model", LinearModel.load)


def test_a_run(run_path: Path, tmp_path: Path) -> None:
    attack(shutil.copytree(run_path, tmp_path / "x.run"), Run.load)


def test_a_run_by_two_stages(auto_path: Path, tmp_path: Path) -> None:
    attack(shutil.copytree(auto_path, tmp_path / "x.run"), Run.load)


def test_a_corpus(tmp_path: Path) -> None:
    Corpus.from_texts(["a b", "b c", "c d"], labels=["x", "y", ["x", "z"]], path=tmp_path / "x.corpus")
    attack(tmp_path / "x.corpus", lambda folder: Corpus.open(folder).verify())


def test_verdicts(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    written = Verdicts(tmp_path / "run" / "verdicts.sqlite")
    written.add_all([Verdict(f"v{n}", "Ada", f"doc{n}", "yes") for n in range(40)])
    written.close()

    def use(folder: Path) -> None:
        said_in(folder)
        verdicts = Verdicts(folder / "verdicts.sqlite")
        try:
            verdicts.current()
            verdicts.add(Verdict("new", "Ada", "doc1", "no"))
        finally:
            verdicts.close()
            for log in folder.glob("verdicts.sqlite-*"):
                log.unlink()

    attack(tmp_path / "run", use)


ITEMS = [Item(f"doc{n}", f"Title {n}") for n in range(3)]
TEXTS: dict[str, tuple[bytes, Callable[[Path], Any]]] = {
    "words.txt": (b"+oil:2 -olive # a remark\nwheat, corn\n", lambda path: [read_knowledge([str(path)], ["x"])]),
    "about.txt": (b"Oil is a liquid. It burns.\n", lambda path: [read_knowledge([str(path)], ["x"])]),
    "bxr.txt": (
        b"# priors\nclass x oil 1 2 ABS\noil 0.5 inf\n@constant 0 1\n",
        lambda path: [read_bxr_priors(path, ["oil", "tea"], classes=["x", "y"])],
    ),
}


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_a_text_for_a_prior(name: str) -> None:
    content, read = TEXTS[name]

    @tried()
    @given(hostile(content, [*AWKWARD, b"+", b"-", b":", b"#", b"inf", b"nan", b"ABS", b"class "]))
    def attempt(changed: bytes) -> None:
        read_or_refused(read, name, changed)

    assert read_or_refused(read, name, content)
    attempt()


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
def test_a_sheet(suffix: str, tmp_path: Path) -> None:
    verdicts = Verdicts(tmp_path / "verdicts.sqlite")
    content = b"id,title,verdict\r\ndoc0,One,yes\r\ndoc1,Two,\r\ndoc2,Three,n\r\n"
    if suffix == ".xlsx":
        book = openpyxl.Workbook()
        for row in (["id", "title", "verdict"], ["doc0", "One", "yes"], ["doc1", "Two", None]):
            book.active.append(row)
        book.save(tmp_path / "x.xlsx")
        content = (tmp_path / "x.xlsx").read_bytes()

    @tried()
    @given(hostile(content))
    def attempt(changed: bytes) -> None:
        read_or_refused(lambda path: [read_sheet(path, "Ada", ITEMS, verdicts)], f"sheet{suffix}", changed)

    try:
        with little_memory():
            attempt()
    finally:
        verdicts.close()
