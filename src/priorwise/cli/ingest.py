"""`priorwise ingest`: documents in, a corpus out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial, wraps
from pathlib import Path
from typing import Any, Literal

import click
from click.core import ParameterSource

from priorwise.cli.data import add_vectors, show_vectors
from priorwise.cli.options import (
    ALLOW_LARGE,
    COUNT,
    MASTER,
    PATH,
    SEED,
    Group,
    chooses_engine,
    given_files,
    named,
    open_corpus,
    option,
    place,
    reads_records,
    using,
)
from priorwise.cli.output import progress_bar, safe, say
from priorwise.counting import counted

PREVIEWED = 3


@click.group(cls=Group)
def ingest() -> None:
    """Read documents into a corpus.

    If a command is killed or interrupted, run it again: it continues where it was.
    """


FILES = click.argument("files", metavar="FILE...", nargs=-1, required=True, callback=given_files)
OUTPUT = partial(
    option,
    "-o",
    "--output",
    metavar="PATH",
    callback=place,
    help="The corpus folder to write; with --engine spark also an address, such as s3://bucket/x.corpus.",
)
OVERWRITE = option("--overwrite", is_flag=True, help="Replace the corpus if it exists.")
THREADS = option(
    "--threads", "workers", old="--workers", type=COUNT, group="Where to compute", help="[default: all cores]"
)
SPLIT = option("--split", type=click.Choice(["all", "train", "test"]), default="all", help="Which part to read.")
LABELLED = option("--labelled", is_flag=True, help="Leave out documents without a label.")


def keep_text(default: str) -> Callable[[Any], Any]:
    """Return the option that says how much of each text to keep."""
    sizes = click.Choice(["lead", "whole", "none"])
    return option(
        "--keep-text",
        type=sizes,
        default=default,
        help="Keep 1,500 bytes of each text to read, or 100,000, or nothing.",
    )


def labels(*choices: str) -> Callable[[Any], Any]:
    """Return the option that says which field of a dataset has the labels; the first is the usual one."""
    return option("--labels", type=click.Choice(choices), default=choices[0], help="The field with the labels.")


VECTORS = option("--vectors", type=PATH, help="A vector for each document, as .npy, .parquet or .safetensors.")


def check_vectors(writing: Writing) -> None:
    """Refuse a file that holds no vectors before anything is read."""
    from priorwise.corpus.vectors import read_vectors

    assert writing.vectors is not None
    if not isinstance(writing.output, Path):
        raise click.UsageError("--vectors needs a corpus on this machine; use `priorwise embed` on a copy.")
    read_vectors(writing.vectors)


@dataclass(frozen=True, slots=True)
class Writing:
    """Where a corpus goes and how it is written, as the options of a command say."""

    output: Path | str
    overwrite: bool
    workers: int | None
    keep_text: Literal["lead", "whole", "none"]
    engine: str = "local"
    master: str | None = None
    vectors: Path | None = None


def writes_corpus(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of :class:`Writing`, and hand them over as its first argument."""

    @OUTPUT(required=True)
    @OVERWRITE
    @keep_text("whole")
    @VECTORS
    @ALLOW_LARGE
    @THREADS
    @chooses_engine
    @wraps(function)
    def with_options(**options: Any) -> None:
        own = {each.name: options.pop(each.name) for each in fields(Writing)}
        writing = Writing(**own)
        if writing.vectors is not None:
            check_vectors(writing)
        function(writing, **options)
        if writing.vectors is not None:
            corpus = open_corpus(writing.output)
            add_vectors(corpus, writing.vectors)
            show_vectors(corpus)

    return with_options


def ingest_reader(
    reader: Callable[[], Any],
    writing: Writing,
    duplicates: Literal["error", "first", "last", "number"] = "error",
    copies: Literal["keep", "drop", "join"] | None = None,
) -> None:
    """Read a reader's documents into a corpus, under a bar, and say what came of it."""
    from priorwise.corpus import ingest as run_ingest

    with using(writing.engine, writing.master) as spark:
        run_and_show(
            writing.output,
            lambda progress: run_ingest(
                reader(),
                writing.output,
                workers=writing.workers,
                overwrite=writing.overwrite,
                progress=progress,
                duplicates=duplicates,
                copies=None if spark is not None and copies == "keep" else copies,
                keep_text=writing.keep_text,
                work=None if spark is None else spark.work,
            ),
        )


