"""Python in processes of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src"

Shell = Callable[..., "subprocess.CompletedProcess[str]"]
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """This source, and nothing of the terminal that runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    cache = {name: value for name, value in os.environ.items() if name.startswith("NUMBA_")}
    return {**kept, **cache, "PYTHONPATH": str(SOURCE), "PYTHONWARNINGS": "error::EncodingWarning"}


@pytest.fixture
def shell(environment: dict[str, str]) -> Shell:
    """Call Python, bound to something if need be, and wait for its end."""

    def call(
        *arguments: object, cwd: Path | None = None, bind: Callable[[], None] | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            env={**environment, **variables},
            cwd=cwd,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
            preexec_fn=bind,
        )

    return call


@pytest.fixture
def start(environment: dict[str, str]) -> Start:
    """Call Python, and go on."""

    def call(*arguments: object, cwd: Path | None = None) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            env=environment,
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    return call
