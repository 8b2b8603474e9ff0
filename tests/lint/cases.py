"""For each rule a configuration in which it applies, and a neighbour in which it does not."""

import shlex
from typing import NamedTuple

from draftproof.lint import Engine, Finding, Given, check, find


class Case(NamedTuple):
    """A configuration is JSON, a command line, or both with ` -- ` between them.

    Attributes:
        version: of the engine; the newest one that is known by default.
        spared_version: of the engine in the neighbour, where it is a version that makes the difference.
    """

    applies: str
    spares: str
    version: str = ""
    spared_version: str = ""


def given(text: str) -> Given:
    """A configuration as it is handed over."""
    file, _, argv = text.partition(" -- ") if text.startswith("{") else ("", "", text)
    return Given("file.json" if file else "", file, tuple(shlex.split(argv)))


def findings(engine: str, text: str, version: str = "") -> list[Finding]:
    """What is found in a configuration; with no version as the newest one, and with `none` as if none was given."""
    known: Engine = find(engine)
    return check(known.settings(given(text), "" if version == "none" else version or known.newest))


CLEAN = {
    "vllm": [
        '{"method": "ngram", "num_speculative_tokens": 5, "prompt_lookup_max": 4, "prompt_lookup_min": 2}',
        (
            '{"method": "draft_model", "model": "d", "num_speculative_tokens": 5, "draft_sample_method": "probabilistic", '
            '"rejection_sample_method": "block"}'
        ),
        (
            '{"model": "t", "seed": 1, "logprobs_mode": "processed_logprobs", "max_logprobs": 5, "speculative_config": '
            '{"method": "suffix", "num_speculative_tokens": 8}, "override_generation_config": {"temperature": 0.7}}'
        ),
        (
            "vllm serve target --port 8000 --tensor-parallel-size 2 --speculative-config "
            """'{"method": "eagle3", "model": "d", "num_speculative_tokens": 3, "draft_sample_method": "probabilistic"}'"""
        ),
        "vllm serve target --no-enable-prefix-caching",
    ],
    "sglang": [
        "python -m sglang.launch_server --model-path t --speculative-algorithm NGRAM --speculative-num-draft-tokens 8",
        (
            "sglang serve --model-path t --speculative-algorithm EAGLE3 --speculative-draft-model-path d --speculative-num-steps 3 "
            "--speculative-eagle-topk 1 --speculative-num-draft-tokens 4 --speculative-use-rejection-sampling "
            "--speculative-accept-threshold-acc 1.0"
        ),
        "sglang serve --model-path t --port 30000",
    ],
    "llamacpp": [
        "llama-server -m t.gguf -md d.gguf --spec-type draft-simple --spec-draft-n-max 8 --spec-draft-sampling probabilistic -ngl 99",
        "llama-server -m t.gguf --spec-type ngram-mod,ngram-cache --temp 0.8 --top-p 0.9 -fa on --jinja",
        "llama-cli -m t.gguf --spec-default -p hello",
        "llama-server --fim-qwen-7b-spec --spec-draft-n-max 8",
        "LLAMA_ARG_SPEC_TYPE=ngram-simple llama-server -m t.gguf",
    ],
    "transformers": [
        '{"do_sample": true, "temperature": 0.6, "top_p": 0.9, "top_k": 20, "eos_token_id": [1, 2], "transformers_version": "4.57.1"}',
        (
            '{"do_sample": false, "temperature": 1.0, "top_p": 1.0, "top_k": 50, "num_assistant_tokens": 20, '
            '"assistant_confidence_threshold": 0.4, "num_assistant_tokens_schedule": "constant"}'
        ),
        '{"do_sample": true} -- assistant_model=draft num_assistant_tokens=5 assistant_confidence_threshold=0.4',
        "do_sample=True prompt_lookup_num_tokens=10",
    ],
}
"""Configurations in which there is nothing to find."""

_VLLM = '{"method": "ngram", "num_speculative_tokens": 5%s}'
_DRAFT = '{"model": "d", "num_speculative_tokens": 5, "draft_sample_method": "probabilistic"%s}'
_SERVE = '{"speculative_config": {"method": "ngram", "num_speculative_tokens": 5}%s}'
_EAGLE = "sglang serve --speculative-algorithm EAGLE3 --speculative-draft-model-path d "
_LLAMA = "llama-server -m t.gguf --spec-type ngram-mod "
_CALL = '{"do_sample": true} -- assistant_model=draft '

