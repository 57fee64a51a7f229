"""Learn from verdicts: what was accepted is a member, what was rejected a hard negative."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import FAST, Cli
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover, presence_stage
from priorwise.discovery.category import Judged
from priorwise.discovery.presence_stage import draw_training
from priorwise.discovery.run import VerdictCounts
from priorwise.errors import BrokenFile, NotEnoughData
from priorwise.priors import PseudoCounts
from priorwise.review import judged
from reviews import judge

NOBODY = np.array([], np.int64)


def test_judged_documents_are_no_candidates_again(corpus: Corpus, run: Run) -> None:
    accepted, rejected = tuple(run.ranking.ids[:4]), tuple(run.ranking.ids[4:9])
    again = discover(corpus, "Chess", verdicts=Judged(accepted, rejected))
    for ranking in (again.ranking, again.baseline):
        assert set(ranking.ids).isdisjoint({*accepted, *rejected})
    assert again.about.members == run.about.members + 4
    assert again.about.verdicts == VerdictCounts(accepted=4, rejected=5)
    assert run.about.verdicts is None


def test_accepted_documents_are_members(corpus: Corpus, run: Run) -> None:
    """Accepting documents is the same as giving them as members."""
    accepted = run.ranking.ids[:4]
    members = corpus.ids(corpus.members("Chess"))
    by_hand = discover(corpus, members=[*members, *accepted])
    by_verdict = discover(corpus, "Chess", verdicts=Judged(tuple(accepted)))
    for column in ("id", "score", "probability", "baseline_rank"):
        assert by_verdict.ranking.table[column].equals(by_hand.ranking.table[column])


@pytest.mark.parametrize("per_member", [None, 2.0])
def test_rejected_documents_weigh_as_said(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch, per_member: float | None
) -> None:
    monkeypatch.setattr(presence_stage, "BACKGROUND_PER_MEMBER", 10)
    members = corpus.members("Chess")
    hard = np.setdiff1d(np.arange(corpus.n_documents), members)[[3, 50, 200]]
    plain = draw_training(corpus, members, NOBODY, seeds=[0, 1], per_member=per_member)
    found = draw_training(corpus, members, NOBODY, seeds=[0, 1], per_member=per_member, hard=hard)
    _, tokens = corpus.take(hard)
    in_hard = np.array([np.count_nonzero(tokens == feature) for feature in found.features])
    assert found.features.tolist() == plain.features.tolist()
    if per_member is None:
        assert found.background is not None
        assert plain.background is not None
        share = 10 * len(members) / (corpus.n_documents - len(members))
        # Together they weigh no more than all other documents.
        weight = min(presence_stage.HARD_WEIGHT, 10 * len(members) / 3)
        np.testing.assert_allclose(found.background.negative, plain.background.negative + (weight - share) * in_hard)
        assert found.background.n_negative == pytest.approx(plain.background.n_negative + 3 * (weight - share))
        for sample in found.samples:
            expected = np.where(np.isin(sample.negatives, hard), weight, share)
            np.testing.assert_allclose(sample.cases.taken_out[len(members) :], expected)
    else:
        for sample in found.samples:
            assert set(hard.tolist()) <= set(sample.negatives.tolist())
            assert len(sample.negatives) == round(per_member * len(members)) + 3
            assert set(sample.cases.taken_out.tolist()) == {1.0}


def test_leave_one_out_is_a_refit_with_rejected_documents_too(corpus: Corpus) -> None:
    """Taking a rejected document out takes out all of its weight: here each document weighs 1, a rejected one 20."""
    members = corpus.members("Chess")
    hard = np.setdiff1d(np.arange(corpus.n_documents), members)[:4]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(presence_stage, "HARD_WEIGHT", 20.0)
        found = draw_training(corpus, members, NOBODY, seeds=[0], hard=hard)
        without = draw_training(corpus, members, hard[:1], seeds=[0], hard=hard[1:])
    [sample] = found.samples
    case = len(members) + int(np.flatnonzero(sample.negatives == hard[0])[0])
    assert found.background is not None
    assert without.background is not None
    _, tokens = corpus.take(hard[:1])
    left = found.background.negative - sample.cases.taken_out[case] * np.isin(found.features, tokens)
    np.testing.assert_allclose(left, without.background.negative)
    assert found.background.n_negative - sample.cases.taken_out[case] == without.background.n_negative


def test_rejected_words_lose_weight() -> None:
    texts = (
        ["goal team", "goal team", "goal score", "team score"] * 5
        + ["goal tax law"] * 4
        + ["law vote", "tax vote"] * 400
    )
    labels = ["sport"] * 4 + [None] * (len(texts) - 4)
    corpus = Corpus.from_texts(texts, labels=labels)
    hard = tuple(str(row) for row in range(20, 24))

    def weight(**options: Any) -> float:
        run = discover(corpus, "sport", prior=PseudoCounts.laplace(), **options)
        weights = {word.name: word.weight for word in run.explain(corpus, "4").words}
        return weights["goal"] - weights["team"]

    assert weight(verdicts=Judged((), hard), negatives_per_positive=20.0) < weight(negatives_per_positive=20.0)


def test_a_verdict_outweighs_a_label(corpus: Corpus) -> None:
    member = corpus.ids(corpus.members("Chess"))[0]
    again = discover(corpus, "Chess", verdicts=Judged((), (member,)))
    assert again.about.members == len(corpus.members("Chess")) - 1
    assert member not in again.ranking.ids
    with pytest.raises(NotEnoughData):
        discover(corpus, "Chess", verdicts=Judged((), tuple(corpus.ids(corpus.members("Chess")))))


def test_reviews_of_several_runs(run: Run, run_path: Path, tmp_path: Path) -> None:
    first, second = (Path(shutil.copytree(run_path, tmp_path / name)) for name in ("a.run", "b.run"))
    ids = run.ranking.ids
    judge(first, dict.fromkeys(ids[:3], "yes"))
    judge(first, {**dict.fromkeys(ids[3:6], "no"), ids[6]: "unsure", ids[7]: "skip"})
    judge(second, {**dict.fromkeys(ids[2:4], "no"), ids[8]: "yes"})
    found = judged(first)
    assert (found.accepted, found.rejected, found.unsure) == (
        tuple(sorted(ids[:3])),
        tuple(sorted(ids[3:6])),
        (ids[6],),
    )
    assert [each.id for each in found.order] == ids[:7]
    both = judged(first, second)
    assert both.accepted == tuple(sorted([*ids[:2], ids[8]]))
    assert (both.rejected, both.unsure) == (tuple(sorted(ids[3:6])), tuple(sorted([ids[2], ids[6]])))
    assert judged(run_path) == Judged()
    with pytest.raises(BrokenFile, match="no such run"):
        judged(tmp_path / "nowhere.run")


def test_the_command(cli: Cli, run: Run, run_path: Path, corpus: Corpus, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(run_path, tmp_path / "a.run"))
    judge(folder, dict.fromkeys(run.ranking.ids[:2], "yes"))
    judge(folder, dict.fromkeys(run.ranking.ids[2:4], "no"))
    result = cli("discover", corpus.path, "Chess", "--verdicts", folder, "-o", tmp_path / "b.run", *FAST)
    assert result.exit_code == 0, result.output
    assert "10 members" in result.stdout
    assert Run.load(tmp_path / "b.run").about.verdicts == VerdictCounts(accepted=2, rejected=2)
