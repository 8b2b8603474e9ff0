"""A record is whole and possible, or it is refused in one sentence that names the field."""

from math import inf, nan
from typing import Any

import pytest

from draftproof.audit.logs.record import LONGEST_KEPT, MOST_TOKENS, Record
from draftproof.errors import BadRequest
from draftproof.sampling.params import SamplingParams

LEAST: dict[str, Any] = {"prompt_ids": [3, 1], "output_ids": [4, 1, 5], "params": {}}
WHOLE: dict[str, Any] = {
    "id": "r-1",
    **LEAST,
    "params": {"temp": 0.7, "top_k": 20, "repeat_penalty": 1.1},
    "dialect": "llamacpp",
    "log_probs": [-0.5, 0, -inf],
    "reference_log_probs": [-0.25, 1e-7, -1.5],
    "drafted": 4,
    "accepted": 2,
    "seed": 2**63,
}


def refusal(**changes: Any) -> str:
    with pytest.raises(BadRequest) as refused:
        Record.of({**WHOLE, **changes})
    message = str(refused.value)
    assert message.isprintable()
    assert len(message) < 700
    return message


def test_a_whole_record_is_read() -> None:
    record = Record.of(WHOLE)
    assert record == Record(
        id="r-1",
        prompt_ids=(3, 1),
        output_ids=(4, 1, 5),
        params=SamplingParams(dialect="llamacpp", temperature=0.7, top_k=20, repetition_penalty=1.1),
        log_probs=(-0.5, 0.0, -inf),
        reference_log_probs=(-0.25, 0.0, -1.5),
        drafted=4,
        accepted=2,
        seed=2**63,
    )
    assert all(type(number) is float for number in record.log_probs or ())


def test_the_least_record_is_read() -> None:
    record = Record.of(LEAST)
    assert record.params == SamplingParams()
    assert (record.id, record.log_probs, record.reference_log_probs, record.drafted, record.accepted, record.seed) == (None,) * 6


def test_null_is_the_same_as_nothing_where_a_field_is_optional() -> None:
    optional = dict.fromkeys(("id", "dialect", "log_probs", "reference_log_probs", "drafted", "accepted", "seed"))
    assert Record.of({**LEAST, **optional}) == Record.of(LEAST)


def test_an_output_may_be_empty() -> None:
    assert Record.of({**LEAST, "output_ids": [], "log_probs": []}).log_probs == ()


def test_a_record_stays_as_it_was_made() -> None:
    prompt = [3, 1]
    record = Record.of({**LEAST, "prompt_ids": prompt})
    prompt.append(-1)
    assert record.prompt_ids == (3, 1)


def test_what_the_constructor_is_given_in_python_is_checked_too() -> None:
    with pytest.raises(BadRequest, match=r"params is \{\}; it must be SamplingParams"):
        Record(prompt_ids=(1,), output_ids=(), params={})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["prompt_ids", "output_ids", "params"])
def test_missing_fields_are_named(name: str) -> None:
    with pytest.raises(BadRequest, match=f"the field {name} is missing; a record needs prompt_ids, output_ids and params"):
        Record.of({key: value for key, value in WHOLE.items() if key != name})


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("promt_ids", "prompt_ids"),
        ("logprobs", "log_probs"),
        ("prompt_token_ids", "prompt_ids"),
        ("completion_ids", "output_ids"),
        ("token_ids", "output_ids"),
        ("ref_log_probs", "reference_log_probs"),
        ("sampling_params", "params"),
        ("Seed", "seed"),
    ],
)
def test_unknown_fields_are_named_with_the_field_that_was_meant(name: str, meant: str) -> None:
    assert refusal(**{name: 1}) == f"'{name}' is no field of a record; did you mean {meant}?"


