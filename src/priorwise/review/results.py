"""What a review says about the two rankings: plain data, for the page, the report and anyone's own script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from priorwise.discovery import Run
from priorwise.discovery.category import SUBCATEGORY, Judged, JudgedDocument
from priorwise.errors import InputError
from priorwise.ranking.metrics import area_between, bootstrap_ppv, compare_lists, ppv_curve, wilson
from priorwise.ranking.table import Ranking
from priorwise.review.agreement import agreements, group_agreement
from priorwise.review.verdicts import JUDGEMENTS, Tally, Verdict, log_in, said_in

K = 250
"""Where the presence paper compares the rankings."""


def results(path: str | Path, *, k: int = K) -> dict[str, Any]:
    """Return the results of a run's review.

    A document counts as a member if more reviewers said yes than no. A document of a subcategory counts as one if
    nobody has judged it (presence). Documents that nobody has judged count as no members, so ``at_k`` is a lower bound
    until all are judged; ``estimate`` is what the documents judged so far say, which come in random order. Only blind
    verdicts count here, because the model chose the documents of all others.

    They are ``label``; ``k``, less than asked for if a ranking is shorter; ``depth``, how far the curves go: to k, and
    beyond it as far as all of both rankings is judged; ``reviewers``, each with their counts and pace; ``rankings``,
    with ``learned`` and ``laplace``: the curve ``ppv`` (PPV@1, PPV@2, …), ``at_k`` (a value with its bootstrap spread),
    its ``estimate`` with a 95% interval, ``counts`` of what the documents are; ``area_between`` (as far as the curves
    go) and ``difference`` (with its spread and two p-values) of learned over laplace; ``agreement`` of each two
    reviewers, ``group_agreement`` of all of them; ``documents``, each with its verdict (and what it is if verdicts to
    teach count as well, ``decided``) and its two ranks; ``accepted``, the ids of those that reviewers said yes to,
    blindly or to teach; ``progress``, how many of the first document judged, the first two, … were accepted, for
    ``blind`` and ``teaching`` apart; ``teachers``, each with their counts and pace.
    """
    folder = Path(path)
    return results_of(Run.load(folder), said_in(folder), k=k)


def results_of(run: Run, said: Sequence[Verdict], *, k: int = K) -> dict[str, Any]:
    """Return the same from what was said."""
    blind, teaching = ([each for each in said if each.is_blind is kind] for kind in (True, False))
    decided, known = decisions(blind), decisions(last_words(said))
    rankings = {"learned": run.ranking, "laplace": run.baseline}
    status_of = {
        id: status
        for ranking in rankings.values()
        for id, status in zip(ranking.ids, ranking.table["status"].to_pylist(), strict=True)
    }
    kinds = {id: _kind(decided.get(id), status) for id, status in status_of.items()}
    relevant = frozenset(id for id, kind in kinds.items() if kind in ("yes", SUBCATEGORY))
    k = min(k, *(len(ranking) for ranking in rankings.values()))
    if k == 0:
        raise InputError("this run has no candidates: all documents are members, left out, or judged before")
    depth = max(k, _judged_to(kinds, rankings.values()))
    masks = {name: np.array([id in relevant for id in ranking.ids[:depth]]) for name, ranking in rankings.items()}
    difference = compare_lists(run.ranking.ids[:k], run.baseline.ids[:k], relevant)
    return {
        "label": run.about.label,
        "members": run.about.members,
        "k": k,
        "depth": depth,
        "reviewers": reviewers(blind),
        "teachers": reviewers(teaching),
        "progress": {"blind": _progress(blind), "teaching": _progress(teaching)},
        "rankings": {
            name: {
                "ppv": ppv_curve(masks[name]).tolist(),
                "at_k": asdict(bootstrap_ppv(masks[name][:k])),
                "counts": _counted(kinds[id] for id in ranking.ids),
                "counts_at_k": (counts := _counted(kinds[id] for id in ranking.ids[:k])),
                "estimate": estimated_precision(counts),
            }
            for name, ranking in rankings.items()
        },
        "area_between": area_between(masks["learned"], masks["laplace"]),
        "difference": asdict(difference),
        "agreement": [asdict(pair) for pair in agreements(blind)],
        "group_agreement": asdict(group_agreement(blind)),
        "documents": _documents(run, decided, known, status_of),
        "accepted": sorted(id for id, verdict in known.items() if verdict == "yes"),
    }


def decisions(said: Iterable[Verdict]) -> dict[str, str]:
    """Return what the reviewers together say of each document that somebody judged: yes, no, or unsure.

    The majority counts, unless a verdict decides what they disagree about.

    Examples
    --------
    >>> said = [Verdict("1", "Ada", "a", "yes"), Verdict("2", "Bob", "a", "unsure"), Verdict("3", "Bob", "b", "skip")]
    >>> decisions(said)
    {'a': 'yes'}
    """
    votes: dict[str, Counter[str]] = {}
    final: dict[str, str] = {}
    for each in said:
        if each.verdict in JUDGEMENTS:
            votes.setdefault(each.item, Counter())[each.verdict] += 1
            if each.is_decision:
                final[each.item] = each.verdict
    by_votes = {
        item: "yes" if count["yes"] > count["no"] else "no" if count["no"] > count["yes"] else "unsure"
        for item, count in votes.items()
    }
    return by_votes | final


def last_words(said: Iterable[Verdict]) -> list[Verdict]:
    """Return each reviewer's last judgement of each document, whether it was given blindly or not.

    Examples
    --------
    >>> said = [Verdict("1", "Ada", "a", "no"), Verdict("2", "Ada", "a", "yes", chosen="rank")]
    >>> [each.verdict for each in last_words(said)]
    ['yes']
    """
    # To skip a document is to say nothing, and takes back nothing.
    return list(
        {(each.reviewer, each.item, each.is_decision): each for each in said if each.verdict in JUDGEMENTS}.values()
    )


def judged(*paths: str | Path) -> Judged:
    """Return what the reviews of some runs say, for :func:`priorwise.discover` to learn from.

    A run remembers the verdicts that it learned from, so the last run of a category has those of all earlier rounds.
    Blind verdicts and others count alike. A document that is accepted in one run and rejected in another is unsure.
    """
    found: dict[str, list[JudgedDocument]] = {}
    for path in paths:
        tally = Tally(Run.load(path).about.learned_from)
        for each in log_in(Path(path)):
            tally.add(each)
        for document in tally.documents():
            found.setdefault(document.id, []).append(document)
    return Judged.of(
        replace(same[0], verdict=next(iter(words)) if len(words) == 1 else "unsure")
        for same in found.values()
        for words in [{each.verdict for each in same if each.verdict != "unsure"}]
    )


def reviewers(said: Iterable[Verdict]) -> list[dict[str, Any]]:
    """Return each reviewer's name, counts of verdicts, and the median of the seconds that one took."""
    by_name: dict[str, list[Verdict]] = {}
    for each in said:
        by_name.setdefault(each.reviewer, []).append(each)
    return [
        {
            "name": name,
            **{word: sum(v.verdict == word for v in own) for word in ("yes", "no", "unsure", "skip")},
            "seconds": median(times) if (times := [v.seconds for v in own if v.seconds is not None]) else None,
        }
        for name, own in sorted(by_name.items())
    ]


