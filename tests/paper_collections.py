"""Collections of the shapes that the papers' experiments read, small and made up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from reproductions.__main__ import reproduce as command
from reproductions.data import Data
from reproductions.experiment import Findings, Session, find_experiment
from reproductions.results import Results
from reproductions.table import Table
from small_collections import citation, heading, story

Reproduce = Callable[..., Result]

STOP_WORDS = ("the", "of", "and")
TOPICS = [f"topic{letter}" for letter in "abcdefghijkl"]
GROUPS = ("rec.tea", "sci.oil", "talk.law")
DISEASES = ("C01", "C02", "C03", "C04")


class Writer:
    """Texts of made-up words, of which each class prefers some."""

    def __init__(self, seed: int = 0) -> None:
        self.random = np.random.default_rng(seed)

    def text(self, number: int, length: int = 30) -> str:
        own = [f"{letter}{'xyzuvw'[number % 6]}{'klmnop'[number // 6 % 6]}" for letter in "abcdefgh"]
        shared = [*STOP_WORDS, "well", "went", "were", "with", "what", "1987", "mp3", "don't"]
        drawn = np.where(self.random.random(length) < 0.4, self.random.choice(own, length), "")
        return " ".join(word or self.random.choice(shared) for word in drawn.tolist())


def write_collections(folder: Path) -> Path:
    """Write one collection of each kind, and the stop list."""
    writer = Writer()
    write(folder, "smart-stop-list.txt", "\n".join(STOP_WORDS))
    write(folder, "reuters-21578/reut2-000.sgm", _stories(writer))
    for split, count in (("train", 12), ("test", 8)):
        for g, group in enumerate(GROUPS):
            for n in range(count):
                text = f"From: a@b.example\nSubject: {group}\n\n{writer.text(g)}\n"
                write(folder, f"20-newsgroups/20news-bydate-{split}/{group}/{1000 * (split == 'test') + n}", text)
    for split, count in (("training", 12), ("test", 8)):
        for d, disease in enumerate(DISEASES):
            for n in range(count):
                number = f"{1000 * (split == 'test') + 100 * d + n:07}"
                text = f"On it.\n {writer.text(d)}\n"
                write(folder, f"ohsumed/{split}/{disease}/{number}", text)
                if n % 5 == 0:
                    write(folder, f"ohsumed/{split}/{DISEASES[(d + 1) % 4]}/{number}", text)
    titles = [f"{11 + c}-1011.00\t{writer.text(c, 4)}\tn/a\t08" for c in range(25) for _ in range(8)]
    lines = ["O*NET-SOC Code\tAlternate Title\tShort Title\tSource(s)", *titles]
    write(folder, "taxonomies/onet_text/Alternate Titles.txt", "\n".join(lines))
    write(folder, "wordnet/data.noun", _synsets(writer))
    write(folder, "medline/pubmed20n0001.xml", _citations(writer))
    return folder


@pytest.fixture(scope="session")
def collections(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_collections(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="session")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where tests of the experiments keep what they have read."""
    return tmp_path_factory.mktemp("corpora")


@pytest.fixture(scope="session")
def reproduce() -> Reproduce:
    """Call the command line of the reproductions in this process."""

    def call(*arguments: object) -> Result:
        result = CliRunner().invoke(command, [str(argument) for argument in arguments])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
        return result

    return call


def tables_of(findings: Findings) -> list[Table]:
    """The tables among what an experiment found."""
    return [part for part in findings.parts if isinstance(part, Table)]


def session_of(folder: Path, corpora: Path, path: Path, name: str, *only: str, quick: bool = True) -> Session:
    """A session of an experiment, or of some parts of it."""
    parts = find_experiment(name).chosen(only)
    return Session(Data(folder, corpora), Results(path, quick=quick), lambda what, share: None, parts, quick=quick)


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _stories(writer: Writer) -> str:
    stories = []
    for number in range(1, 181):
        first = number % len(TOPICS)
        # The last topics are rare, so that ten are the largest; some stories have none, some two.
        topics = [] if number % 9 == 0 or (first >= 10 and number % 5) else [TOPICS[first]]
        topics += [TOPICS[(first + 1) % 10]] if number % 7 == 0 and topics else []
        body = f"<TEXT><TITLE>On it</TITLE><BODY>{writer.text(first)}</BODY></TEXT>"
        stories.append(story(number, "TEST" if number % 3 == 0 else "TRAIN", "YES", body, topics=topics))
    return "".join(stories)


def _synsets(writer: Writer) -> str:
    lines = ["  1 This is the licence."]
    lines += [f"{c:08} 03 n 01 class_{c} 0 000 | what is above all else" for c in range(1, 13)]
    lines += [
        f"{100 * c + n:08} 03 n 02 made_up 0 thing 0 001 @ {c:08} n 0000 | {writer.text(c, 8)}"
        for c in range(1, 13)
        for n in range(1, 3 if c == 12 else 9)
    ]
    return "\n".join(lines) + "\n"


def _citations(writer: Writer) -> str:
    cited = [
        citation(
            f"{100 * h + n}",
            f"<Abstract><AbstractText>{writer.text(h)}</AbstractText></Abstract>",
            heading(f"Heading {h}", "Y") + heading("Tea", "Y" if n % 2 else "N") + heading("Humans"),
        )
        for h in range(1, 6)
        for n in range(12)
    ]
    return f'<?xml version="1.0"?>\n<PubmedArticleSet>\n{"".join(cited)}</PubmedArticleSet>\n'
