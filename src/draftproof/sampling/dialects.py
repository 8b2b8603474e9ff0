"""The same numbers mean different laws in different engines. A dialect says which.

A dialect is data: the order of the steps, the edge rules, and what the engine cannot mean. Defaults are not part of
it: a parameter that is not given has no effect, whatever an engine would have filled in.

Sources: transformers 5.24 (`_get_logits_processor` and the processors it lists), vLLM V1 (`Sampler.forward`), llama.cpp
(`common_sampler_init`, `llama-sampling.cpp`), the reference of the OpenAI API. None of the engines defines which of
several equal logits a cut in their midst keeps, since they sort without stability; a dialect does.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from draftproof.sampling.intervals import Interval
from draftproof.sampling.tail import Ties

if TYPE_CHECKING:
    from draftproof.sampling.params import SamplingParams


@dataclass(frozen=True)
class Edges:
    """Where engines that agree on a formula still differ.

    Attributes:
        top_k_ties: tokens tied with the k-th.
        tail_ties: tokens tied where top-p cuts.
        typical_ties: tokens tied where typical-p cuts.
        typical_past: True if typical-p stops once the mass is passed, not reached.
        repetition_sees_prompt: whether the repetition penalty counts the prompt.
        counts_see_prompt: whether presence and frequency penalties do.
        bad_words_see_prompt: whether a bad word may have begun in the prompt.
        allowed_tokens_revive: see `tokens.AllowedTokens`.
    """

    top_k_ties: Ties
    tail_ties: Ties
    typical_ties: Ties = Ties.ALL_STAY
    typical_past: bool = False
    repetition_sees_prompt: bool = True
    counts_see_prompt: bool = False
    bad_words_see_prompt: bool = True
    allowed_tokens_revive: bool = False


@dataclass(frozen=True)
class Conflict:
    """Parameters that are fine one by one and mean nothing together, or that the engine would change silently.

    Attributes:
        holds: True for parameters that are refused.
        reason: a sentence; `{p.top_k}` stands for the value.
    """

    holds: Callable[["SamplingParams"], bool]
    reason: str


@dataclass(frozen=True)
class Dialect:
    """The sampling rules of one engine.

    Attributes:
        name: of the engine.
        order: names of steps, see `steps.STEPS`.
        edges: the edge rules.
        greedy_skips: steps left out at temperature 0, where they cannot move the point mass.
        ranges: narrower than the general ones.
        conflicts: what is refused besides.
    """

    name: str
    order: tuple[str, ...]
    edges: Edges
    greedy_skips: frozenset[str] = frozenset()
    ranges: Mapping[str, Interval] = field(default_factory=dict)
    conflicts: tuple[Conflict, ...] = ()


TRANSFORMERS = Dialect(
    "transformers",
    (
        "logit_bias",
        "repetition_penalty",
        "no_repeat_ngram_size",
        "bad_words_ids",
        "min_new_tokens",
        "allowed_token_ids",
        "grammar",
        "forced_tokens",
        "logits_processor",
        "temperature",
        "top_k",
        "top_p",
        "min_p",
        "typical_p",
        "epsilon_cutoff",
        "eta_cutoff",
    ),
    Edges(top_k_ties=Ties.ALL_STAY, tail_ties=Ties.HIGH_IDS_STAY, allowed_tokens_revive=True),
    greedy_skips=frozenset({"top_k", "top_p", "min_p", "epsilon_cutoff", "eta_cutoff"}),
    conflicts=(
        Conflict(
            lambda p: p.temperature == 0 and p.typical_p < 1,
            "typical_p is {p.typical_p} at temperature 0, where transformers takes the likeliest token, typical or not",
        ),
        Conflict(
            lambda p: any(word == (end,) for word in p.bad_words_ids for end in p.eos_token_id),
            "bad_words_ids bans the end of text {p.eos_token_id}, which transformers ignores; use logit_bias of -inf",
        ),
    ),
)

VLLM = Dialect(
    "vllm",
    (
        "grammar",
        "allowed_token_ids",
        "bad_words_ids",
        "min_new_tokens",
        "forced_tokens",
        "logit_bias",
        "logits_processor",
        "repetition_penalty",
        "frequency_penalty",
        "presence_penalty",
        "temperature",
        "min_p",
        "top_k",
        "top_p",
    ),
    Edges(top_k_ties=Ties.ALL_STAY, tail_ties=Ties.HIGH_IDS_STAY, bad_words_see_prompt=False),
    greedy_skips=frozenset({"top_k", "top_p", "min_p"}),
    ranges={"presence_penalty": Interval(-2, 2), "frequency_penalty": Interval(-2, 2)},
    conflicts=(
        Conflict(
            lambda p: 0 < p.temperature < 0.01,
            "temperature is {p.temperature}, which vllm would change to 0 below 1e-5 and to 0.01 above; give one of those",
        ),
    ),
)

_NOT_WITH_MIROSTAT = (
    "repetition_penalty",
    "frequency_penalty",
    "presence_penalty",
    "dry_multiplier",
    "top_n_sigma",
    "top_k",
    "typical_p",
    "top_p",
    "min_p",
    "xtc_probability",
)

LLAMACPP = Dialect(
    "llamacpp",
    ("grammar_retry", "forced_tokens", "logit_bias", *_NOT_WITH_MIROSTAT, "temperature", "mirostat"),
    Edges(
        top_k_ties=Ties.LOW_IDS_STAY,
        tail_ties=Ties.LOW_IDS_STAY,
        typical_ties=Ties.LOW_IDS_STAY,
        typical_past=True,
        counts_see_prompt=True,
    ),
    conflicts=(
        Conflict(
            lambda p: p.mirostat != 0 and not p.given.isdisjoint(_NOT_WITH_MIROSTAT),
            "mirostat is {p.mirostat}, which takes the place of every other rule but temperature and logit_bias in llamacpp; "
            "leave the others out, or mirostat",
        ),
        Conflict(
            lambda p: p.mirostat != 0 and p.temperature == 0,
            "mirostat is {p.mirostat} at temperature 0, where one token is left and nothing to control",
        ),
        Conflict(
            lambda p: p.mirostat != 0 and p.grammar is not None,
            "mirostat is {p.mirostat} together with a grammar: in llamacpp the token that the grammar refuses moves the state "
            "as well, so the law would not be one of the emitted text",
        ),
    ),
)

OPENAI = Dialect(
    "openai",
    ("grammar", "frequency_penalty", "presence_penalty", "logit_bias", "temperature", "top_p"),
    Edges(top_k_ties=Ties.ALL_STAY, tail_ties=Ties.LOW_IDS_STAY),
    greedy_skips=frozenset({"top_p"}),
    ranges={
        "temperature": Interval(0, 2),
        "frequency_penalty": Interval(-2, 2),
        "presence_penalty": Interval(-2, 2),
        "logit_bias": Interval(-100, 100),
    },
)

DIALECTS = {dialect.name: dialect for dialect in (TRANSFORMERS, VLLM, LLAMACPP, OPENAI)}
