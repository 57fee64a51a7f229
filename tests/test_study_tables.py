"""The tables of the study of hidden members are made from its file of results."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

from study_tables import TABLES, lines, missing_table, peers_table, precision_table, readme_table, write_tables  # noqa: E402

OURS, WORDS, PEERS = "auto", "auto, without other labels", ["svm, bagged negatives", "logistic, all negatives"]


def judged(corpus: str, known: str, label: str, *ppv: float) -> list[dict[str, str]]:
    about = {"corpus": corpus, "known": known, "label": label, "hidden": "40"}
    said = {"missing": "20", "low": "10", "high": "30" if label == "b" else "90", "expected at k": "0.25"}
    rows = []
    for method, value in zip((OURS, WORDS, *PEERS), ppv, strict=False):
        own = said if method == OURS else dict.fromkeys(said, "")
        rows.append({**about, "method": method, "ppv": str(value), "average precision": str(value / 2), **own})
    return rows


@pytest.fixture
def study() -> list[dict[str, str]]:
    return [
        *judged("reuters", "half", "a", 0.9, 0.8, 0.7, 0.6),
        *judged("enwik8", "5", "a", 0.5, 0.4, 0.7, 0.2),
        *judged("enwik8", "5", "b", 0.5, 0.3, 0.1, 0.2),
        # A run that was stopped here.
        *judged("enwik8", "5", "c", 0.0, 0.0),
    ]


def test_the_best_peer_is_known_afterwards_and_only_whole_cases_count(study: list[dict[str, str]]) -> None:
    few, half = lines(study, OURS, WORDS, PEERS)
    assert (few.corpus, few.known, few.categories) == ("enwik8", "5", 2)
    beside = few.by["ppv"]
    assert (beside.ours, beside.words_only, beside.theirs) == pytest.approx((0.5, 0.35, 0.4))
    assert (beside.peer, beside.ahead, beside.behind) == ("svm, bagged negatives", 1, 1)
    assert few.by["average precision"].ours == pytest.approx(0.25)
    assert few.missing == ["3", "0.50", "2 of 3", "0.250", "0.333"]
    assert half.by["ppv"].theirs == pytest.approx(0.7)


def test_tables_for_people(study: list[dict[str, str]]) -> None:
    judgement = lines(study, OURS, WORDS, PEERS)
    assert "| enwik8 | 5 | 2 | 0.500 | 0.350 | 0.400 (svm, bagged) | 1/1 |" in peers_table(judgement)
    assert "| Reuters | half | 1 | 0.50 | 1 of 1 | 0.250 | 0.900 |" in missing_table(judgement)
    assert "| enwik8 | 50% | 40% |" in readme_table(judgement)
    shown = precision_table(judgement)
    assert "| `discover`, the default | **.500** |" in shown
    assert "| the best of five scikit-learn pipelines | .400 |" in shown
    assert "| half of the members known | Reuters |" in shown


def test_they_stand_between_their_marks(study: list[dict[str, str]], tmp_path: Path) -> None:
    judgement = lines(study, OURS, WORDS, PEERS)
    for file in TABLES:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text((ROOT / file).read_text(encoding="utf-8"), encoding="utf-8")
    write_tables(judgement, tmp_path)
    assert peers_table(judgement) in (tmp_path / "docs/concepts/discovery-study-table.md").read_text(encoding="utf-8")
    assert readme_table(judgement) in (tmp_path / "README.md").read_text(encoding="utf-8")
    (tmp_path / "README.md").write_text("no marks", encoding="utf-8")
    with pytest.raises(SystemExit, match="no marks for the table 'five members'"):
        write_tables(judgement, tmp_path)
