"""Which torch models can be decoded, and what is read off their configurations."""

import sys

import pytest
import torch
import transformers

from draftproof.errors import Unsupported
from draftproof.models.hf import HfModel
from draftproof.models.hf_fit import check_fit, context_length, end_tokens, windows

SMALL = {"vocab_size": 31, "hidden_size": 16, "num_hidden_layers": 2}
LLAMA = SMALL | {"intermediate_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1}
T5 = {"vocab_size": 31, "d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2}
VISION = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "image_size": 28, "patch_size": 14}
INDEXED = {
    "num_key_value_heads": 2,
    "n_routed_experts": 2,
    "num_experts_per_tok": 1,
    "n_group": 1,
    "topk_group": 1,
    "moe_intermediate_size": 8,
    "q_lora_rank": 8,
    "kv_lora_rank": 8,
    "qk_rope_head_dim": 4,
    "qk_nope_head_dim": 4,
    "v_head_dim": 8,
    "index_n_heads": 2,
    "index_head_dim": 8,
}
FORGETFUL = "cannot take a refused draft back: {} more than a key and a value a token; use a model of attention layers alone"


def rwkv():
    return transformers.RwkvForCausalLM(transformers.RwkvConfig(**SMALL, attention_hidden_size=16))


def mamba():
    return transformers.MambaForCausalLM(transformers.MambaConfig(**SMALL, state_size=4))


def recurrent_gemma():
    layers = {"num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 32, "lru_width": 16}
    return transformers.RecurrentGemmaForCausalLM(transformers.RecurrentGemmaConfig(**SMALL | layers))


def lfm2():
    """Convolutions and attention, and no word of it in the model's class."""
    return transformers.Lfm2ForCausalLM(transformers.Lfm2Config(**LLAMA, full_attn_idxs=[1]))


def minimax():
    return transformers.MiniMaxForCausalLM(transformers.MiniMaxConfig(**LLAMA, num_local_experts=2))


def indexed():
    return transformers.DeepseekV32ForCausalLM(transformers.DeepseekV32Config(**LLAMA | INDEXED))


def t5():
    return transformers.T5ForConditionalGeneration(transformers.T5Config(**T5))


def gemma3_with_vision():
    config = transformers.Gemma3Config(text_config=LLAMA | {"head_dim": 8}, vision_config=VISION)
    return transformers.Gemma3ForConditionalGeneration(config)


def headless():
    return transformers.LlamaModel(transformers.LlamaConfig(**LLAMA))


REFUSALS = {
    rwkv: f"RwkvForCausalLM {FORGETFUL.format('its layers keep')}",
    mamba: f"MambaForCausalLM {FORGETFUL.format('its layers keep')}",
    recurrent_gemma: f"RecurrentGemmaForCausalLM {FORGETFUL.format('its layers keep')}",
    lfm2: f"Lfm2ForCausalLM {FORGETFUL.format('its layer 0 keeps, as LinearAttentionLayer,')}",
    minimax: f"MiniMaxForCausalLM {FORGETFUL.format('its layer 1 keeps, as LinearAttentionLayer,')}",
    indexed: f"DeepseekV32ForCausalLM {FORGETFUL.format('its layer 0 keeps, as DynamicIndexedLayer,')}",
    t5: "T5ForConditionalGeneration is an encoder and a decoder; give a model that is one decoder, which reads its own text alone",
    gemma3_with_vision: "Gemma3ForConditionalGeneration joins a language model with other parts (text_config, vision_config); "
    "give a language model alone",
    headless: "LlamaModel has no head that gives logits; give the model that AutoModelForCausalLM makes of it",
    lambda: torch.nn.Linear(2, 2): "Linear is no transformers model; give one that AutoModelForCausalLM makes",
}


class TestFit:
    @pytest.mark.parametrize(("family", "sentence"), REFUSALS.items(), ids=[sentence.split()[0] for sentence in REFUSALS.values()])
    def test_is_refused_by_name(self, family, sentence):
        with pytest.raises(Unsupported) as refusal:
            HfModel(family())
        assert str(refusal.value) == sentence

    def test_is_refused_for_a_type_of_layer_that_transformers_has_no_plain_cache_for(self):
        model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**LLAMA))
        model.config.layer_types = ["full_attention", "minimax_m3_sparse"]
        with pytest.raises(Unsupported, match=r"^LlamaForCausalLM cannot .*: its layers of type 'minimax_m3_sparse' keep more than"):
            check_fit(model)

    def test_is_that_of_attention_layers(self):
        check_fit(transformers.LlamaForCausalLM(transformers.LlamaConfig(**LLAMA)))


class TestWindows:
    @pytest.mark.parametrize(
        ("config", "found"),
        [
            (transformers.LlamaConfig(**LLAMA), {"": None}),
            (transformers.MistralConfig(**LLAMA, sliding_window=7), {"": 7}),
            (transformers.Qwen2Config(**LLAMA, sliding_window=7), {"full_attention": None}),
            (
                transformers.Qwen2Config(**LLAMA, use_sliding_window=True, sliding_window=7, max_window_layers=1),
                {"full_attention": None, "sliding_attention": 7},
            ),
            (transformers.Llama4TextConfig(**LLAMA, attention_chunk_size=8), None),
            (transformers.GPTNeoConfig(hidden_size=16, num_layers=2, attention_types=[[["global", "local"], 1]], num_heads=2), None),
            (transformers.GPTNeoConfig(hidden_size=16, num_layers=2, attention_types=[[["global"], 2]], num_heads=2), {"": None}),
        ],
    )
    def test_are_read_for_every_type_of_layer(self, config, found):
        assert windows(config) == found


class TestContextLength:
    STRETCH = {"rope_type": "longrope", "long_factor": [1.0] * 4, "short_factor": [1.0] * 4, "factor": 4.0}

    @pytest.mark.parametrize(
        ("config", "length"),
        [
            (transformers.LlamaConfig(**LLAMA, max_position_embeddings=77), 77),
            (transformers.GPT2Config(n_positions=55), 55),
            (transformers.BloomConfig(), sys.maxsize),
            (transformers.XLNetConfig(), sys.maxsize),
        ],
        ids=lambda value: getattr(value, "model_type", value),
    )
    def test_is_what_the_configuration_says(self, config, length):
        assert context_length(config) == length

    def test_ends_where_the_angles_of_cached_keys_would_change(self):
        stretched = self.STRETCH | {"original_max_position_embeddings": 64}
        assert context_length(transformers.LlamaConfig(**LLAMA, max_position_embeddings=256, rope_parameters=stretched)) == 64


class TestEndTokens:
    @pytest.mark.parametrize(
        ("config", "generation", "ends"), [(3, 5, {5}), (3, [5, 6], {5, 6}), (3, None, {3}), ([3, 4], None, {3, 4}), (None, None, set())]
    )
    def test_are_those_that_generate_takes(self, config, generation, ends):
        model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**LLAMA, eos_token_id=config, bos_token_id=None))
        model.generation_config.eos_token_id = generation
        assert end_tokens(model) == ends
