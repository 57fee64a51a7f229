"""Which language a text is in: by its script, and by the words that every text of a language has."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cache

FREQUENT = {
    "English": "the of and to in is that for it with as was are this from by which",
    "German": "der die das und ist nicht mit ein eine den von zu auf für dem auch wird sich",
    "French": "le la les des est et une dans pour que qui sur pas avec au du sont cette",
    "Spanish": "el la los las de que en un una por con para del es se como más pero su",
    "Italian": "il di che la per un una non con sono del della nel gli alla anche più come",
    "Portuguese": "o os as de que não um uma para com em do da no na por mais como se",
    "Dutch": "de het een van en is niet dat met op voor zijn aan ook als bij wordt",
    "Swedish": "och att det som en är på för av inte med den till har ett om var",
    "Danish": "og det at en er på til af ikke med den som der har et men blev",
    "Norwegian": "og det er på en til av ikke med som den har et jeg fra ble men også",
    "Finnish": "ja on ei se että oli hän mutta joka myös kun tai ovat ole mitä voi mistä",
    "Polish": "i w nie na się z że do jest to jak po jego przez dla oraz od który",
    "Czech": "a je v se na že s z do to by jako ale pro podle jsou byl která",
    "Hungarian": "a az és hogy nem egy is meg csak de volt ez van mint vagy azt",
    "Romanian": "și de în la cu nu o este pe un care să din pentru mai sunt",
    "Turkish": "ve bir bu da için de ile olarak çok daha olan gibi kadar değil ne",
    "Russian": "и в не на что с по это как но из за от для его был она или",
    "Ukrainian": "і в не на що з до як та це для його є але від був або які",
    "Bulgarian": "и на да в е се от за не с че са по като до си това което",
}
"""Frequent words that tell languages of one script apart; a word may be in several lists."""

SCRIPTS = {
    "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean", "CJK": "Chinese", "THAI": "Thai", "LAO": "Lao",
    "KHMER": "Khmer", "MYANMAR": "Burmese", "GREEK": "Greek", "HEBREW": "Hebrew", "ARABIC": "Arabic script",
    "DEVANAGARI": "Devanagari script", "GEORGIAN": "Georgian", "ARMENIAN": "Armenian", "TAMIL": "Tamil",
}  # fmt: skip
"""Scripts that tell the language, or at least themselves, by the first word of their characters' names."""

LEAST_WORDS = 2
"""A text has at least this many frequent words of its language, and more than of any other."""


@cache
def _languages_by_word() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for language, words in FREQUENT.items():
        for word in words.split():
            found.setdefault(word, set()).add(language)
    return {word: frozenset(languages) for word, languages in found.items()}


@cache
def _of_script(character: str) -> str | None:
    return SCRIPTS.get(unicodedata.name(character, "").split(" ")[0].split("-")[0])


def recognise(words: Iterable[str]) -> str | None:
    """Say which language the distinct words of a text are of; None if they do not tell."""
    votes: dict[str, int] = {}
    scripts: dict[str, int] = {}
    by_word = _languages_by_word()
    n = 0
    for word in words:
        n += 1
        for language in by_word.get(word, ()):
            votes[language] = votes.get(language, 0) + 1
        if not word.isascii() and (script := _of_script(word[0])) is not None:
            scripts[script] = scripts.get(script, 0) + 1
    if 2 * sum(scripts.values()) > n:
        # Japanese is written with Chinese characters, too, but Chinese never with Japanese ones.
        return "Japanese" if scripts.get("Japanese") else max(scripts, key=lambda name: scripts[name])
    best = sorted(votes.items(), key=lambda each: -each[1])[:2]
    if not best or best[0][1] < LEAST_WORDS or (len(best) > 1 and best[0][1] == best[1][1]):
        return None
    return best[0][0]
