"""Reports: their figures are those of the run and of its review, and nothing in them comes from elsewhere."""

from __future__ import annotations

import re
import shlex
import shutil
from base64 import b64encode
from collections.abc import Callable, Iterable
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference_report as slow
from hypothesis import given
from hypothesis import strategies as st

import priorwise as pw
from conftest import Cli
from priorwise.corpus import CategoryPage, Corpus, Document, ingest
from priorwise.discovery import Run, discover
from priorwise.discovery.learning import Procedure, learn
from priorwise.discovery.made_up import DemoDocument
from priorwise.discovery.pictures import climbs
from priorwise.errors import AlreadyExists, BrokenFile, InputError
from priorwise.ranking.found_by_one import found_by_one, mcnemar
from priorwise.ranking.paired import compare
from priorwise.readers.document import Stream
from priorwise.report import Subject, report_html
from priorwise.report.page import report_style
from priorwise.report.parts import chance
from priorwise.report.reproduce import discover_command
from priorwise.report.subject import subjects_of
from priorwise.review import Verdict, Verdicts, results
from test_charts import Elements, parsed

Refused = Callable[..., str]
EVIL = "<script>document.title = 'hacked'</script><img src=x onerror=\"document.title='hacked'\">"
SOURCE = Path(pw.__file__).parent


def judge(path: Path, verdicts: Iterable[tuple[str, str]], reviewer: str = "Ada") -> None:
    store = Verdicts.of_run(path)
    try:
        store.add_all([Verdict(f"{reviewer}/{id}", reviewer, id, word) for id, word in verdicts])
    finally:
        store.close()


def candidates(run: Run) -> list[str]:
    return list(dict.fromkeys([*run.ranking.ids, *run.baseline.ids]))


def visible(html: str) -> str:
    """The text of a page, less its style; cells and paragraphs are apart."""
    plain = re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)
    return " ".join(
        parsed(re.sub(r"</(td|th|p|dt|dd|caption|pre)>", r" </\1>", plain)).text.replace("\xa0", " ").split()
    )


@pytest.fixture
def fresh(run_path: Path, tmp_path: Path) -> Path:
    """A run that nobody has judged."""
    return Path(shutil.copytree(run_path, tmp_path / "chess.run"))


@pytest.fixture
def reviewed(fresh: Path, run: Run, documents: list[DemoDocument]) -> Path:
    """The same run after a review by one who knows."""
    truth = {document.id: document.truth for document in documents}
    judge(fresh, [(id, "yes" if "Chess" in truth[id] else "no") for id in candidates(run)])
    return fresh


@pytest.fixture
def wiki(tmp_path: Path) -> Path:
    """A run over a corpus with subcategories: of 12 candidates 3 are in one."""
    rng = np.random.default_rng(0)

    def text(words: list[str]) -> str:
        return " ".join([*rng.choice(words, 8), *rng.choice(["the", "of", "and", "to"], 6)])

    chess, law = ["king", "queen", "rook", "pawn", "mate"], ["court", "judge", "law", "vote", "tax"]
    pages: list[Any] = [CategoryPage("Gambits", ["Chess"])]
    pages += [Document(f"c{i}", f"Chess {i}", text(chess), ["Chess"]) for i in range(8)]
    pages += [Document(f"g{i}", f"Gambit {i}", text(chess), ["Gambits"]) for i in range(3)]
    pages += [Document(f"n{i}", f"New {i}", text(chess)) for i in range(3)]
    pages += [Document(f"l{i}", f"Law {i}", text(law), ["Law"]) for i in range(6)]
    ingest(Stream(pages), tmp_path / "wiki.corpus")
    discover(Corpus.open(tmp_path / "wiki.corpus"), "Chess").save(tmp_path / "wiki.run")
    return tmp_path / "wiki.run"


# Statistics


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_a_fair_coin(first: int, second: int) -> None:
    assert mcnemar(first, second) == pytest.approx(slow.mcnemar(first, second), rel=1e-12)


LETTERS = st.sampled_from("abcdefgh")


@given(st.lists(LETTERS, unique=True), st.lists(LETTERS, unique=True), st.sets(LETTERS))
def test_found_by_one_list_or_both(first: list[str], second: list[str], relevant: set[str]) -> None:
    found = found_by_one(first, second, relevant)
    assert found.first == sum(id in relevant and id not in second for id in first)
    assert found.second == sum(id in relevant and id not in first for id in second)
    assert found.both == sum(id in relevant and id in second for id in first)