def run_and_show(output: Path | str, run: Callable[[Any], Any]) -> None:
    """Run an ingest, given what to tell of its progress, under a bar, and say what it did."""
    with progress_bar(f"Reading into {Path(named(output)).name}") as bar:

        def show(done: int, total: int, documents: int) -> None:
            bar.update(completed=done, total=total or None, note=counted(documents, "document") if documents else "")

        try:
            summary = run(show)
        except KeyboardInterrupt:
            say("Stopped. Run the same command again to continue.", err=True)
            raise
    speed = summary.documents / summary.seconds if summary.seconds else 0.0
    if summary.discarded:
        say("An unfinished corpus of other inputs was discarded.")
    if summary.resumed:
        say(f"Continued after {counted(summary.resumed, 'document')} that were done already.")
    # The size of a table of Spark's is not known.
    read = f", {summary.bytes / 1e6 / max(summary.seconds, 1e-9):,.1f} MB/s" if summary.bytes else ""
    say(
        f"{named(output)}: {counted(summary.documents, 'document')} in {summary.seconds:.1f} s "
        f"({speed:,.0f} documents/s{read})"
    )
    say(
        f"{counted(summary.vocabulary, 'distinct token')}, {summary.tokens:,} in all documents; "
        f"{counted(summary.labels, 'label')}, {counted(summary.memberships, 'membership')}"
    )
    for remark, count in summary.remarks.items():
        say(f"{safe(remark)}: {count:,}")


@ingest.command(
    examples="""
    ingest records catalogue.xlsx -o catalogue.corpus --text abstract --labels subjects
    ingest records papers.ris -o papers.corpus
    """
)
@FILES
@reads_records()
@option(
    "--duplicate-ids",
    type=click.Choice(["number", "first", "last", "error"]),
    default="number",
    help="Rows that share an id: number the later ones, keep the first or the last, or refuse them.",
)
@option(
    "--duplicates",
    type=click.Choice(["keep", "drop", "join"]),
    default="keep",
    help="Near copies of a document: keep and count them, leave them out, or also give the first their labels.",
)
@option("--drop-columns", is_flag=True, group="Columns", help="Do not keep the other columns.")
@option("--no-join", is_flag=True, help="Keep records of bibliographies apart that are the same publication.")
@writes_corpus
def records(
    writing: Writing, files: tuple[Path, ...], columns: Any, opening: Any, duplicate_ids: Any, duplicates: Any
) -> None:
    """Read FILES of records into a corpus.

    \b
    Tables          CSV, TSV, Excel (.xlsx, .xls), LibreOffice (.ods)
    Bibliographies  RIS, PubMed (.nbib), BibTeX, EndNote (.xml)
    Databases       SQLite, DuckDB, with --query
    Data            JSON lines, Parquet, Arrow

    Files may be compressed (gzip, bz2, xz, zstd), and - is the standard input. Columns that you do not name, and that
    are not called 'text', 'title', 'labels' and 'id', are guessed and printed. How each file was read, and every row
    that was left out or changed, is counted at the end.
    """  # noqa: D301
    from priorwise.readers.records import RecordReader

    reader = _guessed(RecordReader(files, columns, opening))
    ingest_reader(lambda: reader, writing, duplicate_ids, duplicates)


def _guessed(reader: Any) -> Any:
    """Return a reader that guesses the columns that nobody named and that do not have their usual names."""
    from priorwise.readers.fields import find_columns

    source = click.get_current_context().get_parameter_source
    options = {"text": "text", "title": "title", "labels": "labels_column", "id": "id"}
    free = [role for role, name in options.items() if source(name) is ParameterSource.DEFAULT]
    found = find_columns(reader.columns, reader.first_records(), free) if free else {}
    if not found:
        return reader
    said = ", ".join(f"{role} '{safe(name)}'" for role, name in found.items())
    say(f"Columns: {said}. To choose others, give --text, --title, --labels or --id.", err=True)
    return reader.with_columns(replace(reader.columns, **found))


