"""Files of priors as BXR has them: its grammar, both ways, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priorwise.errors import AlreadyExists, BrokenFile, InputError
from priorwise.models.regression.logistic import LogisticRegression
from priorwise.priors.bxr_files import read_bxr_priors, write_bxr_priors
from priorwise.priors.regression import Gaussian, Laplace

WORDS = ["oil", "the", "wheat", "corn"]
CLASSES = ["crude", "grain"]


def read(tmp_path: Path, text: str, **how):
    path = tmp_path / "priors"
    path.write_text(text, encoding="utf-8")
    return read_bxr_priors(path, WORDS, **how)


def test_the_grammar(tmp_path: Path) -> None:
    text = """
    # a remark, then a feature for all classes: mode, and variance as a multiple of the common one
    oil     1.5   2
    class grain wheat 3 0.25 ABS
    class grain oil -1 inf 0
    class crude @constant -2 5 ABS 0
    the 0 7 ABS
    unheard 1 1
    """
    found = read(tmp_path, text, classes=CLASSES, prior=Gaussian, variance=4.0)
    assert found.coefficients == Gaussian([[8, 7, 4, 4], [np.inf, 7, 0.25, 4]], [[1.5, 0, 0, 0], [-1, 0, 3, 0]])
    assert found.intercept == Gaussian([[5], [np.inf]], [[-2], [0]])
    assert found.unknown == ["unheard"]
    model = LogisticRegression(found.coefficients, intercept_prior=found.intercept)
    model.fit(np.vstack([np.eye(4), np.eye(4)]), [[1, 0], [0, 1], [0, 1], [1, 0], [0, 1], [1, 1], [0, 0], [0, 1]])
    assert model.coef_.shape == (2, 4)


def test_a_line_of_a_class_goes_first_wherever_it_stands(tmp_path: Path) -> None:
    lines = ["class grain oil 2 3 ABS", "oil 1 1 ABS"]
    for order in (lines, lines[::-1]):
        found = read(tmp_path, "\n".join(order), classes=CLASSES).coefficients
        assert np.asarray(found.mode)[:, 0].tolist() == [1, 2]
        assert np.asarray(found.variance)[:, 0].tolist() == [1, 3]


def test_nothing_said_is_the_common_prior(tmp_path: Path) -> None:
    found = read(tmp_path, "# nothing\n\n", variance=9.0)
    assert found.coefficients == Laplace([9.0] * 4, [0.0] * 4)
    assert found.intercept is None
    assert read(tmp_path, "0 2 3", variance=2.0).intercept == Laplace(6.0, 2.0)


@given(st.integers(0, 2**32 - 1), st.sampled_from([Gaussian, Laplace]), st.booleans(), st.booleans(), st.booleans())
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, seed: int, kind: type, by_class: bool, held: bool, infinite: bool
) -> None:
    path = tmp_path_factory.mktemp("bxr") / "priors"
    random = np.random.default_rng(seed)
    shape = (2, 4) if by_class else (4,)
    variance = random.choice([2.5, 2.5, np.inf if infinite else 1 / 3, random.exponential()], size=shape)
    prior = kind(variance, random.choice([0.0, 0.0, random.normal()], size=shape))
    of_intercept = (kind([[1 / 7], [3.0]], [[0.1], [0.0]]) if by_class else kind(1 / 7, 0.1)) if held else None
    classes = CLASSES if by_class else None
    write_bxr_priors(path, prior, WORDS, classes, intercept=of_intercept)
    found = re.search(r"variance (.*)", path.read_text(encoding="utf-8").splitlines()[0])
    assert found is not None
    again = read_bxr_priors(path, WORDS, classes, prior=kind, variance=float(found[1]))
    for output in range(2 if by_class else 1):
        for got, wanted in zip(
            again.coefficients.of_features(4, output, 2), prior.of_features(4, output, 2), strict=True
        ):
            np.testing.assert_array_equal(got, wanted)
    assert again.intercept == of_intercept
    assert again.unknown == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("oil 1", "line 1: a line is written [class CLASS] FEATURE MODE VARIANCE [ABS] [SKEW]"),
        ("\nclass grain oil 1", "line 2: a line is written"),
        ("class", "line 1: a line is written"),
        ("oil one 1", "line 1: 'one' is not a mode: it is a finite number"),
        ("oil nan 1", "line 1: 'nan' is not a mode"),
        ("oil 1 -1", "line 1: '-1' is not a variance: it is a positive number or inf"),
        ("oil 1 1e999", "line 1: '1e999' is not a variance"),
        ("oil 1 0", "line 1: a variance of 0 fixes a coefficient"),
        ("oil 1 1 1", "line 1: a skew of 1 lets a coefficient have one sign only"),
        ("oil 1 1 ABS -1", "line 1: a skew of -1"),
        ("oil 1 1 abs", "line 1: 'abs' is neither ABS nor a skew of 0"),
        ("oil 1 1 ABS 0 0", "line 1: '0 0' is neither ABS nor a skew"),
        ("oil 1 1\n# no\noil 2 2", "line 3: 'oil' has a prior already, on line 1"),
        ("0 1 1\n@constant 2 2", "line 2: '@constant' has a prior already, on line 1"),
        ("class grian oil 1 1", "line 1: no class 'grian'; did you mean 'grain'?"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(BrokenFile, match=re.escape(reason)):
        read(tmp_path, text, classes=CLASSES)


def test_other_mistakes(tmp_path: Path) -> None:
    with pytest.raises(BrokenFile, match="there is no such file"):
        read_bxr_priors(tmp_path / "nowhere", WORDS)
    with pytest.raises(BrokenFile, match="give the classes to read lines of classes"):
        read(tmp_path, "class grain oil 1 1")
    with pytest.raises(InputError, match="the common variance must be a positive number"):
        read(tmp_path, "", variance=0.0)
    (tmp_path / "binary").write_bytes(b"oil \xff 1")
    with pytest.raises(BrokenFile, match=re.escape("not valid UTF-8 (byte 4)")):
        read_bxr_priors(tmp_path / "binary", WORDS)
    path = tmp_path / "written"
    for name in ("0", "@constant", "class", "#tag", "two words", ""):
        write_bxr_priors(path, Gaussian(1.0), [name, "b"], overwrite=True)  # nothing to say of it
        with pytest.raises(InputError, match="cannot be written to a file of priors"):
            write_bxr_priors(tmp_path / "never", Gaussian(1.0, [1.0, 0.0]), [name, "b"])
    assert not (tmp_path / "never").exists()
    with pytest.raises(InputError, match="2 rows: give the names of as many classes, not 0"):
        write_bxr_priors(tmp_path / "never", Gaussian(np.ones((2, 4))), WORDS)
    with pytest.raises(AlreadyExists):
        write_bxr_priors(path, Gaussian(1.0), WORDS)
