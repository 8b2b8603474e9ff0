"""Sampling parameters as the fields of a request, every one of them said.

What a request leaves out, a server fills in: llama.cpp with top-k 40, top-p 0.95 and min-p 0.05, vLLM with whatever stands beside the
model. So every field of a dialect is sent, with the value that has no effect where none is asked for.

Sources: llama.cpp's `server-schema.cpp`, vLLM's `SamplingParams`, the reference of the OpenAI API.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from draftproof.errors import Unsupported
from draftproof.sampling.params import PENALTIES, SamplingParams

Field = tuple[str, Callable[[SamplingParams], Any]]
"""A name in the request, and its value."""

LLAMACPP_SAMPLERS = ("penalties", "dry", "top_n_sigma", "top_k", "typ_p", "top_p", "min_p", "xtc", "temperature")
"""The order of the dialect, by llama.cpp's names."""


@dataclass(frozen=True)
class Spoken:
    """What can be said to the servers of one dialect.

    Attributes:
        fields: by parameter, where it goes.
        always: fields that belong to no parameter, with the value that has no effect.
    """

    fields: dict[str, Field]
    always: dict[str, Any]


def _same(name: str, under: str = "") -> tuple[str, Field]:
    return name, (under or name, lambda params: getattr(params, name))


def _bias_as_pairs(params: SamplingParams) -> list[list[Any]]:
    """JSON has no infinity; to llama.cpp, false bans a token."""
    return [[token, False if bias == float("-inf") else bias] for token, bias in params.logit_bias]


def _bias_as_object(params: SamplingParams) -> dict[str, float] | None:
    """vLLM silently cuts what is beyond 100 to 100, so it is refused here."""
    for token, bias in params.logit_bias:
        if not -100 <= bias <= 100:
            raise Unsupported(f"logit_bias adds {bias} to token {token}; a server of the dialect {params.dialect} takes -100 to 100")
    return {str(token): bias for token, bias in params.logit_bias} or None


SPOKEN = {
    "llamacpp": Spoken(
        fields=dict(
            [
                _same("temperature"),
                _same("top_k"),
                _same("top_p"),
                _same("min_p"),
                _same("typical_p"),
                _same("repetition_penalty", "repeat_penalty"),
                _same("frequency_penalty"),
                _same("presence_penalty"),
                _same("xtc_probability"),
                _same("xtc_threshold"),
                _same("mirostat"),
                _same("mirostat_tau"),
                _same("mirostat_eta"),
                ("top_n_sigma", ("top_n_sigma", lambda params: params.top_n_sigma or -1.0)),
                ("logit_bias", ("logit_bias", _bias_as_pairs)),
            ]
        ),
        always={
            "samplers": list(LLAMACPP_SAMPLERS),
            "dry_multiplier": 0.0,
            "dynatemp_range": 0.0,
            "adaptive_target": -1.0,
            "min_keep": 0,
            "backend_sampling": False,
        },
    ),
    "vllm": Spoken(
        fields=dict(
            [
                _same("temperature"),
                _same("top_k"),
                _same("top_p"),
                _same("min_p"),
                _same("repetition_penalty"),
                _same("frequency_penalty"),
                _same("presence_penalty"),
                _same("allowed_token_ids"),
                ("logit_bias", ("logit_bias", _bias_as_object)),
            ]
        ),
        always={"min_tokens": 0, "n": 1},
    ),
    "openai": Spoken(
        fields=dict(
            [
                _same("temperature"),
                _same("top_p"),
                _same("frequency_penalty"),
                _same("presence_penalty"),
                ("logit_bias", ("logit_bias", _bias_as_object)),
            ]
        ),
        always={"n": 1},
    ),
}

WHY = {
    "dry_multiplier": "llama.cpp takes sequence breakers as strings of at least one, and finds them in the text of tokens",
    "grammar": "a server reads another language of grammars than this one",
    "logits_processor": "a function cannot be sent",
    "bad_words_ids": "a server takes words, and decides itself which tokens they are",
}


def spoken(params: SamplingParams, *, context_length: int | None = None) -> dict[str, Any]:
    """The fields of a request that samples by these parameters and by nothing else.

    Args:
        context_length: of the server; llama.cpp's penalties need it to see all of a text.

    Raises:
        Unsupported: a parameter that cannot be sent, by name.
    """
    known = SPOKEN.get(params.dialect)
    if known is None:
        raise Unsupported(f"the dialect {params.dialect} is that of no server; give parameters in one of {', '.join(SPOKEN)}")
    beside = {"dialect", "eos_token_id"} | ({"penalty_last_n"} if params.dialect == "llamacpp" else set())
    for name in sorted(params.given - set(known.fields) - beside):
        why = f": {WHY[name]}" if name in WHY else ""
        raise Unsupported(f"{name} is {getattr(params, name)!r}, which cannot be sent to a server of the dialect {params.dialect}{why}")
    named = known.always | {field: value(params) for field, value in known.fields.values()}
    if params.dialect == "llamacpp":
        seen = params.penalty_last_n or context_length
        if seen is None and not params.given.isdisjoint(PENALTIES):
            raise Unsupported("penalty_last_n is not given, and llama.cpp must be told a number; give the context length of the server")
        named["repeat_last_n"] = seen or 0
    return {field: value for field, value in named.items() if value is not None}
