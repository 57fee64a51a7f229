"""The fitted model of a run, in one file that needs no corpus and no pickle."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.errors import BrokenFile
from priorwise.models.presence_counts import PresenceCounts
from priorwise.models.weights import Weights
from priorwise.priors import PseudoCounts
from priorwise.ranking.calibrate import Calibration
from priorwise.ranking.evidence import Explanation, TokenEvidence, evidence_lines, split_weights
from priorwise.ranking.scorer import Scorer

FORMAT = 2
"""Format 1 knew no centre but the uniform one."""


@dataclass(frozen=True)
class PresenceModel:
    """Counts and a prior, by token: everything that a presence model is.

    Parameters
    ----------
    tokens : sequence of str
        The model's vocabulary.
    counts : PresenceCounts
        In how many members and others, and in how many documents of the collection, each of them occurs.
    prior : PseudoCounts
        The strengths and the centre.
    length_power : float
        The power of a document's number of tokens that its score is divided by.
    calibration : Calibration
        From scores to probabilities.
    """

    tokens: Sequence[str]
    counts: PresenceCounts
    prior: PseudoCounts
    length_power: float
    calibration: Calibration

    def scorer(self, corpus: Corpus) -> Scorer:
        """Lay the model over a corpus's vocabulary."""
        return self._scorer(corpus.token_ids(self.tokens), self.counts.weights(self.prior))

    def scorer_for(self, features: NDArray[np.int64]) -> Scorer:
        """Lay the model over a vocabulary in which its tokens are known to be `features`."""
        return self._scorer(features, self.counts.weights(self.prior))

    def _scorer(self, ids: NDArray[np.int64], own: Weights) -> Scorer:
        found = np.flatnonzero(ids >= 0)
        order = found[np.argsort(ids[found])]
        return Scorer(Weights(ids[order], own.values[:, order], own.bias), self.length_power)

    def explain(self, corpus: Corpus, row: int) -> Explanation:
        """Take a document's score apart."""
        _, token_ids = corpus.take(np.array([row]))
        names = corpus.token_names(token_ids)
        place = {token: i for i, token in enumerate(self.tokens)}
        data, prior = split_weights(self.counts, self.prior)
        known = [
            TokenEvidence(name, self.counts.positive[i], self.counts.negative[i], data[i], prior[i])
            for name in names
            if (i := place.get(name)) is not None
        ]
        known.sort(key=lambda token: (-abs(token.weight), token.token))
        sizes = float(np.log(self.counts.n_positive / self.counts.n_negative))
        bias = float(self.counts.weights(self.prior).bias[0])
        start = TokenEvidence("", self.counts.n_positive, self.counts.n_negative, sizes, bias - sizes)
        return Explanation(
            corpus.ids([row])[0],
            corpus.titles([row])[0],
            start,
            known,
            [name for name in names if name not in place],
            max(1, len(names)) ** self.length_power,
            self.counts.n_positive,
            self.counts.n_negative,
        )

    def evidence(self, corpus: Corpus, rows: NDArray[np.int64], features: NDArray[np.int64]) -> list[str]:
        """The strongest tokens of each document, as a line of text; `features` as in `scorer_for`."""
        return evidence_lines(corpus, rows, self.scorer_for(features).table(corpus.n_vocabulary))

    def save(self, path: Path) -> None:
        """Write one Parquet file: a row per token, the rest in its metadata."""
        weights = self.counts.weights(self.prior)
        metadata = {
            "format": FORMAT,
            "model": "presence",
            "n_positive": float(self.counts.n_positive),
            "n_negative": float(self.counts.n_negative),
            "n_collection": self.counts.n_collection,
            "centre": self.prior.centre,
            "lambda_negative": self.prior.negative,
            "lambda_positive": self.prior.positive,
            "length_power": self.length_power,
            "bias": float(weights.bias[0]),
            "calibration": {"slope": self.calibration.slope, "intercept": self.calibration.intercept},
        }
        counted = {"positive": self.counts.positive, "negative": self.counts.negative}
        if self.counts.collection is not None:
            counted["collection"] = self.counts.collection
        table = pa.table(
            {"token": pa.array(self.tokens, pa.string()), **counted, "weight": weights.values[0]}
        ).replace_schema_metadata({"priorwise": json.dumps(metadata)})
        pq.write_table(table, path, compression="zstd")

    @classmethod
    def load(cls, path: Path) -> PresenceModel:
        """Read what `save` wrote."""
        try:
            table = pq.read_table(path)
            metadata = json.loads(table.schema.metadata[b"priorwise"])
            if metadata["format"] > FORMAT or metadata["model"] != "presence":
                raise BrokenFile(path, "written by a newer priorwise; update this one to read it")
            counts = PresenceCounts(
                table["positive"].to_numpy(),
                table["negative"].to_numpy(),
                float(metadata["n_positive"]),
                float(metadata["n_negative"]),
                table["collection"].to_numpy() if "collection" in table.column_names else None,
                metadata.get("n_collection"),
            )
            prior = PseudoCounts(
                float(metadata["lambda_negative"]),
                float(metadata["lambda_positive"]),
                centre=metadata["centre"] if metadata["format"] > 1 else "uniform",
            )
            return cls(
                table["token"].to_pylist(),
                counts,
                prior,
                float(metadata["length_power"]),
                Calibration(float(metadata["calibration"]["slope"]), float(metadata["calibration"]["intercept"])),
            )
        except BrokenFile:
            raise
        except (pa.ArrowException, KeyError, TypeError, ValueError, OSError) as error:
            raise BrokenFile(path, f"not a priorwise model ({error})") from error
