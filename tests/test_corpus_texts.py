"""What a corpus keeps of its texts for people to read."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priorwise.corpus import Corpus, Document, ingest
from priorwise.corpus.build.wikipedia import ingest_wikipedia
from priorwise.corpus.texts import LONGEST, StoredTexts, beginning, beginnings, text_table, with_texts_of
from priorwise.errors import DamagedCorpus, InputError
from priorwise.readers.document import Stream
from priorwise.wiki.siteinfo import page_address, read_siteinfo

HEAD = "<mediawiki><siteinfo><base>https://en.wikipedia.org/wiki/Main_Page</base></siteinfo>"


def page(title: str, text: str) -> str:
    return f"<page><title>{title}</title><ns>0</ns><id>1</id><text>{text}</text></page>"


def wiki(folder: Path, *pages: str, **options: object) -> Corpus:
    dump = folder / "wiki.xml"
    dump.write_text(f"{HEAD}{''.join(pages)}</mediawiki>", encoding="utf-8")
    ingest_wikipedia([dump], folder / "wiki.corpus", min_bytes=1, **options)  # type: ignore[arg-type]
    return Corpus.open(folder / "wiki.corpus")


@settings(deadline=None)
@given(st.lists(st.text(max_size=300)), st.integers(1, 200))
def test_each_text_comes_back_whatever_the_blocks(texts: list[str], block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("priorwise.corpus.texts.BYTES_PER_BLOCK", block)
        encoded = [text.encode("utf-8", "replace") for text in texts]
        half = len(texts) // 2
        tables = [text_table(part) for part in (encoded[:half], encoded[half:]) if part]
        starts = [0, half, len(texts)] if half else [0, len(texts)]
        stored = StoredTexts(starts, tables)
        assert [stored.text(row) for row in range(len(texts))] == [text.decode() for text in encoded]


@given(st.lists(st.binary(max_size=50), min_size=1), st.data())
def test_some_documents_keep_their_texts(texts: list[bytes], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, len(texts) - 1), unique=True, min_size=1).map(sorted))
    thinned = with_texts_of(text_table(texts), np.array(rows))
    assert thinned.equals(text_table([texts[row] for row in rows]))


@given(st.text(alphabet=st.sampled_from("ab é。.! \n京"), max_size=120), st.integers(4, 60))
def test_a_beginning_is_a_whole_number_of_characters(text: str, longest: int) -> None:
    kept = beginning(text.encode(), longest).decode()
    if len(text.encode()) <= longest:
        assert kept == text
    else:
        assert kept.endswith("…")
        assert text.startswith(kept[:-1])
        assert longest // 2 - 3 <= len(kept[:-1].encode()) <= longest


def test_a_beginning_ends_with_a_sentence_then_with_a_word_then_anywhere() -> None:
    assert beginning(b"Ab cd ef. Ef gh ij kl", 12) == "Ab cd ef.…".encode()
    assert beginning(b"Ab cd ef gh ij kl", 12) == "Ab cd ef gh…".encode()
    assert beginning(b"a" * 20, 12) == b"a" * 12 + "…".encode()


def test_the_space_before_a_text_is_not_kept() -> None:
    data = np.frombuffer(b"\n\n first  second\n", np.uint8)
    assert beginnings(data, np.array([[0, 8], [8, 17]]), 100) == [b"first", b"second"]


def test_records_are_kept_whole_within_reason() -> None:
    long = "word " * 40_000
    corpus = Corpus.from_texts(["short", "", long, "lone \ud800"])
    assert corpus.keeps_text
    assert [corpus.text(row) for row in (0, 1, 3)] == ["short", "", "lone ?"]
    kept = corpus.text(2)
    assert kept is not None
    assert kept.endswith("word…")
    assert len(kept) <= LONGEST["whole"] + 1
    with pytest.raises(IndexError, match="0 to 3"):
        corpus.text(4)
    with pytest.raises(IndexError):
        corpus.text(-1)


def test_a_matrix_has_no_texts() -> None:
    corpus = Corpus.from_matrix(np.array([[1]]), ["a"])
    assert not corpus.keeps_text
    assert corpus.text(0) is None


def test_articles_keep_their_lead_and_their_address(tmp_path: Path) -> None:
    body = "'''Tea''' is a [[drink]]. " + "It is hot. " * 500
    corpus = wiki(tmp_path, page("Green tea/50% é?", body), page("Tea", "x"))
    lead = corpus.text(0)
    assert lead is not None
    assert lead.startswith("Tea is a drink. It is hot.")
    assert lead.endswith("hot.…")
    assert len(lead) <= LONGEST["lead"] + 1
    assert corpus.address(0) == "https://en.wikipedia.org/wiki/Green_tea/50%25_%C3%A9%3F"
    assert corpus.address(1) == "https://en.wikipedia.org/wiki/Tea"


def test_articles_may_be_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    body = "It is hot. " * 500
    for keep, length in (("whole", len(body) - 1), ("none", None)):
        folder = tmp_path / keep
        folder.mkdir()
        text = wiki(folder, page("Tea", body), keep_text=keep).text(0)
        assert (None if text is None else len(text)) == length


def test_repeated_articles_leave_their_texts_behind(tmp_path: Path) -> None:
    corpus = wiki(tmp_path, page("A", "first a"), page("B", "b"), page("A", "second a"), page("C", "c"))
    assert [corpus.text(row) for row in range(len(corpus))] == ["first a", "b", "c"]
    corpus.verify()


def test_what_is_kept_is_part_of_what_is_resumed(tmp_path: Path) -> None:
    documents = [Document("1", "One", "to be")]
    with pytest.raises(InputError, match="lead, whole, none"):
        ingest(Stream(documents), tmp_path / "a.corpus", keep_text="all")  # type: ignore[arg-type]
    ingest(Stream(documents), tmp_path / "b.corpus", keep_text="none")
    assert not Corpus.open(tmp_path / "b.corpus").keeps_text
    assert "texts.arrow" not in {path.name for path in (tmp_path / "b.corpus").iterdir()}


def test_a_damaged_text_is_noticed(tmp_path: Path) -> None:
    Corpus.from_texts(["to be or not to be " * 50], path=tmp_path / "a.corpus")
    corpus = Corpus.open(tmp_path / "a.corpus")
    file = tmp_path / "a.corpus" / "texts.arrow"
    damaged = file.read_bytes()
    blob = corpus._stored_texts._tables[0].column("text")[0].as_py()  # type: ignore[union-attr]
    at = damaged.index(blob)
    file.write_bytes(damaged[:at] + b"\0" * len(blob) + damaged[at + len(blob) :])
    again = Corpus.open(tmp_path / "a.corpus")
    with pytest.raises(DamagedCorpus, match=r"texts\.arrow"):
        again.verify()
    with pytest.raises(DamagedCorpus, match=r"texts\.arrow: it does not match its checksum"):
        again.text(0)


def test_a_corpus_of_before_opens_as_it_is(tmp_path: Path) -> None:
    Corpus.from_texts(["to be"], path=tmp_path / "a.corpus")
    before = tmp_path / "before.corpus"
    shutil.copytree(tmp_path / "a.corpus", before)
    (before / "texts.arrow").unlink()
    manifest = json.loads((before / "manifest.json").read_text())
    del manifest["files"]["texts.arrow"], manifest["checksum"]
    manifest["checksum"] = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()
    (before / "manifest.json").write_text(json.dumps(manifest))
    corpus = Corpus.open(before)
    corpus.verify()
    assert corpus.text(0) is None
    assert corpus.address(0) is None


def test_a_base_that_is_no_web_address_is_no_address() -> None:
    assert read_siteinfo(b"<mediawiki><base>javascript:alert(1)/x</base>", Path("x.xml")).address == ""
    assert page_address("") == ""
