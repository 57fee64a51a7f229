"""Blind review: the list, the verdicts, the agreement, the results."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import reference_review as slow
from conftest import SOURCE
from priorwise.discovery import Run
from priorwise.errors import BrokenFile, InputError
from priorwise.ranking.judged_lists import area_between, bootstrap_ppv, compare_lists, ppv_curve
from priorwise.ranking.table import Ranking
from priorwise.review import Choices, Verdict, Verdicts, cohen_kappa, decisions, items_of, results
from priorwise.review.agreement import agreements
from priorwise.review.results import results_of

WORDS = st.sampled_from(["yes", "no", "unsure"])


@pytest.fixture
def verdicts(tmp_path: Path) -> Iterator[Verdicts]:
    opened = Verdicts(tmp_path / "verdicts.sqlite")
    yield opened
    opened.close()


# The list


def test_the_list_is_both_rankings_merged(run: Run) -> None:
    items = items_of(run, Choices(top=20))
    assert {item.id for item in items} == {*run.ranking.ids[:20], *run.baseline.ids[:20]}
    assert len({item.id for item in items}) == len(items)


def test_the_order_depends_on_the_documents_and_the_seed_only(run: Run) -> None:
    swapped = Run(run.about, run.baseline, run.ranking, run.model, run.terrains, run.trials)
    assert items_of(run) == items_of(swapped)
    assert items_of(run, Choices(seed=1)) != items_of(run)
    assert items_of(run, Choices(seed=1)) == items_of(run, Choices(seed=1))
    titles = [item.title.casefold() for item in items_of(run, Choices(order="title"))]
    assert titles == sorted(titles)


def with_status(run: Run, status: list[str]) -> Run:
    def marked(ranking: Ranking) -> Ranking:
        of = dict(zip(run.ranking.ids, status, strict=False))
        values = [of.get(id, "new") for id in ranking.ids]
        place = ranking.table.schema.get_field_index("status")
        return Ranking(ranking.table.set_column(place, "status", [values]))

    return Run(run.about, marked(run.ranking), marked(run.baseline), run.model, run.terrains, run.trials)


def test_documents_of_subcategories_are_members_unless_they_are_judged(run: Run) -> None:
    marked = with_status(run, ["subcategory", "new", "subcategory"])
    first, second, third = run.ranking.ids[:3]
    asked = {item.id for item in items_of(marked)}
    assert {first, third}.isdisjoint(asked)
    assert second in asked
    assert {first, third} <= {item.id for item in items_of(marked, Choices(subcategories=True))}
    found = results_of(marked, [Verdict("1", "Ada", third, "no")], k=3)["rankings"]["learned"]
    assert found["ppv"][:3] == [1.0, 0.5, pytest.approx(1 / 3)]
    assert found["counts_at_k"] == {"yes": 0, "no": 1, "unsure": 0, "subcategory": 1, "unjudged": 1}


@pytest.mark.parametrize("wrong", [{"top": 0}, {"order": "rank"}, {"seed": -1}])
def test_choices_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        Choices(**wrong)  # type: ignore[arg-type]


# The verdicts


def test_the_last_word_counts_and_nothing_is_forgotten(verdicts: Verdicts) -> None:
    verdicts.add(Verdict("1", "Ada", "a", "no"))
    verdicts.add(Verdict("2", "Bob", "a", "no"))
    verdicts.add(Verdict("3", "Ada", "a", "yes", previous="1", seconds=2.5))
    verdicts.add(Verdict("4", "Ada", "b", "skip"))
    verdicts.add(Verdict("5", "Ada", "b", "withdrawn", previous="4"))
    assert [(v.reviewer, v.item, v.verdict) for v in verdicts.current()] == [("Bob", "a", "no"), ("Ada", "a", "yes")]
    assert [v.id for v in verdicts.current("Ada")] == ["3"]
    assert [(v.id, v.previous, v.seconds) for v in verdicts.log()][2] == ("3", "1", 2.5)
    assert len(verdicts.log()) == 5


def test_a_verdict_that_is_sent_again_is_stored_once(verdicts: Verdicts) -> None:
    first = verdicts.add(Verdict("1", "Ada", "a", "no"))
    verdicts.add(Verdict("2", "Ada", "a", "yes", previous="1"))
    assert verdicts.add(Verdict("1", "Ada", "a", "no")) == first
    assert [v.verdict for v in verdicts.current()] == ["yes"]
    with pytest.raises(InputError, match="identity"):
        verdicts.add(Verdict("1", "Ada", "a", "yes"))


@pytest.mark.parametrize(
    "wrong", [("", "Ada", "a", "yes"), ("1", " ", "a", "yes"), ("1", "x" * 101, "a", "yes"), ("1", "Ada", "a", "maybe")]
)
def test_wrong_verdicts_are_refused(wrong: tuple[str, str, str, str]) -> None:
    with pytest.raises(InputError):
        Verdict(*wrong)


def test_several_are_stored_all_or_none(verdicts: Verdicts) -> None:
    def some() -> Iterator[Verdict]:
        yield Verdict("1", "Ada", "a", "yes")
        raise KeyError("in the middle")

    with pytest.raises(KeyError):
        verdicts.add_all(some())
    assert verdicts.log() == []
    verdicts.add(Verdict("2", "Ada", "a", "yes"))
    assert len(verdicts.log()) == 1


WRITER = """
import sys
from pathlib import Path
from priorwise.review import Verdict, Verdicts
verdicts = Verdicts(Path(sys.argv[1]))
for number in range(100_000):
    verdicts.add(Verdict(f"{sys.argv[2]}-{number}", sys.argv[2], f"d{number}", "yes"))
    print(number, flush=True)