@ingest.command(examples="ingest folder mails/ -o mails.corpus")
@click.argument("folder", callback=place)
@option("--merge", is_flag=True, help="Files of one name in several folders are one document with several labels.")
@writes_corpus
def folder(writing: Writing, folder: Path | str, merge: bool) -> None:
    """Read FOLDER: one sub-folder per label, one file per document."""
    from priorwise.readers.folder import FolderReader

    if isinstance(folder, str):
        raise click.UsageError("A folder of files is read from the disk, not from an address; records are from either.")
    ingest_reader(lambda: FolderReader(folder, merge=merge), writing)


@ingest.command(examples="ingest table news.articles --where \"language = 'en'\" -o news.corpus")
@click.argument("name")
@option("--where", metavar="SQL", help="Take the rows for which this holds, as in \"wiki_id = 'enwiki'\".")
@reads_records(opens=False)
@option("--wikitext", is_flag=True, help="The texts are wikitext; the categories they name are labels.")
@option("--language", default="en", help="The language of the wiki.")
@OUTPUT(required=True)
@OVERWRITE
@keep_text("whole")
@option("--engine", type=click.Choice(["spark"]), default="spark", help="Only Spark can read it.")
@MASTER
def table(
    name: str,
    where: str | None,
    columns: Any,
    output: Path | str,
    engine: str,
    master: str | None,
    **choices: Any,
) -> None:
    """Read the table NAME of Spark's catalogue, such as news.articles.

    The documents are sorted by their ids. Wikimedia's tables of content are recognised; only choose the wiki.
    """
    names = ("text", "id", "title", "labels", "separator", "title_words")
    choices |= {each: getattr(columns, each) for each in names}
    with using(engine, master) as spark:
        frame = spark.table(name, where)
        run_and_show(output, lambda _progress: spark.ingest(frame, output, **choices))


@ingest.command(examples="ingest wikipedia simplewiki/*.bz2 -o simplewiki.corpus")
@FILES
@OUTPUT()
@option("--min-bytes", type=SEED, default=300, help="Leave out articles with less wikitext.")
@option("--limit", type=COUNT, help="Stop after this many articles.")
@option(
    "--references-heading",
    "references",
    multiple=True,
    help="Another heading that begins the references, from which on a page is dropped. May be repeated.",
)
@option("--no-inline-templates", is_flag=True, help="Leave out templates such as {{ill}} and {{convert}}.")
@option("--dry-run", is_flag=True, help="Show the first articles as they would be read, and write nothing.")
@OVERWRITE
@keep_text("lead")
@THREADS
@chooses_engine
def wikipedia(
    files: tuple[Path, ...],
    output: Path | str | None,
    min_bytes: int,
    limit: int | None,
    references: tuple[str, ...],
    no_inline_templates: bool,
    dry_run: bool,
    engine: str,
    master: str | None,
    **writing: Any,
) -> None:
    """Read the dump FILES of Wikipedia or another MediaWiki, in any order.

    XML dumps (pages-articles, in one file or many; bzip2, gzip, xz, zstd or plain), CirrusSearch dumps, and the SQL
    dumps of categorylinks, linktarget and page, which complete the categories: files are recognised by what they hold.
    """
    if dry_run:
        _preview(files, min_bytes, references, limit or PREVIEWED)
        return
    if output is None:
        raise click.UsageError("Missing option '-o' / '--output'.")
    from priorwise.corpus.build.wikipedia import ingest_wikipedia

    with using(engine, master) as spark:
        run_and_show(
            output,
            lambda progress: ingest_wikipedia(
                files,
                output,
                references=references,
                min_bytes=min_bytes,
                limit=limit,
                progress=progress,
                inline_templates=not no_inline_templates,
                work=None if spark is None else spark.work,
                **writing,
            ),
        )


