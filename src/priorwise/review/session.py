"""A session: the ranking learns while people judge, and says how many members are left and when to stop."""

from __future__ import annotations

import math
import threading
import time
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.corpus.build.copies import copies_in
from priorwise.discovery import Run, discover
from priorwise.discovery.category import FILE_NAME, SUBCATEGORY, Category, Judged, JudgedDocument, Statuses
from priorwise.discovery.knowledge import Knowledge
from priorwise.discovery.member_stage import CategoryFeatures, find_members, linear_model
from priorwise.discovery.stopping import (
    StopDecision,
    Unfound,
    audit,
    audit_size,
    may_stop,
    unfound_members,
)
from priorwise.engines.engine import Local
from priorwise.errors import InputError, NotEnoughData
from priorwise.features.document_vectors import WordCovariance
from priorwise.kernels import Floats, Rows
from priorwise.models.linear_model import LinearModel
from priorwise.models.missing import Missing
from priorwise.models.regression.judged_squares import USUAL_RATIO, balanced, learned_at, learned_change, learned_ratio
from priorwise.models.weights import Calibration, calibrate
from priorwise.priors.keywords import Keywords
from priorwise.ranking.evidence import Explanation, evidence_lines, explain, further_scores, reads_vectors
from priorwise.ranking.scorer import Scorer
from priorwise.ranking.table import Ranking
from priorwise.review.agreement import GroupAgreement, group_agreement
from priorwise.review.team import Disagreement, Team, disagreements
from priorwise.review.verdicts import Sample, Tally, Verdict, Verdicts, current

Ask = Literal["best", "unsure", "mixed"]
ASKS: tuple[str, ...] = get_args(Ask)
STRENGTH = 2.0
TOGETHER = 0.8

CENTRE = 0.1
"""How verdicts are learned from: the strength λ of the prior, how much of the prior variance of words is shared with
the words that they occur with, and how large the centre is. Members' target is 1. Under the run's model alone the ten
best candidates score 0.1 on average, and all candidates −0.1. Chosen by simulation on half of the reviews."""

TOP = 10
CONSTANT = 0.1
"""The prior variance of the constant, compared with that of words."""

EVERY = 4
"""With ``ask="mixed"`` every fourth document is one that the model is unsure of."""

LATER = 20
"""After how many further verdicts a skipped document comes back to the reviewer who skipped it."""

HELD_FOR = 600.0
"""For how many seconds a document that was handed to one reviewer is kept from the others."""

READ_AT_MOST = 200_000
"""Of a larger corpus, only this many documents with the best scores under the run's model can be ranked."""

CALIBRATED_FROM, CALIBRATED_ON = 20, 300
"""The last 300 verdicts, if there are 20, say how fast the chance of membership falls with the score."""

BINS = 500
LEAST_EXPECTED = 0.5
"""Probabilities of all unread documents add up to the estimated number of missing members, or to this."""

