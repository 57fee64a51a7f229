"""Assign the labels of a model to documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.corpus.lookup import SortedNames, Strings
from priorwise.corpus.storage.columns import string_column
from priorwise.corpus.storage.manifest import this_tokenizer
from priorwise.errors import InputError, MissingExtra, NotEnoughData
from priorwise.features.recipe import term_frequency
from priorwise.features.vectors import encode_texts
from priorwise.kernels import Floats, Ints
from priorwise.models.linear_model import LinearModel
from priorwise.models.naive_bayes.class_scores import score_documents
from priorwise.models.naive_bayes.terrain import length_divisor
from priorwise.models.weights import label_scores, log_probabilities
from priorwise.ranking.evidence import further_scores, reads_vectors


def best_labels(scores: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """The columns of the k largest scores of each row, largest first, a tie to the first of them."""
    n, width = scores.shape
    k = min(k, width)
    if k == 1:
        return np.argmax(scores, axis=1)[:, np.newaxis]
    last = np.partition(scores, width - k, axis=1)[:, width - k, np.newaxis]
    rows, columns = np.nonzero(scores >= last)
    order = np.lexsort((columns, -scores[rows, columns], rows))
    first = np.searchsorted(rows, np.arange(n))
    # A row has more than k candidates when the k-th is tied, and those beyond come last.
    return columns[order][first[:, np.newaxis] + np.arange(k)]


SCORES_AT_A_TIME = 1 << 22


@dataclass(frozen=True)
class Bags:
    """Documents as a model reads them.

    `X` (shape (n_documents, n_tokens)): the tokens that the model knows, as its features. `known`, `unknown`: how
    many words of each document, repeats included, the model knows and does not. `length`: how many distinct words
    each document has. `further`: what further features of each document, such as its other labels, add to the
    score.
    """

    X: Any
    known: Ints
    unknown: Ints
    length: Ints
    further: Floats


@dataclass(frozen=True)
class Decisions:
    """What a model says of some documents.

    `scores`, `log_probability` (shape (n_documents, n_labels)): of each label. `decided` (shape (n_documents,
    n_labels)): the one best label of each document, a tie to the first; or every label with a probability above ½.
    """

    scores: Floats
    log_probability: Floats
    decided: NDArray[np.bool_]

    def best(self, k: int) -> Ints:
        """The k best labels of each document, best first, a tie to the first of them."""
        return best_labels(self.scores, k)


class Classifier:
    """A model at work on texts and corpora.

    ``without_vectors`` counts the documents whose vectors the model would have used, and that had none: their scores
    come from their words alone.
    """

    def __init__(self, model: LinearModel) -> None:
        if not model.has_probabilities:
            raise NotEnoughData(
                "this model started without members, so its scores say nothing about probabilities: judge some "
                "candidates first, and discover again with their verdicts"
            )
        self.model = model
        self.without_vectors = 0
        self._names = SortedNames(Strings([model.tokens]), None)

    @property
    def documents_at_a_time(self) -> int:
        """How many documents to judge at once, so that their scores stay small however many labels there are."""
        return max(64, min(1 << 14, SCORES_AT_A_TIME // len(self.model.labels)))

    def read(self, texts: Iterable[str]) -> Bags:
        """Cut texts into tokens, by the rule that cut the training texts."""
        from priorwise.text.tokens import count_texts, rule_of

        rule = rule_of(self.model.tokenizer)
        check_tokenizer(self.model, this_tokenizer(rule), "texts are cut here")
        texts = list(texts)
        counted = count_texts(texts, rule)
        columns = self._names.find_many(string_column(counted.name_offsets, counted.names).to_pylist())
        bags = self._bags(counted.offsets, counted.tokens, counted.counts, columns)
        if self.model.vectors is None:
            return bags
        if self._encode is None:
            self.without_vectors += len(texts)
            return bags
        return replace(bags, further=self.model.vectors.adds(encode_texts(self._encode, texts)))

    @cached_property
    def _encode(self) -> Any | None:
        """The encoder of the model's vectors; None if it is not known, or not on this machine."""
        from priorwise.text.encoders import load_encoder

        if self.model.vectors is None or self.model.vectors.encoder is None:
            return None
        try:
            return load_encoder(self.model.vectors.encoder)
        except (InputError, MissingExtra):
            return None

    def read_corpus(self, corpus: Corpus, rows: Ints) -> Iterator[tuple[Ints, Bags]]:
        """Documents of a corpus, some at a time, with their numbers."""
        check_tokenizer(self.model, corpus.tokenizer, f"{corpus.path or 'the corpus'} was cut")
        columns = self._names.find_many(corpus.token_names(np.arange(corpus.n_vocabulary)))
        if self.model.vectors is not None and not reads_vectors(self.model, corpus):
            self.without_vectors += len(rows)
        for start in range(0, len(rows), self.documents_at_a_time):
            part = rows[start : start + self.documents_at_a_time]
            bags = self._bags(*corpus.take_counts(part), columns)
            yield part, replace(bags, further=further_scores(self.model, corpus, part))

    def _bags(self, starts: Any, tokens: Any, counts: Any, columns: Ints) -> Bags:
        from scipy.sparse import csr_matrix

        found = columns[tokens]
        is_known = found >= 0
        document = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        known, every = (
            np.bincount(document[part], counts[part], len(starts) - 1).astype(np.int64)
            for part in (is_known, slice(None))
        )
        numbers = counts[is_known].astype(np.float64) if self.model.features == "counts" else np.ones(is_known.sum())
        kept = np.concatenate([[0], np.cumsum(is_known)])[starts]
        X = csr_matrix((numbers, found[is_known], kept), shape=(len(starts) - 1, len(self.model.tokens)))
        recipe = self.model.recipe
        if recipe is not None:
            beyond: Floats | None = None
            if recipe.unknown is not None:
                amounts = term_frequency(counts[~is_known].astype(np.float64), recipe.frequency) * recipe.unknown
                beyond = np.bincount(document[~is_known], amounts**2, len(starts) - 1).astype(np.float64)
            X = recipe.apply(X, beyond)
        return Bags(X, known, every - known, np.diff(starts), np.zeros(len(starts) - 1))

    def judge(self, bags: Bags) -> Decisions:
        """Score documents, and decide."""
        model = self.model
        scores = score_documents(model.weights, bags.X) + bags.further[:, None]
        if model.length_power:
            scores = scores / length_divisor(bags.length, model.length_power)[:, None]
        if model.calibration is not None:
            scores = model.calibration.log_odds(scores)
        scores = label_scores(scores, len(model.labels))
        if model.multilabel:
            decided = scores > 0
        else:
            decided = np.zeros(scores.shape, dtype=bool)
            decided[np.arange(len(scores)), np.argmax(scores, axis=1)] = True
        return Decisions(scores, log_probabilities(scores, model.link, multilabel=model.multilabel), decided)

    def evidence(self, bags: Bags, row: int, label: int, count: int | None) -> list[tuple[str, float]]:
        """The tokens of a document that speak loudest for or against a label, and what each adds.

        Where a label is told from all other documents, that is its part of the log odds; among several classes, how
        much more it adds to this class than to all classes on average.
        """
        X = bags.X
        own = slice(X.indptr[row], X.indptr[row + 1])
        columns = X.indices[own]
        adds = X.data[own] * self._weights_of(columns, label) * self._steepness(bags, row)
        order = np.lexsort((columns, -np.abs(adds)))[:count]
        return [(self.model.tokens[int(columns[i])].as_py(), float(adds[i])) for i in order]

    def start(self, bags: Bags, row: int, label: int) -> float:
        """What a document starts from before its tokens are read, in the same terms as the evidence: they add up.

        Its further features, such as its other labels, are part of the start.
        """
        line = self.model.calibration
        start = (self._bias(label) + float(bags.further[row])) * self._steepness(bags, row)
        return start if line is None else start + line.intercept

    def _steepness(self, bags: Bags, row: int) -> float:
        """What a unit of the sum of weights adds to the log odds of a document."""
        slope = 1.0 if self.model.calibration is None else self.model.calibration.slope
        return slope / float(length_divisor(bags.length[row : row + 1], self.model.length_power)[0])

    def _bias(self, label: int) -> float:
        bias = self.model.weights.bias
        if self.model.n_outputs == 1 and len(self.model.labels) == 2:
            return float(bias[0] if label == 1 else -bias[0])
        return float(bias[label] if self.model.multilabel else bias[label] - bias.mean())

    def _weights_of(self, columns: Any, label: int) -> Floats:
        weights, background = self.model.weights, self.model.weights.background
        assert background is not None
        one_for_two = self.model.n_outputs == 1 and len(self.model.labels) == 2
        output = 0 if one_for_two else label
        part = weights.values[:, columns]
        own = part.indices == output
        found: Floats = background.values[output, background.group[columns]]
        found[np.repeat(np.arange(len(columns)), np.diff(part.indptr))[own]] += part.data[own]
        if one_for_two:
            return found if label == 1 else -found
        return found if self.model.multilabel else found - self._mean_weight[columns]

    @cached_property
    def _mean_weight(self) -> Floats:
        """What each token adds to all classes on average."""
        weights, background = self.model.weights, self.model.weights.background
        assert background is not None
        mean: Floats = np.asarray(weights.values.sum(axis=0)).ravel() / self.model.n_outputs
        return mean + background.values.mean(axis=0)[background.group]