# The file


def test_the_file_needs_nothing_else_and_runs_nothing(reviewed: Path) -> None:
    html = report_html(subjects_of([reviewed]))
    found = parsed(html)
    assert not {"script", "link", "iframe", "object", "embed", "form", "base"}.intersection(found.tags)
    assert not [name for name, _ in found.attributes if name.startswith("on") or name == "style"]
    addresses = [value or "" for name, value in found.attributes if name in ("src", "href", "srcset", "data")]
    assert addresses
    assert [each for each in addresses if not each.startswith(("data:image/png;base64,", "#"))] == []
    assert "url(" not in report_style()
    assert "@import" not in report_style()
    assert len(html.encode()) < 500_000


def test_the_policy_allows_its_own_style_and_no_script(fresh: Path) -> None:
    html = report_html(subjects_of([fresh]))
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    (style,) = re.findall(r"<style>(.*?)</style>", html, flags=re.DOTALL)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    assert f"style-src &#x27;sha256-{digest}&#x27;" in policy
    assert policy.startswith("default-src &#x27;none&#x27;;")
    assert "script-src" not in policy
    assert html.index("Content-Security-Policy") < html.index("<style>")


def test_the_same_run_gives_the_same_bytes(reviewed: Path) -> None:
    assert report_html(subjects_of([reviewed])) == report_html(subjects_of([reviewed]))


def test_what_documents_and_reviewers_are_called_stays_text(documents: list[DemoDocument], tmp_path: Path) -> None:
    label = f"</title>{EVIL}"
    corpus = Corpus.from_texts(
        [document.text for document in documents],
        labels=[[label] if "Chess" in document.labels else [] for document in documents],
        ids=[f"{EVIL}{document.id}" for document in documents],
        titles=[EVIL for _ in documents],
        path=tmp_path / "evil.corpus",
    )
    run = discover(corpus, label, top=5)
    run.save(tmp_path / "evil.run")
    judge(tmp_path / "evil.run", [(id, "yes") for id in candidates(run)], reviewer=EVIL[:100])
    for paths in ([tmp_path / "evil.run"], [tmp_path / "evil.run"] * 2):
        found = parsed(report_html(subjects_of(paths)))
        assert not {"script", "img"}.intersection(found.tags)
        assert "onerror" not in [name for name, _ in found.attributes]
        assert found.text.count(EVIL) >= 5
    notebook = parsed(run._repr_html_())
    assert not {"script", "img"}.intersection(notebook.tags)
    assert EVIL in notebook.text


def test_only_addresses_of_the_web_are_links(fresh: Path, run: Run) -> None:
    (subject,) = subjects_of([fresh])
    first, second, third = run.ranking.ids[:3]
    addresses = {first: "https://example.org/a?b&c", second: "javascript:alert(1)", third: "data:text/html,x"}
    html = report_html([replace(subject, addresses=addresses)])
    links = [
        value
        for name, value in parsed(html).attributes
        if name == "href" and not (value or "").startswith("data:image")
    ]
    assert links == ["https://example.org/a?b&c"]


def test_headings_go_down_one_step_at_a_time(reviewed: Path, wiki: Path) -> None:
    for paths in ([reviewed], [reviewed, wiki]):
        levels = [int(tag[1]) for tag in parsed(report_html(subjects_of(paths))).tags if re.fullmatch("h[1-6]", tag)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))


def test_colours_are_those_of_the_app() -> None:
    app = dict(re.findall(r"(--[\w-]+): (light-dark\([^)]*\));", (SOURCE / "web/static/base.css").read_text()))
    used = re.findall(r"(--[\w-]+): (light-dark\([^)]*\));", report_style())
    assert len(used) > 10
    assert [pair for pair in used if app[pair[0]] != pair[1]] == []


# What it says


