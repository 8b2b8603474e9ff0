"""What a program returned, as a value that equal outcomes share."""

from collections.abc import Hashable, Mapping
from inspect import isawaitable, isgenerator
from typing import Any

import numpy as np

from draftproof.errors import BadRequest
from draftproof.proof.foreign.run import Run
from draftproof.proof.foreign.symbol import Symbol

PLAIN = {int, bool, str, float, type(None)}
"""Most of what is returned; it is told apart first."""


def outcome_of(returned: Any, run: Run, shadow: Any = None, what: str = "returns") -> Hashable:
    """Arrays and lists as tuples of plain numbers, numbers of one entry as themselves, mappings as tuples of their items.

    Args:
        shadow: of torch's tensors, if torch is watched.
        what: the program does with it, for messages.

    Raises:
        Untracked: it holds a random number that has no finite law, since it was never compared.
        BadRequest: it is neither made of these nor hashable, or the program has not run yet.
    """
    if type(returned) in PLAIN:
        return returned
    if isinstance(returned, Symbol):
        run.refuse(f"the program {what} a random number itself, whose law is no table; decide by it first: this")
    if isinstance(returned, np.ndarray | np.generic):
        return outcome_of(returned.tolist(), run, shadow, what)
    if shadow is not None and shadow.holds(returned):
        return outcome_of(shadow.listed(returned), run, shadow, what)
    if isinstance(returned, list | tuple):
        return tuple([outcome_of(part, run, shadow, what) for part in returned])
    if isinstance(returned, Mapping):
        return tuple((key, outcome_of(part, run, shadow, what)) for key, part in returned.items())
    if isgenerator(returned) or isawaitable(returned):
        raise BadRequest(f"the program {what} a {type(returned).__name__}, which has not run yet; give what it yields")
    if not _is_hashable(returned):
        raise BadRequest(f"the program {what} a {type(returned).__name__}, which cannot be told from others; give numbers or tuples")
    return returned


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
