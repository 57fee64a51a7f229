"""Every fitted model is one of these: weights by word and by label, in a folder that needs no corpus and no pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from priorwise.corpus.storage.columns import text_column
from priorwise.corpus.storage.files import FileRecord, FolderPlace, check_files, checksum_of
from priorwise.corpus.storage.typed import damage_named, typed
from priorwise.counting import counted
from priorwise.durable import check_free, whole_file, whole_folder, write_bytes
from priorwise.errors import BrokenFile
from priorwise.features.recipe import Recipe
from priorwise.kernels import Floats
from priorwise.models.model_card import FILE_NAME as CARD
from priorwise.models.model_card import card_of
from priorwise.models.weights import LINKS, Background, Calibration, Weights

LABELS, OUTPUTS, TOKENS = "labels.arrow", "outputs.arrow", "tokens.arrow"
FACTORS, GROUPS, ORIGINS, VECTORS = "factors.arrow", "groups.arrow", "origins.arrow", "vectors.arrow"


SCHEMAS = {
    LABELS: pa.schema({"label": pa.string(), "members": pa.float64()}),
    OUTPUTS: pa.schema({"bias": pa.float64(), "background": pa.large_list(pa.float64())}),
    TOKENS: pa.schema(
        {
            "token": pa.string(),
            "group": pa.int32(),
            "outputs": pa.large_list(pa.int32()),
            "values": pa.large_list(pa.float64()),
        }
    ),
}
"""A row of `outputs.arrow` has one background number for each group of tokens. A row of `tokens.arrow` has the token's
group, the outputs that know it, ascending, and what it adds to each beyond the background."""

OPTIONAL = {
    FACTORS: pa.schema({"factor": pa.float64()}),
    GROUPS: pa.schema({"group": pa.string(), "name": pa.string(), "adds": pa.float64()}),
    ORIGINS: pa.schema({"in_members": pa.float64(), "in_others": pa.float64(), "from_prior": pa.float64()}),
    VECTORS: pa.schema({"weight": pa.float64(), "centre": pa.float64()}),
}
"""Tables that only some models have. `factors.arrow` has a row per token: what its counts are multiplied by.
`groups.arrow` has a row per feature beyond the words: its group, its name, and what it adds. `origins.arrow` has a row
per token: in how many members and other documents it occurs, and what the prior brought to its weight.
`vectors.arrow` has a row per dimension of a document's vector: its weight, and what is subtracted before."""


def _tables_of(labels: Sequence[str], members: Floats, tokens: pa.Array, weights: Weights) -> dict[str, pa.RecordBatch]:
    background = weights.background
    if background is None:
        raise TypeError("weights are saved with a background")
    values = weights.values
    starts = values.indptr.astype(np.int64)
    groups = np.arange(len(background.values) + 1, dtype=np.int64) * background.values.shape[1]
    columns = {
        LABELS: [text_column(labels), members],
        OUTPUTS: [weights.bias, pa.LargeListArray.from_arrays(groups, background.values.ravel())],
        TOKENS: [
            tokens,
            background.group.astype(np.int32),
            pa.LargeListArray.from_arrays(starts, values.indices.astype(np.int32)),
            pa.LargeListArray.from_arrays(starts, values.data.astype(np.float64)),
        ],
    }
    return {
        name: pa.record_batch([pa.array(column) for column in columns[name]], schema=schema)
        for name, schema in SCHEMAS.items()
    }


def _batch(name: str, *columns: Floats) -> pa.RecordBatch:
    """A table of numbers that only some models have."""
    return pa.record_batch([pa.array(each) for each in columns], schema=OPTIONAL[name])


def _group_batch(groups: Mapping[str, GroupWeights]) -> pa.RecordBatch:
    """The table of features beyond the words."""
    group = [name for name, own in groups.items() for _ in own.names]
    names = [name for own in groups.values() for name in own.names]
    adds = np.concatenate([own.adds for own in groups.values()])
    return pa.record_batch([text_column(group), text_column(names), pa.array(adds)], schema=OPTIONAL[GROUPS])


