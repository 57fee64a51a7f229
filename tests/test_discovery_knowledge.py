"""What somebody knows, in discovery: words, descriptions, earlier models, and a start without members."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import priorwise as pw
from conftest import Cli, Refused
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.category import Category
from priorwise.discovery.instructive import most_instructive
from priorwise.discovery.knowledge import Knowledge, WordsByHand, of_model
from priorwise.errors import InputError, NotEnoughData, UnknownName
from priorwise.features.document_vectors import document_vectors
from priorwise.models.linear_model import LinearModel
from priorwise.ranking.classifier import Classifier

WORDS = "+goal:2 +match -law"
TEXTS = [
    *("goal team win", "team match goal", "win match", "match goal late"),
    *("law vote", "vote court law", "tax law", "court tax", "late vote", "team tax"),
]


@pytest.fixture
def news() -> Corpus:
    texts = TEXTS * 4
    return Corpus.from_texts(texts, labels=(["sport"] * 2 + ["x"] + [None] * 7) + [None] * (len(texts) - 10))


def tf_idf(texts: list[str]) -> list[dict[str, float]]:
    """The documents' vectors, by the formula."""
    bags = [Counter(text.split()) for text in texts]
    held = Counter(word for bag in bags for word in bag)
    vectors = []
    for bag in bags:
        raw = {w: (1 + math.log(n)) * (math.log((len(texts) + 1) / (held[w] + 1)) + 1) for w, n in bag.items()}
        length = math.sqrt(sum(x * x for x in raw.values()))
        vectors.append({w: x / length for w, x in raw.items()})
    return vectors


keywords = st.dictionaries(
    st.text(st.characters(codec="utf-8", exclude_characters='"', exclude_categories=("C", "Z")), min_size=1).filter(
        lambda word: (
            word.strip("+-:−") and word == word.translate({0x201C: 0x22, 0x201D: 0x22, 0x201E: 0x22, 0x2212: 45})
        )
    ),
    st.integers(-50, 50).map(lambda n: n / 4),
    max_size=6,
)


@given(weights=keywords)
def test_keywords_are_read_as_they_are_written(weights: dict[str, float]) -> None:
    assert pw.Keywords.parse(str(pw.Keywords(weights))) == weights


def test_phrases_remarks_and_contradictions() -> None:
    words = pw.Keywords.parse('+oil:2, -"olive oil" “crude price”:0.5 −wine  # "not this"\nthe:0 +oil')
    assert dict(words) == {"oil": 3.0, "olive oil": -1.0, "crude price": 0.5, "wine": -1.0, "the": 0.0}
    assert words.ignored == ["the"]
    for text in ("+oil -oil", "oil oil:0", "oil:0 -oil"):
        with pytest.raises(InputError, match="'oil' is given with different signs"):
            pw.Keywords.parse(text)
    for text in ('+"crude', '""', '"a"b'):
        with pytest.raises(InputError, match="is not a keyword"):
            pw.Keywords.parse(text)
    with pytest.raises(InputError, match="is not a finite number"):
        pw.Keywords({"oil": math.nan})
    with pytest.raises(InputError, match="not a keyword"):
        pw.Keywords({" ": 1.0})


def test_words_are_looked_up_as_documents_are_cut(news: Corpus) -> None:
    found = WordsByHand.of(news, pw.Keywords.parse('+GOAL:2 "match_win":0.5 -law tax:0 unheard:0'))
    weights = dict(zip(news.token_names(np.arange(news.n_vocabulary)), found.weights.tolist(), strict=True))
    assert {w: n for w, n in weights.items() if n} == {"goal": 2.0, "match": 0.5, "win": 0.5, "law": -1.0}
    assert news.token_names(found.ignored) == ["tax"]
    with pytest.raises(UnknownName, match="no document has the word 'goals'; did you mean 'goal'"):
        WordsByHand.of(news, pw.Keywords.parse("+goals"))
    for text in ('+goal -"goal team"', "+goal GOAL:0", "goal:0 +Goal"):
        with pytest.raises(InputError, match="'goal' is given with different signs"):
            WordsByHand.of(news, pw.Keywords.parse(text))
    with pytest.raises(InputError, match="no letter or digit"):
        WordsByHand.of(news, pw.Keywords({"!?": 1.0}))


