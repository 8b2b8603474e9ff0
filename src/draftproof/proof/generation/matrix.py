"""The configurations that are proved by default: one a parameter, a cache, a schedule, an end and a way to draft."""

from functools import cache
from typing import Any

from draftproof.errors import BadRequest
from draftproof.proof.generation.configuration import Configuration

CONSTANT = {"num_assistant_tokens_schedule": "constant", "assistant_confidence_threshold": 0.0}
ONE, TWO = ({"num_assistant_tokens": width, **CONSTANT} for width in (1, 2))
APART = (2, 1)
"""A prompt after which the tables differ from what they are after its last token alone, which is all that guidance keeps."""

REPEATING = (0, 1, 0)
"""A prompt in which a lookup finds something: 1, 0."""

WITHOUT_END = (0, 2, 0)
"""The same where 1 ends the text, since a lookup drafts no end."""

SAMPLING: dict[str, dict[str, Any]] = {
    "temperature 0.6": {"temperature": 0.6},
    "temperature 1.7": {"temperature": 1.7},
    "top-k 2": {"top_k": 2},
    "top-p 0.8": {"top_p": 0.8},
    "min-p 0.4": {"min_p": 0.4},
    "typical-p 0.7": {"typical_p": 0.7},
    "epsilon 0.2": {"epsilon_cutoff": 0.2},
    "eta 0.4": {"eta_cutoff": 0.4},
    "repetition penalty": {"repetition_penalty": 1.5},
    "no repeated pair": {"no_repeat_ngram_size": 2},
    "bias on a token": {"sequence_bias": [[[1], 1.5]]},
    "bias on a sequence": {"sequence_bias": [[[1, 2], 2.0], [[0, 1, 1], -1.5]]},
    "bad words": {"bad_words_ids": [[2, 1], [0, 0]]},
    "suppressed token": {"suppress_tokens": [2]},
    "suppressed at the beginning": {"begin_suppress_tokens": [0]},
    "top-h 0.9": {"top_h": 0.9},
    "chunked prefill": {"prefill_chunk_size": 1},
    "grammar": {"allowed_after": {"0": [1, 2], "1": [0, 1], "2": [0, 1, 2]}},
    "guidance": {"guidance_scale": 1.5},
    "green watermark": {"green_watermark": {"greenlist_ratio": 0.4, "bias": 2.0, "hashing_key": 15485863, "seeding_scheme": "lefthash"}},
    "SynthID watermark": {"synthid_watermark": {"keys": [3, 5], "ngram_len": 2}},
    "temperature, top-k and penalty": {"temperature": 0.7, "top_k": 2, "repetition_penalty": 1.3},
    "temperature, top-p and renormalised": {"temperature": 1.4, "top_p": 0.85, "renormalize_logits": True},
}

ENDS: dict[str, dict[str, Any]] = {
    "end 0": {"eos_token_id": 0},
    "end 1": {"eos_token_id": 1},
    "end 2": {"eos_token_id": 2},
    "two ends": {"eos_token_id": [0, 2]},
    "forced end": {"eos_token_id": 1, "forced_eos_token_id": 1},
    "at least two tokens": {"eos_token_id": 1, "min_new_tokens": 2},
    "least length": {"eos_token_id": 1, "min_length": 4},
    "growing end": {"eos_token_id": 1, "exponential_decay_length_penalty": [1, 1.5]},
    "own stopping criterion": {"stop_after": 1},
    "stop string": {"stop_strings": ["b"]},
}

SCHEDULES: dict[str, dict[str, Any]] = {
    "heuristic schedule": {"num_assistant_tokens": 1, "num_assistant_tokens_schedule": "heuristic", "assistant_confidence_threshold": 0.0},
    "transient schedule": {
        "num_assistant_tokens": 2, "num_assistant_tokens_schedule": "heuristic_transient", "assistant_confidence_threshold": 0.0,
    },
    "confidence 0.4": {"num_assistant_tokens": 2, "num_assistant_tokens_schedule": "constant", "assistant_confidence_threshold": 0.4},
}  # fmt: skip

REAL = ("llama", "gpt2", "mistral", "gemma3", "lfm2", "qwen3.5", "mamba", "t5")

QUICK = (
    "assistant, 1 token", "assistant, temperature 0.6", "assistant, repetition penalty", "assistant, end 1", "assistant, guidance",
    "assistant, own stopping criterion", "lookup", "lookup, guidance", "llama", "single position, 1 token",
)  # fmt: skip


@cache
def full() -> tuple[Configuration, ...]:
    """Every configuration."""
    return (
        *(Configuration(f"assistant, {k} token{'s' * (k > 1)}", assistant=given, length=n) for k, given, n in ((1, ONE, 3), (2, TWO, 3))),
        Configuration("assistant, 2 tokens, longer", assistant=TWO, length=4),
        Configuration("assistant, other tables", models="table 2", assistant=TWO),
        *(
            Configuration(f"assistant, {name}", prompt=_prompt(given), given=given, assistant=ONE)
            for name, given in (SAMPLING | ENDS).items()
        ),
        *(Configuration(f"assistant, {name}, 2 tokens", given=ENDS[name], assistant=TWO) for name in ("end 1", "stop string")),
        *(Configuration(f"assistant, {name}", assistant=given) for name, given in SCHEDULES.items()),
        Configuration("assistant, static cache", given={"cache_implementation": "static"}, assistant=TWO),
        Configuration("assistant, ensemble weight 0.7", drafting={"assistant_ensemble_weight": 0.7}, assistant=ONE, declared_lossy=True),
        Configuration("lookup", draft="lookup", prompt=REPEATING, length=4),
        *(
            Configuration(f"lookup, {name}", draft="lookup", prompt=_repeating(given), given=given)
            for name, given in (SAMPLING | ENDS).items()
        ),
        *(Configuration(name, models=name, assistant=TWO) for name in REAL),
        *(Configuration(f"{name}, lookup", models=name, draft="lookup", prompt=REPEATING, length=4) for name in REAL),
        Configuration("llama, static cache", models="llama", given={"cache_implementation": "static"}, assistant=TWO),
        Configuration("mistral, static cache", models="mistral", given={"cache_implementation": "static"}, assistant=TWO),
        Configuration("gpt2, early exit", models="gpt2", draft="early exit", assistant=TWO),
        Configuration("llama, early exit", models="llama", draft="early exit", assistant=TWO),
        *(
            Configuration(f"two tokenizers, {name}", models=f"letters {name}", draft="two tokenizers", assistant=ONE)
            for name in ("fewer", "more", "more in another order")
        ),
        *(
            Configuration(f"single position, {k} token{'s' * (k > 1)}", models="gemma4", draft="single position", assistant=given, length=n)
            for k, given, n in ((1, ONE, 3), (2, TWO, 4))
        ),
    )


def _prompt(given: dict[str, Any]) -> tuple[int, ...]:
    return APART if "guidance_scale" in given else (0, 1)


def _repeating(given: dict[str, Any]) -> tuple[int, ...]:
    return WITHOUT_END if given.get("eos_token_id") == 1 else REPEATING


@cache
def quick() -> tuple[Configuration, ...]:
    """A few of them, of every kind."""
    return find(QUICK)


def find(names: tuple[str, ...]) -> tuple[Configuration, ...]:
    """The configurations of these names, in their order.

    Raises:
        BadRequest: there is none of a name.
    """
    known = {configuration.name: configuration for configuration in full()}
    for name in names:
        if name not in known:
            raise BadRequest(f"no configuration is called {name!r}; draftproof prove transformers --list shows them all")
    return tuple(known[name] for name in names)