def test_a_field_that_is_like_no_other_is_answered_with_all_there_are() -> None:
    assert "there are accepted, dialect, drafted, id, log_probs," in refusal(**{"x" * 10_000: 1})


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"prompt_ids": []}, "prompt_ids is empty"),
        ({"prompt_ids": "12"}, "prompt_ids is '12'; it must be a list of token ids"),
        ({"prompt_ids": None}, "prompt_ids is null; it must be a list of token ids"),
        ({"prompt_ids": [1, True]}, "prompt_ids[1] is true; it must be a token id, a whole number of at least 0"),
        ({"prompt_ids": [-1]}, "prompt_ids[0] is -1; it must be a token id"),
        ({"output_ids": [1, 2.0, 3]}, "output_ids[1] is 2.0; it must be a token id"),
        ({"output_ids": [1, "2", 3]}, "output_ids[1] is '2'; it must be a token id"),
        ({"output_ids": [1, 2, 10**4000]}, "output_ids[2] is 1000000000"),
        ({"output_ids": [[1] * 10_000]}, "output_ids[0] is [1, 1, 1, 1, 1, 1, ...]; it must be a token id"),
        ({"output_ids": {"a": 1}}, "output_ids is {'a': 1}; it must be a list of token ids"),
        ({"output_ids": [nan]}, "output_ids[0] is nan; it must be a token id"),
        ({"log_probs": [-1, -1]}, "log_probs has 2 numbers for 3 output_ids; give one for each output token"),
        ({"log_probs": [-1, nan, -1]}, "log_probs[1] is nan; it must be the logarithm of a probability, a number of at most 0"),
        ({"log_probs": [-1, -1, inf]}, "log_probs[2] is inf; it must be the logarithm of a probability"),
        ({"log_probs": [-1, -1, 2e-6]}, "log_probs[2] is 2e-06; it must be the logarithm of a probability"),
        ({"log_probs": [None, -1, -1]}, "log_probs[0] is null; it must be the logarithm of a probability"),
        ({"log_probs": [-1, False, -1]}, "log_probs[1] is false; it must be the logarithm of a probability"),
        ({"log_probs": [-1, -(10**400), -1]}, "log_probs[1] is -100000000"),
        ({"log_probs": -1}, "log_probs is -1; it must be a list of log-probabilities"),
        ({"reference_log_probs": [0.5, -1, -1]}, "reference_log_probs[0] is 0.5; it must be the logarithm of a probability"),
        ({"drafted": -1}, "drafted is -1; it must be a whole number of at least 0 and below 2^64, or be left out"),
        ({"accepted": 1.5}, "accepted is 1.5; it must be a whole number"),
        ({"accepted": True}, "accepted is true; it must be a whole number"),
        ({"seed": 2**64}, "seed is 18446744073709551616; it must be a whole number of at least 0 and below 2^64"),
        ({"seed": "1"}, "seed is '1'; it must be a whole number"),
        ({"id": 7}, "id is 7; it must be text of 1 to 256 characters, or be left out"),
        ({"id": ""}, "id is ''; it must be text"),
        ({"id": "x" * 257}, "it must be text of 1 to 256 characters"),
        ({"id": "\ud800"}, "id is '\\ud800'; it must be text"),
        ({"id": "\x1b[31m\n" + "x" * 300}, "id is '\\x1b[31m\\n"),
        ({"params": None}, "params is null; it must be an object of sampling parameters"),
        ({"params": [1]}, "params is [1]; it must be an object of sampling parameters"),
        ({"params": {"temperature": nan}}, "params: temperature is nan; it must be a number of at least 0"),
        ({"params": {"top_q": 1}}, "params: top_q is not a sampling parameter"),
        ({"params": {"top\x1b[31m\n\ud800": 1}}, "params: top\\x1b[31m\\n\\ud800 is not a sampling parameter"),
        ({"params": {"x" * 10**6: 1}}, "params: xxxxx"),
        ({"params": {"allowed_token_ids": ["x" * 10**6]}}, "params: allowed_token_ids holds 'xxxxx"),
        ({"params": {"temperature": 1, "temp": 1}}, "params: temperature is given twice"),
        ({"params": {"max_tokens": 9}}, "params: max_tokens is not a sampling parameter: limits are not part of the law"),
        ({"params": {"temperature": 10**400}}, "params holds a number too large to be computed with"),
        ({"params": {"dialect": "vllm"}}, "dialect is given twice, beside params and in it; keep one of the two"),
        ({"params": {"dialect": ["vllm"]}, "dialect": None}, "dialect is ['vllm']; it must be text"),
        ({"dialect": 1}, "dialect is 1; it must be text"),
        ({"dialect": "vlm"}, "params: dialect is 'vlm'; it must be one of"),
    ],
)
def test_a_field_that_holds_something_else_is_named_with_what_it_holds(changes: dict[str, Any], says: str) -> None:
    assert says in refusal(**changes)


def test_parameters_nested_to_the_limit_of_the_interpreter_are_refused() -> None:
    nested: Any = []
    for _ in range(100_000):
        nested = [nested]
    assert "nested too deeply" in refusal(params={"bad_words_ids": nested})
    while nested:  # from the outside: the interpreter would take it apart by recursion
        nested = nested.pop()


def test_more_tokens_than_any_context_are_refused() -> None:
    assert f"prompt and output have {MOST_TOKENS + 3} tokens; at most {MOST_TOKENS} can be judged" in refusal(prompt_ids=[1] * MOST_TOKENS)


def test_tokens_outside_the_vocabulary_may_be_another_tokenizers() -> None:
    record = Record.of(LEAST)
    record.check_vocab(6)
    with pytest.raises(BadRequest) as refused:
        record.check_vocab(5)
    assert str(refused.value) == "output_ids[2] is 5, but the vocabulary has 5 tokens; this may be another tokenizer's"
    with pytest.raises(BadRequest, match=r"prompt_ids\[0\] is 3, but the vocabulary has 3"):
        record.check_vocab(3)


def test_parameters_that_are_the_same_are_one_object_unless_they_are_long() -> None:
    assert Record.of(WHOLE).params is Record.of({**WHOLE, "id": "r-2"}).params
    long = {"params": {"logit_bias": {str(token): 1.0 for token in range(LONGEST_KEPT)}}}
    assert Record.of({**LEAST, **long}).params is not Record.of({**LEAST, **long}).params
