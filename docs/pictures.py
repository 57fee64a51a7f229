"""Make the pictures of the README and the documentation.

.venv/bin/python docs/pictures.py
"""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from scipy import stats

from priorwise import PPV, AveragePrecision, Beta, Corpus, FBeta, Gaussian, Laplace, LogisticRegression, discover
from priorwise.discovery.demo import make_documents

STATIC = Path(__file__).parent / "_static"
COLOURS = ("#0072b2", "#d55e00", "#009e73")
"""Three that everybody can tell apart (Okabe and Ito)."""


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


def rates() -> None:
    """A word's rate while documents are read, under priors of other centres and of other strengths."""
    read = np.arange(0, 201)
    found = np.floor(read * 0.3)
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained", sharey=True)
    beliefs = {
        "Three centres, strength 10": [(f"centre {centre}", Beta.of(centre, 10)) for centre in (0.9, 0.5, 0.1)],
        "Centre 0.9, three strengths": [(f"strength {each}", Beta.of(0.9, each)) for each in (100, 10, 1)],
    }
    for panel, (title, priors) in zip(panels, beliefs.items(), strict=True):
        for colour, (name, prior) in zip(COLOURS, priors, strict=True):
            panel.plot(read, (prior.alpha + found) / (prior.strength + read), color=colour, label=name)
        panel.set(title=title, xlabel="documents read")
        _finish(panel)
        panel.axhline(0.3, color="grey", linestyle=":", zorder=0)
    panels[0].set(ylabel="rate of the word", ylim=(0, 1))
    figure.savefig(STATIC / "prior-rate.png", dpi=110)


def coefficients() -> None:
    """Priors of a coefficient, and the coefficient that is learned from more and more examples under each."""
    expected = float(np.log(7))
    priors = {
        "Gaussian(1), mode 0": (Gaussian(1.0), stats.norm(0, 1)),
        "Gaussian(1), mode log 7": (Gaussian(1.0, mode=expected), stats.norm(expected, 1)),
        "Laplace(0.1), mode log 7": (Laplace(0.1, mode=expected), stats.laplace(expected, np.sqrt(0.1 / 2))),
    }
    figure, (before, after) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    beta = np.linspace(-3, 5, 801)
    examples = np.unique(np.geomspace(1, 300, 30).astype(int))
    for colour, (name, (prior, belief)) in zip(COLOURS, priors.items(), strict=True):
        before.plot(beta, belief.pdf(beta), color=colour, label=name)
        after.plot(examples, [_learned(prior, n) for n in examples], color=colour, label=name)
    before.set(title="Before reading", xlabel="coefficient of the word", ylabel="density", ylim=(0, None))
    after.set(title="After reading", xlabel="examples of each kind", ylabel="coefficient of the word", xscale="log")
    after.axhline(float(np.log(3)), color="grey", linestyle=":", zorder=0)
    for panel in (before, after):
        _finish(panel)
    figure.savefig(STATIC / "prior-coefficient.png", dpi=110)


def _learned(prior: Gaussian | Laplace, n: int) -> float:
    """The coefficient of a word that three in four examples of one class have, and one in two of the other."""
    word = np.concatenate([np.arange(n) % 4 < 3, np.arange(n) % 2 < 1]).astype(float)[:, None]
    model = LogisticRegression(prior).fit(word, np.repeat([1, 0], n))
    return float(model.coef_[0, 0])


def _finish(panel: Axes) -> None:
    panel.legend(frameon=False, fontsize="small")
    panel.spines[["top", "right"]].set_visible(False)


if __name__ == "__main__":
    mpl.use("Agg")
    STATIC.mkdir(exist_ok=True)
    rates()
    coefficients()
    terrain()