def test_before_a_review_it_says_what_is_missing_and_shows_the_rest(fresh: Path, run: Run) -> None:
    text = visible(report_html(subjects_of([fresh])))
    assert "Nobody has judged the candidates yet" in text
    assert "priorwise review chess.run" in text
    assert "Fisher" not in text
    assert "95% interval" not in text
    expected = np.mean(run.ranking.table["probability"].to_numpy()[:50])
    assert f"first 50 {50 * expected:,.0f} {expected:.3f}" in text
    assert "The learned prior" in text
    assert f"The first 50 of {len(run.ranking):,} candidates" in text


def test_figures_of_a_review_are_those_of_its_results(reviewed: Path) -> None:
    text, found = visible(report_html(subjects_of([reviewed]))), results(reviewed)
    for name, key in (("Learned prior", "learned"), ("Laplace’s prior", "laplace")):
        at = found["rankings"][key]["at_k"]
        assert f"{name} {at['value']:.3f} {at['low']:.3f} to {at['high']:.3f}" in text
    difference = found["difference"]
    assert f"less Laplace’s is {difference['spread']['value']:+.3f}" in text
    assert f"area of {found['area_between']:+.3f}" in text
    assert f"Fisher’s exact test {chance(difference['exact'])}".replace("\xa0", " ") in text
    assert f"Welch’s t-test {chance(difference['t_test'])}".replace("\xa0", " ") in text
    assert "Nobody has judged" not in text
    assert "is not finished" not in text


def test_mcnemar_counts_what_belongs_in_one_list_only(reviewed: Path, documents: list[DemoDocument], run: Run) -> None:
    belong = {document.id for document in documents if "Chess" in document.truth}
    (subject,) = subjects_of([reviewed])
    first, second = (set(ranking.ids[: subject.k]) & belong for ranking in (run.ranking, run.baseline))
    words = (
        f"{len(first - second)} are in the learned prior’s list only, "
        f"{len(second - first)} in Laplace’s only, {len(first & second)} in both"
    )
    assert words in visible(report_html([subject]))


def test_a_review_that_is_not_finished_says_so(fresh: Path, run: Run) -> None:
    judge(fresh, [(run.ranking.ids[0], "yes")])
    (subject,) = subjects_of([fresh])
    learned = len(run.ranking.ids[: subject.k]) - 1
    laplace = len([id for id in run.baseline.ids[: subject.k] if id != run.ranking.ids[0]])
    text = visible(report_html([subject]))
    assert f"{learned:,} of the learned prior’s ranking and {laplace:,} of Laplace’s are not judged" in text


def test_skipping_is_no_review(fresh: Path, run: Run) -> None:
    judge(fresh, [(run.ranking.ids[0], "skip")])
    assert "Nobody has judged" in visible(report_html(subjects_of([fresh])))


def test_category_subcategory_and_new(wiki: Path) -> None:
    (before,) = subjects_of([wiki])
    assert before.counts() == {"category": 8, "subcategory": 3, "new": 0}
    assert "Candidates that are in a subcategory" in visible(report_html([before]))
    judge(wiki, [("n0", "yes"), ("n1", "yes"), ("l0", "no"), ("g0", "no")])
    (after,) = subjects_of([wiki])
    assert after.counts() == {"category": 8, "subcategory": 2, "new": 2}
    assert after.relevant == {"g1", "g2", "n0", "n1"}
    assert [each["title"] for each in after.accepted()] == sorted(
        ["New 0", "New 1"], key=lambda title: after.run.ranking.table["title"].to_pylist().index(title)
    )


def test_the_prior_in_words_and_its_numbers(fresh: Path, run: Run) -> None:
    text = visible(report_html(subjects_of([fresh])))
    assert "Laplace's prior imagines one more member and one more other article" in text
    assert f"The model has {run.about['learned']['vocabulary']:,} tokens" in text
    for key in ("learned", "laplace"):
        assert f"{run.about['predicted_positive'][key]:,}" in text
    assert run.about["corpus"]["checksum"] in text
    assert f"priorwise {pw.__version__}" in text


def test_candidates_carry_their_evidence_and_verdict(reviewed: Path, run: Run) -> None:
    text = visible(report_html(subjects_of([reviewed]), top=3))
    assert "The first 3 of" in text
    for row in run.ranking.rows(3):
        tokens = row["evidence"].replace(":", " ").replace("-", "−")
        assert re.search(rf"{re.escape(row['title'])} {row['rank']} \S+ \S+ {re.escape(tokens)} (yes|no)", text)


# The search's way


