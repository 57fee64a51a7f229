"""How to look for the best candidate: try all of a grid, or climb from better to better.

A candidate is anything that can be a key of a dictionary: a prior, a cell of a grid, a setting. A strategy is given a
function from some candidates to their values, a row for each: the score, then the sensitivity. It never sees how they
are computed, and asks for many at a time because models often share work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from priorwise.kernels import Floats

Value = Callable[[Any], Floats]
Distance = Callable[[Any], Floats]

NINE_STARTS: tuple[tuple[float, float], ...] = tuple((n, p) for n in (1.0, 8.0, 15.0) for p in (1.0, 8.0, 15.0))
"""The starts of the presence paper, as (λ−, λ+)."""


FIRST = 5
"""How many candidates of each kind `refine` tries before it looks closer."""


@dataclass(frozen=True, eq=False)
class Tried:
    """What was tried, in order: candidates, the score and sensitivity of each, and the place of the best.

    `paths` has the candidates that each climb went through.
    """

    candidates: Any
    values: Floats
    place: int
    paths: list[list[Any]] = field(default_factory=list)

    @property
    def best(self) -> Any:
        return self.candidates[self.place]

    def leaders(self, count: int) -> list[Any]:
        """The best few candidates, best first; of equals the one that was tried first."""
        order = np.lexsort((-self.values[:, 1], -self.values[:, 0]))
        return [self.candidates[place] for place in order[:count]]


def best_place(values: Floats, distance: Floats | None = None) -> int:
    """Apply the one rule for ties: the best score, then the highest recall, then the nearest to the start.

    A candidate whose score is NaN was not tried. Without a distance, the first of equals wins.
    """
    score, sensitivity = values[:, 0], values[:, 1]
    best = np.flatnonzero(score == np.nanmax(score))
    best = best[sensitivity[best] == sensitivity[best].max()]
    return int(best[0] if distance is None else best[np.argmin(distance[best])])


@dataclass(frozen=True)
class Grid:
    """Try every candidate; `distance` is how far each is from where to stay if the data do not say."""

    candidates: Any
    distance: Distance | None = None

    def search(self, value: Value) -> Tried:
        values = np.asarray(value(self.candidates), dtype=np.float64)
        distance = None if self.distance is None else self.distance(self.candidates)
        return Tried(self.candidates, values, best_place(values, distance))


@dataclass(frozen=True)
class Climb:
    """Go from the best candidate so far to a better one, until nothing near it is better.

    Each step is a function from what this climb has tried to new candidates. The climb takes its steps in turn, moves
    to the best of the new candidates if that is strictly better, and ends after a round of all steps without a move.
    """

    starts: Sequence[Any]
    steps: Sequence[Callable[[Tried], Iterable[Any]]]
    together: bool = False
    rounds: int | None = None
    distance: Distance | None = None

    def search(self, value: Value) -> Tried:
        known: dict[Any, tuple[float, ...]] = {}

        def look(candidates: list[Any]) -> dict[Any, tuple[float, ...]]:
            new = [each for each in candidates if each not in known]
            if new:
                known.update(zip(new, map(tuple, np.asarray(value(new), dtype=np.float64).tolist()), strict=True))
            return {each: known[each] for each in candidates}

        starts = [list(self.starts)] if self.together else [[start] for start in self.starts]
        paths = [self._climb(start, look) for start in starts]
        return self._tried(known, paths)

    def _climb(self, starts: list[Any], look: Callable[[list[Any]], dict[Any, tuple[float, ...]]]) -> list[Any]:
        seen = look(starts)
        path = [self._tried(seen, []).best]
        moved, rounds = True, 0
        while moved and (self.rounds is None or rounds < self.rounds):
            moved, rounds = False, rounds + 1
            for step in self.steps:
                so_far = Tried(list(seen), np.array(list(seen.values())), list(seen).index(path[-1]))
                new = look([each for each in dict.fromkeys(step(so_far)) if each not in seen])
                seen |= new
                best = path[-1]
                for candidate, reached in new.items():
                    if reached > seen[best]:
                        best = candidate
                if best is not path[-1]:
                    path.append(best)
                    moved = True
        return path

    def _tried(self, values: dict[Any, tuple[float, ...]], paths: list[list[Any]]) -> Tried:
        candidates, table = list(values), np.array(list(values.values()))
        distance = None if self.distance is None else self.distance(candidates)
        return Tried(candidates, table, best_place(table, distance), paths)


Strategy = Grid | Climb


def radial(
    shape: tuple[int, ...], starts: Sequence[Any], *, together: bool = False, distance: Distance | None = None
) -> Climb:
    """Climb the cells of a table by 5×5 squares: the radial gradient search of the presence paper.

    References
    ----------
    RADIAL-GRADIENT-SEARCH in Kayaalp, O. K., *Learning optimal Bayesian prior probabilities from data*.
    """

    def square(tried: Tried) -> list[tuple[int, int]]:
        row, column = tried.best
        rows, columns = (
            range(max(0, at - 2), min(size, at + 3)) for at, size in zip((row, column), shape, strict=True)
        )
        return [(i, j) for i in rows for j in columns]

    return Climb(starts, [square], together=together, distance=distance)


def refine(candidates: Sequence[Any], distance: Distance | None = None) -> Climb:
    """Try a few priors of each kind, spread over a grid, then those between the best and its neighbours.

    Examples
    --------
    >>> from priorwise.priors import JelinekMercer
    >>> tried = refine(JelinekMercer.grid()).search(lambda some: np.array([[-abs(p.mixing - 0.7), 0] for p in some]))
    >>> tried.best, len(tried.candidates)
    (JelinekMercer(0.7), 9)
    """
    kinds: dict[type, list[Any]] = {}
    for prior in sorted(candidates, key=lambda prior: getattr(prior, "numbers", ())):
        kinds.setdefault(type(prior), []).append(prior)

    def closer(tried: Tried) -> list[Any]:
        own = kinds[type(tried.best)]
        place = {prior: number for number, prior in enumerate(own)}
        at, known = place[tried.best], {place[prior] for prior in tried.candidates if prior in place}
        left = max((other for other in known if other < at), default=-1)
        right = min((other for other in known if other > at), default=len(own))
        return [own[max((left + at) // 2, 0)], own[min((at + right + 1) // 2, len(own) - 1)]]

    first = []
    for own in kinds.values():
        spread = np.linspace(-1, len(own), min(len(own), FIRST) + 2)[1:-1].round().astype(int)
        first += [own[place] for place in spread.tolist()]
    return Climb(first, [closer] * 2, together=True, distance=distance)
