"""How a function is compiled that only kernels call."""

from __future__ import annotations

from numba import njit

helper = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""Leaves out the ways in from Python, which take long to compile."""
