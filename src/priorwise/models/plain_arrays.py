"""A model as plain arrays, for programs that do not know priorwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from priorwise.models.linear_model import LinearModel


def arrays_of(model: LinearModel) -> dict[str, NDArray[Any]]:
    """Return all that it takes to compute scores, by name; no array holds objects.

    The weight of token t in output k is ``background[k, group[t]]`` plus the entry (k, t) of a sparse matrix whose
    columns are the tokens: ``data[indptr[t]:indptr[t + 1]]`` in the rows ``indices[indptr[t]:indptr[t + 1]]``. The
    score of an output is ``bias[k]`` plus the weights of the document's tokens, each times its feature: its count, or 1
    if ``features`` is ``"presence"``; with a recipe (``frequency``, ``cosine``, ``factors``) its weighted count. Of two
    classes there is one output, the log odds of the second.

    A model that ranks may have more. ``unknown`` is the factor of tokens that it does not know, which make a document
    longer. A document that carries a label of ``carried`` gets the number of ``carried_adds`` at the same place on top.
    The score is divided by the number of distinct tokens to the power of ``length_power``. The log odds are
    ``slope`` × score + ``intercept``.

    Examples
    --------
    >>> from priorwise.models.linear_model import LinearModel
    >>> from priorwise.models.weights import Weights
    >>> weights = Weights(np.array([0, 1]), np.array([[0.5, -2.0]]), np.array([0.1]))
    >>> details = {"features": "counts", "link": "logistic", "tokenizer": None, "members": np.ones(2), "about": {}}
    >>> model = LinearModel.of(weights, ["tea", "milk"], labels=["no", "yes"], multilabel=False, **details)
    >>> arrays = arrays_of(model)
    >>> arrays["tokens"].tolist(), arrays["bias"].tolist()
    (['milk', 'tea'], [0.1])
    """
    values, background = model.weights.values.tocsc(), model.weights.background
    assert background is not None, "a saved model has one"
    arrays: dict[str, NDArray[Any]] = {
        "labels": np.array(list(model.labels), dtype=np.str_),
        "tokens": np.array(model.tokens.to_pylist(), dtype=np.str_),
        "bias": model.weights.bias,
        "data": values.data,
        "indices": values.indices.astype(np.int32),
        "indptr": values.indptr.astype(np.int64),
        "background": background.values,
        "group": background.group,
        "features": np.array(model.features),
        "link": np.array(model.link),
        "multilabel": np.array(model.multilabel),
    }
    if model.recipe is not None:
        arrays |= {"frequency": np.array(model.recipe.frequency), "cosine": np.array(model.recipe.cosine)}
        if model.recipe.factors is not None:
            arrays["factors"] = model.recipe.factors
        if model.recipe.unknown is not None:
            arrays["unknown"] = np.array(model.recipe.unknown)
    if model.groups:
        arrays["carried"] = np.array([name for own in model.groups.values() for name in own.names], dtype=np.str_)
        arrays["carried_adds"] = np.concatenate([own.adds for own in model.groups.values()])
    if model.length_power:
        arrays["length_power"] = np.array(model.length_power)
    if model.calibration is not None:
        arrays |= {"slope": np.array(model.calibration.slope), "intercept": np.array(model.calibration.intercept)}
    return arrays
