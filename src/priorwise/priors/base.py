"""What every prior is: a frozen dataclass that knows its few numbers, and can name, list, draw and describe itself.

The command line, the explorer, the reports and the searches read everything they say about a prior from here. So a new
prior is one class: define it, and it has a name, sliders, a grid to search and words.
"""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np

from priorwise.counting import hyphenated, some
from priorwise.errors import InputError

if TYPE_CHECKING:
    from priorwise.charts import Markup

LARGEST, SMALLEST = 1e9, 1e-9

LONGEST = 200

PRIORS: dict[str, type[Prior]] = {}
"""Every prior that can be made from numbers alone, by name, in the order of definition."""


@dataclass(frozen=True)
class Parameter:
    """One number of a prior.

    Parameters
    ----------
    name, symbol : str
        The dataclass field, and how formulas and sliders write it.
    low, high : float
        The range of a slider. Values outside it can be typed.
    caption : str
        One plain sentence about what the number does.
    scale : {"log", "share"}
        A logarithmic scale; or one from 0 to 1, finer at both ends.
    values : sequence of float, optional
        The values that a search tries. By default four to a factor of ten; of a share, every fiftieth.
    also : str
        An older name, which addresses may still use.
    may_be_zero : bool
        Whether 0 is possible, below the scale: it switches something off.
    check : function, optional
        Refuses a wrong number, which it is given by its symbol: such as `above_zero`.

    Examples
    --------
    >>> alpha = Parameter("alpha", "α", 0.1, 10, "how often every word is imagined")
    >>> [round(value, 2) for value in alpha.values]
    [0.1, 0.18, 0.32, 0.56, 1.0, 1.78, 3.16, 5.62, 10.0]
    """

    name: str
    symbol: str
    low: float
    high: float
    caption: str
    scale: str = "log"
    values: Sequence[float] = ()
    also: str = ""
    may_be_zero: bool = False
    check: Callable[[str, Any], float] | None = None

    def __post_init__(self) -> None:
        if not self.values:
            between = [round(0.02 * step, 2) for step in range(1, 50)]
            values = between if self.is_share else decades(np.log10(self.low), np.log10(self.high))
            object.__setattr__(self, "values", tuple(values))

    @property
    def is_share(self) -> bool:
        """Whether the number lies between 0 and 1."""
        return self.scale == "share"

    @property
    def least(self) -> float:
        """The smallest value that can be typed."""
        if self.may_be_zero:
            return 0.0
        return SMALLEST if self.low > 0 else -LARGEST

    @property
    def most(self) -> float:
        """The largest value that can be typed."""
        if self.is_share:
            return 1.0 - 1e-9
        return LARGEST if self.high > 0 else -SMALLEST


def decades(first: float, last: float, each: int = 4) -> tuple[float, ...]:
    """List powers of ten between two exponents, `each` of them to a factor of ten."""
    return tuple((10.0 ** np.arange(float(first), last + 0.01, 1.0 / each)).tolist())


@dataclass(frozen=True)
class Preset:
    """A prior with a name of its own."""

    name: str
    label: str
    key: str
    title: str
    prior: Prior | None = None


@dataclass(frozen=True)
class CountSummary:
    """What a model counted, as far as a prior must know it to say what its strength means there."""

    unit: str
    types: int
    size: float
    distinct: float

    def strength(self, imagined: float) -> str:
        """Compare a strength with what was counted."""
        return f"strength: {some(imagined, f'imagined {self.unit}')}, where a class has {self.size:,.0f} on average"