FIRST_RISK, NEXT_RISK = 0.8, 0.2
"""How the risk of a wrong certificate is spent: four fifths on the first random sample, and of what is left the same
share on each further one."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document to judge.

    Parameters
    ----------
    id, title : str
        The document.
    rank : int or None
        Its rank among the unread documents; None for a random one outside the ranking.
    score : float or None
        Its score under the model that ranks now.
    probability : float or None
        The probability of membership; None where nothing calibrates it.
    chosen : {"rank", "unsure", "random"}
        Why it comes now.
    """

    id: str
    title: str
    rank: int | None
    score: float | None
    probability: float | None
    chosen: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a session is.

    Parameters
    ----------
    judged, found, unsure : int
        How many documents were judged, are members, and are neither.
    last : int
        How many of the last 20 judged documents are members.
    curve : list of int
        How many members were found after the first document that was judged, the first two, …
    unread : int
        How many documents nobody has judged.
    """

    judged: int
    found: int
    unsure: int
    last: int
    curve: list[int]
    unread: int


class Session:
    """Complete a category: the ranking learns after every verdict.

    The session starts from the ranking of :func:`~priorwise.discover`. Its model is the centre of the prior of the next
    one, and every verdict moves the weights from there. Verdicts are in a log that only grows. The state follows from
    the run and the log alone, so a session that was killed continues exactly where it was.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    label : str, optional
        The category.
    members : iterable of str, optional
        The ids of the members, instead of a label.
    exclude : iterable of str
        Ids of documents to leave out altogether.
    path : str or Path, optional
        A run folder that keeps the session. If it is there, it is continued. In memory by default.
    ask : {"best", "unsure", "mixed"}
        Which documents come next: the best of the ranking, those nearest even odds, or mostly the best.
    subcategories : bool
        Whether documents of subcategories are judged as well; they are filed correctly already.
    **choices
        Everything else that :func:`~priorwise.discover` takes, such as `words` and `description`.

    Examples
    --------
    >>> texts = ["goal team win", "team match goal", "win match", "match goal", "law vote", "vote court", "tax law"] * 3
    >>> corpus = Corpus.from_texts(texts, labels=["sport", "sport", None, None, None, None, None] * 3)
    >>> session = Session(corpus, "sport")
    >>> for document in session.next(3):
    ...     _ = session.judge(document.id, "yes" if int(document.id) % 7 in (2, 3) else "no")
    >>> session.progress.found, session.progress.judged
    (3, 3)
    """

    def __init__(
        self,
        corpus: Corpus,
        label: str | None = None,
        *,
        members: Iterable[str] | None = None,
        exclude: Iterable[str] = (),
        path: str | Path | None = None,
        ask: str = "best",
        subcategories: bool = False,
        **choices: Any,
    ) -> None:
        folder = None if path is None else Path(path)
        if folder is not None and folder.exists():
            run = Run.load(folder)
            run.check_corpus(corpus, folder)
            if label != run.about.label:
                raise InputError(f"{folder} is about '{run.about.label}', not '{label}'; choose another path")
        else:
            run = discover(corpus, label, members=members, exclude=exclude, **choices)
            if folder is not None:
                run.save(folder)
        self._open(run, corpus, folder, ask, subcategories)

    @classmethod
    def of_run(
        cls,
        folder: str | Path,
        corpus: Corpus | str | Path | None = None,
        *,
        ask: str = "best",
        subcategories: bool = False,
    ) -> Session:
        """Continue the review of a run; `corpus` says where the corpus is now, if it was moved."""
        run = Run.load(folder)
        session = cls.__new__(cls)
        opened = corpus if isinstance(corpus, Corpus) else run.open_corpus(corpus)
        session._open(run, opened, Path(folder), ask, subcategories)
        return session

    def _open(self, run: Run, corpus: Corpus, folder: Path | None, ask: str, subcategories: bool) -> None:
        if ask not in ASKS:
            raise InputError(f"a session asks for the {', '.join(ASKS)}, not for '{ask}'")
        self.run, self.corpus, self.folder, self.ask = run, corpus, folder, ask
        self._lock = threading.RLock()
        self._start = Start.of(run, corpus, subcategories)
        # To look is not to write: the file is made with the first verdict.
        self._log, self._is_kept = Verdicts(None), False
        self._open_log()
        self._tally = Tally(run.about.learned_from)
        self._said: dict[str, list[Verdict]] = {}
        self._skipped: dict[str, dict[str, int]] = {}
        self._scored: list[tuple[float, bool]] = []
        self._handed: dict[str, tuple[str, float]] = {}
        self._shown: dict[tuple[str, str], tuple[Candidate, int]] = {}
        self._opened: dict[tuple[str, str], tuple[Candidate, int]] = {}
        self._samples = self._log.samples()
        self._team = self._stored_team()
        self._number = 0
        self._state: State | None = None
        self._catch_up()

    def _open_log(self, *, make: bool = False) -> Verdicts:
        """Return the log: the file of the folder if it is there or to be made, else an empty one in memory."""
        if not self._is_kept and self.folder is not None and (make or (self.folder / FILE_NAME).exists()):
            self._log.close()
            self._log = Verdicts(self.folder / FILE_NAME)
            self._is_kept = True
        return self._log

    def close(self) -> None:
        """Close the log."""
        self._log.close()

    # What there is to judge

    def next(self, k: int = 1, *, reviewer: str = "me") -> list[Candidate]:
        """Return the next documents to judge, best first.

        Documents of an unfinished random sample come first. A document that another reviewer was given in the last ten
        minutes is held back. A document that this reviewer skipped comes back after 20 further verdicts. Documents that
        reviewers were unsure of come last. A reviewer of a team gets only their own documents, and first those that
        other reviewers have judged already.
        """
        state = self._learned()
        with self._lock:
            is_shared = self._team is not None and reviewer in self._team.reviewers
            found = (self._next_of_team if is_shared else self._next_of_all)(state, k, reviewer)
            self._shown.update({(reviewer, each.id): (each, state.number) for each in found})
            return found

    def _next_of_all(self, state: State, k: int, reviewer: str) -> list[Candidate]:
        """Return the next documents of the one queue; what others were handed lately is held back."""
        now = time.monotonic()
        self._handed = {id: each for id, each in self._handed.items() if now - each[1] < HELD_FOR}
        held = {id for id, (name, _) in self._handed.items() if name != reviewer}
        said = len(self._said.get(reviewer, ()))
        skipped = {id: at for id, at in self._skipped.get(reviewer, {}).items() if id not in self._tally.words}
        waiting = {id for id, at in skipped.items() if said - at < LATER}
        drawn = [id for id in self._open_sample() if id not in held | waiting]
        found = [self._candidate(state, id, "random") for id in drawn[:k]]
        if len(found) < k and not drawn:
            away = held | waiting | set(self._open_sample())
            found += self._by_rank(state, k, {self._start.place[id] for id in away if id in self._start.place})
        if not found:
            open_ones = [id for id in held if id not in self._tally.words]
            later = dict.fromkeys([*sorted(skipped, key=lambda id: skipped[id]), *open_ones, *self._unsure()])
            found = [self._candidate(state, id, "rank") for id in list(later)[:k]]
        for each in found:
            self._handed[each.id] = (reviewer, now)
        return found

    def _next_of_team(self, state: State, k: int, reviewer: str) -> list[Candidate]:
        """Return the next documents of one reviewer: no document is held back, for each has its own readers."""
        team = self._team
        assert team is not None
        own = self._said.get(reviewer, [])
        said = {each.item for each in own if each.kind == "open" and each.verdict != "skip"}
        skipped = self._skipped.get(reviewer, {})
        waiting = {id for id, at in skipped.items() if len(own) - at < LATER}
        others = {each.item for name, said_by in self._said.items() for each in said_by if name != reviewer}
        first = dict.fromkeys([*(id for id in self._tally.words if id in others), *self._open_sample()])
        ids = [id for id in first if id not in said | waiting and team.asks(reviewer, id)][:k]
        best = state.best(None) if len(ids) < k else ()
        for start in range(0, len(best), 1000):
            if len(ids) >= k:
                break
            some = self.corpus.ids(self._start.read.rows[best[start : start + 1000]])
            ids += [id for id in some if id not in first and id not in waiting and team.asks(reviewer, id)]
        ids = ids[:k] or [id for id in skipped if id not in said][:k]
        drawn = {id for sample in self._samples for id in sample.items}
        return [self._candidate(state, id, "random" if id in drawn else "rank") for id in ids]

    def judge(
        self,
        id: str,
        verdict: str,
        *,
        reviewer: str = "me",
        note: str | None = None,
        seconds: float | None = None,
        identity: str | None = None,
    ) -> Verdict:
        """Store a verdict; when this returns, it is on the disk, and the next ranking knows it.

        Parameters
        ----------
        id : str
            The document.
        verdict : {"yes", "no", "unsure", "skip"}
            Whether it is a member.
        reviewer : str
            The reviewer.
        note : str, optional
            A remark, kept in the log.
        seconds : float, optional
            How long it took.
        identity : str, optional
            An identity of the verdict. A verdict that is sent twice with the same one is stored once.
        """
        return self._store(id, verdict, reviewer, note, seconds, identity, is_decision=False)

    def decide(
        self, id: str, verdict: str, *, reviewer: str = "me", note: str | None = None, identity: str | None = None
    ) -> Verdict:
        """Store the verdict that counts for a document about which reviewers disagree; theirs stay as they are."""
        if verdict == "skip":
            raise InputError("a decision is yes, no or unsure")
        return self._store(id, verdict, reviewer, note, None, identity, is_decision=True)

    def _store(
        self,
        id: str,
        verdict: str,
        reviewer: str,
        note: str | None,
        seconds: float | None,
        identity: str | None,
        *,
        is_decision: bool,
    ) -> Verdict:
        if verdict == "withdrawn":
            raise InputError("to take a verdict back, undo it")
        if not self._start.may_be_judged(id):
            raise InputError(f"the document '{id}' is not a candidate: it is a member already, or left out")
        # What counts is the ranking in which the reviewer saw the document. A newer one may be in the making.
        shown = self._opened.get((reviewer, id)) or self._shown.get((reviewer, id))
        if shown is None:
            state = self._learned()
            shown = self._candidate(state, id, "rank"), state.number
        seen, model = shown
        with self._lock:
            self._catch_up()
            is_drawn = any(id in sample.items for sample in self._samples)
            chosen = "decision" if is_decision else "random" if is_drawn else seen.chosen
            own = [each for each in self._said.get(reviewer, []) if each.item == id and each.is_decision == is_decision]
            previous = own[-1] if own else None
            # The model knows a document that somebody else judged: its score is no longer a forecast.
            is_known = previous is None and id in self._tally.words
            said = Verdict(
                identity or str(uuid.uuid4()),
                reviewer,
                id,
                verdict,
                None if previous is None else previous.id,
                seconds,
                chosen=chosen,
                rank=None if is_known else seen.rank,
                score=None if is_known else seen.score,
                model=model,
                note=note,
            )
            stored = self._open_log(make=True).add(said)
            self._handed.pop(id, None)
            self._shown.pop((reviewer, id), None)
            self._opened.pop((reviewer, id), None)
            self._catch_up()
            return stored

    def undo(self, reviewer: str = "me", *, id: str | None = None, identity: str | None = None) -> str | None:
        """Take back the reviewer's last verdict, or that on one document; return the document, or None."""
        with self._lock:
            self._catch_up()
            last = next((each for each in reversed(self._said.get(reviewer, [])) if id in (None, each.item)), None)
            if last is None:
                return None
            taken = replace(last, id=identity or str(uuid.uuid4()), verdict="withdrawn", previous=last.id, note=None)
            self._log.add(taken)
            self._catch_up()
            self._handed[last.item] = (reviewer, time.monotonic())
            return last.item

    def sample(self, n: int) -> list[Candidate]:
        """Draw unread documents at random to judge next; with all of them judged, `stop` needs no assumptions.

        Raises
        ------
        InputError
            An earlier sample is not judged yet, or there are not that many unread documents.
        """
        state = self._learned()
        with self._lock:
            if self._open_sample():
                raise InputError(f"{len(self._open_sample())} documents of the last random sample are not judged yet")
            unread = [id for id in self._start.ids() if id not in self._tally.words]
            if not 1 <= n <= len(unread):
                raise InputError(f"there are {len(unread)} unread documents to draw from, so not {n}")
            rng = np.random.default_rng([self.run.about.seed, len(self._samples), self._number])
            items = [unread[place] for place in rng.choice(len(unread), n, replace=False).tolist()]
            self._open_log(make=True).draw(items)
            self._samples = self._log.samples()
            self._state = None
            return [self._candidate(state, id, "random") for id in items]

    # Several reviewers

    @property
    def team(self) -> Team | None:
        """The reviewers who share the queue."""
        return self._team

    def share(self, reviewers: Iterable[str], *, copies: int = 1, overlap: float = 0.0) -> Team | None:
        """Split the queue between reviewers, or let several judge the same documents; no reviewer ends that.

        Parameters
        ----------
        reviewers : iterable of str
            Their names.
        copies : int
            How many reviewers judge each document: 1 splits the queue.
        overlap : float
            The share of the documents, from 0 to 1, that all reviewers judge.
        """
        names = tuple(name.strip() for name in reviewers)
        team = Team(names, copies, overlap) if names else None
        with self._lock:
            self._open_log(make=True).set_team(names, copies, overlap)
            self._team = team
        return team

    def _stored_team(self) -> Team | None:
        rows = self._log.team()
        return Team(tuple(name for name, _, _ in rows), rows[0][1], rows[0][2]) if rows else None

    @property
    def disagreements(self) -> list[Disagreement]:
        """The documents that reviewers judged differently, those that nobody decided first."""
        return disagreements(current(self.log))

    @property
    def agreement(self) -> GroupAgreement:
        """How far the reviewers agree on documents that two or more have judged; blind verdicts do not count."""
        return group_agreement([each for each in current(self.log) if not each.is_blind])

    # What is known now

    @property
    def ranking(self) -> Ranking:
        """The unread documents, best first: as many as the run keeps."""
        return self.queue(self.run.about.top)

    def queue(self, top: int | None = None, *, evidence: bool = True) -> Ranking:
        """Return the first unread documents as a table; all of them by default, and with the words that decide."""
        state = self._learned()
        best = state.best(top)
        rows = self._start.read.rows[best]
        probabilities = state.probabilities(best)
        statuses = None if self._start.statuses is None else self._start.statuses.of(rows)
        return Ranking.of(
            ids=self.corpus.ids(rows),
            titles=self.corpus.titles(rows),
            scores=state.scores[best].astype(np.float64),
            probabilities=probabilities,
            baseline_ranks=None,
            evidence=evidence_lines(self.corpus, rows, Scorer.of(state.model, self.corpus), state.model)
            if evidence
            else [""] * len(rows),
            status=None if statuses is None else [each.status for each in statuses],
            path=None if statuses is None else [each.path for each in statuses],
        )

    def explain(self, id: str, *, reviewer: str | None = None) -> Explanation:
        """Take a document's score apart, word by word, under the model that ranks now.

        If a `reviewer` reads it, their verdict keeps the rank and score of this model, whatever is learned meanwhile.
        """
        state = self._learned()
        found = explain(state.model, self.corpus, self.corpus.row(id))
        if reviewer is not None and self._start.may_be_judged(id):
            with self._lock:
                shown = self._shown.get((reviewer, id))
                seen = self._candidate(state, id, "rank" if shown is None else shown[0].chosen)
                self._opened[reviewer, id] = seen, state.number
        return found

    @property
    def model(self) -> LinearModel:
        """The model that ranks now."""
        return self._learned().model

    @property
    def missing(self) -> Missing:
        """The estimated number of members that are not found yet, with its 80% interval."""
        return self._learned().missing

    @property
    def stop(self) -> StopDecision:
        """Whether at least 95% of the members are found, and the reason."""
        return self.may_stop()

    def may_stop(self, *, recall: float = 0.95, confidence: float = 0.95) -> StopDecision:
        """Decide whether at least `recall` of the members are found, with probability `confidence` or more."""
        state = self._learned()
        with self._lock:
            return self._audited(state, may_stop(state.unfound, recall=recall, confidence=confidence))

    @property
    def progress(self) -> Progress:
        """How far it is."""
        with self._lock:
            state = self._now()
            said = [each.verdict for each in state.judged]
            found = np.cumsum([word == "yes" for word in said], dtype=np.int64).tolist()
            return Progress(
                len(said),
                found[-1] if found else 0,
                said.count("unsure"),
                said[-LATER:].count("yes"),
                found,
                self._start.n_candidates - len(said),
            )

    @property
    def judged(self) -> Judged:
        """Everything that was judged, for :func:`~priorwise.discover` to learn from."""
        with self._lock:
            return Judged.of(self._now().judged)

    @property
    def accepted(self) -> list[str]:
        """The ids of the members that were found, in the order of finding."""
        with self._lock:
            return [each.id for each in self._now().judged if each.verdict == "yes"]

    @property
    def log(self) -> list[Verdict]:
        """Everything that was ever said, in order."""
        return self._log.log()

    def save(self, path: str | Path) -> None:
        """Keep a session that is in memory in a run folder; from now on verdicts go there."""
        with self._lock:
            if self.folder is not None:
                raise InputError(f"this session is kept in {self.folder} already")
            folder = Path(path)
            self.run.save(folder)
            self._log.copy_to(folder / FILE_NAME)
            self.folder = folder
            self._open_log()

    def __repr__(self) -> str:
        now, missing = self.progress, self.missing
        return (
            f"<Session of {self.run.about.label or self.run.about.unnamed}: {now.judged} judged, {now.found} found, "
            f"{missing.expected:.0f} missing ({missing.low:.0f} to {missing.high:.0f})>"
        )

    # How it is kept up to date

    def _catch_up(self) -> None:
        """Read what is new in the log: our own verdicts, and those of other processes."""
        for each in self._open_log().log(self._number):
            self._number = each.number
            self._tally.add(each)
            own = self._said.setdefault(each.reviewer, [])
            if each.verdict == "withdrawn":
                own[:] = [old for old in own if (old.item, old.kind) != (each.item, each.kind)]
            else:
                own.append(each)
            skipped = self._skipped.setdefault(each.reviewer, {})
            if each.verdict == "skip":
                skipped[each.item] = len(own)
            else:
                skipped.pop(each.item, None)
            if each.score is not None and each.verdict in ("yes", "no"):
                self._scored.append((each.score, each.verdict == "yes"))
            self._state = None

    def _now(self) -> State:
        self._catch_up()
        if self._state is None:
            documents = self._tally.documents()
            self._state = State(self.run, self._start, documents, self._number, self._scored[-CALIBRATED_ON:])
        return self._state

    def _learned(self) -> State:
        """Return the state with its ranking. Verdicts are stored meanwhile: the log is not locked."""
        with self._lock:
            state = self._now()
        state.learn()
        return state

    @cached_property
    def _copies(self) -> NDArray[np.int64] | None:
        """A number for each document that can be ranked, the same for near copies; None if there are none."""
        group = copies_in(self.corpus)
        return None if group is None else group[self._start.read.rows]

    def _by_rank(self, state: State, k: int, away: set[int]) -> list[Candidate]:
        """The next documents of the ranking, as `ask` says; near copies of what was judged are not shown again."""
        group = self._copies
        judged = [self._start.place[id] for id in self._tally.words if id in self._start.place]
        away = away | set(judged if group is None else np.flatnonzero(np.isin(group, group[judged])).tolist())
        more = k + len(away) + (0 if group is None else len(group) - len(np.unique(group)))
        places = [place for place in state.best(more).tolist() if place not in away]
        unsure = []
        if self.ask != "best":
            unsure = [place for place in state.nearest(more).tolist() if place not in away]
        if group is not None:
            places = list({group[place]: place for place in reversed(places)}.values())[::-1]
            unsure = list({group[place]: place for place in reversed(unsure)}.values())[::-1]
        taken: dict[int, str] = {}
        for number in range(len(state.judged), len(state.judged) + k):
            is_unsure = self.ask == "unsure" or (self.ask == "mixed" and number % EVERY == EVERY - 1)
            lists = [("unsure", unsure), ("rank", places)] if is_unsure else [("rank", places)]
            for chosen, each in lists:
                if (free := next((place for place in each if place not in taken), None)) is not None:
                    taken[free] = chosen
                    break
        ids = self.corpus.ids(self._start.read.rows[list(taken)])
        return [self._candidate(state, id, chosen) for id, chosen in zip(ids, taken.values(), strict=True)]

    def _candidate(self, state: State, id: str, chosen: str) -> Candidate:
        rank, score = self._place_of(state, id)
        probability = None
        if id in self._start.place:
            chance = state.probabilities(np.array([self._start.place[id]]))
            probability = None if chance is None else float(chance[0])
        return Candidate(id, self.corpus.titles([self.corpus.row(id)])[0], rank, score, probability, chosen)

    def _place_of(self, state: State, id: str) -> tuple[int | None, float | None]:
        place = self._start.place.get(id)
        return (None, None) if place is None else (state.rank(place), float(state.scores[place]))

    def _open_sample(self) -> list[str]:
        """The documents of the last random sample that are not judged yet."""
        return [id for id in (self._samples[-1].items if self._samples else []) if id not in self._tally.words]

    def _unsure(self) -> list[str]:
        return [id for id, word in self._tally.words.items() if word == "unsure"]

    def _audited(self, state: State, decision: StopDecision) -> StopDecision:
        """Add what random samples prove, or how large one would have to be."""
        risk = 1.0 - decision.confidence
        for sample in self._samples:
            own = risk * FIRST_RISK * NEXT_RISK ** (sample.number - 1)
            if (proof := self._proof(sample, decision, own)) is not None:
                return replace(decision, safe=True, reason=proof)
        if decision.safe or not state.unfound.found:
            return decision
        own = risk * FIRST_RISK * NEXT_RISK ** len(self._samples)
        size = audit_size(state.unfound.found, state.unfound.unread, recall=decision.recall, risk=own)
        # A sample pays if it is likely to hold no member.
        is_likely = size * state.missing.high < state.unfound.unread
        if not is_likely or size >= state.unfound.unread:
            return decision
        reason = (
            f"{decision.reason} Or judge {size:,} unread documents drawn at random: "
            f"if none is a member, it is proved whatever the ranking is like."
        )
        return replace(decision, reason=reason, sample=size)

    def _proof(self, sample: Sample, decision: StopDecision, risk: float) -> str | None:
        """Say what a sample proves at its share of the risk; the confidence is that over all samples together."""
        if any(id not in self._tally.words for id in sample.items):
            return None
        before = Tally(self.run.about.learned_from)
        for each in self._log.log():
            if each.number <= sample.after:
                before.add(each)
        read = [id for id in before.words if id not in sample.items]
        found = sum(self._tally.words.get(id) == "yes" for id in read)
        unread = self._start.n_candidates - len(read)
        # A document that nobody is sure of might be a member.
        members = sum(self._tally.words[id] != "no" for id in sample.items)
        if not found or not audit(found, unread, len(sample.items), members, recall=decision.recall, risk=risk):
            return None
        return (
            f"Of {len(sample.items):,} documents drawn at random from {unread:,} unread ones, {members:,} are members. "
            f"With {decision.confidence:.0%} confidence at least {decision.recall:.0%} of the members are found, "
            "whatever the ranking."
        )