def test_words_alone_rank_by_the_formula(news: Corpus) -> None:
    run = discover(news, words=WORDS)
    texts = TEXTS * 4
    vectors, held = tf_idf(texts), Counter(word for text in texts for word in set(text.split()))
    known = {"goal": 2.0, "match": 1.0, "law": -1.0}
    row = {w: n * (math.log((len(texts) + 1) / (held[w] + 1)) + 1) for w, n in known.items()}
    length = math.sqrt(sum(x * x for x in row.values()))
    scores = [sum(x * row.get(w, 0.0) / length for w, x in vector.items()) for vector in vectors]
    table = run.baseline.table
    expected = [scores[int(id)] for id in table["id"].to_pylist()]
    np.testing.assert_allclose(table["score"].to_numpy(), expected, atol=1e-12)
    assert run.compared.title == "what is known alone"


@pytest.mark.parametrize("choices", [{"words": WORDS}, {"description": "a match with a goal"}])
def test_without_members_nothing_is_claimed_that_was_not_checked(
    news: Corpus, choices: dict[str, str], tmp_path: Path
) -> None:
    run = discover(news, **choices)
    assert {int(id) % 10 for id in run.ranking.ids[:8]} <= {0, 1, 2, 3}
    assert run.missing is None
    assert not run.ranking.has_probabilities
    assert run.ranker.predicted is None
    said = " ".join(run.ranker.describe())
    assert "No members are known, so none can check the ranking" in said
    assert "Estimated" not in said
    assert "Learned" not in said
    assert repr(run).startswith("<Run of what you described: 0 members")
    assert "probability" not in run._repr_html_()
    run.save(tmp_path / "x.run")
    assert "NaN" not in (tmp_path / "x.run" / "run.json").read_text()
    again = Run.load(tmp_path / "x.run")
    assert again.about == run.about
    assert again.ranking.table.equals(run.ranking.table)
    assert again.baseline.table.equals(run.baseline.table)
    explained = again.explain(news, run.ranking.ids[0])
    assert explained.probability is None
    assert explained.score == pytest.approx(run.ranking.rows(1)[0]["score"])
    with pytest.raises(NotEnoughData, match="say nothing about probabilities"):
        Classifier(again.model)


def test_every_weight_is_what_the_prior_brought_and_what_documents_added(news: Corpus) -> None:
    for run in (discover(news, words=WORDS), discover(news, "sport", words=WORDS)):
        words = {each.name: each for id in run.ranking.ids for each in run.explain(news, id).words}
        for each in words.values():
            assert each.from_prior + each.from_documents == pytest.approx(each.weight)
            assert bool(each.from_prior) == (each.name in ("goal", "match", "law"))
        rarity = {name: each.from_prior for name, each in words.items() if each.from_prior}
        assert rarity["goal"] > rarity["match"] > 0 > rarity["law"]
    assert not any(each.from_prior for each in discover(news, "sport").explain(news, "3").words)


def test_one_member_is_enough(news: Corpus) -> None:
    for choices in ({"label": "x"}, {"members": ["2"]}, {"label": "x", "words": "+goal"}):
        run = discover(news, **choices)  # type: ignore[arg-type]
        assert run.about.members == 1
        assert "2" not in run.ranking.ids
        assert {int(id) % 10 for id in run.ranking.ids[:6]} <= {0, 1, 2, 3}
        assert run.ranker.describe()[0].startswith("One member cannot check the ranking.")
    lone = Corpus.from_texts(["a b"], labels=["x"])
    with pytest.raises(NotEnoughData, match="nothing to find"):
        discover(lone, "x", words="+a")


def test_words_that_are_ignored_have_no_weight(news: Corpus) -> None:
    for choices in ({"label": "sport"}, {"description": "goal match"}):
        with_it = discover(news, **choices)
        without = discover(news, words="goal:0", **choices)
        assert "goal" in with_it.model.tokens.to_pylist()
        assert "goal" not in without.model.tokens.to_pylist()
        assert without.about.words == "goal:0"
        assert "You gave 1 keyword: goal:0." in without.ranker.describe()
    with pytest.raises(InputError, match="give a category, a list of members, words or a description"):
        discover(news, words="goal:0")


