"""A program as it runs: one meaning for every statement, on the numbers and arrays of any library.

What a library is asked for is a `Kit`. With the kit of the grid numbers are plain, and no symbol is anywhere.
"""

import math
import operator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from programs.statements import Program

RELATIONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq}
MOST_RACES = 2
"""On one noise: for so many the oracle has a closed form."""


class Draws(Protocol):
    """Where numbers come from. `way` chooses among the ways in which the same is written."""

    def uniform(self) -> Any: ...
    def vector(self, size: int) -> Any: ...
    def pick(self, shares: tuple[float, ...], way: int) -> int: ...
    def several(self, shares: tuple[float, ...], count: int, way: int) -> list[int]: ...
    def permute(self, size: int, way: int) -> list[int]: ...
    def integer(self, size: int, way: int) -> int: ...
    def coin(self, chance: float, way: int) -> int: ...
    def noise(self, kind: str, size: int) -> Any: ...
    def race(self, noise: Any, kind: str, rates: tuple[float, ...], way: int) -> int: ...
    def race_order(self, noise: Any, rates: tuple[float, ...], count: int, way: int) -> list[int]: ...


class Vectors(Protocol):
    """What is done with a vector x."""

    def scaled(self, x: Any, factor: float) -> Any: ...
    def clamp(self, x: Any, low: float, high: float) -> Any: ...
    def reverse(self, x: Any) -> Any: ...
    def gather(self, x: Any, places: list[int]) -> Any: ...
    def flip_view(self, x: Any, start: int) -> None: ...
    def write_view(self, x: Any, start: int, value: float) -> None: ...
    def fill(self, x: Any, below: float, value: float, way: int) -> Any: ...
    def log(self, number: Any) -> Any: ...
    def count(self, x: Any, below: float, way: int) -> int: ...
    def order(self, x: Any, largest: bool, way: int) -> list[int]: ...
    def top(self, x: Any, count: int, largest: bool, way: int) -> list[int]: ...
    def largest(self, x: Any, way: int) -> int: ...
    def invert(self, number: Any, shares: tuple[float, ...], way: int) -> int: ...


class Kit(NamedTuple):
    """One library."""

    draws: Draws
    vectors: Vectors


@dataclass
class State:
    """What a run holds: its numbers, what it has decided, and the noise of its races."""

    kit: Kit
    factor: float
    x: Any
    size: int
    seen: list[int] = field(default_factory=list)
    noise: Any = None
    kind: str = "exponential"
    runners: int = 3
    races: int = MOST_RACES

    def last(self) -> int:
        return self.seen[-1] if self.seen else 0

    def note(self, *decided: Any) -> None:
        self.seen += map(int, decided)

    def start_race(self) -> None:
        """Fresh noise unless what there is may be used once more."""
        if self.races >= MOST_RACES:
            self.noise, self.races = self.kit.draws.noise(self.kind, self.runners), 0
        self.races += 1


def perform(program: Program, kit: Kit) -> tuple[int, ...]:
    """What the program decided, in order."""
    state = State(kit, program.factor, kit.vectors.scaled(kit.draws.vector(program.size), program.factor), program.size)
    _run(program.steps, state)
    return tuple(state.seen)


def _run(steps: tuple[tuple, ...], state: State) -> None:
    for step in steps:
        if step[0] == "if":
            _run(step[1] if state.last() % 2 else step[2], state)
        elif step[0] == "for":
            for _ in range(state.last() % 3):
                _run(step[1], state)
        else:
            _change(step, state)
            _ask(step, state)
            _draw(step, state)
            _race(step, state)


def _change(step: tuple, state: State) -> None:
    """Statements that only move or change numbers."""
    kit, x, size = state.kit, state.x, state.size
    match step:
        case ("copy", place, other):
            x[place % size] = x[other % size]
        case ("reverse",):
            state.x = kit.vectors.reverse(x)
        case ("gather", places):
            state.x = kit.vectors.gather(x, [place % size for place in places][:size])
        case ("draw again", place):
            x[place % size] = kit.draws.uniform() * state.factor
        case ("shift", place, amount):
            x[place % size] += amount
        case ("flip", place):
            x[place % size] = 1 - x[place % size]
        case ("clamp", low, high):
            state.x = kit.vectors.clamp(x, low, max(low, high))
        case ("bound", place, bound, True):
            x[place % size] = max(x[place % size], bound)
        case ("bound", place, bound, False):
            x[place % size] = min(x[place % size], bound)
        case ("write through a view", start, value):
            kit.vectors.write_view(x, start % size, value)
        case ("flip through a view", start):
            kit.vectors.flip_view(x, start % size)
        case ("fill under a mask", below, value, way):
            state.x = kit.vectors.fill(x, below, value, way)


def _ask(step: tuple, state: State) -> None:
    """Statements that decide something of the numbers."""
    kit, x, size = state.kit, state.x, state.size
    match step:
        case ("compare", place, bound, relation):
            state.note(RELATIONS[relation](x[place % size], bound))
        case ("compare logs", bound, other):
            number = kit.draws.uniform()
            state.note(kit.vectors.log(number) < math.log(bound), number >= other)
        case ("count", below, way):
            state.note(kit.vectors.count(x, below, way))
        case ("read at", bound):
            state.note(x[state.last() % size] < bound)
        case ("invert", weights, fresh, way):
            state.note(kit.vectors.invert(kit.draws.uniform() if fresh else x[0], weights, way))
        case ("whole", place, factor, way):
            number = x[place % size] * factor
            state.note((int, math.floor, math.ceil, round)[way % 4](getattr(number, "item", lambda: number)()))
        case ("until", bound, most):
            state.note(next((tries for tries in range(most) if kit.draws.uniform() < bound), most))
        case ("less", place, other):
            state.note(x[place % size] < x[other % size])
        case ("order", largest, way):
            state.note(*kit.vectors.order(x, largest, way))
        case ("top", count, largest, way):
            state.note(*kit.vectors.top(x, min(count, size), largest, way))
        case ("largest", way):
            state.note(kit.vectors.largest(x, way))


def _draw(step: tuple, state: State) -> None:
    """Discrete draws."""
    kit = state.kit
    match step:
        case ("pick", shares, way):
            state.note(kit.draws.pick(shares, way))
        case ("several", shares, way):
            state.note(*kit.draws.several(shares, min(2, sum(share > 0 for share in shares)), way))
        case ("permute", size, way):
            state.note(*kit.draws.permute(size, way))
        case ("integer", size, way):
            state.note(kit.draws.integer(size, way))
        case ("coin", chance, way):
            state.note(kit.draws.coin(chance, way))


def _race(step: tuple, state: State) -> None:
    """Noise, and who wins when it is weighed."""
    kit = state.kit
    match step:
        case ("noise", kind, runners):
            state.kind, state.runners, state.races = kind, runners, MOST_RACES
        case ("race", rates, way):
            state.start_race()
            state.note(kit.draws.race(state.noise, state.kind, rates[: state.runners], way))
        case ("compare noise", first, second):
            state.start_race()
            first, second = first % state.runners, second % state.runners
            state.note(state.noise[first] < state.noise[second])
        case ("race in order", rates, way):
            rates = rates[: state.runners]
            state.note(
                *kit.draws.race_order(kit.draws.noise("exponential", state.runners), rates, min(2, sum(rate > 0 for rate in rates)), way)
            )
