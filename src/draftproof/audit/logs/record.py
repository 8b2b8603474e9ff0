"""A record of a rollout: what an engine was asked, what it emitted, and what it said of the probabilities.

As a JSON object:

    {"prompt_ids": [1, 5], "output_ids": [7, 2], "params": {"temperature": 0.7}, "log_probs": [-0.4, -1.2]}

Log-probabilities are natural logarithms, of each output token under the law it was drawn from: after every sampling rule, given all
tokens before it. A token that ended the text was drawn too, so it belongs to the output; without it the length of a text would say
something that its probabilities do not. -Infinity says that the token was impossible. JSON has no such number, but Python writes it, and to
refuse it would hide the gravest finding of all.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import lru_cache
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any

from draftproof.errors import BadRequest
from draftproof.sampling.params import SamplingParams

MOST_TOKENS = 2**20
"""Of prompt and output together: above the longest contexts there are."""

LONGEST_ID = 256
"""Characters."""

LONGEST_KEPT = 1000
"""Characters of parameters, as JSON, that are kept for the records that follow."""

LONGEST_MESSAGE = 600
"""Characters."""

ROUNDING = 1e-6
"""How far above 0 a log-probability may come out where it was computed in single precision; it is then taken as 0."""

LARGEST_TOKEN = 2**31 - 1
LARGEST = 2**64 - 1
"""Of counters and seeds."""

OTHERS = {
    "prompt_token_ids": "prompt_ids",
    "input_ids": "prompt_ids",
    "token_ids": "output_ids",
    "completion_ids": "output_ids",
    "response_ids": "output_ids",
    "sampling_params": "params",
    "ref_log_probs": "reference_log_probs",
    "ref_logprobs": "reference_log_probs",
    "request_id": "id",
}
"""Names of the same fields elsewhere -> ours."""

# The constructor checks what it is given and says what is wrong in its own words, so these are not checked twice when tests run.
if TYPE_CHECKING:
    Ids = tuple[int, ...]
    LogProbs = tuple[float, ...] | None
    Whole = int | None
    Name = str | None
    Params = SamplingParams
else:
    Ids = LogProbs = Whole = Name = Params = Any


@dataclass(frozen=True, kw_only=True)
class Record:
    """One finished request.

    Attributes:
        prompt_ids: token ids, at least one.
        output_ids: token ids, in order; none if nothing was emitted.
        params: the sampling rules.
        id: a name that no other record of the file has.
        log_probs: of each output token, by the engine's own account.
        reference_log_probs: of each output token, under a target that is trusted.
        drafted, accepted: the engine's own counters for this request. Whether they can be true is for the audit to say.
        seed: of this request.

    Raises:
        BadRequest: naming the field, what it must be and what it is.
    """

    prompt_ids: Ids
    output_ids: Ids
    params: Params
    id: Name = None
    log_probs: LogProbs = None
    reference_log_probs: LogProbs = None
    drafted: Whole = None
    accepted: Whole = None
    seed: Whole = None

    def __post_init__(self) -> None:
        for name in ("prompt_ids", "output_ids"):
            object.__setattr__(self, name, _ids(name, getattr(self, name)))
        if not self.prompt_ids:
            raise BadRequest("prompt_ids is empty; a language model needs at least one token to go on from")
        if len(self.prompt_ids) + len(self.output_ids) > MOST_TOKENS:
            raise BadRequest(
                f"prompt and output have {len(self.prompt_ids) + len(self.output_ids)} tokens; at most {MOST_TOKENS} can be judged"
            )
        for name in ("log_probs", "reference_log_probs"):
            object.__setattr__(self, name, _log_probs(name, getattr(self, name), len(self.output_ids)))
        for name in ("drafted", "accepted", "seed"):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or not 0 <= value <= LARGEST):
                raise BadRequest(f"{name} is {shown(value)}; it must be a whole number of at least 0 and below 2^64, or be left out")
        if self.id is not None and not _is_name(self.id):
            raise BadRequest(f"id is {shown(self.id)}; it must be text of 1 to {LONGEST_ID} characters, or be left out")
        params: Any = self.params
        if not isinstance(params, SamplingParams):
            raise BadRequest(f"params is {shown(params)}; it must be SamplingParams")

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> "Record":
        """The record that a JSON object describes. `params` may use any spelling; `dialect` says whose rules hold where they do not.

        Raises:
            BadRequest: a field that is unknown or missing, and all that the constructor refuses.
        """
        names = [item.name for item in fields(cls)]
        for name in content:
            if name not in (*names, "dialect"):
                raise BadRequest(f"{shown(name)} is no field of a record; {_meant(name, [*names, 'dialect'])}")
        for name in ("prompt_ids", "output_ids", "params"):
            if name not in content:
                hint = "; write {} for the plain law at temperature 1" if name == "params" else ""
                raise BadRequest(f"the field {name} is missing; a record needs prompt_ids, output_ids and params{hint}")
        given = {name: value for name, value in content.items() if name != "dialect"}
        return cls(**{**given, "params": _params(content["params"], content.get("dialect"))})

    def check_vocab(self, vocab: int) -> None:
        """Every token is one of a vocabulary of this size.

        Raises:
            BadRequest: naming the token that is not.
        """
        for name, ids in (("prompt_ids", self.prompt_ids), ("output_ids", self.output_ids)):
            if ids and max(ids) >= vocab:
                place = next(place for place, token in enumerate(ids) if token >= vocab)
                raise BadRequest(f"{name}[{place}] is {ids[place]}, but the vocabulary has {vocab} tokens; this may be another tokenizer's")


def _ids(name: str, found: Any) -> tuple[int, ...]:
    if not isinstance(found, list | tuple):
        raise BadRequest(f"{name} is {shown(found)}; it must be a list of token ids")
    for place, token in enumerate(found):
        if type(token) is not int or not 0 <= token <= LARGEST_TOKEN:
            raise BadRequest(f"{name}[{place}] is {shown(token)}; it must be a token id, a whole number of at least 0")
    return tuple(found)


def _log_probs(name: str, found: Any, tokens: int) -> tuple[float, ...] | None:
    if found is None:
        return None
    if not isinstance(found, list | tuple):
        raise BadRequest(f"{name} is {shown(found)}; it must be a list of log-probabilities")
    if len(found) != tokens:
        raise BadRequest(f"{name} has {len(found)} numbers for {tokens} output_ids; give one for each output token")
    for place, number in enumerate(found):
        if not (type(number) is float and number <= ROUNDING) and not (type(number) is int and -LARGEST <= number <= 0):
            raise BadRequest(f"{name}[{place}] is {shown(number)}; it must be the logarithm of a probability, a number of at most 0")
    return tuple(min(float(number), 0.0) for number in found)


def _is_name(value: Any) -> bool:
    """Text that a report can hold: JSON can also write halves of characters."""
    return isinstance(value, str) and 0 < len(value) <= LONGEST_ID and not any("\ud800" <= char <= "\udfff" for char in value)


def _params(given: Any, dialect: Any) -> SamplingParams:
    if not isinstance(given, Mapping):
        raise BadRequest(f"params is {shown(given)}; it must be an object of sampling parameters, such as {{}} or {{'temperature': 0.7}}")
    if dialect is not None and "dialect" in given:
        raise BadRequest("dialect is given twice, beside params and in it; keep one of the two")
    named = given if dialect is None else {**given, "dialect": dialect}
    if not isinstance(named.get("dialect", ""), str):
        raise BadRequest(f"dialect is {shown(named['dialect'])}; it must be text, such as 'vllm'")
    try:
        text = json.dumps(named, sort_keys=True)
        return _parsed(text) if len(text) <= LONGEST_KEPT else SamplingParams.parse(named)
    except BadRequest as error:
        raise BadRequest(f"params: {_brief(str(error))}") from None
    except (OverflowError, RecursionError):
        raise BadRequest("params holds a number too large to be computed with, or lists nested too deeply; give plain values") from None


@lru_cache(maxsize=256)
def _parsed(params: str) -> SamplingParams:
    """Most records of a log have the same parameters, and what is derived from them is kept with them."""
    return SamplingParams.parse(json.loads(params))


def _meant(name: str, known: list[str]) -> str:
    close = [OTHERS[name]] if name in OTHERS else get_close_matches(name[:LONGEST_ID], known, n=1)
    return f"did you mean {close[0]}?" if close else f"there are {', '.join(sorted(known))}"


def _brief(message: str) -> str:
    """A sentence that may quote a stranger's text, without the characters that would change what stands around it."""
    start = message if len(message) <= LONGEST_MESSAGE else message[:LONGEST_MESSAGE] + "..."
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in start)


def shown(value: object) -> str:
    """As JSON has it, and never long."""
    words: dict[Any, str] = {None: "null", True: "true", False: "false"}
    return words[value] if value is None or isinstance(value, bool) else shortened(value)