def check_tokenizer(model: LinearModel, rule: dict[str, Any] | None, what: str) -> None:
    """Refuse words that were not cut as those of the training texts were; what came before the cut does not matter."""

    def cut(tokenizer: dict[str, Any] | None) -> tuple[Any, Any] | None:
        return None if tokenizer is None else (tokenizer.get("rule"), tokenizer.get("unicode"))

    if cut(model.tokenizer) == cut(rule):
        return
    if model.tokenizer is None:
        raise InputError(f"the model was trained on words that were counted elsewhere, and {what} by a rule of our own")

    def name_rule(tokenizer: dict[str, Any] | None) -> str:
        by = cut(tokenizer)
        return "elsewhere" if by is None else f"by rule {by[0]} with Unicode {by[1]}"

    raise InputError(
        f"{what} into words {name_rule(rule)}, and the model's texts were {name_rule(model.tokenizer)}; "
        "ingest and train again"
    )


def is_corpus(path: Path) -> bool:
    """Whether a path looks like a corpus folder."""
    return (path / "manifest.json").is_file()


def classified(
    classifier: Classifier, names: Sequence[tuple[str, str]], bags: Bags, top: int | None = None, evidence: int = 0
) -> Iterator[dict[str, Any]]:
    """Yield what is said of each document: the labels decided, and of `top` labels how probable they are.

    `top`: how many labels to tell of each, the most probable first, in addition to those decided. `evidence`: how many
    words to tell for each label.
    """
    model = classifier.model
    verdict = classifier.judge(bags)
    shown = verdict.best(top) if top is not None else None
    for row, (identity, title) in enumerate(names):
        probability = np.exp(verdict.log_probability[row])
        decided = np.flatnonzero(verdict.decided[row])
        decided = decided[np.argsort(-verdict.scores[row, decided], kind="stable")]

        def entry(label: int, row: int = row, probability: Any = probability) -> dict[str, Any]:
            found = {"label": model.labels[label], "probability": float(probability[label])}
            if evidence:
                found["evidence"] = [
                    {"token": token, "weight": weight}
                    for token, weight in classifier.evidence(bags, row, label, evidence)
                ]
            return found

        record: dict[str, Any] = {"id": identity} if title == identity else {"id": identity, "title": title}
        if model.multilabel:
            record["labels"] = [entry(label) for label in decided.tolist()]
        else:
            record.update(entry(int(decided[0])))
        if shown is not None:
            record["top"] = [entry(label) for label in shown[row].tolist()]
        yield {**record, "known_words": int(bags.known[row]), "unknown_words": int(bags.unknown[row])}