def _preview(files: tuple[Path, ...], min_bytes: int, references: tuple[str, ...], n: int) -> None:
    from priorwise.wiki.pages import first_articles

    for document in first_articles(files, n, min_bytes=min_bytes, references=references):
        say(f"== {safe(document.title)} ==\n")
        say("\n".join(safe(line) for line in document.text.splitlines()))
        say("\nCategories: " + ("; ".join(map(safe, [*document.labels, *document.added])) or "none") + "\n")


def _dataset(name: str, reader: str, about: str, *options: Callable[[Any], Any], examples: str) -> None:
    """Add the command of a published dataset, which is read as it comes."""

    def read(writing: Writing, files: tuple[Path, ...], **choices: Any) -> None:
        from importlib import import_module

        module = import_module(f"priorwise.readers.collections.{name.replace('-', '_')}")
        ingest_reader(lambda: getattr(module, reader)(files, **choices), writing, "first")

    read.__doc__ = about
    function = writes_corpus(read)
    for each in reversed([FILES, *options]):
        function = each(function)
    ingest.command(name, examples=f"ingest {name} {examples}")(function)


_dataset(
    "reuters",
    "ReutersReader",
    """Read Reuters-21578: its archive, folder or .sgm files.

    The parts are those of the ModApte split: 9,603 and 3,299 stories, or with --labelled 7,775 and 3,019.
    """,
    SPLIT,
    labels("topics", "places", "people", "orgs", "exchanges"),
    LABELLED,
    examples="reuters21578.tar.gz -o reuters.corpus",
)
_dataset(
    "newsgroups",
    "NewsgroupsReader",
    """Read 20 Newsgroups, any version: its archive or its folders.

    Only the version by date has parts: 11,314 and 7,532 messages.
    """,
    SPLIT,
    option("--strip-headers", is_flag=True, help="Leave out the headers, which name sender and organisation."),
    examples="20news-bydate.tar.gz --split train -o train.corpus",
)
_dataset(
    "ohsumed",
    "OhsumedReader",
    """Read Ohsumed: its archive or its folder.

    Labels are the folders of the classes; an abstract in several folders is one document with several labels. The parts
    of the first 20,000 abstracts have 6,286 and 7,643 documents.
    """,
    SPLIT,
    examples="ohsumed-first-20000-docs.tar.gz -o ohsumed.corpus",
)
_dataset(
    "medline",
    "MedlineReader",
    """Read MEDLINE, the .xml.gz files of PubMed.

    Labels are the MeSH terms. Records without an abstract are left out, and counted.
    """,
    option("--major", is_flag=True, help="Take only the terms that are main topics of their article."),
    option("--without-abstract", is_flag=True, help="Keep records without an abstract; the title is their text."),
    LABELLED,
    examples="pubmed26n0001.xml.gz -o medline.corpus",
)
_dataset(
    "rcv1",
    "RCV1Reader",
    """Read RCV1-v2: its token files or its vector files.

    With them give the file of labels (rcv1-v2.topics.qrels.gz) and, for vectors, the dictionary
    (stem.termid.idf.map.txt), in any order, or the folder they are in. The parts are those of LYRL2004: 23,149 and
    781,265 stories.
    """,
    SPLIT,
    labels("topics", "industries", "regions"),
    LABELLED,
    examples="rcv1/ -o rcv1.corpus",
)
_dataset(
    "odp",
    "ODPReader",
    """Read the Open Directory's content.rdf.u8.gz.

    Labels are the topics. A page that is listed under several topics is a document for each, because each listing has
    its own description.
    """,
    option("--depth", type=COUNT, help="Cut topics to this many levels below Top."),
    examples="content.rdf.u8.gz --depth 2 -o odp.corpus",
)
_dataset(
    "yahoo-qa",
    "YahooQAReader",
    """Read Yahoo! Answers (Webscope L6): its parts, in their order.""",
    labels("cat", "maincat", "subcat"),
    option("--answers", is_flag=True, help="Add the best answer to the text of the question."),
    option("--language", help="Read only the questions in this language, such as 'en'."),
    LABELLED,
    examples="FullOct2007.xml.part1.gz FullOct2007.xml.part2.gz -o answers.corpus",
)
