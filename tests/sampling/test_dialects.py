"""vllm, llamacpp and openai against slow references written from the definitions, in rational numbers.

A row is a list of weights, exp(score) up to a factor. Temperatures, penalties and biases are chosen so that each acts on a
weight as a power with a whole exponent or as a rational factor; then every law is a fraction. The weights are primes and
each rule has a prime factor of its own, so two tokens tie only if the same happened to both, and then their floats tie too.
Bounds are hit exactly on flat rows, where floats are exact as well.
"""

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from types import FunctionType

import numpy as np
import pytest

from draftproof.errors import BadRequest
from draftproof.sampling.dialects import DIALECTS
from draftproof.sampling.params import SamplingParams
from draftproof.sampling.steps import STEPS

PRIMES = [7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97]
ROWS = 300

Weights = list[Fraction]


def total(row: Weights) -> Fraction:
    return sum(row, Fraction(0))


def biased(row: Weights, bias: dict[int, int]) -> Weights:
    """bias: in units of log 3."""
    return [weight * Fraction(3) ** bias.get(token, 0) for token, weight in enumerate(row)]


def counted(row: Weights, text: list[int], frequency: int, presence: int) -> Weights:
    counts = Counter(text)
    """Penalties in units of log 2 and log 5."""
    factors = {token: Fraction(2) ** (frequency * count) * Fraction(5) ** presence for token, count in counts.items()}
    return [weight / factors.get(token, 1) for token, weight in enumerate(row)]


def repeated(row: Weights, text: list[int]) -> Weights:
    """A repetition penalty of 2 on weights of at most 1, whose scores are not positive."""
    return [weight**2 if token in text else weight for token, weight in enumerate(row)]


def without(row: Weights, banned: set[int]) -> Weights:
    return [Fraction(0) if token in banned else weight for token, weight in enumerate(row)]


def heated(row: Weights, exponent: int) -> Weights:
    """Temperature 1 / exponent; exponent 0 stands for temperature 0."""
    if exponent == 0:
        return [Fraction(token == row.index(max(row))) for token in range(len(row))]
    return [weight**exponent for weight in row]


def top_k_all_ties(row: Weights, k: int) -> Weights:
    return [weight if sum(other > weight for other in row) < k else Fraction(0) for weight in row]


def top_k_exactly(row: Weights, k: int) -> Weights:
    order = sorted(range(len(row)), key=lambda token: (-row[token], token))
    return without(row, set(order[k:]))


def top_p(row: Weights, p: Fraction, *, first_of_ties: str) -> Weights:
    """In descending order, tokens stay while the mass before them is below p."""
    sign = 1 if first_of_ties == "low" else -1
    order = sorted(range(len(row)), key=lambda token: (-row[token], sign * token))
    before, banned = Fraction(0), set()
    for token in order:
        if before >= p * total(row):
            banned.add(token)
        before += row[token]
    return without(row, banned)


def min_p(row: Weights, share: Fraction) -> Weights:
    return [weight if weight >= share * max(row) else Fraction(0) for weight in row]


def without_top_choices(row: Weights, threshold: Fraction) -> Weights:
    order = sorted(range(len(row)), key=lambda token: (-row[token], token))
    above = [token for token in order if row[token] >= threshold * total(row)]
    return without(row, set(above[:-1]))


def unrepeated(row: Weights, text: list[int], allowed: int, breaker: int) -> Weights:
    """DRY with multiplier log 103 and base 2: weight / 103 ** 2 ** (n - allowed) for the longest repetition n."""
    longest: Counter[int] = Counter()
    for end in range(len(text) - 1):
        length = 0
        while length <= end and text[end - length] == text[-1 - length] != breaker:
            length += 1
        longest[text[end + 1]] = max(longest[text[end + 1]], length)
    longest[breaker] = 0
    return [weight / Fraction(103) ** 2 ** (longest[t] - allowed) if longest[t] >= allowed else weight for t, weight in enumerate(row)]


def normalised(row: Weights) -> Weights:
    return [weight / total(row) for weight in row]


