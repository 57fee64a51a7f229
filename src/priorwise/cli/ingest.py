"""`priorwise ingest`: documents in, a corpus out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

from priorwise.cli.data import add_vectors, show_vectors
from priorwise.cli.options import (
    ALLOW_LARGE,
    chooses_engine,
    given_files,
    named,
    open_corpus,
    place,
    reads_records,
    using,
)
from priorwise.cli.output import progress_bar, safe
from priorwise.counting import counted


@click.group()
def ingest() -> None:
    """Read documents into a corpus.

    If a command is killed or interrupted, run it again: it continues where it was.
    """


OUTPUT = click.option(
    "-o",
    "--output",
    "output",
    metavar="PATH",
    callback=place,
    required=True,
    help="The corpus folder to write; with --engine spark it may be an address, such as s3://bucket/x.corpus.",
)
OVERWRITE = click.option("--overwrite", is_flag=True, help="Replace the corpus if it is there already.")
WORKERS = click.option("--workers", type=click.IntRange(min=1), help="Threads that count tokens; all cores by default.")


def keep_text(default: str) -> Callable[[Any], Any]:
    """Return the option that says how much of each text to keep."""
    return click.option(
        "--keep-text",
        type=click.Choice(["lead", "whole", "none"]),
        default=default,
        show_default=True,
        help="How much of each text to keep for people to read: 1,500 bytes, 100,000, or nothing.",
    )


VECTORS = click.option(
    "--vectors",
    type=click.Path(path_type=Path),
    help="A file with a vector for each document, from any encoder: .npy, .parquet or .safetensors.",
)


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


def writes_corpus(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of :class:`Writing`, and hand them over as its first argument."""

    @OUTPUT
    @OVERWRITE
    @WORKERS
    @keep_text("whole")
    @VECTORS
    @ALLOW_LARGE
    @chooses_engine
    @wraps(command)
    def with_options(**options: Any) -> None:
        own = {each.name: options.pop(each.name) for each in fields(Writing)}
        writing = Writing(**own)
        if writing.vectors is not None:
            check_vectors(writing)
        command(writing, **options)
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
            click.echo("Stopped. Run the same command again to continue.", err=True)
            raise
    speed = summary.documents / summary.seconds if summary.seconds else 0.0
    if summary.discarded:
        click.echo("An unfinished corpus of other inputs was discarded.")
    if summary.resumed:
        click.echo(f"Went on after {counted(summary.resumed, 'document')} done already.")
    # How much a table of Spark's takes is not known.
    read = f", {summary.bytes / 1e6 / max(summary.seconds, 1e-9):,.1f} MB/s" if summary.bytes else ""
    click.echo(
        f"{named(output)}: {counted(summary.documents, 'document')} in {summary.seconds:.1f} s "
        f"({speed:,.0f} documents/s{read})"
    )
    click.echo(
        f"{counted(summary.vocabulary, 'distinct token')}, {summary.tokens:,} in all documents; "
        f"{counted(summary.labels, 'label')}, {counted(summary.memberships, 'membership')}"
    )
    for remark, count in summary.remarks.items():
        click.echo(f"{safe(remark)}: {count:,}")


