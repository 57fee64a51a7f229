"""Discover from the command line: choices by name, files of ids, and what is printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import priorwise as pw
from conftest import FAST, Cli, Refused
from priorwise.cli.names import parse_objective
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.demo import DemoDocument
from priorwise.discovery.member_stage import MemberStage
from priorwise.discovery.presence_stage import PresenceStage
from priorwise.errors import InputError
from slow_discovery import rows_of

# Choices


def test_targets_by_name(corpus: Corpus, cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "one.run"
    result = cli("discover", corpus.path, "Chess", "--target", "f1:corpus", "--seeds", "2", "--seed", "3", "-o", path)
    assert result.exit_code == 0, result.output
    expected = discover(corpus, "Chess", target=pw.FBeta(1.0, at_corpus_odds=True), seeds=2, seed=3)
    assert Run.load(path).about == expected.about
    assert Run.load(path).ranking.table.equals(expected.ranking.table)


def test_a_prior_can_be_given_by_name_by_numbers_or_by_the_number_of_tokens(cli: Cli, corpus: Corpus) -> None:
    fixed = discover(corpus, "Astronomy", prior=pw.PseudoCounts(22, 4), seeds=1)
    assert fixed.prior == pw.PseudoCounts(22, 4)
    assert presence_of(fixed).about.given
    perks = discover(corpus, "Astronomy", prior=pw.PseudoCounts.perks, seeds=1)
    assert perks.prior.negative == pytest.approx(1 / presence_of(perks).about.vocabulary)
    common = ["discover", str(corpus.path), "Astronomy", "--seeds", "1", "--show", "0", "--prior"]
    assert "Given prior: λ− = 22, λ+ = 4. It counts 22 more other documents" in cli(*common, "22,4").stdout
    assert "Given prior: λ− = 0.5, λ+ = 0.5. It counts 0.5 more other documents" in cli(*common, "jeffreys").stdout
    assert "each with every word in it." in cli(*common, "22,4").stdout
    assert "with each word as often as in the whole corpus." in cli(*common, "22,4", "--centre", "collection").stdout
    around = discover(corpus, "Astronomy", prior=pw.PseudoCounts(22, 4, centre="collection"), seeds=1)
    assert around.prior == discover(corpus, "Astronomy", prior=fixed.prior, centre="collection", seeds=1).prior
    assert around.prior.centre == "collection"
    for bad in ("haldane", "1,2,3", "x,y", "0,1"):
        assert cli(*common, bad).exit_code == 2
    with pytest.raises(InputError, match="fixes prior"):
        discover(corpus, "Astronomy", prior=pw.PseudoCounts(), paper=True)


# Files of ids


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        (b"%b\n%b\n%b\n", 3),
        (b"\xef\xbb\xbf%b\r\n%b\r\n\r\n  \r\n%b", 3),
        (b"\n\n%b\n%b\n%b\n%b\n\n", 4),
        (b"  %b\t\n%b \n%b\n", 3),
    ],
    ids=["plain", "mark and CRLF", "blank lines and a duplicate", "spaces"],
)
def test_files_of_members(
    corpus: Corpus, documents: list[DemoDocument], cli: Cli, tmp_path: Path, content: bytes, ids: int
) -> None:
    members = [documents[row].id for row in rows_of(documents, "Chess")[:3]]
    file, path = tmp_path / "members.txt", tmp_path / "members.run"
    file.write_bytes(content % tuple([*members, members[0]][i].encode() for i in range(ids)))
    result = cli("discover", corpus.path, "--members", file, *FAST, "-o", path)
    assert result.exit_code == 0, result.output
    about = json.loads((path / "run.json").read_text("utf-8"))
    assert (about["label"], about["members"]) == (None, 3)
    assert not set(members) & set(Run.load(path).ranking.ids)


def test_a_file_to_exclude(corpus: Corpus, documents: list[DemoDocument], cli: Cli, tmp_path: Path) -> None:
    file, path = tmp_path / "exclude.txt", tmp_path / "some.run"
    excluded = [document.id for document in documents[:50]]
    file.write_text("\n".join(excluded), "utf-8")
    assert cli("discover", corpus.path, "Geology", "--exclude", file, *FAST, "-o", path).exit_code == 0
    expected = discover(corpus, "Geology", exclude=excluded, target=pw.FBeta(1.0), search="radial", seeds=1)
    assert Run.load(path).ranking.table.equals(expected.ranking.table)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"doc-00001\ndoc-0002\n", "no document 'doc-0002'; did you mean 'doc-00"),
        (b"nobody\nno one\nneither\n", "3 of 3 ids are not there"),
        (b"\n \n", "there is no id in it"),
        (b"doc-00001\n\xff\xfe\n", "not valid UTF-8"),
        (None, "there is no such file"),
    ],
)
@pytest.mark.parametrize("option", ["--members", "--exclude"])
def test_broken_files_of_ids(
    corpus: Corpus, refused: Refused, tmp_path: Path, option: str, content: bytes | None, says: str
) -> None:
    file = tmp_path / "ids.txt"
    if content is not None:
        file.write_bytes(content)
    label = [] if option == "--members" else ["Chess"]
    sentence = refused("discover", corpus.path, *label, option, file, "-o", tmp_path / "x.run")
    assert sentence.startswith(f"{file}: ")
    assert says in sentence
    assert sorted(tmp_path.iterdir()) == ([file] if content is not None else [])


# What is printed


def presence_of(run: Run) -> PresenceStage:
    stage = run.stage("presence")
    assert isinstance(stage, PresenceStage)
    return stage


def rows_below(text: str, heading: str) -> list[list[str]]:
    """The cells of a table, from the line below the one that has this heading to the next that is empty."""
    lines = text.splitlines()
    begin = next(number for number, line in enumerate(lines) if heading in line) + 1
    end = next((number for number in range(begin, len(lines)) if not lines[number].startswith("  ")), len(lines))
    return [line.split() for line in lines[begin:end]]


def candidates_are_those_of(run: Run, text: str, n: int) -> None:
    assert f"The first {n} of {len(run.ranking):,} candidates:" in text
    shown = text[text.index("The first ") :].splitlines()[2 : 2 + n]
    for row, line in zip(run.ranking.rows(n), shown, strict=True):
        numbers = [str(row["rank"]), f"{row['score']:.3f}", f"{row['probability']:.2f}", f"{row['baseline_rank']:,}"]
        assert line.split()[:4] == numbers
        assert row["title"] in line
        assert line.endswith(row["evidence"])


def test_what_discover_prints_by_default(auto_run: Run, corpus: Corpus, cli: Cli) -> None:
    text = cli("discover", corpus.path, "Chess", "--show", "3").stdout
    members, ranker = len(corpus.members("Chess")), auto_run.ranker
    others = corpus.n_documents - members
    assert text.startswith(f"'Chess': {members} members, {others} other documents\nLearned prior: ")
    assert isinstance(ranker, MemberStage)
    about = ranker.about
    assert auto_run.prior.describe() in text
    assert f"It read {corpus.n_documents} documents" in text
    provisional = round(sum(each.share * each.believed for each in about.tried))
    assert (f"treated about {provisional} candidates as provisional members" in text) == (provisional > 1)
    assert ("other categories as evidence" in text) == (sum(e.share for e in about.tried if e.labels) >= 0.05)
    assert f"typically found at rank {about.typical_rank:.0f}." in text
    missing = auto_run.missing
    assert missing is not None
    assert (
        f"Estimated missing: {missing.expected:.0f} members (80% interval {missing.low:.0f} to {missing.high:.0f})."
        in text
    )
    likely = sum(row["probability"] > 0.5 for row in auto_run.ranking.rows())
    positive = sum(row["score"] > 0 for row in auto_run.baseline.rows())
    assert len(auto_run.ranking) == len(auto_run.baseline) == others, "every candidate is in the rankings"
    candidates = f"{likely:,} candidate{'s' * (likely != 1)}"
    assert f"More likely members than not: {candidates} by the default model, {positive:,} by the baseline\n" in text
    assert "chose which documents to read" not in text
    candidates_are_those_of(auto_run, text, 3)
    assert "The first" not in cli("discover", corpus.path, "Chess", "--show", "0").stdout


def test_what_discover_prints_of_the_presence_model(run: Run, corpus: Corpus, cli: Cli) -> None:
    text = cli("discover", corpus.path, "Chess", "--model", "presence", "--show", "3").stdout
    members = len(corpus.members("Chess"))
    assert text.startswith(f"'Chess': {members} members, {corpus.n_documents - members} other documents\n")
    assert f"Learned prior: λ− = {run.prior.negative:g}, λ+ = {run.prior.positive:g}. It counts " in text
    about = presence_of(run).about
    assert about.learned is not None
    assert about.laplace is not None
    assert "Leave-one-out, 5 samples of other documents:\n" in text
    assert rows_below(text, "average precision  members found") == [
        ["learned", f"{about.learned.score:.4f}", f"{about.learned.sensitivity:.1%}"],
        ["baseline", f"{about.laplace.score:.4f}", f"{about.laplace.sensitivity:.1%}"],
    ]
    by_presence, by_baseline = (sum(row["score"] > 0 for row in each.rows()) for each in (run.ranking, run.baseline))
    candidates = f"{by_presence:,} candidate{'s' * (by_presence != 1)}"
    assert f"than not: {candidates} by the presence model, {by_baseline:,} by the baseline\n" in text
    assert "Estimated missing" not in text, "only the default model estimates it"
    candidates_are_those_of(run, text, 3)


@pytest.mark.parametrize(("n", "is_guess"), [(9, True), (10, False)])
def test_the_estimate_of_a_small_category_is_called_a_guess(
    corpus: Corpus, cli: Cli, tmp_path: Path, n: int, is_guess: bool
) -> None:
    ids = tmp_path / "ids"
    ids.write_text("\n".join(corpus.ids(corpus.members("Geology")[:n])), "utf-8")
    text = cli("discover", corpus.path, "--members", ids, "--show", "0").stdout
    assert text.startswith(f"A list of members: {n} members, ")
    assert ("With so few members this is a rough guess." in text) == is_guess


# Which models take part


def test_a_small_corpus_needs_no_presence_model(
    corpus: Corpus, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def learned(*args: object, **kwargs: object) -> None:
        raise AssertionError("a presence model was learned")

    monkeypatch.setattr("priorwise.discovery.finding.learn", learned)
    assert cli("discover", corpus.path, "Chess", "-o", tmp_path / "x.run").exit_code == 0
    assert [(stage.name, stage.role) for stage in Run.load(tmp_path / "x.run").stages] == [
        ("baseline", "compares"),
        ("members", "ranks"),
    ]
    assert not {"presence.model", "terrain.parquet", "trials.csv"} & {
        each.name for each in (tmp_path / "x.run").iterdir()
    }


@pytest.mark.parametrize("name", ["default", "auto"])
def test_a_presence_model_that_was_asked_for_is_there_to_compare(
    auto_run: Run, run: Run, corpus: Corpus, cli: Cli, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "x.run"
    text = cli("discover", corpus.path, "Chess", "--model", name, "--seeds", "2", "-o", path).stdout
    assert "by the default model" in text
    assert "chose which documents to read" not in text
    both = Run.load(path)
    assert [(stage.name, stage.role) for stage in both.stages] == [
        ("baseline", "compares"),
        ("presence", "compares"),
        ("members", "ranks"),
    ]
    assert both.ranking.table.equals(auto_run.ranking.table), "it changes nothing in the ranking"
    assert presence_of(both).about.seeds == (0, 1)
    assert both.compared.name == "baseline"
    assert both.terrain.score.shape == run.terrain.score.shape


def test_a_large_corpus_is_narrowed_by_a_presence_model(
    corpus: Corpus, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_most = 300
    monkeypatch.setattr("priorwise.discovery.finding.READ_AT_MOST", at_most)
    text = cli("discover", corpus.path, "Chess", "-o", tmp_path / "x.run").stdout
    assert f"It read {at_most} documents" in text
    assert "\nThe presence model chose which documents to read.\n" in text
    found = Run.load(tmp_path / "x.run")
    assert [(stage.name, stage.role) for stage in found.stages[1:]] == [("presence", "narrows"), ("members", "ranks")]
    assert len(found.ranking) == corpus.n_documents - found.about.members, "all are ranked, whether read or not"


def test_a_degenerate_optimum_is_said(cli: Cli, corpus: Corpus) -> None:
    for target in ("ppv", "average-precision"):
        found = discover(corpus, "Geology", target=parse_objective(target))
        text = cli("discover", corpus.path, "Geology", "--target", target).stdout
        assert ("Note: " in text) == bool(presence_of(found).about.remark)
