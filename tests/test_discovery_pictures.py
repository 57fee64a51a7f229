"""Pictures of a run: the search's way over the terrain, and what a notebook shows."""

from __future__ import annotations

import numpy as np

from markup import Elements, parsed
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.learning import Procedure, learn
from priorwise.discovery.made_up import DemoDocument
from priorwise.discovery.pictures import climbs


def test_the_ways_that_are_drawn_are_those_of_the_search(corpus: Corpus) -> None:
    run = discover(corpus, "Chess", paper=True)
    learned = learn(corpus, corpus.members("Chess"), np.empty(0, np.int64), Procedure.paper())
    assert climbs(run) == [path for sample in learned.choice.paths for path in sample]
    assert len(climbs(run)) == 45
    assert "climb" in run.plot_terrain().svg


def test_a_search_that_looked_everywhere_has_no_way(run: Run) -> None:
    assert climbs(run) == []
    assert "polyline" not in run.plot_terrain().svg


def test_pictures_for_a_notebook(run: Run, documents: list[DemoDocument]) -> None:
    belong = [document.id for document in documents if "Chess" in document.truth]
    picture = run.plot_precision(belong)
    last = np.mean([id in belong for id in run.ranking.ids])
    assert f"The learned prior ends at {last:.3f}" in picture.summary
    assert isinstance(parsed(run._repr_html_()), Elements)
    assert run.ranking.rows(1)[0]["title"] in parsed(run._repr_html_()).text
