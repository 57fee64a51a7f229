"""The estimators that rank a category's candidates, by name, so that nobody else names one."""

from __future__ import annotations

from typing import Any

from priorwise.models.regression.member_finder import MemberFinder

RANKERS = {"members": MemberFinder}
"""Each takes `groups`, `kinship`, `about`, `seed`, `threads` and `progress`, and is fitted on 1, 0 and −1."""


def make_ranker(name: str, **details: Any) -> Any:
    """Make a ranker."""
    return RANKERS[name](**details)
