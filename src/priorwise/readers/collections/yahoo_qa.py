"""Yahoo! Answers: questions, with the categories that those who asked filed them under."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from priorwise.errors import InputError
from priorwise.readers.blocks import field, unescaped
from priorwise.readers.collections.base import CollectionReader, Paths, in_one_line
from priorwise.readers.document import Document

LABELS = ("cat", "maincat", "subcat")
NO_URI = "questions without a uri, left out"
OTHER_LANGUAGES = "questions in other languages, left out"

_LINE_END = re.compile(r"<br ?/?>", re.IGNORECASE)


class YahooQAReader(CollectionReader):
    r"""Questions of Yahoo! Answers; an id is a uri, a title is the subject, a text is the subject and the details.

    Parameters
    ----------
    paths : path or sequence of paths
        ``FullOct2007.xml.part1.gz`` and ``.part2.gz`` of Webscope's dataset L6, in this order: a question that is cut
        in two between them is read whole. Also the one file of the manner questions, L4.
    labels : {"cat", "maincat", "subcat"}
        Which category is the label: the one that the question is filed under, or the main one, or the one in between.
    answers : bool, default False
        Add the best answer to the text.
    language : str, optional
        Read only the questions in this language, such as ``"en"``.
    labelled : bool, default False
        Leave out questions without a category.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> question = "<vespaadd><document type='wisdom'><uri>5</uri><subject>Why tea?</subject><content>I &lt;br />ask"
    >>> question += "</content><bestanswer>It is hot.</bestanswer><cat>Drinks</cat></document></vespaadd>"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "FullOct2007.xml.part1")
    ...     _ = path.write_text(question)
    ...     [(question.id, question.title, question.text, question.labels) for question in YahooQAReader(path)]
    [('5', 'Why tea?', 'Why tea?\n\nI \nask', ['Drinks'])]
    """

    kind = "yahoo-qa"
    looked_for = "<vespaadd> records in .xml files"

    def __init__(
        self,
        paths: Paths,
        *,
        labels: Literal["cat", "maincat", "subcat"] = "cat",
        answers: bool = False,
        language: str | None = None,
        labelled: bool = False,
    ) -> None:
        if labels not in LABELS:
            raise InputError(f"there are no labels '{labels}' in Yahoo! Answers; choose among {', '.join(LABELS)}")
        super().__init__(paths, labelled=labelled, labels=labels, answers=answers, language=language)
        self.labels = labels
        self.answers = answers
        self.language = language

    def documents(self) -> Iterator[Document]:
        """Yield the questions."""
        for record in self.records("vespaadd", ".xml"):
            identity = _text(record, "uri")
            if not identity:
                self.remark(NO_URI)
                continue
            if self.language and self.language != (_text(record, "qlang") or _text(record, "language").split("-")[0]):
                self.remark(OTHER_LANGUAGES)
                continue
            subject = _text(record, "subject")
            parts = [subject, _text(record, "content"), _text(record, "bestanswer") if self.answers else ""]
            category = in_one_line(_text(record, self.labels))
            text = "\n\n".join(part for part in parts if part)
            yield Document(identity, in_one_line(subject) or identity, text, [category] if category else [])


def _text(record: str, tag: str) -> str:
    # The texts were HTML before they were put into XML.
    return unescaped(_LINE_END.sub("\n", unescaped(field(record, tag)))).strip()
