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


_ABOUT = (
    "Bring a file (Start), choose a category or make one (Categories), judge the best candidates and read why they "
    "are candidates (Workbench), share the work (Together), and download the result (Finish). The ranking learns from "
    "every verdict. What takes long is a job: its state is in the list of jobs until its result is there."
)


def takes(summary: str, answers: str = "", **fields: str) -> Callable[[Endpoint], Endpoint]:
    """Say what an endpoint does, which fields its answer has (``*``: a file), and which it takes.

    Those that may be left out have a ``?`` behind their type.

    Examples
    --------
    >>> @takes("Find a category.", "labels more", q="text", limit="whole?")
    ... def find(request): ...
    >>> find.about[0]
    'Find a category.'
    """

    def decorate(endpoint: Endpoint) -> Endpoint:
        endpoint.about = summary, answers, fields  # type: ignore[attr-defined]
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
                    name = f"{page.name}_{route.path.strip('/').replace('.', '_')}"
                    described = {"tags": [page.title], **_operation(route.endpoint.about, name, method, prefix)}
                    paths.setdefault(f"{prefix}/api/{page.name}{route.path}", {})[method] = described
    return {
        "openapi": "3.1.0",
        "info": {"title": "priorwise", "version": __version__, "description": _ABOUT},
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


def _operation(about: tuple[str, str, dict[str, str]], name: str, method: str, prefix: str) -> dict[str, Any]:
    summary, answers, fields = about
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
    found["responses"] = {"2XX": _answer(answers), "4XX": {"$ref": "#/components/responses/Error"}}
    return found


def _schema(kind: str) -> dict[str, Any]:
    name = _TYPES[kind.removesuffix("?")]
    return {"type": name, "items": {"type": "string"}} if name == "array" else {"type": name}


def _answer(names: str) -> dict[str, Any]:
    if names == "*":
        return {"description": "A file.", "content": {"application/octet-stream": {"schema": {}}}}
    schema = {"type": "object", "properties": {name: {} for name in names.split()}}
    return {"description": "The answer.", "content": {"application/json": {"schema": schema}}}
