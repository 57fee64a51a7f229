"""Text classification in which the prior is the thing you choose, learn, look at and reuse.

>>> import priorwise as pw
>>> pw.PseudoCounts(negative=22, positive=4)
PseudoCounts(negative=22, positive=4)

Names are imported when they are first used, so that ``import priorwise`` and the command line start at once.
"""

from importlib import import_module
from pathlib import Path

from priorwise.version import __version__ as __version__

_STUB = Path(__file__).with_suffix(".pyi").read_text("utf-8")
_IMPORTS = [line.split() for line in _STUB.splitlines() if line.startswith("from ")]
_HOME = {name: module for _, module, _, name, *_ in _IMPORTS if name != "__version__"}
"""Every public name with the module that has it."""

__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'priorwise' has no attribute '{name}'")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