@dataclass(frozen=True)
class Start:
    """What a session starts from, and what never changes while it lasts."""

    category: Category
    read: CategoryFeatures
    X: Any
    covariance: WordCovariance
    weights: Floats
    scale: float
    shift: float
    model: LinearModel
    known: Rows
    may: NDArray[np.bool_]
    outside: NDArray[np.bool_]
    statuses: Statuses | None
    ratios: dict[bytes, float] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run, corpus: Corpus, subcategories: bool) -> Start:
        """Read the documents of a run's corpus."""
        about = run.about
        if (about.label is None and about.given is None) or len(about.left_out) != about.excluded:
            raise InputError("this run does not say which documents were its members; discover it again")
        known, category = (
            Category.of(corpus, about.label, about.given, about.left_out, said, may_be_empty=True)
            for said in (None, Judged.of(about.learned_from))
        )
        model = run.model
        if model.recipe is None:
            # A presence model reads documents in another way: start from the default model of the same category.
            model = find_members(category, engine=Local(None), text=about.label, seed=about.seed).model
        outside = np.zeros(corpus.n_documents, bool)
        outside[known.excluded] = outside[known.members] = True
        statuses = None
        if about.subcategories is not None and about.label is not None:
            statuses = Statuses(corpus, about.label, about.subcategories.depth)
            if not subcategories:
                free = np.flatnonzero(~outside)
                outside[free] = [each.status == SUBCATEGORY for each in statuses.of(free)]
        scorer = Scorer.of(model, corpus)
        rows = _rankable(category, model, scorer)
        may = ~outside[rows]
        if not may.any():
            raise NotEnoughData("there is no document to judge: all are members, left out, or in subcategories")
        ignored = Knowledge(Keywords.parse(about.words or "")).ignored(corpus)
        read = CategoryFeatures.of(
            category,
            rows,
            text=None,
            use_labels=not about.text_only,
            use_vectors=reads_vectors(model, corpus),
            ignored=ignored,
        )
        further = (_of_labels(model, corpus, read), _of_vectors(model, corpus, read))
        weights = np.concatenate([scorer.table(corpus.n_vocabulary), *further])
        scores = np.sort((read.X @ weights)[may])
        far = float(scores[-TOP:].mean() - scores.mean())
        scale = 2.0 * CENTRE / far if far > 0 else 1.0
        shift = -CENTRE - scale * float(scores.mean())
        places = np.searchsorted(rows, np.intersect1d(known.members, rows))
        return cls(
            category,
            read,
            with_constant(read.X),
            WordCovariance(read.X[:, : corpus.n_vocabulary], TOGETHER),
            scale * weights,
            scale,
            shift,
            model,
            places,
            may,
            outside,
            statuses,
        )

    @cached_property
    def from_prior(self) -> Floats:
        """The part of the centre that keywords and descriptions brought, for each column of `read.X`."""
        found = np.zeros(self.read.X.shape[1])
        if self.model.origins is not None:
            ids = self.category.corpus.token_ids(self.model.tokens.to_pylist())
            found[ids[ids >= 0]] = self.scale * self.model.origins.from_prior[ids >= 0]
        return found

    @cached_property
    def n_candidates(self) -> int:
        """How many documents there were to read before the first verdict of all rounds."""
        return int(np.count_nonzero(~self.outside))

    @cached_property
    def place(self) -> dict[str, int]:
        """The place of each document that may be judged, by its id."""
        ids = self.category.corpus.ids(self.read.rows)
        return {id: place for place, id in enumerate(ids) if self.may[place]}

    def unexplained(self, places: Rows, members: NDArray[np.bool_]) -> tuple[Any, Floats]:
        """Some documents, and what the centre leaves of 1 for members and −1 for rejected documents."""
        X = self.X[places].astype(np.float64)
        return X, np.where(members, 1.0, -1.0) - X[:, :-1] @ self.weights - self.shift

    def learned_ratio(self, places: Rows, members: NDArray[np.bool_]) -> float:
        """How much members weigh, compared with rejected documents, learned from the first verdicts."""
        n = learned_at(len(places))
        key = places[:n].tobytes() + members[:n].tobytes()
        if n and key not in self.ratios:
            order = np.argsort(places[:n])
            X, targets = self.unexplained(places[:n][order], members[:n][order])
            products = self.covariance.products(X)
            self.ratios[key] = learned_ratio(products, targets, members[:n][order], strength=STRENGTH)
        return self.ratios.get(key, USUAL_RATIO)

    def may_be_judged(self, id: str) -> bool:
        """Whether a document is a candidate; one that the corpus lacks is an error."""
        return id in self.place or not self.outside[self.category.corpus.row(id)]

    def ids(self) -> list[str]:
        return list(self.category.corpus.ids(np.flatnonzero(~self.outside)))


