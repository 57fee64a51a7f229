"""A trained classifier, in one folder that needs no corpus and no pickle."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from priorwise.corpus.columns import text_column
from priorwise.corpus.files import FileRecord, FolderPlace, whole_file, write_bytes
from priorwise.corpus.whole_folder import check_free, whole_folder
from priorwise.counting import counted
from priorwise.errors import AlreadyExists, BrokenFile
from priorwise.features.recipe import FREQUENCIES, Recipe
from priorwise.models import saved_tables
from priorwise.models.model_card import FILE_NAME as CARD
from priorwise.models.model_card import card_of
from priorwise.models.plain_arrays import arrays_of
from priorwise.models.probabilities import LINKS
from priorwise.models.weights import Background, Weights

FORMAT = "priorwise model"
VERSION = 2
"""Since 2 a model may have a recipe; without one it is written as before, and says 1."""
FILE_NAME = "model.json"
LONGEST_DESCRIPTION = 1 << 26

FEATURES = ("counts", "presence")
"""What a model reads of a document: how often each token occurs, or whether it does."""


@dataclass(frozen=True)
class SavedModel:
    """Any fitted linear model, by token and by label: all that it takes to classify.

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

    @classmethod
    def of(cls, weights: Weights, tokens: Sequence[str], *, recipe: Recipe | None = None, **details: Any) -> SavedModel:
        """Make one of weights of any kind; `tokens` names the columns that `weights.features` counts in.

        With a recipe, tokens that weigh nothing are kept: they are part of a document's length.
        """
        if recipe is not None:
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
            recipe = replace(recipe, factors=recipe.factors[order])
        return cls(tokens=names.take(pa.array(order)), weights=moved, recipe=recipe, **details)

    @property
    def n_outputs(self) -> int:
        """How many outputs the weights have: one for two classes, else one per label."""
        return len(self.weights.bias)

    def __repr__(self) -> str:
        prior = self.about.get("prior")
        shown = counted(len(prior), "prior") if isinstance(prior, list) else prior or "no prior recorded"
        what = f"{counted(len(self.labels), 'label')}, {counted(len(self.tokens), 'token')}, {shown}"
        return f"<SavedModel {self.about.get('model', 'of weights')}: {what}>"

    def _repr_html_(self) -> str:
        from priorwise.charts import element

        return element("pre", self.card())

    def card(self) -> str:
        """Return the model card, as it is written beside the model: Markdown."""
        return card_of(self)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the model as plain arrays; :func:`~priorwise.models.plain_arrays.arrays_of` says what they hold."""
        return arrays_of(self)

    def export(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the plain arrays to an ``.npz`` file that NumPy reads without pickle, whole or not at all."""
        path = Path(path)
        if path.exists() and (path.is_dir() or not overwrite):
            raise AlreadyExists(path, not_a="file" if path.is_dir() else None)
        with whole_file(path) as draft, draft.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **self.to_arrays())

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the model's folder and its card; it appears whole or not at all."""
        with whole_folder(Path(path), FILE_NAME, "model", overwrite=overwrite) as folder:
            place = FolderPlace(folder)
            tables = saved_tables.batches_of(self.labels, self.members, self.tokens, self.weights)
            if self.recipe is not None and self.recipe.factors is not None:
                tables[saved_tables.FACTORS] = saved_tables.factor_batch(self.recipe.factors)
            files = {name: place.write(name, batch.schema, iter([batch])) for name, batch in tables.items()}
            write_bytes(folder / CARD, self.card().encode())
            write_bytes(folder / FILE_NAME, self._described(files))

    def _described(self, files: dict[str, FileRecord]) -> bytes:
        content = {
            "format": FORMAT,
            "version": 1 if self.recipe is None else VERSION,
            "multilabel": self.multilabel,
            "features": self.features,
            "link": self.link,
            "tokenizer": self.tokenizer,
            "about": self.about,
            "files": {name: {"bytes": record.bytes, "sha256": record.sha256} for name, record in files.items()},
        }
        if self.recipe is not None:
            content["recipe"] = {"frequency": self.recipe.frequency, "cosine": self.recipe.cosine}
        whole = {**content, "checksum": _checksum(content)}
        return (json.dumps(whole, indent=2, ensure_ascii=False) + "\n").encode()

    @classmethod
    def load(cls, path: str | Path) -> SavedModel:
        """Read a model's folder; whatever is not a whole model is refused with a sentence."""
        folder = Path(path)
        content = _read_description(folder)
        try:
            tables = {
                name: saved_tables.read(
                    folder / name, content["files"][name]["bytes"], content["files"][name]["sha256"]
                )
                for name in content["files"]
            }
            labels, members = saved_tables.labels_of(tables)
            weights = saved_tables.weights_of(tables)
            recipe = _recipe(content, tables)
        except BrokenFile:
            raise
        except (pa.ArrowException, KeyError, TypeError, ValueError, OSError, MemoryError) as error:
            raise BrokenFile(folder, f"the model is damaged ({' '.join(str(error).split())})") from error
        if len(weights.bias) != (1 if len(labels) == 2 and not content["multilabel"] else len(labels)):
            raise BrokenFile(folder, f"the model is damaged: {len(weights.bias)} outputs for {len(labels)} labels")
        return cls(
            labels,
            content["multilabel"],
            tables[saved_tables.TOKENS].column("token"),
            weights,
            content["features"],
            content["link"],
            content["tokenizer"],
            members,
            content["about"],
            recipe,
        )


