"""The pages people read, in plain English: habits that docs/contributing/style.md bans, found by plain expressions."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])
QUOTES_THEM = {"docs/contributing/style.md"}

HABITS = {
    r"\bthe (latter|former)\b": "name it again",
    r"\bsome (\d|(two|three|four|five|ten|twenty|fifty|hundred)\b)": "about",
    r"\bso many\b": "this many, or the number",
    r"\blistens? to\b": "uses",
    r"\bbeliev\w+": "assume, treat as",
    r"\bput to\b": "assign to",
    r"\b(goes|went|go) on\b": "continue",
    r"\bstands?\b(?!-| for)": "is",
    r"\bbeside\b": "next to, compared with, in addition to",
    r"(?<!here )\bis no\b(?! (longer|way|more)\b)": "is not a",
    r"(?<!here )\b(is|are) none\b": "is not one",
    r"\b(that|which|whose \w+) (is|are) no\b": "is not a",
    r", for (it|they|there|these|those)\b": "because",
    r"\. Who(ever)? [a-z]+s\b": "a person who, anyone who",
    r"\bspeaks? (for|of|too)\b": "counts for, is about",
    r"\bforgiv\w+": "leave it out",
    r"\bblind review\b": "blind evaluation",
    r"\b(first|second|both) stages?\b": "the presence model, the default model",
}


VOCABULARY = {
    r"\bheadings?\b(?=.*\b(MeSH|subject)\b)": "term, label",
    r"\bterrains?\b": "objective map",
    r"\bmembers missing\b": "estimated missing",
    r"\bpositives\b": "members",
    r"\bteach(ing)? mode\b": "active learning",
}
"""Words that the vocabulary replaces, where people use the tool: in help, in errors and on the app's pages."""

KEPT = {
    "Terrain(X × X cells, best score X)",
    "choose either one_sided or believed: provisional members need targets on both sides",
    "Thresholded requires y to be passed, but the target y is None",
}
"""A class's name, a parameter's, and the words that scikit-learn's checks look for."""

SOURCE = ROOT / "src" / "priorwise"


def strings_in(node: ast.AST) -> Iterator[str]:
    """The texts in a piece of code; what is filled in later is an X."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.JoinedStr):
            yield "".join(str(each.value) if isinstance(each, ast.Constant) else "X" for each in part.values)
        elif isinstance(part, ast.Constant):
            if isinstance(part.value, str):
                yield part.value
        else:
            yield from strings_in(part)


def told_to_people(code: str) -> Iterator[str]:
    """What a module may say to people, in errors, help, output and pages: its texts of several words."""
    module = ast.parse(code)
    for node in ast.walk(module):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value.value = ""
    yield from (text for text in strings_in(module) if " " in text)


def told_to_developers(code: str) -> Iterator[str]:
    """The docstrings and comments of a module, without its examples and the names of its parameters."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            kept = [line for line in node.value.value.splitlines() if not re.match(r"\s*(>>>|\w+ : )", line)]
            yield re.sub(r"`[^`]*`", "", re.sub(r"\s+", " ", " ".join(kept)))
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def test_docstrings_and_comments_are_plain_english() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)}: {text[max(0, found.start() - 40) : found.end() + 20]!r}: {instead}"
        for path in sorted(SOURCE.rglob("*.py"))
        for text in told_to_developers(path.read_text("utf-8"))
        for habit, instead in HABITS.items()
        for found in re.finditer(habit, text.replace("None", ""), flags=re.I)
    ]
    assert wrong == []


def test_errors_help_and_output_are_plain_english() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)}: {text!r}: {instead}"
        for path in sorted(SOURCE.rglob("*.py"))
        for text in told_to_people(path.read_text("utf-8"))
        for habit, instead in (HABITS | VOCABULARY).items()
        if re.search(habit, text, flags=re.I) and text not in KEPT
    ]
    assert wrong == []


def test_the_help_of_every_command_is_plain_english() -> None:
    from priorwise.cli import main
    from test_cli_flags import COMMANDS

    for path, command in COMMANDS.items():
        with click.Context(command, info_name=" ".join(path), **main.context_settings) as ctx:
            text = re.sub(r"\s+", " ", command.get_help(ctx))
        found = [f"{' '.join(path)}: {habit}" for habit in HABITS | VOCABULARY if re.search(habit, text, flags=re.I)]
        assert found == []


@pytest.mark.parametrize("path", sorted(SOURCE.glob("web/static/**/*.js")), ids=lambda path: path.name)
def test_pages_of_the_app_are_plain_english(path: Path) -> None:
    """Texts on the app's pages: strings with a space in them."""
    code = re.sub(r"^\s*(//|\*|/\*).*$", "", path.read_text("utf-8"), flags=re.M)
    texts = re.findall(r"\"([^\"\n]* [^\"\n]*)\"|`([^`\n]* [^`\n]*)`", code)
    for text in ("".join(each) for each in texts):
        found = [habit for habit in HABITS | VOCABULARY if re.search(habit, text, flags=re.I)]
        assert found == [], text


def prose(page: str) -> str:
    """A page without its code, and without the tables that programs write."""
    page = re.sub(r"^<!-- \S+ --write.*?^<!-- end of .*?$|^```.*?^```$|^    .*?$", "", page, flags=re.M | re.S)
    return re.sub(r"\s+", " ", re.sub(r"`[^`\n]*`", "", page))


def habits_of(page: str) -> list[str]:
    text = prose(page)
    return [
        f"'…{text[max(0, found.start() - 30) : found.end() + 20]}…': {instead}"
        for habit, instead in HABITS.items()
        for found in re.finditer(habit, text, flags=re.I)
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_are_plain_english(page: Path) -> None:
    name = str(page.relative_to(ROOT))
    if name in QUOTES_THEM or name.startswith("docs/results/"):
        return
    assert habits_of(page.read_text("utf-8")) == []


def test_old_habits_are_seen() -> None:
    page = "It takes some 300 bytes, and\nwho has the latter can review. The tool believes it, for it is no fool.\n"
    assert len(habits_of(page)) == 5
    assert habits_of("```\nsome 300\n```\n`the latter` is not prose. There is no other way.\n") == []
