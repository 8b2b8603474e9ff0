"""The measured cost of passes, as it is kept with raw runs: a setting of the head, so that one file holds all that a report is made of."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from draftproof.bench.costs import Costs, outside
from draftproof.bench.lines import number, text, whole
from draftproof.bench.run import Run
from draftproof.errors import BadRequest
from draftproof.models.cost import PassCost

SETTING = "passes"
"""The name of the setting."""

MOST_ROWS = 10**6
"""Of a pass."""

MOST_ENTRIES = 1000
"""Of a table: a sitting writes a dozen."""

LEAST_MS = 1e-6
"""Of a pass: nothing takes less than a nanosecond."""


@dataclass(frozen=True)
class Passes:
    """What a pass costs for one contender at about the length of the texts of one workload.

    Attributes:
        contender, workload: names.
        target: a pass of the target.
        draft: a pass of the draft model; None if there is none.
    """

    contender: str
    workload: str
    target: PassCost
    draft: PassCost | None = None

    def costs(self, plain: Sequence[Run]) -> Costs:
        """With what a round does outside its passes, from runs without drafts."""
        return Costs(self.target, self.draft, *outside(plain))


def written(passes: Iterable[Passes]) -> tuple[str, str]:
    """The setting."""
    return SETTING, json.dumps([asdict(one) for one in passes])


def read(settings: Iterable[tuple[str, str]]) -> tuple[Passes, ...]:
    """What the setting holds; nothing where there is none.

    Raises:
        BadRequest: it is damaged.
    """
    found = dict(settings).get(SETTING)
    if found is None:
        return ()
    try:
        return tuple(
            Passes(
                text(one["contender"]), text(one["workload"]), _cost(one["target"]), None if one["draft"] is None else _cost(one["draft"])
            )
            for one in json.loads(found)
        )
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise BadRequest(f"the cost of passes among the settings cannot be read ({error}); remove {SETTING!r} to go without") from error


def _cost(content: Any) -> PassCost:
    if not isinstance(content, Mapping):
        raise TypeError(f"{content!r:.40} where an object should be")
    return PassCost(**{name: READ[name](value) for name, value in content.items()})


def _measured(value: Any) -> tuple[tuple[int, float], ...]:
    return tuple((_rows(rows), _ms(ms)) for rows, ms in _few(value))


def _steps(value: Any) -> tuple[int, ...]:
    return tuple(map(_rows, _few(value)))


def _few(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > MOST_ENTRIES:
        raise ValueError(f"{value!r:.40} where a list of at most {MOST_ENTRIES} should be")
    return value


def _rows(value: Any) -> int:
    if whole(value) > MOST_ROWS:
        raise ValueError(f"{value} rows, and no pass has more than {MOST_ROWS}")
    return whole(value)


def _ms(value: Any) -> float:
    if number(value) < LEAST_MS:
        raise ValueError(f"{value} ms, and no pass is as short")
    return number(value)


def _share(value: Any) -> float:
    return number(value, most=1)


READ: dict[str, Callable[[Any], Any]] = {
    "measured": _measured,
    "least_rows": _rows,
    "steps": _steps,
    "change_ms": number,
    "read_share": _share,
}
"""How each field of a cost is read."""
