"""The two coordinates of documents, what follows from them, and the way to the best prior."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priorwise import Corpus, FBeta, PriorSearch, explore
from priorwise.errors import InputError, NotEnoughData, UnknownName
from priorwise.explorer import FAMILIES, View, setting_of
from priorwise.explorer.documents import Evidence, Line, Measures, draw_documents, marked_text
from priorwise.explorer.families import NaiveBayesFamily
from priorwise.explorer.naive_bayes import axes_of
from priorwise.explorer.view import density_of
from reference_view import coordinates

WORDS = "abcdefgh"
COUNTED = [family.name for family in NaiveBayesFamily.all()]
LITERAL = [name for name in COUNTED if not name.endswith("term-beta")]


def _corpus(texts: list[list[str]], members: int) -> Corpus:
    labels = ["yes" if i < members else None for i in range(len(texts))]
    return Corpus.from_texts([" ".join(words) for words in texts], labels=labels)


@st.composite
def small_corpora(draw: Any) -> tuple[list[list[str]], int]:
    words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8)
    texts = draw(st.lists(words, min_size=5, max_size=12))
    return texts, draw(st.integers(2, len(texts) - 2))


def _values(name: str, share: float) -> list[float]:
    """Numbers of a family, inside its sliders."""
    return [
        share if each.is_share else float(np.exp(np.log(each.low) + share * np.log(each.high / each.low)))
        for each in FAMILIES[name].parameters
    ]


@pytest.mark.parametrize("name", LITERAL)
@settings(max_examples=25)
@given(made=small_corpora(), share=st.floats(0.05, 0.95))
def test_coordinates_are_the_formulas(name: str, made: tuple[list[list[str]], int], share: float) -> None:
    texts, members = made
    setting = setting_of(name, _values(name, share))
    view = explore(_corpus(texts, members), "yes", name, seed=len(texts))
    shown = view.documents
    known = set(view.corpus.token_names(shown.features))
    documents = [{w: n for w, n in Counter(words).items() if w in known} for words in texts]
    train = [(documents[i], bool(shown.member[i])) for i in shown.training]
    of_members, others = [d for d, is_member in train if is_member], [d for d, is_member in train if not is_member]
    expected = [coordinates(document, of_members, others, setting) for document in documents]
    points = view.points(setting)
    np.testing.assert_allclose(np.column_stack([points.x, points.y]), expected, rtol=1e-9, atol=1e-9)


@pytest.fixture(scope="module")
def view(corpus: Corpus) -> View:
    return explore(corpus, "Chess", "beta")


@pytest.mark.parametrize("name", COUNTED)
def test_points_are_where_the_estimators_say(view: View, name: str) -> None:
    setting, shown = setting_of(name, _values(name, 0.4)), view.documents
    model = setting.family.model(prior=setting.prior).fit(shown.matrix[shown.training], shown.member[shown.training])
    np.testing.assert_allclose(view.points(setting).odds, model.decision_function(shown.matrix), atol=1e-8)
    predicted = model.predict(shown.matrix)
    found = view.measures(setting)
    assert found["held_out"] == Measures.of(predicted[shown.held_out], shown.member[shown.held_out])
    assert found["training"] == Measures.of(predicted[~shown.held_out], shown.member[~shown.held_out])


@pytest.mark.parametrize("name", ["beta", "presence", "dirichlet"])
def test_left_out_is_a_refit_without_the_document(view: View, name: str) -> None:
    setting, shown = setting_of(name, _values(name, 0.5)), view.documents
    X, y = shown.matrix[shown.training], shown.member[shown.training]
    predicted = np.zeros(len(y), dtype=bool)
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        predicted[i] = setting.family.model(prior=setting.prior).fit(X[rest], y[rest]).predict(X[i])[0]
    assert view.left_out(setting) == Measures.of(predicted, y)


@pytest.mark.parametrize("name", ["jelinek-mercer", "presence"])
def test_the_way_ends_at_the_best_prior(view: View, name: str) -> None:
    shown = view.documents
    path = view.find_best(setting_of(name))
    terrain = view.objective_map(name)
    values = terrain.values(FBeta(1.0))
    assert view.left_out(path[-1]).f1 == pytest.approx(values.max())
    assert path[0].values == terrain.setting(terrain.nearest(setting_of(name))).values
    family = FAMILIES[name]
    grid = None if name == "presence" else [family.make(value) for value in axes_of(family)[0]]
    search = PriorSearch(family.model(prior=family.prior), target=FBeta(1.0), grid=grid)
    search.fit(shown.matrix[shown.training], shown.member[shown.training])
    assert search.best_score_ == pytest.approx(values.max())


def test_terrain_has_an_axis_for_each_number(view: View) -> None:
    terrain = view.objective_map("beta")
    cell = (4, 7)
    found = view.left_out(terrain.setting(cell))
    assert (terrain.tp[cell], terrain.fp[cell]) == (found.tp, found.fp)


def test_all_members_are_shown_and_a_sample_of_the_others(corpus: Corpus) -> None:
    members = corpus.members("Chess")
    shown = draw_documents(corpus, "Chess", most=200, seed=3)
    assert len(shown) == 200
    assert shown.rows[shown.member].tolist() == members.tolist()
    assert shown.members_for_each == 1.0
    assert shown.others_for_each == pytest.approx((corpus.n_documents - len(members)) / (200 - len(members)))
    again = draw_documents(corpus, "Chess", most=200, seed=3)
    assert again.rows.tolist() == shown.rows.tolist()
    assert again.held_out.tolist() == shown.held_out.tolist()
    assert draw_documents(corpus, "Chess", most=200, seed=4).rows.tolist() != shown.rows.tolist()


def test_ppv_speaks_of_the_whole_corpus(corpus: Corpus) -> None:
    view = explore(corpus, "Chess", most=60)
    found = view.measures(setting_of("presence"))["training"]
    whole = view.documents.others_per_member
    assert whole > 5
    assert found.fp > 0
    assert found.ppv == pytest.approx(found.tp / (found.tp + whole * found.fp))


def test_a_line_that_is_moved_or_turned(view: View) -> None:
    points = view.points()
    line = Line(slope=0.9, shift=-3.0)
    np.testing.assert_array_equal(line.below(points), points.y < 0.9 * points.x - 3.0)
    held_out = view.documents.held_out
    expected = Measures.of(line.below(points)[held_out], view.documents.member[held_out])
    assert view.measures(line=line)["held_out"] == expected
    assert view.left_out(shift=1e6).recall == 1.0


@pytest.mark.parametrize("name", ["beta", "dirichlet"])
def test_evidence_adds_up(view: View, name: str) -> None:
    setting = setting_of(name, _values(name, 0.3))
    odds, start = view.points(setting).odds, view.shown(setting.family).coordinates.contributions(setting).start
    for place in (0, 17):
        found = view.evidence(place, setting)
        total = start[0] - start[1] + sum(each.weight for each in found)
        assert total == pytest.approx(odds[place])
        assert [abs(each.weight) for each in found] == sorted((abs(each.weight) for each in found), reverse=True)


@given(st.text(st.sampled_from("ab. '’-é東 \n<>&_9"), max_size=60))
def test_marked_text_is_the_text(text: str) -> None:
    pieces = marked_text(text, [Evidence("a", 1, 1.0, 1.0), Evidence("東", 2, -4.0, -2.0)])
    assert "".join(piece for piece, _ in pieces) == text


def test_each_place_of_a_word_is_marked() -> None:
    found = [Evidence("wheat", 2, 3.0, 3.0), Evidence("o'neil", 1, -1.0, -1.0)]
    marked = [piece for piece in marked_text("“Wheat”, O’Neil said: wheat!", found) if piece[1]]
    assert marked == [("Wheat", 3.0), ("O’Neil", -1.0), ("wheat", 3.0)]


def test_density_counts_the_corpus(corpus: Corpus) -> None:
    view = explore(corpus, "Chess", most=50)
    everything = explore(corpus, "Chess")
    setting = setting_of("dirichlet")
    found = density_of(view, setting)
    sums = np.concatenate([sums for _, sums in view.shown(setting.family).of_corpus(setting)])
    np.testing.assert_allclose(sums[view.documents.rows, 0], view.points(setting).x)
    x, odds = sums[:, 0], sums[:, 0] - sums[:, 1]
    inside = (x >= found.low[0]) & (x < found.high[0]) & (odds >= found.low[1]) & (odds < found.high[1])
    assert found.bins[1].sum() == np.count_nonzero(inside & everything.documents.member)
    assert found.bins[0].sum() == np.count_nonzero(inside & ~everything.documents.member)


def test_a_figure_for_notebooks(view: View) -> None:
    pytest.importorskip("plotly")
    figure = view.plot(setting_of("beta", [0.1, 0.3]))
    found = view.measures(setting_of("beta", [0.1, 0.3]))["held_out"].f1
    assert f"Held out: F1 {found:.3f}" in figure.layout.annotations[1].text
    assert sum(len(trace.x) for trace in figure.data if trace.mode == "markers") == len(view.documents)
    low, high = figure.layout.xaxis.range
    assert (low, high) == figure.layout.yaxis2.range
    points = view.points(setting_of("beta", [0.1, 0.3]))
    inside = (np.minimum(points.x, points.y) > low) & (np.maximum(points.x, points.y) < high)
    assert 0.9 < inside.mean() < 1.0


def test_a_title_is_no_markup_in_a_figure() -> None:
    pytest.importorskip("plotly")
    corpus = Corpus.from_texts(list("aabb"), labels=["x", "x", None, None], titles=["<script>", "b", "c", "d"])
    texts = [
        text for trace in explore(corpus, "x", "beta").plot().data if trace.text is not None for text in trace.text
    ]
    assert "&lt;script>" in texts


def test_refusals(corpus: Corpus) -> None:
    with pytest.raises(UnknownName, match="no category 'Ches'; did you mean 'Chess'"):
        explore(corpus, "Ches")
    with pytest.raises(UnknownName, match="no family of priors 'betta'; did you mean 'beta'"):
        explore(corpus, "Chess", "betta")
    with pytest.raises(InputError, match="beta' has the numbers alpha, beta"):
        explore(corpus, "Chess", "beta", [1.0])
    with pytest.raises(InputError, match="β must be a number from"):
        explore(corpus, "Chess", "beta", {"beta": float("nan"), "alpha": 1.0})
    with pytest.raises(InputError, match="'bernoulli-beta' takes no keywords; the family 'members' does"):
        explore(corpus, "Chess", "beta", keywords="+rook")
    with pytest.raises(InputError, match="between 0 and 1"):
        explore(corpus, "Chess", held_out=1.0)
    with pytest.raises(InputError, match="at least 4"):
        explore(corpus, "Chess", most=3)
    lone = Corpus.from_texts(["a", "b", "c"], labels=["x", None, None])
    with pytest.raises(NotEnoughData, match="'x' has 1 members"):
        explore(lone, "x")


def test_words_that_moved_are_the_largest_differences(view: View) -> None:
    setting = setting_of("beta", [0.05, 3.0])
    family = setting.family
    before, now = (view.shown(family).weights(each) for each in (view.opening("beta"), setting))
    found = view.words(setting, most=5)
    assert [abs(each.now - each.before) for each in found] == sorted(np.abs(now - before).tolist(), reverse=True)[:5]
    tokens = view.corpus.token_names(view.documents.features)
    assert all(now[tokens.index(each.word)] == each.now for each in found)


def test_the_command_refuses_before_it_serves(corpus: Corpus, refused: Any) -> None:
    assert "Name the category: priorwise explore CORPUS CATEGORY." in refused("explore", corpus.path, "--no-browser")
    assert "takes no keywords" in refused(
        "explore", corpus.path, "Chess", "--model", "beta", "--words", "+rook", "--no-browser"
    )
    assert "did you mean 'Chess'" in refused("explore", corpus.path, "Ches", "--no-browser")
    assert "did you mean 'beta'" in refused("explore", corpus.path, "Chess", "--model", "betta", "--no-browser")