def with_constant(X: Any) -> Any:
    """Documents in single precision with a constant column."""
    from scipy.sparse import csr_matrix, hstack

    return hstack([X, csr_matrix(np.full((X.shape[0], 1), math.sqrt(CONSTANT)))], format="csr", dtype=np.float32)


def _rankable(category: Category, model: LinearModel, scorer: Scorer) -> Rows:
    """The documents that are ranked: all that may be read, or members, judged documents and the best others."""
    rows, corpus = category.readable, category.corpus
    if len(rows) <= READ_AT_MOST:
        return rows
    scores = Local(None).score_corpus(corpus, scorer)
    scores += further_scores(model, corpus, np.arange(corpus.n_documents))
    scores[category.members] = scores[category.rejected] = np.inf
    return np.sort(rows[np.argpartition(-scores[rows], READ_AT_MOST)[:READ_AT_MOST]])


def _of_labels(model: LinearModel, corpus: Corpus, read: CategoryFeatures) -> Floats:
    """The model's weights of the columns for other categories."""
    if not len(read.labels) or "labels" not in model.groups:
        return np.zeros(len(read.labels))
    adds = model.groups["labels"].by_name
    names = corpus.label_names(read.labels.numbers)
    return np.array([adds.get(name, 0.0) for name in names]) / read.labels.amounts


