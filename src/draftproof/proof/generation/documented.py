"""The law that a plain call is documented to follow, worked out without the library's sampler.

The target's rows are computed in float64, on the whole text and without a cache, and pass through the rules of
`draftproof.sampling`; rules that it does not have are written out here.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from draftproof.proof.generation.configuration import Configuration
from draftproof.proof.laws import Output
from draftproof.sampling import SamplingParams

SHARED = (
    "temperature", "top_k", "top_p", "min_p", "typical_p", "epsilon_cutoff", "eta_cutoff", "repetition_penalty", "no_repeat_ngram_size",
    "bad_words_ids", "min_new_tokens", "eos_token_id",
)  # fmt: skip
"""Parameters that mean the same here, under the same name."""

NEUTRAL = {"cache_implementation", "renormalize_logits", "remove_invalid_values", "prefill_chunk_size"}
"""Parameters that are documented to leave the law as it is."""

Rule = Callable[[np.ndarray, np.ndarray], np.ndarray]


def documented_law(configuration: Configuration, target: Any) -> dict[Output, Fraction] | None:
    """From the new tokens to their probability; None if a parameter, or the kind of model, has no law here."""
    import torch

    known = {*SHARED, *NEUTRAL, *RULES, "stop_after", "min_length", "forced_eos_token_id"}
    if not configuration.given.keys() <= known or target.config.is_encoder_decoder:
        return None
    params, prompt = _params(configuration, target), list(configuration.prompt)
    ends = {*params.eos_token_id, configuration.given.get("stop_after")}
    law: dict[Output, Fraction] = {}

    def extend(emitted: tuple[int, ...], probability: Fraction) -> None:
        if len(emitted) == configuration.length or (emitted and emitted[-1] in ends):
            law[emitted] = probability
            return
        prefix = params.start(prompt)
        for token in emitted:
            prefix = params.fold(prefix, token, np.array([]))
        row = params.law(_logits(target, [*prompt, *emitted]), prefix)
        for token, weight in enumerate(row.tolist()):
            if weight:
                extend((*emitted, token), probability * Fraction(weight))

    with torch.no_grad():
        extend((), Fraction(1))
    return law


def _params(configuration: Configuration, target: Any) -> SamplingParams:
    given, prompt = dict(configuration.given), len(configuration.prompt)
    ends = given.get("eos_token_id", ())
    named = {name: given[name] for name in SHARED if name in given}
    if "min_length" in given:
        named["min_new_tokens"] = max(given["min_length"] - prompt, 0)
    if "forced_eos_token_id" in given:
        named["forced_tokens"] = {configuration.length - 1: given["forced_eos_token_id"]}
    rules = [RULES[name](value, prompt, ends, target) for name, value in given.items() if name in RULES]
    if rules:
        named["logits_processor"] = lambda tokens, scores: _applied(rules, tokens, scores)
    return SamplingParams(**named)


def _applied(rules: Sequence[Rule], tokens: np.ndarray, scores: np.ndarray) -> np.ndarray:
    for rule in rules:
        scores = rule(tokens, scores)
    return scores


def _logits(target: Any, tokens: Sequence[int]) -> np.ndarray:
    import torch

    rows: np.ndarray = target(input_ids=torch.tensor([tokens]), use_cache=False).logits[0, -1].double().numpy()
    return rows


def _moved(scores: np.ndarray, tokens: Sequence[int], by: float) -> np.ndarray:
    scores = scores.copy()
    scores[list(tokens)] += by
    return scores


def _sequence_bias(value: Any, prompt: int, ends: Any, target: Any) -> Rule:
    """A token that would complete a sequence is moved by its bias; the prompt may hold the beginning."""

    def rule(tokens: np.ndarray, scores: np.ndarray) -> np.ndarray:
        for (*start, last), bias in value:
            if start == tokens[len(tokens) - len(start) :].tolist():
                scores = _moved(scores, [last], bias)
        return scores

    return rule


def _allowed_after(value: Any, prompt: int, ends: Any, target: Any) -> Rule:
    def rule(tokens: np.ndarray, scores: np.ndarray) -> np.ndarray:
        banned = set(range(len(scores))) - set(value[str(int(tokens[-1]))])
        return _moved(scores, sorted(banned), -np.inf)

    return rule


def _suppress(value: Any, prompt: int, ends: Any, target: Any) -> Rule:
    return lambda tokens, scores: _moved(scores, value, -np.inf)


def _begin_suppress(value: Any, prompt: int, ends: Any, target: Any) -> Rule:
    return lambda tokens, scores: _moved(scores, value, -np.inf if len(tokens) == prompt else 0.0)


def _decay(value: Any, prompt: int, ends: Any, target: Any) -> Rule:
    """From the token after `start` on, the logit of every end grows by |logit| * (factor ** places - 1)."""
    start, factor = value

    def rule(tokens: np.ndarray, scores: np.ndarray) -> np.ndarray:
        places = len(tokens) - prompt - start
        scores = scores.copy()
        for end in [ends] if isinstance(ends, int) else ends:
            if places > 0:
                scores[end] += abs(scores[end]) * (factor**places - 1) if np.isfinite(scores[end]) else 0.0
        return scores

    return rule


def _guidance(value: Any, prompt: int, ends: Any, target: Any) -> Rule:
    """Away from the row after the text without its prompt, of which only the last token is kept."""

    def rule(tokens: np.ndarray, scores: np.ndarray) -> np.ndarray:
        alone = _log_softmax(_logits(target, tokens[prompt - 1 :].tolist()))
        return value * (_log_softmax(scores) - alone) + alone

    return rule


def _log_softmax(scores: np.ndarray) -> np.ndarray:
    shifted: np.ndarray = scores - scores.max()
    return shifted - np.log(np.exp(shifted).sum())


RULES: Mapping[str, Callable[[Any, int, Any, Any], Rule]] = {
    "allowed_after": _allowed_after,
    "sequence_bias": _sequence_bias,
    "suppress_tokens": _suppress,
    "begin_suppress_tokens": _begin_suppress,
    "exponential_decay_length_penalty": _decay,
    "guidance_scale": _guidance,
}
