"""Which of many numbers is largest, when some of them are random: a race, decided at once if it is one.

`argmax(weights / exponentials)` and `argmax(logits + Gumbel noise)` are the categorical draw they stand for. A sequence
that is no race is compared two by two, which is as exact and forks more often.
"""

from collections.abc import Sequence
from typing import Any

from draftproof.proof.foreign.symbol import Symbol


def best(values: Sequence[Any], *, largest: bool) -> int:
    """The place of the largest value, or of the smallest; of equal ones the first. Values are symbols and plain numbers."""
    chosen: int | None = None
    for place, value in enumerate(values):
        if not isinstance(value, Symbol) and (chosen is None or (value > values[chosen] if largest else value < values[chosen])):
            chosen = place
    places = [place for place, value in enumerate(values) if isinstance(value, Symbol)]
    if chosen is not None:
        bar = values[chosen]
        places = [place for place in places if (values[place] > bar if largest else values[place] < bar)]
    if not places:
        return chosen or 0
    costs = [values[place].formula.cost() for place in places]
    if len({cost.family for cost in costs}) == 1 and costs[0].descending == largest:
        return places[values[places[0]].run.first([(cost.reading, 1 / cost.factor) for cost in costs])]
    leader = places[0]
    for place in places[1:]:
        if values[place] > values[leader] if largest else values[place] < values[leader]:
            leader = place
    return leader


def ranking(values: Sequence[Any], *, largest: bool, count: int) -> list[int]:
    """The places of the `count` largest values, or smallest, the best first."""
    left = list(range(len(values)))
    return [left.pop(best([values[place] for place in left], largest=largest)) for _ in range(count)]


def places_below(row: Sequence[Any], value: Any, *, right: bool) -> int:
    """Where a value belongs in an ascending row: before its equals, or after them if `right`. Stops at the first entry above it."""
    for place, entry in enumerate(row):
        if not (value >= entry if right else value > entry):
            return place
    return len(row)


def at_least(value: Any, bound: Any) -> Any:
    """The larger of two numbers, of which any may be random."""
    if isinstance(value, Symbol):
        return value.at_least(bound)
    return bound.at_least(value) if isinstance(bound, Symbol) else max(value, bound)


def at_most(value: Any, bound: Any) -> Any:
    """The smaller of two numbers, of which any may be random."""
    if isinstance(value, Symbol):
        return value.at_most(bound)
    return bound.at_most(value) if isinstance(bound, Symbol) else min(value, bound)


def within(value: Any, low: Any = None, high: Any = None) -> Any:
    """The number, or the bound that it lies beyond; None is no bound."""
    value = value if low is None else at_least(value, low)
    return value if high is None else at_most(value, high)
