"""Priors in files, as the BXR programs for Bayesian regression read them (their *individual priors files*).

A line gives the prior of one feature, for all classes or for one::

    [class CLASS] FEATURE MODE VARIANCE [ABS] [SKEW]

separated by spaces or tabs. VARIANCE is a multiple of the variance that all features have otherwise, unless ABS
follows it; ``inf`` means no penalty. ``0`` or ``@constant`` as the FEATURE is the intercept. A class's line overrides
a line of all classes, which overrides the common prior, of mode 0. SKEW is 0; BXR's 1 and −1, which let a coefficient
have one sign only, and its variance of 0, which fixes a coefficient, are refused. Empty lines and lines that begin with
``#`` say nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from priorwise.errors import BrokenFile, InputError, UnknownName
from priorwise.priors.base import above_zero
from priorwise.priors.regression import CoefficientPrior, Laplace
from priorwise.readers.opening import small_text

LARGEST_FILE = 1 << 30
INTERCEPT = "@constant"
INTERCEPT_NAMES = ("0", INTERCEPT)


@dataclass(frozen=True)
class BxrPriors:
    """What a file of priors says."""

    coefficients: CoefficientPrior
    intercept: CoefficientPrior | None
    unknown: list[str]


@dataclass(frozen=True)
class _Line:
    owner: str | None
    feature: str
    mode: float
    variance: float
    absolute: bool


def read_bxr_priors(
    path: str | Path,
    features: Sequence[str],
    classes: Sequence[str] | None = None,
    *,
    prior: type[CoefficientPrior] = Laplace,
    variance: float = 1.0,
) -> BxrPriors:
    r"""Read a file of priors.

    Parameters
    ----------
    path : str or Path
        The file.
    features : sequence of str
        The features, in the order of the columns.
    classes : sequence of str, optional
        The classes, in the order of the rows of ``coef_``: of two classes the second alone.
    prior : Gaussian or Laplace
        The kind of prior, which such a file does not say.
    variance : float
        The variance of all features that the file says nothing of, and what its relative variances multiply.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "priors"
    >>> _ = path.write_text("# known beforehand\nwheat 2 1\noil 0 0.5 ABS\n0 -1 inf\n")
    >>> found = read_bxr_priors(path, ["oil", "the", "wheat"], variance=4.0)
    >>> found.coefficients, found.intercept
    (Laplace(variance=[0.5, 4, 4], mode=[0, 0, 2]), Laplace(variance=inf, mode=-1))
    """
    path, common = Path(path), above_zero("the common variance", variance)
    columns = {name: column for column, name in enumerate(features)}
    rows = {name: row for row, name in enumerate(classes or ())}
    shape = (len(rows) or 1, len(columns) + 1)  # the intercept is the last column
    variances, modes, given = np.full(shape, common), np.zeros(shape), np.zeros(shape, dtype=bool)
    unknown: dict[str, None] = {}
    of_classes: list[tuple[int, int, _Line]] = []
    seen: dict[tuple[str | None, str], int] = {}
    for number, line in _lines(path):
        feature = INTERCEPT if line.feature in INTERCEPT_NAMES else line.feature
        if (line.owner, feature) in seen:
            raise BrokenFile(path, f"'{feature}' has a prior already, on line {seen[line.owner, feature]}", line=number)
        seen[line.owner, feature] = number
        if line.owner is not None and line.owner not in rows:
            reason = (
                str(UnknownName("class", line.owner, rows)) if rows else "give the classes to read lines of classes"
            )
            raise BrokenFile(path, reason, line=number)
        column = len(columns) if feature == INTERCEPT else columns.get(feature)
        if column is None:
            unknown[feature] = None
        elif line.owner is not None:
            of_classes.append((rows[line.owner], column, line))
        else:
            variances[:, column], modes[:, column] = line.variance * (1.0 if line.absolute else common), line.mode
            given[:, column] = True
    for row, column, line in of_classes:
        variances[row, column] = line.variance * (1.0 if line.absolute else common)
        modes[row, column], given[row, column] = line.mode, True
    by_class = bool(of_classes)
    intercept = None
    if given[:, -1].any():  # an intercept that no line names is left to the data, as it is without a file
        free = np.where(given[:, -1:], variances[:, -1:], np.inf)
        intercept = prior(free, modes[:, -1:]) if by_class else prior(free[0, 0], modes[0, -1])
    variances, modes = (table[:, :-1] if by_class else table[0, :-1] for table in (variances, modes))
    return BxrPriors(prior(variances, modes), intercept, list(unknown))


def write_bxr_priors(
    path: str | Path,
    prior: CoefficientPrior,
    features: Sequence[str],
    classes: Sequence[str] | None = None,
    *,
    intercept: CoefficientPrior | None = None,
    overwrite: bool = False,
) -> None:
    """Write a prior so that BXR, and `read_bxr_priors`, read it; variances are absolute.

    Features of mode 0 and of the commonest variance are left out, and that variance is named in a remark: it is the one
    to read the file with.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "priors"
    >>> write_bxr_priors(path, Laplace(4.0, [0.0, 0.0, 2.0]), ["oil", "the", "wheat"])
    >>> print(path.read_text(), end="")
    # Laplace; every other feature: mode 0, variance 4.0
    wheat 2.0 4.0 ABS
    """
    from priorwise.errors import AlreadyExists

    path = Path(path)
    if path.exists() and (path.is_dir() or not overwrite):
        raise AlreadyExists(path, not_a="file" if path.is_dir() else None)
    n_rows = max([1, *(len(a) for a in map(np.asarray, (prior.variance, prior.mode)) if a.ndim == 2)])
    if n_rows > 1 and len(classes or ()) != n_rows:
        raise InputError(f"the prior has {n_rows} rows: give the names of as many classes, not {len(classes or ())}")
    each = [prior.of_features(len(features), row, n_rows) for row in range(n_rows)]
    finite = np.concatenate([variance[(mode == 0) & np.isfinite(variance)] for variance, mode in each])
    values, counts = np.unique(finite, return_counts=True)
    common = float(values[np.argmax(counts)]) if len(values) else 1.0
    lines = [f"# {type(prior).__name__}; every other feature: mode 0, variance {common!r}"]
    for row, (variance, mode) in enumerate(each):
        owner = f"class {_word(classes[row])} " if n_rows > 1 and classes is not None else ""
        for column in np.flatnonzero((mode != 0) | (variance != common)).tolist():
            lines.append(f"{owner}{_feature(features[column])} {_numbers(mode[column], variance[column])}")
        if intercept is not None:
            variance, mode = intercept.of_features(1, row, n_rows)
            lines.append(f"{owner}{INTERCEPT} {_numbers(mode[0], variance[0])}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _word(name: str) -> str:
    if name.split() != [name]:
        raise InputError(f"{name!r} cannot be written to a file of priors: names there are single words")
    return name


def _feature(name: str) -> str:
    if name == "class" or name.startswith("#") or name in INTERCEPT_NAMES:
        raise InputError(
            f"a feature called {name!r} cannot be written to a file of priors: there it means something else"
        )
    return _word(name)


def _numbers(mode: float, variance: float) -> str:
    return f"{float(mode)!r} {float(variance)!r} ABS"


def _lines(path: Path) -> list[tuple[int, _Line]]:
    """Every line that says something, with its number."""
    found = []
    for number, line in enumerate(small_text(path, LARGEST_FILE, "file of priors").split("\n"), start=1):
        words = line.split()
        if words and not words[0].startswith("#"):
            try:
                found.append((number, _parsed(words)))
            except InputError as error:
                raise BrokenFile(path, str(error), line=number) from error
    return found


def _parsed(words: list[str]) -> _Line:
    owner, rest = (words[1] if len(words) > 1 else "", words[2:]) if words[0] == "class" else (None, words)
    if len(rest) < 3:
        raise InputError("a line is written [class CLASS] FEATURE MODE VARIANCE [ABS] [SKEW]")
    feature, mode, variance, *more = rest
    absolute = more[:1] == ["ABS"]
    skew = more[absolute:]
    if skew not in ([], ["0"]):
        if skew in (["1"], ["-1"], ["+1"]):
            raise InputError(f"a skew of {skew[0]} lets a coefficient have one sign only, which is not supported")
        raise InputError(f"'{' '.join(skew)}' is neither ABS nor a skew of 0")
    return _Line(owner, feature, _number(mode, "mode"), _variance(variance), absolute)


def _number(text: str, what: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"'{text}' is not a {what}: it is a finite number")
    return number


def _variance(text: str) -> float:
    if text == "inf":
        return math.inf
    variance = _number(text, "variance")
    if variance == 0:
        raise InputError("a variance of 0 fixes a coefficient at its mode, which is not supported: give a small one")
    if variance < 0:
        raise InputError(f"'{text}' is not a variance: it is a positive number or inf")
    return variance
