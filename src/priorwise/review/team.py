"""Several reviewers of one category: who judges which document, where they disagree, and who decides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from priorwise.errors import InputError
from priorwise.review.verdicts import JUDGEMENTS, LONGEST_NAME, Verdict

_SPAN = float(1 << 64)


@dataclass(frozen=True)
class Team:
    """Reviewers who share a queue. A document's id and the names decide who judges it.

    `copies` of them judge each document: 1 splits the queue. All of them judge a share of the documents, the `overlap`
    from 0 to 1, so that agreement can be measured.

    Examples
    --------
    >>> team = Team(("Ada", "Bob", "Cem"), copies=2)
    >>> team.readers("doc7")
    ('Ada', 'Bob')
    >>> Team(("Ada", "Bob"), overlap=1.0).asks("Bob", "doc7")
    True
    """

    reviewers: tuple[str, ...]
    copies: int = 1
    overlap: float = 0.0

    def __post_init__(self) -> None:
        names = [name.strip() for name in self.reviewers]
        if len(names) < 2 or len(set(names)) < len(names):
            raise InputError("a team has two or more reviewers with different names")
        if not all(0 < len(name) <= LONGEST_NAME for name in names):
            raise InputError(f"a reviewer has a name of at most {LONGEST_NAME} characters")
        if not 1 <= self.copies <= len(names):
            raise InputError(f"each document can be judged by 1 to {len(names)} reviewers, not {self.copies}")
        if not 0.0 <= self.overlap <= 1.0:
            raise InputError("the share of documents that everyone judges is a number from 0 to 1")

    def readers(self, id: str) -> tuple[str, ...]:
        """Return who judges a document."""
        if self.copies == len(self.reviewers) or _number("", id) < self.overlap * _SPAN:
            return self.reviewers
        first = sorted(self.reviewers, key=lambda name: (_number(name, id), name))[: self.copies]
        return tuple(name for name in self.reviewers if name in first)

    def asks(self, reviewer: str, id: str) -> bool:
        """Return whether a reviewer judges a document; somebody outside the team may judge all."""
        return reviewer not in self.reviewers or reviewer in self.readers(id)


def _number(name: str, id: str) -> int:
    digest = blake2b(f"{name}\n{id}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


@dataclass(frozen=True)
class Disagreement:
    """A document that reviewers judged differently: each one's verdict, and the one that decides, if there is one."""

    id: str
    verdicts: list[Verdict]
    decision: Verdict | None = None


def disagreements(said: Iterable[Verdict]) -> list[Disagreement]:
    """Return the documents that reviewers judged differently, those that nobody decided first.

    `said` are each reviewer's last words (:func:`~priorwise.review.verdicts.current`). Blind verdicts do not count.

    Examples
    --------
    >>> said = [Verdict("1", "Ada", "a", "yes", chosen="rank"), Verdict("2", "Bob", "a", "no", chosen="rank")]
    >>> [each.id for each in disagreements(said)], disagreements(said)[0].decision
    (['a'], None)
    """
    own: dict[str, dict[str, Verdict]] = {}
    final: dict[str, Verdict] = {}
    for each in said:
        if each.verdict not in JUDGEMENTS or each.is_blind:
            continue
        if each.is_decision:
            final[each.item] = each
        else:
            own.setdefault(each.item, {})[each.reviewer] = each
    found = [
        Disagreement(item, list(verdicts.values()), final.get(item))
        for item, verdicts in own.items()
        if len({each.verdict for each in verdicts.values()}) > 1
    ]
    return sorted(found, key=lambda each: each.decision is not None)
