"""The local web app: one small server, a folder of plain modules, and a page for each job.

A page is an API of its own in Python (:mod:`priorwise.web.home`, …) and a folder of its own in ``static/``;
:mod:`priorwise.web.app` puts pages together, :mod:`priorwise.web.guard` lets in who may come in, and
:mod:`priorwise.web.serving` runs it all.
"""

from importlib.util import find_spec

from priorwise.errors import MissingExtra

for package in ("starlette", "uvicorn", "plotly"):
    if find_spec(package) is None:
        raise MissingExtra(package, "web")
