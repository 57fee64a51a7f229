"""A prior, a target and a model that somebody adds in a file of their own, and what each gets by that alone."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import priorwise as pw
from conftest import Cli
from labelled_texts import texts_of
from priorwise.corpus import Corpus
from priorwise.errors import InputError
from priorwise.explorer import FAMILIES, setting_of
from priorwise.models.base import MODELS, models
from priorwise.models.linear_model import LinearModel
from priorwise.priors.base import PRIORS, Prior
from priorwise.search import TARGETS
from priorwise.web.explore import described


@pytest.fixture
def added() -> Iterator[Any]:
    """Import a file as if for the first time; what it registers is forgotten after the test."""
    models()
    registries: tuple[dict[str, Any], ...] = (PRIORS, MODELS, TARGETS)
    before = [dict(registry) for registry in registries]

    def add(name: str) -> Any:
        sys.modules.pop(name, None)
        return importlib.import_module(name)

    yield add
    for registry, was in zip(registries, before, strict=True):
        registry.clear()
        registry.update(was)


def test_a_made_up_prior(added: Any, cli: Cli, single: Corpus, tmp_path: Path) -> None:
    prior = added("made_up_prior").SharedMass
    # On the command line: its name, its number, learned, and told in words.
    options = ("--prior", "shared-mass:30", "-o", tmp_path / "m")
    said = cli("train", single.path, *options).stdout
    assert "SharedMass(mass=30.0): m = 30, how many imagined words the vocabulary shares." in said
    said = cli("train", single.path, "--prior", "learn:shared-mass", "-o", tmp_path / "learned").stdout
    assert f"the best of {len(prior.grid())} trials" in said
    assert "shared-mass:10" in cli("train", "--list").stdout
    # It is the same as the Dirichlet prior that it is another form of.
    cli("train", single.path, "--prior", "dirichlet:2", "-o", tmp_path / "same")
    weights, same = (LinearModel.load(tmp_path / name).weights.table(15) for name in ("m", "same"))
    np.testing.assert_allclose(weights, same)
    # In the explorer: a slider with a caption, and leave-one-out of the whole grid.
    family = described(FAMILIES["multinomial-shared-mass"], types=15)
    assert [each["caption"] for each in family["parameters"]] == ["how many imagined words the vocabulary shares"]
    assert (family["title"], family["says"]) == ("Multinomial, Shared mass", "p(i|c) = (N + m/V) / (ΣN + m)")
    view = pw.explore(single, "sport", "multinomial-shared-mass", [15.0])
    np.testing.assert_allclose(view.points(), view.points(setting_of("dirichlet", [1.0])))
    assert view.objective_map("multinomial-shared-mass").tp.shape == (len(prior.grid()),)
    # By name in scikit-learn, and in a notebook.
    assert pw.MultinomialNB(prior()).set_params(prior__mass=3).prior == prior(3)
    assert "how many imagined" in prior().describe()
    assert "SharedMass(mass=10.0)" in prior()._repr_html_()
    with pytest.raises(InputError, match=r"SharedMass\(3\)\), not 'shared-mass:3'"):
        pw.MultinomialNB("shared-mass:3").fit([[1], [2]], [0, 1])


def test_a_made_up_target(added: Any, cli: Cli, several: Corpus, tmp_path: Path) -> None:
    youden = added("made_up_target").YoudenIndex
    said = cli("train", several.path, "--prior", "learn", "--target", "youden-index:2", "-o", tmp_path / "m").stdout
    assert "Learned by leave-one-out: youden-index:2" in said
    assert "youden-index, youden-index:ALARM" in cli("train", "--list").stdout
    X = np.eye(8)[:, :4] + np.eye(8)[:, 4:] + 1
    search = pw.PriorSearch(pw.PresenceNB(), target=youden()).fit(X, [0, 1] * 4)
    terrain = search.terrain_
    np.testing.assert_allclose(terrain.score, terrain.tp / 4 - terrain.fp / 4)
    options = ("--model", "logistic", "--decide", "each", "--threshold", "youden-index", "-o", tmp_path / "t")
    assert cli("train", several.path, *options).exit_code == 0
    assert len(LinearModel.load(tmp_path / "t").about["thresholds"]) == 3


def test_a_made_up_model(added: Any, cli: Cli, single: Corpus, tmp_path: Path) -> None:
    modest = added("made_up_model").ModestNB
    options = ("--model", "modest", "--prior", "learn:witten-bell", "-o", tmp_path / "m")
    said = cli("train", single.path, *options).stdout
    assert "Modest, WittenBell(" in said
    assert "strength: " in said
    assert "--model modest" in cli("train", "--list").stdout
    assert cli("evaluate", tmp_path / "m", single.path).exit_code == 0
    assert not any(name.startswith("modest") for name in FAMILIES)  # it did not say how it is explored
    X, y = [[2, 0, 1], [1, 0, 0], [0, 2, 1]], ["a", "a", "b"]
    search = pw.PriorSearch(modest()).fit(X, y)
    assert search.best_prior_ == pw.PriorSearch(pw.MultinomialNB()).fit(X, y).best_prior_
    np.testing.assert_allclose(
        modest().fit(X, y).decision_function(X), pw.MultinomialNB().fit(X, y).decision_function(X) / 4
    )


# Priors by name in scikit-learn


def test_a_grid_search_sets_the_numbers_of_a_prior() -> None:
    texts, labels = texts_of(60)
    model = make_pipeline(TfidfVectorizer(), pw.LogisticRegression())
    grid = {"logisticregression__prior__variance": [0.01, 100.0]}
    found = GridSearchCV(model, grid, cv=3, scoring="neg_log_loss").fit(texts, labels)
    assert found.best_estimator_[-1].prior == pw.Gaussian(100.0)
    assert model[-1].prior is None  # nothing that was given has changed
    start = pw.MultinomialNB(pw.Dirichlet(1))
    assert start.set_params(prior__alpha=0.1, class_rate="uniform").prior == pw.Dirichlet(0.1)
    assert start.get_params()["prior__alpha"] == 0.1
    assert pw.BernoulliNB().get_params()["prior__beta"] == 1.0
    with pytest.raises(pw.PriorwiseError, match="no field of the prior 'alhpa'; did you mean 'alpha'"):
        start.set_params(prior__alhpa=1.0)
    with pytest.raises(InputError, match="set 'prior' as a whole"):
        pw.BernoulliNB([pw.Beta(), pw.Beta()]).set_params(prior__alpha=1.0)


@pytest.mark.parametrize("prior", [prior for each in PRIORS.values() for prior in each.variants()], ids=repr)
def test_every_prior_follows_the_protocol(prior: Prior) -> None:
    assert all(each.caption and each.low < each.high for each in prior.parameters)
    assert prior.formula
    assert prior.describe()
    assert prior.with_numbers(*prior.numbers) == prior
    for other in prior.grid():
        assert type(other) is type(prior)
        assert len(other.numbers) == len(prior.parameters)
    for preset in prior.presets(100):
        assert preset.prior is None or type(preset.prior) is type(prior)


def test_a_name_is_refused_with_what_to_write_instead() -> None:
    X, y = [[1, 0], [0, 1]], [0, 1]
    for model, says in (
        (pw.MultinomialNB("witten-bell"), r"write MultinomialNB\(prior=priorwise.WittenBell\(\)\), not 'witten-bell'"),
        (pw.BernoulliNB("beta:0.1,0.3"), r"prior=priorwise.Beta\(0.1,0.3\)\)"),
        (pw.LogisticRegression("laplace"), r"prior=priorwise.Laplace\(\)\)"),
        (pw.ProbitRegression("best"), r"is Gaussian\(…\), Jeffreys\(…\) or Laplace\(…\), not 'best'"),
        (pw.PresenceNB("term-beta"), r"prior=priorwise.TermBeta\(\)\)"),
    ):
        with pytest.raises(InputError, match=says):
            model.fit(X, y)


# Priors about words


def test_a_prior_about_words_survives_cross_validation() -> None:
    texts, labels = texts_of(40)
    known = pw.Informed(pw.Laplace, {"goal": 3.0, "team": 3.0, "court": -2.0, "nowhere": 1.0}, "mode", variance=0.01)
    y = np.array(labels) == "sport"
    model = make_pipeline(pw.NamedColumns(TfidfVectorizer()), pw.LogisticRegression(known))
    assert cross_val_score(model, texts, y, cv=4).mean() > 0.7
    model.fit(texts, y)
    words = dict(zip(model[0].get_feature_names_out(), model[1].coef_[0], strict=True))
    assert words["goal"] == pytest.approx(3.0, abs=0.5)
    search = make_pipeline(pw.NamedColumns(TfidfVectorizer()), pw.PriorSearch(pw.LogisticRegression(known), folds=2))
    assert search.fit(texts, y)[1].best_prior_.strength in known.grid()[0].parameters[0].values
    with pytest.raises(InputError, match="the columns have no names: fit on a DataFrame, or put"):
        make_pipeline(TfidfVectorizer(), pw.LogisticRegression(known)).fit(texts, y)


def test_a_prior_about_words_reads_the_columns_of_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], columns=["oil", "wheat"])
    known = pw.Informed(pw.Gaussian, [{"wheat": 2.0}], "mode", variance=1e-6)
    model = pw.LogisticRegression(known).fit(frame, [0, 1, 0])
    assert model.coef_[0] == pytest.approx([0.0, 2.0], abs=1e-3)
    assert "'wheat' multiplies the odds" in known.describe(["oil", "wheat"])
