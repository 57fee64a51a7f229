"""20 Newsgroups: messages of 1993, a folder for each group."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from priorwise.readers.collections.base import CollectionReader, Paths, in_one_line, part_of
from priorwise.readers.document import Document

_BLANK_LINE = re.compile(r"\r?\n\r?\n")
_SUBJECT = re.compile(r"^Subject:[ \t]*(.*(?:\n[ \t]+\S.*)*)", re.IGNORECASE | re.MULTILINE)


class NewsgroupsReader(CollectionReader):
    r"""Messages of 20 Newsgroups; an id is the group and the number, a title is the subject.

    Parameters
    ----------
    paths : path or sequence of paths
        ``20news-bydate.tar.gz`` or another version of the collection as it is published, or the folder it was unpacked
        to.
    split : {"all", "train", "test"}
        All messages, or those in the folders of one part; only the version by date has parts.
    strip_headers : bool, default False
        Leave out everything before a message's first empty line. Headers name the sender and the organisation, which
        give away more than a message's words do.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "20news-bydate-train", "sci.space", "60001")
    ...     path.parent.mkdir(parents=True)
    ...     _ = path.write_text("From: ann\nSubject: Re: orbits\n\nThey decay.\n")
    ...     [(m.id, m.title, m.text, m.labels) for m in NewsgroupsReader(folder, split="train", strip_headers=True)]
    [('sci.space/60001', 'Re: orbits', 'They decay.\n', ['sci.space'])]
    """

    kind = "newsgroups"
    looked_for = "messages with a number for a name in a folder for each group; only the version by date has parts"

    def __init__(
        self, paths: Paths, *, split: Literal["all", "train", "test"] = "all", strip_headers: bool = False
    ) -> None:
        super().__init__(paths, split=split, strip_headers=strip_headers)
        self.strip_headers = strip_headers

    def documents(self) -> Iterator[Document]:
        """Yield the messages."""
        for name, content in self.files():
            *folders, number = name.split("/")
            if not folders or not number.isdecimal() or not self.wants(part_of(folders)):
                continue
            message = self.text_of(content)
            blank = _BLANK_LINE.search(message)
            headers = message[: blank.start()] if blank else message
            subject = _SUBJECT.search(headers)
            identity = f"{folders[-1]}/{number}"
            title = in_one_line(subject[1]) if subject else ""
            text = message[blank.end() :] if self.strip_headers and blank else message
            yield Document(identity, title or identity, text, [folders[-1]])
