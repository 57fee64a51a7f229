"""The documents of a view under the priors of naive Bayes models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from priorwise.explorer.coordinates import MEMBERS, OTHERS, Coordinates, counts_repeats
from priorwise.explorer.evidence import Evidence
from priorwise.explorer.family import Family, Setting
from priorwise.explorer.measures import Points
from priorwise.explorer.shown_model import ShownModel
from priorwise.explorer.terrain import FamilyTerrain, TrainingLeftOut

if TYPE_CHECKING:
    from priorwise.explorer.naive_bayes_family import NaiveBayesFamily
    from priorwise.explorer.view import View

Floats = NDArray[np.float64]


class ShownNaiveBayes(ShownModel):
    """Documents between a category and everything else, each side with a likelihood; exact leave-one-out.

    Examples
    --------
    >>> from priorwise import Corpus, explore
    >>> corpus = Corpus.from_texts(["a b", "a c", "a", "d", "d e", "e"], labels=["x", "x", "x", "y", "y", "y"])
    >>> view = explore(corpus, "x", "beta")
    >>> [each.token for each in view.evidence(1)]
    ['a', 'c']
    """

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self.coordinates = Coordinates(view.documents)
        self._left_out = TrainingLeftOut(view.documents)
        self._maps: dict[str, FamilyTerrain] = {}

    def opening(self, family: Family) -> Setting:
        """The usual numbers."""
        return Setting(family, family.default)

    def points(self, setting: Setting) -> Points:
        """Return log P(d|c) + log P(c), and how much more that is than log P(d|¬c) + log P(¬c)."""
        sums = self.coordinates.of(setting)
        return Points(sums[:, MEMBERS], sums[:, MEMBERS] - sums[:, OTHERS])

    def left_out(self, setting: Setting) -> Floats:
        """The log odds of every training document by a model of all others."""
        return self._left_out.scores(cast("NaiveBayesFamily", setting.family), setting.prior)

    def weights(self, setting: Setting) -> Floats:
        """What each token adds to the log odds of a document that has it once."""
        return self.coordinates.of_tokens(setting)

    def names(self, features: NDArray[np.int64]) -> list[str]:
        """The tokens."""
        return self.view.corpus.token_names(self.view.documents.features[features])

    def evidence(self, place: int, setting: Setting) -> list[Evidence]:
        """What the tokens of a document add; tokens that add nothing are left out."""
        shown = self.view.documents
        own = slice(shown.indptr[place], shown.indptr[place + 1])
        tokens, counts = shown.tokens[own], shown.counts[own].astype(np.int64)
        at_each = self.coordinates.of_tokens(setting)[tokens]
        weights = at_each * counts if counts_repeats(setting) else at_each
        order = np.lexsort((tokens, -np.abs(weights)))
        order = order[weights[order] != 0]
        columns = (each[order].tolist() for each in (counts, weights, at_each))
        return [Evidence(*each) for each in zip(self.names(tokens[order]), *columns, strict=True)]

    def objective_map(self, family: Family) -> FamilyTerrain:
        """What leave-one-out says of every prior of a family; it is kept."""
        if family.name not in self._maps:
            self._maps[family.name] = self._left_out.terrain(cast("NaiveBayesFamily", family))
        return self._maps[family.name]

    def of_corpus(self, setting: Setting) -> Iterator[tuple[int, Floats]]:
        """Both coordinates of all documents of the corpus."""
        return self.coordinates.of_corpus(setting, self.view.corpus)
