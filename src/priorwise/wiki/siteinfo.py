"""What is known of a wiki: from the head of its dump, and from tables of the names that each language uses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from xml.sax.saxutils import unescape

from priorwise.errors import BrokenFile

# Templates that are used within a sentence. A line for each language: the templates' names, and after the colon the
# numbers of the arguments that are shown. Names are in lower case, and underscores are spaces.
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
    """Return a language's inline templates, the English ones included, with their shown arguments as bits."""
    found: dict[str, int] = {}
    for line in _TABLE.strip().splitlines():
        code, _, rest = line.partition(":")
        names, _, shown = rest.rpartition(":")
        if code in ("en", language):
            bits = sum(1 << int(number) for number in shown.split())
            found |= {name.strip().lower(): bits for name in names.split(",")}
    return frozenset(found.items())


_ENGLISH = (
    "category",
    "file, image, media",
    "#redirect",
    "disambig, disambiguation, disamb, dab, disambiguation page, disambig page, hndis, hndab, geodis, "
    "numberdis, mathdab, schooldis, hospitaldis, roaddis, callsigndis, mil-unit-dis, tla, tladisambig, "
    "2lcdisambig, 3lcdisambig, 2cc, 3cc, 4cc, human name disambiguation, place name disambiguation, airport "
    "disambiguation, biology disambiguation, call sign disambiguation, chinese title disambiguation, church "
    "disambiguation, hospital disambiguation, letter-number combination disambiguation, mathematical "
    "disambiguation, music disambiguation, military unit disambiguation, number disambiguation, phonetics "
    "disambiguation, road disambiguation, school disambiguation, species latin name abbreviation "
    "disambiguation, species latin name disambiguation, synagogue disambiguation, taxonomic authority "
    "disambiguation, taxonomy disambiguation, wikipedia disambiguation",
    "references, reference, references and notes, notes and references",
)

# Language: category; file; redirect; disambiguation; references.
_LOCAL = """
ar: تصنيف; ملف, صورة; #تحويل; توضيح, صفحة توضيح; مراجع, المراجع, مصادر, المصادر
bg: категория; файл, картинка; #пренасочване, #виж; пояснение, пояснителна страница; източници, бележки
ca: categoria; fitxer, imatge; #redirecció, #redireccio; desambiguació; referències, notes i referències
cs: kategorie; soubor; #přesměruj; rozcestník; reference
da: kategori; fil, billede; #omdirigering; flertydig; referencer, noter, kilder
de: kategorie; datei, bild; #weiterleitung; begriffsklärung, bkl; einzelnachweise, referenzen
es: categoría, categoria; archivo, imagen; #redirección, #redireccion; desambiguación, desambiguacion; referencias
fa: رده; پرونده, تصویر; #تغییرمسیر, #تغییر_مسیر; ابهام‌زدایی; منابع, پانویس
fi: luokka; tiedosto, kuva; #ohjaus, #uudelleenohjaus; täsmennyssivu; lähteet
fr: catégorie, categorie; fichier, image; #redirection; homonymie; références, notes et références, references
he: קטגוריה; קובץ, תמונה; #הפניה; פירושונים; הערות שוליים
hu: kategória; fájl, kép; #átirányítás; egyért, egyértlap; jegyzetek, források
id: kategori; berkas, gambar; #alih; disambig; referensi, catatan kaki
it: categoria; file, immagine; #rinvia, #rinvio; disambigua; note
ja: カテゴリ; ファイル, 画像; #転送, #リダイレクト, ＃転送, ＃リダイレクト; aimai, 曖昧さ回避; 脚注, 出典, 参考文献
ko: 분류; 파일, 그림; #넘겨주기; 동음이의, 동음이의어 문서; 각주, 참고 문헌
nl: categorie; bestand, afbeelding; #doorverwijzing; dp, doorverwijspagina; referenties, bronnen, noten, voetnoten
no: kategori; fil, bilde; #omdirigering; peker; referanser
pl: kategoria; plik, grafika; #patrz, #przekieruj, #tam; ujednoznacznienie; przypisy
pt: categoria; ficheiro, arquivo, imagem; #redirecionamento; desambiguação, desambig; referências
ro: categorie; fișier, fişier, imagine; #redirecteaza; dezambiguizare; referințe, note
ru: категория; файл, изображение; #перенаправление, #перенапр; неоднозначность; примечания
sr: категорија; датотека, слика; #преусмери; вишезначна одредница; референце
sv: kategori; fil, bild; #omdirigering; förgrening; referenser, noter
tr: kategori; dosya, resim; #yönlendirme, #yönlendir; anlam ayrımı; kaynakça
uk: категорія; файл, зображення; #перенаправлення, #перенапр; disambig, багатозначність; примітки
vi: thể loại; tập tin, hình; #đổi; trang định hướng; tham khảo
zh: 分类, 分類; 文件, 档案, 檔案, 图像, 圖像; #重定向; disambig, 消歧义, 消歧義; 参考文献, 參考文獻, 参考资料, 參考資料
"""


