"""A page of what was found: how to do it again, on what, and the tables."""

from __future__ import annotations

import importlib.metadata
import json
import platform
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from priorwise import __version__
from priorwise.durable import disk_errors_explained, write_bytes
from reproductions.experiment import Experiment, Findings
from reproductions.table import escaped, unescaped


def versions() -> dict[str, str]:
    """Return the versions of what computed the figures."""
    others = ("numpy", "scipy", "scikit-learn", "numba")
    found = {name: importlib.metadata.version(name) for name in others}
    return {"priorwise": __version__, "Python": platform.python_version(), **found}


def to_markdown(experiment: Experiment, findings: Findings, command: str) -> str:
    """Return the page."""
    made = ", ".join(f"{name} {version}" for name, version in versions().items())
    counted = "\n".join(f"- {escaped(name)}: {escaped(text)}" for name, text in findings.counts.items())
    shown = [part if isinstance(part, str) else part.to_markdown() for part in findings.parts]
    head = [f"# {experiment.title}", f"{experiment.paper}", f"    {command}", f"Made with {made}.", counted]
    return "\n\n".join(part for part in (*head, *shown) if part) + "\n"


def to_text(findings: Findings) -> str:
    """Return the tables and paragraphs for a terminal."""
    return "\n\n".join(unescaped(part) if isinstance(part, str) else part.to_text() for part in findings.parts)


def write_whole(
    pages: Sequence[tuple[Experiment, str]], missing: Mapping[str, str], folder: Path, command: str
) -> Path:
    """Write ``all.md``: every page one after the other, headings a level lower, and what is missing."""
    contents = "\n".join(f"- [{escaped(experiment.title)}](#{experiment.name})" for experiment, _ in pages)
    left_out = "\n".join(f"- {escaped(name)}: {escaped(why)}" for name, why in missing.items())
    parts = ["# The papers' experiments, run again", f"    {command}", contents]
    parts += ["What had no data:", left_out] if missing else []
    for experiment, page in pages:
        lower = re.sub(r"^(#+ )", r"#\1", page.strip(), flags=re.MULTILINE)
        parts.append(f"({experiment.name})=\n{lower}")
    path = folder / "all.md"
    with disk_errors_explained(folder):
        write_bytes(path, ("\n\n".join(parts) + "\n").encode())
    return path


def write_page(experiment: Experiment, findings: Findings, folder: Path, command: str) -> None:
    """Write ``NAME.md``, ``NAME.json`` and the pictures into a folder."""
    page = to_markdown(experiment, findings, command)
    content = {"experiment": experiment.name, "command": command, "versions": versions(), **findings.to_json()}
    with disk_errors_explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for figure in findings.figures:
            figure.draw(folder)
        write_bytes(folder / f"{experiment.name}.md", page.encode())
        write_bytes(
            folder / f"{experiment.name}.json", (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()
        )
