"""Commands on pages that are no tutorials: README, concepts and reference. Each is understood, and most are typed."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
import shlex
from pathlib import Path
from random import Random

import click
import openpyxl
import pytest
from reference_sql import categorylinks_dump, linktarget_dump

import priorwise as pw
from conftest import Cli
from priorwise.cli import main
from priorwise.corpus.build.wikipedia import ingest_wikipedia
from reviews import judge as judge_run
from small_collections import NEWSGROUPS, OHSUMED, REUTERS, tarred
from tutorials import DOCS, Reader, judge, visit
from wiki_dumps import Page, dump_xml

ROOT = DOCS.parent
PAGES = sorted(
    page
    for page in [ROOT / "README.md", ROOT / "benchmarks" / "README.md", *DOCS.glob("**/*.md")]
    if page.name != "style.md"
)
BLOCK = re.compile(r"^(?:    |\$ |    \$ |\.venv/bin/)+(priorwise .*?(?:\\\n.*?)*)$", flags=re.M)
INLINE = re.compile(r"(?<!`)`(priorwise [^`\n]+)`(?!`)")
PLAIN, OTHERS = ["the", "of", "and", "in", "was"], "river valley bridge council law"
LABELS = {"Machine learning": "neural network learning kernel", "Operating systems": "process memory scheduler file"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PRIORWISE_FOLDER", str(tmp_path / "app"))
    return tmp_path


def commands_of(page: Path) -> list[str]:
    text = page.read_text("utf-8")
    found = [re.sub(r"\s*\\\n\s*", " ", each) for each in BLOCK.findall(text)] + INLINE.findall(text)
    return [each for each in found if not set("…|") & set(each) and "..." not in each and "COMMAND" not in each]


@pytest.mark.parametrize("page", [each for each in PAGES if commands_of(each)], ids=lambda each: each.stem)
def test_every_command_and_option_on_a_page_is_there(page: Path) -> None:
    for line in commands_of(page):
        words = shlex.split(line, comments=True)[1:]
        command: click.Command = main
        with click.Context(main) as ctx:
            while isinstance(command, click.Group) and words and not words[0].startswith("-"):
                below = command.get_command(ctx, words[0])
                if below is None:
                    # `review RUN` is `review judge RUN`.
                    assert command.name == "review", line
                    below = command.get_command(ctx, "judge")
                else:
                    words = words[1:]
                assert below is not None, line
                command = below
            known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
        asked = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
        if isinstance(command, click.Group):
            assert asked <= known | {"--help", "--version"} | {"--terminal", "--blind", "--active", "--sample"}, line
        else:
            assert asked <= known | {"--help", "-h"}, line


def prose(random: Random, words: str, n: int = 12) -> str:
    """A text with some of the words, and names that no other text has."""
    names = ["".join(random.choices("aeioubdfgklmnprst", k=7)) for _ in range(n)]
    return " ".join([*random.choices(words.split(), k=n), *random.choices(PLAIN, k=n), *names])


def rows(n: int = 60) -> list[tuple[str, str, list[str]]]:
    """Ids, texts and labels: half of two categories each, and as many texts of neither."""
    random = Random(0)
    made = [(label, prose(random, words)) for label, words in LABELS.items() for _ in range(n)]
    made += [("", prose(random, OTHERS)) for _ in range(2 * n)]
    return [(str(number), text, [label] if label and number % 10 else []) for number, (label, text) in enumerate(made)]


def corpus_at(path: str, rename: dict[str, str] | None = None) -> pw.Corpus:
    ids, texts, labels = zip(*rows(), strict=True)
    renamed = [[(rename or {}).get(each, each) for each in some] for some in labels]
    return pw.Corpus.from_texts(texts, ids=ids, labels=renamed, path=path)


def typed(page: str, **how: object) -> list[str]:
    """Type the commands of priorwise on a page, in their order; leave formulas and programs to other tests."""
    return Reader(program="priorwise", **how).follow(page)  # type: ignore[arg-type]


def test_readme(folder: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["Id", "Title", "Description", "Subjects"])
    for id, text, labels in rows():
        book.active.append([id, f"Book {id}", text, "; ".join(labels)])
    book.save("catalogue.xlsx")
    commands = Reader(visit=lambda url: (judge if "/workbench" in url else visit)(url)).follow("../README.md")
    assert len(commands) > 5
    assert pw.Run.load("ml.run").about.label == "Machine learning"
    written = list(openpyxl.load_workbook("catalogue-new.xlsx").active.values)
    assert "Machine learning: status" in written[0]


def test_reading_files() -> None:
    random = Random(0)
    lines = [
        f"{n:05};Titel {n};{prose(random, 'Bücher über Tee')};{['Tee', 'Tee;Café', ''][n % 3]!r}" for n in range(40)
    ]
    table = "\n".join(
        ["Signatur;Titel;Beschreibung;Schlagwörter", *(each.replace("'", '"') for each in lines), ";O;Ohne;Tee"]
    )
    Path("catalogue.csv").write_text(table + "\n", encoding="windows-1252")
    for name in ("zotero.ris", "embase.ris"):
        Path(name).write_text(f"TY  - JOUR\nID  - {name}\nTI  - A trial of {name}\nAB  - Tea.\nER  - \n", "utf-8")
    Path("pubmed.nbib").write_text("PMID- 1\nTI  - Another trial\nAB  - Coffee.\n", "utf-8")
    assert len(typed("reference/reading-files.md")) == 2


def test_writing_files() -> None:
    made = [{"id": f"Q{id}", "text": text, "labels": labels} for id, text, labels in rows()]
    Path("catalogue.csv").write_text(
        "id,text,labels\n"
        + "".join(f"{each['id']},{each['text']},{'Drinks' if each['labels'] else ''}\n" for each in made),
        "utf-8",
    )
    pw.ingest(pw.RecordReader(["catalogue.csv"]), "catalogue.corpus")
    run = pw.discover(pw.Corpus.open("catalogue.corpus"), "Drinks")
    run.save("drinks.run")
    judge_run(Path("drinks.run"), {run.ranking.ids[0]: "yes", run.ranking.ids[1]: "no"})
    assert len(typed("reference/writing-files.md")) == 6


@pytest.mark.slow
def test_discovery_and_report(cli: Cli) -> None:
    corpus_at("articles.corpus")
    corpus_at("catalogue.corpus", {"Machine learning": "Oil"})
    Path("criteria.txt").write_text("neural networks and learning", "utf-8")
    run = pw.discover(pw.Corpus.open("catalogue.corpus"), "Oil")
    run.save("last-year.run")
    page = (DOCS / "concepts" / "discovery.md").read_text("utf-8")
    assert "+crude -olive the:0" in page
    instead = {
        "+oil:2 +crude -olive the:0": "+neural:2 +kernel -river the:0",
        "26649339": "0",
        "members 50": "members 20",
    }
    assert len(typed("concepts/discovery.md", instead=instead)) == 6
    for name, label in (("journals.run", "Operating systems"), ("films.run", "Machine learning")):
        assert cli("discover", "articles.corpus", label, "-o", name).exit_code == 0
    judge_run(Path("ml.run"), {pw.Run.load("ml.run").ranking.ids[0]: "yes"})
    assert len(typed("concepts/report.md")) == 3
    assert len(typed("concepts/hidden-members.md")) == 1


def test_categories() -> None:
    pages = [Page("Category:Neural networks", "[[Category:Machine learning]]", 14)]
    pages += [
        Page(f"Article {id}", text * 5 + "".join(f" [[Category:{label}]]" for label in labels))
        for id, text, labels in rows(20)
    ]
    Path("x.xml").write_bytes(dump_xml(pages))
    for name in ("wiki.corpus", "enwiki.corpus"):
        ingest_wikipedia(["x.xml"], name)
    assert len(typed("concepts/categories.md")) == 2


def test_wikipedia_files() -> None:
    articles = [Page("Tea", "Tea is a drink. [[Category:Hot drinks]] " * 20, id=1)]
    for name in (
        "enwiki-20260901-pages-articles-multistream.xml.bz2",
        "dewiki-20260901-pages-articles.xml.bz2",
    ):
        Path(name).write_bytes(bz2.compress(dump_xml(articles)))
    Path("enwiki-20260901-categorylinks.sql.gz").write_bytes(gzip.compress(categorylinks_dump([(1, "Drinks", "page")])))
    Path("enwiki-20260901-linktarget.sql.gz").write_bytes(gzip.compress(linktarget_dump([(1, 14, "Drinks")])))
    found = {"title": "Tea", "namespace": 0, "text": "Tea is a drink.", "category": ["Hot drinks"], "text_bytes": 500}
    lines = f"{json.dumps({'index': {'_id': '1'}})}\n{json.dumps(found)}\n"
    Path("enwiki_content-20260830-00000.json.bz2").write_bytes(bz2.compress(lines.encode()))
    assert len(typed("concepts/wikipedia-files.md")) == 4
    assert pw.Corpus.open("enwiki-complete.corpus").labels_of(0) == ["Drinks", "Hot drinks"]


def test_collections() -> None:
    Path("reuters21578.tar.gz").write_bytes(gzip.compress(tarred(REUTERS)))
    Path("20news-bydate.tar.xz").write_bytes(lzma.compress(tarred(NEWSGROUPS)))
    Path("ohsumed-first-20000-docs.tar.xz").write_bytes(lzma.compress(tarred(OHSUMED)))
    Path("Alternate Titles.txt").write_text("O*NET-SOC Code\tAlternate Title\n51-1\tBaker\n", "utf-8")
    Path("Task Statements.txt").write_text("O*NET-SOC Code\tTask ID\tTask\n51-1\t7\tBake bread.\n", "utf-8")
    Path("train.csv").write_text("text,category\nWhere is my card?,card_arrival\n", "utf-8")
    Path("train.jsonl").write_text('{"text": "what is a tea", "labels": "definition"}\n', "utf-8")
    assert len(typed("concepts/collections.md")) == 6
