"""Pictures of a run: the search's way over the terrain, and what a notebook shows."""

from __future__ import annotations

import numpy as np
import pytest

import priorwise as pw
from markup import Elements, parsed
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.learning import Procedure, learn
from priorwise.discovery.made_up import DemoDocument
from priorwise.errors import InputError
from slow_discovery import presence_of


def test_the_ways_that_are_drawn_are_those_of_the_search(corpus: Corpus) -> None:
    run = discover(corpus, "Chess", paper=True)
    learned = learn(corpus, corpus.members("Chess"), np.empty(0, np.int64), Procedure.paper())
    assert presence_of(run).climbs() == [path for sample in learned.choice.paths for path in sample]
    assert len(presence_of(run).climbs()) == 45
    assert "climb" in run.plot_terrain().svg


def test_a_search_that_looked_everywhere_has_no_way(run: Run) -> None:
    assert presence_of(run).climbs() == []
    assert "polyline" not in run.plot_terrain().svg


def test_pictures_for_a_notebook(run: Run, documents: list[DemoDocument]) -> None:
    belong = [document.id for document in documents if "Chess" in document.truth]
    picture = run.plot_precision(belong)
    last = np.mean([id in belong for id in run.ranking.ids])
    assert f"The presence model ends at {last:.3f}" in picture.summary
    assert isinstance(parsed(run._repr_html_()), Elements)
    assert run.ranking.rows(1)[0]["title"] in parsed(run._repr_html_()).text


def test_the_settings_of_the_default_model_are_drawn(auto_run: Run, corpus: Corpus) -> None:
    picture = auto_run.plot_terrain()
    most = max(auto_run.ranker.facts()["tried"], key=lambda each: each["share"])
    assert f"{most['share']:.3f}" in picture.summary
    given = discover(corpus, "Chess", prior=pw.PseudoCounts(2, 1), seeds=1)
    assert "the given prior is at λ− 2, λ+ 1" in given.plot_terrain().summary
    with pytest.raises(InputError, match="the default model has no objective map"):
        _ = auto_run.ranker.terrain
    with pytest.raises(InputError, match="this run has no stage 'presence', only baseline, members"):
        _ = auto_run.terrain
