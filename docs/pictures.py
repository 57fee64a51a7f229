"""Make the pictures of the README and the documentation.

.venv/bin/python docs/pictures.py
"""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

from priorwise import PPV, AveragePrecision, Corpus, FBeta, discover
from priorwise.discovery.made_up import make_documents

STATIC = Path(__file__).parent / "_static"


def terrain() -> None:
    """Three terrains of the demo's category, with Laplace and the best prior marked."""
    made = make_documents()
    corpus = Corpus.from_texts(
        [document.text for document in made],
        ids=[document.id for document in made],
        labels=[document.labels for document in made],
    )
    missing = {each.id for each in made if "Astronomy" in each.truth and "Astronomy" not in each.labels}
    targets = {
        "PPV, the paper's target": PPV(),
        "F0.5": FBeta(0.5),
        "average precision, the default": AveragePrecision(),
    }
    figure, panels = plt.subplots(1, 3, figsize=(11, 4.1), layout="constrained", sharey=True)
    for panel, (name, target) in zip(panels, targets.items(), strict=True):
        run = discover(corpus, "Astronomy", target=target, centre="uniform")
        drawn = run.terrain
        mesh = panel.pcolormesh(drawn.grid, drawn.grid, drawn.score, cmap="cividis", shading="nearest", rasterized=True)
        figure.colorbar(mesh, ax=panel, shrink=0.85, pad=0.02)
        panel.plot(1, 1, "o", color="white", markeredgecolor="black", markersize=7, label="Laplace")
        star = {"color": "red", "markeredgecolor": "white", "markersize": 15}
        panel.plot(run.prior.positive, run.prior.negative, "*", label="learned", **star)
        found = len(missing.intersection(run.ranking.ids[:100]))
        panel.set(xscale="log", yscale="log", xlabel="λ+", title=f"{name}\n{found} missing members in the first 100")
    panels[0].set_ylabel("λ−")
    panels[0].legend(loc="lower right", framealpha=0.9)
    baseline = len(missing.intersection(run.baseline.ids[:100]))
    figure.suptitle(
        f"Leave-one-out for 41,209 priors. Laplace finds {baseline} of {len(missing)} missing members in its first 100"
    )
    figure.savefig(STATIC / "terrain.png", dpi=110)


if __name__ == "__main__":
    mpl.use("Agg")
    STATIC.mkdir(exist_ok=True)
    terrain()
