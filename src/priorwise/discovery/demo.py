"""What the demo shows: which category, and how many hidden members are found again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.corpus.build.wikipedia import wiki_tokenizer
from priorwise.corpus.storage.manifest import Manifest
from priorwise.discovery.finding import top_of
from priorwise.discovery.hidden import DefaultModel, LaplaceBaseline, LearnedPrior, Method, split_members
from priorwise.discovery.presence_stage import Procedure
from priorwise.errors import CorpusError, NotEnoughData

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
    """Make documents about one topic or two, in words of all kinds, and leave out part of their labels."""
    random = np.random.default_rng(seed)
    names = list(TOPICS)
    topics = {name: np.array(text.split()) for name, text in TOPICS.items()}
    common, rare = np.array(COMMON.split()), _made_up_words(random, 30_000)
    of_common, of_rare = _zipf(len(common)), _zipf(len(rare), 0.8)
    of_topic = {name: _zipf(len(words), 0.6) for name, words in topics.items()}
    popularity = _zipf(len(names) + 1, 1.0)[::-1]
    documents = []
    for number in range(n_documents):
        # The last choice is a document without a topic.
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


PARENTS = {
    "Astronomy": "Sciences",
    "Geology": "Sciences",
    "Gardening": "Crafts",
    "Cookery": "Crafts",
    "Printing": "Crafts",
    "Weaving": "Crafts",
    "Navigation": "Transport",
    "Railways": "Transport",
    "Chess": "Pastimes",
    "Castles": "Buildings",
}
"""Where each topic's category is; those are in *Knowledge*."""

IN_SUBCATEGORY = 0.3
"""The share of the documents left out of a category that are in its subcategory, *History of* the topic."""

ALIAS = " (name)"
"""How the title of a redirect ends."""

_HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>A made-up wiki</sitename>
    <dbname>madeupwiki</dbname>
    <case>first-letter</case>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="10" case="first-letter">Template</namespace>
      <namespace key="14" case="first-letter">Category</namespace>
    </namespaces>
  </siteinfo>
"""
_PAGE = """  <page>
    <title>{title}</title>
    <ns>{namespace}</ns>
    <id>{number}</id>{redirect}
    <revision>
      <id>{number}</id>
      <model>wikitext</model>
      <format>text/x-wiki</format>
      <text xml:space="preserve">{text}</text>
    </revision>
  </page>
"""
_ARTICLE = """{{{{Infobox
| name     = {title}
| image    = {number}.jpg
| caption  = what is in a template is left out of the text
}}}}
'''{title}''' is an article of a made-up wiki.<ref>Made up.</ref> {text}

== References ==
<references />
{categories}"""


def write_wiki(path: Path, n_articles: int = 6000, *, left_out: float = 0.5, seed: int = 0) -> list[DemoDocument]:
    """Write a MediaWiki dump of made-up articles, and return what they are.

    The articles are those of :func:`~priorwise.discovery.demo.make_documents`. Part of those that are left out of
    their category are in its subcategory. Every tenth article has a redirect. As in any wiki, no two articles have the
    same title, and the title is the id.
    """
    articles = wiki_articles(n_articles, left_out=left_out, seed=seed)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(_HEAD)
        for number, (title, namespace, text) in enumerate(_pages(articles), start=1):
            is_redirect = text.startswith("#REDIRECT")
            redirect = f"\n    <redirect title={quoteattr(title.removesuffix(ALIAS))} />" if is_redirect else ""
            named = {"title": escape(title), "namespace": namespace, "number": number}
            file.write(_PAGE.format(**named, redirect=redirect, text=escape(text)))
        file.write("</mediawiki>\n")
    return articles


def wiki_articles(n_articles: int = 6000, *, left_out: float = 0.5, seed: int = 0) -> list[DemoDocument]:
    """Return made-up documents with titles of their own; some that lack a label are in its subcategory."""
    random = Random(seed)
    taken: Counter[str] = Counter()
    articles = []
    for document in make_documents(n_articles, left_out=left_out, seed=seed):
        taken[document.title] += 1
        again = f" ({taken[document.title]})" if taken[document.title] > 1 else ""
        missing = [topic for topic in document.truth if topic not in document.labels]
        below = [subcategory(topic) for topic in missing if random.random() < IN_SUBCATEGORY]
        title = document.title + again
        articles.append(replace(document, id=title, title=title, labels=document.labels + below))
    return articles


def subcategory(topic: str) -> str:
    """The name of a topic's subcategory."""
    return f"History of {topic.lower()}"


