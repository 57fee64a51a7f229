"""Small collections of the published shapes, made up, and every way in which they may be packed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

import priorwise as pw
from priorwise.corpus import Document

Files = dict[str, bytes]


def story(number: int, split: str, has_topics: str, body: str, *, topics: Sequence[str] = (), more: str = "") -> str:
    listed = "".join(f"<D>{topic}</D>" for topic in topics)
    return (
        f'<REUTERS TOPICS="{has_topics}" LEWISSPLIT="{split}" CGISPLIT="TRAINING-SET" OLDID="1" NEWID="{number}">\n'
        f"<DATE>26-FEB-1987</DATE>\n<TOPICS>{listed}</TOPICS>\n<PLACES><D>usa</D></PLACES>\n<PEOPLE></PEOPLE>\n{more}"
        f"<UNKNOWN> \n&#5;&#5;&#5;C T\n&#22;&#22;&#1;f0704&#31;reute</UNKNOWN>\n{body}\n</REUTERS>\n"
    )


REUTERS: Files = {
    "reuters21578/README.txt": b"Each story is in <REUTERS TOPICS=?? NEWID=??> and so on.",
    "reuters21578/lewis.dtd": b"<!ELEMENT LEWIS O O (REUTERS+)>",
    "reuters21578/reut2-000.sgm": (
        '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'
        + story(
            1,
            "TRAIN",
            "YES",
            "<TEXT>&#2;\n<AUTHOR>by A. Hand</AUTHOR><TITLE>TEA\n UP</TITLE>\n<DATELINE>    LONDON, Feb 26 - </DATELINE>"
            "<BODY>Leaves of &lt;T> &amp; Co rose.\n Reuter\n&#3;</BODY></TEXT>",
            topics=["tea", "tea", "coffee"],
        )
        + story(2, "TRAIN", "YES", '<TEXT TYPE="BRIEF">&#2;\n***<TITLE>NIL</TITLE>Blah blah blah.\n&#3;</TEXT>')
        + story(3, "TEST", "YES", '<TEXT TYPE="UNPROC">&#2;\nGRAIN TABLE\n  1 &lt; 2\n&#3;\n</TEXT>', topics=["grain"])
    ).encode(),
    "reuters21578/reut2-001.sgm": b'<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'
    + story(4, "TEST", "NO", "<TEXT><TITLE>D\xfcrer</TITLE><BODY>b</BODY></TEXT>", topics=["art"]).encode("latin-1")
    + story(5, "NOT-USED", "YES", "<TEXT><BODY>no headline</BODY></TEXT>").encode(),
}
STORIES = [
    Document("1", "TEA UP", "TEA\n UP\n\nLeaves of <T> & Co rose.\n Reuter", ["tea", "coffee"]),
    Document("2", "NIL", "NIL", []),
    Document("3", "GRAIN TABLE", "GRAIN TABLE\n  1 < 2", ["grain"]),
    Document("4", "Dürer", "Dürer\n\nb", ["art"]),
    Document("5", "5", "no headline", []),
]

NEWSGROUPS: Files = {
    "20news-bydate-train/sci.space/60001": b"From: ann\nSubject: Re: orbits\n  and how\nLines: 1\n\nThey decay.\n",
    "20news-bydate-train/sci.space/README": b"not a message",
    "20news-bydate-train/sci.med/60001": b"From: bob\r\nSUBJECT:  caf\xe9\r\n\r\nIt helps.\r\n",
    "20news-bydate-test/sci.space/60002": b"no headers here",
}
MESSAGES = [
    Document(
        "sci.space/60001",
        "Re: orbits and how",
        "From: ann\nSubject: Re: orbits\n  and how\nLines: 1\n\nThey decay.\n",
        ["sci.space"],
    ),
    Document("sci.med/60001", "café", "From: bob\r\nSUBJECT:  café\r\n\r\nIt helps.\r\n", ["sci.med"]),
    Document("sci.space/60002", "sci.space/60002", "no headers here", ["sci.space"]),
]

OHSUMED: Files = {
    "ohsumed-first-20000-docs/test/C04/0000002": b"Test.\n Not trained.\n",
    "ohsumed-first-20000-docs/training/C04/0000001": b"A growth.\n It was removed.\n",
    "ohsumed-first-20000-docs/training/C14/0000003": b"A heart.",
    "ohsumed-first-20000-docs/training/C23/0000001": b"A growth.\n It was removed.\n",
}
ABSTRACTS = [
    Document("0000002", "Test.", "Test.\n Not trained.\n", ["C04"]),
    Document("0000001", "A growth.", "A growth.\n It was removed.\n", ["C04", "C23"]),
    Document("0000003", "A heart.", "A heart.", ["C14"]),
]


def citation(pmid: str, abstract: str, headings: str, title: str = "On <i>tea</i>.") -> str:
    return (
        '<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM">'
        f'<PMID Version="1">{pmid}</PMID><Article PubModel="Print"><Journal><Title>The Journal</Title></Journal>'
        f"<ArticleTitle>{title}</ArticleTitle>{abstract}</Article><MeshHeadingList>{headings}</MeshHeadingList>"
        "<CommentsCorrectionsList><CommentsCorrections><PMID>999</PMID></CommentsCorrections></CommentsCorrectionsList>"
        f'</MedlineCitation><PubmedData><ArticleId IdType="pubmed">{pmid}</ArticleId></PubmedData></PubmedArticle>\n'
    )


def heading(name: str, major: str = "N", qualifier: str = "") -> str:
    return f'<MeshHeading><DescriptorName MajorTopicYN="{major}">{name}</DescriptorName>{qualifier}</MeshHeading>'


STARRED = '<QualifierName MajorTopicYN="Y">history</QualifierName>'
MEDLINE: Files = {
    "pubmed20n0001.xml": (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE PubmedArticleSet PUBLIC "x" "y.dtd">\n<PubmedArticleSet>\n'
        + citation(
            "11",
            '<Abstract><AbstractText Label="AIMS">Ünlike   coffee.</AbstractText>'
            "<AbstractText>Hot.</AbstractText></Abstract>",
            heading("Tea", "Y") + heading("Humans") + heading("Cups", "N", STARRED),
        )
        + citation("12", "<OtherAbstract><AbstractText>Not ours.</AbstractText></OtherAbstract>", heading("Tea"))
        + citation("13", "<Abstract><AbstractText>No headings.</AbstractText></Abstract>", "", "")
        + "</PubmedArticleSet>\n"
    ).encode(),
}
CITATIONS = [
    Document("11", "On tea.", "On tea.\n\nÜnlike coffee.\nHot.", ["Tea", "Humans", "Cups"]),
    Document("13", "13", "No headings.", []),
]


def page(address: str, title: str, description: str, topic: str) -> str:
    named = f"  <topic>{topic}</topic>\n" if topic else ""
    return (
        f'<ExternalPage about="{address}">\n  <d:Title>{title}</d:Title>\n'
        f"  <d:Description>{description}</d:Description>\n{named}</ExternalPage>\n"
    )


ODP: Files = {
    "content.rdf.u8": (
        '<?xml version="1.0" encoding="UTF-8"?>\n<RDF xmlns:r="http://www.w3.org/TR/RDF/">\n'
        '<Topic r:id="">\n  <catid>1</catid>\n</Topic>\n<Topic r:id="Top/Home/Tea">\n  <catid>9</catid>\n'
        '  <link r:resource="http://tea.example/"></link>\n</Topic>\n'
        + page("http://tea.example/?a&amp;b", "Tea &amp;\n Co", "All \x08about &lt;tea&gt;.", "Top/Home/Tea")
        + page("http://old.example/", "Old", "", "")
        + page("http://tea.example/?a&amp;b", "Tea", "Again.", "Top/World/Fran\u00e7ais/Maison/Th\u00e9")
        + "</RDF>\n"
    ).encode()
}
LISTINGS = [
    Document("http://tea.example/?a&b Top/Home/Tea", "Tea & Co", "Tea & Co\n\nAll \x08about <tea>.", ["Top/Home/Tea"]),
    Document("http://old.example/ Top/Home/Tea", "Old", "Old", ["Top/Home/Tea"]),
    Document(
        "http://tea.example/?a&b Top/World/Français/Maison/Thé",
        "Tea",
        "Tea\n\nAgain.",
        ["Top/World/Français/Maison/Thé"],
    ),
]


def question(uri: str, subject: str, content: str, more: str) -> str:
    return (
        f'<vespaadd><document type="wisdom">\n<uri>{uri}</uri>\n<subject>{subject}</subject>\n{content}'
        "<bestanswer>Because.</bestanswer>\n<nbestanswers><answer_item>Because.</answer_item>\n"
        f"<answer_item>Or not.</answer_item>\n</nbestanswers>\n{more}<date>1160000000</date>\n<id>u1</id>\n"
        "</document></vespaadd>\n"
    )


YAHOO: Files = {
    "FullOct2007.xml.part1": (
        "<?xml version='1.0' encoding='UTF-8'?>\n<ystfeed>\n"
        + question(
            "432470",
            "Why do I\n yawn?",
            "<content>Each day.&#xd;&lt;br&gt;&lt;br />Hm &amp;amp; ha</content>\n",
            "<cat>Sleep</cat>\n<maincat>Health</maincat>\n<subcat>Bodies &amp; Minds</subcat>\n<qlang>en</qlang>\n",
        )
        + question("2", "Pourquoi ?", "", "<maincat>Santé</maincat>\n<language>fr-fr</language>\n")
        + "</ystfeed>\n"
    ).encode(),
}
QUESTIONS = [
    Document("432470", "Why do I yawn?", "Why do I\n yawn?\n\nEach day.\r\n\nHm & ha", ["Sleep"]),
    Document("2", "Pourquoi ?", "Pourquoi ?", []),
]

RCV1: Files = {
    "rcv1/lyrl2004_tokens_train.dat": b".I 2286\n.W\nrecov recov excit\nbring\n\n.I 26150\n.W\nmexic\n\n",
    "rcv1/lyrl2004_tokens_test_pt0.dat": b".I 26151\n.W\nbring bring\n\n.I 810596\n.W\nexcit\n",
    "rcv1/rcv1-v2.topics.qrels": b"E11 2286 1\nECAT 2286 1\nM11 26151 1\nECAT 810596 1\n",
    "rcv1/rcv1-v2.regions.qrels": b"MEX 2286 1\n",
    "rcv1/stem.termid.idf.map.txt": b"recov 1 2.5\nexcit 2 4.25\nbring 3 1.125\nmexic 40 6.5\n",
}
NEWS = [
    Document("26151", "26151", "bring bring", ["M11"]),
    Document("810596", "810596", "excit", ["ECAT"]),
    Document("2286", "2286", "recov recov excit bring", ["E11", "ECAT"]),
    Document("26150", "26150", "mexic", []),
]

COLLECTIONS: dict[str, tuple[type[Any], Files, list[Document]]] = {
    "reuters": (pw.ReutersReader, REUTERS, STORIES),
    "newsgroups": (pw.NewsgroupsReader, NEWSGROUPS, MESSAGES),
    "ohsumed": (pw.OhsumedReader, OHSUMED, ABSTRACTS),
    "medline": (pw.MedlineReader, MEDLINE, CITATIONS),
    "rcv1": (pw.RCV1Reader, RCV1, NEWS),
    "odp": (pw.ODPReader, ODP, LISTINGS),
    "yahoo-qa": (pw.YahooQAReader, YAHOO, QUESTIONS),
}


def as_folder(folder: Path, files: Files) -> Path:
    for name, content in files.items():
        (folder / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "in" / name).write_bytes(content)
    return folder / "in"


def as_compressed_files(folder: Path, files: Files) -> Path:
    return as_folder(folder, {f"{name}.gz": gzip.compress(content) for name, content in files.items()})


def tarred(files: Files, kind: int = tarfile.GNU_FORMAT) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=kind) as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def zipped(files: Files) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def written(name: str, pack: Callable[[Files], bytes]) -> Callable[[Path, Files], Path]:
    def write(folder: Path, files: Files) -> Path:
        (folder / name).write_bytes(pack(files))
        return folder / name

    return write


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: pa.compress(data, "zstd", asbytes=True),
}
"""By the end of a file's name."""

