"""The measured cost of passes, as it is kept with raw runs: a setting of the head, so that one file holds all that a report is made of."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from draftproof.bench.costs import Costs, outside
from draftproof.bench.run import Run
from draftproof.errors import BadRequest
from draftproof.models.cost import PassCost

SETTING = "passes"
"""The name of the setting."""


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
            Passes(str(one["contender"]), str(one["workload"]), _cost(one["target"]), _cost(one["draft"]) if one["draft"] else None)
            for one in json.loads(found)
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BadRequest(f"the cost of passes among the settings cannot be read ({error}); remove {SETTING!r} to go without") from error


def _cost(content: Mapping[str, Any]) -> PassCost:
    return PassCost(**{name: _tuples(value) for name, value in content.items()})


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
