"""What templates show that stand in a sentence: their text stays, and all others leave a gap as before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priorwise.corpus import Corpus
from priorwise.corpus.build.wikipedia import ingest_wikipedia
from priorwise.wiki.siteinfo import ENGLISH, inline_templates, site_names
from priorwise.wiki.wikitext import read_wikitext
from wiki_dumps import Page, dump_xml


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("A {{ill|Shinto shrine|ja|神社}} here", "A Shinto shrine here"),
        ("{{nihongo|'''Amaterasu'''|天照|Amaterasu-ōmikami|lead=yes}} is", "Amaterasu 天照 Amaterasu-ōmikami is"),
        ("{{lang|ja|東京}}, {{Lang | de | Wien }}", "東京, Wien"),
        ("{{convert|5|km|mi|abbr=on}} long", "5 km long"),
        ("{{nowrap|a [[Tea|green tea]] b}}", "a green tea b"),
        ("{{small|{{lang|fr|thé}} and {{citation needed}}}}", "thé and"),
        ("{{infobox|x={{lang|fr|thé}}}}gone", "gone"),
        ("{{ill}}{{ill|}}{{ill|lt=x}} nothing", "nothing"),
        ("{{unknown|a}} gap", "gap"),
        ("{{small|a <ref>{{ill|x}}</ref>b}}", "a b"),
        ("{{ill|never closed", "{{ill|never closed"),
        ("{{small|a}}}} b", "a b"),
        ("{{{ill|x}}} y", "x y"),
        ("[[File:a.png|thumb|A {{ill|cat|ja}} sits]] b", "A cat sits\nb"),
    ],
)
def test_what_is_shown(source: str, text: str) -> None:
    found = read_wikitext(source).text
    if "never closed" in source:
        # What never closes stays, as with any other template.
        assert "never closed" in found
    else:
        assert " ".join(found.split()) == " ".join(text.split())


def test_other_languages_have_more() -> None:
    assert read_wikitext("{{lien|langue=en|Thé}} {{unité|5|km}}", site_names("fr")).text == "Thé 5 km"
    assert read_wikitext("{{仮リンク|神社|en|Shrine}}", site_names("ja")).text == "神社"
    assert read_wikitext("{{lien|Thé}}").text == ""


def test_without_them_there_is_a_gap() -> None:
    names = replace(ENGLISH, inline=frozenset())
    assert read_wikitext("A {{ill|Shinto shrine|ja|神社}} here", names).text == "A  here"


def test_categories_in_them_do_not_count() -> None:
    article = read_wikitext("{{small|a [[Category:X]]}} [[Category:Y]]")
    assert article.categories == ["Y"]


SHOWN = dict(inline_templates("en"))
WORD = st.text("abcdé漢", min_size=1, max_size=6)
PLAIN = WORD | st.builds(lambda a, b: f"[[{a}|{b}]]", WORD, WORD) | st.builds("{0}={1}".format, WORD, WORD)
PLAIN |= st.builds(lambda a: f"{{{{other|{a}}}}}", WORD)


def visible(argument: str) -> str:
    """What a reader sees of an argument, literally."""
    if argument.startswith("{{"):
        return ""
    return argument[2:-2].split("|")[1] if argument.startswith("[[") else argument


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(SHOWN)), st.lists(PLAIN, max_size=5), WORD, WORD)
def test_the_arguments_that_are_shown(name: str, arguments: list[str], before: str, after: str) -> None:
    """The twin: positional arguments are counted, those with a bit are joined by spaces."""
    source = f"{before} {{{{{'|'.join([name, *arguments])}}}}} {after}"
    positional = [visible(argument) for argument in arguments if "=" not in argument]
    shown = [text for number, text in enumerate(positional, start=1) if SHOWN[name] >> number & 1 and text]
    assert read_wikitext(source).text.split() == f"{before} {' '.join(shown)} {after}".split()


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([*"{}|[]=<>a \n", "{{ill|", "{{small|", "}}", "[[", "]]", "{|", "|}"])).map("".join))
def test_whatever_stands_in_a_page_the_text_is_no_longer(source: str) -> None:
    assert len(read_wikitext(source).text.encode()) <= len(source.encode())


def test_a_dump_is_read_with_them_or_without(tmp_path: Path) -> None:
    pages = [Page("Tea", "Tea was {{ill|Camellia|ja}} once. " * 20 + "[[Category:Drinks]]", id=1)]
    (tmp_path / "x.xml").write_bytes(dump_xml(pages))
    ingest_wikipedia([tmp_path / "x.xml"], tmp_path / "a.corpus")
    ingest_wikipedia([tmp_path / "x.xml"], tmp_path / "b.corpus", inline_templates=False)
    assert Corpus.open(tmp_path / "a.corpus").token_id("camellia") is not None
    assert Corpus.open(tmp_path / "b.corpus").token_id("camellia") is None
