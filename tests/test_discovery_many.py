"""Many categories at once: each as if it were alone, but for what they share."""

from __future__ import annotations

import html
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest

import priorwise.discovery.many as many
from conftest import FAST, Cli, Refused, contents
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.many import RunFolders, about_run, discover_many, discover_runs
from priorwise.discovery.presence_stage import SharedSample, draw_training
from priorwise.discovery.run import SharedLearning
from priorwise.durable import held
from priorwise.engines.engine import Local
from priorwise.errors import AlreadyExists, BrokenFile, InputError, NotEnoughData, UnknownName
from priorwise.models.naive_bayes.terrain import LENGTH_POWERS, choose_prior
from priorwise.priors import PseudoCounts
from priorwise.search import AveragePrecision
from slow_discovery import facts_of

NOBODY = np.empty(0, np.int64)


@pytest.fixture(scope="module")
def labels(corpus: Corpus) -> list[str]:
    return [label for label, size in corpus.largest_labels(4) if size < corpus.n_documents]


def rows_of(table: pa.Table, label: str) -> pa.Table:
    return table.filter(np.equal(table["label"].to_numpy(zero_copy_only=False), label)).drop_columns(["label"])


def test_a_prior_is_the_one_that_discover_chooses_from_the_same_sample(
    corpus: Corpus, labels: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With every other document as a negative, the sample is the same; so are the counts, and so is the choice."""
    monkeypatch.setattr(many, "SHARED", corpus.n_documents)
    monkeypatch.setattr("priorwise.discovery.presence_stage.JUDGED_PER_MEMBER", corpus.n_documents)
    kind = PseudoCounts(centre="collection")
    for label in labels:
        found = discover_many(corpus, [label], top=20, model="presence")
        training = draw_training(corpus, corpus.members(label), NOBODY, seeds=[0])
        choice = choose_prior(
            [training.samples[0].leave_one_out(kind)],
            AveragePrecision(),
            grid=kind.strength_grid[:: many.GRID_STEP],
            negative_weight=training.negative_weight,
            length_powers=LENGTH_POWERS,
        )
        (row,) = found.labels.to_pylist()
        assert row["prior"] == repr(choice.prior)
        assert row["missing"] is None
        assert row["length_power"] == choice.length_power
        assert row["leave_one_out"] == pytest.approx(choice.score)
        # And a run with that prior ranks as this does.
        run = discover(corpus, label, prior=choice.prior, top=20)
        if facts_of(run).length_power == choice.length_power:
            assert found.candidates["id"].to_pylist() == run.ranking.ids
            np.testing.assert_array_equal(found.candidates["score"].to_numpy(), run.ranking.table["score"].to_numpy())
            assert found.candidates["evidence"].to_pylist() == run.ranking.table["evidence"].to_pylist()


def test_a_shared_sample_is_without_the_members_and_the_excluded(corpus: Corpus, labels: list[str]) -> None:
    members, excluded = corpus.members(labels[0]), np.arange(7)
    members = np.setdiff1d(members, excluded)
    shared = SharedSample.draw(corpus, excluded, size=90, seed=3)
    assert len(shared.rows) == 90
    training = draw_training(corpus, members, excluded, seeds=[0], shared=shared)
    (sample,) = training.samples
    expected = np.setdiff1d(shared.rows, members)
    np.testing.assert_array_equal(sample.negatives, expected)
    assert len(expected) < 90
    assert not np.isin(expected, excluded).any()
    # Each case has the tokens of its document that some member has.
    cases = sample.cases
    for case, row in enumerate(expected.tolist(), len(members)):
        own = training.features[cases.tokens[cases.indptr[case] : cases.indptr[case + 1]]]
        np.testing.assert_array_equal(np.sort(own), np.intersect1d(corpus.take([row])[1], training.features))
    all_members = SharedSample(3, members[:2], *corpus.take(members[:2]))
    own_sample = draw_training(corpus, members, excluded, seeds=[0], shared=all_members)
    assert len(own_sample.samples[0].negatives) > 2


def test_rankings_are_those_of_the_learned_weights(corpus: Corpus, labels: list[str]) -> None:
    found = discover_many(corpus, labels, top=25, model="presence")
    assert found.labels["label"].to_pylist() == labels
    assert len(set(found.labels["length_power"].to_pylist())) == 1
    together = many._together(corpus, labels, (), Local(), {"model": "presence"})
    for label in labels:
        learned = together.learn(label)
        scores = Local().score_corpus(corpus, learned.scorer)
        scores[corpus.members(label)] = -np.inf
        best = np.lexsort((np.arange(len(scores)), -scores))[:25]
        rows = rows_of(found.candidates, label)
        assert rows["id"].to_pylist() == corpus.ids(best)
        assert rows["rank"].to_pylist() == list(range(1, 26))
        np.testing.assert_array_equal(rows["score"].to_numpy(), scores[best])
        evidence = rows["evidence"][0].as_py().split()
        assert len(evidence) == 5
        table = learned.scorer.table(corpus.n_vocabulary)
        own = corpus.take(best[:1])[1]
        token, _, weight = evidence[0].rpartition(":")
        assert abs(table[corpus.token_id(token)]) == np.abs(table[own]).max()
        assert float(weight) == pytest.approx(table[corpus.token_id(token)], abs=0.005)


def test_runs_hold_the_same_rankings(corpus: Corpus, labels: list[str]) -> None:
    excluded = corpus.ids([1, 2, 3])
    choices: dict[str, Any] = {"model": "presence", "top": 25, "exclude": excluded}
    found = discover_many(corpus, labels, **choices)
    runs = list(discover_runs(corpus, labels, **choices))
    for label, run in zip(labels, runs, strict=True):
        rows = rows_of(found.candidates, label)
        assert rows.equals(run.ranking.table.select(rows.column_names).cast(rows.schema))
        assert run.about.together == SharedLearning(len(labels), 397, 2)
        assert not set(run.ranking.ids) & set(excluded)
    by_run = pa.concat_tables(map(about_run, runs))
    exact = ["label", "members", "prior", "length_power"]
    assert found.labels.select(exact).equals(by_run.select(exact))
    # A grid's value is read off bins, the run's own from the scores; where many are ranked, signs are to rounding.
    np.testing.assert_allclose(by_run["leave_one_out"], found.labels["leave_one_out"], atol=0.02)
    np.testing.assert_allclose(by_run["predicted_positive"], found.labels["predicted_positive"], atol=2)
    left = discover_runs(corpus, labels, **choices, done=labels[1:])
    assert [run.ranking.table.equals(runs[0].ranking.table) for run in left] == [True]


@pytest.mark.parametrize("choices", [{"seeds": 1, "model": "presence"}, {"paper": True}, {}])
def test_with_samples_of_their_own_each_is_as_if_alone(corpus: Corpus, choices: dict[str, Any], tmp_path: Path) -> None:
    labels = ["Chess", "Geology"]
    found = discover_many(corpus, labels, top=15, **choices)
    for label, run in zip(labels, discover_runs(corpus, labels, top=15, **choices), strict=True):
        alone = discover(corpus, label, top=15, **choices)
        for name, each in (("a", alone), ("b", run)):
            each.save(tmp_path / f"{label}.{name}.run")
        assert contents(tmp_path / f"{label}.a.run") == contents(tmp_path / f"{label}.b.run")
        rows = rows_of(found.candidates, label)
        assert rows.equals(alone.ranking.table.select(rows.column_names).cast(rows.schema))
        (about,) = found.labels.filter(
            np.equal(found.labels["label"].to_numpy(zero_copy_only=False), label)
        ).to_pylist()
        missing = alone.missing
        expected = (None,) * 3 if missing is None else (missing.expected, missing.low, missing.high)
        assert (about["missing"], about["missing_low"], about["missing_high"]) == expected
        assert (about["prior"], about["predicted_positive"]) == (repr(alone.prior), alone.ranker.predicted)


def test_groups_and_threads_change_nothing(corpus: Corpus, labels: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[float] = []
    choices: dict[str, Any] = {"model": "presence", "top": 9}
    one = discover_many(corpus, labels, **choices, engine=Local(1), progress=lambda what, share: told.append(share))
    assert told[-1] == 1.0
    monkeypatch.setattr(many, "AT_ONCE", 2)
    monkeypatch.setattr(many, "PER_TASK", 1)
    other = discover_many(corpus, labels, **choices, engine=Local(3))
    assert other.candidates.equals(one.candidates)


def test_what_cannot_be_learned_is_refused(corpus: Corpus) -> None:
    with pytest.raises(InputError, match="at least one category"):
        discover_many(corpus, [])
    with pytest.raises(InputError, match="'Chess' is listed twice"):
        discover_many(corpus, ["Chess", "Chess"])
    with pytest.raises(UnknownName, match="no category 'Ches'"):
        discover_many(corpus, ["Ches"])
    with pytest.raises(InputError, match="words and a description belong to one category"):
        discover_many(corpus, ["Chess"], model="default", description="a game")
    with pytest.raises(InputError, match="has no subcategories"):
        discover_many(corpus, ["Chess"], subcategory_depth=1)
    with pytest.raises(InputError, match="top must be at least 1"):
        discover_many(corpus, ["Chess"], top=0)
    made = Corpus.from_texts(["a", "b", "c"], labels=["one", None, None])
    with pytest.raises(NotEnoughData, match="'one' has 1 member, of 3 documents"):
        discover_many(made, ["one"])
    with pytest.raises(NotEnoughData, match="'Chess' has 0 members after the exclusions"):
        discover_many(corpus, ["Chess"], exclude=corpus.ids(corpus.members("Chess")))


def test_a_table_by_the_command(cli: Cli, refused: Refused, corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_text("Chess\n\nChess\n")
    from_file = ("discover", corpus.path, "--categories-from", tmp_path / "labels.txt", "--keep", 5)
    from_file += ("--model", "presence")
    result = cli(*from_file, "-o", tmp_path / "x.parquet")
    assert result.exit_code == 0
    assert "5 candidates for 1 category" in result.stdout
    expected = discover_many(corpus, ["Chess"], model="presence", top=5)
    assert pq.read_table(tmp_path / "x.parquet").equals(expected.candidates)
    assert pq.read_table(tmp_path / "x.labels.parquet").equals(expected.labels)
    first = expected.candidates["title"][0].as_py()
    shown = cli(*from_file).stdout.splitlines()
    assert shown[1].split()[0] == "Chess"
    assert shown[2] == ""
    assert "does not estimate how many members are missing. The default model does" in shown[3]
    assert len(shown) == 4
    assert first in shown[1]
    again = cli(*from_file, "-o", tmp_path / "x.parquet").stdout
    assert again == f"{tmp_path / 'x.parquet'} is up to date.\n\n{result.stdout}"
    said = refused(*from_file, "--seed", 3, "-o", tmp_path / "x.parquet")
    assert "x.parquet is there already and was made differently: --seed changed" in said
    (tmp_path / "x.parquet.asked.json").unlink()
    assert "x.parquet is there already; choose" in refused(*from_file, "-o", tmp_path / "x.parquet")
    every = ("discover", corpus.path, "--all-categories", "--keep", 2, *from_file[-2:], "-o", tmp_path / "all.csv")
    assert cli(*every, "--min-members", 2).exit_code == 0
    assert csv.read_csv(tmp_path / "all.csv").num_rows == 2 * csv.read_csv(tmp_path / "all.labels.csv").num_rows
    before = contents(tmp_path)
    first, again = (
        cli(*every, "--min-members", 2, "--overwrite", "--json").stdout,
        cli(*every, "--min-members", 2, "--json"),
    )
    assert again.stdout == first
    assert "all.csv is up to date" in again.stderr
    assert contents(tmp_path) == before
    with (tmp_path / "all.csv").open("a") as table:
        table.write("somebody's own line\n")
    assert "all.csv is there already; choose" in refused(*every, "--min-members", 2)
    (tmp_path / "all.csv.asked.json").write_text("[]")
    assert "all.csv.asked.json: damaged" in refused(*every, "--min-members", 2)
    assert "has 5,000 members" in refused(*every, "--min-members", 5000, "--overwrite")


def test_two_jobs_do_not_share_a_folder_of_runs(refused: Refused, corpus: Corpus, tmp_path: Path) -> None:
    with held(tmp_path / "x.runs", lock_name=".job.lock"):
        said = refused("discover", corpus.path, "--all-categories", "--min-members", 2, "--runs", tmp_path / "x.runs")
    assert "x.runs is being written by process" in said
    assert not (tmp_path / "x.runs").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["Chess", "--all-categories"], "go without CATEGORY"),
        (["--all-categories", "--categories-from", "x"], "either --categories-from"),
        (["--categories-from", "x", "--min-members", "5"], "goes with --all-categories"),
        (["Chess", "--min-members", "5"], "--min-members is about many categories"),
        (["Chess", "--runs", "x"], "--runs is about many categories"),
        (["--all-categories", "-o", "y.txt"], "must end in .parquet or .csv"),
        (["--all-categories", "-o", "y.csv", "--runs", "x"], "either -o TABLE or --runs"),
        (["--all-categories", "--depth", "2"], "needs --runs"),
        (["--all-categories", "--master", "yarn"], "needs --engine spark"),
        (["--categories-from", "nothing.txt"], "nothing.txt"),
    ],
)
def test_what_does_not_go_together(refused: Refused, corpus: Corpus, words: list[str], says: str) -> None:
    assert says in refused("discover", corpus.path, *words)


def test_a_run_for_each_label_by_the_command(cli: Cli, refused: Refused, corpus: Corpus, tmp_path: Path) -> None:
    """Interrupted, it goes on; and each folder is a run like any other."""
    names = ["Chess", "Geology", "Weaving"]
    labels = tmp_path / "labels.txt"
    labels.write_text("\n".join(names))
    call = ("discover", corpus.path, "--categories-from", labels, "--keep", 8, "--runs", tmp_path / "all")
    call += ("--model", "presence")
    (tmp_path / "wrong.txt").write_text("Chess\nChoss")
    wrong = ("discover", corpus.path, "--categories-from", tmp_path / "wrong.txt", "--runs", tmp_path / "all")
    assert "no category 'Choss'; did you mean 'Chess'" in refused(*wrong)
    assert not (tmp_path / "all").exists()
    assert "all: 3 runs; labels.csv" in cli(*call).stdout
    folders = ["1-Chess.run", "2-Geology.run", "3-Weaving.run"]
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == [*folders, "labels.csv", "runs.json"]
    table = csv.read_csv(tmp_path / "all" / "labels.csv")
    assert table["run"].to_pylist() == folders
    assert table["label"].to_pylist() == names
    before = {name: (tmp_path / "all" / name / "run.json").stat().st_mtime_ns for name in folders}
    # As a kill leaves it: one run is missing.
    again = tmp_path / "all" / "2-Geology.run"
    first = Run.load(again).ranking.table
    shutil.rmtree(again)
    assert "all: 3 runs, 2 of them from before" in cli(*call).stdout
    after = {name: (tmp_path / "all" / name / "run.json").stat().st_mtime_ns for name in folders}
    assert [name for name in folders if before[name] != after[name]] == ["2-Geology.run"]
    assert Run.load(again).ranking.table.equals(first)

    run = tmp_path / "all" / "1-Chess.run"
    candidate = Run.load(run).ranking.ids[0]
    assert candidate in cli("explain", run, candidate).stdout
    assert cli("report", run, "-o", tmp_path / "x.html").exit_code == 0
    page = html.unescape((tmp_path / "x.html").read_text())
    assert "priorwise discover made-up.corpus --categories-from '…' --model presence --keep 8 --runs '…'" in page
    assert "is there already" in refused(*call, *FAST[:2])
    assert cli(*call, *FAST[:2], "--overwrite").exit_code == 0
    assert facts_of(Run.load(run)).target == "f1"
    assert cli("review", run, "--export", tmp_path / "sheet.csv").exit_code == 0
    assert len((tmp_path / "sheet.csv").read_text().splitlines()) > 8


def test_folders_of_runs_are_not_replaced_lightly(corpus: Corpus, run: Run, tmp_path: Path) -> None:
    folders = RunFolders(tmp_path / "x", ["Chess", "a/../b"], {"a": 1})
    assert list(folders.names.values()) == ["1-Chess.run", "2-a-b.run"]
    folders.begin()
    folders.save(run)
    assert folders.done == ["Chess"]
    with pytest.raises(BrokenFile, match="2-a-b"):
        folders.finish()
    with pytest.raises(AlreadyExists):
        RunFolders(tmp_path / "x", ["Chess"], {"a": 2})
    (tmp_path / "x" / "1-Chess.run" / "verdicts.sqlite").touch()
    with pytest.raises(InputError, match="was reviewed"):
        RunFolders(tmp_path / "x", ["Chess"], {"a": 2}, overwrite=True).begin()
    (tmp_path / "y").mkdir()
    (tmp_path / "y" / "letter.txt").touch()
    with pytest.raises(AlreadyExists, match="is not a folder of runs"):
        RunFolders(tmp_path / "y", ["Chess"], {}, overwrite=True)
    (tmp_path / "x" / "runs.json").write_text("{")
    with pytest.raises(BrokenFile, match="damaged"):
        RunFolders(tmp_path / "x", ["Chess"], {"a": 2}, overwrite=True).begin()