def _groups_of(tables: Mapping[str, pa.RecordBatch]) -> dict[str, GroupWeights]:
    """The names of the features beyond the words, and what each adds, by group."""
    if GROUPS not in tables:
        return {}
    group, names = tables[GROUPS].column("group").to_pylist(), tables[GROUPS].column("name").to_pylist()
    adds: Floats = tables[GROUPS].column("adds").to_numpy()
    _require(bool(np.all(np.isfinite(adds))), "a number is not finite")
    found = {}
    for own in dict.fromkeys(group):
        places = [place for place, name in enumerate(group) if name == own]
        found[own] = GroupWeights([names[place] for place in places], adds[places])
    return found


def _numbers_of(tables: Mapping[str, pa.RecordBatch], name: str, *, per_token: bool) -> list[Floats]:
    """The columns of a table of numbers, which must be finite; `per_token` says that it has a row for each token."""
    columns = [column.to_numpy() for column in tables[name].columns]
    n = len(columns[0])
    _require(n == tables[TOKENS].num_rows if per_token else n > 0, f"{name} has more rows than tokens, or fewer")
    _require(all(bool(np.all(np.isfinite(each))) for each in columns), "a number is not finite")
    return columns


def _read_table(path: Path) -> pa.RecordBatch:
    reader = pa.ipc.open_file(pa.memory_map(str(path)))
    if not reader.schema.equals({**SCHEMAS, **OPTIONAL}.get(path.name)) or reader.num_record_batches != 1:
        raise BrokenFile(path, "not a table of a model: it has other columns")
    batch = reader.get_batch(0)
    batch.validate(full=True)
    _require(not any(column.null_count for column in batch.columns), "values are missing")
    return batch


def _labels_of(tables: Mapping[str, pa.RecordBatch]) -> tuple[list[str], Floats]:
    labels, members = tables[LABELS].column("label").to_pylist(), tables[LABELS].column("members").to_numpy()
    _require(len(labels) > 0, "there is no label")
    _require(len(set(labels)) == len(labels), "a label is there twice")
    _require(bool(np.all(np.isfinite(members))), "a number is not finite")
    return labels, members


def _weights_of(tables: Mapping[str, pa.RecordBatch]) -> Weights:
    """The weights; numbers that would lead the compiled loops out of their arrays are refused."""
    from scipy.sparse import csc_matrix

    outputs, by_token = tables[OUTPUTS], tables[TOKENS]
    tokens, n_outputs, n_tokens = by_token.column("token"), outputs.num_rows, by_token.num_rows
    _require(n_outputs > 0, "there is no output")
    if n_tokens > 1:
        ascending = pc.all(pc.less(tokens.slice(0, n_tokens - 1), tokens.slice(1))).as_py()
        _require(bool(ascending), "the tokens are not in order")
    starts, classes = _list(by_token.column("outputs"))
    value_starts, values = _list(by_token.column("values"))
    _require(np.array_equal(starts, value_starts), "tokens have more outputs than values, or fewer")
    widths, background = _list(outputs.column("background"))
    n_groups = int(widths[1])
    _require(n_groups > 0 and bool(np.all(np.diff(widths) == n_groups)), "the background is not a rectangle")
    group = by_token.column("group").to_numpy()
    _require(not n_tokens or bool(group.min() >= 0 and group.max() < n_groups), "a token's group is not there")
    _require(not len(classes) or bool(classes.min() >= 0 and classes.max() < n_outputs), "an output is not there")
    inside = np.ones(len(classes), dtype=bool)
    inside[starts[:-1][starts[:-1] < len(classes)]] = False
    _require(bool(np.all((np.diff(classes, prepend=-1) > 0) | ~inside)), "a token's outputs are not in order")
    bias = outputs.column("bias").to_numpy()
    _require(all(bool(np.all(np.isfinite(each))) for each in (bias, background, values)), "a number is not finite")
    return Weights(
        np.arange(n_tokens),
        csc_matrix((values, classes, starts), shape=(n_outputs, n_tokens)),
        bias,
        Background(background.reshape(n_outputs, n_groups), group),
    )


def _list(column: Any) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Offsets from 0 and values of a column of lists."""
    offsets = column.offsets.to_numpy().astype(np.int64)
    values = column.flatten()
    _require(values.null_count == 0, "values are missing")
    return offsets - offsets[0], values.to_numpy()


def _require(right: bool, otherwise: str) -> None:
    if not right:
        raise ValueError(otherwise)


FORMAT = "priorwise model"

VERSION = 4
"""Since 2 a model may have a recipe; since 3 it may rank: calibration, further groups of features, origins; since 4 it
may read vectors."""

FILE_NAME = "model.json"
LONGEST_DESCRIPTION = 1 << 26


FEATURES = ("counts", "presence")
"""What a model reads of a document: how often each token occurs, or whether it does."""


@dataclass(frozen=True)
class GroupWeights:
    """What features beyond a document's words add to its score, by name: the other labels it carries."""

    names: list[str]
    adds: NDArray[np.float64]

    @cached_property
    def by_name(self) -> dict[str, float]:
        return dict(zip(self.names, self.adds.tolist(), strict=True))


