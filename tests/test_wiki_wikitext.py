from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference_wikitext as reference
from priorwise.wiki.siteinfo import ENGLISH, site_names
from priorwise.wiki.wikitext import Article, read_pages, read_wikitext
from processes import Shell


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a {{b|{{c}}|d=[[e]]}} f", "a  f"),
        ("a\n{| class=x\n! b\n|-\n| c\n{|\n| d\n|}\n|}\ne", "a\n\ne"),
        ("a<ref>b {{c}}</ref><ref name=d /> <ref name='e'>f</ref>g", "a g"),
        ("a<!-- b {{ c -->d", "ad"),
        ("a <math>x^{{2}}</math> <gallery>\nb.jpg|c\n</gallery> d", "a   d"),
        ("<syntaxhighlight lang=c>int a[[1]];</syntaxhighlight><source>b</source>c", "c"),
        (
            "<code>a ''b''</code> <pre>''c'' [[d]]</pre> <nowiki>{{e}} &amp; ''f''</nowiki>",
            "a b ''c'' [[d]] {{e}} & ''f''",
        ),
        ("[[a]]b [[c|d]]e [[:Category:f]] [[g|h|i]] [[j#k]]", "ab de Category:f h|i j#k"),
        ("a[[File:b.jpg|thumb|200px|left|c [[d|e]]|alt=f g]]h", "a\nc e\nh"),
        ("[[Image:a.png|20x30px|upright=1.2|b]]", "b"),
        ("[[File:a.png]] [[File:b.png|thumb|right]]", ""),
        ("a [[de:b]] [[zh-min-nan:c]] [[simple:d]] [[Talk:e]]", "a    Talk:e"),
        ("[http://a.b c ''d''] [https://a.b] [//a.b e] [mailto:a@b f] [g]", "c d   e  f [g]"),
        ("see http://a.b/c_d?e=f, or ftp://g.h and no:thing", "see  or  and no:thing"),
        ("<b>a</b><br/>b<p>c</p> H<sub>2</sub>O 1 < 2 > 1", "a\nb\nc\n H2O 1 < 2 > 1"),
        ("__NOTOC__a__b__ c", "a__b__ c"),
        ("'''a''' ''b'' '''''c''''' d's ''''e''''", "a b c d's 'e'"),
        ("l'''Iliade'' et l'''Élan'', '''vitamin C''' and '''E'''", "l'Iliade et l'Élan, vitamin C and E"),
        ("* a\n## b\n: c\n; d\n----\ne", "a\nb\nc\nd\n\ne"),
        ("== a ==\n=== ''b'' ===  \nc = d", "a\nb\nc = d"),
        (
            "&amp;lt; &eacute;&#233;&#xE9; &Eacute; &nosuch; &#xD800; &#0; a & b; &",
            "&lt; ééé É &nosuch; &#xD800; &#0; a & b; &",
        ),
        ("a\n==References==\nb\n== c ==\nd", "a"),
        ("a\n=== ''REFERENCES'' <!-- b --> ===\nc", "a"),
        ("a\n{{b|\n== References ==\n}}\nc", "a\n\nc"),
        ("a\n\n\n\n{{b}}\n\nc", "a\n\nc"),
        ("{{{a|b}}} {{{{c}}}} {d}", "{d}"),
        ("", ""),
    ],
)
def test_what_is_kept(source: str, expected: str) -> None:
    assert read_wikitext(source).text == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a {{b\n\nc", "a b\n\nc"),
        ("a }} b ]] c", "a  b  c"),
        ("{{a {{b}} c", "a  c"),
        ("{|\n| a\n\nb", "| a\n\nb"),
        ("a\n|}\nb", "a\n|}\nb"),
        ("a <!-- b", "a"),
        ("a <ref>b\n\nc", "a b\n\nc"),
        ("a <ref>b <ref>c</ref> d", "a b  d"),
        ("a <math>b {{c}} d", "a b  d"),
        ("a <nowiki>b {{c}} d", "a b  d"),
        ("a <b c", "a <b c"),
        ("a [[b\nc]] d", "a b\nc d"),
        ("a [[b|c", "a c"),
        ("a [http://b c\nd] e", "a  c\nd] e"),
        ("{{a [[b }} c ]] d", "c  d"),
        ("[[File:a.jpg|thumb|b {{c ]] d", "b c \n d"),
        ("{{a <ref>{{b}</ref> }} c", "c"),
        ("{|\n| {{a\n|}}\n|}b", "b"),
        ("a {{b\n== References ==\nc", "a b"),
        ("[[[a]]] [[http://b c]]", "a]  c]"),
    ],
)
def test_what_never_closes_swallows_nothing(source: str, expected: str) -> None:
    assert read_wikitext(source).text == expected


