from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import priorwise.engines.engine as local
from priorwise.corpus import Corpus
from priorwise.engines.engine import Local, score_rows
from priorwise.models.naive_bayes.estimators import BernoulliNB
from priorwise.models.weights import Weights
from priorwise.ranking.scorer import Scorer

Floats = NDArray[np.float64]


def make_corpus(random: np.random.Generator, n_documents: int, n_words: int = 60, copies: int = 1) -> Corpus:
    """Random documents, some without tokens; with `copies`, each stands there so many times in a row."""
    texts = []
    while len(texts) < n_documents:
        words = random.choice(n_words, size=random.integers(0, 25))
        texts += [" ".join(f"w{word}" for word in words)] * copies
    return Corpus.from_texts(texts[:n_documents])


def make_scorers(random: np.random.Generator, corpus: Corpus, count: int, *, whole: bool = False) -> list[Scorer]:
    scorers = []
    for number in range(count):
        size = int(random.integers(1, corpus.n_vocabulary))
        features = np.sort(random.choice(corpus.n_vocabulary, size=size, replace=False))
        values = random.integers(-3, 4, size=size).astype(float) if whole else random.normal(0, 3, size=size)
        power = 0.0 if whole else (0.0, 0.5, 1.0)[number % 3]
        scorers.append(Scorer(Weights(features, values[np.newaxis, :], np.array([random.normal()])), power))
    return scorers


def slow_scores(corpus: Corpus, scorer: Scorer) -> tuple[Floats, Floats]:
    """s(d), and s(d) over the power of the length, document by document."""
    number = dict(zip(scorer.weights.features.tolist(), scorer.weights.values[0].tolist(), strict=True))
    raw, scores = [], []
    for row in range(corpus.n_documents):
        tokens = corpus.take([row])[1].tolist()
        raw.append(float(scorer.weights.bias[0]) + sum(number.get(token, 0.0) for token in tokens))
        scores.append(raw[-1] / max(1, len(tokens)) ** scorer.length_power)
    return np.array(raw), np.array(scores)


def doubt(corpus: Corpus, scorer: Scorer, count: int) -> Floats:
    """How near to 0 each s(d) must be for its sign to be rounding: many scorers share sums of two-byte numbers."""
    if count < local.MANY:
        return np.full(corpus.n_documents, 1e-9)
    length = np.array([len(corpus.take([row])[1]) for row in range(corpus.n_documents)])
    return (length + 1) * np.abs(scorer.weights.values).max() / 2**15


def check(
    corpus: Corpus, scorers: list[Scorer], top: int, masks: list[NDArray[np.bool_]] | None = None, threads: int = 2
) -> None:
    found = Local(threads).rank_corpus(corpus, scorers, top=top, skip=masks)
    assert len(found) == len(scorers)
    for number, (scorer, got) in enumerate(zip(scorers, found, strict=True)):
        raw, scores = slow_scores(corpus, scorer)
        kept = np.ones(len(raw), dtype=bool) if masks is None else ~masks[number]
        rounded = np.round(scores, 9)
        order = [d for d in np.lexsort((np.arange(len(raw)), -rounded)) if kept[d]][:top]
        np.testing.assert_allclose(got.scores, scores[order], rtol=1e-9, atol=1e-9)
        # Scores that differ by rounding only may stand in either order; all others and exact equals may not.
        np.testing.assert_array_equal(rounded[got.documents], rounded[order])
        assert len(set(got.documents.tolist())) == len(order)
        assert kept[got.documents].all()
        equal = np.diff(got.scores) == 0
        assert np.all(np.diff(got.documents)[equal] > 0)
        sure = np.abs(raw) > doubt(corpus, scorer, len(scorers))
        assert abs(got.predicted_positive - np.count_nonzero((raw > 0) & kept & sure)) <= np.count_nonzero(~sure & kept)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 9])
@pytest.mark.parametrize("seed", range(2))
def test_ranking_equals_brute_force(seed: int, count: int) -> None:
    random = np.random.default_rng([seed, count])
    corpus = make_corpus(random, 700)
    check(corpus, make_scorers(random, corpus, count), top=40)