@dataclass(frozen=True)
class VectorWeights:
    """What a document's vector adds to its score: ``weights · (vector − centre)``, or 0 if it has none.

    `encoder`: what made the vectors; None if that is not known. `weights`, `centre` (shape (n_dimensions,)): for
    vectors of length 1. `members`: the ids of members that it learned from, to name those nearest to a document.
    """

    encoder: str | None
    weights: NDArray[np.float64]
    centre: NDArray[np.float64]
    members: list[str]

    def adds(self, vectors: NDArray[np.floating]) -> NDArray[np.float64]:
        return np.where(vectors.any(axis=1), vectors @ self.weights - float(self.centre @ self.weights), 0.0)


@dataclass(frozen=True)
class Origins:
    """Where the weights of a model with one output come from."""

    in_members: NDArray[np.float64]
    in_others: NDArray[np.float64]
    from_prior: NDArray[np.float64]
    n_members: float
    n_others: float
    bias_from_prior: float = 0.0

    def take(self, places: NDArray[np.int64]) -> Origins:
        """The same for some of the tokens, in this order."""
        return replace(
            self,
            in_members=self.in_members[places],
            in_others=self.in_others[places],
            from_prior=self.from_prior[places],
        )


@dataclass(frozen=True)
class LinearModel:
    """Any fitted linear model, by token and by label: all that it takes to score, rank, explain and classify.

    Parameters
    ----------
    labels : sequence of str
        What it tells apart.
    multilabel : bool
        Whether each label is decided on its own, by a probability above ½; else a document has the one most probable.
    tokens : pyarrow.Array of strings
        The model's vocabulary, ascending by bytes.
    weights : Weights
        One number per token and output, with a background; `weights.features` are the places in `tokens`.
    features : {"counts", "presence"}
        What the model reads of a document.
    link : {"softmax", "logistic", "probit"}
        How scores become probabilities.
    tokenizer : dict, optional
        The rule that cut the training texts into tokens, as the corpus records it.
    members : array, shape (n_labels,)
        How many training documents each label had.
    about : dict
        How it came to be, for people: the kind of model, the prior, the corpus.
    recipe : Recipe, optional
        How what is read of a document becomes features; by default it is them.
    calibration : Calibration, optional
        From a score to log odds, for a model with one output; by default the score is what the link takes.
    length_power : float
        Scores are divided by this power of a document's number of distinct tokens.
    groups : mapping of str to GroupWeights
        What further groups of features add to the score, for a model with one output: ``"labels"``.
    origins : Origins, optional
        Where the weights come from.
    vectors : VectorWeights, optional
        What the documents' vectors add to the score, for a model with one output.

    Examples
    --------
    >>> from priorwise.corpus import Corpus
    >>> from priorwise.discovery import discover
    >>> texts = ["tea milk", "tea leaves", "tea cup", "milk cow", "cow hay", "hay barn", "barn owl", "cup owl"]
    >>> model = discover(Corpus.from_texts(texts, labels=["Tea"] * 2 + [None] * 6), "Tea").model
    >>> model.labels, model.tokens.to_pylist(), model.n_outputs
    (['Tea'], ['barn', 'cow', 'cup', 'hay', 'milk', 'owl', 'tea'], 1)
    """

    labels: Sequence[str]
    multilabel: bool
    tokens: pa.Array
    weights: Weights
    features: str
    link: str
    tokenizer: dict[str, Any] | None
    members: NDArray[np.float64]
    about: dict[str, Any]
    recipe: Recipe | None = None
    calibration: Calibration | None = None
    length_power: float = 0.0
    groups: Mapping[str, GroupWeights] = field(default_factory=dict)
    origins: Origins | None = None
    vectors: VectorWeights | None = None

    @classmethod
    def of(
        cls,
        weights: Weights,
        tokens: Sequence[str],
        *,
        recipe: Recipe | None = None,
        origins: Origins | None = None,
        **details: Any,
    ) -> LinearModel:
        """Make one of weights of any kind; `tokens` names the columns that `weights.features` counts in.

        With a recipe that has a factor for every token, tokens of weight 0 are kept: they count in a document's length.
        """
        if recipe is not None and recipe.unknown is None:
            weights = _of_all(weights, len(tokens))
        names = text_column([tokens[column] for column in weights.features.tolist()])
        order = np.asarray(pc.array_sort_indices(names).to_numpy(), dtype=np.int64)
        values, background = _sparse(weights)
        moved = Weights(
            np.arange(len(order)),
            values[:, order],
            weights.bias,
            Background(background.values, background.group[order]),
        )
        if recipe is not None and recipe.factors is not None:
            recipe = replace(recipe, factors=recipe.factors[weights.features][order])
        kept = None if origins is None else origins.take(order)
        return cls(tokens=names.take(pa.array(order)), weights=moved, recipe=recipe, origins=kept, **details)

    @property
    def has_probabilities(self) -> bool:
        """Whether scores stand for probabilities: not if a category had no members to learn that from."""
        return not self.about.get("uncalibrated", False)

    @property
    def n_outputs(self) -> int:
        """How many outputs the weights have: one for two classes, else one per label."""
        return len(self.weights.bias)

    def __repr__(self) -> str:
        prior = self.about.get("prior")
        shown = counted(len(prior), "prior") if isinstance(prior, list) else prior or "no prior recorded"
        what = f"{counted(len(self.labels), 'label')}, {counted(len(self.tokens), 'token')}, {shown}"
        return f"<LinearModel {self.about.get('model', 'of weights')}: {what}>"

    def _repr_html_(self) -> str:
        from priorwise.charts import element

        return element("pre", self.card())

    def card(self) -> str:
        """Return the model card, as it is written next to the model: Markdown."""
        return card_of(self)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the model as plain arrays: all that it takes to compute scores, by name; no array holds objects.

        The weight of token t in output k is ``background[k, group[t]]`` plus the entry (k, t) of a sparse matrix whose
        columns are the tokens: ``data[indptr[t]:indptr[t + 1]]`` in the rows ``indices[indptr[t]:indptr[t + 1]]``. The
        score of an output is ``bias[k]`` plus the weights of the document's tokens, each times its feature: its count,
        or 1 if ``features`` is ``"presence"``; with a recipe (``frequency``, ``cosine``, ``factors``) its weighted
        count. Of two classes there is one output, the log odds of the second.

        A model that ranks may have more. ``unknown`` is the factor of tokens that it does not know, which make a
        document longer. A document that carries a label of ``carried`` gets the number of ``carried_adds`` at the same
        place on top. A document with a vector of length 1 gets ``vector_weights`` · (vector − ``vector_centre``) on
        top. The score is divided by the number of distinct tokens to the power of ``length_power``. The log odds are
        ``slope`` × score + ``intercept``.
        """
        values, background = self.weights.values.tocsc(), self.weights.background
        assert background is not None, "a saved model has one"
        arrays: dict[str, NDArray[Any]] = {
            "labels": np.array(list(self.labels), dtype=np.str_),
            "tokens": np.array(self.tokens.to_pylist(), dtype=np.str_),
            "bias": self.weights.bias,
            "data": values.data,
            "indices": values.indices.astype(np.int32),
            "indptr": values.indptr.astype(np.int64),
            "background": background.values,
            "group": background.group,
            "features": np.array(self.features),
            "link": np.array(self.link),
            "multilabel": np.array(self.multilabel),
        }
        if self.recipe is not None:
            arrays |= {"frequency": np.array(self.recipe.frequency), "cosine": np.array(self.recipe.cosine)}
            if self.recipe.factors is not None:
                arrays["factors"] = self.recipe.factors
            if self.recipe.unknown is not None:
                arrays["unknown"] = np.array(self.recipe.unknown)
        if self.groups:
            arrays["carried"] = np.array([name for own in self.groups.values() for name in own.names], dtype=np.str_)
            arrays["carried_adds"] = np.concatenate([own.adds for own in self.groups.values()])
        if self.vectors is not None:
            arrays |= {"vector_weights": self.vectors.weights, "vector_centre": self.vectors.centre}
        if self.length_power:
            arrays["length_power"] = np.array(self.length_power)
        if self.calibration is not None:
            arrays |= {"slope": np.array(self.calibration.slope), "intercept": np.array(self.calibration.intercept)}
        return arrays

    def export(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the plain arrays to an ``.npz`` file that NumPy reads without pickle, whole or not at all."""
        with whole_file(Path(path), overwrite=overwrite) as draft, draft.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **self.to_arrays())

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the model's folder and its card; it appears whole or not at all."""
        with whole_folder(Path(path), FILE_NAME, "model", overwrite=overwrite) as folder:
            self.write(folder)

    def write(self, folder: Path) -> None:
        """Write the model into an empty folder, such as one of a run that is being written."""
        place = FolderPlace(folder)
        tables = _tables_of(self.labels, self.members, self.tokens, self.weights)
        if self.recipe is not None and self.recipe.factors is not None:
            tables[FACTORS] = _batch(FACTORS, self.recipe.factors)
        if self.groups:
            tables[GROUPS] = _group_batch(self.groups)
        if self.origins is not None:
            origins = self.origins
            tables[ORIGINS] = _batch(ORIGINS, origins.in_members, origins.in_others, origins.from_prior)
        if self.vectors is not None:
            tables[VECTORS] = _batch(VECTORS, self.vectors.weights, self.vectors.centre)
        files = {name: place.write(name, batch.schema, iter([batch])) for name, batch in tables.items()}
        write_bytes(folder / CARD, self.card().encode())
        write_bytes(folder / FILE_NAME, self._described(files))

    def _described(self, files: dict[str, FileRecord]) -> bytes:
        origins, vectors, recipe = self.origins, self.vectors, self.recipe
        described = _Described(
            self.multilabel,
            self.features,
            self.link,
            self.tokenizer,
            self.about,
            files,
            None if recipe is None else _Recipe(recipe.frequency, recipe.cosine, recipe.unknown),
            self.calibration,
            self.length_power,
            None if origins is None else _Origins(origins.n_members, origins.n_others, origins.bias_from_prior),
            None if vectors is None else _Vectors(vectors.encoder, tuple(vectors.members)),
        )
        # What a model does not have is not named, so that its description is the one of earlier versions.
        facts = asdict(described)
        if recipe is not None and recipe.unknown is None:
            del facts["recipe"]["unknown"]
        kept = {name: value for name, value in facts.items() if name in _ALWAYS or value not in (None, 0.0)}
        content = {"format": FORMAT, "version": self._version, **kept}
        whole = {**content, "checksum": checksum_of(content)}
        return (json.dumps(whole, indent=2, ensure_ascii=False) + "\n").encode()

    @property
    def _version(self) -> int:
        """The oldest version of the format that can hold the model, so that older programs read what they can."""
        if self.vectors is not None:
            return VERSION
        if self.calibration is not None or self.length_power or self.groups or self.origins is not None:
            return 3
        return 1 if self.recipe is None else 2

    @classmethod
    def load(cls, path: str | Path) -> LinearModel:
        """Read a model's folder; whatever is not a whole model is refused with a sentence."""
        folder = Path(path)
        content = _read_description(folder)
        with damage_named(folder):
            check_files({"files": {name: asdict(record) for name, record in content.files.items()}}, folder)
            tables = {name: _read_table(folder / name) for name in content.files}
            labels, members = _labels_of(tables)
            weights = _weights_of(tables)
            outputs = 1 if len(labels) == 2 and not content.multilabel else len(labels)
            _require(len(weights.bias) == outputs, f"{len(weights.bias)} outputs for {len(labels)} labels")
            recipe = origins = vectors = None
            if content.recipe is not None:
                factors = _numbers_of(tables, FACTORS, per_token=True)[0] if FACTORS in tables else None
                recipe = Recipe(content.recipe.frequency, factors, content.recipe.cosine, content.recipe.unknown)
            if content.origins is not None:
                inside, outside, brought = _numbers_of(tables, ORIGINS, per_token=True)
                origins = Origins(inside, outside, brought, **asdict(content.origins))
            if content.vectors is not None:
                towards, centre = _numbers_of(tables, VECTORS, per_token=False)
                vectors = VectorWeights(content.vectors.encoder, towards, centre, list(content.vectors.members))
            return cls(
                labels,
                content.multilabel,
                tables[TOKENS].column("token"),
                weights,
                content.features,
                content.link,
                content.tokenizer,
                members,
                content.about,
                recipe,
                content.calibration,
                content.length_power,
                _groups_of(tables),
                origins,
                vectors,
            )


