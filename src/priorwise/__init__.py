"""Text classification in which the prior is the thing you choose, learn, look at and reuse.

>>> import priorwise as pw
>>> pw.PseudoCounts(negative=22, positive=4)
PseudoCounts(negative=22, positive=4)

Names are imported when they are first used, so that ``import priorwise`` and the command line start at once.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "AveragePrecision": "priorwise.search",
    "Corpus": "priorwise.corpus",
    "Document": "priorwise.corpus",
    "FBeta": "priorwise.search",
    "FolderReader": "priorwise.readers.folder",
    "FromCounts": "priorwise.search",
    "FromScores": "priorwise.search",
    "LogLoss": "priorwise.search",
    "PPV": "priorwise.search",
    "PPVAtK": "priorwise.search",
    "PresenceNB": "priorwise.models.presence",
    "PriorSearch": "priorwise.models.prior_search",
    "PriorwiseError": "priorwise.errors",
    "PseudoCounts": "priorwise.priors",
    "RecordReader": "priorwise.readers.records",
    "Run": "priorwise.discovery",
    "discover": "priorwise.discovery",
    "ingest": "priorwise.corpus",
}

if TYPE_CHECKING:
    from priorwise.corpus import Corpus, Document, ingest
    from priorwise.discovery import Run, discover
    from priorwise.errors import PriorwiseError
    from priorwise.models.presence import PresenceNB
    from priorwise.models.prior_search import PriorSearch
    from priorwise.priors import PseudoCounts
    from priorwise.readers.folder import FolderReader
    from priorwise.readers.records import RecordReader
    from priorwise.search import PPV, AveragePrecision, FBeta, FromCounts, FromScores, LogLoss, PPVAtK

__all__ = [
    "PPV",
    "AveragePrecision",
    "Corpus",
    "Document",
    "FBeta",
    "FolderReader",
    "FromCounts",
    "FromScores",
    "LogLoss",
    "PPVAtK",
    "PresenceNB",
    "PriorSearch",
    "PriorwiseError",
    "PseudoCounts",
    "RecordReader",
    "Run",
    "discover",
    "ingest",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'priorwise' has no attribute '{name}'")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
