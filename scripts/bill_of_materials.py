"""List the packages of a lock file: as a bill of materials (CycloneDX 1.6, JSON), or with their licences as a table.

    .venv/bin/python scripts/bill_of_materials.py requirements-all.lock > bill-of-materials.cdx.json
    .venv/bin/python scripts/bill_of_materials.py --licences requirements-all.lock

Versions and hashes come from the lock file, licences from the packages that are installed here. The same lock file and
packages give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


@dataclass(frozen=True)
class Package:
    name: str
    version: str
    hashes: list[str]

    @property
    def licence(self) -> str:
        """Say under which licence it comes, in the words of the package; "not installed here" if nobody can say."""
        try:
            about = metadata(self.name)
        except PackageNotFoundError:
            return "not installed here"
        if expression := about.get("License-Expression"):
            return expression
        listed = [
            each.rpartition(" :: ")[2] for each in about.get_all("Classifier", []) if each.startswith("License ::")
        ]
        if listed:
            return "; ".join(sorted(set(listed)))
        lines = (about.get("License") or "").strip().splitlines()
        return lines[0][:80] if lines else "not stated"

    def component(self) -> dict[str, Any]:
        """Return the entry of a CycloneDX document."""
        return {
            "type": "library",
            "name": self.name,
            "version": self.version,
            "purl": f"pkg:pypi/{self.name}@{self.version}",
            "bom-ref": f"pkg:pypi/{self.name}@{self.version}",
            "licenses": [{"license": {"name": self.licence}}],
            "properties": [{"name": "priorwise:sha256", "value": each} for each in self.hashes],
        }


def packages_in(lock: Path) -> list[Package]:
    """Read a lock file."""
    found: list[Package] = []
    for line in lock.read_text(encoding="utf-8").splitlines():
        if pin := _PIN.match(line):
            found.append(Package(pin[1].lower(), pin[2], []))
        if found:
            found[-1].hashes.extend(_HASH.findall(line))
    return found


def bill_of(packages: list[Package]) -> dict[str, Any]:
    """Return the CycloneDX document."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    about = {"type": "application", "name": project["name"], "version": project["version"]}
    licence = [{"license": {"name": project["license"]}}]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {**about, "licenses": licence}},
        "components": [package.component() for package in packages],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lock", type=Path, nargs="?", default=ROOT / "requirements-all.lock")
    parser.add_argument("--licences", action="store_true", help="print a table of the licences instead")
    chosen = parser.parse_args()
    packages = packages_in(chosen.lock)
    if not packages:
        print(f"{chosen.lock} names no packages", file=sys.stderr)
        return 1
    if chosen.licences:
        width = max(len(package.name) + len(package.version) for package in packages) + 1
        for package in packages:
            print(f"{package.name + ' ' + package.version:<{width}}  {package.licence}")
    else:
        print(json.dumps(bill_of(packages), indent=2, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
