"""Which engine a configuration is for."""

import pytest

from draftproof.errors import BadRequest
from draftproof.lint import ENGINES, Engine, Given, detect, find
from draftproof.lint.rules import llamacpp, sglang, transformers, vllm

from .cases import CLEAN, given


@pytest.mark.parametrize(("engine", "text"), [(engine, text) for engine, texts in CLEAN.items() for text in texts])
def test_an_engine_is_known_by_its_command_or_its_keys(engine: str, text: str) -> None:
    assert detect(given(text)).name == engine


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("#!/bin/sh\nexport HF_HOME=x\nexec vllm serve t", "vllm"),
        ("LLAMA_ARG_SPEC_TYPE=none", "llamacpp"),
        ("cd x && ./build/bin/llama-server -m t", "llamacpp"),
        ("python3 -m sglang.launch_server --model t", "sglang"),
    ],
)
def test_an_engine_is_known_by_its_script(text: str, engine: str) -> None:
    assert detect(Given("serve", text)).name == engine


@pytest.mark.parametrize("unclear", [Given("a.json", "{}"), Given("a.sh", "A=1"), Given("", "", ("serve",)), Given("a", "")])
def test_what_cannot_be_told_is_asked_for(unclear: Given) -> None:
    with pytest.raises(
        BadRequest, match="cannot tell for which engine this is; say so with --engine: vllm, sglang, llamacpp, transformers"
    ):
        detect(unclear)


def test_an_engine_is_found_by_its_name() -> None:
    assert all(find(name).name == name for name in ENGINES)
    with pytest.raises(BadRequest, match="there is no engine 'tgi' among those that can be linted; choose of vllm, "):
        find("tgi")


def test_options_of_the_rules_are_options_of_the_engine() -> None:
    """A condition on a name that no reader gives could never be true."""
    assert set(sglang.LENGTHS) | set(sglang.THRESHOLDS) | {sglang.ALGORITHM, sglang.DRAFT} <= ENGINES["sglang"].table.options.keys()
    assert {vllm.METHOD} <= ENGINES["vllm"].table.options.keys()
    assert {*llamacpp.TRUNCATIONS, *llamacpp.DRAFT, llamacpp.TYPE} <= ENGINES["llamacpp"].table.options.keys()
    assert {*transformers.DRAFTERS} <= ENGINES["transformers"].table.options.keys()


@pytest.mark.parametrize("engine", ENGINES.values(), ids=lambda engine: engine.name)
def test_aliases_lead_to_options(engine: Engine) -> None:
    table = engine.table
    assert set(table.aliases.values()) <= table.options.keys()
    assert not table.aliases.keys() & table.options.keys()


def test_the_fields_of_the_installed_transformers_are_listed() -> None:
    configuration = pytest.importorskip("transformers").GenerationConfig()
    assert set(vars(configuration)) <= ENGINES["transformers"].table.options.keys()
