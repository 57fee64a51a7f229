"""Texts to words as the papers read them: without stop words, and stemmed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from priorwise.errors import BrokenFile, InputError, MissingExtra
from priorwise.readers.opening import small_text
from priorwise.text.tokens import tokens

LARGEST_LIST = 1 << 24
"""Bytes of the longest file that is taken for a stop list."""


class Words(TransformerMixin, BaseEstimator):
    """Cut texts into words, leave out stop words, and stem what is left.

    It is a transformer of texts into texts, words with spaces between, and it is a function of one text as well::

        CountVectorizer(analyzer=Words("english", "porter"))

    so that `knowledge` reads texts as that vectorizer does.

    Parameters
    ----------
    stop_words : "english", path, or collection of str, optional
        Words to leave out, before stemming: scikit-learn's English list; a file of words, such as SMART's, separated by
        spaces or lines, in which what follows ``#`` is a remark; or the words themselves.
    stemmer : str or callable, optional
        ``"porter"`` or another algorithm of the package snowballstemmer (``"english"`` is Porter's second), or a
        function of a word. Stems are remembered: a word is stemmed once.

    Examples
    --------
    >>> Words("english", "porter").transform(["The harvests were relational!"]).tolist()
    ['harvest relat']
    >>> Words(stop_words={"the"})("The wheat, the corn")
    ['wheat', 'corn']
    """

    def __init__(
        self, stop_words: str | Path | Iterable[str] | None = None, stemmer: str | Callable[[str], str] | None = None
    ) -> None:
        self.stop_words = stop_words
        self.stemmer = stemmer

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Check the parameters; there is nothing to learn."""
        self._reader()
        return self

    def transform(self, X: Iterable[str]) -> Any:
        """Turn each text into its words, with spaces between."""
        if isinstance(X, str):
            raise InputError("give a list of texts, not one text")
        read = self._reader()
        return np.array([" ".join(read(text)) for text in X], dtype=object)

    def __call__(self, text: str) -> list[str]:
        """Give the words of one text."""
        return self._reader()(text)

    def _reader(self) -> Callable[[str], list[str]]:
        """The function of these parameters; made once, for it is asked for with every text."""
        made = self.__dict__.get("_made")
        if made is None or made[0] is not self.stop_words or made[1] is not self.stemmer:
            made = self._made = (self.stop_words, self.stemmer, self._make_reader())
        reader: Callable[[str], list[str]] = made[2]
        return reader

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_made"}

    def _make_reader(self) -> Callable[[str], list[str]]:
        stop = stop_list(self.stop_words)
        if self.stemmer is None:
            return lambda text: [word for word in tokens(text) if word not in stop]
        if callable(self.stemmer):
            stem = self.stemmer
            return lambda text: [stem(word) for word in tokens(text) if word not in stop]
        stems = stems_of(self.stemmer)
        return lambda text: [stems[word] for word in tokens(text) if word not in stop]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = False
        return tags


def stop_list(given: str | Path | Iterable[str] | None) -> frozenset[str]:
    """The words to leave out, cut as texts are: a list's *don't* is one word here.

    Examples
    --------
    >>> sorted(stop_list(["The", "of"]))
    ['of', 'the']
    """
    if given is None:
        return frozenset()
    if given == "english":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS)
    if isinstance(given, str | Path):
        return _of_file(Path(given))
    return frozenset(word for entry in given for word in tokens(entry))


def _of_file(path: Path) -> frozenset[str]:
    if not path.is_file():
        raise BrokenFile(path, "there is no such stop list; 'english' is scikit-learn's")
    text = small_text(path, LARGEST_LIST, "stop list")
    words = frozenset(word for line in text.splitlines() for word in tokens(line.split("#")[0]))
    if not words:
        raise BrokenFile(path, "a stop list without a word")
    return words


class Stems(dict[str, str]):
    """The stem of each word that was asked for; the stemmer's own state is kept to one thread at a time."""

    def __init__(self, algorithm: str) -> None:
        super().__init__()
        try:
            import snowballstemmer
        except ImportError:
            raise MissingExtra("snowballstemmer", "stemming") from None
        known = snowballstemmer.algorithms()
        if algorithm not in known:
            raise InputError(f"no stemmer '{algorithm}'; there are {', '.join(sorted(known))}")
        self._stemmer, self._lock = snowballstemmer.stemmer(algorithm), Lock()

    def __missing__(self, word: str) -> str:
        with self._lock:
            found = self[word] = str(self._stemmer.stemWord(word))
        return found


@cache
def stems_of(algorithm: str) -> Stems:
    """The stems of an algorithm, remembered for all who ask.

    Examples
    --------
    >>> stems_of("porter")["tonnes"]
    'tonn'
    """
    return Stems(algorithm)
