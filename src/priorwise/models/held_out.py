"""Documents with their classes, and their scores under models that have not seen them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.models.labels import Labels

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def _nobody(share: float) -> None:
    pass


class HeldOut:
    """What a prior is judged by: for each prior, the scores of documents by models that were fitted without them."""

    labels: Labels
    weight: Floats
    progress: Callable[[float], None] = staticmethod(_nobody)
    """Told which share of the work is done, by those that take long."""

    def truth(self) -> NDArray[np.bool_]:
        """Which documents are of which output, shape (n_documents, n_outputs)."""
        raise NotImplementedError

    def score_matrices(self, priors: Sequence[Any]) -> Iterator[tuple[int, Floats]]:
        """For each prior its place, and the scores of every document for every output."""
        raise NotImplementedError

    def predictions(self, priors: Sequence[Any]) -> Iterator[tuple[int, Ints]]:
        """For each prior its place, and the output with the best score for every document, a tie to the first."""
        for p, scores in self.score_matrices(priors):
            yield p, np.argmax(scores, axis=1)
