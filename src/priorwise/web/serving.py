"""Run the server: find a port, say where it is, open the browser, end cleanly."""

from __future__ import annotations

import asyncio
import errno
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from ipaddress import ip_address
from typing import Any
from urllib.parse import quote

import uvicorn
from starlette.routing import BaseRoute
from uvicorn.protocols.http.h11_impl import H11Protocol

from priorwise.errors import InputError
from priorwise.web.app import Page, make_app
from priorwise.web.guard import LOOPBACK, Access

DEFAULT_PORT = 8421
_EVERYWHERE = ("0.0.0.0", "::", "")

SECONDS_FOR_REQUEST = 30.0
"""A request must have begun and its headers arrived within this time."""


@dataclass(frozen=True)
class Place:
    """Where the server listens."""

    host: str = "127.0.0.1"
    port: int | None = None
    token: str | None = None

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the server.

        Examples
        --------
        >>> Place("127.0.0.1").is_loopback, Place("0.0.0.0").is_loopback
        (True, False)
        """
        if self.host in LOOPBACK:
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def names(self) -> list[str]:
        """What this machine calls the server, and what others call it, if that is something else.

        Examples
        --------
        >>> Place("127.0.0.1").names, Place("0.0.0.0").names[0]
        (['127.0.0.1'], '127.0.0.1')
        """
        if self.host not in _EVERYWHERE:
            return [self.host]
        return ["::1" if self.host == "::" else "127.0.0.1", socket.gethostname()]

    def access(self) -> Access:
        token = self.token or (None if self.is_loopback else secrets.token_urlsafe(24))
        names = {*LOOPBACK, self.host.lower()}
        if not self.is_loopback:
            names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
        return Access(frozenset(names - set(_EVERYWHERE)), any_address=self.host in _EVERYWHERE, token=token)

    def listen(self) -> socket.socket:
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        for port in (DEFAULT_PORT, 0) if self.port is None else (self.port,):
            listener = socket.socket(family, socket.SOCK_STREAM)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            # Finds out in time that the other side is gone without a word.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            try:
                listener.bind((self.host, port))
            except OSError as error:
                listener.close()
                if error.errno == errno.EADDRINUSE and self.port is None and port:
                    continue
                raise InputError(f"cannot listen on {self.host}, port {port}: {error.strerror or error}") from error
            return listener
        raise InputError(f"no port is free on {self.host}")


def serve(
    pages: Sequence[Page],
    place: Place,
    *,
    start: str = "/",
    browser: bool = True,
    say: Callable[[str], None] = print,
    corpora: Callable[[str], Sequence[Page]] | None = None,
    more: Sequence[BaseRoute] = (),
) -> None:
    """Serve pages until Ctrl-C."""
    access = place.access()
    with place.listen() as listener:
        port = listener.getsockname()[1]
        path = start
        if access.token is not None:
            path += ("&" if "?" in path else "?") + f"token={quote(access.token, safe='')}"
        here, *elsewhere = [f"http://{_in_address(host)}:{port}{path}" for host in place.names]
        config = uvicorn.Config(
            make_app(pages, access, corpora, more),
            log_level="warning",
            access_log=False,
            server_header=False,
            lifespan="off",
            timeout_graceful_shutdown=3,
            http=Impatient,
        )
        server = _Server(config, lambda: _announce(here, elsewhere, browser, say))
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listener])
    say("Ended.")


class Impatient(H11Protocol):
    """HTTP that closes a connection on which no whole request arrives in time; uvicorn itself waits for ever."""

    patience = SECONDS_FOR_REQUEST

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait: asyncio.TimerHandle | None = None
        self._set_timer()

    def data_received(self, data: bytes) -> None:
        """Keep waiting until the request is whole."""
        super().data_received(data)
        self._set_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._cancel()
        super().connection_lost(exc)

    def _set_timer(self) -> None:
        answering = self.cycle is not None and not self.cycle.response_complete
        if answering:
            self._cancel()
        elif self._wait is None:
            self._wait = self.loop.call_later(self.patience, self._give_up)

    def _cancel(self) -> None:
        if self._wait is not None:
            self._wait.cancel()
            self._wait = None

    def _give_up(self) -> None:
        self._wait = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._started()


def _announce(here: str, elsewhere: Sequence[str], browser: bool, say: Callable[[str], None]) -> None:
    say(f"Open {here} in a browser. Ctrl-C ends the server.")
    for address in elsewhere:
        say(f"From other machines: {address}")
    threading.Thread(target=_warm_up, daemon=True).start()
    if browser:
        threading.Thread(target=webbrowser.open, args=(here,), daemon=True).start()


def _warm_up() -> None:
    """Import the libraries that the first category needs, while its reader still looks at the first page."""
    for name in ("scipy.sparse", "scipy.special", "priorwise.ranking._kernels"):
        import_module(name)
    # pyarrow imports pandas, where it is installed, with the first array.
    import_module("pyarrow").array([0]).to_numpy()


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host