def test_categories() -> None:
    page = """[[Category:b_c |key]] [[ category : élan]] [[CATEGORY:B  c]] {{x|[[Category:In a template]]}}
        [[:Category:A link]] <!-- [[Category:No]] --> <nowiki>[[Category:No]]</nowiki> [[Category: ]]
[[Category:a&amp;b]]
{|
| [[Category:In a table]]
|}
==References==
[[Category:After]]"""
    assert read_wikitext(page).categories == ["B c", "Élan", "A&b", "In a table", "After"]


def test_redirects_and_disambiguation_pages() -> None:
    def kinds(source: str) -> tuple[bool, bool]:
        article = read_wikitext(source, site_names("de"))
        return article.is_redirect, article.is_disambiguation

    assert kinds("#REDIRECT [[a]]") == kinds(" \n#redirect: [[a]]") == kinds("#Weiterleitung[[a]]") == (True, False)
    assert kinds("# redirect a") == kinds("a #REDIRECT [[b]]") == kinds("#REDIRECT a") == (False, False)
    assert kinds("a {{Disambig}}") == kinds("{{ hndis | name=a}}") == kinds("{{Begriffsklärung}}") == (False, True)
    assert kinds("a __DISAMBIG__") == kinds("{{BEGRIFFSKLÄRUNG\n|a}}") == (False, True)
    assert kinds("{{disambig needed}}") == kinds("<nowiki>{{disambig}}</nowiki>") == (False, False)


def test_names_of_other_languages() -> None:
    page = "[[Файл:a.jpg|мини|Подпись]] [[Категория:Чай]]\n== ПРИМЕЧАНИЯ ==\nb"
    assert read_wikitext(page, site_names("ru")) == Article("Подпись", ["Чай"], False, False)
    ours = replace(ENGLISH, references=frozenset({"sources"}))
    assert read_wikitext("a\n== References ==\nb\n== Sources ==\nc", ours).text == "a\nReferences\nb"


def test_bytes_that_are_no_utf8_are_replaced() -> None:
    assert read_wikitext(b"a\xff[[b\xc3]] [[Category:\xe2\x82]]") == Article("a�b�", ["�"], False, False)
    assert read_wikitext("a\ud800b").text == "a?b"


def pieces(listed: str) -> list[str]:
    """Split a list that is written with ~ between its items, ⏎ for a line's end and ␣ for a space at an item's end."""
    return [
        item.strip().replace("⏎", "\n").replace("␣", " ") for item in listed.strip().replace("\n", " ~ ").split(" ~ ")
    ]


# Pages from a grammar in which everything that opens also closes.
words = st.text("abcé漢 .,", min_size=1, max_size=6).map(lambda text: f"x{text}x")
LEAVES = """
''i'' ~ '''b''' ~ ''''q'''' ~ [[link]] ~ [[target|text]]s ~ [[:Category:C]] ~ <ref>r {{t}} [[l</ref> ~ <br />
<ref name=n/> ~ <!-- {{ c --> ~ <nowiki>[[n]] {{&lt;}}</nowiki> ~ <math>m_{{1}}</math> ~ &amp; ~ &#233; ~ &x;
[http://a.b/c d] ~ [https://a.b] ~ http://a.b/c␣ ~ <sub>2</sub> ~ [[Category:d_e|f]] ~ [[category:g]]
[[fr:h]] ~ __TOC__ ~ [[File:i.png|20px]] ~ a:b ~ a|b ~ 5 < 6 ~ it's ~ <pre>''p''⏎* q</pre> ~ x == y ~ c l'''d''
"""
leaves = st.sampled_from(pieces(LEAVES))
inline = st.recursive(
    words | leaves,
    lambda parts: st.one_of(
        parts.map(lambda text: "{{t|" + text + "}}"),
        parts.map(lambda text: "{{t\n| a = " + text + "\n}}"),
        parts.map(lambda text: "<div class='c'>" + text + "</div>"),
        parts.map(lambda text: "[[File:k.jpg|thumb|upright=1.5|xx " + text.replace("|", "-") + " xx]]"),
        st.lists(parts, min_size=1, max_size=4).map("".join),
    ),
    max_leaves=6,
)
blocks = st.one_of(
    inline,
    inline.map(lambda text: "* " + text),
    inline.map(lambda text: ":# " + text),
    words.map(lambda text: f"== {text} =="),
    st.lists(inline, max_size=3).map(
        lambda cells: "{| class=c\n" + "".join(f"|-\n| {cell}\n" for cell in cells) + "|}"
    ),
    st.sampled_from(["", "----", "=== References ===", "==Notes and references==", "{|\n| a\n{|\n| b\n|}\n|}"]),
)
pages = st.lists(blocks, max_size=8).map("\n".join)


@settings(max_examples=600, deadline=None)
@given(pages)
def test_kernel_equals_the_literal_rules(page: str) -> None:
    article = read_wikitext(page)
    text, categories = reference.read(page)
    assert article.text == text
    assert article.categories == categories
    if "<nowiki>" not in page:
        assert not any(mark in text for mark in ("{{", "[[", "{|", "<ref"))