def test_the_share_of_words_is_weighed_by_left_out_members(news: Corpus) -> None:
    members = ["0", "1", "3", "10", "11"]
    right, wrong = (
        sum(each.share * each.knowledge for each in discover(news, members=members, words=words).ranker.tried)
        for words in ("+goal", "+tax +vote +court")
    )
    assert right > wrong


def test_an_earlier_model_is_where_the_next_one_starts(news: Corpus, tmp_path: Path) -> None:
    earlier = discover(news, "sport").model
    row = of_model(news, earlier, "sport")
    X = document_vectors(news, np.arange(news.n_documents))
    by_name = dict(zip(earlier.tokens.to_pylist(), earlier.weights.row(0).tolist(), strict=True))
    weights = np.array([by_name.get(name, 0.0) for name in news.token_names(np.arange(news.n_vocabulary))])
    np.testing.assert_allclose(X @ row * np.linalg.norm(weights), X @ weights, atol=1e-9)
    run = discover(news, prior_from=earlier)
    assert {int(id) % 10 for id in run.ranking.ids[:8]} <= {0, 1, 2, 3}
    assert run.about.prior_from == "an earlier model of 'sport', learned from 40 documents"


def test_members_that_an_earlier_model_learned_from_do_not_check_it() -> None:
    """The words say nothing, so an earlier model finds its own members and no others: it must not seem to help."""
    random = np.random.default_rng(0)
    words = [f"w{number}" for number in range(300)]
    news = Corpus.from_texts([" ".join(random.choice(words, size=12)) for _ in range(300)])
    earlier = discover(news, members=[str(row) for row in range(12)]).model
    assert earlier.about["members"] == [str(row) for row in range(12)]

    members = [str(row) for row in range(20)]
    alone, run = discover(news, members=members), discover(news, members=members, prior_from=earlier)
    assert run.ranker.about.learned_before == 12
    assert run.ranker.about.typical_rank > alone.ranker.about.typical_rank / 2
    said = " ".join(run.ranker.describe())
    assert "The earlier model learned from 12 of these members, so only the other 8 check the ranking." in said

    run = discover(news, members=members[:13], prior_from=earlier)
    assert run.ranking.table.equals(discover(news, members=members[:13]).ranking.table)
    assert run.about.prior_from is None
    assert "says nothing new and is not used" in " ".join(run.ranker.describe())


def test_a_model_that_does_not_name_its_members(news: Corpus) -> None:
    """One of the same corpus and label learned from all its members; of another corpus nobody knows."""
    category = Category.of(news, "sport", None, [], None)
    earlier = discover(news, "sport").model
    about = {key: value for key, value in earlier.about.items() if key != "members"}
    unnamed = replace(earlier, about=about)
    assert Knowledge(earlier=unnamed).learned_before(category).tolist() == [0, 1]
    assert Knowledge(earlier=unnamed).new_to(category).earlier is None
    elsewhere = replace(earlier, about=about | {"corpus": {"checksum": "other", "documents": 9}})
    assert not len(Knowledge(earlier=elsewhere).learned_before(category))
    assert not len(Knowledge().learned_before(category))


def test_a_model_of_several_labels_gives_the_weights_of_one(news: Corpus) -> None:
    from priorwise.models.weights import Weights

    details = {"features": "counts", "link": "softmax", "tokenizer": news.tokenizer, "about": {}}

    def model(rows: list[list[float]], labels: list[str], *, multilabel: bool = False) -> LinearModel:
        weights = Weights(np.arange(2), np.array(rows), np.zeros(len(rows)))
        members = np.ones(len(labels))
        return LinearModel.of(
            weights, ["goal", "law"], labels=labels, multilabel=multilabel, members=members, **details
        )

    def known(model: LinearModel, label: str | None) -> list[float]:
        row = of_model(news, model, label)
        held = np.array([math.log(41 / (n + 1)) + 1 for n in (12, 12)])
        own = row[news.token_ids(["goal", "law"])] * held
        return (own / np.abs(own).max()).round(9).tolist()

    two = model([[2.0, -1.0]], ["politics", "sport"])
    assert known(two, "sport") == [1.0, -0.5]
    assert known(two, "politics") == [-1.0, 0.5]
    three = model([[2.0, 0.0], [0.0, 3.0], [1.0, 0.0]], ["sport", "law", "tax"])
    assert known(three, "sport") == [1.0, -1.0]
    several = model([[2.0, 0.0], [0.0, 3.0], [1.0, 0.0]], ["sport", "law", "tax"], multilabel=True)
    assert known(several, "tax") == [1.0, 0.0]
    with pytest.raises(UnknownName, match="no label of the earlier model 'chess'; there are 'politics', 'sport'"):
        of_model(news, two, "chess")
    elsewhere = LinearModel(**{**vars(two), "tokenizer": {"rule": 99, "unicode": "1.0"}})
    with pytest.raises(InputError, match="the model's texts were by rule 99"):
        discover(news, "sport", prior_from=elsewhere)