@dataclass(frozen=True, slots=True)
class SiteNames:
    """The names by which a wiki's markup says what a thing is, all in lower case.

    `category` and `file` name namespaces, `redirect` the magic words with their ``#``, `disambiguation` templates,
    `references` the headings from which on everything is dropped, and `inline` the templates that are used within a
    sentence, with the arguments that a reader sees, as bits.

    Examples
    --------
    >>> german = site_names("de")
    >>> sorted(german.category), "einzelnachweise" in german.references
    (['category', 'kategorie'], True)
    >>> from dataclasses import replace
    >>> names = replace(german, references=german.references | {"literatur"})
    """

    category: frozenset[str]
    file: frozenset[str]
    redirect: frozenset[str]
    disambiguation: frozenset[str]
    references: frozenset[str]
    inline: frozenset[tuple[str, int]] = frozenset()


def site_names(language: str) -> SiteNames:
    """Return the names that a language's Wikipedia uses in addition to the English ones, if it is in the table.

    Examples
    --------
    >>> sorted(site_names("fr").file)
    ['fichier', 'file', 'image', 'media']
    >>> site_names("tlh") == site_names("en")
    True
    """
    local = [""] * len(_ENGLISH)
    for line in _LOCAL.strip().splitlines():
        code, _, names = line.partition(":")
        if code == language:
            local = names.split(";")
    category, file, redirect, disambiguation, references = (
        _names(f"{ours},{theirs}") for ours, theirs in zip(_ENGLISH, local, strict=True)
    )
    return SiteNames(category, file, redirect, disambiguation, references, inline_templates(language))


@cache
def _category_spaces() -> frozenset[str]:
    local = (line.partition(":")[2].split(";")[0] for line in _LOCAL.strip().splitlines())
    return _names(",".join([_ENGLISH[0], *local]))


def is_category_space(name: str) -> bool:
    """Return whether any wiki calls the namespace of its categories so."""
    return name.strip().lower() in _category_spaces()


def _names(listed: str) -> frozenset[str]:
    return frozenset(name.strip() for name in listed.split(",") if name.strip())


ENGLISH = site_names("en")


ARTICLE, FILE, CATEGORY = 0, 6, 14
LONGEST_HEAD = 1 << 20

_LANGUAGE = re.compile(r'xml:lang\s*=\s*"([A-Za-z-]+)"')
_NAMESPACE = re.compile(r"<namespace\s([^<>]*)>([^<]*)</namespace>")
_KEY = re.compile(r'\bkey="(-?\d{1,9})"')
_DATABASE = re.compile(r"<dbname>([^<]*)</dbname>")
_BASE = re.compile(r"<base>\s*(https?://[^<\s]+)\s*</base>")
_VERSION = re.compile(r"export-(\d+\.\d+)")


@dataclass(frozen=True, slots=True)
class SiteInfo:
    """What a dump says about its wiki."""

    names: SiteNames
    namespaces: dict[str, int]
    language: str = ""
    version: str = ""
    address: str = ""

    def namespace_of(self, title: str) -> int:
        """Return the namespace that a title's prefix names, for dumps that do not say it otherwise."""
        prefix, colon, _ = title.partition(":")
        return self.namespaces.get(folded(prefix), ARTICLE) if colon else ARTICLE


