"""A prior as a notebook shows it: its numbers, and in a sentence what they mean."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from priorwise.charts import Markup

LONGEST = 200


class Shown:
    """Base of the priors; shows one in a notebook, everything escaped."""

    def _repr_html_(self) -> str:
        return prior_html(self)


def prior_html(prior: Any) -> Markup:
    """Return a prior as HTML.

    Examples
    --------
    >>> from priorwise.priors import Dirichlet
    >>> print(prior_html(Dirichlet(0.5))[:84])
    <div><p><b>Dirichlet(0.5)</b></p><p>Every word is imagined α times in every class; α
    """
    from priorwise.charts import element

    first = (inspect.getdoc(type(prior)) or "").split("\n\n")[0].replace("\n", " ").replace("`", "")
    rows = [
        element("tr", element("th", field.name, scope="row"), element("td", in_short(getattr(prior, field.name))))
        for field in fields(prior)
        if getattr(prior, field.name) is not None
    ]
    table = element("table", element("tbody", rows)) if rows else None
    return element("div", element("p", element("b", in_short(prior))), element("p", first), table)


def in_short(value: Any) -> str:
    """Return a value in one short line; of many numbers how many, and from where to where.

    Examples
    --------
    >>> in_short(np.array([1.0, 2.0, 4.0])), in_short(0.5), in_short("x" * 300)[-3:]
    ('3 numbers from 1 to 4', '0.5', 'xx…')
    """
    if isinstance(value, np.ndarray) and value.size > 1 and value.dtype.kind in "fiu":
        return f"{value.size:,} numbers from {value.min():g} to {value.max():g}"
    text = value if isinstance(value, str) else " ".join(repr(value).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
