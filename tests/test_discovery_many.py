"""Many categories at once: each as if it were alone, but for what they share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest

import priorwise.discovery.many as many
from conftest import Cli
from priorwise.corpus import Corpus
from priorwise.discovery.many import LearnLabels, discover_many
from priorwise.discovery.training import draw_training
from priorwise.engines.engine import Local
from priorwise.engines.local import score_corpus
from priorwise.errors import InputError, NotEnoughData, UnknownName
from priorwise.models.presence_priors import ImaginedDocuments
from priorwise.models.prior_choice import choose_prior
from priorwise.search import AveragePrecision


@pytest.fixture(scope="module")
def labels(corpus: Corpus) -> list[str]:
    return [label for label, size in corpus.largest_labels(4) if size < corpus.n_documents]


def test_a_prior_is_the_one_that_discover_chooses_from_the_same_sample(
    corpus: Corpus, labels: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With every other document as a negative, the sample is the same; so are the counts, and so is the choice."""
    monkeypatch.setattr(many, "NEGATIVES", corpus.n_documents)
    monkeypatch.setattr("priorwise.discovery.training.JUDGED_PER_MEMBER", corpus.n_documents)
    kind = ImaginedDocuments("collection")
    for label in labels:
        learned = LearnLabels(corpus).learn(label)
        training = draw_training(corpus, corpus.members(label), np.empty(0, np.int64), seeds=[0])
        choice = choose_prior(
            [training.samples[0].leave_one_out(kind)],
            AveragePrecision(),
            grid=kind.grid[:: many.GRID_STEP],
            negative_weight=training.negative_weight,
            length_powers=many.LENGTH_POWERS,
        )
        assert learned.prior == choice.prior
        assert learned.length_power == choice.length_power
        assert learned.average_precision == pytest.approx(choice.score)
        expected = training.mean_counts().weights(choice.prior)
        np.testing.assert_array_equal(learned.scorer.weights.features, training.features)
        np.testing.assert_allclose(learned.scorer.weights.values, expected.values, rtol=1e-12)


def test_rankings_are_those_of_the_learned_weights(corpus: Corpus, labels: list[str]) -> None:
    found = discover_many(corpus, labels, top=25)
    assert found.labels["label"].to_pylist() == labels
    assert len(set(found.labels["length_power"].to_pylist())) == 1
    power = found.labels["length_power"][0].as_py()
    for label in labels:
        learned = LearnLabels(corpus, 0, (power,)).learn(label)
        scores = score_corpus(corpus, learned.scorer)
        scores[corpus.members(label)] = -np.inf
        best = np.lexsort((np.arange(len(scores)), -scores))[:25]
        rows = found.candidates.filter(np.equal(found.candidates["label"].to_numpy(zero_copy_only=False), label))
        assert rows["id"].to_pylist() == corpus.ids(best)
        assert rows["rank"].to_pylist() == list(range(1, 26))
        np.testing.assert_allclose(rows["score"].to_numpy(), scores[best], rtol=1e-12)
        evidence = rows["evidence"][0].as_py().split()
        assert len(evidence) == 3
        table = learned.scorer.table(corpus.n_vocabulary)
        own = corpus.take(best[:1])[1]
        token, _, weight = evidence[0].rpartition(":")
        assert abs(table[corpus.token_id(token)]) == np.abs(table[own]).max()
        assert float(weight) == pytest.approx(table[corpus.token_id(token)], abs=0.005)


def test_groups_and_threads_change_nothing(corpus: Corpus, labels: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[float] = []
    one = discover_many(corpus, labels, top=9, engine=Local(1), progress=lambda what, share: told.append(share))
    assert told[-1] == 1.0
    monkeypatch.setattr(many, "AT_ONCE", 2)
    monkeypatch.setattr(many, "PER_TASK", 1)
    other = discover_many(corpus, labels, top=9, engine=Local(3))
    assert other.candidates.drop_columns(["score"]).equals(one.candidates.drop_columns(["score"]))
    np.testing.assert_allclose(other.candidates["score"], one.candidates["score"], rtol=1e-12)


def test_what_cannot_be_learned_is_refused(corpus: Corpus) -> None:
    with pytest.raises(InputError, match="at least one label"):
        discover_many(corpus, [])
    with pytest.raises(InputError, match="'Chess' is there twice"):
        discover_many(corpus, ["Chess", "Chess"])
    with pytest.raises(UnknownName, match="no label 'Ches'"):
        discover_many(corpus, ["Ches"])
    with pytest.raises(NotEnoughData, match="'one' has 1 members"):
        discover_many(Corpus.from_texts(["a", "b", "c"], labels=["one", None, None]), ["one"])


def test_the_command(cli: Cli, refused: Callable[..., str], corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_text("Chess\n\nChess\n")
    from_file = ("discover-many", corpus.path, "--labels-from", tmp_path / "labels.txt", "--top", 5)
    result = cli(*from_file, "-o", tmp_path / "x.parquet")
    assert result.exit_code == 0
    assert "5 candidates for 1 label" in result.stdout
    expected = discover_many(corpus, ["Chess"], top=5)
    assert pq.read_table(tmp_path / "x.parquet").equals(expected.candidates)
    assert pq.read_table(tmp_path / "x.labels.parquet").equals(expected.labels)
    assert "x.parquet is there already" in refused(*from_file, "-o", tmp_path / "x.parquet")
    every = ("discover-many", corpus.path, "--all-labels", "--top", 2, "-o", tmp_path / "all.csv")
    assert cli(*every, "--min-members", 2).exit_code == 0
    assert csv.read_csv(tmp_path / "all.csv").num_rows == 2 * csv.read_csv(tmp_path / "all.labels.csv").num_rows
    assert "has 5,000 members" in refused(*every, "--min-members", 5000, "--overwrite")
    assert "either --labels-from" in refused("discover-many", corpus.path, "-o", tmp_path / "y.csv")
    assert "must end in" in refused("discover-many", corpus.path, "--all-labels", "-o", tmp_path / "y.txt")
    assert "needs --engine spark" in refused(*every, "--min-members", 2, "--overwrite", "--master", "yarn")
