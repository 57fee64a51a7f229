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
    totals, starts, none = np.zeros(3), np.zeros(4, np.int64), np.full(3, -1, np.int32)
    with pytest.raises(IndexError, match="no place in the table"):
        add_up_tokens(STARTS, tokens, amounts, weights, totals)
    with pytest.raises(IndexError, match="no place in the table"):
        count_classes_per_token(STARTS, tokens, ONE, np.zeros(1, np.int64), none.copy(), starts)
    with pytest.raises(IndexError, match="no place in the table"):
        add_up_pairs(
            STARTS,
            tokens,
            amounts,
            ONE,
            np.zeros(1, np.int64),
            weights,
            none,
            np.array([-1, 0, 1], np.int64),
            np.zeros(2, np.int32),
            np.zeros(2),
        )


@pytest.mark.parametrize(("values", "row"), [([0, 1, 2], -1), ([0, 2, 1], 1), ([0, 1, 3], 1), ([1, 0, 1], -1)])
def test_the_first_wrong_row_is_found(values: list[int], row: int) -> None:
    counts = np.zeros(3, np.uint32)
    assert first_wrong_row(np.array([0, 1, 3], np.int32), np.array(values, np.uint32), counts) == row


NOT_RUN = {
    *("add_staircases", "descend_sparse", "keep_best_bounds", "rehash"),
    *("score_documents_many", "score_vectors", "solve_semidefinite"),
}
"""Loops that small inputs do not reach; scripts/check-bounds compiles those with checks, too."""


@pytest.mark.slow
def test_loops_stay_within_their_arrays() -> None:
    """All others run interpreted, where numpy checks each access."""
    command = [sys.executable, Path(__file__).with_name("interpreted_kernels.py")]
    interpreted = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    ended = subprocess.run(command, env=interpreted, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert set(ended.stdout.split()) == NOT_RUN