PACKINGS: dict[str, Callable[[Path, Files], Path]] = {
    "folder": as_folder,
    "compressed files": as_compressed_files,
    "tar": written("x.tar", lambda files: tarred(files, tarfile.PAX_FORMAT)),
    "tar.gz": written("x.tar.gz", lambda files: gzip.compress(tarred(files))),
    "tgz": written("x.tgz", lambda files: gzip.compress(tarred(files))),
    "tar.xz, by another name": written("download", lambda files: lzma.compress(tarred(files))),
    "tar.zst": written("x.tar.zst", lambda files: pa.compress(tarred(files), "zstd", asbytes=True)),
    "zip": written("x.zip", zipped),
    "tar.gz in zip": written("x.zip", lambda files: zipped({"deep/x.tar.gz": gzip.compress(tarred(files))})),
    "archive in folder": lambda folder, files: (
        written("x.tar.gz", lambda f: gzip.compress(tarred(f)))(folder, files).parent
    ),
}


def by_id(documents: Iterable[Any]) -> list[Document]:
    return sorted(documents, key=lambda document: document.id)


def read(name: str, files: Files | None = None, **options: Any) -> tuple[list[Document], dict[str, int]]:
    """Read a collection, in the order of its files; return its documents and the remarks."""
    kind, usual, _ = COLLECTIONS[name]
    with tempfile.TemporaryDirectory() as folder:
        reader = kind(PACKINGS["tar.gz"](Path(folder), usual if files is None else files), **options)
        return list(reader), reader.remarks


def ids(documents: Iterable[Document]) -> list[str]:
    return [document.id for document in documents]
