"""Fetch the demo's articles into the cache, from their home page or else from the package registry that pip asks.

    .venv/bin/python scripts/demo_data.py

Some machines reach a package registry and nothing else. There, the source package `mingru-pytorch` has the same file,
for tests of its own. pip finds and downloads it, nothing in it is run, and its bytes must be exactly those of enwik8.
"""

import gzip
import shutil
import tarfile
import tempfile
from pathlib import Path

from pip._internal.commands import create_command

from priorwise.errors import DownloadFailed
from priorwise.readers.addresses import cache_folder
from priorwise.readers.download import ENWIK8, find_enwik8

PACKAGE, VERSION, MEMBER = "mingru-pytorch", "0.2.1", "data/enwik8.gz"


def download_source_package(file) -> None:
    """Write the source package into a file, as pip would download it."""
    command = create_command("download")
    options, _ = command.parse_args([PACKAGE, "--no-deps"])
    with command.main_context():
        session = command.get_default_session(options)
        finder = command._build_package_finder(options, session)
        found = [each for each in finder.find_all_candidates(PACKAGE) if str(each.version) == VERSION]
        if not found:
            raise DownloadFailed(f"no package registry has {PACKAGE} {VERSION}")
        with session.get(found[0].link.url_without_fragment, stream=True) as answer:
            answer.raise_for_status()
            shutil.copyfileobj(answer.raw, file)


def fetch_from_registry(target: Path) -> None:
    """Unpack enwik8 from the source package; it appears whole and checked, or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        archive, unpacked = Path(folder, "package"), Path(folder, ENWIK8.name)
        with archive.open("wb") as file:
            download_source_package(file)
        with tarfile.open(archive) as members, unpacked.open("wb") as file:
            name = next(name for name in members.getnames() if name.endswith(f"/{MEMBER}"))
            with gzip.open(members.extractfile(name)) as content:
                file.write(content.read(ENWIK8.size + 1))
        if not ENWIK8.is_in(unpacked):
            raise DownloadFailed(f"{PACKAGE} {VERSION} does not hold enwik8")
        unpacked.replace(target)


def main() -> None:
    try:
        find_enwik8([cache_folder()])
    except DownloadFailed as error:
        print(f"{error}\nTrying the package registry instead (37 MB)")
        try:
            fetch_from_registry(cache_folder() / ENWIK8.name)
        except Exception as reason:  # pip has many of its own; the demo then uses made-up articles, and says so
            print(f"The registry did not help: {reason}")


if __name__ == "__main__":
    main()
