"""The pages people read, in plain English: habits that docs/contributing/style.md bans, found by plain expressions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])
QUOTES_THEM = {"docs/contributing/style.md"}

HABITS = {
    r"\bthe (latter|former)\b": "name it again",
    r"\bsome \d": "about",
    r"\bso many\b": "this many, or the number",
    r"\blistens? to\b": "uses",
    r"\bbeliev\w+": "assume, treat as",
    r"\bput to\b": "assign to",
    r"\b(goes|went|go) on\b": "continue",
    r"\bstands?\b(?!-| for)": "is",
    r"\bbeside\b": "next to, compared with, in addition to",
    r"(?<!here )\bis no\b(?! (longer|way|more)\b)": "is not a",
    r"(?<!here )\b(is|are) none\b": "is not one",
    r", for (it|they|there|these|those)\b": "because",
    r"\. Who(ever)? [a-z]+s\b": "a person who, anyone who",
    r"\bspeaks? (for|of|too)\b": "counts for, is about",
    r"\bforgiv\w+": "leave it out",
    r"\bblind review\b": "blind evaluation",
    r"\b(first|second|both) stages?\b": "the presence model, the default model",
}


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
