"""Rules for every engine: suggestions, and how far they go."""

import pytest

from .cases import findings


@pytest.mark.parametrize(
    ("engine", "text", "advice"),
    [
        ("transformers", '{"temprature": 1.0}', "Did you mean temperature?"),
        ("transformers", '{"xyz": 1}', "Remove it, or look its name up in the manual of the version that you run."),
        ("vllm", '{"method": "ngram", "num_speculativ_tokens": 5}', "Did you mean num_speculative_tokens?"),
        ("vllm", "vllm serve t --speculativ-config '{}'", "Did you mean --speculative-config?"),
        ("sglang", "sglang serve --speculative-num-step 3", "Did you mean --speculative-num-steps?"),
        ("llamacpp", "llama-server --spec-draft-nmax 3", "Did you mean --spec-draft-n-max?"),
        ("llamacpp", "LLAMA_ARG_SPEC_TYP=none llama-server", "Did you mean LLAMA_ARG_SPEC_TYPE?"),
    ],
)
def test_a_misspelling_is_answered_with_the_name_that_is_near(engine: str, text: str, advice: str) -> None:
    assert advice in [finding.do for finding in findings(engine, text) if finding.rule == "unknown-option"]


@pytest.mark.parametrize(
    ("engine", "text"),
    [
        ("vllm", "vllm serve t --gpu-memory-utilization 0.9 --some-new-option"),
        ("sglang", "sglang serve --mem-fraction 0.9 --chunked-prefill-size 8192"),
        ("llamacpp", "llama-server --some-new-option -xyz 3"),
    ],
)
def test_options_that_are_not_listed_are_not_called_unknown(engine: str, text: str) -> None:
    assert "unknown-option" not in {finding.rule for finding in findings(engine, text)}


def test_a_value_that_a_shell_fills_in_is_not_judged() -> None:
    assert findings("llamacpp", "llama-server --spec-type '$TYPE' --spec-draft-n-max '${N}'") == []


@pytest.mark.parametrize(
    ("value", "advice"), [("draft-simpl", "Did you mean draft-simple?"), ("q", "Give one of none, draft-simple, draft-eagle3, ")]
)
def test_a_wrong_value_is_answered_with_the_right_ones(value: str, advice: str) -> None:
    (wrong,) = (finding for finding in findings("llamacpp", f"llama-server --spec-type {value}") if finding.rule == "unknown-value")
    assert wrong.do.startswith(advice)


def test_a_name_of_a_million_letters_is_judged_at_once() -> None:
    (finding,) = findings("transformers", f'{{"{"a" * 10**6}": 1}}')
    assert finding.rule == "unknown-option"
    assert len(finding.what) < 200