def test_the_ways_that_are_drawn_are_those_of_the_search(corpus: Corpus) -> None:
    run = discover(corpus, "Chess", paper=True)
    learned = learn(corpus, corpus.members("Chess"), np.empty(0, np.int64), Procedure.paper())
    assert climbs(run) == [path for sample in learned.choice.paths for path in sample]
    assert len(climbs(run)) == 45
    assert "climb" in run.plot_terrain().svg


def test_a_search_that_looked_everywhere_has_no_way(run: Run) -> None:
    assert climbs(run) == []
    assert "polyline" not in run.plot_terrain().svg


def test_pictures_for_a_notebook(run: Run, documents: list[DemoDocument]) -> None:
    belong = [document.id for document in documents if "Chess" in document.truth]
    picture = run.plot_precision(belong)
    last = np.mean([id in belong for id in run.ranking.ids])
    assert f"The learned prior ends at {last:.3f}" in picture.summary
    assert isinstance(parsed(run._repr_html_()), Elements)
    assert run.ranking.rows(1)[0]["title"] in parsed(run._repr_html_()).text


# How to reproduce it


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"paper": True, "seed": 3},
        {"target": pw.FBeta(0.5, at_corpus_odds=True), "search": "radial", "seeds": 2, "top": 30},
        {"target": pw.PPV(floor=0.5), "negatives_per_positive": 1.5, "centre": "uniform", "seeds": 1},
        {"model": "presence"},
        {"description": "kings, queens and rooks", "seed": 2},
        {"model": "auto", "target": pw.FBeta(1.0), "seeds": 1},
        {"prior": pw.PseudoCounts(22, 0.1)},
        {"prior": pw.PseudoCounts(50, 2), "centre": "collection", "target": pw.PPVAtK(10), "seeds": 1},
    ],
    ids=["default", "paper", "radial", "samples", "presence", "described", "both", "given", "given, collection"],
)
def test_the_command_makes_the_same_run(choices: dict[str, Any], corpus: Corpus, cli: Cli, tmp_path: Path) -> None:
    run = discover(corpus, "Chess", **choices)
    program, *words = shlex.split(discover_command(run.about, "again.run"))
    assert program == "priorwise"
    places = {"made-up.corpus": corpus.path, "again.run": tmp_path / "again.run"}
    assert cli(*(places.get(word, word) for word in words)).exit_code == 0
    again = Run.load(tmp_path / "again.run")
    assert again.about == run.about
    assert again.ranking.table.equals(run.ranking.table)


def test_a_label_may_look_like_an_option(documents: list[DemoDocument], cli: Cli, tmp_path: Path) -> None:
    labels = [["--help"] if "Chess" in document.labels else [] for document in documents]
    Corpus.from_texts([document.text for document in documents], labels=labels, path=tmp_path / "x.corpus")
    run = discover(Corpus.open(tmp_path / "x.corpus"), "--help", seed=1)
    words = shlex.split(discover_command(run.about, "x.run"))[1:]
    places = {"x.corpus": tmp_path / "x.corpus", "x.run": tmp_path / "x.run"}
    assert cli(*(places.get(word, word) for word in words)).exit_code == 0
    assert Run.load(tmp_path / "x.run").ranking.table.equals(run.ranking.table)


def test_what_a_run_does_not_know_is_left_open(corpus: Corpus, tmp_path: Path) -> None:
    members = [corpus.ids([row])[0] for row in corpus.members("Chess").tolist()]
    discover(corpus, members=members).save(tmp_path / "mine.run")
    text = visible(report_html(subjects_of([tmp_path / "mine.run"])))
    assert "priorwise discover made-up.corpus --members '…' -o mine.run" in text
    assert "the run does not hold what it was given" in text
    assert str(tmp_path) not in text


def test_a_corpus_that_is_gone_costs_only_the_links(fresh: Path, documents: list[DemoDocument], tmp_path: Path) -> None:
    corpus = Corpus.from_texts(
        [document.text for document in documents],
        labels=[document.labels for document in documents],
        path=tmp_path / "gone.corpus",
    )
    discover(corpus, "Chess").save(tmp_path / "left.run")
    shutil.rmtree(tmp_path / "gone.corpus")
    assert "No document is linked" in visible(report_html(subjects_of([tmp_path / "left.run"])))
    with pytest.raises(InputError, match="no such"):
        subjects_of([tmp_path / "nothing.run"])
    with pytest.raises(pw.PriorwiseError):
        subjects_of([fresh], tmp_path / "elsewhere.corpus")


