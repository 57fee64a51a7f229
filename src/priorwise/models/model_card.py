"""The card of a model, written next to it: what it is, what it was trained on, how good it was, and where it ends."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from priorwise.version import __version__

if TYPE_CHECKING:
    from priorwise.models.linear_model import LinearModel

FILE_NAME = "card.md"
SHOWN = 20
FEW = 10
"""Labels with fewer documents than this are named among the limits."""

_WORDS = {"counts": "how often each word occurs", "presence": "whether each word occurs"}
_BAYES = ("multinomial", "bernoulli", "presence", "weighted")


def card_of(model: LinearModel) -> str:
    """Return the card as Markdown; what comes from documents is escaped."""
    return "\n\n".join(_sections(model)) + "\n"


def _sections(model: LinearModel) -> Iterator[str]:
    about = model.about
    kind = str(about.get("model", "linear"))
    what = "labels, each decided on its own" if model.multilabel else "classes, one for each document"
    yield "# Model card"
    yield (
        f"A {plain(kind)} model that puts texts to {len(model.labels):,} {what}. It reads {_WORDS[model.features]} of "
        f"{len(model.tokens):,} words, adds up a number for each, and makes a probability of the sum ({model.link})."
    )
    yield "## Trained on"
    yield _training(model)
    yield _labels(model)
    yield "## Prior"
    yield _prior(about)
    yield "## Measured quality"
    yield _quality(about)
    yield "## Limits"
    yield "\n".join(f"- {limit}" for limit in _limits(model, kind))
    yield "## Versions"
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn"))
    rule = (
        "unknown" if model.tokenizer is None else ", ".join(f"{key} {value}" for key, value in model.tokenizer.items())
    )
    yield f"priorwise {__version__}; {packages}. Words are cut by: {plain(rule)}."


def _training(model: LinearModel) -> str:
    corpus = model.about.get("corpus")
    if not isinstance(corpus, dict):
        return "Not recorded."
    lines = [f"{corpus['documents']:,} documents of the corpus with the checksum {code(corpus['checksum'])}."]
    if corpus.get("without_label"):
        lines.append(f"{corpus['without_label']:,} of them have no label, and are examples of none.")
    lines += [f"Left out: {plain(str(why))} ({count:,})." for why, count in corpus.get("left_out", {}).items()]
    return " ".join(lines)


def _labels(model: LinearModel) -> str:
    order = np.argsort(-model.members, kind="stable")[:SHOWN].tolist()
    rows = [f"| {plain(str(model.labels[place]))} | {model.members[place]:,.0f} |" for place in order]
    more = len(model.labels) - len(rows)
    rest = [f"\nand {more:,} more, in `labels.arrow`."] if more else []
    return "\n".join(["| label | documents |", "|---|---:|", *rows, *rest])


def _prior(about: dict[str, Any]) -> str:
    prior, learned = about.get("prior"), about.get("learned")
    if isinstance(prior, list):
        shown = f"One for each of {len(prior):,} labels; the first is {code(prior[0])}." if prior else "None."
    else:
        shown = "Not recorded." if prior is None else f"{code(prior)}."
    if learned:
        return f"{shown} Learned by {plain(str(learned['by']))}, the best of {learned['trials']:,} trials."
    return f"{shown} Chosen by whoever trained it, not learned."


def _quality(about: dict[str, Any]) -> str:
    learned = about.get("learned")
    if not learned:
        return "Nothing was measured in training. `priorwise evaluate MODEL CORPUS` measures it on a labelled corpus."
    target = f"its target, {plain(str(learned['target']))}," if learned["target"] else "its target"
    remark = f" Note: {plain(str(learned['remark']))}." if learned.get("remark") else ""
    return (
        f"On the training documents, each judged by a model that had not seen it ({plain(str(learned['by']))}), "
        f"{target} was {learned['score']:.4f}. The prior was chosen by the same number, so expect a little less on new "
        f"texts; `priorwise evaluate MODEL CORPUS` measures it there.{remark}"
    )


def _limits(model: LinearModel, kind: str) -> Iterator[str]:
    yield "It knows words, not their order or meaning. Words it has never seen say nothing."
    yield "It fits texts like those it was trained on: their language, their length, their time."
    if kind in _BAYES:
        yield "Naive Bayes takes each word for a witness of its own, so its probabilities are too close to 0 and 1."
    if few := int((model.members < FEW).sum()):
        yield f"{few:,} of {len(model.labels):,} labels have fewer than {FEW} documents; trust them least."
    yield "Let people check what it decides about people: `priorwise explain` shows the words that decided."


def plain(text: str) -> str:
    r"""Return a text that Markdown shows as it is, in one line."""
    shown = "".join(letter if letter.isprintable() else " " for letter in text)
    for sign in "\\`*_[]|#!":
        shown = shown.replace(sign, f"\\{sign}")
    return escape(shown, quote=False)


def code(value: Any) -> str:
    r"""Return what is to be read letter by letter."""
    shown = "".join(letter if letter.isprintable() and letter != "`" else " " for letter in str(value))
    return f"`{shown}`"
