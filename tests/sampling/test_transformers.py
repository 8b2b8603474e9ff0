"""The dialect `transformers` against the processors and warpers of the installed transformers, in the order in which its own
`generate` would run them.
"""

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from transformers import GenerationConfig, GenerationMixin, PretrainedConfig
from transformers.generation.logits_process import LogitsProcessorList

from draftproof.errors import BadLaw
from draftproof.sampling.chain import Chain
from draftproof.sampling.params import SamplingParams

VOCABS = [5, 8, 17, 64, 257, 1000, 4096, 49152]
SHARE = np.array([6, 6, 6, 6, 6, 6, 3, 0.4])
ROWS_PER_SEED = 200
SEEDS = range(10)


class Model(GenerationMixin):
    """What `generate` asks of a model before it runs one."""

    config = PretrainedConfig(is_encoder_decoder=False)


def oracle_law(params: SamplingParams, logits: np.ndarray, prompt: list[int], emitted: list[int]) -> np.ndarray:
    """The law that transformers samples from; NaN where it leaves no token."""
    sampled = params.temperature > 0
    config = GenerationConfig(
        do_sample=sampled,
        num_beams=1,
        num_return_sequences=1,
        sequence_bias=[[[token], value] for token, value in params.logit_bias] or None,
        repetition_penalty=params.repetition_penalty,
        no_repeat_ngram_size=params.no_repeat_ngram_size,
        bad_words_ids=[list(word) for word in params.bad_words_ids] or None,
        min_new_tokens=params.min_new_tokens or None,
        temperature=float(params.temperature) if sampled else None,
        top_k=params.top_k if sampled else None,
        top_p=params.top_p if sampled else None,
        min_p=params.min_p if sampled and params.min_p else None,
        typical_p=params.typical_p if sampled else None,
        epsilon_cutoff=params.epsilon_cutoff if sampled else None,
        eta_cutoff=params.eta_cutoff if sampled else None,
    )
    config._eos_token_tensor = torch.tensor(params.eos_token_id) if params.eos_token_id else None
    allowed = params.allowed_token_ids
    processors = Model()._get_logits_processor(
        config,
        input_ids_seq_length=len(prompt),
        prefix_allowed_tokens_fn=None if allowed is None else lambda batch, text: list(allowed),
        logits_processor=LogitsProcessorList(),
        device="cpu",
        model_kwargs={},
    )
    try:
        scores = processors(torch.tensor([prompt + emitted]), torch.tensor(logits)[None])[0]
    except ValueError:  # eta_cutoff refuses an empty row, the others let it pass
        return np.full_like(logits, np.nan)
    if not sampled and scores.max() > -torch.inf:
        return np.eye(len(logits), dtype=logits.dtype)[int(scores.argmax())]
    return scores.softmax(-1).numpy()


def our_law(params: SamplingParams, logits: np.ndarray, prompt: list[int], emitted: list[int]) -> np.ndarray:
    prefix = params.start(prompt)
    for token in emitted:
        prefix = params.fold(prefix, token, logits)
    return params.law(logits, prefix)


