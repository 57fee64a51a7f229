from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import reference_ranking as reference

import priorwise as pw
from conftest import FAST, Cli
from priorwise.cli.names import parse_target
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.made_up import DemoDocument
from priorwise.errors import InputError, NotEnoughData, UnknownName

Sets = list[set[str]]


def rows_of(documents: list[DemoDocument], label: str) -> list[int]:
    return [row for row, document in enumerate(documents) if label in document.labels]


def slow_scores(run: Run, token_sets: Sets, members: list[int], excluded: list[int]) -> list[float]:
    """Every document's score under the run's prior, counted against all other documents."""
    others = [row for row in range(len(token_sets)) if row not in {*members, *excluded}]
    share = min(1.0, 200 * len(members) / len(others))
    collection = [token_sets[row] for row in [*members, *others]] if run.prior.centre == "collection" else None
    counted = reference.count([token_sets[m] for m in members], [token_sets[o] for o in others], share, collection)
    prior, power = run.prior, run.about["learned"]["length_power"]
    return [
        reference.s(counted, tokens, prior.negative, prior.positive) / max(1, len(tokens)) ** power
        for tokens in token_sets
    ]


def slow_baseline(token_sets: Sets, members: list[int], excluded: list[int], seed: int = 0) -> list[float]:
    """Every document's score under Laplace with as many negatives as members."""
    others = [row for row in range(len(token_sets)) if row not in {*members, *excluded}]
    negatives = reference.sample(others, len(members), seed)
    counted = reference.count([token_sets[m] for m in members], [token_sets[n] for n in negatives])
    return [reference.s(counted, tokens, 1.0, 1.0) for tokens in token_sets]


def check_against_slow(run: Run, scores: list[float], skipped: list[int], ids: list[str]) -> None:
    order = reference.ranked(scores, skipped)[: len(run.ranking)]
    np.testing.assert_allclose(run.ranking.table["score"].to_pylist(), [scores[d] for d in order], rtol=1e-9, atol=1e-9)
    gaps = np.abs(np.diff([scores[d] for d in order]))
    assert np.all((gaps > 1e-9) | (gaps == 0)), "a near-tie that rounding may order either way: choose another corpus"
    assert run.ranking.ids == [ids[d] for d in order]


@pytest.mark.parametrize(
    ("label", "centre"), [("Chess", "collection"), ("Geology", "collection"), ("Chess", "uniform")]
)
def test_every_score_and_place_equals_the_slow_computation(
    corpus: Corpus, documents: list[DemoDocument], token_sets: Sets, label: str, centre: str
) -> None:
    run = discover(corpus, label, centre=centre)
    assert run.prior.centre == run.about["learned"]["centre"] == run.about["procedure"]["centre"] == centre
    members = rows_of(documents, label)
    ids = [document.id for document in documents]
    scores = slow_scores(run, token_sets, members, [])
    assert len(run.ranking) == len(documents) - len(members)
    check_against_slow(run, scores, members, ids)

    baseline = slow_baseline(token_sets, members, [])
    full = [ids[d] for d in reference.ranked(baseline, members)]
    assert run.baseline.ids == full
    assert run.baseline.table["baseline_rank"].to_pylist() == list(range(1, len(full) + 1))
    assert run.ranking.table["baseline_rank"].to_pylist() == [full.index(id) + 1 for id in run.ranking.ids]

    candidates = [d for d in range(len(documents)) if d not in members]
    assert run.about["predicted_positive"] == {
        "learned": sum(scores[d] > 0 for d in candidates),
        "laplace": sum(baseline[d] > 0 for d in candidates),
    }
    assert run.about["learned"]["vocabulary"] == len(set().union(*(token_sets[m] for m in members)))


@pytest.mark.parametrize("ranking", ["ranking", "baseline"])
def test_probabilities_rise_with_the_score(run: Run, ranking: str) -> None:
    probability = np.array(getattr(run, ranking).table["probability"].to_pylist())
    assert np.all((probability >= 0) & (probability <= 1))
    assert np.all(np.diff(probability) <= 0)
    assert probability[0] > probability[-1]


