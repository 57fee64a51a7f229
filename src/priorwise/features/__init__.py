"""Counts to weighted vectors: term frequencies, inverse document frequencies, and which columns to keep.

Names are imported when they are first used: a saved model needs `recipe`, and not scikit-learn.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

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
    if name not in __all__:
        raise AttributeError(f"module 'priorwise.features' has no attribute '{name}'")
    module = "spelling" if name == "Spelling" else "transformers"
    return getattr(importlib.import_module(f"priorwise.features.{module}"), name)
