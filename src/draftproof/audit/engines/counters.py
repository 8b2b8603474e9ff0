"""What an answer tells of its own drafts, in the words of each server.

Sources: llama.cpp's server (`timings`), the reference of the OpenAI API (`usage.completion_tokens_details`), vLLM's metrics of a
single request (`metrics.speculative_decoding`).
"""

from collections.abc import Mapping
from reprlib import repr as short
from typing import Any

from draftproof.errors import Unavailable

# Where the first number stands, where the second, and whether the first is that of the rejected ones.
PLACES = (
    (("timings", "draft_n"), ("timings", "draft_n_accepted"), False),
    (
        ("metrics", "speculative_decoding", "num_draft_tokens"),
        ("metrics", "speculative_decoding", "num_accepted_draft_tokens"),
        False,
    ),
    (
        ("usage", "completion_tokens_details", "rejected_prediction_tokens"),
        ("usage", "completion_tokens_details", "accepted_prediction_tokens"),
        True,
    ),
)


def counters(message: Mapping[str, Any]) -> tuple[int, int] | None:
    """(drafted, accepted) tokens of one answer; None if it does not tell.

    Raises:
        Unavailable: it tells what cannot be.
    """
    for first, second, rejected in PLACES:
        one, accepted = _at(message, first), _at(message, second)
        if one is None or accepted is None:
            continue
        if any(type(number) is not int or number < 0 for number in (one, accepted)):
            raise Unavailable(
                f"{'.'.join(first)} and {'.'.join(second)} are {short(one)} and {short(accepted)}; they must be counts of tokens"
            )
        drafted = one + accepted if rejected else one
        return drafted, accepted
    return None


def _at(message: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    found: Any = message
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found
