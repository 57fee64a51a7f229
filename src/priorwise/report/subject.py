"""What a report is about: a run, what reviewers said about it, and what there is to expect of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from priorwise.corpus import Corpus
from priorwise.discovery import Run
from priorwise.discovery.category import SUBCATEGORY, JudgedDocument
from priorwise.discovery.stopping import StopDecision, may_stop, unfound_members
from priorwise.errors import CorpusError, InputError
from priorwise.ranking.metrics import FoundByOne, found_by_one
from priorwise.ranking.table import Ranking
from priorwise.review.results import results as results_of_review
from priorwise.review.verdicts import Tally, Verdict, log_in


@dataclass(frozen=True)
class Subject:
    """One run of a report."""

    name: str
    path: Path
    run: Run
    results: dict[str, Any]
    addresses: dict[str, str]
    log: list[Verdict] = field(default_factory=list)

    @classmethod
    def of(cls, path: str | Path, corpus: str | Path | None = None) -> Subject:
        """Read a run's folder; without its corpus there are no links to the documents."""
        folder = Path(path)
        run = Run.load(folder)
        label = run.about.label
        name = label if label is not None else folder.resolve().stem
        return cls(name, folder, run, results_of_review(folder), addresses_of(run, corpus), log_in(folder))

    @property
    def reviewed(self) -> bool:
        """Whether anybody has judged anything blindly."""
        return any(each["yes"] + each["no"] + each["unsure"] for each in self.results["reviewers"])

    @property
    def ranked_by(self) -> str:
        return self.run.ranker.title.removeprefix("the ")

    @property
    def model_size(self) -> int:
        """How many words have a weight in the model that ranks."""
        return len(self.run.model.tokens)

    @property
    def learned_from(self) -> int:
        """How many verdicts on an earlier run this one learned from."""
        verdicts = self.run.about.verdicts
        return 0 if verdicts is None else verdicts.accepted + verdicts.rejected

    @property
    def k(self) -> int:
        """How many of each ranking are compared."""
        return int(self.results["k"])

    @property
    def relevant(self) -> frozenset[str]:
        """The ids of the candidates that count as members."""
        return frozenset(
            each["id"]
            for each in self.results["documents"]
            if each["verdict"] == "yes" or (each["verdict"] is None and each["status"] == SUBCATEGORY)
        )

    @cached_property
    def judged(self) -> list[JudgedDocument]:
        """Everything that was judged, in all rounds and in every way, in the order of the first verdicts."""
        tally = Tally(self.run.about.learned_from)
        for each in self.log:
            tally.add(each)
        return tally.documents()

    @cached_property
    def decision(self) -> StopDecision:
        """Whether it is safe to stop, by the verdicts so far."""
        about, said = self.run.about, [each.verdict == "yes" for each in self.judged]
        there = about.others + (0 if about.verdicts is None else about.verdicts.accepted)
        ranked = [not each.drawn for each in self.judged]
        return may_stop(unfound_members(said, max(there, len(said)), ranked=ranked))

    @property
    def missing(self) -> tuple[float, float, float] | None:
        """How many members are missing still, and the ends of the 80% interval."""
        found = self.decision.missing if self.judged else self.run.missing
        return None if found is None else (found.expected, found.low, found.high)

    def found_by_one(self) -> FoundByOne:
        """Return which ranking holds the candidates that count as members."""
        return found_by_one(self.run.ranking.ids[: self.k], self.run.baseline.ids[: self.k], self.relevant)

    def counts(self) -> dict[str, int]:
        """Return the sizes of the paper's three sets: in the category, found in a subcategory, and newly found."""
        documents = self.results["documents"]
        return {
            "category": self.run.about.members,
            "subcategory": sum(each["status"] == SUBCATEGORY and each["id"] in self.relevant for each in documents),
            "new": sum(each["decided"] == "yes" and each["status"] != SUBCATEGORY for each in documents),
        }

    def accepted(self) -> list[dict[str, Any]]:
        """Return the documents that reviewers said yes to, blindly or to teach, best first, with all that is known."""
        rows = {row["id"]: row for ranking in (self.run.baseline, self.run.ranking) for row in ranking.rows()}
        return [
            {**rows[each["id"]], **each, "page": self.addresses.get(each["id"])}
            for each in self.results["documents"]
            if each["decided"] == "yes"
        ]


def subjects_of(paths: Sequence[str | Path], corpus: str | Path | None = None) -> list[Subject]:
    """Read runs; those of one label are told apart by their folders."""
    if not paths:
        raise InputError("a report needs at least one run")
    found = [Subject.of(path, corpus) for path in paths]
    times = Counter(each.name for each in found)
    return [
        replace(each, name=f"{each.name} ({each.path.resolve().name})") if times[each.name] > 1 else each
        for each in found
    ]


def expected_at(ranking: Ranking, k: int) -> float:
    """Return what precision@k should be if the probabilities of the run are right: the mean of the first k."""
    return float(ranking.table["probability"].slice(0, k).to_numpy().mean())


def addresses_of(run: Run, corpus: str | Path | None = None) -> dict[str, str]:
    """Return where candidates can be read; nothing if the corpus is not where it was."""
    try:
        opened: Corpus = run.open_corpus(corpus)
    except (CorpusError, InputError):
        if corpus is not None:
            raise
        return {}
    ids = list(dict.fromkeys([*run.ranking.ids, *run.baseline.ids]))
    addresses = [(id, opened.address(int(row))) for id, row in zip(ids, opened.rows(ids), strict=True)]
    return {id: address for id, address in addresses if address is not None}
