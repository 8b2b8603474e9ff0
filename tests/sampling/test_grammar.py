"""Only texts of the language, the exact masked law, and no trace of a refused token. Every test runs llguidance."""

import json
import re
import sys
from itertools import product

import numpy as np
import pytest

from draftproof.errors import BadLaw, BadRequest, Unsupported
from draftproof.sampling.grammar import Grammar, _Spelling, spelled
from draftproof.sampling.params import SamplingParams

SPELLINGS = [b"a", b"b", b"c", b""]
END = 3
MODES = r"a*(b(a|c)*)?"
"""Before the first b only a may come, after it no b: the legal tokens change at the b."""


@pytest.fixture(scope="module")
def tokenizer() -> object:
    return spelled(SPELLINGS, END)


@pytest.fixture(scope="module")
def modes(tokenizer: object) -> Grammar:
    return Grammar.regex(MODES, tokenizer)


def legal_by_definition(text: tuple[int, ...]) -> set[int]:
    """The tokens after which the text can still become one of the language."""
    if text[-1:] == (END,):
        return {END}
    string = "".join("abc"[token] for token in text)
    return {token for token in range(3) if re.fullmatch(MODES, string + "abc"[token])} | {END}


def texts(length: int) -> list[tuple[int, ...]]:
    """All legal texts of that length."""
    return [text for text in product(range(4), repeat=length) if all(text[i] in legal_by_definition(text[:i]) for i in range(length))]


def test_the_law_is_the_masked_one_after_every_legal_text(modes: Grammar) -> None:
    rng = np.random.default_rng(0)
    params = SamplingParams(grammar=modes)
    for text in texts(5):
        prefix = params.start([2, 2, 1])
        for place, token in enumerate(text):
            logits = rng.normal(size=4)
            legal = [token in legal_by_definition(text[:place]) for token in range(4)]
            expected = np.exp(logits) * legal
            assert params.law(logits, prefix) == pytest.approx(expected / expected.sum())
            prefix = params.fold(prefix, token, logits)


@pytest.mark.parametrize("offset", range(5))
def test_the_mode_may_switch_at_any_place_of_a_block(modes: Grammar, offset: int) -> None:
    params = SamplingParams(grammar=modes)
    drafted = [0] * offset + [1] + [2] * (4 - offset)
    laws, _ = params.laws(np.zeros((6, 4)), params.start([0]), drafted, range(5))
    for row in range(6):
        assert set(np.flatnonzero(laws[row]).tolist()) == legal_by_definition(tuple(drafted[:row]))


def test_a_refused_token_leaves_no_trace(modes: Grammar) -> None:
    params = SamplingParams(grammar=modes)
    start = params.start([0])
    before = params.law(np.zeros(4), start)
    for token in range(4):
        params.law(np.zeros(4), params.fold(start, 0, before))
        params.fold(params.fold(start, token, before), token, before)
    assert np.array_equal(params.law(np.zeros(4), start), before)


def test_branches_of_a_tree_are_in_their_own_modes(modes: Grammar) -> None:
    params = SamplingParams(grammar=modes)
    laws, _ = params.laws(np.zeros((5, 4)), params.start([0]), [0, 1, 0, 2], [0, 0, 2, 2])
    assert [set(np.flatnonzero(law).tolist()) for law in laws] == [{0, 1, 3}, {0, 1, 3}, {0, 2, 3}, {0, 2, 3}, {0, 2, 3}]


def test_after_the_end_only_the_end_is_legal(tokenizer: object) -> None:
    params = SamplingParams(grammar=Grammar.regex("ab", tokenizer))
    laws, _ = params.laws(np.zeros((6, 4)), params.start([0]), [0, 1, END, END, END], range(5))
    assert [set(np.flatnonzero(law).tolist()) for law in laws] == [{0}, {1}, {END}, {END}, {END}, {END}]


