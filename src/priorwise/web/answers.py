"""Requests in, answers out: JSON that was checked field by field, and errors that are one sentence."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping
from html import escape
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from priorwise.errors import DiskFull, InputError, PriorwiseError, UnknownName

LARGEST_BODY = 1 << 20
SECONDS_FOR_BODY = 30.0
_STATUS: tuple[tuple[type[PriorwiseError], int], ...] = ((UnknownName, 404), (InputError, 400), (DiskFull, 507))


def answer(content: Any, status: int = 200) -> Response:
    """Return JSON; numbers that are not finite become null, which is what JSON has for them."""
    return JSONResponse(finite(content), status_code=status)


def finite(content: Any) -> Any:
    """Return the same with None for NaN and infinity.

    Examples
    --------
    >>> finite({"a": [1.0, float("nan")]})
    {'a': [1.0, None]}
    """
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, Mapping):
        return {key: finite(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [finite(value) for value in content]
    return content


async def body_of(request: Request, largest: int = LARGEST_BODY) -> Fields:
    """Read the JSON object of a request; one that is too long, broken or none is refused."""
    received = bytearray()
    try:
        async with asyncio.timeout(SECONDS_FOR_BODY):
            async for chunk in request.stream():
                received += chunk
                if len(received) > largest:
                    raise HTTPException(413, f"at most {largest:,} bytes are read")
    except ClientDisconnect as error:
        raise HTTPException(400, "the request broke off") from error
    except TimeoutError as error:
        raise HTTPException(408, f"the request did not arrive within {SECONDS_FOR_BODY:g} seconds") from error
    try:
        content = json.loads(received)
    except (ValueError, RecursionError) as error:
        raise InputError("the request is not valid JSON") from error
    if not isinstance(content, dict):
        raise InputError("the request must be a JSON object")
    return Fields(content)


def query_of(request: Request) -> Fields:
    """Return the part after the question mark."""
    return Fields(dict(request.query_params))


class Fields:
    """What was sent, by name; a field that is missing or wrong is refused with its name.

    Examples
    --------
    >>> fields = Fields({"label": "Chess", "limit": "5"})
    >>> fields.text("label"), fields.whole("limit", 1, 10), fields.choice("order", ("a", "b"), default="a")
    ('Chess', 5, 'a')
    >>> fields.whole("limit", 6, 10)
    Traceback (most recent call last):
    ...
    priorwise.errors.InputError: 'limit' must be a whole number from 6 to 10
    """

    def __init__(self, content: Mapping[str, Any]) -> None:
        self._content = content

    def text(self, name: str, *, longest: int = 1000, default: str | None = None) -> str:
        """Return a text that is not empty; spaces around it do not count."""
        value = self._content.get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str) or not (stripped := value.strip()):
            raise InputError(f"'{name}' must be a text")
        if len(stripped) > longest:
            raise InputError(f"'{name}' has more than {longest:,} characters")
        # What cannot be written as UTF-8 (a lone surrogate) cannot be stored either.
        return stripped.encode("utf-8", "replace").decode()

    def exact(self, name: str, *, longest: int) -> str:
        """Return a name as it is, with any spaces around it: an id is whatever somebody made it."""
        value = self._content.get(name)
        if not isinstance(value, str) or not value:
            raise InputError(f"'{name}' must be a text")
        if len(value) > longest:
            raise InputError(f"'{name}' has more than {longest:,} characters")
        return value.encode("utf-8", "replace").decode()

    def whole(self, name: str, least: int, most: int, *, default: int | None = None) -> int:
        value = self._content.get(name)
        if value is None and default is not None:
            return default
        if isinstance(value, str) and value.isascii() and value.removeprefix("-").isdigit() and len(value) < 20:
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise InputError(f"'{name}' must be a whole number from {least} to {most}")
        return value

    def number(self, name: str, least: float, most: float, *, default: float | None = None) -> float:
        value = self._content.get(name)
        if value is None and default is not None:
            return default
        try:
            found = math.nan if isinstance(value, bool) or not isinstance(value, int | float | str) else float(value)
        except (ValueError, OverflowError):
            found = math.nan
        if not least <= found <= most:
            raise InputError(f"'{name}' must be a number from {least:g} to {most:g}")
        return found

    def choice(self, name: str, choices: tuple[str, ...], *, default: str | None = None) -> str:
        value = self._content.get(name, default)
        if value is None and default is not None:
            return default
        if not isinstance(value, str) or value not in choices:
            raise InputError(f"'{name}' must be one of {', '.join(choices)}")
        return value

    def get(self, name: str) -> Any:
        """Return a field as it came, or None; whoever asks has to check it."""
        return self._content.get(name)


def said(request: Request, error: Exception) -> Response:
    """Answer an error of ours with its sentence."""
    status = next((code for kind, code in _STATUS if isinstance(error, kind)), 409)
    return _told(request, str(error), status)


def refused(request: Request, error: Exception) -> Response:
    """Answer what the framework refuses, in the same form."""
    status, why = (error.status_code, error.detail) if isinstance(error, HTTPException) else (500, "")
    return _told(request, why.lower() or "refused", status)


def failed(request: Request, _error: Exception) -> Response:
    """Answer a mistake of ours without its details, which the server prints."""
    return _told(request, "something went wrong here; the terminal that runs the server says what", 500)


def _told(request: Request, why: str, status: int) -> Response:
    """Answer with a page where somebody looks for one, and with JSON otherwise."""
    if request.headers.get("sec-fetch-mode") != "navigate":
        return answer({"error": why}, status)
    words = "There is no such page." if why == "not found" else why[:1].upper() + why[1:] + "."
    return HTMLResponse(_TROUBLE.format(words=escape(words)), status)


_TROUBLE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not found · priorwise</title><link rel="icon" href="/static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/base.css"><script src="/static/theme.js"></script></head>
<body><main class="alone"><h1>That did not work</h1><p>{words}</p>
<p><a class="button main" href="/">Back to the start</a></p></main></body></html>
"""