@dataclass(frozen=True)
class _Recipe:
    frequency: str
    cosine: bool
    unknown: float | None = None


@dataclass(frozen=True)
class _Origins:
    n_members: float
    n_others: float
    bias_from_prior: float


@dataclass(frozen=True)
class _Vectors:
    encoder: str | None
    members: tuple[str, ...]


@dataclass(frozen=True)
class _Described:
    """What `model.json` says of a model, apart from its version and its checksum."""

    multilabel: bool
    features: str
    link: str
    tokenizer: dict[str, Any] | None
    about: dict[str, Any]
    files: dict[str, FileRecord]
    recipe: _Recipe | None = None
    calibration: Calibration | None = None
    length_power: float = 0.0
    origins: _Origins | None = None
    vectors: _Vectors | None = None

    def __post_init__(self) -> None:
        """Refuse values that no model has; nothing after this asks again."""
        for name, allowed in (("features", FEATURES), ("link", LINKS)):
            _require(getattr(self, name) in allowed, f"{name} is {getattr(self, name)!r}")
        _require(set(self.files) - set(OPTIONAL) == set(SCHEMAS), "it lists other files than a model has")
        for name, about in ((ORIGINS, self.origins), (VECTORS, self.vectors)):
            _require((name in self.files) == (about is not None), f"its {name.removesuffix('.arrow')} are incomplete")
        typed(_About, self.about)


