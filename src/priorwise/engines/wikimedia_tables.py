"""Wikimedia's tables of the current content of its wikis, recognised by their columns and read as they are."""

from __future__ import annotations

from typing import Any

from priorwise.errors import InputError

SLOTS = "revision_content_slots"
_NEEDED = {"wiki_id", "page_namespace_id", "page_title", SLOTS}


def is_content_table(columns: list[str]) -> bool:
    """Return whether a table has the columns of Wikimedia's ``mediawiki_content_current``.

    Examples
    --------
    >>> is_content_table(["page_id", "page_title", "page_namespace_id", "wiki_id", "revision_content_slots"])
    True
    """
    return set(columns) >= _NEEDED


def articles_of(frame: Any) -> tuple[Any, str]:
    """Return the articles of one wiki as id, title and text, and the wiki's language.

    These are the pages of namespace 0 whose main slot holds visible wikitext. As from a dump, a document's id is its
    title.
    """
    from pyspark.sql import functions as column

    wikis = sorted(str(row[0]) for row in frame.select("wiki_id").distinct().limit(3).collect())
    if len(wikis) != 1:
        there = f"has pages of several wikis ({', '.join(wikis)} …)" if wikis else "has no row"
        raise InputError(f"the table {there}: choose one, as in frame.where(\"wiki_id = 'enwiki'\")")
    main = column.col(SLOTS)["main"]
    wanted = (column.col("page_namespace_id") == 0) & (main["content_model"] == "wikitext")
    if "revision_content_is_visible" in frame.columns:
        wanted &= column.col("revision_content_is_visible")
    title = column.translate("page_title", "_", " ")
    chosen = frame.where(wanted).select(title.alias("id"), title.alias("title"), main["content_body"].alias("text"))
    return chosen, wikis[0].removesuffix("wiki")