def read_siteinfo(
    head: bytes, path: Path, references: Iterable[str] = (), *, inline_templates: bool = True
) -> SiteInfo:
    """Read the head of a dump, all that comes before its first page."""
    text = head.decode("utf-8", "replace")
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise BrokenFile(path, "it declares entities, which no MediaWiki export does; refused")
    if "<mediawiki" not in text:
        raise BrokenFile(path, "it is not a MediaWiki export: there is no <mediawiki> element at its beginning")
    language = _first(_LANGUAGE, text)
    names = site_names(language.partition("-")[0] or _first(_DATABASE, text).removesuffix("wiki"))
    numbered = ((_first(_KEY, attributes), name) for attributes, name in _NAMESPACE.findall(text))
    namespaces = {folded(unescape(name)): int(number) for number, name in numbered if name and number not in ("", "0")}

    def named(number: int) -> frozenset[str]:
        return frozenset(name for name, key in namespaces.items() if key == number)

    names = replace(
        names,
        category=names.category | named(CATEGORY),
        file=names.file | named(FILE),
        references=names.references | {" ".join(heading.lower().split()) for heading in references},
        inline=names.inline if inline_templates else frozenset(),
    )
    known = {**dict.fromkeys(names.category, CATEGORY), **dict.fromkeys(names.file, FILE), **namespaces}
    return SiteInfo(names, known, language, _first(_VERSION, text), page_address(unescape(_first(_BASE, text))))


def page_address(main_page: str) -> str:
    """Return what comes before a page's title in its address, from the address of the wiki's main page."""
    before, found, _ = main_page.partition("?title=")
    return before + found if found else main_page[: main_page.rfind("/") + 1]


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found.group(1) if found else ""


def folded(name: str) -> str:
    """Return a name in lower case, with one space between words."""
    return " ".join(name.replace("_", " ").lower().split())


HIDDEN_CATEGORIES = "Hidden categories"
"""Where MediaWiki files the page of a category that says ``__HIDDENCAT__``."""

PARENTS = frozenset(
    name.strip()
    for name in f"""
    {HIDDEN_CATEGORIES}; Tracking categories; Maintenance categories; Wikipedia maintenance categories;
    Wikipedia hidden categories; Monthly clean-up category counter; Template tracking categories; Stub categories;
    Kategorie:Versteckt; Versteckt; Wikipedia:Versteckt; Wikipedia:Wartungskategorie; Versteckte Kategorien;
    Catégorie cachée; Catégorie de suivi; Categorías ocultas; Wikipedia:Categorías ocultas; Categorias ocultas;
    Categorie nascoste; Verborgen categorieën; Ukryte kategorie; Скрытые категории; 隠しカテゴリ; 隐藏分类; 숨은 분류
    """.split(";")
)
"""Categories whose direct subcategories serve editors."""

_NAMES = re.compile(
    r"""
      all\ (?:\w+\ )?(?:articles|pages|stub|orphaned|wikipedia|blp|disambiguation)\b .*
    | (?:wikipedia\ )?(?:articles|pages)\ (?:with|without|lacking|needing|missing|containing|to\ be|that|using|prone
        |incorporating|covered|created|slanted|sourced|requiring|calling|transcluding|where)\b .*
    | wikipedia\ (?:articles|pages|indefinitely|semi-protected|introduction|external\ links|references|spam)\b .*
    | cs1\b .* | webarchive\b .* | commons\ (?:category\ )?link\b .* | short\ description\ .*
    | wikidata\ .+ | wikiproject\b .* | .*\binterwikis\b .*
    | .*\b(?:on|in|from|as|than)\ wikidata | use\ (?:dmy|mdy|\w+\ english)\b .* | .*\bstubs
    | (?:vague|unverifi|incomplete|potential|npov|pov|blp|orphaned|uncategori[sz]ed)\w*\ .*
        (?:articles|pages|claims|disputes|lists|statements)\b .*
    | (?:special|wikipedia|vorlage|project):.*
    """,
    re.VERBOSE | re.IGNORECASE,
)


def serves_editors(name: str) -> bool:
    """Return whether a category's name says that it is there for the wiki's editors."""
    return _NAMES.fullmatch(name) is not None
