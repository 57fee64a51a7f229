"""The rules for wikitext, literally and slowly: one regular expression after the other, innermost first.

For pages on which everything that opens also closes, in order.
"""

from __future__ import annotations

import html.entities
import re

VERBATIM = "nowiki|pre"
DROPPED = "ref|math|chem|ce|score|timeline|imagemap|templatedata|gallery|source|syntaxhighlight"
BREAKING = "br|hr|p|div|li|ul|ol|dl|dt|dd|table|caption|tr|td|th|blockquote|center|poem|h[1-6]"
OPTIONS = "thumb|thumbnail|frame|framed|frameless|border|upright|left|right|center|centre|none"
LINE = r"^[ \t*#:;]*"
GONE = "\ue000"
"""Stands where something was, so that what stood on either side does not become markup together."""

FIRST_KEPT = 0xE001

OPAQUE = re.compile(
    rf"<!--.*?(?:-->|\Z)"
    rf"|<({VERBATIM})(?:\s[^<>]*)?>(.*?)</\1\s*>"
    rf"|<({DROPPED})(?:\s[^<>]*)?(?<!/)>(?:(?!<\3[\s/>]).)*?</\3\s*>",
    flags=re.S | re.I,
)
TEMPLATE = re.compile(r"\{\{[^{}]*\}\}")
TABLE = re.compile(rf"{LINE}\{{\|(?:(?!{LINE}(?:\{{\||\|\}})).)*{LINE}\|\}}", flags=re.S | re.M)
LINK = re.compile(r"\[\[([^\[\]]*)\]\]")
ADDRESS = r"[^\s\"<>\[\]{}|]*"
EXTERNAL = re.compile(rf"\[(?:(?:(?:https?|ftp):)?//|mailto:){ADDRESS}([^\[\]\n]*)\]", flags=re.I)
BARE = re.compile(rf"(?<![a-z])(?:https?|ftp)://{ADDRESS}", flags=re.I)
HEADING = re.compile(r"^=+ *(.*?[^= ]) *=+ *$", flags=re.M)


def read(source: str) -> tuple[str, list[str]]:
    """Return the plain text of a page and its categories."""
    kept: list[str] = []
    categories: list[str] = []

    def opaque(found: re.Match[str]) -> str:
        if found[0].startswith("<!--"):
            at_line_start = found.start() == 0 or source[found.start() - 1] == "\n"
            return "" if at_line_start else GONE
        if found[1] is None:
            return GONE
        kept.append(decoded(found[2]))
        return chr(FIRST_KEPT + len(kept) - 1)

    def link(found: re.Match[str]) -> str:
        target, *parts = found[1].split("|")
        prefix, colon, name = target.partition(":")
        if colon and prefix.strip().lower() == "category":
            name = " ".join(decoded(name.replace(GONE, "")).replace("_", " ").split())
            categories.append(name[:1].upper() + name[1:])
            return GONE
        if colon and prefix.strip().lower() in ("file", "image"):
            captions = [part for i, part in enumerate(parts) if not is_option(part, i == len(parts) - 1)]
            return "\ue0ff" + "".join(f"{caption}\ue0ff" for caption in captions)
        if colon and re.fullmatch(r"[a-z]{2,3}(-[a-z]+)*", prefix):
            return GONE
        return GONE + ("|".join(parts) if parts else target.removeprefix(":")) + GONE

    text = OPAQUE.sub(opaque, source)
    text = until_settled(text, TEMPLATE, GONE)
    while True:
        shorter = EXTERNAL.sub(rf"{GONE}\1{GONE}", LINK.sub(link, text))
        if shorter == text:
            break
        text = shorter
    text = until_settled(text, TABLE, GONE)
    text = BARE.sub(GONE, text)
    text = re.sub(rf"</?(?:{BREAKING})(?:[\s/][^<>]*)?>", "\ue0fe", text, flags=re.I)
    text = re.sub(r"</?[a-z][a-z0-9]*(?:[\s/][^<>]*)?>", GONE, text, flags=re.I)
    text = re.sub(r"__[A-Z]+__", GONE, text)
    text = re.sub(r"(?:(?<=\s[a-zA-Z])|(?<=\A[a-zA-Z]))'''(?=[a-zA-Z\x80-\udfff])", "\ue0fc", text)
    text = re.sub("'+", lambda run: "'" * {1: 1, 2: 0, 3: 0, 4: 1}.get(len(run[0]), len(run[0]) - 5), text)
    text = re.sub(rf"{LINE}(?:-{{4,}})?", "", text, flags=re.M)
    text = decoded(HEADING.sub(lambda line: f"\ue0fd{line[1]}" if is_references(line[1]) else line[1], text))
    text = text.partition("\ue0fd")[0].replace(GONE, "").replace("\ue0fe", "\n").replace("\ue0fc", "'")
    text = re.sub("[\ue001-\ue0f0]", lambda mark: kept[ord(mark[0]) - FIRST_KEPT], text)
    text = re.sub("(?<=\n)\ue0ff+|^\ue0ff+", "", re.sub("\ue0ff+", "\ue0ff", text)).replace("\ue0ff", "\n")
    return re.sub("\n{3,}", "\n\n", text).strip(), list(dict.fromkeys(filter(None, categories)))


def until_settled(text: str, pattern: re.Pattern[str], replacement: str) -> str:
    while (shorter := pattern.sub(replacement, text)) != text:
        text = shorter
    return text


def is_option(part: str, last: bool) -> bool:
    part = re.sub("[\ue000\ue0ff]", "", part).strip()
    if not part or re.match(r"[^\W\d_]+ *=", part) or re.fullmatch(rf"[\dx]+px|{OPTIONS}", part, flags=re.I):
        return True
    return not last and len(part.encode()) <= 40 and not re.search(r"\s", part)


def is_references(heading: str) -> bool:
    plain = re.sub(r"[\s_\ue000]", "", heading).lower()
    return plain in ("references", "reference", "referencesandnotes", "notesandreferences")


def decoded(text: str) -> str:
    def character(found: re.Match[str]) -> str:
        if found[1]:
            return chr(int(found[1], 16))
        if found[2]:
            return chr(int(found[2]))
        return chr(html.entities.name2codepoint[found[3]]) if found[3] in html.entities.name2codepoint else found[0]

    return re.sub(r"&(?:#[xX]([0-9a-fA-F]+)|#([0-9]+)|([A-Za-z0-9]+));", character, text)