def category_graph() -> dict[str, list[str]]:
    """Return the categories, each with those it is in."""
    graph = {topic: [PARENTS[topic]] for topic in TOPICS}
    graph |= {subcategory(topic): [topic, "History"] for topic in TOPICS}
    return graph | {name: ["Knowledge"] for name in ("History", *dict.fromkeys(PARENTS.values()))}


def _pages(articles: list[DemoDocument]) -> Iterator[tuple[str, int, str]]:
    """Yield title, namespace and wikitext of each page."""
    for name, parents in category_graph().items():
        yield f"Category:{name}", 14, f"What is about {name.lower()}.\n" + _links(parents)
    for number, article in enumerate(articles):
        text = _ARTICLE.format(
            title=article.title, number=number, text=_wikitext(article.text), categories=_links(article.labels)
        )
        yield article.title, 0, text
        if number % 10 == 0:
            yield article.title + ALIAS, 0, f"#REDIRECT [[{article.title}]]"


def _wikitext(text: str) -> str:
    """Put some words into links, and the rest into paragraphs."""
    words = text.split()
    words[::25] = [f"[[{word.capitalize()}|{word}]]" for word in words[::25]]
    return "\n\n".join(" ".join(words[start : start + 60]) for start in range(0, len(words), 60))


def _links(categories: list[str]) -> str:
    return "".join(f"[[Category:{name}]]\n" for name in categories)


SPLITS = 5
DEPTHS = (10, 20, 50, 100)
FEWEST, MOST = 10, 200
"""How many members a category has that is shown without being asked for."""


def corpus_made_before(path: Path) -> Corpus | None:
    """Open a wiki's corpus that was made before, if it was made by the rules of today."""
    try:
        return Corpus.open(path) if Manifest.read(path).tokenizer == wiki_tokenizer() else None
    except CorpusError:
        return None


def category_to_show(corpus: Corpus, favourite: str | None = None) -> str:
    """Return the favourite if it has members enough, or the largest category that is not too large."""
    sizes = corpus.label_sizes()
    found = dict(zip(sizes["label"].to_pylist(), sizes["documents"].to_pylist(), strict=True))
    if favourite is not None and found.get(favourite, 0) >= FEWEST:
        return favourite
    most = min(MOST, corpus.n_documents // 2)
    suitable = [(-size, label) for label, size in found.items() if FEWEST <= size <= most]
    if not suitable:
        raise NotEnoughData(
            f"no category has {FEWEST} to {most} members; name one with --category, or give a larger dump with --dump"
        )
    return min(suitable)[1]


@dataclass(frozen=True)
class FoundAgain:
    """How many hidden members were in the first documents of the rankings, over all splits.

    `splits`, `hidden`: how often members were hidden, and how many in all. `depths`: how many documents of each
    ranking were looked at. `found`: for each of *default*, *presence* and *baseline*, how many hidden members were
    among them.
    """

    splits: int
    hidden: int
    depths: Sequence[int]
    found: dict[str, list[int]]


def find_again(
    corpus: Corpus,
    label: str,
    *,
    splits: int = SPLITS,
    depths: Sequence[int] = DEPTHS,
    progress: Callable[[float], None] = lambda share: None,
) -> FoundAgain:
    """Hide half of a category's members, look for them, and do so several times over."""
    methods: dict[str, Method] = {
        "default": DefaultModel(),
        "presence": LearnedPrior("learned", Procedure.ours()),
        "baseline": LaplaceBaseline(),
    }
    found = {name: np.zeros(len(depths), np.int64) for name in methods}
    n_hidden = 0
    for split in range(splits):
        known, hidden = split_members(corpus, label, hide=0.5, seed=split)
        n_hidden += len(hidden)
        is_known = np.zeros(corpus.n_documents, bool)
        is_known[known] = True
        for name, method in methods.items():
            best = top_of(method.scores(corpus, known, label), is_known, max(depths)).documents
            found[name] += [len(np.intersect1d(best[:depth], hidden)) for depth in depths]
        progress((split + 1) / splits)
    return FoundAgain(splits, n_hidden, depths, {name: counts.tolist() for name, counts in found.items()})
