"""What a stranger's function returned, read as tokens; what cannot be read so is one sentence."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from traceback import extract_tb, walk_tb
from typing import Any, NoReturn

import numpy as np

from draftproof.errors import BadRequest, DraftproofError
from draftproof.proof.foreign.run import Run


def called(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """What the function returns.

    Raises:
        BadRequest: it raised something; the message says what, and where.
    """
    try:
        return function(*arguments, **named)
    except DraftproofError:
        raise
    except (Exception, SystemExit) as error:
        raise BadRequest(f"{name_of(function)} raised {type(error).__name__}: {error}{_place(error)}") from error


def name_of(function: Any) -> str:
    """`module:function`."""
    inner = getattr(function, "func", function)
    module = getattr(inner, "__module__", None) or type(inner).__module__
    return f"{module}:{getattr(inner, '__qualname__', type(inner).__qualname__)}"


def tokens_of(returned: Any, vocab: int, *, least: int, most: int) -> list[int]:
    """A flat list or array of tokens.

    Raises:
        BadRequest: it is none, or a token is none of the vocabulary, or there are too few or too many.
    """
    entries = _flat(returned)
    for entry in entries:
        whole_number(entry, returned)
        if not 0 <= entry < vocab:
            hint = "; a cumulative sum of floats may end below 1, so clamp the index" if entry == vocab else ""
            refuse(returned, f"{entry} is no token; tokens are 0 to {vocab - 1}{hint}")
    if not least <= len(entries) <= most:
        refuse(
            returned,
            f"expected {least} to {most} tokens, not {len(entries)}" if least < most else f"expected {least} tokens, not {len(entries)}",
        )
    return entries


def whole_number(entry: Any, returned: Any) -> int:
    """A number, if it is whole: an int, or an array of one."""
    if not isinstance(entry, int):
        entry = _listed(entry)
    if not isinstance(entry, int) or isinstance(entry, bool):
        refuse(returned, f"expected whole numbers, not {type(entry).__name__}; convert tokens to integers")
    return entry


def refuse(returned: Any, why: str) -> NoReturn:
    """Raise that what was returned is not what was expected."""
    raise BadRequest(f"the function returned {str(returned)!r:.100}: {why}")


def _flat(returned: Any) -> list[Any]:
    listed = _listed(returned)
    if isinstance(listed, Sequence) and not isinstance(listed, str):
        entries = [entry if isinstance(entry, int) else _listed(entry) for entry in listed]
        if len(entries) == 1 and isinstance(entries[0], list):  # a batch of one
            return entries[0]
        return [entry[0] if isinstance(entry, list) and len(entry) == 1 else entry for entry in entries]
    refuse(returned, f"expected a list or an array of tokens, not {type(returned).__name__}")


def _listed(value: Any) -> Any:
    """Arrays as lists, one number as itself."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if hasattr(value, "device") and hasattr(value, "tolist"):
        if str(value.device) != "cpu":
            refuse(type(value).__name__, f"it lies on {value.device}; a proof runs on the CPU, so keep the function's tensors there")
        return value.tolist()
    return value


def path_chance(error: BaseException) -> Fraction | None:
    """The probability of the path on which it was raised; None if it was raised on none."""
    for frame, _ in walk_tb(error.__traceback__):
        if isinstance(run := frame.f_locals.get("run"), Run):
            return run.path.probability
    return None


def _place(error: BaseException) -> str:
    """The innermost line of the program that raised; empty if none of its lines was reached."""
    lines = [line for line in extract_tb(error.__traceback__) if "draftproof/proof/" not in line.filename.replace("\\", "/")]
    return f", at {lines[-1].filename}:{lines[-1].lineno}: {lines[-1].line}" if lines else ""