@ingest.command()
@click.argument("files", nargs=-1, required=True, callback=given_files)
@reads_records()
@click.option(
    "--duplicate-ids",
    type=click.Choice(["number", "first", "last", "error"]),
    default="number",
    show_default=True,
    help="What to do with rows that share an id: number the later ones, keep the first or the last, or refuse them.",
)
@click.option(
    "--duplicates",
    type=click.Choice(["keep", "drop", "join"]),
    default="keep",
    show_default=True,
    help="What to do with near copies of an earlier document: keep and count them, leave them out, or leave them out "
    "and give their labels to the first.",
)
@click.option("--drop-columns", is_flag=True, help="Do not keep the other columns.")
@click.option("--no-join", is_flag=True, help="Keep records of bibliographies apart that are the same publication.")
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

    Files may be compressed (gzip, bz2, xz, zstd), and - is the standard input. How each file was read, and every row
    that was left out or changed, is counted at the end.
    """  # noqa: D301
    from priorwise.readers.records import RecordReader

    ingest_reader(lambda: RecordReader(files, columns, opening), writing, duplicate_ids, duplicates)


@ingest.command()
@click.argument("folder", callback=place)
@click.option(
    "--merge", is_flag=True, help="Files of the same name in several folders are one document with several labels."
)
@writes_corpus
def folder(writing: Writing, folder: Path | str, merge: bool) -> None:
    """Read FOLDER: one sub-folder per label, one file per document."""
    from priorwise.readers.folder import FolderReader

    if isinstance(folder, str):
        raise click.UsageError("A folder of files is read from the disk, not from an address; records are from either.")
    ingest_reader(lambda: FolderReader(folder, merge=merge), writing)


@ingest.command()
@click.argument("name")
@click.option("--where", metavar="SQL", help="Take the rows for which this holds, as in \"wiki_id = 'enwiki'\".")
@reads_records(opens=False)
@click.option("--wikitext", is_flag=True, help="The texts are wikitext; the categories they name are labels.")
@click.option("--language", default="en", show_default=True, help="The language of the wiki.")
@OUTPUT
@OVERWRITE
@keep_text("whole")
@click.option(
    "--engine", type=click.Choice(["spark"]), default="spark", show_default=True, help="Only Spark can read it."
)
@click.option("--master", help="The cluster, such as spark://host:7077 or yarn. [default: as Spark is set up]")
def table(
    name: str,
    where: str | None,
    columns: Any,
    wikitext: bool,
    language: str,
    output: Path | str,
    overwrite: bool,
    keep_text: Literal["lead", "whole", "none"],
    engine: str,
    master: str | None,
) -> None:
    """Read the table NAME of Spark's catalogue, such as news.articles.

    The documents are sorted by their ids. Wikimedia's tables of content are recognised; only choose the wiki.
    """
    with using(engine, master) as spark:
        frame = spark.table(name, where)
        run_and_show(
            output,
            lambda _progress: spark.ingest(
                frame,
                output,
                text=columns.text,
                id=columns.id,
                title=columns.title,
                labels=columns.labels,
                separator=columns.separator,
                title_words=columns.title_words,
                wikitext=wikitext,
                language=language,
                keep_text=keep_text,
                overwrite=overwrite,
            ),
        )


PREVIEWED = 3


@ingest.command()
@click.argument("files", nargs=-1, required=True, callback=given_files)
@click.option(
    "-o",
    "--output",
    metavar="PATH",
    callback=place,
    help="The corpus folder to write, or its address, with --engine spark.",
)
@click.option(
    "--min-bytes",
    type=click.IntRange(min=0),
    default=300,
    show_default=True,
    help="Leave out articles with less wikitext.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Stop after this many articles.")
@click.option(
    "--references-heading",
    "references",
    multiple=True,
    help="Another heading that begins the references, from which on a page is dropped; may be given again.",
)
@click.option("--no-inline-templates", is_flag=True, help="Leave out templates such as {{ill}} and {{convert}}.")
@click.option("--dry-run", is_flag=True, help="Show the first articles as they would be read, and write nothing.")
@OVERWRITE
@WORKERS
@keep_text("lead")
@chooses_engine
def wikipedia(
    files: tuple[Path, ...],
    output: Path | str | None,
    min_bytes: int,
    limit: int | None,
    references: tuple[str, ...],
    no_inline_templates: bool,
    dry_run: bool,
    overwrite: bool,
    workers: int | None,
    keep_text: Literal["lead", "whole", "none"],
    engine: str,
    master: str | None,
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
                workers=workers,
                overwrite=overwrite,
                progress=progress,
                keep_text=keep_text,
                inline_templates=not no_inline_templates,
                work=None if spark is None else spark.work,
            ),
        )


def _preview(files: tuple[Path, ...], min_bytes: int, references: tuple[str, ...], n: int) -> None:
    from priorwise.wiki.pages import first_articles

    for document in first_articles(files, n, min_bytes=min_bytes, references=references):
        click.echo(f"== {safe(document.title)} ==\n")
        click.echo("\n".join(safe(line) for line in document.text.splitlines()))
        click.echo("\nCategories: " + ("; ".join(map(safe, [*document.labels, *document.added])) or "none") + "\n")


Command = TypeVar("Command", bound=Callable[..., Any])

INPUTS = click.argument("inputs", metavar="INPUT...", nargs=-1, required=True, callback=given_files)
SPLIT = click.option(
    "--split",
    type=click.Choice(["all", "train", "test"]),
    default="all",
    show_default=True,
    help="Which part to read; give the command twice for two corpora.",
)
LABELLED = click.option("--labelled", is_flag=True, help="Leave out documents without a label.")


def labels(*choices: str) -> Callable[[Command], Command]:
    """Return the option that says which of a collection's labels to take; the first choice is the usual one."""
    return click.option(
        "--labels", type=click.Choice(choices), default=choices[0], show_default=True, help="What the labels are."
    )