def check_output(path: Path, *, overwrite: bool) -> None:
    """Raise `AlreadyExists` if a model cannot be written here."""
    check_free(path, FILE_NAME, "model", overwrite=overwrite)


def _read_description(folder: Path) -> dict[str, Any]:
    path = folder / FILE_NAME
    if not path.is_file():
        raise BrokenFile(
            folder, "not a model folder: it has no model.json" if folder.exists() else "there is no such model"
        )
    if path.stat().st_size > LONGEST_DESCRIPTION:
        raise BrokenFile(path, f"longer than {LONGEST_DESCRIPTION:,} bytes, which no model's description is")
    try:
        content = json.loads(path.read_bytes())
        if content["format"] != FORMAT:
            raise BrokenFile(folder, "not a model folder: its model.json is of another program")
        if content["version"] > VERSION:
            raise BrokenFile(
                folder, f"model format {content['version']}, this priorwise reads up to {VERSION}: upgrade it"
            )
        checksum = content.pop("checksum")
        _check_values(content)
    except BrokenFile:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BrokenFile(path, f"damaged ({' '.join(str(error).split())})") from error
    if checksum != _checksum(content):
        raise BrokenFile(path, "damaged: it does not match its own checksum")
    return dict(content)


def _check_values(content: dict[str, Any]) -> None:
    """Refuse values that no model has; nothing after this asks again."""
    wanted = {"features": FEATURES, "link": LINKS, "multilabel": (True, False)}
    for key, allowed in wanted.items():
        if content[key] not in allowed:
            raise ValueError(f"{key} is {content[key]!r}")
    kinds = {"about": dict, "files": dict, "tokenizer": dict | None, "multilabel": bool}
    for key, kind in kinds.items():
        if not isinstance(content[key], kind):
            raise TypeError(f"{key} is {type(content[key]).__name__}")
    recipe = content.get("recipe")
    if recipe is not None and (recipe["frequency"] not in FREQUENCIES or not isinstance(recipe["cosine"], bool)):
        raise ValueError(f"recipe is {recipe!r}")
    more = {saved_tables.FACTORS} if recipe is not None else set()
    if set(content["files"]) - more != set(saved_tables.SCHEMAS):
        raise ValueError("it lists other files than a model has")


def _recipe(content: dict[str, Any], tables: Mapping[str, pa.RecordBatch]) -> Recipe | None:
    if content.get("recipe") is None:
        return None
    factors = saved_tables.factors_of(tables) if saved_tables.FACTORS in tables else None
    return Recipe(content["recipe"]["frequency"], factors, content["recipe"]["cosine"])


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


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
