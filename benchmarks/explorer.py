"""The explorer: how long a setting takes, and how many frames a second the browser draws while a slider moves."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from measure import arguments, seconds, table, zipf_documents

from priorwise import Corpus, explore
from priorwise.view import FAMILIES, setting_of
from priorwise.view.density import density_of

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

SECONDS = 8
MOVE = """async (seconds) => {
  const panels = document.querySelector(".panels"), slider = document.querySelector("input[type=range]");
  const count = () => [Number(panels.dataset.frames), Number(panels.dataset.answers)];
  const [frames, answers] = count(), begun = performance.now();
  let ticks = 0;
  while (performance.now() - begun < seconds * 1000) {
    slider.value = 500 + Math.round(400 * Math.sin(ticks++ / 30));
    slider.dispatchEvent(new Event("input"));
    await new Promise(requestAnimationFrame);
  }
  const took = (performance.now() - begun) / 1000, [last, answered] = count();
  return { frames: (last - frames) / took, answers: (answered - answers) / took, ticks: ticks / took };
}"""


def made_corpus(n_documents: int, path: Path) -> Corpus:
    """Documents of 150 words each, one in twenty of them a member: a tenth of its words speak of the category."""
    random = np.random.default_rng(0)
    vocabulary = 50_000
    indptr, tokens = zipf_documents(random, n_documents, 150, vocabulary)
    member = np.arange(n_documents) % 20 == 0
    topical = (random.random(len(tokens)) < 0.1) & np.repeat(member, np.diff(indptr))
    tokens[topical] = vocabulary - 1 - tokens[topical] % 500
    matrix = sp.csr_matrix((np.ones(len(tokens)), tokens, indptr), shape=(n_documents, vocabulary))
    matrix.sum_duplicates()
    words = [f"w{i}" for i in range(vocabulary)]
    return Corpus.from_matrix(matrix, words, labels=["topic" if each else None for each in member], path=path)


def in_browser(path: Path, documents: int) -> dict[str, float]:
    from browsing import a_browser, served

    environment = {**os.environ, "PYTHONPATH": str(HERE.parent / "src")}
    command = ("explore", path, "topic", "--documents", documents, "--port", 0)
    with served(*command, environment=environment) as server, a_browser() as browser:
        page = browser.new_page(viewport={"width": 1366, "height": 850})
        page.goto(server.url)
        page.wait_for_selector(".trials tbody tr")
        page.wait_for_selector(".terrain-chart .main-svg")
        page.evaluate(MOVE, 1)
        found: dict[str, float] = page.evaluate(MOVE, SECONDS)
        return found


def main() -> None:
    options = arguments(__doc__ or "")
    n = 2_000 if options.small else 20_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.corpus"
        corpus = made_corpus(n, path)
        view = explore(corpus, "topic", most=n)
        rows = []
        for name in FAMILIES:
            setting = setting_of(name)
            best, spread = seconds(lambda setting=setting: view.points(setting), options.repeats)
            rows.append([name, f"{1000 * best:.1f}", f"{spread:.1f}"])
        print(f"{n:,} documents, {len(view.documents.tokens):,} distinct tokens in all")
        table(["prior", "ms for all points", "spread"], rows)
        best, _ = seconds(lambda: density_of(view, setting_of("beta")), 2)
        print(f"density of {n:,} documents: {1000 * best:.0f} ms")
        found = in_browser(path, n)
        print(
            f"a slider moving for {SECONDS} s: {found['frames']:.0f} frames a second drawn, "
            f"{found['answers']:.0f} answers a second from the server"
        )


if __name__ == "__main__":
    main()
