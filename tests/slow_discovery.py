"""Whole discoveries by the slow formulas: what a run over the made-up documents should have found."""

from __future__ import annotations

import numpy as np
import reference_ranking as reference

from priorwise.discovery import Run
from priorwise.discovery.demo import DemoDocument
from priorwise.discovery.member_stage import MemberFacts, MemberStage
from priorwise.discovery.presence_stage import PresenceFacts, PresenceStage

Sets = list[set[str]]


def rows_of(documents: list[DemoDocument], label: str) -> list[int]:
    return [row for row, document in enumerate(documents) if label in document.labels]


def presence_of(run: Run) -> PresenceStage:
    """The run's presence model."""
    stage = run.stage("presence")
    assert isinstance(stage, PresenceStage)
    return stage


def facts_of(run: Run) -> PresenceFacts:
    """How the prior of the run's presence model was learned."""
    return presence_of(run).about


def member_facts(run: Run) -> MemberFacts:
    """What the run's default model learned."""
    stage = run.stage("members")
    assert isinstance(stage, MemberStage)
    return stage.about


def slow_scores(run: Run, token_sets: Sets, members: list[int], excluded: list[int]) -> list[float]:
    """Every document's score under the run's prior, counted against all other documents."""
    others = [row for row in range(len(token_sets)) if row not in {*members, *excluded}]
    share = min(1.0, 200 * len(members) / len(others))
    collection = [token_sets[row] for row in [*members, *others]] if run.prior.centre == "collection" else None
    counted = reference.count([token_sets[m] for m in members], [token_sets[o] for o in others], share, collection)
    prior, power = run.prior, facts_of(run).length_power
    return [
        reference.s(counted, tokens, prior.negative, prior.positive) / max(1, len(tokens)) ** power
        for tokens in token_sets
    ]


def slow_baseline(token_sets: Sets, members: list[int], excluded: list[int], seed: int = 0) -> list[float]:
    """Every document's score under Laplace with as many negatives as members."""
    others = [row for row in range(len(token_sets)) if row not in {*members, *excluded}]
    negatives = reference.sample(others, len(members), seed)
    counted = reference.count([token_sets[m] for m in members], [token_sets[n] for n in negatives])
    return [reference.s(counted, tokens, 1.0, 1.0) for tokens in token_sets]


def check_against_slow(run: Run, scores: list[float], skipped: list[int], ids: list[str]) -> None:
    order = reference.ranked(scores, skipped)[: len(run.ranking)]
    np.testing.assert_allclose(run.ranking.table["score"].to_pylist(), [scores[d] for d in order], rtol=1e-9, atol=1e-9)
    gaps = np.abs(np.diff([scores[d] for d in order]))
    assert np.all((gaps > 1e-9) | (gaps == 0)), "a near-tie that rounding may order either way: choose another corpus"
    assert run.ranking.ids == [ids[d] for d in order]
