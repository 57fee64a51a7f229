from __future__ import annotations

import numpy as np
import pytest
import reference_stopping as reference
from hypothesis import given, settings
from hypothesis import strategies as st

from priorwise.discovery import stopping
from priorwise.errors import InputError

verdict_lists = st.lists(st.booleans(), max_size=25)


@settings(max_examples=15, deadline=None)
@given(data=st.data(), unread=st.integers(0, 30), counted=st.sampled_from([3, 80]))
def test_the_posterior_is_the_sum_over_all_numbers_and_settings(data: st.DataObject, unread: int, counted: int) -> None:
    steps = data.draw(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=20))
    verdicts, ranked = [member for member, _ in steps], [by_rank for _, by_rank in steps]
    n = max(1, len(steps) + unread)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stopping, "COUNTED", counted)
        missing = stopping.unfound_members(verdicts, n, ranked=ranked)
    wanted = reference.missing_probabilities(
        verdicts,
        ranked,
        n,
        mean_times=stopping.MEAN_TIMES.tolist(),
        tails=list(zip(stopping.TAILS, stopping.TAIL_WEIGHTS, strict=True)),
        hards=list(zip(stopping.HARD_SHARES, stopping.HARD_WEIGHTS, strict=True)),
        efficiency=stopping.EFFICIENCY,
        members=(stopping.SIZE * np.log(n), stopping.SPREAD),
        counted=counted,
    )
    assert missing.numbers.tolist() == list(range(n - len(steps) + 1))
    np.testing.assert_allclose(missing.probabilities, wanted, rtol=1e-6, atol=1e-12)


