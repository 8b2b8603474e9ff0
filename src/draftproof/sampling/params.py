"""The sampling parameters of one request: numbers that people know, and the chain that a dialect makes of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

from draftproof.errors import BadRequest
from draftproof.sampling.callback import UserRule
from draftproof.sampling.chain import Chain, Prefix
from draftproof.sampling.dialects import DIALECTS, Dialect
from draftproof.sampling.grammar import Grammar
from draftproof.sampling.intervals import Interval
from draftproof.sampling.plain import TOKEN, pairs, sequences, tokens
from draftproof.sampling.spellings import canonical
from draftproof.sampling.steps import STEPS
from draftproof.shapes import Array, Shaped

RANGES: dict[str, Interval] = {
    "temperature": Interval(low=0),
    "top_k": Interval(low=0, whole=True),
    "top_p": Interval(0, 1, low_open=True),
    "min_p": Interval(0, 1),
    "typical_p": Interval(0, 1, low_open=True),
    "epsilon_cutoff": Interval(0, 1, high_open=True),
    "eta_cutoff": Interval(0, 1, high_open=True),
    "top_n_sigma": Interval(low=0),
    "repetition_penalty": Interval(low=0, low_open=True),
    "frequency_penalty": Interval(),
    "presence_penalty": Interval(),
    "penalty_last_n": Interval(low=1, whole=True),
    "no_repeat_ngram_size": Interval(low=0, whole=True),
    "min_new_tokens": Interval(low=0, whole=True),
    "xtc_probability": Interval(0, 1),
    "xtc_threshold": Interval(0, 1, low_open=True),
    "dry_multiplier": Interval(low=0),
    "dry_base": Interval(low=1),
    "dry_allowed_length": Interval(low=1, whole=True),
    "dry_penalty_last_n": Interval(low=1, whole=True),
    "mirostat_tau": Interval(low=0, low_open=True),
    "mirostat_eta": Interval(low=0),
}
PENALTIES = ("repetition_penalty", "frequency_penalty", "presence_penalty")

# The constructor checks what it is given and says what is wrong in its own words, so these are not checked twice when
# tests run. It takes any real number, and tokens in any collection; it keeps floats, integers and sorted tuples.
if TYPE_CHECKING:
    Name = str
    Number = float
    Whole = int
    Language = Grammar
    Rule = UserRule
else:
    Name = Number = Whole = Language = Rule = Any
Tokens = Any


@dataclass(frozen=True, kw_only=True)
class SamplingParams:
    """From logits and a prefix to the law that is sampled; the same object serves target and draft.

    A value equal to the default below has no effect. Token ids are those of the model. Probabilities and shares are
    plain numbers, not percentages.

    Attributes:
        dialect: whose order and edge rules hold: transformers, vllm, llamacpp or openai.
        temperature: 0 takes the likeliest token.
        bad_words_ids: token sequences.
        logit_bias: by token, what is added to its score; -inf bans it.
        allowed_token_ids: None allows all.
        eos_token_id: the token that ends a text, or several; `min_new_tokens` needs them.
        penalty_last_n: how many of the newest tokens the three penalties see; None is all.
        forced_tokens: by place after the prompt, the token that must come there.
        mirostat: 0 or 2, the version.
        grammar: see `grammar.Grammar`.
        logits_processor: a pure function of (tokens, scores), see `callback.UserRule`.

    Raises:
        BadRequest: a value out of range, one that the dialect does not know, or several that contradict each other.
    """

    dialect: Name = "transformers"
    temperature: Number = 1.0
    top_k: Whole = 0
    top_p: Number = 1.0
    min_p: Number = 0.0
    typical_p: Number = 1.0
    epsilon_cutoff: Number = 0.0
    eta_cutoff: Number = 0.0
    top_n_sigma: Number = 0.0
    repetition_penalty: Number = 1.0
    frequency_penalty: Number = 0.0
    presence_penalty: Number = 0.0
    penalty_last_n: Whole | None = None
    no_repeat_ngram_size: Whole = 0
    bad_words_ids: Tokens = ()
    logit_bias: Tokens = ()
    allowed_token_ids: Tokens = None
    eos_token_id: Tokens = ()
    min_new_tokens: Whole = 0
    forced_tokens: Tokens = ()
    xtc_probability: Number = 0.0
    xtc_threshold: Number = 0.1
    dry_multiplier: Number = 0.0
    dry_base: Number = 1.75
    dry_allowed_length: Whole = 2
    dry_sequence_breakers: Tokens = ()
    dry_penalty_last_n: Whole | None = None
    mirostat: Whole = 0
    mirostat_tau: Number = 5.0
    mirostat_eta: Number = 0.1
    grammar: Language | None = None
    logits_processor: Rule | None = None

    @classmethod
    def parse(cls, spellings: Mapping[str, Any], *, end_tokens: Tokens = ()) -> "SamplingParams":
        """The parameters under any of the names in `spellings.ALIASES`.

        Args:
            end_tokens: the model's own, for parameters that need them where none are given.

        Raises:
            BadRequest: a name that is unknown or given twice, and all that the constructor refuses.
        """
        named = canonical(spellings, known={item.name for item in fields(cls)})
        if named.get("min_new_tokens") and end_tokens:
            named.setdefault("eos_token_id", end_tokens)
        return cls(**named)

    @cached_property
    def chain(self) -> Chain:
        """The transforms in the order of the dialect."""
        skipped = self._dialect.greedy_skips if self.temperature == 0 else frozenset()
        steps = [STEPS[name] for name in self._dialect.order if name not in skipped]
        return Chain(tuple(step.build(self, self._dialect.edges) for step in steps if step.switch in self.given))

    @cached_property
    def given(self) -> frozenset[str]:
        """The parameters that differ from their default."""
        return frozenset(item.name for item in fields(self) if getattr(self, item.name) != item.default)

    def start(self, prompt: Sequence[int]) -> Prefix:
        """The memory of a prompt."""
        return self.chain.start(prompt)

    def fold(self, prefix: Prefix, token: int, law: Array) -> Prefix:
        """The memory after one more token, which was drawn where `law` (vocab,) held."""
        return self.chain.fold(prefix, token, law)

    def laws(
        self, logits: Shaped[Array, "position vocab"], prefix: Prefix, drafted: Sequence[int], parents: Sequence[int]
    ) -> tuple[Shaped[Array, "position vocab"], list[Prefix]]:
        """The laws of a block: see `Chain.laws`."""
        return self.chain.laws(logits, prefix, drafted, parents)

    def law(self, logits: Shaped[Array, " vocab"], prefix: Prefix) -> Shaped[Array, " vocab"]:
        """The law of the next token after one prefix."""
        return self.chain.law(logits, prefix)

    @property
    def _dialect(self) -> Dialect:
        return DIALECTS[self.dialect]

    def __post_init__(self) -> None:
        if self.dialect not in DIALECTS:
            raise BadRequest(f"dialect is {self.dialect!r}; it must be one of {', '.join(DIALECTS)}")
        for name, value in self._plain().items():
            object.__setattr__(self, name, value)
        self._check_ranges()
        self._check_known()
        self._check_together()

    def _plain(self) -> dict[str, Any]:
        """The fields that hold tokens, as tuples."""
        return {
            "eos_token_id": tokens("eos_token_id", [self.eos_token_id] if isinstance(self.eos_token_id, Integral) else self.eos_token_id),
            "allowed_token_ids": None if self.allowed_token_ids is None else tokens("allowed_token_ids", self.allowed_token_ids),
            "bad_words_ids": sequences("bad_words_ids", self.bad_words_ids),
            "dry_sequence_breakers": sequences("dry_sequence_breakers", self.dry_sequence_breakers),
            "logit_bias": pairs("logit_bias", self.logit_bias),
            "forced_tokens": pairs("forced_tokens", self.forced_tokens),
        }

    def _check_ranges(self) -> None:
        ranges = {**RANGES, **self._dialect.ranges}
        for name, interval in ranges.items():
            value = getattr(self, name)
            values = [number for _, number in value] if name == "logit_bias" else [value]
            for number in values:
                if number not in interval and not (number is None and "last_n" in name):
                    raise BadRequest(f"{name} is {number!r}; it must be {interval}{_as_in(name, self._dialect)}")
            if name in RANGES and value is not None:
                object.__setattr__(self, name, int(value) if interval.whole else float(value))
        for token, bias in self.logit_bias:
            if bias not in Interval() and bias != float("-inf"):
                raise BadRequest(f"logit_bias adds {bias!r} to token {token}; it must be a finite number or -inf")
        rule: Any = self.logits_processor
        if rule is not None and not callable(rule):
            raise BadRequest(f"logits_processor is {rule!r}; it must be a function of (tokens, scores)")
        language: Any = self.grammar
        if language is not None and not isinstance(language, Grammar):
            raise BadRequest(f"grammar is {language!r}; make one with Grammar.json_schema, Grammar.regex or Grammar.lark")
        for place, token in self.forced_tokens:
            if token not in TOKEN:
                raise BadRequest(f"forced_tokens puts {token!r} at place {place}; it must be a token id of at least 0")
        if self.mirostat not in (0, 2):
            raise BadRequest(f"mirostat is {self.mirostat!r}; it must be 0 (off) or 2, the only version with a law that can be followed")
        if self.allowed_token_ids == ():
            raise BadRequest("allowed_token_ids is empty; it must name at least one token, or be left out")

    def _check_known(self) -> None:
        """Nothing that was given is left unused."""
        steps = [STEPS[name] for name in self._dialect.order]
        used = {step.switch for step in steps} | {name for step in steps for name in step.settings} | {"dialect", "eos_token_id"}
        used |= {"penalty_last_n"} if self.dialect == "llamacpp" else set()
        for name in sorted(self.given - used):
            others = [dialect.name for dialect in DIALECTS.values() if name in dialect.order]
            known = f"; {', '.join(others)} have it" if others else ""
            raise BadRequest(f"{name} is {getattr(self, name)!r}, but the dialect {self.dialect} has no such rule{known}")
        for step in steps:
            for name in step.settings:
                if name in self.given and step.switch not in self.given:
                    off = getattr(self, step.switch)
                    raise BadRequest(f"{name} is {getattr(self, name)!r}, but {step.switch} is {off!r}, so it would do nothing")

    def _check_together(self) -> None:
        if self.penalty_last_n and self.given.isdisjoint(PENALTIES):
            raise BadRequest(f"penalty_last_n is {self.penalty_last_n}, but no penalty is given, so it would do nothing")
        if self.min_new_tokens and not self.eos_token_id:
            raise BadRequest(f"min_new_tokens is {self.min_new_tokens}, but no eos_token_id is given that could be held back")
        for conflict in self._dialect.conflicts:
            if conflict.holds(self):
                raise BadRequest(conflict.reason.format(p=self))


def _as_in(name: str, dialect: Dialect) -> str:
    return f" in the dialect {dialect.name}" if name in dialect.ranges else ""
