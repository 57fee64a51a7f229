"""The two coordinates of a document, literally: slow loops over words, straight from the formulas."""

from __future__ import annotations

import math

from priorwise.explorer import FamilySetting

Counts = dict[str, int]


def coordinates(
    document: Counts, members: list[Counts], others: list[Counts], setting: FamilySetting
) -> tuple[float, float]:
    """log P(d|c) + log P(c) and log P(d|¬c) + log P(¬c), for models trained on some documents."""
    model, v = setting.family.model.name, setting.named()
    vocabulary = sorted({word for each in (*members, *others) for word in each})
    everything = [*members, *others]
    result = []
    for own in (members, others):
        if model == "presence":
            result.append(_presence(document, own, members, everything, setting))
            continue
        total = math.log(len(own) / len(everything))
        for word in vocabulary:
            if model == "bernoulli":
                found, in_all = (sum(word in each for each in some) for some in (own, everything))
                rate = _rate(found, len(own), in_all / len(everything), setting.family.prior.name, v)
                total += math.log(rate if word in document else _complement(rate))
            elif word in document:
                total += document[word] * math.log(_share(word, own, everything, vocabulary, setting))
        result.append(total)
    return result[0], result[1]


def _complement(rate: float) -> float:
    """A rate of 1 counts as 10⁻¹⁰⁰ away from it."""
    return 1 - rate if rate < 1 - 1e-12 else 1e-100


def _rate(found: int, documents: int, share: float, name: str, v: dict[str, float]) -> float:
    if name == "beta":
        return (found + v["alpha"]) / (documents + v["alpha"] + v["beta"])
    if name == "collection-beta":
        return (found + v["strength"] * share) / (documents + v["strength"])
    assert name == "jelinek-mercer"
    return (1 - v["mixing"]) * found / documents + v["mixing"] * share


def _presence(
    document: Counts, own: list[Counts], members: list[Counts], all_: list[Counts], setting: FamilySetting
) -> float:
    v = setting.named()
    strength = v["positive"] if own is members else v["negative"]
    total = math.log((strength + len(own)) / (v["positive"] + v["negative"] + len(all_)))
    for word in document:
        if any(word in each for each in members):
            centre = sum(word in each for each in all_) / len(all_) if "collection" in setting.family.name else 1.0
            found = sum(word in each for each in own)
            total += math.log((strength * centre + found) / (strength + len(own)))
    return total


def _share(word: str, own: list[Counts], all_: list[Counts], vocabulary: list[str], setting: FamilySetting) -> float:
    """The rate of a word in a class; around the collection, beside the word's rate there."""
    v, name = setting.named(), setting.family.prior.name
    n, size = sum(each.get(word, 0) for each in own), sum(sum(each.values()) for each in own)
    distinct = len({each for document in own for each in document})
    unseen = len(vocabulary) - distinct
    if name == "dirichlet":
        return (n + v["alpha"]) / (size + v["alpha"] * len(vocabulary))
    share = sum(each.get(word, 0) for each in all_) / sum(sum(each.values()) for each in all_)
    if name == "jelinek-mercer":
        return ((1 - v["mixing"]) * n / size + v["mixing"] * share) / share
    if name == "collection-beta":
        return (n + v["strength"] * share) / (size + v["strength"]) / share
    if unseen == 0:
        return n / size
    if name == "absolute-discount":
        return (n - v["discount"]) / size if n else v["discount"] * distinct / (size * unseen)
    if name == "linear-discount":
        return (1 - v["alpha"]) * n / size if n else v["alpha"] / unseen
    assert name == "witten-bell"
    whole = size + v["alpha"] * distinct
    return n / whole if n else v["alpha"] * distinct / (whole * unseen)
