"""Options of transformers 5.24: the fields of `GenerationConfig`, and what `generate` takes besides."""

from draftproof.lint.settings import Kind, Option, Table

_WHOLE = """
assistant_early_exit assistant_lookbehind bos_token_id decoder_start_token_id encoder_no_repeat_ngram_size forced_bos_token_id
max_cache_len max_length max_matching_ngram_size max_new_tokens min_length min_new_tokens no_repeat_ngram_size num_assistant_tokens
num_beam_groups num_beams num_return_sequences pad_token_id prefill_chunk_size prompt_lookup_num_tokens target_lookbehind top_k
"""
_NUMBER = """
assistant_confidence_threshold assistant_ensemble_weight diversity_penalty encoder_repetition_penalty epsilon_cutoff eta_cutoff
guidance_scale length_penalty max_time min_p penalty_alpha repetition_penalty temperature top_h top_p typical_p
"""
_FLAG = """
_from_model_config disable_compile do_sample is_assistant low_memory output_attentions output_hidden_states output_logits output_scores
remove_invalid_values renormalize_logits return_dict_in_generate token_healing use_cache use_mtp
"""
_TEXT = "cache_implementation speculation_type transformers_version"
_ANY = """
_original_object_hash bad_words_ids begin_suppress_tokens cache_config compile_config constraints continuous_batching_config dola_layers
early_stopping eos_token_id exponential_decay_length_penalty force_words_ids forced_decoder_ids forced_eos_token_id generation_kwargs
sequence_bias stop_strings suppress_tokens watermarking_config
"""
_WHISPER = """
alignment_heads is_multilingual lang_to_id language max_initial_timestamp_index median_filter_width no_timestamps_token_id
prev_sot_token_id return_timestamps task task_to_id
"""
"""Fields that model families add to the file."""

_CALL = """
assistant_model assistant_tokenizer attention_mask custom_generate generation_config input_ids inputs logits_processor
negative_prompt_attention_mask negative_prompt_ids past_key_values prefix_allowed_tokens_fn stopping_criteria streamer synced_gpus
tokenizer
"""
CALL = frozenset(_CALL.split())
"""Arguments of `generate` that no file may hold."""

TABLE = Table(
    options={
        **dict.fromkeys(_WHOLE.split(), Option(Kind.WHOLE)),
        **dict.fromkeys(_NUMBER.split(), Option(Kind.NUMBER)),
        **dict.fromkeys(_FLAG.split(), Option(Kind.FLAG)),
        **dict.fromkeys(_TEXT.split(), Option(Kind.TEXT)),
        **dict.fromkeys((*_ANY.split(), *_WHISPER.split(), *CALL), Option()),
        "num_assistant_tokens_schedule": Option(Kind.TEXT, ("heuristic", "heuristic_transient", "constant")),
    },
    families=("",),
)
