"""Pages as a browser would take them: their elements, and their text."""

from __future__ import annotations

import re
from html.parser import HTMLParser


class Elements(HTMLParser):
    """Collects what a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(markup: str) -> Elements:
    found = Elements()
    found.feed(markup)
    found.close()
    return found


def visible(html: str) -> str:
    """The text of a page, less its style; cells and paragraphs are apart."""
    plain = re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)
    return " ".join(
        parsed(re.sub(r"</(td|th|p|dt|dd|caption|pre)>", r" </\1>", plain)).text.replace("\xa0", " ").split()
    )