def dyadic_row(rng: np.random.Generator, vocab: int) -> np.ndarray:
    """Probabilities that are powers of two and sum to 1, so that sums of them hit a bound exactly, in float32 too."""
    steps = int(min(vocab // 2, 10))
    equal = 2 ** int(np.log2(vocab - steps))
    exponents = np.concatenate([np.arange(1, steps + 1), np.full(equal, steps + int(np.log2(equal)))])
    row = np.full(vocab, -np.inf)
    row[: len(exponents)] = -np.log(2) * exponents
    return rng.permutation(row)


def equal_up_to_ties(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """The same law to 1e-6 on the same tokens; only where a cut fell among equal probabilities, other ones of those."""
    ours_only, theirs_only = (ours > 0) & (theirs == 0), (theirs > 0) & (ours == 0)
    swapped = np.concatenate([ours[ours_only], theirs[theirs_only]])
    if ours_only.sum() != theirs_only.sum() or not np.allclose(swapped, swapped[:1], rtol=1e-5, atol=0):
        return False
    return bool(np.abs(ours - theirs)[~(ours_only | theirs_only)].max(initial=0) < 1e-6)


def random_row(rng: np.random.Generator, vocab: int) -> np.ndarray:
    """Smooth rows, rows full of ties, rows of powers of two, and some of the former partly masked."""
    kind = rng.integers(4)
    if kind == 0:
        return dyadic_row(rng, vocab).astype(np.float32)
    if kind == 1:
        row = rng.integers(-2, 3, size=vocab).astype(float)
    elif kind == 2:
        row = rng.normal(scale=rng.choice([0.5, 2, 5]), size=vocab)
    else:
        row = rng.normal(size=vocab) * np.exp(rng.normal(size=vocab))
    if rng.random() < 0.2:
        row[rng.random(vocab) < 0.5] = -np.inf
        row[rng.integers(vocab)] = 0.0
    return row.astype(np.float32)


def random_params(rng: np.random.Generator, vocab: int) -> SamplingParams:
    tokens = [int(token) for token in rng.permutation(vocab - 1)[:6]]
    settings: dict[str, list[Any]] = {
        "temperature": [0, 0.3, 0.7, 1.5],
        "top_k": [1, 2, 5, 50],
        "top_p": [0.25, 0.5, 0.75, 0.875, 0.9, 0.99],
        "min_p": [0.05, 0.25, 0.5, 1.0],
        "typical_p": [0.25, 0.5, 0.9],
        "epsilon_cutoff": [1e-4, 0.125, 0.3],
        "eta_cutoff": [1e-3, 0.2, 0.5],
        "repetition_penalty": [0.8, 1.2, 2.0],
        "no_repeat_ngram_size": [1, 2, 3],
        "bad_words_ids": [
            [tokens[:1]],
            [tokens[1:3], tokens[2:5]],
            [[token] for token in range(vocab - 1)] if vocab < 10 else [tokens[:2]],
        ],
        "logit_bias": [{tokens[0]: 3.0, tokens[1]: -2.5}, {tokens[2]: -np.inf}],
        "allowed_token_ids": [tokens[:3], tokens],
        "min_new_tokens": [1, 4],
    }
    chosen = rng.permutation(list(settings))[: rng.integers(1, 6)]
    given = {name: settings[name][rng.integers(len(settings[name]))] for name in chosen}
    if given.get("temperature") == 0:
        given.pop("typical_p", None)
    return SamplingParams(**given, eos_token_id=vocab - 1)


def random_case(rng: np.random.Generator) -> tuple[SamplingParams, np.ndarray, list[int], list[int]]:
    vocab = int(rng.choice(VOCABS, p=SHARE / SHARE.sum()))
    likely = rng.integers(min(vocab, 12), size=20).tolist()
    cut = int(rng.integers(1, 10))
    return random_params(rng, vocab), random_row(rng, vocab), likely[:cut], likely[cut : cut + int(rng.integers(10))]


def rounding_decides(theirs: np.ndarray, case: tuple[SamplingParams, np.ndarray, list[int], list[int]]) -> bool:
    """True if transformers itself gives another law in float64, or for logits that differ by a few roundings."""
    params, logits, prompt, emitted = case
    noise = np.random.default_rng(0).choice([-1, 1], size=(6, len(logits))) * 2.0**-22
    rows = [logits.astype(np.float64) * (1 + shift) for shift in [np.zeros(len(logits)), *noise]]
    return not all(equal_up_to_ties(theirs, oracle_law(params, row, prompt, emitted)) for row in rows)


@cache
def mismatches(seed: int, ours: Callable[..., np.ndarray] = our_law) -> tuple[list[SamplingParams], Counter[str]]:
    """The parameters of cases with two different laws, and how many cases ended how."""
    rng = np.random.default_rng(seed)
    wrong: list[SamplingParams] = []
    ends: Counter[str] = Counter()
    for _ in range(ROWS_PER_SEED):
        case = random_case(rng)
        theirs = oracle_law(*case)
        try:
            law = ours(*case)
        except BadLaw:
            ends["empty"] += 1
            if not np.isnan(theirs).all():
                wrong.append(case[0])
            continue
        ends["cut"] += bool((law == 0).any())
        if not equal_up_to_ties(law, theirs):
            if rounding_decides(theirs, case):
                ends["rounding"] += 1
            else:
                wrong.append(case[0])
    return wrong, ends


@pytest.mark.parametrize("seed", SEEDS)
def test_two_hundred_random_rows_have_the_law_of_transformers(seed: int) -> None:
    wrong, ends = mismatches(seed)
    assert wrong == []
    assert ends["rounding"] <= ROWS_PER_SEED // 50
    assert ends["cut"] > ROWS_PER_SEED // 4


def test_some_of_the_rows_were_emptied_by_both() -> None:
    assert sum(mismatches(seed)[1]["empty"] for seed in (0, 1, 2)) > 2


def below_crossing(params: SamplingParams, *case: Any) -> np.ndarray:
    """A planted fault: the token that reaches top_p is lost."""
    law = our_law(params, *case)
    lost = law == law[law > 0].min()
    return law if params.top_p == 1 or lost.all() else np.where(lost, 0, law)


def without_prompt(params: SamplingParams, logits: np.ndarray, prompt: list[int], emitted: list[int]) -> np.ndarray:
    """A planted fault: penalties and bans see the emitted tokens alone."""
    return our_law(params, logits, [], emitted)


@pytest.mark.parametrize("fault", [below_crossing, without_prompt])
def test_the_comparison_catches_a_planted_fault(fault: Callable[..., np.ndarray]) -> None:
    assert mismatches(0, fault)[0]


def test_the_comparison_catches_the_order_of_another_engine() -> None:
    row = np.log(np.array([0.4, 0.3, 0.15, 0.1, 0.05], np.float32))
    params = SamplingParams(top_p=0.5, min_p=0.5)
    theirs = oracle_law(params, row, [0], [])
    assert equal_up_to_ties(our_law(params, row, [0], []), theirs)
    params = SamplingParams(top_p=0.6, typical_p=0.5)
    assert equal_up_to_ties(our_law(params, row, [0], []), oracle_law(params, row, [0], []))
    swapped = Chain(params.chain.transforms[::-1])
    assert not equal_up_to_ties(swapped.law(row, swapped.start([0])), oracle_law(params, row, [0], []))


@pytest.mark.parametrize(
    ("params", "kept"),
    [
        ({"top_p": 0.75}, 2),
        ({"top_p": 0.875}, 3),
        ({"top_p": 0.8750001}, 4),
        ({"min_p": 0.25}, 3),
        ({"epsilon_cutoff": 0.125}, 3),
        ({"typical_p": 0.25}, 1),
    ],
)
def test_an_exact_hit_keeps_what_transformers_keeps(params: dict[str, float], kept: int) -> None:
    """Probabilities 1/2, 1/4, 1/8, 1/16, 1/16: the token that reaches top_p or typical_p stays, none after it."""
    row = np.log(np.array([0.5, 0.25, 0.125, 0.0625, 0.0625], np.float32))
    theirs = oracle_law(SamplingParams(**params), row, [0], [])
    assert int((theirs > 0).sum()) == kept
    assert np.array_equal(our_law(SamplingParams(**params), row, [0], []) > 0, theirs > 0)
