"""What is published: the wheel and the source archive, as they are built here."""

from __future__ import annotations

import configparser
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

import priorwise

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def build(folder: Path, when: int = 1_700_000_000) -> tuple[Path, Path]:
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", folder],
        cwd=ROOT,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(when)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (wheel,), (archive,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, archive


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return build(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def wheel(built: tuple[Path, Path]) -> dict[str, bytes]:
    with zipfile.ZipFile(built[0]) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def test_two_builds_are_the_same(built: tuple[Path, Path], tmp_path: Path) -> None:
    again = build(tmp_path)
    assert [path.name for path in again] == [path.name for path in built]
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in built]


def test_the_wheel_holds_the_package_and_nothing_else(wheel: dict[str, bytes]) -> None:
    source = ROOT / "src"
    files = [path for path in source.rglob("*") if "__pycache__" not in path.parts and path.is_file()]
    expected = {path.relative_to(source).as_posix(): path.read_bytes() for path in files}
    about = f"priorwise-{priorwise.__version__}.dist-info/"
    assert {name: content for name, content in wheel.items() if not name.startswith(about)} == expected
    assert "priorwise/py.typed" in wheel
    assert wheel[f"{about}licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()


def test_the_metadata(wheel: dict[str, bytes]) -> None:
    about = f"priorwise-{priorwise.__version__}.dist-info/"
    metadata = message_from_bytes(wheel[f"{about}METADATA"])
    assert metadata["Version"] == priorwise.__version__
    assert metadata["License-Expression"] == "MIT"
    assert set(metadata.get_all("Provides-Extra", [])) == set(PROJECT["optional-dependencies"])
    needed = {line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line}
    assert needed == set(PROJECT["dependencies"])
    entries = configparser.ConfigParser()
    entries.read_string(wheel[f"{about}entry_points.txt"].decode())
    assert dict(entries["console_scripts"]) == {"priorwise": "priorwise.cli:main"}


def test_the_source_archive_holds_all_that_the_tests_need(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[1]) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    places = ["src", "tests", "docs", "benchmarks", "reproductions", "scripts", "recipe"]
    made = re.compile(r"__pycache__|^docs/(_build|reference/api)/")
    found = [path for place in places for path in (ROOT / place).rglob("*") if path.is_file()]
    files = {path.relative_to(ROOT).as_posix() for path in found}
    files |= {path.name for path in ROOT.iterdir() if path.suffix in (".md", ".lock", ".toml")}
    files |= {"Containerfile", "LICENSE", ".pre-commit-config.yaml"}
    assert sorted(name for name in files - held if not made.search(name)) == []


def test_other_recipes_ask_for_the_same(wheel: dict[str, bytes]) -> None:
    recipe = (ROOT / "recipe" / "recipe.yaml").read_text("utf-8")
    assert f'version: "{priorwise.__version__}"' in recipe
    listed = re.findall(r"^    - (\S+) (>=\S+)$", recipe.partition("  run:")[2], flags=re.MULTILINE)
    assert sorted(f"{name}{version}" for name, version in listed) == sorted(
        [*PROJECT["dependencies"], f"python{PROJECT['requires-python']}"]
    )


def test_the_release_is_checked_before_it_is_published() -> None:
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    build_job, publish_job = workflow.split("\n  publish:\n")
    assert "scripts/test" in build_job
    assert "scripts/check-packages" in build_job
    assert "id-token" not in build_job
    assert "needs: build" in publish_job
    assert os.access(ROOT / "scripts" / "check-packages", os.X_OK)
