"""Text that must belong to a formal language: JSON schema, regular expression or Lark grammar.

The automaton comes from llguidance, imported here and nowhere else. Its state is used as a value: a fold copies the
matcher and advances the copy, so a refused token leaves no trace. The language is that of the emitted text; the prompt
is not part of it. Once the text is complete only the end of text is legal.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from draftproof.errors import BadRequest, Unsupported
from draftproof.sampling.memory import Memory
from draftproof.sampling.transform import Cut, Keep, Laws, Mixture, Scores
from draftproof.shapes import Array
from draftproof.vocabulary import longest_first

Tokenizer = Any
"""An `llguidance.LLTokenizer`; `spelled` makes one, and so does `llguidance.hf.from_tokenizer`."""


@dataclass(frozen=True, eq=False, repr=False)
class Grammar(Memory):
    """A language over the tokens of one vocabulary; two grammars are equal only if they are the same object.

    Its state is a matcher, or None after a token that the language does not allow.
    """

    kind: str
    source: str
    matcher: Any

    @classmethod
    def json_schema(cls, schema: Mapping[str, Any] | str, tokenizer: Tokenizer) -> "Grammar":
        """JSON texts that satisfy the schema."""
        source = schema if isinstance(schema, str) else json.dumps(schema)
        return cls._compile("json_schema", source, tokenizer)

    @classmethod
    def regex(cls, pattern: str, tokenizer: Tokenizer) -> "Grammar":
        """Texts that the regular expression matches as a whole."""
        return cls._compile("regex", pattern, tokenizer)

    @classmethod
    def lark(cls, source: str, tokenizer: Tokenizer) -> "Grammar":
        """Texts derived from the rule `start` of a context-free grammar in Lark's notation."""
        return cls._compile("lark", source, tokenizer)

    @classmethod
    def _compile(cls, kind: str, source: str, tokenizer: Tokenizer) -> "Grammar":
        matchers = llguidance().LLMatcher
        try:
            compiled = getattr(matchers, f"grammar_from_{kind}")(source)
        except ValueError as error:
            raise BadRequest(f"grammar: {kind} {source!r} does not compile: {error}") from error
        matcher = matchers(tokenizer, compiled, log_level=0)
        if matcher.get_error():
            raise BadRequest(f"grammar: {kind} {source!r} does not compile: {matcher.get_error()}")
        return cls(kind, source, matcher)

    def __repr__(self) -> str:
        return f"{self.kind} {self.source!r}"

    def start(self, prompt: Sequence[int]) -> Any:
        return self.matcher

    def fold(self, state: Any, token: int, law: Array | None) -> Any:
        if not self.legal([state], token + 1)[0, token]:
            return None
        advanced = state.deep_copy()
        advanced.consume_token(token)
        return advanced

    def legal(self, states: Sequence[Any], vocab: int) -> Keep:
        """Where a token may come; nowhere after an illegal one."""
        legal = np.zeros((len(states), vocab), bool)
        for row, state in zip(legal, states, strict=True):
            if state is not None:
                bits = np.unpackbits(np.frombuffer(state.compute_bitmask(), np.uint8), bitorder="little")
                row[: len(bits)] = bits[:vocab]
        return legal


@dataclass(frozen=True)
class GrammarMask(Cut):
    """Tokens outside the language go before the rest of the chain sees them."""

    name: ClassVar[str] = "grammar"
    grammar: Grammar

    @property
    def memory(self) -> Grammar:
        return self.grammar

    def keep(self, scores: Scores, states: Sequence[Any]) -> Keep:
        return self.grammar.legal(states, scores.shape[1])


@dataclass(frozen=True)
class GrammarRetry(Mixture):
    """A token is drawn without the grammar; if it is illegal, another is drawn with it, and that one stands.

    With s the law of the rest of the chain and s' the same on the masked row, the law is s on legal tokens plus s' times
    the mass s gives to illegal ones. That is what llama.cpp does, and it is not the law of `GrammarMask`.
    """

    name: ClassVar[str] = "grammar_retry"
    grammar: Grammar

    @property
    def memory(self) -> Grammar:
        return self.grammar

    def mix(self, scores: Scores, states: Sequence[Any], rest: Callable[[Scores], Laws]) -> Laws:
        legal = self.grammar.legal(states, scores.shape[1])
        free = rest(scores)
        illegal_mass = (free * ~legal).sum(-1, keepdims=True)
        masked = rest(np.where(legal, scores, scores.dtype.type(-np.inf)))
        return free * legal + np.where(illegal_mass > 0, masked * illegal_mass, 0)


def spelled(tokens: Sequence[bytes], end: int) -> Tokenizer:
    """A tokenizer of the tokens with these spellings; `end` is the id of the end of text."""
    spelling = _Spelling(tuple(tokens), end)
    package = llguidance()
    return package.LLTokenizer(package.TokenizerWrapper(spelling))


class _Spelling:
    """What llguidance asks of a tokenizer: the longest token first, which it needs only to guess at forced text."""

    bos_token_id = None

    def __init__(self, tokens: tuple[bytes, ...], end: int) -> None:
        self.tokens = tokens
        self.eos_token_id = end
        self.special_token_ids = [end]
        self._ids = {spelling: token for token, spelling in reversed(list(enumerate(tokens))) if token != end and spelling}
        self._longest = max(map(len, self._ids), default=0)

    def __call__(self, text: bytes) -> list[int]:
        return longest_first(text, self._ids, self._longest)


def llguidance() -> Any:
    """The package.

    Raises:
        Unsupported: it is not installed.
    """
    try:
        import llguidance as package
    except ModuleNotFoundError as error:
        raise Unsupported("a grammar needs the package llguidance; install draftproof[grammar]") from error
    return package