@pytest.mark.parametrize("count", [2, 6])
def test_equals_stand_in_the_order_of_the_corpus(count: int) -> None:
    """Whole numbers as weights, and every document many times: ties everywhere."""
    random = np.random.default_rng(count)
    corpus = make_corpus(random, 900, n_words=12, copies=30)
    scorers = [
        Scorer(Weights(s.weights.features, s.weights.values, np.array([1.0])))
        for s in make_scorers(random, corpus, count, whole=True)
    ]
    for scorer, got in zip(scorers, Local(3).rank_corpus(corpus, scorers, top=100), strict=True):
        _, scores = slow_scores(corpus, scorer)
        order = np.lexsort((np.arange(len(scores)), -scores))[:100]
        np.testing.assert_array_equal(got.documents, order)
        np.testing.assert_array_equal(got.scores, scores[order])
        sure = np.count_nonzero(scores > 0)
        assert sure <= got.predicted_positive <= (sure if count < local.MANY else np.count_nonzero(scores >= 0))


@pytest.mark.parametrize("count", [2, 5])
def test_more_equals_than_there_is_room_to_spare(count: int) -> None:
    """Copies of one document fill the list and its spare room; the ones that belong are the first of the corpus."""
    random = np.random.default_rng(0)
    corpus = Corpus.from_texts(["a b c"] * 500 + ["a b"] * 100 + ["a b c"] * 500)
    scorers = [Scorer(Weights(np.arange(3), random.normal(1, 0.1, size=(1, 3)), np.array([0.1]))) for _ in range(count)]
    for got in Local(2).rank_corpus(corpus, scorers, top=30):
        np.testing.assert_array_equal(got.documents, np.arange(30))
    for got in Local(2).rank_corpus(corpus, scorers, top=700):
        np.testing.assert_array_equal(got.documents, [*range(500), *range(600, 800)])


def test_a_long_document_among_short_ones() -> None:
    """Its sum may lose more to rounding than any sum of the short ones, and it belongs on top."""
    corpus = Corpus.from_texts([*(f"s{i}" for i in range(80)), " ".join(f"l{i}" for i in range(4000))])
    values = np.zeros(corpus.n_vocabulary)
    values[[corpus.token_id(f"l{i}") for i in range(4000)]] = 0.1012
    values[[corpus.token_id(f"s{i}") for i in range(80)]] = np.float32(404.8) - 2**-12 - np.arange(80) * 2.0**-14
    scorer = Scorer(Weights(np.arange(corpus.n_vocabulary), values[np.newaxis], np.zeros(1)))
    assert Local().rank_corpus(corpus, [scorer], top=10)[0].documents[0] == 80
    assert Local().rank_corpus(corpus, [scorer] * 4, top=10)[0].documents[0] == 80


@pytest.mark.parametrize("count", [3, 4])
def test_nearly_equal_scores_are_told_apart(count: int) -> None:
    """Differences far below what rounded numbers can show."""
    random = np.random.default_rng(3)
    n = 400
    corpus = Corpus.from_texts([f"base t{number}" for number in range(n)])
    ids = np.array([corpus.token_id(f"t{number}") for number in range(n)])
    scorers = []
    for _ in range(count):
        values = np.zeros(corpus.n_vocabulary)
        values[corpus.token_id("base")] = 1000.0
        values[ids] = random.permutation(n) * 1e-9
        scorers.append(Scorer(Weights(np.arange(corpus.n_vocabulary), values[np.newaxis], np.zeros(1))))
    for scorer, got in zip(scorers, Local().rank_corpus(corpus, scorers, top=20), strict=True):
        assert got.documents.tolist() == np.argsort(-scorer.weights.values[0][ids])[:20].tolist()


@pytest.mark.parametrize("count", [1, 3, 4, 7])
def test_each_scorer_passes_over_its_own_documents(count: int) -> None:
    random = np.random.default_rng(count)
    corpus = make_corpus(random, 500)
    masks = [random.random(500) < share for share in np.linspace(0, 1, count)]
    check(corpus, make_scorers(random, corpus, count), 60, masks)
    one = masks[0] | (np.arange(500) % 2 == 0)
    scorers = make_scorers(random, corpus, count)
    alike = [Local().rank_corpus(corpus, scorers, top=9, skip=skip) for skip in (one, [one] * count)]
    for a, b in zip(*alike, strict=True):
        np.testing.assert_array_equal(a.documents, b.documents)


@pytest.mark.parametrize("count", [2, 5])
@pytest.mark.parametrize("top", [1, 299, 300, 5000])
def test_any_length_of_the_list(count: int, top: int) -> None:
    random = np.random.default_rng(top)
    corpus = make_corpus(random, 300)
    check(corpus, make_scorers(random, corpus, count), top)


