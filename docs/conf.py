"""How Sphinx builds the documentation. It needs no network: no link goes to another project's inventory."""

import importlib
import tomllib
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

import priorwise

DOCS = Path(__file__).parent

project = "priorwise"
author = "The priorwise developers"
copyright = author
version = release = priorwise.__version__
language = "en"

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_click",
]
templates_path = ["_templates"]
# The tables are included by their page.
exclude_patterns = ["_build", "concepts/hidden-members-table.md", "concepts/discovery-study-table.md"]

html_theme = "furo"
html_title = f"priorwise {version}"
html_show_sphinx = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
not_ours = (
    "BaseEstimator, ClassifierMixin, MetaEstimatorMixin, TransformerMixin, _SetOutputMixin, Exception, KeyError, int, "
    "Mapping"
)
autodoc_default_options = {"inherited-members": not_ours}
autodoc_typehints = "none"  # numpydoc's Parameters say the types, in words
numpydoc_show_class_members = False  # autodoc writes the members already
# Estimators name the kind of prior they take; those base classes are for people who add a prior, and have no page.
nitpick_ignore_regex = [("py:class", r"priorwise\.priors\.\w+\.(Rate|Penalty|Word|Presence|Regression|Weight)Prior")]


def stage_of(name: str, flow: list[str]) -> str:
    """Say which stage defines a public name; a constant does not know its module, so look for it."""
    module = getattr(getattr(priorwise, name), "__module__", "")
    if module.startswith("priorwise."):
        return module.split(".")[1]
    return next(stage for stage in flow if hasattr(importlib.import_module(f"priorwise.{stage}"), name))


def public_names() -> dict[str, list[str]]:
    """Public names by the stage that defines them, in the order of the import contract; errors come last."""
    settings = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    flow = [stage.strip("() ") for layer in reversed(layers) for stage in layer.split("|")]
    names: dict[str, list[str]] = {stage: [] for stage in [*flow[1:], flow[0]]}
    for name in getattr(priorwise, "__all__", ()):
        if not name.startswith("__"):
            names[stage_of(name, flow)].append(name)
    return {stage: members for stage, members in names.items() if members}


def write_api_page(app: Sphinx, config: Config) -> None:
    """Write the page that lists every public name, for autosummary to document."""
    intro = "Every name here is at hand after ``import priorwise as pw``, in the order in which the data flow."
    lines = ["Python", "======", "", intro, ""]
    stages = public_names()
    for stage, names in stages.items():
        summary = (importlib.import_module(f"priorwise.{stage}").__doc__ or "").strip().split("\n\n")[0]
        title = stage.capitalize()
        lines += [title, "-" * len(title), "", summary, "", ".. currentmodule:: priorwise", ""]
        lines += [".. autosummary::", "   :toctree: .", "", *(f"   {name}" for name in names), ""]
    page = DOCS / "reference" / "api" / "index.rst"
    page.parent.mkdir(parents=True, exist_ok=True)
    current = {f"priorwise.{name}" for names in stages.values() for name in names}
    for stale in page.parent.glob("priorwise.*.rst"):
        if stale.stem not in current:
            stale.unlink()
    text = "\n".join(lines)
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")


def skip_member(app: Sphinx, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Leave out the metadata-routing methods that scikit-learn adds to every estimator."""
    routing = name == "get_metadata_routing" or (name.startswith("set_") and name.endswith("_request"))
    return True if routing else None


def add_examples(app: Sphinx, ctx: Any, lines: list[str]) -> None:
    """Show a command's examples, as its help does."""
    examples = getattr(ctx.command, "examples", [])
    lines += ["", "::", "", *(f"    {line}" for line in examples), ""] if examples else []


def setup(app: Sphinx) -> None:
    """Connect the functions above."""
    app.connect("sphinx-click-process-description", add_examples)
    app.connect("config-inited", write_api_page)
    app.connect("autodoc-skip-member", skip_member)
