"""Run as a program: a llama.cpp server, for as long as standard input stays open and the parent lives.

A process of its own, since native code that crashes takes its process with it. It imports nothing of draftproof, so it starts fast.

The first line of standard input says what to serve, as `llamacpp_server.Serving` in JSON. The one line of standard output says how it
went: `{"address": ...}` or `{"failed": ...}`. All else that native code prints goes to standard error.
"""

import json
import os
import select
import sys
from typing import Any

LOOK_S = 1.0
"""A child of ours that was forked may hold our end of standard input open after we are gone; then the parent's number changes."""


def main() -> None:
    parent = os.getppid()
    said = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    wanted = json.loads(sys.stdin.readline())
    try:
        import xllamacpp

        server = xllamacpp.Server(parameters(xllamacpp, wanted))
        answer = {"address": server.listening_address}
    except Exception as error:
        answer = {"failed": str(error)}
    print(json.dumps(answer), file=said, flush=True)
    while "address" in answer and os.getppid() == parent:
        ready, _, _ = select.select([0], [], [], LOOK_S)
        if ready and not os.read(0, 1):
            break
    os._exit(0)  # nothing is left to save, and taking native code down in order can hang


def parameters(xllamacpp: Any, wanted: dict[str, Any]) -> Any:
    """What was wanted, in the words of the library; nothing is left to a default that fits itself to the machine."""
    params = xllamacpp.CommonParams()
    params.model.path = wanted["target"]
    params.n_parallel = wanted["parallel"]
    params.n_ctx = wanted["context_length"] * wanted["parallel"]
    params.cache_type_k = params.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
    # With it a row is four times as far from the weights: 1.5e-4 against 4e-5 in mean total variation, float32 weights of width 64.
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    params.cache_prompt = wanted["cache_prompt"]
    params.cache_ram_mib = 0
    params.fit_params = False
    params.warmup = False
    params.verbosity = 1
    params.port = 0
    _set_threads(params, wanted["threads"])
    if wanted["draft"]:
        _set_draft(xllamacpp, params.speculative, wanted)
    if wanted["lookup"]:
        _set_lookup(xllamacpp, params.speculative, wanted)
    return params


def _set_draft(xllamacpp: Any, speculative: Any, wanted: dict[str, Any]) -> None:
    speculative.types = [xllamacpp.common_speculative_type.COMMON_SPECULATIVE_TYPE_DRAFT_SIMPLE]
    draft = speculative.draft
    draft.mparams.path = wanted["draft"]
    draft.n_max = wanted["width"]
    draft.n_min = 0
    draft.p_min = 0.0
    draft.probabilistic = wanted["draft_sampling"] == "probabilistic"
    draft.cache_type_k = draft.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
    _set_threads(draft, wanted["threads"])


def _set_lookup(xllamacpp: Any, speculative: Any, wanted: dict[str, Any]) -> None:
    kind = wanted["lookup"].upper().replace("-", "_")
    speculative.types = [getattr(xllamacpp.common_speculative_type, f"COMMON_SPECULATIVE_TYPE_{kind}")]
    for table in (speculative.ngram_simple, speculative.ngram_map_k, speculative.ngram_map_k4v):
        table.size_n, table.size_m = wanted["lookup_size"], wanted["width"]
    speculative.ngram_mod.n_match = wanted["lookup_size"]
    speculative.ngram_mod.n_min, speculative.ngram_mod.n_max = 1, wanted["width"]
    speculative.draft.n_max = wanted["width"]


def _set_threads(params: Any, threads: int) -> None:
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads


if __name__ == "__main__":
    main()
