"""What a wiki calls its categories, files, redirects, disambiguation templates and its section of references."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from priorwise.wiki.inline_templates import inline_templates

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

    Attributes
    ----------
    category : frozenset of str
        The names of the namespace of categories.
    file : frozenset of str
        The names of the namespace of files.
    redirect : frozenset of str
        The magic words that begin a redirect, with their ``#``.
    disambiguation : frozenset of str
        The templates that mark a disambiguation page.
    references : frozenset of str
        The headings from which on everything is dropped.
    inline : frozenset of (str, int)
        The templates that are used within a sentence, and which of their arguments a reader sees, as bits.

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
    """Return the names that a language's Wikipedia uses in addition to the English ones.

    Parameters
    ----------
    language : str
        The language's code, as in the wiki's address; one that is not in the table has the English names.

    Returns
    -------
    SiteNames

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
    """Return whether any wiki calls the namespace of its categories so.

    Examples
    --------
    >>> is_category_space("Kategorie"), is_category_space("User")
    (True, False)
    """
    return name.strip().lower() in _category_spaces()


def _names(listed: str) -> frozenset[str]:
    return frozenset(name.strip() for name in listed.split(",") if name.strip())


ENGLISH = site_names("en")