def test_a_draft_past_the_end_or_against_the_grammar_is_no_error(tokenizer: object) -> None:
    params = SamplingParams(grammar=Grammar.regex("ab", tokenizer))
    laws, _ = params.laws(np.zeros((5, 4)), params.start([0]), [0, 1, 0, 2], range(4))
    assert laws[2, 0] == 0
    assert np.allclose(laws.sum(-1), 1)
    laws, _ = params.laws(np.zeros((3, 4)), params.start([0]), [2, 0], [0, 1])
    assert laws[0, 2] == 0
    assert np.allclose(laws.sum(-1), 1)


def test_a_reachable_row_without_a_legal_token_names_the_grammar(tokenizer: object) -> None:
    params = SamplingParams(grammar=Grammar.regex("ab", tokenizer), logit_bias={0: -np.inf})
    with pytest.raises(BadLaw, match=r"row 0: no token is left after grammar\(grammar=regex 'ab'\)"):
        params.law(np.zeros(4), params.start([0]))


def test_llamacpp_draws_again_where_transformers_masks(tokenizer: object) -> None:
    """One round of the retry loop by hand: s on legal tokens, and s' for the mass of illegal ones."""
    logits = np.log(np.array([0.1, 0.2, 0.3, 0.4]))
    shared = {"grammar": Grammar.regex("a|b", tokenizer), "top_k": 3}
    mask, retry = SamplingParams(**shared), SamplingParams(dialect="llamacpp", **shared)
    assert mask.law(logits, mask.start([])) == pytest.approx([1 / 3, 2 / 3, 0, 0])
    free, masked = np.array([0, 2, 3, 4]) / 9, np.array([1, 2, 0, 0]) / 3
    assert retry.law(logits, retry.start([])) == pytest.approx([masked[0] * 7 / 9, free[1] + masked[1] * 7 / 9, 0, 0])


def test_retry_without_an_illegal_token_in_reach_needs_no_second_draw(tokenizer: object) -> None:
    retry = SamplingParams(dialect="llamacpp", grammar=Grammar.regex("a", tokenizer), temperature=0)
    assert retry.law(np.array([1.0, 0, 0, 0]), retry.start([])).tolist() == [1, 0, 0, 0]


def test_json_schema_and_lark() -> None:
    tokens = spelled([bytes([byte]) for byte in range(128)] + [b""], 128)
    schema = Grammar.json_schema({"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]}, tokens)
    lark = Grammar.lark('start: "{" pair "}"\npair: "\\"a\\":" ("true" | "false")', tokens)
    rng = np.random.default_rng(1)
    for grammar in (schema, lark):
        params = SamplingParams(grammar=grammar, logit_bias={ord(" "): -30, ord("\n"): -30, ord("\t"): -30, ord("\r"): -30})
        text, prefix = "", params.start([0])
        while not text.endswith("}"):
            law = params.law(rng.normal(size=129), prefix)
            token = int(rng.choice(129, p=law / law.sum()))
            prefix = params.fold(prefix, token, law)
            text += chr(token)
        assert list(json.loads(text)) == ["a"]
        assert params.law(np.zeros(129), prefix)[128] == 1


def test_a_model_with_more_ids_than_the_tokenizer_cannot_emit_the_others(modes: Grammar) -> None:
    params = SamplingParams(grammar=modes)
    assert np.flatnonzero(params.law(np.zeros(70), params.start([]))).tolist() == [0, 1, END]


@pytest.mark.parametrize(("kind", "source"), [("regex", "a(("), ("lark", "start ("), ("json_schema", '{"type": "nonsense"}')])
def test_a_grammar_that_does_not_compile_is_refused(tokenizer: object, kind: str, source: str) -> None:
    with pytest.raises(BadRequest, match=f"grammar: {kind} .* does not compile"):
        getattr(Grammar, kind)(source, tokenizer)


def test_without_llguidance_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llguidance", None)
    with pytest.raises(Unsupported, match=r"install draftproof\[grammar\]"):
        spelled(SPELLINGS, END)


def test_spellings_are_read_longest_first() -> None:
    spelling = _Spelling((b"a", b"ab", b"b", b""), 3)
    assert spelling(b"abab?a") == [1, 1, 0]