class Case:
    """One row, one text and one choice of parameters."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.flat = rng.random() < 0.3
        vocab = 8 if self.flat else int(rng.integers(5, 12))
        self.row = [Fraction(1) if self.flat else Fraction(PRIMES[rng.integers(len(PRIMES))], 101) for _ in range(vocab)]
        text = rng.integers(0, 4, size=14).tolist()
        self.prompt, self.emitted = text[:6], text[6 : 6 + int(rng.integers(0, 9))]
        bounds = [Fraction(1, 2), Fraction(3, 4), Fraction(7, 8)] if self.flat else [Fraction(500, 997), Fraction(800, 997)]
        self.p = self._maybe(rng, bounds, Fraction(1))
        self.k = self._maybe(rng, [1, 2, 4], 0)
        self.share = self._maybe(rng, [Fraction(1, 4) if self.flat else Fraction(250, 997)], Fraction(0))
        self.exponent = self._maybe(rng, [0, 2, 3], 1)
        self.frequency, self.presence = self._unless_flat(rng, [1, -1], 0), self._unless_flat(rng, [1, -1], 0)
        self.repetition = self._unless_flat(rng, [True], False)
        self.bias = self._unless_flat(rng, [{0: 2, 3: -1}, {1: -3}], {})
        self.logits = np.array([math.log(weight) for weight in self.row])

    def _maybe(self, rng: np.random.Generator, values: list, off: object):
        return values[rng.integers(len(values))] if rng.random() < 0.5 else off

    def _unless_flat(self, rng: np.random.Generator, values: list, off: object):
        return off if self.flat else self._maybe(rng, values, off)

    def shared(self) -> dict:
        return {
            "temperature": 1 / self.exponent if self.exponent else 0,
            "top_p": float(self.p),
            "frequency_penalty": self.frequency * math.log(2),
            "presence_penalty": self.presence * math.log(5),
            "logit_bias": {token: value * math.log(3) for token, value in self.bias.items()},
        }

    def law(self, params: SamplingParams) -> np.ndarray:
        prefix = params.start(self.prompt)
        for token in self.emitted:
            prefix = params.fold(prefix, token, self.logits)
        return params.law(self.logits, prefix)


def openai(rng: np.random.Generator) -> tuple[np.ndarray, Weights]:
    case = Case(rng)
    row = biased(counted(case.row, case.emitted, case.frequency, case.presence), case.bias)
    row = heated(row, case.exponent)
    row = top_p(row, case.p, first_of_ties="low") if case.exponent else row
    return case.law(SamplingParams(dialect="openai", **case.shared())), normalised(row)


def vllm(rng: np.random.Generator) -> tuple[np.ndarray, Weights]:
    case = Case(rng)
    text = case.prompt + case.emitted
    words = [[3], [1, 0], [2, 2]]
    banned = {3} | ({0} if case.emitted[-1:] == [1] else set()) | ({2} if case.emitted[-1:] == [2] else set())
    end = len(case.row) - 1
    banned |= {end} if len(case.emitted) < 4 else set()
    banned = set() if case.flat else banned
    row = biased(without(case.row, banned), {token: -abs(value) for token, value in case.bias.items()})
    row = repeated(row, text) if case.repetition else row
    row = heated(counted(row, case.emitted, case.frequency, case.presence), case.exponent)
    if case.exponent:
        row = min_p(row, case.share)
        row = top_k_all_ties(row, case.k) if case.k else row
        row = top_p(row, case.p, first_of_ties="high")
    params = SamplingParams(
        dialect="vllm",
        **{**case.shared(), "logit_bias": {token: -abs(value) * math.log(3) for token, value in case.bias.items()}},
        repetition_penalty=2 if case.repetition else 1,
        min_p=float(case.share),
        top_k=case.k,
        bad_words_ids=() if case.flat else words,
        min_new_tokens=0 if case.flat else 4,
        eos_token_id=end,
    )
    return case.law(params), normalised(row)


def llamacpp(rng: np.random.Generator) -> tuple[np.ndarray, Weights]:
    case = Case(rng)
    text = case.prompt + case.emitted
    window = text[-5:]
    dry, xtc = not case.flat and rng.random() < 0.5, rng.random() < 0.5
    row = biased(case.row, {token: -abs(value) for token, value in case.bias.items()})
    row = repeated(row, window) if case.repetition else row
    row = counted(row, window, case.frequency, case.presence)
    row = unrepeated(row, text[-9:], allowed=2, breaker=0) if dry else row
    row = top_k_exactly(row, case.k) if case.k else row
    row = min_p(top_p(row, case.p, first_of_ties="low"), case.share)
    threshold = Fraction(100, 997)
    law = normalised(heated(row, case.exponent))
    if xtc:
        other = normalised(heated(without_top_choices(row, threshold), case.exponent))
        law = [Fraction(3, 4) * one + Fraction(1, 4) * two for one, two in zip(law, other, strict=True)]
    penalised = case.repetition or case.frequency or case.presence
    params = SamplingParams(
        dialect="llamacpp",
        **{**case.shared(), "logit_bias": {token: -abs(value) * math.log(3) for token, value in case.bias.items()}},
        repetition_penalty=2 if case.repetition else 1,
        min_p=float(case.share),
        top_k=case.k,
        **({"penalty_last_n": 5} if penalised else {}),
        **(
            {
                "dry_multiplier": math.log(103),
                "dry_base": 2,
                "dry_sequence_breakers": [[0]],
                "dry_penalty_last_n": 9,
                "dry_allowed_length": 2,
            }
            if dry
            else {}
        ),
        **({"xtc_probability": 0.25, "xtc_threshold": float(threshold)} if xtc else {}),
    )
    return case.law(params), law


REFERENCES = {"openai": openai, "vllm": vllm, "llamacpp": llamacpp}


def differs(law: np.ndarray, expected: Weights) -> bool:
    exact = np.array(expected, float)
    return bool(((law > 0) != (exact > 0)).any() or abs(law - exact).max() > 1e-12)


@pytest.mark.parametrize("reference", REFERENCES.values(), ids=REFERENCES)
def test_the_law_is_that_of_the_definitions(reference: Callable) -> None:
    rng = np.random.default_rng(3)
    pairs = [reference(rng) for _ in range(ROWS)]
    assert [index for index, pair in enumerate(pairs) if differs(*pair)] == []
    assert sum(0 in expected and max(expected) < 1 for _, expected in pairs) > ROWS // 4


def other_ties(row: Weights, p: Fraction, *, first_of_ties: str) -> Weights:
    return top_p(row, p, first_of_ties="high" if first_of_ties == "low" else "low")


def one_more(row: Weights, p: Fraction, *, first_of_ties: str) -> Weights:
    """An exact hit keeps one token more."""
    return top_p(row, p + Fraction(1, 10**9) if p < 1 else p, first_of_ties=first_of_ties)


@pytest.mark.parametrize("fault", [other_ties, one_more])
@pytest.mark.parametrize("reference", REFERENCES.values(), ids=REFERENCES)
def test_the_comparison_catches_another_edge_rule(reference: Callable, fault: Callable) -> None:
    rng = np.random.default_rng(3)
    faulty = FunctionType(reference.__code__, {**reference.__globals__, "top_p": fault})
    assert any(differs(*faulty(rng)) for _ in range(ROWS))


@pytest.mark.parametrize("name", ["top_k_exactly", "unrepeated", "without_top_choices", "min_p", "repeated"])
def test_the_comparison_catches_a_missing_rule(name: str) -> None:
    rng = np.random.default_rng(3)
    faulty = FunctionType(llamacpp.__code__, {**llamacpp.__globals__, name: lambda row, *rest, **more: row})
    assert any(differs(*faulty(rng)) for _ in range(ROWS))


def test_llamacpp_cuts_before_the_temperature_and_vllm_after() -> None:
    logits = np.log(np.array([0.6, 0.3, 0.1]))
    shared = {"temperature": 0.5, "top_p": 0.7}
    laws = {name: SamplingParams(dialect=name, **shared) for name in ("llamacpp", "vllm")}
    kept = {name: int((params.law(logits, params.start([])) > 0).sum()) for name, params in laws.items()}
    assert kept == {"llamacpp": 2, "vllm": 1}


def test_a_bad_word_may_begin_in_the_prompt_only_where_the_engine_looks_there() -> None:
    logits = np.zeros(3)
    laws = {name: SamplingParams(dialect=name, bad_words_ids=[[0, 1]]) for name in ("transformers", "vllm")}
    banned = {name: params.law(logits, params.start([0]))[1] == 0 for name, params in laws.items()}
    assert banned == {"transformers": True, "vllm": False}


def test_at_temperature_0_llamacpp_takes_the_likeliest_of_the_tokens_left() -> None:
    """XTC removes the likeliest token with probability 1/2, so the greedy law has two tokens."""
    params = SamplingParams(dialect="llamacpp", temperature=0, xtc_probability=0.5, xtc_threshold=0.2)
    assert params.law(np.log(np.array([0.5, 0.3, 0.2])), params.start([])).tolist() == [0.5, 0, 0.5]


def test_every_step_of_every_dialect_exists_and_no_step_is_unused() -> None:
    named = {name for dialect in DIALECTS.values() for name in dialect.order}
    assert named == set(STEPS)
    assert all(dialect.greedy_skips <= set(dialect.order) for dialect in DIALECTS.values())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"dialect": "vllm", "temperature": 0.005}, "temperature is 0.005, which vllm would change to 0 below 1e-5 and to 0.01 above"),
        ({"dialect": "vllm", "presence_penalty": 3}, r"presence_penalty is 3; it must be a number in \[-2, 2\] in the dialect vllm"),
        ({"dialect": "openai", "temperature": 2.5}, r"temperature is 2.5; it must be a number in \[0, 2\] in the dialect openai"),
        ({"dialect": "openai", "logit_bias": {3: 101}}, r"logit_bias is 101; it must be a number in \[-100, 100\]"),
        ({"dialect": "openai", "top_k": 3}, "top_k is 3, but the dialect openai has no such rule; transformers, vllm, llamacpp have it"),
        ({"presence_penalty": 1}, "presence_penalty is 1.0, but the dialect transformers has no such rule; vllm, llamacpp, openai have it"),
        ({"penalty_last_n": 8}, "penalty_last_n is 8, but the dialect transformers has no such rule"),
        ({"temperature": 0, "typical_p": 0.5}, "typical_p is 0.5 at temperature 0, where transformers takes the likeliest token"),
        ({"bad_words_ids": [[2]], "eos_token_id": 2}, r"bad_words_ids bans the end of text \(2,\), which transformers ignores"),
        ({"dialect": "llamacpp", "mirostat": 2, "top_k": 3}, "mirostat is 2, which takes the place of every other rule"),
        ({"dialect": "llamacpp", "mirostat": 2, "temperature": 0}, "mirostat is 2 at temperature 0"),
    ],
)
def test_what_an_engine_would_ignore_or_change_is_refused(given: dict, message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        SamplingParams(**given)


def test_a_typical_mass_that_is_hit_exactly() -> None:
    """Eight equal tokens, half the mass: llama.cpp takes one more to pass the mass, transformers keeps the whole tie."""
    kept = {}
    for name in ("transformers", "llamacpp"):
        params = SamplingParams(dialect=name, typical_p=0.5)
        kept[name] = np.flatnonzero(params.law(np.zeros(8), params.start([]))).tolist()
    assert kept == {"transformers": list(range(8)), "llamacpp": [0, 1, 2, 3, 4]}


def test_llamacpp_cuts_by_sigma_then_rank_then_typical() -> None:
    """In floats, since neither a deviation nor an entropy is rational."""
    rng = np.random.default_rng(4)
    params = SamplingParams(dialect="llamacpp", top_n_sigma=1.2, top_k=5, typical_p=0.7, temperature=2)
    for _ in range(200):
        logits = rng.normal(size=12)
        kept = [token for token in range(12) if logits[token] >= logits.max() - 1.2 * logits.std()]
        kept = sorted(kept, key=lambda token: -logits[token])[:5]
        mass = sum(math.exp(logits[token]) for token in kept)
        surprise = {token: -math.log(math.exp(logits[token]) / mass) for token in kept}
        entropy = sum(value * math.exp(-value) for value in surprise.values())
        typical: list[int] = []
        for token in sorted(kept, key=lambda token: abs(surprise[token] - entropy)):
            typical += [token] if sum(math.exp(-surprise[other]) for other in typical) <= 0.7 else []
        expected = np.zeros(12)
        expected[typical] = np.exp(logits[typical] / 2)
        assert params.law(logits, params.start([])) == pytest.approx(expected / expected.sum())