def _progress(said: Sequence[Verdict]) -> list[int]:
    """Return how many documents were accepted among the first that was judged, the first two, …"""
    decided = decisions(said)
    in_order = dict.fromkeys(each.item for each in said if each.item in decided)
    return list(accumulate(int(decided[item] == "yes") for item in in_order))


def _judged_to(kinds: Mapping[str, str], rankings: Iterable[Ranking]) -> int:
    """Return how many of the first documents of each ranking are judged without a gap."""
    return min(
        next((place for place, id in enumerate(ranking.ids) if kinds[id] == "unjudged"), len(ranking))
        for ranking in rankings
    )


def _kind(verdict: str | None, status: str | None) -> str:
    return verdict or (SUBCATEGORY if status == SUBCATEGORY else "unjudged")


def _counted(kinds: Iterable[str]) -> dict[str, int]:
    found = Counter(kinds)
    return {kind: found[kind] for kind in ("yes", "no", "unsure", SUBCATEGORY, "unjudged")}


def estimated_precision(counts: Mapping[str, int]) -> dict[str, float] | None:
    """Return the precision that a part of a list suggests, with Wilson's 95% interval; None if nothing is judged.

    Examples
    --------
    >>> found = estimated_precision({"yes": 3, "no": 1, "unsure": 0, "subcategory": 0, "unjudged": 96})
    >>> {name: round(value, 2) for name, value in found.items()}
    {'value': 0.75, 'low': 0.3, 'high': 0.95}
    """
    judged = counts["yes"] + counts["no"] + counts["unsure"]
    if not judged:
        return None
    low, high = wilson(counts["yes"], judged)
    certain, total = counts[SUBCATEGORY], sum(counts.values())
    found = {"value": counts["yes"] / judged, "low": low, "high": high}
    return {name: (certain + value * (total - certain)) / total for name, value in found.items()}


def _documents(
    run: Run, decided: Mapping[str, str], known: Mapping[str, str], status_of: Mapping[str, str | None]
) -> list[dict[str, Any]]:
    rankings = {"rank": run.ranking, "laplace_rank": run.baseline}
    ranks = {name: {id: place for place, id in enumerate(each.ids, 1)} for name, each in rankings.items()}
    titles = {row["id"]: row["title"] for ranking in (run.baseline, run.ranking) for row in ranking.rows()}
    return [
        {
            "id": id,
            "title": title,
            "verdict": decided.get(id),
            "decided": known.get(id),
            "status": status_of[id],
            **{name: places.get(id) for name, places in ranks.items()},
        }
        for id, title in sorted(titles.items(), key=lambda pair: (ranks["rank"].get(pair[0], len(titles) + 1), pair[1]))
    ]