def test_evidence_names_the_strongest_tokens(run: Run, documents: list[DemoDocument], token_sets: Sets) -> None:
    members = rows_of(documents, "Chess")
    others = [token_sets[row] for row in range(len(documents)) if row not in members]
    counted = reference.count([token_sets[m] for m in members], others, collection=token_sets)
    row_of = {document.id: row for row, document in enumerate(documents)}
    for line in run.ranking.rows(60):
        tokens = token_sets[row_of[line["id"]]]
        weights = {
            token: reference.weight(counted, token, run.prior.negative, run.prior.positive)
            for token in tokens
            if token in counted.positive
        }
        shown = [part.rsplit(":", 1) for part in line["evidence"].split()]
        strongest = sorted((abs(value) for value in weights.values()), reverse=True)[:5]
        assert [token for token, _ in shown if token not in weights] == []
        assert [value for _, value in shown] == [f"{weights[token]:+.2f}" for token, _ in shown]
        np.testing.assert_allclose([abs(weights[token]) for token, _ in shown], strongest, rtol=1e-12)


@pytest.mark.parametrize("centre", ["collection", "uniform"])
def test_leave_one_out_figures_equal_refitting(centre: str) -> None:
    random = np.random.default_rng(1)
    words = [f"w{number}" for number in range(40)]
    token_sets = [set(random.choice(words, size=random.integers(3, 15))) for _ in range(70)]
    for member in (10, 40, 60):
        token_sets[member] |= {"w1", "w2"}
    run = discover(
        Corpus.from_texts([" ".join(sorted(tokens)) for tokens in token_sets]),
        members=["10", "40", "60"],
        seeds=2,
        centre=centre,
    )
    members = [10, 40, 60]
    others = [row for row in range(70) if row not in members]
    assert run.seeds == [0, 1]
    power = run.about["learned"]["length_power"]
    figures: dict[str, list[tuple[float, float]]] = {"learned": [], "laplace": []}
    for seed in run.seeds:
        judged = reference.sample(others, 20 * len(members), seed)
        for name, negative, positive, by in [
            ("learned", run.prior.negative, run.prior.positive, power),
            ("laplace", 1.0, 1.0, 0.0),
        ]:
            cases = [token_sets[row] for row in members], [token_sets[row] for row in judged]
            around = name == "learned" and centre == "collection"
            raw = reference.leave_one_out(*cases, [token_sets[row] for row in others], negative, positive, around)
            of_members, of_others = (
                [score / len(tokens) ** by for score, tokens in zip(scores, of_class, strict=True)]
                for scores, of_class in zip(raw, cases, strict=True)
            )
            precision = reference.average_precision(of_members, of_others, len(others) / len(judged))
            figures[name].append((precision, sum(score > 0 for score in raw[0]) / len(members)))
    for name, of_seeds in figures.items():
        got = run.about["leave_one_out"][name]
        np.testing.assert_allclose([got["score"], got["sensitivity"]], np.mean(of_seeds, axis=0), rtol=1e-9)


def test_equal_documents_stand_in_the_order_of_the_corpus() -> None:
    texts = ["goal team", "goal match", "match goal", "law vote", "vote law", "law goal"] * 4
    labels = ["sport", "sport", None, None, None, None] * 2 + [None] * 12
    run = discover(Corpus.from_texts(texts, labels=labels), "sport", model="presence")
    sets = [set(text.split()) for text in texts]
    members = [row for row, label in enumerate(labels) if label]
    rows = [int(id) for id in run.ranking.ids]
    assert sorted(rows) == [row for row in range(24) if row not in members]
    for before, after in pairwise(rows):
        assert sets[before] != sets[after] or before < after
    scores = dict(zip(rows, run.ranking.table["score"].to_pylist(), strict=True))
    assert all(scores[a] == scores[b] for a in rows for b in rows if sets[a] == sets[b])
    baseline = [round(score, 9) for score in slow_baseline(sets, members, [])]
    full = reference.ranked(baseline, members)
    assert run.ranking.table["baseline_rank"].to_pylist() == [full.index(row) + 1 for row in rows]


def test_a_list_of_members_is_as_good_as_a_label(run: Run, corpus: Corpus, documents: list[DemoDocument]) -> None:
    ids = [document.id for document in documents if "Chess" in document.labels]
    listed = discover(corpus, members=[*reversed(ids), ids[0]], model="presence")
    assert listed.ranking.table.equals(run.ranking.table)
    assert listed.baseline.table.equals(run.baseline.table)
    assert {**listed.about, "label": "Chess"} == run.about


