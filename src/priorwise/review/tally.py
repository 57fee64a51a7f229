"""What reviewers together say of each document, kept up to date verdict by verdict."""

from __future__ import annotations

from collections.abc import Iterable

from priorwise.discovery.verdicts import JudgedDocument
from priorwise.review.agreement import JUDGEMENTS
from priorwise.review.verdicts import Verdict


class Tally:
    """The documents that people judged, in the order of their first verdicts.

    A document is a member if more reviewers said yes than no, unless somebody decided about a disagreement: then that
    counts. Of each reviewer the last judgement counts. Withdrawn verdicts and skipped documents do not count.

    Parameters
    ----------
    earlier : iterable of JudgedDocument
        What earlier rounds said. Verdicts of this round replace it.

    Examples
    --------
    >>> tally = Tally()
    >>> tally.add(Verdict("1", "Ada", "a", "yes"))
    >>> tally.add(Verdict("2", "Bob", "b", "no"))
    >>> tally.add(Verdict("3", "Ada", "a", "no"))
    >>> tally.words
    {'a': 'no', 'b': 'no'}
    """

    def __init__(self, earlier: Iterable[JudgedDocument] = ()) -> None:
        self._earlier = {each.id: each for each in earlier}
        self._votes: dict[str, dict[tuple[str, str], tuple[int, str]]] = {}
        self._drawn = {id: each.drawn for id, each in self._earlier.items()}
        self.words = {id: each.verdict for id, each in self._earlier.items()}
        self.added = 0

    def add(self, verdict: Verdict) -> None:
        """Count one more verdict of the log."""
        self.added += 1
        item, key = verdict.item, (verdict.reviewer, verdict.kind)
        votes = self._votes.setdefault(item, {})
        votes[key] = (self.added, verdict.verdict)
        if verdict.verdict in JUDGEMENTS:
            self._drawn.setdefault(item, verdict.chosen == "random")
        word = _decided(votes)
        if word is None and item in self._earlier:
            word = self._earlier[item].verdict
        if word is None:
            self.words.pop(item, None)
        else:
            self.words[item] = word

    def documents(self) -> list[JudgedDocument]:
        """Return every document that is judged now."""
        return [JudgedDocument(id, self.words[id], drawn) for id, drawn in self._drawn.items() if id in self.words]


def _decided(votes: dict[tuple[str, str], tuple[int, str]]) -> str | None:
    said = [(kind, vote) for (_, kind), vote in votes.items() if vote[1] in JUDGEMENTS]
    if decisions := [vote for kind, vote in said if kind == "decision"]:
        return max(decisions)[1]
    last: dict[str, tuple[int, str]] = {}
    for (reviewer, _), vote in votes.items():
        if vote[1] in JUDGEMENTS and vote > last.get(reviewer, (0, "")):
            last[reviewer] = vote
    if not last:
        return None
    balance = sum((word == "yes") - (word == "no") for _, word in last.values())
    return "yes" if balance > 0 else "no" if balance < 0 else "unsure"