class Prior:
    """Base of all priors. Defining a subclass registers it under its command-line name.

    A subclass is a frozen dataclass. It inherits from the protocol of each model that it serves (`RatePrior`,
    `WordPrior`, `PresencePrior`, `CoefficientPrior`, …) and declares its `parameters` and its `formula`.

    With ``listed=False`` a class is not registered: a protocol, or a prior that takes more than numbers to make.

    Examples
    --------
    >>> from priorwise.priors import WittenBell
    >>> WittenBell.name, WittenBell(0.1).numbers, PRIORS["witten-bell"] is WittenBell
    ('witten-bell', (0.1,), True)
    """

    name: ClassVar[str]
    """Its name on the command line: the class's, in lower case with hyphens, unless the class sets another."""
    title: ClassVar[str]
    """Its name in menus."""
    formula: ClassVar[str] = ""
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    reads_collection: ClassVar[bool] = False
    """Whether the centre is the whole corpus, so that two words with the same counts in a class can differ."""

    def __init_subclass__(cls, *, listed: bool = True, **more: Any) -> None:
        super().__init_subclass__(**more)
        own = vars(cls)
        cls.name = own.get("name", hyphenated(cls.__name__))
        cls.title = own.get("title", cls.name.replace("-", " ").capitalize())
        if listed:
            PRIORS[cls.name] = cls

    def __post_init__(self) -> None:
        """Check the numbers as their parameters say."""
        for each in self.parameters:
            if each.check is not None:
                object.__setattr__(self, each.name, each.check(each.symbol, getattr(self, each.name)))

    @classmethod
    def variants(cls) -> tuple[Self, ...]:
        """List the priors at which sliders start: one, unless a field that is not a number makes several kinds."""
        return (cls(),)

    @property
    def numbers(self) -> tuple[float, ...]:
        """The values of the parameters; empty if one of them is an array."""
        values = [getattr(self, each.name) for each in self.parameters]
        return () if any(np.ndim(value) for value in values) else tuple(float(value) for value in values)

    def with_numbers(self, *numbers: float) -> Self:
        """Give the same prior with other values of its parameters."""
        names = (each.name for each in self.parameters)
        return replace(self, **dict(zip(names, numbers, strict=True)))  # type: ignore[type-var]

    @classmethod
    def grid(cls) -> tuple[Self, ...]:
        """List the priors that a search tries: every combination of the parameters' values.

        Examples
        --------
        >>> from priorwise.priors import Beta, JelinekMercer
        >>> len(Beta.grid()), len(JelinekMercer.grid()), JelinekMercer.grid()[0]
        (525, 61, JelinekMercer(0.0001))
        """
        start = cls()
        return tuple(start.with_numbers(*values) for values in itertools.product(*(p.values for p in cls.parameters)))

    @classmethod
    def presets(cls, types: int) -> list[Preset]:
        """List the priors of this class that have a name, in a vocabulary of `types` words."""
        return []

    def describe(self, about: Any = None) -> str:
        """Say in words what the prior means; `about` is what the model counted, a `CountSummary`, if it counts.

        Examples
        --------
        >>> from priorwise.priors import Dirichlet
        >>> Dirichlet(0.5).describe(CountSummary("word", types=2, size=3.0, distinct=1.5))
        'centre: each of the 2 words is equally likely; strength: 1 imagined word, where a class has 3 on average'
        """
        text = [f"{p.symbol} = {value:g}, {p.caption}" for p, value in zip(self.parameters, self.numbers, strict=False)]
        return "; ".join(text) or repr(self)

    def bound(self, words: Sequence[str] | None) -> Prior:
        """Give the prior of a model with these words as its columns: itself, unless it is about words by name."""
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Its fields by name, so that scikit-learn can search ``prior__alpha``."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def __sklearn_clone__(self) -> Self:
        return self  # nothing can change it

    def __repr__(self) -> str:
        several = len(self.parameters) > 1
        given = zip(self.parameters, self.numbers, strict=True)
        return f"{type(self).__name__}({', '.join(f'{p.name}={n:g}' if several else f'{n:g}' for p, n in given)})"

    def _repr_html_(self) -> Markup:
        """Its numbers, and in a sentence what they mean, everything escaped."""
        from priorwise.charts import element

        first = (inspect.getdoc(type(self)) or "").split("\n\n")[0].replace("\n", " ").replace("`", "")
        given = {name: value for name, value in self.get_params().items() if value is not None}
        rows = [
            element("tr", element("th", name, scope="row"), element("td", in_short(value)))
            for name, value in given.items()
        ]
        table = element("table", element("tbody", rows)) if rows else None
        return element("div", element("p", element("b", in_short(self))), element("p", first), table)


Kind = TypeVar("Kind", bound=Prior)


def serving(protocol: type[Kind]) -> dict[str, type[Kind]]:
    """List the registered priors that follow a protocol, by name."""
    import priorwise.priors  # noqa: F401 - registers those that come with the package

    return {name: prior for name, prior in PRIORS.items() if issubclass(prior, protocol)}


def is_several(given: Any) -> bool:
    """Whether this is a sequence of priors, and not one prior for all."""
    return isinstance(given, Sequence) and not isinstance(given, str)


def one_each(given: Any, n: int, of: str = "classes") -> list[Any]:
    """Take one prior for all, or a sequence of one for each."""
    if not is_several(given):
        return [given] * n
    if len(given) != n:
        raise InputError(f"give one prior for each of the {n} {of}, not {len(given)}")
    return list(given)


def bound(given: Any, words: Sequence[str] | None) -> Any:
    """Bind a prior to the words of a model's columns; anything else is left for a model to refuse."""
    return given.bound(words) if isinstance(given, Prior) else given


def checked(given: Any, protocol: type[Kind], owner: str) -> Kind:
    """Refuse a prior that does not serve a model, and say what to write instead."""
    if isinstance(given, protocol):
        return given
    known = serving(protocol)
    *most, last = sorted(f"{each.__name__}(…)" for each in known.values())
    classes = f"{', '.join(most)} or {last}" if most else last
    name, _, numbers = given.partition(":") if isinstance(given, str) else ("", "", "")
    if name in known:
        write = f"{known[name].__name__}({numbers})"
        raise InputError(f"a prior is an object, not its name: write {owner}(prior=priorwise.{write}), not {given!r}")
    raise InputError(f"the prior of {owner} is {classes}, not {given!r}")


def in_short(value: Any) -> str:
    """Return a value in one short line; of many numbers how many, and their range."""
    if isinstance(value, np.ndarray) and value.size > 1 and value.dtype.kind in "fiu":
        return f"{value.size:,} numbers from {value.min():g} to {value.max():g}"
    text = value if isinstance(value, str) else " ".join(repr(value).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _limit(wanted: str, is_right: Callable[[float], bool]) -> Callable[[str, Any], float]:
    """Make a function that takes a number by name, and refuses one that is not as wanted in a sentence."""

    def check(name: str, value: Any) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise InputError(f"{name} must be a number, not {value!r}") from None
        if not is_right(number):
            raise InputError(f"{name} must {wanted}, not {value!r}")
        return number

    return check


at_least_zero = _limit("be a number of at least 0", lambda number: 0 <= number < math.inf)
above_zero = _limit("be a positive number", lambda number: 0 < number < math.inf)
below_zero = _limit("be a negative number", lambda number: -math.inf < number < 0)
share = _limit("lie between 0 and 1, both included", lambda number: 0 <= number <= 1)
proper_share = _limit("lie between 0 and 1, neither of them", lambda number: 0 < number < 1)
