"""How `generate` of transformers is called: the models, how they draft, and every sampling rule said.

What is not given to `generate` is filled in, by the file `generation_config.json` that stands beside the weights or by the library, whose
own default is top-k 50. So every field of the dialect is given, with the value that has no effect where none is asked for, and the file
is set aside.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from draftproof.errors import BadRequest, Unsupported
from draftproof.sampling.params import SamplingParams

GIVEN = (
    "top_k",
    "top_p",
    "typical_p",
    "epsilon_cutoff",
    "eta_cutoff",
    "repetition_penalty",
    "no_repeat_ngram_size",
)
"""Parameters of the same name and meaning."""

MADE = ("temperature", "min_p", "logit_bias", "bad_words_ids", "allowed_token_ids")
"""Parameters that are said in another form."""

WHY = {
    "min_new_tokens": "it holds back the end of a text, and answers of an audit go on after it",
    "forced_tokens": "generate can force no token but the last",
    "grammar": "generate has no grammars",
    "logits_processor": "it is given numpy arrays here, and generate would give it torch tensors",
}

SET = frozenset(
    {
        *GIVEN,
        "do_sample",
        "max_new_tokens",
        "max_length",
        "min_length",
        "attention_mask",
        "use_cache",
        "num_beams",
        "num_return_sequences",
        "return_dict_in_generate",
        "output_scores",
        "assistant_model",
        "prompt_lookup_num_tokens",
        "sequence_bias",
        "prefix_allowed_tokens_fn",
        "temperature",
        "min_p",
        "bad_words_ids",
        "generation_config",
    }
)
"""Arguments that an audit sets itself."""

ENDS = frozenset({"eos_token_id", "stop_strings", "stopping_criteria", "max_time", "forced_eos_token_id"})
"""Arguments that end an answer early."""


@dataclass(frozen=True)
class Call:
    """What `generate` is called on, and how it drafts.

    Attributes:
        target, draft: folders of safetensors or GGUF files; without a draft model, none is used.
        lookup: draft what followed the same tokens earlier in the text (prompt lookup), in the place of a draft model.
        width: tokens drafted in one round, at most.
        draft_stop: a draft of a model ends with the first token to which that model gives less than this probability.
        arguments: whatever else `generate` is told, such as `guidance_scale`.
        dtype: of the weights, by torch's name.
        device: of the models, by torch's name.

    Raises:
        BadRequest: a value out of range, two ways to draft, or an argument that an audit sets itself.
        Unsupported: an argument that ends an answer early.
    """

    target: str
    draft: str = ""
    lookup: bool = False
    width: int = 20
    draft_stop: float = 0.4
    arguments: Mapping[str, Any] = field(default_factory=dict)
    dtype: str = "float32"
    device: str = "cpu"

    def __post_init__(self) -> None:
        if not self.target:
            raise BadRequest("no target is given; give a folder of safetensors or a GGUF file")
        if self.draft and self.lookup:
            raise BadRequest("both a draft model and prompt lookup are given; leave one out, so that it is known what is audited")
        if self.width < 1:
            raise BadRequest(f"width is {self.width}; it must be at least 1")
        if not 0 <= self.draft_stop < 1:
            raise BadRequest(f"draft_stop is {self.draft_stop}; it must be a probability below 1")
        if taken := sorted(SET & self.arguments.keys()):
            raise BadRequest(f"the argument {taken[0]} of generate is set by the audit; give it as a sampling parameter, or leave it out")
        if ends := sorted(ENDS & self.arguments.keys()):
            raise Unsupported(f"the argument {ends[0]} of generate ends an answer early; an audit needs answers of a fixed length")

    @property
    def drafts(self) -> str:
        """How drafts are configured, in words; empty without any."""
        if self.draft:
            stop = f", to the first below {self.draft_stop:g}" if self.draft_stop else ""
            return f"samples of {Path(self.draft).name}, up to {self.width} tokens a round{stop}"
        if self.lookup:
            return f"prompt lookup, up to {self.width} tokens a round"
        return ""


def sampling_arguments(params: SamplingParams) -> dict[str, Any]:
    """The arguments of `generate` by which it samples by these parameters and by nothing else.

    Raises:
        Unsupported: a parameter that cannot be given, by name.
    """
    if params.dialect != "transformers":
        raise Unsupported(f"the rules are of the dialect {params.dialect}; this engine has those of transformers")
    for name in sorted(params.given - {*GIVEN, *MADE, "dialect", "eos_token_id"}):
        why = f": {WHY[name]}" if name in WHY else ""
        raise Unsupported(f"{name} is {getattr(params, name)!r}, which cannot be given to generate{why}")
    allowed = params.allowed_token_ids
    return {name: getattr(params, name) for name in GIVEN} | {
        "do_sample": params.temperature > 0,
        "temperature": params.temperature or 1.0,  # 0 is refused, and greedy decoding does not read it
        "min_p": params.min_p or None,
        "sequence_bias": [[[token], float(bias)] for token, bias in params.logit_bias] or None,
        "bad_words_ids": [list(word) for word in params.bad_words_ids] or None,
        "prefix_allowed_tokens_fn": None if allowed is None else lambda batch, text: list(allowed),
        "num_beams": 1,
        "num_return_sequences": 1,
        "min_length": 0,
        "use_cache": True,
    }
