"""How kernels are compiled, and what is said meanwhile."""

from __future__ import annotations

from typing import Any

from numba import config, njit
from numba.core import event
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.types.misc import unliteral

from priorwise.kept_code import announce


class _Part(JITCodeLibrary):
    """The code of a helper, left as it is until a kernel takes it in: optimised and made machine code there only.

    Numba would do both for each helper, and again for everything that calls it. No helper raises an exception, so none
    needs the address at which Numba keeps what its messages are made of.
    """

    @property
    def codegen(self) -> _Part:
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Nothing: there is no machine code in which to enter it."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Nothing yet."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class _PartCompiler(CompilerBase):
    def define_pipelines(self) -> list[Any]:
        self.state.library = _Part(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return [DefaultPassBuilder.define_nopython_pipeline(self.state)]


kernel = njit(cache=True, nogil=True)
"""Compiles a function that Python calls, when it is first called, and keeps the code."""

_part = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=_PartCompiler)


def helper(function: Any) -> Any:
    """Prepare a function that only kernels call. It becomes part of their code and is not kept on its own.

    A call with a constant is one with a number: Numba would prepare the function once for each constant.
    """
    part = _part(function)
    if config.DISABLE_JIT:
        return part
    template_of = part.get_call_template
    part.get_call_template = lambda given, named: template_of([unliteral(each) for each in given], named)
    return part


class _Announcer(event.Listener):
    def on_start(self, event: event.Event) -> None:
        announce()

    def on_end(self, event: event.Event) -> None:
        """Nothing: one line is enough."""


event.register("numba:compile", _Announcer())
