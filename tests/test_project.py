"""The project's own promises: its metadata, its lock files, its commands, its examples."""

import ast
import collections
import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import priorwise

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = ["requirements.lock", "requirements-all.lock", "requirements-dev.lock"]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
EXAMPLES = {page: re.findall(r"^```pycon\n(.*?)^```$", page.read_text("utf-8"), flags=re.S | re.M) for page in PAGES}
MODULES = sorted(module.name for module in pkgutil.walk_packages(priorwise.__path__, "priorwise."))

# Written in two parts, so that this file does not name what it forbids.
MACHINE_PATH = re.compile(r"(?<![\w.:/~-])/" + r"(root|home|Users|work|mnt)/\w")
REGISTRY = re.compile("pypi" + r"\.org|python" + r"hosted|registry\." + "npmjs|deb" + r"ian\.org")


def project_files() -> list[Path]:
    """Every text file that is, or would be, in the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    files = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [file for file in files if file.is_file() and b"\0" not in file.read_bytes()]


def requirements(group: str) -> list[Requirement]:
    """What a dependency group asks for, with the groups it includes."""
    found = []
    for entry in SETTINGS["dependency-groups"][group]:
        found += [Requirement(entry)] if isinstance(entry, str) else requirements(entry["include-group"])
    return found


def pins(lock: str) -> dict[str, str]:
    """The version of each package in a lock file."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", text, flags=re.MULTILINE))


@pytest.mark.parametrize("module", MODULES)
def test_module_imports(module):
    if module != "priorwise.__main__":
        importlib.import_module(module)


def test_version_is_that_of_the_metadata():
    assert priorwise.__version__ == SETTINGS["project"]["version"]


def test_public_names_are_sorted_and_there():
    names = list(priorwise.__all__)
    assert names == sorted(set(names))
    assert [name for name in names if not hasattr(priorwise, name)] == []


def test_no_class_name_occurs_twice():
    found = collections.defaultdict(list)
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def test_no_function_outside_kernels_has_more_than_80_lines():
    """Without its docstring, and without the functions inside it: a page of the web app is a function of its routes."""
    functions = ast.FunctionDef | ast.AsyncFunctionDef
    found = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        if "kernels" in str(path.relative_to(ROOT / "src")):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, functions):
                documented = 1 if ast.get_docstring(node) is not None else 0
                inner = [each for each in node.body if isinstance(each, functions)]
                lines = node.end_lineno - node.body[min(documented, len(node.body) - 1)].lineno + 1
                lines -= sum(each.end_lineno - each.lineno + 1 for each in inner)
                if lines > 80:
                    found.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {lines} lines")
    assert found == []


def test_no_file_names_a_machine_path_or_a_registry():
    named = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()[:80]}"
        for file in project_files()
        for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), start=1)
        if MACHINE_PATH.search(line) or REGISTRY.search(line)
    ]
    assert named == []


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_has_hashes_and_names_no_host(lock):
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"--(index-url|extra-index-url|find-links|trusted-host)", text)
    entries = re.split(r"^(?=[a-z0-9-]+==)", text, flags=re.MULTILINE)[1:]
    assert entries
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_locks_fit_the_metadata_and_each_other():
    project = SETTINGS["project"]
    run, dev = pins("requirements.lock"), pins("requirements-dev.lock")
    assert run.items() <= dev.items()
    needed_to_run = [*map(Requirement, project["dependencies"]), *requirements("build")]
    extras = [Requirement(entry) for entries in project["optional-dependencies"].values() for entry in entries]
    needed_to_develop = [*needed_to_run, *extras, *requirements("dev")]
    for pinned, needed in [(run, needed_to_run), (dev, needed_to_develop)]:
        for requirement in needed:
            name = canonicalize_name(requirement.name)
            if name != "priorwise":
                assert name in pinned, f"{requirement} is not locked: run scripts/lock"
                assert requirement.specifier.contains(pinned[name]), f"{requirement} is locked at {pinned[name]}"


@pytest.mark.parametrize("command", ["scripts/demo", "scripts/test"])
def test_commands_of_the_readme_are_there(command):
    first_screen = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:30]
    assert f"    {command}" in first_screen
    assert os.access(ROOT / command, os.X_OK)


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_files_that_a_page_for_developers_names_are_there(page):
    text = re.sub(r"```python.*?```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    inline = "|".join(re.findall(r"`([^`\n]+)`", text))
    named = set(re.findall(r"(?<![\w.*<-])([\w./-]*\w(?:\.(?:py|md|toml|yml|yaml|lock|sh)\b|/(?![\w.*<])))", inline))
    files = [path.relative_to(ROOT) for path in project_files()]
    there = {f"/{file.as_posix()}" for file in files} | {f"/{up.as_posix()}/" for file in files for up in file.parents}
    missing = {name for name in named if not any(path.endswith(f"/{name}") for path in there)}
    missing -= {name for name in named if {"NAME", "CORPUS"} & set(re.split(r"[./]", name))}
    assert len(named) > 5
    assert missing == set()


@pytest.mark.parametrize("page", [page for page in PAGES if EXAMPLES[page]], ids=lambda page: page.stem)
def test_examples_on_the_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest("\n".join(EXAMPLES[page]), {}, page.name, str(page), 0)
    report: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert result.failed == 0, "".join(report)