# Several runs


def test_several_runs_are_compared(reviewed: Path, wiki: Path, tmp_path: Path) -> None:
    judge(wiki, [("n0", "yes"), ("n1", "yes"), ("n2", "no"), *((f"l{i}", "no") for i in range(6))])
    subjects = subjects_of([reviewed, wiki])
    assert [subject.name for subject in subjects] == ["Chess (chess.run)", "Chess (wiki.run)"]
    html = report_html(subjects)
    text = visible(html)
    learned, laplace = (
        np.array([subject.results["rankings"][key]["at_k"]["value"] for subject in subjects])
        for key in ("learned", "laplace")
    )
    found = compare(learned, laplace)
    assert f"signed-rank test gives p = {found.wilcoxon:.3f}" in text
    assert f"ahead in {found.ahead}, behind in {found.behind}" in text
    for subject in subjects:
        value = subject.results["rankings"]["laplace"]["at_k"]
        assert f"{subject.name} {value['value']:.3f} {value['low']:.3f} to {value['high']:.3f}" in text
    anchors = [value for name, value in parsed(html).attributes if name == "href" and (value or "").startswith("#")]
    ids = [value for name, value in parsed(html).attributes if name == "id"]
    assert anchors == ["#run-1", "#run-2"]
    assert len(set(ids)) == len(ids)
    assert {anchor[1:] for anchor in anchors if anchor} <= set(ids)


def test_several_runs_of_which_some_are_not_judged(reviewed: Path, wiki: Path) -> None:
    text = visible(report_html(subjects_of([reviewed, wiki])))
    assert "Not yet judged: Chess (wiki.run)." in text
    assert "signed-rank" not in text


def test_no_run_is_no_report() -> None:
    with pytest.raises(InputError, match="at least one run"):
        subjects_of([])
    with pytest.raises(InputError, match="at least one run"):
        report_html([])


# The command


def test_report_writes_one_file(reviewed: Path, cli: Cli, tmp_path: Path) -> None:
    result = cli("report", reviewed, "-o", tmp_path / "x.html")
    assert re.fullmatch(r".*x\.html: 1 run, \d+ kB\n", result.stdout)
    assert (tmp_path / "x.html").read_text(encoding="utf-8") == report_html(subjects_of([reviewed]))
    assert not list(tmp_path.glob("*.partial"))


def test_report_goes_beside_the_run_by_default(fresh: Path, cli: Cli, refused: Refused) -> None:
    cli("report", fresh)
    assert fresh.with_suffix(".html").is_file()
    assert "is there already" in refused("report", fresh)
    assert cli("report", fresh, "--overwrite").exit_code == 0


def test_report_refuses_what_it_cannot_do(fresh: Path, refused: Refused, tmp_path: Path) -> None:
    assert "should end in .html, .csv or .wiki" in refused("report", fresh, "-o", tmp_path / "x.pdf")
    assert "name one of them" in refused("report", fresh, "-o", tmp_path / "a.csv", "--csv", tmp_path / "b.csv")
    assert "nobody has judged" in refused("report", fresh, "-o", tmp_path / "x.csv")
    assert "there is no such run folder" in refused("report", tmp_path / "none.run")
    assert "cannot write" in refused("report", fresh, "-o", tmp_path / "no" / "x.html")
    (tmp_path / "d.html").mkdir()
    assert "is no file" in refused("report", fresh, "-o", tmp_path / "d.html", "--overwrite")
    assert not (tmp_path / "x.csv").exists()


def test_the_same_from_python(fresh: Path, tmp_path: Path) -> None:
    pw.write_report(fresh, tmp_path / "x.html", top=2)
    assert "The first 2 of" in visible((tmp_path / "x.html").read_text(encoding="utf-8"))
    with pytest.raises(AlreadyExists):
        pw.write_report([fresh], tmp_path / "x.html")
    with pytest.raises(InputError, match="at least one candidate"):
        pw.write_report(fresh, tmp_path / "y.html", top=0)
    with pytest.raises(BrokenFile):
        Subject.of(tmp_path)
