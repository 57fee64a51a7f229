"""JSON into dataclasses: what was written is what is read, and what does not fit is refused with its place."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priorwise.corpus.storage.typed import typed


@dataclass(frozen=True)
class Leaf:
    number: float
    name: str | None = None


@dataclass(frozen=True)
class Tree:
    leaf: Leaf
    count: int
    is_green: bool
    leaves: tuple[Leaf, ...] = ()
    sizes: tuple[float, ...] = (1.0,)
    names: dict[str, str] = field(default_factory=dict)
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    rest: Leaf | None = None
    anything: Any = None


TEXTS = st.text(max_size=5)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
LEAVES = st.builds(Leaf, NUMBERS, st.none() | TEXTS)
TREES = st.builds(
    Tree,
    LEAVES,
    st.integers(),
    st.booleans(),
    st.lists(LEAVES, max_size=3).map(tuple),
    st.lists(NUMBERS, max_size=3).map(tuple),
    st.dictionaries(TEXTS, TEXTS, max_size=3),
    st.dictionaries(TEXTS, st.dictionaries(TEXTS, st.integers(), max_size=2), max_size=2),
    st.none() | LEAVES,
    st.none() | TEXTS,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
PLACES = [
    ("leaf",),
    ("leaf", "number"),
    ("leaf", "name"),
    ("count",),
    ("is_green",),
    ("leaves",),
    ("sizes",),
    ("names",),
    ("counts",),
    ("rest",),
]


@given(tree=TREES)
def test_what_is_written_is_read(tree: Tree) -> None:
    assert typed(Tree, json.loads(json.dumps(asdict(tree)))) == tree


@given(tree=TREES, more=JSON)
def test_names_that_are_not_known_are_passed_over(tree: Tree, more: Any) -> None:
    written = {**asdict(tree), "another": more}
    assert typed(Tree, json.loads(json.dumps(written))) == tree


@given(tree=TREES, place=st.sampled_from(PLACES), value=JSON)
def test_any_other_value_fits_or_is_refused_with_its_place(tree: Tree, place: tuple[str, ...], value: Any) -> None:
    written = json.loads(json.dumps(asdict(tree)))
    at = written
    for name in place[:-1]:
        at = at[name]
    at[place[-1]] = json.loads(json.dumps(value))
    found = tree_or_sentence(written)
    if isinstance(found, str):
        assert found.startswith(f"'{'.'.join(place)}")
        assert len(found) < 120
    else:
        own: Any = found
        for name in place:
            own = getattr(own, name)
        assert fits(own)
        assert typed(Tree, json.loads(json.dumps(asdict(found)))) == found


def tree_or_sentence(written: Any) -> Tree | str:
    try:
        return typed(Tree, written)
    except ValueError as error:
        return str(error)


def fits(value: Any) -> bool:
    """Whether a value has one of the types that the fields have, all through."""
    if isinstance(value, Leaf):
        return type(value.number) is float and math.isfinite(value.number) and isinstance(value.name, str | None)
    if isinstance(value, tuple):
        return all(fits(each) for each in value)
    if isinstance(value, dict):
        return all(type(name) is str and fits(each) for name, each in value.items())
    return value is None or (isinstance(value, bool | int | float | str) and value == value)


@given(tree=TREES, name=st.sampled_from(["leaf", "count", "is_green"]))
def test_what_is_missing_is_named(tree: Tree, name: str) -> None:
    written = asdict(tree)
    del written[name]
    with pytest.raises(ValueError, match=f"^'{name}' is missing$"):
        typed(Tree, written)


def test_defaults_are_taken_where_nothing_is_written() -> None:
    assert typed(Tree, {"leaf": {"number": 2}, "count": 3, "is_green": True}) == Tree(Leaf(2.0), 3, True)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"count": True}, "'count' is True, not a whole number"),
        ({"count": 1.0}, "'count' is 1.0, not a whole number"),
        ({"is_green": 1}, "'is_green' is 1, not true or false"),
        ({"leaf": {"number": math.inf}}, "'leaf.number' is inf, not a number"),
        ({"leaf": {"number": True}}, "'leaf.number' is True, not a number"),
        ({"sizes": [1, None]}, "'sizes[1]' is None, not a number"),
        ({"leaves": {"number": 1}}, "'leaves' is {'number': 1}, not a list"),
        ({"leaves": [{"number": 1}, {}]}, "'leaves[1].number' is missing"),
        ({"names": {"a": 1}}, "'names.a' is 1, not a text"),
        ({"counts": {"a": {"b": "c" * 90}}}, "…, not a whole number"),
    ],
)
def test_the_sentence_says_where(change: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=r"not|missing") as caught:
        typed(Tree, {"leaf": {"number": 2}, "count": 3, "is_green": True, **change})
    assert says in str(caught.value)


@pytest.mark.parametrize("value", [None, [], 3, "tree"])
def test_what_is_no_object_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="not an object"):
        typed(Tree, value)