"""


def test_what_was_answered_is_there_after_a_kill(tmp_path: Path, environment: dict[str, str]) -> None:
    path = tmp_path / "verdicts.sqlite"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, path, name], env=environment, stdout=subprocess.PIPE, text=True)
        for name in ("Ada", "Bob")
    ]
    answered = {}
    for name, writer in zip(("Ada", "Bob"), writers, strict=True):
        assert writer.stdout is not None
        for _ in range(20):
            answered[name] = int(writer.stdout.readline())
    for writer in writers:
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
        assert writer.stdout is not None
        writer.stdout.close()
    verdicts = Verdicts(path)
    try:
        found = [(v.reviewer, v.item) for v in verdicts.log()]
        for name, last in answered.items():
            own = [item for reviewer, item in found if reviewer == name]
            assert own == [f"d{number}" for number in range(len(own))]
            assert len(own) > last
    finally:
        verdicts.close()


def test_many_threads_lose_nothing(verdicts: Verdicts) -> None:
    def work(name: int) -> None:
        for number in range(10):
            verdicts.add(Verdict(f"{name}-{number}", f"r{name}", f"d{number}", "no"))

    threads = [threading.Thread(target=work, args=(name,)) for name in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(verdicts.log()) == 160


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.sqlite"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(BrokenFile, match="verdicts"):
        Verdicts(path)
    with pytest.raises(BrokenFile, match="nowhere"):
        Verdicts(tmp_path / "nowhere" / "verdicts.sqlite")


def test_a_newer_format_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.sqlite"
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(BrokenFile, match="newer"):
        Verdicts(path)


def test_the_disk_is_waited_for(verdicts: Verdicts) -> None:
    (mode,) = verdicts._database.execute("PRAGMA journal_mode").fetchone()
    (synchronous,) = verdicts._database.execute("PRAGMA synchronous").fetchone()
    assert (mode, synchronous) == ("wal", 2)


# Agreement


@given(st.lists(st.tuples(WORDS, WORDS), min_size=2, max_size=40))
def test_kappa_is_that_of_the_formula(pairs: list[tuple[str, str]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    kappa, low, high = cohen_kappa(first, second)
    if len(set(first) | set(second)) == 1:
        assert kappa is None
        return
    expected, error = slow.kappa_and_error(first, second)
    assert kappa == pytest.approx(expected, abs=1e-12)
    # Where the variance is nothing, the root of what rounding leaves of it is not.
    assert low == pytest.approx(max(-1.0, expected - 1.959963984540054 * error), abs=1e-4)
    assert high == pytest.approx(min(1.0, expected + 1.959963984540054 * error), abs=1e-4)


def test_the_interval_of_kappa_is_that_of_resampling() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 300)
    words = np.array(["yes", "no", "unsure"])
    first, second = (words[np.where(rng.random(300) < 0.25, rng.integers(0, 3, 300), truth)] for _ in range(2))
    kappa, low, high = cohen_kappa(list(first), list(second))
    assert None not in (kappa, low, high)
    resampled = []
    for _ in range(800):
        drawn = rng.integers(0, 300, 300)
        resampled.append(cohen_kappa(list(first[drawn]), list(second[drawn]))[0])
    assert (high - low) / (2 * 1.96) == pytest.approx(np.std(np.array(resampled, float)), rel=0.15)  # type: ignore[operator]


def test_agreement_is_about_what_both_have_judged() -> None:
    said = [
        *(Verdict(f"a{i}", "Ada", f"d{i}", "yes" if i < 5 else "no") for i in range(10)),
        *(Verdict(f"b{i}", "Bob", f"d{i}", "yes" if i < 4 else "no") for i in range(9)),
        Verdict("b9", "Bob", "d9", "skip"),
        Verdict("c0", "Cyd", "elsewhere", "yes"),
    ]
    found = {(pair.first, pair.second): pair for pair in agreements(said)}
    assert set(found) == {("Ada", "Bob"), ("Ada", "Cyd"), ("Bob", "Cyd")}
    both = found["Ada", "Bob"]
    assert (both.documents, both.agreed) == (9, pytest.approx(8 / 9))
    assert found["Ada", "Cyd"].documents == 0
    assert found["Ada", "Cyd"].kappa is None


# Results

MASKS = st.lists(st.booleans(), min_size=1, max_size=40).map(lambda values: np.array(values))


@given(MASKS, MASKS)
def test_curves_and_the_area_between_them(first: np.ndarray, second: np.ndarray) -> None:
    expected = [slow.ppv_at(first.tolist(), k) for k in range(1, len(first) + 1)]
    assert ppv_curve(first).tolist() == pytest.approx(expected)
    assert area_between(first, second) == pytest.approx(slow.area_between(first.tolist(), second.tolist()), abs=1e-12)


@pytest.mark.parametrize("hits", [0, 7, 30, 60])
def test_the_bootstrap_is_that_of_drawing_documents(hits: int) -> None:
    relevant = np.arange(60) < hits
    spread = bootstrap_ppv(relevant, seed=1)
    literal = slow.bootstrap(relevant.tolist(), 4000, seed=2)
    assert spread.value == hits / 60
    assert spread.mean == pytest.approx(np.mean(literal), abs=0.004)
    for value, percentile in ((spread.low, 2.5), (spread.first_quartile, 25), (spread.high, 97.5)):
        assert value == pytest.approx(np.percentile(literal, percentile), abs=0.018)


def test_documents_in_both_lists_take_nothing_from_the_difference() -> None:
    first, second = [f"d{i}" for i in range(50)], [f"d{i}" for i in range(30, 80)]
    relevant = frozenset(f"d{i}" for i in range(0, 60, 3))
    found = compare_lists(first, second, relevant, seed=1)
    literal = slow.bootstrap_difference(first, second, relevant, 4000, seed=2)
    assert found.spread.value == pytest.approx(
        np.mean([d in relevant for d in first]) - np.mean([d in relevant for d in second])
    )
    assert found.spread.low == pytest.approx(np.percentile(literal, 2.5), abs=0.021)
    assert found.spread.high == pytest.approx(np.percentile(literal, 97.5), abs=0.021)


@settings(deadline=None)
@given(st.integers(2, 12), st.data())
def test_the_tests_are_those_of_scipy(n: int, data: st.DataObject) -> None:
    from scipy import stats

    shared = data.draw(st.integers(0, n))
    first, second = [f"d{i}" for i in range(n)], [f"d{i}" for i in range(n - shared, 2 * n - shared)]
    relevant = frozenset(data.draw(st.sets(st.sampled_from(sorted({*first, *second})))))
    masks = [[float(id in relevant) for id in ids] for ids in (first, second)]
    assume(all(0 < sum(mask) < n for mask in masks))
    found = compare_lists(first, second, relevant)
    assert found.t_test == pytest.approx(stats.ttest_ind(*masks, equal_var=False).pvalue)
    only = [[id in relevant for id in mine if id not in other] for mine, other in ((first, second), (second, first))]
    table = [[sum(own), len(own) - sum(own)] for own in only]
    assert found.exact == pytest.approx(stats.fisher_exact(table).pvalue if only[0] else 1.0)


def test_lists_that_say_nothing() -> None:
    same = compare_lists(["a", "b"], ["b", "a"], frozenset("a"))
    assert (same.spread.value, same.spread.low, same.spread.high, same.exact) == (0.0, 0.0, 0.0, 1.0)
    all_and_none = compare_lists(["a", "b"], ["c", "d"], frozenset("ab"))
    assert all_and_none.t_test == 0.0
    assert compare_lists(["a"], ["b"], frozenset("a")).t_test == 1.0
    with pytest.raises(InputError):
        compare_lists(["a"], ["b", "c"], frozenset())
    with pytest.raises(InputError):
        bootstrap_ppv(np.array([], np.bool_))


def test_the_majority_decides() -> None:
    said = [("a", "yes yes no"), ("b", "yes no"), ("c", "unsure"), ("d", "skip"), ("e", "no unsure")]
    listed = [
        Verdict(f"{item}{number}", f"r{number}", item, word)
        for item, words in said
        for number, word in enumerate(words.split())
    ]
    assert decisions(listed) == {"a": "yes", "b": "unsure", "c": "unsure", "e": "no"}


def test_results_of_a_run(run: Run, run_path: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(run_path, tmp_path / "a.run"))
    nothing = results(folder, k=10)
    assert nothing["reviewers"] == []
    assert nothing["rankings"]["learned"]["at_k"]["value"] == 0.0
    assert not (folder / "verdicts.sqlite").exists()
    verdicts = Verdicts.of_run(folder)
    good = set(run.ranking.ids[:8])
    for number, item in enumerate(items_of(run, Choices(top=None))):
        verdicts.add(
            Verdict(f"{number}", "Ada", item.id, "yes" if item.id in good else "no", seconds=float(number % 3))
        )
    verdicts.close()
    found = results(folder, k=10)
    learned, laplace = found["rankings"]["learned"], found["rankings"]["laplace"]
    assert learned["at_k"]["value"] == 0.8
    assert laplace["at_k"]["value"] == len(good & set(run.baseline.ids[:10])) / 10
    assert found["difference"]["spread"]["value"] == pytest.approx(0.8 - laplace["at_k"]["value"])
    assert learned["counts"]["unjudged"] == 0
    assert found["accepted"] == sorted(good)
    [ada] = found["reviewers"]
    assert (ada["name"], ada["yes"], ada["seconds"]) == ("Ada", 8, 1.0)
    ranks = {each["id"]: each["rank"] for each in found["documents"]}
    assert [ranks[id] for id in run.ranking.ids[:3]] == [1, 2, 3]


def judge(folder: Path, run: Run, top: int | None) -> None:
    """Say yes to each document that is among the first of a ranking."""
    verdicts = Verdicts.of_run(folder)
    items = items_of(run, Choices(top=top))
    verdicts.add_all([Verdict(str(number), "Ada", item.id, "yes") for number, item in enumerate(items)])
    verdicts.close()


def test_curves_go_as_far_as_people_have_read(run: Run, run_path: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(run_path, tmp_path / "a.run"))
    judge(folder, run, top=30)
    first = {*run.ranking.ids[:30], *run.baseline.ids[:30]}
    unread = (next(i for i, id in enumerate(ids) if id not in first) for ids in (run.ranking.ids, run.baseline.ids))
    depth = min(unread)
    assert depth >= 30
    found = results(folder, k=10)
    assert found["depth"] == depth
    for ranking in found["rankings"].values():
        assert ranking["ppv"] == [1.0] * depth
    assert found["area_between"] == 0.0
    beyond = results(folder, k=depth + 5)
    assert beyond["depth"] == depth + 5
    assert min(ranking["ppv"][-1] for ranking in beyond["rankings"].values()) < 1.0
    judge_all = Path(shutil.copytree(run_path, tmp_path / "b.run"))
    judge(judge_all, run, top=None)
    assert results(judge_all, k=10)["depth"] == min(len(run.ranking), len(run.baseline))


@pytest.fixture
def somebody_elses(run_path: Path) -> Iterator[Path]:
    """A copy of a run that can be read and not written to, also by one who may write everywhere."""
    with tempfile.TemporaryDirectory() as top:
        folder = Path(shutil.copytree(run_path, Path(top) / "a.run"))
        Path(top).chmod(0o755)
        yield folder
        os.seteuid(os.getuid())
        folder.chmod(0o755)


def close(folder: Path) -> None:
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)
    if os.geteuid() == 0:
        os.seteuid(65534)
    assert not os.access(folder, os.W_OK, effective_ids=True)


def test_results_are_read_where_nothing_can_be_written(somebody_elses: Path, run: Run) -> None:
    judge(somebody_elses, run, top=20)
    before = results(somebody_elses)
    close(somebody_elses)
    assert results(somebody_elses) == before
    assert len(before["accepted"]) > 0


def test_what_is_only_in_the_log_is_read_there_too(somebody_elses: Path, run: Run) -> None:
    """A server that was killed leaves its last verdicts in the write-ahead log."""
    path = somebody_elses / "verdicts.sqlite"
    code = (
        "import os, sys; from pathlib import Path; from priorwise.review import Verdict, Verdicts;"
        "Verdicts(Path(sys.argv[1])).add(Verdict('1', 'Ada', sys.argv[2], 'yes')); os.kill(os.getpid(), 9)"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    killed = subprocess.run([sys.executable, "-c", code, str(path), run.ranking.ids[0]], env=environment, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert path.with_name("verdicts.sqlite-wal").stat().st_size > 0
    path.with_name("verdicts.sqlite-shm").unlink()
    close(somebody_elses)
    assert results(somebody_elses)["accepted"] == [run.ranking.ids[0]]


@pytest.mark.parametrize(
    "damage", [(b"doc-AAAA", b"doc-\xff\xff\xff\xff"), (b"previous TEXT", b"previous \xff\xff\xff\xff")]
)
def test_a_database_with_texts_that_are_not_utf_8(damage: tuple[bytes, bytes], tmp_path: Path) -> None:
    path = tmp_path / "verdicts.sqlite"
    stored = Verdicts(path)
    stored.add(Verdict("v1", "Ada", "doc-AAAA", "yes"))
    stored.close()
    content = path.read_bytes()
    assert damage[0] in content
    path.write_bytes(content.replace(*damage))
    with pytest.raises(BrokenFile, match=r"verdicts\.sqlite: verdicts cannot be read or stored here"):
        Verdicts(path).current()
