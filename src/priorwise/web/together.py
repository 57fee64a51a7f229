"""Together: invite reviewers by links, split or overlap the queue, and decide where they disagree."""

from __future__ import annotations

import json
import os
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route, Router
from starlette.types import Receive, Scope, Send

from priorwise.errors import InputError, UnknownName
from priorwise.review.agreement import agreements
from priorwise.review.verdicts import JUDGEMENTS, LONGEST_NAME, Verdict, current
from priorwise.web.answers import Fields, answer, body_of, query_of
from priorwise.web.app import Page, routes_of
from priorwise.web.openapi import takes
from priorwise.web.workbench import FOR_GUESTS, LONGEST_NOTE, Bench, Benches
from priorwise.web.workspace import Workspace

MOST_REVIEWERS = 50
_LONGEST_TOKEN = 2000


@dataclass(frozen=True)
class Guest:
    """A reviewer who came by a link: which category of which corpus they judge, and under which name."""

    corpus: str
    category: str
    reviewer: str


class Invitations:
    """Links for reviewers. A link names its guest and carries a code that only this key can make.

    Examples
    --------
    >>> invitations = Invitations(b"a key")
    >>> token = invitations.token(Guest("tea", "green-tea", "Ada"))
    >>> invitations.guest(token)
    Guest(corpus='tea', category='green-tea', reviewer='Ada')
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def in_folder(cls, folder: Path) -> Invitations:
        """Use the key in a folder, which is made if it is not there; links then last longer than the server."""
        path, key = folder / "invitations.key", secrets.token_bytes(32)
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):
                file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                os.write(file, key)
                os.close(file)
            key = path.read_bytes() or key
        return cls(key)

    def token(self, guest: Guest) -> str:
        """Return the part of a link that says who comes."""
        content = json.dumps(list(asdict(guest).values()), ensure_ascii=False).encode()
        return urlsafe_b64encode(self._code(content) + content).decode().rstrip("=")

    def guest(self, token: str) -> Guest:
        """Return who comes with a link; one that was not made here is refused."""
        with suppress(ValueError, TypeError):
            if len(token) <= _LONGEST_TOKEN:
                whole = urlsafe_b64decode(token.encode("ascii") + b"=" * (-len(token) % 4))
                if secrets.compare_digest(whole[:16], self._code(whole[16:])):
                    return Guest(*json.loads(whole[16:]))
        raise UnknownName("invitation", token[:20], [])

    def _code(self, content: bytes) -> bytes:
        return blake2b(content, digest_size=16, key=self._key[:64]).digest()

    def mount(self, pages_of: Callable[[str], Sequence[Page]]) -> Mount:
        """Return the routes of guests: the workbench of their category, and nothing else."""
        return Mount("/r/{token}", app=_Invited(self, pages_of))


class _Invited:
    """The workbench under a link: what a guest may do, done in the guest's own name."""

    def __init__(self, invitations: Invitations, pages_of: Callable[[str], Sequence[Page]]) -> None:
        self._invitations, self._pages_of = invitations, pages_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        guest = self._invitations.guest(scope["path_params"]["token"])
        pages = await run_in_threadpool(self._pages_of, guest.corpus)
        page = next(each for each in pages if each.name == "workbench")
        routes = [each for each in page.routes if isinstance(each, Route) and each.name in FOR_GUESTS]
        router = Router(routes=routes_of([replace(page, routes=routes, home="./")], page.place))
        await router({**scope, "guest": guest}, receive, send)


def together_page(workspace: Workspace, benches: Benches, invitations: Invitations) -> Page:
    """Return the page."""
    corpus = workspace.corpus

    @takes(
        "Return the reviewers of a category, their agreement and disagreements.",
        "key name team reviewers pairs group disagreements",
        category="text",
    )
    def state(request: Request) -> Response:
        note, bench = benches.of(query_of(request).text("category", longest=300))
        session = bench.session
        said = [each for each in current(session.log) if not each.is_blind]
        team = session.team
        counts = Counter(each.reviewer for each in said if each.verdict in JUDGEMENTS and not each.is_decision)
        names = list(dict.fromkeys([*(team.reviewers if team else ()), *sorted(counts)]))
        return answer(
            {
                "key": note.key,
                "name": note.name,
                "team": None if team is None else asdict(team),
                "reviewers": [
                    {
                        "name": name,
                        "judged": counts[name],
                        "link": f"/r/{invitations.token(Guest(workspace.name, note.key, name))}/"
                        if team and name in team.reviewers
                        else None,
                    }
                    for name in names
                ],
                "pairs": [asdict(pair) for pair in agreements(said) if pair.documents],
                "group": asdict(session.agreement),
                "disagreements": [
                    {
                        "id": each.id,
                        "title": corpus.titles([corpus.row(each.id)])[0],
                        "verdicts": [_shown(verdict) for verdict in each.verdicts],
                        "decision": None if each.decision is None else _shown(each.decision),
                    }
                    for each in session.disagreements
                ],
            }
        )

    @takes(
        "Split the queue between reviewers, or let several judge the same documents.",
        "team",
        category="text",
        reviewers="texts",
        copies="whole?",
        overlap="number?",
    )
    async def share(request: Request) -> Response:
        fields = await body_of(request)
        _, bench = await run_in_threadpool(benches.of, fields.text("category", longest=300))
        names = _names(fields)
        copies = fields.whole("copies", 1, MOST_REVIEWERS, default=1)
        overlap = fields.number("overlap", 0.0, 1.0, default=0.0)
        team = await run_in_threadpool(lambda: bench.session.share(names, copies=copies, overlap=overlap))
        return answer({"team": None if team is None else asdict(team)})

    @takes(
        "Decide about a document that reviewers judged differently.",
        "stored",
        category="text",
        reviewer="text",
        id="text",
        verdict="text",
        note="text?",
    )
    async def decide(request: Request) -> Response:
        fields = await body_of(request)
        _, bench = await run_in_threadpool(benches.of, fields.text("category", longest=300))
        stored = await run_in_threadpool(_decided, bench, fields)
        return answer({"stored": stored.id})

    routes = [Route("/state", state), Route("/share", share, methods=["POST"])]
    return Page("together", "Together", [*routes, Route("/decide", decide, methods=["POST"])], in_menu=False)


def _names(fields: Fields) -> list[str]:
    names = fields.get("reviewers")
    if not isinstance(names, list) or len(names) > MOST_REVIEWERS or not all(isinstance(each, str) for each in names):
        raise InputError(f"'reviewers' must be a list of at most {MOST_REVIEWERS} names")
    return [Fields({"name": each}).text("name", longest=LONGEST_NAME) for each in names]


def _decided(bench: Bench, fields: Fields) -> Verdict:
    id = fields.exact("id", longest=100_000)
    if id not in {each.id for each in bench.session.disagreements}:
        raise InputError("reviewers do not disagree about this document")
    return bench.session.decide(
        id,
        fields.choice("verdict", JUDGEMENTS),
        reviewer=fields.text("reviewer", longest=LONGEST_NAME),
        note=fields.text("note", longest=LONGEST_NOTE) if fields.get("note") else None,
    )


def _shown(verdict: Verdict) -> dict[str, Any]:
    return {name: getattr(verdict, name) for name in ("reviewer", "verdict", "note", "at")}
