"""Papers' experiments: tables, cells that outlast a kill, collections, and each experiment from end to end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_recall_fscore_support

import priorwise as pw
from paper_collections import GROUPS, STOP_WORDS, write_collections
from priorwise.errors import InputError, MissingExtra, UnknownName
from priorwise.papers import bernoulli, page, results, webscale
from priorwise.papers.bernoulli_cells import METHODS, Judged, Outcome, distance, judge
from priorwise.papers.bernoulli_tables import PUBLISHED
from priorwise.papers.data import COLLECTIONS, Data, MissingCollection, data_folder
from priorwise.papers.experiment import HOMES, Findings, Session, find_experiment
from priorwise.papers.figure import Curves
from priorwise.papers.results import Results
from priorwise.papers.split import split_of
from priorwise.papers.table import Cell, Table
from priorwise.papers.webscale_cells import METHODS as MANY_CLASSES
from priorwise.papers.webscale_cells import accuracy, number_of
from priorwise.papers.webscale_data import Classes, one_class

OURS = ("bernoulli", "webscale")
VALUES = st.one_of(st.none(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text())


@pytest.fixture(scope="module")
def collections(tmp_path_factory):
    return write_collections(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    """Where all tests of this file keep what they have read."""
    return tmp_path_factory.mktemp("corpora")


def session_of(folder: Path, corpora: Path, path: Path, name: str, only: tuple[str, ...] = ()) -> Session:
    parts = find_experiment(name).chosen(only)
    return Session(Data(folder, corpora), Results(path, quick=True), lambda what, share: None, parts, quick=True)


# Tables and figures


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.tuples(st.text(), st.lists(st.builds(Cell, VALUES, VALUES), min_size=width, max_size=width)), min_size=1
        )
    ),
    st.integers(0, 6),
)
def test_table_goes_through_json(rows, digits):
    table = Table.of("A title", ["method", *map(str, range(len(rows[0][1])))], rows, note="A note.", digits=digits)
    assert Table.from_json(json.loads(json.dumps(table.to_json()))) == table


def test_table_shows_both_numbers_and_the_difference():
    table = Table.of("F1", ["", "a|b"], [("LA", [Cell(0.5, 0.25)]), ("JE", [None]), ("EY", [3])], note="Why.")
    assert "LA  0.500 (0.250, +0.250)" in table.to_text()
    assert table.to_markdown().splitlines() == [
        "**F1**",
        "",
        "|  | a\\|b |",
        "| --- | ---: |",
        "| LA | 0.500 (0.250, +0.250) |",
        "| JE | – |",
        "| EY | 3 |",
        "",
        "Ours (published, difference). Why.",
    ]
    assert table.largest_difference == 0.25
    assert Table.of("F1", ["", "x"], [("LA", [1.0])]).largest_difference == 0.0


def test_table_refuses_a_row_of_another_length():
    with pytest.raises(ValueError, match="row 'LA' of 'F1' has 2 cells"):
        Table.of("F1", ["", "x"], [("LA", [1.0, 2.0])])


CURVES = Curves("up", "Up it goes", "classes", "accuracy", {"a": [(1, 0.5), (10, 0.75)], "b": [(1, 0.5)]}, log_x=True)


def test_curves_go_through_json():
    assert Curves.from_json(json.loads(json.dumps(CURVES.to_json()))) == CURVES


def test_curves_are_drawn_the_same_each_time(tmp_path):
    pytest.importorskip("matplotlib", reason="figures need the extra 'plots'")
    first = CURVES.draw(tmp_path).read_bytes()
    assert first.startswith(b"\x89PNG")
    assert CURVES.draw(tmp_path).read_bytes() == first


def test_page_without_matplotlib_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"priorwise\[plots\]"):
        CURVES.draw(tmp_path)
    table = Table.of("F1", ["", "x"], [("LA", [1.0])])
    remarks = page.write_page(bernoulli.EXPERIMENT, Findings(("Words.", CURVES, table)), tmp_path, "command")
    assert remarks == ["no figures were drawn: this needs the package 'matplotlib': pip install 'priorwise[plots]'"]
    written = (tmp_path / "bernoulli.md").read_text(encoding="utf-8")
    assert "up.png" not in written
    assert "Words." in written
    assert table.to_markdown() in written


# Cells


def test_cell_is_computed_once(tmp_path):
    path = tmp_path / "deep" / "x.jsonl"
    calls = []
    for _ in range(2):
        found = Results(path, quick=False)
        value = found.cell({"b": 1, "a": [2, "é"]}, lambda: calls.append(1) or {"pair": (1, 2.5)})
        assert value == {"pair": [1, 2.5]}
        assert found.has({"a": [2, "é"], "b": 1})
    assert len(calls) == 1
    assert (found.computed, found.reused) == (0, 1)


def test_cell_of_other_settings_or_another_version_is_not_reused(tmp_path, monkeypatch):
    path = tmp_path / "x.jsonl"
    assert Results(path, quick=False).cell({"a": 1}, lambda: "first") == "first"
    assert Results(path, quick=True).cell({"a": 1}, lambda: "quick") == "quick"
    assert Results(path, quick=False).cell({"a": 2}, lambda: "other") == "other"
    monkeypatch.setattr(results, "__version__", "999")
    assert Results(path, quick=False).cell({"a": 1}, lambda: "later") == "later"
    assert len(path.read_bytes().splitlines()) == 4


@pytest.mark.parametrize("torn", [b'{"key": {"a"', b"\xff\xfe", b"[1, 2]", b'{"key": {}}', b"7\n"])
def test_a_line_that_is_not_whole_counts_as_not_there(tmp_path, torn):
    path = tmp_path / "x.jsonl"
    Results(path).cell({"a": 1}, lambda: 1)
    with path.open("ab") as file:
        file.write(torn)
    again = Results(path)
    assert again.cell({"a": 1}, lambda: 0) == 1
    assert again.cell({"a": 2}, lambda: 2) == 2
    last = Results(path)
    assert [last.cell({"a": a}, lambda: 0) for a in (1, 2)] == [1, 2]


def test_a_value_that_json_cannot_hold_is_not_kept(tmp_path):
    path = tmp_path / "x.jsonl"
    with pytest.raises(ValueError, match="JSON"):
        Results(path).cell({"a": 1}, lambda: float("nan"))
    assert not path.exists()


def test_forgetting_computes_anew(tmp_path):
    found = Results(tmp_path / "x.jsonl")
    found.cell({"a": 1}, lambda: 1)
    found.forget()
    assert found.cell({"a": 1}, lambda: 2) == 2
    found.forget()
    found.forget()


def test_what_was_finished_outlasts_a_kill(tmp_path, environment):
    script = """
