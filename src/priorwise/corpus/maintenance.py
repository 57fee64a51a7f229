"""Which labels of a corpus are categories that serve a wiki's editors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from priorwise.wiki.siteinfo import PARENTS, serves_editors

if TYPE_CHECKING:
    from priorwise.corpus.contents import CorpusContents


def maintenance_labels(corpus: CorpusContents, names: Sequence[str]) -> NDArray[np.bool_]:
    """Return for each of some labels whether it is a category for editors.

    Only a wiki has such categories. They are recognised by the category that they are in, such as "Hidden categories",
    and by their names.

    Examples
    --------
    >>> from priorwise.corpus import Corpus
    >>> corpus = Corpus.from_texts(["a", "b"], labels=["Special:Tea", "Tea"])
    >>> maintenance_labels(corpus, ["Special:Tea", "Tea"]).tolist()
    [False, False]
    """
    if not len(corpus.graph):
        return np.zeros(len(names), np.bool_)
    hidden = {child for parent in PARENTS if parent in corpus.graph for child in corpus.graph.children(parent)}
    return np.fromiter(
        (name in hidden or name in PARENTS or serves_editors(name) for name in names), np.bool_, len(names)
    )
