"""From parameters to transforms: which parameter switches a step on, and which only tune it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from draftproof.sampling.callback import Callback, UserRule
from draftproof.sampling.cuts import Epsilon, Eta, MinP, TopK, TopNSigma, TopP, Typical
from draftproof.sampling.dialects import Edges
from draftproof.sampling.dry import Dry
from draftproof.sampling.grammar import Grammar, GrammarMask, GrammarRetry
from draftproof.sampling.memory import Counts
from draftproof.sampling.mirostat import Mirostat, Surprise
from draftproof.sampling.penalties import FrequencyPenalty, PresencePenalty, RepetitionPenalty
from draftproof.sampling.sequences import BadWords, NoRepeatNgram
from draftproof.sampling.temperature import Greedy, Temperature
from draftproof.sampling.tokens import AllowedTokens, ForcedTokens, LogitBias, MinNewTokens
from draftproof.sampling.transform import Transform
from draftproof.sampling.xtc import Xtc

if TYPE_CHECKING:
    from draftproof.sampling.params import SamplingParams

Build = Callable[["SamplingParams", Edges], Transform]


@dataclass(frozen=True)
class Step:
    """How one transform is made.

    Attributes:
        switch: the parameter without which the step does nothing and is left out.
        build: makes the transform.
        settings: parameters that matter only if the switch is on.
    """

    switch: str
    build: Build
    settings: tuple[str, ...] = ()


def _grammar(p: "SamplingParams") -> Grammar:
    assert p.grammar is not None, "the step is made only if there is one"
    return p.grammar


def _rule(p: "SamplingParams") -> UserRule:
    assert p.logits_processor is not None, "the step is made only if there is one"
    return p.logits_processor


def _repetition(p: "SamplingParams", edges: Edges) -> Counts:
    return Counts(edges.repetition_sees_prompt, p.penalty_last_n)


def _counts(p: "SamplingParams", edges: Edges) -> Counts:
    return Counts(edges.counts_see_prompt, p.penalty_last_n)


def _temperature(p: "SamplingParams", edges: Edges) -> Transform:
    return Temperature(p.temperature) if p.temperature else Greedy()


def _dry(p: "SamplingParams", edges: Edges) -> Transform:
    return Dry(p.dry_multiplier, p.dry_base, p.dry_allowed_length, p.dry_sequence_breakers, p.dry_penalty_last_n)


STEPS: dict[str, Step] = {
    "allowed_token_ids": Step("allowed_token_ids", lambda p, edges: AllowedTokens(p.allowed_token_ids or (), edges.allowed_tokens_revive)),
    "bad_words_ids": Step("bad_words_ids", lambda p, edges: BadWords(p.bad_words_ids, edges.bad_words_see_prompt)),
    "dry_multiplier": Step("dry_multiplier", _dry, ("dry_base", "dry_allowed_length", "dry_sequence_breakers", "dry_penalty_last_n")),
    "epsilon_cutoff": Step("epsilon_cutoff", lambda p, edges: Epsilon(p.epsilon_cutoff)),
    "eta_cutoff": Step("eta_cutoff", lambda p, edges: Eta(p.eta_cutoff)),
    "forced_tokens": Step("forced_tokens", lambda p, edges: ForcedTokens(p.forced_tokens)),
    "frequency_penalty": Step("frequency_penalty", lambda p, edges: FrequencyPenalty(p.frequency_penalty, _counts(p, edges))),
    "grammar": Step("grammar", lambda p, edges: GrammarMask(_grammar(p))),
    "grammar_retry": Step("grammar", lambda p, edges: GrammarRetry(_grammar(p))),
    "logit_bias": Step("logit_bias", lambda p, edges: LogitBias(p.logit_bias)),
    "logits_processor": Step("logits_processor", lambda p, edges: Callback(_rule(p))),
    "min_new_tokens": Step("min_new_tokens", lambda p, edges: MinNewTokens(p.min_new_tokens, p.eos_token_id)),
    "min_p": Step("min_p", lambda p, edges: MinP(p.min_p)),
    "mirostat": Step("mirostat", lambda p, edges: Mirostat(Surprise(p.mirostat_tau, p.mirostat_eta)), ("mirostat_tau", "mirostat_eta")),
    "no_repeat_ngram_size": Step("no_repeat_ngram_size", lambda p, edges: NoRepeatNgram(p.no_repeat_ngram_size)),
    "presence_penalty": Step("presence_penalty", lambda p, edges: PresencePenalty(p.presence_penalty, _counts(p, edges))),
    "repetition_penalty": Step("repetition_penalty", lambda p, edges: RepetitionPenalty(p.repetition_penalty, _repetition(p, edges))),
    "temperature": Step("temperature", _temperature),
    "top_k": Step("top_k", lambda p, edges: TopK(p.top_k, edges.top_k_ties)),
    "top_n_sigma": Step("top_n_sigma", lambda p, edges: TopNSigma(p.top_n_sigma)),
    "top_p": Step("top_p", lambda p, edges: TopP(p.top_p, edges.tail_ties)),
    "typical_p": Step("typical_p", lambda p, edges: Typical(p.typical_p, edges.typical_ties, edges.typical_past)),
    "xtc_probability": Step("xtc_probability", lambda p, edges: Xtc(p.xtc_probability, p.xtc_threshold), ("xtc_threshold",)),
}
"""By name of the step, as dialects list them."""
