"""Run the compiled loops interpreted, where numpy checks every access, and print those that were not run.

To compile the loops anew with Numba's own checks takes minutes (scripts/check-bounds); this takes seconds, and the
accesses are the same. To be run with NUMBA_DISABLE_JIT=1 around it, which every module that is imported heeds.
"""

from __future__ import annotations

import ast
import bz2
import contextlib
import os
import sys
import tempfile
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner
from reference_sql import categorylinks_dump

import priorwise as pw
from crafted_matrices import estimators, sound, use
from crafting import small_corpus
from priorwise.cli.main import main
from priorwise.errors import PriorwiseError
from priorwise.explorer import setting_of
from priorwise.explorer.view import density_of
from priorwise.text.tokens import tokens
from priorwise.wiki.sql import SqlTable, TableShape
from priorwise.wiki.wikitext import read_wikitext
from test_corpus_structure import read_all
from test_corpus_wikipedia import LINKS, PAGES
from test_wiki_wikitext import LEAVES, MARKUP, pieces
from wiki_dumps import Page, dump_xml

SOURCES = Path(pw.__file__).parent
LINES = ["tea milk", "tea leaves", "tea cup", "milk cow", "cow hay", "hay barn", "barn owl", "cup owl"] * 2


def kernels() -> set[tuple[str, str]]:
    """Return the file and the name of every function that is compiled."""
    found = set()
    for file in SOURCES.rglob("*.py"):
        if "kernels" in str(file.relative_to(SOURCES)):
            for each in ast.parse(file.read_text("utf-8")).body:
                marks = getattr(each, "decorator_list", [])
                if any(getattr(mark, "id", None) in ("kernel", "helper") for mark in marks):
                    found.add((str(file), each.name))  # type: ignore[attr-defined]
    return found


def command(*words: Any) -> None:
    """Call the command line."""
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == 0, (words, result.output, result.exc_info)


def use_models() -> None:
    """Fit every estimator."""
    good, y = sound(np.random.default_rng(0))
    for make in estimators().values():
        assert use(make, good, y, good) == "used"
    for prior, solver in ((pw.Laplace(1.0), "auto"), (pw.Gaussian(1.0), "newton")):
        pw.LogisticRegression(prior, solver=solver).fit(good.toarray(), y == 1).predict_proba(good)


def use_wikis(home: Path) -> None:
    """Read wikitext, sound and torn, and a compressed dump with its table."""
    for piece in pieces(LEAVES):
        read_wikitext(f"== a ==\n{piece} b {{{{lang|de|c}}}} {{{{ill|d}}}}\n= e = \n")
    for piece in MARKUP:
        read_wikitext(f"x {piece} y" * 3)
    pages = [*PAGES[:4], Page("A & B", "'''A''' & <B>", id=5)]
    (home / "dump.bz2").write_bytes(bz2.compress(dump_xml(pages)))
    (home / "links.sql").write_bytes(categorylinks_dump([*LINKS, (3, 'It\'s \\ a "name"', "page")]))
    shape = TableShape("t", {"number": "integer", "title": "title"}, (("number",), ("title",)))
    create = b"CREATE TABLE t (`number` int, `title` varbinary(9));\nINSERT INTO t VALUES "
    (home / "rows.sql").write_bytes(create + b"(1,'a'), (-20,NULL),(NULL,_binary 'b\\'c'),(0x41,'d');\n")
    with contextlib.suppress(PriorwiseError):
        list(SqlTable(home / "rows.sql", shape, piece=64))
    command("ingest", "wikipedia", home / "dump.bz2", home / "links.sql", "-o", home / "wiki.corpus")


def use_corpora(home: Path) -> None:
    """Count, look up, rank, explain, draw and classify texts."""
    read_all(small_corpus(home / "small.corpus").path)  # type: ignore[arg-type]
    tokens("Don’t e\u0301te\u0301 東京タワー ภาษาไทย")
    labels = ["Tea" if "tea" in line else "Cow" if "cow" in line else None for line in LINES]
    texts = [f"{line} {row} 茶の葉 e\u0301te\u0301" for row, line in enumerate(LINES)]
    corpus = pw.Corpus.from_texts(texts, labels=labels, path=home / "tea.corpus")
    for model in ("default", "presence"):
        pw.discover(corpus, "Tea", model=model).explain(corpus, "3")
    density_of(pw.explore(corpus, "Tea", "beta"), setting_of("beta"))
    command("train", home / "tea.corpus", "-o", home / "tea.model")
    command("classify", home / "tea.model", home / "tea.corpus")
    command("discover", home / "tea.corpus", "--all-categories", "--min-members", "2", "-o", home / "all.csv")


def not_run() -> list[str]:
    """Run what there is, and return the kernels that were not called."""
    called = set()

    def profile(frame: Any, event: str, _: Any) -> None:
        if event == "call" and "kernels" in frame.f_code.co_filename:
            called.add((frame.f_code.co_filename, frame.f_code.co_name))

    threading.setprofile(profile)
    sys.setprofile(profile)
    with tempfile.TemporaryDirectory() as home:
        os.environ["PRIORWISE_CACHE"] = f"{home}/cache"
        use_models()
        use_wikis(Path(home))
        use_corpora(Path(home))
    sys.setprofile(None)
    return sorted(name for _, name in kernels() - called)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    # Sums of unsigned numbers are meant to wrap around; compiled code says nothing about it.
    np.seterr(over="ignore")
    sys.stdout.write(" ".join(not_run()))