MARKUP = pieces("""
{{ ~ }} ~ [[ ~ ]] ~ {| ~ |} ~ ⏎ ~ | ~ <ref> ~ </ref> ~ <ref ~ <!-- ~ --> ~ ''' ~ == ~ <nowiki> ~ </nowiki>
[http:// ~ http:// ~ ] ~ & ~ &# ~ ; ~ <math> ~ </math> ~ __ ~ [[File: ~ [[Category: ~ # ~ ÿ
""")


@settings(max_examples=300, deadline=None)
@given(pages, st.lists(st.tuples(st.floats(0, 1), st.integers(0, 9), st.sampled_from(MARKUP)), max_size=6))
def test_damaged_pages_are_read(page: str, wounds: list[tuple[float, int, str]]) -> None:
    data = page.encode()
    for place, n_lost, put in wounds:
        at = int(place * len(data))
        data = data[:at] + put.encode("latin-1") + data[at + n_lost :]
    article = read_wikitext(data)
    assert len(article.text) <= len(data)
    assert read_wikitext(data) == article


@settings(max_examples=300, deadline=None)
@given(
    st.binary(max_size=60)
    | st.lists(st.sampled_from([*MARKUP, "a", " "]), max_size=30).map(lambda m: "".join(m).encode())
)
def test_any_bytes_are_read(data: bytes) -> None:
    assert len(read_wikitext(data).text.encode()) <= 3 * len(data)


@settings(max_examples=50, deadline=None)
@given(st.lists(pages, max_size=6))
def test_many_pages_at_once_are_read_as_one_by_one(sources: list[str]) -> None:
    ends = np.cumsum([0, *(len(source.encode()) for source in sources)])
    texts = read_pages("".join(sources).encode(), np.stack([ends[:-1], ends[1:]], axis=1))
    assert len(texts) == len(sources)
    assert [texts.article(page) for page in range(len(texts))] == [read_wikitext(source) for source in sources]


def test_threads_and_spans() -> None:
    data = np.frombuffer(b"[[a]] {{b}} [[Category:C]]", np.uint8).copy()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: read_pages(data, [(0, 5), (12, 26), (5, 5), (20, 99)]), range(8)))
    for texts in found:
        assert [texts.text(page) for page in range(4)] == ["a", "", "", "ry:C"]
        assert [texts.categories(page) for page in range(4)] == [[], ["C"], [], []]
    assert data.flags.writeable


HOSTILE = pieces("""
{{ ~ [[ ~ <ref> ~ {|⏎ ~ ⏎{| ~ ' ~ [ ~ ] ~ }} ~ < ~ <b ~ <b␣ ~ & ~ &amp ~ __ ~ __A ~ = ~ ⏎= ~ ␣ ~ {{ [[ ~ {{a|
[[a| ~ [[File:a| ~ [[File:a|␣ ~ [[Category: ~ [http://a␣ ~ http:// ~ <ref ~ <ref name= ~ | ~ <!-- ~ <!-- -->
<math><chem> ~ <nowiki> ~ {{}} ~ [[]] ~ ⏎|} ~ ⏎{|{{ ~ ]] }} ~ * ~ - ~ ⏎== a ~ : ~ h://
""")


@pytest.mark.parametrize("piece", HOSTILE)
def test_long_hostile_pages_are_read(piece: str) -> None:
    read_wikitext(piece * 300_000)
    read_wikitext(piece * 50_000 + "a" + "}}" * 50_000 + "]]" * 50_000)


COUNTING = """
import sys
import numpy as np
from priorwise.wiki._kernels.wikitext import plain_texts
from priorwise.wiki.siteinfo import ENGLISH
from priorwise.wiki.wikitext import known_names

class Counted:
    def __init__(self, values): self.values, self.touched = values, 0
    def __getitem__(self, at): self.touched += 1; return self.values[at]
    def __setitem__(self, at, value): self.touched += 1; self.values[at] = value

def touched(page):
    data, out, names = Counted(page), Counted([0] * (len(page) + 1)), Counted([0] * len(page))
    n = len(page)
    plain_texts(data, np.array([[0, n]]), known_names(ENGLISH), out, np.zeros(2, int), np.zeros(1, int), names,
                np.zeros(n // 6 + 2, int), np.zeros(2, int))
    return data.touched + out.touched + names.touched

for piece in eval(sys.stdin.read() if len(sys.argv) < 2 else sys.argv[1]):
    for once in (lambda n: piece * n, lambda n: piece * n + "a b" + " " * n + "]]" * n + "}}" * n):
        few, many = touched(once(60).encode()), touched(once(240).encode())
        if many > 4.1 * few + 300:
            print(repr(piece), few, many)
"""


def test_work_is_linear(shell: Shell) -> None:
    """Counted, not timed: how often the kernel, run as plain Python, touches a byte of the page or of its text."""
    done = shell("-c", COUNTING, repr(HOSTILE), NUMBA_DISABLE_JIT="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
