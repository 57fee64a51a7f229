"""`priorwise ingest reuters`, `newsgroups`, …: published collections, as they come."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from priorwise.cli import places
from priorwise.cli.ingest_options import Writing, ingest_reader, writes_corpus

Command = TypeVar("Command", bound=Callable[..., Any])

INPUTS = click.argument("inputs", metavar="INPUT...", nargs=-1, required=True, callback=places.files)
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


@click.command()
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


@click.command()
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


@click.command()
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


@click.command()
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


@click.command()
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


@click.command()
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


@click.command()
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
