"""What we build from is named so that nobody can put something else in its place."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_the_container_names_its_base_by_digest_and_its_packages_by_hash() -> None:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    bases = re.findall(r"^FROM (\S+)", text, flags=re.MULTILINE)
    assert len(bases) == 2
    assert all(re.search(r"@sha256:[0-9a-f]{64}$", base) for base in bases)
    installs = re.findall(r"pip install ([^&\n]+)", text)
    assert installs
    assert all("--require-hashes" in each or "--no-deps" in each for each in installs)
    assert not re.search(r"chmod.*a\+\S*w|chmod.*777", text), "Numba unpickles what is there"


@pytest.mark.parametrize("workflow", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.name)
def test_actions_are_named_by_their_commits(workflow: Path) -> None:
    used = re.findall(r"uses: *(\S+)", workflow.read_text(encoding="utf-8"))
    assert used
    assert all(re.search(r"@[0-9a-f]{40}$", each) for each in used), used


def test_the_lock_script_installs_one_version_of_uv_by_hash() -> None:
    text = (ROOT / "scripts" / "lock").read_text(encoding="utf-8")
    assert re.search(r"^uv_version=\d+\.\d+\.\d+$", text, flags=re.MULTILINE)
    assert "--require-hashes" in text
    assert len(re.findall(r"^    [0-9a-f]{64} #", text, flags=re.MULTILINE)) >= 4


def may_install(**variables: str) -> int:
    text = (ROOT / "scripts" / "setup").read_text(encoding="utf-8")
    function = text[text.index("without_asking() {") : text.index("install_package() {")]
    left = {name: value for name, value in os.environ.items() if name not in ("CI", "PRIORWISE_INSTALL")}
    command = ["bash", "-c", f"set -euo pipefail\n{function}\nmay_install x"]
    return subprocess.run(command, env=left | variables, stdin=subprocess.DEVNULL, check=False).returncode


def test_setup_installs_nothing_for_the_whole_machine_unasked() -> None:
    assert may_install() == 1
    assert may_install(CI="true") == 0
    assert may_install(PRIORWISE_INSTALL="1") == 0


def test_the_bill_of_materials_has_every_package_and_its_hashes() -> None:
    lock = ROOT / "requirements-all.lock"
    pinned = re.findall(r"^([a-z0-9.-]+)==", lock.read_text(encoding="utf-8"), flags=re.MULTILINE)
    script = [sys.executable, str(ROOT / "scripts" / "bill_of_materials.py")]
    bill = json.loads(subprocess.run([*script, str(lock)], capture_output=True, text=True, check=True).stdout)
    assert bill["bomFormat"] == "CycloneDX"
    assert [each["name"] for each in bill["components"]] == pinned
    assert all(each["properties"] for each in bill["components"])
    table = subprocess.run([*script, "--licences"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(table) == len(pinned)
    assert not [line for line in table if line.startswith("numpy") and "BSD" not in line]


@pytest.mark.parametrize("script", ["scripts/check-bounds", ".github/workflows/attacks.yml"])
def test_the_tests_that_a_script_names_are_there(script: str) -> None:
    named = set(re.findall(r"tests/test_\w+\.py", (ROOT / script).read_text(encoding="utf-8"))) - {"tests/test_x.py"}
    assert named
    assert [name for name in sorted(named) if not (ROOT / name).is_file()] == []
