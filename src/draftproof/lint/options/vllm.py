"""Options of vLLM: the fields of `speculative_config`, all of them, and the serving options that touch the law or the counters.

A field of `speculative_config` is called `speculative.NAME` here, and a default sampling parameter `sampling.NAME`.
"""

from draftproof.lint.settings import Kind, Option, Table

_WHOLE = """
num_speculative_tokens draft_tensor_parallel_size tensor_parallel_size max_model_len prompt_lookup_max prompt_lookup_min
suffix_decoding_max_tree_depth suffix_decoding_max_cached_requests dspark_draft_topk disable_by_batch_size
"""
_NUMBER = """
suffix_decoding_max_spec_factor suffix_decoding_min_token_prob synthetic_acceptance_length posterior_threshold posterior_alpha
fly_entropy_threshold
"""
_FLAG = """
disable_padded_drafter_batch disable_eagle_block_drop use_local_argmax_reduction use_heterogeneous_vocab parallel_drafting
enable_adaptive_verification enforce_eager disable_logprobs disable_mqa_scorer index_share_for_mtp_iteration
"""
_TEXT = """
model method quantization moe_backend attention_backend kv_cache_dtype revision code_revision rejection_sample_method acceptance_method
speculative_token_tree
"""
_ANY = "num_speculative_tokens_per_batch_size synthetic_acceptance_rates draft_load_config fly_window_size"

_REMOVED_FIELDS = "acceptance_method posterior_threshold posterior_alpha disable_logprobs disable_mqa_scorer"
REMOVED_FIELDS = tuple(_REMOVED_FIELDS.split())
"""Fields of `speculative_config` that went with the first engine core."""

_REMOVED_ARGUMENTS = """
speculative_model num_speculative_tokens speculative_draft_tensor_parallel_size speculative_max_model_len
speculative_disable_by_batch_size speculative_disable_mqa_scorer speculative_model_quantization ngram_prompt_lookup_max
ngram_prompt_lookup_min spec_decoding_acceptance_method typical_acceptance_sampler_posterior_threshold
typical_acceptance_sampler_posterior_alpha disable_logprobs_during_spec_decoding
"""
REMOVED_ARGUMENTS = tuple(_REMOVED_ARGUMENTS.split())
"""Arguments from before `--speculative-config`."""

_SAMPLING = """
temperature top_k top_p min_p repetition_penalty presence_penalty frequency_penalty logit_bias max_new_tokens max_tokens logprobs
prompt_logprobs seed min_tokens
"""


def _speculative(names: str, kind: Kind = Kind.ANY) -> dict[str, Option]:
    return dict.fromkeys((f"speculative.{name}" for name in names.split()), Option(kind))


TABLE = Table(
    options={
        **_speculative(_WHOLE, Kind.WHOLE),
        **_speculative(_NUMBER, Kind.NUMBER),
        **_speculative(_FLAG, Kind.FLAG),
        **_speculative(_TEXT, Kind.TEXT),
        **_speculative(_ANY),
        "speculative.draft_sample_method": Option(Kind.TEXT, ("greedy", "probabilistic")),
        **dict.fromkeys((f"sampling.{name}" for name in _SAMPLING.split()), Option()),
        **dict.fromkeys(REMOVED_ARGUMENTS, Option()),
        "speculative_config": Option(),
        "override_generation_config": Option(),
        "generation_config": Option(Kind.TEXT),
        "logprobs_mode": Option(Kind.TEXT, ("raw_logprobs", "processed_logprobs", "raw_logits", "processed_logits")),
        "max_logprobs": Option(Kind.WHOLE),
        "kv_cache_dtype": Option(Kind.TEXT),
        "quantization": Option(Kind.TEXT),
        "model": Option(Kind.TEXT),
        "seed": Option(Kind.WHOLE),
        "max_model_len": Option(),
        "max_num_seqs": Option(Kind.WHOLE),
        "dtype": Option(Kind.TEXT),
        "tensor_parallel_size": Option(Kind.WHOLE),
        "enforce_eager": Option(Kind.FLAG),
        "enable_prefix_caching": Option(Kind.FLAG),
        "trust_remote_code": Option(Kind.FLAG),
    },
    families=("speculative", "num_spec", "spec_"),
    aliases={
        "sc": "speculative_config",
        "spec_method": "speculative.method",
        "spec_model": "speculative.model",
        "spec_tokens": "speculative.num_speculative_tokens",
        "tp": "tensor_parallel_size",
        "q": "quantization",
    },
)
