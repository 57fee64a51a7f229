"""Reuters-21578: newswire stories of 1987, in SGML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from priorwise.errors import InputError
from priorwise.readers.blocks import attributes, field, unescaped, without_tags
from priorwise.readers.collections.base import CollectionReader, Paths, in_one_line
from priorwise.readers.document import Document

LABELS = ("topics", "places", "people", "orgs", "exchanges")
NO_NUMBER = "stories without a NEWID, left out"

_ENTRY = re.compile(r"<D>([^<]*)</D>")
_PARTS = {"TRAIN": "train", "TEST": "test"}


class ReutersReader(CollectionReader):
    r"""Stories of Reuters-21578; an id is a NEWID, a text is the headline and the body.

    Parameters
    ----------
    paths : path or sequence of paths
        ``reuters21578.tar.gz`` as it is published, the folder it was unpacked to, or some of its ``.sgm`` files.
    split : {"all", "train", "test"}
        All 21,578 stories, or a part of the ModApte split: the stories with ``TOPICS="YES"``, by ``LEWISSPLIT`` (9,603
        and 3,299).
    labels : {"topics", "places", "people", "orgs", "exchanges"}
        Which of a story's lists are its labels.
    labelled : bool, default False
        Leave out stories without a label; with topics, ModApte's parts are then 7,775 and 3,019 stories.

    Notes
    -----
    A story that its editors could not cut into headline and body (``TYPE="UNPROC"``) is taken whole, and its first line
    is its title. Dateline and author are left out, and so is the filler that stands for the body of a ``TYPE="BRIEF"``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> story = '<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" NEWID="7"><TOPICS><D>tea</D></TOPICS>'
    >>> story += "<TEXT><TITLE>Leaves</TITLE><BODY>Up &lt;T>&#3;</BODY></TEXT></REUTERS>"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "reut2-000.sgm")
    ...     _ = path.write_text(story)
    ...     [(story.id, story.title, story.text, story.labels) for story in ReutersReader(path, split="train")]
    [('7', 'Leaves', 'Leaves\n\nUp <T>', ['tea'])]
    """

    kind = "reuters"
    looked_for = "<REUTERS> records in .sgm files"

    def __init__(
        self,
        paths: Paths,
        *,
        split: Literal["all", "train", "test"] = "all",
        labels: Literal["topics", "places", "people", "orgs", "exchanges"] = "topics",
        labelled: bool = False,
    ) -> None:
        if labels not in LABELS:
            raise InputError(f"there are no labels '{labels}' in Reuters-21578; choose among {', '.join(LABELS)}")
        super().__init__(paths, split=split, labelled=labelled, labels=labels)
        self.labels = labels

    def documents(self) -> Iterator[Document]:
        """Yield the stories."""
        for record in self.records("REUTERS", ".sgm"):
            story = attributes(record)
            in_modapte = story.get("TOPICS") == "YES"
            if not self.wants(_PARTS.get(story.get("LEWISSPLIT", "")) if in_modapte else None):
                continue
            if not story.get("NEWID"):
                self.remark(NO_NUMBER)
                continue
            title, text = _title_and_text(field(record, "TEXT"))
            listed = _ENTRY.findall(field(record, self.labels.upper()))
            labels = list(dict.fromkeys(label for entry in listed if (label := unescaped(entry).strip())))
            yield Document(story["NEWID"], title or story["NEWID"], text, labels)


def _title_and_text(story: str) -> tuple[str, str]:
    title, body = unescaped(field(story, "TITLE")).strip(), unescaped(field(story, "BODY")).strip()
    if title or body:
        return in_one_line(title), f"{title}\n\n{body}".strip()
    whole = unescaped(without_tags(story)).strip()
    return in_one_line(whole.partition("\n")[0]), whole
