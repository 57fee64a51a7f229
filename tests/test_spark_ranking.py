"""A pass over a corpus on Spark gives what the local engine gives, number by number."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import priorwise.corpus.build.ingestion as build
import priorwise.corpus.build.ingestion as ingestion
from priorwise.corpus import Corpus
from priorwise.engines.engine import Engine, Local
from priorwise.engines.spark import Spark, parts_of_corpus
from priorwise.errors import InputError
from test_engine import make_corpus, make_scorers

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark")]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Many small batches; ties everywhere; one giant document; one label on nearly all of them."""
    random = np.random.default_rng(4)
    made = make_corpus(random, 900, copies=3)
    texts = [" ".join(made.token_names(made.take([row])[1])) for row in range(900)]
    texts[444] = " ".join(f"w{n % 60} g{n}" for n in range(60_000))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingestion, "DOCUMENTS_PER_SHARD", 64)
        patch.setattr(build, "DOCUMENTS_PER_SHARD", 64)
        path = tmp_path_factory.mktemp("ranking") / "x.corpus"
        return Corpus.from_texts(texts, labels=[None if n % 50 == 0 else "giant" for n in range(900)], path=path)


@pytest.mark.parametrize("count", [1, 3, 7])
def test_rankings_are_the_same(spark: Spark, corpus: Corpus, count: int) -> None:
    assert len(corpus.batch_sizes) > 10
    random = np.random.default_rng(count)
    scorers = make_scorers(random, corpus, count)
    masks = [random.random(corpus.n_documents) < 0.2 for _ in scorers]
    one = np.isin(np.arange(corpus.n_documents), corpus.members("giant")[: -40 * count])
    for skip in (None, one, masks):
        local, there = (engine.rank_corpus(corpus, scorers, top=50, skip=skip) for engine in engines(spark))
        for a, b in zip(local, there, strict=True):
            np.testing.assert_array_equal(a.documents, b.documents)
            np.testing.assert_array_equal(a.scores, b.scores)
            assert count > 3 or a.predicted_positive == b.predicted_positive


def test_more_is_asked_for_than_there_is(spark: Spark, corpus: Corpus) -> None:
    (scorer,) = make_scorers(np.random.default_rng(1), corpus, 1)
    done: list[int] = []
    local, there = (e.rank_corpus(corpus, [scorer], top=5000, progress=done.append)[0] for e in engines(spark))
    np.testing.assert_array_equal(local.documents, there.documents)
    assert len(there.documents) == corpus.n_documents
    assert sum(done) == 2 * corpus.n_documents
    assert spark.rank_corpus(corpus, [], top=3) == []


def test_scores_are_the_same(spark: Spark, corpus: Corpus) -> None:
    (scorer,) = make_scorers(np.random.default_rng(2), corpus, 1)
    local, there = (engine.score_corpus(corpus, scorer) for engine in engines(spark))
    np.testing.assert_array_equal(local, there)


def test_a_corpus_at_an_address(spark: Spark, corpus: Corpus) -> None:
    there = Corpus.open(f"local://{corpus.path}")
    (scorer,) = make_scorers(np.random.default_rng(3), corpus, 1)
    np.testing.assert_array_equal(spark.score_corpus(there, scorer), Local().score_corpus(corpus, scorer))


def test_parts_are_the_corpus(corpus: Corpus) -> None:
    for n in (1, 4, 100):
        parts = parts_of_corpus(corpus, n)
        assert len(parts) == min(n, len(corpus.batch_sizes))
        assert [part.start for part in parts] == [0, *np.cumsum([part.n_documents for part in parts])[:-1]]
        some = np.array([3, 0, 3])
        for part in parts:
            np.testing.assert_array_equal(part.take(some)[1], corpus.take(some + part.start)[1])
    part = parts[-1]
    own = part.own(np.array([0, part.start, part.start + 2, part.start + part.n_documents + 5]))
    assert np.flatnonzero(own).tolist() == [0, 2]


def test_a_corpus_in_memory_cannot_be_shared(spark: Spark) -> None:
    corpus = Corpus.from_texts(["a", "b"])
    with pytest.raises(InputError, match="save it to a folder that all can reach"):
        spark.rank_corpus(corpus, make_scorers(np.random.default_rng(0), corpus, 1), top=1)


def engines(spark: Spark) -> tuple[Engine, Engine]:
    return Local(threads=1), spark


def test_a_session_that_is_active_is_taken(spark: Spark, tmp_path: Path) -> None:
    assert Spark.start().session is spark.session