CASES = {
    "version-not-given": Case("llama-server", "llama-server", version="none", spared_version="b11549"),
    "version-later": Case("llama-server", "llama-server", version="b20000", spared_version="b11549"),
    "repeated-option": Case('{"do_sample": true, "do_sample": true}', '{"do_sample": true}'),
    "unknown-option": Case('{"do_sampel": true}', '{"do_sample": true}'),
    "wrong-type": Case('{"do_sample": "yes"}', '{"do_sample": null}'),
    "unknown-value": Case("llama-server --spec-type ngram-modd", "llama-server --spec-type ngram-mod"),
    "vllm-lossy-acceptance": Case(_VLLM % ', "rejection_sample_method": "fly"', _VLLM % ', "rejection_sample_method": "block"'),
    "vllm-typical-acceptance": Case(
        _VLLM % ', "acceptance_method": "typical_acceptance_sampler"', _VLLM % ', "acceptance_method": "rejection_sampler"', "0.9", "0.9"
    ),
    "vllm-threshold-unused": Case(
        _VLLM % ', "posterior_threshold": 0.1',
        _VLLM % ', "posterior_threshold": 0.1, "acceptance_method": "typical_acceptance_sampler"',
        "0.9",
        "0.9",
    ),
    "vllm-removed-field": Case(_VLLM % ', "posterior_alpha": 0.3', _VLLM % ', "posterior_alpha": 0.3', "0.10", "0.9.2"),
    "vllm-removed-argument": Case("vllm serve t --speculative-model d", "vllm serve t --speculative-model d", "0.28", "0.6.4"),
    "vllm-renamed-rule": Case(
        _VLLM % ', "rejection_sample_method": "strict"', _VLLM % ', "rejection_sample_method": "strict"', "0.28", "0.20"
    ),
    "vllm-synthetic-acceptance": Case(
        _VLLM % ', "rejection_sample_method": "synthetic"', _VLLM % ', "rejection_sample_method": "standard"'
    ),
    "vllm-synthetic-unused": Case(
        _VLLM % ', "synthetic_acceptance_length": 2.5',
        _VLLM % ', "synthetic_acceptance_length": 2.5, "rejection_sample_method": "synthetic"',
    ),
    "vllm-nothing-drafted": Case('{"method": "ngram", "num_speculative_tokens": 0}', '{"method": "ngram", "num_speculative_tokens": 1}'),
    "vllm-no-draft-length": Case('{"method": "ngram"}', '{"method": "ngram", "num_speculative_tokens": 1}'),
    "vllm-no-method": Case('{"num_speculative_tokens": 5}', '{"num_speculative_tokens": 5, "model": "d"}'),
    "vllm-lookup-window": Case(
        _VLLM % ', "prompt_lookup_min": 3, "prompt_lookup_max": 2', _VLLM % ', "prompt_lookup_min": 2, "prompt_lookup_max": 2'
    ),
    "vllm-draft-parallelism": Case(_DRAFT % ', "tensor_parallel_size": 2', _DRAFT % ', "draft_tensor_parallel_size": 2'),
    "vllm-sampling-not-applied": Case(
        _SERVE % ', "override_generation_config": {"min_p": 0.1}', _SERVE % ', "override_generation_config": {"min_p": 0.0, "top_p": 0.9}'
    ),
    "vllm-request-without-speculation": Case(
        _SERVE % ', "override_generation_config": {"repetition_penalty": 1.1}',
        _SERVE % ', "override_generation_config": {"repetition_penalty": 1.1}',
        "0.12",
        "0.14",
    ),
    "vllm-greedy-drafts": Case('{"model": "d", "num_speculative_tokens": 5}', _DRAFT % ""),
    "vllm-raw-logprobs": Case(_SERVE % ', "max_logprobs": 5', _SERVE % ', "max_logprobs": 5, "logprobs_mode": "processed_logprobs"'),
    "vllm-quantised": Case(_SERVE % ', "kv_cache_dtype": "fp8_e4m3"', _SERVE % ', "kv_cache_dtype": "bfloat16"'),
    "sglang-threshold-acceptance": Case(
        _EAGLE + "--speculative-accept-threshold-single 0.5", _EAGLE + "--speculative-accept-threshold-single 1.0"
    ),
    "sglang-threshold-refused": Case(
        _EAGLE + "--speculative-use-rejection-sampling --speculative-accept-threshold-acc 0.9",
        _EAGLE + "--speculative-use-rejection-sampling --speculative-accept-threshold-acc 1",
    ),
    "sglang-no-algorithm": Case("sglang serve --speculative-draft-model d", _EAGLE),
    "sglang-no-draft": Case("sglang serve --speculative-algo STANDALONE", "sglang serve --speculative-algo NEXTN"),
    "sglang-draft-unused": Case("sglang serve --speculative-algo NGRAM --speculative-draft-model d", _EAGLE),
    "sglang-incomplete-lengths": Case(
        _EAGLE + "--speculative-eagle-topk 4",
        _EAGLE + "--speculative-eagle-topk 4 --speculative-num-steps 3 --speculative-num-draft-tokens 8",
    ),
    "sglang-chain-length": Case(
        _EAGLE + "--speculative-eagle-topk 1 --speculative-num-steps 3 --speculative-num-draft-tokens 8",
        _EAGLE + "--speculative-eagle-topk 1 --speculative-num-steps 3 --speculative-num-draft-tokens 4",
    ),
    "sglang-nothing-drafted": Case(_EAGLE + "--speculative-num-steps 0", _EAGLE + "--speculative-num-steps 1"),
    "sglang-rejection-unsupported": Case(
        "sglang serve --speculative-algorithm NGRAM --speculative-use-rejection-sampling", _EAGLE + "--speculative-use-rejection-sampling"
    ),
    "sglang-sampling-not-applied": Case(
        _EAGLE + """--preferred-sampling-params '{"min_p": 0.1}'""", _EAGLE + """--preferred-sampling-params '{"top_p": 0.1}'"""
    ),
    "sglang-greedy-verification": Case(_EAGLE + "--device cpu", _EAGLE + "--device cuda"),
    "sglang-dummy-draft": Case(_EAGLE + "--speculative-draft-load-format dummy", _EAGLE + "--speculative-draft-load-format auto"),
    "sglang-greedy-drafts": Case(_EAGLE, _EAGLE + "--speculative-use-rejection-sampling"),
    "sglang-quantised": Case(_EAGLE + "--kv-cache-dtype fp8_e5m2", _EAGLE + "--kv-cache-dtype auto"),
    "llamacpp-draft-not-used": Case("llama-server -md d.gguf", "llama-server -md d.gguf --spec-type draft-simple"),
    "llamacpp-not-switched-on": Case("llama-server --spec-draft-n-max 8", _LLAMA + "--spec-draft-n-max 8"),
    "llamacpp-no-draft": Case("llama-server --spec-type draft-simple", "llama-server --spec-type draft-mtp"),
    "llamacpp-removed-option": Case("llama-server --draft-max 8", "llama-server --draft-max 8", "b11000", "b6000"),
    "llamacpp-synthetic-acceptance": Case(_LLAMA + "--spec-synth-len 2.5", _LLAMA + "--spec-synth-len -1"),
    "llamacpp-nothing-drafted": Case(_LLAMA + "--spec-draft-n-max 0", _LLAMA + "--spec-draft-n-max 1"),
    "llamacpp-draft-range": Case(
        _LLAMA + "--spec-draft-n-min 4 --spec-draft-n-max 3", _LLAMA + "--spec-draft-n-min 3 --spec-draft-n-max 3"
    ),
    "llamacpp-mirostat": Case("llama-server --mirostat 2 --top-p 0.9", "llama-server --mirostat 0 --top-p 0.9"),
    "llamacpp-sampling-while-greedy": Case("llama-server --temp 0 --top-k 40", "llama-server --temp 0.1 --top-k 40"),
    "llamacpp-greedy-drafts": Case(
        "llama-server --spec-type draft-mtp", "llama-server --spec-type draft-mtp --spec-draft-sampling probabilistic"
    ),
    "llamacpp-quantised-cache": Case(_LLAMA + "-ctk q8_0", _LLAMA + "-ctk bf16"),
    "transformers-ensemble": Case(_CALL + "assistant_ensemble_weight=0.5", _CALL + "assistant_ensemble_weight=None"),
    "transformers-ensemble-refused": Case(
        "do_sample=True prompt_lookup_num_tokens=5 assistant_ensemble_weight=0.5",
        "do_sample=True assistant_model=d assistant_ensemble_weight=0.5",
    ),
    "transformers-no-assistant": Case("do_sample=True num_assistant_tokens=5", _CALL + "num_assistant_tokens=5"),
    "transformers-assistant-in-call": Case('{"num_assistant_tokens": 7}', '{"num_assistant_tokens": 5}'),
    "transformers-argument-in-file": Case('{"assistant_model": "draft"}', "{} -- assistant_model=draft"),
    "transformers-two-drafts": Case(_CALL + "prompt_lookup_num_tokens=5", _CALL + "max_matching_ngram_size=2"),
    "transformers-nothing-drafted": Case(_CALL + "num_assistant_tokens=0", _CALL + "num_assistant_tokens=1"),
    "transformers-beams": Case(_CALL + "num_beams=4", _CALL + "num_beams=1"),
    "transformers-no-cache": Case(_CALL + "use_cache=False", _CALL + "use_cache=True"),
    "transformers-several-texts": Case(_CALL + "num_return_sequences=2", _CALL + "num_return_sequences=1"),
    "transformers-sampling-while-greedy": Case('{"do_sample": false, "temperature": 0.6}', '{"do_sample": true, "temperature": 0.6}'),
    "transformers-guidance": Case(_CALL + "guidance_scale=1.5", '{"do_sample": true} -- guidance_scale=1.5'),
    "transformers-stop-strings": Case(_CALL + """stop_strings='["."]'""", _CALL + "stop_strings=None"),
    "transformers-watermark": Case(
        _CALL + """watermarking_config='{"keys": [1, 2], "ngram_len": 5}'""", _CALL + """watermarking_config='{"greenlist_ratio": 0.25}'"""
    ),
    "transformers-quantised-cache": Case(_CALL + "cache_implementation=quantized", _CALL + "cache_implementation=static"),
}
