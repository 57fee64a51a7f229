"""The recipes of CONTRIBUTING are true: their files are those in this folder, and each is added and used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import priorwise as pw
from asking import ask
from made_up_page import largest_page
from made_up_reader import TabReader
from priorwise.corpus import Corpus
from priorwise.errors import BrokenFile
from priorwise.web import pages
from priorwise.web.app import make_app
from priorwise.web.workspace import Workspace

HERE = Path(__file__).parent
RECIPES = dict(
    re.findall(r"```python\n# tests/(\w+\.py)\n(.*?)```", (HERE.parent / "CONTRIBUTING.md").read_text("utf-8"), re.S)
)


@pytest.mark.parametrize("name", ["made_up_prior", "made_up_model", "made_up_target", "made_up_reader", "made_up_page"])
def test_a_recipe_is_the_file_that_is_tested(name: str) -> None:
    assert RECIPES[f"{name}.py"] == (HERE / f"{name}.py").read_text("utf-8")


# The prior, the model and the target are added and used in test_extending.py.


def test_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text("grain\twheat rose\nno tab here\noil\tcrude fell\n", encoding="utf-8")
    summary = pw.ingest(TabReader(path), tmp_path / "x.corpus")
    corpus = Corpus.open(tmp_path / "x.corpus")
    assert corpus.n_documents == 2
    assert [corpus.text(row) for row in corpus.members("oil")] == ["crude fell"]
    assert summary.remarks == {"lines without a tab, left out": 1}
    path.write_text("")
    with pytest.raises(BrokenFile, match="empty: write a label"):
        TabReader(path)
    path.write_text("grain\twhe")  # cut off
    assert [document.text for document in TabReader(path)] == ["whe"]


def test_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PAGES", (*pages.PAGES, largest_page))
    corpus = Corpus.from_texts(["a", "b", "c"], labels=["x", "x", "y"])
    app = make_app(pages.pages_of(Workspace(corpus)))
    assert ask(app, "/largest").status == 200
    assert '<a href="largest">Largest</a>' in ask(app, "/library").body.decode()
    assert ask(app, "/api/largest/categories?limit=1").json() == {"categories": [["x", 2]]}
    assert ask(app, "/api/largest/categories?limit=0").status == 400
