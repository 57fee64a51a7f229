from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import reference_screening as reference
from hypothesis import given
from hypothesis import strategies as st

from priorwise.errors import InputError
from priorwise.ranking import screening

reviews = st.lists(st.booleans(), min_size=2, max_size=80).filter(lambda verdicts: 0 < sum(verdicts) < len(verdicts))
recalls = st.integers(1, 20).map(lambda n: Fraction(n, 20))


@given(verdicts=reviews)
def test_the_recall_curve_is_the_recall_at_every_place(verdicts: list[bool]) -> None:
    curve = screening.recall_curve(verdicts)
    for k in range(1, len(verdicts) + 1):
        assert curve[k - 1] == pytest.approx(float(reference.recall_after(verdicts, k)))
        assert screening.recall_at(verdicts, k) == pytest.approx(curve[k - 1])
    assert screening.recall_at(verdicts, 0) == 0.0


@given(verdicts=reviews, share=recalls)
def test_recall_after_a_share_rounds_the_documents_down(verdicts: list[bool], share: Fraction) -> None:
    k = int(share * len(verdicts))
    assert screening.recall_after_share(verdicts, float(share)) == pytest.approx(screening.recall_at(verdicts, k))


@given(verdicts=reviews, recall=recalls)
def test_work_saved_is_what_lies_below_the_cut(verdicts: list[bool], recall: Fraction) -> None:
    assert screening.documents_until(verdicts, float(recall)) == reference.documents_until(verdicts, recall)
    wanted = float(reference.work_saved(verdicts, recall))
    assert screening.work_saved(verdicts, float(recall)) == pytest.approx(wanted)


@given(verdicts=reviews, recall=recalls)
def test_work_saved_over_an_even_order(verdicts: list[bool], recall: Fraction) -> None:
    if recall * sum(verdicts) < 1:
        with pytest.raises(InputError, match="at least"):
            screening.work_saved_over_random(verdicts, float(recall))
    else:
        wanted = reference.work_saved_over_random(verdicts, recall)
        assert screening.work_saved_over_random(verdicts, float(recall)) == pytest.approx(wanted)


@given(verdicts=reviews)
def test_the_loss_is_an_area_and_a_share_of_pairs(verdicts: list[bool]) -> None:
    loss = screening.screening_loss(verdicts)
    assert loss == pytest.approx(float(reference.loss(verdicts)))
    assert loss == pytest.approx(float(reference.wrong_pairs(verdicts)))


@given(verdicts=reviews)
def test_places_of_members(verdicts: list[bool]) -> None:
    ids = [f"d{place}" for place in range(len(verdicts))]
    found = screening.time_to_discovery(verdicts, ids)
    assert found == [(f"d{place}", place + 1) for place, member in enumerate(verdicts) if member]
    places = [place for _, place in screening.time_to_discovery(verdicts)]
    assert screening.average_discovery(verdicts) == pytest.approx(sum(places) / len(places))
    assert screening.last_member(verdicts) == max(places)
    assert screening.r_precision(verdicts) == pytest.approx(sum(verdicts[: len(places)]) / len(places))


@given(verdicts=reviews)
def test_all_metrics_at_once_are_the_metrics_one_by_one(verdicts: list[bool]) -> None:
    together = screening.screening_metrics(np.array(verdicts))
    assert (together.documents, together.members) == (len(verdicts), sum(verdicts))
    assert together.wss_95 == screening.work_saved(verdicts, 0.95)
    assert together.wss_100 == screening.work_saved(verdicts, 1.0)
    assert together.rrf_10 == screening.recall_after_share(verdicts, 0.1)
    assert together.average_discovery == screening.average_discovery(verdicts)
    assert together.r_precision == screening.r_precision(verdicts)
    assert together.last_member == screening.last_member(verdicts)
    assert together.loss == screening.screening_loss(verdicts)
    assert together.area == pytest.approx(1.0 - together.loss)


def test_a_review_without_members_or_without_others_is_refused() -> None:
    with pytest.raises(InputError, match="without a member"):
        screening.recall_curve([0, 0])
    with pytest.raises(InputError, match="no order is better"):
        screening.screening_loss([1, 1])
    with pytest.raises(InputError, match="2 verdicts and 1 ids"):
        screening.time_to_discovery([0, 1], ["a"])