def _of_vectors(model: LinearModel, corpus: Corpus, read: CategoryFeatures) -> Floats:
    """The model's weights of the columns for the documents' vectors."""
    if read.vectors is None or model.vectors is None:
        return np.zeros(0)
    return model.vectors.weights / read.vectors.scale


class State:
    """What follows from the verdicts so far. Each part is computed when it is first asked for."""

    def __init__(
        self, run: Run, start: Start, judged: list[JudgedDocument], number: int, scored: list[tuple[float, bool]]
    ) -> None:
        self.run, self.start, self.judged, self.number, self._scored = run, start, judged, number, scored
        places = [(start.place[each.id], each.verdict) for each in judged if each.id in start.place]
        self.places = np.array([place for place, _ in places], np.int64)
        self.words = np.array([word for _, word in places], "U6")
        self._learning = threading.Lock()

    def learn(self) -> None:
        """Compute what is ranked by, once, however many ask for it at the same time."""
        with self._learning:
            _ = self.unread, self.scores, self.unfound, self.calibration

    @cached_property
    def unread(self) -> NDArray[np.bool_]:
        """The places that may be judged and are not."""
        unread = self.start.may.copy()
        unread[self.places] = False
        return unread

    @cached_property
    def weights(self) -> Floats:
        """The model that ranks, a weight for each column of `read.X`: the centre, and what verdicts change about it.

        The members that were known before count as judged, too.
        """
        start = self.start
        says = np.isin(self.words, ("yes", "no"))
        if not says.any():
            return start.weights
        places = np.concatenate([start.known, self.places[says]])
        members = np.concatenate([np.ones(len(start.known), bool), self.words[says] == "yes"])
        ratio = start.learned_ratio(places, members)
        # In the order of the corpus, so that the sums do not depend on the order of the verdicts.
        order = np.argsort(places)
        places, members = places[order], members[order]
        X, targets = start.unexplained(places, members)
        weights = balanced(members, ratio)
        change = learned_change(X, targets, weights, strength=STRENGTH, covariance=start.covariance)
        return start.weights + change[:-1]

    @cached_property
    def scores(self) -> NDArray[np.float32]:
        weights = np.append(self.weights, 0.0).astype(np.float32)
        return np.asarray(self.start.X @ weights)

    def best(self, top: int | None) -> Rows:
        """The places of the unread documents with the best scores, best first; ties in the order of the corpus."""
        return _first(self.unread, -self.scores, top)

    def nearest(self, top: int) -> Rows:
        """The places of the unread documents whose odds are nearest to even."""
        line = self.calibration
        if line is None or line.slope <= 0:
            return self.best(top)
        return _first(self.unread, np.abs(self.scores + line.intercept / line.slope), top)

    def rank(self, place: int) -> int:
        before = self.unread & (self.scores > self.scores[place])
        ties = self.unread[:place] & (self.scores[:place] == self.scores[place])
        return int(np.count_nonzero(before)) + int(np.count_nonzero(ties)) + 1

    @cached_property
    def unfound(self) -> Unfound:
        """The posterior of the number of missing members."""
        said = [each.verdict == "yes" for each in self.judged]
        ranked = [not each.drawn for each in self.judged]
        return unfound_members(said, self.start.n_candidates, ranked=ranked)

    @cached_property
    def missing(self) -> Missing:
        """The estimated number of missing members: the run's own until the first verdict."""
        if not self.judged and self.run.missing is not None:
            return self.run.missing
        return Missing(self.unfound.expected, self.unfound.low, self.unfound.high)

    @cached_property
    def calibration(self) -> Calibration | None:
        """From scores to probabilities: the slope comes from scores before their verdicts, the level from `missing`."""
        own = self.start.model.calibration
        slope = None if own is None else own.slope / self.start.scale
        if own is not None and slope is not None and not self.judged:
            return Calibration(slope, own.intercept)
        scores, positive = np.array([each for each, _ in self._scored]), np.array([yes for _, yes in self._scored])
        if len(scores) >= CALIBRATED_FROM and 0 < positive.sum() < len(positive):
            slope = calibrate(scores, positive, np.ones(len(scores))).slope
        if slope is None or not self.unread.any():
            return None
        return _at_level(slope, self.scores[self.unread].astype(np.float64), max(self.missing.expected, LEAST_EXPECTED))

    def probabilities(self, places: Rows) -> Floats | None:
        line = self.calibration
        return None if line is None else line.probability(self.scores[places].astype(np.float64))

    @cached_property
    def model(self) -> LinearModel:
        """The model that ranks, by the names of its words and categories."""
        category = self.start.category
        found = np.sort(self.start.read.rows[self.places[self.words == "yes"]])
        known = replace(category, members=np.union1d(category.members, found))
        read = replace(self.start.read, y=np.isin(self.start.read.rows, known.members).astype(np.int64))
        prior = f"{self.run.prior!r}, centred on the run's model"
        return linear_model(known, read, self.weights, self.start.from_prior, prior, self.calibration)


