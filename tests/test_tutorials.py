"""Every page that tells its reader what to type: followed from its beginning to its end, on small made-up data.

The files have the names that the page gives them, and labels, titles and words that it speaks of. What it shows of a
command's output must be there, but for the numbers and the rows of tables.
"""

from __future__ import annotations

import bz2
import csv
import hashlib
import json
import lzma
from pathlib import Path
from random import Random
from typing import Any

import matplotlib as mpl
import numpy as np
import openpyxl
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import priorwise as pw
from conftest import Cli
from priorwise.engines.spark import Spark
from priorwise.models.linear_model import LinearModel
from priorwise.ranking.classifier import Classifier
from priorwise.text import encoders
from small_collections import tarred
from tutorials import DOCS, Reader, Step, judge, not_printed, steps_of
from web_server import Web
from wiki_dumps import Page, dump_xml

FILMS = ["film", "films", "starred", "actor", "actors", "filmography", "comedy", "hollywood", "roles", "cameo", "oscar"]
OTHERS = [
    "river",
    "valley",
    "law",
    "council",
    "engine",
    "bridge",
    "plant",
    "leaf",
    "battle",
    "treaty",
    "atom",
    "church",
]
PLAIN = ["the", "of", "and", "in", "was", "for", "on", "as", "by", "with", "from", "at", "is", "it", "his", "that"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def prose(random: Random, words: list[str], n: int = 25) -> str:
    """A text of the given words and plain ones, with names that no other text has: no two are near copies."""
    names = ["".join(random.choices("aeioubdfgklmnprst", k=7)) for _ in range(n // 2)]
    said = random.choices(words, k=n) + random.choices(PLAIN, k=2 * n) + names
    random.shuffle(said)
    return " ".join(said)


def write_wiki(path: Path, label: str, found: str, below: str | None = None, other: str | None = None) -> None:
    """A wiki that breaks off. A category has ten articles, and one more is missing: ``found``; some have another."""
    random = Random(0)
    graph = {} if below is None else {below: label, f"Other {label}": label}
    pages = [Page(f"Category:{name}", f"[[Category:{above}]]", 14) for name, above in graph.items()]
    pages += [Page("User:Ada", "Hello.", 2), Page("Movie", "#REDIRECT [[Film]]", redirect=True)]
    pages += [Page("Short", "Short."), Page("Star", prose(random, OTHERS) + " {{disambig}}")]
    also = "" if other is None else f"\n[[Category:{other}]]\n[[Category:Living people]]"
    for number in range(10):
        # Those who have another category are not told by their words.
        has_other = other is not None and number < 5
        words, inside = OTHERS if has_other else FILMS, f"\n[[Category:{label}]]" + also * has_other
        pages.append(Page(f"Person {number}", prose(random, words) + inside))
    pages += [Page(found, prose(random, FILMS) + " unheard" + also)]
    for number in range(230):
        words = FILMS[:4] + OTHERS if number < 8 else OTHERS
        inside = below if below and number < 3 else f"Things of {label}"
        pages.append(Page(f"Thing {number}", prose(random, words) + f"\n[[Category:{inside}]]"))
    pages.append(Page("Japanese language", prose(random, OTHERS)))
    path.write_bytes(dump_xml(pages)[:-300])


@pytest.fixture
def actors(folder: Path, cli: Cli) -> Path:
    """The run of the first tutorial, for those that go on from there."""
    write_wiki(folder / "enwik8", "Film actors", "Gene Kelly", other="American actors")
    assert cli("ingest", "wikipedia", "enwik8", "-o", "enwik8.corpus").exit_code == 0
    assert cli("discover", "enwik8.corpus", "Film actors", "-o", "actors.run").exit_code == 0
    return folder / "actors.run"


def test_in_the_browser(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIORWISE_FOLDER", str(folder / "app"))
    assert Reader().follow("tutorials/in-the-browser.md") == ["priorwise"]


def test_editor_in_the_browser(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIORWISE_FOLDER", str(folder / "app"))
    assert Reader().follow("tutorials/editor-in-the-browser.md") == ["priorwise"]


def test_reviewer_in_the_browser(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIORWISE_FOLDER", str(folder / "app"))
    (folder / "references.ris").write_text("TY  - JOUR\nID  - 1\nTI  - A trial\nAB  - Of tea\nER  - \n", "utf-8")
    reader = Reader(instead={"--host 0.0.0.0": "--host 127.0.0.1"})
    assert len(reader.follow("tutorials/reviewer-in-the-browser.md")) == 2


def test_complete_a_category(folder: Path, cli: Cli) -> None:
    write_wiki(folder / "enwik8", "Film actors", "Gene Kelly", other="American actors")
    write_wiki(folder / "shinto", "People of ancient Japan", "Okitsu Yoso", "Ancient Japanese women")
    assert cli("ingest", "wikipedia", "shinto", "-o", "shinto.corpus").exit_code == 0
    (folder / "articles.jsonl").write_text(block("complete-a-category", "json"), encoding="utf-8")
    (folder / "notes" / "bread").mkdir(parents=True)
    (folder / "notes" / "bread" / "rye.txt").write_text("Rye and water.")
    (folder / "members.txt").write_text("Person 1\nPerson 2\nPerson 3\n")
    (folder / "rejected.txt").write_text("Person 4\n")
    Reader(visit=judge).follow("tutorials/complete-a-category.md")
    assert (folder / "actors.wiki").read_text("utf-8").startswith("* [[:")
    assert pw.Run.load(folder / "again.run").ranking.ids[0] == "Gene Kelly"
    assert "Person 4" not in pw.Run.load(folder / "mine.run").ranking.ids


def test_review(folder: Path, actors: Path) -> None:
    def fill_in() -> None:
        book = openpyxl.load_workbook("actors.xlsx")
        sheet = book.active
        column = [cell.value for cell in sheet[1]].index("verdict") + 1
        for row in range(2, 30):
            sheet.cell(row, column, "yes" if row < 8 else "no")
        book.save("actors.xlsx")

    reader = Reader(visit=judge, before={"review import": fill_in})
    reader.follow("tutorials/review.md")
    assert pw.Run.load("again.run").about.label == "Film actors"
    assert (folder / "actors.html").is_file()


def test_thousands_of_classes(folder: Path) -> None:
    random = Random(0)
    titles = {
        "35-1011.00": ["Chef", "Pastry Chef", "Executive Chef", "Assistant Chef"],
        "51-3011.00": ["Baker", "Pastry Baker", "Pastry Maker", "Assistant Baker"],
        "51-9199.00": ["Operator", "Machine Operator", "Machine Tender", "Assistant Operator"],
        "51-6099.00": ["Textile Operator", "Textile Tender", "Loom Tender", "Machine Operator"],
    }
    rows = [(code, title, "n/a") for code, known in titles.items() for title in random.choices(known, k=30)]
    random.shuffle(rows)
    with (folder / "Alternate Titles.txt").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t")
        table.writerows([("O*NET-SOC Code", "Alternate Title", "Short Title"), *rows])
    reader = Reader()
    reader.follow("tutorials/thousands-of-classes.md")
    assert len((folder / "labelled.jsonl").read_text("utf-8").splitlines()) == len(rows) // 5
    labels, verdict = reader.knows["classifier"].model.labels, reader.knows["verdict"]
    assert labels[verdict.best(1)[0, 0]] == "35-1011.00"


def test_ten_examples_and_keywords(folder: Path) -> None:
    random = Random(0)
    words = {"sci.space": ["nasa", "orbit", "mars", "shuttle"], "rec.hockey": ["hockey", "goal", "team", "windows"]}
    files = {
        f"20news-bydate-{part}/{group}/{61200 + number}": f"Subject: {number}\n\n{prose(random, known, 3)}\n".encode()
        for part in ("train", "test")
        for group, known in words.items()
        for number in range(50)
    }
    (folder / "20news-bydate.tar.xz").write_bytes(lzma.compress(tarred(files), preset=0))
    Reader().follow("tutorials/ten-examples-and-keywords.md")
    assert (folder / "space.txt").read_text("utf-8").startswith("+nasa")


def test_see_what_a_prior_does(folder: Path) -> None:
    random = Random(0)
    texts = [prose(random, OTHERS if number % 3 else ["wheat", "grain", "crop"], 6) for number in range(60)]
    labels = [[] if number % 3 else ["wheat"] for number in range(60)]
    corpus = pw.Corpus.from_texts(texts, labels=labels, path=folder / "reuters.corpus")
    pw.discover(corpus, "wheat").save(folder / "wheat.run")
    commands = Reader().follow("tutorials/see-what-a-prior-does.md")
    assert len(commands) == 2


def test_questions_in_german() -> None:
    Reader().follow("tutorials/questions-in-german.md")
    run = pw.Run.load("backen.run")
    # Every third question is about baking.
    assert sum(int(each) % 3 == 0 for each in run.ranking.to_polars()["id"][:50]) >= 48


def test_scikit_learn() -> None:
    mpl.use("Agg")
    reader = Reader()
    reader.follow("tutorials/scikit-learn.md")
    assert reader.knows["model"].predict(["a rocket to mars", "hot milk"]).tolist() == ["space", "tea"]
    assert reader.knows["search"].terrain_.score.shape == (203, 203)
    assert len(reader.knows["corpus"]) == 8


@pytest.mark.spark
@pytest.mark.xdist_group("spark")
def test_on_spark(folder: Path, cli: Cli, running: list[str | None], spark: Spark) -> None:
    random = Random(0)
    texts = [prose(random, FILMS if number % 2 else OTHERS, 4) for number in range(110)]
    rows = [{"id": str(n), "text": text, "labels": [["News", "Sport"][n % 2]]} for n, text in enumerate(texts)]
    for number, part in enumerate((rows[:50], rows[50:]), start=1):
        pq.write_table(pa.Table.from_pylist(part), f"news-{number}.parquet")
    assert cli("ingest", "records", "news-1.parquet", "-o", "some.corpus").exit_code == 0
    assert cli("train", "some.corpus", "-o", "news.model").exit_code == 0
    table = spark.session.createDataFrame([("1", "Rye", "Rye and water."), ("2", "Wheat", "Wheat.")])
    table = table.toDF("page_id", "page_title", "body")
    # Spark's tasks look for a name without a folder where Spark was started, and that was not here.
    here = {name: f"{folder}/{name}" for name in ("news-*.parquet", "news.corpus", "news.model", "recent.corpus")}
    here |= {"hdfs:///data": str(folder), 'session.table("wiki.articles")': "table", "news.articles": "articles"}
    dated = [(str(number), "Rye and water.", 2018 + number) for number in range(5)]
    spark.session.createDataFrame(dated, "id string, text string, year int").createOrReplaceTempView("articles")
    reader = Reader(instead=here)
    reader.knows |= {"session": spark.session, "table": table}
    reader.follow("tutorials/on-spark.md")
    assert running == ["local[4]", None, None, None, None]
    assert len(pw.Corpus.open("articles.corpus")) == 2
    assert len(pw.Corpus.open("recent.corpus")) == 3
    assert len((folder / "labels.jsonl").read_text("utf-8").splitlines()) == 110


@pytest.fixture
def articles(folder: Path) -> list[dict[str, Any]]:
    """Eighty articles of your own: `articles.jsonl`."""
    random = Random(0)
    made = [
        {"id": str(n), "text": prose(random, OTHERS if n % 4 else ["neural", "network", "learning", "model"], 8)}
        for n in range(80)
    ]
    for n, article in enumerate(made):
        article["categories"] = ["Rivers"] if n % 4 else ["Machine learning"] if n < 60 else []
    (folder / "articles.jsonl").write_text("".join(json.dumps(each) + "\n" for each in made), encoding="utf-8")
    return made


@pytest.fixture
def articles_corpus(folder: Path, articles: list[dict[str, Any]], cli: Cli) -> Path:
    done = cli("ingest", "records", "articles.jsonl", "--labels", "categories", "-o", "articles.corpus")
    assert done.exit_code == 0, done.output
    return folder / "articles.corpus"


def test_use_it_from_a_notebook(articles: list[dict[str, Any]], articles_corpus: Path) -> None:
    frame = pl.DataFrame(articles).rename({"text": "body", "categories": "topics"})
    reader = Reader(knows={"frame": frame})
    reader.follow("how-to/use-it-from-a-notebook.md")
    assert int(reader.knows["run"].ranking.ids[0]) % 4 == 0
    assert pw.Run.load("ml.run").about.label == "Machine learning"


def test_use_it_from_an_agent() -> None:
    assert Reader().follow("how-to/use-it-from-an-agent.md") == ["pip install 'priorwise[mcp]'"]


def test_use_vectors(articles: list[dict[str, Any]], articles_corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def encode(texts: list[str]) -> np.ndarray:
        return np.array([[text.count("neural") + 0.1, text.count("river") + 0.1] for text in texts], np.float32)

    monkeypatch.setitem(encoders._LOADERS, "wordllama", lambda model: encode)
    vectors = encode([article["text"] for article in articles])
    np.save("articles.npy", vectors)
    pl.DataFrame({"id": [each["id"] for each in articles], "vector": vectors.tolist()}).write_parquet(
        "articles.parquet"
    )
    Reader().follow("how-to/use-vectors.md")
    assert pw.Corpus.open("own.corpus").vectors is not None


def test_export_a_models_weights(articles_corpus: Path) -> None:
    reader = Reader()
    reader.follow("how-to/export-a-models-weights.md")
    found = reader.knows["scores"](["neural", "network"])
    classifier = Classifier(LinearModel.load("topics.model"))

    def log_odds(text: str) -> float:
        first, second = classifier.judge(classifier.read([text])).log_probability[0]
        return float(second - first)

    assert reader.knows["arrays"]["labels"].tolist() == ["Machine learning", "Rivers"]
    assert found.tolist() == pytest.approx([log_odds("neural network")])


def test_use_your_own_tokens(folder: Path, articles: list[dict[str, Any]]) -> None:
    texts, labels = [each["text"] for each in articles], [each["categories"] for each in articles]
    known = {
        "texts": texts,
        "labels": labels,
        "ids": [each["id"] for each in articles],
        "new_texts": ["neural network"],
    }
    Reader(knows=known).follow("how-to/use-your-own-tokens.md")
    assert json.loads((folder / "labelled.jsonl").read_text("utf-8"))["label"] == "Machine learning"


def test_resume_a_killed_job(folder: Path, articles: list[dict[str, Any]]) -> None:
    Reader().follow("how-to/resume-a-killed-job.md")
    assert len([path for path in (folder / "articles.runs").iterdir() if path.is_dir()]) == 2


def test_get_and_read_a_dump(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(0)
    drinks = [Page(f"Tea {n}", prose(random, FILMS, 40) + " [[Category:Hot drinks]]") for n in range(12)]
    pages = [*drinks, *(Page(f"Thing {n}", prose(random, OTHERS, 40) + " [[Category:Things]]") for n in range(60))]
    dump, name = bz2.compress(dump_xml(pages)), "simplewiki-20260101-pages-articles.xml.bz2"
    about = {"size": len(dump), "sha1": hashlib.sha1(dump, usedforsecurity=False).hexdigest(), "url": "/x"}
    jobs = {"articlesdump": {"status": "done", "files": {name: about}}}
    web.put("/simplewiki/", b'<a href="20260101/">20260101/</a>')
    web.put("/simplewiki/20260101/dumpstatus.json", json.dumps({"version": "0.8", "jobs": jobs}).encode())
    web.put(f"/simplewiki/20260101/{name}", dump)
    monkeypatch.setattr("priorwise.wiki.fetch.WIKIMEDIA", web.address)
    assert len(Reader().follow("how-to/get-and-read-a-dump.md")) == 6
    assert len(pw.Corpus.open("simplewiki.corpus").members("Hot drinks")) == 12


def test_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIORWISE_CACHE", "cache")
    Reader().follow("how-to/install.md")


def test_choose_a_model_and_a_prior(articles_corpus: Path) -> None:
    Reader().follow("how-to/choose-a-model-and-a-prior.md")


def test_troubleshooting(articles_corpus: Path) -> None:
    Reader().follow("how-to/troubleshooting.md")


def test_screen_a_systematic_review(folder: Path) -> None:
    random = Random(0)
    trials = ["aspirin", "stroke", "randomised", "trials", "prevent", "adults"]
    records = (
        f"TY  - JOUR\nID  - {n}\nTI  - Paper {n}\nAB  - {prose(random, trials if n % 5 else OTHERS, 8)}\nER  - \n\n"
        for n in range(60)
    )
    (folder / "search.ris").write_text("".join(records), encoding="utf-8")
    Reader(visit=judge).follow("how-to/screen-a-systematic-review.md")
    assert (folder / "included.ris").read_text("utf-8").count("TY  - ") == 3


def test_complete_a_column_of_a_spreadsheet(folder: Path, articles: list[dict[str, Any]]) -> None:
    book = openpyxl.Workbook()
    book.active.append(["Id", "Title", "Description", "Subjects"])
    for each in articles:
        book.active.append([each["id"], f"Article {each['id']}", each["text"], "; ".join(each["categories"])])
    book.save(folder / "catalogue.xlsx")
    Reader(visit=judge).follow("how-to/complete-a-column-of-a-spreadsheet.md")
    rows = list(openpyxl.load_workbook(folder / "catalogue-new.xlsx").active.values)
    assert "Machine learning: status" in rows[0]
    assert sum("accepted" in row for row in rows) == 3


def test_many_categories(folder: Path) -> None:
    random = Random(0)
    texts = [prose(random, FILMS if number % 2 else OTHERS, 4) for number in range(110)]
    labels = [[["News", "Sport"][number % 2]] for number in range(110)]
    pw.Corpus.from_texts(texts, labels=labels, path=folder / "news.corpus")
    (folder / "labels.txt").write_text("Sport\nNews\n")
    Reader().follow("how-to/many-categories.md")
    assert {run.name for run in (folder / "news.runs").iterdir() if run.is_dir()} == {"1-News.run", "2-Sport.run"}


def test_review_with_two_people(actors: Path) -> None:
    def fill_in() -> None:
        sheet = Path("for-cleo.csv")
        with sheet.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        with sheet.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows({**row, "verdict": "no" if number else "yes"} for number, row in enumerate(rows))

    Reader(visit=judge, before={"review import": fill_in}).follow("how-to/review-with-two-people.md")


def test_run_without_a_network(articles: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIORWISE_CACHE", "cache")
    monkeypatch.delenv("PRIORWISE_DATA", raising=False)
    monkeypatch.setattr("socket.socket.connect", lambda *given: pytest.fail(f"asked the network for {given[1:]}"))
    Reader().follow("how-to/run-without-a-network.md")


def test_simulate_a_review(folder: Path) -> None:
    random = Random(0)
    with (folder / "virus.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "title", "abstract", "included"])
        for number in range(80):
            member = number % 5 == 0
            writer.writerow([number, f"Study {number}", prose(random, FILMS if member else OTHERS), int(member)])
    Reader().follow("how-to/simulate-a-review.md")
    assert (folder / "virus.simulation" / "recall-1.svg").exists()


def test_every_page_is_followed() -> None:
    pages = [page.stem for kind in ("tutorials", "how-to") for page in sorted((DOCS / kind).glob("*.md"))]
    assert [page for page in pages if f"test_{page.replace('-', '_')}" not in globals()] == []


def test_what_a_page_shows_must_be_printed() -> None:
    printed = "12 members\n  name  size\n  tea     12\nWritten to x.run.\n"
    shown = ("1,234 members", "  name  size", "  coffee   7", "…", "Written …")
    assert not_printed(shown, printed) == []
    assert not_printed(("12 labels", "  name  weight", "Written to y.run."), printed) == [
        "12 labels",
        "  name  weight",
        "Written to y.run.",
    ]


def test_what_a_page_says_to_do() -> None:
    page = """Type

    priorwise corpus x.corpus

```console
$ priorwise train x.corpus
2 labels
$ priorwise --help
```

```{code-block} text
:caption: words.txt

+tea
```

```pycon
>>> 1
```

```python
x = 1
```
"""
    assert list(steps_of(page)) == [
        Step("command", "priorwise corpus x.corpus"),
        Step("command", "priorwise train x.corpus", ("2 labels",)),
        Step("command", "priorwise --help"),
        Step("words.txt", "+tea\n"),
        Step("python", "x = 1"),
    ]


def block(tutorial: str, language: str) -> str:
    """The first block of a language on a tutorial's page."""
    page = (DOCS / "tutorials" / f"{tutorial}.md").read_text("utf-8")
    return page.partition(f"```{language}\n")[2].partition("```")[0]
