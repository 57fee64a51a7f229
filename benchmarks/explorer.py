"""The explorer: how long a setting takes, and how many frames a second the browser draws while a slider moves."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from measure import arguments, seconds, table, zipf_documents

from priorwise import Corpus, explore
from priorwise.explorer import FAMILIES, FamilySetting, View, setting_of
from priorwise.explorer.view import density_of

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


def made_corpus(n_documents: int, path: Path, words: int = 150) -> Corpus:
    """Documents of so many words, one in twenty of them a member: a tenth of its words speak of the category."""
    random = np.random.default_rng(0)
    vocabulary = 50_000
    indptr, tokens = zipf_documents(random, n_documents, words, vocabulary)
    member = np.arange(n_documents) % 20 == 0
    topical = (random.random(len(tokens)) < 0.1) & np.repeat(member, np.diff(indptr))
    tokens[topical] = vocabulary - 1 - tokens[topical] % 500
    matrix = sp.csr_matrix((np.ones(len(tokens)), tokens, indptr), shape=(n_documents, vocabulary))
    matrix.sum_duplicates()
    tokens_of = [f"w{i}" for i in range(vocabulary)]
    return Corpus.from_matrix(matrix, tokens_of, labels=["topic" if each else None for each in member], path=path)


def in_browser(path: Path, documents: int, family: str = "beta", *, picture: Path | None = None) -> dict[str, float]:
    from browsing import a_browser, served

    environment = {**os.environ, "PYTHONPATH": str(HERE.parent / "src")}
    command = ("explore", path, "topic", "--model", family, "--documents", documents, "--port", 0)
    with served(*command, environment=environment) as server, a_browser() as browser:
        page = browser.new_page(viewport={"width": 1366, "height": 850})
        begun = time.perf_counter()
        page.goto(server.url)
        page.wait_for_selector(".panels[data-frames]:not([data-frames='0'])")
        opened = time.perf_counter() - begun
        page.wait_for_selector(".trials tbody tr", timeout=120_000)
        page.wait_for_selector(".terrain-chart .main-svg", timeout=120_000)
        page.evaluate(MOVE, 1)
        found: dict[str, float] = page.evaluate(MOVE, SECONDS)
        if picture is not None:
            begun = time.perf_counter()
            page.wait_for_selector(".panels[data-shaded=true]", timeout=120_000)
            found["shaded"] = time.perf_counter() - begun
            page.screenshot(path=picture)
        return {**found, "opened": opened}


def said(found: dict[str, float]) -> str:
    return (
        f"the page with its points after {found['opened']:.1f} s; a slider moving for {SECONDS} s: "
        f"{found['frames']:.0f} frames a second drawn, {found['answers']:.0f} answers a second from the server"
    )


def drag(view: View, start: FamilySetting, repeats: int) -> list[str]:
    """How long a move of the model that ranks takes, while its variance rises by 7% at each move."""
    found = []
    for step in range(1, 1 + max(10, repeats)):
        setting = setting_of("members", {**start.named(), "variance": start.values[0] * 1.07**step})
        begun = time.perf_counter()
        view.points(setting)
        found.append(1000 * (time.perf_counter() - begun))
    return ["members, a move", f"{np.median(found):.1f}", f"{max(found) - min(found):.1f}"]


def by_density(n: int, picture: Path) -> None:
    """A corpus of which a sample of 20,000 documents are points, and all of it is the shade behind them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "many.corpus"
        view = explore(made_corpus(n, path, words=40), "topic")
        best, _ = seconds(lambda: density_of(view, setting_of("beta")), 2)
        found = in_browser(path, len(view.documents), picture=picture)
    print(f"{n:,} documents: {1000 * best:.0f} ms for the density; {said(found)}")
    print(f"the shade is there {found['shaded']:.1f} s after the slider has come to rest: {picture}")


def main() -> None:
    options = arguments(__doc__ or "", million="a million documents, by their density; needs 6 GB of memory")
    if options.million:
        by_density(100_000 if options.small else 1_000_000, Path("explorer-million.png"))
        return
    n = 2_000 if options.small else 20_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.corpus"
        corpus = made_corpus(n, path)
        view = explore(corpus, "topic", most=n)
        rows = []
        for name in FAMILIES:
            setting = view.opening(name)
            view.points(setting)  # the model that ranks learns its prior once
            if name == "members":
                rows.append(drag(view, setting, options.repeats))
                continue
            best, spread = seconds(lambda setting=setting: view.points(setting), options.repeats)
            rows.append([name, f"{1000 * best:.1f}", f"{spread:.1f}"])
        print(f"{n:,} documents, {len(view.documents.tokens):,} distinct tokens in all")
        table(["prior", "ms for all points", "spread"], rows)
        best, _ = seconds(lambda: density_of(view, setting_of("beta")), 2)
        print(f"density of {n:,} documents: {1000 * best:.0f} ms")
        for family in ("members", "beta"):
            print(f"{family}: {said(in_browser(path, n, family))}")


if __name__ == "__main__":
    main()
