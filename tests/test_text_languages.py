"""Languages are recognised by script and by frequent words."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import priorwise as pw
from priorwise.cli.main import main
from priorwise.text import tokens
from priorwise.text.languages import FREQUENT, recognise


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The committee found that most of the rules are from an earlier time.", "English"),
        ("Der Ausschuss hat die Regeln nicht geändert, und das wird auch so bleiben.", "German"),
        ("Le comité a trouvé que les règles ne sont pas dans cette liste.", "French"),
        ("Mistä voi lainata kirjan, joka on myös äänikirjana? Se ei ole hyllyssä.", "Finnish"),
        ("Det är en regel som inte har ändrats och som finns på svenska.", "Swedish"),
        ("Правила не изменились, и это было известно из письма для всех.", "Russian"),
        ("委员会发现大多数规则都是以前的。", "Chinese"),
        ("東京へ行きました。とても大きい町です。", "Japanese"),
        ("กฎส่วนใหญ่ไม่เปลี่ยนแปลง", "Thai"),
        ("tcp udp 80 443", None),
        ("", None),
    ],
)
def test_a_text_is_recognised(text: str, language: str | None) -> None:
    assert recognise(set(tokens(text))) == language


def test_every_list_tells_its_own_language() -> None:
    for language, words in FREQUENT.items():
        assert recognise(words.split()) == language


def test_a_mixed_corpus_says_so(tmp_path: object) -> None:
    texts = ["the end of the day is that it was late"] * 3 + ["das Ende ist nicht da und der Tag auch nicht"]
    corpus = pw.Corpus.from_texts(texts, path=f"{tmp_path}/x.corpus")
    assert corpus.languages() == {"English": 0.75, "German": 0.25}
    assert "languages    English 75%, German 25%" in CliRunner().invoke(main, ["corpus", f"{tmp_path}/x.corpus"]).output
