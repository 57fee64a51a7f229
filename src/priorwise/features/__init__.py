"""Counts to weighted vectors: term frequencies, inverse document frequencies, and which columns to keep."""

from priorwise.features.selection import PearsonSelection
from priorwise.features.weighting import InverseDocumentFrequency, TermFrequency

__all__ = ["InverseDocumentFrequency", "PearsonSelection", "TermFrequency"]
