"""How far reviewers agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference_review as slow
from priorwise.review import Verdict, cohen_kappa, fleiss_kappa, krippendorff_alpha
from priorwise.review.agreement import agreements, group_agreement

WORDS = st.sampled_from(["yes", "no", "unsure"])


@given(st.lists(st.tuples(WORDS, WORDS), min_size=2, max_size=40))
def test_kappa_is_that_of_the_formula(pairs: list[tuple[str, str]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    kappa, low, high = cohen_kappa(first, second)
    if len(set(first) | set(second)) == 1:
        assert kappa is None
        return
    expected, error = slow.kappa_and_error(first, second)
    assert kappa == pytest.approx(expected, abs=1e-12)
    # Where the variance is nothing, the root of what rounding leaves of it is not.
    assert low == pytest.approx(max(-1.0, expected - 1.959963984540054 * error), abs=1e-4)
    assert high == pytest.approx(min(1.0, expected + 1.959963984540054 * error), abs=1e-4)


def test_the_interval_of_kappa_is_that_of_resampling() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 300)
    words = np.array(["yes", "no", "unsure"])
    first, second = (words[np.where(rng.random(300) < 0.25, rng.integers(0, 3, 300), truth)] for _ in range(2))
    kappa, low, high = cohen_kappa(list(first), list(second))
    assert None not in (kappa, low, high)
    resampled = []
    for _ in range(800):
        drawn = rng.integers(0, 300, 300)
        resampled.append(cohen_kappa(list(first[drawn]), list(second[drawn]))[0])
    assert (high - low) / (2 * 1.96) == pytest.approx(np.std(np.array(resampled, float)), rel=0.15)  # type: ignore[operator]


def test_agreement_is_about_what_both_have_judged() -> None:
    said = [
        *(Verdict(f"a{i}", "Ada", f"d{i}", "yes" if i < 5 else "no") for i in range(10)),
        *(Verdict(f"b{i}", "Bob", f"d{i}", "yes" if i < 4 else "no") for i in range(9)),
        Verdict("b9", "Bob", "d9", "skip"),
        Verdict("c0", "Cyd", "elsewhere", "yes"),
    ]
    found = {(pair.first, pair.second): pair for pair in agreements(said)}
    assert set(found) == {("Ada", "Bob"), ("Ada", "Cyd"), ("Bob", "Cyd")}
    both = found["Ada", "Bob"]
    assert (both.documents, both.agreed) == (9, pytest.approx(8 / 9))
    assert found["Ada", "Cyd"].documents == 0
    assert found["Ada", "Cyd"].kappa is None


@given(st.integers(2, 5).flatmap(lambda n: st.lists(st.lists(WORDS, min_size=n, max_size=n), min_size=1, max_size=15)))
def test_fleiss_kappa_is_that_of_the_formula(documents: list[list[str]]) -> None:
    found = fleiss_kappa(documents)
    if len({word for each in documents for word in each}) == 1:
        assert found is None
    else:
        assert found == pytest.approx(slow.fleiss(documents), abs=1e-12)


@given(st.lists(st.lists(WORDS, max_size=5), max_size=15))
def test_krippendorff_alpha_is_that_of_the_formula(documents: list[list[str]]) -> None:
    found = krippendorff_alpha(documents)
    if len({word for each in documents if len(each) > 1 for word in each}) < 2:
        assert found is None
    else:
        assert found == pytest.approx(slow.alpha(documents), abs=1e-12)


def test_alpha_of_the_published_example() -> None:
    # Krippendorff (2011), "Computing Krippendorff's alpha-reliability", section B: two observers, binary, alpha 0.095.
    meg, owen = "0100000010", "1110010000"
    assert krippendorff_alpha(list(zip(meg, owen, strict=True))) == pytest.approx(0.095, abs=5e-4)


def test_several_reviewers_are_compared_on_what_they_share() -> None:
    said = [Verdict(f"{name}{item}", name, item, "yes") for name in ("Ada", "Bob", "Cyd") for item in "ab"]
    said += [Verdict("d", "Ada", "c", "no"), Verdict("e", "Bob", "c", "yes"), Verdict("f", "Ada", "d", "no")]
    # A decision settles a disagreement, and is no opinion of a further reviewer.
    said.append(Verdict("g", "Dot", "c", "no", chosen="decision"))
    found = group_agreement(said)
    assert (found.reviewers, found.documents, found.by_all, found.fleiss) == (3, 3, 2, None)
    assert found.alpha == pytest.approx(slow.alpha([["yes"] * 3, ["yes"] * 3, ["no", "yes"]]))
