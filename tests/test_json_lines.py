"""One large file of JSON lines, read in ranges: together they are the file, whatever lies at their borders."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priorwise.corpus import Corpus, ingest
from priorwise.errors import BrokenFile, UnknownName
from priorwise.readers import records
from priorwise.readers.fields import Columns
from priorwise.readers.records import RecordReader

Cut = Callable[[int], None]


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> Cut:
    return lambda size: monkeypatch.setattr(records, "PART_BYTES", size)


def line(number: int, text: str = "some words", **more: object) -> str:
    return json.dumps({"id": f"d{number}", "text": text, **more}, ensure_ascii=False)


@given(
    texts=st.lists(st.text("aé \u2028", max_size=30), min_size=1, max_size=12),
    size=st.integers(1, 200),
    between=st.sampled_from(["\n", "\r\n", "\n\n", "\n \n"]),
    ends=st.booleans(),
    marked=st.booleans(),
)
def test_the_parts_are_the_file(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], size: int, between: str, ends: bool, marked: bool
) -> None:
    content = between.join(line(number, text) for number, text in enumerate(texts)) + (between if ends else "")
    path = tmp_path_factory.mktemp("lines") / "x.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" * marked + content.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "PART_BYTES", size)
        parts = RecordReader([path]).parts()
    assert len(parts) == max(1, path.stat().st_size // size)
    assert sum(part.total_bytes for part in parts) == path.stat().st_size
    assert [document.id for part in parts for document in part] == [f"d{number}" for number in range(len(texts))]
    assert [document.text for part in parts for document in part] == texts


def test_neighbours_of_other_kinds(cut: Cut, tmp_path: Path) -> None:
    cut(300)
    for name, numbers in (("a", range(2)), ("b", range(2, 60)), ("c", range(60, 62))):
        (tmp_path / f"{name}.jsonl").write_text("".join(line(number) + "\n" for number in numbers))
    (tmp_path / "d.jsonl.gz").write_bytes(gzip.compress("\n".join(line(n) for n in range(62, 900)).encode()))
    files = [tmp_path / name for name in ("a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl.gz")]
    parts = RecordReader(files).parts()
    assert [[path.name[0] for path in part.paths] for part in parts] == [["a"], *[["b"]] * (len(parts) - 2), ["c", "d"]]
    assert [document.id for part in parts for document in part] == [f"d{number}" for number in range(900)]


def test_the_corpus_does_not_depend_on_who_reads(cut: Cut, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("".join(line(number, f"w{number % 7} w{number % 5}") + "\n" for number in range(300)))
    cut(700)
    ingest(RecordReader([path]), tmp_path / "x.corpus", workers=2)
    corpus = Corpus.open(tmp_path / "x.corpus")
    assert len(corpus.batch_sizes) > 10
    cut(1 << 26)
    whole = Corpus.from_records(path)
    assert corpus.ids(range(300)) == whole.ids(range(300))
    assert (corpus.matrix() != whole.matrix()).nnz == 0


def test_an_error_names_the_line_of_the_file(cut: Cut, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    lines = [line(number) for number in range(50)]
    cut(200)
    for number, wrong, says in (
        (40, "{broken", "not valid JSON"),
        (33, "[]", "a JSON object on each line was expected"),
        (49, line(7, labels={"a": 1}), "holds dict"),
    ):
        path.write_text("\n".join([*lines[:number], wrong, *lines[number + 1 :]]) + "\n")
        with pytest.raises(BrokenFile, match=rf"x\.jsonl, line {number + 1}: .*{says}"):
            [list(part) for part in RecordReader([path]).parts()]


def test_a_column_may_be_missing_from_a_part_but_not_from_the_file(cut: Cut, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("".join(line(number) + "\n" for number in range(50)) + line(50, topic="x") + "\n")
    cut(200)
    read = [document for part in RecordReader([path], Columns(labels="topic")).parts() for document in part]
    assert [list(document.labels) for document in read[-2:]] == [[], ["x"]]
    with pytest.raises(UnknownName, match="no column 'topics'"):
        [list(part) for part in RecordReader([path], Columns(labels="topics")).parts()]


def test_records_to_be_numbered_are_read_in_order(cut: Cut, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "one of many words"}\n' * 50)
    cut(200)
    assert len(RecordReader([path]).parts()) == 1
    path.write_text("nonsense\n" * 500)
    assert len(RecordReader([path]).parts()) == 1


@pytest.mark.parametrize("escaped", [False, True])
def test_a_column_may_have_letters_beyond_ascii(escaped: bool, cut: Cut, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    last = json.dumps({"id": "last", "text": "words", "matière": "x"}, ensure_ascii=escaped)
    path.write_text("".join(line(number) + "\n" for number in range(50)) + last + "\n")
    cut(200)
    read = [document for part in RecordReader([path], Columns(labels="matière")).parts() for document in part]
    assert [list(document.labels) for document in read[-2:]] == [[], ["x"]]


def test_a_name_is_found_across_the_pieces_in_which_a_file_is_read(
    cut: Cut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("".join(line(number) + "\n" for number in range(50)) + line(50, topic="x") + "\n")
    cut(200)
    for size in range(1, 12):
        monkeypatch.setattr(records, "_CHUNK", size)
        reader = RecordReader([path], Columns(labels="topic"))
        assert sum(len(list(part)) for part in reader.parts()) == 51
