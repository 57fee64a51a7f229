"""The fitted regression of a run, in one file that needs no pickle."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.discovery.other_labels import LabelWeights
from priorwise.discovery.vectors import rarity
from priorwise.errors import BrokenFile
from priorwise.models.weights import Weights
from priorwise.ranking.calibrate import Calibration
from priorwise.ranking.evidence import strongest
from priorwise.ranking.vector_scorer import VectorScorer

FORMAT = 2
SHOWN = 5
"""How many tokens and labels a line of evidence names."""

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class WeighedToken:
    """What one token adds to a score: its weight, times what the document has of it.

    Parameters
    ----------
    token : str
        The token.
    times : int
        How often it is in the document.
    weight : float
        What the model gives for one unit of it.
    amount : float
        How much of the document it is: (1 + log times) · rarity / length.
    """

    token: str
    times: int
    weight: float
    amount: float

    @property
    def adds(self) -> float:
        """What it adds to the score."""
        return self.weight * self.amount


@dataclass(frozen=True)
class VectorExplanation:
    """A document's score, taken apart; tokens and labels add up to it.

    Parameters
    ----------
    id, title : str
        The document.
    tokens : list of WeighedToken
        The tokens that the model knows, the strongest first.
    unknown : list of str
        The tokens that it does not know; they only make the document longer.
    probability : float
        The chance of membership that the score stands for.
    labels : list of (str, float)
        The other labels that the document carries and the model knows, and what each adds, the strongest first.
    """

    id: str
    title: str
    tokens: list[WeighedToken]
    unknown: list[str]
    probability: float
    labels: list[tuple[str, float]] = field(default_factory=list)

    @property
    def score(self) -> float:
        """The score that the ranking orders by."""
        return sum(token.adds for token in self.tokens) + sum(adds for _, adds in self.labels)


@dataclass(frozen=True)
class MembershipModel:
    """A weight per token and per label, and what a score means.

    Parameters
    ----------
    tokens : sequence of str
        The tokens that have a weight.
    weights : array
        The weights.
    calibration : Calibration
        From scores to probabilities.
    labels : LabelWeights
        What other labels of a document add.
    """

    tokens: Sequence[str]
    weights: Floats
    calibration: Calibration
    labels: LabelWeights = field(default_factory=LabelWeights)

    def scorer(self, corpus: Corpus) -> VectorScorer:
        """Lay the model's tokens over a corpus's vocabulary."""
        ids = corpus.token_ids(self.tokens)
        found = np.flatnonzero(ids >= 0)
        order = found[np.argsort(ids[found])]
        return VectorScorer(Weights(ids[order], self.weights[order][None, :], np.zeros(1)), rarity(corpus))

    def explain(self, corpus: Corpus, row: int) -> VectorExplanation:
        """Take a document's score apart."""
        scorer = self.scorer(corpus)
        (tokens, counts, amounts, weights) = _amounts(corpus, row, scorer)
        names = corpus.token_names(tokens)
        known = [
            WeighedToken(name, int(count), float(weight), float(amount))
            for name, count, weight, amount in zip(names, counts, weights, amounts, strict=True)
            if weight != 0.0
        ]
        known.sort(key=lambda token: (-abs(token.adds), token.token))
        unknown = [name for name, weight in zip(names, weights, strict=True) if weight == 0.0]
        labels = self.labels.carried_by(corpus, row)
        score = sum(token.adds for token in known) + sum(adds for _, adds in labels)
        probability = float(self.calibration.probability(np.array([score]))[0])
        return VectorExplanation(corpus.ids([row])[0], corpus.titles([row])[0], known, unknown, probability, labels)

    def evidence(self, corpus: Corpus, rows: Rows) -> list[str]:
        """The strongest tokens and labels of each document, as a line of text: what each adds to the score."""
        scorer = self.scorer(corpus)
        lines = []
        for row in rows:
            tokens, _, amounts, weights = _amounts(corpus, int(row), scorer)
            adds = weights * amounts
            best = np.lexsort((tokens, -np.abs(adds)))[:SHOWN]
            best = best[adds[best] != 0.0]
            labels = self.labels.carried_by(corpus, int(row))
            names = corpus.token_names(tokens[best]) + [f"[{name}]" for name, _ in labels]
            lines.append(strongest(names, np.append(adds[best], [each for _, each in labels]), SHOWN))
        return lines

    def save(self, path: Path) -> None:
        """Write one Parquet file: a row per token and label, the rest in its metadata."""
        calibration = {"slope": self.calibration.slope, "intercept": self.calibration.intercept}
        metadata = {"format": FORMAT, "model": "membership", "calibration": calibration}
        kinds = ["token"] * len(self.tokens) + ["label"] * len(self.labels.names)
        table = pa.table(
            {
                "kind": pa.array(kinds, pa.string()).dictionary_encode(),
                "name": pa.array([*self.tokens, *self.labels.names], pa.string()),
                "weight": np.concatenate([self.weights, self.labels.adds]),
            }
        )
        pq.write_table(table.replace_schema_metadata({"priorwise": json.dumps(metadata)}), path, compression="zstd")

    @classmethod
    def load(cls, path: Path) -> MembershipModel:
        """Read what `save` wrote."""
        try:
            table = pq.read_table(path)
            metadata = json.loads(table.schema.metadata[b"priorwise"])
            if metadata["format"] != FORMAT or metadata["model"] != "membership":
                raise BrokenFile(path, "written by another version of priorwise; run discover again")
            calibration = Calibration(
                float(metadata["calibration"]["slope"]), float(metadata["calibration"]["intercept"])
            )
            names, weights = table["name"].to_pylist(), table["weight"].to_numpy()
            if {*map(type, names)} - {str} or weights.dtype != np.float64:
                raise BrokenFile(path, "a row of the model has no name, or a weight that is no number")
            cut = table["kind"].to_pylist().count("token")
            return cls(names[:cut], weights[:cut], calibration, LabelWeights(names[cut:], weights[cut:]))
        except BrokenFile:
            raise
        except (pa.ArrowException, KeyError, TypeError, ValueError, OSError) as error:
            raise BrokenFile(path, f"not a priorwise model ({error})") from error


def _amounts(
    corpus: Corpus, row: int, scorer: VectorScorer
) -> tuple[NDArray[np.uint32], NDArray[np.int64], Floats, Floats]:
    """A document's tokens, how often each occurs, how much of the document it is, and its weight or 0."""
    _, tokens, counts = corpus.take_counts(np.array([row]))
    amounts = (1.0 + np.log(counts.astype(np.float64))) * scorer.rarity[tokens]
    amounts = amounts / max(float(np.sqrt(amounts @ amounts)), 1e-300)
    place = np.searchsorted(scorer.weights.features, tokens)
    place = np.minimum(place, max(len(scorer.weights.features) - 1, 0))
    is_known = scorer.weights.features[place] == tokens if len(scorer.weights.features) else np.zeros(len(tokens), bool)
    weights = np.where(is_known, scorer.weights.values[0][place] if len(scorer.weights.features) else 0.0, 0.0)
    return tokens, counts.astype(np.int64), amounts, weights
