"""The list of a blind review: both rankings merged, in an order that tells nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from priorwise.discovery import Run
from priorwise.errors import InputError
from priorwise.review import Choices, Verdict, items_of
from priorwise.review.results import results_of
from reviews import with_status


def test_the_list_is_both_rankings_merged(run: Run) -> None:
    items = items_of(run, Choices(top=20))
    assert {item.id for item in items} == {*run.ranking.ids[:20], *run.baseline.ids[:20]}
    assert len({item.id for item in items}) == len(items)


def test_the_order_depends_on_the_documents_and_the_seed_only(run: Run) -> None:
    first, last = run.stages
    swapped = replace(run, stages=[replace(first, ranking=run.ranking), replace(last, ranking=run.baseline)])
    assert items_of(run) == items_of(swapped)
    assert items_of(run, Choices(seed=1)) != items_of(run)
    assert items_of(run, Choices(seed=1)) == items_of(run, Choices(seed=1))
    titles = [item.title.casefold() for item in items_of(run, Choices(order="title"))]
    assert titles == sorted(titles)


def test_documents_of_subcategories_are_members_unless_they_are_judged(run: Run) -> None:
    first, second, third = run.ranking.ids[:3]
    marked = with_status(run, {first: "subcategory", third: "subcategory"})
    asked = {item.id for item in items_of(marked)}
    assert {first, third}.isdisjoint(asked)
    assert second in asked
    assert {first, third} <= {item.id for item in items_of(marked, Choices(subcategories=True))}
    found = results_of(marked, [Verdict("1", "Ada", third, "no")], k=3)["rankings"]["learned"]
    assert found["ppv"][:3] == [1.0, 0.5, pytest.approx(1 / 3)]
    assert found["counts_at_k"] == {"yes": 0, "no": 1, "unsure": 0, "subcategory": 1, "unjudged": 1}


@pytest.mark.parametrize("wrong", [{"top": 0}, {"order": "rank"}, {"seed": -1}])
def test_choices_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        Choices(**wrong)  # type: ignore[arg-type]
