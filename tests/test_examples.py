"""Small examples of the internal functions, from examples.md."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

SECTIONS = re.findall(
    r"^## (\S+) (\S+)\n(.*?)(?=^## |\Z)",
    Path(__file__).with_name("examples.md").read_text("utf-8"),
    re.M | re.S,
)


@pytest.mark.parametrize(("module", "name", "text"), SECTIONS, ids=[name for _, name, _ in SECTIONS])
def test_example(module: str, name: str, text: str) -> None:
    names = dict(vars(import_module(module)))
    example = doctest.DocTestParser().get_doctest(text, names, name, "examples.md", 0)
    assert example.examples
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.DocTestRunner(optionflags=flags).run(example).failed == 0
