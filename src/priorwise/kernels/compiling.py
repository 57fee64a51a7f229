"""How kernels are compiled, and what is said meanwhile."""

from __future__ import annotations

from numba import njit
from numba.core import event

from priorwise.kept_code import announce

kernel = njit(cache=True, nogil=True)
"""Compiles a function that Python calls, when it is first called, and keeps the code."""

helper = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""Compiles a function that only kernels call: leaves out the ways in from Python, which take long to compile."""


class _Announcer(event.Listener):
    def on_start(self, event: event.Event) -> None:
        announce()

    def on_end(self, event: event.Event) -> None:
        """Nothing: one line is enough."""


event.register("numba:compile", _Announcer())