def test_excluded_documents_are_nowhere(corpus: Corpus, documents: list[DemoDocument], token_sets: Sets) -> None:
    all_members = rows_of(documents, "Geology")
    excluded = [all_members[0], all_members[3], *(row for row in range(0, 400, 7) if row not in all_members)]
    members = [row for row in all_members if row not in excluded]
    ids = [document.id for document in documents]
    run = discover(corpus, "Geology", exclude=[ids[row] for row in excluded], model="presence")
    assert run.about["members"] == len(members)
    assert run.about["excluded"] == len(excluded)
    assert not {ids[row] for row in [*members, *excluded]} & {*run.ranking.ids, *run.baseline.ids}
    check_against_slow(run, slow_scores(run, token_sets, members, excluded), [*members, *excluded], ids)
    full = reference.ranked(slow_baseline(token_sets, members, excluded), [*members, *excluded])
    assert run.baseline.ids == [ids[row] for row in full]


def test_negatives_per_positive_trains_on_the_mean_of_the_samples(
    corpus: Corpus, documents: list[DemoDocument], token_sets: Sets
) -> None:
    run = discover(corpus, "Chess", negatives_per_positive=2.5, seeds=3, seed=4)
    members = rows_of(documents, "Chess")
    others = [row for row in range(400) if row not in members]
    size = round(2.5 * len(members))
    samples = [[token_sets[row] for row in reference.sample(others, size, seed)] for seed in (4, 5, 6)]
    drawn = [tokens for each in samples for tokens in each]
    counted = reference.count([token_sets[m] for m in members], drawn, 1 / 3, collection=token_sets)
    assert run.seeds == [4, 5, 6]
    assert run.about["procedure"]["negatives_per_sample"] == size
    assert run.about["procedure"]["counts"] == "mean of the samples"
    power = run.about["learned"]["length_power"]
    scores = [
        reference.s(counted, tokens, run.prior.negative, run.prior.positive) / len(tokens) ** power
        for tokens in token_sets
    ]
    check_against_slow(run, scores, members, [document.id for document in documents])


def test_the_papers_procedure(corpus: Corpus, documents: list[DemoDocument], token_sets: Sets) -> None:
    run = discover(corpus, "Chess", paper=True)
    procedure = run.about["procedure"]
    assert (procedure["paper"], procedure["target"], procedure["search"]) == (True, "ppv", "radial")
    assert (procedure["seeds"], procedure["length_powers"]) == ([0, 1, 2, 3, 4], [0.0])
    members = rows_of(documents, "Chess")
    assert procedure["negatives_per_sample"] == len(members)
    others = [row for row in range(400) if row not in members]
    negatives = reference.sample(others, len(members), 0)
    counted = reference.count([token_sets[m] for m in members], [token_sets[n] for n in negatives])
    scores = [reference.s(counted, tokens, run.prior.negative, run.prior.positive) for tokens in token_sets]
    check_against_slow(run, scores, members, [document.id for document in documents])

    # Only cells that some climb looked at may win, the mean over the samples decides, sensitivity breaks ties.
    terrain = run.terrain
    looked_at = ~np.isnan(terrain.score)
    assert looked_at.sum() == len(run.trials) < terrain.score.size
    best = max((terrain.score[cell], terrain.sensitivity[cell]) for cell in zip(*np.nonzero(looked_at), strict=True))
    row, column = (int(np.flatnonzero(terrain.grid == x)[0]) for x in (run.prior.negative, run.prior.positive))
    assert (terrain.score[row, column], terrain.sensitivity[row, column]) == pytest.approx(best)


@pytest.mark.parametrize(
    "choice",
    [{"target": pw.PPV()}, {"centre": "uniform"}, {"search": "radial"}, {"negatives_per_positive": 2.0}, {"seeds": 5}],
)
def test_the_papers_procedure_takes_no_other_choice(corpus: Corpus, choice: dict[str, object]) -> None:
    with pytest.raises(InputError, match="paper's procedure fixes"):
        discover(corpus, "Chess", paper=True, **choice)  # type: ignore[arg-type]


TARGETS = {
    "average-precision": pw.AveragePrecision(),
    "ppv": pw.PPV(),
    "ppv:0.5": pw.PPV(floor=0.5),
    "f0.5": pw.FBeta(0.5),
    "f1:corpus": pw.FBeta(1.0, at_corpus_odds=True),
    "ppv@50": pw.PPVAtK(50),
    "log-loss": pw.LogLoss(),
}


@pytest.mark.parametrize("name", TARGETS)
def test_each_target_is_best_at_the_learned_prior(corpus: Corpus, name: str) -> None:
    run = discover(corpus, "Chess", target=TARGETS[name], seeds=1)
    assert run.about["leave_one_out"]["target"] == TARGETS[name].name
    # The learned prior is at least as good as Laplace by its own measure, which is one of the cells.
    learned, laplace = run.about["leave_one_out"]["learned"], run.about["leave_one_out"]["laplace"]
    assert learned["score"] >= laplace["score"]
    assert np.nanmax(run.terrain.score) == pytest.approx(learned["score"], abs=0.01)
    assert parse_target(name) == TARGETS[name]