def test_what_cannot_be_used_is_refused_before_any_work(news: Corpus) -> None:
    with pytest.raises(InputError, match="no document has a word of the description"):
        discover(news, "sport", description="δελτίο τύπου")
    with pytest.raises(InputError, match="a presence model takes no words"):
        discover(news, "sport", words="+goal", model="presence")
    with pytest.raises(InputError, match="words and a description belong to one category"):
        pw.discover_many(news, ["sport"], words="+goal")
    with pytest.raises(UnknownName, match="'gaol'; did you mean 'goal'"):
        discover(news, "sport", words="+gaol")


def test_what_to_judge_first_without_members(news: Corpus) -> None:
    run = discover(news, words="+goal +vote")
    rows = most_instructive(run, news, 4)
    assert rows[0]["rank"] == 1
    texts = [set(TEXTS[int(row["id"]) % 10].split()) for row in rows]
    assert len({frozenset(each) for each in texts}) == 4
    assert run.ranking.ids[0] not in {row["id"] for row in most_instructive(run, news, judged=[run.ranking.ids[0]])}


def test_knowledge_knows_whether_it_can_start() -> None:
    assert not Knowledge(pw.Keywords({"the": 0.0})).can_start
    assert not Knowledge(description="  ").can_start
    assert Knowledge(pw.Keywords({"law": -1.0})).can_start


def test_the_command_line(news: Corpus, cli: Cli, refused: Refused, tmp_path: Path) -> None:
    path, out, words = tmp_path / "news.corpus", tmp_path / "sport.run", tmp_path / "words.txt"
    texts = TEXTS * 4
    Corpus.from_texts(texts, labels=["sport"] * 2 + [None] * 38, path=path)
    words.write_text("+goal:2 -law  # not the game\n")
    said = cli("discover", path, "--words", f"@{words}", "-o", out).output
    assert "What you described: 0 members, 40 other documents" in said
    assert "No members are known, so none can check the ranking." in said
    assert "You gave 2 keywords: +goal:2 -law." in said
    assert "prob." not in said
    assert f"priorwise review {out} --active" in said
    assert json.loads((out / "run.json").read_text())["words"] == "+goal:2 -law"
    explained = cli("explain", out, Run.load(out).ranking.ids[0]).output
    assert "from prior" in explained
    assert "Probability" not in explained
    page = tmp_path / "report.html"
    cli("report", out, "-o", page)
    text = page.read_text()
    assert "You gave 2 keywords" in text
    assert "too few members to check the ranking" in text
    assert "nan" not in text.split("</style>")[-1]
    again = tmp_path / "again.run"
    said = cli("discover", path, "sport", "--prior-from", out, "--description", "a match", "-o", again).output
    assert "from your keywords, description or earlier model" in said
    assert "It starts from an earlier model without a category, learned from 40 documents." in said
    assert refused("discover", path, "--words", "+gaol") == "no document has the word 'gaol'; did you mean 'goal'?"
    assert "different signs" in refused("discover", path, "--words", "+goal -goal")
    for content, reason in {
        b"\xff\xfe\x00\xd8": "not valid UTF-8 (byte 0)",
        b"PK\3\4\0\0": "not a text (byte 4 is zero)",
    }.items():
        (tmp_path / "x.bin").write_bytes(content)
        said = refused("discover", path, "--description", f"@{tmp_path / 'x.bin'}")
        assert f"x.bin: {reason}; save it as plain text" in said
    assert "no such" in refused("discover", path, "sport", "--prior-from", tmp_path / "nowhere.run")
