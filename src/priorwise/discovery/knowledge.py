"""What somebody knows of a category before any document is read: keywords, a description, an earlier model."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from priorwise.corpus import Corpus
from priorwise.counting import counted
from priorwise.discovery.category import Category, rows_there
from priorwise.errors import InputError, UnknownName
from priorwise.features.document_vectors import rarity, text_vector
from priorwise.kernels import Floats, Rows
from priorwise.models.linear_model import LinearModel
from priorwise.priors.keywords import CONTRADICTION, Keywords
from priorwise.ranking.classifier import check_tokenizer
from priorwise.text.tokens import tokens


@dataclass(frozen=True)
class WordsByHand:
    """Keywords, looked up in a corpus."""

    weights: Floats
    ignored: Rows

    @classmethod
    def of(cls, corpus: Corpus, keywords: Keywords) -> WordsByHand:
        """Look up keywords; a word that no document has is refused, with the nearest that some have."""
        weights = np.zeros(corpus.n_vocabulary)
        ignored: list[int] = []
        for word, weight in keywords.items():
            for name in _words_of(corpus, word):
                token = corpus.token_id(name)
                if token is None and weight:
                    raise _unknown(corpus, name)
                if token is None:
                    continue
                if weights[token] * weight < 0 or (weights[token] and not weight) or (weight and token in ignored):
                    raise InputError(f"the keyword '{name}' {CONTRADICTION}")
                weights[token] += weight
                ignored += [token] * (not weight)
        return cls(weights, np.unique(np.array(ignored, np.int64)))


def _words_of(corpus: Corpus, keyword: str) -> Iterable[str]:
    """The words of a keyword or a phrase, as documents are cut into words."""
    if corpus.token_id(keyword) is not None:
        return [keyword]
    found = tokens(re.sub(r"[\W_]+", " ", keyword))
    if not found:
        raise InputError(f"the keyword '{keyword}' has no letter or digit: leave it out")
    return found


def _unknown(corpus: Corpus, word: str) -> UnknownName:
    names = corpus.token_names(np.arange(corpus.n_vocabulary))
    near = [name for name in names if name[:1] == word[:1] and abs(len(name) - len(word)) <= 2]
    return UnknownName("document has the word", word, near)


@dataclass(frozen=True)
class Knowledge:
    """What somebody knows of a category."""

    words: Keywords = field(default_factory=Keywords)
    description: str | None = None
    earlier: LinearModel | None = None

    @property
    def can_start(self) -> bool:
        """Whether it says enough to rank without members."""
        return any(self.words.values()) or bool((self.description or "").strip()) or self.earlier is not None

    def learned_before(self, category: Category) -> Rows:
        """The members of a category that the earlier model learned from.

        A model that does not name them learned from all, if it is of the same corpus and label, and else from none.
        """
        if self.earlier is None:
            return np.empty(0, np.int64)
        named, corpus = self.earlier.about.get("members"), self.earlier.about.get("corpus", {})
        if named is not None:
            return np.intersect1d(rows_there(category.corpus, named), category.members)
        same = corpus.get("checksum") == category.corpus.checksum and category.label in self.earlier.labels
        return category.members if same else np.empty(0, np.int64)

    def new_to(self, category: Category) -> Knowledge:
        """The same without an earlier model that learned from all members, or all but one: it says nothing new."""
        n_new = len(category.members) - len(self.learned_before(category))
        return replace(self, earlier=None) if category.can_leave_out and n_new < 2 else self

    @property
    def source(self) -> str | None:
        """Where the earlier model comes from, in words."""
        if self.earlier is None:
            return None
        documents = self.earlier.about.get("corpus", {}).get("documents")
        return f"an earlier model {self._labels}" + (f", learned from {documents:,} documents" if documents else "")

    @property
    def _labels(self) -> str:
        assert self.earlier is not None
        labels = self.earlier.labels
        if self.earlier.about.get("unnamed"):
            return "without a category"
        return f"of '{labels[0]}'" if len(labels) == 1 else f"of {counted(len(labels), 'label')}"

    def name(self, label: str | None) -> str | None:
        """The category's name, which may count as one more member; not if the description is empty."""
        return None if self.description == "" else label

    def starting(self, label: str | None) -> Knowledge:
        """What is known before members can be left out: the category's name, too, if there is no description."""
        return replace(self, description=self.description or self.name(label))

    def ignored(self, corpus: Corpus) -> Rows:
        return WordsByHand.of(corpus, self.words).ignored

    def row(self, corpus: Corpus, label: str | None) -> Floats:
        """What counts for the category, or against it: a number per word of a corpus.

        Keywords, the description and the earlier model each have length 1, and are added.
        """
        row = of_words(corpus, WordsByHand.of(corpus, self.words))
        if self.description:
            row = row + text_vector(corpus, self.description).toarray().ravel()
        if self.earlier is not None:
            row = row + of_model(corpus, self.earlier, label)
        row[self.ignored(corpus)] = 0.0
        return row

    def check(self, corpus: Corpus, label: str | None) -> None:
        """Raise `InputError` if it says nothing about the documents of a corpus, or contradicts itself."""
        if self.can_start and not self.row(corpus, label).any():
            raise InputError("no document has a word of the description; is it in the documents' language?")


def of_words(corpus: Corpus, found: WordsByHand) -> Floats:
    """Keywords as a number per word of the corpus: their weights times how rare the words are, of length 1."""
    return _unit(found.weights * rarity(corpus))


def of_model(corpus: Corpus, model: LinearModel, label: str | None) -> Floats:
    """The weights of an earlier model as a number per word of the corpus, of length 1.

    A model of several labels must have this one. Words that the corpus lacks are left out. A model whose texts were cut
    into words by another rule is refused.
    """
    check_tokenizer(model, corpus.tokenizer, f"{corpus.path or 'the corpus'} was cut")
    weights = _output(model, label)
    if model.recipe is not None and model.recipe.factors is not None:
        weights = weights * model.recipe.factors
    ids = corpus.token_ids(model.tokens.to_pylist())
    row = np.zeros(corpus.n_vocabulary)
    row[ids[ids >= 0]] = weights[ids >= 0]
    row /= rarity(corpus)
    if not row.any():
        raise InputError("the corpus has no word with a weight in the earlier model: is it about another language?")
    return _unit(row)


def _output(model: LinearModel, label: str | None) -> Floats:
    """The weights of the output that says how well a document fits a label."""
    if len(model.labels) == 1:
        return model.weights.row(0)
    if label is None or label not in model.labels:
        raise UnknownName("label of the earlier model", str(label), model.labels, complete=True)
    place = list(model.labels).index(label)
    if model.n_outputs == 1:
        return model.weights.row(0) * (1.0 if place else -1.0)
    if model.multilabel:
        return model.weights.row(place)
    return model.weights.row(place) - np.mean([model.weights.row(each) for each in range(model.n_outputs)], axis=0)


def _unit(row: Floats) -> Floats:
    return row / max(float(np.linalg.norm(row)), 1e-300)
