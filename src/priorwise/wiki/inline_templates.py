"""Templates that are used within a sentence, and which of their arguments a reader sees.

A line for each language: the templates' names, and after the colon the numbers of the arguments that are shown, in
their order. To add one, add its name here; names are in lower case, and underscores are spaces.
"""

from __future__ import annotations

_TABLE = """
en: ill, illm, interlanguage link, link-interwiki: 1
en: lang, langx, transl, transliteration, wikt-lang, script: 2
en: lang-de, lang-fr, lang-es, lang-it, lang-ru, lang-ja, lang-zh, lang-la, lang-el, lang-grc, lang-ar, lang-he: 1
en: lang-pl, lang-pt, lang-nl, lang-ko, lang-sa, lang-hi, lang-uk, lang-tr, lang-fa, lang-sv, lang-cy, lang-ga: 1
en: nihongo, nihongo3, nihongo foot, nihongo krt: 1 2 3
en: nihongo2, nihongo title: 1
en: convert, cvt: 1 2
en: val, nowrap, nobr, small, smaller, big, larger, abbr, tooltip, sc, smallcaps, em, strong, code, kbd, var, mvar: 1
en: quote, blockquote, cquote, quotation, tq, not a typo, as written, linktext, angle bracket, sub, sup: 1
en: circa, c., floruit, fl., flag, flagcountry, uss, hms, ss, hmas, hmcs: 1
en: ship: 1 2
en: start date, end date, birth date, death date, as of, date: 1 2 3
en: ruby, ruby-ja, frac, fraction: 1 2
de: deS, enS, frS, laS, grcS, jaS, ruS, esS, itS, nowrap: 1
fr: lien, nobr, citation, unité/2: 1
fr: langue, lang, lang-fr: 2
fr: japonais: 1 2 3
fr: unité: 1 2
es: nihongo: 1 2 3
es: unidad: 1 2
es: cita: 1
it: nihongo: 1 2 3
it: citazione, nowrap: 1
ja: 仮リンク: 1
ja: ルビ, 読み仮名, ふりがな: 1 2
nl: nihongo: 1 2 3
pt: nihongo: 1 2 3
zh: link-en, link-ja, le, internal link helper/en, nihongo2: 1
zh: nihongo: 1 2 3
"""


def inline_templates(language: str) -> frozenset[tuple[str, int]]:
    """Return the inline templates of a language's wiki, the English ones included, with their shown arguments as bits.

    Examples
    --------
    >>> ("convert", 0b110) in inline_templates("de"), ("lien", 0b10) in inline_templates("fr")
    (True, True)
    """
    found: dict[str, int] = {}
    for line in _TABLE.strip().splitlines():
        code, _, rest = line.partition(":")
        names, _, shown = rest.rpartition(":")
        if code in ("en", language):
            bits = sum(1 << int(number) for number in shown.split())
            found |= {name.strip().lower(): bits for name in names.split(",")}
    return frozenset(found.items())
