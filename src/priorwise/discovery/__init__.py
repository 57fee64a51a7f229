"""The main job: sample, learn, rank, compare, save a run; and the hidden-members benchmark."""

from priorwise.discovery.finding import discover
from priorwise.discovery.run import Run

__all__ = ["Run", "discover"]
