"""Loops that write where a number from outside leads stay within their arrays; scripts/check-bounds tries them all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from priorwise.corpus._kernels import first_wrong_row
from priorwise.models.naive_bayes._kernels.class_counts import add_up_pairs, add_up_tokens, count_classes_per_token

WRONG = [3, 4, 10**6, 2**31 - 1, -1, -(2**31)]
STARTS = np.array([0, 2], np.int64)
ONE = np.array([0, 1], np.int64)


@pytest.mark.parametrize("wrong", WRONG)
def test_a_token_beyond_the_table_is_refused_by_the_loop_itself(wrong: int) -> None:
    tokens, amounts, weights = np.array([1, wrong], np.int32), np.ones(2), np.ones(1)
    totals, starts = np.zeros(3), np.zeros(4, np.int64)
    with pytest.raises(IndexError, match="no place in the table"):
        add_up_tokens(STARTS, tokens, amounts, weights, totals)
    with pytest.raises(IndexError, match="no place in the table"):
        count_classes_per_token(STARTS, tokens, ONE, np.zeros(1, np.int64), starts)
    with pytest.raises(IndexError, match="no place in the table"):
        add_up_pairs(
            STARTS,
            tokens,
            amounts,
            ONE,
            np.zeros(1, np.int64),
            weights,
            np.array([0, 1, 2, 2], np.int64),
            np.zeros(2, np.int32),
            np.zeros(2),
        )


@pytest.mark.parametrize(("values", "row"), [([0, 1, 2], -1), ([0, 2, 1], 1), ([0, 1, 3], 1), ([1, 0, 1], -1)])
def test_the_first_wrong_row_is_found(values: list[int], row: int) -> None:
    counts = np.zeros(3, np.uint32)
    assert first_wrong_row(np.array([0, 1, 3], np.int32), np.array(values, np.uint32), counts) == row


CHECKED = """
import numpy as np, pytest
from scipy.sparse import csr_matrix
import priorwise as pw
from priorwise.corpus import Corpus
from priorwise.kernels.scoring import score_documents

# That bounds are checked at all.
with pytest.raises(IndexError):
    score_documents(np.array([0, 1]), np.array([5], np.uint32), np.zeros(3), 0.0, np.zeros(1))

rng = np.random.default_rng(0)
X, y = csr_matrix(rng.poisson(0.5, (30, 20)).astype(float)), np.arange(30) % 3
pw.MultinomialNB().fit(X, y).predict_proba(X)
corpus = Corpus.from_texts(["tea milk", "tea cup", "cow hay"], labels=["a", "a", "b"])
corpus.verify()
print("within bounds")
"""


@pytest.mark.slow
def test_loops_with_checked_bounds(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", CHECKED]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.stdout == "within bounds\n", ended.stderr
