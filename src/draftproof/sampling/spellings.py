"""Other names of the same parameters, and names of things that are no sampling parameters here."""

from collections.abc import Mapping
from typing import Any

from draftproof.errors import BadRequest

ALIASES: dict[str, str] = {
    "temp": "temperature",
    "typical": "typical_p",
    "typ_p": "typical_p",
    "top_sigma": "top_n_sigma",
    "repeat_penalty": "repetition_penalty",
    "repeat_last_n": "penalty_last_n",
    "min_tokens": "min_new_tokens",
    "bad_words_token_ids": "bad_words_ids",
    "eos_token_ids": "eos_token_id",
    "mirostat_ent": "mirostat_tau",
    "mirostat_lr": "mirostat_eta",
}
"""Foreign spelling -> ours: llama.cpp's server and command line, and vLLM where it differs from transformers."""

ELSEWHERE: dict[str, str] = {
    "bad_words": "it holds words of which only the tokenizer knows the tokens; give bad_words_ids",
    "do_sample": "do_sample=False is temperature=0, and do_sample=True is any other",
    "max_new_tokens": "limits are not part of the law; see session.Limits",
    "max_tokens": "limits are not part of the law; see session.Limits",
    "n": "open one session for each text",
    "num_beams": "the tokens of a beam search follow no law of their own",
    "seed": "randomness is not part of the law; see draws",
    "stop": "limits are not part of the law; see session.Limits",
    "response_format": "make a Grammar of its schema and give it as grammar",
}
"""Names that people try -> what to do instead."""


def canonical(spellings: Mapping[str, Any], *, known: set[str]) -> dict[str, Any]:
    """The same parameters under our names.

    Raises:
        BadRequest: a name that is unknown, or a parameter given under two names.
    """
    found: dict[str, str] = {}
    for spelling in spellings:
        name = ALIASES.get(spelling, spelling)
        if name not in known:
            hint = ELSEWHERE.get(spelling, f"see SamplingParams; there are {', '.join(sorted(known))}")
            raise BadRequest(f"{spelling} is not a sampling parameter: {hint}")
        if name in found:
            raise BadRequest(f"{name} is given twice, as {found[name]} and as {spelling}")
        found[name] = spelling
    return {name: spellings[spelling] for name, spelling in found.items()}
