"""What the readers of published collections make of them."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Iterable, Iterator
from math import log
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import priorwise as pw
from conftest import Cli, Refused
from priorwise.corpus import Corpus, Document
from priorwise.errors import InputError, NotEnoughData
from priorwise.readers.collections import base as collection
from priorwise.readers.collections import medline, odp, rcv1, reuters, yahoo_qa
from priorwise.readers.folder import DIFFERING
from small_collections import (
    ABSTRACTS,
    CITATIONS,
    COLLECTIONS,
    LISTINGS,
    MEDLINE,
    MESSAGES,
    NEWS,
    NEWSGROUPS,
    ODP,
    OHSUMED,
    PACKINGS,
    QUESTIONS,
    RCV1,
    REUTERS,
    STORIES,
    YAHOO,
    Files,
    as_folder,
    by_id,
    citation,
    heading,
    ids,
    page,
    read,
)


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("name", COLLECTIONS)
def test_every_collection_however_it_is_packed(name: str, packing: str, tmp_path: Path) -> None:
    kind, files, expected = COLLECTIONS[name]
    path = PACKINGS[packing](tmp_path, dict(sorted(files.items())))
    reader = kind(path)
    assert by_id(reader) == by_id(expected)
    assert reader.done_bytes == reader.total_bytes > 0
    first = list(reader)
    assert list(reader) == first
    assert json.loads(json.dumps(reader.fingerprint())) == kind(path).fingerprint()


def test_reuters_splits_and_labels() -> None:
    assert read("reuters") == (STORIES, {collection.NOT_UTF8: 1})
    assert ids(read("reuters", split="train")[0]) == ["1", "2"]
    assert read("reuters", split="train", labelled=True) == (STORIES[:1], {collection.UNLABELLED: 1})
    assert read("reuters", split="test") == (STORIES[2:3], {})
    assert {document.labels[0] for document in read("reuters", labels="places")[0]} == {"usa"}
    assert ids(read("reuters", labelled=True)[0]) == ["1", "3", "4"]


def test_newsgroups_splits_and_headers() -> None:
    assert read("newsgroups") == (MESSAGES, {collection.NOT_UTF8: 1})
    assert ids(read("newsgroups", split="train")[0]) == ["sci.space/60001", "sci.med/60001"]
    assert read("newsgroups", split="test") == (MESSAGES[2:], {})
    stripped = read("newsgroups", strip_headers=True)[0]
    assert [message.text for message in stripped] == ["They decay.\n", "It helps.\r\n", "no headers here"]
    assert [message.title for message in stripped] == [message.title for message in MESSAGES]


def test_a_version_without_parts_says_so() -> None:
    older = {"20_newsgroups/sci.med/1": b"text"}
    assert ids(read("newsgroups", older)[0]) == ["sci.med/1"]
    with pytest.raises(NotEnoughData, match=r"no document of the part 'test' .* only the version by date has parts"):
        read("newsgroups", older, split="test")


def test_a_folder_that_is_a_part_or_a_group(tmp_path: Path) -> None:
    folder = as_folder(tmp_path, NEWSGROUPS)
    test = folder.rename(tmp_path / "test")
    assert len(list(pw.NewsgroupsReader(test, split="train"))) == 2
    folder = test.rename(folder)
    part = folder / "20news-bydate-train"
    assert ids(pw.NewsgroupsReader(part, split="train")) == ["sci.med/60001", "sci.space/60001"]
    assert ids(pw.NewsgroupsReader([part / "sci.med", folder / "20news-bydate-test"])) == [
        "sci.med/60001",
        "sci.space/60002",
    ]


def test_ohsumed_splits_and_merging() -> None:
    assert read("ohsumed") == (ABSTRACTS, {})
    assert read("ohsumed", split="train") == (ABSTRACTS[1:], {})
    assert read("ohsumed", split="test") == (ABSTRACTS[:1], {})
    differing = {**OHSUMED, "ohsumed-first-20000-docs/training/C23/0000001": b"Another text."}
    assert read("ohsumed", differing) == (ABSTRACTS, {DIFFERING: 1})


def test_medline_options() -> None:
    assert read("medline") == (CITATIONS, {medline.NO_ABSTRACT: 1})
    assert read("medline", labelled=True) == (CITATIONS[:1], {medline.NO_ABSTRACT: 1, collection.UNLABELLED: 1})
    everything = read("medline", without_abstract=True)
    assert everything == ([CITATIONS[0], Document("12", "On tea.", "On tea.", ["Tea"]), CITATIONS[1]], {})
    assert read("medline", major=True)[0][0].labels == ["Tea", "Cups"]


def test_the_older_shape_of_medline() -> None:
    record = citation("7", "<Abstract><AbstractText>Text.</AbstractText></Abstract>", heading("Tea"))
    record = record.removeprefix("<PubmedArticle>").partition("<PubmedData>")[0]
    older = {"medline08n0001.xml": f"<MedlineCitationSet>\n{record}\n</MedlineCitationSet>".encode()}
    assert ids(read("medline", older)[0]) == ["7"]


def test_odp_depth_and_older_files() -> None:
    assert read("odp") == (LISTINGS, {})
    assert [listing.labels for listing in read("odp", depth=1)[0]] == [["Top/Home"], ["Top/Home"], ["Top/World"]]
    assert read("odp", depth=9)[0] == LISTINGS
    homeless = {"content.rdf.u8": (page("http://a.b/", "t", "d", "") + page("", "t", "d", "Top/X")).encode()}
    with pytest.raises(NotEnoughData):
        read("odp", homeless)
    assert read("odp", {"x.rdf": ODP["content.rdf.u8"] + homeless["content.rdf.u8"]})[1] == {odp.NOT_FILED: 1}


def test_yahoo_options() -> None:
    assert read("yahoo-qa") == (QUESTIONS, {})
    assert read("yahoo-qa", language="fr") == (QUESTIONS[1:], {yahoo_qa.OTHER_LANGUAGES: 1})
    assert ids(read("yahoo-qa", language="en")[0]) == ["432470"]
    assert [document.labels for document in read("yahoo-qa", labels="maincat")[0]] == [["Health"], ["Santé"]]
    assert read("yahoo-qa", labels="subcat", labelled=True)[0][0].labels == ["Bodies & Minds"]
    assert read("yahoo-qa", answers=True)[0][1].text == "Pourquoi ?\n\nBecause."


@given(st.integers(0, len(YAHOO["FullOct2007.xml.part1"])))
@settings(max_examples=30, deadline=None)
def test_yahoo_parts_may_cut_a_question_in_two(cut: int) -> None:
    whole = YAHOO["FullOct2007.xml.part1"]
    with tempfile.TemporaryDirectory() as folder:
        for number, part in ((1, whole[:cut]), (2, whole[cut:])):
            Path(folder, f"FullOct2007.xml.part{number}.gz").write_bytes(gzip.compress(part))
        assert (
            list(pw.YahooQAReader([Path(folder, f"FullOct2007.xml.part{number}.gz") for number in (1, 2)])) == QUESTIONS
        )


def test_rcv1_splits_and_labels() -> None:
    assert read("rcv1") == ([*NEWS[2:], *NEWS[:2]], {})
    assert ids(read("rcv1", split="train")[0]) == ["2286", "26150"]
    assert ids(read("rcv1", split="test")[0]) == ["26151", "810596"]
    assert read("rcv1", split="train", labelled=True)[1] == {collection.UNLABELLED: 1}
    assert [document.labels for document in read("rcv1", labels="regions", split="train")[0]] == [["MEX"], []]
    with pytest.raises(InputError, match=r"no labels for the stories; add the file rcv1-v2\.industries\.qrels"):
        read("rcv1", labels="industries")
    renamed = {name.replace("regions", "x").replace("topics", "y"): content for name, content in RCV1.items()}
    assert read("rcv1", renamed)[0][0].labels == ["E11", "ECAT", "MEX"]


IDF = {"recov": 2.5, "excit": 4.25, "bring": 1.125, "mexic": 6.5}
NUMBERS = {"recov": 1, "excit": 2, "bring": 3, "mexic": 40}


def vector_line(number: int, text: str) -> bytes:
    """LYRL2004: log TF × IDF, cosine normalised, written with fifteen digits."""
    stems = sorted(set(text.split()), key=NUMBERS.__getitem__)
    weights = [(1 + log(text.split().count(stem))) * IDF[stem] for stem in stems]
    norm = sum(weight**2 for weight in weights) ** 0.5
    entries = [f"{NUMBERS[stem]}:{weight / norm:.15g}" for stem, weight in zip(stems, weights, strict=True)]
    return f"{number}  {' '.join(entries)}\n".encode()


def as_vectors(documents: Iterable[Document]) -> Files:
    tables = {name: content for name, content in RCV1.items() if "tokens" not in name}
    lines = b"".join(vector_line(int(document.id), document.text) for document in documents)
    return {"lyrl2004_vectors_train.dat": lines, **tables}


def as_counts(document: Document) -> dict[str, int]:
    return {stem: document.text.split().count(stem) for stem in document.text.split()}


def test_rcv1_vectors_give_the_counts_back() -> None:
    documents, remarks = read("rcv1", as_vectors(NEWS))
    assert remarks == {}
    # A story with one distinct stem has lost how often it occurs.
    expected = [{"bring": 1}, {"excit": 1}, {"recov": 2, "excit": 1, "bring": 1}, {"mexic": 1}]
    assert [as_counts(document) for document in documents] == expected
    assert [document.labels for document in documents] == [document.labels for document in NEWS]
    both = read("rcv1", {**as_vectors(NEWS), **RCV1})
    assert by_id(both[0]) == by_id(NEWS)
    assert both[1] == {rcv1.TOKENS_BEFORE_VECTORS: 1}


def test_rcv1_vectors_without_a_dictionary_or_with_other_weights() -> None:
    files = as_vectors(NEWS)
    unnamed = {name: content for name, content in files.items() if "stem" not in name}
    documents, remarks = read("rcv1", unnamed)
    assert documents[2].text == "t1 t2 t3"
    assert remarks == {rcv1.PRESENCE_ONLY: 4}
    odd = {**files, "lyrl2004_vectors_train.dat": b"2286  1:0.1 2:0.9 77:0.5\n3 x:1\n9 1:nan\n10 1:1e300 2:1e-300\n"}
    documents, remarks = read("rcv1", odd)
    assert [document.text for document in documents] == ["recov excit", "recov", "recov excit"]
    assert remarks == {rcv1.UNKNOWN_TERMS: 1, rcv1.PRESENCE_ONLY: 3, rcv1.MALFORMED: 1}


@given(st.lists(st.integers(1, 400), min_size=1, max_size=60), st.floats(0.01, 10), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_counts_are_found_again(counts: list[int], scale: float, random: Random) -> None:
    idf = np.array([random.uniform(0.1, 11) for _ in counts])
    weights = np.array([float(f"{value:.15g}") for value in (1 + np.log(counts)) * idf * scale])
    found = rcv1.counts_of(weights, idf)
    if min(counts) == 1:
        assert found is not None
        assert found.tolist() == counts
    elif found is not None:
        # The same weights up to a factor: nothing else could be known.
        ratio = (1 + np.log(found)) / (1 + np.log(counts))
        np.testing.assert_allclose(ratio, ratio[0], rtol=1e-6)


def test_the_fingerprint_knows_files_and_options(tmp_path: Path) -> None:
    folder = as_folder(tmp_path, REUTERS)
    prints = [
        pw.ReutersReader(folder).fingerprint(),
        pw.ReutersReader(folder, split="train").fingerprint(),
        pw.ReutersReader(folder, labels="places").fingerprint(),
        pw.ReutersReader(folder, labelled=True).fingerprint(),
        pw.ReutersReader(folder / "reuters21578").fingerprint(),
    ]
    (folder / "reuters21578" / "reut2-001.sgm").write_bytes(b"")
    prints.append(pw.ReutersReader(folder).fingerprint())
    assert len({json.dumps(each) for each in prints}) == len(prints)


@pytest.mark.parametrize("name", COLLECTIONS)
def test_every_command(name: str, cli: Cli, tmp_path: Path) -> None:
    _, files, expected = COLLECTIONS[name]
    path = PACKINGS["tar.gz"](tmp_path, files)
    result = cli("ingest", name, path, "-o", tmp_path / "x.corpus")
    assert result.exit_code == 0, result.output
    assert f"x.corpus: {len(expected)} documents in " in result.output
    corpus = Corpus.open(tmp_path / "x.corpus")
    for document in expected:
        row = corpus.row(document.id)
        assert corpus.titles([row]) == [document.title]
        assert [label for label in document.labels if row not in corpus.members(label)] == []


def test_commands_have_the_options_of_their_readers(cli: Cli, tmp_path: Path) -> None:
    path = PACKINGS["tar.gz"](tmp_path, {**REUTERS, **RCV1, **YAHOO, **MEDLINE, **ODP, **NEWSGROUPS})
    n = 0
    for labels, name in ((reuters.LABELS, "reuters"), (rcv1.LABELS, "rcv1"), (yahoo_qa.LABELS, "yahoo-qa")):
        for label in set(labels) - {"industries"}:
            n += 1
            output = tmp_path / f"{n}.corpus"
            assert cli("ingest", name, path, "--labels", label, "-o", output).exit_code == 0
    for arguments, expected in [
        (("reuters", "--split", "train", "--labelled"), "1 document in"),
        (("newsgroups", "--split", "test", "--strip-headers"), "1 document in"),
        (("medline", "--major", "--without-abstract"), "3 documents in"),
        (("odp", "--depth", "1"), "2 labels"),
        (("yahoo-qa", "--answers", "--language", "fr"), "questions in other languages, left out: 1\n"),
    ]:
        result = cli("ingest", arguments[0], path, *arguments[1:], "-o", tmp_path / "x.corpus", "--overwrite")
        assert result.exit_code == 0, result.output
        assert expected in result.output


def test_a_collection_in_no_input_is_refused_in_a_sentence(refused: Refused, tmp_path: Path) -> None:
    path = PACKINGS["tar.gz"](tmp_path, OHSUMED)
    sentence = refused("ingest", "reuters", path, "-o", tmp_path / "x.corpus")
    assert sentence == f"there is no document in {path}; looked for <REUTERS> records in .sgm files"
    assert not (tmp_path / "x.corpus").exists()


def test_what_is_there_twice_is_read_once(cli: Cli, tmp_path: Path) -> None:
    folder = as_folder(tmp_path, REUTERS)
    PACKINGS["tar.gz"](folder, REUTERS)
    result = cli("ingest", "reuters", folder, "-o", tmp_path / "x.corpus")
    assert result.exit_code == 0, result.output
    assert "x.corpus: 5 documents in " in result.output
    assert "\ndocuments left out: " in result.output
    assert result.output.endswith("): 5\n")


def test_an_interrupted_ingest_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("priorwise.corpus.build.ingestion.DOCUMENTS_PER_SHARD", 2)
    path = PACKINGS["tar.gz"](tmp_path, OHSUMED | {f"x/test/C01/{n}": b"text" for n in range(20)})
    pw.ingest(pw.OhsumedReader(path), tmp_path / "whole.corpus")

    class Interrupted(pw.OhsumedReader):
        def documents(self) -> Iterator[Document]:
            for number, document in enumerate(super().documents()):
                if number == 11:
                    raise KeyboardInterrupt
                yield document

    with pytest.raises(KeyboardInterrupt):
        pw.ingest(Interrupted(path), tmp_path / "x.corpus", workers=1)
    summary = pw.ingest(pw.OhsumedReader(path), tmp_path / "x.corpus")
    assert summary.documents == 23
    assert summary.resumed > 0
    assert Corpus.open(tmp_path / "x.corpus").checksum == Corpus.open(tmp_path / "whole.corpus").checksum
