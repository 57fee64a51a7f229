"""Categories that serve a wiki's editors, not its readers: hidden ones, and those that track what is to be done."""

from __future__ import annotations

import re

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
    """Return whether a category's name says that it is there for the wiki's editors.

    Examples
    --------
    >>> [serves_editors(name) for name in ("Articles with unsourced statements", "CS1 errors: dates", "Tea")]
    [True, True, False]
    """
    return _NAMES.fullmatch(name) is not None