_ALWAYS = ("multilabel", "tokenizer")
"""What a description names even if it is empty or false."""


@dataclass(frozen=True)
class _Corpus:
    checksum: str
    documents: int
    without_label: int = 0
    left_out: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class _Learned:
    trials: int
    by: str
    target: str | None
    score: float


@dataclass(frozen=True)
class _About:
    """What is read again of what a model says about its making; everything else may be anything."""

    corpus: _Corpus | None = None
    learned: _Learned | None = None
    members: tuple[str, ...] = ()


def check_output(path: Path, *, overwrite: bool) -> None:
    """Raise `AlreadyExists` if a model cannot be written here."""
    check_free(path, FILE_NAME, "model", overwrite=overwrite)


def _read_description(folder: Path) -> _Described:
    path = folder / FILE_NAME
    if not path.is_file():
        raise BrokenFile(
            folder, "not a model folder: it has no model.json" if folder.exists() else "there is no such model"
        )
    if path.stat().st_size > LONGEST_DESCRIPTION:
        raise BrokenFile(path, f"longer than {LONGEST_DESCRIPTION:,} bytes, which no model's description is")
    with damage_named(path):
        content = json.loads(path.read_bytes())
        if content["format"] != FORMAT:
            raise BrokenFile(folder, "not a model folder: its model.json is of another program")
        if content["version"] > VERSION:
            raise BrokenFile(
                folder, f"model format {content['version']}, this priorwise reads up to {VERSION}: upgrade it"
            )
        checksum = content.pop("checksum")
        described = typed(_Described, content)
        if checksum != checksum_of(content):
            raise BrokenFile(path, "damaged: it does not match its own checksum")
    return described


