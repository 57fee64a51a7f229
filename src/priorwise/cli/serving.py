"""What every command that opens a page in the browser shares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import click


def serves(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a server, and hand them over as ``serve``: call it with the pages to serve."""

    @click.option(
        "--port", type=click.IntRange(0, 65535), help="The port; 0 means any free one. [default: 8421, if free]"
    )
    @click.option(
        "--host",
        default="127.0.0.1",
        show_default=True,
        help="The address to listen on; one that other machines can reach asks for a token.",
    )
    @click.option(
        "--token", envvar="PRIORWISE_TOKEN", help="The token that readers need. [default: generated, if needed]"
    )
    @click.option("--browser/--no-browser", default=True, help="Open the page in the browser.")
    @wraps(command)
    def with_options(port: int | None, host: str, token: str | None, browser: bool, **others: Any) -> None:
        def serve(pages: Sequence[Any], start: str = "/", **others: Any) -> None:
            from priorwise.web.serving import Place
            from priorwise.web.serving import serve as run_server

            run_server(pages, Place(host, port, token), start=start, browser=browser, say=click.echo, **others)

        command(serve=serve, **others)

    return with_options