@pytest.mark.parametrize("count", [2, 6])
def test_the_number_of_threads_changes_nothing(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr("priorwise.engines.engine.STEP", 17)
    random = np.random.default_rng(count)
    corpus = make_corpus(random, 600, copies=3)
    scorers = make_scorers(random, corpus, count)
    one, four = (Local(threads).rank_corpus(corpus, scorers, top=50) for threads in (1, 4))
    for a, b in zip(one, four, strict=True):
        np.testing.assert_array_equal(a.documents, b.documents)
        np.testing.assert_array_equal(a.scores, b.scores)
        assert a.predicted_positive == b.predicted_positive
    check(corpus, scorers, 50, threads=4)


def test_many_scorers_go_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    corpus = make_corpus(random, 300)
    scorers = make_scorers(random, corpus, 10)
    masks = [random.random(300) < 0.3 for _ in scorers]
    together = Local().rank_corpus(corpus, scorers, top=25, skip=masks)
    monkeypatch.setattr(local, "TABLE_BYTES", 1)
    passes: list[int] = []
    apart = Local(1).rank_corpus(corpus, scorers, top=25, skip=masks, progress=passes.append)
    assert sum(passes) == 3 * 300
    for a, b in zip(together, apart, strict=True):
        np.testing.assert_array_equal(a.documents, b.documents)
        np.testing.assert_array_equal(a.scores, b.scores)
    check(corpus, scorers, 25, masks)


def test_scorers_that_know_no_token() -> None:
    corpus = Corpus.from_texts(["a", "", "b"])
    nothing = Scorer(Weights(np.empty(0, dtype=np.int64), np.empty((1, 0)), np.array([-1.0])))
    for count in (1, 4):
        for got in Local().rank_corpus(corpus, [nothing] * count, top=2):
            assert got.documents.tolist() == [0, 1]
            assert got.predicted_positive == 0
    assert Local().rank_corpus(corpus, [], top=2) == []


def test_scores_of_all_and_of_some_documents() -> None:
    random = np.random.default_rng(8)
    corpus = make_corpus(random, 200)
    for scorer in make_scorers(random, corpus, 3):
        _, scores = slow_scores(corpus, scorer)
        np.testing.assert_allclose(Local(2).score_corpus(corpus, scorer), scores, rtol=1e-12, atol=1e-12)
        some = np.array([150, 3, 3, 77])
        np.testing.assert_allclose(score_rows(corpus, scorer, some), scores[some], rtol=1e-12, atol=1e-12)


def test_an_output_other_than_the_first() -> None:
    corpus = Corpus.from_texts(["a", "b", "a b"])
    two = Weights(np.array([0, 1]), np.array([[1.0, 2.0], [-1.0, -5.0]]), np.array([0.5, 0.25]))
    first, second = Scorer(two), Scorer(two, output=1)
    expected = [slow_scores(corpus, Scorer(Weights(two.features, two.values[[i]], two.bias[[i]])))[1] for i in (0, 1)]
    for scorers in ([first, second], [first, second] * 3):
        got = Local().rank_corpus(corpus, scorers, top=3)
        for i in (0, 1):
            np.testing.assert_allclose(got[i].scores, np.sort(expected[i])[::-1])


def test_sparse_weights_beyond_a_background_side_by_side() -> None:
    rng = np.random.default_rng(8)
    corpus = Corpus.from_texts([" ".join(rng.choice(list("abcdefgh"), 4)) for _ in range(40)])
    weights = BernoulliNB().fit(corpus.matrix(), np.arange(40) % 4).weights_
    assert weights.background is not None
    scorers = [Scorer(weights, output) for output in range(4)]
    for scorer, together in zip(scorers, Local().rank_corpus(corpus, scorers, top=10), strict=True):
        alone = Local().rank_corpus(corpus, [scorer], top=10)[0]
        np.testing.assert_array_equal(together.documents, alone.documents)
        np.testing.assert_allclose(together.scores, alone.scores)


def test_an_error_in_a_thread_comes_out() -> None:
    corpus = Corpus.from_texts(["a"] * 10)
    scorer = Scorer(Weights(np.array([0]), np.ones((1, 1)), np.zeros(1)))

    def fail(documents: int) -> None:
        raise RuntimeError("from the callback")

    with pytest.raises(RuntimeError, match="from the callback"):
        Local(2).rank_corpus(corpus, [scorer], top=1, progress=fail)
