"""The reader of each engine: what becomes of its options, where they stand, and what is refused."""

from typing import Any

import pytest

from draftproof.errors import BadRequest
from draftproof.lint import Given, Place, Settings, find


def read(engine: str, *argv: str, file: str = "", name: str = "") -> Settings:
    """The settings of a configuration."""
    return find(engine).settings(Given(name or ("c.json" if file.startswith("{") else "c.sh" if file else ""), file, argv))


def values(settings: Settings) -> dict[str, Any]:
    """Options and their values."""
    return {name: setting.value for name, setting in settings.options.items()}


def test_vllm_the_speculative_config_alone_and_within_a_serving_configuration() -> None:
    alone = read("vllm", file='{"method": "ngram", "num_speculative_tokens": 5}')
    assert values(alone) == {"speculative.method": "ngram", "speculative.num_speculative_tokens": 5}
    whole = read("vllm", file='{"model": "t",\n "speculative-config": {\n  "method": "ngram"}}')
    assert values(whole)["speculative.method"] == "ngram"
    assert whole.options["speculative.method"].place == Place(3, 3)


def test_vllm_a_command_line_with_json_or_with_dots() -> None:
    line = read("vllm", "vllm", "serve", "t", "--speculative-config", '{"method": "ngram"}')
    assert line.options["speculative.method"].place == Place(argument=4)
    dotted = read("vllm", "vllm", "serve", "t", "--speculative_config.num_speculative_tokens", "5", "--speculative-config.method=ngram")
    assert values(dotted) == {"speculative.num_speculative_tokens": 5, "speculative.method": "ngram"}


def test_vllm_short_arguments_mean_the_same() -> None:
    short = read("vllm", "vllm", "serve", "t", "--spec-method", "ngram", "--spec-tokens", "5")
    assert values(short) == {"speculative.method": "ngram", "speculative.num_speculative_tokens": 5}
    assert values(read("vllm", "vllm", "serve", "t", "-sc", '{"method": "ngram"}')) == {"speculative.method": "ngram"}


def test_vllm_the_command_of_a_script() -> None:
    settings = read("vllm", file="#!/bin/sh\nexport A=1\nmkdir -p logs\nexec vllm serve t \\\n  --seed 3 > log\n")
    assert values(settings) == {"seed": 3}
    assert settings.options["seed"].place == Place(5, 3)


def test_sglang_a_command_line_and_its_default_sampling() -> None:
    settings = read("sglang", "sglang", "serve", "--speculative-algo", "NGRAM", "--preferred-sampling-params", '{"min_p": 0.1}')
    assert values(settings)["speculative-algorithm"] == "NGRAM"
    assert values(settings)["sampling.min_p"] == 0.1


def test_llamacpp_arguments_take_precedence_over_the_environment() -> None:
    script = "LLAMA_ARG_SPEC_TYPE=none\nLLAMA_ARG_SPEC_DRAFT_N_MAX=5\n"
    settings = read("llamacpp", "llama-server", "--spec-type", "ngram-mod", file=script)
    assert values(settings) == {"spec-type": "ngram-mod", "spec-draft-n-max": 5}
    assert settings.options["spec-draft-n-max"].place == Place(2, 1)
    assert settings.options["spec-draft-n-max"].spelling == "LLAMA_ARG_SPEC_DRAFT_N_MAX"


def test_transformers_arguments_take_precedence_over_the_file() -> None:
    settings = read(
        "transformers", "do_sample=True", "stop_strings=['a']", 'eos=["b"]', "name=x y", file='{"do_sample": false, "top_k": 5}'
    )
    assert values(settings) == {"do_sample": True, "stop_strings": "['a']", "eos": ["b"], "name": "x y", "top_k": 5}
    assert settings.options["top_k"].place == Place(1, 22)
    assert settings.whole_call
    assert not read("transformers", file="{}").whole_call


@pytest.mark.parametrize(
    ("engine", "argv", "file", "message"),
    [
        ("sglang", (), "{}", "c.json holds JSON, and SGLang is configured by arguments"),
        ("llamacpp", (), "{}", "c.json holds JSON, and llama.cpp is configured by arguments"),
        ("transformers", (), "do_sample=1", "c.sh holds no JSON, and transformers reads its generation_config.json"),
        ("transformers", ("sample",), "", "argument 1: 'sample' is no keyword argument of generate"),
        ("vllm", (), '{"speculative_config": 3}', r"speculative_config \(line 1, column 2\) is no JSON object"),
        ("vllm", (), '{"speculative_config": {"a" 1}}', "c.json, line 1, column 29: a colon is expected"),
    ],
)
def test_what_an_engine_does_not_read_is_refused_in_a_sentence(engine: str, argv: tuple[str, ...], file: str, message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        read(engine, *argv, file=file)
