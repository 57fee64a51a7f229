"""The documents' vectors: made from their texts by an encoder, and read as a group of features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.errors import InputError
from priorwise.kernels import Floats, Rows
from priorwise.readers.document import Document
from priorwise.text.encoders import load_encoder

LONGEST = 4000
"""How many characters of a text an encoder reads; most read fewer words than that."""

AT_A_TIME = 1024
"""How many texts an encoder is given at once."""


def embed(
    corpus: Corpus,
    encoder: str,
    *,
    download: bool = False,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Give every document of a corpus a vector, made from its title and text by an encoder.

    Parameters
    ----------
    corpus : Corpus
        The documents; it must keep their texts.
    encoder : str
        ``wordllama``, ``model2vec:NAME`` or ``sentence-transformers:NAME``; each is an optional package.
    download : bool
        Whether a model that is not on this machine may be downloaded.
    overwrite : bool
        Replace vectors that are there already.
    progress : function, optional
        Told how many documents are done, and how many there are.

    Examples
    --------
    >>> from priorwise import Corpus
    >>> corpus = Corpus.from_texts(["a ship at sea", "a song"])
    >>> embed(corpus, "wordlamb")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
        ...
    priorwise.errors.InputError: no encoder 'wordlamb'; there are wordllama, model2vec:NAME and …
    """
    if not corpus.keeps_text:
        raise InputError("the corpus keeps no texts to make vectors of; ingest it again with --keep-text whole")
    if corpus.vectors is not None and not overwrite:
        raise InputError("the corpus has vectors already; --overwrite replaces them (in Python, overwrite=True)")
    encode = load_encoder(encoder, download=download)
    parts = []
    for begin in range(0, corpus.n_documents, AT_A_TIME):
        rows = list(range(begin, min(begin + AT_A_TIME, corpus.n_documents)))
        named = zip(rows, corpus.ids(rows), corpus.titles(rows), strict=True)
        texts = [Document(id, title, corpus.text(row) or "", title_words=title != id) for row, id, title in named]
        parts.append(encode_texts(encode, [text.counted for text in texts]).astype(np.float16))
        if progress is not None:
            progress(begin + len(rows), corpus.n_documents)
    corpus.add_vectors(np.concatenate(parts), encoder, overwrite=overwrite)


def encode_texts(encode: Any, texts: Sequence[str]) -> NDArray[np.float32]:
    """Vectors of some texts, each of length 1, or 0 where the encoder knows nothing of a text."""
    vectors = np.asarray(encode([text[:LONGEST] for text in texts]), np.float32)
    lengths = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    return vectors / np.maximum(lengths, 1e-12)


@dataclass(frozen=True)
class VectorFeatures:
    """How vectors become features: without what all documents have in common, at the scale of a document's words.

    `centre` (shape (n_dimensions,)): the mean vector of the corpus. `scale`: what the rest is multiplied by, so
    that documents are as long in vectors as they are in words, on average.
    """

    centre: Floats
    scale: float

    @classmethod
    def of(cls, corpus: Corpus) -> VectorFeatures | None:
        """Read the mean of a corpus's vectors; None if it has no vectors."""
        if corpus.vectors is None:
            return None
        centre = corpus.vectors.mean().astype(np.float64)
        # Vectors have length 1, so what is left of their squares is 1 less the square of their mean.
        return cls(centre, float(1.0 / np.sqrt(max(1.0 - float(centre @ centre), 1e-6))))

    def __len__(self) -> int:
        return len(self.centre)

    def columns(self, corpus: Corpus, rows: Rows) -> Any:
        """Return a matrix with a row per document and a column per dimension; 0 for a document without a vector."""
        from scipy.sparse import csr_matrix

        assert corpus.vectors is not None
        vectors = corpus.vectors.take(rows).astype(np.float64)
        vectors[vectors.any(axis=1)] -= self.centre
        n, d = vectors.shape
        indices = np.tile(np.arange(d, dtype=np.int32), n)
        return csr_matrix((self.scale * vectors.ravel(), indices, np.arange(0, n * d + 1, d)), shape=(n, d))
