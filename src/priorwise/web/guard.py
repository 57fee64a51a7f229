"""Who may use the server: this machine, or anyone with the token, but no other web site.

A page elsewhere can make a reader's browser send requests to this server, under the server's own address (cross-site
request forgery) or under a name that was made to point here (DNS rebinding). So the Host must be one that we go by, and
what changes something must come from our own pages.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost", "::1")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
POLICY_WITH_CHARTS = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
"""Plotly styles its charts as it draws them; scripts stay as strict as everywhere."""

SECURITY_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_SAFE_METHODS = frozenset({"GET", "HEAD"})
_TYPES = ("application/json", "application/octet-stream")
"""What may be sent: JSON, and files as they are."""


@dataclass(frozen=True)
class Access:
    """Under which names the server is reached, and with which token."""

    hosts: frozenset[str] = frozenset(LOOPBACK)
    any_address: bool = False
    token: str | None = None

    @property
    def cookie(self) -> str:
        """The name of the cookie that holds the token; cookies do not tell the ports of a machine apart."""
        return f"priorwise-{sha256((self.token or '').encode('utf-8', 'replace')).hexdigest()[:8]}"

    def is_ours(self, host: str) -> bool:
        """Return whether a Host header is one that this server goes by.

        Examples
        --------
        >>> access = Access()
        >>> access.is_ours("localhost:8000"), access.is_ours("[::1]:8000"), access.is_ours("localhost.example.org")
        (True, True, False)
        """
        name = _without_port(host).lower()
        if name in self.hosts:
            return True
        if not self.any_address:
            return False
        try:
            ip_address(name)
        except ValueError:
            return False
        return True

    def admits(self, given: str | None) -> bool:
        """Return whether a token is the right one; headers come as Latin-1, whatever was meant."""
        if self.token is None:
            return True
        if given is None:
            return False
        wanted, forms = self.token.encode("utf-8", "replace"), [given.encode("utf-8", "replace")]
        with suppress(UnicodeError):
            forms.append(given.encode("latin-1").decode("utf-8").encode())
        return any(secrets.compare_digest(form, wanted) for form in forms)

    @property
    def pass_word(self) -> str:
        """What the cookie holds: made from the token, and plain letters whatever the token is made of."""
        return sha256(f"priorwise cookie {self.token}".encode("utf-8", "replace")).hexdigest()

    def admits_cookie(self, given: str | None) -> bool:
        return given is not None and secrets.compare_digest(given.encode("utf-8", "replace"), self.pass_word.encode())


class Guard:
    """ASGI middleware: turns away what :class:`Access` does not admit, and adds the headers that browsers obey."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app = app
        self.access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(scope)
        await (refusal or self.app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self.access.is_ours(host):
            return _refused(421, "this server does not go by that name")
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return _refused(403, "requests from other sites are refused")
        if scope["method"] not in _SAFE_METHODS:
            origin = headers.get("origin")
            if origin is not None and origin != f"{scope['scheme']}://{host}":
                return _refused(403, "changes may only come from this server's own pages")
            # No form of another site can send these types without asking first.
            if headers.get("content-type", "").partition(";")[0].strip() not in _TYPES:
                return _refused(415, "send JSON, with the header Content-Type: application/json")
        return self._without_token(scope, headers)

    def _without_token(self, scope: Scope, headers: Headers) -> Response | None:
        # A link to a reviewer carries a code of its own. Styles and scripts are everybody's.
        if self.access.token is None or scope["path"].startswith(("/r/", "/static/")):
            return None
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.access.admits(bearer.strip()):
            return None
        if self.access.admits_cookie(_cookie(headers.get("cookie", ""), self.access.cookie)):
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = next((value for name, value in query if name == "token"), None)
        if scope["method"] in _SAFE_METHODS and given is not None and self.access.admits(given):
            # The token moves from the address, where it could be seen and copied, into a cookie.
            rest = urlencode([(name, value) for name, value in query if name != "token"])
            path = "/" + scope["path"].lstrip("/")
            response = RedirectResponse(path + ("?" + rest if rest else ""), status_code=303)
            response.set_cookie(self.access.cookie, self.access.pass_word, httponly=True, samesite="strict", path="/")
            return response
        return _refused(401, "this needs the token: open the address that the command printed")


def _refused(status: int, why: str) -> JSONResponse:
    return JSONResponse({"error": why}, status_code=status)


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] if host.count(":") == 1 else host


def _cookie(header: str, name: str) -> str | None:
    try:
        morsel = SimpleCookie(header).get(name)
    except CookieError:
        return None
    return None if morsel is None else morsel.value