def _first(allowed: NDArray[np.bool_], keys: NDArray[Any], top: int | None) -> Rows:
    """The allowed places with the smallest keys, in order; ties in the order of the places."""
    places = np.flatnonzero(allowed)
    own = keys[places]
    if top is not None and top < len(places):
        last = np.partition(own, top)[top] if top else -np.inf
        kept = own <= last
        places, own = places[kept], own[kept]
    return places[np.argsort(own, kind="stable")[:top]]


def _at_level(slope: float, scores: Floats, expected: float) -> Calibration:
    """The logistic function with this slope whose probabilities of all scores add up to `expected`."""
    counts, edges = np.histogram(scores, bins=BINS)
    centres = (edges[1:] + edges[:-1]) / 2
    low, high = -50.0 - slope * float(scores.max()), 50.0 - slope * float(scores.min())
    for _ in range(50):
        middle = (low + high) / 2
        if counts @ Calibration(slope, middle).probability(centres) > expected:
            high = middle
        else:
            low = middle
    level = (low + high) / 2
    for _ in range(2):
        # The bins are near: two of Newton's steps make it exact.
        chances = Calibration(slope, level).probability(scores)
        level -= float((chances.sum() - expected) / max(chances @ (1.0 - chances), 1e-12))
    return Calibration(slope, level)