def test_targets_by_name(corpus: Corpus, cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "one.run"
    result = cli("discover", corpus.path, "Chess", "--target", "f1:corpus", "--seeds", "2", "--seed", "3", "-o", path)
    assert result.exit_code == 0, result.output
    expected = discover(corpus, "Chess", target=TARGETS["f1:corpus"], seeds=2, seed=3)
    assert Run.load(path).about == expected.about
    assert Run.load(path).ranking.table.equals(expected.ranking.table)


def test_count_targets_are_functions_of_the_terrain(corpus: Corpus) -> None:
    run = discover(corpus, "Chess", target=pw.FBeta(0.5), seeds=2)
    for terrain in run.terrains:
        precision = np.divide(terrain.tp, terrain.tp + terrain.fp, out=np.zeros_like(terrain.tp), where=terrain.tp > 0)
        recall = terrain.tp / run.about["members"]
        expected = np.divide(
            1.25 * precision * recall, 0.25 * precision + recall, out=np.zeros_like(recall), where=recall > 0
        )
        np.testing.assert_allclose(terrain.score, expected, rtol=1e-12)


def test_a_function_of_yours_is_a_target(corpus: Corpus) -> None:
    def gap(y: np.ndarray, scores: np.ndarray) -> float:
        return float(np.median(scores[y]) - np.median(scores[~y]))

    run = discover(corpus, "Chess", target=gap, seeds=1)
    assert run.about["procedure"]["target"] == "gap"


def test_radial_search_looks_at_fewer_cells(corpus: Corpus) -> None:
    run = discover(corpus, "Chess", centre="uniform")
    radial = discover(corpus, "Chess", search="radial", centre="uniform")
    assert len(radial.trials) < len(run.trials) == 41_209
    assert radial.about["leave_one_out"]["learned"]["score"] <= run.about["leave_one_out"]["learned"]["score"] + 0.01
    starts = {(x, y) for x in (1.0, 8.0, 15.0) for y in (1.0, 8.0, 15.0)}
    grid = radial.terrain.grid
    assert starts <= {(grid[trial.row], grid[trial.column]) for trial in radial.trials}


def test_the_seed_changes_the_samples(run: Run, corpus: Corpus) -> None:
    other = discover(corpus, "Chess", seed=10, seeds=2)
    assert other.seeds == [10, 11]
    assert not np.array_equal(other.terrains[0].fp, run.terrains[0].fp)
    assert np.array_equal(discover(corpus, "Chess", seed=1, seeds=1).terrains[0].fp, run.terrains[1].fp)
    assert other.baseline.ids != run.baseline.ids


def test_top_cuts_the_ranking_and_nothing_else(run: Run, corpus: Corpus) -> None:
    cut = discover(corpus, "Chess", top=7, model="presence")
    assert cut.ranking.table.equals(run.ranking.table.slice(0, 7))
    assert cut.baseline.table.equals(run.baseline.table.slice(0, 7))
    assert cut.about["predicted_positive"] == run.about["predicted_positive"]


def test_two_members_are_enough(corpus: Corpus, documents: list[DemoDocument], token_sets: Sets) -> None:
    members = rows_of(documents, "Chess")[:2]
    ids = [document.id for document in documents]
    run = discover(corpus, members=[ids[row] for row in members], model="presence")
    check_against_slow(run, slow_scores(run, token_sets, members, []), members, ids)


def test_documents_without_tokens_are_ranked() -> None:
    texts = ["goal team", "goal match", "", "law", "", "goal"]
    run = discover(Corpus.from_texts(texts, labels=["a", "a", None, None, None, None]), "a")
    assert run.ranking.ids[0] == "5"
    assert {"2", "4"} < set(run.ranking.ids)
    evidence = dict(zip(run.ranking.ids, run.ranking.table["evidence"].to_pylist(), strict=True))
    assert evidence["2"] == evidence["3"] == ""


def test_members_without_tokens() -> None:
    run = discover(Corpus.from_texts(["", "", "law", "vote"], labels=["a", "a", None, None]), "a")
    assert run.ranking.ids == ["2", "3"]
    assert run.about["learned"]["vocabulary"] == 0


def test_progress_is_told(corpus: Corpus) -> None:
    told: list[tuple[str, float]] = []
    discover(corpus, "Chess", seeds=1, progress=lambda what, share: told.append((what, share)))
    assert [what for what, _ in told][:2] == ["drawing samples", "learning the prior"]
    assert told[-1] == ("ranking the corpus", 1.0)


@pytest.mark.parametrize(
    ("choices", "error", "says"),
    [
        ({}, InputError, "either a label or a list"),
        ({"label": "Chess", "members": ["doc-00001"]}, InputError, "either a label or a list"),
        ({"label": "Ches"}, UnknownName, r"no label 'Ches'; did you mean 'Chess' \(\d+ members\)\?"),
        ({"members": ["doc-00001"]}, NotEnoughData, "at least 2 members to learn from, and this one has 1"),
        ({"members": []}, NotEnoughData, "has 0"),
        ({"members": ["doc-1", "doc-2"]}, UnknownName, "2 of 2 ids"),
        ({"label": "Chess", "seeds": 0}, InputError, "at least 1"),
        ({"label": "Chess", "seed": -1}, InputError, "negative"),
        ({"label": "Chess", "top": 0}, InputError, "at least 1"),
        ({"label": "Chess", "search": "random"}, InputError, "no search 'random'"),
        ({"label": "Chess", "centre": "left"}, InputError, "the centre is 'uniform' or 'collection', not 'left'"),
        ({"label": "Chess", "negatives_per_positive": 0.0}, InputError, "above 0"),
    ],
)
def test_what_cannot_be_done_is_said(
    corpus: Corpus, choices: dict[str, object], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        discover(corpus, **choices)  # type: ignore[arg-type]


def test_a_label_on_everything_leaves_nothing_to_find() -> None:
    everywhere = Corpus.from_texts(["a b", "b c", "c d"], labels=["x", "x", "x"])
    with pytest.raises(NotEnoughData, match="every document of the corpus is a member"):
        discover(everywhere, "x")
    with pytest.raises(NotEnoughData, match="every document"):
        discover(Corpus.from_texts(["a b", "b c", "c d"], labels=["x", "x", None]), "x", exclude=["2"])


def test_too_few_members_after_the_exclusions() -> None:
    corpus = Corpus.from_texts(["a b", "b c", "c d"], labels=["x", "x", None])
    with pytest.raises(NotEnoughData, match="has 1 after the exclusions"):
        discover(corpus, "x", exclude=["0"])


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
    corpus: Corpus, refused: Callable[..., str], tmp_path: Path, option: str, content: bytes | None, says: str
) -> None:
    file = tmp_path / "ids.txt"
    if content is not None:
        file.write_bytes(content)
    label = [] if option == "--members" else ["Chess"]
    sentence = refused("discover", corpus.path, *label, option, file, "-o", tmp_path / "x.run")
    assert sentence.startswith(f"{file}: ")
    assert says in sentence
    assert sorted(tmp_path.iterdir()) == ([file] if content is not None else [])


def test_a_prior_can_be_given_by_name_by_numbers_or_by_the_number_of_tokens(cli: Cli, corpus: Corpus) -> None:
    fixed = discover(corpus, "Astronomy", prior=pw.PseudoCounts(22, 4), seeds=1)
    assert fixed.prior == pw.PseudoCounts(22, 4)
    assert fixed.about["procedure"]["given"]
    perks = discover(corpus, "Astronomy", prior=pw.PseudoCounts.perks, seeds=1)
    assert perks.prior.negative == pytest.approx(1 / perks.about["learned"]["vocabulary"])
    common = ["discover", str(corpus.path), "Astronomy", "--seeds", "1", "--show", "0", "--prior"]
    assert "Given prior: λ− = 22, λ+ = 4;" in cli(*common, "22,4").stdout
    assert "Given prior: λ− = 0.5, λ+ = 0.5;" in cli(*common, "jeffreys").stdout
    assert "as often as all documents do (centre: collection)" in cli(*common, "22,4", "--centre", "collection").stdout
    around = discover(corpus, "Astronomy", prior=pw.PseudoCounts(22, 4, centre="collection"), seeds=1)
    assert around.prior == discover(corpus, "Astronomy", prior=fixed.prior, centre="collection", seeds=1).prior
    assert around.prior.centre == "collection"
    for bad in ("haldane", "1,2,3", "x,y", "0,1"):
        assert cli(*common, bad).exit_code == 2
    with pytest.raises(InputError, match="fixes prior"):
        discover(corpus, "Astronomy", prior=pw.PseudoCounts(), paper=True)
