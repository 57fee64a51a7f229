"""Everything public: documented, with an example that runs, typed, and shown with its prior."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn
from scipy.sparse import csr_matrix
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline

import priorwise as pw
from priorwise.discovery import Run
from test_models_linear_model import small_model

NAMES = [name for name in pw.__all__ if callable(getattr(pw, name))]
# An example of Spark would start a Java; the tests of Spark run the tutorial's.
WITH_EXAMPLES = [name for name in NAMES if name != "Spark"]
X = csr_matrix(np.random.default_rng(0).integers(0, 3, (40, 6)))
Y = np.arange(40) % 2
WEIGHT = np.random.default_rng(1).integers(1, 4, 40).astype(float)
ESTIMATORS = [
    pw.PresenceNB(),
    pw.BernoulliNB(),
    pw.MultinomialNB(),
    pw.WeightedNB(),
    pw.LogisticRegression(),
    pw.ProbitRegression(),
]


def members(kind: type) -> list[tuple[str, Any]]:
    """The public methods and properties that a class of ours defines, with those it inherits from ours."""
    found = {}
    for base in kind.__mro__:
        if base.__module__.startswith("priorwise."):
            found |= {name: value for name, value in vars(base).items() if not name.startswith("_")}
    functions = []
    for name, value in found.items():
        inner = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if inspect.isfunction(inner):
            functions.append((name, inner))
    return functions


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_it_has_a_docstring_with_an_example(name: str) -> None:
    thing = getattr(pw, name)
    written = thing.__dict__.get("__doc__") if inspect.isclass(thing) else thing.__doc__
    assert written, f"{name} has no docstring"
    assert doctest.DocTestParser().get_examples(written), f"{name} has no example"
    if inspect.isclass(thing):
        assert [method for method, function in members(thing) if not inspect.getdoc(function)] == []


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_its_example_is_run(name: str) -> None:
    """Continuous integration runs the doctests of every module below `src`; that is where it has to stand."""
    thing = getattr(pw, name)
    module = importlib.import_module(thing.__module__)
    found = {test.name for test in doctest.DocTestFinder().find(module) if test.examples}
    assert f"{thing.__module__}.{thing.__qualname__}" in found


@pytest.mark.parametrize("name", NAMES)
def test_everything_is_typed(name: str) -> None:
    thing = getattr(pw, name)
    functions = [(name, thing)] if inspect.isfunction(thing) else members(thing)
    for where, function in functions:
        if not function.__module__.startswith("priorwise."):
            continue
        signature = inspect.signature(function)
        untyped = [
            parameter.name
            for parameter in signature.parameters.values()
            if parameter.annotation is parameter.empty and parameter.name not in ("self", "cls")
        ]
        assert untyped == [], f"{name}.{where}"
        assert signature.return_annotation is not signature.empty, f"{name}.{where} does not say what it returns"


def test_a_type_checker_sees_the_same_names() -> None:
    stub = ast.parse(Path(pw.__file__).with_suffix(".pyi").read_text("utf-8"))
    imports = [each for each in stub.body if isinstance(each, ast.ImportFrom)]
    seen = {name.asname: each.module for each in imports for name in each.names if name.name == name.asname}
    assert set(seen) == {*pw.__all__, "__version__"}
    assert all(hasattr(importlib.import_module(str(module)), str(name)) for name, module in seen.items())


# How things are shown


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda each: type(each).__name__)
def test_an_estimator_shows_its_prior(estimator: Any) -> None:
    assert f"prior={estimator.given_prior!r}" in repr(estimator)
    other = type(estimator)(prior="anything")
    assert "prior='anything'" in repr(other)


def test_a_search_shows_what_it_chose() -> None:
    search = pw.PriorSearch(pw.PresenceNB(), grid=[0.1, 1.0])
    assert "best_prior_" not in repr(search)
    search.fit(X, Y)
    assert repr(search).endswith(f", best_prior_={search.best_prior_!r})")


class Balanced(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


NASTY = "<script>alert('x')</script>&amp;\"'"
SHOWN = [
    pw.PseudoCounts(22, 4),
    pw.PseudoCounts(classes=[1, 2, 3]),
    pw.Beta(),
    pw.Dirichlet(0.5),
    pw.JelinekMercer(0.2),
    pw.CollectionBeta(),
    pw.TermBeta(),
    pw.AbsoluteDiscount(0.5),
    pw.LinearDiscount(),
    pw.WittenBell(),
    pw.WeightManipulation(-3),
    pw.Gaussian(np.linspace(1, 2, 5000)),
    pw.Laplace(4),
    pw.Jeffreys(),
    pw.StructuredGaussian(0.05, kinship=0.5, groups={"labels": 0.25}, centre=np.linspace(-1, 1, 9)),
]


@pytest.mark.parametrize("prior", SHOWN, ids=lambda each: type(each).__name__)
def test_a_prior_in_a_notebook(prior: Any) -> None:
    html = prior._repr_html_()
    page = Balanced()
    page.feed(html)
    assert page.open == []
    assert type(prior).__name__ in html
    assert len(html) < 3000


def test_nothing_of_a_document_becomes_an_element(tmp_path: Path) -> None:
    path = tmp_path / NASTY.replace("/", "-") / "x.corpus"
    corpus = pw.Corpus.from_texts(["a b", "a c", "b"], labels=[NASTY, NASTY, "y"], titles=[NASTY] * 3, path=path)
    for shown in (corpus, small_model(), pw.Informed(pw.Gaussian, csr_matrix([[1.0]]), "mode", strength=1.0)):
        page = Balanced()
        page.feed(shown._repr_html_())
        assert page.open == []
        assert "script" not in page.seen


def test_a_run_in_a_notebook(run: Run) -> None:
    page = Balanced()
    page.feed(run._repr_html_())
    assert page.open == []


# scikit-learn


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda each: type(each).__name__)
def test_weights_are_routed_through_pipelines(estimator: Any) -> None:
    direct = sklearn.clone(estimator).fit(X, Y, sample_weight=WEIGHT)
    with sklearn.config_context(enable_metadata_routing=True):
        wanted = sklearn.clone(estimator).set_fit_request(sample_weight=True)
        routed = make_pipeline(pw.TermFrequency("raw"), wanted).fit(X, Y, sample_weight=WEIGHT)
        assert routed.decision_function(X) == pytest.approx(direct.decision_function(X))
        refused = make_pipeline(pw.TermFrequency("raw"), sklearn.clone(estimator))
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"):
            refused.fit(X, Y, sample_weight=WEIGHT)


def test_weights_are_routed_to_a_search_within_cross_validation() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        search = pw.PriorSearch(pw.PresenceNB(), grid=[0.1, 1.0])
        search.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        found = cross_validate(search, X, Y, cv=3, params={"sample_weight": WEIGHT}, return_estimator=True)
    assert len(found["estimator"]) == 3


def test_a_selection_keeps_the_names_of_a_table() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X.toarray(), columns=list("abcdef"), index=range(100, 140))
    selection = pw.PearsonSelection(2).set_output(transform="pandas")
    chosen = selection.fit_transform(table, Y)
    assert list(chosen.columns) == selection.get_feature_names_out().tolist()
    assert chosen.equals(table[list(chosen.columns)])
    polars = pytest.importorskip("polars")
    assert isinstance(selection.set_output(transform="polars").transform(table), polars.DataFrame)


@pytest.mark.parametrize("step", [pw.TermFrequency(), pw.InverseDocumentFrequency()])
def test_weighted_counts_stay_sparse_and_say_so(step: Any) -> None:
    assert step.fit(X).get_feature_names_out(list("abcdef")).tolist() == list("abcdef")
    with pytest.raises(ValueError, match="sparse"):
        step.set_output(transform="pandas").fit_transform(X)
