"""The HTTP interface of the app as an OpenAPI document, generated from its routes.

An endpoint says with :func:`takes` what it does and which fields it takes; its route says where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from priorwise.version import __version__
from priorwise.web.answers import answer
from priorwise.web.app import Page

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
_TYPES = {
    "text": "string",
    "whole": "integer",
    "number": "number",
    "texts": "array",
    "object": "object",
    "file": "file",
}


def takes(summary: str, **fields: str) -> Callable[[Endpoint], Endpoint]:
    """Say what an endpoint does, and which fields it takes: their types, with ``?`` behind those that may be left out.

    Examples
    --------
    >>> @takes("Find a category.", q="text", limit="whole?")
    ... def find(request): ...
    >>> find.about[0]
    'Find a category.'
    """

    def decorate(endpoint: Endpoint) -> Endpoint:
        endpoint.about = summary, fields  # type: ignore[attr-defined]
        return endpoint

    return decorate


def openapi(pages: Sequence[Page], corpus_pages: Sequence[Page] = ()) -> dict[str, Any]:
    """Return the document; the pages of a corpus are under ``/c/{corpus}``."""
    paths: dict[str, Any] = {}
    for prefix, some in (("", pages), ("/c/{corpus}", corpus_pages)):
        for page in some:
            for route in page.routes:
                if isinstance(route, Route) and hasattr(route.endpoint, "about"):
                    method = "post" if "POST" in (route.methods or ()) else "get"
                    paths.setdefault(f"{prefix}/api/{page.name}{route.path}", {})[method] = _operation(
                        route.endpoint.about, f"{page.name}_{route.path.strip('/').replace('.', '_')}", method, prefix
                    )
    return {
        "openapi": "3.1.0",
        "info": {"title": "priorwise", "version": __version__},
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "responses": {
                "Error": {
                    "description": "What went wrong, in a sentence.",
                    "content": {
                        "application/json": {"schema": {"type": "object", "properties": {"error": {"type": "string"}}}}
                    },
                }
            },
        },
        # A server that only this machine can reach asks for no token.
        "security": [{}, {"token": []}],
    }


def openapi_route(pages: Sequence[Page], corpus_pages: Callable[[], Sequence[Page]]) -> Route:
    """Return the route ``/openapi.json``."""

    def document(_request: Request) -> Response:
        return answer(openapi(pages, corpus_pages()))

    return Route("/openapi.json", document)


def _operation(about: tuple[str, dict[str, str]], name: str, method: str, prefix: str) -> dict[str, Any]:
    summary, fields = about
    found: dict[str, Any] = {"summary": summary, "operationId": name}
    parameters = []
    if prefix:
        parameters.append({"name": "corpus", "in": "path", "required": True, "schema": {"type": "string"}})
    in_body = method == "post" and "file" not in fields.values()
    if in_body:
        properties = {each: _schema(kind) for each, kind in fields.items()}
        required = [each for each, kind in fields.items() if not kind.endswith("?")]
        schema = {"type": "object", "properties": properties, **({"required": required} if required else {})}
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    else:
        parameters += [
            {"name": each, "in": "query", "required": not kind.endswith("?"), "schema": _schema(kind)}
            for each, kind in fields.items()
            if kind != "file"
        ]
    if "file" in fields.values():
        found["requestBody"] = {"required": True, "content": {"application/octet-stream": {"schema": {}}}}
    if parameters:
        found["parameters"] = parameters
    found["responses"] = {"2XX": {"description": "The answer."}, "4XX": {"$ref": "#/components/responses/Error"}}
    return found


def _schema(kind: str) -> dict[str, Any]:
    name = _TYPES[kind.removesuffix("?")]
    return {"type": name, "items": {"type": "string"}} if name == "array" else {"type": name}
