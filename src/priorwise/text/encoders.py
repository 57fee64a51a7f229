"""Programs that turn texts into vectors, each an optional package, by the name that `priorwise embed --with` takes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError, MissingExtra, optional

Encode = Callable[[Sequence[str]], NDArray[np.float32]]

KINDS = ("wordllama", "model2vec:NAME", "sentence-transformers:NAME")


def load_encoder(name: str, *, download: bool = False) -> Encode:
    """Load an encoder: a function from texts to vectors, a row each.

    `name`: ``wordllama``, whose weights come with its package; ``model2vec:NAME`` or
    ``sentence-transformers:NAME``, where NAME is a folder, or the name of a model of Hugging Face. `download`:
    whether a model that is not on this machine may be downloaded.
    """
    kind, _, model = name.partition(":")
    if kind not in _LOADERS or (kind == "wordllama") == bool(model):
        raise InputError(f"no encoder '{name}'; there are {', '.join(KINDS[:-1])} and {KINDS[-1]}")
    try:
        with _network(download):
            return _LOADERS[kind](model)
    except (MissingExtra, InputError):
        raise
    except Exception as error:
        # Each library has its own exceptions for a model that is not there.
        reason = " ".join(str(error).split())[:200]
        advice = "" if download else "; --download fetches a model that is not on this machine"
        raise InputError(f"the encoder '{name}' cannot be loaded ({reason}){advice}") from error


@contextmanager
def _network(allowed: bool) -> Iterator[None]:
    """Keep Hugging Face's library from the network, unless that was asked for."""
    before = os.environ.get("HF_HUB_OFFLINE")
    if not allowed:
        os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        yield
    finally:
        if not allowed:
            os.environ.pop("HF_HUB_OFFLINE", None)
            if before is not None:
                os.environ["HF_HUB_OFFLINE"] = before


def _wordllama(_: str) -> Encode:
    wordllama = optional("wordllama", "vectors")
    # Weights and tokenizer are in the package itself, where its loader looks only if it is told.
    model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        # A text without any known piece has the mean of nothing.
        return np.nan_to_num(np.asarray(model.embed(list(texts)), np.float32))

    return encode


def _model2vec(name: str) -> Encode:
    try:
        from model2vec import StaticModel
    except ImportError as error:
        raise InputError("this needs the package 'model2vec': pip install model2vec") from error
    model: Any = StaticModel.from_pretrained(name)
    return lambda texts: np.asarray(model.encode(list(texts)), np.float32)


def _sentence_transformers(name: str) -> Encode:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise InputError("this needs the package 'sentence-transformers': pip install sentence-transformers") from error
    model: Any = SentenceTransformer(name)
    return lambda texts: np.asarray(model.encode(list(texts), show_progress_bar=False), np.float32)


_LOADERS: dict[str, Callable[[str], Encode]] = {
    "wordllama": _wordllama,
    "model2vec": _model2vec,
    "sentence-transformers": _sentence_transformers,
}