@given(verdicts=verdict_lists, more=st.integers(1, 5000))
def test_the_interval_and_the_bounds_are_read_off_the_posterior(verdicts: list[bool], more: int) -> None:
    missing = stopping.unfound_members(verdicts, len(verdicts) + more)
    assert missing.probabilities.sum() == pytest.approx(1.0)
    assert 0 <= missing.low <= missing.expected <= missing.high <= more
    assert missing.at_most(-1) == 0.0
    assert missing.at_most(more) == pytest.approx(1.0)
    bounds = [missing.at_most(number) for number in range(0, more, max(1, more // 50))]
    assert bounds == sorted(bounds)
    assert missing.at_most(int(missing.high)) >= stopping.HIGH - missing.probabilities.max() - 1e-9


def test_expectations_move_the_estimate_until_verdicts_do() -> None:
    few, many = (stopping.unfound_members([], 2000, expected=(size, 0.3)).expected for size in (10, 300))
    assert few == pytest.approx(10, rel=0.2)
    assert many == pytest.approx(300, rel=0.2)
    verdicts = np.zeros(1500, bool)
    verdicts[:40] = True
    assert stopping.unfound_members(verdicts, 2000, expected=(300, 1.0)).high <= 3


def test_the_longer_nothing_is_found_the_surer_it_is_safe() -> None:
    verdicts = np.arange(1900) < 60
    chances = [stopping.unfound_members(verdicts[:n], 2000).recall_at_least(0.95) for n in (60, 100, 200, 600, 1900)]
    assert chances == sorted(chances)
    assert chances[0] < 0.5
    assert chances[-1] > 0.95


def test_a_random_sample_without_members_counts_as_evidence() -> None:
    verdicts = np.arange(300) < 60
    before = stopping.unfound_members(verdicts, 2000)
    sample = np.append(verdicts, np.zeros(200, bool))
    after = stopping.unfound_members(sample, 2000, ranked=np.arange(500) < 300)
    assert after.recall_at_least(0.95) > before.recall_at_least(0.95)


def test_everything_read_means_nothing_missing() -> None:
    missing = stopping.unfound_members([True, False, True], 3)
    assert (missing.low, missing.expected, missing.high) == (0, 0, 0)
    assert stopping.may_stop(missing).safe
    assert stopping.may_stop(stopping.unfound_members([False, False], 2)).safe


def test_nothing_found_is_never_safe() -> None:
    decision = stopping.may_stop(stopping.unfound_members(np.zeros(1900, bool), 2000))
    assert not decision.safe
    assert "No member" in decision.reason


def test_a_handful_is_too_few_for_a_certificate() -> None:
    few, enough = np.arange(1900) < stopping.FEWEST - 1, np.arange(1900) < 12
    decision = stopping.may_stop(stopping.unfound_members(few, 2000), recall=0.5)
    assert decision.probability > decision.confidence
    assert not decision.safe
    assert "Only 4 members found" in decision.reason
    assert stopping.may_stop(stopping.unfound_members(enough, 2000), recall=0.5).safe
    assert stopping.may_stop(stopping.unfound_members(few, 1900)).safe, "everything is read"


@given(verdicts=st.lists(st.booleans(), min_size=1, max_size=60), more=st.integers(0, 200))
def test_the_published_interface_says_the_same(verdicts: list[bool], more: int) -> None:
    n = len(verdicts) + more
    answer = stopping.safe_to_stop(n, [int(member) for member in verdicts], [True] * len(verdicts), None)
    decision = stopping.may_stop(stopping.unfound_members(verdicts, n))
    assert answer["safe_to_stop"] == decision.safe
    assert answer["score"] == pytest.approx(1 - decision.probability)


@given(
    found=st.integers(0, 120),
    unread=st.integers(1, 60),
    data=st.data(),
    recall=st.sampled_from([0.8, 0.9, 0.95]),
    risk=st.sampled_from([0.01, 0.05, 0.2]),
)
def test_an_audit_proves_what_the_confidence_bound_allows(
    found: int, unread: int, data: st.DataObject, recall: float, risk: float
) -> None:
    drawn = data.draw(st.integers(0, unread))
    members = data.draw(st.integers(0, drawn))
    left = reference.most_missing(unread, drawn, members, risk) - members
    wanted = left <= stopping.allowed_missing(found + members, recall)
    assert stopping.audit(found, unread, drawn, members, recall=recall, risk=risk) == wanted


@given(found=st.integers(0, 300), unread=st.integers(0, 400))
def test_the_size_of_an_audit_is_the_least_that_can_prove_it(found: int, unread: int) -> None:
    size = stopping.audit_size(found, unread)
    assert stopping.audit(found, unread, size, 0)
    assert size == 0 or not stopping.audit(found, unread, size - 1, 0)


def test_an_audit_is_wrong_no_more_often_than_its_risk() -> None:
    rng = np.random.default_rng(4)
    found, unread, hidden = 100, 500, 6
    size = stopping.audit_size(found, unread)
    draws = rng.hypergeometric(hidden, unread - hidden, size, 20_000)
    wrong = [
        stopping.audit(found, unread, size, int(x)) and found + x < 0.95 * (found + hidden) for x in range(hidden + 1)
    ]
    assert np.mean(np.array(wrong)[draws]) <= 0.05 + 0.005


@given(verdicts=st.lists(st.booleans(), min_size=1, max_size=30), more=st.integers(1, 40))
def test_the_hypergeometric_rule_is_the_published_one(verdicts: list[bool], more: int) -> None:
    n = len(verdicts) + more
    wanted = reference.hypergeometric(verdicts, n, 0.95)
    assert stopping.hypergeometric_p_value(verdicts, n) == pytest.approx(wanted, abs=1e-9)


def _simulated(rng: np.random.Generator, n: int) -> np.ndarray:
    """A review drawn from the model itself: its verdicts in order."""
    while True:
        members = round(np.exp(rng.normal(stopping.SIZE * np.log(n), stopping.SPREAD)))
        _, *kind = stopping.EFFICIENCY[rng.choice(2, p=[weight for weight, _, _ in stopping.EFFICIENCY])]
        efficiency = np.exp(rng.normal(*kind))
        mean_time = efficiency * members / n
        if 3 <= members <= 0.3 * n and efficiency >= 0.8:
            break
    tail = rng.choice(stopping.TAILS, p=stopping.TAIL_WEIGHTS / stopping.TAIL_WEIGHTS.sum())
    hard = rng.choice(stopping.HARD_SHARES, p=stopping.HARD_WEIGHTS / stopping.HARD_WEIGHTS.sum())
    # The time after which a share u of the easy members is unread still.
    easy = mean_time * (tail - 1) * (rng.random(members) ** (-1 / tail) - 1)
    progress = np.where(rng.random(members) < hard, rng.exponential(1, members), easy)
    wished = np.sort(n * (1 - np.exp(-progress)))
    verdicts, place = np.zeros(n, bool), -1
    for wish in wished:
        place = min(max(place + 1, int(wish)), n - 1)
        verdicts[place] = True
    return verdicts


@pytest.mark.slow
def test_intervals_and_certificates_hold_on_reviews_of_the_model() -> None:
    rng = np.random.default_rng(1)
    n, inside, stopped = 800, {50: [], 150: [], 400: []}, []
    for _ in range(80):
        verdicts = _simulated(rng, n)
        for read, held in inside.items():
            missing = stopping.unfound_members(verdicts[:read], n)
            held.append(missing.low <= verdicts[read:].sum() <= missing.high)
        for read in range(40, n, 40):
            if stopping.may_stop(stopping.unfound_members(verdicts[:read], n)).safe:
                stopped.append(verdicts[:read].sum() >= 0.95 * verdicts.sum())
                break
    for read, held in inside.items():
        assert np.mean(held) >= 0.72, read
    assert len(stopped) >= 50
    assert np.mean(stopped) >= 0.93


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InputError, match="3 verdicts on 2 documents"):
        stopping.unfound_members([True, False, True], 2)
    with pytest.raises(InputError, match="1 entries of `ranked`"):
        stopping.unfound_members([True, False], 5, ranked=[True])
    with pytest.raises(InputError, match="above 0"):
        stopping.unfound_members([True], 5, expected=(0.0, 1.0))
    with pytest.raises(InputError, match="cannot come from"):
        stopping.audit(10, 5, 6, 0)
    with pytest.raises(InputError, match="between 0 and 1"):
        stopping.may_stop(stopping.unfound_members([True], 5), recall=1.0)