@ingest.command()
@INPUTS
@SPLIT
@labels("topics", "places", "people", "orgs", "exchanges")
@LABELLED
@writes_corpus
def reuters(writing: Writing, inputs: tuple[Path, ...], **options: Any) -> None:
    """Read Reuters-21578: its archive, folder or .sgm files.

    The parts are those of the ModApte split: 9,603 and 3,299 stories, or with --labelled 7,775 and 3,019.
    """
    from priorwise.readers.collections.reuters import ReutersReader

    ingest_reader(lambda: ReutersReader(inputs, **options), writing, "first")


@ingest.command()
@INPUTS
@SPLIT
@click.option("--strip-headers", is_flag=True, help="Leave out the headers, which name sender and organisation.")
@writes_corpus
def newsgroups(writing: Writing, inputs: tuple[Path, ...], **options: Any) -> None:
    """Read 20 Newsgroups, any version: its archive or its folders.

    Only the version by date has parts: 11,314 and 7,532 messages.
    """
    from priorwise.readers.collections.newsgroups import NewsgroupsReader

    ingest_reader(lambda: NewsgroupsReader(inputs, **options), writing, "first")


@ingest.command()
@INPUTS
@SPLIT
@writes_corpus
def ohsumed(writing: Writing, inputs: tuple[Path, ...], **options: Any) -> None:
    """Read Ohsumed: its archive or its folder.

    Labels are the folders of the classes; an abstract in several folders is one document with several labels. The parts
    of the first 20,000 abstracts have 6,286 and 7,643 documents.
    """
    from priorwise.readers.collections.ohsumed import OhsumedReader

    ingest_reader(lambda: OhsumedReader(inputs, **options), writing, "first")


@ingest.command()
@INPUTS
@click.option("--major", is_flag=True, help="Take only the headings that are main topics of their article.")
@click.option("--without-abstract", is_flag=True, help="Keep records without an abstract; the title is their text.")
@LABELLED
@writes_corpus
def medline(writing: Writing, inputs: tuple[Path, ...], **options: Any) -> None:
    """Read MEDLINE, the .xml.gz files of PubMed.

    Labels are the MeSH headings. Records without an abstract are left out, and counted.
    """
    from priorwise.readers.collections.medline import MedlineReader

    ingest_reader(lambda: MedlineReader(inputs, **options), writing, "first")


@ingest.command()
@INPUTS
@SPLIT
@labels("topics", "industries", "regions")
@LABELLED
@writes_corpus
def rcv1(writing: Writing, inputs: tuple[Path, ...], **options: Any) -> None:
    """Read RCV1-v2: its token files or its vector files.

    With them give the file of labels (rcv1-v2.topics.qrels.gz) and, for vectors, the dictionary
    (stem.termid.idf.map.txt), in any order, or the folder they are in. The parts are those of LYRL2004: 23,149 and
    781,265 stories.
    """
    from priorwise.readers.collections.rcv1 import RCV1Reader

    ingest_reader(lambda: RCV1Reader(inputs, **options), writing, "first")


@ingest.command()
@INPUTS
@click.option("--depth", type=click.IntRange(min=1), help="Cut topics to that many levels below Top.")
@writes_corpus
def odp(writing: Writing, inputs: tuple[Path, ...], **options: Any) -> None:
    """Read the Open Directory's content.rdf.u8.gz.

    Labels are the topics; a page that is listed under several topics is described anew under each, and is a document
    each time.
    """
    from priorwise.readers.collections.odp import ODPReader

    ingest_reader(lambda: ODPReader(inputs, **options), writing, "first")


@ingest.command()
@INPUTS
@labels("cat", "maincat", "subcat")
@click.option("--answers", is_flag=True, help="Add the best answer to the text of the question.")
@click.option("--language", help="Read only the questions in this language, such as 'en'.")
@LABELLED
@writes_corpus
def yahoo_qa(writing: Writing, inputs: tuple[Path, ...], **options: Any) -> None:
    """Read Yahoo! Answers (Webscope L6): its parts, in their order."""
    from priorwise.readers.collections.yahoo_qa import YahooQAReader

    ingest_reader(lambda: YahooQAReader(inputs, **options), writing, "first")
