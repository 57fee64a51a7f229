"""Discovery: every score and place is that of the formula, whoever is a member."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import reference_ranking as reference

from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.demo import DemoDocument
from priorwise.errors import InputError, NotEnoughData, UnknownName
from slow_discovery import Sets, check_against_slow, facts_of, rows_of, slow_baseline, slow_scores


@pytest.mark.parametrize(
    ("label", "centre"), [("Chess", "collection"), ("Geology", "collection"), ("Chess", "uniform")]
)
def test_every_score_and_place_equals_the_slow_computation(
    corpus: Corpus, documents: list[DemoDocument], token_sets: Sets, label: str, centre: str
) -> None:
    run = discover(corpus, label, centre=centre)
    assert run.prior.centre == facts_of(run).centre == centre
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
    assert run.ranker.predicted == sum(scores[d] > 0 for d in candidates)
    assert run.compared.predicted == sum(baseline[d] > 0 for d in candidates)
    assert facts_of(run).vocabulary == len(set().union(*(token_sets[m] for m in members)))


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
    facts = facts_of(run)
    assert facts.seeds == (0, 1)
    power = facts.length_power
    figures: dict[str, list[tuple[float, float]]] = {"learned": [], "laplace": []}
    for seed in facts.seeds:
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
        got = getattr(facts, name)
        np.testing.assert_allclose([got.score, got.sensitivity], np.mean(of_seeds, axis=0), rtol=1e-9)


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
    assert listed.about.given is not None
    assert set(listed.about.given) == set(ids)
    assert replace(listed.about, label="Chess", given=None) == run.about
    assert facts_of(listed) == facts_of(run)


def test_excluded_documents_are_nowhere(corpus: Corpus, documents: list[DemoDocument], token_sets: Sets) -> None:
    all_members = rows_of(documents, "Geology")
    excluded = [all_members[0], all_members[3], *(row for row in range(0, 400, 7) if row not in all_members)]
    members = [row for row in all_members if row not in excluded]
    ids = [document.id for document in documents]
    run = discover(corpus, "Geology", exclude=[ids[row] for row in excluded], model="presence")
    assert run.about.members == len(members)
    assert run.about.excluded == len(excluded)
    assert not {ids[row] for row in [*members, *excluded]} & {*run.ranking.ids, *run.baseline.ids}
    check_against_slow(run, slow_scores(run, token_sets, members, excluded), [*members, *excluded], ids)
    full = reference.ranked(slow_baseline(token_sets, members, excluded), [*members, *excluded])
    assert run.baseline.ids == [ids[row] for row in full]


def test_top_cuts_the_ranking_and_nothing_else(run: Run, corpus: Corpus) -> None:
    cut = discover(corpus, "Chess", top=7, model="presence")
    assert cut.ranking.table.equals(run.ranking.table.slice(0, 7))
    assert cut.baseline.table.equals(run.baseline.table.slice(0, 7))
    assert [stage.predicted for stage in cut.stages] == [stage.predicted for stage in run.stages]


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
    assert not len(run.model.tokens)


def test_progress_is_told(corpus: Corpus) -> None:
    told: list[tuple[str, float]] = []
    discover(corpus, "Chess", seeds=1, progress=lambda what, share: told.append((what, share)))
    assert told[0] == ("learning the prior", 0.0)
    told.clear()
    discover(corpus, "Chess", progress=lambda what, share: told.append((what, share)))
    shares = [share for what, share in told if what == "learning the prior"]
    assert shares == sorted(shares)
    assert len(shares) > 3
    assert told[-1] == ("ranking the corpus", 1.0)


@pytest.mark.parametrize(
    ("choices", "error", "says"),
    [
        ({}, InputError, "give a category, a list of members, words or a description"),
        ({"label": "Chess", "members": ["doc-00001"]}, InputError, "either a category or a list"),
        ({"label": "Ches"}, UnknownName, r"no category 'Ches'; did you mean 'Chess' \(\d+ members\)\?"),
        ({"members": ["doc-00001"], "model": "presence"}, NotEnoughData, "at least 2 members to learn from"),
        ({"members": []}, NotEnoughData, "no members: give words or a description"),
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
        discover(corpus, "x", exclude=["0"], model="presence")
    with pytest.raises(NotEnoughData, match="no members after the exclusions"):
        discover(corpus, "x", exclude=["0", "1"])
