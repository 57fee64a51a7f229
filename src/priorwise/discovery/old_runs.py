"""Read runs that older versions of priorwise wrote, formats 1 to 3, as if they were of this version."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from priorwise.corpus.storage.typed import damage_named
from priorwise.discovery.presence_stage import LearnedFrom, presence_model, ranking_model
from priorwise.discovery.stage import COMPARES, NARROWS, RANKS
from priorwise.features.recipe import Recipe
from priorwise.models.linear_model import GroupWeights, LinearModel
from priorwise.models.naive_bayes.presence_leave_one_out import PresenceCounts
from priorwise.models.weights import Calibration, Weights
from priorwise.priors import PseudoCounts
from priorwise.search.targets import LeftOutRanks


def upgraded(old: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return what `run.json` of today would hold, and the models of the run under ``"models"``."""
    if old["format"] < 2:
        # There was no other centre to tell it from.
        old["procedure"]["centre"] = old["learned"]["centre"] = "uniform"
    regression = old.get("regression")
    source = LearnedFrom(old["corpus"]["checksum"], old["corpus"]["documents"], None)
    stages = [{"stage": "baseline", "role": COMPARES, **_baseline(old)}]
    with damage_named(folder / "model.parquet"):
        models = {"presence": _presence_model(folder / "model.parquet", source, old["label"])}
    stages.append({"stage": "presence", "role": RANKS if regression is None else NARROWS, **_presence(old)})
    if regression is not None:
        stages.append({"stage": "members", "role": RANKS, **_members(old, regression)})
        with damage_named(folder / "regression.parquet"):
            models["members"] = _member_model(folder / "regression.parquet", source, old)
    subcategories = old.get("subcategories")
    if subcategories is not None:
        counts = {"ranking": subcategories["learned"], "baseline": subcategories["laplace"]}
        subcategories = {
            "depth": subcategories["depth"],
            "categories": subcategories["categories"],
            "candidates": counts,
        }
    kept = ("label", "members", "excluded", "corpus", "versions", "description", "verdicts", "together")
    return {
        **{name: old[name] for name in kept if name in old},
        "text_only": bool(old.get("text_only")),
        "model": "presence" if regression is None else "default",
        "seed": old["procedure"]["seeds"][0],
        "top": old["procedure"]["top"],
        "subcategories": subcategories,
        "stages": stages,
        "models": models,
    }


def _presence(old: dict[str, Any]) -> dict[str, Any]:
    procedure, learned, value = old["procedure"], old["learned"], old["leave_one_out"]
    names = ("target", "search", "seeds", "negatives_per_sample", "documents_per_negative", "counts", "length_powers")
    return {
        **{name: procedure[name] for name in (*names, "given", "paper")},
        "negative": learned["lambda_negative"],
        "positive": learned["lambda_positive"],
        **{name: learned[name] for name in ("centre", "length_power", "vocabulary", "remark")},
        "learned": value["learned"],
        "laplace": value["laplace"],
        "predicted": old["predicted_positive"]["learned"] if old.get("regression") is None else None,
    }


def _baseline(old: dict[str, Any]) -> dict[str, Any]:
    return {
        "negative": 1.0,
        "positive": 1.0,
        "centre": "uniform",
        "length_power": 0.0,
        "vocabulary": old["learned"]["vocabulary"],
        "predicted": old["predicted_positive"]["laplace"],
    }


def _members(old: dict[str, Any], regression: dict[str, Any]) -> dict[str, Any]:
    n = regression["documents"] + bool(regression.get("described"))
    tried = [
        {
            "variance": each["variance"] / n,
            "share": each["share"],
            "typical_rank": max(1.0, math.exp(each["log_rank"]) - LeftOutRanks().offset),
            "kinship": each.get("shared", 0.0),
            "labels": each.get("labels", 0.0),
            "believed": each["believed"],
            "one_sided": each["one_sided"],
            "described": each.get("described", False),
        }
        for each in regression["settings"]
    ]
    return {
        "members": old["members"],
        "documents": regression["documents"],
        "labels": regression.get("labels", 0),
        "described": bool(regression.get("described")),
        "missing": regression["missing"],
        "typical_rank": max(tried, key=lambda each: each["share"])["typical_rank"],
        "tried": tried,
        "predicted": old["predicted_positive"]["learned"],
    }


def _presence_model(path: Path, source: LearnedFrom, label: str | None) -> LinearModel:
    table = pq.read_table(path)
    metadata = json.loads(table.schema.metadata[b"priorwise"])
    counts = PresenceCounts(
        table["positive"].to_numpy(),
        table["negative"].to_numpy(),
        float(metadata["n_positive"]),
        float(metadata["n_negative"]),
        table["collection"].to_numpy() if "collection" in table.column_names else None,
        metadata.get("n_collection"),
    )
    centre = metadata["centre"] if metadata["format"] > 1 else "uniform"
    prior = PseudoCounts(float(metadata["lambda_negative"]), float(metadata["lambda_positive"]), centre=centre)
    tokens, power = table["token"].to_pylist(), float(metadata["length_power"])
    return presence_model(source, label, tokens, counts, prior, power, _calibration(metadata))


def _member_model(path: Path, source: LearnedFrom, old: dict[str, Any]) -> LinearModel:
    table = pq.read_table(path)
    metadata = json.loads(table.schema.metadata[b"priorwise"])
    names, weights = table["name"].to_pylist(), table["weight"].to_numpy()
    if {*map(type, names)} - {str} or weights.dtype != np.float64:
        raise ValueError("a row of the model has no name, or a weight that is not a number")
    cut = table["kind"].to_pylist().count("token") if "kind" in table.column_names else len(names)
    return ranking_model(
        source,
        old["label"],
        "members",
        "not recorded",
        Weights(np.arange(cut), weights[:cut][None, :], np.zeros(1)),
        names[:cut],
        old["members"],
        _calibration(metadata),
        features="counts",
        # Older runs did not keep how rare words are; their own corpus says it.
        recipe=Recipe("log", None, cosine=True, unknown=0.0),
        groups={"labels": GroupWeights(names[cut:], weights[cut:])} if cut < len(names) else {},
    )


def _calibration(metadata: dict[str, Any]) -> Calibration:
    return Calibration(float(metadata["calibration"]["slope"]), float(metadata["calibration"]["intercept"]))
