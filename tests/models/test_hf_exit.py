"""The first layers of a model as a model of their own, on the same weights."""

import pytest
import torch
import transformers

from draftproof.errors import BadRequest, Unsupported
from draftproof.models.hf import HfModel
from draftproof.models.protocol import Block
from draftproof.proof import assert_model

TEXT = [3, 20, 7, 11, 11, 9, 2, 28, 5, 17]
LLAMA = {
    "vocab_size": 31,
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 4,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "initializer_range": 0.2,
}


def llama():
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**LLAMA))


def qwen2():
    windows = {"use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1}
    return transformers.Qwen2ForCausalLM(transformers.Qwen2Config(**LLAMA, **windows))


def gpt2():
    config = {"vocab_size": 31, "n_embd": 16, "n_layer": 4, "n_head": 2, "bos_token_id": 0, "eos_token_id": 0, "initializer_range": 0.2}
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(**config))


def opt():
    config = {
        "vocab_size": 31,
        "hidden_size": 16,
        "ffn_dim": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "word_embed_proj_dim": 16,
    }
    return transformers.OPTForCausalLM(transformers.OPTConfig(**config))


def gemma3n():
    layers = {"num_kv_shared_layers": 2, "layer_types": ["full_attention"] * 4, "activation_sparsity_pattern": [0.0] * 4}
    sizes = {"head_dim": 8, "vocab_size_per_layer_input": 31, "hidden_size_per_layer_input": 8, "laurel_rank": 4}
    return transformers.Gemma3nForCausalLM(transformers.Gemma3nTextConfig(**LLAMA | layers | sizes))


def made(family):
    torch.manual_seed(0)
    return HfModel(family())


@pytest.mark.parametrize("family", [llama, qwen2, gpt2])
class TestEarlyExit:
    @pytest.mark.parametrize("layers", [1, 3])
    def test_is_norm_and_head_after_that_many_layers(self, family, layers):
        model = made(family)
        body = model.torch_model.base_model
        with torch.inference_mode():
            hidden = model.torch_model(torch.tensor([TEXT]), output_hidden_states=True).hidden_states[layers]
            expected = model.torch_model.lm_head((body.ln_f if family is gpt2 else body.norm)(hidden))[0].numpy()
        early = model.early_exit(layers)
        rows = early.extend([early.start()], [Block(TEXT[:1], TEXT[1:], range(9))])[0]
        assert abs(rows - expected).max() < 1e-5
        whole = model.extend([model.start()], [Block(TEXT[:1], TEXT[1:], range(9))])[0]
        assert abs(rows - whole).max() > 0.1

    def test_copies_no_weight(self, family):
        model = made(family)
        early = model.early_exit(2)
        own = {weight.data_ptr() for weight in model.torch_model.parameters()}
        shared = {weight.data_ptr() for weight in early.torch_model.parameters()}
        assert shared < own

    def test_leaves_the_model_and_its_caches_alone(self, family):
        model = made(family)
        layers, before = model.torch_model.config.num_hidden_layers, model.extend([model.start()], [Block(TEXT)])[0]
        early = model.early_exit(1)
        caches = model.start(), early.start()
        early.extend([caches[1]], [Block(TEXT)])
        assert [len(cache.entries.layers) for cache in caches] == [layers, 1]
        assert [cache.length for cache in caches] == [0, len(TEXT)]
        assert model.torch_model.config.num_hidden_layers == layers
        assert (model.extend([caches[0]], [Block(TEXT)])[0] == before).all()

    def test_keeps_the_protocol(self, family):
        early = made(family).early_exit(2)
        assert_model(early, tolerance=1e-4, texts=3, longest=12)
        assert early.name.endswith(" up to layer 2")


class TestRefusals:
    @pytest.mark.parametrize("layers", [0, 4, -1])
    def test_of_a_number_of_layers(self, layers):
        with pytest.raises(BadRequest, match=rf"^an early exit after {layers} layers; LlamaForCausalLM has 4, so give 1 to 3$"):
            made(llama).early_exit(layers)

    @pytest.mark.parametrize(
        ("family", "sentence"),
        [
            (opt, "OPTForCausalLM is not one list of 2 layers between an embedding and a norm, so it has no early exit"),
            (gemma3n, "the layers of Gemma3nForCausalLM share their keys, so its first ones are no model of their own"),
        ],
    )
    def test_of_a_family_by_name(self, family, sentence):
        with pytest.raises(Unsupported) as refusal:
            made(family).early_exit(1)
        assert str(refusal.value) == sentence
