"""Counts to weighted vectors: term frequencies, inverse document frequencies, and which columns to keep.

Names are imported when they are first used: a saved model needs `recipe`, and not scikit-learn.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

_HOME = {
    "InverseDocumentFrequency": "priorwise.features.transformers",
    "NamedColumns": "priorwise.features.transformers",
    "PearsonSelection": "priorwise.features.transformers",
    "Spelling": "priorwise.features.spelling",
    "TermFrequency": "priorwise.features.transformers",
    "Words": "priorwise.features.transformers",
}

if TYPE_CHECKING:
    from priorwise.features.spelling import Spelling
    from priorwise.features.transformers import (
        InverseDocumentFrequency,
        NamedColumns,
        PearsonSelection,
        TermFrequency,
        Words,
    )

__all__ = ["InverseDocumentFrequency", "NamedColumns", "PearsonSelection", "Spelling", "TermFrequency", "Words"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'priorwise.features' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOME[name]), name)
