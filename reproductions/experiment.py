"""What an experiment is, what it is given, and what it gives back."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from priorwise.errors import UnknownName
from reproductions.data import Data, MissingCollection
from reproductions.figure import Figure
from reproductions.results import Results
from reproductions.table import Table

NAMES = ("bernoulli", "knowledge", "presence", "sparse", "webscale")
"""Each a module next to this one with an `EXPERIMENT`, imported when it is needed."""

Progress = Callable[[str, float], None]
"""Called with what is being done, and the share of the whole that is done already."""

Part = Table | Figure | str
"""What a page is made of: tables, figures, and paragraphs in Markdown."""


@dataclass(frozen=True)
class Findings:
    """What an experiment found.

    Parameters
    ----------
    parts : tuple
        Tables, figures and paragraphs, in the order in which they are shown. A paragraph that starts with ``## `` is
        a heading.
    counts : mapping of str to str
        What was read of each collection, for the page: how many documents, words and classes.
    """

    parts: tuple[Part, ...]
    counts: Mapping[str, str] = field(default_factory=dict)

    @property
    def figures(self) -> list[Figure]:
        """The figures alone."""
        return [part for part in self.parts if isinstance(part, Figure)]

    def to_json(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        parts = [{"text": part} if isinstance(part, str) else {part.kind: part.to_json()} for part in self.parts]
        return {"counts": dict(self.counts), "parts": parts}


@dataclass(frozen=True)
class Session:
    """What an experiment is given.

    Parameters
    ----------
    data : Data
        The collections.
    results : Results
        The cells that are finished.
    progress : function
        See `Progress`.
    only : tuple of str
        The parts of the experiment to run, in its own order.
    quick : bool
        Whether to do with less: coarser grids, fewer repetitions. What that is, each experiment says itself; the cells
        of both are apart.
    """

    data: Data
    results: Results
    progress: Progress
    only: tuple[str, ...]
    quick: bool = False


@dataclass(frozen=True)
class Experiment:
    """A paper's experiment.

    Parameters
    ----------
    name : str
        What the command line calls it.
    title : str
        What it is about.
    paper : str
        Authors, title, where and when.
    parts : mapping of str to tuple of str
        What can be run alone, usually the collections, each with the names of the data it needs (see
        `reproductions.data.COLLECTIONS`).
    run : function
        From a session to the findings.
    """

    name: str
    title: str
    paper: str
    parts: Mapping[str, tuple[str, ...]]
    run: Callable[[Session], Findings]

    def chosen(self, only: tuple[str, ...]) -> tuple[str, ...]:
        """Return the parts of these names in the experiment's order, or all of them if none is named."""
        for name in only:
            if name not in self.parts:
                raise UnknownName(f"part of '{self.name}'", name, self.parts, complete=True)
        return tuple(name for name in self.parts if not only or name in only)

    def possible(self, data: Data) -> tuple[tuple[str, ...], dict[str, str]]:
        """Return the parts whose collections are there, and why each of the others is not."""
        missing = {}
        for name, needed in self.parts.items():
            try:
                for each in needed:
                    data.path(each)
            except MissingCollection as error:
                missing[name] = str(error)
        return tuple(name for name in self.parts if name not in missing), missing


def find_experiment(name: str) -> Experiment:
    """Return the experiment of this name.

    Examples
    --------
    >>> find_experiment("bernouli")
    Traceback (most recent call last):
    priorwise.errors.UnknownName: no experiment 'bernouli'; did you mean 'bernoulli'?
    """
    if name not in NAMES:
        raise UnknownName("experiment", name, NAMES, complete=True)
    experiment: Experiment = importlib.import_module(f"reproductions.{name}").EXPERIMENT
    return experiment