import os, signal, sys
from pathlib import Path
from priorwise.papers.results import Results
found = Results(Path(sys.argv[1]))
for n in range(5):
    found.cell({"n": n}, lambda: os.kill(os.getpid(), signal.SIGKILL) if n == 3 else n * n)
"""
    path = tmp_path / "x.jsonl"
    killed = subprocess.run([sys.executable, "-c", script, str(path)], env=environment, check=False)
    assert killed.returncode == -9
    again = Results(path)
    assert [again.cell({"n": n}, lambda n=n: n * n) for n in range(5)] == [0, 1, 4, 9, 16]
    assert (again.reused, again.computed) == (3, 2)


# Collections


def test_missing_collection_says_what_to_get(tmp_path):
    with pytest.raises(MissingCollection, match=r"Ohsumed is not in .*ohsumed-first-20000-docs\.tar\.gz.*--data"):
        Data(tmp_path, tmp_path).path("ohsumed")


def test_data_folder_comes_from_the_option_or_the_environment(tmp_path, monkeypatch):
    monkeypatch.delenv("PRIORWISE_DATA", raising=False)
    with pytest.raises(InputError, match="--data DIR or the environment variable PRIORWISE_DATA"):
        data_folder(None)
    monkeypatch.setenv("PRIORWISE_DATA", str(tmp_path))
    assert data_folder(None) == tmp_path
    with pytest.raises(InputError, match="there is no folder"):
        data_folder(tmp_path / "none")


def test_corpus_is_read_once_and_again_when_the_files_change(tmp_path):
    folder = tmp_path / "20-newsgroups" / "sci.oil"
    folder.mkdir(parents=True)
    (folder / "1").write_text("Subject: a\n\nbrent oil")
    data = Data(tmp_path, tmp_path / "cache")
    before = data.fingerprint("newsgroups")
    assert data.corpus("newsgroups").n_documents == 1
    assert len(list((tmp_path / "cache").iterdir())) == 1
    assert data.corpus("newsgroups").checksum == data.corpus("newsgroups").checksum
    assert data.corpus("newsgroups", strip_headers=True).token_id("subject") is None
    assert len(list((tmp_path / "cache").iterdir())) == 2
    (folder / "2").write_text("Subject: b\n\nmore oil")
    assert data.fingerprint("newsgroups") != before
    (tmp_path / "smart-stop-list.txt").write_text("the")
    both = data.fingerprint("newsgroups", "stop-list")
    (tmp_path / "smart-stop-list.txt").write_text("the of")
    assert len({both, data.fingerprint("newsgroups", "stop-list"), data.fingerprint("newsgroups")}) == 3
    assert data.corpus("newsgroups").n_documents == 2


def test_corpus_that_was_damaged_is_read_again(tmp_path, collections):
    data = Data(collections, tmp_path)
    whole = data.corpus("ohsumed", split="train")
    next(tmp_path.iterdir()).joinpath("manifest.json").write_text("{")
    assert data.corpus("ohsumed", split="train").checksum == whole.checksum


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), min_size=1, max_size=6),
    st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), min_size=1, max_size=6),
)
def test_split_counts_words_as_plain_python_does(train, test):
    stems = {"a": "a", "b": "a", "c": "c", "d": "", "e": "e", "f": "f", "g": "g", "h": "c"}
    corpora = [
        pw.Corpus.from_texts([" ".join(words) for words in part], labels=[words[:2] for words in part])
        for part in (train, test)
    ]
    if corpora[0].n_labels == 0:
        return
    split = split_of(*corpora, stop_words={"f"}, word=stems.__getitem__)
    words = sorted({stems[w] for part in train for w in part if w != "f" and stems[w]})
    assert split.words == words
    assert split.labels == sorted({label for part in train for label in part[:2]})
    for X, Y, part in ((split.X_train, split.Y_train, train), (split.X_test, split.Y_test, test)):
        assert X.toarray().tolist() == [
            [sum(w != "f" and stems[w] == word for w in document) for word in words] for document in part
        ]
        assert Y.toarray().tolist() == [[label in document[:2] for label in split.labels] for document in part]


@given(st.lists(st.lists(st.sampled_from("abcde"), unique=True, max_size=3), min_size=1, max_size=8), st.integers(1, 3))
def test_one_class_is_the_rarest_that_is_large_enough(labels, at_least):
    corpus = pw.Corpus.from_texts(["x"] * len(labels), labels=labels)
    sizes = {label: sum(label in each for each in labels) for label in "abcde"}
    expected = {
        row: min(sizes[label] for label in each if sizes[label] >= at_least)
        for row, each in enumerate(labels)
        if any(sizes[label] >= at_least for label in each)
    }
    rows, classes = one_class(corpus, at_least)
    names = corpus.label_names(classes)
    assert rows.tolist() == sorted(expected)
    assert [sizes[name] for name in names] == [expected[row] for row in rows.tolist()]
    assert all(name in labels[row] for row, name in zip(rows.tolist(), names, strict=True))


# Bernoulli


def test_published_f1_fits_the_published_recall_and_precision():
    for source, methods in PUBLISHED["micro"].items():
        for method, (recall, precision, f1) in methods.items():
            if (source, method) != ("newsgroups", "LA"):
                assert f1 == pytest.approx(2 * recall * precision / (recall + precision), abs=0.003)


def test_priors_are_judged_as_scikit_learn_would(collections, corpora, tmp_path):
    session = session_of(collections, corpora, tmp_path / "x", "bernoulli")
    split = bernoulli.load(session, "ohsumed")
    assert not {"the", "1987", "mp3", "don't"} & set(split.words)
    priors = [pw.Beta(0.1, 0.3), pw.JelinekMercer(0.5), pw.TermBeta(2.0)]
    found = judge(split, priors)
    Y, truth = split.Y_train.toarray().astype(int), split.Y_test.toarray().astype(int)
    for p, prior in enumerate(priors):
        model = pw.BernoulliNB(prior).fit(split.X_train, Y)
        assert found["train"][p] == pytest.approx(
            f1_score(Y, model.decision_function(split.X_train) > 0, average=None, zero_division=0)
        )
        outcome = Outcome(*(np.array(found[what][p]) for what in ("found", "decided")), truth.sum(axis=0))
        decided = model.decision_function(split.X_test) > 0
        for average, ours in (("macro", outcome.macro()), ("micro", outcome.micro())):
            precision, recall, f1, _ = precision_recall_fscore_support(truth, decided, average=average, zero_division=0)
            assert ours == pytest.approx((recall, precision, f1))
    left_out = np.zeros(Y.shape, dtype=bool)
    for row in range(len(Y)):
        others = np.arange(len(Y)) != row
        model = pw.BernoulliNB(priors[0]).fit(split.X_train[others], Y[others])
        left_out[row] = model.decision_function(split.X_train[row])[0] > 0
    assert found["loo"][0] == pytest.approx(f1_score(Y, left_out, average=None, zero_division=0))


def test_each_category_gets_its_best_prior_and_a_tie_goes_to_the_nearest():
    priors = [pw.JelinekMercer(mixing) for mixing in (0.1, 0.4, 0.9)]
    first = {"loo": [[0.5, 0.7], [0.5, 0.2]], "train": [[1.0, 0.0], [0.9, 0.0]]}
    second = {"loo": [[0.1, 0.6]], "train": [[1.0, 0.0]], "found": [[4, 1]], "decided": [[4, 4]]}
    cells = [{**first, "found": [[1, 3], [2, 2]], "decided": [[4, 4], [4, 4]]}, second]
    judged = Judged(METHODS["JE"], priors, cells, np.array([4.0, 4.0]))
    assert judged.chosen("loo").tolist() == [1, 0]
    assert judged.chosen("oracle").tolist() == [2, 0]
    nearest = min((0, 2), key=lambda p: distance(priors[p], METHODS["JE"].start))
    assert judged.chosen("train").tolist() == [nearest, 1]
    assert judged.outcome("loo").found.tolist() == [2, 3]
    assert judged.outcome("loo").macro() == pytest.approx((0.625, 0.625, 0.625))


def test_the_oracle_is_never_behind(collections, corpora, tmp_path):
    findings = bernoulli.run(session_of(collections, corpora, tmp_path / "x", "bernoulli", ("reuters", "ohsumed")))
    by_way = next(table for table in findings.tables if table.title.startswith("Macro F1 by"))
    for first in range(0, len(by_way.rows), 3):
        oracle, train, left_out = ([cell.ours for cell in row.cells] for row in by_way.rows[first : first + 3])
        assert np.all(np.array(oracle) >= np.maximum(train, left_out))


# Many classes


def test_accuracy_is_that_of_the_chosen_prior(collections, corpora):
    classes = webscale.PARTS["onet"].read(Data(collections, corpora))
    assert classes.n_classes == 25
    X, y, X_test, y_test = classes.split(3)
    assert (X.shape[0], X_test.shape[0]) == (160, 40)
    assert np.all(np.diff(X.tocsc().indptr) > 0)
    for name, method in MANY_CLASSES.items():
        found = accuracy(classes, method, 3, every=1)
        model = method.model() if method.prior is None else method.model(method.prior(found["number"]))
        assert found["accuracy"] == np.mean(model.fit(X, y).predict(X_test) == y_test)
        if method.prior is not None:
            scores = pw.PriorSearch(model, grid=method.prior.grid()).fit(X, y).trials_["score"]
            assert found["held_out"] >= scores.max(), name
            assert number_of(method.prior(found["number"])) == found["number"]


def test_fewer_classes_are_among_more(collections, corpora):
    classes = webscale.PARTS["wordnet"].read(Data(collections, corpora))
    assert classes.n_classes == 11
    few, more = classes.of_classes(3), classes.of_classes(7)
    assert (few.n_classes, more.n_classes) == (3, 7)
    assert set(few.y.tolist()) < set(more.y.tolist())
    assert few.X.shape[0] == len(few.y) == sum(np.isin(classes.y, few.y))


def test_abstracts_go_to_their_rarest_main_heading(collections, corpora):
    classes = webscale.PARTS["medline"].read(Data(collections, corpora))
    assert isinstance(classes, Classes)
    assert np.bincount(np.unique(classes.y, return_inverse=True)[1]).tolist() == [12] * 5


# From end to end


@pytest.mark.parametrize("name", OURS)
def test_experiment_from_end_to_end_and_again(name, collections, corpora, tmp_path, cli):
    output = tmp_path / "out"
    output.mkdir()
    (output / "corpora").symlink_to(corpora)
    command = ("reproduce", name, "--data", collections, "-o", output, "--quick")
    first = cli(*command)
    assert first.exit_code == 0, first.output
    written = (output / f"{name}.md").read_text(encoding="utf-8")
    assert f"    priorwise reproduce {name} --data DIR --quick\n" in written
    assert f"priorwise {pw.__version__}" in written
    assert "20 Newsgroups: " in written
    assert f"{len(GROUPS)} classes" in written
    found = json.loads((output / f"{name}.json").read_text(encoding="utf-8"))
    assert found["versions"]["priorwise"] == pw.__version__
    tables = [Table.from_json(part["table"]) for part in found["parts"] if "table" in part]
    assert tables
    assert all(table.to_markdown() in written for table in tables)
    again = cli(*command)
    assert ", 0 from an earlier run;" in first.stdout
    assert "\n0 cells computed, " in again.stdout
    assert (output / f"{name}.md").read_text(encoding="utf-8") == written
    assert again.stdout.splitlines()[:-1] == first.stdout.splitlines()[:-1]


@pytest.mark.parametrize(
    ("name", "part", "where"),
    [
        ("bernoulli", "ohsumed", "priorwise.papers.bernoulli.judge"),
        ("webscale", "onet", "priorwise.papers.webscale.accuracy"),
    ],
)
def test_interrupted_experiment_goes_on_where_it_was(name, part, where, collections, corpora, tmp_path, monkeypatch):
    experiment = find_experiment(name)
    whole = session_of(collections, corpora, tmp_path / "whole", name, (part,))
    expected = experiment.run(whole)
    module, function = where.rsplit(".", 1)
    original, calls = getattr(sys.modules[module], function), []

    def third_time_unlucky(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return original(*arguments)

    monkeypatch.setattr(where, third_time_unlucky)
    with pytest.raises(KeyboardInterrupt):
        experiment.run(session_of(collections, corpora, tmp_path / "cut", name, (part,)))
    monkeypatch.setattr(where, original)
    resumed = session_of(collections, corpora, tmp_path / "cut", name, (part,))
    assert experiment.run(resumed).to_json() == expected.to_json()
    assert resumed.results.reused >= 2
    assert resumed.results.computed < whole.results.computed


def test_anew_forgets_what_was_finished(collections, corpora, tmp_path, cli):
    (tmp_path / "corpora").symlink_to(corpora)
    command = ("reproduce", "bernoulli", "--data", collections, "-o", tmp_path, "--quick", "--only", "ohsumed")
    cli(*command)
    assert ", 0 from an earlier run;" in cli(*command, "--anew").stdout


def test_experiments_are_found_by_name():
    for name in OURS:
        assert find_experiment(name).name == name
        assert HOMES[name].endswith(name)
    with pytest.raises(UnknownName, match="did you mean 'ohsumed'"):
        find_experiment("bernoulli").chosen(("ohsumd",))
    assert find_experiment("webscale").chosen(("onet", "newsgroups")) == ("newsgroups", "onet")


def test_mistakes_are_answered_in_one_sentence(tmp_path, collections, refused, monkeypatch):
    monkeypatch.delenv("PRIORWISE_DATA", raising=False)
    assert refused("reproduce", "webscal") == "no experiment 'webscal'; did you mean 'webscale'?"
    assert refused("reproduce", "al") == "no experiment 'al'; did you mean 'all'?"
    assert "say where the collections are" in refused("reproduce", "webscale")
    assert "there is no folder" in refused("reproduce", "webscale", "--data", tmp_path / "none")
    assert "20 Newsgroups is not in" in refused("reproduce", "webscale", "--data", tmp_path, "-o", tmp_path / "out")
    assert "no part of 'webscale' 'medlin'; did you mean 'medline'?" in refused(
        "reproduce", "webscale", "--data", collections, "--only", "medlin"
    )
    assert not (tmp_path / "out").exists()


def test_the_documentation_says_where_each_collection_is_looked_for():
    said = (Path(__file__).parent.parent / "docs" / "results" / "index.md").read_text(encoding="utf-8")
    assert [place for kept in COLLECTIONS.values() for place in kept.places if f"`{place}`" not in said] == []
    assert [name for name in HOMES if f"priorwise reproduce {name} " not in said] == []


def test_stop_words_are_read(collections, tmp_path):
    assert Data(collections, tmp_path).stop_words() == set(STOP_WORDS)
