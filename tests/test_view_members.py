"""The model that ranks in the explorer: every figure is that of a direct fit, whatever was looked at before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import priorwise as pw
from priorwise import Corpus, explore
from priorwise.discovery.category import Category
from priorwise.discovery.demo import category_to_show, make_documents
from priorwise.discovery.member_stage import CategoryFeatures
from priorwise.errors import InputError, NotEnoughData
from priorwise.explorer import FAMILIES, FamilySetting, View, members, setting_of
from priorwise.explorer.documents import Measures
from priorwise.features.spelling import Spelling
from priorwise.models.regression.member_trials import draw_folds
from priorwise.models.weights import calibrate
from priorwise.priors.structured import HyperPrior, StructuredGaussian

LABEL = "Chess"
EXACT = 1e-6


@pytest.fixture
def view(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> View:
    """A view whose regressions are solved exactly."""
    monkeypatch.setattr(members, "TOLERANCE", EXACT)
    monkeypatch.setattr(members, "ROUGHLY", EXACT)
    return explore(corpus, LABEL, seed=1)


def moved(view: View, keywords: str = "", **numbers: float) -> FamilySetting:
    return setting_of("members", {**view.opening("members").named(), **numbers}, keywords)


def read(view: View) -> tuple[CategoryFeatures, np.ndarray]:
    """The documents as the regression reads them, and the training ones among them."""
    shown, none = view.documents, np.empty(0, np.int64)
    category = Category(view.corpus, LABEL, shown.rows[shown.member & ~shown.held_out], none, none)
    return CategoryFeatures.of(category, shown.rows, text=LABEL, use_labels=True), shown.training


def regression(view: View, prior: StructuredGaussian, believed: int = 0) -> Any:
    corpus, found = view.corpus, read(view)[0]
    described = view.shown(FAMILIES["members"])._learned.described
    return pw.MemberRegression(
        prior,
        believed=believed,
        groups={"labels": len(found.labels)} if len(found.labels) else None,
        kinship=Spelling(corpus.token_names, corpus.document_frequency, corpus.n_documents),
        about=found.about if described else None,
        tol=EXACT,
    )


@pytest.mark.parametrize(
    ("numbers", "keywords"),
    [
        ({}, ""),
        ({"variance": 3.0, "kinship": 0.0, "labels": 0.0}, ""),
        ({"variance": 0.02, "kinship": 0.7, "labels": 0.25, "believed": 0}, ""),
        ({"believed": 25}, ""),
        ({"believed": 10, "trust": 0.5}, "+rook:2 -castle"),
    ],
)
def test_points_and_figures_are_those_of_a_direct_fit(view: View, numbers: dict[str, float], keywords: str) -> None:
    setting, shown = moved(view, keywords, **numbers), view.documents
    found, training = read(view)
    X, y = found.X, found.y[training]
    prior, believed = setting.prior, int(setting.named()["believed"])
    if keywords:
        centre = np.zeros(X.shape[1])
        for word, weight in (("rook", 2.0), ("castle", -1.0)):
            centre[view.corpus.token_names(np.arange(view.corpus.n_vocabulary)).index(word)] = weight * 0.5
        prior = replace(prior, centre=centre)
    scores = X @ regression(view, prior, believed).fit(X[training], y).coef_[0]

    # A member that was left out is an unknown document to a model with fewer members and a tighter prior.
    left_out, own = scores[training].copy(), np.flatnonzero(y == 1)
    fold = draw_folds(len(own), 0)
    for part in range(fold.max() + 1):
        known = y.copy()
        known[own[fold == part]] = 0
        tighter = replace(prior, variance=prior.variance * (np.mean(fold != part)) ** HyperPrior().fewer)
        without = X[training] @ regression(view, tighter, believed).fit(X[training], known).coef_[0]
        left_out[own[fold == part]] = without[own[fold == part]] * scores[training].std() / without.std()

    member = shown.member[training]
    calibration = calibrate(left_out, member, np.ones(len(member)))
    odds = calibration.log_odds(scores)
    np.testing.assert_allclose(view.points(setting).odds, odds, atol=0.01)
    np.testing.assert_allclose(view.shown(setting.family).left_out(setting), calibration.log_odds(left_out), atol=0.01)
    clear = np.abs(odds) > 0.01
    assert clear.mean() > 0.95
    counted = view.measures(setting)
    for name, part in (("training", ~shown.held_out), ("held_out", shown.held_out)):
        whole = Measures.of(odds[part] > 0, shown.member[part])
        assert abs(counted[name].tp - whole.tp) + abs(counted[name].fp - whole.fp) <= np.count_nonzero(~clear)
        assert counted[name].tp + counted[name].fn == np.count_nonzero(shown.member & part)
        assert counted[name].fp + counted[name].tn == np.count_nonzero(~shown.member & part)


def test_it_opens_at_the_learned_prior_with_every_point_on_the_diagonal(view: View) -> None:
    found, training = read(view)
    corpus = view.corpus
    finder = pw.MemberFinder(
        groups={"labels": len(found.labels)} if len(found.labels) else None,
        kinship=Spelling(corpus.token_names, corpus.document_frequency, corpus.n_documents),
        about=found.about,
    ).fit(found.X[training], found.y[training])
    opening = view.opening("members")
    assert opening.prior.numbers == pytest.approx(finder.best_prior_.numbers, rel=1e-3)
    points = view.points()
    np.testing.assert_array_equal(points.x, points.odds)
    assert view.words() == []
    tried = view.objective_map("members").drawn(pw.FBeta(1.0))["tried"]
    assert [each["share"] for each in tried] == pytest.approx([each.share for each in finder.tried_])
    path = view.find_best(moved(view, "+rook", variance=9.0))
    assert (path[0].keywords, path[-1]) == ("+rook", opening)


def test_the_category_of_the_demo_does_not_open_at_nothing() -> None:
    made = make_documents(2000)
    corpus = Corpus.from_texts([each.text for each in made], labels=[each.labels for each in made])
    view = explore(corpus, category_to_show(corpus))
    assert view.measures()["held_out"].f1 > 0.1
    assert view.measures()["training"].f1 > 0.3


def test_what_was_looked_at_before_makes_no_difference(view: View) -> None:
    path = [moved(view, variance=v) for v in (0.1, 0.2, 0.4, 0.8, 8.0)]
    path += [moved(view, variance=8.0, kinship=k) for k in (0.1, 0.2, 0.3)]
    path += [moved(view, variance=8.0, kinship=0.3, believed=n) for n in (0, 15, 30)]
    followed = [view.points(each).odds for each in path]
    for each, odds in zip(path[::3], followed[::3], strict=True):
        fresh = View(view.corpus, LABEL, view.documents, view.family, tried=view.shown(view.family)._tried)
        np.testing.assert_allclose(fresh.points(each).odds, odds, atol=0.02)


def test_evidence_and_words_add_up(view: View) -> None:
    setting = moved(view, "+rook:3", labels=1.0, variance=0.5)
    odds, solved = view.points(setting).odds, view.shown(setting.family)._solve(setting)
    for place in (0, 17, 40):
        found = view.evidence(place, setting)
        assert solved.calibration.intercept + sum(each.weight for each in found) == pytest.approx(odds[place])
        assert all(each.at_each * each.count == pytest.approx(each.weight) for each in found)
    words = view.words(setting, most=300)
    changes = [abs(each.now - each.before) for each in words]
    assert changes == sorted(changes, reverse=True)
    (rook,) = (each for each in words if each.word == "rook")
    assert rook.now > rook.before


def test_other_categories_are_named_as_such() -> None:
    texts = ["tea cup", "tea pot", "tea leaf", "tea milk", "cow milk", "cow hay", "hay barn", "cup pot", "owl barn"] * 2
    labels = ([["Tea", "Drinks"]] * 4 + [["Cows"]] * 5) * 2
    view = explore(Corpus.from_texts(texts, labels=labels), "Tea")
    words = view.words(moved(view, labels=10.0, variance=50.0, believed=0))
    assert "category Drinks" in [each.word for each in words]


def test_keywords_move_documents_that_have_them(view: View) -> None:
    column = view.corpus.token_names(np.arange(view.corpus.n_vocabulary)).index("rook")
    has = read(view)[0].X[:, column].toarray().ravel() > 0
    slope = view.shown(view.family)._solve(moved(view)).calibration.slope
    assert slope > 0
    more, less = (view.points(moved(view, words, trust=5.0)).odds for words in ("+rook:2", "-rook:2"))
    assert np.mean(more[has] - less[has]) > np.mean(more[~has] - less[~has])
    np.testing.assert_array_equal(view.points(moved(view, "+rook:2", trust=0.0)).odds, view.points(moved(view)).odds)
    with pytest.raises(InputError, match="no document has the word 'xyzzy'"):
        view.points(moved(view, "+rook -xyzzy"))
    with pytest.raises(InputError, match="is not a keyword"):
        view.points(moved(view, "+"))


def test_a_run_says_where_to_open(corpus: Corpus) -> None:
    run = pw.discover(corpus, LABEL)
    stage = run.stages[-1]
    view = explore(corpus, LABEL, tried=stage.tried)
    assert view.setting.prior.numbers == pytest.approx(run.prior.numbers, rel=1e-3)
    assert stage.explored == "members"
    known = pw.discover(corpus, LABEL, words="+rook").stages[-1].tried
    told = explore(corpus, LABEL, tried=[each for each in known if each.knowledge])
    assert np.isfinite(told.points().odds).all()
    presence = pw.discover(corpus, LABEL, model="presence").stages[-1]
    family = FAMILIES[presence.explored]
    assert family.make(*presence.prior.numbers) == presence.prior


def test_too_few_members_and_a_figure(view: View) -> None:
    lone = Corpus.from_texts(["a", "a b", "c", "d"], labels=["x", "x", None, None])
    with pytest.raises(NotEnoughData, match="needs 2 training members, and 'x' has 1; choose another prior"):
        explore(lone, "x").points()
    pytest.importorskip("plotly")
    figure = view.plot(moved(view, "+rook", variance=2.0))
    assert figure.layout.xaxis.title.text == "log odds under the learned prior"
    assert [trace.name for trace in figure.data][:4] == ["other", "member", "decision line", "not moved"]
    assert "keywords +rook" in figure.layout.title.text
    with pytest.raises(InputError, match="only the documents that are points"):
        next(iter(view.shown(view.family).of_corpus(view.setting)))


def test_zero_switches_a_part_off_and_can_be_typed(view: View) -> None:
    off = moved(view, kinship=0.0, labels=0.0, believed=0.0)
    assert str(off) == repr(off.prior)
    assert not off.prior.kinship
    assert not off.prior.groups["labels"]
    assert "25 provisional members" in str(moved(view, believed=25))
    with pytest.raises(InputError, match="σ² must be a number from 1e-09"):
        moved(view, variance=0.0)
