"""scripts/demo_data.py: real articles where only a package registry can be reached."""

import gzip
import hashlib
import importlib.util
import io
import tarfile
from pathlib import Path

import pytest

from priorwise.errors import DownloadFailed
from priorwise.readers.download import Content

SCRIPT = Path(__file__).parent.parent / "scripts" / "demo_data.py"
TEXT = b"<mediawiki>" * 1000


@pytest.fixture
def script(tmp_path, monkeypatch):
    """The script, with a registry in a folder that has one source package."""
    package = tmp_path / "simple" / "mingru-pytorch"
    package.mkdir(parents=True)
    with tarfile.open(package / "mingru_pytorch-0.2.1.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("mingru_pytorch-0.2.1/data/enwik8.gz")
        content = gzip.compress(TEXT)
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    (package / "index.html").write_text('<a href="mingru_pytorch-0.2.1.tar.gz">mingru_pytorch-0.2.1.tar.gz</a>')
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "simple").as_uri())
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    spec = importlib.util.spec_from_file_location("demo_data", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ENWIK8", Content("enwik8", len(TEXT), hashlib.sha256(TEXT).hexdigest()))
    return module


@pytest.mark.filterwarnings("ignore")
def test_the_file_is_unpacked_and_checked(script, tmp_path):
    script.fetch_from_registry(tmp_path / "cache" / "enwik8")
    assert (tmp_path / "cache" / "enwik8").read_bytes() == TEXT
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["enwik8"]


@pytest.mark.filterwarnings("ignore")
def test_other_content_is_refused(script, tmp_path, monkeypatch):
    monkeypatch.setattr(script, "ENWIK8", Content("enwik8", len(TEXT), "0" * 64))
    with pytest.raises(DownloadFailed, match="does not hold enwik8"):
        script.fetch_from_registry(tmp_path / "cache" / "enwik8")
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.filterwarnings("ignore")
def test_a_registry_without_the_package_is_named(script, tmp_path, monkeypatch):
    monkeypatch.setattr(script, "VERSION", "9.9")
    with pytest.raises(DownloadFailed, match="no package registry has"):
        script.fetch_from_registry(tmp_path / "cache" / "enwik8")
