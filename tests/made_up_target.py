"""A target that somebody adds: how much more of the members than of the other documents is found."""

from dataclasses import dataclass
from typing import Any

from priorwise.search import CountTarget


@dataclass(frozen=True)
class YoudenIndex(CountTarget):
    """Recall minus the share of false alarms, which count `alarm` times."""

    alarm: float = 1.0

    name = "youden's index"

    def from_counts(self, tp: Any, fp: Any, positives: float, negatives: float, negative_weight: float = 1.0) -> Any:
        return tp / positives - self.alarm * fp / negatives
