"""A small made-up collection whose truth is known: some members of each category were left out on purpose.

The documents are of very different lengths and full of rare words, because that is where a prior matters: on short and
plain ones Laplace's prior does as well as a learned one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TOPICS = {
    "Astronomy": """
        star planet orbit telescope galaxy comet nebula eclipse moon crater lunar solar asteroid meteor
        constellation observatory supernova quasar parallax spectrum redshift cosmic ray gravity satellite saturn
        jupiter venus mars mercury pluto kepler hubble equinox zenith ephemeris magnitude photon corona perihelion""",
    "Navigation": """
        compass sextant latitude longitude chart bearing harbour pilot lighthouse tide current buoy knot vessel mast
        rudder anchor voyage sailor star moon zenith horizon meridian chronometer sounding strait channel wreck
        route beacon hull stern bow galley captain crew""",
    "Gardening": """
        soil compost seed bulb pruning rose tulip orchard lawn hedge mulch greenhouse perennial annual weed
        fertiliser pollination bee earthworm shrub root graft cutting trellis irrigation fungus blight aphid spade
        rake harvest frost seedling nursery herb lavender peat humus""",
    "Cookery": """
        recipe oven butter flour yeast dough simmer boil roast herb spice pepper salt garlic onion sauce broth knead
        pastry custard caramel whisk pan kettle ladle marinade fillet stew braise zest vinegar mustard lavender
        thyme basil crust batter dessert kitchen""",
    "Chess": """
        pawn knight bishop rook queen king castle checkmate gambit opening endgame tournament grandmaster opponent
        board piece sacrifice fork pin tempo defence attack variation rating championship clock blunder stalemate
        promotion file rank diagonal centre exchange strategy match draw""",
    "Castles": """
        tower moat keep drawbridge wall siege lord knight king queen castle medieval fortress garrison dungeon
        battlement stone gatehouse courtyard baron banner armour crossbow catapult portcullis rampart turret feudal
        manor chapel noble duke ruin restoration heritage""",
    "Printing": """
        press type ink paper font typeface compositor galley proof binding folio quarto engraving woodcut lithograph
        plate edition publisher margin serif italic page volume newspaper pamphlet broadside stereotype foundry
        matrix punch leading kerning colophon""",
    "Weaving": """
        loom warp weft thread yarn wool cotton silk linen shuttle spindle spinning cloth tapestry pattern twill
        satin dye indigo madder carpet knot fringe fibre flax fleece carding heddle treadle bobbin textile brocade
        selvedge tartan felt""",
    "Railways": """
        locomotive track station carriage engine steam signal gauge platform timetable freight sleeper junction
        tunnel viaduct brake boiler wagon driver conductor ticket terminus shunting electrification diesel branch
        line passenger points ballast siding turntable""",
    "Geology": """
        rock mineral crystal quartz granite basalt lava volcano fault strata sediment fossil erosion glacier magma
        crust mantle crater earthquake limestone sandstone slate cave ore vein cleavage tectonic plate moraine shale
        gneiss schist outcrop""",
}
COMMON = """time year people way day man thing world life part work place case point company number group problem fact
    water room mother area money story month lot right study book eye word business issue side kind head house
    service friend father power hour game end member law car city community name president team minute idea
    body information back parent face other level office door health person art war history party result
    change morning reason research girl guy moment air teacher force education early late small large great
    new old high long good little own public first last important few big different social local sure free
    able major better best early young national strong possible whole clear certain recent true open full
    common known made used called found given said went came took seen shown kept held left built began became
    often always usually again still once later perhaps however though within between against during without
    before after under over many several three four five"""


@dataclass(frozen=True)
class DemoDocument:
    """A made-up document: the labels it carries, and those it should carry."""

    id: str
    title: str
    text: str
    labels: list[str]
    truth: list[str]


def make_documents(n_documents: int = 6000, *, left_out: float = 0.5, seed: int = 0) -> list[DemoDocument]:
    """Make documents about one topic or two, in words of all kinds, and leave out part of their labels.

    Examples
    --------
    >>> documents = make_documents(200)
    >>> missing = [document for document in documents if document.labels != document.truth]
    >>> len(documents), 40 < len(missing) < 120
    (200, True)
    """
    random = np.random.default_rng(seed)
    names = list(TOPICS)
    topics = {name: np.array(text.split()) for name, text in TOPICS.items()}
    common, rare = np.array(COMMON.split()), _made_up_words(random, 30_000)
    of_common, of_rare = _zipf(len(common)), _zipf(len(rare), 0.8)
    of_topic = {name: _zipf(len(words), 0.6) for name, words in topics.items()}
    popularity = _zipf(len(names) + 1, 1.0)[::-1]
    documents = []
    for number in range(n_documents):
        # The last choice is no topic at all.
        drawn = random.choice(len(names) + 1, size=1 + (random.random() < 0.2), replace=False, p=popularity)
        truth = sorted(names[i] for i in drawn if i < len(names))
        length = int(np.clip(random.lognormal(4.6, 1.0), 20, 2000))
        body = list(random.choice(common, size=length, p=of_common))
        body += list(random.choice(rare, size=length // 2, p=of_rare))
        for name in truth:
            size = max(2, int(random.uniform(0.02, 0.12) * length))
            body += list(random.choice(topics[name], size=size, p=of_topic[name]))
        # People touch on other subjects in passing, the more of them the longer they write.
        for _ in range(random.poisson(length / 60)):
            body += list(random.choice(topics[names[random.integers(len(names))]], size=random.integers(1, 4)))
        random.shuffle(body)
        title = " ".join(
            word.capitalize() for word in random.choice(topics[truth[0]] if truth else rare, 2, replace=False)
        )
        kept = [name for name in truth if random.random() >= left_out]
        documents.append(DemoDocument(f"doc-{number:05d}", title, " ".join(body), kept, truth))
    return documents


def _made_up_words(random: np.random.Generator, count: int) -> NDArray[np.str_]:
    """Pronounceable words that mean nothing, each one once."""
    onsets = ["b", "br", "d", "dr", "f", "g", "gl", "h", "k", "kr", "l", "m", "n", "p", "pr", "r", "s", "st", "t", "tr"]
    nuclei = ["a", "e", "i", "o", "u", "ai", "ea", "ou"]
    codas = ["b", "ck", "d", "ft", "l", "m", "n", "nd", "r", "rn", "s", "st", "t", "x"]
    syllables = [onset + nucleus for onset in onsets for nucleus in nuclei]
    words = [first + second + coda for first in syllables for second in syllables for coda in codas]
    return np.array(words)[random.choice(len(words), size=count, replace=False)]


def _zipf(size: int, power: float = 1.0) -> NDArray[np.float64]:
    weight = 1.0 / np.arange(1, size + 1) ** power
    return weight / weight.sum()
