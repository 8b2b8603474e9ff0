"""What a program returned, as a value that equal outcomes share."""

from collections.abc import Hashable, Mapping
from inspect import isawaitable, isgenerator
from typing import Any

import numpy as np

from draftproof.errors import BadRequest
from draftproof.proof.foreign.run import Run
from draftproof.proof.foreign.symbol import Symbol


def outcome_of(returned: Any, run: Run, shadow: Any = None) -> Hashable:
    """Arrays and lists as tuples of plain numbers, numbers of one entry as themselves, mappings as tuples of their items.

    Args:
        shadow: of torch's tensors, if torch is watched.

    Raises:
        Untracked: a random number was returned that has no finite law, since it was never compared.
        BadRequest: it is neither made of these nor hashable, or the program has not run yet.
    """
    if isinstance(returned, Symbol):
        run.refuse("the program returns a random number itself, whose law is no table; return what was decided by it: this")
    if isinstance(returned, np.ndarray | np.generic):
        return outcome_of(returned.tolist(), run, shadow)
    if shadow is not None and shadow.holds(returned):
        return outcome_of(shadow.listed(returned), run, shadow)
    if isinstance(returned, list | tuple):
        return tuple(outcome_of(part, run, shadow) for part in returned)
    if isinstance(returned, Mapping):
        return tuple((key, outcome_of(part, run, shadow)) for key, part in returned.items())
    if isgenerator(returned) or isawaitable(returned):
        raise BadRequest(f"the program returned a {type(returned).__name__}, which has not run yet; return what it yields")
    if not _is_hashable(returned):
        raise BadRequest(f"the program returned a {type(returned).__name__}, which cannot be told from others; return numbers or tuples")
    return returned


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
