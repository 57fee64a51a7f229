"""Nobody asks what kind of prior, target or model they were given; the number of places that still do only falls."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import priorwise
import priorwise.priors
import priorwise.search
from priorwise.models.base import PriorModel, models
from priorwise.priors.base import PRIORS, Prior
from priorwise.search import TARGETS

CEILING = 11
"""How many places ask. Lower this when there are fewer; do not raise it."""

SOURCE = Path(priorwise.__file__).parent
ASKS = ("isinstance", "issubclass")
SUBJECTS = ("prior", "target", "model", "estimator", "kind", "own")


def _subclasses(of: type) -> set[type]:
    return {of}.union(*(_subclasses(each) for each in of.__subclasses__()))


def _defined_in() -> dict[str, str]:
    """The module of each class of priors, targets and models, protocols too."""
    models()
    for each in pkgutil.iter_modules(priorwise.priors.__path__, "priorwise.priors."):
        importlib.import_module(each.name)
    found = _subclasses(Prior) | _subclasses(PriorModel) | set(TARGETS.values())
    found |= {value for value in vars(priorwise.search).values() if isinstance(value, type)}
    ours = [each for each in found if each.__module__.startswith("priorwise.")]
    return {each.__name__: each.__module__ for each in ours}


def _questions(tree: ast.AST, module: str, classes: dict[str, str], names: set[str]) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 2:
            subject, what = node.args
            if node.func.id in ASKS:
                asked = {each.id for each in ast.walk(what) if isinstance(each, ast.Name)}
                if any(classes.get(each, module) != module for each in asked):
                    yield node.lineno, ast.unparse(node)
            elif node.func.id == "hasattr" and any(each in ast.unparse(subject).lower() for each in SUBJECTS):
                yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.Compare):
            constants = {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)}
            if constants & names and any(each in ast.unparse(node.left).lower() for each in SUBJECTS):
                yield node.lineno, ast.unparse(node)


def asked() -> list[str]:
    """Every place that asks, as file:line: question."""
    classes = _defined_in()
    names = {*PRIORS, *models(), *(each.written.split(",")[0] for each in TARGETS.values())}
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        module = ".".join(["priorwise", *path.relative_to(SOURCE).with_suffix("").parts])
        for line, question in _questions(ast.parse(path.read_text("utf-8")), module, classes, names):
            found.append(f"{path.relative_to(SOURCE)}:{line}: {question}")
    return found


def test_fewer_and_fewer_places_ask() -> None:
    found = asked()
    assert len(found) <= CEILING, "\n".join(found)


def test_the_count_counts() -> None:
    asks = (
        "isinstance(x, Laplace | str), hasattr(prior, 'mix'), model == 'logistic', isinstance(x, str), x == 'logistic'"
    )
    found = _questions(ast.parse(asks), "priorwise.elsewhere", {"Laplace": "priorwise.priors.regression"}, {"logistic"})
    assert len(list(found)) == 3
    inside = _questions(
        ast.parse(asks), "priorwise.priors.regression", {"Laplace": "priorwise.priors.regression"}, set()
    )
    assert len(list(inside)) == 1