def _sparse(weights: Weights) -> tuple[Any, Background]:
    """Values as a sparse matrix of differences from a background, which is 0 if there was none."""
    from scipy.sparse import csc_matrix

    values = csc_matrix(weights.values)
    values.sort_indices()
    if weights.background is not None:
        return values, weights.background
    return values, Background(np.zeros((len(weights.bias), 1)), np.zeros(values.shape[1], dtype=np.int32))


def _of_all(weights: Weights, n_tokens: int) -> Weights:
    """The same weights with a column for every token, empty where the model has nothing to say."""
    from scipy.sparse import csc_matrix

    values, background = _sparse(weights)
    if len(weights.features) == n_tokens:
        return Weights(weights.features, values, weights.bias, background)
    if np.any(background.values):
        raise TypeError("weights with a background know the tokens they know, and no others")
    widths = np.zeros(n_tokens + 1, dtype=np.int64)
    widths[weights.features + 1] = np.diff(values.indptr)
    every = csc_matrix((values.data, values.indices, np.cumsum(widths)), shape=(len(weights.bias), n_tokens))
    nothing = Background(np.zeros((len(weights.bias), 1)), np.zeros(n_tokens, dtype=np.int32))
    return Weights(np.arange(n_tokens), every, weights.bias, nothing)
